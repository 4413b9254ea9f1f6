/*
 * CLAHE's second pass for 8 bits, cell by cell. A cell is the rectangle between four tile centers;
 * all its pixels mix the same four tiles. Their levels are interleaved in shared memory, by V, so
 * that a pixel's four levels are one 16-byte load.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_CLAHE_CELLS_CUH
#define SAC_EQUALIZE_CLAHE_CELLS_CUH

#include "equalize/kernels/clahe.cuh"

#define SAC_CELL_ROWS 16 /* of a block at once: enough pixels to make the table for */
#define SAC_CELL_AHEAD 4
#define SAC_CELL_VALUES 256

/* A block's copy of the cell that it works on. */
typedef struct sac_clahe_cell {
    uint4 level[SAC_CELL_VALUES];      /* of V: upper left, upper right, lower left, lower right */
    uint32_t inverse[SAC_CELL_VALUES]; /* of V */
    uint32_t weight[SAC_CELL_ROWS];    /* of the lower tiles */
} sac_clahe_cell;

/* Where cell k of t + 1 begins on an axis of n pixels: the first i that sac_clahe_at has between
 * tiles k - 1 and k; cell 0 lies before the first tile's center. */
SAC_HOST_DEVICE inline int64_t sac_cell_start(int32_t k, int64_t n, int32_t t)
{
    if (k == 0)
        return 0;
    return k > t ? n : ((2 * k - 1) * n + t - 1) / (2 * (int64_t)t);
}

__device__ inline void sac_cell_fill(sac_clahe_cell *cell, const sac_clahe &c, int32_t cx,
                                     int32_t cy, int64_t y0)
{
    const int64_t left = max(cx - 1, 0), right = min(cx, c.tiles_x - 1);
    const int64_t above = max(cy - 1, 0), below = min(cy, c.tiles_y - 1);
    const uint32_t *top = c.level + above * c.tiles_x * c.bins;
    const uint32_t *bottom = c.level + below * c.tiles_x * c.bins;
    for (uint32_t v = sac_thread(); v < SAC_CELL_VALUES; v += sac_block_threads()) {
        const int64_t l = left * c.bins + (v * (uint32_t)c.bins >> 8),
                      r = right * c.bins + (v * (uint32_t)c.bins >> 8);
        cell->level[v] = make_uint4(top[l], top[r], bottom[l], bottom[r]);
        cell->inverse[v] = sac_clahe_inverse(v);
    }
    for (uint32_t y = sac_thread(); y < SAC_CELL_ROWS; y += sac_block_threads())
        cell->weight[y] = sac_clahe_row(y0 + y, c.h, c.tiles_y).weight;
}

/* The colors of a pixel, and its alpha; NULL where there are fewer. */
typedef struct sac_cell_samples {
    uint8_t *color[3], *alpha;
} sac_cell_samples;

__device__ inline sac_cell_samples sac_cell_at(const sac_pixels &p, int64_t x, int64_t y)
{
    const int64_t at = y * p.row + x * p.pixel;
    sac_cell_samples s = {};
#pragma unroll
    for (int k = 0; k < 3; k++)
        s.color[k] = k < p.n_colors ? (uint8_t *)p.color[k] + at : NULL;
    s.alpha = p.alpha ? (uint8_t *)p.alpha + at : NULL;
    return s;
}

__device__ inline void sac_cell_down(sac_cell_samples *s, ptrdiff_t row)
{
#pragma unroll
    for (int k = 0; k < 3; k++)
        s->color[k] += row;
    s->alpha += row;
}

template <int COLORS>
__device__ inline void sac_cell_pixel(const sac_cell_samples &out, const uint32_t *x,
                                      const sac_clahe_cell *cell, uint32_t wx, uint32_t wy)
{
    const uint32_t v = COLORS == 1 ? x[0] : max(x[0], max(x[1], x[2]));
    const uint32_t some = max(v, 1u), m = cell->inverse[v];
    const uint4 l = cell->level[v];
    const uint64_t g = sac_clahe_mix(l.x, l.y, l.z, l.w, wx, wy);
#pragma unroll
    for (int k = 0; k < COLORS; k++)
        *out.color[k] =
            (uint8_t)sac_clahe_quotient((uint32_t)(g * x[k] + (some << 15) >> 16), some, m);
}

/* A column of a part, by one thread: SAC_CELL_AHEAD pixels are read before the first is written. */
template <int COLORS>
__device__ inline void sac_cell_column(const sac_pixels &out, const sac_pixels &in,
                                       const sac_clahe_cell *cell, uint32_t wx, int64_t x,
                                       int64_t y0, uint32_t rows)
{
    sac_cell_samples to = sac_cell_at(out, x, y0), from = sac_cell_at(in, x, y0);
    const bool alpha = out.alpha && in.alpha && out.alpha != in.alpha;
    for (uint32_t r = 0; r < rows; r += SAC_CELL_AHEAD) {
        uint32_t sample[SAC_CELL_AHEAD][COLORS];
#pragma unroll
        for (uint32_t i = 0; i < SAC_CELL_AHEAD; i++) {
#pragma unroll
            for (int k = 0; k < COLORS; k++)
                sample[i][k] = r + i < rows ? *from.color[k] : 0;
            if (alpha && r + i < rows)
                *(to.alpha + (ptrdiff_t)i * out.row) = *from.alpha;
            sac_cell_down(&from, in.row);
        }
#pragma unroll
        for (uint32_t i = 0; i < SAC_CELL_AHEAD; i++) {
            if (r + i < rows)
                sac_cell_pixel<COLORS>(to, sample[i], cell, wx, cell->weight[r + i]);
            sac_cell_down(&to, out.row);
        }
    }
}

/* SAC_CELL_ROWS rows of a cell are one part of the work; `parts` of a cell, some of them empty. */
template <int COLORS>
__global__ void sac_clahe_cells(const __grid_constant__ sac_pixels out,
                                const __grid_constant__ sac_pixels in,
                                const __grid_constant__ sac_clahe c, int32_t parts)
{
    __shared__ sac_clahe_cell cell;
    const int64_t across = c.tiles_x + 1, n = across * (c.tiles_y + 1) * parts;
    for (int64_t i = sac_block(); i < n; i += sac_blocks()) {
        const int32_t cx = (int32_t)(i / parts % across), cy = (int32_t)(i / parts / across);
        const int64_t x0 = sac_cell_start(cx, c.w, c.tiles_x);
        const int64_t x1 = sac_cell_start(cx + 1, c.w, c.tiles_x);
        const int64_t y0 = sac_cell_start(cy, c.h, c.tiles_y) + i % parts * SAC_CELL_ROWS;
        const int64_t y1 = sac_cell_start(cy + 1, c.h, c.tiles_y);
        if (y1 <= y0 || x1 == x0)
            continue;
        __syncthreads();
        sac_cell_fill(&cell, c, cx, cy, y0);
        __syncthreads();
        const uint32_t rows = (uint32_t)min(y1 - y0, (int64_t)SAC_CELL_ROWS);
        for (int64_t x = x0 + sac_thread(); x < x1; x += sac_block_threads())
            sac_cell_column<COLORS>(out, in, &cell, c.column[x].weight, x, y0, rows);
    }
}

/* One block for each part that is not empty, and a few more. */
static inline sac_status sac_clahe_cells_launch(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                                const sac_pixels *out, const sac_pixels *in,
                                                const sac_clahe *c)
{
    const int64_t height = (c->h + c->tiles_y - 1) / c->tiles_y; /* of the largest cell */
    const int64_t parts = (height + SAC_CELL_ROWS - 1) / SAC_CELL_ROWS;
    const int64_t n = (int64_t)(c->tiles_x + 1) * (c->tiles_y + 1) * parts;
    const int64_t most = INT32_MAX; /* of a grid */
    const sac_launch l = sac_launch_of(shape, 1);
    const dim3 grid = shape ? l.grid : dim3((unsigned)(n < most ? n : most));
    if (in->n_colors == 3)
        sac_clahe_cells<3><<<grid, l.block, 0, stream>>>(*out, *in, *c, (int32_t)parts);
    else
        sac_clahe_cells<1><<<grid, l.block, 0, stream>>>(*out, *in, *c, (int32_t)parts);
    return sac_cuda_launched();
}

#endif
