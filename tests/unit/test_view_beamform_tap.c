/*
 * Where a viewer looks into saccade beamform --listen: the newest frame is whole, and stays while
 * it is looked at; the worker's side returns whatever the viewer does.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "view/beamform/tap.h"

enum { BYTES = 4096, MANY = 100000, DEADLINE_S = 120 };

static void put(beamform_tap *tap, int64_t i)
{
    uint8_t frame[BYTES];
    memset(frame, (int)(i & 255), sizeof frame);
    beamform_tap_put(tap, frame, i);
}

static void assert_whole(const beamform_tapped *frame)
{
    for (int k = 0; k < BYTES; k++)
        assert_int_equal(frame->data[k], frame->number & 255);
}

static void tap_gives_the_newest_once(void **unused)
{
    (void)unused;
    beamform_tap *tap = beamform_tap_open(BYTES);
    assert_false(beamform_tap_has_frame(tap));
    assert_null(beamform_tap_take(tap));
    for (int64_t i = 0; i < 9; i++)
        put(tap, i);
    assert_true(beamform_tap_has_frame(tap));
    const beamform_tapped *frame = beamform_tap_take(tap);
    assert_int_equal(frame->number, 8);
    assert_whole(frame);
    assert_false(beamform_tap_has_frame(tap));
    assert_null(beamform_tap_take(tap));
    assert_int_equal(atomic_load(&tap->n_taken), 1);
    beamform_tap_close(&tap);
    assert_null(tap);
    beamform_tap_close(&tap);
}

static void tap_holds_what_is_looked_at(void **unused)
{
    (void)unused;
    beamform_tap *tap = beamform_tap_open(BYTES);
    put(tap, 3);
    const beamform_tapped *held = beamform_tap_take(tap);
    for (int64_t i = 4; i < 12; i++) {
        put(tap, i);
        assert_int_equal(held->number, 3);
        assert_whole(held);
    }
    assert_int_equal(beamform_tap_take(tap)->number, 11);
    beamform_tap_close(&tap);
}

static void *put_many(void *tap)
{
    for (int64_t i = 0; i < MANY; i++)
        put(tap, i);
    return NULL;
}

static void tap_between_two_threads_tears_nothing(void **unused)
{
    (void)unused;
    beamform_tap *tap = beamform_tap_open(BYTES);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, put_many, tap), 0);
    const time_t deadline = time(NULL) + DEADLINE_S;
    int64_t last = -1;
    while (last < MANY - 1) {
        assert_true(time(NULL) < deadline);
        const beamform_tapped *frame = beamform_tap_take(tap);
        if (frame) {
            assert_true(frame->number > last);
            assert_whole(frame);
            last = frame->number;
        }
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_null(beamform_tap_take(tap));
    beamform_tap_close(&tap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tap_gives_the_newest_once),
        cmocka_unit_test(tap_holds_what_is_looked_at),
        cmocka_unit_test(tap_between_two_threads_tears_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
