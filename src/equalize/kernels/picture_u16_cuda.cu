/*
 * 16-bit equalization, in four launches: 65,536 counters and as many 64-bit multipliers do not fit
 * in a multiprocessor's shared memory, so counting and scaling go to the L2 cache.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image/pixels.cuh"
#include "equalize/kernels/scale.cuh"
#include "room/variant_cuda.h"

#define THREADS 512 /* two blocks a multiprocessor; as many as a part has bins at most */

/* Lanes with the same bin add their number in one atomic operation: otherwise flat areas would
 * queue for one address. */
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

/* Bins are shared out evenly to SAC_EQUALIZE_PARTS blocks, a thread each; some have none. */
typedef struct part {
    int32_t from, to;
} part;

__device__ static part part_of(const sac_equalize_cuda &t, int32_t k)
{
    const int32_t share = (t.bins + SAC_EQUALIZE_PARTS - 1) / SAC_EQUALIZE_PARTS;
    return {min(k * share, t.bins), min((k + 1) * share, t.bins)};
}

/* Of each part the sum, and the first count that is not 0; and bin 0's count. */
__global__ void __launch_bounds__(THREADS) sum_u16(const __grid_constant__ sac_equalize_cuda t)
{
    __shared__ uint64_t sums[SAC_WARP + 1], first;
    const part p = part_of(t, (int32_t)blockIdx.x);
    const int32_t b = p.from + (int32_t)threadIdx.x;
    const uint64_t count = b < p.to ? t.hist[b] : 0;
    uint64_t total;
    if (threadIdx.x == 0)
        first = 0;
    const uint64_t sum = sac_block_scan(&total, count, sums);
    if (count > 0 && sum == count)
        first = count;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    t.part[blockIdx.x] = {total, first};
    if (blockIdx.x == 0)
        t.part[SAC_EQUALIZE_PARTS] = {count, 0};
}

/* From the sums of all parts: the sum of those before this block's, and the scaling. */
__device__ static sac_scaling sum_before(uint64_t *before, const sac_equalize_cuda &t,
                                         uint64_t n_pixels)
{
    __shared__ uint64_t sums[SAC_WARP + 1], first, begin;
    const uint32_t k = threadIdx.x;
    const sac_equalize_part own = k < SAC_EQUALIZE_PARTS ? t.part[k] : sac_equalize_part{0, 0};
    uint64_t total;
    if (k == 0)
        begin = 0;
    const uint64_t sum = sac_block_scan(&total, own.sum, sums);
    if (own.sum > 0 && sum == own.sum)
        first = own.first;
    if (k + 1 == blockIdx.x)
        begin = sum;
    __syncthreads();
    *before = begin;
    return sac_scaling_of(t, n_pixels, first, t.part[SAC_EQUALIZE_PARTS].sum);
}

/* q = ceil(2^40 t) of a V whose bin occurs; where it is too large, the pixel sees to it. */
__device__ static uint64_t multiplier(uint64_t num, uint64_t den, uint32_t v)
{
    return den == 0 || v == 0
               ? UINT64_C(1) << SAC_SCALE_SHIFT_U16
               : sac_scale_ceiling(sac_scale_ratio_of(num, den, v, 16), SAC_SCALE_SHIFT_U16);
}

/* The first V whose bin is b or a later one. */
__device__ static uint32_t first_value(const sac_equalize_cuda &t, int32_t b)
{
    const uint32_t bins = (uint32_t)t.bins;
    return (uint32_t)((((uint64_t)b << 16) + bins - 1) / bins);
}

/* Of a part's bins the cumulative counts, and the multipliers of their V. Leaves hist at zero. */
__global__ void __launch_bounds__(THREADS)
    multipliers_u16(const __grid_constant__ sac_equalize_cuda t, uint64_t n_pixels)
{
    __shared__ uint64_t sums[SAC_WARP + 1], num[THREADS];
    __shared__ bool occurs[THREADS];
    const part p = part_of(t, (int32_t)blockIdx.x);
    const int32_t i = (int32_t)threadIdx.x, b = p.from + i;
    uint64_t before, total;
    const sac_scaling scaling = sum_before(&before, t, n_pixels);
    const uint64_t den = sac_scaling_den(t, scaling), count = b < p.to ? t.hist[b] : 0;
    const uint64_t sum = before + sac_block_scan(&total, count, sums);
    if (b < p.to) {
        num[i] = sac_scaling_num(t, scaling, b, sum, t.smooth ? t.num[b] : 0);
        occurs[i] = count > 0;
        t.num[b] = num[i];
        t.counts[b] = count;
        t.hist[b] = 0;
    }
    if (blockIdx.x == 0 && i == 0)
        *t.den = den;
    __syncthreads();
    const uint32_t end = first_value(t, p.to);
    for (uint32_t v = first_value(t, p.from) + threadIdx.x; v < end; v += THREADS) {
        const int32_t k = (int32_t)((uint64_t)v * (uint64_t)t.bins >> 16) - p.from;
        if (occurs[k])
            t.q16[v] = multiplier(num[k], den, v);
    }
}

/*
 * R', exactly. If q x + 1/2 is so close above an integer that t x + 1/2 might not reach it, the
 * rational number decides: about one sample in 2^24. To test every x of every V beforehand, or to
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
    sum_u16<<<SAC_EQUALIZE_PARTS, THREADS, 0, stream>>>(*t);
    status = status ? status : sac_cuda_launched();
    multipliers_u16<<<SAC_EQUALIZE_PARTS, THREADS, 0, stream>>>(*t, (uint64_t)n);
    status = status ? status : sac_cuda_launched();
    scale_u16<<<blocks, THREADS, 0, stream>>>(*out, *in, *t);
    return status ? status : sac_cuda_launched();
}
