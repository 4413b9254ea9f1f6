/*
 * A run that is refused names the array at fault, what was expected and what came.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/beamform.h>
#include <saccade/delta.h>
#include <saccade/equalize.h>
#include <saccade/meltpool.h>
#include <saccade/motion.h>

#include "skip.h"
#include "unit.h"

static uint8_t pixels[2][8 * 8 * 3];

static sac_array view(void *data, sac_dtype dtype, int32_t n_dims, const int64_t *shape)
{
    sac_array array;
    sac_error err = {0};
    assert_ok(sac_array_view(&array, data, dtype, n_dims, shape, &err), &err);
    return array;
}

static sac_array picture(int i)
{
    return view(pixels[i], SAC_U8, 3, (const int64_t[]){8, 8, 3});
}

static void on_gpu(sac_array *array)
{
    array->device = (sac_device){SAC_DEVICE_CUDA, 3};
}

static void equalize_run_of_a_wrong_array_names_it(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8;
    desc.w = desc.h = 8;
    sac_equalize *plan = NULL;
    assert_ok(sac_equalize_open(&plan, &desc, &err), &err);
    sac_array in = picture(0), out = picture(1);
    out.shape[1] = 7;
    assert_failed(sac_equalize_run(plan, &out, &in, &err), SAC_E_SHAPE, &err,
                  "out: expected u8 (8, 8, 3), got u8 (8, 7, 3)");
    out = picture(1);
    on_gpu(&in);
    assert_failed(sac_equalize_run(plan, &out, &in, &err), SAC_E_SHAPE, &err,
                  "in: expected the CPU's memory, got cuda:3's");
    assert_failed(sac_equalize_run(plan, &out, NULL, &err), SAC_E_INVALID, &err, "in: is NULL");
    assert_int_equal(sac_equalize_run(plan, &out, NULL, NULL), SAC_E_INVALID);
    sac_equalize_close(&plan);
}

static void motion_run_of_a_wrong_array_names_it(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_heatmap_desc heat;
    sac_heatmap_desc_init(&heat);
    heat.w = heat.h = 8;
    sac_denoise_desc filter;
    sac_denoise_desc_init(&filter);
    filter.w = filter.h = 8;
    sac_heatmap *heatmap = NULL;
    sac_denoise *denoise = NULL;
    sac_adjust_desc controls;
    sac_adjust_desc_init(&controls);
    controls.w = controls.h = 8;
    sac_adjust *adjust = NULL;
    assert_ok(sac_adjust_open(&adjust, &controls, &err), &err);
    assert_ok(sac_heatmap_open(&heatmap, &heat, &err), &err);
    assert_ok(sac_denoise_open(&denoise, &filter, &err), &err);
    sac_array in = picture(0), out = picture(1), wrong = picture(0);
    wrong.dtype = SAC_I8;
    assert_failed(sac_heatmap_run(heatmap, &out, &in, &wrong, &err), SAC_E_SHAPE, &err,
                  "previous: expected u8 (8, 8, 3), got i8 (8, 8, 3)");
    assert_failed(sac_heatmap_run(heatmap, &out, &wrong, &in, &err), SAC_E_SHAPE, &err, "current:");
    assert_failed(sac_heatmap_run(heatmap, NULL, &in, &in, &err), SAC_E_INVALID, &err, "out:");
    assert_failed(sac_denoise_run(denoise, &wrong, &in, &err), SAC_E_SHAPE, &err, "out:");
    assert_failed(sac_denoise_run(denoise, &in, &in, &err), SAC_E_SHAPE, &err, "out: is the frame");
    assert_failed(sac_adjust_run(adjust, &out, &wrong, &err), SAC_E_SHAPE, &err, "in: expected u8");
    assert_failed(sac_adjust_run(adjust, &wrong, &in, &err), SAC_E_SHAPE, &err, "out: expected u8");
    assert_failed(sac_adjust_run(adjust, &out, NULL, &err), SAC_E_INVALID, &err, "in: is NULL");
    on_gpu(&in);
    assert_failed(sac_adjust_run(adjust, &out, &in, &err), SAC_E_SHAPE, &err,
                  "in: expected the CPU's memory");
    sac_heatmap_close(&heatmap);
    sac_denoise_close(&denoise);
    sac_adjust_close(&adjust);
}

static void delta_run_of_a_wrong_array_or_packet_names_it(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_delta_encode_desc desc;
    sac_delta_encode_desc_init(&desc);
    desc.w = desc.h = 8;
    sac_delta_encode *encoder = NULL;
    if (sac_delta_encode_open(&encoder, &desc, &err) == SAC_E_UNSUPPORTED)
        skip_test(err.text);
    sac_array frame = picture(0);
    frame.shape[2] = 1;
    sac_delta_packet packet;
    assert_failed(sac_delta_encode_run(encoder, &packet, &frame, 0, &err), SAC_E_SHAPE, &err,
                  "frame: expected u8 (8, 8, 3), got u8 (8, 8, 1)");
    sac_delta_encode_close(&encoder);
    sac_delta_decode_desc back;
    sac_delta_decode_desc_init(&back);
    sac_delta_decode *decoder = NULL;
    assert_ok(sac_delta_decode_open(&decoder, &back, &err), &err);
    sac_delta_frame shown;
    assert_failed(sac_delta_decode_run(decoder, &shown, "no packet", 9, &err), SAC_E_FORMAT, &err,
                  "packet:");
    sac_delta_decode_close(&decoder);
}

static void meltpool_run_of_a_wrong_array_names_it(void **state)
{
    (void)state;
    sac_error err = {0};
    static uint8_t frames[2 * 96 * 96];
    sac_meltpool_desc desc;
    sac_meltpool_desc_init(&desc);
    sac_meltpool *plan = NULL;
    assert_ok(sac_meltpool_open(&plan, &desc, &err), &err);
    const sac_meltpool_signals signals[2] = {{.laser_on = 1}, {.laser_on = 1}};
    sac_meltpool_record records[2];
    sac_array frame = view(frames, SAC_U8, 2, (const int64_t[]){95, 96});
    assert_failed(sac_meltpool_run(plan, records, &frame, signals, &err), SAC_E_SHAPE, &err,
                  "frame: expected u8 (96, 96), got u8 (95, 96)");
    sac_array batch = view(frames, SAC_U8, 3, (const int64_t[]){2, 96, 95});
    assert_failed(sac_meltpool_run_batch(plan, records, &batch, signals, &err), SAC_E_SHAPE, &err,
                  "frames: expected u8 (2, 96, 96), got u8 (2, 96, 95)");
    batch = view(frames, SAC_U8, 3, (const int64_t[]){2, 96, 96});
    assert_failed(sac_meltpool_run_batch(plan, records, &batch, NULL, &err), SAC_E_SHAPE, &err,
                  "signals");
    sac_meltpool_close(&plan);
}

static void beamform_run_of_a_wrong_array_names_it(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_element elements[2];
    sac_probe_linear(elements, 2, 3e-4, 2e-4, 5e-3);
    const sac_transmit transmit = {.kind = SAC_TRANSMIT_PLANE, .weight = 1};
    sac_acquisition acquisition;
    sac_acquisition_init(&acquisition);
    acquisition.elements = elements;
    acquisition.n_elements = 2;
    acquisition.transmits = &transmit;
    acquisition.n_transmits = 1;
    acquisition.fs_hz = 20e6;
    acquisition.fc_hz = 5e6;
    sac_beamform_desc desc;
    sac_beamform_desc_init(&desc);
    desc.acquisition = &acquisition;
    desc.dtype = SAC_C64;
    desc.n_frames = 1;
    desc.n_samples = 64;
    desc.grid = (sac_grid){.first_m = {0, 0, 1e-3}, .last_m = {0, 0, 2e-3}, .n = {1, 1, 4}};
    sac_beamform *plan = NULL;
    assert_ok(sac_beamform_open(&plan, &desc, &err), &err);
    static float samples[2 * 2 * 64], image[2 * 4];
    sac_array in = view(samples, SAC_C64, 4, (const int64_t[]){1, 2, 1, 64});
    sac_array out = view(image, SAC_F32, 3, (const int64_t[]){1, 4, 1});
    assert_failed(sac_beamform_run(plan, &out, &in, &err), SAC_E_SHAPE, &err,
                  "in: expected c64 (1, 1, 2, 64), got c64 (1, 2, 1, 64)");
    in = view(samples, SAC_C64, 4, (const int64_t[]){1, 1, 2, 64});
    out.dtype = SAC_U8;
    assert_failed(sac_beamform_run(plan, &out, &in, &err), SAC_E_SHAPE, &err, "out: expected f32");
    sac_beamform_close(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equalize_run_of_a_wrong_array_names_it),
        cmocka_unit_test(motion_run_of_a_wrong_array_names_it),
        cmocka_unit_test(delta_run_of_a_wrong_array_or_packet_names_it),
        cmocka_unit_test(meltpool_run_of_a_wrong_array_names_it),
        cmocka_unit_test(beamform_run_of_a_wrong_array_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
