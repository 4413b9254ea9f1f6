/*
 * Rungs that take several frames at once, as the multi-frame processing of Nourazar, Booth and
 * Goossens: two blocks a frame, Pr-Se-Ph next to Pr-Po-Ho, then a barrier between all blocks, then
 * Te-Ne. Frames, signals and the rows of the result lie in a page-locked ring of the host.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/ladder/barrier.cuh"
#include "meltpool/ladder/fused.cuh"

enum { BLOCKS = 2 /* a frame's */ };

/* What a lane knows of the frame that it looks at. */
typedef struct glance {
    uint32_t flag; /* SAC_MELTPOOL_EMPTY or SAC_MELTPOOL_REFUSED: it is left out */
    sac_meltpool_place centre;
    int32_t counter;
    bool is_gap; /* variances begin anew */
} glance;

__device__ static inline uint32_t below_lane(uint32_t lanes)
{
    return lanes & ((1u << sac_thread() % SAC_WARP) - 1);
}

__device__ static inline uint32_t last_lane(uint32_t lanes)
{
    return SAC_WARP - 1 - (uint32_t)__clz((int)lanes);
}

/* Whether there is a gap before a lane's frame, which is one of those `taken`: the frame before is
 * another lane's, or the stream knows it. All lanes call. */
__device__ static inline bool has_gap(const sac_meltpool_places *places,
                                      const sac_meltpool_stream *stream,
                                      const sac_meltpool_signals *signals, uint32_t taken)
{
    const uint32_t lane = sac_thread() % SAC_WARP, before = below_lane(taken);
    const uint32_t last = before ? last_lane(before) : lane;
    const int32_t counter = __shfl_sync(SAC_ALL_LANES, signals->counter, (int)last);
    sac_meltpool_stream s = {};
    s.has_frame = before || stream->has_frame;
    s.counter = before ? counter : stream->counter;
    s.n_between = before ? lane - last - 1 : stream->n_between + lane;
    return sac_meltpool_is_gap(places, &s, signals);
}

/* Rows of the frames from `first` on, a lane each, that are left out. A warp calls. */
__device__ static inline void leave_out(const sac_rung_call &c, int64_t first, const glance &g,
                                        uint32_t left_out)
{
    for (uint32_t lanes = left_out; lanes; lanes &= lanes - 1) {
        const int i = __ffs((int)lanes) - 1;
        sac_rung_leave_out(c, first + i, 1, __shfl_sync(SAC_ALL_LANES, g.flag, i));
    }
}

/*
 * The stream goes past the frames `taken` of the n that the warp has looked at; what to do of the
 * rank-th of these into b->turn. All lanes go along, in registers.
 */
__device__ static inline void follow(sac_rung_block *b, const sac_rung_call &c, const glance &g,
                                     uint32_t taken, uint32_t n, uint32_t rank)
{
    sac_rung_turn *turn = &b->turn;
    sac_meltpool_stream s = turn->after.stream;
    const uint32_t gaps = __ballot_sync(SAC_ALL_LANES, g.is_gap);
    const uint32_t left = n - (taken ? last_lane(taken) + 1 : 0); /* behind the last one */
    const int32_t last = __shfl_sync(SAC_ALL_LANES, g.counter, n > 0 ? (int)n - 1 : 0);
    const int64_t first = turn->after.at;
    const bool writes = sac_thread() == 0;
    int64_t frame = -1;
    uint32_t at = 0;
    for (uint32_t lanes = taken; lanes; lanes &= lanes - 1, at++) {
        const int i = __ffs((int)lanes) - 1;
        const sac_meltpool_place centre = {__shfl_sync(SAC_ALL_LANES, g.centre.x, i),
                                           __shfl_sync(SAC_ALL_LANES, g.centre.y, i)};
        const int32_t counter = __shfl_sync(SAC_ALL_LANES, g.counter, i);
        const bool is_gap = gaps >> i & 1;
        sac_meltpool_advance(&c.places, &s, centre, is_gap, counter);
        if (at != rank)
            continue;
        frame = first + i;
        if (writes) {
            turn->step.row = s.newest;
            turn->step.n = s.n;
            turn->flags =
                (is_gap ? SAC_MELTPOOL_GAP : 0) | sac_meltpool_job(&c.places, &s, &turn->step.job);
            turn->step.job.frame = c.pixels + frame * c.frame;
        }
    }
    s.n_between += left;
    s.next_counter = n > 0 ? (int32_t)((uint32_t)last + 1) : s.next_counter;
    __syncwarp(); /* all have read where the stream is */
    if (writes) {
        turn->after.stream = s;
        turn->after.at = first + n;
        turn->frame = frame;
    }
}

/*
 * Pr of several frames, whose places their signals say: the next `most` with the laser on among the
 * next 32, and what to do of the rank-th. By the first warp, from b->turn.after, which afterwards
 * is the position behind them.
 */
__device__ static inline void find(sac_rung_block *b, const sac_rung_call &c, uint32_t most,
                                   uint32_t rank, bool writes)
{
    const int64_t first = b->turn.after.at;
    const uint32_t lane = sac_thread() % SAC_WARP;
    const uint32_t n_seen = (uint32_t)min(c.n - first, (int64_t)SAC_WARP);
    sac_meltpool_signals signals = {};
    glance g = {SAC_MELTPOOL_EMPTY, c.places.fixed, 0, false};
    if (lane < n_seen) {
        signals = c.signals[first + lane];
        g.flag = sac_meltpool_look_up(&c.places, &g.centre, &signals);
        g.counter = signals.counter;
    }
    __syncwarp();
    const uint32_t on = __ballot_sync(SAC_ALL_LANES, g.flag == 0);
    const bool is_taken = g.flag == 0 && (uint32_t)__popc(below_lane(on)) < most;
    const uint32_t taken = __ballot_sync(SAC_ALL_LANES, is_taken);
    /* Up to the last one, where more wait. */
    const uint32_t n = taken == on ? n_seen : last_lane(taken) + 1;
    const uint32_t all = n < SAC_WARP ? (1u << n) - 1 : SAC_ALL_LANES;
    const bool is_gap = has_gap(&c.places, &b->turn.after.stream, &signals, taken);
    g.is_gap = is_taken && is_gap;
    if (writes)
        leave_out(c, first, g, all & ~taken);
    follow(b, c, g, taken, n, rank);
}

/* Pr by every block of the frames that a turn takes: whether the block's has work. Of frames whose
 * places their pixels say, a turn takes one. */
__device__ static inline bool place(sac_rung_block *b, const sac_rung_position *from,
                                    const sac_rung_call &c)
{
    const bool writes = sac_block() == 0;
    const uint32_t rank = (uint32_t)sac_block() / BLOCKS;
    if (c.places.locate == SAC_MELTPOOL_BRIGHTEST || c.places.locate == SAC_MELTPOOL_PREVIOUS)
        return rank == 0 && sac_rung_place(b, from, c, writes);
    sac_rung_take(&b->turn.after, from, sizeof b->turn.after);
    __syncthreads();
    if (sac_thread() < SAC_WARP)
        find(b, c, gridDim.x / BLOCKS, rank, writes);
    __syncthreads();
    return b->turn.frame >= 0;
}

/* Features first .. end - 1 into the frame's row of the ring, where all blocks find them. */
__device__ static inline void put_features(const sac_rung_block *b, const sac_rung_call &c,
                                           uint32_t first, uint32_t end)
{
    const uint32_t i = first + sac_thread();
    if (i < end)
        sac_rung_row(b, c)[i] = sac_rung_feature(&b->turn.in, i);
}

/* Se-Ph by a frame's first block, Po of all sectors and Ho by its second. */
__device__ static inline void front(sac_rung_block *b, sac_rung_memory *m, const sac_rung_call &c)
{
    enum { POOL = 5 /* features of the pool and the spatters */ };
    const bool is_light = sac_block() % BLOCKS == 1;
    sac_meltpool_integers *in = &b->turn.in;
    sac_rung_load(*m, b, c);
    if (is_light)
        sac_rung_sectors(b, *m);
    __syncthreads();
    if (is_light) {
        sac_rung_polar<SAC_MELTPOOL_SECTORS>(b, *m, m->pixels, m->pixel_pitch, 0, in->polar);
        sac_rung_gradients(b, m->pixels, m->pixel_pitch, in->hog);
    } else {
        sac_rung_segment<SAC_RUNG_IN_ROWS>(b, m);
    }
    __syncthreads();
    if (is_light)
        put_features(b, c, POOL, SAC_MELTPOOL_RING_ROW);
    else
        put_features(b, c, 0, POOL);
}

/* Te-Ne, when the rows of all frames of the turn are there. */
__device__ static inline void back(sac_rung_block *b, const sac_rung_memory &m,
                                   const sac_rung_call &c)
{
    sac_rung_take(b->turn.features, sac_rung_row(b, c), 4 * SAC_MELTPOOL_OF_FRAME);
    __syncthreads();
    sac_rung_variances(b, c);
    __syncthreads();
    sac_rung_network(b, c, (float *)m.lines);
}

/*
 * All turns of a stream, or one. Positions are two, so that other blocks may begin the next turn
 * while some still do Te-Ne; the ring of features is long enough for two turns.
 */
template <bool IS_STREAM>
static __global__ void __launch_bounds__(SAC_RUNG_TEAM)
    parallel(const __grid_constant__ sac_rung_call c)
{
    __shared__ sac_rung_block b;
    for (int p = 0;; p ^= 1) {
        sac_rung_memory m = sac_rung_memory_of(c.places.roi);
        const sac_rung_position *before = &c.turn[p].before;
        if (IS_STREAM && __ldcg((const long long *)&before->at) >= c.n)
            return; /* all blocks */
        const bool has_work = place(&b, before, c);
        if (has_work)
            front(&b, &m, c);
        __syncthreads();
        if (IS_STREAM && sac_block() == 0)
            sac_rung_give(&c.turn[p ^ 1].before, &b.turn.after, sizeof b.turn.after);
        sac_rung_pass(c.gate);
        if (has_work && sac_block() % BLOCKS == 0)
            back(&b, m, c);
        __syncthreads();
        if (!IS_STREAM) {
            if (sac_block() == 0)
                sac_rung_commit(&b, c);
            return;
        }
    }
}

/* The rows of the result from the ring to where the caller wants them, a block a row; the ring has
 * none afterwards, so that a call that leaves one out is found. */
static __global__ void hand_back(const __grid_constant__ sac_rung_call c)
{
    const int64_t frame = sac_block();
    const uint32_t i = sac_thread();
    if (i >= SAC_RUNG_VALUES)
        return;
    float *value = c.host.rows + frame * SAC_RUNG_VALUES + i;
    ((float *)(c.out + frame * c.out_row))[i] = *value;
    *value = __uint_as_float(UINT32_MAX); /* no number */
}

template <bool IS_STREAM> static sac_status launch(sac_gpu_stream stream, const sac_rung_call *call)
{
    const uint32_t bytes = sac_rung_shared(call);
    void *args[] = {(void *)call};
    const sac_status status = sac_rung_allow(parallel<IS_STREAM>, bytes);
    if (status)
        return status;
    const cudaError_t error =
        cudaLaunchCooperativeKernel(parallel<IS_STREAM>, dim3(BLOCKS * (unsigned)call->n_parallel),
                                    dim3(SAC_RUNG_TEAM), args, bytes, stream);
    const sac_status launched = sac_cuda_launched();
    return error == cudaErrorCooperativeLaunchTooLarge ? SAC_E_UNSUPPORTED : launched;
}

/* From the ring, n frames at once; the host asks when all are launched, if each takes as many. */
static sac_status run(sac_gpu_stream stream, const sac_rung_call *call, int32_t n, bool is_stream)
{
    sac_rung_call c = *call;
    const int64_t round = (call->n + n - 1) / n;
    c.pixels = call->host.pixels;
    c.row = call->places.w;
    c.frame = (ptrdiff_t)call->places.h * c.row;
    c.signals = call->host.signals;
    c.out = (char *)call->host.rows;
    c.out_row = SAC_RUNG_VALUES * sizeof(float);
    c.n_parallel = n;
    sac_status status;
    if (is_stream) {
        status = sac_rung_reset(stream, &c);
        status = status ? status : launch<true>(stream, &c);
    } else {
        status = sac_rung_run(stream, &c, launch<false>,
                              round < SAC_RUNG_ROUND ? (int32_t)round : SAC_RUNG_ROUND);
    }
    if (status || sac_rung_is_noted(stream))
        return status;
    hand_back<<<(unsigned)call->n, 2 * SAC_WARP, 0, stream>>>(*call);
    return sac_cuda_launched();
}

extern "C" sac_status sac_rung_grid_sync_1(sac_gpu_stream stream, const sac_rung_call *call)
{
    return run(stream, call, 1, false);
}

extern "C" sac_status sac_rung_grid_sync_2(sac_gpu_stream stream, const sac_rung_call *call)
{
    return run(stream, call, 2, false);
}

extern "C" sac_status sac_rung_grid_sync_4(sac_gpu_stream stream, const sac_rung_call *call)
{
    return run(stream, call, 4, false);
}

extern "C" sac_status sac_rung_grid_sync_8(sac_gpu_stream stream, const sac_rung_call *call)
{
    return run(stream, call, 8, false);
}

extern "C" sac_status sac_rung_grid_sync_16(sac_gpu_stream stream, const sac_rung_call *call)
{
    return run(stream, call, 16, false);
}

extern "C" sac_status sac_rung_grid_sync_32(sac_gpu_stream stream, const sac_rung_call *call)
{
    return run(stream, call, 32, false);
}

extern "C" sac_status sac_rung_persistent_1(sac_gpu_stream stream, const sac_rung_call *call)
{
    return run(stream, call, 1, true);
}

extern "C" sac_status sac_rung_persistent_2(sac_gpu_stream stream, const sac_rung_call *call)
{
    return run(stream, call, 2, true);
}

extern "C" sac_status sac_rung_persistent_4(sac_gpu_stream stream, const sac_rung_call *call)
{
    return run(stream, call, 4, true);
}

extern "C" sac_status sac_rung_persistent_8(sac_gpu_stream stream, const sac_rung_call *call)
{
    return run(stream, call, 8, true);
}

extern "C" sac_status sac_rung_persistent_16(sac_gpu_stream stream, const sac_rung_call *call)
{
    return run(stream, call, 16, true);
}

extern "C" sac_status sac_rung_persistent_32(sac_gpu_stream stream, const sac_rung_call *call)
{
    return run(stream, call, 32, true);
}
