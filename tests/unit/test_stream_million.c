/*
 * A million frames through small rings, both sides delayed at random, counts read meanwhile: every
 * frame is whole, in order, and counted once. `stream_million N` sends N.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "stream_probe.h"

typedef struct shape {
    int32_t capacity, batch_max, spin_us;
    int64_t share; /* of a hundred: what always spins costs a core's time where cores are few */
} shape;

static const shape shapes[] = {{1, 1, 0, 4},
                               {1, 4096, 0, 2},
                               {2, 3, 0, 6},
                               {7, 2, 5, 14},
                               {64, 32, 0, 8},
                               {300, 7, 50, 66},
                               {64, 32, SAC_STREAM_SPIN, 1}};

static int64_t n_frames = 1000000;

typedef struct watch {
    const sac_stream *stream;
    atomic_bool done;
    int64_t n_wrong, n_looks;
} watch;

static void *look_on(void *arg)
{
    watch *w = arg;
    while (!atomic_load(&w->done)) {
        const sac_stream_counts c = counts_of_stream(w->stream);
        const sac_histogram *latency = sac_stream_get_latency(w->stream);
        w->n_wrong += !counts_agree(&c) || sac_histogram_get_quantile(latency, 0.5) >
                                               (double)sac_histogram_get_max(latency);
        w->n_looks++;
        (void)sched_yield();
    }
    return NULL;
}

static void send_through(int32_t policy, const shape *of, int64_t n)
{
    probe p = {.random = 12345};
    uint32_t random = 54321;
    sac_stream_desc desc = probe_desc(&p);
    desc.capacity = of->capacity;
    desc.batch_max = of->batch_max;
    desc.spin_us = of->spin_us;
    desc.policy = policy;
    sac_stream *s = probe_open(&desc);
    watch w = {.stream = s};
    pthread_t watcher;
    assert_int_equal(pthread_create(&watcher, NULL, look_on, &w), 0);
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(probe_send(s, (uint64_t)i), SAC_OK);
        probe_delay(&random);
        if (policy != SAC_STREAM_WAIT && random % 8 == 0)
            (void)sched_yield(); /* else the worker sees few of them */
    }
    sac_stream_stop(s);
    atomic_store(&w.done, true);
    assert_int_equal(pthread_join(watcher, NULL), 0);
    const int64_t dropped = counts_of_stream(s).dropped;
    printf("policy %d, capacity %d, batch %d, spin %d: %lld sent, %lld dropped, largest batch %d\n",
           policy, of->capacity, of->batch_max, of->spin_us, (long long)n, (long long)dropped,
           p.largest);
    assert_stopped(s, n, 0, p.n_frames, 0, n - p.n_frames);
    assert_int_equal(w.n_wrong, 0);
    assert_sound(&p);
    assert_true(p.largest <= of->batch_max);
    if (policy == SAC_STREAM_WAIT)
        assert_int_equal(dropped, 0);
    if (policy != SAC_STREAM_DROP_NEWEST)
        assert_int_equal(p.last, n - 1);
    sac_stream_close(&s);
}

static void frames_through_small_rings_are_whole_and_counted(void **state)
{
    (void)state;
    for (int32_t policy = SAC_STREAM_WAIT; policy <= SAC_STREAM_DROP_OLDEST; policy++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            send_through(policy, &shapes[i], 1 + n_frames * shapes[i].share / 300);
}

typedef struct endless {
    sac_stream *stream;
    uint64_t n;
    int64_t n_sent;
} endless;

static void *send_until_stopped(void *arg)
{
    endless *e = arg;
    while (!sac_stream_is_stopping(e->stream) || e->n % 3 != 0)
        e->n_sent += probe_send(e->stream, e->n++) == SAC_OK;
    return NULL;
}

/* A stop at any moment of a send: the frame is either worked on or refused. */
static void stop_in_the_midst_loses_nothing(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        probe p = {.random = (uint32_t)round + 1};
        uint32_t random = (uint32_t)round + 100;
        sac_stream_desc desc = probe_desc(&p);
        desc.capacity = 1 + round % 5;
        desc.batch_max = 1 + round % 3;
        desc.policy = round % 3;
        desc.spin_us = round % 2 ? 10 : 0;
        endless e = {.stream = probe_open(&desc)};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, send_until_stopped, &e), 0);
        while (counts_of_stream(e.stream).received < round % 50)
            probe_delay(&random);
        sac_stream_stop(e.stream);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_stopped(e.stream, (int64_t)e.n, (int64_t)e.n - e.n_sent, p.n_frames, 0,
                       e.n_sent - p.n_frames);
        assert_sound(&p);
        sac_stream_close(&e.stream);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        n_frames = atoll(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_through_small_rings_are_whole_and_counted),
        cmocka_unit_test(stop_in_the_midst_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
