/*
 * eigen_c128's rotations on a GPU. Columns are in groups; a block has two of them in its shared
 * memory and rotates pairs, a warp each, as many at a time as a group has columns. Groups meet as
 * teams in a tournament do: a launch is a round of it, a sweep the whole. Within a block columns
 * meet by the same rule.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>

#include "flow/kernels/eigen_c128/eigen_c128_cuda.cuh"
#include "flow/kernels/flow_cuda.h"

#define ORTHOGONAL 0x1p-48 /* as eigen_c128_ref has it */
#define MOST_SWEEPS 40     /* of a block that has all columns */
#define GROUP 8            /* columns */
#ifndef SAC_EIGEN_WARPS
#define SAC_EIGEN_WARPS 32 /* of a block, at most; fewer where threads are emulated */
#endif
#define WHOLE_BYTES (160 << 10) /* of all columns, in one block */

typedef struct round_job {
    double *l;
    const int32_t *rank;
    uint32_t *changed;
    int32_t n, group, n_groups, turn;
} round_job;

/* Who meets whom: of m teams, an even number, match k of round r. The last one stays, the others go
 * round. */
__device__ static void match(int32_t *a, int32_t *b, int32_t m, int32_t r, int32_t k)
{
    *a = k == 0 ? m - 1 : (r + k) % (m - 1);
    *b = k == 0 ? r : (r - k + m - 1) % (m - 1);
}

/* a' = c a - s conj(e) b, b' = s a + c conj(e) b. */
__device__ static void rotate(double *a, double *b, double c, double s, double er, double ei,
                              int32_t n)
{
#pragma unroll 4
    for (int32_t i = threadIdx.x % SAC_WARP; i < n; i += SAC_WARP) {
        const double ar = a[i], ai = a[n + i], br = b[i], bi = b[n + i];
        const double re = fma(er, br, ei * bi), im = fma(er, bi, -ei * br);
        a[i] = fma(c, ar, -s * re);
        a[n + i] = fma(c, ai, -s * im);
        b[i] = fma(s, ar, c * re);
        b[n + i] = fma(s, ai, c * im);
    }
}

/* A warp's: whether the pair was not orthogonal. squares: of the columns' lengths. */
__device__ static bool make_orthogonal(double *columns, double *squares, int32_t a, int32_t b,
                                       int32_t n)
{
    double *of_a = columns + 2 * (int64_t)a * n, *of_b = columns + 2 * (int64_t)b * n;
    const double2 dot = sac_eigen_dot(of_a, of_b, n);
    const double square_a = squares[a], square_b = squares[b];
    const double square = fma(dot.x, dot.x, dot.y * dot.y);
    if (!(square > ORTHOGONAL * ORTHOGONAL * square_a * square_b) || square < DBL_MIN)
        return false;
    const double inverse = rsqrt(square), size = square * inverse;
    const double zeta = (square_b - square_a) / 2 * inverse;
    const double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(fma(zeta, zeta, 1.0)));
    const double cosine = rsqrt(fma(t, t, 1.0));
    rotate(of_a, of_b, cosine, cosine * t, dot.x * inverse, dot.y * inverse, n);
    __syncwarp();
    if (threadIdx.x % SAC_WARP == 0) {
        squares[a] = square_a - t * size;
        squares[b] = square_b + t * size;
    }
    return true;
}

/* Columns of both groups, one group behind the other. */
typedef struct tile {
    double *columns, *squares;
    int32_t n, group, n_first, n_second; /* how many there are */
} tile;

__device__ static bool is_there(const tile *t, int32_t c)
{
    return c < t->group ? c < t->n_first : c - t->group < t->n_second;
}

/* Pairs within each of the groups. */
__device__ static bool rotate_within(const tile *t)
{
    const int32_t warp = threadIdx.x / SAC_WARP, n_warps = blockDim.x / SAC_WARP;
    bool changed = false;
    for (int32_t r = 0; r < t->group - 1; r++) {
        for (int32_t k = warp; k < t->group; k += n_warps) {
            const int32_t half = t->group / 2, of = k < half ? 0 : t->group;
            int32_t a, b;
            match(&a, &b, t->group, r, k % half);
            if (is_there(t, of + a) && is_there(t, of + b))
                changed |= make_orthogonal(t->columns, t->squares, of + a, of + b, t->n);
        }
        __syncthreads();
    }
    return changed;
}

/* Pairs of one from each. */
__device__ static bool rotate_across(const tile *t)
{
    const int32_t warp = threadIdx.x / SAC_WARP, n_warps = blockDim.x / SAC_WARP;
    bool changed = false;
    for (int32_t r = 0; r < t->group; r++) {
        for (int32_t k = warp; k < t->group; k += n_warps) {
            const int32_t b = t->group + (k + r) % t->group;
            if (is_there(t, k) && is_there(t, b))
                changed |= make_orthogonal(t->columns, t->squares, k, b, t->n);
        }
        __syncthreads();
    }
    return changed;
}

__device__ static void copy_group(double2 *to, const double2 *from, int32_t n_columns, int32_t n)
{
#pragma unroll 8
    for (int32_t i = threadIdx.x; i < n_columns * n; i += blockDim.x)
        to[i] = from[i];
}

__device__ static void measure(const tile *t)
{
    const int32_t warp = threadIdx.x / SAC_WARP, n_warps = blockDim.x / SAC_WARP;
    __syncthreads();
    for (int32_t c = warp; c < 2 * t->group; c += n_warps)
        if (is_there(t, c)) {
            const double square = sac_eigen_square(t->columns + 2 * (int64_t)c * t->n, t->n);
            if (threadIdx.x % SAC_WARP == 0)
                t->squares[c] = square;
        }
    __syncthreads();
}

__device__ static int32_t count(int32_t rank, int32_t group, int32_t of)
{
    return max(0, min(group, rank - of * group));
}

__global__ void __launch_bounds__(SAC_EIGEN_WARPS *SAC_WARP)
    meet(const __grid_constant__ round_job j)
{
    extern __shared__ double memory[];
    const int32_t rank = *j.rank, n_columns = j.group * j.n;
    int32_t a, b;
    match(&a, &b, j.n_groups, j.turn, blockIdx.x);
    double2 *first = (double2 *)j.l + (int64_t)a * n_columns;
    double2 *second = (double2 *)j.l + (int64_t)b * n_columns;
    const tile t = {memory,  memory + 4 * n_columns,  j.n,
                    j.group, count(rank, j.group, a), count(rank, j.group, b)};
    double2 *own = (double2 *)memory;
    if (t.n_first + t.n_second < 2)
        return;
    copy_group(own, first, t.n_first, j.n);
    copy_group(own + n_columns, second, t.n_second, j.n);
    bool changed = false, again = true;
    for (int32_t i = 0; i < MOST_SWEEPS && again; i++) {
        measure(&t);
        bool now = j.turn == 0 && j.group > 1 ? rotate_within(&t) : false;
        now |= rotate_across(&t);
        changed |= now;
        again = j.n_groups == 2 && __syncthreads_or(now);
    }
    copy_group(first, own, t.n_first, j.n);
    copy_group(second, own + n_columns, t.n_second, j.n);
    if (changed && j.n_groups > 2 && threadIdx.x % SAC_WARP == 0)
        atomicOr(j.changed, 1u);
}

/* Columns of a group: all in two where they fit, else so many that two groups do. */
static int32_t group_of(int32_t n)
{
    int device, most = 48 << 10;
    const int64_t column = 2 * (int64_t)n * (int64_t)sizeof(double), half = (n + 3) / 4 * 2;
    if (cudaGetDevice(&device) == cudaSuccess)
        (void)cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    const int64_t fits = (most - 4096) / (2 * column);
    if (half <= fits && 2 * half * column <= WHOLE_BYTES)
        return (int32_t)half;
    return fits >= GROUP ? GROUP : fits >= 4 ? 4 : fits >= 2 ? 2 : 1;
}

extern "C" sac_status sac_eigen_cuda_sweep(sac_gpu_stream stream, const sac_eigen_cuda_work *w)
{
    const int32_t group = group_of(w->n), n_all = (w->n + group - 1) / group;
    const int32_t n_groups = n_all < 2 ? 2 : n_all + n_all % 2;
    const int32_t warps = group < SAC_EIGEN_WARPS ? group : SAC_EIGEN_WARPS;
    const size_t bytes = (size_t)(2 * group) * (size_t)(2 * w->n + 1) * sizeof(double);
    round_job j = {w->l, w->rank, w->changed, w->n, group, n_groups, 0};
    if (cudaMemsetAsync(w->changed, 0, sizeof *w->changed, stream) != cudaSuccess ||
        cudaFuncSetAttribute(meet, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes) !=
            cudaSuccess)
        return sac_cuda_launched();
    for (; j.turn < n_groups - 1; j.turn++)
        meet<<<(uint32_t)n_groups / 2, (uint32_t)(warps * SAC_WARP), bytes, stream>>>(j);
    return sac_cuda_launched();
}
