/*
 * Gain, contrast, brightness and saturation: one mix of colors and luma, in integers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include <math.h>

#include "motion/gpu.h"
#include "motion/kernels/adjust_cuda.h"
#include "motion/kernels/adjust_u8/adjust_u8.h"

struct sac_adjust {
    sac_adjust_desc desc;
    sac_frame_pair pair; /* of which nothing is the previous frame */
    sac_adjust_mix mix;
};

#define MOST 32767 /* of a factor */
#define MOST_SHIFT 13

static int32_t nearest(double x)
{
    return (int32_t)floor(x + 0.5);
}

/* As docs/motion.md has it. Gray has no color for the saturation. */
static sac_adjust_mix mix_of(const sac_adjust_desc *d)
{
    const double gain = d->gain * d->contrast, saturation = d->n_channels == 1 ? 1 : d->saturation;
    sac_adjust_mix m = {.shift = MOST_SHIFT};
    while (ldexp(gain * fmax(saturation, 1), m.shift) > MOST)
        m.shift--;
    m.p = nearest(ldexp(gain * saturation, m.shift));
    m.q = nearest(ldexp(gain, m.shift)) - m.p;
    m.o = nearest(32 * (127.5 * (1 - d->contrast) + 2.55 * d->brightness)) + 16;
    return m;
}

static bool changes_nothing(const sac_adjust_mix *m)
{
    return m->p == 1 << m->shift && m->q == 0 && m->o == 16;
}

/* What becomes of color c (0 or 255) of a corner of the cube of colors, whose bits are R, G, B. */
static int64_t corner(const sac_adjust_mix *m, int colors, int c)
{
    const int64_t luma = (colors & 1 ? SAC_LUMA_RED : 0) + (colors & 2 ? SAC_LUMA_GREEN : 0) +
                         (colors & 4 ? SAC_LUMA_BLUE : 0);
    const int64_t v = (255 * (128 * (colors >> c & 1) * m->p + luma * m->q) +
                       m->o * (INT64_C(1) << (m->shift + 2))) >>
                      (m->shift + 7);
    return v < 0 ? 0 : v > 255 ? 255 : v;
}

/* Where all corners become the same gray, so does what is between them. */
static void warn(const sac_adjust *plan)
{
    const sac_adjust_desc *d = &plan->desc;
    const int64_t gray = corner(&plan->mix, 0, 0);
    bool is_one = true;
    for (int i = 0; i < 24; i++)
        is_one = is_one && corner(&plan->mix, i / 3, i % 3) == gray;
    if (is_one)
        sac_log_line(d->log, SAC_LOG_WARNING,
                     "adjust: gain %g, contrast %g and brightness %g make every picture one gray, "
                     "%d",
                     d->gain, d->contrast, d->brightness, (int)gray);
    if (d->n_channels == 1 && d->saturation != 1)
        sac_log_line(d->log, SAC_LOG_WARNING,
                     "adjust: saturation %g is ignored: gray frames have no colors", d->saturation);
}

static sac_status enqueue(void *arg, sac_gpu_stream stream, const sac_motion_arrays *calls,
                          int32_t n)
{
    const sac_adjust *plan = arg;
    sac_motion_arrays alone[SAC_MOTION_CALLS];
    sac_pair pairs[SAC_MOTION_CALLS];
    for (int32_t i = 0; i < n; i++)
        alone[i] = (sac_motion_arrays){calls[i].out, calls[i].current, calls[i].current};
    const sac_status status = sac_frame_pairs_of(pairs, &plan->pair, alone, n);
    return status ? status : sac_adjust_u8_pairs(stream, pairs, n, &plan->mix);
}

static sac_status open_gpu(sac_adjust *plan, sac_error *err)
{
    const sac_motion_gpu_desc gpu = {
        SAC_MOTION_GPU(&plan->desc), .pipeline = "adjust", .frame = plan->pair.shape,
        .out = plan->pair.out_shape, .in_place = true,     .enqueue = enqueue,
    };
    const sac_status status = sac_motion_gpu_open(&plan->pair.gpu, &gpu, err);
    if (status == SAC_OK)
        sac_motion_gpu_say(&gpu, plan->pair.variant, sizeof plan->pair.variant, "adjust_u8:cuda");
    return status;
}

static sac_status open_cpu(sac_adjust *plan, sac_error *err)
{
    const sac_plan_choice choice = {
        SAC_PLAN_CHOICE(&plan->desc),
        SAC_PLAN_SHAPE(&plan->desc),
        .pipeline = "adjust",
        .rooms = {&sac_adjust_u8_room},
    };
    return sac_frame_pair_open(&plan->pair, &choice, false, err);
}

static sac_status open_plan(void *opened, sac_error *err)
{
    sac_adjust *plan = opened;
    sac_adjust_desc *d = &plan->desc;
    plan->pair.shape = plan->pair.out_shape =
        (sac_frame_shape){d->w, d->h, d->n_channels, d->order};
    plan->mix = mix_of(d);
    sac_status status = sac_frame_shape_check(&plan->pair.shape, d->device, d->stream, err);
    if (status == SAC_OK)
        status = d->device.kind == SAC_DEVICE_CPU ? open_cpu(plan, err) : open_gpu(plan, err);
    d->variant = NULL; /* the caller's string is not kept */
    if (status == SAC_OK)
        warn(plan);
    return status;
}

static void close_plan(void *closed)
{
    sac_frame_pair_close(&((sac_adjust *)closed)->pair);
}

SAC_PLAN(sac_adjust, sac_adjust_open, sac_adjust_close, sac_adjust_params, sac_adjust_desc,
         sac_adjust_desc_init)

sac_status sac_adjust_set(sac_adjust *plan, const sac_adjust_desc *desc, sac_error *err)
{
    if (!plan || !desc)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", plan ? "desc" : "plan");
    const sac_status status = sac_param_check(sac_adjust_params(), desc, err);
    if (status)
        return status;
    plan->desc.brightness = desc->brightness;
    plan->desc.contrast = desc->contrast;
    plan->desc.saturation = desc->saturation;
    plan->desc.gain = desc->gain;
    plan->mix = mix_of(&plan->desc);
    return SAC_OK;
}

static void adjust_strip(void *arg, int32_t i)
{
    const sac_adjust *plan = arg;
    const sac_frame_pair f = sac_frame_pair_strip(&plan->pair, i);
    ((sac_adjust_u8_fn)f.draw)(&f.out, &f.current, &plan->mix);
}

static sac_status run_cpu(sac_adjust *plan, const sac_array *out, const sac_array *in,
                          sac_error *err)
{
    sac_frame_pair *pair = &plan->pair;
    sac_status status = sac_frame_take(&pair->current, in, "in", &pair->shape, err);
    if (status == SAC_OK)
        status = sac_frame_take(&pair->out, out, "out", &pair->shape, err);
    if (status || (out->data == in->data && changes_nothing(&plan->mix)))
        return status;
    sac_pool_run(pair->pool, pair->n_strips, adjust_strip, plan);
    return SAC_OK;
}

sac_status sac_adjust_run_batch(sac_adjust *plan, const sac_array *outs, const sac_array *ins,
                                int32_t n, sac_error *err)
{
    const char *missing = !plan ? "plan" : n < 1 ? NULL : !outs ? "out" : !ins ? "in" : NULL;
    if (missing)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", missing);
    if (plan->pair.gpu)
        return sac_motion_gpu_run(plan->pair.gpu, plan, outs, ins, NULL, n, err);
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < n && status == SAC_OK; i++)
        status = run_cpu(plan, &outs[i], &ins[i], err);
    return status;
}

sac_status sac_adjust_run(sac_adjust *plan, const sac_array *out, const sac_array *in,
                          sac_error *err)
{
    return sac_adjust_run_batch(plan, out, in, 1, err);
}

const char *sac_adjust_get_variant(const sac_adjust *plan)
{
    return plan->pair.variant;
}
