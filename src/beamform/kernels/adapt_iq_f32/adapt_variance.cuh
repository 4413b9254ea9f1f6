/*
 * adapt_iq_f32 on a GPU, the second step of minimum variance: a warp solves a point's system, in
 * shared memory where it fits there.
 *
 * Columns of R's lower triangle follow each other, each with two rows more, 1 and the conjugate of
 * s, which become the forward solutions: w^H s needs no more. R's first column is summed up, each
 * other entry follows from the one before on its diagonal. R and s are sums here, K times the
 * means.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_ADAPT_VARIANCE_CUH
#define SAC_BEAMFORM_ADAPT_VARIANCE_CUH

#include "beamform/kernels/adapt_iq_f32/adapt_signals.cuh"

template <typename Real> struct __align__(2 * sizeof(Real)) sac_adapt_complex
{
    Real re, im;
};

/* A system: of l unknowns from n signals x. */
template <typename Real> struct sac_adapt_system {
    sac_adapt_complex<Real> *rows, *x;
    int32_t l, n;
};

/* Values of a system of l unknowns. */
SAC_HOST_DEVICE static inline int64_t sac_adapt_system_size(int64_t l)
{
    return l * (l + 5) / 2;
}

/* Where column k begins, less k: entry (i, k) lies i behind that. */
__device__ static inline int64_t sac_adapt_column(int32_t l, int32_t k)
{
    return (int64_t)k * (l + 1) - (int64_t)k * (k - 1) / 2;
}

__device__ static inline float sac_adapt_fma(float a, float b, float c)
{
    return fmaf(a, b, c);
}

__device__ static inline double sac_adapt_fma(double a, double b, double c)
{
    return fma(a, b, c);
}

/* sum + sign a conj(b). */
template <typename Real>
__device__ static inline void sac_adapt_product(sac_adapt_complex<Real> *sum, Real sign,
                                                const sac_adapt_complex<Real> &a,
                                                const sac_adapt_complex<Real> &b)
{
    const Real re = sign * b.re, im = sign * b.im;
    sum->re = sac_adapt_fma(a.im, im, sac_adapt_fma(a.re, re, sum->re));
    sum->im = sac_adapt_fma(-a.re, im, sac_adapt_fma(a.im, re, sum->im));
}

template <typename Real> __device__ static inline Real sac_adapt_warp_sum(Real v)
{
    for (int apart = SAC_WARP / 2; apart > 0; apart /= 2)
        v += __shfl_xor_sync(SAC_ALL_LANES, v, apart);
    return v;
}

/* The triangle and both rows; lanes are diagonals. */
template <typename Real>
__device__ static inline void sac_adapt_fill(const sac_adapt_system<Real> &s)
{
    const int32_t n_sub = s.n - s.l + 1, lane = (int32_t)(threadIdx.x % SAC_WARP);
    for (int32_t d = lane; d < s.l; d += SAC_WARP) {
        sac_adapt_complex<Real> r = {0, 0}, sum = {0, 0};
        for (int32_t k = 0; k < n_sub; k++) {
            const sac_adapt_complex<Real> x = s.x[k + d];
            sac_adapt_product<Real>(&r, 1, x, s.x[k]);
            sum.re += x.re;
            sum.im -= x.im;
        }
        sac_adapt_complex<Real> *at = s.rows + d;
        int32_t step = s.l + 2; /* to the diagonal's next */
        for (int32_t j = 0; j + d < s.l; j++) {
            *at = r;
            at += step--;
            if (j + d + 1 < s.l) {
                sac_adapt_product<Real>(&r, -1, s.x[j + d], s.x[j]);
                sac_adapt_product<Real>(&r, 1, s.x[j + d + n_sub], s.x[j + n_sub]);
            }
        }
        at = s.rows + sac_adapt_column(s.l, d) + s.l;
        at[0] = {1, 0};
        at[1] = sum;
    }
    __syncwarp();
}

template <typename Real>
__device__ static inline void sac_adapt_load(const sac_adapt_system<Real> &s, double loading)
{
    const int32_t lane = (int32_t)(threadIdx.x % SAC_WARP);
    Real trace = 0;
    for (int32_t j = lane; j < s.l; j += SAC_WARP)
        trace += s.rows[sac_adapt_column(s.l, j) + j].re;
    const Real load = sac_adapt_warp_sum(trace) * (Real)loading / (Real)s.l;
    for (int32_t j = lane; j < s.l; j += SAC_WARP)
        s.rows[sac_adapt_column(s.l, j) + j].re += load;
    __syncwarp();
}

/* Entry (i, j), less what the columns before leave of it. */
template <typename Real>
__device__ static inline sac_adapt_complex<Real> sac_adapt_left(const sac_adapt_system<Real> &s,
                                                                int32_t i, int32_t j)
{
    const sac_adapt_complex<Real> *own = s.rows + i, *pivot = s.rows + j;
    sac_adapt_complex<Real> v = {0, 0};
    int32_t step = s.l + 1; /* to the next column */
#pragma unroll 4
    for (int32_t k = 0; k < j; k++) {
        sac_adapt_product<Real>(&v, 1, *own, *pivot);
        own += step;
        pivot += step--;
    }
    return {own->re - v.re, own->im - v.im};
}

/* Cholesky's factor, column by column; lanes are rows. */
template <typename Real>
__device__ static inline void sac_adapt_factor(const sac_adapt_system<Real> &s)
{
    const int32_t lane = (int32_t)(threadIdx.x % SAC_WARP), end = s.l + 2;
    for (int32_t j = 0; j < s.l; j++) {
        sac_adapt_complex<Real> *column = s.rows + sac_adapt_column(s.l, j);
        Real inverse = 0;
        for (int32_t first = j; first < end; first += SAC_WARP) {
            const int32_t i = first + lane;
            sac_adapt_complex<Real> v = {0, 0};
            if (i < end)
                v = sac_adapt_left(s, i, j);
            if (first == j) { /* NaN stays NaN */
                const Real pivot = __shfl_sync(SAC_ALL_LANES, v.re, 0);
                inverse = pivot <= 0 ? 0 : 1 / sqrt(pivot);
            }
            if (i < end)
                column[i] = {v.re * inverse, v.im * inverse};
        }
        __syncwarp();
    }
}

/* M w^H s. */
template <typename Real>
__device__ static inline float2 sac_adapt_solve(const sac_adapt_system<Real> &s, double loading)
{
    const int32_t lane = (int32_t)(threadIdx.x % SAC_WARP);
    sac_adapt_complex<Real> ws = {0, 0};
    Real w2 = 0;
    sac_adapt_fill(s);
    sac_adapt_load(s, loading);
    sac_adapt_factor(s);
    for (int32_t j = lane; j < s.l; j += SAC_WARP) {
        const sac_adapt_complex<Real> *row = s.rows + sac_adapt_column(s.l, j) + s.l;
        w2 = sac_adapt_fma(row[0].re, row[0].re, sac_adapt_fma(row[0].im, row[0].im, w2));
        sac_adapt_product<Real>(&ws, 1, row[0], row[1]);
    }
    w2 = sac_adapt_warp_sum(w2) * (Real)(s.n - s.l + 1);
    const Real scale = w2 != 0 ? (Real)s.n / w2 : 0;
    __syncwarp(); /* before others fill it */
    return make_float2((float)(sac_adapt_warp_sum(ws.re) * scale),
                       (float)(sac_adapt_warp_sum(ws.im) * scale));
}

/* A block is a warp. Its system lies in shared memory, or where there is `rows` there. */
template <typename Real>
__global__ void __launch_bounds__(SAC_WARP)
    sac_adapt_variance(const __grid_constant__ sac_das_cuda run,
                       const __grid_constant__ sac_adapt_step step, sac_adapt_complex<Real> *rows,
                       int64_t size)
{
    extern __shared__ __align__(16) char memory[];
    const bool compounds = run.reduction.over == SAC_OVER_COMPOUND;
    const int32_t n_lists = compounds ? 1 : step.n, lane = (int32_t)threadIdx.x;
    sac_adapt_system<Real> s;
    s.rows = rows ? rows + blockIdx.x * size : (sac_adapt_complex<Real> *)memory;
    s.x = s.rows + size - run.das.n_rx;
    for (int64_t at = blockIdx.x; at < step.n_threads; at += gridDim.x) {
        const int64_t index = step.index[at];
        s.n = step.count[at];
        s.l = s.n > 0 ? sac_reduction_length(&run.reduction, s.n) : 0;
        for (int32_t i = 0; i < n_lists && index >= 0; i++) {
            const float2 *x = step.x + (int64_t)i * run.das.n_rx * step.n_threads + at;
            for (int32_t m = lane; m < s.n; m += SAC_WARP) {
                const float2 v = __ldg(x + m * step.n_threads);
                s.x[m] = {v.x, v.y};
            }
            __syncwarp();
            const float2 value =
                s.n > 0 ? sac_adapt_solve(s, run.reduction.loading) : make_float2(0, 0);
            if (lane == 0)
                sac_adapt_put(&run, step, index, i, value);
        }
    }
}

#endif
