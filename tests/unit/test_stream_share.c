/*
 * Frames from another process: attached and detached, stopped and killed in the midst.
 * `stream_share N` sends N frames through the first test.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "unit.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "share_probe.h"

static int64_t n_frames = 100000;

/* In a child: n sends, or until killed. No cmocka here. */
static pid_t fork_producer(both *b, int64_t n)
{
    const pid_t child = fork_child();
    sac_producer *p = NULL;
    if (child != 0)
        return child;
    if (sac_producer_attach(&p, name, FRAME_BYTES, NULL))
        _exit(2);
    for (; n > 0; n--) {
        if (send_next(p, b))
            _exit(3);
        if (n % 8 == 0)
            (void)sched_yield(); /* else the worker sees few of them */
    }
    sac_producer_detach(&p);
    _exit(0);
}

static void join(pid_t child, int status_wanted)
{
    int status = -1;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, status_wanted);
}

/* Stops; what another process accepted is all there, but for one send for each one killed. */
static sac_stream_counts stop_and_check(sac_stream *s, const seen *of, const both *b, int64_t kills)
{
    sac_stream_stop(s);
    const sac_stream_counts c = counts_of_stream(s);
    assert_true(counts_agree(&c));
    assert_int_equal(c.waiting, 0);
    assert_int_equal(c.refused, 0);
    assert_in_range(c.received - atomic_load(&b->accepted), 0, kills);
    assert_true(c.received <= atomic_load(&b->sent));
    assert_int_equal(c.processed, atomic_load(&of->n));
    assert_int_equal(sac_histogram_get_count(sac_stream_get_latency(s)), c.processed);
    assert_whole(of);
    return c;
}

static void frames_of_another_process_are_whole_and_counted(void **state)
{
    (void)state;
    static const struct {
        int32_t policy, capacity, batch_max, spin_us;
        int64_t share; /* of a hundred */
    } cases[] = {{SAC_STREAM_WAIT, 64, 32, 50, 60},       {SAC_STREAM_WAIT, 1, 1, 0, 3},
                 {SAC_STREAM_WAIT, 3, 2, 5, 5},           {SAC_STREAM_DROP_NEWEST, 4, 3, 50, 10},
                 {SAC_STREAM_DROP_OLDEST, 64, 32, 0, 10}, {SAC_STREAM_DROP_OLDEST, 1, 1, 20, 11},
                 {SAC_STREAM_WAIT, 64, 32, -1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        both *b = open_both();
        seen of = {.alone = true};
        sac_stream_desc desc = shared_desc(&of);
        desc.policy = cases[i].policy;
        desc.capacity = cases[i].capacity;
        desc.batch_max = cases[i].batch_max;
        desc.spin_us = cases[i].spin_us;
        sac_stream *s = probe_open(&desc);
        const int64_t n = n_frames * cases[i].share / 100;
        const pid_t child = fork_producer(b, n);
        int64_t n_wrong = 0, received = 0;
        while (received < n) {
            const sac_stream_counts c = counts_of_stream(s);
            n_wrong += !counts_agree(&c) || c.received < received;
            received = c.received;
            (void)sched_yield();
        }
        join(child, 0);
        const sac_stream_counts c = stop_and_check(s, &of, b, 0);
        printf("policy %d, capacity %d, spin %d: %lld sent, %lld dropped\n", desc.policy,
               desc.capacity, desc.spin_us, (long long)n, (long long)c.dropped);
        assert_int_equal(n_wrong, 0);
        assert_int_equal(c.received, n);
        if (desc.policy == SAC_STREAM_WAIT)
            assert_int_equal(c.dropped, 0);
        if (desc.policy != SAC_STREAM_DROP_NEWEST)
            assert_int_equal(of.number, n - 1);
        sac_stream_close(&s);
        (void)munmap(b, sizeof *b);
    }
}

/* Killed at any moment of a send; the next one goes on. */
static void producer_killed_in_the_midst_loses_one_send_at_most(void **state)
{
    (void)state;
    enum { N_KILLS = 20 };
    for (int32_t policy = SAC_STREAM_WAIT; policy <= SAC_STREAM_DROP_OLDEST; policy++) {
        both *b = open_both();
        seen of = {0};
        sac_stream_desc desc = shared_desc(&of);
        desc.policy = policy;
        desc.capacity = 5;
        desc.batch_max = 3;
        sac_stream *s = probe_open(&desc);
        for (int64_t k = 0; k < N_KILLS; k++) {
            const int64_t from = counts_of_stream(s).received;
            const pid_t child = fork_producer(b, INT64_MAX);
            while (counts_of_stream(s).received < from + 100 + 37 * k)
                (void)sched_yield();
            assert_int_equal(kill(child, SIGKILL), 0);
            join(child, SIGKILL);
        }
        sac_producer *p = attach();
        for (int i = 0; i < 1000; i++)
            assert_int_equal(send_next(p, b), SAC_OK);
        sac_producer_detach(&p);
        (void)stop_and_check(s, &of, b, N_KILLS);
        if (policy != SAC_STREAM_DROP_NEWEST)
            assert_int_equal(of.first, (uint64_t)(atomic_load(&b->sent) - 1) * PROBE_WORDS);
        sac_stream_close(&s);
        (void)munmap(b, sizeof *b);
    }
}

static void stalled_worker_lets_each_policy_act(void **state)
{
    (void)state;
    static const int64_t dropped[] = {0, 6, 6};
    for (int32_t policy = SAC_STREAM_WAIT; policy <= SAC_STREAM_DROP_OLDEST; policy++) {
        both *b = open_both();
        seen of = {0};
        sac_stream_desc desc = shared_desc(&of);
        atomic_store(&of.hold, true);
        desc.policy = policy;
        desc.capacity = 4;
        desc.batch_max = 1;
        sac_stream *s = probe_open(&desc);
        sac_producer *p = attach();
        assert_int_equal(send_next(p, b), SAC_OK);
        while (counts_of_stream(s).most_waiting == 0)
            (void)sched_yield();
        for (int i = 0; i < (policy == SAC_STREAM_WAIT ? 4 : 10); i++)
            assert_int_equal(send_next(p, b), SAC_OK);
        const sac_stream_counts c = counts_of_stream(s);
        assert_int_equal(c.dropped, dropped[policy]);
        assert_int_equal(c.waiting, 5);
        assert_int_equal(c.received, c.dropped + 5);
        atomic_store(&of.hold, false);
        (void)stop_and_check(s, &of, b, 0);
        assert_int_equal(counts_of_stream(s).dropped, dropped[policy]);
        assert_int_equal(of.number, policy == SAC_STREAM_DROP_OLDEST ? 10 : 4);
        sac_producer_detach(&p);
        sac_stream_close(&s);
        (void)munmap(b, sizeof *b);
    }
}

static void stop_refuses_what_comes_later(void **state)
{
    (void)state;
    both *b = open_both();
    seen of = {0};
    sac_stream_desc desc = shared_desc(&of);
    sac_stream *s = probe_open(&desc);
    sac_producer *p = attach();
    assert_null(sac_stream_slot(s)); /* not from here */
    assert_int_equal(sac_stream_send(s, 0), SAC_E_INVALID);
    sac_stream_refuse(s, 7);
    for (int i = 0; i < 10; i++)
        assert_int_equal(send_next(p, b), SAC_OK);
    sac_producer_refuse(p, 3);
    assert_false(sac_producer_is_stopping(p));
    sac_stream_request_stop(s);
    assert_true(sac_producer_is_stopping(p));
    assert_int_equal(send_next(p, b), SAC_END);
    sac_stream_stop(s);
    assert_stopped(s, 14, 4, 10, 0, 0);
    sac_stream_close(&s);
    assert_int_equal(send_next(p, b), SAC_END); /* its memory is still there */
    sac_producer_detach(&p);
    (void)munmap(b, sizeof *b);
}

/* A stop while the producer in another process sends, or waits for room. */
static void stop_in_the_midst_loses_nothing(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        both *b = open_both();
        seen of = {0};
        sac_stream_desc desc = shared_desc(&of);
        desc.policy = round % 3;
        desc.capacity = 1 + round % 5;
        desc.batch_max = 1 + round % 2;
        sac_stream *s = probe_open(&desc);
        const pid_t child = fork_producer(b, INT64_MAX);
        while (counts_of_stream(s).received < round % 30)
            (void)sched_yield();
        sac_stream_stop(s);
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child); /* refused, or never attached */
        const sac_stream_counts c = counts_of_stream(s);
        assert_true(counts_agree(&c));
        assert_int_equal(c.waiting, 0);
        assert_int_equal(c.received, atomic_load(&b->sent));
        assert_int_equal(c.accepted, atomic_load(&b->accepted));
        assert_int_equal(c.processed, atomic_load(&of.n));
        assert_whole(&of);
        sac_stream_close(&s);
        (void)munmap(b, sizeof *b);
    }
}

/* `stream_share hold NAME SPIN`: a stream whose work never ends. */
static int hold_stream(const char *at, const char *spin_us)
{
    seen of = {0};
    sac_stream *s = NULL;
    sac_stream_desc desc = shared_desc(&of);
    atomic_store(&of.hold, true);
    desc.shared = at;
    desc.spin_us = atoi(spin_us);
    if (sac_stream_open(&s, &desc, NULL))
        return 1;
    for (;;)
        (void)pause();
}

/* A program of its own: threads and forks do not mix under ThreadSanitizer. */
static pid_t fork_stream(const char *spin_us)
{
    const pid_t child = fork_child();
    if (child == 0) {
        (void)execl("/proc/self/exe", "stream_share", "hold", name, spin_us, (char *)NULL);
        _exit(1);
    }
    return child;
}

static sac_producer *attach_when_ready(pid_t child)
{
    sac_producer *p = NULL;
    while (sac_producer_attach(&p, name, FRAME_BYTES, NULL)) {
        assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
        (void)sched_yield();
    }
    return p;
}

static void stream_killed_ends_a_producer_that_waits(void **state)
{
    (void)state;
    static const char *const spins[] = {"0", "-1"};
    for (int k = 0; k < 2; k++) {
        both *b = open_both();
        seen of = {0};
        sac_stream_desc desc = shared_desc(&of);
        const pid_t child = fork_stream(spins[k]);
        sac_producer *p = attach_when_ready(child);
        for (int i = 0; i < 64; i++)
            assert_int_equal(send_next(p, b), SAC_OK);
        assert_int_equal(kill(child, SIGKILL), 0);
        join(child, SIGKILL);
        sac_status status = SAC_OK;
        for (int i = 0; i < 64 && status == SAC_OK; i++) /* where the worker had taken a batch */
            status = send_next(p, b);
        assert_int_equal(status, SAC_END);
        assert_true(sac_producer_is_stopping(p));
        sac_producer_detach(&p);
        sac_error err = {0};
        assert_failed(sac_producer_attach(&p, name, FRAME_BYTES, &err), SAC_E_IO, &err,
                      "no stream");
        /* The name is free at once. */
        sac_stream *s = probe_open(&desc);
        p = attach();
        assert_int_equal(send_next(p, b), SAC_OK);
        sac_producer_detach(&p);
        sac_stream_stop(s);
        assert_stopped(s, 1, 0, 1, 0, 0);
        sac_stream_close(&s);
        (void)munmap(b, sizeof *b);
    }
}

static void open_refuses_a_name_that_is_something_else(void **state)
{
    (void)state;
    seen of = {0};
    sac_error err = {0};
    sac_stream *s = NULL;
    sac_producer *p = NULL;
    sac_stream_desc desc = shared_desc(&of);
    struct sockaddr_un at; /* another program's */
    const socklen_t length = sac_share_address(&at, name);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, length), 0);
    assert_failed(sac_stream_open(&s, &desc, &err), SAC_E_IO, &err, "another's");
    (void)close(fd);
    assert_failed(sac_producer_attach(&p, name, FRAME_BYTES, &err), SAC_E_IO, &err, "no stream");
    desc.shared = "camera";
    assert_failed(sac_stream_open(&s, &desc, &err), SAC_E_INVALID, &err, "camera");
    static _Alignas(64) char memory[64];
    desc.shared = name;
    desc.memory = memory;
    desc.memory_bytes = sizeof memory;
    assert_failed(sac_stream_open(&s, &desc, &err), SAC_E_INVALID, &err, "memory");
    desc.memory = NULL;
    desc.frame_bytes = (size_t)1 << 24;
    desc.capacity = 1 << 20;
    desc.batch_max = 1;
    assert_failed(sac_stream_open(&s, &desc, &err), SAC_E_NOMEM, &err, "memory");
    desc = shared_desc(&of); /* nothing is left behind */
    s = probe_open(&desc);
    sac_stream_close(&s);
}

static int n_allowed;

static bool allow_some(size_t bytes)
{
    (void)bytes;
    return n_allowed-- > 0;
}

static void open_without_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    seen of = {0};
    sac_error err = {0};
    sac_stream *s = NULL;
    sac_producer *p = NULL;
    sac_stream_desc desc = shared_desc(&of);
    for (int steps = 0; !s; steps++) {
        n_allowed = steps;
        sac_alloc_hook(allow_some);
        const sac_status status = sac_stream_open(&s, &desc, &err);
        const sac_status attached = s ? SAC_E_NOMEM : sac_producer_attach(&p, name, 1, NULL);
        sac_alloc_hook(NULL);
        if (!s)
            assert_failed(status, SAC_E_NOMEM, &err, "memory");
        assert_int_not_equal(attached, SAC_OK);
        assert_null(p);
    }
    sac_stream_close(&s);
}

int main(int argc, char **argv)
{
    if (argc == 4)
        return hold_stream(argv[2], argv[3]);
    if (argc > 1)
        n_frames = atoll(argv[1]);
    make_name();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_another_process_are_whole_and_counted),
        cmocka_unit_test(producer_killed_in_the_midst_loses_one_send_at_most),
        cmocka_unit_test(stalled_worker_lets_each_policy_act),
        cmocka_unit_test(stop_refuses_what_comes_later),
        cmocka_unit_test(stop_in_the_midst_loses_nothing),
        cmocka_unit_test(stream_killed_ends_a_producer_that_waits),
        cmocka_unit_test(open_refuses_a_name_that_is_something_else),
        cmocka_unit_test(open_without_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
