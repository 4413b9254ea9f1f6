/*
 * What the delay-and-sum kernels on a GPU share: samples, points, arrivals and what a point
 * receives of an element. Distances and delays are in samples.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_CUDA_CUH
#define SAC_BEAMFORM_DAS_CUDA_CUH

#include "gpu/block.cuh"
#include "beamform/kernels/das_cuda.h"
#include "beamform/kernels/das_inline.h"

/* A sample's type, and that of sums. */
template <typename S> struct sac_sample {
    typedef float sum;
    static const bool is_iq = false;
};
template <> struct sac_sample<float2> {
    typedef float2 sum;
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

/*
 * Points: a block's are 16 x 16 along the grid's first two axes that have several points, and a
 * warp's 8 x 4 of them, so that its delays lie close to each other; of a list, and of a grid less
 * than 8 wide, they follow each other. Deep rows come first: their apertures are the widest.
 */
#define SAC_DAS_THREADS 256
#define SAC_DAS_TILE_H (SAC_DAS_THREADS / 16)

typedef struct sac_das_tiles {
    int64_t w, h; /* points along the axes of a tile; h 1: points follow each other */
    uint32_t n_x, n_y, n;
} sac_das_tiles;

static inline sac_das_tiles sac_das_tiles_of(const sac_das *das)
{
    const int64_t *n = das->grid.n;
    sac_das_tiles t = {das->n_points, 1, 0, 1, 0};
    if (!das->points_m && n[0] >= 8) {
        t.w = n[0];
        t.h = n[1] > 1 ? n[1] : n[2];
    }
    const int64_t tile_w = t.h > 1 ? 16 : SAC_DAS_THREADS, tile_h = t.h > 1 ? SAC_DAS_TILE_H : 1;
    t.n_x = (uint32_t)((t.w + tile_w - 1) / tile_w);
    t.n_y = (uint32_t)((t.h + tile_h - 1) / tile_h);
    t.n = (uint32_t)(t.n_x * t.n_y * (das->n_points / (t.w * t.h)));
    return t;
}

typedef struct sac_das_place {
    double m[3];   /* metres */
    int64_t index; /* of the point; one that is there, also for a lane beyond the grid */
    bool is_there;
} sac_das_place;

__device__ static inline sac_das_place sac_das_place_of(const sac_das *das,
                                                        const sac_das_tiles &tiles, uint32_t tile)
{
    const uint32_t lane = threadIdx.x % SAC_WARP, warp = threadIdx.x / SAC_WARP;
    sac_das_place p;
    int64_t x, y = 0, slice = 0;
    if (tiles.h > 1) {
        const uint32_t row = tile / tiles.n_x;
        x = tile % tiles.n_x * 16 + warp % 2 * 8 + lane % 8;
        y = (int64_t)(tiles.n_y - 1 - row % tiles.n_y) * SAC_DAS_TILE_H + warp / 2 * 4 + lane / 8;
        slice = row / tiles.n_y;
    } else {
        x = (int64_t)tile * blockDim.x + threadIdx.x;
    }
    p.is_there = x < tiles.w && y < tiles.h;
    x = x < tiles.w ? x : tiles.w - 1;
    y = y < tiles.h ? y : tiles.h - 1;
    p.index = (slice * tiles.h + y) * tiles.w + x;
    sac_das_point(p.m, das, p.index);
    return p;
}

/* Points of kernels whose lanes are frames: a warp's n side by side along x, a block's warps in
 * four rows, or in one if there are no four. Deep rows come first. */
typedef struct sac_das_rows {
    int64_t w, h;
    int32_t n;
    uint32_t warps_x, rows; /* of a block */
    uint32_t n_x, n_blocks;
} sac_das_rows;

static inline sac_das_rows sac_das_rows_of(const sac_das *das, int32_t n, uint32_t warps)
{
    sac_das_rows rows = {das->points_m ? das->n_points : das->grid.n[0], 0, n, 0, 0, 0, 0};
    rows.h = das->n_points / rows.w;
    rows.rows = rows.h < 4 ? 1 : 4;
    rows.warps_x = warps / rows.rows;
    const int64_t block_w = (int64_t)rows.warps_x * n;
    rows.n_x = (uint32_t)((rows.w + block_w - 1) / block_w);
    rows.n_blocks = (uint32_t)((rows.h + rows.rows - 1) / rows.rows) * rows.n_x;
    return rows;
}

/* The warp's row and the first of its points there; false: it has none. */
__device__ static inline bool sac_das_row_of(int64_t *row, int64_t *x, const sac_das_rows &rows)
{
    const uint32_t block = rows.n_blocks - 1 - blockIdx.x, warp = threadIdx.x / SAC_WARP;
    *row = (int64_t)(block / rows.n_x) * rows.rows + warp / rows.warps_x;
    *x = ((int64_t)(block % rows.n_x) * rows.warps_x + warp % rows.warps_x) * rows.n;
    return *row < rows.h && *x < rows.w;
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

/* (tau_tx - t0) fs at p, in samples; beyond +-2^29 that; what is no number is before the record. */
__device__ static inline double sac_das_offset(const sac_das_cuda *run, int32_t t,
                                               const double p[3], int64_t index)
{
    const sac_das_wave *w = &run->waves[t];
    const double far = 536870912.0, x = p[0] - w->v[0], y = p[1] - w->v[1], z = p[2] - w->v[2];
    double at;
    switch (w->kind) {
    case SAC_TRANSMIT_PLANE:
        at = fma(p[0], w->v[0], fma(p[1], w->v[1], p[2] * w->v[2]));
        break;
    case SAC_TRANSMIT_DIVERGING:
        at = sac_length(x, y, z) - w->norm;
        break;
    case SAC_TRANSMIT_FOCUSED: {
        const double along = fma(x, w->v[0], fma(y, w->v[1], z * w->v[2]));
        at = w->norm + (along >= 0 ? 1 : -1) * sac_length(x, y, z);
        break;
    }
    case SAC_TRANSMIT_ELEMENT:
        at = sac_length(x, y, z);
        break;
    default:
        at = w->arrivals_s[index] * run->das.fs_hz;
    }
    at -= w->t0;
    return at > -far ? at < far ? at : far : -far;
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

/* A delay in whole samples and the rest, 0 <= rest <= 1, of |s| < 2^31. */
__device__ static inline int32_t sac_das_split(float *rest, double s)
{
    const double whole = __dadd_rd(s, 6755399441055744.0); /* 1.5 2^52: its last bit is 1 */
    *rest = (float)(s - (whole - 6755399441055744.0));
    return __double2loint(whole);
}

/* Whether a delay so split lies inside the record, its ends included. */
__device__ static inline bool sac_das_is_inside(const sac_das *das, int32_t whole, float rest)
{
    const int32_t last = das->n_samples - 1;
    return whole >= 0 && (whole < last || (whole == last && rest == 0));
}

/* Distances from a point to the elements: between *near and *far, in samples. */
__device__ static inline void sac_das_reach(double *near, double *far, const sac_das_cuda *run,
                                            const double p[3])
{
    double low = 0, high = 0;
    for (int i = 0; i < 3; i++) {
        const double a = run->box[0][i] - p[i], b = p[i] - run->box[1][i];
        const double outside = fmax(fmax(a, b), 0.0), across = fmax(-a, -b);
        low = fma(outside, outside, low);
        high = fma(across, across, high);
    }
    *near = sqrt(low);
    *far = sqrt(high);
}

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
    return fmaf(0.5f, cosine, 0.5f);
}

/* The least of a warp's begins, and the greatest of its ends. */
__device__ static inline void sac_das_warp_span(int32_t *begin, int32_t *end)
{
    for (int apart = SAC_WARP / 2; apart > 0; apart /= 2) {
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
