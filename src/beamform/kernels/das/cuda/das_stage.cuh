/*
 * What `frames` (das_frames.cuh) takes of a point and an element: which elements a warp asks, where
 * an element's samples lie, and what each weighs.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_STAGE_CUH
#define SAC_BEAMFORM_DAS_STAGE_CUH

#include "beamform/kernels/das/cuda/das_receive.cuh"
#include "beamform/kernels/das/cuda/das_take.cuh"

/* Samples of a delay: two side by side, as linear interpolation takes inside of records; any two;
 * a cubic's four. */
enum { SAC_DAS_PAIR, SAC_DAS_TWO, SAC_DAS_FOUR };

/*
 * What a warp's lanes computed, each for a point and an element: both samples' weights, and how
 * many bytes after the start of the transmit's data they lie, of a pair the first one. Neighbours
 * are read together; the gaps keep both halves of the lanes from the same banks. N more of a
 * cubic's other two samples.
 */
template <int N, int FORM> struct sac_das_staged {
    float2 weight[2][N + 2];
    uint32_t at[FORM == SAC_DAS_PAIR ? 1 : 2][N + 16];
};

/* Elements [next, end) are to be staged; of a queue these are its places, and [tested, n_rx) are
 * the elements that are not in it yet: none without one. */
typedef struct sac_das_turn_of {
    int32_t next, end, tested, n_rx;
} sac_das_turn_of;

/* Elements that the warp hears, in turn. */
#define SAC_DAS_QUEUE 64 /* less than a stage's and those of one vote */
typedef struct sac_das_queue {
    int32_t element[SAC_DAS_QUEUE];
    sac_das_ball ball;
} sac_das_queue;

__device__ static inline void sac_das_queue_open(sac_das_queue *queue, const sac_das_lane &lane)
{
    const sac_das_ball ball = sac_das_ball_of(lane);
    if (threadIdx.x % SAC_WARP == 0)
        queue->ball = ball;
    __syncwarp();
}

/* Fills the queue with n elements, if there are as many; false: none is left. */
__device__ static inline bool sac_das_call(sac_das_turn_of *turn, sac_das_queue *queue,
                                           const sac_das_cuda *run, int32_t n)
{
    const int32_t lane = (int32_t)(threadIdx.x % SAC_WARP);
    while (turn->end - turn->next < n && turn->tested < turn->n_rx) {
        const int32_t r = turn->tested + lane;
        const bool is_heard = r < turn->n_rx && sac_das_ball_hears(queue->ball, run, r);
        const uint32_t heard = __ballot_sync(SAC_ALL_LANES, is_heard);
        if (is_heard)
            queue->element[(turn->end + __popc(heard & ((1u << lane) - 1))) % SAC_DAS_QUEUE] = r;
        turn->end += __popc(heard);
        turn->tested += SAC_WARP;
    }
    return turn->next < turn->end;
}

/* A point, and when the transmit's wave reaches it. */
typedef struct sac_das_source {
    sac_das_lane lane;
    float weight;
    double offset, since; /* of the transmit, in samples and in turns */
} sac_das_source;

__device__ static inline void sac_das_send(sac_das_source *source, const sac_das_cuda *run,
                                           int32_t t)
{
    source->weight = run->das.lri ? 1 : run->waves[t].weight;
    source->offset = sac_das_offset(run, t, source->lane.p, source->lane.at.index);
    source->since = sac_das_since(run, t) * run->turns;
}

/* Where a delay lies: whole samples and the rest, whether that is inside of the record; IQ's turns.
 */
typedef struct sac_das_spot_at {
    int32_t whole;
    float rest, turns;
    bool is_in;
} sac_das_spot_at;

template <typename S>
__device__ static inline sac_das_spot_at sac_das_spot_of(const sac_das_cuda *run,
                                                         const sac_das_source &source, int32_t r,
                                                         bool is_line, bool may_be_nearest)
{
    const sac_das_lane *lane = &source.lane;
    const double s = source.offset + sac_das_distance(run, r, lane->p, lane->off_line, is_line);
    sac_das_spot_at at = {0, 0, 0, false};
    at.whole = sac_das_split(&at.rest, s);
    at.is_in = sac_das_is_inside(&run->das, at.whole, at.rest);
    if (may_be_nearest && run->das.interp == SAC_INTERP_NEAREST) {
        at.whole = sac_das_split(&at.rest, s + 0.5);
        at.rest = 0;
    }
    if (sac_sample<S>::is_iq)
        at.turns = (float)sac_das_fraction(fma(s, run->turns, source.since));
    return at;
}

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

/* One sample: what weighs nothing is not taken, but a zero of the gap after the record. */
template <typename Staged>
__device__ static inline void sac_das_put_tap(Staged *staged, int half, int slot, float2 w,
                                              const sac_das_cuda *run, uint32_t record, int32_t i,
                                              uint32_t sample)
{
    const int32_t at = w.x == 0 && w.y == 0 ? run->das.n_samples : i;
    staged->weight[half][slot] = w;
    staged->at[half][slot] = record + (uint32_t)at * sample;
}

/* Element r at the lane's point: its samples as sac_das_taps has them. */
template <typename S, bool LINE, int FORM, int N>
__device__ static inline void sac_das_stage(sac_das_staged<N, FORM> *staged, int slot,
                                            const sac_das_cuda *run, const sac_das_source &source,
                                            int32_t r, bool is_there)
{
    const sac_das *das = &run->das;
    const sac_apodization *a = &das->apodization;
    const int32_t last = das->n_samples - 1;
    const double *p = source.lane.p;
    sac_das_spot_at at = sac_das_spot_of<S>(run, source, r, LINE, FORM == SAC_DAS_TWO);
    if (FORM != SAC_DAS_PAIR && das->outside == SAC_OUTSIDE_CLAMP) {
        at.rest = at.whole < 0 || at.whole >= last ? 0 : at.rest;
        at.whole = min(max(at.whole, 0), last);
        at.is_in = true;
    }
    const bool is_on =
        is_there && at.is_in && (!LINE || (r >= source.lane.first && r < source.lane.last));
    float c = is_on ? source.weight : 0, sine = 0;
    if (LINE && a->f_number > 0 && a->window != SAC_WINDOW_RECT && is_on)
        c *= sac_das_line_window(run, p[0], p[1], p[2], source.lane.open, r);
    if (!LINE && a->f_number > 0 && c != 0)
        c *= sac_das_weight_of<double>(run, source.lane, r);
    if (sac_sample<S>::is_iq) {
        const float w = c;
        sac_rotate(&c, &sine, at.turns);
        c *= w;
        sine *= w;
    }
    const uint32_t sample = (uint32_t)run->group * (uint32_t)sizeof(S); /* bytes */
    const uint32_t record = (uint32_t)r * (uint32_t)(das->n_samples + SAC_DAS_GAP) * sample;
    const float2 high = make_float2(at.rest * c, at.rest * sine);
    if (FORM == SAC_DAS_PAIR) {
        const int32_t i = c == 0 && sine == 0 ? das->n_samples : at.whole;
        staged->weight[0][slot] = make_float2(c - high.x, sine - high.y);
        staged->weight[1][slot] = high;
        staged->at[0][slot] = record + (uint32_t)i * sample;
        return;
    }
    if (FORM == SAC_DAS_TWO) {
        sac_das_put_tap(staged, 0, slot, make_float2(c - high.x, sine - high.y), run, record,
                        at.whole, sample);
        sac_das_put_tap(staged, 1, slot, high, run, record, at.whole + 1, sample);
        return;
    }
    float share[4];
    sac_das_cubic(share, at.rest, at.whole > 0 && at.whole < last - 1);
#pragma unroll
    for (int i = 0; i < 4; i++)
        sac_das_put_tap(staged, i % 2, slot + i / 2 * (N / 2),
                        make_float2(share[i] * c, share[i] * sine), run, record, at.whole - 1 + i,
                        sample);
}

#endif
