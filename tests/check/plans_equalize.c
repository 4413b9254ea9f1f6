/*
 * equalize through its plan: every depth, layout, option and way of handing over pictures, against
 * the definition; with CLAHE tiles and over time against a plan of references.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "plans.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "equalize/ladder/check.h"

#define MOST_PIXELS 12000 /* of a batch in all, about */

typedef struct batch {
    int32_t n;
    size_t n_samples;   /* of a picture */
    uint8_t *in, *want; /* (n, n_samples), packed */
    plan_lay from[PLAN_MOST_BATCH], to[PLAN_MOST_BATCH];
    bool in_place[PLAN_MOST_BATCH];
} batch;

static sac_equalize_desc draw_desc(plan_check *c, int32_t n)
{
    static const int32_t threads[] = {1, 1, 2, 3, 7}, bins[] = {0, 0, 2, 100, 256, 4096, 65536};
    sac_equalize_desc d;
    sac_equalize_desc_init(&d);
    const bool has_tiles = plan_draw(c, 4) == 0;
    d.dtype = plan_draw(c, 2) ? SAC_U8 : SAC_U16;
    d.w = (has_tiles ? 16 : 1) + plan_draw(c, plan_draw(c, 4) ? 80 : MOST_PIXELS / 30);
    d.h = (has_tiles ? 16 : 1) + plan_draw(c, 1 + MOST_PIXELS / (d.w * n));
    d.n_channels = 1 + (int32_t)plan_draw(c, 4);
    d.layout = (sac_layout)plan_draw(c, 2);
    d.scale = (int32_t)plan_draw(c, 3);
    d.bins = PLAN_ONE_OF(c, bins);
    for (int i = 0; i < 2 && has_tiles; i++)
        d.clahe[i] = 1 + (int32_t)plan_draw(c, 8);
    if (has_tiles)
        d.bins = 0;
    d.clip = (double)plan_draw(c, 5);
    d.smooth = plan_draw(c, 4) == 0 ? 0.25 * (double)(1 + plan_draw(c, 3)) : 0;
    d.n_threads = PLAN_ONE_OF(c, threads);
    d.variant = plan_variant(c);
    if (c->gpu)
        d.device.kind = SAC_DEVICE_CUDA;
    return d;
}

/* The axes' sizes as the plan has them; gray has two or three. */
static int32_t shape_of(int64_t shape[3], const sac_equalize_desc *d, bool flat)
{
    const bool is_planar = d->layout == SAC_PLANAR;
    shape[is_planar ? 1 : 0] = d->h;
    shape[is_planar ? 2 : 1] = d->w;
    shape[is_planar ? 0 : 2] = d->n_channels;
    if (!flat || d->n_channels > 1)
        return 3;
    shape[0] = d->h;
    shape[1] = d->w;
    return 2;
}

/* A packed picture of the plan's axes as the reference takes it. */
static sac_pixels pixels_of(uint8_t *data, const sac_equalize_desc *d)
{
    const ptrdiff_t size = (ptrdiff_t)sac_dtype_size(d->dtype);
    const bool is_planar = d->layout == SAC_PLANAR;
    const ptrdiff_t channel = is_planar ? size * d->w * d->h : size;
    sac_pixels p = {.n_colors = d->n_channels < 3 ? 1 : 3,
                    .pixel = is_planar ? size : size * d->n_channels,
                    .w = d->w,
                    .h = d->h};
    p.row = p.pixel * d->w;
    for (int32_t k = 0; k < d->n_channels; k++)
        *(k < p.n_colors ? &p.color[k] : &p.alpha) = data + k * channel;
    return p;
}

static void define(batch *b, const sac_equalize_desc *of)
{
    sac_equalize_desc d = *of;
    sac_equalize_job job = {.desc = &d, .counts = plan_memory(65536, sizeof *job.counts)};
    const size_t bytes = b->n_samples * sac_dtype_size(d.dtype);
    if (d.bins == 0)
        d.bins = d.dtype == SAC_U8 ? 256 : 65536;
    for (int32_t i = 0; i < b->n; i++) {
        job.in = pixels_of(b->in + (size_t)i * bytes, &d);
        job.out = pixels_of(b->want + (size_t)i * bytes, &d);
        sac_equalize_ref(&job);
    }
    free(job.counts);
}

/* One by one, packed, on the CPU. */
static void run_references(batch *b, const sac_equalize_desc *of)
{
    const size_t bytes = b->n_samples * sac_dtype_size(of->dtype);
    int64_t shape[3];
    sac_equalize_desc d = *of;
    sac_equalize *plan = NULL;
    sac_error err = {0};
    d.device.kind = SAC_DEVICE_CPU;
    d.variant = "ref";
    d.n_threads = 1;
    plan_must(sac_equalize_open(&plan, &d, &err), "the reference's plan", &err);
    for (int32_t i = 0; i < b->n; i++) {
        sac_array in, out;
        const int32_t n_dims = shape_of(shape, &d, false);
        plan_must(sac_array_view(&in, b->in + (size_t)i * bytes, d.dtype, n_dims, shape, &err),
                  "view", &err);
        plan_must(sac_array_view(&out, b->want + (size_t)i * bytes, d.dtype, n_dims, shape, &err),
                  "view", &err);
        plan_must(sac_equalize_run(plan, &out, &in, &err), "the reference's run", &err);
    }
    sac_equalize_close(&plan);
}

/* A GPU's plan takes both in its memory, or both in the CPU's. */
static void open_batch(plan_check *c, batch *b, const sac_equalize_desc *d)
{
    const size_t bytes = b->n_samples * sac_dtype_size(d->dtype);
    b->in = plan_memory((size_t)b->n, bytes);
    b->want = plan_memory((size_t)b->n, bytes);
    plan_fill(c, b->in, d->dtype, (int64_t)b->n_samples * b->n);
    const bool on_device = c->gpu && plan_draw(c, 2);
    for (int32_t i = 0; i < b->n; i++) {
        const plan_place from = on_device ? PLAN_DEVICE : c->gpu ? (plan_place)plan_draw(c, 2) : 0;
        const plan_place to = on_device ? PLAN_DEVICE : c->gpu ? (plan_place)plan_draw(c, 2) : 0;
        int64_t shape[3];
        const int32_t n_in = shape_of(shape, d, plan_draw(c, 2));
        b->from[i] = plan_lay_open(c, d->dtype, n_in, shape, false, from);
        plan_lay_write(c, &b->from[i], b->in + (size_t)i * bytes);
        b->in_place[i] = plan_draw(c, 4) == 0;
        const int32_t n_out = shape_of(shape, d, plan_draw(c, 2));
        b->to[i] = plan_lay_open(c, d->dtype, n_out, shape, false, to);
    }
    if (d->clahe[0] > 0 || d->smooth > 0)
        run_references(b, d);
    else
        define(b, d);
}

static void run(plan_check *c, sac_equalize *plan, batch *b)
{
    sac_array ins[PLAN_MOST_BATCH], outs[PLAN_MOST_BATCH];
    sac_error err = {0};
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < b->n; i++) {
        ins[i] = b->from[i].array;
        outs[i] = b->in_place[i] ? b->from[i].array : b->to[i].array;
    }
    if (plan_draw(c, 3)) {
        status = sac_equalize_run_batch(plan, outs, ins, b->n, &err);
    } else {
        for (int32_t i = 0; i < b->n && status == SAC_OK; i++)
            status = sac_equalize_run(plan, &outs[i], &ins[i], &err);
    }
    if (status != SAC_OK)
        plan_fault(c, "%s: %s", sac_status_name(status), err.text);
}

static void close_batch(plan_check *c, batch *b)
{
    for (int32_t i = 0; i < b->n; i++) {
        plan_lay_close(c, &b->from[i]);
        plan_lay_close(c, &b->to[i]);
    }
    free(b->in);
    free(b->want);
    free(b);
}

void check_equalize_plan(plan_check *c)
{
    batch *b = plan_memory(1, sizeof *b);
    sac_equalize *plan = NULL;
    sac_error err = {0};
    b->n = 1 + (int32_t)plan_draw(c, plan_draw(c, 2) ? 4 : PLAN_MOST_BATCH);
    sac_equalize_desc d = draw_desc(c, b->n);
    b->n_samples = (size_t)(d.w * d.h * d.n_channels);
    open_batch(c, b, &d);
    plan_about(c,
               "%d pictures %" PRId64 "x%" PRId64 "x%d %s %s, bins %d, scale %d, clahe %dx%d clip "
               "%g, smooth %g, threads %d, variant %s, first in %s",
               b->n, d.w, d.h, d.n_channels, sac_dtype_name(d.dtype),
               d.layout == SAC_PLANAR ? "planar" : "interleaved", d.bins, d.scale, d.clahe[0],
               d.clahe[1], d.clip, d.smooth, d.n_threads, d.variant ? d.variant : "-",
               plan_places[b->from[0].place]);
    sac_status status = sac_equalize_open(&plan, &d, &err);
    if (plan_lacks(status, d.variant)) {
        c->n_skipped++;
    } else if (status != SAC_OK) {
        plan_fault(c, "open: %s", err.text);
    } else {
        const size_t bytes = b->n_samples * sac_dtype_size(d.dtype);
        run(c, plan, b);
        for (int32_t i = 0; i < b->n; i++)
            plan_lay_compare(c, b->in_place[i] ? &b->from[i] : &b->to[i],
                             b->want + (size_t)i * bytes, "out");
        for (int32_t i = 0; i < b->n; i++)
            if (!b->in_place[i])
                plan_lay_compare(c, &b->from[i], b->in + (size_t)i * bytes, "in, afterwards");
    }
    sac_equalize_close(&plan);
    close_batch(c, b);
}
