/*
 * Views: making, cutting, turning, checking.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <saccade/array.h>

static uint16_t samples[2 * 3 * 4];

/* (2, 3, 4) u16. */
static sac_array small(void)
{
    sac_array a;
    sac_error err = {0};
    const int64_t shape[] = {2, 3, 4};
    assert_ok(sac_array_view(&a, samples, SAC_U16, 3, shape, &err), &err);
    return a;
}

static void dtype_sizes_and_names_agree(void **state)
{
    (void)state;
    static const struct {
        sac_dtype dtype;
        size_t size;
        const char *name;
    } want[] = {{SAC_U8, 1, "u8"},     {SAC_U16, 2, "u16"}, {SAC_U32, 4, "u32"},
                {SAC_U64, 8, "u64"},   {SAC_I8, 1, "i8"},   {SAC_I16, 2, "i16"},
                {SAC_I32, 4, "i32"},   {SAC_I64, 8, "i64"}, {SAC_F16, 2, "f16"},
                {SAC_F32, 4, "f32"},   {SAC_F64, 8, "f64"}, {SAC_C64, 8, "c64"},
                {SAC_C128, 16, "c128"}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        assert_int_equal(sac_dtype_size(want[i].dtype), want[i].size);
        assert_string_equal(sac_dtype_name(want[i].dtype), want[i].name);
    }
    assert_int_equal(sac_dtype_size((sac_dtype)0), 0);
    assert_int_equal(sac_dtype_size((sac_dtype)99), 0);
    assert_string_equal(sac_dtype_name((sac_dtype)0), "?");
}

static void view_has_contiguous_strides(void **state)
{
    (void)state;
    const sac_array a = small();
    assert_ptr_equal(a.data, samples);
    assert_int_equal(a.stride[0], 24);
    assert_int_equal(a.stride[1], 8);
    assert_int_equal(a.stride[2], 2);
    assert_int_equal(sac_array_count(&a), 24);
    assert_true(sac_array_is_contiguous(&a));
    assert_int_equal(a.device.kind, SAC_DEVICE_CPU);
    sac_error err = {0};
    assert_ok(sac_array_check(&a, "a", &err), &err);
}

static void view_with_bad_shape_is_refused(void **state)
{
    (void)state;
    sac_array a = {0};
    const int64_t negative[] = {2, -1};
    const int64_t huge[] = {INT64_C(1) << 40, INT64_C(1) << 40};
    const int64_t one[SAC_MAX_DIMS + 1] = {1, 1, 1, 1, 1, 1, 1};
    sac_error err = {0};
    assert_failed(sac_array_view(&a, samples, SAC_U8, 2, negative, &err), SAC_E_SHAPE, &err, "-1");
    assert_failed(sac_array_view(&a, samples, SAC_U8, 2, huge, &err), SAC_E_SHAPE, &err, "");
    assert_failed(sac_array_view(&a, samples, SAC_U8, 0, one, &err), SAC_E_SHAPE, &err, "0");
    assert_failed(sac_array_view(&a, samples, SAC_U8, SAC_MAX_DIMS + 1, one, &err), SAC_E_SHAPE,
                  &err, "7");
    assert_int_equal(sac_array_view(&a, samples, (sac_dtype)0, 1, one, &err), SAC_E_SHAPE);
    assert_null(a.data);
}

static void view_bytes_that_end_at_ptrdiff_max_overflow_by_one(void **state)
{
    (void)state;
    sac_array a;
    sac_error err = {0};
    const int64_t fits[] = {PTRDIFF_MAX / 8};
    const int64_t over[] = {PTRDIFF_MAX / 8 + 1};
    assert_ok(sac_array_view(&a, samples, SAC_U64, 1, fits, &err), &err);
    assert_failed(sac_array_view(&a, samples, SAC_U64, 1, over, &err), SAC_E_SHAPE, &err, "");
}

static void view_with_an_empty_axis_counts_nothing(void **state)
{
    (void)state;
    sac_array a;
    sac_error err = {0};
    const int64_t shape[] = {3, 0, 4};
    assert_ok(sac_array_view(&a, NULL, SAC_U8, 3, shape, &err), &err);
    assert_int_equal(sac_array_count(&a), 0);
    assert_ok(sac_array_check(&a, "a", &err), &err);
    sac_array flipped;
    assert_ok(sac_array_flip(&flipped, &a, 1, &err), &err);
    assert_null(flipped.data);
}

static void range_cuts_a_region(void **state)
{
    (void)state;
    sac_array a = small();
    sac_error err = {0};
    assert_ok(sac_array_range(&a, &a, 1, 1, 2, &err), &err);
    assert_ok(sac_array_range(&a, &a, 2, 3, 1, &err), &err);
    assert_ptr_equal(a.data, &samples[4 + 3]);
    assert_int_equal(a.shape[1], 2);
    assert_int_equal(a.shape[2], 1);
    assert_int_equal(a.stride[1], 8);
    assert_false(sac_array_is_contiguous(&a));
    assert_ok(sac_array_range(&a, &a, 0, 2, 0, &err), &err);
    assert_int_equal(sac_array_count(&a), 0);
}

static void range_outside_is_refused(void **state)
{
    (void)state;
    const sac_array a = small();
    sac_array out = {0};
    static const struct {
        int32_t axis;
        int64_t start, count;
    } bad[] = {{3, 0, 1},         {-1, 0, 1},        {1, -1, 1},
               {1, 0, 4},         {1, 3, 1},         {1, 1, -1},
               {1, 1, INT64_MAX}, {1, INT64_MAX, 1}, {1, INT64_MIN, INT64_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sac_error err = {0};
        assert_failed(sac_array_range(&out, &a, bad[i].axis, bad[i].start, bad[i].count, &err),
                      SAC_E_INVALID, &err, "axis");
    }
    assert_null(out.data);
}

static void permute_moves_axes_in_place(void **state)
{
    (void)state;
    sac_array a = small();
    sac_error err = {0};
    const int32_t order[] = {2, 0, 1};
    assert_ok(sac_array_permute(&a, &a, order, &err), &err);
    assert_int_equal(a.shape[0], 4);
    assert_int_equal(a.stride[0], 2);
    assert_int_equal(a.shape[1], 2);
    assert_int_equal(a.stride[1], 24);
    assert_int_equal(a.shape[2], 3);
    assert_int_equal(a.stride[2], 8);
    assert_false(sac_array_is_contiguous(&a));
}

static void permute_with_a_bad_order_is_refused(void **state)
{
    (void)state;
    const sac_array a = small();
    sac_array out;
    sac_error err = {0};
    const int32_t twice[] = {0, 0, 1};
    const int32_t outside[] = {0, 1, 3};
    const int32_t negative[] = {0, 1, -1};
    assert_failed(sac_array_permute(&out, &a, twice, &err), SAC_E_INVALID, &err, "axis");
    assert_failed(sac_array_permute(&out, &a, outside, &err), SAC_E_INVALID, &err, "3");
    assert_failed(sac_array_permute(&out, &a, negative, &err), SAC_E_INVALID, &err, "-1");
}

static void flip_twice_is_the_same(void **state)
{
    (void)state;
    const sac_array a = small();
    sac_array b;
    sac_error err = {0};
    assert_ok(sac_array_flip(&b, &a, 1, &err), &err);
    assert_ptr_equal(b.data, &samples[8]);
    assert_int_equal(b.stride[1], -8);
    assert_ok(sac_array_check(&b, "b", &err), &err);
    assert_ok(sac_array_flip(&b, &b, 1, &err), &err);
    assert_memory_equal(&a, &b, sizeof a);
    assert_failed(sac_array_flip(&b, &a, 3, &err), SAC_E_INVALID, &err, "axis");
}

static void check_names_the_argument_and_its_fault(void **state)
{
    (void)state;
    sac_error err = {0};
    assert_failed(sac_array_check(NULL, "left", &err), SAC_E_INVALID, &err, "left");
    sac_array a = small();
    a.dtype = (sac_dtype)77;
    assert_failed(sac_array_check(&a, "left", &err), SAC_E_SHAPE, &err, "left");
    a = small();
    a.n_dims = 0;
    assert_failed(sac_array_check(&a, "left", &err), SAC_E_SHAPE, &err, "left");
    a = small();
    a.shape[1] = -3;
    assert_failed(sac_array_check(&a, "left", &err), SAC_E_SHAPE, &err, "-3");
    a = small();
    a.stride[1] = 7;
    assert_failed(sac_array_check(&a, "left", &err), SAC_E_SHAPE, &err, "7");
    a = small();
    a.data = (uint8_t *)samples + 1;
    assert_failed(sac_array_check(&a, "left", &err), SAC_E_SHAPE, &err, "align");
    a = small();
    a.data = NULL;
    assert_failed(sac_array_check(&a, "left", &err), SAC_E_INVALID, &err, "NULL");
    a = small();
    a.shape[0] = a.shape[1] = a.shape[2] = INT64_C(1) << 40;
    assert_failed(sac_array_check(&a, "left", &err), SAC_E_SHAPE, &err, "left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dtype_sizes_and_names_agree),
        cmocka_unit_test(view_has_contiguous_strides),
        cmocka_unit_test(view_with_bad_shape_is_refused),
        cmocka_unit_test(view_bytes_that_end_at_ptrdiff_max_overflow_by_one),
        cmocka_unit_test(view_with_an_empty_axis_counts_nothing),
        cmocka_unit_test(range_cuts_a_region),
        cmocka_unit_test(range_outside_is_refused),
        cmocka_unit_test(permute_moves_axes_in_place),
        cmocka_unit_test(permute_with_a_bad_order_is_refused),
        cmocka_unit_test(flip_twice_is_the_same),
        cmocka_unit_test(check_names_the_argument_and_its_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
