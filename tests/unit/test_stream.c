/*
 * The stream: what each policy does while the worker is stalled, how it stops, what it counts.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "unit.h"

#include <signal.h>

#include "stream_probe.h"

static const int32_t spins[] = {0, 50, SAC_STREAM_SPIN};
#define N_SPINS (sizeof spins / sizeof *spins)

/* A stream of 4 frames whose work holds frame 0, and nothing waits behind it. */
static sac_stream *open_stalled(probe *p, int32_t policy, int32_t spin_us)
{
    memset(p, 0, sizeof *p);
    atomic_store(&p->hold, true);
    sac_stream_desc desc = probe_desc(p);
    desc.capacity = 4;
    desc.batch_max = 3;
    desc.policy = policy;
    desc.spin_us = spin_us;
    sac_stream *s = probe_open(&desc);
    assert_int_equal(probe_send(s, 0), SAC_OK);
    while (atomic_load(&p->n_batches) == 0)
        (void)sched_yield();
    assert_int_equal(counts_of_stream(s).waiting, 1);
    return s;
}

static void assert_seen(const probe *p, int64_t n, const uint64_t *numbers)
{
    assert_int_equal(p->n_frames, n);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(p->seen[i], numbers[i]);
    assert_true(p->largest <= 3);
    assert_sound(p);
}

static void drop_newest_while_stalled_keeps_the_first(void **state)
{
    (void)state;
    probe p;
    for (size_t k = 0; k < N_SPINS; k++) {
        sac_stream *s = open_stalled(&p, SAC_STREAM_DROP_NEWEST, spins[k]);
        for (uint64_t i = 1; i <= 10; i++) {
            assert_int_equal(probe_send(s, i), SAC_OK);
            const sac_stream_counts c = counts_of_stream(s);
            assert_int_equal(c.dropped, i > 4 ? i - 4 : 0);
            assert_int_equal(c.waiting, i < 4 ? 1 + i : 5);
        }
        atomic_store(&p.hold, false);
        sac_stream_stop(s);
        assert_stopped(s, 11, 0, 5, 0, 6);
        assert_seen(&p, 5, (const uint64_t[]){0, 1, 2, 3, 4});
        assert_int_equal(counts_of_stream(s).most_waiting, 4);
        sac_stream_close(&s);
    }
}

static void drop_oldest_while_stalled_keeps_the_last(void **state)
{
    (void)state;
    probe p;
    for (size_t k = 0; k < N_SPINS; k++) {
        sac_stream *s = open_stalled(&p, SAC_STREAM_DROP_OLDEST, spins[k]);
        for (uint64_t i = 1; i <= 10; i++) {
            assert_int_equal(probe_send(s, i), SAC_OK);
            assert_int_equal(counts_of_stream(s).dropped, i > 4 ? i - 4 : 0);
        }
        atomic_store(&p.hold, false);
        sac_stream_stop(s);
        assert_stopped(s, 11, 0, 5, 0, 6);
        assert_seen(&p, 5, (const uint64_t[]){0, 7, 8, 9, 10});
        sac_stream_close(&s);
    }
}

typedef struct sender {
    sac_stream *stream;
    uint64_t first, last;
    int64_t n_refused;
} sender;

static void *send_all(void *arg)
{
    sender *from = arg;
    for (uint64_t i = from->first; i <= from->last; i++)
        from->n_refused += probe_send(from->stream, i) != SAC_OK;
    return NULL;
}

/* Until the frame that the ring has no room for is being sent. */
static void await_full(const sac_stream *s)
{
    while (counts_of_stream(s).received < 6)
        (void)sched_yield();
}

static void wait_while_stalled_loses_nothing(void **state)
{
    (void)state;
    probe p;
    for (size_t k = 0; k < N_SPINS; k++) {
        pthread_t thread;
        sac_stream *s = open_stalled(&p, SAC_STREAM_WAIT, spins[k]);
        sender from = {s, 1, 10, 0};
        assert_int_equal(pthread_create(&thread, NULL, send_all, &from), 0);
        await_full(s);
        assert_int_equal(counts_of_stream(s).waiting, 6);
        atomic_store(&p.hold, false);
        assert_int_equal(pthread_join(thread, NULL), 0);
        sac_stream_stop(s);
        assert_int_equal(from.n_refused, 0);
        assert_stopped(s, 11, 0, 11, 0, 0);
        assert_seen(&p, 11, (const uint64_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        sac_stream_close(&s);
    }
}

static void stop_while_a_send_waits_refuses_that_frame_alone(void **state)
{
    (void)state;
    probe p;
    for (size_t k = 0; k < N_SPINS; k++) {
        pthread_t thread;
        sac_stream *s = open_stalled(&p, SAC_STREAM_WAIT, spins[k]);
        sender from = {s, 1, 7, 0};
        assert_false(sac_stream_is_stopping(s));
        assert_int_equal(pthread_create(&thread, NULL, send_all, &from), 0);
        await_full(s);
        sac_stream_request_stop(s);
        assert_int_equal(pthread_join(thread, NULL), 0); /* the work still holds frame 0 */
        assert_true(sac_stream_is_stopping(s));
        assert_int_equal(from.n_refused, 3);
        atomic_store(&p.hold, false);
        sac_stream_stop(s);
        assert_stopped(s, 8, 3, 5, 0, 0);
        assert_seen(&p, 5, (const uint64_t[]){0, 1, 2, 3, 4});
        sac_stream_close(&s);
    }
}

static void stop_with_frames_waiting_works_on_all(void **state)
{
    (void)state;
    probe p;
    for (int32_t policy = SAC_STREAM_WAIT; policy <= SAC_STREAM_DROP_OLDEST; policy++)
        for (size_t k = 0; k < N_SPINS; k++) {
            sac_stream *s = open_stalled(&p, policy, spins[k]);
            for (uint64_t i = 1; i <= 4; i++)
                assert_int_equal(probe_send(s, i), SAC_OK);
            sac_stream_request_stop(s);
            assert_int_equal(probe_send(s, 5), SAC_END);
            atomic_store(&p.hold, false);
            sac_stream_stop(s);
            assert_int_equal(probe_send(s, 6), SAC_END);
            sac_stream_stop(s);
            assert_stopped(s, 7, 2, 5, 0, 0);
            assert_seen(&p, 5, (const uint64_t[]){0, 1, 2, 3, 4});
            sac_stream_close(&s);
            assert_null(s);
        }
}

static sac_stream *signalled;

static void on_signal(int number)
{
    (void)number;
    sac_stream_request_stop(signalled);
}

/* The thread sanitizer keeps a signal back until the thread's next call that it knows, and under
 * load loses one that comes at the beginning of a nap: there it is sent until the thread ends. */
static void signal_and_join(pthread_t thread)
{
    assert_int_equal(pthread_kill(thread, SIGUSR1), 0);
#ifdef __SANITIZE_THREAD__
    while (pthread_tryjoin_np(thread, NULL) != 0) {
        (void)usleep(100000);
        (void)pthread_kill(thread, SIGUSR1);
    }
#else
    assert_int_equal(pthread_join(thread, NULL), 0);
#endif
}

static void stop_from_a_signal_handler_wakes_everyone(void **state)
{
    (void)state;
    probe p;
    struct sigaction action = {.sa_handler = on_signal}, before;
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    for (size_t k = 0; k < N_SPINS; k++) {
        pthread_t thread;
        signalled = open_stalled(&p, SAC_STREAM_WAIT, spins[k]);
        sender from = {signalled, 1, 5, 0};
        assert_int_equal(pthread_create(&thread, NULL, send_all, &from), 0);
        await_full(signalled);
        signal_and_join(thread);
        assert_int_equal(from.n_refused, 1);
        atomic_store(&p.hold, false);
        sac_stream_stop(signalled);
        assert_stopped(signalled, 6, 1, 5, 0, 0);
        sac_stream_close(&signalled);

        /* A worker that has nothing to do. */
        sac_stream_desc desc = probe_desc(&p);
        desc.spin_us = spins[k];
        signalled = probe_open(&desc);
        assert_int_equal(raise(SIGUSR1), 0);
        assert_true(sac_stream_is_stopping(signalled));
        sac_stream_stop(signalled);
        assert_stopped(signalled, 0, 0, 0, 0, 0);
        sac_stream_close(&signalled);
    }
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
}

static void by_number(sac_stream_frame *frame)
{
    frame->outcome = frame->number % 5 == 1   ? SAC_STREAM_EMPTY
                     : frame->number % 5 == 3 ? SAC_STREAM_REFUSED
                                              : SAC_STREAM_PROCESSED;
    frame->done_ns = frame->scheduled_ns + 12000 + (int64_t)frame->number;
}

static void outcomes_of_the_work_are_counted(void **state)
{
    (void)state;
    probe p = {.outcome = by_number};
    sac_stream_desc desc = probe_desc(&p);
    desc.deadline_us = 12; /* frame 0 alone is in time */
    sac_stream *s = probe_open(&desc);
    for (uint64_t i = 0; i < 50; i++) {
        assert_int_equal(probe_send(s, i), SAC_OK);
        sac_stream_refuse(s, 2);
    }
    sac_stream_stop(s);
    assert_stopped(s, 150, 110, 30, 10, 0);
    assert_int_equal(counts_of_stream(s).late, 39);
    assert_int_equal(sac_histogram_get_max(sac_stream_get_latency(s)), 12049);
    assert_true(sac_histogram_get_mean(sac_stream_get_latency(s)) > 12000);
    assert_sound(&p);
    sac_stream_close(&s);
}

/* Frames of long ago are late, whatever the machine is busy with, and those of the future never. */
static void latency_counts_from_the_schedule(void **state)
{
    (void)state;
    const int64_t hour_ns = INT64_C(3600) * 1000000000;
    for (int32_t deadline_us = 0; deadline_us <= 60000000; deadline_us += 60000000) {
        probe p = {0};
        sac_stream_desc desc = probe_desc(&p);
        desc.deadline_us = deadline_us;
        sac_stream *s = probe_open(&desc);
        for (uint64_t i = 0; i < 20; i++) {
            const int64_t now = sac_stream_clock_ns();
            probe_fill(sac_stream_slot(s), i);
            const sac_status status = sac_stream_send(s, i % 2 ? now + hour_ns : now - hour_ns);
            assert_int_equal(status, SAC_OK);
        }
        sac_stream_stop(s);
        const sac_histogram *latency = sac_stream_get_latency(s);
        assert_int_equal(counts_of_stream(s).late, deadline_us ? 10 : 0);
        assert_int_equal(sac_histogram_get_bin(latency, 0).count, 10);
        assert_int_equal(sac_histogram_get_bin(latency, SAC_HISTOGRAM_BINS - 1).count, 10);
        assert_true(sac_histogram_get_max(latency) >= hour_ns);
        assert_true(sac_histogram_get_quantile(latency, 1) >= (double)hour_ns);
        sac_stream_close(&s);
    }
}

static void two_streams_at_once_do_not_mix(void **state)
{
    (void)state;
    probe p[2] = {{.random = 7}, {.random = 9}};
    sac_stream *s[2];
    for (int i = 0; i < 2; i++) {
        sac_stream_desc desc = probe_desc(&p[i]);
        desc.capacity = 3 + i;
        desc.policy = i ? SAC_STREAM_DROP_OLDEST : SAC_STREAM_WAIT;
        desc.spin_us = 0;
        s[i] = probe_open(&desc);
    }
    for (uint64_t i = 0; i < 3000; i++)
        for (int k = 0; k < 2; k++)
            assert_int_equal(probe_send(s[k], i), SAC_OK);
    for (int k = 0; k < 2; k++) {
        sac_stream_stop(s[k]);
        const sac_stream_counts c = counts_of_stream(s[k]);
        assert_stopped(s[k], 3000, 0, p[k].n_frames, 0, 3000 - p[k].n_frames);
        assert_int_equal(c.batches, atomic_load(&p[k].n_batches));
        assert_sound(&p[k]);
        sac_stream_close(&s[k]);
    }
    assert_int_equal(p[0].n_frames, 3000);
}

static void frames_evenly_spaced_are_counted(void **state)
{
    (void)state;
    static char memory[1000];
    static const int32_t places[] = {0, 100, 200, 300, 50, 40, 30, 700};
    static const int32_t counts[] = {4, 3, 1};
    static const ptrdiff_t strides[] = {100, -10, 0};
    sac_stream_frame frames[8];
    for (int i = 0; i < 8; i++)
        frames[i].data = memory + places[i];
    for (int32_t i = 0, k = 0; i < 8; i += counts[k++]) {
        ptrdiff_t stride = -1;
        assert_int_equal(sac_stream_evenly_spaced(frames + i, 8 - i, &stride), counts[k]);
        assert_int_equal(stride, strides[k]);
    }
}

/* Slots are taken in turn: the first of all is the next behind the last. */
static void slots_are_taken_in_turn(void **state)
{
    (void)state;
    probe p = {0};
    sac_stream_desc desc = probe_desc(&p);
    desc.capacity = 2;
    desc.batch_max = 3;
    sac_stream *s = probe_open(&desc);
    const char *first = sac_stream_slot(s), *slot = first;
    for (uint64_t i = 0; i < 60; i++) {
        assert_int_equal(probe_send(s, i), SAC_OK);
        const char *next = sac_stream_slot(s);
        if (i % 6 == 5)
            assert_ptr_equal(next, first);
        else
            assert_true(next > slot && next >= slot + desc.frame_bytes);
        slot = next;
    }
    sac_stream_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drop_newest_while_stalled_keeps_the_first),
        cmocka_unit_test(drop_oldest_while_stalled_keeps_the_last),
        cmocka_unit_test(wait_while_stalled_loses_nothing),
        cmocka_unit_test(stop_while_a_send_waits_refuses_that_frame_alone),
        cmocka_unit_test(stop_with_frames_waiting_works_on_all),
        cmocka_unit_test(stop_from_a_signal_handler_wakes_everyone),
        cmocka_unit_test(outcomes_of_the_work_are_counted),
        cmocka_unit_test(latency_counts_from_the_schedule),
        cmocka_unit_test(two_streams_at_once_do_not_mix),
        cmocka_unit_test(frames_evenly_spaced_are_counted),
        cmocka_unit_test(slots_are_taken_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
