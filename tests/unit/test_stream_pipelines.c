/*
 * Every pipeline behind a stream: the same results as without it, frame by frame.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "unit.h"

#include <stdlib.h>

#include <saccade/beamform.h>
#include <saccade/equalize.h>
#include <saccade/motion.h>
#include <saccade/stream.h>

#include "meltpool_scene.h"
#include "pictures.h"
#include "ultrasound.h"

#define N_FRAMES 41
#define W 61
#define H 40

/* What is not there yet when the stream has stopped was never worked on. */
static void run_stream(sac_stream_work_fn work, void *ctx, const void *frames, size_t bytes,
                       int32_t n)
{
    sac_stream_desc desc;
    sac_stream_desc_init(&desc);
    desc.frame_bytes = bytes;
    desc.work = work;
    desc.ctx = ctx;
    desc.capacity = 8;
    desc.batch_max = 5;
    sac_stream *s = NULL;
    sac_error err = {0};
    assert_ok(sac_stream_open(&s, &desc, &err), &err);
    for (int32_t i = 0; i < n; i++) {
        memcpy(sac_stream_slot(s), (const char *)frames + (size_t)i * bytes, bytes);
        assert_int_equal(sac_stream_send(s, 0), SAC_OK);
    }
    sac_stream_stop(s);
    const sac_stream_counts c = counts_of_stream(s);
    assert_int_equal(c.received, n);
    assert_int_equal(c.dropped, 0);
    assert_int_equal(c.accepted, c.processed + c.empty);
    sac_stream_close(&s);
}

static sac_array view_of(const void *data, int64_t h, int64_t w, int64_t n_channels)
{
    sac_array a;
    assert_int_equal(sac_array_view(&a, (void *)(uintptr_t)data, SAC_U8, n_channels == 1 ? 2 : 3,
                                    (const int64_t[]){h, w, n_channels}, NULL),
                     SAC_OK);
    return a;
}

/* Frames of noise that differ. */
static uint8_t *new_frames(size_t bytes)
{
    uint8_t *data = malloc(bytes);
    uint64_t random = 3;
    assert_non_null(data);
    for (size_t i = 0; i < bytes; i++)
        data[i] = (uint8_t)(sac_check_random(&random) >> (56 + i / (W * H) % 3));
    return data;
}

typedef struct pictures {
    sac_equalize *equalize;
    sac_heatmap *heat;
    uint8_t *out;                /* (N_FRAMES, H, W, 3) */
    uint8_t previous[H * W * 3]; /* of the heat map */
    bool failed;
} pictures;

static void equalize_one(pictures *p, const void *data, uint64_t number)
{
    const sac_array in = view_of(data, H, W, 3),
                    out = view_of(p->out + number * H * W * 3, H, W, 3);
    p->failed |= sac_equalize_run(p->equalize, &out, &in, NULL) != SAC_OK;
}

static void heat_one(pictures *p, const void *data, uint64_t number)
{
    const sac_array now = view_of(data, H, W, 3), before = view_of(p->previous, H, W, 3);
    const sac_array out = view_of(p->out + number * H * W * 3, H, W, 3);
    p->failed |= sac_heatmap_run(p->heat, &out, &now, &before, NULL) != SAC_OK;
    memcpy(p->previous, data, sizeof p->previous);
}

static void equalize_work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        equalize_one(ctx, frames[i].data, frames[i].number);
}

static void heat_work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        heat_one(ctx, frames[i].data, frames[i].number);
}

static void run_pictures(sac_stream_work_fn work, void (*one)(pictures *, const void *, uint64_t))
{
    const size_t bytes = H * W * 3;
    uint8_t *frames = new_frames(N_FRAMES * bytes);
    uint8_t *want = new_frames(N_FRAMES * bytes), *got = malloc(N_FRAMES * bytes);
    pictures p = {.out = want};
    sac_error err = {0};
    sac_equalize_desc equalize;
    sac_equalize_desc_init(&equalize);
    equalize.dtype = SAC_U8;
    equalize.w = W;
    equalize.h = H;
    equalize.smooth = 0.5; /* so that order counts */
    equalize.n_threads = 2;
    sac_heatmap_desc heat;
    sac_heatmap_desc_init(&heat);
    heat.w = W;
    heat.h = H;
    heat.n_channels = 3;
    heat.n_threads = 1;
    assert_ok(sac_equalize_open(&p.equalize, &equalize, &err), &err);
    assert_ok(sac_heatmap_open(&p.heat, &heat, &err), &err);
    for (uint64_t i = 0; i < N_FRAMES; i++)
        one(&p, frames + i * bytes, i);
    sac_equalize_reset(p.equalize);
    memset(p.previous, 0, sizeof p.previous);
    p.out = got;
    run_stream(work, &p, frames, bytes, N_FRAMES);
    assert_false(p.failed);
    assert_memory_equal(got, want, N_FRAMES * bytes);
    sac_equalize_close(&p.equalize);
    sac_heatmap_close(&p.heat);
    free(frames);
    free(want);
    free(got);
}

static void equalize_behind_a_stream_gives_the_same(void **state)
{
    (void)state;
    run_pictures(equalize_work, equalize_one);
}

static void heat_map_behind_a_stream_gives_the_same(void **state)
{
    (void)state;
    run_pictures(heat_work, heat_one);
}

typedef struct images {
    sac_beamform *plan;
    const scene *scene;
    sac_array out;
    uint8_t *all; /* (N_FRAMES, bytes) */
    size_t bytes;
    bool failed;
} images;

static void beamform_one(images *g, void *data, uint64_t number)
{
    const sac_array in = channel_array(g->scene, SAC_I16, data);
    g->failed |= sac_beamform_run(g->plan, &g->out, &in, NULL) != SAC_OK;
    memcpy(g->all + number * g->bytes, g->out.data, g->bytes);
}

static void beamform_work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        beamform_one(ctx, frames[i].data, frames[i].number);
}

static void beamform_behind_a_stream_gives_the_same(void **state)
{
    (void)state;
    static const double target[3] = {0, 0, 20e-3};
    static scene s;
    linear_scene(&s, 8, 2);
    const size_t bytes = (size_t)(2 * 8 * s.n_samples) * sizeof(int16_t);
    uint8_t *frames = new_frames(N_FRAMES * bytes);
    sac_beamform_desc desc = scene_desc(&s, SAC_I16, target, 1e-3, 17);
    desc.output = SAC_OUTPUT_BMODE;
    desc.demodulate = SAC_DEMODULATE_YES;
    images g = {.scene = &s};
    sac_error err = {0};
    assert_ok(sac_beamform_open(&g.plan, &desc, &err), &err);
    g.out = output_of(g.plan);
    g.bytes = picture_bytes(&g.out);
    uint8_t *want = g.all = malloc(N_FRAMES * g.bytes), *got = malloc(N_FRAMES * g.bytes);
    for (uint64_t i = 0; i < N_FRAMES; i++)
        beamform_one(&g, frames + i * bytes, i);
    g.all = got;
    run_stream(beamform_work, &g, frames, bytes, N_FRAMES);
    assert_false(g.failed);
    assert_memory_equal(got, want, N_FRAMES * g.bytes);
    sac_beamform_close(&g.plan);
    free(g.out.data);
    free(frames);
    free(want);
    free(got);
}

/* In a slot: the pixels, then the machine's signals. */
#define POOL_PIXELS ((size_t)SAC_MELTPOOL_SIM_SIZE * SAC_MELTPOOL_SIM_SIZE)
#define POOL_BYTES (POOL_PIXELS + sizeof(sac_meltpool_signals))
#define N_POOLS 600

typedef struct pools {
    sac_meltpool *plan;
    sac_meltpool_record records[N_POOLS];
    int64_t n_empty;
    bool failed;
} pools;

/* n frames that lie `stride` bytes apart. */
static void pools_apart(pools *p, sac_stream_frame *frames, int32_t n, ptrdiff_t stride)
{
    const int64_t shape[] = {n, SAC_MELTPOOL_SIM_SIZE, SAC_MELTPOOL_SIM_SIZE};
    sac_meltpool_record *records = &p->records[frames[0].number];
    sac_meltpool_signals signals[5];
    sac_array view;
    for (int32_t i = 0; i < n; i++)
        memcpy(&signals[i], (char *)frames[i].data + POOL_PIXELS, sizeof signals[i]);
    p->failed |= sac_array_view(&view, frames[0].data, SAC_U8, 3, shape, NULL) != SAC_OK;
    view.stride[0] = stride;
    p->failed |= sac_meltpool_run_batch(p->plan, records, &view, signals, NULL) != SAC_OK;
    for (int32_t i = 0; i < n; i++) {
        const uint32_t flags = records[i].flags;
        records[i].arrival_ns = frames[i].arrived_ns;
        frames[i].outcome = flags & SAC_MELTPOOL_EMPTY     ? SAC_STREAM_EMPTY
                            : flags & SAC_MELTPOOL_REFUSED ? SAC_STREAM_REFUSED
                                                           : SAC_STREAM_PROCESSED;
        p->n_empty += frames[i].outcome == SAC_STREAM_EMPTY;
    }
}

static void pools_work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    ptrdiff_t stride;
    for (int32_t i = 0, k; i < n; i += k) {
        k = sac_stream_evenly_spaced(frames + i, n - i, &stride);
        pools_apart(ctx, frames + i, k, stride);
    }
}

static void meltpool_behind_a_stream_gives_the_same(void **state)
{
    (void)state;
    static pools p;
    static sac_meltpool_record want[N_POOLS];
    sac_meltpool_desc desc;
    stream build = new_build(N_POOLS, &desc);
    build.signals[77].x = INT32_MAX; /* refused */
    uint8_t *frames = malloc(N_POOLS * POOL_BYTES);
    for (int32_t i = 0; i < N_POOLS; i++) {
        memcpy(frames + (size_t)i * POOL_BYTES, frame_of(&build, i), POOL_PIXELS);
        memcpy(frames + (size_t)i * POOL_BYTES + POOL_PIXELS, &build.signals[i],
               sizeof build.signals[i]);
    }
    p.plan = must_open(&desc);
    const sac_array all = batch_array(&build, 0, N_POOLS);
    assert_int_equal(sac_meltpool_run_batch(p.plan, want, &all, build.signals, NULL), SAC_OK);
    sac_meltpool_reset(p.plan);
    run_stream(pools_work, &p, frames, POOL_BYTES, N_POOLS);
    assert_false(p.failed);
    for (int32_t i = 0; i < N_POOLS; i++) {
        assert_int_equal(p.records[i].flags, want[i].flags);
        assert_memory_equal(p.records[i].features, want[i].features, sizeof want[i].features);
        assert_true(p.records[i].arrival_ns <= p.records[i].done_ns);
    }
    assert_int_equal(counts_of_meltpool(p.plan).empty, p.n_empty);
    assert_true(p.n_empty > 0);
    sac_meltpool_close(&p.plan);
    free_stream(&build);
    free(frames);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equalize_behind_a_stream_gives_the_same),
        cmocka_unit_test(heat_map_behind_a_stream_gives_the_same),
        cmocka_unit_test(beamform_behind_a_stream_gives_the_same),
        cmocka_unit_test(meltpool_behind_a_stream_gives_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
