/*
 * Delay-and-sum on a GPU: a run there, and its launchers. The definition is that of
 * saccade/beamform.h; tolerances are the rooms'.
 *
 *     out[f out_frame + t out_image + p out_point]      f32 for RF; complex values (c64) for IQ
 *
 * for frame f, image t (one unless lri is set) and point p: whole rows of points, overwritten.
 *
 * Channel data is read as it was acquired, or packed. With G = group frames side by side, sample s
 * of record (t, r) of frame f lies at
 *
 *     data + (f / G) frame + t tx + r rx + s G + f % G      samples of the room's type
 *
 * G is 1 for data as acquired; packed data has 2, 4, 8 or 16 units of 16 bytes side by side. Frames
 * of a packed group after the last are 0, and after each packed record there are SAC_DAS_GAP
 * samples of zeros.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_CUDA_H
#define SAC_BEAMFORM_DAS_CUDA_H

#include "beamform/kernels/das/cuda/das_tapers.h"
#include "beamform/kernels/das/das.h"
#include "room/variant_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A wave of lines that is not plane: kept apart, for other waves not to ask for lines. */
#define SAC_DAS_OF_LINES ((sac_transmit_kind)(SAC_TRANSMIT_ARRIVALS + 1))

/* When a transmit's wave reaches a point, in samples; no SAC_TRANSMIT_DELAYS. */
typedef struct sac_das_wave {
    sac_transmit_kind kind;
    float weight;               /* a(t) */
    double v[3];                /* plane: the direction; else the source, the focus, the element */
    double norm;                /* |v| */
    double t0;                  /* of the record, from the wave's zero */
    const double *arrivals_s;   /* (n_points) on the device */
    sac_das_meeting meeting;    /* of a wave of lines */
    sac_transmit_kind of_lines; /* where `kind` is SAC_DAS_OF_LINES */
} sac_das_wave;

/* How far a point's neighbour along one of three axes, or in `order`, is from it, in the mean: its
 * delays, in samples, and elements that it alone hears, of those that the point hears. */
#define SAC_DAS_BY_ORDER 3
#define SAC_DAS_AXES 4
typedef struct sac_das_spread {
    double samples, aperture;
} sac_das_spread;

/*
 * A run on a device. All memory is there. Of `das` the sizes and options count; data, tx, rx,
 * sample, imag and n_packed do not.
 */
typedef struct sac_das_cuda {
    sac_das das; /* elements (n_rx) and points_m on the device; transmits and tx_weight are
                    ignored */
    const void *data;
    int64_t frame, tx, rx; /* in samples */
    int32_t group;         /* G */
    int64_t out_frame, out_image, out_point;

    /* Points: three axes of a grid or list, the first two across; how many there are along each,
     * and how far apart their indices are. */
    int64_t n[3], stride[3];
    const int32_t *order; /* of a list without rows: which point is the i-th to be worked on */
    sac_das_spread spread[SAC_DAS_AXES];
    double n_heard, most_heard; /* elements that a point hears, in the mean and at most */

    /* Geometry in samples: metres times fs / c. */
    const sac_das_wave *waves; /* (n_tx) */
    const double *place;       /* (n_rx, 4): x, y, z, 0 */
    const float *place_f32;    /* the same */
    const float *from_middle;  /* (n_rx, 4), from `middle`:
                                  x, -(x^2 + y^2 + z^2) / 2, y, z */
    const float *facing;       /* (n_rx, 4): the normal, 0 */
    double scale;              /* fs / c */
    double turns;              /* IQ: of the rotation by a sample, with its sign */
    double unturned;  /* IQ: so much of a point's depth is left out of its rotation; 0 but for the
                         first of two stages */
    bool adds;        /* images are added to what `out` holds */
    double box[2][3]; /* the elements lie between these corners */
    double middle[3]; /* of the box */
    float largest_weight; /* of all |a(t)| */
    int32_t n_multiprocessors;
    bool is_plane; /* sac_das_cuda_in_plane */

    /* For receive delays in single precision. */
    float turns_f32;
    sac_das_taper taper;
    bool tapers;                   /* sac_das_tapers_in */
    bool has_aperture, has_window; /* an f-number; one, and a window other than a rect */

    /* Of half-precision data (sac_das_cuda_pack_half): what it is scaled by, on the device. */
    const float *largest;

    /* Of adapt_iq_f32 alone: what das.reduction points to, and memory for a call at a time. */
    sac_reduction reduction;
    void *scratch;
    size_t scratch_bytes;
} sac_das_cuda;

/*
 * Fills everything but `data`, the strides and `out_`: copies what `das` points to into one piece
 * of device memory, *memory, which the caller frees with sac_gpu_free. Turns SAC_TRANSMIT_DELAYS
 * into arrivals. Set-up: allocates and waits. `das` is of the CPU's memory, complete but for its
 * data. SAC_E_NOMEM, SAC_E_DEVICE.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_das_cuda_open(sac_das_cuda *run, void **memory,
                                                        const sac_das *das, sac_gpu *gpu,
                                                        sac_error *err);

/* Whether elements are no line, but all lie at one z and face along it. Of the CPU's memory. */
SAC_INTERNAL bool sac_das_cuda_in_plane(const sac_das *das);

/*
 * `points`: how many slots (transmits of frames) a thread holds at a time, and of how many frames,
 * so that the fewest passes over the elements do. `samples`: what a point and an element then cost
 * for all of them; the delay and the weight, found anew in each pass, cost as much as a sample.
 * Nine slots of IQ in double would take the registers that keep samples on their way; so would more
 * than five of cubic interpolation. Of IQ in single precision there are eight, too: 32 transmits
 * are four times eight.
 */
#define SAC_DAS_POINTS_MOST(is_iq, is_double) ((is_iq) && (is_double) ? 5 : 9)
#define SAC_DAS_POINTS_FEWER(is_iq, is_double)                                                     \
    ((is_iq) && !(is_double) ? 8 : SAC_DAS_POINTS_MOST(is_iq, is_double))
typedef struct sac_das_cuda_share {
    int32_t n_slots, n_frames;
    double samples;
} sac_das_cuda_share;

SAC_INTERNAL sac_das_cuda_share sac_das_cuda_share_of(int32_t n_tx, int32_t n_frames,
                                                      int32_t interp, bool is_iq, bool is_double);

/* Whether a kernel takes this run packed in groups of G; `size`: of a sample in bytes, 2 (i16), 4
 * (f32) or 8 (c64). And the least G that takes all its frames at once; 1 where there is none. */
SAC_INTERNAL bool sac_das_cuda_packs(const sac_das *das, int32_t size, int32_t group);
SAC_INTERNAL int32_t sac_das_cuda_group(const sac_das *das, int32_t size);

/* A packed run's strides, and the samples that it takes in all. */
static inline int64_t sac_das_cuda_pack_layout(sac_das_cuda *run, int32_t group)
{
    run->group = group;
    run->rx = (int64_t)(run->das.n_samples + (group > 1 ? SAC_DAS_GAP : 0)) * group;
    run->tx = run->das.n_rx * run->rx;
    run->frame = run->das.n_tx * run->tx;
    return (run->das.n_frames + group - 1) / group * run->frame;
}

/*
 * Packs n_frames <= run->das.n_frames frames into `out` (run's layout); missing ones are 0. Sample
 * s of record (t, r), frame f, is in[f frame + t tx + r rx + s sample], strides in samples of
 * `from_size` bytes. `size`: of a packed sample; 4 of from_size 2 are i16 that become f32, else
 * both are the same, and of 2 not in groups. Also brings data with group 1 (any strides) into
 * samples side by side.
 */
typedef struct sac_das_cuda_strides {
    int64_t frame, tx, rx, sample;
} sac_das_cuda_strides;

SAC_INTERNAL SAC_NODISCARD sac_status sac_das_cuda_pack(sac_gpu_stream stream, void *out,
                                                        const void *in,
                                                        const sac_das_cuda_strides *from,
                                                        const sac_das_cuda *run, int32_t n_frames,
                                                        int32_t size, int32_t from_size);

/*
 * Half-precision IQ for tensor cores (SAC_TIER_FAST): whether a run and the current device are for
 * it. Its group is SAC_DAS_HALF_GROUP, a sample 4 bytes, and after the layout's data one sample
 * more of a group can be read. sac_das_cuda_pack_half takes c64 as sac_das_cuda_pack does, and
 * scales it by a power of two derived from *largest, the largest magnitude of a finite sample
 * (sac_maximum_f32_cuda). A sample that is no finite number reaches points that take one less than
 * four away from it.
 */
#define SAC_DAS_HALF_GROUP 32
SAC_INTERNAL bool sac_das_cuda_takes_half(const sac_das *das, int32_t size, sac_tier tier);
SAC_INTERNAL SAC_NODISCARD sac_status sac_das_cuda_pack_half(sac_gpu_stream stream, void *out,
                                                             const void *in,
                                                             const sac_das_cuda_strides *from,
                                                             const sac_das_cuda *run,
                                                             int32_t n_frames);

/*
 * A part of a batch: frames that are packed and beamformed together. Of a batch of n frames
 * part[n] is the first part, and the others are those of a batch of the frames that are left.
 * sac_das_cuda_cut fills in the cheapest parts and what they take, as predicted for an H100. `das`
 * is of the CPU's memory; `size` of a sample that comes; `inner`: frames lie side by side, so that
 * what is not packed is brought apart.
 */
#define SAC_DAS_CUDA_BATCH 32
typedef struct sac_das_cuda_part {
    int32_t n_frames, group;
    int32_t size; /* of a sample that is beamformed; of halves 8, of i16 in groups 4 */
    bool is_half;
} sac_das_cuda_part;

typedef struct sac_das_cuda_cuts {
    double ns[SAC_DAS_CUDA_BATCH + 1];
    sac_das_cuda_part part[SAC_DAS_CUDA_BATCH + 1];
} sac_das_cuda_cuts;

SAC_INTERNAL void sac_das_cuda_cut(sac_das_cuda_cuts *cuts, const sac_das *das, int32_t size,
                                   sac_tier tier, bool inner);

/* Beamforms all points. Launchers only enqueue. A rung that ships ignores `shape`. */
typedef sac_status (*sac_das_cuda_fn)(sac_gpu_stream stream, const sac_gpu_shape *shape, float *out,
                                      const sac_das_cuda *run);

/* The planner's choice for runs of a group, in half precision or not. NULL never. `size` as above.
 */
SAC_INTERNAL sac_das_cuda_fn sac_das_cuda_choose(const char **name, int32_t group, int32_t size,
                                                 sac_tier tier, bool is_half);

#ifdef __cplusplus
}
#endif
#endif
