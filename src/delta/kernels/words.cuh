/*
 * Cells on a GPU, a warp each: a lane has a column of a cell's left half and the one 32 columns to
 * the right of it. A pixel is a word, its channels in the word's bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_WORDS_CUH
#define SAC_DELTA_WORDS_CUH

#include "delta/kernels/layout.h"
#include "gpu/block.cuh"
#include "gpu/early.cuh"

#define SAC_CELL_THREADS 256
#define SAC_CELL_WARPS (SAC_CELL_THREADS / SAC_WARP)
#define SAC_CELL_HALVES 2                                 /* of a row: a pixel a lane */
#define SAC_CELL_WORDS (SAC_DELTA_ROWS * SAC_CELL_HALVES) /* of a mask: a lane each */
#define SAC_FOUR 0x01010101u

/* The cell of this warp. */
typedef struct sac_cell_at {
    int32_t index;      /* in the picture */
    int32_t band, cell; /* its band, and its number there */
    int32_t x, y;       /* its first pixel */
    bool is_top;        /* of its band */
} sac_cell_at;

__device__ inline sac_cell_at sac_cell_of(const sac_delta_layout &l, int32_t index)
{
    const int32_t row = index / l.cells_x, band = index / l.band_cells;
    const int32_t cell = index - band * l.band_cells;
    return {index,
            band,
            cell,
            (index - row * l.cells_x) * SAC_DELTA_COLUMNS,
            row * SAC_DELTA_ROWS,
            cell < l.cells_x};
}

/* This warp's; beyond the last cell n_cells. */
__device__ inline int32_t sac_cell_index(const sac_delta_layout &l)
{
    const int64_t i = (int64_t)blockIdx.x * SAC_CELL_WARPS + sac_thread() / SAC_WARP;
    return i < l.n_cells ? (int32_t)i : l.n_cells;
}

static inline dim3 sac_cell_grid(const sac_delta_layout *l)
{
    return dim3(((unsigned)l->n_cells + SAC_CELL_WARPS - 1) / SAC_CELL_WARPS);
}

/* Of stream i of a band. */
__device__ inline uint8_t *sac_cell_stream(uint8_t *streams, const sac_delta_layout &l, int band,
                                           int i)
{
    return streams + (size_t)band * l.band + l.stream[i];
}

__device__ inline uint8_t *sac_cell_kind(uint8_t *streams, const sac_delta_layout &l,
                                         const sac_cell_at &at)
{
    return sac_cell_stream(streams, l, at.band, 0) + at.cell;
}

/* Where lane k's word of the cell's mask is, of stream i: k = 2 row + half. */
__device__ inline uint32_t *sac_cell_mask(uint8_t *streams, const sac_delta_layout &l,
                                          const sac_cell_at &at, int i, uint32_t number)
{
    uint8_t *masks = sac_cell_stream(streams, l, at.band, i) + (size_t)number * SAC_DELTA_MASK;
    return (uint32_t *)masks + sac_thread() % SAC_WARP;
}

/* How many of the lanes below this one have a bit. */
__device__ inline uint32_t sac_lanes_below(uint32_t bits)
{
    return (uint32_t)__popc(bits & ((1u << sac_thread() % SAC_WARP) - 1));
}

/* The median predictor: left + up - up_left where up_left lies between the other two. */
__device__ inline uint32_t sac_predict4(uint32_t left, uint32_t up, uint32_t up_left)
{
    const uint32_t low = __vminu4(left, up), high = __vmaxu4(left, up);
    return __vsub4(__vadd4(left, up), __vminu4(__vmaxu4(up_left, low), high));
}

/* Pictures of the encoder: a word a pixel, or a byte with one channel. */
template <int C> struct sac_picture {
    typedef uint32_t pixel;
};
template <> struct sac_picture<1> {
    typedef uint8_t pixel;
};

/* The cell's pixel (0, 0) + this lane; the rows of a picture are `row` pixels apart. */
template <int C>
__device__ inline typename sac_picture<C>::pixel *
sac_pixels_at(void *picture, const sac_delta_layout &l, const sac_cell_at &at)
{
    const size_t row = (size_t)l.cells_x * SAC_DELTA_COLUMNS;
    return (typename sac_picture<C>::pixel *)picture + (size_t)at.y * row + (size_t)at.x +
           sac_thread() % SAC_WARP;
}

/* Kernels by channels. */
#define SAC_BY_CHANNELS(kernel, name, channels)                                                    \
    ((channels) == 1 ? (kernel)name<1> : (channels) == 3 ? (kernel)name<3> : (kernel)name<4>)

#define SAC_NUMBER_THREADS 1024

/* One block a band: numbers its masks, turns the counts of values, where they are known, into
 * places, and gives the sizes of its streams. */
__device__ inline void sac_number_band(sac_delta_sizes *sizes, sac_delta_place *places,
                                       uint8_t *streams, const sac_delta_layout &l, bool has_counts)
{
    enum { SPARSE_AND_WHOLE, FIRST, SECOND, SUMS };
    __shared__ uint64_t scratch[SUMS][SAC_WARP + 1];
    const int32_t band = (int32_t)blockIdx.x, first = band * l.band_cells;
    const int32_t n = min(l.band_cells, l.n_cells - first);
    const uint8_t *kinds = sac_cell_stream(streams, l, band, 0);
    uint64_t done[SUMS] = {0, 0, 0};
    for (int32_t from = 0; from < n; from += SAC_NUMBER_THREADS) {
        const int32_t i = from + (int32_t)sac_thread();
        sac_delta_place p = {0, {0, 0, 0, 0}};
        uint64_t sparse = 0, whole = 0;
        if (i < n) {
            if (has_counts)
                p = places[first + i];
            sparse = kinds[i] == SAC_CELL_SPARSE;
            whole = kinds[i] >= SAC_CELL_TEMPORAL;
        }
        const uint64_t own[SUMS] = {sparse | whole << 32, p.value[0] | (uint64_t)p.value[1] << 32,
                                    p.value[2] | (uint64_t)p.value[3] << 32};
        uint64_t before[SUMS];
        for (int k = 0; k < SUMS; k++) {
            uint64_t total;
            before[k] = done[k] + sac_block_scan(&total, own[k], scratch[k]) - own[k];
            done[k] += total;
        }
        if (i < n)
            places[first + i] = {whole ? (uint32_t)(before[SPARSE_AND_WHOLE] >> 32)
                                       : (uint32_t)before[SPARSE_AND_WHOLE],
                                 {(uint32_t)before[FIRST], (uint32_t)(before[FIRST] >> 32),
                                  (uint32_t)before[SECOND], (uint32_t)(before[SECOND] >> 32)}};
        __syncthreads(); /* scratch is free again */
    }
    if (sac_thread() > 0)
        return;
    uint32_t *size = sizes->of[band];
    size[0] = (uint32_t)n;
    size[1] = (uint32_t)done[SPARSE_AND_WHOLE] * SAC_DELTA_MASK;
    for (int c = 0; c < l.channels; c++) {
        size[2 + c] = (uint32_t)(done[SPARSE_AND_WHOLE] >> 32) * SAC_DELTA_MASK;
        size[2 + l.channels + c] = (uint32_t)(done[FIRST + c / 2] >> (c % 2 * 32));
    }
}

#endif
