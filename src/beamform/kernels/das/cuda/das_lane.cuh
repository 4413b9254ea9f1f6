/*
 * What a thread of `points` and `frames` knows of its point: where it is, and which elements count.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DAS_LANE_CUH
#define SAC_BEAMFORM_DAS_LANE_CUH

#include "beamform/kernels/das/cuda/das_cuda.cuh"

/* What a thread knows of its point. */
typedef struct sac_das_lane {
    sac_das_place at;
    double sent[3];          /* where a wave meets it, in samples */
    double p[3], off_line;   /* where elements receive it: the same, but before lines; the square's
                                part that is the same for all of a line */
    float pf[3], off_line_f; /* the same, pf from the array's middle */
    double l0;               /* the distance to the array's middle, which single precision keeps */
    float half_l0, turns0, turns; /* its turns, and those of a sample */
    double near, far;
    int32_t begin, end;       /* elements of the warp */
    int32_t first, last;      /* of the point, on a linear array: [first, last) */
    int32_t plain, plain_end; /* those that weigh 1 for all of the warp */
    float open, aside2; /* of a linear array: (2 F / z)^2 and y^2; else (2 F)^2 and how far off
                           a coordinate may be */
} sac_das_lane;

/* What follows from its place and its distance to the array's middle. */
__device__ static inline void sac_das_lane_from(sac_das_lane *lane, const sac_das_cuda *run)
{
    for (int i = 0; i < 3; i++)
        lane->pf[i] = (float)(lane->p[i] - run->middle[i]);
    lane->off_line = sac_das_off_line(lane->p);
    lane->off_line_f = fmaxf((float)lane->off_line, 1e-30f);
    lane->turns = (float)run->turns;
    lane->half_l0 = fmaxf((float)(0.5 * lane->l0), 1e-15f);
    lane->turns0 = (float)sac_das_fraction(lane->l0 * run->turns);
    /* The compiler would rather convert them again for each element. */
    sac_keep(lane->pf[0], lane->pf[1], lane->pf[2], lane->off_line_f, lane->turns, lane->turns0,
             lane->half_l0);
}

/* All but what it shares with the warp, and its distances. */
__device__ static inline sac_das_lane sac_das_lane_at(const sac_das_cuda *run,
                                                      const sac_das_place &at)
{
    sac_das_lane lane;
    double l2 = 0;
    lane.at = at;
    for (int i = 0; i < 3; i++)
        lane.sent[i] = at.m[i] * run->scale;
    sac_das_receive_at(&lane.at.m[0], &lane.at.m[1], &run->das.line);
    for (int i = 0; i < 3; i++) {
        lane.p[i] = lane.at.m[i] * run->scale;
        const double from = lane.p[i] - run->middle[i];
        l2 = fma(from, from, l2);
    }
    lane.l0 = sqrt(l2);
    sac_das_lane_from(&lane, run);
    sac_das_aperture_inline(&lane.first, &lane.last, &run->das, lane.at.m);
    const bool is_line = run->das.pitch_m > 0;
    const float open = (float)(2 * run->das.apodization.f_number / (is_line ? lane.p[2] : 1));
    lane.open = open * open;
    if (!is_line)
        sac_das_reach(&lane.near, &lane.far, run, lane.p, run->box[0][0], run->box[1][0]);
    lane.aside2 = is_line ? (float)(lane.p[1] * lane.p[1]) : 1e-6f * (float)(lane.far + lane.l0);
    return lane;
}

__device__ static inline sac_das_lane
sac_das_lane_of(const sac_das_cuda *run, const sac_das_place &at, const sac_das_tiles &tiles)
{
    const sac_apodization *a = &run->das.apodization;
    sac_das_lane lane = sac_das_lane_at(run, at);
    lane.begin = lane.first;
    lane.end = lane.last;
    lane.plain = -lane.first;
    lane.plain_end = -lane.last;
    sac_das_warp_span(&lane.begin, &lane.end);
    sac_das_warp_span(&lane.plain, &lane.plain_end);
    lane.plain = -lane.plain;
    lane.plain_end = -lane.plain_end;
    const bool is_plain =
        a->f_number <= 0 || (run->das.pitch_m > 0 && a->window == SAC_WINDOW_RECT);
    sac_das_part_of(&lane.begin, &lane.end, tiles);
    if (!is_plain || lane.plain_end < lane.plain)
        lane.plain = lane.plain_end = lane.end;
    lane.plain = min(max(lane.plain, lane.begin), lane.end);
    lane.plain_end = min(max(lane.plain_end, lane.begin), lane.end);
    if (run->das.pitch_m > 0 && lane.begin < lane.end) { /* which alone are asked */
        sac_das_reach(&lane.near, &lane.far, run, lane.p, run->place[4 * lane.begin],
                      run->place[4 * (lane.end - 1)]);
        /* Single precision counts from l0: within the record, too, that is so near that it can. */
        lane.near = fmin(lane.near, lane.l0);
        lane.far = fmax(lane.far, lane.l0);
    } else {
        sac_das_reach(&lane.near, &lane.far, run, lane.p, run->box[0][0], run->box[1][0]);
    }
    return lane;
}

#endif
