/*
 * Finished images into the caller's array in device memory, whatever its strides; points of images
 * into another order.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <cuda_runtime.h>

#include <saccade/array.h>

#include "room/variant_cuda.h"

/* Eight warps, as many blocks as keep a large GPU busy; threads go on to the next values. */
#define THREADS 256
#define BLOCKS 2048

/* Words of type W, `n_words` to a value; strides in bytes. */
template <typename W>
__global__ static void place(sac_array out, const W *in, int64_t count, int32_t n_words)
{
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < count;
         i += gridDim.x * (int64_t)THREADS) {
        char *at = (char *)out.data;
        int64_t rest = i;
        for (int32_t k = out.n_dims - 1; k >= 0; k--) {
            at += rest % out.shape[k] * out.stride[k];
            rest /= out.shape[k];
        }
        for (int32_t w = 0; w < n_words; w++)
            ((W *)at)[w] = in[i * n_words + w];
    }
}

extern "C" sac_status sac_beamform_place(sac_gpu_stream stream, const sac_array *out,
                                         const void *in)
{
    int64_t count = 1;
    for (int32_t i = 0; i < out->n_dims; i++)
        count *= out->shape[i];
    const int64_t wanted = (count + THREADS - 1) / THREADS;
    const unsigned blocks = wanted < BLOCKS ? (unsigned)wanted : BLOCKS;
    if (out->dtype == SAC_U8)
        place<uint8_t><<<blocks, THREADS, 0, stream>>>(*out, (const uint8_t *)in, count, 1);
    else
        place<float><<<blocks, THREADS, 0, stream>>>(*out, (const float *)in, count,
                                                     out->dtype == SAC_C64 ? 2 : 1);
    return sac_cuda_launched();
}

/* Words of type W are values. */
template <typename W>
__global__ static void reorder(W *out, const W *in, const int32_t *order, int64_t n_points,
                               int64_t count)
{
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < count;
         i += gridDim.x * (int64_t)THREADS) {
        const int64_t point = i % n_points;
        out[i - point + order[point]] = in[i];
    }
}

extern "C" sac_status sac_beamform_reorder(sac_gpu_stream stream, void *out, const void *in,
                                           const int32_t *order, int64_t n_points, int64_t n_images,
                                           bool is_complex)
{
    const int64_t count = n_points * n_images, wanted = (count + THREADS - 1) / THREADS;
    const unsigned blocks = wanted < BLOCKS ? (unsigned)wanted : BLOCKS;
    if (is_complex)
        reorder<float2><<<blocks, THREADS, 0, stream>>>((float2 *)out, (const float2 *)in, order,
                                                        n_points, count);
    else
        reorder<float><<<blocks, THREADS, 0, stream>>>((float *)out, (const float *)in, order,
                                                       n_points, count);
    return sac_cuda_launched();
}
