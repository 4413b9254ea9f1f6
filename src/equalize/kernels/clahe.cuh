/*
 * CLAHE's second pass on the device, for both depths: the rungs, of which a plan takes the last.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_CLAHE_CUH
#define SAC_EQUALIZE_CLAHE_CUH

#include "equalize/kernels/depths_cuda.h"
#include "gpu/launch.cuh"
#include "image/pixels.cuh"

/* sac_clahe_at, in 32 bits where they are enough: u < 2^26, and a remainder < 2^19. */
__device__ inline sac_clahe_place sac_clahe_row(int64_t i, int64_t n, int32_t t)
{
    if (n >> 18 || t > 64)
        return sac_clahe_at(i, n, t);
    const int32_t whole = 2 * (int32_t)n, u = (2 * (int32_t)i + 1) * t - (int32_t)n;
    if (u < 0)
        return {0, 0, 0};
    const int32_t first = u / whole;
    const uint32_t rest = (uint32_t)(u - first * whole);
    return {first, min(first + 1, t - 1), (rest << SAC_CLAHE_WEIGHT_BITS) / (uint32_t)whole};
}

/* As the reference: each pixel from scratch, with 64-bit divisions. */
struct sac_clahe_divide {
    __device__ static sac_clahe_place column(const sac_clahe &c, int64_t x)
    {
        return sac_clahe_at(x, c.w, c.tiles_x);
    }
    __device__ static sac_clahe_place row(const sac_clahe &c, int64_t y)
    {
        return sac_clahe_at(y, c.h, c.tiles_y);
    }
    uint32_t v;
    __device__ explicit sac_clahe_divide(uint32_t value) : v(value)
    {
    }
    __device__ uint32_t scale(uint64_t g, uint32_t x) const
    {
        return v ? (uint32_t)((g * x + ((uint64_t)v << 15)) / ((uint64_t)v << 16)) : 0;
    }
};

/* Columns from the table, 32-bit divisions. */
struct sac_clahe_table {
    __device__ static sac_clahe_place column(const sac_clahe &c, int64_t x)
    {
        return c.column[x];
    }
    __device__ static sac_clahe_place row(const sac_clahe &c, int64_t y)
    {
        return sac_clahe_row(y, c.h, c.tiles_y);
    }
    uint32_t v;
    __device__ explicit sac_clahe_table(uint32_t value) : v(value)
    {
    }
    /* floor(floor(a / 2^16) / V) = floor(a / (2^16 V)), and a / 2^16 < 2^32. */
    __device__ uint32_t scale(uint64_t g, uint32_t x) const
    {
        return v ? (uint32_t)(g * x + ((uint64_t)v << 15) >> 16) / v : 0;
    }
};

/* n / v for n < 2^16 v from m = floor((2^32 - 1) / v): one too small at most, since n / v exceeds
 * n m / 2^32 by n (v + 1) / (2^32 v) <= 1 at most. */
__device__ inline uint32_t sac_clahe_quotient(uint32_t n, uint32_t v, uint32_t m)
{
    const uint32_t q = __umulhi(n, m);
    return q + (n - q * v >= v);
}

__device__ inline uint32_t sac_clahe_inverse(uint32_t v)
{
    return UINT32_MAX / max(v, 1u);
}

/* One division per pixel, for any number of colors. Black stays: its samples are 0. */
struct sac_clahe_reciprocal : sac_clahe_table {
    uint32_t m;
    __device__ explicit sac_clahe_reciprocal(uint32_t value)
        : sac_clahe_table(max(value, 1u)), m(sac_clahe_inverse(value))
    {
    }
    __device__ uint32_t scale(uint64_t g, uint32_t x) const
    {
        return sac_clahe_quotient((uint32_t)(g * x + ((uint64_t)v << 15) >> 16), v, m);
    }
};

template <typename T, typename HOW>
__device__ inline void sac_clahe_pixel(const sac_pixels &out, const sac_pixels &in,
                                       const sac_clahe &c, int64_t x, int64_t y)
{
    const uint32_t v = sac_value<T>(in, x, y);
    const int64_t bin = (int64_t)((uint64_t)v * (uint64_t)c.bins >> 8 * sizeof(T));
    const sac_clahe_place px = HOW::column(c, x), py = HOW::row(c, y);
    const uint32_t *top = c.level + (int64_t)py.first * c.tiles_x * c.bins + bin;
    const uint32_t *bottom = c.level + (int64_t)py.second * c.tiles_x * c.bins + bin;
    const int64_t first = (int64_t)px.first * c.bins, second = (int64_t)px.second * c.bins;
    const uint64_t g =
        sac_clahe_mix(top[first], top[second], bottom[first], bottom[second], px.weight, py.weight);
    const HOW how(v);
    for (int k = 0; k < in.n_colors; k++)
        *sac_sample<T>(out, k, x, y) = (T)how.scale(g, *sac_sample<T>(in, k, x, y));
    sac_copy_alpha<T>(out, in, x, y);
}

template <typename T, typename HOW>
__global__ void sac_clahe_pixels(const __grid_constant__ sac_pixels out,
                                 const __grid_constant__ sac_pixels in,
                                 const __grid_constant__ sac_clahe c)
{
    const int64_t n = in.w * in.h, step = sac_grid_threads();
    for (int64_t i = sac_grid_thread(); i < n; i += step) {
        int64_t x, y;
        sac_place(&x, &y, in, i);
        sac_clahe_pixel<T, HOW>(out, in, c, x, y);
    }
}

template <typename T, typename HOW>
static sac_status sac_clahe_launch(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                   const sac_pixels *out, const sac_pixels *in, const sac_clahe *c)
{
    const sac_launch l = sac_launch_of(shape, in->w * in->h);
    sac_clahe_pixels<T, HOW><<<l.grid, l.block, 0, stream>>>(*out, *in, *c);
    return sac_cuda_launched();
}

#endif
