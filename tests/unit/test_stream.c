/*
 * The stream: what each policy does while the worker is stalled, how it stops, what it counts.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "unit.h"

#include <signal.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/system.h"
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

static void memory_of_the_caller_is_used_to_its_end_and_no_further(void **state)
{
    (void)state;
    probe p = {0};
    sac_stream_desc desc = probe_desc(&p);
    desc.capacity = 5;
    desc.batch_max = 2;
    const size_t bytes = sac_stream_memory_bytes(&desc);
    assert_true(bytes >= 8 * PROBE_WORDS * sizeof(uint64_t));
    unsigned char *memory = sac_alloc(1, bytes + 64);
    assert_non_null(memory);
    memset(memory, 0xA5, bytes + 64);
    desc.memory = memory;
    desc.memory_bytes = bytes;
    sac_stream *s = probe_open(&desc);
    for (uint64_t i = 0; i < 100; i++) {
        const unsigned char *slot = sac_stream_slot(s);
        assert_true(slot > memory && slot + desc.frame_bytes <= memory + bytes);
        assert_int_equal((uintptr_t)slot % 64, 0);
        assert_int_equal(probe_send(s, i), SAC_OK);
    }
    sac_stream_close(&s);
    assert_int_equal(p.n_frames, 100);
    assert_sound(&p);
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(memory[bytes + i], 0xA5);
    sac_free(memory);
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

static void open_refuses_what_is_out_of_range(void **state)
{
    (void)state;
    probe p = {0};
    sac_error err = {0};
    sac_stream *s = (sac_stream *)&p;
    sac_stream_desc good = probe_desc(&p), desc;
    assert_failed(sac_stream_open(NULL, &good, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_stream_open(&s, NULL, &err), SAC_E_INVALID, &err, "desc");
    assert_null(s);
#define REFUSED(field, value, status, word)                                                        \
    desc = good;                                                                                   \
    desc.field = value;                                                                            \
    assert_failed(sac_stream_open(&s, &desc, &err), status, &err, word);                           \
    assert_null(s)
    REFUSED(struct_size, 9, SAC_E_INVALID, "struct_size");
    REFUSED(work, NULL, SAC_E_INVALID, "work");
    REFUSED(frame_bytes, 0, SAC_E_INVALID, "frame_bytes");
    REFUSED(frame_bytes, SIZE_MAX, SAC_E_NOMEM, "frame_bytes");
    REFUSED(frame_bytes, SIZE_MAX / 2, SAC_E_NOMEM, "frame_bytes");
    REFUSED(frame_bytes, SIZE_MAX / 128, SAC_E_NOMEM, "frame_bytes");
    REFUSED(capacity, 0, SAC_E_INVALID, "capacity");
    REFUSED(capacity, (1 << 20) + 1, SAC_E_INVALID, "capacity");
    REFUSED(batch_max, 0, SAC_E_INVALID, "batch-max");
    REFUSED(batch_max, 4097, SAC_E_INVALID, "batch-max");
    REFUSED(policy, 3, SAC_E_INVALID, "policy");
    REFUSED(spin_us, -2, SAC_E_INVALID, "spin");
    REFUSED(deadline_us, -1, SAC_E_INVALID, "deadline");
    REFUSED(cpu, -2, SAC_E_INVALID, "cpu");
    REFUSED(cpu, 1023, SAC_E_UNSUPPORTED, "1023");
    REFUSED(priority, 100, SAC_E_INVALID, "priority");
    REFUSED(memory, (char *)&p + 1, SAC_E_INVALID, "aligned");
#undef REFUSED
    static _Alignas(64) char small[64];
    desc = good;
    desc.memory = small;
    desc.memory_bytes = sizeof small;
    assert_failed(sac_stream_open(&s, &desc, &err), SAC_E_INVALID, &err, "memory_bytes");
    assert_null(s);
    desc.capacity = 0;
    assert_int_equal(sac_stream_memory_bytes(&desc), 0);
    desc.capacity = 1;
    desc.frame_bytes = SIZE_MAX;
    assert_int_equal(sac_stream_memory_bytes(&desc), 0);
    sac_stream_close(NULL);
    sac_stream_close(&s);
}

static void calls_with_null_are_refused(void **state)
{
    (void)state;
    probe p = {0};
    ptrdiff_t stride = 0;
    sac_stream_frame frame = {0};
    sac_stream_desc_init(NULL);
    assert_int_equal(sac_stream_memory_bytes(NULL), 0);
    assert_int_equal(sac_stream_evenly_spaced(NULL, 1, &stride), 0);
    assert_int_equal(sac_stream_evenly_spaced(&frame, 1, NULL), 0);
    assert_int_equal(sac_stream_evenly_spaced(&frame, 0, &stride), 0);
    assert_null(sac_stream_slot(NULL));
    assert_int_equal(sac_stream_send(NULL, 0), SAC_E_INVALID);
    sac_stream_refuse(NULL, 1);
    sac_stream_request_stop(NULL);
    assert_true(sac_stream_is_stopping(NULL));
    sac_stream_stop(NULL);
    assert_int_equal(counts_of_stream(NULL).received, 0);
    assert_null(sac_stream_get_latency(NULL));
    assert_null(sac_producer_slot(NULL));
    assert_int_equal(sac_producer_send(NULL, 0), SAC_E_INVALID);
    sac_producer_refuse(NULL, 1);
    assert_true(sac_producer_is_stopping(NULL));
    /* Nor can counts be taken back. */
    const sac_stream_desc desc = probe_desc(&p);
    sac_stream *s = probe_open(&desc);
    sac_stream_refuse(s, -5);
    sac_stream_refuse(s, 2);
    sac_stream_stop(s);
    assert_stopped(s, 2, 2, 0, 0, 0);
    sac_stream_close(&s);
}

static int n_allowed;

static bool allow_some(size_t bytes)
{
    (void)bytes;
    return n_allowed-- > 0;
}

static void open_without_memory_is_refused_at_each_step(void **state)
{
    (void)state;
    probe p = {0};
    sac_error err = {0};
    sac_stream *s = NULL;
    sac_stream_desc desc = probe_desc(&p);
    int steps = 0;
    for (; !s; steps++) {
        n_allowed = steps;
        sac_alloc_hook(allow_some);
        const sac_status status = sac_stream_open(&s, &desc, &err);
        sac_alloc_hook(NULL);
        if (!s)
            assert_failed(status, SAC_E_NOMEM, &err, "memory");
    }
    assert_int_equal(steps, 6); /* the stream, ids, frames, ring, histogram; then all is there */
    sac_stream_close(&s);
}

static void a_worker_on_a_cpu_or_urgent_runs_or_is_refused(void **state)
{
    (void)state;
    probe p = {0};
    cpu_set_t cpus;
    assert_int_equal(sched_getaffinity(0, sizeof cpus, &cpus), 0);
    sac_stream_desc desc = probe_desc(&p);
    size_t cpu = 0;
    while (!CPU_ISSET(cpu, &cpus))
        cpu++;
    desc.cpu = SAC_LINUX ? (int32_t)cpu : -1; /* elsewhere it is refused: test_posix.c */
    sac_stream *s = probe_open(&desc);
    assert_int_equal(probe_send(s, 0), SAC_OK);
    sac_stream_close(&s);
    assert_int_equal(p.n_frames, 1);
    sac_error err = {0};
    desc.priority = 1;
    const sac_status status = sac_stream_open(&s, &desc, &err);
    if (status)
        assert_failed(status, SAC_E_UNSUPPORTED, &err, "priority");
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
        cmocka_unit_test(memory_of_the_caller_is_used_to_its_end_and_no_further),
        cmocka_unit_test(frames_evenly_spaced_are_counted),
        cmocka_unit_test(slots_are_taken_in_turn),
        cmocka_unit_test(open_refuses_what_is_out_of_range),
        cmocka_unit_test(calls_with_null_are_refused),
        cmocka_unit_test(open_without_memory_is_refused_at_each_step),
        cmocka_unit_test(a_worker_on_a_cpu_or_urgent_runs_or_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
