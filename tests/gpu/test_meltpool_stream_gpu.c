/*
 * A stream whose work is meltpool on a GPU: frames in page-locked slots, every policy, floods,
 * sources that stop, stops while the kernel spins, and a GPU that fails. Whatever comes, all frames
 * are accounted for.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>

#include <saccade/stream.h>

#include "counts.h"
#include "busy.h"
#include "meltpool_scene.h"
#include "skip.h"

/* What is in a slot: a frame, what belongs to it, and which it is. */
typedef struct slot {
    uint8_t pixels[SIDE * SIDE];
    sac_meltpool_signals signals;
    int32_t index; /* of the scene */
} slot;

enum { BATCH = 32 };

typedef struct test {
    sac_gpu *gpu;
    bool thin;
    sac_meltpool_scene_plan of;
    scene build;
    sac_meltpool *plan;
    sac_stream *stream;
    void *memory;
    /* The worker's, until the stream has stopped. */
    sac_meltpool_record *got; /* (n) of the last time that the frame was worked on */
    bool *is_done;            /* (n) */
    bool failed;
    int64_t n_processed, n_empty, n_refused;
} test;

static void note(test *t, sac_stream_frame *frame, const sac_meltpool_record *record,
                 sac_status status)
{
    const slot *from = frame->data;
    t->failed |= status != SAC_OK;
    t->got[from->index] = *record;
    t->is_done[from->index] = status == SAC_OK;
    frame->outcome = status                                 ? SAC_STREAM_REFUSED
                     : record->flags & SAC_MELTPOOL_EMPTY   ? SAC_STREAM_EMPTY
                     : record->flags & SAC_MELTPOOL_REFUSED ? SAC_STREAM_REFUSED
                                                            : SAC_STREAM_PROCESSED;
    t->n_processed += frame->outcome == SAC_STREAM_PROCESSED;
    t->n_empty += frame->outcome == SAC_STREAM_EMPTY;
    t->n_refused += frame->outcome == SAC_STREAM_REFUSED;
}

static void work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    test *t = ctx;
    sac_meltpool_signals signals[BATCH];
    sac_meltpool_record records[BATCH] = {0};
    for (int32_t at = 0, count; at < n; at += count) {
        ptrdiff_t stride;
        count = sac_stream_evenly_spaced(frames + at, n - at, &stride);
        const sac_array array = {.data = frames[at].data,
                                 .dtype = SAC_U8,
                                 .n_dims = 3,
                                 .shape = {count, SIDE, SIDE},
                                 .stride = {stride, SIDE, 1}};
        for (int32_t i = 0; i < count; i++)
            signals[i] = ((const slot *)frames[at + i].data)->signals;
        const sac_status status = sac_meltpool_run_batch(t->plan, records, &array, signals, NULL);
        for (int32_t i = 0; i < count; i++)
            note(t, &frames[at + i], &records[i], status);
    }
}

static sac_meltpool_desc desc_of(const test *t)
{
    sac_meltpool_desc desc = t->of.desc;
    desc.device = (sac_device){SAC_DEVICE_CUDA, 0};
    desc.timeout_s = t->thin ? 100 : 10; /* whatever slows the machine down */
    desc.n_threads = 1;
    return desc;
}

static void open_stream(test *t, const sac_meltpool_desc *plan, int32_t policy, int32_t capacity)
{
    sac_stream_desc desc;
    sac_error err = {0};
    sac_stream_desc_init(&desc);
    desc.frame_bytes = sizeof(slot);
    desc.work = work;
    desc.ctx = t;
    desc.capacity = capacity;
    desc.batch_max = BATCH;
    desc.policy = policy;
    desc.memory_bytes = sac_stream_memory_bytes(&desc);
    must(sac_pinned_alloc(&t->memory, desc.memory_bytes, plan->device, &err), "pinned", &err);
    desc.memory = t->memory;
    t->plan = open_plan(plan);
    t->got = allocate((size_t)t->build.n, sizeof *t->got);
    t->is_done = allocate((size_t)t->build.n, sizeof *t->is_done);
    t->n_processed = t->n_empty = t->n_refused = 0;
    t->failed = false;
    must(sac_stream_open(&t->stream, &desc, &err), "stream", &err);
}

/* False: the stream is stopping. */
static bool send(test *t, int64_t k)
{
    slot *to = sac_stream_slot(t->stream);
    to->index = (int32_t)(k % t->build.n);
    memcpy(to->pixels, t->build.pixels + (size_t)to->index * SIDE * SIDE, sizeof to->pixels);
    to->signals = t->build.signals[to->index];
    return sac_stream_send(t->stream, 0) == SAC_OK;
}

/* Stops, and checks that all is accounted for: n frames were sent. */
static sac_stream_counts close_stream(test *t, const char *name, int64_t n)
{
    sac_stream_stop(t->stream);
    const sac_stream_counts c = counts_of_stream(t->stream);
    const sac_meltpool_counts m = counts_of_meltpool(t->plan);
    want(c.received == n && c.received == c.accepted + c.refused, name,
         "received = accepted + refused");
    want(c.accepted == c.processed + c.empty + c.dropped && c.waiting == 0, name,
         "accepted = processed + empty + dropped");
    want(c.processed == t->n_processed && c.empty == t->n_empty, name, "what the work said");
    want(m.frames == t->n_processed + t->n_empty + t->n_refused, name, "the plan's frames");
    want(m.frames == m.processed + m.empty + m.refused_place + m.refused_shape + m.failed, name,
         "the plan's counts");
    sac_stream_close(&t->stream);
    sac_meltpool_close(&t->plan);
    sac_pinned_free(t->memory, (sac_device){SAC_DEVICE_CUDA, 0});
    free(t->got);
    free(t->is_done);
    return c;
}

/* What is of the frame alone, where frames in between were dropped; all of it where none was. */
static void compare_done(test *t, const char *name, bool all)
{
    for (int32_t i = 0; i < t->build.n; i++) {
        const sac_meltpool_record *a = &t->build.want[i], *b = &t->got[i];
        if (!t->is_done[i])
            continue;
        n_compared++;
        want(memcmp(a->features, b->features, SAC_MELTPOOL_OF_FRAME * sizeof *a->features) == 0,
             name, "features 0..19 of the CPU");
        if (all)
            want(sac_meltpool_scene_differs(a, b, &t->of.model) == NULL, name, "the CPU's record");
    }
}

static void stream_that_waits_loses_nothing(test *t)
{
    const sac_meltpool_desc desc = desc_of(t);
    open_stream(t, &desc, SAC_STREAM_WAIT, 64);
    for (int32_t i = 0; i < t->build.n; i++)
        want(send(t, i), "wait", "a send that succeeds");
    sac_stream_stop(t->stream);
    compare_done(t, "wait", true);
    const sac_stream_counts c = close_stream(t, "wait", t->build.n);
    want(c.dropped == 0 && c.refused == 0, "wait", "no frame lost");
}

/* The source never waits, and few frames may. */
static void flood(test *t, int32_t policy, const char *name)
{
    const int64_t n = t->thin ? 500 : 200000;
    const sac_meltpool_desc desc = desc_of(t);
    open_stream(t, &desc, policy, 16);
    for (int64_t k = 0; k < n; k++)
        want(send(t, k), name, "a send that succeeds");
    sac_stream_stop(t->stream);
    compare_done(t, name, false);
    const sac_stream_counts c = close_stream(t, name, n);
    printf("%s: %lld sent, %lld dropped, %lld batches\n", name, (long long)n, (long long)c.dropped,
           (long long)c.batches);
}

static void stream_that_is_flooded_drops_and_counts(test *t)
{
    flood(t, SAC_STREAM_DROP_NEWEST, "drop-newest");
    flood(t, SAC_STREAM_DROP_OLDEST, "drop-oldest");
}

/* Nobody sends any more; the worker's kernel looks for frames, ends by itself, and comes back. */
static void stream_whose_source_stops_finishes_what_it_has(test *t)
{
    const sac_meltpool_desc desc = desc_of(t);
    for (int i = 0; i < 3; i++) {
        open_stream(t, &desc, i, 64);
        for (int32_t k = 0; k < 20; k++)
            (void)send(t, k);
        while (counts_of_stream(t->stream).waiting > 0) {
            /* until the worker has nothing left */
        }
        const int64_t until = sac_stream_clock_ns() + (i == 2 ? 300000000 : 0);
        while (sac_stream_clock_ns() < until) {
            /* long enough for the kernel to go */
        }
        for (int32_t k = 20; k < 30; k++)
            (void)send(t, k);
        sac_stream_stop(t->stream);
        compare_done(t, "a source that stops", true);
        const sac_stream_counts c = close_stream(t, "a source that stops", 30);
        want(c.processed + c.empty + c.dropped == 30, "a source that stops", "30 frames");
    }
}

static sac_stream *stream_to_stop;

static void on_signal(int number)
{
    (void)number;
    sac_stream_request_stop(stream_to_stop);
}

/* By a signal, in the midst of a flood, with the kernel spinning. */
static void stream_asked_to_stop_ends_with_all_accounted_for(test *t)
{
    const sac_meltpool_desc desc = desc_of(t);
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 9; i++) {
        int64_t n = 0;
        open_stream(t, &desc, i % 3, 64);
        stream_to_stop = t->stream;
        while (send(t, n++))
            if (n == 1 + i * 150)
                raise(SIGUSR1);
        sac_stream_stop(t->stream);
        compare_done(t, "a stop", false);
        close_stream(t, "a stop", n);
    }
    signal(SIGUSR1, SIG_DFL);
}

/* Other kernels take the whole GPU for some milliseconds, again and again. */
static void stream_on_a_busy_gpu_gives_the_same_records(test *t)
{
    const sac_meltpool_desc desc = desc_of(t);
    const int32_t n_blocks = 2 * sac_gpu_multiprocessors(t->gpu);
    open_stream(t, &desc, SAC_STREAM_WAIT, 64);
    for (int32_t i = 0; i < t->build.n; i++) {
        if (i % 200 == 0) {
            must(sac_gpu_enter(t->gpu), "enter", NULL);
            must(busy_launch(sac_gpu_copy_stream(t->gpu), n_blocks, 5000000), "busy", NULL);
            sac_gpu_leave(t->gpu);
        }
        (void)send(t, i);
    }
    sac_stream_stop(t->stream);
    compare_done(t, "busy", true);
    close_stream(t, "busy", t->build.n);
}

/* The GPU is full for longer than the plan waits: what it did not answer for is refused. */
static void stream_on_a_gpu_that_fails_refuses_and_ends(test *t)
{
    sac_meltpool_desc desc = desc_of(t);
    const sac_gpu_stream beside = sac_gpu_copy_stream(t->gpu);
    desc.timeout_s = 0.01;
    open_stream(t, &desc, SAC_STREAM_WAIT, 64);
    must(sac_gpu_enter(t->gpu), "enter", NULL);
    must(busy_launch(beside, 4 * sac_gpu_multiprocessors(t->gpu), 300000000), "busy", NULL);
    sac_gpu_leave(t->gpu);
    for (int32_t i = 0; i < 500; i++)
        (void)send(t, i);
    sac_stream_stop(t->stream);
    const bool failed = t->failed;
    compare_done(t, "a GPU that fails", false);
    const sac_stream_counts c = close_stream(t, "a GPU that fails", 500);
    printf("a GPU that is full: %s, %lld of 500 frames refused\n",
           failed ? "failed" : "answered in time", (long long)c.refused);
    want(failed == (c.refused > 0), "a GPU that fails", "refused frames where it failed");
    must(sac_gpu_enter(t->gpu), "enter", NULL);
    must(sac_gpu_wait(beside), "other work", NULL);
    sac_gpu_leave(t->gpu);
}

int main(int argc, char **argv)
{
    static void (*const tests[])(test *) = {
        stream_that_waits_loses_nothing,
        stream_that_is_flooded_drops_and_counts,
        stream_whose_source_stops_finishes_what_it_has,
        stream_asked_to_stop_ends_with_all_accounted_for,
        stream_on_a_busy_gpu_gives_the_same_records,
        stream_on_a_gpu_that_fails_refuses_and_ends,
    };
    static test t;
    sac_error err = {0};
    if (sac_gpu_count() == 0)
        return skip_all("no GPU, or a build without CUDA");
    t.thin = argc == 2 && !strcmp(argv[1], "--thin");
    limit_seconds(t.thin ? 1800 : 120);
    must(sac_gpu_open(&t.gpu, 0, &err), "open", &err);
    sac_meltpool_scene_plan_init(&t.of);
    t.build = open_scene(t.thin ? 100 : 2000, 0);
    run_on_cpu(&t.build, &t.of.desc);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        tests[i](&t);
        printf("%zu of %zu: %lld faults\n", i + 1, sizeof tests / sizeof *tests,
               (long long)n_faults);
        fflush(stdout);
    }
    close_scene(&t.build);
    sac_gpu_close(&t.gpu);
    printf("%lld records compared with the CPU's, %lld faults\n", (long long)n_compared,
           (long long)n_faults);
    return n_faults > 0;
}
