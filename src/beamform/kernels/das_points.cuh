/*
 * Delay-and-sum of single frames on a GPU: a thread is a point, and goes through the elements; what
 * it receives of one, delay, weight and rotation, serves N transmits whose sums it holds.
 *
 * Where all delays of a warp's points lie inside the record, nothing is asked of a sample: that is
 * the fast way, for linear interpolation. The exact way asks everything.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_POINTS_CUH
#define SAC_BEAMFORM_DAS_POINTS_CUH

#include "beamform/kernels/das_cuda.cuh"

#define SAC_DAS_BLOCKS 2 /* of a multiprocessor: more would leave too few registers */

/*
 * How far off a delay may be in the fast way, where coordinates and distances are at most so many
 * samples: the ends of the record are left to the exact one. So are distances of which a float does
 * not count quarters of samples.
 */
#define SAC_DAS_MARGIN(span) (0.02 + 1e-6 * (span))
#define SAC_DAS_LONG 2097152.0

/* What a thread knows of its point. */
typedef struct sac_das_lane {
    sac_das_place at;
    double p[3], off_line;   /* in samples; the square's part that is the same for all of a line */
    float pf[3], off_line_f; /* the same, pf from the array's middle */
    double l0;               /* the distance to the array's middle, which single precision keeps */
    float half_l0, turns0, turns; /* its turns, and those of a sample */
    double near, far;
    int32_t begin, end;       /* elements of the warp */
    int32_t first, last;      /* of the point, on a linear array: [first, last) */
    int32_t plain, plain_end; /* those that weigh 1 for all of the warp */
} sac_das_lane;

__device__ static inline sac_das_lane sac_das_lane_of(const sac_das_cuda *run,
                                                      const sac_das_tiles &tiles, uint32_t tile)
{
    sac_das_lane lane;
    double l2 = 0;
    lane.at = sac_das_place_of(&run->das, tiles, tile);
    for (int i = 0; i < 3; i++) {
        lane.p[i] = lane.at.m[i] * run->scale;
        const double from = lane.p[i] - 0.5 * (run->box[0][i] + run->box[1][i]);
        lane.pf[i] = (float)from;
        l2 = fma(from, from, l2);
    }
    lane.off_line = sac_das_off_line(lane.p);
    lane.off_line_f = fmaxf((float)lane.off_line, 1e-30f);
    lane.turns = (float)run->turns;
    lane.l0 = sqrt(l2);
    lane.half_l0 = fmaxf((float)(0.5 * lane.l0), 1e-15f);
    lane.turns0 = (float)sac_das_fraction(lane.l0 * run->turns);
    /* The compiler would rather convert them again for each element. */
    sac_keep(lane.pf[0], lane.pf[1], lane.pf[2], lane.off_line_f, lane.turns, lane.turns0,
             lane.half_l0);
    sac_das_reach(&lane.near, &lane.far, run, lane.p);
    sac_das_aperture_inline(&lane.first, &lane.last, &run->das, lane.at.m);
    lane.begin = lane.first;
    lane.end = lane.last;
    lane.plain = -lane.first;
    lane.plain_end = -lane.last;
    sac_das_warp_span(&lane.begin, &lane.end);
    sac_das_warp_span(&lane.plain, &lane.plain_end);
    lane.plain = -lane.plain;
    lane.plain_end = -lane.plain_end;
    const sac_apodization *a = &run->das.apodization;
    const bool is_plain =
        a->f_number <= 0 || (run->das.pitch_m > 0 && a->window == SAC_WINDOW_RECT);
    if (!is_plain || lane.plain_end < lane.plain)
        lane.plain = lane.plain_end = lane.end;
    return lane;
}

/* w(r, p), 0 outside of the aperture. */
__device__ static inline float sac_das_weight_of(const sac_das_cuda *run, const sac_das_lane &lane,
                                                 int32_t r)
{
    const sac_apodization *a = &run->das.apodization;
    if (a->f_number <= 0)
        return 1;
    if (run->das.pitch_m > 0 && a->window == SAC_WINDOW_RECT)
        return r >= lane.first && r < lane.last ? 1.0f : 0.0f;
    if (run->das.pitch_m > 0 && (r < lane.first || r >= lane.last))
        return 0;
    return sac_das_window_at(&run->das, r, lane.at.m);
}

/* How many elements are alike on the fast way: none, all weigh 1, and all lie on the line of a
 * linear array. */
enum { SAC_DAS_ANY, SAC_DAS_PLAIN, SAC_DAS_LINE };

/*
 * The receive delay as whole samples and the rest, and for IQ the turns of its rotation. In single
 * precision all is rest: l - l0 = (l^2 - l0^2) / (l + l0) with l0 the distance to the array's
 * middle, which goes with the transmit's delay in double. The difference is small, and so is its
 * error. With p and e from the middle, l0^2 - l^2 = 2 p e - e^2.
 */
template <typename Real>
__device__ static inline uint32_t
sac_das_receive_at(float *rest, float *turns, const sac_das_cuda *run, const sac_das_lane &lane,
                   int32_t r, bool is_iq, bool is_line)
{
    *turns = 0;
    if (sizeof(Real) == sizeof(double)) {
        const double l = sac_das_distance(run, r, lane.p, lane.off_line, is_line);
        const int32_t whole = sac_das_split(rest, l);
        if (is_iq)
            *turns = (float)sac_das_fraction(l * run->turns);
        return (uint32_t)whole;
    }
    const float2 *e = (const float2 *)run->from_middle + 2 * r, x_half = __ldg(e);
    const float x = lane.pf[0] - x_half.x;
    float other = lane.off_line_f, half = x_half.y;
    if (!is_line) {
        const float2 yz = __ldg(e + 1);
        const float y = lane.pf[1] - yz.x, z = lane.pf[2] - yz.y;
        other = fmaf(y, y, fmaf(z, z, 1e-30f));
        half = fmaf(lane.pf[1], yz.x, fmaf(lane.pf[2], yz.y, half));
    }
    half = fmaf(lane.pf[0], x_half.x, half); /* (l0^2 - l^2) / 2 */
    const float l2 = fmaf(x, x, other), l = l2 * sac_rsqrt(l2);
    *rest = -half * sac_reciprocal(fmaf(0.5f, l, lane.half_l0));
    if (is_iq) {
        const float all = fmaf(*rest, lane.turns, lane.turns0);
        *turns = all - ((all + 12582912.0f) - 12582912.0f);
    }
    return 0;
}

/* A block of transmits on the fast way: the whole samples of each one's arrival, with its place in
 * the data and less the bits of 1.5 2^23; and the rest. Places are sums of unsigned numbers that
 * are signed in the end. */
template <int N> struct sac_das_sent {
    uint32_t whole[N];
    float rest[N];
};

/* What is received of E elements at a point: places and rests of their delays, weights with their
 * rotations. */
template <int E> struct sac_das_received {
    uint32_t at[E];
    float rest[E], w[E], wi[E];
};

/* Elements from r on; their records are `apart` from the first one's. */
template <typename S, typename Real, int KIND, int E>
__device__ static inline sac_das_received<E>
sac_das_hear(const sac_das_cuda *run, const sac_das_lane &lane, const uint32_t apart[E], int32_t r)
{
    sac_das_received<E> in;
#pragma unroll
    for (int e = 0; e < E; e++) {
        float turns;
        in.w[e] = KIND != SAC_DAS_ANY ? 1 : sac_das_weight_of(run, lane, r + e);
        in.wi[e] = 0;
        if (KIND == SAC_DAS_ANY && in.w[e] == 0)
            continue;
        in.at[e] = apart[e] + sac_das_receive_at<Real>(&in.rest[e], &turns, run, lane, r + e,
                                                       sac_sample<S>::is_iq,
                                                       KIND == SAC_DAS_ANY ? run->das.pitch_m > 0
                                                                           : KIND == SAC_DAS_LINE);
        if (sac_sample<S>::is_iq) {
            float c, s;
            sac_rotate(&c, &s, turns);
            in.wi[e] = in.w[e] * s;
            in.w[e] *= c;
        }
    }
    return in;
}

/*
 * Adds elements [begin, end) to the sums of N transmits, all delays inside: E at a time. What
 * is received of the next ones is found while the samples of these are on their way.
 */
template <typename S, typename Real, int N, int KIND, int E>
__device__ static inline int32_t
sac_das_add_elements(typename sac_sample<S>::sum sum[N], const sac_das_cuda *run,
                     const sac_das_lane &lane, const S *data, const sac_das_sent<N> &sent,
                     int32_t begin, int32_t end)
{
    typedef typename sac_sample<S>::sum sum_type;
    const bool is_ahead = KIND != SAC_DAS_ANY && (N < 9 || !sac_sample<S>::is_iq); /* registers */
    uint32_t apart[E];
#pragma unroll
    for (int e = 0; e < E; e++) {
        apart[e] = (uint32_t)e * (uint32_t)run->rx;
        if (e > 1)
            sac_keep(apart[e]); /* rather than a product for each sample */
    }
    const S *record = data + begin * run->rx;
    int32_t r = begin;
    if (r + E > end)
        return r;
    sac_das_received<E> in, now;
    if (is_ahead)
        in = sac_das_hear<S, Real, KIND, E>(run, lane, apart, r);
#pragma unroll 1
    for (; r + E <= end; r += E, record += E * run->rx) {
        now = is_ahead ? in : sac_das_hear<S, Real, KIND, E>(run, lane, apart, r);
        if (KIND == SAC_DAS_ANY && now.w[0] == 0 && now.wi[0] == 0)
            continue; /* E is 1 */
        S here[E][N], next[E][N];
        float u[E][N];
        sac_keep(record); /* one 32-bit place for each sample, after one pointer */
#pragma unroll
        for (int e = 0; e < E; e++) {
#pragma unroll
            for (int k = 0; k < N; k++) {
                const float both = sent.rest[k] + now.rest[e], step = __fadd_rd(both, 12582912.0f);
                const S *from =
                    record + (int32_t)(sent.whole[k] + now.at[e] + __float_as_uint(step));
                u[e][k] = both - (step - 12582912.0f);
                here[e][k] = __ldg(from);
                next[e][k] = __ldg(from + 1);
            }
        }
        if (is_ahead)
            in = sac_das_hear<S, Real, KIND, E>(run, lane, apart, min(r + E, end - E));
#pragma unroll
        for (int e = 0; e < E; e++) {
#pragma unroll
            for (int k = 0; k < N; k++) {
                const sum_type v =
                    sac_between(sac_sample_of(here[e][k]), sac_sample_of(next[e][k]), u[e][k]);
                sum[k] = sac_add(sum[k], now.w[e], now.wi[e], v);
            }
        }
    }
    return r;
}

/* Elements [begin, end), as many at a time as keep some dozen samples on their way. */
template <typename S, typename Real, int N, int KIND>
__device__ static inline void sac_das_sum_fast(typename sac_sample<S>::sum sum[N],
                                               const sac_das_cuda *run, const sac_das_lane &lane,
                                               const S *data, const sac_das_sent<N> &sent,
                                               int32_t begin, int32_t end)
{
    const int E = KIND == SAC_DAS_ANY ? 1 : N < 4 ? 4 : N < 8 ? 2 : 1;
    int32_t r = begin;
    if (E > 1)
        r = sac_das_add_elements<S, Real, N, KIND, E>(sum, run, lane, data, sent, r, end);
    sac_das_add_elements<S, Real, N, KIND, 1>(sum, run, lane, data, sent, r, end);
}

/* Whether places of N transmits and four elements fit 32 bits. */
__device__ static inline bool sac_das_places_fit(const sac_das_cuda *run, int N)
{
    return llabs(run->tx) * N + llabs(run->rx) * 4 + run->das.n_samples < INT32_MAX;
}

/* All elements: at the aperture's ends each is asked for its weight; between them none is, where
 * they weigh 1. */
template <typename S, typename Real, int N>
__device__ static inline void sac_das_sum_inside(typename sac_sample<S>::sum sum[N],
                                                 const sac_das_cuda *run, const sac_das_lane &lane,
                                                 const S *data, const double offset[N], int n)
{
    sac_das_sent<N> sent;
#pragma unroll
    for (int k = 0; k < N; k++) {
        const int64_t fixed =
            sac_das_fixed(sizeof(Real) == sizeof(float) ? offset[k] + lane.l0 : offset[k]);
        sent.whole[k] = (uint32_t)(fixed >> 32) + (uint32_t)(min(k, n - 1) * run->tx) - 0x4b400000u;
        sent.rest[k] = (float)(uint32_t)fixed * 2.3283064e-10f;
    }
    sac_das_sum_fast<S, Real, N, SAC_DAS_ANY>(sum, run, lane, data, sent, lane.begin, lane.plain);
    sac_das_sum_fast<S, Real, N, SAC_DAS_ANY>(sum, run, lane, data, sent, lane.plain_end, lane.end);
    if (run->das.pitch_m > 0)
        sac_das_sum_fast<S, Real, N, SAC_DAS_LINE>(sum, run, lane, data, sent, lane.plain,
                                                   lane.plain_end);
    else
        sac_das_sum_fast<S, Real, N, SAC_DAS_PLAIN>(sum, run, lane, data, sent, lane.plain,
                                                    lane.plain_end);
}

/* The sample at a delay in 2^-32 samples, by any interpolation. */
template <typename S>
__device__ static inline bool sac_das_take(typename sac_sample<S>::sum *v, const S *record,
                                           const sac_das *das, int64_t s)
{
    double coefficient[4];
    int32_t first;
    const int32_t n = sac_das_taps(coefficient, &first, (double)s * 0x1p-32, das->n_samples,
                                   das->interp, das->outside);
    *v = sac_zero(*v);
    for (int32_t i = 0; i < n; i++)
        *v = sac_add(*v, (float)coefficient[i], 0, sac_sample_of(record[first + i]));
    return n > 0;
}

/* The same sums, whatever the options and the delays. */
template <typename S, typename Real, int N>
__device__ static inline void sac_das_sum_exact(typename sac_sample<S>::sum sum[N],
                                                const sac_das_cuda *run, const sac_das_lane &lane,
                                                const S *data, const double offset[N], int n)
{
    int64_t sent[N];
    for (int k = 0; k < N; k++)
        sent[k] = sac_das_fixed(offset[k]);
    for (int32_t r = lane.begin; r < lane.end; r++) {
        float w = sac_das_weight_of(run, lane, r), wi = 0;
        if (w == 0)
            continue;
        const double l = sac_das_distance(run, r, lane.p, lane.off_line, run->das.pitch_m > 0);
        const int64_t received = sac_das_fixed(l);
        if (sac_sample<S>::is_iq) {
            float c, s;
            sac_das_rotation(&c, &s, (float)sac_das_fraction(l * run->turns));
            wi = w * s;
            w *= c;
        }
        const S *record = data + r * run->rx;
#pragma unroll
        for (int k = 0; k < N; k++) {
            typename sac_sample<S>::sum v;
            if (k < n && sac_das_take(&v, record + k * run->tx, &run->das, sent[k] + received))
                sum[k] = sac_add(sum[k], w, wi, v);
        }
    }
}

__device__ static inline float sac_das_turn(float v, const sac_das_cuda *, int32_t, const double[3],
                                            int64_t)
{
    return v;
}

/* IQ: the rotation by the transmit's delay. */
__device__ static inline float2 sac_das_turn(float2 v, const sac_das_cuda *run, int32_t t,
                                             const double p[3], int64_t index)
{
    float c, s;
    const double since = sac_das_offset(run, t, p, index) + sac_das_since(run, t);
    sac_das_rotation(&c, &s, (float)sac_das_fraction(since * run->turns));
    return sac_add(make_float2(0, 0), c, s, v);
}

/*
 * Transmits [t, t + n) at a tile's points: into their images, or added to the one image. What is
 * needed again after the sums is computed again: registers are what limits the warps in flight.
 */
template <typename S, typename Real, int N>
__device__ static inline void sac_das_points_of(typename sac_sample<S>::sum *out,
                                                const sac_das_cuda *run, const sac_das_tiles &tiles,
                                                const S *data, uint32_t tile, int32_t t, int n)
{
    typedef typename sac_sample<S>::sum sum_type;
    const sac_das *das = &run->das;
    sum_type sum[N];
    {
        const sac_das_lane lane = sac_das_lane_of(run, tiles, tile);
        const double last = das->n_samples - 1;
        double offset[N], low = 1e30, high = -1e30;
#pragma unroll
        for (int k = 0; k < N; k++) { /* those that are too many are the last once more */
            offset[k] = sac_das_offset(run, t + min(k, n - 1), lane.p, lane.at.index);
            low = fmin(low, offset[k]);
            high = fmax(high, offset[k]);
            sum[k] = sac_zero(sum[k]);
        }
        const double span = lane.far + fabs(lane.p[0]) + fabs(lane.p[1]) + fabs(lane.p[2]);
        const double margin = SAC_DAS_MARGIN(span);
        const bool is_inside = low + lane.near >= margin && high + lane.far <= last - margin;
        const bool is_outside = das->outside == SAC_OUTSIDE_ZERO &&
                                (high + lane.far < -margin || low + lane.near > last + margin);
        const bool is_fast = is_inside && das->interp == SAC_INTERP_LINEAR && span < SAC_DAS_LONG &&
                             sac_das_places_fit(run, N);
        if (__all_sync(SAC_ALL_LANES, is_fast))
            sac_das_sum_inside<S, Real, N>(sum, run, lane, data, offset, n);
        else if (!__all_sync(SAC_ALL_LANES, is_outside))
            sac_das_sum_exact<S, Real, N>(sum, run, lane, data, offset, n);
    }
    sac_forget(tile);
    const sac_das_place at = sac_das_place_of(das, tiles, tile);
    const double p[3] = {at.m[0] * run->scale, at.m[1] * run->scale, at.m[2] * run->scale};
    out += at.index * run->out_point;
    sum_type all = das->lri || t == 0 || !at.is_there ? sac_zero(sum_type()) : *out;
#pragma unroll
    for (int k = 0; k < N; k++) {
        const sum_type v = sac_das_turn(sum[k], run, t + min(k, n - 1), p, at.index);
        if (k < n && das->lri && at.is_there)
            out[(t + k) * run->out_image] = v;
        if (k < n)
            all = sac_add(all, run->waves[t + k].weight, 0, v);
    }
    if (!das->lri && at.is_there)
        *out = all;
}

/* blockIdx.x: the tile; blockIdx.y: the frame. */
template <typename S, typename Real, int N>
__global__ void __launch_bounds__(SAC_DAS_THREADS, SAC_DAS_BLOCKS)
    sac_das_points(typename sac_sample<S>::sum *out, const __grid_constant__ sac_das_cuda run,
                   const __grid_constant__ sac_das_tiles tiles)
{
    const S *data = (const S *)run.data + blockIdx.y * run.frame;
    for (int32_t t = 0; t < run.das.n_tx; t += N)
        sac_das_points_of<S, Real, N>(out + blockIdx.y * run.out_frame, &run, tiles,
                                      data + t * run.tx, blockIdx.x, t, min(N, run.das.n_tx - t));
}

template <typename S, typename Real, int N>
static inline sac_status sac_das_points_launch(sac_gpu_stream stream, float *out,
                                               const sac_das_cuda *run)
{
    const sac_das_tiles tiles = sac_das_tiles_of(&run->das);
    sac_das_points<S, Real, N>
        <<<dim3(tiles.n, (unsigned)run->das.n_frames), SAC_DAS_THREADS, 0, stream>>>(
            (typename sac_sample<S>::sum *)out, *run, tiles);
    return sac_cuda_launched();
}

/* The rung for samples S, with receive delays in Real: as many transmits at a time as make the
 * fewest passes. */
template <typename S, typename Real>
static sac_status sac_das_points_rung(sac_gpu_stream stream, const sac_gpu_shape *, float *out,
                                      const sac_das_cuda *run)
{
    /* Of IQ in double, nine would take the registers that keep samples on their way. */
    const int32_t sizes[] = {sac_sample<S>::is_iq && sizeof(Real) == sizeof(double) ? 5 : 9, 5, 3,
                             1};
    const int32_t received = 3, n = run->das.n_tx; /* what an element costs, in samples taken */
    int32_t best = 1, least = n * (1 + received);
    for (int32_t size : sizes) {
        const int32_t cost = (n + size - 1) / size * (size + received);
        if (cost < least) {
            least = cost;
            best = size;
        }
    }
    switch (best) {
    case 9:
        return sac_das_points_launch<S, Real, 9>(stream, out, run);
    case 5:
        return sac_das_points_launch<S, Real, 5>(stream, out, run);
    case 3:
        return sac_das_points_launch<S, Real, 3>(stream, out, run);
    default:
        return sac_das_points_launch<S, Real, 1>(stream, out, run);
    }
}

#endif
