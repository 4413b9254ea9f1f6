/*
 * Delay-and-sum's checks on a GPU: a case's data as the kernels there take it, and their calls.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/alloc.h"
#include "beamform/kernels/adapt_iq_f32/adapt_iq_f32_cuda.h"
#include "beamform/kernels/das/check_das.h"
#include "beamform/kernels/das_rf_f32/das_rf_f32_cuda.h"
#include "beamform/kernels/das/cuda/das_rungs_cuda.h"
#include "beamform/kernels/signal_cuda.h"

#if SAC_CUDA
typedef struct device_run {
    sac_das_cuda run, half; /* half: of half-precision data, packed from the run's by each call */
    void *memory;
    void *packed, *largest; /* the half's; NULL where there is none */
    void *scratch;          /* of adaptive weights */
} device_run;

/* Where the data lies: sizes and strides alone. */
static sac_das_cuda layout_of(const sac_das *das, size_t size, int64_t *n)
{
    sac_das_cuda run = {.das = *das};
    *n = sac_das_cuda_pack_layout(&run, sac_das_cuda_group(das, (int32_t)size));
    return run;
}

void sac_check_das_shape_cuda(sac_check_case *c, const sac_das *das, size_t size)
{
    int64_t n;
    layout_of(das, size, &n);
    c->arg[c->n_args++] = (sac_check_arg){"channel",      SAC_CHECK_IN, .size = size, .align = 64,
                                          .packed = true, .w = n,       .h = 1};
}

/* From the argument before it, which is in the order of beamform/kernels/das/das.h. */
void sac_check_das_fill_cuda(sac_check_case *c, const sac_das *das, size_t size)
{
    const sac_check_arg *to = &c->arg[c->n_args - 1], *from = to - 1;
    const size_t scalar = from->size, n_parts = size / scalar;
    int64_t n;
    const sac_das_cuda run = layout_of(das, size, &n);
    memset(to->data, 0, (size_t)n * size);
    for (int64_t f = 0; f < das->n_frames; f++)
        for (int64_t i = 0; i < (int64_t)das->n_tx * das->n_rx; i++)
            for (int64_t s = 0; s < das->n_samples; s++)
                for (size_t part = 0; part < n_parts; part++) {
                    const int64_t at =
                        f / run.group * run.frame + i * run.rx + s * run.group + f % run.group;
                    const ptrdiff_t was =
                        i * das->rx + s * das->sample + f + (ptrdiff_t)part * das->imag;
                    memcpy(to->data + (size_t)at * size + part * scalar,
                           from->data + was * (ptrdiff_t)scalar, scalar);
                }
}

/* Whether the case's data, one group of frames, is tried in half precision, too. */
static bool has_half(const sac_das *das, size_t size)
{
    return sac_das_cuda_takes_half(das, (int32_t)size, SAC_TIER_FAST) &&
           das->n_frames <= SAC_DAS_HALF_GROUP;
}

static size_t size_of(const sac_check_case *c)
{
    return sac_dtype_size(sac_check_das_is_iq(c) ? SAC_C64 : (sac_dtype)c->kind);
}

bool sac_check_das_supports_cuda(const sac_variant *v, const sac_check_case *c)
{
    const sac_das *das = sac_check_das_of(c);
    if (das->tile_rows > 0) /* an order of the CPU's */
        return false;
    if (das->reduction)
        return v->kind == SAC_ADAPT_SIGNALS || v->kind == (int)sac_adapt_kind_of(das->reduction);
    if (v->kind == SAC_DAS_CUDA_HALF)
        return has_half(das, size_of(c));
    return (v->kind == SAC_DAS_CUDA_FRAMES) == (sac_das_cuda_group(das, (int32_t)size_of(c)) > 1);
}

static sac_status open_half(device_run *d, sac_gpu *gpu)
{
    d->half = d->run;
    const size_t n = (size_t)sac_das_cuda_pack_layout(&d->half, SAC_DAS_HALF_GROUP);
    sac_status status = sac_gpu_alloc(gpu, &d->packed, (n + SAC_DAS_HALF_GROUP) * 4, NULL);
    if (status == SAC_OK)
        status = sac_gpu_alloc(gpu, &d->largest, sizeof(float), NULL);
    d->half.data = d->packed;
    d->half.largest = d->largest;
    return status;
}

sac_status sac_check_das_open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    const sac_das *das = sac_check_das_of(c);
    const size_t size = size_of(c);
    device_run *d = c->cuda = sac_alloc(1, sizeof *d);
    if (!d)
        return SAC_E_NOMEM;
    sac_status status = sac_das_cuda_open(&d->run, &d->memory, das, gpu, NULL);
    sac_das_cuda_pack_layout(&d->run, sac_das_cuda_group(das, (int32_t)size));
    d->run.out_frame = 1;
    d->run.out_image = das->n_frames;
    d->run.out_point = (int64_t)das->n_frames * sac_das_images(das);
    if (status == SAC_OK && has_half(das, size))
        status = open_half(d, gpu);
    if (status == SAC_OK && das->reduction) {
        /* Of some cases so few that points go tile by tile. */
        d->run.scratch_bytes =
            sac_adapt_cuda_bytes(&d->run, c->seed % 2 ? SAC_ADAPT_CUDA_BYTES : 0);
        status = sac_gpu_alloc(gpu, &d->scratch, d->run.scratch_bytes, NULL);
        d->run.scratch = d->scratch;
    }
    if (status)
        sac_check_das_close_cuda(c, gpu);
    return status;
}

void sac_check_das_close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    device_run *d = c->cuda;
    if (d) {
        sac_gpu_free(gpu, d->memory);
        sac_gpu_free(gpu, d->packed);
        sac_gpu_free(gpu, d->largest);
        sac_gpu_free(gpu, d->scratch);
    }
    sac_free(d);
    c->cuda = NULL;
}

/* Half precision as the plan makes it: the largest sample, packing, the sums. */
static sac_status call_half(sac_gpu_stream stream, const sac_check_case *c)
{
    const device_run *d = c->cuda;
    const sac_check_arg *in = &c->arg[c->n_args - 1];
    const sac_das_cuda_strides from = {
        .frame = 1, .tx = d->run.tx, .rx = d->run.rx, .sample = d->run.group};
    sac_status status =
        sac_maximum_f32_cuda(stream, d->largest, (const float *)(void *)in->data, true, 1, in->w);
    if (status == SAC_OK)
        status = sac_das_cuda_pack_half(stream, d->packed, in->data, &from, &d->half,
                                        d->run.das.n_frames);
    return status ? status
                  : sac_das_iq_f32_tensor(stream, NULL, (float *)(void *)c->arg[0].data, &d->half);
}

sac_status sac_check_das_call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape,
                                   const sac_check_case *c)
{
    if ((sac_das_cuda_fn)fn == sac_das_iq_f32_tensor)
        return call_half(stream, c);
    sac_das_cuda run = ((const device_run *)c->cuda)->run;
    run.data = c->arg[c->n_args - 1].data;
    return ((sac_das_cuda_fn)fn)(stream, shape, (float *)(void *)c->arg[0].data, &run);
}

/* c->cuda: the ladder's run, and what the shipped rungs need. */
typedef struct device_steps {
    sac_das_rf_f32_steps steps;
    void *shared; /* c->cuda of the other rooms: a device_run */
    void *memory;
} device_steps;

void sac_check_das_close_steps(sac_check_case *c, sac_gpu *gpu)
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
    status = sac_das_rf_f32_steps_fill(steps, sac_check_data(c, c->n_args - 1), stream);
    const sac_status waited = sac_gpu_wait(stream);
    return status != SAC_OK ? status : waited;
}

sac_status sac_check_das_open_steps(sac_check_case *c, sac_gpu *gpu)
{
    sac_status status = sac_check_das_open_cuda(c, gpu);
    if (status != SAC_OK)
        return status;
    device_steps *d = sac_alloc(1, sizeof *d);
    if (d == NULL) {
        sac_check_das_close_cuda(c, gpu);
        return SAC_E_NOMEM;
    }
    d->shared = c->cuda;
    d->steps.run = ((const device_run *)c->cuda)->run;
    c->cuda = d;
    if (sac_check_das_takes_steps(c))
        status = open_steps(d, c, gpu);
    if (status != SAC_OK)
        sac_check_das_close_steps(c, gpu);
    return status;
}

sac_status sac_check_das_call_steps(sac_any_fn fn, sac_gpu_stream stream,
                                    const sac_gpu_shape *shape, const sac_check_case *c)
{
    sac_das_rf_f32_steps steps = ((const device_steps *)c->cuda)->steps;
    steps.run.data = c->arg[c->n_args - 1].data;
    return ((sac_das_cuda_fn)fn)(stream, shape, sac_check_data(c, 0), &steps.run);
}
#else
void sac_check_das_shape_cuda(sac_check_case *c, const sac_das *das, size_t size)
{
    (void)c, (void)das, (void)size;
}

void sac_check_das_fill_cuda(sac_check_case *c, const sac_das *das, size_t size)
{
    (void)c, (void)das, (void)size;
}
#endif
