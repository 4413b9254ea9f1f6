/*
 * The decoder's kernels, in order: fetch, which takes to the device what there is of each stream;
 * number and count, which find each cell's masks and values; add, for sparse and temporal cells;
 * guess, for spatial ones, each of which waits for those on its left and above.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta/kernels/decode_cuda.h"
#include "delta/kernels/words.cuh"

#define ROWS SAC_DELTA_ROWS
#define COLUMNS SAC_DELTA_COLUMNS

#define FETCH_THREADS 256
#define FETCH_BLOCKS 16 /* of a stream, at most */

/* Blocks (.., y) take stream y % n of band y / n, in whole units. */
__global__ void __launch_bounds__(FETCH_THREADS)
    fetch(const __grid_constant__ sac_delta_decode_job job)
{
    const sac_delta_layout &l = job.layout;
    const int n_streams = 2 + 2 * l.channels;
    const int band = (int)blockIdx.y / n_streams, i = (int)blockIdx.y % n_streams;
    sac_wait_for_stream();
    sac_let_next_begin();
    const uint32_t n = (job.sizes->of[band][i] + SAC_DELTA_ALIGN - 1) / SAC_DELTA_ALIGN;
    const uint4 *from = (const uint4 *)sac_cell_stream((uint8_t *)job.streams_in, l, band, i);
    uint4 *to = (uint4 *)sac_cell_stream(job.streams, l, band, i);
    const uint32_t first = blockIdx.x * blockDim.x + threadIdx.x;
    for (uint32_t k = first; k < n; k += gridDim.x * blockDim.x)
        to[k] = from[k];
    if (first == 0 && blockIdx.y == 0)
        *job.ticket = 0;
}

template <bool HAS_COUNTS>
__global__ void __launch_bounds__(SAC_NUMBER_THREADS)
    number(const __grid_constant__ sac_delta_decode_job job)
{
    sac_wait_for_stream();
    sac_let_next_begin();
    sac_number_band(job.scratch, job.places, job.streams, job.layout, HAS_COUNTS);
}

/* This lane's word of the mask of channel c: sparse cells have one for all. */
__device__ static inline uint32_t mask_of(const sac_delta_decode_job &job, const sac_cell_at &at,
                                          uint8_t kind, uint32_t number, int c)
{
    return *sac_cell_mask(job.streams, job.layout, at, kind == SAC_CELL_SPARSE ? 1 : 2 + c, number);
}

__global__ void __launch_bounds__(SAC_CELL_THREADS)
    count(const __grid_constant__ sac_delta_decode_job job)
{
    const sac_delta_layout &l = job.layout;
    const int32_t index = sac_cell_index(l);
    sac_wait_for_stream();
    sac_let_next_begin();
    if (index == l.n_cells)
        return;
    const sac_cell_at at = sac_cell_of(l, index);
    const uint8_t kind = *sac_cell_kind(job.streams, l, at);
    const uint32_t number = job.places[index].mask;
    sac_delta_place place = {number, {0, 0, 0, 0}};
    for (int c = 0; c < l.channels && kind != SAC_CELL_STILL; c++)
        place.value[c] = sac_warp_sum((uint32_t)__popc(mask_of(job, at, kind, number, c)));
    __syncwarp(); /* all lanes have read the number */
    if (sac_thread() % SAC_WARP == 0)
        job.places[index] = place;
}

/* A cell's residuals, 32 pixels at a time, in row order. */
template <int C> struct residuals {
    uint32_t mask[C];        /* this lane's words */
    const uint8_t *value[C]; /* to come */

    __device__ inline residuals(const sac_delta_decode_job &job, const sac_cell_at &at,
                                uint8_t kind)
    {
        const sac_delta_place place = job.places[at.index];
        for (int c = 0; c < C; c++) {
            mask[c] = mask_of(job, at, kind, place.mask, c);
            value[c] =
                sac_cell_stream(job.streams, job.layout, at.band, 2 + C + c) + place.value[c];
        }
    }

    /* This lane's of word k, green added. */
    __device__ inline uint32_t next(int k)
    {
        uint32_t e = 0;
#pragma unroll
        for (int c = 0; c < C; c++) {
            const uint32_t bits = __shfl_sync(SAC_ALL_LANES, mask[c], k);
            if (bits >> sac_thread() % SAC_WARP & 1)
                e |= (uint32_t)value[c][sac_lanes_below(bits)] << 8 * c;
            value[c] += __popc(bits);
        }
        return C == 1 ? e : __vadd4(e, (e >> 8 & 255) * 0x00010001u);
    }
};

/* Pixel (x, y) of the cell; x and y from -1 on. */
template <int C>
__device__ static inline uint8_t *pixel_at(const sac_delta_decode_job &job, const sac_cell_at &at,
                                           int x, int y)
{
    const int64_t row = (int64_t)job.layout.cells_x * COLUMNS;
    return job.picture + ((at.y + y) * row + at.x + x) * C;
}

template <int C>
__global__ void __launch_bounds__(SAC_CELL_THREADS)
    add(const __grid_constant__ sac_delta_decode_job job)
{
    const sac_delta_layout &l = job.layout;
    const int32_t index = sac_cell_index(l);
    sac_wait_for_stream();
    sac_let_next_begin();
    if (index == l.n_cells)
        return;
    const sac_cell_at at = sac_cell_of(l, index);
    const uint8_t kind = *sac_cell_kind(job.streams, l, at);
    if (kind != SAC_CELL_SPARSE && kind != SAC_CELL_TEMPORAL)
        return;
    residuals<C> all(job, at, kind);
#pragma unroll 4
    for (int k = 0; k < SAC_CELL_WORDS; k++) {
        const uint32_t r = all.next(k);
        const int x = k % SAC_CELL_HALVES * (int)SAC_WARP + (int)(sac_thread() % SAC_WARP);
        uint8_t *to = pixel_at<C>(job, at, x, k / SAC_CELL_HALVES);
#pragma unroll
        for (int c = 0; c < C; c++)
            to[c] = (uint8_t)(to[c] + (r >> 8 * c));
    }
}

#define GUESS_WARPS 4 /* of a block: 18 KB of shared memory */
#define GUESS_THREADS (GUESS_WARPS * SAC_WARP)
#define GUESS_BLOCKS 1024u

/* A spatial cell on its way: residuals, which become pixels. */
typedef struct part {
    uint32_t pixel[ROWS][COLUMNS];
    uint32_t above[COLUMNS];
} part;

/* By the neighbors of other cells, which other multiprocessors may have written just now. */
template <int C>
__device__ static inline uint32_t load_pixel(const sac_delta_decode_job &job, const sac_cell_at &at,
                                             int x, int y)
{
    const uint8_t *from = pixel_at<C>(job, at, x, y);
    uint32_t word = 0;
#pragma unroll
    for (int c = 0; c < C; c++)
        word |= (uint32_t)__ldcg(from + c) << 8 * c;
    return word;
}

/* Cells in diagonals, all bands' first ones first: what a cell waits for has a lower number. False:
 * there is no cell with this number. */
__device__ static bool cell_by_ticket(sac_cell_at *at, const sac_delta_layout &l, uint32_t ticket)
{
    const int32_t rows = l.band_cells / l.cells_x, per_diagonal = rows * l.n_bands;
    const int32_t diagonal = (int32_t)(ticket / (uint32_t)per_diagonal);
    const int32_t rest = (int32_t)(ticket % (uint32_t)per_diagonal);
    const int32_t y = rest / l.n_bands, x = diagonal - y;
    const int32_t index = rest % l.n_bands * l.band_cells + y * l.cells_x + x;
    if (x < 0 || x >= l.cells_x || index >= l.n_cells)
        return false;
    *at = sac_cell_of(l, index);
    return true;
}

/* Waits for the cell so many before this one, where it is spatial, too. */
__device__ static inline void wait_for(const sac_delta_decode_job &job, const sac_cell_at &at,
                                       int32_t before)
{
    if (*(sac_cell_kind(job.streams, job.layout, at) - before) == SAC_CELL_SPATIAL)
        while (sac_load_acquire(job.done + (at.index - before)) != job.packet)
            ;
}

__device__ static inline void wait_for_neighbors(const sac_delta_decode_job &job,
                                                 const sac_cell_at &at)
{
    const int32_t row = job.layout.cells_x;
    if (sac_thread() % SAC_WARP == 0) {
        if (at.x > 0)
            wait_for(job, at, 1);
        if (!at.is_top)
            wait_for(job, at, row);
        if (at.x > 0 && !at.is_top)
            wait_for(job, at, row + 1);
    }
    __syncwarp();
}

/* The median predictor of one channel. */
__device__ static inline int32_t guess_of(int32_t left, int32_t up, int32_t up_left)
{
    const int32_t low = min(left, up), high = max(left, up);
    return left + up - min(max(up_left, low), high);
}

/* Lane y has row y, and is one pixel behind lane y - 1. */
template <int C>
__device__ static inline void guess_rows(part *p, const sac_delta_decode_job &job,
                                         const sac_cell_at &at)
{
    const int lane = (int)(sac_thread() % SAC_WARP), y = lane < ROWS ? lane : ROWS - 1;
    const bool is_edge = at.x == 0, is_top = at.is_top && y == 0;
    const uint32_t before = is_edge ? 0 : load_pixel<C>(job, at, -1, y);
    const uint32_t corner = is_edge || is_top ? 0 : load_pixel<C>(job, at, -1, y - 1);
    int32_t left[C], up_left[C];
    for (int c = 0; c < C; c++) {
        left[c] = (int32_t)(before >> 8 * c & 255);
        up_left[c] = (int32_t)(corner >> 8 * c & 255);
    }
    for (int step = 0; step < COLUMNS + ROWS - 1; step++) {
        const int x = step - y;
        const bool is_here = lane < ROWS && x >= 0 && x < COLUMNS;
        const uint32_t above = p->above[step < COLUMNS ? step : COLUMNS - 1]; /* of lane 0 */
        const uint32_t r = is_here ? p->pixel[y][x] : 0;
        uint32_t word = 0;
#pragma unroll
        for (int c = 0; c < C; c++) {
            const int32_t over = __shfl_up_sync(SAC_ALL_LANES, left[c], 1);
            const int32_t up = y == 0 ? (int32_t)(above >> 8 * c & 255) : over;
            const int32_t guess = is_top              ? left[c]
                                  : is_edge && x == 0 ? up
                                                      : guess_of(left[c], up, up_left[c]);
            const int32_t value = (guess + (int32_t)(r >> 8 * c & 255)) & 255;
            word |= (uint32_t)value << 8 * c;
            left[c] = is_here ? value : left[c];
            up_left[c] = is_here ? up : up_left[c];
        }
        if (is_here)
            p->pixel[y][x] = word;
    }
}

template <int C>
__device__ static inline void guess_cell(part *p, const sac_delta_decode_job &job,
                                         const sac_cell_at &at)
{
    const int lane = (int)(sac_thread() % SAC_WARP);
    residuals<C> all(job, at, SAC_CELL_SPATIAL);
    for (int k = 0; k < SAC_CELL_WORDS; k++)
        p->pixel[k / SAC_CELL_HALVES][k % SAC_CELL_HALVES * (int)SAC_WARP + lane] = all.next(k);
    wait_for_neighbors(job, at);
    for (int x = lane; x < COLUMNS; x += SAC_WARP)
        p->above[x] = at.is_top ? 0 : load_pixel<C>(job, at, x, -1);
    __syncwarp();
    guess_rows<C>(p, job, at);
    __syncwarp();
    for (int k = 0; k < SAC_CELL_WORDS; k++) {
        const int x = k % SAC_CELL_HALVES * (int)SAC_WARP + lane, y = k / SAC_CELL_HALVES;
        uint8_t *to = pixel_at<C>(job, at, x, y);
#pragma unroll
        for (int c = 0; c < C; c++)
            to[c] = (uint8_t)(p->pixel[y][x] >> 8 * c);
    }
    __threadfence();
    __syncwarp();
    if (lane == 0)
        sac_store_release(job.done + at.index, job.packet);
}

/* Warps take cells in the order of the tickets, so that who is waited for is at work. */
template <int C>
__global__ void __launch_bounds__(GUESS_THREADS)
    guess(const __grid_constant__ sac_delta_decode_job job)
{
    __shared__ part parts[GUESS_WARPS];
    const sac_delta_layout &l = job.layout;
    const int32_t rows = l.band_cells / l.cells_x;
    const uint32_t n = (uint32_t)(l.cells_x + rows - 1) * (uint32_t)(rows * l.n_bands);
    sac_wait_for_stream();
    sac_let_next_begin();
    for (;;) {
        sac_cell_at at;
        uint32_t ticket = 0;
        if (sac_thread() % SAC_WARP == 0)
            ticket = atomicAdd(job.ticket, 1u);
        ticket = __shfl_sync(SAC_ALL_LANES, ticket, 0);
        if (ticket >= n)
            return;
        if (cell_by_ticket(&at, l, ticket) &&
            *sac_cell_kind(job.streams, l, at) == SAC_CELL_SPATIAL)
            guess_cell<C>(&parts[sac_thread() / SAC_WARP], job, at);
    }
}

typedef void (*kernel)(sac_delta_decode_job job);

extern "C" sac_status sac_delta_fetch_cuda(sac_gpu_stream stream, const sac_delta_decode_job *job)
{
    const sac_delta_layout *l = &job->layout;
    const dim3 streams(FETCH_BLOCKS, (unsigned)(l->n_bands * (2 + 2 * l->channels)));
    return sac_launch_early(stream, streams, FETCH_THREADS, (kernel)fetch, *job);
}

extern "C" sac_status sac_delta_unpack_cuda(sac_gpu_stream stream, const sac_delta_decode_job *job)
{
    const sac_delta_layout *l = &job->layout;
    const dim3 cells = sac_cell_grid(l), bands((unsigned)l->n_bands);
    const unsigned warps = ((unsigned)l->n_cells + GUESS_WARPS - 1) / GUESS_WARPS;
    sac_status status =
        sac_launch_early(stream, bands, SAC_NUMBER_THREADS, (kernel)number<false>, *job);
    if (status == SAC_OK)
        status = sac_launch_early(stream, cells, SAC_CELL_THREADS, (kernel)count, *job);
    if (status == SAC_OK)
        status = sac_launch_early(stream, bands, SAC_NUMBER_THREADS, (kernel)number<true>, *job);
    if (status == SAC_OK)
        status = sac_launch_early(stream, cells, SAC_CELL_THREADS,
                                  SAC_BY_CHANNELS(kernel, add, l->channels), *job);
    if (status == SAC_OK && job->is_spatial)
        status = sac_launch_early(stream, dim3(warps < GUESS_BLOCKS ? warps : GUESS_BLOCKS),
                                  GUESS_THREADS, SAC_BY_CHANNELS(kernel, guess, l->channels), *job);
    return status;
}
