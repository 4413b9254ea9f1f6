/*
 * Two frames to a picture on a GPU: heat maps and noise views, many of them in one launch.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_PAIRS_CUDA_H
#define SAC_MOTION_PAIRS_CUDA_H

#include <saccade/motion.h>

#include "image/pixels.h"
#include "room/variant_cuda.h"

/* A picture and its frames, in device memory; as the CPU's kernels take them. */
typedef struct sac_pair {
    sac_pixels out, current, previous;
} sac_pair;

/* Pairs of one launch, at most: their addresses are its arguments. */
#define SAC_PAIRS 64

/* Of a heat map's table on the device: d is 0 to 765. */
#define SAC_HEAT_WORDS 768

/* What a noise view keeps on the device, 0 before and after each call: blocks that have ended, and
 * their changed pixels. */
typedef struct sac_noise_scratch {
    unsigned long long sum[SAC_PAIRS];
} sac_noise_scratch;

/*
 * Enqueue n pictures, which may lie anyhow; those that follow each other and lie alike share a
 * launch. An out may be one of its own frames, and overlaps none of another's. SAC_E_DEVICE.
 *
 * heat: table[d] (SAC_HEAT_WORDS) has color[0] in its lowest byte, then [1] and [2], then 255.
 * noise: counts (n), if not NULL, become the numbers of changed pixels.
 */
SAC_EXTERN_C SAC_INTERNAL SAC_NODISCARD sac_status sac_heat_u8_pairs(sac_gpu_stream stream,
                                                                     const sac_pair *pairs,
                                                                     int32_t n,
                                                                     const uint32_t *table);
SAC_EXTERN_C SAC_INTERNAL SAC_NODISCARD sac_status
sac_noise_u8_pairs(sac_gpu_stream stream, const sac_pair *pairs, int32_t n, sac_noise_view view,
                   int32_t threshold, uint64_t *counts, sac_noise_scratch *scratch);

/* Enqueues a copy, pixel by pixel; any layouts. SAC_E_DEVICE. */
SAC_EXTERN_C SAC_INTERNAL SAC_NODISCARD sac_status sac_frame_copy_cuda(sac_gpu_stream stream,
                                                                       const sac_pixels *out,
                                                                       const sac_pixels *in);

/* The rooms' rungs. */
typedef sac_status (*sac_heat_u8_cuda_fn)(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                          const sac_pair *pair, const uint32_t *table);
typedef sac_status (*sac_noise_u8_cuda_fn)(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                           const sac_pair *pair, sac_noise_view view,
                                           int32_t threshold, uint64_t *count,
                                           sac_noise_scratch *scratch);
SAC_EXTERN_C SAC_INTERNAL const sac_variant sac_heat_u8_cuda[];
SAC_EXTERN_C SAC_INTERNAL const sac_variant sac_noise_u8_cuda[];

#endif
