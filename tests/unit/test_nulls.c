/*
 * NULL where a call needs something is SAC_E_INVALID and named, as saccade/base.h says.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <saccade/beamform.h>
#include <saccade/equalize.h>
#include <saccade/measure.h>
#include <saccade/meltpool.h>
#include <saccade/motion.h>
#include <saccade/param.h>

static sac_error err;

#define assert_refused(call, name)                                                                 \
    do {                                                                                           \
        err = (sac_error){0};                                                                      \
        assert_failed((call), SAC_E_INVALID, &err, name " is NULL");                               \
    } while (0)

static uint8_t pixels[8 * 8];

static sac_array gray(void)
{
    sac_array array;
    assert_ok(sac_array_view(&array, pixels, SAC_U8, 2, (const int64_t[]){8, 8}, &err), &err);
    return array;
}

static void array_of_null_is_refused(void **state)
{
    (void)state;
    const int64_t shape[] = {8, 8};
    const int32_t order[] = {1, 0};
    const sac_array in = gray();
    sac_array out;
    struct DLManagedTensorVersioned *tensor;
    assert_refused(sac_array_view(NULL, pixels, SAC_U8, 2, shape, &err), "out:");
    assert_refused(sac_array_view(&out, pixels, SAC_U8, 2, NULL, &err), "shape:");
    assert_refused(sac_array_range(NULL, &in, 0, 0, 1, &err), "out:");
    assert_refused(sac_array_range(&out, NULL, 0, 0, 1, &err), "in:");
    assert_refused(sac_array_permute(NULL, &in, order, &err), "out:");
    assert_refused(sac_array_permute(&out, NULL, order, &err), "in:");
    assert_refused(sac_array_permute(&out, &in, NULL, &err), "order:");
    assert_refused(sac_array_flip(NULL, &in, 0, &err), "out:");
    assert_refused(sac_array_flip(&out, NULL, 0, &err), "in:");
    assert_refused(sac_array_check(NULL, "in", &err), "in:");
    assert_refused(sac_array_from_dlpack(&out, NULL, &err), "tensor:");
    assert_refused(sac_array_to_dlpack(NULL, &in, NULL, NULL, &err), "out:");
    assert_refused(sac_array_to_dlpack(&tensor, NULL, NULL, NULL, &err), "array:");
}

static void basics_of_null_are_refused(void **state)
{
    (void)state;
    const sac_param_table *table = sac_equalize_params();
    sac_equalize_desc desc;
    sac_device device;
    sac_equalize_desc_init(&desc);
    assert_refused(sac_device_parse(NULL, "cpu", &err), "out");
    assert_refused(sac_device_parse(&device, NULL, &err), "text");
    assert_refused(sac_param_set(NULL, &desc, "bins", "8", &err), "table:");
    assert_refused(sac_param_set(table, NULL, "bins", "8", &err), "desc:");
    assert_refused(sac_param_set(table, &desc, NULL, "8", &err), "name:");
    assert_refused(sac_param_set(table, &desc, "bins", NULL, &err), "text:");
    assert_refused(sac_param_check(NULL, &desc, &err), "table:");
    assert_refused(sac_param_check(table, NULL, &err), "desc");
    assert_refused(sac_measure_bandwidth(NULL, 1, &err), "out:");
    assert_refused(sac_measure_operations(NULL, 0, 1, &err), "out:");
    assert_refused(sac_measure_gpu_bandwidth(NULL, 0, &err), "out:");
    assert_refused(sac_measure_gpu_shared(NULL, 0, &err), "b_s:");
    assert_refused(sac_gpu_describe(NULL, 0, &err), "out:");
}

static void run_of_a_null_plan_is_refused(void **state)
{
    (void)state;
    const sac_array a = gray();
    sac_meltpool_record record;
    const sac_meltpool_signals signals = {.laser_on = 1};
    assert_refused(sac_equalize_run(NULL, &a, &a, &err), "plan:");
    assert_refused(sac_equalize_run_batch(NULL, &a, &a, 1, &err), "plan:");
    assert_refused(sac_heatmap_run(NULL, &a, &a, &a, &err), "plan:");
    assert_refused(sac_noise_run(NULL, &a, &a, &a, &err), "plan:");
    assert_refused(sac_denoise_run(NULL, &a, &a, &err), "plan:");
    assert_refused(sac_adjust_run(NULL, &a, &a, &err), "plan:");
    assert_refused(sac_adjust_run_batch(NULL, &a, &a, 1, &err), "plan:");
    assert_refused(sac_beamform_run(NULL, &a, &a, &err), "plan:");
    assert_refused(sac_meltpool_run(NULL, &record, &a, &signals, &err), "plan:");
    assert_refused(sac_meltpool_run_batch(NULL, &record, &a, &signals, &err), "plan:");
}

static void equalize_batch_of_null_arrays_is_refused(void **state)
{
    (void)state;
    const sac_array a = gray();
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8, desc.w = desc.h = 8, desc.n_channels = 1;
    sac_equalize *plan = NULL;
    assert_ok(sac_equalize_open(&plan, &desc, &err), &err);
    assert_refused(sac_equalize_run_batch(plan, NULL, &a, 1, &err), "out:");
    assert_refused(sac_equalize_run_batch(plan, &a, NULL, 1, &err), "in:");
    assert_ok(sac_equalize_run_batch(plan, NULL, NULL, 0, &err), &err);
    sac_equalize_close(&plan);
}

static void meltpool_run_without_a_record_is_refused_and_counted(void **state)
{
    (void)state;
    static uint8_t frame[96 * 96];
    sac_array one, none;
    assert_ok(sac_array_view(&one, frame, SAC_U8, 2, (const int64_t[]){96, 96}, &err), &err);
    assert_ok(sac_array_view(&none, frame, SAC_U8, 3, (const int64_t[]){0, 96, 96}, &err), &err);
    const sac_meltpool_signals signals = {.laser_on = 1};
    sac_meltpool_desc desc;
    sac_meltpool_desc_init(&desc);
    sac_meltpool *plan = NULL;
    assert_ok(sac_meltpool_open(&plan, &desc, &err), &err);
    assert_refused(sac_meltpool_run(plan, NULL, &one, &signals, &err), "record:");
    assert_ok(sac_meltpool_run_batch(plan, NULL, &none, &signals, &err), &err);
    sac_meltpool_counts counts = {.struct_size = sizeof counts};
    sac_meltpool_get_counts(plan, &counts);
    assert_int_equal(counts.frames, 1);
    assert_int_equal(counts.refused_shape, 1);
    sac_meltpool_close(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(array_of_null_is_refused),
        cmocka_unit_test(basics_of_null_are_refused),
        cmocka_unit_test(run_of_a_null_plan_is_refused),
        cmocka_unit_test(equalize_batch_of_null_arrays_is_refused),
        cmocka_unit_test(meltpool_run_without_a_record_is_refused_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
