/*
 * Scan conversion on a GPU: a thread a point of the picture, for all images one after the other, so
 * that its place is read once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/scan.h"

#define THREADS 256

__global__ static void __launch_bounds__(THREADS)
    convert(float *out, const float *in, const __grid_constant__ sac_scan scan, int64_t n_images,
            int64_t n_in)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= scan.n_points)
        return;
    const sac_scan_place place = scan.places[i];
    for (int64_t k = 0; k < n_images; k++)
        out[k * scan.n_points + i] = sac_scan_value(in + k * n_in, &scan, &place);
}

extern "C" sac_status sac_scan_cuda(sac_gpu_stream stream, float *out, const float *in,
                                    const sac_scan *scan, int64_t n_images, int64_t n_in)
{
    const unsigned blocks = (unsigned)((scan->n_points + THREADS - 1) / THREADS);
    convert<<<blocks, THREADS, 0, stream>>>(out, in, *scan, n_images, n_in);
    return sac_cuda_launched();
}
