/*
 * frame_u8 on a GPU, a batch of frames at once. Contracts are the room's; the integers are
 * the CPU's, to the bit.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_FRAME_U8_CUDA_H
#define SAC_MELTPOOL_FRAME_U8_CUDA_H

#include "meltpool/kernels/frame.h"
#include "room/variant_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Frames in device memory. */
typedef struct sac_meltpool_frames_cuda {
    const uint8_t *pixels; /* the first one's first pixel; NULL: jobs have frames of their own */
    ptrdiff_t frame, row;  /* bytes from one to the next */
    const sac_meltpool_frame_job *jobs; /* (n); `frame` and `row` are used only without `pixels` */
    int64_t n;
    int32_t max_roi; /* no job's ROI is larger */
} sac_meltpool_frames_cuda;

/* out: n results, `row` bytes apart, of any sign. Shapes are the rung's own. */
typedef sac_status (*sac_frame_u8_cuda_fn)(sac_gpu_stream stream, sac_meltpool_integers *out,
                                           ptrdiff_t row, const sac_meltpool_frames_cuda *frames);

/* A frame to each block, with low latency; or to each warp, many at once. */
enum { SAC_FRAME_U8_BY_BLOCKS, SAC_FRAME_U8_BY_WARPS };

SAC_INTERNAL extern const sac_variant sac_frame_u8_cuda[]; /* ends with NULL name */

#ifdef __cplusplus
}
#endif
#endif
