/*
 * das_rf_f32 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "das_rf_f32.h"
#include "das_rf_f32_cuda.h"
#include "beamform/kernels/check_das_rf.h"
#include "beamform/kernels/das_rungs_cuda.h"

static const sac_variant rungs[] = {
    {"two-kernels", 0, false, SAC_FN(sac_das_fn, sac_das_rf_f32_two_kernels), SAC_TIER_FP32},
    {"fused-global", 0, false, SAC_FN(sac_das_fn, sac_das_rf_f32_fused_global), SAC_TIER_FP32},
    {"fused-register", 0, false, SAC_FN(sac_das_fn, sac_das_rf_f32_fused_register), SAC_TIER_FP32},
    {0},
};

static void shape(sac_check_case *c)
{
    sac_check_das_rf_shape(c, sizeof(float));
}

#if SAC_CUDA
/* c->cuda: the ladder's run, and what the shipped rungs need. */
typedef struct device_steps {
    sac_das_rf_f32_steps steps;
    void *shared; /* c->cuda of the other rooms */
    void *memory;
} device_steps;

static void close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    device_steps *d = c->cuda;
    if (d == NULL)
        return;
    c->cuda = d->shared;
    sac_check_das_close_cuda(c, gpu);
    sac_gpu_free(gpu, d->memory);
    sac_free(d);
}

/* What the ladder's rungs work with: in configuration B 403 MB for the two kernels. */
static sac_status open_steps(device_steps *d, const sac_check_case *c, sac_gpu *gpu)
{
    sac_das_rf_f32_steps *steps = &d->steps;
    const sac_das *das = &steps->run.das;
    if (das->n_tx > SAC_DAS_STEPS_TX || das->n_rx > SAC_DAS_STEPS_RX)
        return SAC_E_UNSUPPORTED;
    const int64_t n_records = (int64_t)das->n_tx * das->n_rx, n = n_records * das->n_samples;
    const int64_t n_delayed = n_records * das->n_points > n ? n_records * das->n_points : n;
    const size_t pair = 2 * sizeof(uint16_t);
    sac_status status = sac_gpu_alloc(
        gpu, &d->memory, (size_t)n_delayed * sizeof(float) + (size_t)n * (pair + pair / 2), NULL);
    if (status != SAC_OK)
        return status;
    steps->delayed = d->memory;
    steps->pairs = steps->delayed + n_delayed;
    steps->halves = (char *)steps->pairs + (size_t)n * pair;
    const sac_gpu_stream stream = sac_gpu_main_stream(gpu);
    status =
        sac_das_rf_f32_steps_fill(steps, (const float *)(void *)c->arg[c->n_args - 1].data, stream);
    const sac_status waited = sac_gpu_wait(stream);
    return status != SAC_OK ? status : waited;
}

static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    sac_status status = sac_check_das_rf_open_cuda(c, gpu);
    if (status != SAC_OK)
        return status;
    device_steps *d = sac_alloc(1, sizeof *d);
    if (d == NULL) {
        sac_check_das_close_cuda(c, gpu);
        return SAC_E_NOMEM;
    }
    d->shared = c->cuda;
    d->steps.run = *sac_check_das_run_cuda(c);
    c->cuda = d;
    if (sac_check_das_rf_supports(&sac_das_rf_f32_steps_cuda[0], c))
        status = open_steps(d, c, gpu);
    if (status != SAC_OK)
        close_cuda(c, gpu);
    return status;
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    sac_das_rf_f32_steps steps = ((const device_steps *)c->cuda)->steps;
    steps.run.data = c->arg[c->n_args - 1].data;
    return ((sac_das_cuda_fn)fn)(stream, shape_of, (float *)(void *)c->arg[0].data, &steps.run);
}
#endif

const sac_room_check sac_das_rf_f32_check = {
    .room = &sac_das_rf_f32_room,
    .rungs = rungs,
    .modes = sac_check_das_rf_modes,
    .contents = sac_check_das_rf_contents,
    .max_pixels = 1100,
    .costly = true,
    .shape = shape,
    .open = sac_check_das_rf_open,
    .close = sac_check_das_rf_close,
    .fill = sac_check_das_rf_fill,
    .call = sac_check_das_rf_call,
    .compare = sac_check_das_rf_compare,
    .supports = sac_check_das_rf_supports,
    .bytes = sac_check_das_rf_bytes,
    .tasks = sac_check_das_rf_tasks,
    .set_task = sac_check_das_rf_set_task,
    .points = sac_check_das_rf_points,
    .published_ns = sac_check_das_rf_published_ns,
#if SAC_CUDA
    .cuda = sac_das_rf_f32_cuda,
    .cuda_rungs = sac_das_rf_f32_steps_cuda,
    .open_cuda = open_cuda,
    .close_cuda = close_cuda,
    .call_cuda = call_cuda,
#endif
};
