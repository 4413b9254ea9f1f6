/*
 * Delay-and-sum beamforming: ultrasound channel data to a B-mode picture or volume.
 *
 * Transmit t, receive element r, point p, all in metres and seconds, in double precision:
 *
 *     g(t, p) = sum over r of  w(r, p) f(t, r, s)          low-resolution image (LRI)
 *     s       = (tau_tx(t, p) + tau_rx(r, p) - t0(t)) fs   in samples
 *     tau_rx  = |p - e_r| / c
 *     h(p)    = sum over t of  a(t) g(t, p)                compounding: high-resolution image
 *
 * f interpolates the record of n samples for 0 <= s <= n - 1 and is 0 elsewhere (or holds the end
 * samples). IQ data, demodulated at fd, is rotated back to its carrier: each sample is multiplied
 * by exp(j 2 pi fd (tau_tx + tau_rx - t0)), without t0 where the phase was counted from the
 * transmit. tau_tx is 0 when the wave passes the origin, or when the one element fires. w is the
 * receive aperture's: with a point at depth d along the element's normal and at distance l from it,
 * an element is in the aperture if u = 2 F l / d <= 1, d > 0, and its weight is the window at u.
 *
 * Threads: one thread at a time runs or closes a plan; several may ask one about itself while none
 * does. Plans do not know of each other. All other functions may be called from any thread.
 * Functions that fill a struct do nothing where it is NULL.
 *
 * After Jarosik, Lewandowski, Yiu, "Delay-and-sum beamforming on GPUs" (IUS 2023);
 * docs/beamform.md has the conventions with figures, docs/numerics.md the error bounds.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_BEAMFORM_H
#define SACCADE_BEAMFORM_H

#include <saccade/array.h>
#include <saccade/base.h>
#include <saccade/device.h>
#include <saccade/param.h>
#include <saccade/signal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x runs along a linear array, y across it (elevation), z away from it (depth). */
typedef struct sac_element {
    double position_m[3];     /* of its center */
    double normal[3];         /* unit vector that it faces; (0, 0, 1) on a flat array */
    double width_m, height_m; /* along x and y; 0: unknown. Delay-and-sum ignores them */
} sac_element;

/* At the origin, facing (0, 0, 1); sizes unknown. */
SAC_API void sac_element_init(sac_element *element);

typedef enum sac_transmit_kind {
    SAC_TRANSMIT_PLANE = 0,
    SAC_TRANSMIT_DIVERGING, /* from a virtual source behind the array */
    SAC_TRANSMIT_FOCUSED,   /* to a focus in front of it */
    SAC_TRANSMIT_ELEMENT,   /* one element: synthetic aperture */
    SAC_TRANSMIT_DELAYS,    /* any delays: the first arrival over all elements that fire */
    SAC_TRANSMIT_ARRIVALS   /* tau_tx given for every point */
} sac_transmit_kind;

/*
 * One transmit. tau_tx(p), by kind:
 *
 *     plane      (p . d) / c;  d = (sin az cos el, sin el, cos az cos el)
 *     diverging  (|p - source| - |source|) / c
 *     focused    (|source| + |p - source|) / c    beyond the focus: (p - source) . source >= 0
 *                (|source| - |p - source|) / c    before it
 *     element    |p - e| / c
 *     delays     the least of delays_s[e] + |p - e| / c over the elements e that fire
 *     arrivals   arrivals_s[index of p]
 *
 * Fill it with sac_transmit_init: of zeros alone, it would weigh 0.
 */
typedef struct sac_transmit {
    sac_transmit_kind kind;
    double azimuth_rad, elevation_rad; /* plane */
    double source_m[3];                /* diverging, focused */
    int32_t element;                   /* element */
    const double *delays_s;            /* delays: (n_elements); NaN where one does not fire */
    const double *arrivals_s;          /* arrivals: (n_points), in the order of the grid */
    double t0_s;                       /* when the first sample was taken, tau_tx's clock */
    double weight;                     /* a(t), finite; those of all transmits are not all 0 */
} sac_transmit;

/* Of this kind, straight ahead from the origin, with weight 1 and t0 0; element 0, no tables. */
SAC_API void sac_transmit_init(sac_transmit *transmit, sac_transmit_kind kind);

/* Where the phase of demodulated data is 0. */
typedef enum sac_phase_origin {
    SAC_PHASE_RECORD = 0, /* at the first sample */
    SAC_PHASE_TRANSMIT    /* at time 0 */
} sac_phase_origin;

/* How channel data was acquired. Arrays are the caller's, and must stay until open returns. */
typedef struct sac_acquisition {
    size_t struct_size;
    int32_t n_elements, n_transmits;
    const sac_element *elements;   /* (n_elements) */
    const sac_transmit *transmits; /* (n_transmits) */
    double fs_hz;                  /* sampling, as stored */
    double fc_hz;                  /* center of the pulse */
    double bandwidth;     /* of the pulse at -6 dB, as a fraction of fc; 0: unknown, 0.7 is taken */
    double fd_hz;         /* IQ: demodulated at; 0: fc_hz */
    double c_m_s;         /* speed of sound */
    double frame_rate_hz; /* 0: unknown */
    sac_phase_origin phase_origin;
    int32_t phase_sign; /* IQ = low-pass of RF exp(-j sign 2 pi fd t): 1 as usual, or -1 */
} sac_acquisition;

/* struct_size, c 1540 m/s, phase_sign 1; the rest 0. */
SAC_API void sac_acquisition_init(sac_acquisition *acquisition);

/* Checks all that delay-and-sum needs, but for given arrivals, whose number is open's to know;
 * names the field. SAC_E_INVALID. */
SAC_API SAC_NODISCARD sac_status sac_acquisition_check(const sac_acquisition *acquisition,
                                                       sac_error *err);

/* n elements along x, centered on the origin, facing z. */
SAC_API void sac_probe_linear(sac_element *elements, int32_t n, double pitch_m, double width_m,
                              double height_m);

/* n_x x n_y elements in the plane z = 0, centered on the origin, facing z; x runs fastest. */
SAC_API void sac_probe_matrix(sac_element *elements, int32_t n_x, int32_t n_y, double pitch_x_m,
                              double pitch_y_m);

/* Points at equal steps from first to last, both included; n of 1 stands at first. Points are
 * numbered with x fastest, then y, then z. */
typedef struct sac_grid {
    double first_m[3], last_m[3]; /* x, y, z */
    int64_t n[3];                 /* x, y, z; at least 1 */
} sac_grid;

/* One point, the origin. */
SAC_API void sac_grid_init(sac_grid *grid);

/*
 * A grid at a third of the wavelength over the field that the data covers: the array's width (the
 * sector of a diverging wave), and the depth between the record's ends, y at the origin's.
 * SAC_E_INVALID.
 */
SAC_API SAC_NODISCARD sac_status sac_grid_default(sac_grid *grid,
                                                  const sac_acquisition *acquisition,
                                                  int64_t n_samples, sac_error *err);

typedef enum sac_channel_layout {
    SAC_FRAMES_OUTER = 0, /* (n_frames, n_transmits, n_elements, n_samples), as acquired */
    SAC_FRAMES_INNER      /* (n_transmits, n_elements, n_samples, n_frames) */
} sac_channel_layout;

typedef enum sac_beamform_output {
    SAC_OUTPUT_IQ = 0,   /* h(p): complex c64; f32 where RF is beamformed as RF */
    SAC_OUTPUT_ENVELOPE, /* |h(p)|: f32; of RF by a Hilbert transformer along z */
    SAC_OUTPUT_BMODE,    /* 20 log10 of the envelope over its maximum in the frame, f32 dB: 0 down
                            to -dynamic_range */
    SAC_OUTPUT_GRAY /* that for display, u8: 255 (1 + dB / dynamic_range), rounded to nearest */
} sac_beamform_output;

typedef enum sac_demodulate {
    SAC_DEMODULATE_AUTO = 0,
    SAC_DEMODULATE_YES,
    SAC_DEMODULATE_NO
} sac_demodulate_choice;

typedef struct sac_beamform_desc {
    size_t struct_size;

    /* The channel data that every run will be given. */
    const sac_acquisition *acquisition; /* not needed after open */
    sac_dtype dtype;                    /* SAC_I16 or SAC_F32: RF; SAC_C64: IQ */
    int64_t n_frames, n_samples;
    sac_channel_layout layout;

    /* The points: a grid, or a list. */
    sac_grid grid;
    const double *points_m; /* (n_points, 3) x, y, z; NULL: the grid */
    int64_t n_points;

    /* Options; the parameter table describes them. */
    double f_number;
    const char *apodization; /* "rect", "hann", "tukey:A" */
    int32_t interp;          /* sac_interp */
    int32_t outside;         /* sac_outside */
    int32_t tier;            /* sac_tier */
    bool lri;                /* keep each transmit's image */
    int32_t output;          /* sac_beamform_output; the option `kind` */
    double dynamic_range_db;
    int32_t demodulate; /* sac_demodulate_choice: RF to IQ before beamforming */
    int32_t decimation; /* of demodulated data */
    bool band_pass;     /* RF that stays RF: only the pulse's band */
    int32_t n_threads;
    sac_device device;
    const char *variant; /* forces rungs: "NAME" or "ROOM:NAME,ROOM:NAME"; NULL: the fastest */

    const sac_executor *executor; /* the caller's threads instead of the plan's own; NULL: own */
    const sac_log *log;           /* told at open what was chosen; may be NULL */
    sac_progress_fn progress;     /* called during a run, from its thread; false ends it with
                                     SAC_CANCELLED. May be NULL */
    void *progress_ctx;

    /*
     * On a GPU: the caller's cudaStream_t, of that GPU (its default stream is cudaStreamLegacy).
     * Every run is then only enqueued there, and takes arrays in device memory alone; progress is
     * told what was enqueued. NULL: a stream of the plan's own, and a run is complete when it
     * returns.
     */
    void *stream;
} sac_beamform_desc;

typedef struct sac_beamform sac_beamform;

SAC_API const sac_param_table *sac_beamform_params(void);

/* Fills in every default. The acquisition, dtype, sizes and points are left for the caller. */
SAC_API void sac_beamform_desc_init(sac_beamform_desc *desc);

/*
 * Checks, chooses kernels, allocates, starts threads. Memory is the packed channel data, a block of
 * points a thread, and what the output needs: no table grows with points x elements. On a GPU it is
 * the channel data and images of a batch of frames, 1 GiB at most where one frame takes no more,
 * and a variant cannot be forced. On failure *plan is NULL. SAC_E_INVALID, SAC_E_SHAPE,
 * SAC_E_UNSUPPORTED, SAC_E_NOMEM, SAC_E_DEVICE.
 */
SAC_API SAC_NODISCARD sac_status sac_beamform_open(sac_beamform **plan,
                                                   const sac_beamform_desc *desc, sac_error *err);

/*
 * What a run writes: type and shape, contiguous, data NULL. (n_frames, n_z, n_x); with n_y > 1
 * (n_frames, n_z, n_y, n_x); a list (n_frames, n_points); LRIs have n_transmits behind n_frames.
 */
SAC_API sac_array sac_beamform_get_output_array(const sac_beamform *plan);

/*
 * Beamforms the frames of `in` (the desc's type, shape and layout) into `out` (as
 * sac_beamform_get_output_array says). The samples of a record lie side by side in the layout as
 * acquired, the frames in the other; other strides are free. NaN and infinite samples reach the
 * points that they touch (at SAC_TIER_FAST also such as take a sample less than four away).
 * Allocates nothing, takes no lock. SAC_E_SHAPE; SAC_CANCELLED where progress said no. One run at a
 * time on a plan.
 *
 * A plan on a GPU takes each array in its memory (aligned to whole samples, where work of other
 * streams on it must be done by then) or in the CPU's, which is then copied there or back;
 * page-locked memory (cudaHostAlloc, cudaHostRegister) goes without a detour, and batches of frames
 * are copied in, worked on and copied back at the same time. `out` must not overlap `in`.
 * SAC_E_DEVICE where the GPU refused or is lost: of an earlier run too, where the stream is the
 * caller's.
 */
SAC_API SAC_NODISCARD sac_status sac_beamform_run(sac_beamform *plan, const sac_array *out,
                                                  const sac_array *in, sac_error *err);

/*
 * For point p (x, y, z): tau_tx + tau_rx - t0 in seconds of every transmit and element
 * (n_transmits, n_elements), and the weights w (n_elements). Either may be NULL. For a plan whose
 * transmits have given arrivals, `index` is the point's, 0 to n_points - 1 (of others they are
 * NaN); else it is ignored.
 */
SAC_API void sac_beamform_get_delays(const sac_beamform *plan, const double p_m[3], int64_t index,
                                     double *delays_s, double *weights);

/* Points of a run, counted as (point, element, transmit, frame): all, and those in the aperture.
 * Either may be NULL. */
SAC_API void sac_beamform_get_points(const sac_beamform *plan, uint64_t *all, uint64_t *active);

/* The rungs that were chosen, "das_iq_f32:avx512 pack_c64:plain"; the plan's. */
SAC_API const char *sac_beamform_get_variant(const sac_beamform *plan);

/* Frees the plan and its threads; takes NULL and *plan == NULL; sets *plan = NULL. */
SAC_API void sac_beamform_close(sac_beamform **plan);

#ifdef __cplusplus
}
#endif
#endif
