/*
 * gram_c64 on a GPU: a block has a tile of pairs and a run of points, a thread 4 x 4 of the pairs.
 * Products of STAGE points are summed in single precision, which is 64 roundings, those sums in
 * double; a second kernel adds the runs, in their order.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow/kernels/flow_cuda.h"
#include "gpu/launched.h"

#define TILE 32 /* frames */
#define SIDE 4  /* of a thread's */
#define APART (TILE / SIDE)
#define THREADS (APART * APART)
#define STAGE 32              /* points */
#define QUADS (STAGE / 2 + 1) /* of a row in shared memory: an odd number, for its banks */
#define LANES 32
#define BLOCKS 2048 /* that suffice for any GPU */
#define SHORTEST 512
#define ADD_THREADS 128

/* Tiles on and above the diagonal; runs, and their points. */
typedef struct cuts {
    int32_t across, n_tiles;
    int64_t n_runs, run;
} cuts;

static cuts cut(int64_t n_points, int32_t n)
{
    const int32_t across = (n + TILE - 1) / TILE, n_tiles = across * (across + 1) / 2;
    const int64_t most = BLOCKS / n_tiles > 0 ? BLOCKS / n_tiles : 1;
    const int64_t wanted = (n_points + SHORTEST - 1) / SHORTEST;
    const int64_t n_runs = wanted < 1 ? 1 : wanted < most ? wanted : most;
    const int64_t run = ((n_points + n_runs - 1) / n_runs + STAGE - 1) / STAGE * STAGE;
    return {across, n_tiles, n_runs, run};
}

/* Row and column of tiles; t counts row by row. */
__device__ static void find_tile(int32_t *row, int32_t *column, int32_t t, int32_t across)
{
    *row = 0;
    for (; t >= across - *row; t -= across - (*row)++)
        ;
    *column = *row + t;
}

/* STAGE points of TILE frames into shared memory; 0 where there are none. */
__device__ static void load(float4 *to, const char *x, ptrdiff_t row, int32_t frame, int32_t n,
                            int64_t p, int64_t end)
{
    float2 *pairs = (float2 *)to;
    const int32_t lane = threadIdx.x % LANES;
#pragma unroll 8
    for (int32_t k = threadIdx.x / LANES; k < TILE; k += THREADS / LANES) {
        float2 v = make_float2(0, 0);
        if (frame + k < n && p + lane < end)
            v = ((const float2 *)(x + (frame + k) * row))[p + lane];
        pairs[k * 2 * QUADS + lane] = v;
    }
}

typedef struct products {
    float re[SIDE][SIDE], im[SIDE][SIDE];
} products;

/* Of two points, side by side. */
__device__ static void add_points(products *s, const float4 *a, const float4 *b)
{
    float4 u[SIDE], v[SIDE];
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        u[k] = a[k * APART * QUADS];
        v[k] = b[k * APART * QUADS];
    }
#pragma unroll
    for (int i = 0; i < SIDE; i++)
#pragma unroll
        for (int j = 0; j < SIDE; j++) {
            s->re[i][j] = fmaf(u[i].x, v[j].x, fmaf(u[i].y, v[j].y, s->re[i][j]));
            s->im[i][j] = fmaf(u[i].x, v[j].y, fmaf(-u[i].y, v[j].x, s->im[i][j]));
            s->re[i][j] = fmaf(u[i].z, v[j].z, fmaf(u[i].w, v[j].w, s->re[i][j]));
            s->im[i][j] = fmaf(u[i].z, v[j].w, fmaf(-u[i].w, v[j].z, s->im[i][j]));
        }
}

__global__ void __launch_bounds__(THREADS)
    multiply(double2 *parts, const char *x, ptrdiff_t row, int64_t n_points, int32_t n, cuts c)
{
    __shared__ float4 a[TILE * QUADS], b[TILE * QUADS];
    const int32_t tx = threadIdx.x % APART, ty = threadIdx.x / APART;
    const int64_t r = blockIdx.x / c.n_tiles;
    const int64_t end = min((r + 1) * c.run, n_points);
    int32_t i0, j0;
    find_tile(&i0, &j0, (int32_t)(blockIdx.x % c.n_tiles), c.across);
    const bool diagonal = i0 == j0;
    double2 sums[SIDE][SIDE] = {};
    for (int64_t p = r * c.run; p < end; p += STAGE) {
        products s = {};
        __syncthreads();
        load(a, x, row, i0 * TILE, n, p, end);
        if (!diagonal)
            load(b, x, row, j0 * TILE, n, p, end);
        __syncthreads();
        const float4 *of_a = a + ty * QUADS, *of_b = (diagonal ? a : b) + tx * QUADS;
#pragma unroll 4
        for (int k = 0; k < STAGE / 2; k++)
            add_points(&s, of_a + k, of_b + k);
#pragma unroll
        for (int i = 0; i < SIDE; i++)
#pragma unroll
            for (int j = 0; j < SIDE; j++) {
                sums[i][j].x += (double)s.re[i][j];
                sums[i][j].y += (double)s.im[i][j];
            }
    }
    parts += (int64_t)blockIdx.x * TILE * TILE;
#pragma unroll
    for (int i = 0; i < SIDE; i++)
#pragma unroll
        for (int j = 0; j < SIDE; j++)
            parts[(ty + i * APART) * TILE + tx + j * APART] = sums[i][j];
}

__global__ void __launch_bounds__(ADD_THREADS)
    add_runs(double *g, const double2 *parts, int32_t n, int32_t first, int32_t end, cuts c)
{
    const int64_t at = (int64_t)blockIdx.x * ADD_THREADS + threadIdx.x;
    const int32_t i = first + (int32_t)(at / n), j = (int32_t)(at % n);
    if (i >= end || j < i)
        return;
    const int32_t row = i / TILE, column = j / TILE;
    const int32_t tile = row * c.across - row * (row - 1) / 2 + column - row;
    const double2 *from = parts + ((int64_t)tile * TILE + i % TILE) * TILE + j % TILE;
    double re = 0, im = 0;
#pragma unroll 8
    for (int64_t r = 0; r < c.n_runs; r++) {
        const double2 v = from[r * c.n_tiles * TILE * TILE];
        re += v.x;
        im += v.y;
    }
    double *to = g + 2 * ((int64_t)i * n + j);
    to[0] += re;
    to[1] += im;
}

extern "C" size_t sac_gram_c64_cuda_bytes(int64_t n_points, int32_t n)
{
    const cuts c = cut(n_points, n);
    return (size_t)(c.n_runs * c.n_tiles) * TILE * TILE * sizeof(double2);
}

extern "C" sac_status sac_gram_c64_cuda(sac_gpu_stream stream, double *g, double *parts,
                                        const float *x, ptrdiff_t row, int64_t n_points, int32_t n,
                                        int32_t first, int32_t end)
{
    const cuts c = cut(n_points, n);
    const int64_t pairs = (int64_t)(end - first) * n;
    if (pairs <= 0)
        return SAC_OK;
    multiply<<<(uint32_t)(c.n_runs * c.n_tiles), THREADS, 0, stream>>>(
        (double2 *)parts, (const char *)x, row, n_points, n, c);
    add_runs<<<(uint32_t)((pairs + ADD_THREADS - 1) / ADD_THREADS), ADD_THREADS, 0, stream>>>(
        g, (const double2 *)parts, n, first, end, c);
    return sac_cuda_launched();
}
