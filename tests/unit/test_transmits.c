/*
 * Transmits by a few words.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>

#include <saccade/recording.h>

#define N 8
#define MAX 16

static const double rad = 3.14159265358979323846 / 180;

static sac_status parse(sac_transmit *t, int32_t *n, const char *text, sac_error *err)
{
    sac_element elements[N];
    sac_probe_linear(elements, N, 1e-3, 0, 0);
    for (int i = 0; i < N; i++)
        elements[i].position_m[0] += 2e-3; /* off the middle: 7 mm wide, from -1.5 to 5.5 mm */
    return sac_transmits_parse(t, n, MAX, text, elements, N, err);
}

static void assert_parsed(sac_transmit t[MAX], int32_t want, const char *text)
{
    int32_t n = 0;
    sac_error err = {0};
    assert_ok(parse(t, &n, text, &err), &err);
    assert_int_equal(n, want);
    for (int32_t i = 0; i < n; i++)
        assert_true(t[i].weight == 1 && t[i].t0_s == 0);
}

static void assert_source(const sac_transmit *t, sac_transmit_kind kind, double x_m, double z_m)
{
    assert_int_equal(t->kind, kind);
    assert_true(fabs(t->source_m[0] - x_m) < 1e-12 && t->source_m[1] == 0);
    assert_true(fabs(t->source_m[2] - z_m) < 1e-12);
}

static void transmits_of_words_are_what_they_say(void **state)
{
    (void)state;
    sac_transmit t[MAX];
    assert_parsed(t, 3, "plane:3:10");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(t[i].kind, SAC_TRANSMIT_PLANE);
        assert_true(fabs(t[i].azimuth_rad - (i - 1) * 10 * rad) < 1e-15);
    }
    assert_true(t[1].azimuth_rad == 0);
    assert_parsed(t, 1, "plane:1:0");
    assert_true(t[0].azimuth_rad == 0);
    assert_parsed(t, 1, "plane:1:16.5");
    assert_true(t[0].azimuth_rad == 0);
    assert_parsed(t, 2, "diverging:2");
    assert_source(&t[0], SAC_TRANSMIT_DIVERGING, -1.5e-3, -3.5e-3);
    assert_source(&t[1], SAC_TRANSMIT_DIVERGING, 5.5e-3, -3.5e-3);
    assert_parsed(t, 1, "diverging:1:20");
    assert_source(&t[0], SAC_TRANSMIT_DIVERGING, 2e-3, -2e-2);
    assert_parsed(t, 3, "focused:3");
    assert_source(&t[2], SAC_TRANSMIT_FOCUSED, 5.5e-3, 7e-3);
    assert_parsed(t, MAX, "focused:16:12.5");
    assert_source(&t[0], SAC_TRANSMIT_FOCUSED, -1.5e-3, 1.25e-2);
    assert_parsed(t, N, "sa");
    for (int i = 0; i < N; i++) {
        assert_int_equal(t[i].kind, SAC_TRANSMIT_ELEMENT);
        assert_int_equal(t[i].element, i);
    }
}

static void transmits_of_other_words_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "plane",
                                        "plane:",
                                        "plane:3",
                                        "plane:3:",
                                        "plane:0:1",
                                        "plane:3:x",
                                        "plane:3:90",
                                        "plane:3:-1",
                                        "plane:3:nan",
                                        "plane:-3:1",
                                        "plane:3:1:",
                                        "plane:3.5",
                                        "diverging",
                                        "diverging:3:0",
                                        "focused:3:-1",
                                        "focused:3:1x",
                                        "sa:",
                                        "sa:3",
                                        "diverging:x",
                                        "diverging:3:inf",
                                        "planes:3:1",
                                        "PLANE:3:1",
                                        "plane:17:3",
                                        " sa",
                                        "plane:9999999999:1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sac_transmit t[MAX];
        int32_t n = 7;
        sac_error err = {0};
        sac_status st = parse(t, &n, texts[i], &err);
        if (st != SAC_E_INVALID || strstr(err.text, texts[i]) == NULL)
            fail_msg("`%s`: %s: %s", texts[i], sac_status_name(st), err.text);
    }
}

static void transmits_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    sac_element e[N];
    sac_transmit t[MAX];
    int32_t n;
    sac_error err;
    sac_probe_linear(e, N, 1e-3, 0, 0);
    assert_failed(sac_transmits_parse(t, &n, N - 1, "sa", e, N, &err), SAC_E_INVALID, &err, "sa");
    assert_failed(sac_transmits_parse(t, &n, 2, "plane:3:1", e, N, &err), SAC_E_INVALID, &err,
                  "at most 2");
    assert_failed(sac_transmits_parse(t, &n, MAX, "diverging:3", e, 1, &err), SAC_E_INVALID, &err,
                  "diverging");
    assert_failed(sac_transmits_parse(t, &n, MAX, NULL, e, N, &err), SAC_E_INVALID, &err, "NULL");
}

/* What sac_transmits_row_column makes of them is what each axis of its own sends. */
static void transmits_of_row_column_are_those_of_both_axes(void **state)
{
    (void)state;
    static const char *const texts[] = {"plane:3:8", "diverging:2", "focused:2:5", "lines:3:5:10",
                                        "sa"};
    sac_element e[N], line[N];
    int32_t shapes[N], n_by[2], n_lines[2];
    sac_probe_row_column(e, shapes, 5, 3, 1e-3, 0.8e-3);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sac_transmit t[MAX], alone[MAX];
        sac_error err = {0};
        assert_ok(
            sac_transmits_parse_row_column(t, n_by, n_lines, MAX, texts[i], e, shapes, N, &err),
            &err);
        assert_true(n_lines[0] == 5 && n_lines[1] == 3);
        for (int axis = 0; axis < 2; axis++) {
            int32_t n = 0;
            sac_probe_linear(line, n_lines[axis], 1e-3, 0, 0);
            assert_ok(sac_transmits_parse(alone, &n, MAX, texts[i], line, n_lines[axis], &err),
                      &err);
            assert_int_equal(n, n_by[axis]);
            assert_memory_equal(alone, t + (axis ? n_by[0] : 0), (size_t)n * sizeof *t);
        }
    }
}

static void transmits_of_other_lines_are_refused(void **state)
{
    (void)state;
    sac_element e[N];
    sac_transmit t[MAX];
    int32_t shapes[N], n_by[2], n_lines[2];
    sac_error err;
    static const int32_t others[][3] = {{1, 1, 1}, {2, 2, 2}, {2, 1, 1}, {1, 2, 1}, {1, 2, 0}};
    sac_probe_row_column(e, shapes, 2, 1, 1e-3, 0.8e-3);
    for (int i = 0; i < 5; i++)
        assert_failed(sac_transmits_parse_row_column(t, n_by, n_lines, MAX, "plane:1:0", e,
                                                     others[i], 3, &err),
                      SAC_E_INVALID, &err, "rows, then columns");
    assert_failed(
        sac_transmits_parse_row_column(t, n_by, n_lines, MAX, "plane:9:1", e, shapes, 3, &err),
        SAC_E_INVALID, &err, "at most 7");
    assert_failed(sac_transmits_parse_row_column(t, n_by, n_lines, MAX, NULL, e, shapes, 3, &err),
                  SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_transmits_parse_row_column(t, n_by, n_lines, MAX, "sa", e, NULL, 3, &err),
                  SAC_E_INVALID, &err, "NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transmits_of_words_are_what_they_say),
        cmocka_unit_test(transmits_of_other_words_are_refused),
        cmocka_unit_test(transmits_that_do_not_fit_are_refused),
        cmocka_unit_test(transmits_of_row_column_are_those_of_both_axes),
        cmocka_unit_test(transmits_of_other_lines_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
