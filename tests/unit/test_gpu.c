/*
 * GPUs as callers meet them on any machine: what is said where there is none, or not so many; and
 * what belongs to a GPU refused for the CPU. tests/gpu has the rest.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <saccade/equalize.h>

#include "gpu/gpu.h"
#include "pictures.h"

/* What a build or machine without GPU number `index` must say. */
static void assert_no_gpu(sac_status came, const sac_error *err, const char *device)
{
#if SAC_CUDA
    assert_failed(came, SAC_E_DEVICE, err, device);
#else
    (void)device;
    assert_failed(came, SAC_E_UNSUPPORTED, err, "no CUDA");
#endif
    assert_ptr_equal(strstr(err->text, "device: "), err->text);
}

static void gpu_beyond_the_last_is_refused(void **state)
{
    (void)state;
    const int32_t n = sac_gpu_count();
    assert_true(n >= 0);
    sac_gpu_info info = {.struct_size = sizeof info};
    sac_error err = {0};
    for (int32_t i = 0; i < n; i++)
        assert_ok(sac_gpu_describe(&info, i, &err), &err);
    assert_no_gpu(sac_gpu_describe(&info, 99, &err), &err, "cuda:99");
    sac_gpu *gpu = (sac_gpu *)&err; /* open is to set it to NULL */
    err = (sac_error){0};
    assert_no_gpu(sac_gpu_open(&gpu, 99, &err), &err, "cuda:99");
    assert_null(gpu);
    assert_true(sac_gpu_describe(&info, -1, NULL) >= SAC_E_DEVICE);
}

static void gpu_plan_without_that_gpu_is_refused(void **state)
{
    (void)state;
    sac_equalize *plan = NULL;
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8;
    desc.w = desc.h = 8;
    desc.device = (sac_device){SAC_DEVICE_CUDA, 99};
    for (int tiles = 0; tiles < 3; tiles += 2) {
        sac_error err = {0};
        desc.clahe[0] = desc.clahe[1] = tiles;
        assert_no_gpu(sac_equalize_open(&plan, &desc, &err), &err, "cuda:99");
        assert_null(plan);
    }
}

static void gpu_stream_on_the_cpu_is_refused(void **state)
{
    (void)state;
    sac_equalize *plan = NULL;
    sac_error err = {0};
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8;
    desc.w = desc.h = 8;
    desc.stream = &desc;
    assert_failed(sac_equalize_open(&plan, &desc, &err), SAC_E_INVALID, &err, "stream");
}

static void pinned_memory_without_that_gpu_is_refused(void **state)
{
    (void)state;
    void *memory = state; /* it is to be set to NULL */
    sac_error err = {0};
    assert_no_gpu(sac_pinned_alloc(&memory, 64, (sac_device){SAC_DEVICE_CUDA, 99}, &err), &err,
                  "cuda:99");
    assert_null(memory);
    err = (sac_error){0};
    assert_failed(sac_pinned_alloc(&memory, 64, (sac_device){SAC_DEVICE_CPU, 0}, &err),
                  SAC_E_UNSUPPORTED, &err, "device");
    sac_pinned_free(NULL, (sac_device){SAC_DEVICE_CUDA, 0});
    assert_false(sac_gpu_reads_in_place(&err, sizeof err));
}

static void batch_on_the_cpu_equals_runs(void **state)
{
    (void)state;
    enum { N = 4 };
    sac_array in[N], one[N], many[N];
    sac_equalize *plan = NULL;
    sac_error err = {0};
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8;
    desc.w = 41;
    desc.h = 23;
    desc.smooth = 0.5;
    assert_ok(sac_equalize_open(&plan, &desc, &err), &err);
    for (int i = 0; i < N; i++) {
        in[i] = new_picture(SAC_U8, 41, 23, 3);
        one[i] = new_picture(SAC_U8, 41, 23, 3);
        many[i] = new_picture(SAC_U8, 41, 23, 3);
        ((uint8_t *)in[i].data)[i] = (uint8_t)(40 * i);
        assert_int_equal(sac_equalize_run(plan, &one[i], &in[i], NULL), SAC_OK);
    }
    sac_equalize_reset(plan);
    assert_int_equal(sac_equalize_run_batch(plan, many, in, N, NULL), SAC_OK);
    for (int i = 0; i < N; i++)
        assert_memory_equal(one[i].data, many[i].data, picture_bytes(&one[i]));
    assert_int_equal(sac_equalize_run_batch(plan, many, in, 0, NULL), SAC_OK);
    many[N - 1].n_dims = 2;
    assert_int_equal(sac_equalize_run_batch(plan, many, in, N, NULL), SAC_E_SHAPE);
    sac_equalize_close(&plan);
    for (int i = 0; i < N; i++) {
        free(in[i].data);
        free(one[i].data);
        free(many[i].data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpu_beyond_the_last_is_refused),
        cmocka_unit_test(gpu_plan_without_that_gpu_is_refused),
        cmocka_unit_test(gpu_stream_on_the_cpu_is_refused),
        cmocka_unit_test(pinned_memory_without_that_gpu_is_refused),
        cmocka_unit_test(batch_on_the_cpu_equals_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
