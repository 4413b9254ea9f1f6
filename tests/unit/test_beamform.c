/*
 * beamform puts echoes where they came from, in every form of transmit, layout and output.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include "ultrasound.h"

static const double target[3] = {1.7e-3, 0, 21e-3};

static sac_array beamform(const sac_beamform_desc *desc, const sac_array *in)
{
    sac_beamform *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_beamform_open(&plan, desc, &err), &err);
    sac_array out = output_of(plan);
    assert_int_equal(sac_beamform_run(plan, &out, in, NULL), SAC_OK);
    sac_beamform_close(&plan);
    assert_null(plan);
    return out;
}

static int64_t peak_of(const float complex *image, int64_t n)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++)
        best = cabsf(image[i]) > cabsf(image[best]) ? i : best;
    return best;
}

/* The image of the scene's point peaks at the point, with all elements and transmits in phase. */
static void expect_point(const scene *s, const double *tau_tx)
{
    float complex *iq = echo_iq(s, target, tau_tx);
    sac_array in = channel_array(s, SAC_C64, iq);
    sac_beamform_desc desc = scene_desc(s, SAC_C64, target, 0.6e-3, 41); /* a tenth of lambda */
    sac_array out = beamform(&desc, &in);
    const float complex *image = out.data;
    double all = s->acquisition.n_elements * s->acquisition.n_transmits;
    assert_int_equal(peak_of(image, 41 * 41), 20 * 41 + 20);
    assert_true(fabs(creal(image[20 * 41 + 20]) / all - 1) <
                0.03); /* linear interpolation's loss */
    assert_true(fabs(cimag(image[20 * 41 + 20]) / all) < 0.01);
    free(out.data);
    free(iq);
}

static void beamform_plane_waves_focus_on_the_point(void **state)
{
    (void)state;
    scene s;
    double tau[5];
    linear_scene(&s, 64, 5);
    for (int t = 0; t < 5; t++) {
        double a = s.transmits[t].azimuth_rad = 0.1 * (t - 2);
        tau[t] = (target[0] * sin(a) + target[2] * cos(a)) / 1540;
    }
    expect_point(&s, tau);
    s.acquisition.phase_origin = SAC_PHASE_TRANSMIT;
    expect_point(&s, tau);
    s.acquisition.phase_sign = -1;
    expect_point(&s, tau);
}

static void beamform_virtual_sources_focus_on_the_point(void **state)
{
    (void)state;
    scene s;
    double tau[4];
    linear_scene(&s, 64, 4);
    for (int t = 0; t < 4; t++) {
        sac_transmit *w = &s.transmits[t];
        w->kind = t < 2 ? SAC_TRANSMIT_DIVERGING : SAC_TRANSMIT_FOCUSED;
        w->source_m[0] = (t - 1.5) * 2e-3;
        w->source_m[2] = t < 2 ? -8e-3 : t == 2 ? 15e-3 : 60e-3;
        double from = distance(target, w->source_m), own = distance(w->source_m, (double[3]){0});
        tau[t] = (t < 2 ? from - own : own + (t == 2 ? from : -from)) / 1540;
    }
    expect_point(&s, tau);
}

static void beamform_synthetic_aperture_and_delays_focus_on_the_point(void **state)
{
    (void)state;
    static double delays[MAX_ELEMENTS], arrivals[41 * 41];
    scene s;
    double tau[3];
    linear_scene(&s, 64, 3);
    s.transmits[0].kind = SAC_TRANSMIT_ELEMENT;
    s.transmits[0].element = 9;
    tau[0] = distance(target, s.elements[9].position_m) / 1540;
    s.transmits[1].kind = SAC_TRANSMIT_DELAYS;
    s.transmits[1].delays_s = delays;
    tau[1] = INFINITY;
    for (int r = 0; r < 64; r++) {
        delays[r] = r % 2 ? NAN : 1e-7 * r;
        if (r % 2 == 0)
            tau[1] = fmin(tau[1], delays[r] + distance(target, s.elements[r].position_m) / 1540);
    }
    s.transmits[2].kind = SAC_TRANSMIT_ARRIVALS;
    s.transmits[2].arrivals_s = arrivals;
    for (int i = 0; i < 41 * 41; i++)
        arrivals[i] = (21e-3 + 0.03e-3 * (i / 41 - 20)) / 1540;
    tau[2] = 21e-3 / 1540;
    expect_point(&s, tau);
}

static void beamform_volume_of_a_matrix_array_peaks_at_the_point(void **state)
{
    (void)state;
    const double p[3] = {0.9e-3, -1.2e-3, 14e-3};
    scene s;
    double tau[2];
    linear_scene(&s, 256, 2);
    sac_probe_matrix(s.elements, 16, 16, 0.3e-3, 0.3e-3);
    for (int t = 0; t < 2; t++) {
        s.transmits[t].elevation_rad = 0.15 * t;
        tau[t] = (p[1] * sin(0.15 * t) + p[2] * cos(0.15 * t)) / 1540;
    }
    float complex *iq = echo_iq(&s, p, tau);
    sac_array in = channel_array(&s, SAC_C64, iq);
    sac_beamform_desc desc = scene_desc(&s, SAC_C64, p, 0.6e-3, 13);
    desc.grid.first_m[1] -= 0.6e-3;
    desc.grid.last_m[1] += 0.6e-3;
    desc.grid.n[1] = 13;
    sac_array out = beamform(&desc, &in);
    assert_int_equal(out.n_dims, 4);
    assert_int_equal(peak_of(out.data, 13 * 13 * 13), (6 * 13 + 6) * 13 + 6);
    free(out.data);
    free(iq);
}

/* Frames of the scene in the other layout: (n_tx, n_rx, n_samples, n_frames). */
static float complex *frames_inner(const float complex *iq, const scene *s, sac_array *array)
{
    int64_t records = (int64_t)s->acquisition.n_transmits * s->acquisition.n_elements;
    int64_t n = records * s->n_samples;
    float complex *inner = malloc((size_t)(n * s->n_frames) * sizeof *inner);
    for (int64_t f = 0; f < s->n_frames; f++)
        for (int64_t i = 0; i < n; i++)
            inner[i * s->n_frames + f] = iq[f * n + i];
    const int64_t shape[] = {s->acquisition.n_transmits, s->acquisition.n_elements, s->n_samples,
                             s->n_frames};
    assert_int_equal(sac_array_view(array, inner, SAC_C64, 4, shape, NULL), SAC_OK);
    return inner;
}

static void beamform_any_threads_and_layout_give_the_same_bytes(void **state)
{
    (void)state;
    static const int64_t n_frames[] = {1, 5, 32, 33};
    scene s;
    const double tau[2] = {21e-3 / 1540, 21e-3 / 1540};
    linear_scene(&s, 48, 2);
    for (int k = 0; k < 4; k++) {
        s.n_frames = n_frames[k];
        float complex *iq = echo_iq(&s, target, tau);
        sac_array in = channel_array(&s, SAC_C64, iq), other;
        sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 3e-3, 37);
        desc.f_number = 1.2;
        sac_array want = beamform(&desc, &in);
        size_t size = (size_t)sac_array_count(&want) * 8;
        for (int32_t threads = 2; threads <= 5; threads += 3) {
            desc.n_threads = threads;
            sac_array got = beamform(&desc, &in);
            assert_memory_equal(got.data, want.data, size);
            free(got.data);
        }
        float complex *inner = frames_inner(iq, &s, &other);
        desc.layout = SAC_FRAMES_INNER;
        sac_array got = beamform(&desc, &other);
        assert_memory_equal(got.data, want.data, size);
        for (int64_t f = 1; f < s.n_frames; f++) { /* amplitude 1 + f */
            const float complex *a = want.data, *b = a + f * 37 * 37;
            assert_true(cabsf(b[18 * 37 + 18] - (float)(1 + f) * a[18 * 37 + 18]) <
                        1e-3f * cabsf(b[18 * 37 + 18]));
        }
        free(got.data);
        free(inner);
        free(want.data);
        free(iq);
    }
}

static void beamform_lris_sum_to_the_compound(void **state)
{
    (void)state;
    scene s;
    double tau[3];
    linear_scene(&s, 32, 3);
    for (int t = 0; t < 3; t++) {
        double a = s.transmits[t].azimuth_rad = 0.2 * (t - 1);
        s.transmits[t].weight = 1 + t;
        tau[t] = (target[0] * sin(a) + target[2] * cos(a)) / 1540;
    }
    s.n_frames = 2;
    float complex *iq = echo_iq(&s, target, tau);
    sac_array in = channel_array(&s, SAC_C64, iq);
    sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 2e-3, 19);
    sac_array whole = beamform(&desc, &in);
    desc.lri = true;
    sac_array lri = beamform(&desc, &in);
    assert_int_equal(lri.n_dims, 4);
    assert_int_equal(lri.shape[1], 3);
    const float complex *h = whole.data, *g = lri.data;
    for (int64_t f = 0; f < 2; f++)
        for (int64_t i = 0; i < 361; i++) {
            float complex sum = 0;
            for (int64_t t = 0; t < 3; t++)
                sum += (float)(1 + t) * g[(f * 3 + t) * 361 + i];
            assert_true(cabsf(sum - h[f * 361 + i]) < 1e-3f);
        }
    free(lri.data);
    free(whole.data);
    free(iq);
}

/* Points of a grid are worked on by tiles: each value comes to its point, whatever the grid's
 * sides. */
static void beamform_of_any_grid_is_that_of_its_points(void **state)
{
    (void)state;
    static const int64_t sides[][3] = {{1, 1, 1},   {1, 1, 300}, {300, 1, 1}, {17, 1, 40},
                                       {16, 1, 16}, {40, 1, 9},  {33, 2, 17}, {31, 5, 7},
                                       {5, 3, 67},  {100, 1, 33}};
    scene s;
    const double tau[1] = {21e-3 / 1540};
    linear_scene(&s, 16, 1);
    float complex *iq = echo_iq(&s, target, tau);
    sac_array in = channel_array(&s, SAC_C64, iq);
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
        sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 2e-3, 1);
        desc.grid.first_m[1] = -1e-3;
        memcpy(desc.grid.n, sides[k], sizeof sides[k]);
        const int64_t n = sides[k][0] * sides[k][1] * sides[k][2];
        double(*points)[3] = calloc((size_t)n, sizeof *points);
        for (int64_t i = 0; i < n; i++) {
            const int64_t at[3] = {i % sides[k][0], i / sides[k][0] % sides[k][1],
                                   i / sides[k][0] / sides[k][1]};
            for (int a = 0; a < 3; a++) {
                const double first = desc.grid.first_m[a], last = desc.grid.last_m[a];
                points[i][a] =
                    sides[k][a] > 1
                        ? first + (last - first) * ((double)at[a] / (double)(sides[k][a] - 1))
                        : first;
            }
        }
        sac_array on_grid = beamform(&desc, &in);
        desc.points_m = points[0];
        desc.n_points = n;
        sac_array listed = beamform(&desc, &in);
        assert_memory_equal(on_grid.data, listed.data, (size_t)n * 8);
        free(listed.data);
        free(on_grid.data);
        free(points);
    }
    free(iq);
}

static void beamform_points_and_strides_give_the_grid_s_values(void **state)
{
    (void)state;
    static double points[23 * 23][3];
    scene s;
    const double tau[1] = {21e-3 / 1540};
    linear_scene(&s, 48, 1);
    float complex *iq = echo_iq(&s, target, tau);
    sac_array in = channel_array(&s, SAC_C64, iq);
    sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 2e-3, 23);
    desc.output = SAC_OUTPUT_ENVELOPE;
    sac_array want = beamform(&desc, &in);
    for (int i = 0; i < 23 * 23; i++) {
        points[i][0] = desc.grid.first_m[0] +
                       (desc.grid.last_m[0] - desc.grid.first_m[0]) * ((double)(i % 23) / 22);
        points[i][2] = desc.grid.first_m[2] +
                       (desc.grid.last_m[2] - desc.grid.first_m[2]) * ((double)(i / 23) / 22);
    }
    sac_beamform_desc list = desc;
    list.points_m = points[0];
    list.n_points = 23 * 23;
    sac_array got = beamform(&list, &in);
    assert_int_equal(got.n_dims, 2);
    const float *on_grid = want.data, *listed = got.data;
    for (int i = 0; i < 23 * 23; i++) /* neighbors on a grid share work: other roundings */
        assert_true(fabsf(listed[i] - on_grid[i]) < 1e-3f);

    /* x and z in the other order: the caller's strides. */
    sac_beamform *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_beamform_open(&plan, &desc, &err), &err);
    sac_array turned = got;
    const int64_t shape[] = {1, 23, 23};
    const int32_t order[] = {0, 2, 1};
    assert_int_equal(sac_array_view(&got, got.data, SAC_F32, 3, shape, NULL), SAC_OK);
    assert_int_equal(sac_array_permute(&turned, &got, order, NULL), SAC_OK);
    assert_int_equal(sac_beamform_run(plan, &turned, &in, NULL), SAC_OK);
    const float *a = want.data, *b = got.data;
    for (int i = 0; i < 23 * 23; i++)
        assert_true(a[i] == b[i % 23 * 23 + i / 23]);
    sac_beamform_close(&plan);
    free(got.data);
    free(want.data);
    free(iq);
}

/* Where the array itself lies no element looks: silence, and no NaN, beside points that are heard.
 */
static void beamform_points_at_the_array_are_silent(void **state)
{
    (void)state;
    static const char *const windows[] = {"rect", "hann", "tukey:0.3"};
    scene s;
    const double tau[1] = {21e-3 / 1540};
    linear_scene(&s, 48, 1);
    for (int k = 0; k < 6; k++) {
        s.n_frames = k % 2 ? 4 : 1;
        float complex *iq = echo_iq(&s, target, tau);
        sac_array in = channel_array(&s, SAC_C64, iq);
        sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 2e-3, 3);
        desc.f_number = 1.75;
        desc.apodization = windows[k / 2];
        desc.grid.first_m[2] = 0;
        sac_array out = beamform(&desc, &in);
        const float complex *image = out.data;
        for (int64_t i = 0; i < 9 * s.n_frames; i++)
            assert_true(isfinite(crealf(image[i])) && isfinite(cimagf(image[i])) &&
                        (i % 9 >= 3 || image[i] == 0));
        free(out.data);
        free(iq);
    }
}

static void beamform_bmode_goes_from_0_to_the_dynamic_range(void **state)
{
    (void)state;
    scene s;
    const double tau[1] = {21e-3 / 1540};
    linear_scene(&s, 48, 1);
    s.n_frames = 3;
    float complex *iq = echo_iq(&s, target, tau);
    sac_array in = channel_array(&s, SAC_C64, iq);
    sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 2e-3, 31);
    desc.output = SAC_OUTPUT_BMODE;
    desc.dynamic_range_db = 40;
    sac_array out = beamform(&desc, &in);
    for (int f = 0; f < 3; f++) {
        const float *db = (const float *)out.data + f * 31 * 31;
        float low = 0, high = -1000;
        for (int i = 0; i < 31 * 31; i++) {
            low = fminf(low, db[i]);
            high = fmaxf(high, db[i]);
        }
        assert_true(high == 0);
        assert_true(low >= -40);
        assert_true(db[15 * 31 + 15] == 0);
    }
    free(out.data);
    free(iq);
}

/* Gray is B-mode in 8 bits, whatever batch a frame is in, and in any strides. */
static void beamform_gray_is_bmode_in_8_bits(void **state)
{
    (void)state;
    static uint8_t turned[35][31][29];
    scene s;
    const double tau[1] = {21e-3 / 1540};
    linear_scene(&s, 48, 1);
    s.n_frames = 35;
    float complex *iq = echo_iq(&s, target, tau);
    sac_array in = channel_array(&s, SAC_C64, iq), gray;
    sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 2e-3, 29);
    desc.grid.n[2] = 31;
    desc.output = SAC_OUTPUT_BMODE;
    desc.dynamic_range_db = 40;
    desc.n_threads = 3;
    sac_array bmode = beamform(&desc, &in);
    desc.output = SAC_OUTPUT_GRAY;
    sac_array packed = beamform(&desc, &in);
    assert_int_equal(packed.dtype, SAC_U8);
    const int64_t shape[] = {35, 29, 31};
    const int32_t order[] = {0, 2, 1};
    assert_int_equal(sac_array_view(&gray, turned, SAC_U8, 3, shape, NULL), SAC_OK);
    assert_int_equal(sac_array_permute(&gray, &gray, order, NULL), SAC_OK);
    sac_beamform *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_beamform_open(&plan, &desc, &err), &err);
    assert_int_equal(sac_beamform_run(plan, &gray, &in, NULL), SAC_OK);
    sac_beamform_close(&plan);
    const float *db = bmode.data;
    const uint8_t *pixel = packed.data;
    const int64_t n = 35 * 31 * 29;
    for (int64_t i = 0; i < n; i++) {
        double want = 255 * (1 + (double)db[i] / 40);
        assert_true(fabs(want - pixel[i]) < 0.501);
        ptrdiff_t at =
            i / 899 * gray.stride[0] + i / 29 % 31 * gray.stride[1] + i % 29 * gray.stride[2];
        assert_int_equal(((uint8_t *)gray.data)[at], pixel[i]);
    }
    free(packed.data);
    free(bmode.data);
    free(iq);
}

/* RF of the same echo: real, sampled at four times the carrier. */
static void beamform_rf_demodulated_or_not_peaks_at_the_point(void **state)
{
    (void)state;
    scene s;
    linear_scene(&s, 64, 1);
    s.acquisition.fs_hz = 40e6;
    s.n_samples = 1400;
    int64_t n = 64 * s.n_samples;
    float *rf = malloc((size_t)n * sizeof *rf);
    int16_t *rf16 = malloc((size_t)n * sizeof *rf16);
    for (int64_t i = 0; i < n; i++) {
        double tau = (21e-3 + distance(target, s.elements[i / s.n_samples].position_m)) / 1540;
        double t = 2e-6 + (double)(i % s.n_samples) / 40e6 - tau, x = t / 0.12e-6;
        rf[i] = (float)(exp(-0.5 * x * x) * cos(2 * PI * 5e6 * t));
        rf16[i] = (int16_t)lrintf(8000 * rf[i]);
    }
    for (int k = 0; k < 6; k++) {
        bool f32 = k % 2;
        sac_array in = channel_array(&s, f32 ? SAC_F32 : SAC_I16, f32 ? (void *)rf : (void *)rf16);
        sac_beamform_desc desc = scene_desc(&s, in.dtype, target, 1e-3, 81); /* 25 um */
        desc.output = SAC_OUTPUT_ENVELOPE;
        desc.demodulate = k < 2 ? SAC_DEMODULATE_YES : SAC_DEMODULATE_NO;
        desc.band_pass = k >= 4;
        desc.band = k < 2 || k >= 4 ? "wide" : NULL; /* all of the pulse, whose height is known */
        sac_array out = beamform(&desc, &in);
        const float *image = out.data;
        int64_t best = 0;
        for (int64_t i = 1; i < 81 * 81; i++)
            best = image[i] > image[best] ? i : best;
        assert_true(llabs(best / 81 - 40) <= 1 && llabs(best % 81 - 40) <= 1);
        double full = f32 ? 64 : 64 * 8000;
        assert_true(fabs(image[best] / full - 1) < 0.06);
        free(out.data);
    }
    free(rf16);
    free(rf);
}

static void beamform_delays_are_those_of_the_definition(void **state)
{
    (void)state;
    scene s;
    linear_scene(&s, 64, 2);
    s.transmits[1].azimuth_rad = 0.2;
    sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 1e-3, 5);
    desc.f_number = 1.5;
    desc.apodization = "hann";
    sac_beamform *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_beamform_open(&plan, &desc, &err), &err);
    double delays[2 * 64], weights[64];
    sac_beamform_get_delays(plan, target, 0, delays, weights);
    uint64_t active = 0;
    for (int r = 0; r < 64; r++) {
        double rx = distance(target, s.elements[r].position_m) / 1540;
        double u = 2 * 1.5 * fabs(target[0] - s.elements[r].position_m[0]) / target[2];
        assert_true(fabs(delays[r] - (21e-3 / 1540 + rx - 2e-6)) < 1e-15);
        double tx = (target[0] * sin(0.2) + target[2] * cos(0.2)) / 1540;
        assert_true(fabs(delays[64 + r] - (tx + rx - 2e-6)) < 1e-15);
        assert_true(fabs(weights[r] - (u <= 1 ? 0.5 + 0.5 * cos(PI * u) : 0)) < 1e-12);
        active += u <= 1;
    }
    uint64_t all, some;
    sac_beamform_get_points(plan, &all, &some);
    assert_int_equal(all, 25 * 64 * 2);
    assert_true(some > 20 * active * 2 && some <= all);
    assert_non_null(strstr(sac_beamform_get_variant(plan), "das_iq_f32:"));
    sac_beamform_close(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beamform_plane_waves_focus_on_the_point),
        cmocka_unit_test(beamform_virtual_sources_focus_on_the_point),
        cmocka_unit_test(beamform_synthetic_aperture_and_delays_focus_on_the_point),
        cmocka_unit_test(beamform_volume_of_a_matrix_array_peaks_at_the_point),
        cmocka_unit_test(beamform_any_threads_and_layout_give_the_same_bytes),
        cmocka_unit_test(beamform_lris_sum_to_the_compound),
        cmocka_unit_test(beamform_of_any_grid_is_that_of_its_points),
        cmocka_unit_test(beamform_points_and_strides_give_the_grid_s_values),
        cmocka_unit_test(beamform_points_at_the_array_are_silent),
        cmocka_unit_test(beamform_bmode_goes_from_0_to_the_dynamic_range),
        cmocka_unit_test(beamform_gray_is_bmode_in_8_bits),
        cmocka_unit_test(beamform_rf_demodulated_or_not_peaks_at_the_point),
        cmocka_unit_test(beamform_delays_are_those_of_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
