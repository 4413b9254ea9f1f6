/*
 * das_rf_f32 and das_rf_i16 for the harness: every option on small records, and configuration B for
 * the ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/check_das_rf.h"

#include <string.h>

#include "base/alloc.h"
#include "beamform/kernels/das_rf.h"

enum { OUT, IN };

#define SMALL .n_rx = 25, .n_samples = 61
#define RECT(f) .apodization = {.f_number = (f)}
#define HANN(f) .apodization = {.f_number = (f), .window = SAC_WINDOW_HANN}
#define TUKEY(f) .apodization = {.f_number = (f), .window = SAC_WINDOW_TUKEY, .taper = 0.25}
#define LINEAR .interp = SAC_INTERP_LINEAR
#define CUBIC .interp = SAC_INTERP_CUBIC
#define CLAMP .outside = SAC_OUTSIDE_CLAMP

/* RF, 62.5 MHz: 3 plane waves, -10, 0 and 10 degrees, over the array's width. */
#define TASK_B                                                                                     \
    .n_frames = 1, .n_tx = 3, .n_rx = 128, .n_samples = 8192, LINEAR, .fs_hz = 62.5e6,             \
    .x_mm = 19.05, .z0_mm = 5, .z1_mm = 95, .angle_deg = 10, .pitch_mm = 0.3, .c_m_s = 1540

static const sac_check_scenario scenarios[] = {
    {"three", .n_frames = 1, .n_tx = 3, SMALL, LINEAR},
    {"three-lri", .n_frames = 1, .n_tx = 3, SMALL, LINEAR, .lri = true},
    {"aperture", .n_frames = 1, .n_tx = 7, SMALL, LINEAR, TUKEY(1.75)},
    {"frames", .n_frames = 32, .n_tx = 2, SMALL, LINEAR, RECT(1)},
    {"frames-lri", .n_frames = 3, .n_tx = 3, SMALL, LINEAR, HANN(0.7), .lri = true,
     .kind = SAC_TRANSMIT_DIVERGING},
    {"aperture-lri", .n_frames = 1, .n_tx = 5, SMALL, LINEAR, HANN(1), .lri = true,
     .kind = SAC_TRANSMIT_FOCUSED},
    {"elements", .n_frames = 1, .n_tx = 10, .n_rx = 150, .n_samples = 100, LINEAR, RECT(0.6),
     .kind = SAC_TRANSMIT_ELEMENT},
    {"matrix", .n_frames = 1, .n_tx = 3, .n_rx = 30, .n_samples = 61, LINEAR, RECT(1),
     .array = SAC_CHECK_MATRIX, .points = SAC_CHECK_VOLUME},
    {"curved", .n_frames = 1, .n_tx = 2, SMALL, LINEAR, RECT(0.8), .array = SAC_CHECK_CURVED,
     .kind = SAC_TRANSMIT_DELAYS},
    {"list", .n_frames = 1, .n_tx = 2, SMALL, LINEAR, HANN(1), .points = SAC_CHECK_LIST,
     .kind = SAC_TRANSMIT_ARRIVALS},
    {"list-frames", .n_frames = 33, .n_tx = 2, SMALL, LINEAR, .points = SAC_CHECK_LIST,
     .kind = SAC_TRANSMIT_ARRIVALS},
    {"nearest", .n_frames = 1, .n_tx = 3, SMALL, RECT(1)},
    {"nearest-clamp-frames", .n_frames = 2, .n_tx = 1, SMALL, RECT(1), CLAMP},
    {"cubic", .n_frames = 1, .n_tx = 3, SMALL, CUBIC, RECT(1)},
    {"cubic-clamp", .n_frames = 1, .n_tx = 3, SMALL, CUBIC, CLAMP},
    {"cubic-frames", .n_frames = 17, .n_tx = 1, SMALL, CUBIC, RECT(1)},
    {"clamp", .n_frames = 1, .n_tx = 3, SMALL, LINEAR, RECT(1), CLAMP},
    {"one-sample", .n_frames = 1, .n_tx = 2, .n_rx = 9, .n_samples = 1, LINEAR, CLAMP},
    {"two-samples", .n_frames = 1, .n_tx = 1, .n_rx = 9, .n_samples = 2, CUBIC},
    {"long", .n_frames = 1, .n_tx = 2, .n_rx = 20, .n_samples = 8192, LINEAR, .fs_hz = 62.5e6},
    {"long-frames", .n_frames = 4, .n_tx = 1, .n_rx = 20, .n_samples = 8192, LINEAR,
     .fs_hz = 62.5e6},
    {"late", .n_frames = 1, .n_tx = 2, .n_rx = 25, .n_samples = 200, LINEAR, .x_mm = 2,
     .z0_mm = 1000, .z1_mm = 1003, .t0_us = 1349},
    {"B", TASK_B, .lri = true},
    {"B-compounded", TASK_B},
};
enum { MODES = sizeof scenarios / sizeof *scenarios - 2 };

/* The tasks' modes stand behind the NULL, so that no case but the ladder's has them. */
const char *const sac_check_das_rf_modes[] = {"three",
                                              "three-lri",
                                              "aperture",
                                              "frames",
                                              "frames-lri",
                                              "aperture-lri",
                                              "elements",
                                              "matrix",
                                              "curved",
                                              "list",
                                              "list-frames",
                                              "nearest",
                                              "nearest-clamp-frames",
                                              "cubic",
                                              "cubic-clamp",
                                              "cubic-frames",
                                              "clamp",
                                              "one-sample",
                                              "two-samples",
                                              "long",
                                              "long-frames",
                                              "late",
                                              NULL,
                                              "B",
                                              "B-compounded"};
const char *const sac_check_das_rf_tasks[] = {"B", "B-compounded", NULL};
const char *const sac_check_das_rf_contents[] = {"noise", "constant", "nan", NULL};
enum { NOISE, CONSTANT, HOLES };

/* A case's run, and what its delays and weights say of its outputs. */
typedef struct state {
    sac_das *das;
    bool *unsure; /* (n_points, n_images): has a delay that lies near a place where f jumps */
    double power; /* of all outputs of a frame, on white noise of variance 1 */
} state;

static const sac_check_scenario *scenario_of(const sac_check_case *c)
{
    return &scenarios[c->mode > MODES ? c->mode - 1 : c->mode];
}

void sac_check_das_rf_set_task(sac_check_case *c, int32_t i)
{
    c->mode = MODES + 1 + i;
    c->w = 256;
    c->h = 1024;
}

void sac_check_das_rf_shape(sac_check_case *c, size_t size)
{
    sac_das das;
    size_t n = sac_check_das_layout(&das, scenario_of(c), 1, size);
    c->arg[OUT] =
        (sac_check_arg){"out",          SAC_CHECK_OUT,    .size = 4,
                        .packed = true, .h = c->w * c->h, .w = sac_das_images(&das) * das.n_frames};
    c->arg[IN] = (sac_check_arg){"data",         SAC_CHECK_IN,    .size = size, .align = 64,
                                 .packed = true, .w = (int64_t)n, .h = 1};
    c->n_args = 2;
    sac_check_das_shape_cuda(c, &das, size);
}

static float value_of(int32_t content, uint64_t *random, const sac_das *das, int32_t r, int32_t f)
{
    if (content == CONSTANT)
        return 1;
    if (content == HOLES && r == das->n_rx / 3)
        return NAN;
    if (content == HOLES && r == das->n_rx / 2 && f == das->n_frames - 1)
        return INFINITY;
    return (float)((double)(int64_t)sac_check_random(random) * 0x1p-63);
}

/* The noise's amplitude. */
static float unit_of(const sac_check_case *c)
{
    return c->arg[IN].size == 2 ? 32767 : 1;
}

void sac_check_das_rf_fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    const bool is_i16 = c->arg[IN].size == 2;
    sac_das das;
    sac_check_das_layout(&das, scenario_of(c), 1, c->arg[IN].size);
    memset(c->arg[IN].data, 0, c->arg[IN].size * (size_t)c->arg[IN].w);
    for (int32_t i = 0; i < das.n_tx * das.n_rx; i++)
        for (int32_t s = 0; s < das.n_samples; s++)
            for (int32_t f = 0; f < das.n_frames; f++) {
                ptrdiff_t at = i * das.rx + s * das.sample + f;
                int32_t content = is_i16 && c->content == HOLES ? NOISE : c->content;
                float v = value_of(content, &random, &das, i % das.n_rx, f);
                if (is_i16)
                    ((int16_t *)(void *)c->arg[IN].data)[at] = (int16_t)(v * unit_of(c));
                else
                    ((float *)(void *)c->arg[IN].data)[at] = v;
            }
    sac_check_das_fill_cuda(c, &das, c->arg[IN].size);
}

/* Whether s lies within slack of where f jumps. */
static bool is_unsure(const sac_das *das, double s)
{
    double slack = sac_das_rf_slack(das), last = das->n_samples - 1;
    if (das->outside == SAC_OUTSIDE_ZERO && (fabs(s) < slack || fabs(s - last) < slack))
        return true;
    return das->interp == SAC_INTERP_NEAREST && fabs(s - floor(s) - 0.5) < slack;
}

/* Transmit t at point i. */
static void look_at(state *st, int64_t i, int32_t t, bool *unsure)
{
    const sac_das *das = st->das;
    const sac_transmit *tx = &das->transmits[t];
    double p[3], a = das->lri ? 1 : (double)das->tx_weight[t];
    sac_das_point(p, das, i);
    double tau = sac_das_arrival_s(tx, das->elements, das->n_rx, das->c_m_s, p, i) - tx->t0_s;
    for (int32_t r = 0; r < das->n_rx; r++) {
        const sac_element *e = &das->elements[r];
        double s = (tau + sac_distance(p, e->position_m) / das->c_m_s) * das->fs_hz;
        double w = a * sac_das_weight(&das->apodization, e, p);
        *unsure = *unsure || is_unsure(das, s);
        if (s >= 0 && s <= das->n_samples - 1)
            st->power += w * w * 2 / 3; /* linear interpolation's mean */
    }
}

static void look_at_all(state *st)
{
    const int32_t images = sac_das_images(st->das);
    for (int64_t i = 0; i < st->das->n_points; i++)
        for (int32_t t = 0; t < st->das->n_tx; t++)
            look_at(st, i, t, &st->unsure[i * images + t % images]);
}

void sac_check_das_rf_close(sac_check_case *c)
{
    state *st = c->state;
    if (st) {
        sac_check_das_close(st->das);
        sac_free(st->unsure);
    }
    sac_free(st);
    c->state = NULL;
}

sac_status sac_check_das_rf_open(sac_check_case *c)
{
    state *st = c->state = sac_alloc(1, sizeof *st);
    if (!st)
        return SAC_E_NOMEM;
    st->das = sac_check_das_open(c, scenario_of(c), 1, c->arg[IN].size);
    st->unsure = sac_alloc((size_t)(c->w * c->h) * (size_t)scenario_of(c)->n_tx, 1);
    if (!st->das || !st->unsure) {
        sac_check_das_rf_close(c);
        return SAC_E_NOMEM;
    }
    st->das->fd_hz = 0;
    look_at_all(st);
    return SAC_OK;
}

void sac_check_das_rf_call(sac_any_fn fn, const sac_check_case *c)
{
    sac_das das = *((const state *)c->state)->das;
    das.data = c->arg[IN].data;
    sac_check_das_call((sac_das_fn)fn, (float *)(void *)c->arg[OUT].data, &das, c,
                       c->mode >= MODES);
}

static void judge(sac_check_diff *d, double *sum, double *scale, double want, double got,
                  int64_t index)
{
    if (!isfinite(want) && !isfinite(got))
        return;
    double difference = isfinite(want) && isfinite(got) ? fabs(got - want) : INFINITY;
    *sum += difference * difference;
    *scale += isfinite(want) ? want * want : 0;
    d->n_differ += want != got;
    if (d->index < 0 || difference > fabs(d->got - d->wanted)) {
        d->index = index;
        d->wanted = want;
        d->got = got;
    }
}

/* By docs/numerics.md; rungs with samples of fp16 lose those roundings, too. */
static double bound_of(const sac_variant *v, const sac_das *das)
{
    /* Samples are counted from the transmit, where the record begins later. */
    double n = das->n_samples + fmax(das->transmits[0].t0_s * das->fs_hz, 0);
    if (v->tier == SAC_TIER_EXACT)
        return 1e-6;
    if (v->tier == SAC_TIER_FP32)
        return 2e-5 + 1.2e-7 * n;
    return 2e-5 + 6e-7 * n + (!strncmp(v->name, "fp16-", 5) ? 0x1p-11 : 0);
}

/* Relative L2 error of the outputs that are sure. Few outputs may all be small by chance: the scale
 * is not less than what noise has in the mean, nor than one sample's. */
void sac_check_das_rf_compare(sac_check_diff *d, const sac_check_case *want,
                              const sac_check_case *got, const sac_variant *v)
{
    const state *st = want->state;
    const sac_check_arg *a = &want->arg[OUT];
    const float *x = (const float *)(const void *)a->data;
    const float *y = (const float *)(const void *)got->arg[OUT].data;
    double sum = 0, scale = 0, unit = (double)unit_of(want);
    double bound = bound_of(v, st->das);
    d->index = -1;
    for (int64_t i = 0; i < a->w * a->h; i++)
        if (!st->unsure[i / st->das->n_frames])
            judge(d, &sum, &scale, (double)x[i], (double)y[i], i);
    double mean = fmax(st->power * st->das->n_frames, (double)(a->w * a->h)) * unit * unit / 3;
    d->error = sqrt(sum / fmax(scale, mean));
    d->ok = d->error <= bound;
    d->arg = OUT;
}

/* The steps of the ladder are linear, zero outside, of one frame, without f-number. */
bool sac_check_das_rf_supports(const sac_variant *v, const sac_check_case *c)
{
    const sac_check_scenario *s = scenario_of(c);
    if (!strncmp(v->name, "points", 6) || !strncmp(v->name, "frames", 6))
        return sac_check_das_supports_cuda(v, ((const state *)c->state)->das, c->arg[IN].size);
    const bool step = !v->ships && strcmp(v->name, "ref") != 0;
    return !step || (s->interp == SAC_INTERP_LINEAR && s->outside == SAC_OUTSIDE_ZERO &&
                     s->n_frames == 1 && s->apodization.f_number <= 0);
}

sac_status sac_check_das_rf_open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    return sac_check_das_open_cuda(c, gpu, ((const state *)c->state)->das, c->arg[IN].size);
}

uint64_t sac_check_das_rf_bytes(const sac_check_case *c)
{
    return 4 * (uint64_t)(c->arg[OUT].w * c->arg[OUT].h) + (uint64_t)c->arg[IN].w * c->arg[IN].size;
}

void sac_check_das_rf_points(const sac_check_case *c, uint64_t *all, uint64_t *active)
{
    const sac_das *das = ((const state *)c->state)->das;
    *all = (uint64_t)das->n_points * (uint64_t)das->n_rx * (uint64_t)das->n_tx *
           (uint64_t)das->n_frames;
    *active = sac_das_active(das, 0, das->n_points);
}

/* Jarosik, Lewandowski, Yiu (2023), on a mobile RTX GPU, LRIs kept: 27 + 25 ms, and one kernel. */
double sac_check_das_rf_published_ns(const char *rung)
{
    if (!strcmp(rung, "two-kernels"))
        return 52e6;
    return !strncmp(rung, "fused-", 6) ? 8e6 : 0;
}
