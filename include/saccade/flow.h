/*
 * Since 0.2. Flow: Doppler of an ensemble of beamformed IQ images. Power, velocity (color),
 * direction and variance of what moves, with wall filters that take out what hardly does: tissue.
 *
 *     sac_flow_desc_init(&desc);
 *     desc.n_frames = 200, desc.n_axes = 2, desc.shape[0] = n_z, desc.shape[1] = n_x;
 *     desc.prf_hz = 1000, desc.fc_hz = 5e6;
 *     desc.kind = SAC_FLOW_COLOR, desc.filter = "svd:auto";
 *     st = sac_flow_open(&plan, &desc, &err);
 *     sac_array out = sac_flow_get_output_array(plan);
 *     out.data = malloc((size_t)sac_array_count(&out) * sac_dtype_size(out.dtype));
 *     st = sac_flow_run(plan, &out, &iq, &err);
 *     sac_flow_close(&plan);
 *
 * `iq` is what sac_beamform_run gives with SAC_OUTPUT_IQ: c64 (n_frames, points...). With x_i(p)
 * the N frames of an ensemble after the filter:
 *
 *     P(p) = 1/N         sum over i of |x_i|^2                      power
 *     A(p) = 1/(N - lag) sum over i of conj(x_i) x_(i + lag)        autocorrelation
 *     v(p) = v_N arg(A) / pi,   v_N = c PRF / (4 fc lag)            velocity along the beam
 *     s(p) = 2 (v_N / pi)^2 max(0, 1 - |A| / P)                     its variance
 *
 * Velocity toward the probe is positive. v_N, the Nyquist velocity, is the largest that can be
 * told: faster flow comes out 2 v_N slower, with the other sign. (Kasai, Namekawa, Koyano, Omoto,
 * "Real-time two-dimensional blood flow imaging using an autocorrelation technique", IEEE Trans.
 * Sonics Ultrason. 32, 1985.) docs/flow.md has formulas and conventions.
 *
 * Vectors (v_x, v_z) are the least squares over transmits t, all of one weight, of
 *
 *     v_t(p) = ((1 + cos az_t) v_z - sin az_t v_x) / 2
 *
 * with v_t the v above of transmit t's images, each filtered by itself: waves come back along z.
 * v_x is positive along x, v_z toward the probe, against the axis z. (Yiu, Yu, "Least-squares
 * multi-angle Doppler estimators for plane-wave vector flow imaging", IEEE TUFFC 63, 2016.)
 *
 * Threads: one thread at a time runs or closes a plan; several threads may call its getters while
 * none runs it. Functions that fill in a struct do nothing if it is NULL.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_FLOW_H
#define SACCADE_FLOW_H

#include <saccade/acquisition.h>
#include <saccade/array.h>
#include <saccade/base.h>
#include <saccade/device.h>
#include <saccade/param.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sac_flow_kind {
    SAC_FLOW_POWER = 0,   /* P, in dB or linear */
    SAC_FLOW_COLOR,       /* v, in m/s */
    SAC_FLOW_DIRECTIONAL, /* (.., 2, ..): the power of frequencies above 0, toward the probe, then
                             of those below; that of 0 and of the highest is halved between them */
    SAC_FLOW_VARIANCE,    /* s, in m^2/s^2 */
    SAC_FLOW_COLOR_POWER, /* (.., 2, ..): v, then P */
    SAC_FLOW_VECTOR       /* (.., 2, ..): the velocity along x, then along z, toward the probe
                             positive, in m/s; of plane waves of several angles */
} sac_flow_kind;

typedef enum sac_flow_scale {
    SAC_FLOW_DB = 0, /* 10 log10 of P over its maximum in the ensemble, from -dynamic_range to 0 */
    SAC_FLOW_LINEAR  /* P itself */
} sac_flow_scale;

/* What finds an SVD filter's eigenvectors. All agree within rounding. */
typedef enum sac_flow_eigen {
    SAC_FLOW_EIGEN_JACOBI = 0, /* saccade's own: the same bytes on every CPU */
    SAC_FLOW_EIGEN_AUTO,    /* where the machine has it LAPACK, of ensembles of SAC_FLOW_LAPACK_FROM
                               frames or more, on a GPU cuSOLVER, of SAC_FLOW_CUSOLVER_FROM or more;
                               else Jacobi */
    SAC_FLOW_EIGEN_LAPACK,  /* on the CPU: the machine's library, which is loaded at open: 4 to 25
                               times as fast of hundreds of frames. It may allocate, take locks and
                               start threads of its own in a run, and its bytes depend on how many */
    SAC_FLOW_EIGEN_CUSOLVER /* on a GPU: the machine's library, which is loaded at open. It may
                               allocate and take locks in a run, and its bytes depend on its version
                               and on the GPU */
} sac_flow_eigen;

#define SAC_FLOW_LAPACK_FROM 256   /* frames */
#define SAC_FLOW_CUSOLVER_FROM 64  /* frames */
#define SAC_FLOW_MAX_ENSEMBLE 1024 /* frames */
#define SAC_FLOW_MAX_AXES 3
#define SAC_FLOW_STEPS 100 /* of an ensemble, that progress counts */
#define SAC_FLOW_MAX_TRANSMITS 1024
#define SAC_FLOW_POOR_CONDITION 20 /* vectors: open warns of angles above this condition number */

typedef struct sac_flow_desc {
    size_t struct_size;

    /* The images that every run gets: (n_frames, shape[0], ..), c64; of vector every transmit's:
     * (n_frames, n_transmits, shape[0], ..). */
    int64_t n_frames;
    int32_t n_axes; /* of the points, 1 to SAC_FLOW_MAX_AXES */
    int64_t shape[SAC_FLOW_MAX_AXES];
    double fc_hz;       /* center frequency of the pulse; velocities need it */
    double c_m_s;       /* speed of sound, default 1540 */
    int32_t phase_sign; /* of the IQ data as it was beamformed: 1, the default and of demodulated
                           RF, or sac_acquisition's */

    /* Options. */
    double prf_hz;           /* frames a second; velocities need it. Default 0: unknown */
    int32_t kind;            /* sac_flow_kind; default SAC_FLOW_COLOR */
    const char *filter;      /* "none", "polynomial:ORDER", "svd:K", "svd:LOW:HIGH", "svd:auto";
                                NULL: none */
    int32_t ensemble;        /* frames of an ensemble; 0, the default: all */
    int32_t step;            /* frames from one ensemble to the next; 0, the default: ensemble */
    int32_t lag;             /* default 1 */
    int32_t average[2];      /* points over which A and P are averaged, along the last axis and
                                along the first: odd, default 1, 1 */
    int32_t scale;           /* sac_flow_scale; default SAC_FLOW_DB */
    double dynamic_range_db; /* of power in dB, 1..200; default 30 */
    int32_t n_threads;       /* 0, the default: one per core */
    sac_device device;       /* a GPU has kernels of its own, within the same error bounds */
    const char *variant;     /* on the CPU, implementations to use: "NAME" or "ROOM:NAME,ROOM:NAME";
                                NULL: the fastest */

    const sac_executor *executor; /* threads of the caller; NULL: the plan starts its own */
    const sac_log *log;           /* is told at open which variants were chosen; may be NULL */
    sac_progress_fn progress;     /* counts SAC_FLOW_STEPS an ensemble, on a CPU one by one where it
                                     takes long; false ends the run with SAC_CANCELLED. May be NULL
                                   */
    void *progress_ctx;

    /* Of SAC_FLOW_VECTOR: plane waves in the plane of x and z, 2 or more, and their azimuths as
     * sac_transmit has them, (n_transmits), of which two differ by 0.001 or more. The caller keeps
     * the array until open returns. Default 0 and NULL: of other kinds. */
    int32_t n_transmits;
    const double *azimuth_rad;

    /*
     * On a GPU: the caller's cudaStream_t, of that GPU (its default stream is cudaStreamLegacy).
     * Runs enqueue on it, on arrays in GPU memory only; those with an SVD filter wait for it, once
     * or more a sweep over its vectors or for cuSOLVER, others return without waiting. Close the
     * plan when it is done with the enqueued work. NULL: the plan has a stream of its own, and a
     * run is complete when it returns.
     */
    void *stream;

    /* sac_flow_eigen, of SVD filters; default SAC_FLOW_EIGEN_JACOBI. */
    int32_t eigen;
} sac_flow_desc;

/* An opened plan: owns its buffers and threads. */
typedef struct sac_flow sac_flow;

/* The fields that options set, with ranges and texts (saccade/param.h). */
SAC_API const sac_param_table *sac_flow_params(void);

/* Fills in every default. The caller sets n_frames and the shape; for velocities prf_hz and fc_hz.
 */
SAC_API void sac_flow_desc_init(sac_flow_desc *desc);

/*
 * Checks the desc, chooses variants, allocates memory and starts threads. Memory is the matrices of
 * an ensemble, a block of its points per thread, and a few numbers a point; on a GPU, there, of an
 * ensemble up to 512 MB of points at a time, and for arrays in CPU memory two whole ensembles. On
 * failure *plan is NULL. SAC_E_INVALID (an option, or prf_hz or fc_hz is missing), SAC_E_SHAPE,
 * SAC_E_UNSUPPORTED (a GPU, in a build without CUDA; a variant forced on one; no LAPACK or
 * cuSOLVER, or not on this device), SAC_E_DEVICE, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_flow_open(sac_flow **plan, const sac_flow_desc *desc,
                                               sac_error *err);

/*
 * Type and shape of a run's output, f32 (n_ensembles, points...), contiguous, with data NULL; of
 * directional, color-power and vector (n_ensembles, 2, points...). n_ensembles is (n_frames -
 * ensemble) / step + 1.
 */
SAC_API sac_array sac_flow_get_output_array(const sac_flow *plan);

/*
 * Works on all ensembles of `in`, contiguous c64 of the desc's shape, into `out`, as
 * sac_flow_get_output_array says and contiguous. NaN and infinite samples spoil their points, and
 * with an SVD filter all of their ensemble, which is then NaN. Allocates nothing, and the result
 * does not depend on the number of threads, unless LAPACK or cuSOLVER finds eigenvectors
 * (sac_flow_eigen). `out` must not overlap `in`.
 *
 * Both lie in the CPU's memory or, of a GPU's plan, on that GPU, each by itself, at multiples of a
 * sample's size; work of other streams on them must be complete. Arrays in CPU memory are copied,
 * fastest if page-locked. SAC_E_SHAPE; SAC_CANCELLED (progress returned false); SAC_E_DEVICE: the
 * GPU failed or is lost, in an earlier run if the stream is the caller's, or cuSOLVER found no
 * eigenvectors.
 */
SAC_API SAC_NODISCARD sac_status sac_flow_run(sac_flow *plan, const sac_array *out,
                                              const sac_array *in, sac_error *err);

/* The Nyquist velocity in m/s, of vector that of each v_t; 0 where prf_hz or fc_hz is unknown. */
SAC_API double sac_flow_get_nyquist(const sac_flow *plan);

/*
 * Of the last run's ensemble: the singular values of the Casorati matrix (points x frames), largest
 * first, as many as an ensemble has frames; *low and *high are the first that the SVD filter kept,
 * and one past the last. Of vector each transmit has its own: `ensemble` is then ensemble
 * n_transmits + transmit. NULL, and 0 and the number of frames, where no SVD filter runs; zeros
 * before the first run. The plan owns the values. low and high may be NULL.
 */
SAC_API const double *sac_flow_get_singular_values(const sac_flow *plan, int64_t ensemble,
                                                   int32_t *low, int32_t *high);

/*
 * Of vector the condition number of the least squares: by this over the root of n_transmits v_x is
 * noisier than a v_t. 0 of other kinds.
 */
SAC_API double sac_flow_get_condition(const sac_flow *plan);

/* The variants in use, as ROOM:NAME: "gram_c64:avx512 mix_c64:avx512". The plan owns the string. */
SAC_API const char *sac_flow_get_variant(const sac_flow *plan);

/* Frees the plan and its threads and sets *plan to NULL. plan and *plan may be NULL. */
SAC_API void sac_flow_close(sac_flow **plan);

/*
 * The mean frequency of IQ images, weighted by their power: what depth turns their phase by, over
 * that of fc_hz on the way there and back. As a desc's fc_hz it takes two biases out of velocities
 * along z: that frequencies below fc have larger resolution cells, and that receive elements look
 * at an angle (docs/flow.md, "Accuracy"). Images are c64 (.., n_z, n_x), contiguous, in CPU memory,
 * step_m apart along z, at most a quarter of c over the distance of their frequency from fc_hz;
 * phase_sign is the desc's. SAC_E_SHAPE; SAC_E_INVALID (a number, or images without power).
 */
SAC_API SAC_NODISCARD sac_status sac_flow_mean_frequency(double *f_hz, const sac_array *images,
                                                         double step_m, double fc_hz, double c_m_s,
                                                         int32_t phase_sign, sac_error *err);

/*
 * A straight vessel in the plane of x and z, with laminar flow: peak_m_s (1 - r^2 / radius_m^2) at
 * the distance r from its axis. angle_rad is the axis's angle to x: blood flows toward x and, above
 * 0, toward the probe. sac_phantom_fill simulates it.
 */
typedef struct sac_vessel {
    double center_m[3], radius_m, angle_rad, peak_m_s;
} sac_vessel;

#define SAC_FLOW_PROFILE 11

/* Velocities against the truth, along z: peak_m_s sin(angle_rad) (1 - r^2 / radius_m^2). */
typedef struct sac_flow_measure {
    int64_t n_points;     /* in the vessel, of finite velocity */
    double bias_m_s;      /* mean of measured less true */
    double deviation_m_s; /* its standard deviation */
    double peak_m_s;      /* of the parabola that fits best (least squares) */
    double peak_error;    /* (peak_m_s - the vessel's) / the vessel's */
    /* Means of the points in equal parts from one wall (that nearer to the probe) to the other;
     * NaN where there are none. */
    double profile_m_s[SAC_FLOW_PROFILE], truth_m_s[SAC_FLOW_PROFILE];
} sac_flow_measure;

/*
 * Measures velocities, f32 (n_z, n_x) on the plane x, z of a cartesian grid, in CPU memory; strides
 * are free. SAC_E_SHAPE; SAC_E_INVALID (a vessel without a radius or speed, or across the beam, or
 * fewer than 16 points in it).
 */
SAC_API SAC_NODISCARD sac_status sac_measure_flow(sac_flow_measure *out, const sac_array *velocity,
                                                  const sac_grid *grid, const sac_vessel *vessel,
                                                  sac_error *err);

/* The same of velocities along x: the truth is peak_m_s cos(angle_rad) (1 - r^2 / radius_m^2). */
SAC_API SAC_NODISCARD sac_status sac_measure_flow_across(sac_flow_measure *out,
                                                         const sac_array *velocity,
                                                         const sac_grid *grid,
                                                         const sac_vessel *vessel, sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
