/*
 * Transmit apodization on a GPU: a thread a point (of a frame), which goes through the waves.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/field_cuda.h"

#define THREADS 128

__device__ static float window_at(const sac_field *field, int32_t t, const double p[3])
{
    return sac_field_window(&field->waves[t], &field->window, p[0], p[1], p[2]);
}

__global__ static void __launch_bounds__(THREADS)
    prepare(const __grid_constant__ sac_field_cuda of, const __grid_constant__ sac_das das)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const sac_field *field = &of.field;
    double p[3], nearest = INFINITY, along;
    float sum = 0;
    int32_t line = 0;
    if (i >= das.n_points)
        return;
    sac_das_point(p, &das, i);
    for (int32_t t = 0; t < field->n_tx; t++) {
        if (!field->lines) {
            sum += window_at(field, t, p);
            continue;
        }
        const double l2 = sac_field_beside2(&along, &field->waves[t], p[0], p[1], p[2]);
        line = l2 < nearest ? t : line;
        nearest = l2 < nearest ? l2 : nearest;
    }
    if (field->lines)
        of.line[i] = line;
    else
        of.share[i] = 1 / (sum > 1 ? sum : 1);
}

__global__ static void __launch_bounds__(THREADS)
    arrive(double *arrivals_s, const __grid_constant__ sac_field_cuda of,
           const __grid_constant__ sac_das das, int32_t t)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    double p[3];
    if (i >= das.n_points)
        return;
    sac_das_point(p, &das, i);
    arrivals_s[i] = sac_field_arrival_m(&of.field.waves[t], p[0], p[1], p[2]) / das.c_m_s;
}

template <int N_PARTS>
__global__ static void __launch_bounds__(THREADS)
    add(float *out, const float *waves, const __grid_constant__ sac_field_cuda of,
        const __grid_constant__ sac_das das, int32_t begin, int32_t end)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x, n = das.n_points;
    const int64_t frame = blockIdx.y;
    const sac_field *field = &of.field;
    double p[3];
    float sum[N_PARTS] = {0};
    if (i >= n)
        return;
    sac_das_point(p, &das, i);
    out += N_PARTS * (frame * n + i);
    waves += N_PARTS * (frame * (end - begin) * n + i);
    for (int k = 0; k < N_PARTS && begin > 0; k++)
        sum[k] = out[k];
    for (int32_t t = begin; t < end; t++, waves += N_PARTS * n) {
        float w = field->waves[t].weight;
        w *= field->lines ? (of.line[i] == t) : window_at(field, t, p) * of.share[i];
        for (int k = 0; k < N_PARTS && w != 0; k++) /* what is not taken may be no number */
            sum[k] += w * waves[k];
    }
    for (int k = 0; k < N_PARTS; k++)
        out[k] = sum[k];
}

extern "C" sac_status sac_field_cuda_prepare(sac_gpu_stream stream, const sac_field_cuda *field,
                                             const sac_das *das)
{
    const unsigned blocks = (unsigned)((das->n_points + THREADS - 1) / THREADS);
    prepare<<<blocks, THREADS, 0, stream>>>(*field, *das);
    return sac_cuda_launched();
}

extern "C" sac_status sac_field_cuda_arrivals(sac_gpu_stream stream, double *arrivals_s,
                                              const sac_field_cuda *field, const sac_das *das,
                                              int32_t t)
{
    const unsigned blocks = (unsigned)((das->n_points + THREADS - 1) / THREADS);
    arrive<<<blocks, THREADS, 0, stream>>>(arrivals_s, *field, *das, t);
    return sac_cuda_launched();
}

extern "C" sac_status sac_field_cuda_add(sac_gpu_stream stream, float *out, const float *waves,
                                         const sac_field_cuda *field, const sac_das *das,
                                         int32_t begin, int32_t end, int32_t n_frames,
                                         int32_t n_parts)
{
    const dim3 blocks((unsigned)((das->n_points + THREADS - 1) / THREADS), (unsigned)n_frames);
    if (n_parts == 2)
        add<2><<<blocks, THREADS, 0, stream>>>(out, waves, *field, *das, begin, end);
    else
        add<1><<<blocks, THREADS, 0, stream>>>(out, waves, *field, *das, begin, end);
    return sac_cuda_launched();
}
