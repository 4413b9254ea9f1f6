/*
 * One picture by way of HSV, for callers: on the CPU, or on a GPU in the launch shape that they ask
 * for.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/ladder.h>

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/struct.h"
#include "equalize/ladder/check.h"
#include "equalize/ladder/check_cuda.h"

enum { BINS = 256 };

/* A picture on its way. */
typedef struct run {
    const sac_ladder_hsv_desc *desc;
    sac_equalize_desc of;
    uint8_t *in, *out; /* packed RGB, in the CPU's memory */
    size_t n_bytes;
    double ns;
} run;

void sac_ladder_hsv_desc_init(sac_ladder_hsv_desc *desc)
{
    *desc = (sac_ladder_hsv_desc){.struct_size = sizeof *desc};
}

static sac_pixels packed(void *memory, const sac_equalize_desc *d)
{
    uint8_t *first = memory;
    return (sac_pixels){.color = {first, first + 1, first + 2},
                        .n_colors = 3,
                        .pixel = 3,
                        .row = (ptrdiff_t)(3 * d->w),
                        .w = d->w,
                        .h = d->h};
}

/* Copies the array's samples to packed ones, or back. */
static void copy(const sac_array *a, uint8_t *rgb, bool back)
{
    for (int64_t y = 0; y < a->shape[0]; y++)
        for (int64_t x = 0; x < a->shape[1]; x++)
            for (int64_t k = 0; k < 3; k++, rgb++) {
                uint8_t *at =
                    (uint8_t *)a->data + y * a->stride[0] + x * a->stride[1] + k * a->stride[2];
                if (back)
                    *at = *rgb;
                else
                    *rgb = *at;
            }
}

static sac_status run_cpu(run *r)
{
    sac_equalize_job job = {.desc = &r->of,
                            .out = packed(r->out, &r->of),
                            .in = packed(r->in, &r->of),
                            .hsv = sac_alloc(r->n_bytes, sizeof *job.hsv)};
    if (job.hsv == NULL)
        return SAC_E_NOMEM;
    const int64_t start = sac_clock_ns();
    sac_equalize_hsv_planes(&job);
    r->ns = (double)(sac_clock_ns() - start);
    sac_free(job.hsv);
    return SAC_OK;
}

#if SAC_CUDA
/* In between two events, from device memory to device memory. */
static sac_status launch(run *r, sac_gpu *gpu, const sac_check_case *c, uint8_t *memory)
{
    const sac_gpu_stream stream = sac_gpu_main_stream(gpu);
    const sac_pixels in = packed(memory, &r->of), out = packed(memory + r->n_bytes, &r->of);
    sac_gpu_shape shape;
    memcpy(shape.grid, r->desc->grid, sizeof shape.grid);
    memcpy(shape.block, r->desc->block, sizeof shape.block);
    const sac_variant *v = sac_equalize_cuda_rungs;
    while (strcmp(v->name, "hsv-planes") != 0)
        v++;
    sac_gpu_event from = NULL, to = NULL;
    sac_status status = sac_gpu_event_open(gpu, &from);
    status = status ? status : sac_gpu_event_open(gpu, &to);
    status = status ? status : sac_gpu_copy(memory, r->in, r->n_bytes, stream);
    status = status ? status : sac_gpu_event_record(from, stream);
    if (status == SAC_OK)
        status = sac_equalize_check_call_cuda(v->fn, stream, shape.grid[0] ? &shape : NULL, c, &out,
                                              &in);
    status = status ? status : sac_gpu_event_record(to, stream);
    if (status == SAC_OK)
        status = sac_gpu_copy(r->out, memory + r->n_bytes, r->n_bytes, stream);
    const sac_status waited = sac_gpu_wait(stream);
    status = status ? status : waited;
    status = status ? status : sac_gpu_event_elapsed(&r->ns, from, to);
    sac_gpu_event_close(&from);
    sac_gpu_event_close(&to);
    return status;
}

static sac_status run_cuda(run *r, sac_error *err)
{
    sac_gpu *gpu = NULL;
    sac_check_case c = {0};
    void *memory = NULL;
    sac_status status = sac_gpu_open(&gpu, r->desc->device.index, err);
    if (status != SAC_OK)
        return status;
    status = sac_gpu_enter(gpu);
    if (status == SAC_OK) {
        status = sac_gpu_alloc(gpu, &memory, 2 * r->n_bytes, NULL);
        if (status == SAC_OK)
            status = sac_equalize_check_open_cuda(&c, gpu, &r->of);
        if (status == SAC_OK)
            status = launch(r, gpu, &c, memory);
        sac_equalize_check_close_cuda(&c, gpu);
        sac_gpu_free(gpu, memory);
        sac_gpu_leave(gpu);
    }
    sac_gpu_close(&gpu);
    return sac_gpu_fail(status, err);
}
#else
static sac_status run_cuda(const run *r, sac_error *err)
{
    sac_gpu *gpu = NULL;
    return sac_gpu_open(&gpu, r->desc->device.index, err); /* says why not */
}
#endif

static sac_status check_array(const sac_array *a, const char *name, sac_error *err)
{
    const sac_status status = sac_array_check(a, name, err);
    if (status != SAC_OK)
        return status;
    if (a->dtype != SAC_U8 || a->n_dims != 3 || a->shape[2] != 3 || sac_array_count(a) == 0)
        return sac_fail(err, SAC_E_SHAPE,
                        "%s: RGB of 8 bits (h, w, 3) expected, got %s with %" PRId64 " channels",
                        name, sac_dtype_name(a->dtype), a->n_dims == 3 ? a->shape[2] : 1);
    return a->device.kind == SAC_DEVICE_CPU
               ? SAC_OK
               : sac_fail(err, SAC_E_DEVICE, "%s: expected in the CPU's memory", name);
}

static sac_status check(const sac_ladder_hsv_desc *d, const sac_array *out, const sac_array *in,
                        sac_error *err)
{
    const uint32_t *g = d->grid, *b = d->block;
    const bool is_shaped = g[0] + g[1] + g[2] + b[0] + b[1] + b[2] != 0;
    if (is_shaped && d->device.kind != SAC_DEVICE_CUDA)
        return sac_fail(err, SAC_E_INVALID, "grid, block: are for a GPU, and the device is cpu");
    if (d->scale < SAC_SCALE_FIRST || d->scale > SAC_SCALE_MINMAX)
        return sac_fail(err, SAC_E_INVALID, "scale: 0 to 2 expected, got %" PRId32, d->scale);
    sac_status status = is_shaped ? sac_gpu_check_shape(g, b, err) : SAC_OK;
    status = status ? status : check_array(in, "in", err);
    status = status ? status : check_array(out, "out", err);
    if (status == SAC_OK && (out->shape[0] != in->shape[0] || out->shape[1] != in->shape[1]))
        return sac_fail(err, SAC_E_SHAPE, "out: %" PRId64 "x%" PRId64 " expected, as `in`",
                        in->shape[1], in->shape[0]);
    return status;
}

sac_status sac_ladder_hsv_run(double *ns, const sac_ladder_hsv_desc *desc, const sac_array *out,
                              const sac_array *in, sac_error *err)
{
    sac_ladder_hsv_desc own;
    sac_ladder_hsv_desc_init(&own);
    sac_status status = sac_struct_take(&own, desc, "desc", err);
    status = status ? status : check(&own, out, in, err);
    if (status != SAC_OK)
        return status;
    run r = {.desc = &own, .n_bytes = (size_t)sac_array_count(in)};
    sac_equalize_desc_init(&r.of);
    r.of.w = in->shape[1];
    r.of.h = in->shape[0];
    r.of.n_channels = 3;
    r.of.bins = BINS;
    r.of.scale = own.scale;
    r.in = sac_alloc(2, r.n_bytes);
    if (r.in == NULL)
        return sac_fail(err, SAC_E_NOMEM, "no memory for a copy of the picture");
    r.out = r.in + r.n_bytes;
    copy(in, r.in, false);
    status = own.device.kind == SAC_DEVICE_CUDA ? run_cuda(&r, err) : run_cpu(&r);
    if (status == SAC_OK)
        copy(out, r.out, true);
    else if (status == SAC_E_NOMEM && own.device.kind == SAC_DEVICE_CPU)
        (void)sac_fail(err, status, "no memory for the picture's HSV");
    if (ns != NULL)
        *ns = r.ns;
    sac_free(r.in);
    return status;
}
