/*
 * Delay-and-sum of a few frames on a GPU: a thread is a point, and goes through the elements; what
 * it receives of one, delay, weight and rotation, serves N transmits, or frames of them, whose sums
 * it holds.
 *
 * The fast way computes where samples lie in single precision, from a split of each delay. Where
 * all delays of a warp's points lie inside the record, nothing is asked of a sample. The exact way
 * is for what would not fit the numbers of the fast one.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_POINTS_CUH
#define SAC_BEAMFORM_DAS_POINTS_CUH

#include "beamform/kernels/das/cuda/das_sums.cuh"

/* Of a multiprocessor, of threads that hold N sums: more would leave too few registers. */
#define SAC_DAS_BLOCKS(N) ((N) < 2 ? 3 : 2)

/*
 * How far off a delay may be in the fast way, where coordinates and distances are at most so many
 * samples: nearer to the ends of the record each sample is asked.
 */
#define SAC_DAS_MARGIN(span) (0.02 + 1e-6 * (span))

/* The rotation by a transmit's delay; none of RF. */
template <typename S>
__device__ static inline float2 sac_das_turn(const sac_das_cuda *run, int32_t t, const double p[3],
                                             int64_t index)
{
    float2 turn = make_float2(1, 0);
    if (sac_sample<S>::is_iq) {
        const double since =
            sac_das_offset(run, t, p, index) + sac_das_since(run, t) - run->unturned * p[2];
        sac_das_rotation(&turn.x, &turn.y, (float)sac_das_fraction(since * run->turns));
    }
    return turn;
}

__device__ static inline float sac_das_turned(float v, float2)
{
    return v;
}

__device__ static inline float2 sac_das_turned(float2 v, float2 turn)
{
    return sac_add(make_float2(0, 0), turn.x, turn.y, v);
}

__device__ static inline sac_power_sum sac_das_turned(sac_power_sum v, float2 turn)
{
    return {sac_das_turned(v.s, turn), v.power};
}

/* When the waves of all slots reach a point, and where in the record the warp's delays lie. */
template <int N> struct sac_das_heard {
    double offset[N];
    bool is_inside, is_outside, is_fast;
};

template <int INTERP, int N>
__device__ static inline sac_das_heard<N>
sac_das_heard_of(const sac_das_cuda *run, const sac_das_lane &lane, const sac_das_slots<N> &slots,
                 int32_t n_frames)
{
    const sac_das *das = &run->das;
    const double last = das->n_samples - 1, reach = INTERP == SAC_INTERP_CUBIC ? 1 : 0;
    sac_das_heard<N> at;
    double low = 1e30, high = -1e30;
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (k > 0 && slots.t[k] == slots.t[k - 1])
            at.offset[k] = at.offset[k - 1];
        else
            at.offset[k] = sac_das_offset(run, slots.t[k], lane.sent, lane.at.index);
        low = fmin(low, at.offset[k]);
        high = fmax(high, at.offset[k]);
    }
    const double *p = lane.p, near = lane.near, far = lane.far;
    const double span = far + fabs(p[0]) + fabs(p[1]) + fabs(p[2]);
    const double margin = SAC_DAS_MARGIN(span), ends = margin + reach;
    const bool is_inside = low + near >= ends && high + far <= last - ends;
    const bool is_outside =
        das->outside == SAC_OUTSIDE_ZERO && (high + far < -margin || low + near > last + margin);
    const bool is_fast = span < SAC_DAS_LONG && sac_das_places_fit(run, N, n_frames);
    at.is_fast = __all_sync(SAC_ALL_LANES, is_fast);
    at.is_inside = at.is_fast && __all_sync(SAC_ALL_LANES, is_inside);
    at.is_outside = __all_sync(SAC_ALL_LANES, is_outside);
    return at;
}

template <typename S, int N> struct sac_das_sums {
    typename sac_sample<S>::sum of[N];
};

/*
 * The sums of points and arrays that are no common case. As a call it takes no registers from those
 * that are; what it needs is computed again.
 */
template <typename S, typename Real, int INTERP, int N, bool PLANE>
__device__ static __noinline__ sac_das_sums<S, N>
sac_das_sum_rest(const sac_das_cuda *run, const sac_das_tiles *tiles, uint32_t tile, const S *data,
                 int32_t first, int32_t n, int32_t n_frames)
{
    const sac_das_slots<N> slots = sac_das_slots_of<N>(first, n, n_frames);
    const sac_das_lane lane =
        sac_das_lane_of(run, sac_das_place_of(&run->das, *tiles, tile), *tiles);
    const sac_das_heard<N> at = sac_das_heard_of<INTERP, N>(run, lane, slots, n_frames);
    const S *from = data + slots.t[0] * run->tx + slots.f[0] * run->frame;
    sac_das_sums<S, N> sums;
#pragma unroll
    for (int k = 0; k < N; k++)
        sums.of[k] = sac_zero(sums.of[k]);
    if (!at.is_fast)
        sac_das_sum_exact<S, N>(sums.of, run, lane, data, first, n, n_frames);
    else if (!PLANE && at.is_inside)
        sac_das_add_heard<S, Real, N, INTERP, true, false>(
            sums.of, run, lane, data, from,
            sac_das_sent_of<Real, N>(run, lane, at.offset, slots, first, n_frames), lane.begin,
            lane.end);
    else
        sac_das_sum_ends<S, N, INTERP, PLANE>(
            sums.of, run, lane, data, from,
            sac_das_sent_of<double, N>(run, lane, at.offset, slots, first, n_frames));
    return sums;
}

/* What a thread knows of its point, in shared memory: what the loop over the elements does not
 * need would take registers there, and those limit the warps in flight. */
typedef struct sac_das_aside {
    double sent[3][SAC_DAS_THREADS], l0[SAC_DAS_THREADS];
    double near[SAC_DAS_THREADS], far[SAC_DAS_THREADS];
    int64_t index[SAC_DAS_THREADS];
    float open[SAC_DAS_THREADS], aside2[SAC_DAS_THREADS];
    int32_t first[SAC_DAS_THREADS], last[SAC_DAS_THREADS];
    int32_t begin[SAC_DAS_THREADS], end[SAC_DAS_THREADS];
    int32_t plain[SAC_DAS_THREADS], plain_end[SAC_DAS_THREADS];
    bool is_there[SAC_DAS_THREADS];
} sac_das_aside;

__device__ static inline void sac_das_put_aside(sac_das_aside *aside, const sac_das_lane &lane)
{
    const uint32_t i = threadIdx.x;
    for (int axis = 0; axis < 3; axis++)
        aside->sent[axis][i] = lane.sent[axis];
    aside->l0[i] = lane.l0;
    aside->near[i] = lane.near;
    aside->far[i] = lane.far;
    aside->index[i] = lane.at.index;
    aside->open[i] = lane.open;
    aside->aside2[i] = lane.aside2;
    aside->first[i] = lane.first;
    aside->last[i] = lane.last;
    aside->begin[i] = lane.begin;
    aside->end[i] = lane.end;
    aside->plain[i] = lane.plain;
    aside->plain_end[i] = lane.plain_end;
    aside->is_there[i] = lane.at.is_there;
}

/* Without the point's place in metres. */
__device__ static inline sac_das_lane sac_das_take_back(const sac_das_cuda *run,
                                                        const sac_das_aside &aside)
{
    const uint32_t i = threadIdx.x;
    sac_das_lane lane;
    sac_forget();
    for (int axis = 0; axis < 3; axis++)
        lane.p[axis] = lane.sent[axis] = aside.sent[axis][i];
    if (run->das.line.shape != SAC_SHAPE_AREA) {
        const sac_das_line line = {run->das.line.shape, run->das.line.middle_m * run->scale,
                                   run->das.line.half_m * run->scale};
        sac_das_receive_at(&lane.p[0], &lane.p[1], &line);
    }
    lane.l0 = aside.l0[i];
    sac_das_lane_from(&lane, run);
    lane.near = aside.near[i];
    lane.far = aside.far[i];
    lane.at.index = aside.index[i];
    lane.open = aside.open[i];
    lane.aside2 = aside.aside2[i];
    lane.first = aside.first[i];
    lane.last = aside.last[i];
    lane.begin = aside.begin[i];
    lane.end = aside.end[i];
    lane.plain = aside.plain[i];
    lane.plain_end = aside.plain_end[i];
    lane.at.is_there = aside.is_there[i];
    return lane;
}

/* The sums of a tile's points. */
template <typename S, typename Real, int INTERP, int N, bool PLANE>
__device__ static inline void
sac_das_points_sum(typename sac_sample<S>::sum sum[N], const sac_das_cuda *run,
                   const sac_das_tiles &tiles, const sac_das_lane &lane, const S *data,
                   int32_t first, int32_t n, int32_t n_frames)
{
    const sac_das_slots<N> slots = sac_das_slots_of<N>(first, n, n_frames);
    const sac_das_heard<N> at = sac_das_heard_of<INTERP, N>(run, lane, slots, n_frames);
#pragma unroll
    for (int k = 0; k < N; k++)
        sum[k] = sac_zero(sum[k]);
    if (at.is_outside)
        return;
    if (at.is_inside && (PLANE || sac_das_is_common<Real>(run))) {
        sac_das_sum_inside<S, Real, N, INTERP, PLANE>(
            sum, run, lane, data, data + slots.t[0] * run->tx + slots.f[0] * run->frame,
            sac_das_sent_of<Real, N>(run, lane, at.offset, slots, first, n_frames));
        return;
    }
    const sac_das_sums<S, N> rest = sac_das_sum_rest<S, Real, INTERP, N, PLANE>(
        run, &tiles, blockIdx.x, data, first, n, n_frames);
#pragma unroll
    for (int k = 0; k < N; k++)
        sum[k] = rest.of[k];
}

/* Sums of all parts of the elements into those of the first one, in order. */
template <typename S, int N>
__device__ static inline void sac_das_points_join(typename sac_sample<S>::sum sum[N],
                                                  const sac_das_tiles &tiles, bool has_any)
{
    __shared__ typename sac_sample<S>::sum parts[SAC_DAS_THREADS];
    const uint32_t apart = SAC_WARP << tiles.bits, n = 1u << tiles.part_bits;
#pragma unroll
    for (int k = 0; k < N; k++) {
        __syncthreads();
        if (has_any)
            parts[threadIdx.x] = sum[k];
        __syncthreads();
        for (uint32_t part = 1; part < n && has_any && sac_das_part(tiles) == 0; part++)
            sum[k] = sac_plus(sum[k], parts[threadIdx.x + part * apart]);
    }
}

/* The sums of slots from first on, turned by when each was sent. */
template <typename S, int N>
__device__ static inline void sac_das_points_turn(typename sac_sample<S>::sum sum[N],
                                                  const sac_das_cuda *run, const sac_das_lane &lane,
                                                  const sac_das_slots<N> &slots)
{
    float2 turn = make_float2(1, 0);
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (k == 0 || slots.t[k] != slots.t[k - 1])
            turn = sac_das_turn<S>(run, slots.t[k], lane.sent, lane.at.index);
        sum[k] = sac_das_turned(sum[k], turn);
    }
}

/* What a tile's sums become images with: nothing, where they are these. */
template <typename S> struct sac_das_finish {
    __device__ void open(const sac_das_cuda *, const sac_das_tiles &, const sac_das_place &)
    {
    }
};

/* Sums of n slots into their images, or added to those of all transmits. */
template <typename S, int N>
__device__ static inline void
sac_das_points_put(sac_das_finish<S> *, typename sac_sample<S>::sum *out,
                   const typename sac_sample<S>::sum sum[N], const sac_das_cuda *run,
                   const sac_das_tiles &, const sac_das_slots<N> &slots, int32_t n_frames)
{
    typedef typename sac_sample<S>::sum sum_type;
    sum_type all = sac_zero(sum_type());
#pragma unroll
    for (int k = 0; k < N; k++) {
        sum_type *image = out + slots.f[k] * run->out_frame;
        if (run->das.lri) {
            sum_type *own = image + slots.t[k] * run->out_image;
            if (k < slots.n)
                *own = run->adds ? sac_plus(*own, sum[k]) : sum[k];
            continue;
        }
        if (k == 0 || n_frames > 1)
            all = slots.t[k] == 0 && !run->adds ? sac_zero(sum_type()) : *image;
        if (k < slots.n)
            all = sac_add(all, run->waves[slots.t[k]].weight, 0, sum[k]);
        if (k < slots.n && (n_frames > 1 || k == slots.n - 1))
            *image = all;
    }
}

/* blockIdx.x: the tile; blockIdx.y: which n_frames frames, of which the last may have fewer. PLANE:
 * elements in a plane, of whose window sac_das_tapers. */
template <typename S, typename Real, int INTERP, int N, bool PLANE>
__global__ void __launch_bounds__(SAC_DAS_THREADS, SAC_DAS_BLOCKS(N))
    sac_das_points(typename sac_sample<S>::value *out, const __grid_constant__ sac_das_cuda run,
                   const __grid_constant__ sac_das_tiles tiles, int32_t n_frames)
{
    __shared__ sac_das_aside aside;
    __shared__ sac_das_finish<S> finish;
    const sac_das_place at = sac_das_place_of(&run.das, tiles, blockIdx.x);
    const bool has_points = __any_sync(SAC_ALL_LANES, at.is_there);
    if (!has_points && tiles.shares == 1)
        return;
    const int64_t frame = (int64_t)blockIdx.y * n_frames;
    const int32_t some = (int32_t)min((int64_t)n_frames, run.das.n_frames - frame);
    const int32_t n_slots = run.das.n_tx * some;
    const S *data = (const S *)run.data + frame * run.frame;
    sac_das_put_aside(&aside, sac_das_lane_of(&run, at, tiles));
    finish.open(&run, tiles, at);
    for (int32_t all = 0; all < n_slots; all += N * (int32_t)(tiles.shares >> tiles.part_bits)) {
        uint32_t first = (uint32_t)all + N * sac_das_share(tiles);
        const int32_t n = has_points ? min(N, n_slots - (int32_t)first) : 0;
        typename sac_sample<S>::sum sum[N];
        if (n > 0)
            sac_das_points_sum<S, Real, INTERP, N, PLANE>(
                sum, &run, tiles, sac_das_take_back(&run, aside), data, (int32_t)first, n, some);
        if (tiles.part_bits > 0)
            sac_das_points_join<S, N>(sum, tiles, n > 0);
        sac_forget(first); /* slots are found again, rather than held over the sums */
        const sac_das_slots<N> slots = sac_das_slots_of<N>((int32_t)first, n, some);
        const sac_das_lane lane = sac_das_take_back(&run, aside);
        if (n > 0)
            sac_das_points_turn<S, N>(sum, &run, lane, slots);
        const uint32_t shares = tiles.shares >> tiles.part_bits;
        for (uint32_t turn = 0; turn < shares; turn++) { /* in the order of transmits */
            if (shares > 1 && !run.das.lri)
                __syncthreads();
            if (n > 0 && lane.at.is_there && turn == sac_das_share(tiles) &&
                sac_das_part(tiles) == 0)
                sac_das_points_put<S, N>(
                    &finish, out + frame * run.out_frame + lane.at.index * run.out_point, sum, &run,
                    tiles, slots, some);
        }
    }
}

template <typename S, typename Real, int INTERP, int N>
static inline sac_status sac_das_points_launch(sac_gpu_stream stream, float *out,
                                               const sac_das_cuda *run, int32_t n_frames)
{
    const uint32_t warps = SAC_DAS_THREADS / SAC_WARP;
    const uint32_t groups = (uint32_t)((run->das.n_frames + n_frames - 1) / n_frames);
    sac_das_tiles tiles = sac_das_tiles_of(run, SAC_DAS_TILE_W, SAC_DAS_TILE_H, warps);
    const int32_t n_slots = run->das.n_tx * n_frames, passes = (n_slots + N - 1) / N;
    const sac_das_load load = {
        warps, groups, passes, passes, SAC_DAS_BLOCKS(N) * (int32_t)warps, (double)n_slots, true};
    sac_das_tiles_share(&tiles, run, &load);
    const bool is_plane = run->is_plane && sac_das_tapers<Real>(&run->das.apodization);
    const auto kernel = is_plane ? sac_das_points<S, Real, INTERP, N, true>
                                 : sac_das_points<S, Real, INTERP, N, false>;
    kernel<<<dim3(tiles.n, groups), SAC_DAS_THREADS, 0, stream>>>(
        (typename sac_sample<S>::value *)out, *run, tiles, n_frames);
    return sac_cuda_launched();
}

/* The rung for samples S, with receive delays in Real. */
template <typename S, typename Real>
static sac_status sac_das_points_rung(sac_gpu_stream stream, const sac_gpu_shape *, float *out,
                                      const sac_das_cuda *run)
{
    typedef sac_status launch_fn(sac_gpu_stream, float *, const sac_das_cuda *, int32_t);
    const bool is_iq = sac_sample<S>::is_iq, is_double = sizeof(Real) == sizeof(double);
    const int most = SAC_DAS_POINTS_MOST(is_iq, is_double);
    const int fewer = SAC_DAS_POINTS_FEWER(is_iq, is_double);
    static const struct {
        int32_t n_slots;
        launch_fn *launch;
    } ways[3][6] = {{{most, sac_das_points_launch<S, Real, SAC_INTERP_NEAREST, most>},
                     {3, sac_das_points_launch<S, Real, SAC_INTERP_NEAREST, 3>},
                     {2, sac_das_points_launch<S, Real, SAC_INTERP_NEAREST, 2>},
                     {1, sac_das_points_launch<S, Real, SAC_INTERP_NEAREST, 1>}},
                    {{most, sac_das_points_launch<S, Real, SAC_INTERP_LINEAR, most>},
                     {fewer, sac_das_points_launch<S, Real, SAC_INTERP_LINEAR, fewer>},
                     {5, sac_das_points_launch<S, Real, SAC_INTERP_LINEAR, 5>},
                     {3, sac_das_points_launch<S, Real, SAC_INTERP_LINEAR, 3>},
                     {2, sac_das_points_launch<S, Real, SAC_INTERP_LINEAR, 2>},
                     {1, sac_das_points_launch<S, Real, SAC_INTERP_LINEAR, 1>}},
                    {{5, sac_das_points_launch<S, Real, SAC_INTERP_CUBIC, 5>},
                     {2, sac_das_points_launch<S, Real, SAC_INTERP_CUBIC, 2>},
                     {1, sac_das_points_launch<S, Real, SAC_INTERP_CUBIC, 1>}}};
    const auto *way = ways[run->das.interp];
    const sac_das_cuda_share share =
        sac_das_cuda_share_of(run->das.n_tx, run->das.n_frames, run->das.interp, is_iq, is_double);
    while (way->n_slots != share.n_slots)
        way++;
    return way->launch(stream, out, run, share.n_frames);
}

#endif
