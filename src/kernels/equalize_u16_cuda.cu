/*
 * 16-bit equalization, in four launches: 65,536 counters and as many 64-bit multipliers do not fit
 * in a multiprocessor's shared memory, so counting and scaling go to the L2 cache.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/pixels.cuh"
#include "kernels/scale.cuh"
#include "kernels/variant_cuda.h"

#define THREADS 512       /* two blocks a multiprocessor, whatever the registers */
#define SCAN_THREADS 1024 /* one block */

/* Lanes with the same bin count once, together: flat areas would else queue for one address. */
__device__ static void count_together(uint64_t *hist, uint32_t bin, bool has)
{
    const uint32_t lanes = __ballot_sync(SAC_ALL_LANES, has);
    if (!has)
        return;
    const uint32_t same = __match_any_sync(lanes, bin);
    if (sac_thread() % SAC_WARP == (uint32_t)__ffs((int)same) - 1)
        atomicAdd((unsigned long long *)&hist[bin], (unsigned long long)__popc(same));
}

__global__ void __launch_bounds__(THREADS)
    count_u16(const __grid_constant__ sac_pixels in, uint64_t *hist, int32_t bins)
{
    const int64_t n = in.w * in.h, step = sac_grid_threads();
    const int64_t lane = sac_grid_thread() % SAC_WARP;
    for (int64_t i = sac_grid_thread(); i - lane < n; i += step) {
        const bool has = i < n;
        int64_t x = 0, y = 0;
        if (has)
            sac_place(&x, &y, in, i);
        const uint32_t v = has ? sac_value<uint16_t>(in, x, y) : 0;
        count_together(hist, (uint32_t)((uint64_t)v * (uint64_t)bins >> 16), has);
    }
}

/* One block: each warp sums a part, the parts are scanned, then each warp scans its own. */
__global__ void __launch_bounds__(SCAN_THREADS, 1)
    scan_u16(const __grid_constant__ sac_equalize_cuda t, uint64_t n_pixels)
{
    __shared__ uint64_t sums[SAC_WARP + 1], part[SAC_WARP], first;
    const int32_t lane = (int32_t)(sac_thread() % SAC_WARP),
                  warp = (int32_t)(sac_thread() / SAC_WARP);
    const int32_t share = (t.bins + SCAN_THREADS - 1) / SCAN_THREADS * SAC_WARP;
    const int32_t from = warp * share, to = min(from + share, t.bins);
    const uint64_t zero = t.hist[0];
    uint64_t sum = 0, total;
    for (int32_t b = from + lane; b < to; b += SAC_WARP)
        sum += t.hist[b];
    sum = sac_block_scan(&total, sum, sums);
    if (lane == SAC_WARP - 1)
        part[warp] = sum;
    __syncthreads();
    const uint64_t begin = warp > 0 ? part[warp - 1] : 0;
    /* The first bin that is not empty is in the first part that is not empty. */
    uint64_t carry = begin;
    for (int32_t b = from + lane; b - lane < to && begin == 0; b += SAC_WARP) {
        const uint64_t count = b < to ? t.hist[b] : 0, up_to = carry + sac_warp_scan(count);
        if (count > 0 && up_to == count)
            first = count;
        carry = __shfl_sync(SAC_ALL_LANES, up_to, SAC_WARP - 1);
    }
    __syncthreads();
    const sac_scaling scaling = sac_scaling_of(t, n_pixels, first, zero);
    carry = begin;
    for (int32_t b = from + lane; b - lane < to; b += SAC_WARP) {
        const uint64_t count = b < to ? t.hist[b] : 0, up_to = carry + sac_warp_scan(count);
        if (b < to) {
            t.num[b] = sac_scaling_num(t, scaling, b, up_to, t.num[b]);
            t.counts[b] = count;
            t.hist[b] = 0;
        }
        carry = __shfl_sync(SAC_ALL_LANES, up_to, SAC_WARP - 1);
    }
    if (sac_thread() == 0)
        *t.den = sac_scaling_den(t, scaling);
}

/* q = ceil(2^40 t) of each V whose bin occurs; where it is too large, the pixel sees to it. */
__global__ void __launch_bounds__(THREADS)
    multipliers_u16(const __grid_constant__ sac_equalize_cuda t)
{
    const uint32_t v = (uint32_t)sac_grid_thread();
    const uint32_t bin = (uint32_t)((uint64_t)v * (uint64_t)t.bins >> 16);
    if (v >> 16 || t.counts[bin] == 0)
        return;
    const uint64_t den = *t.den;
    t.q16[v] = den == 0 || v == 0 ? UINT64_C(1) << SAC_SCALE_SHIFT_U16
                                  : sac_scale_ceiling(sac_scale_ratio_of(t.num[bin], den, v, 16),
                                                      SAC_SCALE_SHIFT_U16);
}

/*
 * R', exactly: where q x + 1/2 comes so close above an integer that t x + 1/2 might not reach it,
 * the rational decides. One sample in 2^24 or so; to look at every x of every V beforehand, or to
 * count lattice points as the CPU does, takes longer than the picture.
 */
__device__ static uint16_t scale(const sac_equalize_cuda &t, uint64_t q, uint32_t v, uint16_t x)
{
    const uint64_t y = q * x + (UINT64_C(1) << (SAC_SCALE_SHIFT_U16 - 1));
    uint64_t value = y >> SAC_SCALE_SHIFT_U16;
    if ((y & ((UINT64_C(1) << SAC_SCALE_SHIFT_U16) - 1)) < x && *t.den != 0) {
        const uint32_t bin = (uint32_t)((uint64_t)v * (uint64_t)t.bins >> 16);
        const sac_scale_ratio r = sac_scale_ratio_of(t.num[bin], *t.den, v, 16);
        value -= sac_scale_overshoots(q, r, x, SAC_SCALE_SHIFT_U16);
    }
    return (uint16_t)value;
}

__global__ void __launch_bounds__(THREADS)
    scale_u16(const __grid_constant__ sac_pixels out, const __grid_constant__ sac_pixels in,
              const __grid_constant__ sac_equalize_cuda t)
{
    const int64_t n = in.w * in.h, step = sac_grid_threads();
    for (int64_t i = sac_grid_thread(); i < n; i += step) {
        int64_t x, y;
        sac_place(&x, &y, in, i);
        const uint32_t v = sac_value<uint16_t>(in, x, y);
        const uint64_t q = t.q16[v];
        for (int c = 0; c < in.n_colors; c++)
            *sac_sample<uint16_t>(out, c, x, y) =
                scale(t, q, v, *sac_sample<uint16_t>(in, c, x, y));
        sac_copy_alpha<uint16_t>(out, in, x, y);
    }
}

extern "C" sac_status sac_equalize_u16_cuda(sac_gpu_stream stream, const sac_pixels *out,
                                            const sac_pixels *in, const sac_equalize_cuda *t)
{
    const int64_t n = in->w * in->h, wanted = (n + THREADS - 1) / THREADS;
    const int64_t full = 4 * (int64_t)t->n_multiprocessors;
    const unsigned blocks = (unsigned)(wanted < full ? wanted : full);
    count_u16<<<blocks, THREADS, 0, stream>>>(*in, t->hist, t->bins);
    sac_status status = sac_cuda_launched();
    scan_u16<<<1, SCAN_THREADS, 0, stream>>>(*t, (uint64_t)n);
    status = status ? status : sac_cuda_launched();
    multipliers_u16<<<65536 / THREADS, THREADS, 0, stream>>>(*t);
    status = status ? status : sac_cuda_launched();
    scale_u16<<<blocks, THREADS, 0, stream>>>(*out, *in, *t);
    return status ? status : sac_cuda_launched();
}
