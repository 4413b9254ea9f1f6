/*
 * Delay-and-sum's checks on a GPU: a case's data as the kernels there take it, and their calls.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/alloc.h"
#include "kernels/check_das.h"
#include "kernels/das_rungs_cuda.h"

#if SAC_CUDA
typedef struct device_run {
    sac_das_cuda run;
    void *memory;
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

/* From the argument before it, which is in the order of kernels/das.h. */
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

bool sac_check_das_supports_cuda(const sac_variant *v, const sac_das *das, size_t size)
{
    const sac_das_cuda run = {.das = *das, .group = sac_das_cuda_group(das, (int32_t)size)};
    return sac_das_cuda_takes(v, &run);
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
    if (status)
        sac_check_das_close_cuda(c, gpu);
    return status;
}

void sac_check_das_close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    device_run *d = c->cuda;
    if (d)
        sac_gpu_free(gpu, d->memory);
    sac_free(d);
    c->cuda = NULL;
}

sac_status sac_check_das_call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape,
                                   const sac_check_case *c)
{
    sac_das_cuda run = ((const device_run *)c->cuda)->run;
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
