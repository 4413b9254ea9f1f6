/*
 * Opening and closing sac_equalize: what is refused and how it is said, memory that is refused.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>

#include "equalize_plans.h"
#include "refusal.h"

static void must_refuse(const sac_equalize_desc *desc, sac_status wanted, const char *word)
{
    sac_equalize *plan = (sac_equalize *)&allowed; /* open is to set it to NULL */
    sac_error err = {0};
    assert_failed(sac_equalize_open(&plan, desc, &err), wanted, &err, word);
    assert_null(plan);
    /* The same without a place for the text. */
    assert_int_equal(sac_equalize_open(&plan, desc, NULL), wanted);
}

static void open_a_desc_not_initialized_is_refused(void **state)
{
    (void)state;
    sac_equalize_desc desc;
    memset(&desc, 0, sizeof desc);
    must_refuse(&desc, SAC_E_INVALID, "struct_size");
}

static void open_without_a_desc_is_refused(void **state)
{
    (void)state;
    sac_equalize *plan = NULL;
    sac_error err = {0};
    assert_failed(sac_equalize_open(&plan, NULL, &err), SAC_E_INVALID, &err, "desc");
}

static void open_a_picture_that_is_none_is_refused(void **state)
{
    (void)state;
    sac_equalize_desc desc = small_desc();
    desc.dtype = SAC_F32;
    must_refuse(&desc, SAC_E_SHAPE, "dtype");
    desc = small_desc();
    desc.dtype = (sac_dtype)0;
    must_refuse(&desc, SAC_E_SHAPE, "dtype");
    desc = small_desc();
    desc.w = 0;
    must_refuse(&desc, SAC_E_SHAPE, "w");
    desc = small_desc();
    desc.h = -1;
    must_refuse(&desc, SAC_E_SHAPE, "h");
    desc = small_desc();
    desc.w = INT64_MAX / 2;
    desc.h = INT64_MAX / 2;
    must_refuse(&desc, SAC_E_SHAPE, "");
    desc = small_desc();
    desc.n_channels = 0;
    must_refuse(&desc, SAC_E_SHAPE, "n_channels");
    desc = small_desc();
    desc.n_channels = 5;
    must_refuse(&desc, SAC_E_SHAPE, "n_channels");
    desc = small_desc();
    desc.layout = (sac_layout)2;
    must_refuse(&desc, SAC_E_INVALID, "layout");
}

static void open_options_out_of_range_are_refused(void **state)
{
    (void)state;
    sac_equalize_desc desc = small_desc();
    desc.bins = 1;
    must_refuse(&desc, SAC_E_INVALID, "bins");
    desc = small_desc();
    desc.bins = 65537;
    must_refuse(&desc, SAC_E_INVALID, "bins");
    desc = small_desc();
    desc.bins = -1;
    must_refuse(&desc, SAC_E_INVALID, "bins");
    desc = small_desc();
    desc.scale = 3;
    must_refuse(&desc, SAC_E_INVALID, "scale");
    desc = small_desc();
    desc.scale = -1;
    must_refuse(&desc, SAC_E_INVALID, "scale");
    desc = small_desc();
    desc.clahe[0] = -1;
    desc.clahe[1] = 4;
    must_refuse(&desc, SAC_E_INVALID, "clahe");
    desc = small_desc();
    desc.clahe[0] = 4; /* across, but none down */
    must_refuse(&desc, SAC_E_INVALID, "clahe");
    desc = small_desc();
    desc.clip = -0.5;
    must_refuse(&desc, SAC_E_INVALID, "clip");
    desc = small_desc();
    desc.clip = NAN;
    must_refuse(&desc, SAC_E_INVALID, "clip");
    desc = small_desc();
    desc.smooth = 1.5;
    must_refuse(&desc, SAC_E_INVALID, "smooth");
    desc = small_desc();
    desc.smooth = NAN;
    must_refuse(&desc, SAC_E_INVALID, "smooth");
    desc = small_desc();
    desc.n_threads = -1;
    must_refuse(&desc, SAC_E_INVALID, "threads");
}

static void open_a_device_or_variant_that_is_not_there_is_refused(void **state)
{
    (void)state;
    sac_equalize_desc desc = small_desc();
    desc.variant = "nonsense";
    must_refuse(&desc, SAC_E_INVALID, "nonsense");
    desc = small_desc();
    desc.variant = "vhist_u8:nonsense";
    must_refuse(&desc, SAC_E_INVALID, "nonsense");
    desc = small_desc();
    desc.variant = "nonsense_u8:ref";
    must_refuse(&desc, SAC_E_INVALID, "nonsense_u8");
    const sac_executor executor = {NULL, NULL, 1};
    desc = small_desc();
    desc.executor = &executor;
    must_refuse(&desc, SAC_E_INVALID, "executor");
    desc = small_desc();
    desc.device = (sac_device){SAC_DEVICE_CUDA, 77};
    sac_equalize *plan = NULL;
    sac_error err = {0};
    const sac_status status = sac_equalize_open(&plan, &desc, &err);
    assert_true(status == SAC_E_UNSUPPORTED || status == SAC_E_DEVICE);
    assert_non_null(strstr(err.text, "device"));
    assert_null(plan);
}

/* Each allocation of open refused in turn; the sanitizer build sees what is not given back. */
static void open_with_any_allocation_refused_is_clean(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        sac_equalize_desc desc = small_desc();
        desc.dtype = which & 1 ? SAC_U16 : SAC_U8;
        desc.clahe[0] = desc.clahe[1] = which & 2 ? 4 : 0;
        desc.smooth = which & 2 ? 0 : 0.5;
        desc.n_threads = 3;
        sac_status status = SAC_E_NOMEM;
        int n = 0;
        for (; status == SAC_E_NOMEM; n++) {
            sac_equalize *plan = NULL;
            sac_error err = {0};
            refuse_from(n);
            status = sac_equalize_open(&plan, &desc, &err);
            sac_alloc_hook(NULL);
            if (status == SAC_E_NOMEM) {
                assert_null(plan);
                assert_non_null(strstr(err.text, "memory"));
                assert_true(n < 1000);
            }
            sac_equalize_close(&plan);
        }
        assert_int_equal(status, SAC_OK);
        assert_true(n > 1); /* one, at least, was refused */
    }
}

static void close_is_idempotent(void **state)
{
    (void)state;
    sac_equalize *plan = NULL;
    sac_equalize_close(NULL);
    sac_equalize_close(&plan);
    const sac_equalize_desc desc = small_desc();
    plan = must_open(&desc);
    sac_equalize_close(&plan);
    assert_null(plan);
    sac_equalize_close(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_a_desc_not_initialized_is_refused),
        cmocka_unit_test(open_without_a_desc_is_refused),
        cmocka_unit_test(open_a_picture_that_is_none_is_refused),
        cmocka_unit_test(open_options_out_of_range_are_refused),
        cmocka_unit_test(open_a_device_or_variant_that_is_not_there_is_refused),
        cmocka_unit_test(open_with_any_allocation_refused_is_clean),
        cmocka_unit_test(close_is_idempotent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
