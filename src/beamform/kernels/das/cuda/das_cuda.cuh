/*
 * What the delay-and-sum kernels on a GPU share: samples, points, arrivals and what a point
 * receives of an element. Distances and delays are in samples.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_CUDA_CUH
#define SAC_BEAMFORM_DAS_CUDA_CUH

#include "gpu/block.cuh"
#include "beamform/kernels/das/cuda/das_tiles_cuda.h"
#include "beamform/kernels/das/das_inline.h"

/* IQ whose signals' power is summed up besides themselves, for the coherence factor. */
struct sac_coherent : float2 {
};
struct sac_power_sum {
    float2 s;
    float power;
};

/* A sample's type: what is loaded, a value between samples, and a sum of such. */
template <typename S> struct sac_sample {
    typedef S raw;
    typedef float value, sum;
    static const bool is_iq = false;
};
template <> struct sac_sample<float2> {
    typedef float2 raw, value, sum;
    static const bool is_iq = true;
};
template <> struct sac_sample<sac_coherent> {
    typedef float2 raw, value;
    typedef sac_power_sum sum;
    static const bool is_iq = true;
};

__device__ static inline float sac_sample_of(int16_t s)
{
    return (float)s;
}

__device__ static inline float sac_sample_of(float s)
{
    return s;
}

__device__ static inline float2 sac_sample_of(float2 s)
{
    return s;
}

/* sum + w v; complex where v is: w = wr + j wi. */
__device__ static inline float sac_add(float sum, float wr, float wi, float v)
{
    (void)wi;
    return fmaf(wr, v, sum);
}

__device__ static inline float2 sac_add(float2 sum, float wr, float wi, float2 v)
{
    sum.x = fmaf(wr, v.x, sum.x);
    sum.y = fmaf(wr, v.y, sum.y);
    sum.x = fmaf(-wi, v.y, sum.x);
    sum.y = fmaf(wi, v.x, sum.y);
    return sum;
}

__device__ static inline sac_power_sum sac_add(sac_power_sum sum, float wr, float wi, float2 v)
{
    sum.s = sac_add(sum.s, wr, wi, v);
    sum.power = fmaf(fmaf(wr, wr, wi * wi), fmaf(v.x, v.x, v.y * v.y), sum.power);
    return sum;
}

__device__ static inline float sac_plus(float a, float b)
{
    return a + b;
}

__device__ static inline float2 sac_plus(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

__device__ static inline sac_power_sum sac_plus(sac_power_sum a, sac_power_sum b)
{
    return {sac_plus(a.s, b.s), a.power + b.power};
}

/* a + u (b - a). */
__device__ static inline float sac_between(float a, float b, float u)
{
    return fmaf(u, b - a, a);
}

__device__ static inline float2 sac_between(float2 a, float2 b, float u)
{
    return make_float2(sac_between(a.x, b.x, u), sac_between(a.y, b.y, u));
}

__device__ static inline float sac_zero(float)
{
    return 0;
}

__device__ static inline float2 sac_zero(float2)
{
    return make_float2(0, 0);
}

__device__ static inline sac_power_sum sac_zero(sac_power_sum)
{
    return {make_float2(0, 0), 0};
}

#define SAC_DAS_THREADS 256

/* Which share of the transmits is the warp's, and which part of the elements. */
__device__ static inline uint32_t sac_das_share(const sac_das_tiles &tiles)
{
    return threadIdx.x / SAC_WARP >> tiles.bits >> tiles.part_bits;
}

__device__ static inline uint32_t sac_das_part(const sac_das_tiles &tiles)
{
    return threadIdx.x / SAC_WARP >> tiles.bits & ((1u << tiles.part_bits) - 1);
}

/* Its part of elements [*begin, *end). */
__device__ static inline void sac_das_part_of(int32_t *begin, int32_t *end,
                                              const sac_das_tiles &tiles)
{
    const int32_t first = *begin, n = max(*end - first, 0), part = (int32_t)sac_das_part(tiles);
    *begin = first + (n * part >> tiles.part_bits);
    *end = first + (n * (part + 1) >> tiles.part_bits);
}

/* Where the points of a block's warp begin. */
typedef struct sac_das_corner {
    int64_t x, y, slice;
} sac_das_corner;

__device__ static inline sac_das_corner sac_das_corner_of(const sac_das_tiles &tiles, uint32_t tile,
                                                          uint32_t of)
{
    const uint32_t at = tiles.n - 1 - tile, row = at / tiles.n_x;
    const uint32_t warp = of & ((1u << tiles.bits) - 1);
    const uint32_t x = at % tiles.n_x * tiles.warps_x + (warp & (tiles.warps_x - 1));
    const uint32_t y = row % tiles.n_y * tiles.warps_y + (warp >> tiles.x_bits);
    return {(int64_t)x * tiles.warp_w, (int64_t)y * tiles.warp_h, row / tiles.n_y};
}

/* The index of the point at a place of the tiles. */
__device__ static inline int64_t sac_das_index(const sac_das_tiles &tiles, int64_t at)
{
    return tiles.order ? tiles.order[at] : at;
}

typedef struct sac_das_place {
    double m[3];   /* metres */
    int64_t index; /* of the point; one that is there, also for a lane beyond the grid */
    bool is_there;
} sac_das_place;

/* Of a lane that is a point. */
__device__ static inline sac_das_place sac_das_place_of(const sac_das *das,
                                                        const sac_das_tiles &tiles, uint32_t tile)
{
    const uint32_t lane = threadIdx.x % SAC_WARP;
    const sac_das_corner corner = sac_das_corner_of(tiles, tile, threadIdx.x / SAC_WARP);
    const bool is_tile = tiles.warp_h > 1;
    const int64_t x = corner.x + (is_tile ? lane % SAC_DAS_TILE_W : lane);
    const int64_t y = corner.y + (is_tile ? lane / SAC_DAS_TILE_W : 0);
    sac_das_place p;
    p.is_there = x < tiles.w && y < tiles.h;
    p.index = sac_das_index(tiles, corner.slice * tiles.slice +
                                       (y < tiles.h ? y : tiles.h - 1) * tiles.down +
                                       (x < tiles.w ? x : tiles.w - 1) * tiles.across);
    sac_das_point(p.m, das, p.index);
    return p;
}

/* Of a warp whose points are one row: where the row starts, and the first of them there. false: it
 * has none. */
__device__ static inline bool sac_das_row_of(int64_t *row, int64_t *x, const sac_das_tiles &tiles,
                                             uint32_t tile, uint32_t warp)
{
    const sac_das_corner corner = sac_das_corner_of(tiles, tile, warp);
    *row = corner.slice * tiles.slice + corner.y * tiles.down;
    *x = corner.x;
    return corner.x < tiles.w && corner.y < tiles.h;
}

/* cos and sin of |turns| <= 1/2, to 5e-7, by the special function units. */
__device__ static inline void sac_rotate(float *cosine, float *sine, float turns)
{
    __sincosf(6.2831853f * turns, sine, cosine);
}

__device__ static inline double sac_length(double x, double y, double z)
{
    return sqrt(fma(x, x, fma(y, y, z * z)));
}

/* When a wave of one of three kinds, from an element or a source, or to a focus, is at p. */
__device__ static inline double sac_das_reached(const sac_das_wave *w, int32_t kind,
                                                const double p[3])
{
    const double x = p[0] - w->v[0], y = p[1] - w->v[1], z = p[2] - w->v[2];
    if (kind == SAC_TRANSMIT_DIVERGING)
        return sac_length(x, y, z) - w->norm;
    if (kind == SAC_TRANSMIT_FOCUSED) {
        const double along = fma(x, w->v[0], fma(y, w->v[1], z * w->v[2]));
        return w->norm + (along >= 0 ? 1 : -1) * sac_length(x, y, z);
    }
    return sac_length(x, y, z); /* from an element */
}

/* Of a wave of lines that is not plane. A call, for the code of all others to stay short. */
__device__ static __noinline__ double sac_das_reached_by_lines(const sac_das_wave *w, double x,
                                                               double y, double z)
{
    const double p[3] = {sac_das_meet(&w->meeting, 0, x), sac_das_meet(&w->meeting, 1, y), z};
    return sac_das_reached(w, w->of_lines, p);
}

/* (tau_tx - t0) fs at p, in samples, held as by sac_das_hold. */
__device__ static inline double sac_das_offset(const sac_das_cuda *run, int32_t t,
                                               const double p[3], int64_t index)
{
    const sac_das_wave *w = &run->waves[t];
    double at;
    switch ((int32_t)w->kind) {
    case SAC_TRANSMIT_PLANE:
        at = fma(p[0], w->v[0], fma(p[1], w->v[1], p[2] * w->v[2]));
        break;
    case SAC_TRANSMIT_DIVERGING:
    case SAC_TRANSMIT_FOCUSED:
    case SAC_TRANSMIT_ELEMENT:
        at = sac_das_reached(w, w->kind, p);
        break;
    case SAC_DAS_OF_LINES:
        at = sac_das_reached_by_lines(w, p[0], p[1], p[2]);
        break;
    default:
        at = w->arrivals_s[index] * run->das.fs_hz;
    }
    return sac_das_hold(at - w->t0, 0, SAC_DAS_FAR);
}

/* The phase of the rotation by transmit t alone, in turns: nothing where it is counted from the
 * record's start, else that of t0. */
__device__ static inline double sac_das_since(const sac_das_cuda *run, int32_t t)
{
    return run->das.phase_transmit ? run->waves[t].t0 : 0;
}

/* Delays in 2^-32 samples: their sums are exact, and the whole samples are the upper half. */
__device__ static inline int64_t sac_das_fixed(double s)
{
    return __double2ll_rn(s * 4294967296.0);
}

/*
 * A delay in whole samples and the rest, 0 <= rest < 1, rounded down to 2^-23, of |s| < 2^28. Of
 * others from -2^29 to 3 2^29 the whole samples are -2^28 or fewer, or 2^28 or more, all the same.
 */
__device__ static inline int32_t sac_das_split(float *rest, double s)
{
    const double sum = __dadd_rd(s, 805306368.0); /* 1.5 2^29: its last bit is 2^-23 */
    const uint32_t low = (uint32_t)__double2loint(sum), high = (uint32_t)__double2hiint(sum);
    *rest = __uint_as_float((low & 0x7fffff) | 0x3f800000) - 1;
    return (int32_t)(__funnelshift_r(low, high, 23) - 0x90000000u);
}

/* Whether s, of so many whole samples, lies inside the record, its ends included. */
__device__ static inline bool sac_das_is_inside(const sac_das *das, int32_t whole, double s)
{
    const int32_t last = das->n_samples - 1;
    return (uint32_t)whole < (uint32_t)last || (whole == last && s == (double)last);
}

/* Distances from a point to the elements, or those whose x is from `first` to `last`: between *near
 * and *far, in samples. */
__device__ static inline void sac_das_reach(double *near, double *far, const sac_das_cuda *run,
                                            const double p[3], double first, double last)
{
    double low = 0, high = 0;
    for (int i = 0; i < 3; i++) {
        const double a = (i ? run->box[0][i] : first) - p[i];
        const double b = p[i] - (i ? run->box[1][i] : last);
        const double outside = fmax(fmax(a, b), 0.0), across = fmax(-a, -b);
        low = fma(outside, outside, low);
        high = fma(across, across, high);
    }
    *near = sqrt(low);
    *far = sqrt(high);
}

/* The smallest weight inside the aperture. A weight that rounds to 0 would hide a sample that is
 * NaN or infinite, which has to reach the image. */
#define SAC_DAS_LEAST 1e-12f

/* The window of element r at p (metres), 0 outside of the aperture. */
__device__ static inline float sac_das_window_at(const sac_das *das, int32_t r, const double m[3])
{
    double u2;
    float cosine, unused;
    if (!sac_das_in_aperture(&u2, &das->apodization, &das->elements[r], m))
        return 0;
    if (das->apodization.window == SAC_WINDOW_RECT)
        return 1;
    sac_rotate(&cosine, &unused, sac_das_window(&das->apodization, sqrt(u2)));
    return fmaxf(fmaf(0.5f, cosine, 0.5f), SAC_DAS_LEAST);
}

/* The least begin of n neighbouring lanes, and the greatest of their ends. */
__device__ static inline void sac_das_warp_span(int32_t *begin, int32_t *end, int n = SAC_WARP)
{
    for (int apart = n / 2; apart > 0; apart /= 2) {
        *begin = min(*begin, __shfl_xor_sync(SAC_ALL_LANES, *begin, apart));
        *end = max(*end, __shfl_xor_sync(SAC_ALL_LANES, *end, apart));
    }
}

/* Squares of what separates a point from all elements of a linear array. */
__device__ static inline double sac_das_off_line(const double p[3])
{
    return fma(p[1], p[1], p[2] * p[2]);
}

/* The distance to element r, in double precision: Newton's step on a single-precision root. Farther
 * than 2^30 samples it is that: beyond every record. */
__device__ static inline double sac_das_distance(const sac_das_cuda *run, int32_t r,
                                                 const double p[3], double off_line, bool is_line)
{
    const double *e = &run->place[4 * r];
    const double x = p[0] - e[0];
    double rest = off_line;
    if (!is_line) {
        const double y = p[1] - e[1], z = p[2] - e[2];
        rest = fma(y, y, z * z);
    }
    const double l2 = fma(x, x, rest);
    const double inverse = (double)sac_rsqrt(fmaxf((float)l2, 1e-30f)), l = l2 * inverse;
    return l2 < 0x1p60 ? fma(0.5 * inverse, fma(-l, l, l2), l) : 0x1p30;
}

#endif
