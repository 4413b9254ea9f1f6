/*
 * What the ladder prints of a rung's kernels, its energy and frames in parallel.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "ladder/feedback.h"

static const sac_gpu_kernel kernels[] = {
    {.launches = 1,
     .registers = 24,
     .shared_bytes = 4000,
     .grid = {1, 1, 1},
     .block = {512, 1, 1},
     .blocks = 4,
     .occupancy = 1},
    {.launches = 3,
     .registers = 64,
     .shared_bytes = 20000,
     .grid = {6, 1, 1},
     .block = {512, 1, 1},
     .blocks = 2,
     .occupancy = 0.5},
};

static sac_ladder_row row_of(const char *rung, double median_ns)
{
    return (sac_ladder_row){.pipeline = "meltpool",
                            .room = "meltpool",
                            .rung = rung,
                            .runs = 11,
                            .points = 1000,
                            .median_ns = median_ns};
}

/* What is printed of rows; the caller frees. */
static char *print(const sac_ladder_row *rows, int n)
{
    cli_ladder_feedback f;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    cli_ladder_begin_feedback(&f);
    for (int i = 0; i < n; i++)
        cli_ladder_add_feedback(&f, &rows[i]);
    cli_ladder_print_feedback(&f, file);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in: %s", part, text);
}

static void feedback_of_rows_without_any_is_nothing(void **state)
{
    (void)state;
    sac_ladder_row row = row_of("persistent", 1e6);
    char *text = print(&row, 1);
    assert_string_equal(text, "");
    free(text);
}

static void feedback_of_kernels_is_their_range(void **state)
{
    (void)state;
    sac_ladder_row row = row_of("fused-b", 1e6);
    row.kernels = kernels;
    row.n_kernels = 2;
    char *text = print(&row, 1);
    assert_has(text, "24 - 64");
    assert_has(text, "4000 - 20000");
    assert_has(text, "2 - 4");
    assert_has(text, "50 - 100");
    assert_null(strstr(text, "mJ")); /* no energy: no column, and no line about it */
    assert_null(strstr(text, " W"));
    free(text);
}

static void feedback_of_energy_has_idle_power_and_the_papers(void **state)
{
    (void)state;
    sac_ladder_row row = row_of("persistent", 1e6);
    row.frame_joules = 1.5e-3;
    row.watts = 120;
    row.idle_watts = 71;
    char *text = print(&row, 1);
    assert_has(text, "mJ / frame");
    assert_has(text, "1.5  120");
    assert_has(text, "without work it takes 71 W");
    assert_has(text, "30 W");
    free(text);
}

/* 1,000 frames in 10 ms are 100,000 a second; twice as many in half of that. */
static void feedback_of_parallel_frames_stands_next_to_table_3(void **state)
{
    (void)state;
    const sac_ladder_row rows[] = {row_of("persistent-1", 10e6), row_of("persistent-2", 5e6),
                                   row_of("grid-sync-2", 20e6), row_of("regions-1", 1)};
    char *text = print(rows, 4);
    assert_has(text, "100000 (1.0x)");
    assert_has(text, "200000 (2.0x)");
    assert_has(text, "50000");
    assert_has(text, "85000 (1.5x)"); /* the A6000's of two */
    assert_null(strstr(text, "222000"));
    free(text);
}

static void feedback_in_json_has_kernels_and_joules_that_are_there(void **state)
{
    (void)state;
    sac_ladder_row row = row_of("fused-b", 1e6);
    cli_json json;
    cli_json_open(&json);
    cli_json_object(&json, NULL);
    cli_ladder_put_feedback(&json, &row);
    assert_int_equal(fflush(json.file), 0);
    assert_null(strstr(json.text, "joules"));
    assert_null(strstr(json.text, "kernels"));
    row.kernels = kernels;
    row.n_kernels = 2;
    row.frame_joules = 2e-3;
    cli_ladder_put_feedback(&json, &row);
    cli_json_end_object(&json);
    assert_int_equal(fflush(json.file), 0);
    assert_has(json.text, "\"registers\": 64");
    assert_has(json.text, "\"blocks_per_multiprocessor\": 2");
    assert_has(json.text, "\"frame_joules\": 0.002");
    cli_json_discard(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feedback_of_rows_without_any_is_nothing),
        cmocka_unit_test(feedback_of_kernels_is_their_range),
        cmocka_unit_test(feedback_of_energy_has_idle_power_and_the_papers),
        cmocka_unit_test(feedback_of_parallel_frames_stands_next_to_table_3),
        cmocka_unit_test(feedback_in_json_has_kernels_and_joules_that_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
