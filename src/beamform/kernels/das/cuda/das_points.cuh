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

#define SAC_DAS_BLOCKS 2 /* of a multiprocessor: more would leave too few registers */

/*
 * How far off a delay may be in the fast way, where coordinates and distances are at most so many
 * samples: nearer to the ends of the record each sample is asked. Distances of which a float does
 * not count quarters of samples are left to the exact way.
 */
#define SAC_DAS_MARGIN(span) (0.02 + 1e-6 * (span))
#define SAC_DAS_LONG 2097152.0

/* The rotation by a transmit's delay; none of RF. */
template <typename S>
__device__ static inline float2 sac_das_turn(const sac_das_cuda *run, int32_t t, const double p[3],
                                             int64_t index)
{
    float2 turn = make_float2(1, 0);
    if (sac_sample<S>::is_iq) {
        const double since = sac_das_offset(run, t, p, index) + sac_das_since(run, t);
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

/* A point and when the waves of all slots reach it. */
template <int N> struct sac_das_heard {
    sac_das_lane lane;
    double offset[N];
    bool is_inside, is_outside, is_fast;
};

template <int INTERP, int N>
__device__ static inline sac_das_heard<N>
sac_das_heard_of(const sac_das_cuda *run, const sac_das_tiles &tiles, uint32_t tile,
                 const sac_das_slots<N> &slots, int32_t n_frames)
{
    const sac_das *das = &run->das;
    const double last = das->n_samples - 1, reach = INTERP == SAC_INTERP_CUBIC ? 1 : 0;
    sac_das_heard<N> at;
    double low = 1e30, high = -1e30;
    at.lane = sac_das_lane_of(run, tiles, tile);
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (k > 0 && slots.t[k] == slots.t[k - 1])
            at.offset[k] = at.offset[k - 1];
        else
            at.offset[k] = sac_das_offset(run, slots.t[k], at.lane.p, at.lane.at.index);
        low = fmin(low, at.offset[k]);
        high = fmax(high, at.offset[k]);
    }
    const double *p = at.lane.p, near = at.lane.near, far = at.lane.far;
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
template <typename S, typename Real, int INTERP, int N>
__device__ static __noinline__ sac_das_sums<S, N>
sac_das_sum_rest(const sac_das_cuda *run, const sac_das_tiles *tiles, uint32_t tile, const S *data,
                 int32_t first, int32_t n, int32_t n_frames)
{
    const sac_das_slots<N> slots = sac_das_slots_of<N>(first, n, n_frames);
    const sac_das_heard<N> at = sac_das_heard_of<INTERP, N>(run, *tiles, tile, slots, n_frames);
    const S *from = data + slots.t[0] * run->tx + slots.f[0] * run->frame;
    sac_das_sums<S, N> sums;
#pragma unroll
    for (int k = 0; k < N; k++)
        sums.of[k] = sac_zero(sums.of[k]);
    if (!at.is_fast)
        sac_das_sum_exact<S, N>(sums.of, run, at.lane, data, first, n, n_frames);
    else if (at.is_inside)
        sac_das_add_heard<S, Real, N, INTERP, true>(
            sums.of, run, at.lane, data, from,
            sac_das_sent_of<Real, N>(run, at.lane, at.offset, slots, first, n_frames),
            at.lane.begin, at.lane.end);
    else
        sac_das_sum_ends<S, Real, N, INTERP>(
            sums.of, run, at.lane, data, from,
            sac_das_sent_of<double, N>(run, at.lane, at.offset, slots, first, n_frames));
    return sums;
}

/* The sums of a tile's points. */
template <typename S, typename Real, int INTERP, int N>
__device__ static inline void
sac_das_points_sum(typename sac_sample<S>::sum sum[N], const sac_das_cuda *run,
                   const sac_das_tiles &tiles, uint32_t tile, const S *data, int32_t first,
                   int32_t n, int32_t n_frames)
{
    const sac_das_slots<N> slots = sac_das_slots_of<N>(first, n, n_frames);
    const sac_das_heard<N> at = sac_das_heard_of<INTERP, N>(run, tiles, tile, slots, n_frames);
#pragma unroll
    for (int k = 0; k < N; k++)
        sum[k] = sac_zero(sum[k]);
    if (at.is_outside)
        return;
    if (at.is_inside && sac_das_is_common<Real>(run)) {
        sac_das_sum_inside<S, Real, N, INTERP>(
            sum, run, at.lane, data, data + slots.t[0] * run->tx + slots.f[0] * run->frame,
            sac_das_sent_of<Real, N>(run, at.lane, at.offset, slots, first, n_frames));
        return;
    }
    const sac_das_sums<S, N> rest =
        sac_das_sum_rest<S, Real, INTERP, N>(run, &tiles, tile, data, first, n, n_frames);
#pragma unroll
    for (int k = 0; k < N; k++)
        sum[k] = rest.of[k];
}

/*
 * Slots [first, first + n) at a tile's points: into their images, or added to those of all
 * transmits. What is needed again after the sums is computed again: registers are what limits the
 * warps in flight.
 */
template <typename S, typename Real, int INTERP, int N>
__device__ static inline void sac_das_points_of(typename sac_sample<S>::sum *out,
                                                const sac_das_cuda *run, const sac_das_tiles &tiles,
                                                const S *data, uint32_t tile, int32_t first,
                                                int32_t n, int32_t n_frames)
{
    typedef typename sac_sample<S>::sum sum_type;
    const sac_das *das = &run->das;
    sum_type sum[N];
    sac_das_points_sum<S, Real, INTERP, N>(sum, run, tiles, tile, data, first, n, n_frames);
    uint32_t begin = (uint32_t)first;
    sac_forget(tile);
    sac_forget(begin);
    const sac_das_slots<N> slots = sac_das_slots_of<N>((int32_t)begin, n, n_frames);
    const sac_das_place at = sac_das_place_of(das, tiles, tile);
    const double p[3] = {at.m[0] * run->scale, at.m[1] * run->scale, at.m[2] * run->scale};
    out += at.index * run->out_point;
    float2 turn = make_float2(1, 0);
    sum_type all = sac_zero(sum_type());
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (k == 0 || slots.t[k] != slots.t[k - 1])
            turn = sac_das_turn<S>(run, slots.t[k], p, at.index);
        const sum_type v = sac_das_turned(sum[k], turn);
        sum_type *image = out + slots.f[k] * run->out_frame;
        if (das->lri) {
            if (k < n && at.is_there)
                image[slots.t[k] * run->out_image] = v;
            continue;
        }
        if (k == 0 || n_frames > 1)
            all = slots.t[k] == 0 || !at.is_there ? sac_zero(sum_type()) : *image;
        if (k < n)
            all = sac_add(all, run->waves[slots.t[k]].weight, 0, v);
        if (k < n && (n_frames > 1 || k == n - 1) && at.is_there)
            *image = all;
    }
}

/* blockIdx.x: the tile; blockIdx.y: which n_frames frames, of which the last may have fewer. */
template <typename S, typename Real, int INTERP, int N>
__global__ void __launch_bounds__(SAC_DAS_THREADS, SAC_DAS_BLOCKS)
    sac_das_points(typename sac_sample<S>::sum *out, const __grid_constant__ sac_das_cuda run,
                   const __grid_constant__ sac_das_tiles tiles, int32_t n_frames)
{
    int64_t row, x;
    if (!sac_das_row_of(&row, &x, tiles))
        return; /* the whole warp */
    const int64_t frame = (int64_t)blockIdx.y * n_frames;
    const int32_t some = (int32_t)min((int64_t)n_frames, run.das.n_frames - frame);
    const int32_t n_slots = run.das.n_tx * some;
    for (int32_t first = 0; first < n_slots; first += N)
        sac_das_points_of<S, Real, INTERP, N>(out + frame * run.out_frame, &run, tiles,
                                              (const S *)run.data + frame * run.frame, blockIdx.x,
                                              first, min(N, n_slots - first), some);
}

template <typename S, typename Real, int INTERP, int N>
static inline sac_status sac_das_points_launch(sac_gpu_stream stream, float *out,
                                               const sac_das_cuda *run, int32_t n_frames)
{
    const sac_das_tiles tiles =
        sac_das_tiles_of(run, SAC_DAS_TILE_W, SAC_DAS_TILE_H, SAC_DAS_THREADS / SAC_WARP);
    const uint32_t groups = (uint32_t)((run->das.n_frames + n_frames - 1) / n_frames);
    sac_das_points<S, Real, INTERP, N><<<dim3(tiles.n, groups), SAC_DAS_THREADS, 0, stream>>>(
        (typename sac_sample<S>::sum *)out, *run, tiles, n_frames);
    return sac_cuda_launched();
}

/* How many slots a thread holds at a time, and of how many frames: what makes the fewest passes. */
typedef struct sac_das_share {
    int32_t n_slots, n_frames;
} sac_das_share;

static inline sac_das_share sac_das_share_of(const sac_das *das, const int32_t *sizes,
                                             int32_t n_sizes)
{
    sac_das_share best = {1, 1};
    double least = 1e30;
    for (int32_t i = 0; i < n_sizes; i++)
        for (int32_t frames = 1; frames <= das->n_frames && frames <= sizes[0]; frames++) {
            const int32_t n = das->n_tx * frames, size = sizes[i];
            const int32_t passes = (n + size - 1) / size,
                          groups = (das->n_frames + frames - 1) / frames;
            const double cost = (double)passes * groups * (size + SAC_DAS_RECEIVED);
            if (cost < least) {
                least = cost;
                best = (sac_das_share){size, frames};
            }
        }
    return best;
}

/* The rung for samples S, with receive delays in Real. */
template <typename S, typename Real>
static sac_status sac_das_points_rung(sac_gpu_stream stream, const sac_gpu_shape *, float *out,
                                      const sac_das_cuda *run)
{
    typedef sac_status launch_fn(sac_gpu_stream, float *, const sac_das_cuda *, int32_t);
    /* Of IQ in double, nine would take the registers that keep samples on their way; so would more
     * than five of four samples each. */
    const int most = sac_sample<S>::is_iq && sizeof(Real) == sizeof(double) ? 5 : 9;
    static const struct {
        int32_t n_slots;
        launch_fn *launch;
    } ways[3][4] = {{{most, sac_das_points_launch<S, Real, SAC_INTERP_NEAREST, most>},
                     {3, sac_das_points_launch<S, Real, SAC_INTERP_NEAREST, 3>},
                     {1, sac_das_points_launch<S, Real, SAC_INTERP_NEAREST, 1>}},
                    {{most, sac_das_points_launch<S, Real, SAC_INTERP_LINEAR, most>},
                     {5, sac_das_points_launch<S, Real, SAC_INTERP_LINEAR, 5>},
                     {3, sac_das_points_launch<S, Real, SAC_INTERP_LINEAR, 3>},
                     {1, sac_das_points_launch<S, Real, SAC_INTERP_LINEAR, 1>}},
                    {{5, sac_das_points_launch<S, Real, SAC_INTERP_CUBIC, 5>},
                     {1, sac_das_points_launch<S, Real, SAC_INTERP_CUBIC, 1>}}};
    const auto *way = ways[run->das.interp];
    int32_t sizes[4], n = 0;
    for (; n < 4 && way[n].launch; n++)
        sizes[n] = way[n].n_slots;
    const sac_das_share share = sac_das_share_of(&run->das, sizes, n);
    while (way->n_slots != share.n_slots)
        way++;
    return way->launch(stream, out, run, share.n_frames);
}

#endif
