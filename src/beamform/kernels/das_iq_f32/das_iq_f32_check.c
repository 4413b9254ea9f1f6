/*
 * das_iq_f32 for the harness: every option on small records, and configurations A and C for the
 * ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "das_iq_f32.h"
#include "beamform/kernels/check_das.h"
#include "beamform/kernels/das_rungs_cuda.h"

enum { OUT, IN };

#define COMPLEX (2 * sizeof(float))

#define SMALL .n_rx = 25, .n_samples = 61
#define RECT(f) .apodization = {.f_number = (f)}
#define HANN(f) .apodization = {.f_number = (f), .window = SAC_WINDOW_HANN}
#define TUKEY(f) .apodization = {.f_number = (f), .window = SAC_WINDOW_TUKEY, .taper = 0.25}
#define LINEAR .interp = SAC_INTERP_LINEAR
#define CUBIC .interp = SAC_INTERP_CUBIC
#define CLAMP .outside = SAC_OUTSIDE_CLAMP

static const sac_check_scenario scenarios[] = {
    {"frames", .n_frames = 32, .n_tx = 1, SMALL, LINEAR, RECT(1)},
    {"single", .n_frames = 1, .n_tx = 7, SMALL, LINEAR, TUKEY(1.75)},
    {"no-f-number", .n_frames = 1, .n_tx = 4, SMALL, LINEAR, .phase_sign = -1},
    {"frames-lri", .n_frames = 3, .n_tx = 3, SMALL, LINEAR, HANN(0.7), .lri = true,
     .kind = SAC_TRANSMIT_DIVERGING},
    {"single-lri", .n_frames = 1, .n_tx = 5, SMALL, LINEAR, HANN(1), .lri = true,
     .phase_transmit = true, .kind = SAC_TRANSMIT_FOCUSED},
    {"many-frames", .n_frames = 50, .n_tx = 2, .n_rx = 140, .n_samples = 33, LINEAR, RECT(0.5),
     .kind = SAC_TRANSMIT_ELEMENT, .phase_sign = -1},
    {"elements", .n_frames = 1, .n_tx = 9, .n_rx = 150, .n_samples = 100, LINEAR, RECT(0.6),
     .kind = SAC_TRANSMIT_ELEMENT},
    {"matrix", .n_frames = 1, .n_tx = 3, .n_rx = 30, .n_samples = 61, LINEAR, RECT(1),
     .array = SAC_CHECK_MATRIX, .points = SAC_CHECK_VOLUME},
    {"matrix-frames", .n_frames = 16, .n_tx = 2, .n_rx = 30, .n_samples = 61, LINEAR, TUKEY(0.5),
     .array = SAC_CHECK_MATRIX, .points = SAC_CHECK_VOLUME, .phase_transmit = true},
    {"curved", .n_frames = 1, .n_tx = 3, SMALL, LINEAR, RECT(0.8), .array = SAC_CHECK_CURVED,
     .kind = SAC_TRANSMIT_DELAYS},
    {"curved-frames", .n_frames = 20, .n_tx = 2, SMALL, LINEAR, RECT(0.8),
     .array = SAC_CHECK_CURVED, .kind = SAC_TRANSMIT_DELAYS, .lri = true},
    {"list", .n_frames = 1, .n_tx = 2, SMALL, LINEAR, HANN(1), .points = SAC_CHECK_LIST,
     .kind = SAC_TRANSMIT_ARRIVALS},
    {"list-frames", .n_frames = 33, .n_tx = 2, SMALL, LINEAR, RECT(1), .points = SAC_CHECK_LIST,
     .kind = SAC_TRANSMIT_ARRIVALS},
    {"nearest", .n_frames = 1, .n_tx = 3, SMALL, RECT(1)},
    {"nearest-frames", .n_frames = 2, .n_tx = 1, SMALL, RECT(1), CLAMP},
    {"cubic", .n_frames = 1, .n_tx = 3, SMALL, CUBIC, RECT(1), CLAMP},
    {"cubic-frames", .n_frames = 17, .n_tx = 1, SMALL, CUBIC, RECT(1)},
    {"clamp", .n_frames = 1, .n_tx = 3, SMALL, LINEAR, RECT(1), CLAMP},
    {"clamp-frames", .n_frames = 16, .n_tx = 2, SMALL, LINEAR, TUKEY(1), CLAMP},
    {"one-sample", .n_frames = 1, .n_tx = 2, .n_rx = 9, .n_samples = 1, LINEAR, CLAMP},
    {"one-sample-frames", .n_frames = 20, .n_tx = 2, .n_rx = 9, .n_samples = 1, LINEAR},
    {"two-samples", .n_frames = 5, .n_tx = 1, .n_rx = 9, .n_samples = 2, LINEAR},
    {"long", .n_frames = 1, .n_tx = 2, .n_rx = 20, .n_samples = 8192, LINEAR, .fs_hz = 62.5e6},
    {"long-frames", .n_frames = 4, .n_tx = 1, .n_rx = 20, .n_samples = 8192, LINEAR,
     .fs_hz = 62.5e6},
    {"A", SAC_CHECK_TASK_A},
    {"C", SAC_CHECK_TASK_C},
};
enum { MODES = sizeof scenarios / sizeof *scenarios - 2, TASK_A = MODES, TASK_C };

/* The tasks' modes stand behind the NULL, so that no case but the ladder's has them. */
static const char *const modes[] = {"frames",
                                    "single",
                                    "no-f-number",
                                    "frames-lri",
                                    "single-lri",
                                    "many-frames",
                                    "elements",
                                    "matrix",
                                    "matrix-frames",
                                    "curved",
                                    "curved-frames",
                                    "list",
                                    "list-frames",
                                    "nearest",
                                    "nearest-frames",
                                    "cubic",
                                    "cubic-frames",
                                    "clamp",
                                    "clamp-frames",
                                    "one-sample",
                                    "one-sample-frames",
                                    "two-samples",
                                    "long",
                                    "long-frames",
                                    NULL,
                                    "A",
                                    "C"};
static const char *const tasks[] = {"A", "C", NULL};
static const char *const contents[] = {"noise", "constant", "nan", NULL};
enum { NOISE, CONSTANT, HOLES };

static const sac_variant rungs[] = {
    {"two-step", 0, false, SAC_FN(sac_das_fn, sac_das_iq_f32_two_step), SAC_TIER_EXACT},
    {0},
};

/* The run's mode: tasks stand one behind the NULL. */
static const sac_check_scenario *scenario_of(const sac_check_case *c)
{
    return &scenarios[c->mode > MODES ? c->mode - 1 : c->mode];
}

static void set_task(sac_check_case *c, int32_t i)
{
    c->mode = MODES + 1 + i;
    c->w = i == 0 ? 251 : 387;
    c->h = i == 0 ? 251 : 609;
}

static void shape(sac_check_case *c)
{
    sac_das das;
    size_t n = sac_check_das_layout(&das, scenario_of(c), 2, sizeof(float));
    c->arg[OUT] = (sac_check_arg){"out",
                                  SAC_CHECK_OUT,
                                  .size = 4,
                                  .align = 8,
                                  .packed = true,
                                  .h = c->w * c->h,
                                  .w = 2 * sac_das_images(&das) * das.n_frames};
    c->arg[IN] = (sac_check_arg){"data",         SAC_CHECK_IN,    .size = 4, .align = 64,
                                 .packed = true, .w = (int64_t)n, .h = 1};
    c->n_args = 2;
    sac_check_das_shape_cuda(c, &das, COMPLEX);
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

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    sac_das das;
    sac_check_das_layout(&das, scenario_of(c), 2, sizeof(float));
    float *data = (float *)(void *)c->arg[IN].data;
    memset(data, 0, c->arg[IN].size * (size_t)c->arg[IN].w);
    for (int32_t i = 0; i < das.n_tx * das.n_rx; i++) {
        for (int32_t s = 0; s < das.n_samples; s++) {
            for (int32_t f = 0; f < das.n_frames; f++) {
                float *to = data + i * das.rx + s * das.sample + f;
                to[0] = value_of(c->content, &random, &das, i % das.n_rx, f);
                to[das.imag] = value_of(c->content, &random, &das, i % das.n_rx, f);
            }
        }
    }
    sac_check_das_fill_cuda(c, &das, COMPLEX);
}

static sac_status open(sac_check_case *c)
{
    c->state = sac_check_das_open(c, scenario_of(c), 2, sizeof(float));
    return c->state ? SAC_OK : SAC_E_NOMEM;
}

static void close(sac_check_case *c)
{
    sac_check_das_close(c->state);
    c->state = NULL;
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    sac_das das = *(const sac_das *)c->state;
    das.data = c->arg[IN].data;
    sac_check_das_call((sac_das_fn)fn, (float *)(void *)c->arg[OUT].data, &das, c,
                       c->mode >= MODES);
}

static bool supports(const sac_variant *v, const sac_check_case *c)
{
    const bool is_tensor = !strcmp(v->name, "tensor");
    const bool is_cuda =
        is_tensor || !strncmp(v->name, "points", 6) || !strncmp(v->name, "frames", 6);
    if (is_tensor && c->content == HOLES)
        return false; /* its contract: such a sample reaches its neighbours' points */
    return !is_cuda || sac_check_das_supports_cuda(v, c->state, COMPLEX);
}

static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    return sac_check_das_open_cuda(c, gpu, c->state, COMPLEX);
}

static void compare(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                    const sac_variant *v)
{
    const sac_das *das = want->state;
    /* Of uniform noise in -1..1, interpolated: a complex value's power is 0.44. */
    double least = sqrt(0.44 * (double)sac_das_active(das, 0, das->n_points));
    double bound = v->tier == SAC_TIER_EXACT  ? 1e-6
                   : v->tier == SAC_TIER_FP32 ? 2e-5 + 3e-8 * das->n_samples
                                              : 1e-3;
    sac_check_das_compare(d, want, got, least, bound);
}

static uint64_t bytes(const sac_check_case *c)
{
    return 4 * (uint64_t)(c->arg[OUT].w * c->arg[OUT].h + c->arg[IN].w);
}

static void points(const sac_check_case *c, uint64_t *all, uint64_t *active)
{
    const sac_das *das = c->state;
    *all = (uint64_t)das->n_points * (uint64_t)das->n_rx * (uint64_t)das->n_tx *
           (uint64_t)das->n_frames;
    *active = sac_das_active(das, 0, das->n_points);
}

const sac_room_check sac_das_iq_f32_check = {
    .room = &sac_das_iq_f32_room,
    .rungs = rungs,
    .modes = modes,
    .contents = contents,
    .max_pixels = 1100,
    .costly = true,
    .shape = shape,
    .open = open,
    .close = close,
    .fill = fill,
    .call = call,
    .compare = compare,
    .bytes = bytes,
    .tasks = tasks,
    .set_task = set_task,
    .points = points,
    .supports = supports,
    .cuda = sac_das_iq_f32_cuda,
    .open_cuda = open_cuda,
    .close_cuda = sac_check_das_close_cuda,
    .call_cuda = sac_check_das_call_cuda,
};
