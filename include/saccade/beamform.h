/*
 * Delay-and-sum beamforming: ultrasound channel data to a B-mode picture or volume.
 *
 *     sac_acquisition_init(&acquisition);
 *     acquisition.n_elements = 128, acquisition.elements = elements;
 *     acquisition.n_transmits = 1, acquisition.transmits = &transmit;
 *     acquisition.fs_hz = 20e6, acquisition.fc_hz = 5e6;
 *     sac_beamform_desc_init(&desc);
 *     desc.acquisition = &acquisition;
 *     desc.dtype = SAC_F32, desc.n_samples = 2048, desc.n_frames = 1;
 *     st = sac_grid_default(&desc.grid, &acquisition, desc.n_samples, &err);
 *     st = sac_beamform_open(&plan, &desc, &err);
 *     sac_array out = sac_beamform_get_output_array(plan);
 *     out.data = malloc((size_t)sac_array_count(&out) * sac_dtype_size(out.dtype));
 *     st = sac_beamform_run(plan, &out, &in, &err);
 *     sac_beamform_close(&plan);
 *
 * sac_probe_linear fills in `elements`, sac_transmit_init `transmit`; sac_transmits_parse
 * (saccade/recording.h) fills in usual sequences of transmits. sac_recording_read reads channel
 * data from files, sac_simulate_ultrasound (saccade/simulate.h) makes some, and sac_image_write or,
 * for SAC_OUTPUT_GRAY, saccade/io.h stores the result. `in` is a view (saccade/array.h) of
 * (n_frames, n_transmits, n_elements, n_samples), with 4 axes even if some are 1. Pixel i of n
 * along an axis of the grid is at first_m + i (last_m - first_m) / (n - 1).
 *
 * For transmit t, receive element r and point p, all in metres and seconds, in double precision:
 *
 *     g(t, p) = sum over r of  w(r, p) f(t, r, s)          low-resolution image (LRI)
 *     s       = (tau_tx(t, p) + tau_rx(r, p) - t0(t)) fs   in samples
 *     tau_rx  = |p - e_r| / c
 *     h(p)    = sum over t of  a(t) g(t, p)                compounding: high-resolution image
 *
 * f interpolates the record of n samples for 0 <= s <= n - 1, and is 0 outside (or the first or
 * last sample, with SAC_OUTSIDE_CLAMP). IQ data, demodulated at fd, is rotated back to its
 * carrier: each sample is multiplied by exp(j 2 pi fd (tau_tx + tau_rx - t0)), without t0 if the
 * phase was counted from the transmit. tau_tx is 0 when the wave passes the origin, or when a
 * single element fires. w is the weight of the receive aperture: for a point at depth d along the
 * element's normal and at distance l from that normal, the element is in the aperture if u = 2 F l
 * / d <= 1 and d > 0, and its weight is the window at u.
 *
 * Threads: one thread at a time runs or closes a plan (an opened pipeline); several threads may
 * call its getters at the same time while none runs it. Plans are independent of each other. All
 * other functions may be called from any thread. Functions that fill in a struct do nothing if it
 * is NULL.
 *
 * After Jarosik, Lewandowski, Yiu, "CUDA by examples: delay and sum" (IUS 2023);
 * docs/beamform.md has the conventions with figures, docs/numerics.md the error bounds.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_BEAMFORM_H
#define SACCADE_BEAMFORM_H

#include <saccade/acquisition.h>
#include <saccade/array.h>
#include <saccade/base.h>
#include <saccade/device.h>
#include <saccade/param.h>
#include <saccade/signal.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sac_channel_layout {
    SAC_FRAMES_OUTER = 0, /* (n_frames, n_transmits, n_elements, n_samples), as acquired */
    SAC_FRAMES_INNER      /* (n_transmits, n_elements, n_samples, n_frames) */
} sac_channel_layout;

typedef enum sac_beamform_output {
    SAC_OUTPUT_IQ = 0,   /* h(p): complex c64; f32 where RF is beamformed as RF */
    SAC_OUTPUT_ENVELOPE, /* |h(p)|: f32; for RF by a Hilbert transformer along z */
    SAC_OUTPUT_BMODE,    /* 20 log10 of the envelope over its maximum in the frame, f32 dB: from
                            -dynamic_range to 0 */
    SAC_OUTPUT_GRAY, /* the same for display, u8: 255 (1 + dB / dynamic_range), rounded to nearest
                      */
    /* Since 0.2. What sac_flow_run makes (saccade/flow.h): in files alone, delay-and-sum has none.
     * Those of two planes have them where others have transmits. */
    SAC_OUTPUT_POWER,          /* f32, linear or in dB: then dynamic_range_db is above 0 */
    SAC_OUTPUT_VELOCITY,       /* f32, m/s, positive toward the probe */
    SAC_OUTPUT_DIRECTIONAL,    /* two planes of power: toward the probe, and away */
    SAC_OUTPUT_VARIANCE,       /* of the velocity, f32, m^2/s^2 */
    SAC_OUTPUT_VELOCITY_POWER, /* two planes */
    SAC_OUTPUT_VECTOR /* two planes, m/s: along x, then along z, positive toward the probe */
} sac_beamform_output;

/* Since 0.2. How arrays of lines are beamformed (docs/beamform.md, "Dual-stage"). */
typedef enum sac_beamform_method {
    SAC_METHOD_AUTO = 0,  /* dual-stage with SAC_TIER_FAST where it can be, else direct */
    SAC_METHOD_DIRECT,    /* every point by itself */
    SAC_METHOD_DUAL_STAGE /* volumes of plane waves: in a few planes, then from these to all */
} sac_beamform_method;

/* Whether RF becomes IQ before it is beamformed. IQ data stays as it is. */
typedef enum sac_demodulate {
    SAC_DEMODULATE_AUTO = 0, /* RF is demodulated: this needs fewer points and samples */
    SAC_DEMODULATE_YES,      /* the same, but IQ data is refused */
    SAC_DEMODULATE_NO /* RF is beamformed as RF. An envelope, B-mode or gray output then needs
                         a grid whose steps along z are at most c / (6 fc) */
} sac_demodulate_choice;

/* Since 0.2: which signals adaptive weights are computed from. */
typedef enum sac_reduction_over {
    SAC_OVER_AUTO = 0, /* SAC_OVER_COMPOUND for mv, else SAC_OVER_TRANSMIT */
    SAC_OVER_TRANSMIT, /* the elements' within each transmit; the results are compounded. With low-
                          resolution images (lri) and transmit apodization (tx_f_number) this alone
                          is possible */
    SAC_OVER_COMPOUND, /* the elements' after compounding over the transmits */
    SAC_OVER_ALL       /* all, elements times transmits: of cf, scf and dmas */
} sac_reduction_over;

typedef struct sac_beamform_desc {
    size_t struct_size;

    /* The format of the channel data that every run gets. */
    const sac_acquisition *acquisition; /* not used after open */
    sac_dtype dtype;                    /* SAC_I16 or SAC_F32: RF; SAC_C64: IQ */
    int64_t n_frames, n_samples;        /* n_frames: default 1 */
    sac_channel_layout layout;          /* default SAC_FRAMES_OUTER */

    /* The points of the image, at most 2^28: a grid, or a list. */
    sac_grid grid;          /* default: one point, the origin */
    const double *points_m; /* (n_points, 3) x, y, z, at most 1e5 each; NULL: use the grid */
    int64_t n_points;

    /* Options. */
    double f_number; /* depth over width of the receive aperture, default 1.75; 0: all elements,
                        weight 1 */
    const char *apodization; /* "rect", "hann", "tukey:A"; NULL: "tukey:0.25" */
    int32_t interp;          /* sac_interp; default SAC_INTERP_LINEAR */
    int32_t outside;         /* sac_outside; default SAC_OUTSIDE_ZERO */
    int32_t tier;            /* sac_tier; default SAC_TIER_FP32 */
    bool lri;                /* output each transmit's image instead of their sum; default false */
    int32_t output;          /* sac_beamform_output, the option `kind`; default SAC_OUTPUT_BMODE */
    double dynamic_range_db; /* of B-mode and gray, 1..200; default 60 */
    int32_t demodulate;      /* sac_demodulate_choice; default SAC_DEMODULATE_AUTO */
    int32_t decimation;      /* of RF that is demodulated: keep one of so many samples, 1..1024;
                                default 1 */
    bool band_pass;          /* of RF that stays RF (SAC_DEMODULATE_NO): filter it to the pulse's
                                band first; default false */
    int32_t n_threads;       /* on the CPU; 0, the default: one per core */
    sac_device device;       /* default: the CPU */
    const char *variant; /* implementations to use: "NAME" or "ROOM:NAME,ROOM:NAME" (a room is one
                            step); NULL: the fastest */

    const sac_executor *executor; /* threads of the caller; NULL: the plan starts its own */
    const sac_log *log;           /* is told at open which variants were chosen; may be NULL */
    sac_progress_fn progress;     /* called during a run, from its thread; false ends the run with
                                     SAC_CANCELLED. May be NULL */
    void *progress_ctx;

    /*
     * On a GPU: the caller's cudaStream_t, of that GPU (its default stream is cudaStreamLegacy).
     * Then run only enqueues work on it, arrays must be in device memory, and progress counts
     * enqueued work. NULL: the plan has a stream of its own, and a run is complete when it returns.
     */
    void *stream;

    int32_t memory_mb; /* since 0.2: on a GPU, of its memory in MB (1e6 bytes) that the plan takes
                          at most for channel data, images and, through layers, the points'
                          arrivals, unless a single frame needs more; 0, the default: a quarter of
                          what is free at open, or 268 MB if that is more. Ignored on the CPU */

    /*
     * Since 0.2. Transmit apodization: h(p) = sum a(t) W(t, p) g(t, p) / max(1, sum W(t, p)), where
     * W is the wave's field of view (docs/beamform.md, "Transmit apodization"). Low-resolution
     * images (lri) are neither weighted by a nor by W.
     */
    double tx_f_number; /* depth over width of a wave's field, 0..100; 0, the default: W is 1
                           everywhere, and there is no sum of W */
    const char *tx_apodization; /* "rect", "hann", "tukey:A", or "lines": each point takes the one
                                   transmit whose axis is nearest; NULL: "hann" */

    /*
     * Since 0.2. A polar grid (sac_sector), and the cartesian grid to which its envelope is then
     * converted, bilinearly; outside of the sector the envelope is 0. Decibels are those of the
     * converted picture.
     */
    sac_grid picture; /* n of 0, the default: the output stays polar. Not of SAC_OUTPUT_IQ */
    sac_sector sector;
    int32_t grid_kind; /* sac_grid_kind; default SAC_GRID_CARTESIAN */

    /*
     * Since 0.2: the band of RF that demodulation and band_pass keep, around fd, by its -6 dB
     * width: a number in MHz, or "wide": three times the pulse's band (0.7 fc if that is unknown),
     * or as much of it as fits between multiples of half of fs. NULL, the default: the pulse's band
     * as the acquisition gives it; "wide" if it gives none.
     */
    const char *band;

    /*
     * Since 0.2: what becomes of a point's element signals: "sum", or adaptive weights "cf",
     * "gcf:M0", "scf:P", "dmas:P", "slsc:Q" or "mv:L", whose formulas and sources are in
     * docs/beamform.md, "Adaptive weights". Of IQ. NULL, the default: "sum".
     */
    const char *reduction;
    double reduction_loading; /* since 0.2: of mv: the diagonal of R grows by this times the mean of
                                 its diagonal, 0.001..10; default 0.01 */
    int32_t reduction_over;   /* since 0.2: sac_reduction_over; default SAC_OVER_AUTO */
    int32_t method;           /* sac_beamform_method; since 0.2; default SAC_METHOD_AUTO */

    /*
     * Since 0.2: speeds of sound that differ along z (docs/beamform.md, "Layers and lens"). Of flat
     * arrays at z = 0, grids at z > 0, sectors and lists, and waves that are not focused.
     */
    const char *layers; /* "MM:M_S,...,M_S": thickness in mm and speed in m/s of each layer from
                           z = 0 on, the last without end: "5:1450,1540". NULL, the default: c */
    const char *lens;   /* "MM:M_S": thickness and speed of the probe's lens, which lies between the
                           elements and z = 0. NULL, the default: none */
} sac_beamform_desc;

/* An opened beamformer (a plan): owns its tables, buffers and threads. */
typedef struct sac_beamform sac_beamform;

/* The fields that options set, with ranges and texts (saccade/param.h). */
SAC_API const sac_param_table *sac_beamform_params(void);

/* Fills in every default. The caller sets the acquisition, dtype, n_samples and the points. */
SAC_API void sac_beamform_desc_init(sac_beamform_desc *desc);

/*
 * Checks the desc, chooses variants (implementations), allocates memory and starts threads. On the
 * CPU memory is the packed channel data, a block of points per thread, and what the output needs;
 * no table has the size points x elements. On a GPU it is the channel data and images of a batch
 * of frames (memory_mb). On a GPU a variant cannot be forced.
 * On failure *plan is NULL. SAC_E_INVALID, SAC_E_SHAPE, SAC_E_UNSUPPORTED, SAC_E_NOMEM,
 * SAC_E_DEVICE.
 */
SAC_API SAC_NODISCARD sac_status sac_beamform_open(sac_beamform **plan,
                                                   const sac_beamform_desc *desc, sac_error *err);

/*
 * Type and shape of a run's output, contiguous, with data NULL: set data to memory of the caller,
 * sac_array_count elements of sac_dtype_size bytes, which the caller frees after the last run.
 * A grid gives (n_frames, n_z, n_x), or with n_y > 1 (n_frames, n_z, n_y, n_x); a list of points
 * (n_frames, n_points). With lri an axis n_transmits follows n_frames. Depth grows from row to row,
 * as a picture shows it, if first_m[2] is less than last_m[2]. A sector has depths for z and angles
 * for x and y; converted to a picture the output has the picture's shape.
 */
SAC_API sac_array sac_beamform_get_output_array(const sac_beamform *plan);

/*
 * Beamforms the frames of `in` (the desc's type, shape and layout) into `out` (as
 * sac_beamform_get_output_array says). In SAC_FRAMES_OUTER the samples of a record are adjacent in
 * memory, in SAC_FRAMES_INNER the frames; other strides are free, also those of `out`. NaN and
 * infinite samples affect the points that use them (with SAC_TIER_FAST also points that use a
 * sample less than four samples away). Allocates nothing; takes a lock only to wake sleeping
 * threads of the plan. `out` must not overlap `in`. Only one run at a time on a plan. SAC_E_SHAPE;
 * SAC_CANCELLED (progress returned false).
 *
 * On a GPU each array is in its memory or in CPU memory. Arrays in GPU memory are aligned to whole
 * samples, and work of other streams on them must be complete. Arrays in CPU memory are copied;
 * page-locked memory (cudaHostAlloc, cudaHostRegister) is copied directly, without an intermediate
 * buffer, and copying in, beamforming and copying back of different batches of frames overlap.
 * SAC_E_DEVICE: the GPU failed or is lost, in an earlier run if the stream is the caller's.
 */
SAC_API SAC_NODISCARD sac_status sac_beamform_run(sac_beamform *plan, const sac_array *out,
                                                  const sac_array *in, sac_error *err);

/*
 * For point p (x, y, z): tau_tx + tau_rx - t0 in seconds for every transmit and element,
 * (n_transmits, n_elements), and the weights w, (n_elements). Either may be NULL. A delay is NaN
 * where the element does not receive the transmit, a weight 0 where it receives none. If transmits
 * have given arrivals, `index` is the number of the point, 0 to n_points - 1 (with another number
 * their delays are NaN); otherwise it is ignored.
 */
SAC_API void sac_beamform_get_delays(const sac_beamform *plan, const double p_m[3], int64_t index,
                                     double *delays_s, double *weights);

/*
 * Since 0.2. What point p takes of each transmit's image: a(t) W(t, p) / max(1, sum W(t, p)), or
 * a(t) without transmit apodization; (n_transmits).
 */
SAC_API void sac_beamform_get_transmit_weights(const sac_beamform *plan, const double p_m[3],
                                               double *weights);

/*
 * Counts (point, element, transmit, frame) combinations of a run: all, and those in the aperture.
 * Either may be NULL.
 */
SAC_API void sac_beamform_get_points(const sac_beamform *plan, uint64_t *all, uint64_t *active);

/*
 * The variants in use, as ROOM:NAME: "das_iq_f32:avx512 pack_c64:plain". The plan owns the string.
 */
SAC_API const char *sac_beamform_get_variant(const sac_beamform *plan);

/*
 * Frees the plan and its threads and sets *plan to NULL. plan == NULL and *plan == NULL are
 * allowed.
 */
SAC_API void sac_beamform_close(sac_beamform **plan);

#ifdef __cplusplus
}
#endif
#endif
