/*
 * What `frames` (das_frames.cuh) takes of a point and an element: which elements a warp asks, where
 * an element's samples lie, and what each weighs.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_STAGE_CUH
#define SAC_BEAMFORM_DAS_STAGE_CUH

#include "beamform/kernels/das/cuda/das_aside.cuh"

/* Samples of a delay: two side by side, as linear interpolation takes inside of records; any two;
 * a cubic's four; the nearest one. */
enum { SAC_DAS_PAIR, SAC_DAS_TWO, SAC_DAS_FOUR, SAC_DAS_ONE };
#define SAC_DAS_HALVES(FORM) ((FORM) == SAC_DAS_ONE ? 1 : 2) /* of the lanes, a sample each */

/*
 * What a warp's lanes computed, each for a point and an element: both samples' weights, and how
 * many bytes after the start of the transmit's data they lie, of a pair the first one. Neighbours
 * are read together; the gaps keep both halves of the lanes from the same banks. N more of a
 * cubic's other two samples.
 */
template <typename S, int N, int FORM> struct sac_das_staged {
    typedef typename sac_sample<S>::value weight_type; /* of RF without a rotation */
    weight_type weight[SAC_DAS_HALVES(FORM)][N + 16 / sizeof(weight_type)];
    /* Of a pair and of one sample the first is enough: the other is room for sac_das_join. */
    uint32_t at[FORM == SAC_DAS_PAIR && sac_sample<S>::is_iq ? 1 : 2][N + 16];
};

__device__ static inline void sac_das_put_weight(float2 *to, float re, float im)
{
    *to = make_float2(re, im);
}

__device__ static inline void sac_das_put_weight(float *to, float re, float)
{
    *to = re;
}

/* Those of four neighbours. */
__device__ static inline void sac_das_take_weights(float2 to[4], const float2 *from)
{
    const float4 low = *(const float4 *)from, high = *(const float4 *)(from + 2);
    to[0] = make_float2(low.x, low.y);
    to[1] = make_float2(low.z, low.w);
    to[2] = make_float2(high.x, high.y);
    to[3] = make_float2(high.z, high.w);
}

__device__ static inline void sac_das_take_weights(float2 to[4], const float *from)
{
    const float4 all = *(const float4 *)from;
    to[0].x = all.x;
    to[1].x = all.y;
    to[2].x = all.z;
    to[3].x = all.w;
}

/* Elements [next, end) are to be staged; of a queue these are its places, and [tested, n_rx) are
 * the elements that are not in it yet: none without one. */
typedef struct sac_das_turn_of {
    int32_t next, end, tested, n_rx;
} sac_das_turn_of;

/* Elements that the warp hears, in turn; those that weigh 1 at all of its points have the bit. Of a
 * linear array they are a range: there is no queue. */
#define SAC_DAS_QUEUE 64 /* less than a stage's and those of one vote */
#define SAC_DAS_QUEUE_PLAIN (1 << 30)
template <bool LINE> struct sac_das_queue {
    int32_t element[SAC_DAS_QUEUE];
    sac_das_ball ball;
};
template <> struct sac_das_queue<true> {
};

/* Of the N points that neighbouring lanes are. */
template <int N>
__device__ static inline void sac_das_queue_open(sac_das_queue<false> *queue,
                                                 const sac_das_lane &lane)
{
    queue->ball = sac_das_ball_of(lane, N); /* all lanes write the same */
}

template <int N>
__device__ static inline void sac_das_queue_open(sac_das_queue<true> *, const sac_das_lane &)
{
}

/* Fills the queue with n elements, if there are as many; false: none is left. */
__device__ static inline bool sac_das_call(sac_das_turn_of *turn, sac_das_queue<false> *queue,
                                           const sac_das_cuda *run, int32_t n)
{
    const int32_t lane = (int32_t)(threadIdx.x % SAC_WARP);
    while (turn->end - turn->next < n && turn->tested < turn->n_rx) {
        const int32_t r = turn->tested + lane;
        const sac_das_hearing how =
            r < turn->n_rx ? sac_das_ball_hears(queue->ball, run, r) : SAC_DAS_DEAF;
        const uint32_t heard = __ballot_sync(SAC_ALL_LANES, how != SAC_DAS_DEAF);
        if (how != SAC_DAS_DEAF)
            queue->element[(turn->end + __popc(heard & ((1u << lane) - 1))) % SAC_DAS_QUEUE] =
                how == SAC_DAS_FLAT ? r | SAC_DAS_QUEUE_PLAIN : r;
        turn->end += __popc(heard);
        turn->tested += SAC_WARP;
    }
    return turn->next < turn->end;
}

__device__ static inline bool sac_das_call(sac_das_turn_of *turn, sac_das_queue<true> *,
                                           const sac_das_cuda *, int32_t)
{
    return turn->next < turn->end;
}

/* Who is at a place. */
__device__ static inline int32_t sac_das_called(const sac_das_queue<false> &queue,
                                                const sac_das_cuda *run, int32_t place)
{
    return run->has_aperture ? queue.element[place % SAC_DAS_QUEUE] : place;
}

__device__ static inline int32_t sac_das_called(const sac_das_queue<true> &, const sac_das_cuda *,
                                                int32_t place)
{
    return place;
}

/* An element at a point: its distance, in single precision what that is more than the middle's; the
 * weight, 0 outside of the aperture. */
template <typename Real> struct sac_das_element;
template <> struct sac_das_element<double> {
    double distance;
    float weight;
    int32_t r;
};
template <> struct sac_das_element<float> {
    float rest, off, weight; /* off: how far the rest errs at most */
    int32_t r;
};

/* The window of element r of a linear array, in the aperture; of a steep edge in double, but for
 * its cosine. As a call it takes no registers where it is not asked for. */
__device__ static __noinline__ float sac_das_line_window(const sac_das_cuda *run, double x,
                                                         double y, double z, float open, int32_t r)
{
    const sac_apodization *a = &run->das.apodization;
    const double across = x - run->place[4 * r], aside2 = fma(across, across, y * y);
    if (sac_das_tapers<double>(a))
        return sac_das_tapered(sac_das_taper_of(a), (float)aside2 * open);
    float cosine, unused;
    sac_rotate(&cosine, &unused, sac_das_window(a, 2 * a->f_number * sqrt(aside2) / z));
    return fmaxf(fmaf(0.5f, cosine, 0.5f), SAC_DAS_LEAST);
}

/* Of a linear array, in the aperture. */
__device__ static inline float sac_das_line_weight(const sac_das_cuda *run, const sac_das_eye &eye,
                                                   int32_t r, double)
{
    const double *p = eye.lane.p;
    return sac_das_line_window(run, p[0], p[1], p[2], eye.lane.open, r);
}

__device__ static inline float sac_das_line_weight(const sac_das_cuda *run, const sac_das_eye &eye,
                                                   int32_t r, float)
{
    if (!run->tapers || eye.sure == 0)
        return sac_das_window_anew(run, eye.lane.at.index, r);
    return sac_das_line_tapered<float>(run, eye.lane, run->taper, r);
}

/* Of any other array. */
__device__ static inline float sac_das_other_weight(const sac_das_cuda *run, const sac_das_eye &eye,
                                                    int32_t r, double)
{
    return sac_das_weight_any<double, true>(run, eye.lane, r);
}

__device__ static inline float sac_das_other_weight(const sac_das_cuda *run, const sac_das_eye &eye,
                                                    int32_t r, float)
{
    if (eye.sure == 0)
        return sac_das_window_anew(run, eye.lane.at.index, r);
    if (!run->is_plane || !run->tapers)
        return sac_das_weight_any<float, true>(run, eye.lane, r);
    bool is_unsure;
    const float weight = sac_das_face_weight<float>(&is_unsure, run, eye.lane, eye.face, r);
    return is_unsure ? sac_das_window_anew(run, eye.lane.at.index, r) : weight;
}

/* Its distance. */
template <bool LINE>
__device__ static inline void sac_das_find(sac_das_element<double> *e, const sac_das_cuda *run,
                                           const sac_das_lane &lane)
{
    e->distance = sac_das_distance(run, e->r, lane.p, lane.off_line, LINE);
}

template <bool LINE>
__device__ static inline void sac_das_find(sac_das_element<float> *e, const sac_das_cuda *run,
                                           const sac_das_lane &lane)
{
    float unused;
    sac_das_receive_at<float, LINE ? SAC_DAS_LINE : SAC_DAS_ANY>(&e->rest, &unused, &e->off, run,
                                                                 lane, e->r, false);
}

/* is_flat: it weighs 1 there, which of arrays that are no line need not be asked. */
template <typename Real, bool LINE>
__device__ static inline sac_das_element<Real> sac_das_element_of(const sac_das_cuda *run,
                                                                  const sac_das_eye &eye, int32_t r,
                                                                  bool is_there, bool is_flat)
{
    const bool is_on = is_there && (!LINE || (r >= eye.lane.first && r < eye.lane.last));
    const bool has_window = LINE ? run->has_window : run->has_aperture;
    sac_das_element<Real> e;
    e.r = r;
    sac_das_find<LINE>(&e, run, eye.lane);
    e.weight = is_on ? 1 : 0;
    if (has_window && is_on && !is_flat)
        e.weight = LINE ? sac_das_line_weight(run, eye, r, Real())
                        : sac_das_other_weight(run, eye, r, Real());
    return e;
}

/* Where a delay lies: whole samples, SAC_DAS_NOWHERE where nothing is received, the rest, and the
 * turns of its rotation. */
#define SAC_DAS_NOWHERE (-1)
typedef struct sac_das_delay {
    int32_t whole;
    float rest, turns;
} sac_das_delay;

template <int FORM> __device__ static inline bool sac_das_is_nearest(const sac_das *das)
{
    return FORM == SAC_DAS_ONE || (FORM == SAC_DAS_TWO && das->interp == SAC_INTERP_NEAREST);
}

template <int FORM> __device__ static inline bool sac_das_clamps(const sac_das *das)
{
    return FORM != SAC_DAS_PAIR && das->outside == SAC_OUTSIDE_CLAMP;
}

/* A delay of s samples; nearest interpolation leaves no rest. */
template <typename S, int FORM>
__device__ static inline sac_das_delay sac_das_delay_at(const sac_das_cuda *run, double s,
                                                        double since)
{
    const sac_das *das = &run->das;
    sac_das_delay at = {};
    at.whole = sac_das_split(&at.rest, s);
    const bool is_in = sac_das_clamps<FORM>(das) || sac_das_is_inside(das, at.whole, s);
    if (sac_das_is_nearest<FORM>(das)) {
        at.whole = sac_das_split(&at.rest, s + 0.5);
        at.rest = 0;
    }
    at.whole = is_in ? at.whole : SAC_DAS_NOWHERE;
    if (sac_sample<S>::is_iq)
        at.turns = (float)sac_das_fraction(fma(s, run->turns, since));
    return at;
}

/* Of transmit t and element r at the point of that index, in double. As a call it takes no
 * registers where it is not asked for. */
template <typename S, int FORM>
__device__ static __noinline__ sac_das_delay sac_das_delay_anew(const sac_das_cuda *run,
                                                                int64_t index, int32_t t, int32_t r)
{
    double p[3];
    sac_das_point(p, &run->das, index);
    sac_das_receive_at(&p[0], &p[1], &run->das.line);
    for (int i = 0; i < 3; i++)
        p[i] *= run->scale;
    const double l = sac_das_distance(run, r, p, sac_das_off_line(p), run->das.pitch_m > 0);
    return sac_das_delay_at<S, FORM>(run, sac_das_offset(run, t, p, index) + l,
                                     sac_das_since_turns(run, t));
}

template <typename S, int FORM>
__device__ static inline sac_das_delay
sac_das_delay_of(const sac_das_cuda *run, const sac_das_wave_at<double> &wave,
                 const sac_das_element<double> &element, const int64_t *, uint32_t, int32_t)
{
    return sac_das_delay_at<S, FORM>(run, wave.offset + element.distance, wave.since);
}

/* In single precision: what lies within a sample of the record's ends is left to double, and so is
 * the nearest sample where it is not sure. `index`, of the point, is read there alone. */
template <typename S, int FORM>
__device__ static inline sac_das_delay
sac_das_delay_of(const sac_das_cuda *run, const sac_das_wave_at<float> &wave,
                 const sac_das_element<float> &element, const int64_t *index, uint32_t sure,
                 int32_t t)
{
    const sac_das *das = &run->das;
    const float both = wave.rest + element.rest, step = __fadd_rd(both, SAC_DAS_ROUNDER);
    sac_das_delay at = {};
    at.whole = (int32_t)(wave.at + __float_as_uint(step));
    at.rest = both - (step - SAC_DAS_ROUNDER);
    if (sac_sample<S>::is_iq)
        at.turns = sac_das_turns_of(fmaf(element.rest, run->turns_f32, wave.turns0));
    const bool is_inside = (uint32_t)(at.whole - 1) < sure;
    bool is_odd = sure == 0;
    if (!sac_das_clamps<FORM>(das) && !is_inside) {
        is_odd = is_odd || (uint32_t)(at.whole + 1) <= (uint32_t)das->n_samples;
        at.whole = SAC_DAS_NOWHERE;
    }
    if (sac_das_is_nearest<FORM>(das)) {
        is_odd = is_odd || fabsf(at.rest - 0.5f) < element.off;
        at.whole += at.whole != SAC_DAS_NOWHERE && at.rest >= 0.5f;
        at.rest = 0;
    }
    if (is_odd && element.weight != 0)
        at = sac_das_delay_anew<S, FORM>(run, *index, t, element.r);
    else if (is_odd) /* what is long may be no number, and 0 times that */
        at = {SAC_DAS_NOWHERE, 0, 0};
    return at;
}

/* One sample: what weighs nothing is not taken, but a zero of the gap after the record. */
template <typename Staged>
__device__ static inline void sac_das_put_tap(Staged *staged, int upper, int slot, float2 w,
                                              const sac_das_cuda *run, uint32_t record, int32_t i,
                                              uint32_t sample)
{
    const int32_t at = w.x == 0 && w.y == 0 ? run->das.n_samples : i;
    sac_das_put_weight(&staged->weight[upper][slot], w.x, w.y);
    staged->at[upper][slot] = record + (uint32_t)at * sample;
}

/* What it receives of a wave of transmit t: its samples as sac_das_taps has them. */
template <typename S, int FORM, int N, typename Real>
__device__ static inline void
sac_das_stage(sac_das_staged<S, N, FORM> *staged, int slot, const sac_das_cuda *run,
              const sac_das_wave_at<Real> &wave, const sac_das_element<Real> &element,
              const int64_t *index, uint32_t sure, int32_t t)
{
    const sac_das *das = &run->das;
    const int32_t last = das->n_samples - 1;
    const sac_das_delay at = sac_das_delay_of<S, FORM>(run, wave, element, index, sure, t);
    int32_t whole = at.whole;
    float rest = at.rest;
    if (sac_das_clamps<FORM>(das)) {
        rest = whole < 0 || whole >= last ? 0 : rest;
        whole = min(max(whole, 0), last);
    }
    const float w = whole < 0 ? 0 : wave.weight * element.weight;
    float c = w, sine = 0;
    if (sac_sample<S>::is_iq) {
        sac_rotate(&c, &sine, at.turns);
        c *= w;
        sine *= w;
    }
    const uint32_t sample = (uint32_t)run->group * (uint32_t)sizeof(S); /* bytes */
    const uint32_t record = (uint32_t)element.r * (uint32_t)(das->n_samples + SAC_DAS_GAP) * sample;
    if (FORM == SAC_DAS_ONE) {
        sac_das_put_tap(staged, 0, slot, make_float2(c, sine), run, record, whole, sample);
        return;
    }
    const float2 high = make_float2(rest * c, rest * sine);
    if (FORM == SAC_DAS_PAIR) {
        const int32_t i = w == 0 ? das->n_samples : whole;
        sac_das_put_weight(&staged->weight[0][slot], c - high.x, sine - high.y);
        sac_das_put_weight(&staged->weight[1][slot], high.x, high.y);
        staged->at[0][slot] = record + (uint32_t)i * sample;
        return;
    }
    if (FORM == SAC_DAS_TWO) {
        sac_das_put_tap(staged, 0, slot, make_float2(c - high.x, sine - high.y), run, record, whole,
                        sample);
        sac_das_put_tap(staged, 1, slot, high, run, record, whole + 1, sample);
        return;
    }
    float share[4];
    sac_das_cubic(share, rest, whole > 0 && whole < last - 1);
#pragma unroll
    for (int i = 0; i < 4; i++)
        sac_das_put_tap(staged, i % 2, slot + i / 2 * (N / 2),
                        make_float2(share[i] * c, share[i] * sine), run, record, whole - 1 + i,
                        sample);
}

#endif
