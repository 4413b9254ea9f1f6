/*
 * Errors, memory, CPU features and device names.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include <saccade/device.h>

#include "base/alloc.h"
#include "base/clock.h"

static void error_with_long_text_is_cut(void **state)
{
    (void)state;
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    sac_error err;
    memset(&err, 0x5A, sizeof err);
    assert_int_equal(sac_fail(&err, SAC_E_SHAPE, "%s", text), SAC_E_SHAPE);
    assert_int_equal(err.status, SAC_E_SHAPE);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void error_without_a_place_returns_its_status(void **state)
{
    (void)state;
    assert_int_equal(sac_fail(NULL, SAC_E_IO, "unheard"), SAC_E_IO);
}

static void status_each_has_its_own_name(void **state)
{
    (void)state;
    for (int i = SAC_OK; i <= SAC_E_IO; i++)
        for (int k = SAC_OK; k < i; k++)
            assert_string_not_equal(sac_status_name((sac_status)i), sac_status_name((sac_status)k));
    assert_string_equal(sac_status_name(SAC_E_SHAPE), "SAC_E_SHAPE");
    assert_non_null(sac_status_name((sac_status)99));
}

static void build_info_is_complete(void **state)
{
    (void)state;
    sac_build build = {.struct_size = sizeof build};
    sac_build_info(&build);
    assert_string_equal(build.version, "0.2.0");
    assert_true(strlen(build.commit) > 0 && strlen(build.compiler) > 0 && build.options != NULL);
}

static sac_log_level log_level;
static char log_text[600];

static void keep_line(void *ctx, sac_log_level level, const char *line)
{
    *(int *)ctx += 1;
    log_level = level;
    snprintf(log_text, sizeof log_text, "%s", line);
}

static void log_line_reaches_the_caller(void **state)
{
    (void)state;
    int n = 0;
    const sac_log log = {keep_line, &n};
    sac_log_line(&log, SAC_LOG_WARNING, "%d of %s", 2, "these");
    assert_int_equal(n, 1);
    assert_int_equal(log_level, SAC_LOG_WARNING);
    assert_string_equal(log_text, "2 of these");
    sac_log_line(NULL, SAC_LOG_WARNING, "nobody");
}

static void alloc_any_size_is_aligned_and_zeroed(void **state)
{
    (void)state;
    for (size_t n = 0; n < 300; n += 7) {
        uint8_t *memory = sac_alloc(n, 3);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % SAC_ALIGNMENT, 0);
        for (size_t i = 0; i < 3 * n; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xff, 3 * n);
        sac_free(memory);
    }
    sac_free(NULL);
}

static void alloc_product_that_overflows_is_refused(void **state)
{
    (void)state;
    assert_null(sac_alloc(SIZE_MAX / 2 + 1, 2));
    assert_null(sac_alloc(SIZE_MAX, SIZE_MAX));
    assert_null(sac_alloc(SIZE_MAX - 3, 1));
}

static size_t asked_bytes;

static bool refuse(size_t bytes)
{
    asked_bytes = bytes;
    return false;
}

static void alloc_hook_refuses_until_taken_away(void **state)
{
    (void)state;
    sac_alloc_hook(refuse);
    void *refused = sac_alloc(10, 100);
    sac_alloc_hook(NULL);
    assert_null(refused);
    assert_true(asked_bytes >= 1000);
    void *memory = sac_alloc(10, 100);
    assert_non_null(memory);
    sac_free(memory);
}

static void clock_never_goes_back(void **state)
{
    (void)state;
    int64_t last = sac_clock_ns();
    for (int i = 0; i < 1000; i++) {
        const int64_t now = sac_clock_ns();
        assert_true(now >= last);
        last = now;
    }
}

static void cpu_mask_takes_features_away(void **state)
{
    (void)state;
    const uint32_t all = sac_cpu_features();
    assert_int_equal(all & ~SAC_CPU_ALL, 0);
    assert_int_equal(setenv("SAC_CPU_MASK", "none", 1), 0);
    assert_int_equal(sac_cpu_usable(), 0);
    assert_int_equal(setenv("SAC_CPU_MASK", "all", 1), 0);
    assert_int_equal(sac_cpu_usable(), all);
    assert_int_equal(setenv("SAC_CPU_MASK", "avx2,what,v3", 1), 0);
    assert_int_equal(sac_cpu_usable(), all & (SAC_CPU_AVX2 | SAC_CPU_V3));
    assert_int_equal(setenv("SAC_CPU_MASK", "v", 1), 0);
    assert_int_equal(sac_cpu_usable(), 0);
    assert_int_equal(unsetenv("SAC_CPU_MASK"), 0);
    assert_int_equal(sac_cpu_usable(), all);
}

static void cpu_levels_contain_the_lower_ones(void **state)
{
    (void)state;
    const uint32_t f = sac_cpu_features();
    if (f & (SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI))
        assert_true(f & SAC_CPU_V4);
    if (f & SAC_CPU_V4)
        assert_true(f & SAC_CPU_V3);
    if (f & SAC_CPU_V3)
        assert_true(f & SAC_CPU_AVX2);
}

static void cpu_names_all_fit_in_64_bytes(void **state)
{
    (void)state;
    char text[64];
    const char *names = sac_cpu_names(SAC_CPU_ALL, text, sizeof text);
    assert_ptr_equal(names, text);
    assert_int_equal(setenv("SAC_CPU_MASK", text, 1), 0);
    assert_int_equal(sac_cpu_usable(), sac_cpu_features());
    assert_int_equal(unsetenv("SAC_CPU_MASK"), 0);
    assert_string_equal(sac_cpu_names(SAC_CPU_AVX2 | SAC_CPU_V3, text, sizeof text), "avx2,v3");
    assert_string_equal(sac_cpu_names(0, text, sizeof text), "");
    assert_true(strlen(sac_cpu_names(SAC_CPU_ALL, text, 5)) < 5);
    assert_true(strlen(sac_cpu_model(text, sizeof text)) > 0);
    assert_true(sac_cpu_count() >= 1);
}

static void device_good_names_are_read(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_device device = {SAC_DEVICE_CUDA, 9};
    assert_ok(sac_device_parse(&device, "cpu", &err), &err);
    assert_int_equal(device.kind, SAC_DEVICE_CPU);
    assert_int_equal(device.index, 0);
    assert_ok(sac_device_parse(&device, "cuda", &err), &err);
    assert_int_equal(device.kind, SAC_DEVICE_CUDA);
    assert_int_equal(device.index, 0);
    assert_ok(sac_device_parse(&device, "cuda:12", &err), &err);
    assert_int_equal(device.index, 12);
}

static void device_bad_names_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",        "CPU",     "cpu:0",   "cud",     "cudaa",    "cuda:",
        "cuda:-1", "cuda:+1", "cuda: 1", "cuda:1x", "cuda:0x1", "cuda:99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sac_error err = {0};
        sac_device device = {SAC_DEVICE_CPU, 7};
        assert_failed(sac_device_parse(&device, bad[i], &err), SAC_E_INVALID, &err, bad[i]);
        assert_int_equal(device.index, 7);
    }
}

static void error_text_is_one_line_whatever_it_quotes(void **state)
{
    (void)state;
    sac_error err = {0};
    assert_int_equal(sac_fail(&err, SAC_E_FORMAT, "type %s", "<f\n\033[2J\x7f µ"), SAC_E_FORMAT);
    assert_string_equal(err.text, "type <f??[2J? µ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_text_is_one_line_whatever_it_quotes),
        cmocka_unit_test(error_with_long_text_is_cut),
        cmocka_unit_test(error_without_a_place_returns_its_status),
        cmocka_unit_test(status_each_has_its_own_name),
        cmocka_unit_test(build_info_is_complete),
        cmocka_unit_test(log_line_reaches_the_caller),
        cmocka_unit_test(alloc_any_size_is_aligned_and_zeroed),
        cmocka_unit_test(alloc_product_that_overflows_is_refused),
        cmocka_unit_test(alloc_hook_refuses_until_taken_away),
        cmocka_unit_test(clock_never_goes_back),
        cmocka_unit_test(cpu_mask_takes_features_away),
        cmocka_unit_test(cpu_levels_contain_the_lower_ones),
        cmocka_unit_test(cpu_names_all_fit_in_64_bytes),
        cmocka_unit_test(device_good_names_are_read),
        cmocka_unit_test(device_bad_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
