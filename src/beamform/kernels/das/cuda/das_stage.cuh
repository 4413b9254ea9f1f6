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

/* Elements that the warp hears, in turn; those that weigh 1 at all of its points have the bit. */
#define SAC_DAS_QUEUE 64 /* less than a stage's and those of one vote */
#define SAC_DAS_QUEUE_PLAIN (1 << 30)
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

/* A warp's N points, in shared memory: over the sums they would take registers. */
template <int N> struct sac_das_points_aside {
    double p[3][N], off_line[N];
    int32_t first[N], last[N];
};

template <int N>
__device__ static inline void sac_das_put_points(sac_das_points_aside<N> *aside,
                                                 const sac_das_lane &lane)
{
    const uint32_t i = threadIdx.x % SAC_WARP;
    if (i < N) { /* lanes beyond have the same points again */
        for (int axis = 0; axis < 3; axis++)
            aside->p[axis][i] = lane.p[axis];
        aside->off_line[i] = lane.off_line;
        aside->first[i] = lane.first;
        aside->last[i] = lane.last;
    }
    __syncwarp();
}

/* The rest is left as it is. */
template <int N>
__device__ static inline void sac_das_take_point(sac_das_lane *lane,
                                                 const sac_das_points_aside<N> &aside)
{
    const uint32_t i = threadIdx.x % N;
    for (int axis = 0; axis < 3; axis++)
        lane->p[axis] = aside.p[axis][i];
    lane->off_line = aside.off_line[i];
    lane->first = aside.first[i];
    lane->last = aside.last[i];
}

/* When a transmit's wave reaches a point, in samples; its weight, and the turns of its phase. */
typedef struct sac_das_wave_at {
    double offset, since;
    float weight;
} sac_das_wave_at;

__device__ static inline double sac_das_since_turns(const sac_das_cuda *run, int32_t t)
{
    return sac_das_fraction(sac_das_since(run, t) * run->turns);
}

__device__ static inline float sac_das_wave_weight(const sac_das_cuda *run, int32_t t)
{
    return run->das.lri ? 1 : run->waves[t].weight;
}

__device__ static inline sac_das_wave_at sac_das_wave_at_of(const sac_das_cuda *run,
                                                            const sac_das_lane &lane, int32_t t)
{
    return {sac_das_offset(run, t, lane.p, lane.at.index), sac_das_since_turns(run, t),
            sac_das_wave_weight(run, t)};
}

/* When the waves of up to MOST transmits reach the N points of a warp: an element's distance and
 * weight serve all of them. */
#define SAC_DAS_SENT(N) ((N) == SAC_WARP ? 4 : 8) /* for N points: shared memory */
template <int N, int MOST> struct sac_das_waves {
    double offset[MOST][N], since[MOST];
    float weight[MOST];
};

/* Of transmits first, first + step and so on; each lane is one of the points. */
template <int N, int MOST>
__device__ static inline void sac_das_put_waves(sac_das_waves<N, MOST> *waves,
                                                const sac_das_cuda *run, const sac_das_lane &lane,
                                                int32_t first, int32_t step, int32_t n)
{
    const int32_t me = (int32_t)(threadIdx.x % SAC_WARP);
    __syncwarp();
    for (int32_t i = me / N; i < n; i += SAC_WARP / N)
        waves->offset[i][me % N] = sac_das_offset(run, first + i * step, lane.p, lane.at.index);
    if (me < n) {
        waves->since[me] = sac_das_since_turns(run, first + me * step);
        waves->weight[me] = sac_das_wave_weight(run, first + me * step);
    }
    __syncwarp();
}

/* An element at a point: its distance, the weight, 0 outside of the aperture, and in bytes where
 * its records lie. */
typedef struct sac_das_element {
    double distance;
    float weight;
    uint32_t record;
} sac_das_element;

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

/* is_flat: it weighs 1 there, which of arrays that are no line need not be asked. */
template <typename S, bool LINE>
__device__ static inline sac_das_element sac_das_element_of(const sac_das_cuda *run,
                                                            const sac_das_lane &lane, int32_t r,
                                                            bool is_there, bool is_flat)
{
    const sac_apodization *a = &run->das.apodization;
    const uint32_t sample = (uint32_t)run->group * (uint32_t)sizeof(S); /* bytes */
    const bool is_on = is_there && (!LINE || (r >= lane.first && r < lane.last));
    sac_das_element e;
    e.distance = sac_das_distance(run, r, lane.p, lane.off_line, LINE);
    e.record = (uint32_t)r * (uint32_t)(run->das.n_samples + SAC_DAS_GAP) * sample;
    e.weight = is_on ? 1 : 0;
    if (LINE && a->f_number > 0 && a->window != SAC_WINDOW_RECT && is_on)
        e.weight = sac_das_line_window(run, lane.p[0], lane.p[1], lane.p[2], lane.open, r);
    if (!LINE && a->f_number > 0 && is_on && !is_flat)
        e.weight = sac_das_weight_of<double>(run, lane, r);
    return e;
}

/* What it receives of a wave: its samples as sac_das_taps has them. */
template <typename S, int FORM, int N>
__device__ static inline void sac_das_stage(sac_das_staged<N, FORM> *staged, int slot,
                                            const sac_das_cuda *run, const sac_das_wave_at &wave,
                                            const sac_das_element &element)
{
    const sac_das *das = &run->das;
    const int32_t last = das->n_samples - 1;
    const double s = wave.offset + element.distance;
    float rest;
    int32_t whole = sac_das_split(&rest, s);
    bool is_in = sac_das_is_inside(das, whole, s);
    if (FORM == SAC_DAS_TWO && das->interp == SAC_INTERP_NEAREST) {
        whole = sac_das_split(&rest, s + 0.5);
        rest = 0;
    }
    if (FORM != SAC_DAS_PAIR && das->outside == SAC_OUTSIDE_CLAMP) {
        rest = whole < 0 || whole >= last ? 0 : rest;
        whole = min(max(whole, 0), last);
        is_in = true;
    }
    float c = is_in ? wave.weight * element.weight : 0, sine = 0;
    if (sac_sample<S>::is_iq) {
        const double turns = fma(s, run->turns, wave.since);
        const float w = c; /* with samples beyond the record the turns may be many */
        sac_rotate(&c, &sine, (float)sac_das_fraction(turns));
        c *= w;
        sine *= w;
    }
    const uint32_t sample = (uint32_t)run->group * (uint32_t)sizeof(S), record = element.record;
    const float2 high = make_float2(rest * c, rest * sine);
    if (FORM == SAC_DAS_PAIR) {
        const int32_t i = c == 0 && sine == 0 ? das->n_samples : whole;
        staged->weight[0][slot] = make_float2(c - high.x, sine - high.y);
        staged->weight[1][slot] = high;
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
