/*
 * Running sac_equalize: what is refused; threads, executors, CPU masks, strides and regions.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include "equalize_plans.h"
#include "pictures.h"

static void run_with_arrays_that_do_not_fit_is_refused(void **state)
{
    (void)state;
    sac_array in = new_picture(SAC_U8, W, H, 3);
    sac_array out = new_picture(SAC_U8, W, H, 3);
    const sac_equalize_desc desc = desc_of(&in);
    sac_equalize *plan = must_open(&desc);
    sac_array bad[8];
    for (size_t i = 0; i < 8; i++)
        bad[i] = in;
    bad[0].shape[0]--;
    bad[1].shape[1]--;
    bad[2].shape[2]--;
    bad[3].n_dims = 2;
    bad[4].dtype = SAC_I8;
    bad[5].dtype = SAC_U16;
    bad[6].data = NULL;
    bad[7].device = (sac_device){SAC_DEVICE_CUDA, 0};
    for (size_t i = 0; i < 8; i++) {
        assert_true(sac_equalize_run(plan, &out, &bad[i], NULL) >= SAC_E_INVALID);
        assert_true(sac_equalize_run(plan, &bad[i], &in, NULL) >= SAC_E_INVALID);
    }
    assert_int_equal(sac_equalize_run(plan, &out, &bad[0], NULL), SAC_E_SHAPE);
    assert_int_equal(sac_equalize_run(plan, &bad[4], &in, NULL), SAC_E_SHAPE);
    assert_int_equal(sac_equalize_run(plan, &out, &in, NULL), SAC_OK);
    sac_equalize_close(&plan);
    free(in.data);
    free(out.data);
}

/* Runs `desc` on `in` into new memory, the caller's to free. */
static uint8_t *run_once(const sac_equalize_desc *desc, const sac_array *in)
{
    sac_array out = *in;
    out.data = malloc(picture_bytes(in));
    assert_non_null(out.data);
    memset(out.data, 0x5A, picture_bytes(in));
    sac_equalize *plan = must_open(desc);
    assert_int_equal(sac_equalize_run(plan, &out, in, NULL), SAC_OK);
    sac_equalize_close(&plan);
    return out.data;
}

/* What a test does to a desc; the result is to be the same as without. */
static void assert_same_with(void (*change)(sac_equalize_desc *desc, int i), int n)
{
    static const struct {
        sac_dtype dtype;
        int32_t n_channels, tiles;
    } pictures[] = {{SAC_U8, 1, 0},  {SAC_U8, 3, 0},  {SAC_U8, 4, 0},  {SAC_U8, 3, 4},
                    {SAC_U16, 1, 0}, {SAC_U16, 3, 0}, {SAC_U16, 2, 0}, {SAC_U16, 3, 4}};
    for (size_t p = 0; p < sizeof pictures / sizeof pictures[0]; p++) {
        sac_array in = new_picture(pictures[p].dtype, 331, 97, pictures[p].n_channels);
        sac_equalize_desc desc = desc_of(&in);
        desc.n_threads = 1;
        desc.clahe[0] = desc.clahe[1] = pictures[p].tiles;
        desc.clip = 2;
        uint8_t *want = run_once(&desc, &in);
        for (int i = 0; i < n; i++) {
            sac_equalize_desc changed = desc;
            change(&changed, i);
            uint8_t *got = run_once(&changed, &in);
            assert_memory_equal(got, want, picture_bytes(&in));
            free(got);
        }
        free(want);
        free(in.data);
    }
}

static void set_threads(sac_equalize_desc *desc, int i)
{
    static const int32_t threads[] = {2, 7, 0};
    desc->n_threads = threads[i];
}

static void run_at_any_number_of_threads_gives_the_same_bytes(void **state)
{
    (void)state;
    assert_same_with(set_threads, 3);
}

static void set_mask(sac_equalize_desc *desc, int i)
{
    static const char *const masks[] = {"none", "avx2", "avx2,v3", "avx2,v3,v4", "all"};
    (void)desc;
    assert_int_equal(setenv("SAC_CPU_MASK", masks[i], 1), 0);
}

static void run_under_any_cpu_mask_gives_the_same_bytes(void **state)
{
    (void)state;
    assert_same_with(set_mask, 5);
    assert_int_equal(unsetenv("SAC_CPU_MASK"), 0);
}

static void backwards(void *ctx, int32_t n_tasks, void (*task)(void *arg, int32_t i), void *arg)
{
    (void)ctx;
    for (int32_t i = n_tasks - 1; i >= 0; i--)
        task(arg, i);
}

static const sac_executor executor = {backwards, NULL, 5};

static void set_executor(sac_equalize_desc *desc, int i)
{
    (void)i;
    desc->executor = &executor;
}

static void run_by_an_executor_gives_the_same_bytes(void **state)
{
    (void)state;
    assert_same_with(set_executor, 1);
}

static void run_in_place_gives_the_same_bytes(void **state)
{
    (void)state;
    sac_array in = new_picture(SAC_U8, W, H, 4);
    const sac_equalize_desc desc = desc_of(&in);
    uint8_t *want = run_once(&desc, &in);
    sac_equalize *plan = must_open(&desc);
    assert_int_equal(sac_equalize_run(plan, &in, &in, NULL), SAC_OK);
    assert_memory_equal(in.data, want, picture_bytes(&in));
    sac_equalize_close(&plan);
    free(want);
    free(in.data);
}

static void run_on_any_strides_gives_the_same_samples(void **state)
{
    (void)state;
    sac_array in = new_picture(SAC_U8, W, H, 3);
    const sac_equalize_desc desc = desc_of(&in);
    uint8_t *want = run_once(&desc, &in);
    sac_equalize *plan = must_open(&desc);
    sac_error err = {0};
    for (int32_t axis = 0; axis < 3; axis++) {
        /* Flipped, equalized, and read through the flipped view: as if nothing was flipped. */
        sac_array out = new_picture(SAC_U8, W, H, 3);
        sac_array from;
        sac_array to;
        assert_ok(sac_array_flip(&from, &in, axis, &err), &err);
        assert_ok(sac_array_flip(&to, &out, axis, &err), &err);
        assert_int_equal(sac_equalize_run(plan, &to, &from, NULL), SAC_OK);
        assert_memory_equal(out.data, want, picture_bytes(&in));
        free(out.data);
    }
    sac_equalize_close(&plan);
    free(want);
    free(in.data);
}

static void run_planar_gives_the_same_samples(void **state)
{
    (void)state;
    sac_array in = new_picture(SAC_U16, W, H, 3);
    sac_equalize_desc desc = desc_of(&in);
    uint8_t *want = run_once(&desc, &in);
    desc.layout = SAC_PLANAR;
    const int32_t order[] = {2, 0, 1};
    sac_error err = {0};
    sac_array out = new_picture(SAC_U16, W, H, 3);
    sac_array from;
    sac_array to;
    assert_ok(sac_array_permute(&from, &in, order, &err), &err);
    assert_ok(sac_array_permute(&to, &out, order, &err), &err);
    sac_equalize *plan = must_open(&desc);
    assert_int_equal(sac_equalize_run(plan, &to, &from, NULL), SAC_OK);
    assert_memory_equal(out.data, want, picture_bytes(&in));
    sac_equalize_close(&plan);
    free(want);
    free(out.data);
    free(in.data);
}

static void run_on_a_region_leaves_the_rest(void **state)
{
    (void)state;
    sac_array in = new_picture(SAC_U8, W, H, 1);
    sac_array out = new_picture(SAC_U8, W, H, 1);
    memset(out.data, 0x5A, picture_bytes(&out));
    sac_array from;
    sac_array to;
    sac_error err = {0};
    assert_ok(sac_array_range(&from, &in, 0, 3, 20, &err), &err);
    assert_ok(sac_array_range(&from, &from, 1, 5, 40, &err), &err);
    assert_ok(sac_array_range(&to, &out, 0, 3, 20, &err), &err);
    assert_ok(sac_array_range(&to, &to, 1, 5, 40, &err), &err);
    const sac_equalize_desc desc = desc_of(&from);
    sac_equalize *plan = must_open(&desc);
    assert_int_equal(sac_equalize_run(plan, &to, &from, NULL), SAC_OK);
    const uint8_t *p = out.data;
    for (int64_t y = 0; y < H; y++)
        for (int64_t x = 0; x < W; x++)
            if (y < 3 || y >= 23 || x < 5 || x >= 45)
                assert_int_equal(p[y * W + x], 0x5A);
    int32_t bins = 0;
    const uint64_t *counts = sac_equalize_get_counts(plan, &bins);
    uint64_t sum = 0;
    for (int32_t i = 0; i < bins; i++)
        sum += counts[i];
    assert_int_equal(bins, 256);
    assert_int_equal(sum, 20 * 40);
    sac_equalize_close(&plan);
    free(out.data);
    free(in.data);
}

static void run_a_constant_picture_is_unchanged(void **state)
{
    (void)state;
    for (int scale = SAC_SCALE_FIRST; scale <= SAC_SCALE_MINMAX; scale++) {
        sac_array in = new_picture(SAC_U8, W, H, 3);
        memset(in.data, 77, picture_bytes(&in));
        sac_equalize_desc desc = desc_of(&in);
        desc.scale = scale;
        uint8_t *out = run_once(&desc, &in);
        for (size_t i = 0; i < picture_bytes(&in); i++)
            assert_int_equal(out[i], scale == SAC_SCALE_MAX ? 255 : 77);
        free(out);
        free(in.data);
    }
}

static void run_after_reset_forgets_earlier_frames(void **state)
{
    (void)state;
    sac_array dark = new_picture(SAC_U8, W, H, 3);
    sac_array other = new_picture(SAC_U8, W, H, 3);
    for (size_t i = 0; i < picture_bytes(&other); i++)
        ((uint8_t *)other.data)[i] = (uint8_t)(255 - ((uint8_t *)other.data)[i]);
    sac_equalize_desc desc = desc_of(&dark);
    desc.smooth = 0.9;
    uint8_t *want = run_once(&desc, &dark);
    sac_array out = other;
    out.data = malloc(picture_bytes(&other));
    assert_non_null(out.data);
    sac_equalize *plan = must_open(&desc);
    assert_int_equal(sac_equalize_run(plan, &out, &other, NULL), SAC_OK);
    assert_int_equal(sac_equalize_run(plan, &out, &dark, NULL), SAC_OK);
    assert_memory_not_equal(out.data, want, picture_bytes(&dark));
    sac_equalize_reset(plan);
    assert_int_equal(sac_equalize_run(plan, &out, &dark, NULL), SAC_OK);
    assert_memory_equal(out.data, want, picture_bytes(&dark));
    sac_equalize_close(&plan);
    free(want);
    free(out.data);
    free(other.data);
    free(dark.data);
}

static void variant_names_what_was_forced(void **state)
{
    (void)state;
    sac_equalize_desc desc = small_desc();
    desc.variant = "ref";
    sac_equalize *plan = must_open(&desc);
    assert_non_null(strstr(sac_equalize_get_variant(plan), "vhist_u8:ref"));
    assert_non_null(strstr(sac_equalize_get_variant(plan), "vscale_u8:ref"));
    sac_equalize_close(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_with_arrays_that_do_not_fit_is_refused),
        cmocka_unit_test(run_at_any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(run_under_any_cpu_mask_gives_the_same_bytes),
        cmocka_unit_test(run_by_an_executor_gives_the_same_bytes),
        cmocka_unit_test(run_in_place_gives_the_same_bytes),
        cmocka_unit_test(run_on_any_strides_gives_the_same_samples),
        cmocka_unit_test(run_planar_gives_the_same_samples),
        cmocka_unit_test(run_on_a_region_leaves_the_rest),
        cmocka_unit_test(run_a_constant_picture_is_unchanged),
        cmocka_unit_test(run_after_reset_forgets_earlier_frames),
        cmocka_unit_test(variant_names_what_was_forced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
