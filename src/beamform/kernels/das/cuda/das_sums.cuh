/*
 * The sums of `points` (das_points.cuh) on the fast way, over the elements, and on the exact one.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_SUMS_CUH
#define SAC_BEAMFORM_DAS_SUMS_CUH

#include "beamform/kernels/das/cuda/das_receive.cuh"
#include "beamform/kernels/das/cuda/das_take.cuh"

/* Sums that a thread holds at a time: of transmits t of frames f, frame by frame of a transmit,
 * from the first on; those after the last are the last once more. */
template <int N> struct sac_das_slots {
    int32_t t[N], f[N], n;
};

template <int N>
__device__ static inline sac_das_slots<N> sac_das_slots_of(int32_t first, int32_t n,
                                                           int32_t n_frames)
{
    sac_das_slots<N> slots;
    slots.n = n;
    slots.t[0] = first / n_frames;
    slots.f[0] = first - slots.t[0] * n_frames;
#pragma unroll
    for (int k = 1; k < N; k++) {
        const bool is_next = slots.f[k - 1] + 1 == n_frames;
        slots.t[k] = slots.t[k - 1] + (k < n && is_next);
        slots.f[k] = k < n ? is_next ? 0 : slots.f[k - 1] + 1 : slots.f[k - 1];
    }
    return slots;
}

/* What was sent: arrivals as whole samples, with the slot's place behind that of the first and less
 * the bits of SAC_DAS_ROUNDER, and the rest. Places are sums of unsigned numbers that are signed in
 * the end. */
template <int N> struct sac_das_sent {
    uint32_t at[N];
    float rest[N];
    int32_t place[N];
    int32_t low, high;          /* the least of the whole samples, and the greatest */
    float end;                  /* how near the record's ends double decides */
    int32_t first, n, n_frames; /* of the slots */
};

/* What slot `slot` receives of element r, by double precision; nothing: 0. `data` is that of all
 * frames. Seldom asked for: as a call it takes no registers where it is not. */
template <typename S>
__device__ static __noinline__ typename sac_sample<S>::value
sac_das_exactly(const sac_das_cuda *run, const S *data, double x, double y, double z, int64_t index,
                int32_t slot, int32_t n_frames, int32_t r)
{
    const double p[3] = {x, y, z};
    const int32_t t = slot / n_frames, f = slot % n_frames;
    const double l = sac_das_distance(run, r, p, sac_das_off_line(p), run->das.pitch_m > 0);
    double sent[3] = {x, y, z};
    if (run->das.line.shape != SAC_SHAPE_AREA) {
        sac_das_point(sent, &run->das, index);
        for (int i = 0; i < 3; i++)
            sent[i] *= run->scale;
    }
    const int64_t s = sac_das_fixed(sac_das_offset(run, t, sent, index)) + sac_das_fixed(l);
    return sac_das_take_exact(data + t * run->tx + f * run->frame + r * run->rx, &run->das, s);
}

/* Terms that double decides, each a bit of `odd`: e N + k for element which[e] and slot k. */
template <typename S, int N, int E>
__device__ static inline void sac_das_add_odd(typename sac_sample<S>::sum sum[N], uint32_t odd,
                                              const sac_das_cuda *run, const sac_das_lane &lane,
                                              const S *data, const sac_das_sent<N> &sent,
                                              const int32_t which[E], const sac_das_received<E> &in)
{
    for (; odd != 0; odd &= odd - 1) {
        const int bit = __ffs((int)odd) - 1, k = bit % N;
        int32_t r = which[0];
        float w = in.w[0], wi = in.wi[0];
#pragma unroll
        for (int e = 1; e < E; e++) {
            r = bit / N == e ? which[e] : r;
            w = bit / N == e ? in.w[e] : w;
            wi = bit / N == e ? in.wi[e] : wi;
        }
        if (k >= sent.n || (w == 0 && wi == 0))
            continue;
        const typename sac_sample<S>::value v =
            sac_das_exactly(run, data, lane.p[0], lane.p[1], lane.p[2], lane.at.index,
                            sent.first + k, sent.n_frames, r);
#pragma unroll
        for (int i = 0; i < N; i++)
            if (i == k)
                sum[i] = sac_add(sum[i], w, wi, v);
    }
}

/* Which terms double decides, and from which nothing is received: bits as above. */
typedef struct sac_das_bits {
    uint32_t odd, off;
} sac_das_bits;

/* The samples of elements whose records lie `apart` behind `record`. */
template <typename S, int N, int E, int INTERP, bool INSIDE>
__device__ static inline sac_das_bits
sac_das_take_all(sac_das_taken<S, INTERP> to[E][N], const sac_das *das, const S *record,
                 const uint32_t apart[E], const sac_das_sent<N> &sent,
                 const sac_das_received<E> &in)
{
    sac_das_bits bits = {0, 0};
    sac_keep(record); /* one 32-bit place for each sample, after one pointer */
#pragma unroll
    for (int e = 0; e < E; e++) {
        const uint32_t at = apart[e] + (uint32_t)in.whole[e];
#pragma unroll
        for (int k = 0; k < N; k++) {
            const uint32_t bit = 1u << (e * N + k);
            const float both = sent.rest[k] + in.rest[e], step = __fadd_rd(both, SAC_DAS_ROUNDER);
            const float u = both - (step - SAC_DAS_ROUNDER);
            const int32_t place = (int32_t)(sent.at[k] + at + __float_as_uint(step));
            const int32_t from = sent.place[k] + (int32_t)apart[e]; /* the record's first */
            if (INSIDE)
                sac_das_take(&to[e][k], record + place, u);
            else if (!sac_das_take_any(&to[e][k], record + from, das, place - from, u))
                bits.off |= bit;
            if (sac_das_is_odd<INTERP, INSIDE>(das, sent.end, in.off[e], place - from, u))
                bits.odd |= bit;
        }
    }
    return bits;
}

/* Whether all samples of E elements lie inside of the record, at all of the warp's points, so that
 * nothing is to be asked of one. */
template <int N, int E, int INTERP>
__device__ static inline bool sac_das_all_inside(const sac_das *das, const sac_das_sent<N> &sent,
                                                 const sac_das_received<E> &in)
{
    const int32_t reach = INTERP == SAC_INTERP_CUBIC ? 2 : 1; /* samples, and roundings */
    bool is_inside = true;
#pragma unroll
    for (int e = 0; e < E; e++) {
        const int32_t from = in.whole[e] + __float2int_rd(in.rest[e]);
        is_inside =
            is_inside && sent.low + from >= reach && sent.high + from + 2 + reach < das->n_samples;
    }
    return __all_sync(SAC_ALL_LANES, is_inside);
}

/* ALL: each element weighs something. Else a weight of nothing keeps away what is no number. */
template <typename S, int N, int E, int INTERP, bool ALL>
__device__ static inline void sac_das_add_all(typename sac_sample<S>::sum sum[N],
                                              const sac_das_taken<S, INTERP> from[E][N],
                                              uint32_t off, const sac_das_received<E> &in)
{
#pragma unroll
    for (int e = 0; e < E; e++) {
        const bool is_on = ALL || in.w[e] != 0 || in.wi[e] != 0;
#pragma unroll
        for (int k = 0; k < N; k++)
            if (is_on && (off >> (e * N + k) & 1) == 0)
                sum[k] = sac_add(sum[k], in.w[e], in.wi[e], sac_das_value<S, INTERP>(from[e][k]));
    }
}

/* How many elements at a time keep some dozen samples on their way. */
#define SAC_DAS_ELEMENTS(N, INTERP, INSIDE)                                                        \
    ((N) < 3                                     ? (INTERP) == SAC_INTERP_CUBIC ? 2 : 4            \
     : !(INSIDE) || (INTERP) == SAC_INTERP_CUBIC ? 1                                               \
     : (N) < 4                                   ? 4                                               \
     : (N) < 8                                   ? 2                                               \
                                                 : 1)

/*
 * Adds elements [begin, end) to the sums, E at a time; of those that all weigh 1 there are whole
 * numbers of E. What is received of the next ones is found while the samples of these are on their
 * way.
 */
template <typename S, typename Real, int N, int INTERP, bool INSIDE, int KIND>
__device__ static inline void
sac_das_add_range(typename sac_sample<S>::sum sum[N], const sac_das_cuda *run,
                  const sac_das_lane &lane, const S *all, const S *data,
                  const sac_das_sent<N> &sent, int32_t begin, int32_t end)
{
    const int E = SAC_DAS_ELEMENTS(N, INTERP, INSIDE);
    const bool is_ahead = N < 9 || !sac_sample<S>::is_iq; /* registers */
    const bool is_whole = KIND >= SAC_DAS_PLAIN;
    uint32_t apart[E];
    int32_t which[E];
    if (begin >= end)
        return;
#pragma unroll
    for (int e = 0; e < E; e++) {
        which[e] = is_whole ? begin + e : min(begin + e, end - 1);
        apart[e] = (uint32_t)e * (uint32_t)run->rx;
        if (is_whole && e > 1)
            sac_keep(apart[e]); /* rather than a product for each sample */
    }
    const S *record = data + begin * run->rx;
    sac_das_received<E> in, now;
    if (is_ahead)
        in = sac_das_hear<S, Real, INSIDE, KIND, E>(run, lane, which, end - begin);
#pragma unroll 1
    for (int32_t r = begin; r < end; r += E, record += E * run->rx) {
        sac_das_taken<S, INTERP> taken[E][N];
        if (!is_whole)
#pragma unroll
            for (int e = 1; e < E; e++)
                apart[e] = (uint32_t)(min(r + e, end - 1) - r) * (uint32_t)run->rx;
        now = in;
        if (!is_ahead)
            now = sac_das_hear<S, Real, INSIDE, KIND, E>(run, lane, which, end - r);
        const sac_das_bits bits = INSIDE || !sac_das_all_inside<N, E, INTERP>(&run->das, sent, now)
                                      ? sac_das_take_all<S, N, E, INTERP, INSIDE>(
                                            taken, &run->das, record, apart, sent, now)
                                      : sac_das_take_all<S, N, E, INTERP, true>(
                                            taken, &run->das, record, apart, sent, now);
#pragma unroll
        for (int e = 0; e < E; e++)
            which[e] = min(r + E + e, is_whole ? end - E + e : end - 1);
        if (is_ahead)
            in = sac_das_hear<S, Real, INSIDE, KIND, E>(run, lane, which, end - r - E);
        sac_das_add_all<S, N, E, INTERP, is_whole>(sum, taken, bits.off | bits.odd, now);
        if (bits.odd == 0)
            continue;
        int32_t here[E];
        for (int e = 0; e < E; e++)
            here[e] = min(r + e, end - 1);
        sac_das_add_odd<S, N, E>(sum, bits.odd, run, lane, all, sent, here, now);
    }
}

/* Adds the first E elements, of those from r on whose bits are set, and clears these. */
template <typename S, typename Real, int N, int INTERP, bool INSIDE, int KIND>
__device__ static inline void
sac_das_add_picked(typename sac_sample<S>::sum sum[N], uint32_t *left, const sac_das_cuda *run,
                   const sac_das_lane &lane, const sac_das_face &face, const S *all, const S *data,
                   const sac_das_sent<N> &sent, int32_t r)
{
    const int E = SAC_DAS_ELEMENTS(N, INTERP, INSIDE);
    const int32_t n = __popc(*left), first = r + __ffs((int)*left) - 1;
    sac_das_taken<S, INTERP> taken[E][N];
    int32_t which[E];
    uint32_t apart[E];
#pragma unroll
    for (int e = 0; e < E; e++) {
        which[e] = e < n ? r + __ffs((int)*left) - 1 : first;
        *left &= *left - 1;
        apart[e] = (uint32_t)(which[e] - r) * (uint32_t)run->rx;
    }
    const sac_das_received<E> now =
        sac_das_hear<S, Real, INSIDE, KIND, E>(run, lane, which, n, face);
    const S *record = data + r * run->rx;
    const sac_das_bits bits =
        INSIDE || !sac_das_all_inside<N, E, INTERP>(&run->das, sent, now)
            ? sac_das_take_all<S, N, E, INTERP, INSIDE>(taken, &run->das, record, apart, sent, now)
            : sac_das_take_all<S, N, E, INTERP, true>(taken, &run->das, record, apart, sent, now);
    sac_das_add_all<S, N, E, INTERP, KIND >= SAC_DAS_PLAIN>(sum, taken, bits.off | bits.odd, now);
    if (bits.odd != 0)
        sac_das_add_odd<S, N, E>(sum, bits.odd, run, lane, all, sent, which, now);
}

/* Those of any array, or of a plane, that some point of the warp may have in its aperture: first
 * those that weigh 1 at all of its points, as long as there are E. */
template <typename S, typename Real, int N, int INTERP, bool INSIDE, bool PLANE>
__device__ static inline void
sac_das_add_heard(typename sac_sample<S>::sum sum[N], const sac_das_cuda *run,
                  const sac_das_lane &lane, const S *all, const S *data,
                  const sac_das_sent<N> &sent, int32_t begin, int32_t end)
{
    const int FLAT = PLANE ? SAC_DAS_PLANE : SAC_DAS_PLAIN,
              KIND = PLANE ? SAC_DAS_FACE : SAC_DAS_ANY;
    const int E = SAC_DAS_ELEMENTS(N, INTERP, INSIDE);
    const bool limited = run->das.apodization.f_number > 0;
    const sac_das_ball ball = sac_das_ball_of(lane);
    const sac_das_face face = PLANE ? sac_das_face_of(run, lane) : sac_das_face();
#pragma unroll 1
    for (int32_t r = begin; r < end; r += SAC_WARP) {
        const int32_t mine = r + (int32_t)(threadIdx.x % SAC_WARP);
        const sac_das_hearing how = mine >= end ? SAC_DAS_DEAF
                                    : !limited  ? SAC_DAS_FLAT
                                                : sac_das_ball_hears(ball, run, mine);
        uint32_t left = __ballot_sync(SAC_ALL_LANES, how == SAC_DAS_SOME);
        uint32_t flat = __ballot_sync(SAC_ALL_LANES, how == SAC_DAS_FLAT);
#pragma unroll 1
        while (__popc(flat) >= E)
            sac_das_add_picked<S, Real, N, INTERP, INSIDE, FLAT>(sum, &flat, run, lane, face, all,
                                                                 data, sent, r);
        left |= flat;
#pragma unroll 1
        while (left != 0)
            sac_das_add_picked<S, Real, N, INTERP, INSIDE, KIND>(sum, &left, run, lane, face, all,
                                                                 data, sent, r);
    }
}

/* Whether places of N slots and of the elements fit 32 bits. */
__device__ static inline bool sac_das_places_fit(const sac_das_cuda *run, int N, int32_t n_frames)
{
    return (llabs(run->tx) + llabs(run->frame) * (n_frames > 1)) * N +
               llabs(run->rx) * (SAC_WARP + 1) + run->das.n_samples <
           INT32_MAX;
}

template <typename Real, int N>
__device__ static inline sac_das_sent<N>
sac_das_sent_of(const sac_das_cuda *run, const sac_das_lane &lane, const double offset[N],
                const sac_das_slots<N> &slots, int32_t first, int32_t n_frames)
{
    sac_das_sent<N> sent;
    sent.low = INT32_MAX;
    sent.high = INT32_MIN;
#pragma unroll
    for (int k = 0; k < N; k++) {
        const int64_t fixed =
            sac_das_fixed(sizeof(Real) == sizeof(float) ? offset[k] + lane.l0 : offset[k]);
        sent.low = min(sent.low, (int32_t)(fixed >> 32));
        sent.high = max(sent.high, (int32_t)(fixed >> 32));
        sent.place[k] = (slots.t[k] - slots.t[0]) * (int32_t)run->tx +
                        (slots.f[k] - slots.f[0]) * (int32_t)run->frame;
        sent.at[k] = (uint32_t)(fixed >> 32) + (uint32_t)sent.place[k] - SAC_DAS_ROUNDER_BITS;
        sent.rest[k] = (float)(uint32_t)fixed * 2.3283064e-10f;
    }
    sent.end = sac_das_end_of<Real>(run);
    sent.first = first;
    sent.n = slots.n;
    sent.n_frames = n_frames;
    return sent;
}

/* Whether elements that do not weigh 1 for all of the warp are of kind SAC_DAS_EDGE. */
template <typename Real> __device__ static inline bool sac_das_is_edge(const sac_das_cuda *run)
{
    return run->das.pitch_m > 0 && sac_das_tapers<Real>(&run->das.apodization);
}

/* Whether that is so, or all elements weigh 1. */
template <typename Real> __device__ static inline bool sac_das_is_common(const sac_das_cuda *run)
{
    return sac_das_is_edge<Real>(run) || run->das.apodization.f_number <= 0;
}

/* All elements of the common cases, all delays inside. Those that all weigh 1 come last, in whole
 * numbers of E; what they need is less. */
template <typename S, typename Real, int N, int INTERP, bool PLANE>
__device__ static inline void sac_das_sum_inside(typename sac_sample<S>::sum sum[N],
                                                 const sac_das_cuda *run, const sac_das_lane &lane,
                                                 const S *all, const S *data,
                                                 const sac_das_sent<N> &sent)
{
    const int E = SAC_DAS_ELEMENTS(N, INTERP, true);
    const int32_t plain_end = lane.plain + (lane.plain_end - lane.plain) / E * E;
    if (PLANE && run->das.apodization.f_number > 0) {
        sac_das_add_heard<S, Real, N, INTERP, true, true>(sum, run, lane, all, data, sent,
                                                          lane.begin, lane.end);
    } else if (!PLANE && run->das.pitch_m > 0) {
#pragma unroll 1
        for (int side = 0; side < 2; side++)
            sac_das_add_range<S, Real, N, INTERP, true, SAC_DAS_EDGE>(
                sum, run, lane, all, data, sent, side ? plain_end : lane.begin,
                side ? lane.end : lane.plain);
        sac_das_add_range<S, Real, N, INTERP, true, SAC_DAS_LINE>(sum, run, lane, all, data, sent,
                                                                  lane.plain, plain_end);
    } else {
        sac_das_add_range<S, Real, N, INTERP, true, SAC_DAS_TAIL>(sum, run, lane, all, data, sent,
                                                                  plain_end, lane.end);
        sac_das_add_range<S, Real, N, INTERP, true, PLANE ? SAC_DAS_PLANE : SAC_DAS_PLAIN>(
            sum, run, lane, all, data, sent, lane.begin, plain_end);
    }
}

/* Of delays in double, which the ends need most often. */
template <typename S, int N, int INTERP, bool PLANE>
__device__ static inline void
sac_das_sum_ends(typename sac_sample<S>::sum sum[N], const sac_das_cuda *run,
                 const sac_das_lane &lane, const S *all, const S *data, const sac_das_sent<N> &sent)
{
    if (!PLANE && sac_das_is_edge<double>(run))
        sac_das_add_range<S, double, N, INTERP, false, SAC_DAS_EDGE>(sum, run, lane, all, data,
                                                                     sent, lane.begin, lane.end);
    else
        sac_das_add_heard<S, double, N, INTERP, false, PLANE>(sum, run, lane, all, data, sent,
                                                              lane.begin, lane.end);
}

/* The same sums, whatever the delays. */
template <typename S, int N>
__device__ static inline void sac_das_sum_exact(typename sac_sample<S>::sum sum[N],
                                                const sac_das_cuda *run, const sac_das_lane &lane,
                                                const S *data, int32_t first, int32_t n,
                                                int32_t n_frames)
{
    for (int32_t r = lane.begin; r < lane.end; r++) {
        float w = sac_das_weight_of<double>(run, lane, r), wi = 0;
        if (w == 0)
            continue;
        if (sac_sample<S>::is_iq) {
            float c, s;
            const double l = sac_das_distance(run, r, lane.p, lane.off_line, run->das.pitch_m > 0);
            sac_das_rotation(&c, &s, (float)sac_das_fraction(l * run->turns));
            wi = w * s;
            w *= c;
        }
#pragma unroll
        for (int k = 0; k < N; k++)
            if (k < n)
                sum[k] = sac_add(sum[k], w, wi,
                                 sac_das_exactly(run, data, lane.p[0], lane.p[1], lane.p[2],
                                                 lane.at.index, first + k, n_frames, r));
    }
}

#endif
