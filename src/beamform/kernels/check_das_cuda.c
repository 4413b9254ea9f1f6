/*
 * Delay-and-sum's checks on a GPU: a case's data as the kernels there take it, and their calls.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/alloc.h"
#include "beamform/kernels/check_das.h"
#include "beamform/kernels/das_rungs_cuda.h"
#include "beamform/kernels/signal_cuda.h"

#if SAC_CUDA
typedef struct device_run {
    sac_das_cuda run, half; /* half: of half-precision data, packed from the run's by each call */
    void *memory;
    void *packed, *largest; /* the half's; NULL where there is none */
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

/* From the argument before it, which is in the order of beamform/kernels/das.h. */
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

bool sac_check_das_supports_cuda(const sac_variant *v, const sac_das *das, size_t size)
{
    if (v->kind == SAC_DAS_CUDA_HALF)
        return has_half(das, size);
    return (v->kind == SAC_DAS_CUDA_FRAMES) == (sac_das_cuda_group(das, (int32_t)size) > 1);
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

sac_status sac_check_das_open_cuda(sac_check_case *c, sac_gpu *gpu, const sac_das *das, size_t size)
{
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
    }
    sac_free(d);
    c->cuda = NULL;
}

const sac_das_cuda *sac_check_das_run_cuda(const sac_check_case *c)
{
    return &((const device_run *)c->cuda)->run;
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
    sac_das_cuda run = *sac_check_das_run_cuda(c);
    run.data = c->arg[c->n_args - 1].data;
    return ((sac_das_cuda_fn)fn)(stream, shape, (float *)(void *)c->arg[0].data, &run);
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

bool sac_check_das_supports_cuda(const sac_variant *v, const sac_das *das, size_t size)
{
    (void)v, (void)das, (void)size;
    return false;
}

sac_status sac_check_das_open_cuda(sac_check_case *c, sac_gpu *gpu, const sac_das *das, size_t size)
{
    (void)c, (void)gpu, (void)das, (void)size;
    return SAC_E_DEVICE;
}

void sac_check_das_close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    (void)c, (void)gpu;
}

sac_status sac_check_das_call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape,
                                   const sac_check_case *c)
{
    (void)fn, (void)stream, (void)shape, (void)c;
    return SAC_E_DEVICE;
}
#endif
