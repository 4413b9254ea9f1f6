/*
 * The encoder's other kernels, in order: predict, which chooses between temporal and spatial where
 * a cell is whole; number, which gives masks and values their places; pack; send, which takes to
 * the host what there is of each stream.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta/kernels/encode_cuda.h"
#include "delta/kernels/words.cuh"

/* Green out of red and blue. */
template <int C> __device__ static inline uint32_t without_green(uint32_t r)
{
    return C == 1 ? r : __vsub4(r, (r >> 8 & 255) * 0x00010001u);
}

/* What a cell would be sent as, one way: a lane's share. */
typedef struct share {
    uint32_t cost;  /* the sum of |r|, r from -128 to 127 */
    uint32_t count; /* values that are not 0, a byte a channel: 32 at most */
} share;

/* The first pixel of the picture's rows has no cost from space: the CPU's encoder, whose choices
 * these are, sums up what the room predicts. */
template <int C> __device__ static inline void add_residual(share *s, uint32_t r, bool has_cost)
{
    const uint32_t e = without_green<C>(r);
    s->cost = __dp4a(__vminu4(r, __vsub4(0, r)), has_cost ? SAC_FOUR : 0u, s->cost);
    s->count += ((((e & 0x7f7f7f7fu) + 0x7f7f7f7fu) | e) >> 7) & SAC_FOUR;
}

/* A lane's pixels of a cell in row order, and what they are predicted from: rows 0 to 15 in turn.
 */
template <int C> struct spatial {
    typedef typename sac_picture<C>::pixel pixel;
    const pixel *at; /* of this lane, in the row to come */
    size_t row;
    bool is_top, is_edge; /* nothing above is known; nothing left of lane 0 */
    uint32_t up[SAC_CELL_HALVES], corner[SAC_CELL_HALVES]; /* of the row before, and left of them */

    __device__ inline uint32_t left_of(const pixel *p, int half) const
    {
        return is_edge && half == 0 ? 0 : p[-1];
    }

    __device__ inline spatial(const pixel *first, const sac_delta_layout &l, const sac_cell_at &c)
        : at(first), row((size_t)l.cells_x * SAC_DELTA_COLUMNS), is_top(c.is_top),
          is_edge(c.x == 0 && sac_thread() % SAC_WARP == 0), up(), corner()
    {
        for (int half = 0; half < SAC_CELL_HALVES && !is_top; half++) {
            const pixel *p = at - row + half * SAC_WARP;
            up[half] = *p;
            corner[half] = left_of(p, half);
        }
    }

    /* The residuals of a row. */
    __device__ inline void next(uint32_t *residual)
    {
#pragma unroll
        for (int half = 0; half < SAC_CELL_HALVES; half++) {
            const pixel *p = at + half * SAC_WARP;
            const uint32_t here = *p, left = left_of(p, half);
            const uint32_t guess = is_top ? left
                                   : is_edge && half == 0
                                       ? up[half]
                                       : sac_predict4(left, up[half], corner[half]);
            residual[half] = __vsub4(here, guess);
            up[half] = here;
            corner[half] = left;
        }
        is_top = false;
        at += row;
    }
};

/* A channel's values, of all lanes. */
__device__ static inline uint32_t count_of(uint32_t counts, int c)
{
    return sac_warp_sum(counts >> 8 * c & 255);
}

template <int C>
__global__ void __launch_bounds__(SAC_CELL_THREADS)
    predict(const __grid_constant__ sac_delta_encode_job job)
{
    typedef typename sac_picture<C>::pixel pixel;
    const sac_delta_layout &l = job.layout;
    const int32_t index = sac_cell_index(l);
    sac_wait_for_stream();
    sac_let_next_begin();
    if (index == l.n_cells)
        return;
    const sac_cell_at at = sac_cell_of(l, index);
    uint8_t *kind = sac_cell_kind(job.streams, l, at);
    if (*kind != SAC_CELL_TEMPORAL)
        return;
    const pixel *now = sac_pixels_at<C>(job.now, l, at),
                *was = sac_pixels_at<C>((void *)job.was, l, at);
    spatial<C> rows(now, l, at);
    share space = {0, 0}, time = {0, 0};
#pragma unroll 4
    for (int y = 0; y < SAC_DELTA_ROWS; y++) {
        uint32_t r[SAC_CELL_HALVES];
        rows.next(r);
        for (int half = 0; half < SAC_CELL_HALVES; half++) {
            add_residual<C>(&space, r[half], !rows.is_edge || half > 0);
            add_residual<C>(&time, __vsub4(rows.up[half], was[y * rows.row + half * SAC_WARP]),
                            true);
        }
    }
    const uint32_t from_space = sac_warp_sum(space.cost), from_time = sac_warp_sum(time.cost);
    const bool is_spatial = job.state->sent.turn.is_key || from_space < from_time;
    const uint32_t counts = is_spatial ? space.count : time.count;
    sac_delta_place place = {0, {0, 0, 0, 0}};
    for (int c = 0; c < C; c++)
        place.value[c] = count_of(counts, c);
    __syncwarp(); /* all lanes have read the kind */
    if (sac_thread() % SAC_WARP > 0)
        return;
    *kind = (uint8_t)(is_spatial ? SAC_CELL_SPATIAL : SAC_CELL_TEMPORAL);
    job.places[index] = place;
}

__global__ void __launch_bounds__(SAC_NUMBER_THREADS)
    number(const __grid_constant__ sac_delta_encode_job job)
{
    sac_wait_for_stream();
    sac_let_next_begin();
    sac_number_band(&job.state->sent.size, job.places, job.streams, job.layout, true);
}

/* Where a channel's masks and values go: those of one cell. */
typedef struct target {
    uint32_t mask; /* this lane's word */
    uint8_t *value;
} target;

/* Byte c of a pixel's e, where it is kept. */
__device__ static inline void put(target *to, uint32_t e, int c, uint32_t kept, bool is_kept)
{
    if (is_kept)
        to->value[sac_lanes_below(kept)] = (uint8_t)(e >> 8 * c);
    to->value += __popc(kept);
}

/* 32 pixels of a sparse cell: one mask for all channels. */
template <int C> __device__ static inline void put_sparse(target *to, uint32_t e, int k)
{
    const uint32_t kept = __ballot_sync(SAC_ALL_LANES, e != 0);
    to->mask = sac_thread() % SAC_WARP == (uint32_t)k ? kept : to->mask;
#pragma unroll
    for (int c = 0; c < C; c++)
        put(&to[c], e, c, kept, e != 0);
}

/* .. of a whole one: a mask a channel. */
template <int C> __device__ static inline void put_whole(target *to, uint32_t e, int k)
{
#pragma unroll
    for (int c = 0; c < C; c++) {
        const bool is_kept = (e >> 8 * c & 255) != 0;
        const uint32_t kept = __ballot_sync(SAC_ALL_LANES, is_kept);
        to[c].mask = sac_thread() % SAC_WARP == (uint32_t)k ? kept : to[c].mask;
        put(&to[c], e, c, kept, is_kept);
    }
}

template <int C>
__global__ void __launch_bounds__(SAC_CELL_THREADS)
    pack(const __grid_constant__ sac_delta_encode_job job)
{
    typedef typename sac_picture<C>::pixel pixel;
    const sac_delta_layout &l = job.layout;
    const int32_t index = sac_cell_index(l);
    sac_wait_for_stream();
    sac_let_next_begin();
    if (index == l.n_cells)
        return;
    const sac_cell_at at = sac_cell_of(l, index);
    const uint8_t kind = *sac_cell_kind(job.streams, l, at);
    if (kind == SAC_CELL_STILL)
        return;
    const sac_delta_place place = job.places[index];
    const pixel *now = sac_pixels_at<C>(job.now, l, at),
                *was = sac_pixels_at<C>((void *)job.was, l, at);
    target to[C];
    for (int c = 0; c < C; c++)
        to[c] = {0, sac_cell_stream(job.streams, l, at.band, 2 + C + c) + place.value[c]};
    spatial<C> rows(now, l, at);
#pragma unroll 4
    for (int y = 0; y < SAC_DELTA_ROWS; y++) {
        uint32_t r[SAC_CELL_HALVES];
        rows.next(r);
#pragma unroll
        for (int half = 0; half < SAC_CELL_HALVES; half++) {
            if (kind != SAC_CELL_SPATIAL)
                r[half] = __vsub4(rows.up[half], was[y * rows.row + half * SAC_WARP]);
            const uint32_t e = without_green<C>(r[half]);
            if (kind == SAC_CELL_SPARSE)
                put_sparse<C>(to, e, y * SAC_CELL_HALVES + half);
            else
                put_whole<C>(to, e, y * SAC_CELL_HALVES + half);
        }
    }
    if (kind == SAC_CELL_SPARSE)
        *sac_cell_mask(job.streams, l, at, 1, place.mask) = to[0].mask;
    else
        for (int c = 0; c < C; c++)
            *sac_cell_mask(job.streams, l, at, 2 + c, place.mask) = to[c].mask;
}

#define SEND_THREADS 256
#define SEND_BLOCKS 16 /* of a stream, at most */

/* Blocks (.., y) take stream y % n of band y / n, in whole units. */
__global__ void __launch_bounds__(SEND_THREADS)
    send(const __grid_constant__ sac_delta_encode_job job)
{
    const sac_delta_layout &l = job.layout;
    const int n_streams = 2 + 2 * l.channels;
    const int band = (int)blockIdx.y / n_streams, i = (int)blockIdx.y % n_streams;
    sac_wait_for_stream();
    sac_let_next_begin();
    const uint32_t size = job.state->sent.size.of[band][i];
    const uint32_t n = (size + SAC_DELTA_ALIGN - 1) / SAC_DELTA_ALIGN;
    const uint4 *from = (const uint4 *)sac_cell_stream(job.streams, l, band, i);
    uint4 *to = (uint4 *)sac_cell_stream(job.streams_out, l, band, i);
    const uint32_t first = blockIdx.x * blockDim.x + threadIdx.x;
    for (uint32_t k = first; k < n; k += gridDim.x * blockDim.x)
        to[k] = from[k];
    if (first > 0)
        return;
    job.sent->size.of[band][i] = size;
    if (blockIdx.y == 0)
        job.sent->turn = job.state->sent.turn;
}

typedef void (*kernel)(sac_delta_encode_job job);

extern "C" sac_status sac_delta_pack_cuda(sac_gpu_stream stream, const sac_delta_encode_job *job)
{
    const sac_delta_layout *l = &job->layout;
    const dim3 cells = sac_cell_grid(l);
    const dim3 streams(SEND_BLOCKS, (unsigned)(l->n_bands * (2 + 2 * l->channels)));
    sac_status status = sac_launch_early(stream, cells, SAC_CELL_THREADS,
                                         SAC_BY_CHANNELS(kernel, predict, l->channels), *job);
    if (status == SAC_OK)
        status = sac_launch_early(stream, dim3((unsigned)l->n_bands), SAC_NUMBER_THREADS,
                                  (kernel)number, *job);
    if (status == SAC_OK)
        status = sac_launch_early(stream, cells, SAC_CELL_THREADS,
                                  SAC_BY_CHANNELS(kernel, pack, l->channels), *job);
    if (status == SAC_OK)
        status = sac_launch_early(stream, streams, SEND_THREADS, (kernel)send, *job);
    return status;
}
