/*
 * The shipped equalization on a GPU: one call puts one frame on a stream. The picture, and all that
 * is carried from the histogram to the second pass, stays in device memory.
 *
 * The bytes are those of the CPU's plan, for every layout and stride. Packed RGB, RGBA and gray
 * (colors in any order, alpha last) and planes, whose addresses and rows are multiples of 16 bytes
 * in `in` and `out`, go by vector loads; everything else pixel by pixel.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_PICTURE_CUDA_H
#define SAC_EQUALIZE_PICTURE_CUDA_H

#include "gpu/gpu.h"
#include "room/variant_cuda.h"
#include "equalize/kernels/clahe.h"
#include "image/pixels.h"

/* How many counters `ticket` has. */
#define SAC_EQUALIZE_TICKETS 4

/* Blocks that share the 65,536 bins of a 16-bit picture: 512 each. */
#define SAC_EQUALIZE_PARTS 128

/* Of one part's counts: the sum, and the first that is not 0. */
typedef struct sac_equalize_part {
    uint64_t sum, first;
} sac_equalize_part;

/*
 * Of one plan: its options, and device buffers that the plan allocates once. Buffers marked * must
 * be zero before the first frame, and are the kernels' from then on. Frames of one plan follow each
 * other.
 */
typedef struct sac_equalize_cuda {
    int32_t depth, bins; /* 8 or 16 bits; 2..65536 bins, filled in */
    int32_t scale;       /* sac_equalize_scale */
    bool smooth;         /* desc.smooth > 0: num carries s from frame to frame */
    int64_t follow;      /* with smooth and CLAHE: sac_equalize_follow of this frame */

    uint64_t *hist;          /* * (bins), not with CLAHE */
    uint64_t *counts;        /* * (bins): the frame's histogram, complete when the call's work is */
    uint64_t *num;           /* (bins) */
    uint64_t *den;           /* (1) */
    uint32_t *q8;            /* (256), depth 8 */
    uint64_t *q16;           /* (65536), depth 16 */
    uint32_t *ticket;        /* * (SAC_EQUALIZE_TICKETS) */
    sac_equalize_part *part; /* (SAC_EQUALIZE_PARTS + 1), depth 16; the last one's sum is bin 0's */

    /* CLAHE */
    int32_t tiles_x, tiles_y;
    double clip;             /* desc.clip */
    uint64_t *tile_counts;   /* * (tiles_y, tiles_x, bins) */
    uint32_t *level;         /* (tiles_y, tiles_x, bins): carried from frame to frame */
    sac_clahe_place *column; /* (w): sac_clahe_at(x, w, tiles_x), filled by the plan */

    /* Of the device: sac_equalize_cuda_open's. */
    int32_t n_multiprocessors, shared_bytes;
} sac_equalize_cuda;

/*
 * Once, with the plan's device current: reads the device's limits and lets the kernels use all of
 * its shared memory. SAC_E_DEVICE.
 */
SAC_EXTERN_C SAC_INTERNAL SAC_NODISCARD sac_status sac_equalize_cuda_open(sac_equalize_cuda *t);

/* Enqueues one frame. out and in: device memory, the same size and number of colors, the same
 * memory or no overlap. SAC_E_DEVICE. */
typedef sac_status sac_equalize_picture_cuda(sac_gpu_stream stream, const sac_pixels *out,
                                             const sac_pixels *in, const sac_equalize_cuda *t);

SAC_EXTERN_C SAC_INTERNAL SAC_NODISCARD sac_equalize_picture_cuda sac_equalize_u8_cuda;
SAC_EXTERN_C SAC_INTERNAL SAC_NODISCARD sac_equalize_picture_cuda sac_equalize_u16_cuda;
SAC_EXTERN_C SAC_INTERNAL SAC_NODISCARD sac_equalize_picture_cuda sac_equalize_clahe_u8_cuda;
SAC_EXTERN_C SAC_INTERNAL SAC_NODISCARD sac_equalize_picture_cuda sac_equalize_clahe_u16_cuda;

#endif
