/*
 * The forms for other systems than Linux: what they refuse, and how they wait.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <saccade/stream.h>

#include "base/clock.h"
#include "base/system.h"
#include "base/wait.h"

#define MS INT64_C(1000000)

typedef struct sleeper {
    _Atomic uint32_t asleep;
    atomic_bool ready;
} sleeper;

static bool is_ready(const void *of)
{
    return atomic_load(&((const sleeper *)of)->ready);
}

static void *wake(void *arg)
{
    sleeper *s = arg;
    while (atomic_load(&s->asleep) == 0)
        ;
    atomic_store(&s->ready, true);
    sac_wake(&s->asleep, true);
    return NULL;
}

static void a_sleep_ends_with_its_time(void **state)
{
    sleeper s = {0};
    (void)state;
    const int64_t from = sac_clock_ns();
    assert_false(sac_sleep(&s.asleep, true, is_ready, &s, 5 * MS));
    assert_true(sac_clock_ns() - from >= 5 * MS);
    assert_int_equal(atomic_load(&s.asleep), 0);
}

static void a_sleep_ends_when_woken(void **state)
{
    sleeper s = {0};
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, wake, &s), 0);
    while (!sac_sleep(&s.asleep, false, is_ready, &s, SAC_FOREVER))
        ;
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void a_file_without_a_name_is_refused_and_a_temporary_one_given(void **state)
{
    char byte = 'x';
    (void)state;
    assert_int_equal(sac_system_file_unnamed(".", 0600), -1);
    assert_int_equal(errno, ENOTSUP);
    const int fd = sac_system_file_temporary();
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(write(fd, &byte, 1), 1);
    assert_int_equal(close(fd), 0);
}

static void names_are_ordered_by_their_numbers(void **state)
{
    static const char *const names[] = {"a",     "a0.png",  "a1.png",  "a2.png",  "a10.png",
                                        "a10b2", "a10b010", "a11.png", "aa1.png", "b"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const int order = sac_system_compare_names(names[i], names[k]);
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
}

static void wiped_bytes_are_zero(void **state)
{
    char bytes[5] = "abcd";
    (void)state;
    sac_system_wipe(bytes + 1, 2);
    assert_memory_equal(bytes, ((const char[]){'a', 0, 0, 'd', 0}), sizeof bytes);
}

static void chance_differs(void **state)
{
    (void)state;
    assert_true(sac_system_chance() != sac_system_chance() ||
                sac_system_chance() != sac_system_chance());
}

static void work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    (void)ctx;
    (void)frames;
    (void)n;
}

static void a_stream_refuses_cpus_and_other_processes(void **state)
{
    sac_error err = {0};
    sac_stream *stream = NULL;
    sac_producer *producer = NULL;
    sac_stream_desc desc;
    (void)state;
    sac_stream_desc_init(&desc);
    desc.frame_bytes = 64;
    desc.work = work;
    desc.cpu = 0;
    assert_failed(sac_stream_open(&stream, &desc, &err), SAC_E_UNSUPPORTED, &err, "cpu");
    desc.cpu = -1;
    desc.shared = "/saccade-posix";
    assert_failed(sac_stream_open(&stream, &desc, &err), SAC_E_UNSUPPORTED, &err, "shared");
    assert_failed(sac_producer_attach(&producer, desc.shared, 64, &err), SAC_E_UNSUPPORTED, &err,
                  "shared");
    assert_null(stream);
    assert_null(producer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sleep_ends_with_its_time),
        cmocka_unit_test(a_sleep_ends_when_woken),
        cmocka_unit_test(a_file_without_a_name_is_refused_and_a_temporary_one_given),
        cmocka_unit_test(names_are_ordered_by_their_numbers),
        cmocka_unit_test(wiped_bytes_are_zero),
        cmocka_unit_test(chance_differs),
        cmocka_unit_test(a_stream_refuses_cpus_and_other_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
