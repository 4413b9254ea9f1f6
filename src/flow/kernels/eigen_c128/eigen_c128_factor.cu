/*
 * eigen_c128 on a GPU, before and after the rotations, each step in a block: Cholesky's method with
 * pivots, column by column; the columns' order; vectors of the values 0. A column lies as in
 * eigen_c128_ref: real parts, then imaginary parts.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>

#include "flow/kernels/eigen_c128/eigen_c128_cuda.cuh"
#include "flow/kernels/flow_cuda.h"

#define MOST 1024 /* rows */
#define SLICES 4  /* of the columns so far, that threads of a row share */
#define PLACE_THREADS 256

typedef struct factor_job {
    double *l;
    const double *g;
    int32_t *rank;
    int32_t n, n_rows; /* n_rows: n, up to whole warps */
} factor_job;

/* Of the warp's lanes: the largest of n values, of those alike the first. */
__device__ static int32_t largest_of(const double *a, int32_t n)
{
    const int32_t lane = threadIdx.x % SAC_WARP;
    int32_t best = lane < n ? lane : 0;
    for (int32_t i = lane; i < n; i += SAC_WARP)
        best = a[i] > a[best] ? i : best;
    double most = a[best];
    for (int32_t step = SAC_WARP / 2; step > 0; step /= 2) {
        const double other = __shfl_xor_sync(SAC_ALL_LANES, most, step);
        const int32_t at = __shfl_xor_sync(SAC_ALL_LANES, best, step);
        if (other > most || (other == most && at < best)) {
            most = other;
            best = at;
        }
    }
    return best;
}

/* g[i][p], of whose matrix the upper triangle is there. */
__device__ static double2 element(const double *g, int32_t i, int32_t p, int32_t n)
{
    const double *v = g + 2 * (i < p ? (int64_t)i * n + p : (int64_t)p * n + i);
    return make_double2(v[0], i < p ? v[1] : i > p ? -v[1] : 0);
}

/* The part of a column that a slice of the k columns before it makes, at row i; those have `pivots`
 * in its pivot's row. */
__device__ static double2 share_of(const factor_job *j, const double2 *pivots, int32_t i, int32_t k,
                                   int32_t slice, int32_t n_slices)
{
    double re = 0, im = 0;
#pragma unroll 8
    for (int32_t c = slice; c < k; c += n_slices) {
        const double *b = j->l + 2 * (int64_t)c * j->n;
        const double br = b[i], bi = b[j->n + i];
        re = fma(br, pivots[c].x, fma(bi, pivots[c].y, re));
        im = fma(bi, pivots[c].x, fma(-br, pivots[c].y, im));
    }
    return make_double2(re, im);
}

__global__ void __launch_bounds__(MOST) factor(const __grid_constant__ factor_job j)
{
    __shared__ double left[MOST];
    __shared__ double2 shares[MOST], pivots[MOST];
    __shared__ int32_t pivot;
    const int32_t n = j.n, i = threadIdx.x % j.n_rows, slice = threadIdx.x / j.n_rows;
    const int32_t n_slices = blockDim.x / j.n_rows;
    bool broken = false;
    for (int32_t y = slice; y < n; y += n_slices)
        for (int32_t x = i; x < n; x += j.n_rows) {
            const double2 v = element(j.g, x, y, n);
            broken = broken || (x >= y && !(isfinite(v.x) && isfinite(v.y)));
        }
    if (slice == 0 && i < n)
        left[i] = element(j.g, i, i, n).x;
    if (__syncthreads_or(broken)) {
        if (threadIdx.x == 0)
            *j.rank = -1;
        return;
    }
    double least = 0;
    int32_t k = 0;
    for (; k < n; k++) {
        if (threadIdx.x < SAC_WARP) {
            const int32_t best = largest_of(left, n);
            if (threadIdx.x == 0)
                pivot = best;
        }
        __syncthreads();
        const int32_t p = pivot;
        const double square = left[p];
        least = k == 0 ? n * DBL_EPSILON * square : least;
        if (square <= least)
            break;
        for (int32_t c = threadIdx.x; c < k; c += blockDim.x)
            pivots[c] = make_double2(j.l[2 * (int64_t)c * n + p], j.l[2 * (int64_t)c * n + n + p]);
        __syncthreads();
        shares[threadIdx.x] =
            i < n ? share_of(&j, pivots, i, k, slice, n_slices) : make_double2(0, 0);
        __syncthreads();
        if (slice == 0 && i < n) {
            double2 v = element(j.g, i, p, n);
            for (int32_t s = 0; s < n_slices; s++) {
                v.x -= shares[i + s * j.n_rows].x;
                v.y -= shares[i + s * j.n_rows].y;
            }
            const double root = sqrt(square);
            v.x /= root;
            v.y /= root;
            j.l[2 * (int64_t)k * n + i] = v.x;
            j.l[2 * (int64_t)k * n + n + i] = v.y;
            left[i] = i == p ? 0 : left[i] - (v.x * v.x + v.y * v.y);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *j.rank = k;
}

extern "C" sac_status sac_eigen_cuda_factor(sac_gpu_stream stream, const sac_eigen_cuda_work *w,
                                            const double *g)
{
    const int32_t n_rows = (w->n + SAC_WARP - 1) / SAC_WARP * SAC_WARP;
    const int32_t fit = MOST / n_rows, n_slices = fit < SLICES ? fit : SLICES;
    const factor_job j = {w->l, g, w->rank, w->n, n_rows};
    factor<<<1, (uint32_t)(n_rows * n_slices), 0, stream>>>(j);
    return sac_cuda_launched();
}

/* A warp has a column. */
__global__ void __launch_bounds__(PLACE_THREADS)
    measure(double *size, const double *l, const int32_t *rank, int32_t n)
{
    const int32_t c = (int32_t)((blockIdx.x * PLACE_THREADS + threadIdx.x) / SAC_WARP);
    if (c >= *rank)
        return;
    const double square = sac_eigen_square(l + 2 * (int64_t)c * n, n);
    if (threadIdx.x % SAC_WARP == 0)
        size[c] = square;
}

/* Where column c belongs. */
__device__ static int32_t place_of(const double *size, int32_t c, int32_t rank)
{
    int32_t before = 0;
    for (int32_t k = threadIdx.x % SAC_WARP; k < rank; k += SAC_WARP)
        before += size[k] > size[c] || (size[k] == size[c] && k < c);
    for (int32_t step = SAC_WARP / 2; step > 0; step /= 2)
        before += __shfl_xor_sync(SAC_ALL_LANES, before, step);
    return before;
}

__global__ void __launch_bounds__(PLACE_THREADS)
    place(double *values, double *vectors, const double *l, const double *size, const int32_t *rank,
          int32_t n)
{
    const int32_t c = (int32_t)((blockIdx.x * PLACE_THREADS + threadIdx.x) / SAC_WARP);
    const int32_t lane = threadIdx.x % SAC_WARP;
    if (c >= n || (*rank >= 0 && c >= *rank))
        return;
    const bool broken = *rank < 0;
    const int32_t at = broken ? c : place_of(size, c, *rank);
    const double square = broken ? NAN : size[c], root = sqrt(square);
    for (int32_t i = lane; i < 2 * n; i += SAC_WARP)
        vectors[2 * (int64_t)at * n + i] = broken ? NAN : l[2 * (int64_t)c * n + i] / root;
    if (lane == 0)
        values[at] = square;
}

typedef struct complete_job {
    double *values, *vectors;
    const int32_t *rank;
    int32_t n;
} complete_job;

/* row less what the k vectors before it have of it; all threads. */
__device__ static void make_orthogonal(double2 *shares, double *row, const complete_job *j,
                                       int32_t k)
{
    const int32_t n = j->n, n_warps = blockDim.x / SAC_WARP;
    for (int32_t c = threadIdx.x / SAC_WARP; c < k; c += n_warps) {
        const double2 s = sac_eigen_dot(j->vectors + 2 * (int64_t)c * n, row, n);
        if (threadIdx.x % SAC_WARP == 0)
            shares[c] = s;
    }
    __syncthreads();
    for (int32_t i = threadIdx.x; i < n; i += blockDim.x) {
        double re = row[i], im = row[n + i];
        for (int32_t c = 0; c < k; c++) {
            const double *v = j->vectors + 2 * (int64_t)c * n;
            re = fma(-shares[c].x, v[i], fma(shares[c].y, v[n + i], re));
            im = fma(-shares[c].x, v[n + i], fma(-shares[c].y, v[i], im));
        }
        row[i] = re;
        row[n + i] = im;
    }
    __syncthreads();
}

/* Vectors of the values 0: of the axes, the one that those so far have least of, made orthogonal to
 * them, twice against rounding. */
__global__ void __launch_bounds__(PLACE_THREADS) complete(const __grid_constant__ complete_job j)
{
    __shared__ double2 shares[MOST];
    __shared__ double free_of[MOST]; /* 0 where an axis is wholly theirs, else more; less 1 */
    __shared__ int32_t axis;
    const int32_t n = j.n, rank = *j.rank;
    if (rank < 0 || rank == n)
        return;
    for (int32_t i = threadIdx.x; i < n; i += blockDim.x) {
        free_of[i] = 0;
        for (int32_t c = 0; c < rank; c++) {
            const double *v = j.vectors + 2 * (int64_t)c * n;
            free_of[i] -= v[i] * v[i] + v[n + i] * v[n + i];
        }
    }
    for (int32_t k = rank; k < n; k++) {
        double *row = j.vectors + 2 * (int64_t)k * n;
        __syncthreads();
        if (threadIdx.x < SAC_WARP) {
            const int32_t best = largest_of(free_of, n);
            if (threadIdx.x == 0)
                axis = best;
        }
        __syncthreads();
        for (int32_t i = threadIdx.x; i < 2 * n; i += blockDim.x)
            row[i] = i == axis;
        __syncthreads();
        make_orthogonal(shares, row, &j, k);
        make_orthogonal(shares, row, &j, k);
        const double root = sqrt(sac_eigen_square(row, n));
        __syncthreads();
        for (int32_t i = threadIdx.x; i < n; i += blockDim.x) {
            row[i] /= root;
            row[n + i] /= root;
            free_of[i] -= row[i] * row[i] + row[n + i] * row[n + i];
        }
        if (threadIdx.x == 0)
            j.values[k] = 0;
    }
}

extern "C" sac_status sac_eigen_cuda_sort(sac_gpu_stream stream, double *values, double *vectors,
                                          const sac_eigen_cuda_work *w)
{
    const complete_job j = {values, vectors, w->rank, w->n};
    const uint32_t warps = PLACE_THREADS / SAC_WARP, blocks = ((uint32_t)w->n - 1) / warps + 1;
    measure<<<blocks, PLACE_THREADS, 0, stream>>>(w->size, w->l, w->rank, w->n);
    place<<<blocks, PLACE_THREADS, 0, stream>>>(values, vectors, w->l, w->size, w->rank, w->n);
    complete<<<1, PLACE_THREADS, 0, stream>>>(j);
    return sac_cuda_launched();
}
