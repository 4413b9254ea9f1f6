/*
 * Ensembles that tests of flow make up: points that move, and what a plan makes of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_FLOW_SCENE_H
#define SAC_TESTS_FLOW_SCENE_H

#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include <saccade/flow.h>

#include "base/random.h"

#define PI 3.14159265358979323846

enum { N_Z = 12, N_X = 40, POINTS = N_Z * N_X };

/* An ensemble under test, its plan's output beside it. */
typedef struct scene {
    sac_flow_desc desc;
    float *iq;
    sac_array in, out;
    sac_flow *plan;
} scene;

static inline scene scene_of(int64_t n_frames)
{
    scene s = {.iq = calloc((size_t)(2 * n_frames * POINTS), sizeof(float))};
    const int64_t shape[] = {n_frames, N_Z, N_X};
    sac_error err = {0};
    assert_non_null(s.iq);
    assert_ok(sac_array_view(&s.in, s.iq, SAC_C64, 3, shape, &err), &err);
    sac_flow_desc_init(&s.desc);
    s.desc.n_frames = n_frames;
    s.desc.n_axes = 2;
    s.desc.shape[0] = N_Z;
    s.desc.shape[1] = N_X;
    s.desc.prf_hz = 4000;
    s.desc.fc_hz = 5e6;
    s.desc.c_m_s = 1500;
    s.desc.n_threads = 1;
    return s;
}

/* To be followed by end(). */
static inline const float *run(scene *s)
{
    sac_error err = {0};
    assert_ok(sac_flow_open(&s->plan, &s->desc, &err), &err);
    s->out = sac_flow_get_output_array(s->plan);
    s->out.data = calloc((size_t)sac_array_count(&s->out), sizeof(float));
    assert_non_null(s->out.data);
    assert_ok(sac_flow_run(s->plan, &s->out, &s->in, &err), &err);
    return s->out.data;
}

static inline void end_run(scene *s)
{
    free(s->out.data);
    sac_flow_close(&s->plan);
}

static inline void end(scene *s)
{
    end_run(s);
    free(s->iq);
}

static inline double normal(uint64_t seed, int64_t i)
{
    return sac_random_normal(seed, (uint64_t)i);
}

static inline void add(scene *s, int64_t frame, int64_t point, double size, double phase)
{
    float *to = s->iq + 2 * (frame * POINTS + point);
    to[0] += (float)(size * cos(phase));
    to[1] += (float)(size * sin(phase));
}

/* Point p moves at v: the echo of what comes nearer gains phase, by 4 pi fc v / (c prf) a frame. */
static inline void add_motion(scene *s, int64_t point, double size, double v)
{
    const double turn = 4 * PI * s->desc.fc_hz * v / (s->desc.c_m_s * s->desc.prf_hz);
    for (int64_t i = 0; i < s->desc.n_frames; i++)
        add(s, i, point, size, 0.7 * (double)point + turn * (double)i);
}

/* Tissue of `rank` components over all points, at 60 dB, and blood in the upper half. */
static inline void add_tissue(scene *s, int rank)
{
    for (int k = 0; k < rank; k++)
        for (int64_t p = 0; p < POINTS; p++) {
            const double size = 1000 * pow(0.3, k) * fabs(normal(9, p));
            const double phase = 6 * normal(80 + (uint64_t)k, p);
            for (int64_t i = 0; i < s->desc.n_frames; i++)
                add(s, i, p, size * cos(0.05 * k * (double)i + k), phase);
        }
    for (int64_t p = 0; p < POINTS / 2; p++)
        for (int64_t i = 0; i < s->desc.n_frames; i++)
            add(s, i, p, fabs(normal(11, i * POINTS + p)), 0.9 * (double)i + 2 * normal(12, p));
    for (int64_t i = 0; i < 2 * s->desc.n_frames * POINTS; i++)
        s->iq[i] += (float)(0.003 * normal(13, i));
}

#endif
