/*
 * The 8-bit equalization's passes on the device as functions of a block: counting, the table, and
 * scaling. One launch or two combine them.
 *
 * The counters, and later the multipliers, are in shared memory in 32 copies, one for each lane and
 * all of a lane's in one bank. So lanes never wait for each other, whether the picture is constant
 * or random.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_PICTURE_U8_CUH
#define SAC_EQUALIZE_PICTURE_U8_CUH

#include "image/pixels.cuh"
#include "equalize/kernels/scale.cuh"

#define SAC_U8_VALUES 256
#define SAC_U8_TABLE (SAC_U8_VALUES * SAC_WARP) /* 32 copies */

/* One frame, as kernels are told of it. */
typedef struct sac_u8_frame {
    sac_units out, in;
    int64_t n_tiles, n_pixels;
    int32_t slots; /* tiles that a warp keeps in shared memory */
    sac_equalize_cuda t;
} sac_u8_frame;

/* Bins of 8-bit pictures. If there are more bins than values, only bins that have a value are used,
 * and V stands for its bin. */
__device__ inline int32_t sac_u8_slots(const sac_equalize_cuda &t)
{
    return min(t.bins, SAC_U8_VALUES);
}

__device__ inline int32_t sac_u8_slot(const sac_equalize_cuda &t, int32_t v)
{
    return t.bins < SAC_U8_VALUES ? v * t.bins >> 8 : v;
}

__device__ inline int32_t sac_u8_bin(const sac_equalize_cuda &t, int32_t slot)
{
    return t.bins < SAC_U8_VALUES ? slot : (int32_t)((uint32_t)slot * (uint32_t)t.bins >> 8);
}

template <int KIND> __device__ inline void sac_u8_count_unit(uint32_t *copies, const uint32_t *word)
{
    uint32_t *own = copies + sac_thread() % SAC_WARP;
#pragma unroll
    for (int i = 0; i < 16; i++)
        atomicAdd(own + SAC_WARP * sac_unit_value<KIND, uint8_t>(word, i), 1u);
}

/* The pixels that no unit has. */
__device__ inline void sac_u8_count_rest(uint32_t *copies, const sac_pixels &in)
{
    uint32_t *own = copies + sac_thread() % SAC_WARP;
    const int64_t n = in.w * in.h, step = sac_grid_threads();
    for (int64_t i = sac_grid_thread(); i < n; i += step) {
        int64_t x, y;
        sac_place(&x, &y, in, i);
        atomicAdd(own + SAC_WARP * sac_value<uint8_t>(in, x, y), 1u);
    }
}

__device__ inline void sac_u8_clear(uint32_t *copies)
{
    for (uint32_t i = sac_thread(); i < SAC_U8_TABLE; i += sac_block_threads())
        copies[i] = 0;
}

/* The block's counts to the grid's, by way of `sums` (256): 32 neighboring counts are one request.
 */
__device__ inline void sac_u8_total(const sac_equalize_cuda &t, uint32_t *sums,
                                    const uint32_t *copies)
{
    const uint32_t lane = sac_thread() % SAC_WARP, n_warps = sac_block_threads() / SAC_WARP;
    for (uint32_t v = sac_thread() / SAC_WARP; v < SAC_U8_VALUES; v += n_warps) {
        const uint32_t sum = sac_warp_sum(copies[v * SAC_WARP + lane]);
        if (lane == 0)
            sums[v] = sum;
    }
    __syncthreads();
    const int32_t v = (int32_t)sac_thread();
    if (v < SAC_U8_VALUES && sums[v] > 0)
        atomicAdd((unsigned long long *)&t.hist[sac_u8_slot(t, v)], (unsigned long long)sums[v]);
}

/* The results of one of the first 256 threads for its slot, written when the frame is done. */
typedef struct sac_u8_found {
    uint64_t count, num, den;
} sac_u8_found;

typedef struct sac_u8_scratch {
    uint64_t sums[SAC_WARP + 1], first, zero;
    uint64_t *num; /* (256): elsewhere in shared memory */
    uint32_t q[SAC_U8_VALUES];
    bool occurs[SAC_U8_VALUES]; /* of slots */
} sac_u8_scratch;

/* Cumulative counts and num, by the block's first 256 threads; all call, and may read s->num. */
__device__ inline sac_u8_found sac_u8_scan(const sac_u8_frame &f, sac_u8_scratch *s)
{
    const int32_t slot = (int32_t)sac_thread(), n_slots = sac_u8_slots(f.t);
    const int32_t bin = sac_u8_bin(f.t, min(slot, n_slots - 1));
    sac_u8_found found = {0, 0, 0};
    if (slot < n_slots) {
        found.count = __ldcg((const unsigned long long *)&f.t.hist[slot]);
        found.num = f.t.smooth ? __ldcg((const unsigned long long *)&f.t.num[bin]) : 0;
    }
    uint64_t total;
    const uint64_t sum = sac_block_scan(&total, found.count, s->sums);
    if (found.count > 0 && sum == found.count)
        s->first = found.count;
    if (slot == 0)
        s->zero = found.count;
    __syncthreads();
    const sac_scaling scaling = sac_scaling_of(f.t, (uint64_t)f.n_pixels, s->first, s->zero);
    found.den = sac_scaling_den(f.t, scaling);
    found.num = sac_scaling_num(f.t, scaling, bin, sum, found.num);
    if (slot < n_slots) {
        s->num[slot] = found.num;
        s->occurs[slot] = found.count > 0;
    }
    __syncthreads();
    return found;
}

/* Whether q overshoots at an x = from, from + step, ... <= v. First without a branch: nearly always
 * none is close. */
__device__ inline bool sac_u8_overshoots(uint32_t q, sac_scale_ratio t, uint32_t v, uint32_t from,
                                         uint32_t step)
{
    const uint32_t rise = q * step << (32 - SAC_SCALE_SHIFT_U8);
    uint32_t fraction = sac_scale_fraction(q, from);
    bool close = false, does = false;
    for (uint32_t x = from; x <= v; x += step, fraction += rise)
        close = close | sac_scale_is_close(fraction, x);
    for (uint32_t x = from; close && x <= v; x += step)
        does = does || sac_scale_overshoots(q, t, x, SAC_SCALE_SHIFT_U8);
    return does;
}

/*
 * The 256 multipliers into s->q; of bins that do not occur, and so often end in ties, 0. At least
 * 256 threads, a power of two; all call. Several threads share out the x of each V.
 */
__device__ inline void sac_u8_multipliers(const sac_u8_frame &f, uint64_t den, sac_u8_scratch *s)
{
    const uint32_t i = sac_thread(), shares = sac_block_threads() / SAC_U8_VALUES, v = i / shares;
    const uint64_t num = s->num[sac_u8_slot(f.t, (int32_t)v)];
    if (i < SAC_U8_VALUES) {
        const int32_t slot = sac_u8_slot(f.t, (int32_t)i);
        uint32_t q = UINT32_C(1) << SAC_SCALE_SHIFT_U8;
        if (den != 0 && i != 0)
            q = s->occurs[slot]
                    ? (uint32_t)sac_scale_ceiling(sac_scale_ratio_of(s->num[slot], den, i, 8),
                                                  SAC_SCALE_SHIFT_U8)
                    : 0;
        s->q[i] = q;
    }
    __syncthreads();
    const bool some = den != 0 && sac_u8_overshoots(s->q[v], sac_scale_ratio_of(num, den, v, 8), v,
                                                    1 + i % shares, shares);
    const uint32_t lanes = ((1u << shares) - 1) << (i % SAC_WARP & ~(shares - 1));
    if ((__ballot_sync(SAC_ALL_LANES, some) & lanes) && i % shares == 0)
        s->q[v]--;
    __syncthreads();
}

/* 32 copies of q (256). */
__device__ inline void sac_u8_spread(uint32_t *copies, const uint32_t *q)
{
    for (uint32_t i = sac_thread(); i < SAC_U8_TABLE; i += sac_block_threads())
        copies[i] = q[i / SAC_WARP];
}

/* R' as the highest byte. */
__device__ inline uint32_t sac_u8_scale(uint32_t q, uint32_t x)
{
    return q * x + (UINT32_C(1) << (SAC_SCALE_SHIFT_U8 - 1));
}

template <int KIND> __device__ inline void sac_u8_scale_unit(uint32_t *word, const uint32_t *copies)
{
    const uint32_t *own = copies + sac_thread() % SAC_WARP;
    uint32_t q[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        q[i] = own[SAC_WARP * sac_unit_value<KIND, uint8_t>(word, i)];
#pragma unroll
    for (int w = 0; w < 4 * sac_unit<KIND>::QUADS; w++) {
        uint32_t y[4];
#pragma unroll
        for (int b = 0; b < 4; b++) {
            const int k = 4 * w + b;
            const uint32_t x = word[w] >> 8 * b & 0xff;
            y[b] = sac_unit_is_alpha<KIND>(k)
                       ? x << 24
                       : sac_u8_scale(q[sac_unit_pixel<KIND, uint8_t>(k)], x);
        }
        word[w] =
            __byte_perm(__byte_perm(y[0], y[1], 0x0073), __byte_perm(y[2], y[3], 0x0073), 0x5410);
    }
}

__device__ inline void sac_u8_scale_rest(const sac_pixels &out, const sac_pixels &in,
                                         const uint32_t *copies)
{
    const uint32_t *own = copies + sac_thread() % SAC_WARP;
    const int64_t n = in.w * in.h, step = sac_grid_threads();
    for (int64_t i = sac_grid_thread(); i < n; i += step) {
        int64_t x, y;
        sac_place(&x, &y, in, i);
        const uint32_t q = own[SAC_WARP * sac_value<uint8_t>(in, x, y)];
        for (int c = 0; c < in.n_colors; c++)
            *sac_sample<uint8_t>(out, c, x, y) =
                (uint8_t)(sac_u8_scale(q, *sac_sample<uint8_t>(in, c, x, y)) >> 24);
        sac_copy_alpha<uint8_t>(out, in, x, y);
    }
}

/* Publishes the frame's counts, and resets what the next frame needs at zero. One block. */
__device__ inline void sac_u8_finish(const sac_equalize_cuda &t, sac_u8_found found)
{
    const int32_t slot = (int32_t)sac_thread();
    if (slot < sac_u8_slots(t)) {
        t.counts[sac_u8_bin(t, slot)] = found.count;
        t.num[sac_u8_bin(t, slot)] = found.num;
        t.hist[slot] = 0;
    }
    if (slot == 0)
        for (int i = 0; i < SAC_EQUALIZE_TICKETS; i++)
            t.ticket[i] = 0;
}

/* Host: the frame, and its layout; units for a number of slots of shared memory later. */
SAC_INTERNAL sac_kind sac_u8_frame_of(sac_u8_frame *f, const sac_pixels *out, const sac_pixels *in,
                                      const sac_equalize_cuda *t);

/* Host: blocks for the frame's pixels, one a multiprocessor at most. */
SAC_INTERNAL int64_t sac_u8_blocks(const sac_u8_frame *f, sac_kind kind);

#endif
