/*
 * Where a viewer looks into a real-time loop: what comes out is whole and in order, and the loop's
 * side returns whatever the viewer does.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "view/meltpool/columns.h"
#include "view/meltpool/map.h"
#include "view/meltpool/tap.h"

enum { BYTES = 96 * 96, MANY = 50000, DEADLINE_S = 120 };

static sac_meltpool_record record_of(int32_t i)
{
    sac_meltpool_record r = {.arrival_ns = i, .done_ns = i, .signals = {1, i, i, -i}};
    for (int k = 0; k < SAC_MELTPOOL_FEATURES; k++)
        r.features[k] = (float)(i % 1000);
    return r;
}

static void put_one(view_tap *tap, int32_t i, bool is_newest)
{
    static uint8_t pixels[BYTES];
    const sac_meltpool_record r = record_of(i);
    memset(pixels, i & 255, sizeof pixels);
    view_tap_put(tap, &r, pixels, is_newest);
}

/* One of a loop that is behind. */
static void put(view_tap *tap, int32_t i)
{
    put_one(tap, i, false);
}

static void assert_frame(const view_tapped *frame)
{
    const int32_t i = frame->record.signals.counter;
    const sac_meltpool_record want = record_of(i);
    assert_memory_equal(&frame->record, &want, sizeof want);
    for (int k = 0; k < BYTES; k++)
        assert_int_equal(frame->pixels[k], i & 255);
}

static void tap_gives_records_in_order(void **unused)
{
    (void)unused;
    sac_meltpool_record got[100];
    view_tap *tap = view_tap_open(BYTES);
    assert_int_equal(view_tap_take(tap, got, 100), 0);
    for (int32_t i = 0; i < 250; i++)
        put(tap, i);
    for (int32_t i = 0, n; i < 250; i += n) {
        n = view_tap_take(tap, got, 100);
        assert_int_equal(n, 250 - i < 100 ? 250 - i : 100);
        for (int32_t k = 0; k < n; k++)
            assert_int_equal(got[k].signals.counter, i + k);
    }
    view_tap_close(&tap);
    assert_null(tap);
}

static void tap_that_nobody_empties_counts_what_it_drops(void **unused)
{
    (void)unused;
    sac_meltpool_record got[1];
    view_tap *tap = view_tap_open(BYTES);
    for (int32_t i = 0; i < 3 * VIEW_TAP_RECORDS; i++)
        put(tap, i);
    assert_int_equal(atomic_load(&tap->dropped), 2 * VIEW_TAP_RECORDS);
    assert_int_equal(view_tap_take(tap, got, 1), 1);
    assert_int_equal(got[0].signals.counter, 0);
    put(tap, 7); /* there is room again */
    assert_int_equal(atomic_load(&tap->dropped), 2 * VIEW_TAP_RECORDS);
    view_tap_close(&tap);
}

static void tap_that_is_behind_gives_the_frame_that_follows_the_last_look(void **unused)
{
    (void)unused;
    view_tap *tap = view_tap_open(BYTES);
    assert_false(view_tap_has_frame(tap));
    assert_null(view_tap_take_frame(tap));
    for (int32_t i = 3; i < 9; i++)
        put(tap, i);
    const view_tapped *frame = view_tap_take_frame(tap);
    assert_int_equal(frame->record.signals.counter, 3);
    assert_frame(frame);
    assert_false(view_tap_has_frame(tap));
    put(tap, 77);
    put(tap, 78);
    assert_int_equal(frame->record.signals.counter, 3);
    assert_frame(frame); /* it stays while it is looked at */
    frame = view_tap_take_frame(tap);
    assert_int_equal(frame->record.signals.counter, 77);
    assert_int_equal(frame->number, 6);
    assert_frame(frame);
    view_tap_close(&tap);
}

static void tap_has_the_last_frame_of_all(void **unused)
{
    (void)unused;
    view_tap *tap = view_tap_open(BYTES);
    for (int32_t i = 0; i < 100; i++)
        put_one(tap, i, i % 7 == 0 || i == 99);
    const view_tapped *frame = view_tap_take_frame(tap);
    assert_int_equal(frame->number, 99);
    assert_frame(frame);
    assert_null(view_tap_take_frame(tap));
    view_tap_close(&tap);
}

static void *put_many(void *tap)
{
    for (int32_t i = 0; i < MANY; i++)
        put_one(tap, i, i % 3 == 0 || i == MANY - 1);
    return NULL;
}

/* What a reader that is always too late sees is whole, and in order. */
static void tap_between_two_threads_tears_nothing(void **unused)
{
    (void)unused;
    sac_meltpool_record got[64];
    view_tap *tap = view_tap_open(BYTES);
    pthread_t thread;
    const time_t deadline = time(NULL) + DEADLINE_S;
    assert_int_equal(pthread_create(&thread, NULL, put_many, tap), 0);
    int64_t n_taken = 0, last_frame = -1;
    int32_t last = -1;
    while (last < MANY - 1 && n_taken + atomic_load(&tap->dropped) < MANY) {
        const int32_t n = view_tap_take(tap, got, 64);
        for (int32_t k = 0; k < n; k++) {
            const sac_meltpool_record want = record_of(got[k].signals.counter);
            assert_memory_equal(&got[k], &want, sizeof want);
            assert_true(want.signals.counter > last);
            last = want.signals.counter;
        }
        n_taken += n;
        const view_tapped *frame = view_tap_take_frame(tap);
        if (frame) {
            assert_true(frame->number > last_frame);
            assert_frame(frame);
            last_frame = frame->number;
        }
        assert_true(time(NULL) < deadline);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    while (view_tap_take(tap, got, 1) == 1)
        n_taken++;
    assert_int_equal(n_taken + atomic_load(&tap->dropped), MANY);
    const view_tapped *frame = view_tap_take_frame(tap);
    assert_int_equal(frame ? frame->number : last_frame, MANY - 1);
    view_tap_close(&tap);
}

static void columns_have_least_mean_and_most(void **unused)
{
    (void)unused;
    static pool_columns columns;
    static float rows[POOL_ROWS][POOL_COLUMNS];
    const float truth[2] = {3, 5};
    memset(&columns, 0, sizeof columns);
    columns.width = 4;
    for (int32_t i = 0; i < 12; i++) {
        sac_meltpool_record r = record_of(i);
        r.flags = i >= 4 && i < 8 ? SAC_MELTPOOL_EMPTY : 0;
        r.prediction[1] = 10;
        pool_columns_add(&columns, i, &r, i < 8 ? truth : NULL);
    }
    assert_int_equal(pool_columns_get(&columns, rows[0], 7), 0);
    assert_true(rows[0][0] == 0 && rows[1][0] == 1.5F && rows[2][0] == 3);
    assert_true(rows[0][1] != rows[0][1] && rows[1][3] != rows[1][3]); /* none: NaN */
    assert_true(rows[0][2] == 8 && rows[1][2] == 9.5F && rows[2][2] == 11);
    assert_true(rows[4][0] == 10 && rows[5][0] == 3 && rows[6][0] == 5 && rows[6][2] != rows[6][2]);
    const sac_meltpool_record late = record_of(5);
    pool_columns_add(&columns, 4L * (POOL_COLUMNS + 1), &late, NULL); /* the first two go */
    assert_int_equal(pool_columns_get(&columns, rows[0], 7), 2);
    assert_true(rows[1][0] == 9.5F && rows[1][POOL_COLUMNS - 1] == 5);
}

/* Sums of cells stay what they were while a map grows in all directions. */
static void map_grows_and_loses_nothing(void **unused)
{
    (void)unused;
    static const int32_t at[][2] = {{0, 0},    {5, 2},        {-40, 3},
                                    {2, -900}, {-3000, 4000}, {5000, 5000}};
    static pool_map map;
    static uint16_t levels[POOL_CELLS][POOL_CELLS];
    const float truth[2] = {1, 2};
    enum { N = sizeof at / sizeof *at };
    pool_map_clear(&map, NULL, 0);
    for (int i = 0; i < N; i++) {
        sac_meltpool_record r = {.signals = {1, i, at[i][0], at[i][1]}, .prediction = {4, 8}};
        pool_map_add(&map, &r, truth);
        r.flags = SAC_MELTPOOL_EMPTY;
        pool_map_add(&map, &r, truth);
    }
    double sum = 0;
    int64_t n = 0;
    for (int k = 0; k < POOL_CELLS * POOL_CELLS; k++) {
        n += map.cells[k].n;
        sum += map.cells[k].prediction[1];
    }
    assert_true(n == N && map.n == N && sum == 8.0 * N);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 2; k++)
            assert_true(at[i][k] >= map.first[k] && at[i][k] <= map.first[k] + map.side);
    assert_true(pool_map_top(&map, POOL_BOTH, false) == 12 &&
                pool_map_top(&map, POOL_LOF, true) == 1);
    pool_map_get(&map, levels[0], POOL_KEYHOLE, false, 16);
    const int x = (int)((5000 - map.first[0]) / map.side * POOL_CELLS);
    const int y = (int)((5000 - map.first[1]) / map.side * POOL_CELLS);
    assert_int_equal(levels[POOL_CELLS - 1 - y][x], 1 + 65534 / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tap_gives_records_in_order),
        cmocka_unit_test(tap_that_nobody_empties_counts_what_it_drops),
        cmocka_unit_test(tap_that_is_behind_gives_the_frame_that_follows_the_last_look),
        cmocka_unit_test(tap_has_the_last_frame_of_all),
        cmocka_unit_test(tap_between_two_threads_tears_nothing),
        cmocka_unit_test(columns_have_least_mean_and_most),
        cmocka_unit_test(map_grows_and_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
