/*
 * das_iq_f32, das_rf_f32 and das_rf_i16 for the harness: what they compare, and their tables.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das/check_das.h"
#include "beamform/kernels/adapt_iq_f32/adapt_iq_f32.h"
#include "beamform/kernels/adapt_iq_f32/adapt_iq_f32_cuda.h"
#include "beamform/kernels/das_iq_f32/das_iq_f32.h"
#include "beamform/kernels/das_rf_f32/das_rf_f32.h"
#include "beamform/kernels/das_rf_f32/das_rf_f32_cuda.h"
#include "beamform/kernels/das_rf_i16/das_rf_i16.h"
#include "beamform/kernels/das/cuda/das_rungs_cuda.h"
#include "beamform/kernels/published.h"

enum { HOLES = 2 }; /* of the contents */

static const sac_variant iq_rungs[] = {
    {"two-step", 0, false, SAC_FN(sac_das_fn, sac_das_iq_f32_two_step), SAC_TIER_EXACT},
    {0},
};

static const sac_variant rf_f32_rungs[] = {
    {"two-kernels", 0, false, SAC_FN(sac_das_fn, sac_das_rf_f32_two_kernels), SAC_TIER_FP32,
     SAC_DAS_STEPS},
    {"fused-global", 0, false, SAC_FN(sac_das_fn, sac_das_rf_f32_fused_global), SAC_TIER_FP32,
     SAC_DAS_STEPS},
    {"fused-register", 0, false, SAC_FN(sac_das_fn, sac_das_rf_f32_fused_register), SAC_TIER_FP32,
     SAC_DAS_STEPS},
    {0},
};

static const sac_variant rf_i16_rungs[] = {
    {"two-kernels", 0, false, SAC_FN(sac_das_fn, sac_das_rf_i16_two_kernels), SAC_TIER_FP32,
     SAC_DAS_STEPS},
    {"fused-global", 0, false, SAC_FN(sac_das_fn, sac_das_rf_i16_fused_global), SAC_TIER_FP32,
     SAC_DAS_STEPS},
    {"fused-register", 0, false, SAC_FN(sac_das_fn, sac_das_rf_i16_fused_register), SAC_TIER_FP32,
     SAC_DAS_STEPS},
    {0},
};

static uint64_t bytes(const sac_check_case *c)
{
    const sac_check_arg *out = &c->arg[SAC_CHECK_DAS_OUT], *in = &c->arg[SAC_CHECK_DAS_IN];
    return 4 * (uint64_t)(out->w * out->h) + (uint64_t)in->w * in->size;
}

static void points(const sac_check_case *c, uint64_t *all, uint64_t *active)
{
    const sac_das *das = sac_check_das_of(c);
    *all = (uint64_t)das->n_points * (uint64_t)das->n_rx * (uint64_t)das->n_tx *
           (uint64_t)das->n_frames;
    *active = sac_das_active(das, 0, das->n_points);
}

/* A value must be finite where the reference's is. */
static void judge_iq(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                     const sac_check_pair *p)
{
    (void)want, (void)v;
    sac_check_value(d, p, sac_check_error(p), (double)INFINITY);
}

/* Relative L2 error, to a norm not less than the one that noise is expected to have, which in a few
 * values may cancel. */
static void compare_iq(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                       const sac_variant *v)
{
    const sac_das *das = sac_check_das_of(want);
    const double bound = v->tier == SAC_TIER_EXACT  ? 1e-6
                         : v->tier == SAC_TIER_FP32 ? 2e-5 + 3e-8 * das->n_samples
                                                    : 1e-3;
    sac_check_values(d, want, got, v, judge_iq);
    /* Of uniform noise in -1..1, interpolated: a complex value's power is 0.44. */
    sac_check_l2(d, sqrt(0.44 * (double)sac_das_active(das, 0, das->n_points)));
    d->ok = d->error <= bound;
}

/* What reductions leave of a sum of noise, by its order: outputs may be less by chance. */
static double expected_share(const sac_das *das)
{
    const sac_reduction *r = das->reduction;
    const double m = das->n_rx * (r->over == SAC_OVER_ALL ? das->n_tx : 1);
    switch (r->kind) {
    case SAC_REDUCE_SCF:
        return pow(0.5 / m, r->amount);
    case SAC_REDUCE_DMAS:
        return pow(m, -0.5 * (r->amount - 1));
    case SAC_REDUCE_MV: /* as an error is to signals, not to what is left of strong ones */
        return 0.3;
    default:
        return 1 / m;
    }
}

/* Relative L2 error, by adapt_iq_f32/NOTES.md. */
static void compare_adapt(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                          const sac_variant *v)
{
    const sac_das *das = sac_check_das_of(want);
    const sac_reduction *r = das->reduction;
    const bool exact = v->tier == SAC_TIER_EXACT, solves = r->kind == SAC_REDUCE_MV && !exact;
    const double signals = exact ? 5e-6 : 2e-5 + 3e-8 * das->n_samples;
    const double solving = solves ? 1e-7 / r->loading * sac_reduction_length(r, das->n_rx) : 0;
    const bool signs = r->kind == SAC_REDUCE_SCF;
    sac_check_values(d, want, got, v, judge_iq);
    const double active = (double)sac_das_active(das, 0, das->n_points);
    const double n_values = (double)das->n_points * sac_das_images(das);
    sac_check_l2(d, r->kind == SAC_REDUCE_SLSC ? 0.1 * sqrt(n_values)
                                               : sqrt(0.44 * active) * expected_share(das));
    d->ok = d->error <= 4 * (signs ? r->amount * sqrt(signals) : signals) + solving;
}

static bool supports_iq(const sac_variant *v, const sac_check_case *c)
{
    if (v->kind == SAC_DAS_CUDA_HALF && c->content == HOLES)
        return false; /* its contract: such a sample reaches its neighbours' points */
    return v->kind <= 0 || sac_check_das_supports_cuda(v, c);
}

static bool supports_adapt(const sac_variant *v, const sac_check_case *c)
{
    return v->kind <= 0 || sac_check_das_supports_cuda(v, c);
}

/* By docs/numerics.md; rungs with samples of fp16 lose those roundings, too. */
static double rf_bound(const sac_variant *v, const sac_das *das)
{
    /* Samples are counted from the transmit, where the record begins later. */
    double n = das->n_samples + fmax(das->transmits[0].t0_s * das->fs_hz, 0);
    if (v->tier == SAC_TIER_EXACT)
        return 1e-6;
    if (v->tier == SAC_TIER_FP32)
        return 2e-5 + 1.2e-7 * n;
    return 2e-5 + 6e-7 * n + (v->kind == SAC_DAS_STEPS_HALF ? 0x1p-11 : 0);
}

/* The outputs that are sure. */
static void judge_rf(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                     const sac_check_pair *p)
{
    const sac_check_das *s = want->state;
    (void)v;
    if (!s->unsure[p->index / s->das.n_frames])
        sac_check_value(d, p, sac_check_error(p), (double)INFINITY);
}

/* Relative L2 error. Few outputs may all be small by chance: the scale is not less than what noise
 * has in the mean, nor than one sample's. */
static void compare_rf(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                       const sac_variant *v)
{
    const sac_check_das *s = want->state;
    const sac_check_arg *a = &want->arg[SAC_CHECK_DAS_OUT];
    const double mean = fmax(s->power * s->das.n_frames, (double)(a->w * a->h)) / 3;
    sac_check_values(d, want, got, v, judge_rf);
    sac_check_l2(d, sqrt(mean) * sac_check_das_unit(want));
    d->ok = d->error <= rf_bound(v, &s->das);
}

bool sac_check_das_takes_steps(const sac_check_case *c)
{
    const sac_check_scenario *s = sac_check_das_scenario(c);
    return s->interp == SAC_INTERP_LINEAR && s->outside == SAC_OUTSIDE_ZERO && s->n_frames == 1 &&
           s->apodization.f_number <= 0;
}

static bool supports_rf(const sac_variant *v, const sac_check_case *c)
{
    if (v->kind == SAC_DAS_STEPS || v->kind == SAC_DAS_STEPS_HALF)
        return sac_check_das_takes_steps(c);
    return v->kind <= 0 || sac_check_das_supports_cuda(v, c);
}

/* LRIs kept: 27 + 25 ms, and one kernel, which adds in global memory. */
static const sac_check_published published[] = {
    {"two-kernels", 52e6, SAC_CUDA_BY_EXAMPLES("delay and sum")},
    {"fused-global", 8e6, SAC_CUDA_BY_EXAMPLES("delay and sum")},
    {0},
};

#define CUDA(table)                                                                                \
    SAC_CHECK_CUDA(.cuda = table, .open_cuda = sac_check_das_open_cuda,                            \
                   .close_cuda = sac_check_das_close_cuda, .call_cuda = sac_check_das_call_cuda)

#define DAS                                                                                        \
    .contents = sac_check_das_contents, .max_pixels = 1100, .costly = true,                        \
    .shape = sac_check_das_shape, .open = sac_check_das_open, .close = sac_check_das_close,        \
    .fill = sac_check_das_fill, .call = sac_check_das_call, .call_rows = sac_check_das_call_rows,  \
    .bytes = bytes, .points = points
#define RF                                                                                         \
    DAS, .modes = sac_check_das_rf_modes, .tasks = sac_check_das_rf_tasks, .compare = compare_rf,  \
         .supports = supports_rf

const sac_room_check sac_das_iq_f32_check = {
    DAS,
    .room = &sac_das_iq_f32_room,
    .kind = SAC_C64,
    .modes = sac_check_das_iq_modes,
    .tasks = sac_check_das_iq_tasks,
    .compare = compare_iq,
    .supports = supports_iq,
    .rungs = iq_rungs,
    CUDA(sac_das_iq_f32_cuda),
};

const sac_room_check sac_adapt_iq_f32_check = {
    DAS,
    .room = &sac_adapt_iq_f32_room,
    .kind = SAC_CHECK_ADAPT,
    .modes = sac_check_das_adapt_modes,
    .tasks = sac_check_das_adapt_tasks,
    .compare = compare_adapt,
    .supports = supports_adapt,
    CUDA(sac_adapt_iq_f32_cuda),
};

const sac_room_check sac_das_rf_f32_check = {
    RF,
    .room = &sac_das_rf_f32_room,
    .kind = SAC_F32,
    .rungs = rf_f32_rungs,
    .published = published,
    SAC_CHECK_CUDA(.cuda = sac_das_rf_f32_cuda, .cuda_rungs = sac_das_rf_f32_steps_cuda,
                   .open_cuda = sac_check_das_open_steps, .close_cuda = sac_check_das_close_steps,
                   .call_cuda = sac_check_das_call_steps),
};

const sac_room_check sac_das_rf_i16_check = {RF, .room = &sac_das_rf_i16_room, .kind = SAC_I16,
                                             .rungs = rf_i16_rungs, CUDA(sac_das_rf_i16_cuda)};
