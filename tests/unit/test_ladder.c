/*
 * The ladder and the measures: rows come for every rung, checked; what is refused, and how.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>

#include <saccade/ladder.h>
#include <saccade/measure.h>

#include "pictures.h"
#include "refusal.h"

typedef struct seen {
    int n_rows, n_chosen, n_bad;
    bool order_is_wrong;
    char room[64];
    const char *pipeline;
} seen;

static void look(void *ctx, const sac_ladder_row *row)
{
    seen *s = ctx;
    /* Whole-picture rungs come last: no other room behind them. */
    s->order_is_wrong = s->order_is_wrong || (strcmp(s->room, row->pipeline) == 0 &&
                                              strcmp(row->room, row->pipeline) != 0);
    snprintf(s->room, sizeof s->room, "%s", row->room);
    s->n_rows++;
    s->n_chosen += row->chosen;
    const bool timed = row->checked && row->runs >= 3 && row->min_ns <= row->median_ns &&
                       row->p10_ns <= row->p90_ns && row->p90_ns <= row->max_ns;
    if (row->needs[0] == '\0' && (!timed || !row->ok || row->bytes == 0))
        s->n_bad++;
    if (row->chosen && !row->ships)
        s->n_bad++;
    if (row->ok && (isnan(row->error) || strlen(row->shape) == 0))
        s->n_bad++;
}

static sac_ladder_desc quick(void)
{
    sac_ladder_desc desc;
    sac_ladder_desc_init(&desc);
    desc.w = 67;
    desc.h = 31;
    desc.seconds = 1e-4;
    desc.n_threads = 2;
    return desc;
}

static int count_rungs(void)
{
    int n = 0;
    for (int32_t i = 0; i < sac_n_rooms; i++)
        for (int32_t k = 0; !strcmp(sac_rooms[i].pipeline, "equalize") &&
                            sac_check_variant(sac_rooms[i].check, k) != NULL;
             k++)
            n++;
    return n;
}

static bool count_progress(void *ctx, uint64_t done, uint64_t total)
{
    int *n = ctx;
    assert_int_equal(done, ++*n);
    assert_true(done <= total);
    return true;
}

static void run_every_rung_is_a_checked_row(void **state)
{
    (void)state;
    sac_ladder_desc desc = quick();
    int n_told = 0;
    desc.progress = count_progress;
    desc.progress_ctx = &n_told;
    seen s = {0};
    sac_error err = {0};
    assert_ok(sac_ladder_run("equalize", &desc, look, &s, &err), &err);
    assert_int_equal(s.n_rows, count_rungs());
    assert_int_equal(n_told, s.n_rows);
    assert_int_equal(s.n_bad, 0);
    assert_true(s.n_chosen > 0);
    assert_false(s.order_is_wrong);
}

static void run_on_a_picture_takes_its_shape(void **state)
{
    (void)state;
    static const sac_dtype dtypes[] = {SAC_U8, SAC_U16};
    for (int i = 0; i < 6; i++) {
        sac_array in = new_picture(dtypes[i % 2], 61, 13, 1 + i / 2 * (i / 2 + 1) / 2);
        sac_ladder_desc desc = quick();
        desc.input = &in;
        seen s = {0};
        sac_error err = {0};
        assert_ok(sac_ladder_run("equalize", &desc, look, &s, &err), &err);
        assert_int_equal(s.n_bad, 0);
        free(in.data);
    }
}

static void run_only_one_rung_gives_one_row(void **state)
{
    (void)state;
    sac_ladder_desc desc = quick();
    seen s = {0};
    sac_error err = {0};
    desc.only = "vhist_u8:ref";
    assert_ok(sac_ladder_run("equalize", &desc, look, &s, &err), &err);
    assert_int_equal(s.n_rows, 1);
    assert_string_equal(s.room, "vhist_u8");
}

static void run_in_blocks_is_for_a_gpu(void **state)
{
    (void)state;
    static const uint32_t blocks[] = {4, 8};
    sac_ladder_desc desc = quick();
    seen s = {0};
    sac_error err = {0};
    desc.blocks = blocks;
    desc.n_blocks = 2;
    assert_failed(sac_ladder_run("motion", &desc, look, &s, &err), SAC_E_INVALID, &err, "blocks");
    desc.n_blocks = -1;
    assert_failed(sac_ladder_run("motion", &desc, look, &s, &err), SAC_E_INVALID, &err, "blocks");
    assert_int_equal(s.n_rows, 0);
}

static bool stop_at_once(void *ctx, uint64_t done, uint64_t total)
{
    (void)ctx;
    return done > total;
}

static void run_that_is_cancelled_stops(void **state)
{
    (void)state;
    sac_ladder_desc desc = quick();
    seen s = {0};
    sac_error err = {0};
    desc.progress = stop_at_once;
    assert_failed(sac_ladder_run("equalize", &desc, look, &s, &err), SAC_CANCELLED, &err,
                  "cancelled");
    assert_int_equal(s.n_rows, 1);
}

static void refuse_ladder(const char *pipeline, const sac_ladder_desc *desc, sac_status wanted,
                          const char *word)
{
    seen s = {0};
    sac_error err = {0};
    assert_failed(sac_ladder_run(pipeline, desc, look, &s, &err), wanted, &err, word);
    assert_int_equal(s.n_rows, 0);
}

static void run_with_bad_arguments_is_refused(void **state)
{
    (void)state;
    sac_ladder_desc desc = quick();
    sac_error err = {0};
    refuse_ladder("equalise", &desc, SAC_E_INVALID, "equalise");
    refuse_ladder(NULL, &desc, SAC_E_INVALID, "pipeline: is NULL");
    refuse_ladder("equalize", NULL, SAC_E_INVALID, "desc: is NULL");
    assert_failed(sac_ladder_run("equalize", &desc, NULL, NULL, &err), SAC_E_INVALID, &err,
                  "row: is NULL");
    desc.only = "vhist_u8:nonsense";
    refuse_ladder("equalize", &desc, SAC_E_INVALID, "nonsense");
    desc = quick();
    desc.device = (sac_device){SAC_DEVICE_CUDA_SET, 3};
    refuse_ladder("equalize", &desc, SAC_E_UNSUPPORTED, "device: ");
    desc = quick();
    desc.struct_size = 0;
    refuse_ladder("equalize", &desc, SAC_E_INVALID, "struct_size");
    desc = quick();
    desc.w = -1;
    refuse_ladder("equalize", &desc, SAC_E_INVALID, "-1");
    desc = quick();
    desc.seconds = NAN;
    refuse_ladder("equalize", &desc, SAC_E_INVALID, "seconds");
    desc = quick();
    desc.n_threads = -1;
    refuse_ladder("equalize", &desc, SAC_E_INVALID, "threads");
    sac_array in = new_picture(SAC_U8, 3, 3, 3);
    in.dtype = SAC_I8;
    desc = quick();
    desc.input = &in;
    refuse_ladder("equalize", &desc, SAC_E_SHAPE, "input");
    free(in.data);
}

static void run_with_memory_refused_is_clean(void **state)
{
    (void)state;
    sac_ladder_desc desc = quick();
    desc.only = "vhist_u8:ref";
    sac_status status = SAC_E_NOMEM;
    for (int n = 0; status == SAC_E_NOMEM && n < 1000; n++) {
        seen s = {0};
        sac_error err = {0};
        refuse_from(n);
        status = sac_ladder_run("equalize", &desc, look, &s, &err);
        sac_alloc_hook(NULL);
        if (status == SAC_E_NOMEM)
            assert_non_null(strstr(err.text, "memory"));
    }
    assert_int_equal(status, SAC_OK);
}

static void bandwidth_is_more_than_nothing(void **state)
{
    (void)state;
    sac_bandwidth b = {0};
    sac_error err = {0};
    assert_ok(sac_measure_bandwidth(&b, 2, &err), &err);
    assert_true(b.hot_b_s > 0 && b.dram_b_s > 0);
    refuse_from(1);
    const sac_status status = sac_measure_bandwidth(&b, 1, &err);
    sac_alloc_hook(NULL);
    assert_failed(status, SAC_E_NOMEM, &err, "memory");
    assert_failed(sac_measure_bandwidth(&b, -1, &err), SAC_E_INVALID, &err, "threads");
}

static void operations_are_those_of_instructions_the_cpu_has(void **state)
{
    (void)state;
    static const uint32_t features[] = {0, SAC_CPU_V3, SAC_CPU_V4, SAC_CPU_NEON};
    sac_error err = {0};
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        sac_operations o;
        const sac_status status = sac_measure_operations(&o, features[i], 2, &err);
        if (features[i] & ~sac_cpu_usable()) {
            assert_failed(status, SAC_E_UNSUPPORTED, &err, "feature");
        } else {
            assert_int_equal(status, SAC_OK);
            assert_true(o.add_s > 1e6 && o.fma_s > 1e6);
        }
    }
    sac_operations o;
    assert_failed(sac_measure_operations(&o, SAC_CPU_AVX2, 1, &err), SAC_E_UNSUPPORTED, &err,
                  "feature");
    assert_failed(sac_measure_operations(&o, 0, -1, &err), SAC_E_INVALID, &err, "threads");
    refuse_from(0);
    const sac_status status = sac_measure_operations(&o, 0, 2, &err);
    sac_alloc_hook(NULL);
    assert_failed(status, SAC_E_NOMEM, &err, "memory");
}

static void histogram_counts_the_largest_channel(void **state)
{
    (void)state;
    /* Two pixels: RGBA whose alpha is the largest, and is not looked at. */
    uint8_t samples[] = {1, 9, 3, 200, 7, 7, 255, 0};
    const int64_t shape[] = {1, 2, 4};
    sac_array a;
    sac_error err = {0};
    uint64_t counts[256];
    memset(counts, 0x5A, sizeof counts);
    assert_ok(sac_array_view(&a, samples, SAC_U8, 3, shape, &err), &err);
    assert_ok(sac_measure_histogram(counts, 256, &a, SAC_INTERLEAVED, &err), &err);
    for (int i = 0; i < 256; i++)
        assert_int_equal(counts[i], i == 9 || i == 255);
    assert_ok(sac_measure_histogram(counts, 2, &a, SAC_INTERLEAVED, &err), &err);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 1);
    const int32_t order[] = {2, 0, 1};
    assert_ok(sac_array_permute(&a, &a, order, &err), &err);
    assert_ok(sac_measure_histogram(counts, 2, &a, SAC_PLANAR, &err), &err);
    assert_int_equal(counts[1], 1);
    assert_failed(sac_measure_histogram(counts, 1, &a, SAC_PLANAR, &err), SAC_E_INVALID, &err,
                  "bins");
    a.dtype = SAC_I8;
    assert_int_equal(sac_measure_histogram(counts, 2, &a, SAC_PLANAR, &err), SAC_E_SHAPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_every_rung_is_a_checked_row),
        cmocka_unit_test(run_on_a_picture_takes_its_shape),
        cmocka_unit_test(run_only_one_rung_gives_one_row),
        cmocka_unit_test(run_in_blocks_is_for_a_gpu),
        cmocka_unit_test(run_that_is_cancelled_stops),
        cmocka_unit_test(run_with_bad_arguments_is_refused),
        cmocka_unit_test(run_with_memory_refused_is_clean),
        cmocka_unit_test(bandwidth_is_more_than_nothing),
        cmocka_unit_test(operations_are_those_of_instructions_the_cpu_has),
        cmocka_unit_test(histogram_counts_the_largest_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
