/*
 * Which kernels a plan on a GPU launches for a batch, and in which order: the plan itself, with
 * kernels that only note their names, and a GPU that is the CPU's memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "traced_gpu.h"

#include "beamform/gpu_layers.h"
#include "beamform/kernels/das/cuda/das_cuda.h"
#include "ultrasound.h"

static const double target[3] = {1.7e-3, 0, 21e-3};

/* A run of the plan: its kernels, of arrays on the device; `sparse`: frames lie apart. */
static const char *steps_of(const sac_beamform_desc *desc, bool sparse)
{
    const sac_acquisition *a = desc->acquisition;
    const int64_t n[] = {desc->n_frames, a->n_transmits, a->n_elements, desc->n_samples};
    const bool inner = desc->layout == SAC_FRAMES_INNER;
    const int64_t shape[] = {n[inner ? 1 : 0], n[inner ? 2 : 1], n[inner ? 3 : 2],
                             n[inner ? 0 : 3]};
    sac_error err = {0};
    sac_beamform *plan = NULL;
    sac_array in, out;
    assert_ok(sac_beamform_open(&plan, desc, &err), &err);
    float *data = calloc(2 * (size_t)(shape[0] * shape[1] * shape[2] * shape[3]), 2 * sizeof *data);
    assert_ok(sac_array_view(&in, data, desc->dtype, 4, shape, &err), &err);
    in.device = desc->device;
    if (sparse)
        in.stride[0] *= 2;
    out = output_of(plan);
    out.device = desc->device;
    traced_begin(data);
    assert_ok(sac_beamform_run(plan, &out, &in, &err), &err);
    sac_beamform_close(&plan);
    free(out.data);
    free(data);
    return traced_end();
}

static sac_beamform_desc a_desc(const scene *s, sac_dtype dtype, int64_t n_frames, sac_tier tier)
{
    sac_beamform_desc d = scene_desc(s, dtype, target, 1e-3, 5);
    d.n_frames = n_frames;
    d.tier = (int32_t)tier;
    d.output = SAC_OUTPUT_IQ;
    d.device = (sac_device){SAC_DEVICE_CUDA, 0};
    d.stream = traced_stream();
    return d;
}

/* Each focused wave's arrivals, all waves' images, their sum; a sector's envelope, its picture. */
static void gpu_plan_of_fields_and_sectors_adds_and_converts(void **state)
{
    (void)state;
    scene s;
    linear_scene(&s, 16, 2);
    sac_beamform_desc d = a_desc(&s, SAC_C64, 1, SAC_TIER_FP32);
    d.tx_f_number = 2;
    assert_string_equal(steps_of(&d, false), "points add"); /* plane waves */
    s.transmits[1].kind = SAC_TRANSMIT_FOCUSED;
    s.transmits[1].source_m[2] = 20e-3;
    assert_string_equal(steps_of(&d, false), "arrive points add");
    d.lri = true;
    assert_string_equal(steps_of(&d, false), "points");
    d.lri = false;
    d.tx_f_number = 0;
    d.grid_kind = SAC_GRID_SECTOR;
    d.grid.first_m[0] = -0.3;
    d.grid.last_m[0] = 0.3;
    assert_string_equal(steps_of(&d, false), "points");
    d.output = SAC_OUTPUT_ENVELOPE;
    assert_string_equal(steps_of(&d, false), "points magnitude");
    sac_sector_picture(&d.picture, &d.grid, &d.sector);
    assert_string_equal(steps_of(&d, false), "points magnitude convert");
    d.output = SAC_OUTPUT_GRAY;
    assert_string_equal(steps_of(&d, false), "points magnitude convert maximum gray");
}

/* One slab of depths, of one speed; a list is sorted by them, and its images put in order again. */
static void gpu_plan_of_layers_reorders_lists_alone(void **state)
{
    (void)state;
    scene s;
    linear_scene(&s, 16, 2);
    sac_beamform_desc d = a_desc(&s, SAC_C64, 1, SAC_TIER_FP32);
    d.layers = "1500";
    assert_string_equal(steps_of(&d, false), "points");
    d.tx_f_number = 2;
    assert_string_equal(steps_of(&d, false), "points add");
    d.grid_kind = SAC_GRID_SECTOR;
    d.grid.first_m[0] = -0.3;
    d.grid.last_m[0] = 0.3;
    assert_string_equal(steps_of(&d, false), "points add reorder");
    d.output = SAC_OUTPUT_ENVELOPE;
    assert_string_equal(steps_of(&d, false), "points add reorder magnitude");
}

/* Frames of a batch of the desc's plan. */
static int32_t batch_of(const sac_beamform_desc *desc, double *layers_bytes)
{
    sac_beamform *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_beamform_open(&plan, desc, &err), &err);
    const int32_t n = plan->das.n_frames;
    *layers_bytes = sac_beamform_gpu_layers_bytes(plan);
    sac_beamform_close(&plan);
    return n;
}

/* 1 MB holds four images, or arrivals and places and fewer images. */
static void gpu_plan_of_layers_counts_their_arrivals(void **state)
{
    (void)state;
    scene s;
    double bytes;
    linear_scene(&s, 16, 2);
    sac_beamform_desc d = a_desc(&s, SAC_C64, 12, SAC_TIER_FP32);
    d.grid.n[0] = 100;
    d.grid.n[2] = 140;
    d.memory_mb = 1;
    const double image = 14000 * 8;
    const int32_t alone = batch_of(&d, &bytes);
    assert_true(bytes == 0);
    d.layers = "1500";
    const int32_t beside = batch_of(&d, &bytes);
    assert_true(bytes == 14000 * 8 * (2 + 3));
    assert_true(image * alone <= 1e6 && image * alone + bytes > 1e6);
    assert_true(beside >= 1 && image * beside + bytes <= 1e6);
}

/* Half precision has a buffer for records, which are nevertheless not filtered. */
static void gpu_plan_of_iq_filters_nothing(void **state)
{
    (void)state;
    scene s;
    linear_scene(&s, 16, 2);
    sac_beamform_desc d = a_desc(&s, SAC_C64, 20, SAC_TIER_FAST);
    assert_string_equal(steps_of(&d, false), "maximum halve tensor");
    assert_string_equal(steps_of(&d, true), "gather maximum halve tensor");
    d.layout = SAC_FRAMES_INNER;
    assert_string_equal(steps_of(&d, false), "maximum halve tensor");
    d = a_desc(&s, SAC_C64, 16, SAC_TIER_FAST);
    assert_string_equal(steps_of(&d, false), "pack frames");
    d = a_desc(&s, SAC_C64, 70, SAC_TIER_FP32);
    assert_string_equal(steps_of(&d, false), "pack frames pack frames pack frames");
    d = a_desc(&s, SAC_C64, 1, SAC_TIER_EXACT);
    assert_string_equal(steps_of(&d, false), "points");
    d.layout = SAC_FRAMES_INNER;
    assert_string_equal(steps_of(&d, false), "gather points");
}

static void gpu_plan_of_rf_filters_where_it_is_asked_to(void **state)
{
    (void)state;
    scene s;
    linear_scene(&s, 16, 2);
    sac_beamform_desc d = a_desc(&s, SAC_I16, 20, SAC_TIER_FAST);
    assert_string_equal(steps_of(&d, false), "demodulate maximum halve tensor");
    d.layout = SAC_FRAMES_INNER;
    assert_string_equal(steps_of(&d, false), "demodulate maximum halve tensor");
    d.tier = SAC_TIER_FP32; /* 16 frames, and 4 */
    assert_string_equal(steps_of(&d, false), "demodulate+pack frames demodulate points");
    d.n_frames = 22; /* 16 frames, and 6 */
    assert_string_equal(steps_of(&d, false), "demodulate+pack frames demodulate+pack frames");
    d.n_frames = 16;
    assert_string_equal(steps_of(&d, false), "demodulate+pack frames");
    d.decimation = 4; /* no tile of it fits */
    assert_string_equal(steps_of(&d, false), "demodulate pack frames");
    d = a_desc(&s, SAC_F32, 1, SAC_TIER_FAST);
    d.layout = SAC_FRAMES_INNER;
    assert_string_equal(steps_of(&d, false), "demodulate points");
    d.demodulate = SAC_DEMODULATE_NO;
    assert_string_equal(steps_of(&d, false), "gather points");
    d.band_pass = true;
    assert_string_equal(steps_of(&d, false), "band-pass points");
    d.n_frames = 32;
    assert_string_equal(steps_of(&d, false), "band-pass+pack frames");
    d.band_pass = false;
    assert_string_equal(steps_of(&d, false), "pack frames");
    d = a_desc(&s, SAC_I16, 32, SAC_TIER_FAST);
    d.demodulate = SAC_DEMODULATE_NO;
    assert_string_equal(steps_of(&d, false), "pack frames"); /* as float */
    d.n_frames = 1;
    assert_string_equal(steps_of(&d, false), "points");
}

static void gpu_plan_finishes_as_the_output_asks(void **state)
{
    (void)state;
    scene s;
    linear_scene(&s, 16, 2);
    sac_beamform_desc d = a_desc(&s, SAC_C64, 1, SAC_TIER_FP32);
    d.output = SAC_OUTPUT_ENVELOPE;
    assert_string_equal(steps_of(&d, false), "points magnitude");
    d.output = SAC_OUTPUT_BMODE;
    assert_string_equal(steps_of(&d, false), "points maximum decibels");
    d.output = SAC_OUTPUT_GRAY;
    assert_string_equal(steps_of(&d, false), "points maximum gray");
    d = a_desc(&s, SAC_F32, 1, SAC_TIER_FP32);
    d.demodulate = SAC_DEMODULATE_NO;
    d.grid.n[2] = 81;
    d.output = SAC_OUTPUT_ENVELOPE;
    assert_string_equal(steps_of(&d, false), "points hilbert");
    d.output = SAC_OUTPUT_GRAY;
    assert_string_equal(steps_of(&d, false), "points hilbert maximum gray");
}

/* Frames in no groups, whatever their number; coherence below 0 is no amplitude. */
static void gpu_plan_of_adaptive_weights_packs_nothing(void **state)
{
    (void)state;
    scene s;
    linear_scene(&s, 16, 2);
    sac_beamform_desc d = a_desc(&s, SAC_C64, 20, SAC_TIER_FAST);
    d.reduction = "cf";
    assert_string_equal(steps_of(&d, false), "coherent");
    d.reduction_over = SAC_OVER_COMPOUND;
    assert_string_equal(steps_of(&d, true), "signals");
    d.layout = SAC_FRAMES_INNER;
    d.reduction = "mv";
    assert_string_equal(steps_of(&d, false), "gather signals");
    d = a_desc(&s, SAC_I16, 17, SAC_TIER_FP32);
    d.reduction = "slsc";
    assert_string_equal(steps_of(&d, false), "demodulate signals");
    d.output = SAC_OUTPUT_GRAY;
    assert_string_equal(steps_of(&d, false), "demodulate signals clip maximum gray");
    d.reduction = "dmas";
    assert_string_equal(steps_of(&d, false), "demodulate signals maximum gray");
    d.tx_f_number = 2;
    d.output = SAC_OUTPUT_IQ;
    assert_string_equal(steps_of(&d, false), "demodulate signals add");
}

/* What a frame takes of a matrix with that edge of its window, one frame at a time. */
static double matrix_ns(double taper, sac_tier tier)
{
    static const sac_reduction one_by_one = {.kind = SAC_REDUCE_CF};
    sac_element elements[64];
    sac_das_cuda_cuts cuts;
    for (int r = 0; r < 64; r++)
        elements[r] =
            (sac_element){.position_m = {0.3e-3 * (r % 8 - 3.5), 0.3e-3 * (r / 8 - 3.5), 1e-3},
                          .normal = {0, 0, 1}};
    const sac_das das = {.elements = elements,
                         .n_rx = 64,
                         .n_tx = 1,
                         .n_frames = 1,
                         .n_samples = 512,
                         .fs_hz = 10e6,
                         .c_m_s = 1540,
                         .n_points = 1000,
                         .grid = {{-5e-3, -5e-3, 5e-3}, {5e-3, 5e-3, 30e-3}, {10, 10, 10}},
                         .apodization = {.f_number = 1, .window = SAC_WINDOW_TUKEY, .taper = taper},
                         .interp = SAC_INTERP_LINEAR,
                         .reduction = &one_by_one};
    sac_das_cuda_cut(&cuts, &das, 8, tier, false);
    assert_true(cuts.ns[1] > 0);
    return cuts.ns[1];
}

/* Of windows that only the general kernel takes, in single precision and in double. */
static void gpu_plan_of_a_plane_counts_on_its_kernel_where_it_runs(void **state)
{
    (void)state;
    assert_true(matrix_ns(0.1, SAC_TIER_FP32) == matrix_ns(0.5, SAC_TIER_FP32));
    assert_true(matrix_ns(0.02, SAC_TIER_FP32) > 1.5 * matrix_ns(0.5, SAC_TIER_FP32));
    assert_true(matrix_ns(0.1, SAC_TIER_EXACT) > 1.5 * matrix_ns(0.5, SAC_TIER_EXACT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpu_plan_of_fields_and_sectors_adds_and_converts),
        cmocka_unit_test(gpu_plan_of_layers_reorders_lists_alone),
        cmocka_unit_test(gpu_plan_of_layers_counts_their_arrivals),
        cmocka_unit_test(gpu_plan_of_iq_filters_nothing),
        cmocka_unit_test(gpu_plan_of_rf_filters_where_it_is_asked_to),
        cmocka_unit_test(gpu_plan_finishes_as_the_output_asks),
        cmocka_unit_test(gpu_plan_of_adaptive_weights_packs_nothing),
        cmocka_unit_test(gpu_plan_of_a_plane_counts_on_its_kernel_where_it_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
