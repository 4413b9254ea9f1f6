/*
 * meltpool through its plan: streams in batches of any size, frames that lie anyhow in any memory,
 * every way to find the centre, against a plan of references that takes them one by one.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "meltpool/ladder/scenes.h"
#include "plans.h"

enum { SIDE = SAC_MELTPOOL_SIM_SIZE, MOST = 2 * PLAN_MOST_BATCH };

typedef struct stream {
    sac_meltpool_scene_plan of;
    int32_t n, batch; /* batch 0: each frame by a run of its own */
    uint8_t *pixels;  /* (n, SIDE, SIDE), packed */
    sac_meltpool_signals signals[MOST];
    sac_meltpool_record want[MOST], got[MOST];
    sac_meltpool_counts wanted;
} stream;

static void draw_desc(plan_check *c, sac_meltpool_desc *d)
{
    static const int32_t rois[] = {40, 40, 8, 17, 33, 64, 65, 96}, windows[] = {64, 64, 1, 5, 300};
    static const int32_t threads[] = {1, 2, 3, 7}, thresholds[] = {60, 60, 0, 1, 120, 256};
    static const int32_t residents[] = {0, 1, 8, 32, 70};
    d->roi = PLAN_ONE_OF(c, rois);
    d->roi_align = 1 << plan_draw(c, 7);
    d->locate = (int32_t)plan_draw(c, 4);
    d->static_roi = plan_draw(c, 4) == 0;
    d->scan_frame = plan_draw(c, 3) == 0;
    d->threshold = PLAN_ONE_OF(c, thresholds);
    d->spatter_min = 1 + (int32_t)plan_draw(c, 4);
    d->window = PLAN_ONE_OF(c, windows);
    d->fixed[0] = plan_draw(c, 2) ? -1 : (double)plan_draw(c, SIDE) - 0.25 * (plan_draw(c, 2) != 0);
    d->fixed[0] = d->fixed[0] < 0 ? -1 : d->fixed[0];
    d->model = plan_draw(c, 4) ? d->model : NULL;
    d->n_threads = PLAN_ONE_OF(c, threads);
    d->variant = plan_variant(c);
    if (c->gpu) {
        d->device.kind = SAC_DEVICE_CUDA;
        d->resident = PLAN_ONE_OF(c, residents);
        d->timeout_s = 20;
    }
}

static sac_array frame_of(const sac_array *frames, int32_t i, int32_t n)
{
    sac_array part = *frames;
    part.data = (uint8_t *)frames->data + i * frames->stride[0];
    part.shape[0] = n;
    if (n > 0)
        return part;
    part.n_dims = 2;
    memmove(part.shape, part.shape + 1, 2 * sizeof part.shape[0]);
    memmove(part.stride, part.stride + 1, 2 * sizeof part.stride[0]);
    return part;
}

/* One by one, packed, one thread, every room's ref, on the CPU. */
static void run_reference(stream *s)
{
    const int64_t shape[] = {s->n, SIDE, SIDE};
    sac_meltpool_desc d = s->of.desc;
    sac_meltpool *plan = NULL;
    sac_array frames;
    sac_error err = {0};
    d.device.kind = SAC_DEVICE_CPU;
    d.variant = "ref";
    d.n_threads = 1;
    plan_must(sac_meltpool_open(&plan, &d, &err), "the reference's plan", &err);
    plan_must(sac_array_view(&frames, s->pixels, SAC_U8, 3, shape, &err), "view", &err);
    for (int32_t i = 0; i < s->n; i++) {
        const sac_array frame = frame_of(&frames, i, 0);
        plan_must(sac_meltpool_run(plan, &s->want[i], &frame, &s->signals[i], &err),
                  "the reference's run", &err);
    }
    s->wanted.struct_size = sizeof s->wanted;
    sac_meltpool_get_counts(plan, &s->wanted);
    sac_meltpool_close(&plan);
}

static void run(plan_check *c, stream *s, sac_meltpool *plan, const sac_array *frames)
{
    sac_error err = {0};
    for (int32_t i = 0; i < s->n;) {
        const int32_t left = s->n - i, n = s->batch < left ? s->batch : left;
        const sac_array part = frame_of(frames, i, n);
        const sac_status status =
            n == 0 ? sac_meltpool_run(plan, &s->got[i], &part, &s->signals[i], &err)
                   : sac_meltpool_run_batch(plan, &s->got[i], &part, &s->signals[i], &err);
        if (status != SAC_OK) {
            plan_fault(c, "frame %d: %s: %s", i, sac_status_name(status), err.text);
            return;
        }
        i += n > 0 ? n : 1;
    }
}

static void compare(plan_check *c, stream *s, const sac_meltpool *plan)
{
    sac_meltpool_counts got = {.struct_size = sizeof got};
    for (int32_t i = 0; i < s->n; i++) {
        const char *what = sac_meltpool_scene_differs(&s->want[i], &s->got[i], s->of.desc.model);
        if (what) {
            plan_fault(c, "frame %d: %s: flags wanted %u, got %u; area wanted %g, got %g", i, what,
                       s->want[i].flags, s->got[i].flags, (double)s->want[i].features[0],
                       (double)s->got[i].features[0]);
            break;
        }
    }
    sac_meltpool_get_counts(plan, &got);
    if (memcmp(&got, &s->wanted, sizeof got) != 0)
        plan_fault(c,
                   "counts: wanted %" PRId64 " processed of %" PRId64 ", got %" PRId64
                   " of %" PRId64 ", or others differ",
                   s->wanted.processed, s->wanted.frames, got.processed, got.frames);
    c->n_compared++;
    c->n_blank += s->wanted.processed == s->wanted.no_pool;
}

static void draw_stream(plan_check *c, stream *s, int32_t scene)
{
    s->batch = (int32_t)plan_draw(c, PLAN_MOST_BATCH + 1);
    s->n = 1 + (int32_t)plan_draw(c, plan_draw(c, 2) ? 8 : MOST);
    s->pixels = plan_memory((size_t)s->n, SIDE * SIDE);
    plan_must(sac_meltpool_scene_fill(s->pixels, SIDE, s->signals, s->n, scene, c->random >> 12),
              "frames", NULL);
    if (plan_draw(c, 4) == 0) { /* the laser off, away and out of reach */
        s->signals[plan_draw(c, s->n)].laser_on = 0;
        s->signals[plan_draw(c, s->n)].x += 1000 * (int32_t)plan_draw(c, 9);
        s->signals[plan_draw(c, s->n)].y = INT32_MAX;
        s->signals[plan_draw(c, s->n)].counter += 50;
    }
}

void check_meltpool_plan(plan_check *c)
{
    int32_t n_scenes = 0;
    while (sac_meltpool_scenes[n_scenes])
        n_scenes++;
    const int32_t scene = plan_draw(c, 2) ? 0 : (int32_t)plan_draw(c, n_scenes);
    stream *s = plan_memory(1, sizeof *s);
    sac_meltpool *plan = NULL;
    sac_error err = {0};
    sac_meltpool_scene_plan_init(&s->of);
    sac_meltpool_desc *d = &s->of.desc;
    draw_desc(c, d);
    draw_stream(c, s, scene);
    const int64_t shape[] = {s->n, SIDE, SIDE};
    const plan_place place = c->gpu ? (plan_place)plan_draw(c, PLAN_PLACES) : PLAN_HOST;
    plan_lay frames = plan_lay_open(c, SAC_U8, 3, shape, true, place);
    plan_lay_write(c, &frames, s->pixels);
    plan_about(c,
               "%d frames %s in batches of %d, roi %d align %d, locate %d, static %d, scan %d, "
               "threshold %d, window %d, model %d, threads %d, resident %d, variant %s, %s",
               s->n, sac_meltpool_scenes[scene], s->batch, d->roi, d->roi_align, d->locate,
               d->static_roi, d->scan_frame, d->threshold, d->window, d->model != NULL,
               d->n_threads, d->resident, d->variant ? d->variant : "-", plan_places[place]);
    const sac_status status = sac_meltpool_open(&plan, d, &err);
    if (plan_lacks(status, d->variant)) {
        c->n_skipped++;
    } else if (status != SAC_OK) {
        plan_fault(c, "open: %s", err.text);
    } else {
        run_reference(s);
        run(c, s, plan, &frames.array);
        compare(c, s, plan);
        plan_lay_compare(c, &frames, s->pixels, "frames, afterwards");
    }
    sac_meltpool_close(&plan);
    plan_lay_close(c, &frames);
    free(s->pixels);
    free(s);
}
