/*
 * Measured times of variants: what a file must be like, and what is chosen by it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include <saccade/tune.h>

#include "room/check.h"
#include "room/wisdom.h"

#define LACKING (UINT32_C(1) << 31) /* no CPU has it */

typedef void (*toy_fn)(void);

static void nothing(void)
{
}

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(toy_fn, nothing)},
    {"slow", 0, false, SAC_FN(toy_fn, nothing)},
    {"plain", 0, true, SAC_FN(toy_fn, nothing)},
    {"rough", 0, true, SAC_FN(toy_fn, nothing), SAC_TIER_FP32},
    {"future", LACKING, true, SAC_FN(toy_fn, nothing)},
    {"last", 0, true, SAC_FN(toy_fn, nothing)},
    {0},
};
static const sac_room room = {"toy_u8", variants};

/* A file of this machine with these lines, and how it ends. */
static char *file_of(const char *lines, const char *end)
{
    static char text[4096];
    sac_wisdom_head(text, sizeof text);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", lines, end);
    return text;
}

static sac_status parse(sac_wisdom *w, char *text, sac_error *err)
{
    return sac_wisdom_parse(w, text, strlen(text), err);
}

static const char *chosen(const char *lines, const char *end, sac_tier tier, int64_t pixels,
                          int32_t n_channels)
{
    sac_wisdom w;
    sac_error err = {0};
    const sac_variant_shape shape = {pixels, n_channels};
    assert_ok(parse(&w, file_of(lines, end), &err), &err);
    const sac_variant *v =
        sac_wisdom_choose(&w, &room, tier, 0, &shape, sac_variant_fastest(&room, tier, 0));
    sac_wisdom_close(&w);
    return v->name;
}

static void parse_an_empty_file_has_no_entries(void **state)
{
    (void)state;
    assert_string_equal(chosen("", "end 0\n", SAC_TIER_EXACT, 0, 0), "last");
}

static void choose_takes_the_least_time(void **state)
{
    (void)state;
    assert_string_equal(chosen("toy_u8 0 0 ref 500\ntoy_u8 0 0 plain 400\ntoy_u8 0 0 last 900\n",
                               "end 3\n", SAC_TIER_EXACT, 0, 0),
                        "plain");
}

static void choose_a_tie_is_the_tables(void **state)
{
    (void)state;
    assert_string_equal(
        chosen("toy_u8 0 0 plain 990\ntoy_u8 0 0 last 1000\n", "end 2\n", SAC_TIER_EXACT, 0, 0),
        "last");
}

static void choose_what_may_not_run_is_left_alone(void **state)
{
    (void)state;
    const char *lines = "toy_u8 0 0 slow 1\ntoy_u8 0 0 future 1\ntoy_u8 0 0 rough 2\n"
                        "toy_u8 0 0 gone 1\ntoy_u8 0 0 last 1000\n";
    assert_string_equal(chosen(lines, "end 5\n", SAC_TIER_EXACT, 0, 0), "last");
    assert_string_equal(chosen(lines, "end 5\n", SAC_TIER_FP32, 0, 0), "rough");
}

static void choose_without_a_time_of_the_tables_is_the_tables(void **state)
{
    (void)state;
    assert_string_equal(chosen("toy_u8 0 0 ref 1\n", "end 1\n", SAC_TIER_EXACT, 0, 0), "last");
    assert_string_equal(
        chosen("other_u8 0 0 ref 1\nother_u8 0 0 last 9\n", "end 2\n", SAC_TIER_EXACT, 0, 0),
        "last");
}

static void choose_goes_by_the_nearest_size_with_the_same_channels(void **state)
{
    (void)state;
    const char *lines = "toy_u8 3 1000 ref 1\ntoy_u8 3 1000 last 9\n"
                        "toy_u8 3 16000 plain 1\ntoy_u8 3 16000 last 9\n"
                        "toy_u8 1 4000 last 1\ntoy_u8 1 4000 ref 9\n";
    assert_string_equal(chosen(lines, "end 6\n", SAC_TIER_EXACT, 1, 3), "ref");
    assert_string_equal(chosen(lines, "end 6\n", SAC_TIER_EXACT, 3900, 3), "ref");
    assert_string_equal(chosen(lines, "end 6\n", SAC_TIER_EXACT, 4100, 3), "plain");
    assert_string_equal(chosen(lines, "end 6\n", SAC_TIER_EXACT, INT64_MAX, 3), "plain");
    assert_string_equal(chosen(lines, "end 6\n", SAC_TIER_EXACT, 16000, 1), "last");
    assert_string_equal(chosen(lines, "end 6\n", SAC_TIER_EXACT, 16000, 4), "last");
}

static void parse_damaged_files_are_refused_by_line(void **state)
{
    (void)state;
    static const char *const damaged[] = {"",
                                          "end 1\n",
                                          "end 0",
                                          "end 0\n\n",
                                          "end 00\n",
                                          "end -1\n",
                                          "end 0\nend 0\n",
                                          "\nend 0\n",
                                          "toy_u8 0 0 ref 1\n",
                                          "toy_u8 0 0 ref 1\nend 2\n",
                                          "toy_u8 0 0 ref 0\nend 1\n",
                                          "toy_u8 0 0 ref -1\nend 1\n",
                                          "toy_u8 0 0 ref 1.5\nend 1\n",
                                          "toy_u8 0 0 ref 01\nend 1\n",
                                          "toy_u8 5 0 ref 1\nend 1\n",
                                          "toy_u8 0 0 ref 99999999999999999999\nend 1\n",
                                          "toy_u8 0 9999999999999999999 ref 1\nend 1\n",
                                          "toy_u8 0 0 ref 1 \nend 1\n",
                                          "toy_u8  0 0 ref 1\nend 1\n",
                                          "Toy_u8 0 0 ref 1\nend 1\n",
                                          "toy_u8 0 0 ref\nend 1\n",
                                          "a_name_of_more_than_31_characters 0 0 ref 1\nend 1\n",
                                          "toy_u8 0 0 r%n 1\nend 1\n"};
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        sac_wisdom w;
        sac_error err = {0};
        assert_failed(parse(&w, file_of(damaged[i], ""), &err), SAC_E_FORMAT, &err, "line ");
        assert_int_equal(w.n, 0);
        assert_null(w.entries);
    }
}

static void parse_every_cut_file_is_refused(void **state)
{
    (void)state;
    const size_t size = strlen(file_of("toy_u8 3 16 ref 12\n", "end 1\n"));
    for (size_t n = 0; n < size; n++) {
        sac_wisdom w;
        sac_error err = {0};
        char *text = file_of("toy_u8 3 16 ref 12\n", "end 1\n");
        text[n] = '\0';
        assert_int_not_equal(sac_wisdom_parse(&w, text, n, &err), SAC_OK);
        assert_true(err.text[0] != '\0');
    }
}

static void parse_foreign_files_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *line, *what;
    } foreign[] = {{"build ", "build"}, {"cpu ", "CPU"}, {"features ", "features"}};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        sac_wisdom w;
        sac_error err = {0};
        char *text = file_of("", "end 0\n");
        strstr(text, foreign[i].line)[strlen(foreign[i].line)] = '~';
        assert_failed(parse(&w, text, &err), SAC_E_UNSUPPORTED, &err, foreign[i].what);
    }
}

/* What the writer writes, the reader reads: a short measurement of one pipeline. */
static void tune_text_is_read_back(void **state)
{
    (void)state;
    sac_tune *tune = NULL;
    sac_tune_desc desc;
    sac_wisdom w;
    sac_error err = {0};
    size_t size;
    sac_tune_desc_init(&desc);
    desc.quick = true;
    desc.seconds = 1e-6;
    assert_ok(sac_tune_open(&tune, &err), &err);
    assert_ok(sac_tune_measure(tune, "meltpool", &desc, NULL, NULL, &err), &err);
    const char *text = sac_tune_get_text(tune, &size);
    assert_non_null(text);
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, text, size + 1);
    assert_ok(sac_wisdom_parse(&w, copy, size, &err), &err);
    assert_true(w.n > 0);
    sac_wisdom_close(&w);
    free(copy);
    sac_tune_close(&tune);
    assert_null(tune);
}

static bool stop(void *ctx, uint64_t done, uint64_t total)
{
    (void)ctx;
    return done >= total;
}

static void tune_wrong_arguments_are_refused(void **state)
{
    (void)state;
    sac_tune *tune = NULL;
    sac_tune_desc desc;
    sac_error err = {0};
    sac_tune_desc_init(&desc);
    assert_failed(sac_tune_open(NULL, &err), SAC_E_INVALID, &err, "tune");
    assert_ok(sac_tune_open(&tune, &err), &err);
    assert_failed(sac_tune_measure(NULL, NULL, &desc, NULL, NULL, &err), SAC_E_INVALID, &err,
                  "tune");
    assert_failed(sac_tune_measure(tune, "no-such", &desc, NULL, NULL, &err), SAC_E_INVALID, &err,
                  "no-such");
    assert_failed(sac_tune_verify(tune, NULL, -1, &desc, NULL, NULL, &err), SAC_E_INVALID, &err,
                  "n");
    desc.seconds = 61;
    assert_failed(sac_tune_measure(tune, NULL, &desc, NULL, NULL, &err), SAC_E_INVALID, &err,
                  "seconds");
    desc.seconds = 1e-6;
    desc.quick = true;
    desc.progress = stop;
    assert_failed(sac_tune_measure(tune, "meltpool", &desc, NULL, NULL, &err), SAC_CANCELLED, &err,
                  "cancelled");
    sac_tune_close(&tune);
    sac_tune_close(&tune);
    sac_tune_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse_an_empty_file_has_no_entries),
        cmocka_unit_test(choose_takes_the_least_time),
        cmocka_unit_test(choose_a_tie_is_the_tables),
        cmocka_unit_test(choose_what_may_not_run_is_left_alone),
        cmocka_unit_test(choose_without_a_time_of_the_tables_is_the_tables),
        cmocka_unit_test(choose_goes_by_the_nearest_size_with_the_same_channels),
        cmocka_unit_test(parse_damaged_files_are_refused_by_line),
        cmocka_unit_test(parse_every_cut_file_is_refused),
        cmocka_unit_test(parse_foreign_files_are_told_apart),
        cmocka_unit_test(tune_text_is_read_back),
        cmocka_unit_test(tune_wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
