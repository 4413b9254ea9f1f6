/*
 * What a warp of `frames` (das_frames.cuh) knows of its points, and of the waves that reach them,
 * in shared memory: over the sums it would take registers. Real is that of receive delays: in
 * double, or in single precision as das_receive.cuh has them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_ASIDE_CUH
#define SAC_BEAMFORM_DAS_ASIDE_CUH

#include "beamform/kernels/das/cuda/das_receive.cuh"
#include "beamform/kernels/das/cuda/das_take.cuh"

/* Of N points. LINE: of a linear array. */
template <int N, bool LINE> struct sac_das_points_common {
    double p[3][N];
    int64_t index[N];
    int2 aperture[LINE ? N : 1]; /* elements from the first to before the last */
    int32_t begin, end;          /* those of all points together */
    bool is_there;               /* any point */
};
template <typename Real, int N, bool LINE> struct sac_das_points_aside;
template <int N, bool LINE>
struct sac_das_points_aside<double, N, LINE> : sac_das_points_common<N, LINE> {
    double off_line[N];
    float open[N], aside2[N];
};
template <int N, bool LINE>
struct sac_das_points_aside<float, N, LINE> : sac_das_points_common<N, LINE> {
    float4 place[N], sees[N];
    uint32_t sure; /* sac_das_sure_of, the least */
};

/* What a lane computes an element's delay and weight from: of `lane` what is set here. `sure` is of
 * single precision: where it is 0 weights are found in double, too. */
typedef struct sac_das_eye {
    sac_das_lane lane;
    sac_das_face face;
    uint32_t sure;
} sac_das_eye;

/* How many whole samples, from 1 on, are inside the record for sure, by delays in single precision;
 * 0 where these are too long to tell. */
__device__ static inline uint32_t sac_das_sure_of(const sac_das_cuda *run, const sac_das_lane &lane)
{
    double near, far;
    sac_das_reach(&near, &far, run, lane.p, run->box[0][0], run->box[1][0]);
    const double span = fmax(far, lane.l0) + fabs(lane.p[0]) + fabs(lane.p[1]) + fabs(lane.p[2]);
    const bool is_short = span < SAC_DAS_LONG && sac_das_end_of<float>(run) < 0.5f;
    return is_short ? (uint32_t)max(run->das.n_samples - 3, 0) : 0;
}

template <int N, bool LINE>
__device__ static inline void sac_das_put_common(sac_das_points_common<N, LINE> *aside, int i,
                                                 const sac_das_lane &lane)
{
    for (int axis = 0; axis < 3; axis++)
        aside->p[axis][i] = lane.p[axis];
    aside->index[i] = lane.at.index;
    if (LINE)
        aside->aperture[i] = make_int2(lane.first, lane.last);
    int32_t begin = lane.first, end = lane.last;
    sac_das_warp_span(&begin, &end, N);
    aside->begin = begin; /* all of the points' lanes write the same */
    aside->end = end;
    aside->is_there = lane.at.is_there;
}

/* Point i of N, of which each is a lane's. */
template <int N, bool LINE>
__device__ static inline void sac_das_put_point(sac_das_points_aside<double, N, LINE> *aside, int i,
                                                const sac_das_cuda *, const sac_das_lane &lane)
{
    sac_das_put_common(aside, i, lane);
    aside->off_line[i] = lane.off_line;
    aside->open[i] = lane.open;
    aside->aside2[i] = lane.aside2;
}

template <int N, bool LINE>
__device__ static inline void sac_das_put_point(sac_das_points_aside<float, N, LINE> *aside, int i,
                                                const sac_das_cuda *run, const sac_das_lane &lane)
{
    sac_das_put_common(aside, i, lane);
    int32_t sure = (int32_t)sac_das_sure_of(run, lane), unused = 0;
    sac_das_warp_span(&sure, &unused, N);
    aside->sure = (uint32_t)sure;
    if (LINE) {
        aside->place[i] = make_float4(lane.pf[0], lane.off_line_f, lane.half_l0, lane.open);
        aside->sees[i].x = lane.aside2;
        return;
    }
    const sac_das_face face = sac_das_face_of(run, lane);
    aside->place[i] = make_float4(lane.pf[0], lane.pf[1], lane.pf[2], lane.half_l0);
    aside->sees[i] = run->is_plane && run->tapers ? make_float4(face.open, face.sure, face.most, 0)
                                                  : make_float4(lane.open, lane.aside2, 0, 0);
}

template <int N, bool LINE>
__device__ static inline void sac_das_take_point(sac_das_eye *eye, int i, const sac_das_cuda *,
                                                 const sac_das_points_aside<double, N, LINE> &aside)
{
    sac_das_lane *lane = &eye->lane;
    eye->sure = 0;
    for (int axis = 0; axis < 3; axis++)
        lane->p[axis] = aside.p[axis][i];
    lane->at.index = aside.index[i];
    if (LINE) {
        lane->first = aside.aperture[i].x;
        lane->last = aside.aperture[i].y;
    }
    lane->off_line = aside.off_line[i];
    lane->open = aside.open[i];
    lane->aside2 = aside.aside2[i];
}

template <int N, bool LINE>
__device__ static inline void sac_das_take_point(sac_das_eye *eye, int i, const sac_das_cuda *run,
                                                 const sac_das_points_aside<float, N, LINE> &aside)
{
    sac_das_lane *lane = &eye->lane;
    eye->sure = aside.sure;
    const float4 place = aside.place[i];
    lane->at.index = aside.index[i];
    if (LINE) {
        lane->first = aside.aperture[i].x;
        lane->last = aside.aperture[i].y;
    }
    lane->pf[0] = place.x;
    if (LINE) {
        lane->off_line_f = place.y;
        lane->half_l0 = place.z;
        lane->open = place.w;
        lane->aside2 = aside.sees[i].x;
        return;
    }
    lane->pf[1] = place.y;
    lane->pf[2] = place.z;
    lane->half_l0 = place.w;
    lane->open = aside.sees[i].x;
    lane->aside2 = aside.sees[i].y;
    eye->face = {run->taper, aside.sees[i].x, aside.sees[i].y, aside.sees[i].z};
}

/* When a transmit's wave reaches a point, in samples; the turns of its phase; its weight. In single
 * precision with the way from the array's middle: whole samples less the bits of SAC_DAS_ROUNDER,
 * the rest, and the turns of both. */
template <typename Real> struct sac_das_wave_at;
template <> struct sac_das_wave_at<double> {
    double offset, since;
    float weight;
};
template <> struct __align__(16) sac_das_wave_at<float>
{
    uint32_t at;
    float rest, turns0, weight;
};

__device__ static inline double sac_das_since_turns(const sac_das_cuda *run, int32_t t)
{
    return sac_das_fraction(sac_das_since(run, t) * run->turns);
}

__device__ static inline void sac_das_find_wave(sac_das_wave_at<double> *wave,
                                                const sac_das_cuda *run, const double p[3],
                                                int64_t index, int32_t t)
{
    *wave = {sac_das_offset(run, t, p, index), sac_das_since_turns(run, t),
             run->das.lri ? 1 : run->waves[t].weight};
}

__device__ static inline void sac_das_find_wave(sac_das_wave_at<float> *wave,
                                                const sac_das_cuda *run, const double p[3],
                                                int64_t index, int32_t t)
{
    const double l0 =
        sac_length(p[0] - run->middle[0], p[1] - run->middle[1], p[2] - run->middle[2]);
    const double all = sac_das_offset(run, t, p, index) + l0;
    const int64_t fixed = sac_das_fixed(all);
    const double turns = sac_das_fraction(fma(all, run->turns, sac_das_since_turns(run, t)));
    *wave = {(uint32_t)(fixed >> 32) - SAC_DAS_ROUNDER_BITS,
             (float)(uint32_t)fixed * 2.3283064e-10f, (float)turns,
             run->das.lri ? 1 : run->waves[t].weight};
}

/* Transmits whose waves at the N points of a warp lie aside: an element's distance and weight serve
 * all of them. */
#define SAC_DAS_SENT(N, MANY) (!(MANY) ? 1 : (N) == SAC_WARP ? 4 : 8) /* shared memory */
template <typename Real, int N, int MOST> struct sac_das_waves {
    sac_das_wave_at<Real> at[MOST][N];
};
template <int N, int MOST> struct sac_das_waves<double, N, MOST> {
    double offset[MOST][N], since[MOST];
    float weight[MOST];
};

template <int N, int MOST>
__device__ static inline void sac_das_put_wave(sac_das_waves<double, N, MOST> *waves, int i,
                                               int point, const sac_das_wave_at<double> &wave)
{
    waves->offset[i][point] = wave.offset;
    waves->since[i] = wave.since; /* all points have the same */
    waves->weight[i] = wave.weight;
}

template <int N, int MOST>
__device__ static inline void sac_das_put_wave(sac_das_waves<float, N, MOST> *waves, int i,
                                               int point, const sac_das_wave_at<float> &wave)
{
    waves->at[i][point] = wave;
}

template <int N, int MOST>
__device__ static inline sac_das_wave_at<double>
sac_das_take_wave(const sac_das_waves<double, N, MOST> &waves, int i, int point)
{
    return {waves.offset[i][point], waves.since[i], waves.weight[i]};
}

template <int N, int MOST>
__device__ static inline sac_das_wave_at<float>
sac_das_take_wave(const sac_das_waves<float, N, MOST> &waves, int i, int point)
{
    return waves.at[i][point];
}

/* Of transmits first, first + step and so on; each lane is one of the points. */
template <typename Real, int N, bool LINE, int MOST>
__device__ static inline void sac_das_put_waves(sac_das_waves<Real, N, MOST> *waves,
                                                const sac_das_cuda *run,
                                                const sac_das_points_aside<Real, N, LINE> &aside,
                                                int32_t first, int32_t step, int32_t n)
{
    const int32_t me = (int32_t)(threadIdx.x % SAC_WARP), point = me % N;
    __syncwarp();
    for (int32_t i = me / N; i < n; i += SAC_WARP / N) {
        const double p[3] = {aside.p[0][point], aside.p[1][point], aside.p[2][point]};
        sac_das_wave_at<Real> wave;
        sac_das_find_wave(&wave, run, p, aside.index[point], first + i * step);
        sac_das_put_wave(waves, i, point, wave);
    }
    __syncwarp();
}

#endif
