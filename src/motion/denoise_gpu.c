/*
 * Denoising on a GPU: the filter's launcher, and what a temporal plan keeps there.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/denoise.h"
#include "motion/kernels/filters_cuda.h"

static const sac_variant *table_of(const sac_denoise_desc *d)
{
    switch (d->method) {
    case SAC_DENOISE_MEAN:
        return sac_mean_u8_cuda;
    case SAC_DENOISE_GAUSSIAN:
        return sac_gaussian_u8_cuda;
    case SAC_DENOISE_MEDIAN:
        return d->size == 3 ? sac_median3_u8_cuda : sac_median5_u8_cuda;
    default:
        return sac_temporal_u8_cuda;
    }
}

/* The noise, where it is to be estimated, and the table; the first frame has no past to keep. */
static sac_status prepare(sac_denoise *plan, sac_gpu_stream stream, const sac_samples *in)
{
    const bool estimate = plan->desc.noise == 0 && plan->n_frames % SAC_ESTIMATE_EVERY == 0;
    sac_status status = SAC_OK;
    if (estimate)
        status = sac_temporal_estimate_cuda(stream, plan->kept, in);
    if (status == SAC_OK && plan->n_frames == 0)
        status = sac_gpu_set(plan->kept->keep, 0, sizeof plan->kept->keep, stream);
    else if (status == SAC_OK && (plan->n_frames == 1 || estimate))
        status = sac_temporal_keep_cuda(stream, plan->kept, plan->desc.strength);
    plan->n_frames++;
    return status;
}

static sac_status filter(const sac_denoise *plan, sac_gpu_stream stream, const sac_samples *outs,
                         const sac_samples *ins, int32_t n)
{
    return ((sac_filter_u8_cuda_fn)plan->launch)(stream, NULL, outs, ins, n, &plan->window);
}

static sac_status average(sac_denoise *plan, sac_gpu_stream stream, const sac_samples *out,
                          const sac_samples *in)
{
    const sac_status status = prepare(plan, stream, in);
    return status ? status
                  : ((sac_temporal_u8_cuda_fn)plan->launch)(stream, NULL, out, plan->state, in,
                                                            plan->kept->keep);
}

static sac_status enqueue(void *arg, sac_gpu_stream stream, const sac_motion_arrays *calls,
                          int32_t n)
{
    sac_denoise *plan = arg;
    sac_samples ins[SAC_MOTION_CALLS], outs[SAC_MOTION_CALLS];
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < n && status == SAC_OK; i++) {
        status = sac_denoise_samples(&ins[i], calls[i].current, "in", &plan->desc, NULL);
        if (status == SAC_OK)
            status = sac_denoise_samples(&outs[i], calls[i].out, "out", &plan->desc, NULL);
    }
    if (status == SAC_OK && plan->desc.method != SAC_DENOISE_TEMPORAL)
        return filter(plan, stream, outs, ins, n);
    for (int32_t i = 0; i < n && status == SAC_OK; i++) /* each needs the one before */
        status = average(plan, stream, &outs[i], &ins[i]);
    return status;
}

static sac_status keep(sac_denoise *plan, sac_error *err)
{
    const sac_denoise_desc *d = &plan->desc;
    const sac_temporal_cuda first = {.noise = d->noise};
    size_t bytes = sizeof *plan->state * (size_t)d->n_channels;
    if (__builtin_mul_overflow(bytes, (size_t)d->w, &bytes) ||
        __builtin_mul_overflow(bytes, (size_t)d->h, &bytes))
        return sac_fail(err, SAC_E_NOMEM, "denoise: a frame of %lld x %lld pixels is too large",
                        (long long)d->w, (long long)d->h);
    sac_status status =
        sac_motion_gpu_keep(plan->gpu, (void **)&plan->kept, sizeof first, &first, err);
    if (status == SAC_OK)
        status = sac_motion_gpu_keep(plan->gpu, (void **)&plan->state, bytes, NULL, err);
    return status;
}

sac_status sac_denoise_gpu_open(sac_denoise *plan, sac_error *err)
{
    const sac_denoise_desc *d = &plan->desc;
    static const char *const names[] = {"mean_u8:cuda", "gaussian_u8:cuda", NULL,
                                        "temporal_u8:cuda"};
    const char *median = d->size == 3 ? "median3_u8:cuda" : "median5_u8:cuda";
    const sac_frame_shape frame = {d->w, d->h, d->n_channels, SAC_ORDER_UNKNOWN};
    const sac_motion_gpu_desc gpu = {
        SAC_MOTION_GPU(d), .pipeline = "denoise", .frame = frame, .out = frame, .enqueue = enqueue,
    };
    sac_status status = sac_motion_gpu_open(&plan->gpu, &gpu, err);
    if (status == SAC_OK && d->method == SAC_DENOISE_TEMPORAL)
        status = keep(plan, err);
    if (status)
        return status;
    plan->launch = sac_variant_of_kind(table_of(d), 0, SAC_TIER_EXACT)->fn;
    sac_motion_gpu_say(&gpu, plan->variant, sizeof plan->variant,
                       d->method == SAC_DENOISE_MEDIAN ? median : names[d->method]);
    return SAC_OK;
}

double sac_denoise_gpu_noise(const sac_denoise *plan)
{
    double noise = 0;
    return sac_motion_gpu_read(plan->gpu, &noise, &plan->kept->noise, sizeof noise) ? 0 : noise;
}
