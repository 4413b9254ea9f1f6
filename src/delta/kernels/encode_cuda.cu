/*
 * The encoder's kernels, in order: look for a new scene; compare, which decides what is still,
 * sparse or whole, and makes the picture that the decoder will have; predict, which chooses between
 * temporal and spatial where a cell is whole; number, which gives masks and values their places;
 * pack; send, which takes to the host what there is of each stream.
 *
 * All cells are compared before one is predicted, since a spatial cell is predicted from cells of
 * the new picture. What was sent of a cell is then the difference of the two pictures.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta/kernels/encode_cuda.h"
#include "delta/kernels/words.cuh"

#define ROWS SAC_DELTA_ROWS
#define HALVES SAC_CELL_HALVES
#define WORDS (ROWS * HALVES) /* of a mask: a lane each */
#define FOUR 0x01010101u

/* A pixel of a picture on the device. */
template <int C> struct picture_of {
    typedef uint32_t pixel;
};
template <> struct picture_of<1> {
    typedef uint8_t pixel;
};

/* The cell's pixel (0, 0) + this lane; the rows of a picture are `row` pixels apart. */
template <int C>
__device__ static inline typename picture_of<C>::pixel *
pixels_of(void *picture, const sac_delta_layout &l, const sac_cell_at &at)
{
    const size_t row = (size_t)l.cells_x * SAC_DELTA_COLUMNS;
    return (typename picture_of<C>::pixel *)picture + (size_t)at.y * row + (size_t)at.x +
           sac_thread() % SAC_WARP;
}

__device__ static inline uint32_t sample(const sac_delta_encode_job &job, int64_t x, int64_t y,
                                         int c)
{
    return job.frame[y * job.row + x * job.pixel + c * job.channel];
}

/* A pixel of the frame; beyond its edge the last one. */
template <int C>
__device__ static inline uint32_t load(const sac_delta_encode_job &job, int32_t x, int32_t y)
{
    uint32_t word = 0;
    x = min(x, job.layout.w - 1);
    y = min(y, job.layout.h - 1);
#pragma unroll
    for (int c = 0; c < C; c++)
        word |= sample(job, x, y, c) << 8 * c;
    return word;
}

/* Whether any channel is off by more than the threshold. */
__device__ static inline bool is_off(uint32_t a, uint32_t b, uint32_t threshold)
{
    return (__vcmpgeu4(__vabsdiffu4(a, b), FOUR * (threshold + 1))) != 0;
}

#define LOOK_THREADS 256
#define LOOK_BLOCK 40 /* the bit from which on blocks are counted, above pixels */

/* Says what the frame is, once all is seen. */
__device__ static void take_turn(const sac_delta_encode_job &job, uint64_t n_changed, uint64_t n)
{
    sac_delta_clock clock = job.state->clock[job.parity];
    const bool is_key = job.wants_key || sac_delta_is_late(&clock, &job.pace, job.time_ns) ||
                        (job.looks && 2 * n_changed > n);
    job.state->sent.turn = sac_delta_take_turn(&clock, &job.pace, job.time_ns, is_key);
    job.state->clock[job.parity ^ 1] = clock;
}

template <int C>
__global__ void __launch_bounds__(LOOK_THREADS)
    look(const __grid_constant__ sac_delta_encode_job job)
{
    __shared__ uint32_t sums[LOOK_THREADS / SAC_WARP];
    const sac_delta_layout &l = job.layout;
    const size_t row = (size_t)l.cells_x * SAC_DELTA_COLUMNS;
    const typename picture_of<C>::pixel *was = (const typename picture_of<C>::pixel *)job.was;
    const int64_t per_row = (l.w + SAC_SCENE_STEP_X - 1) / SAC_SCENE_STEP_X;
    const int64_t n = job.looks ? (l.h + SAC_SCENE_STEP_Y / 2 - 1) / SAC_SCENE_STEP_Y * per_row : 0;
    uint32_t count = 0;
    sac_wait_for_stream();
    sac_let_next_begin();
    for (int64_t i = sac_grid_thread(); i < n; i += sac_grid_threads()) {
        const int32_t y = (int32_t)(i / per_row) * SAC_SCENE_STEP_Y + SAC_SCENE_STEP_Y / 2;
        const int32_t x = (int32_t)(i % per_row) * SAC_SCENE_STEP_X;
        count += is_off(load<C>(job, x, y), was[(size_t)y * row + (size_t)x], SAC_SCENE_LEVELS);
    }
    count = sac_warp_sum(count);
    if (sac_thread() % SAC_WARP == 0)
        sums[sac_thread() / SAC_WARP] = count;
    __syncthreads();
    if (sac_thread() > 0)
        return;
    unsigned long long sum = 1ull << LOOK_BLOCK;
    for (int k = 0; k < LOOK_THREADS / SAC_WARP; k++)
        sum += sums[k];
    sum += atomicAdd(&job.state->seen, sum);
    if (sum >> LOOK_BLOCK < gridDim.x)
        return;
    job.state->seen = 0;
    take_turn(job, sum & ((1ull << LOOK_BLOCK) - 1), (uint64_t)n);
}

template <int C>
__global__ void __launch_bounds__(SAC_CELL_THREADS)
    compare(const __grid_constant__ sac_delta_encode_job job)
{
    const sac_delta_layout &l = job.layout;
    const int32_t index = sac_cell_index(l);
    const uint32_t lane = sac_thread() % SAC_WARP;
    const size_t row = (size_t)l.cells_x * SAC_DELTA_COLUMNS;
    sac_wait_for_stream();
    sac_let_next_begin();
    if (index == l.n_cells)
        return;
    const sac_cell_at at = sac_cell_of(l, index);
    const typename picture_of<C>::pixel *was = pixels_of<C>((void *)job.was, l, at);
    uint32_t is[WORDS], old[WORDS], bits = 0;
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        const int32_t x = k % HALVES * (int32_t)SAC_WARP, y = k / HALVES;
        is[k] = load<C>(job, at.x + x + (int32_t)lane, at.y + y);
        old[k] = was[y * row + x];
    }
    const sac_delta_turn turn = job.state->sent.turn;
    const uint32_t threshold =
        (uint32_t)sac_delta_threshold(&turn, (uint64_t)l.n_cells, (uint64_t)index, job.threshold);
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        bits |= is_off(is[k], old[k], threshold) ? 1u << k : 0;
    const uint32_t n = sac_warp_sum((uint32_t)__popc(bits));
    const bool is_whole = turn.is_key || n > SAC_DELTA_SPARSE_MOST;
    typename picture_of<C>::pixel *now = pixels_of<C>(job.now, l, at);
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        const int32_t x = k % HALVES * (int32_t)SAC_WARP, y = k / HALVES;
        now[y * row + x] =
            (typename picture_of<C>::pixel)(is_whole || (bits >> k & 1) ? is[k] : old[k]);
    }
    if (lane > 0)
        return;
    *sac_cell_kind(job.streams, l, at) = (uint8_t)(is_whole ? SAC_CELL_TEMPORAL
                                                   : n      ? SAC_CELL_SPARSE
                                                            : SAC_CELL_STILL);
    job.places[index] = {0, {n, C > 1 ? n : 0, C > 2 ? n : 0, C > 3 ? n : 0}};
}

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
    s->cost = __dp4a(__vminu4(r, __vsub4(0, r)), has_cost ? FOUR : 0u, s->cost);
    s->count += ((((e & 0x7f7f7f7fu) + 0x7f7f7f7fu) | e) >> 7) & FOUR;
}

/* A lane's pixels of a cell in row order, and what they are predicted from: rows 0 to 15 in turn.
 */
template <int C> struct spatial {
    typedef typename picture_of<C>::pixel pixel;
    const pixel *at; /* of this lane, in the row to come */
    size_t row;
    bool is_top, is_edge;                /* nothing above is known; nothing left of lane 0 */
    uint32_t up[HALVES], corner[HALVES]; /* of the row before, and left of them */

    __device__ inline uint32_t left_of(const pixel *p, int half) const
    {
        return is_edge && half == 0 ? 0 : p[-1];
    }

    __device__ inline spatial(const pixel *first, const sac_delta_layout &l, const sac_cell_at &c)
        : at(first), row((size_t)l.cells_x * SAC_DELTA_COLUMNS), is_top(c.is_top),
          is_edge(c.x == 0 && sac_thread() % SAC_WARP == 0), up(), corner()
    {
        for (int half = 0; half < HALVES && !is_top; half++) {
            const pixel *p = at - row + half * SAC_WARP;
            up[half] = *p;
            corner[half] = left_of(p, half);
        }
    }

    /* The residuals of a row. */
    __device__ inline void next(uint32_t *residual)
    {
#pragma unroll
        for (int half = 0; half < HALVES; half++) {
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
    typedef typename picture_of<C>::pixel pixel;
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
    const pixel *now = pixels_of<C>(job.now, l, at), *was = pixels_of<C>((void *)job.was, l, at);
    spatial<C> rows(now, l, at);
    share space = {0, 0}, time = {0, 0};
#pragma unroll 4
    for (int y = 0; y < ROWS; y++) {
        uint32_t r[HALVES];
        rows.next(r);
        for (int half = 0; half < HALVES; half++) {
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
    typedef typename picture_of<C>::pixel pixel;
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
    const pixel *now = pixels_of<C>(job.now, l, at), *was = pixels_of<C>((void *)job.was, l, at);
    target to[C];
    for (int c = 0; c < C; c++)
        to[c] = {0, sac_cell_stream(job.streams, l, at.band, 2 + C + c) + place.value[c]};
    spatial<C> rows(now, l, at);
#pragma unroll 4
    for (int y = 0; y < ROWS; y++) {
        uint32_t r[HALVES];
        rows.next(r);
#pragma unroll
        for (int half = 0; half < HALVES; half++) {
            if (kind != SAC_CELL_SPATIAL)
                r[half] = __vsub4(rows.up[half], was[y * rows.row + half * SAC_WARP]);
            const uint32_t e = without_green<C>(r[half]);
            if (kind == SAC_CELL_SPARSE)
                put_sparse<C>(to, e, y * HALVES + half);
            else
                put_whole<C>(to, e, y * HALVES + half);
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

#define BY_CHANNELS(name, channels)                                                                \
    ((channels) == 1 ? (kernel)name<1> : (channels) == 3 ? (kernel)name<3> : (kernel)name<4>)

#define LOOK_BLOCKS 128u

static dim3 look_grid(const sac_delta_encode_job *job)
{
    const int64_t samples =
        (int64_t)job->layout.w * job->layout.h / (SAC_SCENE_STEP_X * SAC_SCENE_STEP_Y);
    const int64_t blocks = job->looks ? samples / LOOK_THREADS + 1 : 1;
    return dim3(blocks < LOOK_BLOCKS ? (unsigned)blocks : LOOK_BLOCKS);
}

extern "C" sac_status sac_delta_compare_cuda(sac_gpu_stream stream, const sac_delta_encode_job *job)
{
    const sac_delta_layout *l = &job->layout;
    const sac_status status = sac_launch_early(stream, look_grid(job), LOOK_THREADS,
                                               BY_CHANNELS(look, l->channels), *job);
    return status ? status
                  : sac_launch_early(stream, sac_cell_grid(l), SAC_CELL_THREADS,
                                     BY_CHANNELS(compare, l->channels), *job);
}

extern "C" sac_status sac_delta_pack_cuda(sac_gpu_stream stream, const sac_delta_encode_job *job)
{
    const sac_delta_layout *l = &job->layout;
    const dim3 cells = sac_cell_grid(l);
    const dim3 streams(SEND_BLOCKS, (unsigned)(l->n_bands * (2 + 2 * l->channels)));
    sac_status status =
        sac_launch_early(stream, cells, SAC_CELL_THREADS, BY_CHANNELS(predict, l->channels), *job);
    if (status == SAC_OK)
        status = sac_launch_early(stream, dim3((unsigned)l->n_bands), SAC_NUMBER_THREADS,
                                  (kernel)number, *job);
    if (status == SAC_OK)
        status =
            sac_launch_early(stream, cells, SAC_CELL_THREADS, BY_CHANNELS(pack, l->channels), *job);
    if (status == SAC_OK)
        status = sac_launch_early(stream, streams, SEND_THREADS, (kernel)send, *job);
    return status;
}
