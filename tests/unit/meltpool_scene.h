/*
 * Frames and plans for tests of the meltpool pipeline.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_MELTPOOL_SCENE_H
#define SAC_TESTS_MELTPOOL_SCENE_H

#include <stdlib.h>

#include <saccade/simulate_meltpool.h>

#include "counts.h"
#include "meltpool_naive.h"
#include "room/check.h"

/* n frames of h x w, contiguous, with their signals. */
typedef struct stream {
    int32_t n, h, w;
    uint8_t *pixels;
    sac_meltpool_signals *signals;
} stream;

static inline stream new_stream(int32_t n, int32_t h, int32_t w)
{
    stream s = {.n = n, .h = h, .w = w};
    s.pixels = calloc((size_t)n * (size_t)h, (size_t)w);
    s.signals = calloc((size_t)n, sizeof *s.signals);
    assert_non_null(s.pixels);
    assert_non_null(s.signals);
    for (int32_t i = 0; i < n; i++)
        s.signals[i] = (sac_meltpool_signals){.laser_on = 1, .counter = 1000 + i};
    return s;
}

static inline void free_stream(stream *s)
{
    free(s->pixels);
    free(s->signals);
}

static inline uint8_t *frame_of(const stream *s, int32_t i)
{
    return s->pixels + (ptrdiff_t)i * s->h * s->w;
}

/* A simulated build's first frames; the desc that suits them. */
static inline stream new_build(int32_t n, sac_meltpool_desc *desc)
{
    stream s = new_stream(n, SAC_MELTPOOL_SIM_SIZE, SAC_MELTPOOL_SIM_SIZE);
    sac_simulate_meltpool_desc of;
    sac_meltpool_sim *sim = NULL;
    sac_error err = {0};
    sac_simulate_meltpool_desc_init(&of);
    of.n_frames = n;
    assert_ok(sac_meltpool_sim_open(&sim, &of, &err), &err);
    for (int32_t i = 0; i < n; i++)
        assert_true(sac_meltpool_sim_next(sim, frame_of(&s, i), &s.signals[i], NULL));
    sac_meltpool_sim_close(&sim);
    sac_meltpool_desc_init(desc);
    sac_meltpool_sim_calibration(desc->calibration);
    desc->n_threads = 1;
    return s;
}

static inline sac_meltpool *must_open(const sac_meltpool_desc *desc)
{
    sac_meltpool *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_meltpool_open(&plan, desc, &err), &err);
    return plan;
}

static inline sac_array frame_array(const stream *s, int32_t i)
{
    sac_array a;
    assert_int_equal(
        sac_array_view(&a, frame_of(s, i), SAC_U8, 2, (const int64_t[]){s->h, s->w}, NULL), SAC_OK);
    return a;
}

/* Frames from .. from + n - 1. */
static inline sac_array batch_array(const stream *s, int32_t from, int32_t n)
{
    sac_array a;
    assert_int_equal(
        sac_array_view(&a, frame_of(s, from), SAC_U8, 3, (const int64_t[]){n, s->h, s->w}, NULL),
        SAC_OK);
    return a;
}

/* The next frame, whose record is poisoned before. */
static inline sac_meltpool_record run_frame(sac_meltpool *plan, const stream *s, int32_t i)
{
    sac_meltpool_record record;
    const sac_array a = frame_array(s, i);
    memset(&record, 0x5A, sizeof record);
    record.arrival_ns = i;
    assert_int_equal(sac_meltpool_run(plan, &record, &a, &s->signals[i], NULL), SAC_OK);
    assert_int_equal(record.arrival_ns, i);
    return record;
}

/* The laser's column (axis 0) or row, in pixels. */
static inline double laser_at(const sac_meltpool_desc *d, const sac_meltpool_signals *at, int axis)
{
    const double *m = d->calibration[axis];
    return m[0] * at->x + m[1] * at->y + m[2];
}

/* The ROI that the definition wants around (x, y); CLIPPED where it had to be moved inside. */
static inline naive_frame naive_crop(const sac_meltpool_desc *d, const stream *s, int32_t i,
                                     double x, double y, uint32_t *flags)
{
    int align = d->roi_align;
    while (2 * align > d->roi)
        align /= 2;
    int x0 = (int)floor((floor(x + 0.5) - d->roi / 2) / align) * align;
    int y0 = (int)floor(y + 0.5) - d->roi / 2;
    const int right = d->w - d->roi, below = d->h - d->roi;
    *flags = x0 < 0 || y0 < 0 || x0 > right || y0 > below ? SAC_MELTPOOL_CLIPPED : 0;
    x0 = x0 < 0 ? 0 : x0 > right ? right : x0;
    y0 = y0 < 0 ? 0 : y0 > below ? below : y0;
    return (naive_frame){.pixels = frame_of(s, i),
                         .row = s->w,
                         .x0 = x0,
                         .y0 = y0,
                         .n = d->roi,
                         .x = x,
                         .y = y,
                         .threshold = d->threshold,
                         .spatter_min = d->spatter_min};
}

/* Integers exactly, the others but for a float's rounding. */
static inline void assert_features(const sac_meltpool_record *record, const double want[20],
                                   const char *what, int32_t i)
{
    for (int k = 0; k < 20; k++) {
        const double got = (double)record->features[k];
        const double allowed = k < 3 || (k > 4 && k < 11) ? 0 : 1e-7 * (1 + want[k]);
        if (!(fabs(got - want[k]) <= allowed))
            fail_msg("%s %d: feature %d: expected %.9g, got %.9g", what, i, k, want[k], got);
    }
}

/* A record of frame i, centred at (x, y), in features 0..19 and flags but GAP. */
static inline void assert_frame(const sac_meltpool_record *record, const sac_meltpool_desc *d,
                                const stream *s, int32_t i, double x, double y)
{
    double want[20];
    uint32_t moved, flags;
    x = floor(65536 * x + 0.5) / 65536;
    y = floor(65536 * y + 0.5) / 65536;
    const naive_frame f = naive_crop(d, s, i, x, y, &moved);
    naive_features(want, &flags, &f);
    assert_features(record, want, "frame", i);
    if ((record->flags & ~(uint32_t)SAC_MELTPOOL_GAP) != (flags | moved))
        fail_msg("frame %d: expected flags %u, got %u", i, flags | moved, record->flags);
}

static inline void assert_left_out(const sac_meltpool_record *record, uint32_t flag)
{
    assert_int_equal(record->flags, flag);
    for (int k = 0; k < SAC_MELTPOOL_FEATURES; k++)
        assert_true(record->features[k] == 0);
    assert_true(record->prediction[0] == 0 && record->prediction[1] == 0);
}

static inline void assert_identity(const sac_meltpool *plan)
{
    const sac_meltpool_counts c = counts_of_meltpool(plan);
    assert_int_equal(c.frames, c.processed + c.empty + c.refused_shape + c.refused_place);
}

#endif
