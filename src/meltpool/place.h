/*
 * Where to look in a frame, step by step in the stream's order: what the CPU and a GPU share, plain
 * arithmetic that is the same wherever it runs.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_PLACE_H
#define SAC_MELTPOOL_PLACE_H

#include <math.h>

#include "base/host_device.h"
#include "meltpool/kernels/frame.h"

enum { SAC_MELTPOOL_REACH = 4096 /* how far beyond a frame a centre may be, in pixels */ };

/* In 1/65536 of a pixel, x to the right and y down. */
typedef struct sac_meltpool_place {
    int32_t x, y;
} sac_meltpool_place;

/* What a desc says of places. */
typedef struct sac_meltpool_places {
    int32_t h, w, roi, align; /* align: of the ROI's first column */
    int32_t locate;
    bool static_roi, scan_frame;
    sac_meltpool_place fixed;
    double calibration[2][3];
    int32_t threshold, spatter_min;
    int32_t window, n_rows; /* of variances, and of the ring */
    double rate_hz, gap_reset_s;
} sac_meltpool_places;

/* What frames before leave for the next one. */
typedef struct sac_meltpool_stream {
    bool has_frame, has_pool; /* one was processed; one had a pool, since the last gap */
    int32_t next_counter;     /* of a frame without signals */
    int32_t counter;          /* the last processed frame's, */
    sac_meltpool_place centre;
    int64_t n_between;            /* frames since then */
    sac_meltpool_place pool;      /* centroid of the last pool */
    int32_t n, newest;            /* rows that variances may be of, and where the last one is */
    int32_t edge_x[3], edge_y[3]; /* of the scan's sectors */
} sac_meltpool_stream;

/* What is to be done of one frame of a block. */
typedef struct sac_meltpool_step {
    sac_meltpool_frame_job job;
    int32_t row, n;               /* its row of the ring, and how many variances are of */
    sac_meltpool_place brightest; /* with SAC_MELTPOOL_BRIGHTEST */
} sac_meltpool_step;

/* 1/65536 of a pixel from pixels, rounded, halves up; |pixels| < 2^14. */
SAC_HOST_DEVICE static inline int32_t sac_meltpool_q16(double pixels)
{
    const double q16 = pixels * 65536;
    int32_t below = (int32_t)q16; /* floor, without a call */
    below -= below > q16;
    return below + (q16 - below >= 0.5);
}

/* The pixel at a place: rounded, halves up. */
SAC_HOST_DEVICE static inline int32_t sac_meltpool_pixel(int32_t q16)
{
    return (q16 + 32768) >> 16;
}

/* The nearest of 0 .. last. */
SAC_HOST_DEVICE static inline int32_t sac_meltpool_inside(int32_t first, int32_t last)
{
    return first < 0 ? 0 : first < last ? first : last;
}

/* The ROI around a place, its first column rounded down, then moved into the frame. Returns flags.
 */
SAC_HOST_DEVICE static inline uint32_t sac_meltpool_crop(const sac_meltpool_places *p,
                                                         sac_meltpool_frame_job *job,
                                                         sac_meltpool_place around)
{
    const int32_t n = p->roi;
    const int32_t x0 = (sac_meltpool_pixel(around.x) - n / 2) & -p->align;
    const int32_t y0 = sac_meltpool_pixel(around.y) - n / 2;
    job->n = n;
    job->x0 = sac_meltpool_inside(x0, p->w - n);
    job->y0 = sac_meltpool_inside(y0, p->h - n);
    return job->x0 != x0 || job->y0 != y0 ? SAC_MELTPOOL_CLIPPED : 0;
}

/* False where the place is too far away, or no number. */
SAC_HOST_DEVICE static inline bool sac_meltpool_from_laser(const sac_meltpool_places *p,
                                                           sac_meltpool_place *place,
                                                           const sac_meltpool_signals *signals)
{
    const double(*m)[3] = p->calibration;
    const double x = m[0][0] * signals->x + m[0][1] * signals->y + m[0][2];
    const double y = m[1][0] * signals->x + m[1][1] * signals->y + m[1][2];
    const double reach = SAC_MELTPOOL_REACH;
    if (!(x >= -reach && x <= p->w - 1 + reach && y >= -reach && y <= p->h - 1 + reach))
        return false;
    place->x = sac_meltpool_q16(x);
    place->y = sac_meltpool_q16(y);
    return true;
}

/* What a frame's signals say by themselves: SAC_MELTPOOL_EMPTY or SAC_MELTPOOL_REFUSED where it is
 * left out; else 0, and with SAC_MELTPOOL_LASER the place. */
SAC_HOST_DEVICE static inline uint32_t sac_meltpool_look_up(const sac_meltpool_places *p,
                                                            sac_meltpool_place *laser,
                                                            const sac_meltpool_signals *signals)
{
    if (!signals->laser_on)
        return SAC_MELTPOOL_EMPTY;
    const bool refused =
        p->locate == SAC_MELTPOOL_LASER && !sac_meltpool_from_laser(p, laser, signals);
    return refused ? SAC_MELTPOOL_REFUSED : 0;
}

/* Whether so many frames lie between the last processed one and this that variances begin anew. */
SAC_HOST_DEVICE static inline bool sac_meltpool_is_gap(const sac_meltpool_places *p,
                                                       const sac_meltpool_stream *s,
                                                       const sac_meltpool_signals *signals)
{
    const int32_t steps = (int32_t)((uint32_t)signals->counter - (uint32_t)s->counter);
    const int64_t between = steps > 0 ? steps - 1 : s->n_between;
    return s->has_frame && (double)between / p->rate_hz >= p->gap_reset_s;
}

/* Whether the frame's maximum is needed to say where its centre is. */
SAC_HOST_DEVICE static inline bool sac_meltpool_seeks(const sac_meltpool_places *p,
                                                      const sac_meltpool_stream *s,
                                                      const sac_meltpool_signals *signals)
{
    return p->locate == SAC_MELTPOOL_BRIGHTEST ||
           (p->locate == SAC_MELTPOOL_PREVIOUS &&
            (!s->has_pool || sac_meltpool_is_gap(p, s, signals)));
}

/* Edges of a scan that moves by (x, y), which are not both 0. */
SAC_HOST_DEVICE static inline void sac_meltpool_direct(sac_meltpool_stream *stream, double x,
                                                       double y)
{
    const double length = sqrt(x * x + y * y), half_root3 = 0.86602540378443864676;
    const double c = 16384 * x / length, s = 16384 * y / length;
    const double ex[3] = {c, c / 2 - s * half_root3, -c / 2 - s * half_root3};
    const double ey[3] = {s, s / 2 + c * half_root3, -s / 2 + c * half_root3};
    for (int k = 0; k < 3; k++) {
        stream->edge_x[k] = (int32_t)floor(ex[k] + 0.5);
        stream->edge_y[k] = (int32_t)floor(ey[k] + 0.5);
    }
}

/* A stream's beginning. */
SAC_HOST_DEVICE static inline void sac_meltpool_begin(sac_meltpool_stream *stream)
{
    const sac_meltpool_stream none = {0};
    *stream = none;
    sac_meltpool_direct(stream, 1, 0);
}

/* The stream goes on to a frame that is processed. */
SAC_HOST_DEVICE static inline void sac_meltpool_advance(const sac_meltpool_places *p,
                                                        sac_meltpool_stream *s,
                                                        sac_meltpool_place centre, bool gap,
                                                        int32_t counter)
{
    const int32_t n = gap ? 0 : s->n;
    if (p->scan_frame && s->has_frame && (centre.x != s->centre.x || centre.y != s->centre.y))
        sac_meltpool_direct(s, centre.x - s->centre.x, centre.y - s->centre.y);
    s->has_pool = s->has_pool && !gap;
    s->n = n < p->window ? n + 1 : n;
    s->newest = s->newest + 1 < p->n_rows ? s->newest + 1 : 0;
    s->has_frame = true;
    s->centre = centre;
    s->counter = counter;
    s->n_between = 0;
}

/* A frame passes that is not processed. */
SAC_HOST_DEVICE static inline uint32_t sac_meltpool_pass(sac_meltpool_stream *s, uint32_t flag)
{
    s->n_between++;
    return flag;
}

/* The job of a frame at a centre; its pixels are the caller's to say. Returns flags. */
SAC_HOST_DEVICE static inline uint32_t sac_meltpool_job(const sac_meltpool_places *p,
                                                        const sac_meltpool_stream *s,
                                                        sac_meltpool_frame_job *job)
{
    const uint32_t flags = sac_meltpool_crop(p, job, p->static_roi ? p->fixed : s->centre);
    job->threshold = p->threshold;
    job->spatter_min = p->spatter_min;
    job->cx = sac_meltpool_pixel(s->centre.x);
    job->cy = sac_meltpool_pixel(s->centre.y);
    job->cx_q16 = s->centre.x;
    job->cy_q16 = s->centre.y;
    job->scan = p->scan_frame;
    for (int k = 0; k < 3; k++) {
        job->edge_x[k] = s->edge_x[k];
        job->edge_y[k] = s->edge_y[k];
    }
    return flags;
}

/*
 * The next frame of the stream: flags. Unless they are SAC_MELTPOOL_EMPTY or SAC_MELTPOOL_REFUSED
 * the step says what there is to do, but for the frame's pixels. `brightest` is the frame's first
 * maximum, where sac_meltpool_seeks says so.
 */
SAC_HOST_DEVICE static inline uint32_t sac_meltpool_place_next(const sac_meltpool_places *p,
                                                               sac_meltpool_stream *s,
                                                               sac_meltpool_step *step,
                                                               const sac_meltpool_signals *signals,
                                                               sac_meltpool_place brightest)
{
    sac_meltpool_place centre = p->fixed;
    const uint32_t left_out = sac_meltpool_look_up(p, &centre, signals);
    s->next_counter = (int32_t)((uint32_t)signals->counter + 1);
    if (left_out)
        return sac_meltpool_pass(s, left_out);
    const bool gap = sac_meltpool_is_gap(p, s, signals);
    if (sac_meltpool_seeks(p, s, signals))
        centre = brightest;
    else if (p->locate == SAC_MELTPOOL_PREVIOUS)
        centre = s->pool;
    sac_meltpool_advance(p, s, centre, gap, signals->counter);
    step->row = s->newest;
    step->n = s->n;
    return (gap ? SAC_MELTPOOL_GAP : 0) | sac_meltpool_job(p, s, &step->job);
}

/* The centroid of a pool, from its sums: exact, then rounded, halves up. */
SAC_HOST_DEVICE static inline int32_t sac_meltpool_centroid(int32_t first, uint32_t sum,
                                                            uint32_t area)
{
    return first * 65536 + (int32_t)((UINT64_C(131072) * sum + area) / (2 * (uint64_t)area));
}

/* What a processed frame's pool leaves for the next frame. */
SAC_HOST_DEVICE static inline void sac_meltpool_follow(sac_meltpool_stream *s,
                                                       const sac_meltpool_frame_job *job,
                                                       const sac_meltpool_integers *in)
{
    if (in->area == 0)
        return;
    s->has_pool = true;
    s->pool.x = sac_meltpool_centroid(job->x0, in->sum_x, in->area);
    s->pool.y = sac_meltpool_centroid(job->y0, in->sum_y, in->area);
}

#endif
