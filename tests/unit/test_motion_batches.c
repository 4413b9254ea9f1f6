/*
 * Batches of heat maps, noise views and filters on the CPU: as one call after the other. tests/gpu
 * has those of a GPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <saccade/motion.h>

enum { W = 37, H = 11, N = 4, BYTES = W * H * 3 };

/* N + 1 frames of a video, and N pictures. */
static uint8_t video[N + 1][BYTES], want[N][BYTES], got[N][BYTES];
static sac_array frames[N + 1], wanted[N], outs[N];

static void views(sac_array *to, uint8_t (*pictures)[BYTES], int n)
{
    const int64_t shape[] = {H, W, 3};
    for (int i = 0; i < n; i++)
        assert_int_equal(sac_array_view(&to[i], pictures[i], SAC_U8, 3, shape, NULL), SAC_OK);
}

/* Noise in the frames, nothing in the pictures; and their views. */
static void fill(void)
{
    uint32_t random = 1;
    for (int i = 0; i <= N; i++)
        for (int k = 0; k < BYTES; k++) {
            random = random * 1664525 + 1013904223;
            video[i][k] = (uint8_t)(100 + (random >> 24) % 60);
        }
    memset(want, 0, sizeof want);
    memset(got, 0, sizeof got);
    views(frames, video, N + 1);
    views(wanted, want, N);
    views(outs, got, N);
}

static void batch_of_heat_maps_is_one_after_the_other(void **state)
{
    (void)state;
    sac_heatmap_desc desc;
    sac_heatmap *plan = NULL;
    fill();
    sac_heatmap_desc_init(&desc);
    desc.w = W, desc.h = H;
    assert_int_equal(sac_heatmap_open(&plan, &desc, NULL), SAC_OK);
    for (int i = 0; i < N; i++)
        assert_int_equal(sac_heatmap_run(plan, &wanted[i], &frames[i + 1], &frames[i], NULL),
                         SAC_OK);
    assert_int_equal(sac_heatmap_run_batch(plan, outs, frames + 1, frames, N, NULL), SAC_OK);
    assert_memory_equal(got, want, sizeof got);
    assert_int_equal(sac_heatmap_run_batch(plan, NULL, NULL, NULL, 0, NULL), SAC_OK);
    sac_error err = {0};
    assert_failed(sac_heatmap_run_batch(plan, outs, frames, NULL, N, &err), SAC_E_INVALID, &err,
                  "previous");
    sac_heatmap_close(&plan);
}

static void batch_of_noise_views_counts_its_last_picture(void **state)
{
    (void)state;
    sac_noise_desc desc;
    sac_noise *plan = NULL;
    fill();
    sac_noise_desc_init(&desc);
    desc.w = W, desc.h = H;
    assert_int_equal(sac_noise_open(&plan, &desc, NULL), SAC_OK);
    for (int i = 0; i < N; i++)
        assert_int_equal(sac_noise_run(plan, &wanted[i], &frames[i + 1], &frames[i], NULL), SAC_OK);
    const uint64_t count = sac_noise_get_count(plan);
    assert_true(count > 0 && count < W * H);
    assert_int_equal(sac_noise_run_batch(plan, outs, frames + 1, frames, N, NULL), SAC_OK);
    assert_memory_equal(got, want, sizeof got);
    assert_int_equal(sac_noise_get_count(plan), count);
    sac_error err = {0};
    assert_failed(sac_noise_run_batch(NULL, outs, frames, frames, N, &err), SAC_E_INVALID, &err,
                  "plan");
    sac_noise_close(&plan);
}

/* Frame i of the video, its colors in planes, at `to`. */
static void as_planes(sac_array *frame, uint8_t *to, int i)
{
    const int64_t shape[] = {3, H, W};
    const int32_t axes[] = {1, 2, 0};
    for (int k = 0; k < BYTES; k++)
        to[k % 3 * W * H + k / 3] = video[i][k];
    assert_int_equal(sac_array_view(frame, to, SAC_U8, 3, shape, NULL), SAC_OK);
    assert_int_equal(sac_array_permute(frame, frame, axes, NULL), SAC_OK);
}

/* One memory for all frames, as of a camera, in planes or packed, drawn over at every second run:
 * all needs a copy. */
static void plan_keeps_the_previous_frame(void **state)
{
    (void)state;
    static uint8_t camera[BYTES];
    sac_array frame, planes;
    sac_heatmap_desc desc;
    sac_heatmap *plan = NULL;
    sac_error err = {0};
    fill();
    views(&frame, &camera, 1);
    sac_heatmap_desc_init(&desc);
    desc.w = W, desc.h = H, desc.order = SAC_ORDER_BGR, desc.n_threads = 2;
    assert_int_equal(sac_heatmap_open(&plan, &desc, NULL), SAC_OK);
    for (int i = 0; i < N; i++)
        assert_int_equal(sac_heatmap_run(plan, &wanted[i], &frames[i + 1], &frames[i], NULL),
                         SAC_OK);
    assert_failed(sac_heatmap_run(plan, &outs[0], &frames[0], NULL, &err), SAC_E_INVALID, &err,
                  "previous");
    sac_heatmap_close(&plan);
    desc.keep_previous = true;
    assert_int_equal(sac_heatmap_open(&plan, &desc, NULL), SAC_OK);
    for (int i = 0; i <= N; i++) {
        as_planes(&planes, camera, i);
        if (i % 2)
            memcpy(camera, video[i], BYTES);
        sac_array *current = i % 2 ? &frame : &planes, *out = i % 2 ? &frame : &outs[i ? i - 1 : 0];
        assert_int_equal(sac_heatmap_run(plan, out, current, NULL, NULL), i ? SAC_OK : SAC_AGAIN);
        if (i % 2)
            memcpy(got[i - 1], camera, BYTES);
    }
    assert_memory_equal(got, want, sizeof got);
    sac_heatmap_close(&plan);
}

static void batches_go_on_where_the_last_one_ended(void **state)
{
    (void)state;
    sac_noise_desc desc;
    sac_noise *plan = NULL;
    fill();
    sac_noise_desc_init(&desc);
    desc.w = W, desc.h = H, desc.keep_previous = true;
    assert_int_equal(sac_noise_open(&plan, &desc, NULL), SAC_OK);
    assert_int_equal(sac_noise_run_batch(plan, outs, frames, NULL, N, NULL), SAC_AGAIN);
    assert_int_equal(sac_noise_run_batch(plan, outs, frames + 1, NULL, 1, NULL), SAC_OK);
    assert_int_equal(sac_noise_run_batch(plan, outs + 1, frames + 2, NULL, N - 1, NULL), SAC_OK);
    memcpy(want, got, sizeof got);
    memset(got, 0, sizeof got);
    assert_int_equal(sac_noise_run_batch(plan, outs, frames + 1, frames, N, NULL), SAC_OK);
    assert_memory_equal(got, want, sizeof got);
    /* The last frame is kept whoever named the one before. */
    assert_int_equal(sac_noise_run(plan, outs, frames + N, NULL, NULL), SAC_OK);
    assert_int_equal(sac_noise_get_count(plan), 0);
    sac_noise_close(&plan);
}

static void batch_of_filtered_frames_keeps_their_order(void **state)
{
    (void)state;
    sac_denoise_desc desc;
    sac_denoise *plan = NULL;
    fill();
    sac_denoise_desc_init(&desc);
    desc.w = W, desc.h = H;
    assert_int_equal(sac_denoise_open(&plan, &desc, NULL), SAC_OK);
    for (int i = 0; i < N; i++)
        assert_int_equal(sac_denoise_run(plan, &wanted[i], &frames[i], NULL), SAC_OK);
    sac_denoise_reset(plan);
    assert_int_equal(sac_denoise_run_batch(plan, outs, frames, N, NULL), SAC_OK);
    assert_memory_equal(got, want, sizeof got);
    assert_true(memcmp(got[1], video[1], BYTES) != 0); /* the second frame has a past */
    sac_error err = {0};
    assert_failed(sac_denoise_run_batch(plan, frames, frames, N, &err), SAC_E_SHAPE, &err, "out");
    assert_failed(sac_denoise_run_batch(plan, NULL, frames, N, &err), SAC_E_INVALID, &err, "out");
    sac_denoise_close(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batch_of_heat_maps_is_one_after_the_other),
        cmocka_unit_test(batch_of_noise_views_counts_its_last_picture),
        cmocka_unit_test(plan_keeps_the_previous_frame),
        cmocka_unit_test(batches_go_on_where_the_last_one_ended),
        cmocka_unit_test(batch_of_filtered_frames_keeps_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
