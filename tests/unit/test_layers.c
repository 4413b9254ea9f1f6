/*
 * Layers of different speed of sound, and a lens: times against a search for the fastest way,
 * images against the sum at exported delays, points through a layer of fat, and what is refused.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <saccade/simulate.h>

#include "beamform/layers.h"
#include "curved.h"
#include "refusal.h"
#include "simulated_point.h"

#define N_RX 64
#define N 33
#define LENS "1:1000"
#define FAT "8:1450,1570"

/* The least value of f between a and b, by the golden section. */
static double least(double (*f)(const void *, double), const void *ctx, double a, double b)
{
    const double share = 0.5 * (sqrt(5) - 1);
    for (int i = 0; i < 100; i++) {
        const double x = b - share * (b - a), y = a + share * (b - a);
        *(f(ctx, x) < f(ctx, y) ? &b : &a) = f(ctx, x) < f(ctx, y) ? y : x;
    }
    return f(ctx, 0.5 * (a + b));
}

/* Two straight ways that meet at a border, x from the first end. */
typedef struct two_ways {
    double across, z[2], c[2];
} two_ways;

static double by_border(const void *ctx, double x)
{
    const two_ways *w = ctx;
    return hypot(x, w->z[0]) / w->c[0] + hypot(w->across - x, w->z[1]) / w->c[1];
}

static void time_through_two_layers_is_the_least(void **state)
{
    (void)state;
    static const double speeds[][2] = {{1450, 1570}, {1570, 1450}, {1000, 1540}, {1480, 3000}};
    static const double depths[][2] = {{8e-3, 30e-3}, {1e-3, 1e-3}, {20e-3, 1e-6}};
    for (int i = 0; i < 4 * 3 * 8; i++) {
        two_ways w = {.across = 5e-3 * (i / 12)};
        memcpy(w.c, speeds[i % 4], sizeof w.c);
        memcpy(w.z, depths[i / 4 % 3], sizeof w.z);
        const sac_layer path[2] = {{w.z[0], w.c[0]}, {w.z[1], w.c[1]}};
        assert_near(sac_layers_time_s(path, 2, w.across), least(by_border, &w, 0, w.across), 1e-14);
    }
}

static void hyperbola_of_one_speed_is_exact(void **state)
{
    (void)state;
    const sac_layer path[2] = {{4e-3, 1540}, {16e-3, 1540}};
    for (double reach = 2e-3; reach < 50e-3; reach *= 1.5) {
        const sac_hyperbola h = sac_layers_fit(path, 2, reach);
        assert_near(h.depth_s * 1540, 20e-3, 1e-11);
        assert_near(h.slowness_s_m * 1540, 1, 1e-9);
        assert_true(fabs(h.shift_s) < 1e-14 && sac_layers_error_s(path, 2, &h) < 1e-15);
    }
}

/* A wave of elements everywhere on z = 0, by the element at x. */
typedef struct whole_wave {
    const sac_transmit *transmit;
    const sac_layer *path;
    int32_t n;
    double p[3];
} whole_wave;

static double by_element(const void *ctx, double x)
{
    const whole_wave *w = ctx;
    const double *s = w->transmit->source_m,
                 way = sac_layers_time_s(w->path, w->n, fabs(w->p[0] - x));
    if (w->transmit->kind == SAC_TRANSMIT_PLANE)
        return x * sin(w->transmit->azimuth_rad) / 1540 + way;
    return (hypot(x - s[0], s[2]) - hypot(s[0], s[2])) / 1540 + way;
}

static void layered_scene(scene *s)
{
    linear_scene(s, N_RX, 5);
    s->n_samples = 640;
    s->acquisition.bandwidth = 0.3;
    s->transmits[1].azimuth_rad = 0.2;
    s->transmits[2].kind = SAC_TRANSMIT_DIVERGING;
    s->transmits[2].source_m[0] = 2e-3;
    s->transmits[2].source_m[2] = -8e-3;
    s->transmits[3].kind = SAC_TRANSMIT_ELEMENT;
    s->transmits[3].element = 40;
    s->transmits[4].kind = SAC_TRANSMIT_DELAYS;
    static double delays[N_RX];
    for (int e = 0; e < N_RX; e++)
        delays[e] = e % 3 ? 1e-8 * (e - 20) * (e - 20) : NAN;
    s->transmits[4].delays_s = delays;
}

static sac_beamform_desc layered_desc(const scene *s, sac_dtype dtype, double z)
{
    const double p[3] = {1e-3, 0, z};
    sac_beamform_desc d = scene_desc(s, dtype, p, 1.5e-3, N);
    d.f_number = 1;
    d.apodization = "hann";
    d.layers = "8:1450,4:1620,1570";
    d.lens = LENS;
    return d;
}

static void delays_are_those_of_the_fastest_way(void **state)
{
    (void)state;
    static const sac_layer path[4] = {{1e-3, 1000}, {8e-3, 1450}, {4e-3, 1620}, {7e-3, 1570}};
    double delays[5 * N_RX], weights[N_RX];
    const double p[3] = {3e-3, 0, 19e-3};
    sac_beamform *plan = NULL;
    sac_error err = {0};
    scene s;
    layered_scene(&s);
    sac_beamform_desc d = layered_desc(&s, SAC_C64, 19e-3);
    assert_ok(sac_beamform_open(&plan, &d, &err), &err);
    sac_beamform_get_delays(plan, p, 0, delays, weights);
    for (int t = 0; t < 5; t++) {
        const sac_transmit *own = &s.transmits[t];
        whole_wave w = {own, path, 4, {p[0], p[1], p[2]}};
        double out = t < 3 ? least(by_element, &w, -80e-3, 80e-3) : INFINITY;
        for (int e = 0; e < N_RX && t >= 3; e++)
            if (t == 4 ? !isnan(own->delays_s[e]) : e == own->element)
                out = fmin(
                    out, (t == 4 ? own->delays_s[e] : 0) +
                             sac_layers_time_s(path, 4, fabs(p[0] - s.elements[e].position_m[0])));
        for (int e = 0; e < N_RX; e++) {
            const double across = fabs(p[0] - s.elements[e].position_m[0]);
            assert_near(delays[t * N_RX + e], out + sac_layers_time_s(path, 4, across) - own->t0_s,
                        1e-13);
            const double u = 2 * across / p[2];
            assert_near(weights[e], u <= 1 ? 0.5 + 0.5 * cos(PI * u) : 0, 1e-12);
        }
    }
    sac_beamform_close(&plan);
}

static float *noise(const scene *s)
{
    const int64_t n = s->n_frames * s->acquisition.n_transmits * N_RX * s->n_samples;
    float *samples = malloc((size_t)n * 2 * sizeof *samples);
    uint32_t x = 7;
    for (int64_t i = 0; i < 2 * n; i++) {
        x = x * 1664525 + 1013904223;
        samples[i] = (float)(x >> 8) / (1 << 24) - 0.5F;
    }
    return samples;
}

static sac_array beamform(sac_beamform **kept, const sac_beamform_desc *desc, const sac_array *in)
{
    sac_beamform *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_beamform_open(&plan, desc, &err), &err);
    sac_array out = output_of(plan);
    assert_ok(sac_beamform_run(plan, &out, in, &err), &err);
    if (kept)
        *kept = plan;
    else
        sac_beamform_close(&plan);
    return out;
}

/* Echoes that change little within a delay's error: a slow wave in each record. */
static void image_is_the_sum_at_exported_delays(void **state)
{
    (void)state;
    scene s;
    layered_scene(&s);
    float *rf = noise(&s);
    for (int64_t i = 0; i < 5 * N_RX * s.n_samples; i++)
        rf[i] = (float)sin(0.05 * (double)(i % s.n_samples) + 0.7 * (double)(i / s.n_samples));
    const sac_array in = channel_array(&s, SAC_F32, rf);
    sac_beamform_desc d = layered_desc(&s, SAC_F32, 15e-3);
    d.demodulate = SAC_DEMODULATE_NO;
    sac_beamform *plan;
    sac_array out = beamform(&plan, &d, &in);
    double delays[5 * N_RX], weights[N_RX], worst = 0, most = 0;
    for (int k = 0; k < N * N; k++) {
        const double step = 3e-3 / (N - 1);
        const double p[3] = {-0.5e-3 + step * (k % N), 0, 13.5e-3 + step * (k / N)};
        double sum = 0;
        sac_beamform_get_delays(plan, p, k, delays, weights);
        for (int i = 0; i < 5 * N_RX; i++) {
            const double at = delays[i] * 20e6, a = at - floor(at);
            const float *sample = rf + i * s.n_samples + (int64_t)floor(at);
            if (weights[i % N_RX] > 0)
                sum += weights[i % N_RX] * ((1 - a) * (double)sample[0] + a * (double)sample[1]);
        }
        worst = fmax(worst, fabs(sum - (double)((const float *)out.data)[k]));
        most = fmax(most, fabs(sum));
    }
    if (!(worst <= 2e-4 * most)) /* 1e-3 of a sample, at 0.05 a sample */
        fail_msg("expected errors within 2e-4 of %g, got %g", most, worst);
    sac_beamform_close(&plan);
    free(out.data);
    free(rf);
}

static double difference(const sac_array *a, const sac_array *b)
{
    const int64_t n = sac_array_count(a) * (int64_t)sac_dtype_size(a->dtype) / 4;
    const float *x = a->data, *y = b->data;
    double error = 0, all = 0;
    for (int64_t i = 0; i < n; i++) {
        error += ((double)x[i] - (double)y[i]) * ((double)x[i] - (double)y[i]);
        all += (double)y[i] * (double)y[i];
    }
    return sqrt(error / all);
}

/* Of each kernel, of planes and volumes, frames, threads and what comes behind. */
static void layers_of_one_speed_change_nothing(void **state)
{
    (void)state;
    static const int64_t counts[] = {1, 3, 17};
    for (int i = 0; i < 24; i++) {
        scene s;
        layered_scene(&s);
        s.n_frames = counts[i % 3];
        float *samples = noise(&s);
        const sac_dtype dtype = i / 3 % 2 ? SAC_C64 : SAC_F32;
        const sac_array in = channel_array(&s, dtype, samples);
        sac_beamform_desc d = layered_desc(&s, dtype, 15e-3);
        d.apodization = "rect";
        d.grid.n[0] = 13, d.grid.n[2] = 11;
        d.n_threads = 1 + i % 2;
        d.lri = i % 4 == 1;
        d.demodulate = dtype == SAC_F32 && i / 6 % 2 ? SAC_DEMODULATE_NO : SAC_DEMODULATE_AUTO;
        d.tier = i % 5 ? SAC_TIER_FP32 : SAC_TIER_EXACT;
        d.f_number = i % 7 ? 0.83 : 0;
        d.reduction = i % 11 == 10 && d.demodulate == SAC_DEMODULATE_AUTO ? "cf" : NULL;
        if (i / 12) {
            d.grid.n[1] = 3;
            d.grid.first_m[1] = -1e-3;
            d.grid.last_m[1] = 2e-3;
        }
        d.lens = NULL;
        d.layers = "5:1540,9.5:1540,1540";
        sac_array layered = beamform(NULL, &d, &in);
        d.layers = NULL;
        sac_array plain = beamform(NULL, &d, &in);
        const double error = difference(&layered, &plain);
        if (!(error <= 1.5e-4))
            fail_msg("case %d: expected a difference within 1.5e-4, got %g", i, error);
        free(layered.data);
        free(plain.data);
        free(samples);
    }
}

/* Where the image of a point at p is brightest: x, z; and how wide it is along x at half of that.
 */
typedef struct spot {
    double x, z, width;
} spot;

static spot image_of_point(const double p[3], const char *layers, const char *lens, bool corrected,
                           double f_number, double around_z)
{
    scene s;
    linear_scene(&s, 128, 3);
    s.n_samples = 1600;
    for (int t = 0; t < 3; t++)
        s.transmits[t].azimuth_rad = 0.1 * (t - 1);
    float *rf = malloc((size_t)(3 * 128 * s.n_samples) * sizeof *rf);
    simulate_point(rf, &s.acquisition, s.n_samples, p, layers, lens);
    const sac_array in = channel_array(&s, SAC_F32, rf);
    const double middle[3] = {p[0], 0, around_z};
    sac_beamform_desc d = scene_desc(&s, SAC_F32, middle, 0.6e-3, 81);
    d.f_number = f_number;
    d.output = SAC_OUTPUT_ENVELOPE;
    d.layers = corrected ? layers : NULL;
    d.lens = corrected ? lens : NULL;
    sac_array out = beamform(NULL, &d, &in);
    const float *image = out.data;
    int best = 0, wide = 0;
    for (int k = 0; k < 81 * 81; k++)
        best = image[k] > image[best] ? k : best;
    for (int k = 0; k < 81; k++)
        wide += 2 * image[best / 81 * 81 + k] > image[best];
    const spot at = {p[0] + 1.5e-5 * (best % 81 - 40), around_z + 1.5e-5 * (best / 81 - 40),
                     1.5e-5 * wide};
    free(out.data);
    free(rf);
    return at;
}

/* Uncorrected it lies where straight ahead the same time takes it, at one speed. */
static void point_through_fat_is_in_place_where_it_is_known(void **state)
{
    (void)state;
    const double p[3] = {2e-3, 0, 25e-3};
    const double seen = 1540 * (8e-3 / 1450 + 17e-3 / 1570);
    const spot plain = image_of_point(p, NULL, NULL, false, 1.75, p[2]);
    const spot shifted = image_of_point(p, FAT, NULL, false, 1.75, seen);
    const spot corrected = image_of_point(p, FAT, NULL, true, 1.75, p[2]);
    assert_near(shifted.z, seen, 3e-5);
    assert_near(corrected.z, p[2], 2e-5);
    assert_near(corrected.x, p[0], 2e-5);
    assert_near(corrected.width, plain.width, 3e-5);
}

/* A lens of 1.5 mm and 1000 m/s: 1.5 us each way, which bend an aperture of f/1 beside. */
static void point_through_a_lens_is_in_place_and_sharp(void **state)
{
    (void)state;
    const double p[3] = {-1e-3, 0, 12e-3};
    const double seen = 12e-3 + 1540 * 1.5e-6;
    const spot plain = image_of_point(p, NULL, NULL, false, 1, p[2]);
    const spot blurred = image_of_point(p, NULL, "1.5:1000", false, 1, seen);
    const spot corrected = image_of_point(p, NULL, "1.5:1000", true, 1, p[2]);
    assert_near(blurred.z, seen, 0.25e-3);
    assert_true(blurred.width > 1.1 * plain.width);
    assert_near(corrected.z, p[2], 2e-5);
    assert_near(corrected.x, p[0], 2e-5);
    /* As wide as the waves' slowness along x, at the aperture's edge, is small. */
    const sac_layer path[2] = {{1.5e-3, 1000}, {12e-3, 1540}};
    const double slowness =
        (sac_layers_time_s(path, 2, 6e-3) - sac_layers_time_s(path, 2, 5.999e-3)) / 1e-6;
    assert_near(corrected.width, plain.width * sin(atan(0.5)) / 1540 / slowness, 3e-5);
}

static void texts_of_layers_that_are_odd_are_refused(void **state)
{
    (void)state;
    static const char *const layers[] = {"",
                                         "1450:",
                                         "5:1450",
                                         "5:1450,",
                                         ":1450,1540",
                                         "0:1450,1540",
                                         "5:50,1540",
                                         "5;1450,1540",
                                         "nan:1450,1540",
                                         "5:1450,1540,1600",
                                         "5mm:1450,1540",
                                         "5:1450,1540 "};
    static const char *const lenses[] = {"",        "1",           "1:",      "1:99",
                                         "-1:1000", "1:1000,1540", "1e9:1000"};
    sac_layers out;
    sac_error err = {0};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        assert_failed(sac_layers_read(&out, NULL, layers[i], 1540, &err), SAC_E_INVALID, &err,
                      "layers: expected MM:M_S,...,M_S");
    for (size_t i = 0; i < sizeof lenses / sizeof *lenses; i++)
        assert_failed(sac_layers_read(&out, lenses[i], NULL, 1540, &err), SAC_E_INVALID, &err,
                      "lens: expected MM:M_S");
    assert_ok(sac_layers_read(&out, "1:1000", "2:1570,5:1450,1540", 1480, &err), &err);
    assert_int_equal(out.n, 4);
    assert_ok(sac_layers_read(&out, NULL, "1540", 1480, &err), &err);
    assert_int_equal(out.n, 1);
    char many[512] = "";
    for (int i = 0; i < SAC_LAYERS; i++)
        strcat(many, "1:1500,");
    assert_failed(sac_layers_read(&out, NULL, strcat(many, "1540"), 1540, &err), SAC_E_INVALID,
                  &err, "up to 16 layers");
}

static void layers_refuse_what_they_cannot(void **state)
{
    (void)state;
    const double points[6] = {0, 0, 10e-3, 0, 0, -1e-9};
    sac_beamform *plan = NULL;
    sac_error err = {0};
    scene s, odd;
    layered_scene(&s);
    const sac_beamform_desc valid = layered_desc(&s, SAC_C64, 15e-3);
    sac_beamform_desc d = valid;
#define REFUSED(status, word)                                                                      \
    assert_failed(sac_beamform_open(&plan, &d, &err), status, &err, word);                         \
    assert_null(plan);                                                                             \
    d = valid
    d.layers = "x";
    REFUSED(SAC_E_INVALID, "layers: expected");
    d.grid.first_m[2] = 0;
    REFUSED(SAC_E_UNSUPPORTED, "at z above 0");
    d.points_m = points, d.n_points = 2, d.f_number = 0;
    REFUSED(SAC_E_UNSUPPORTED, "need an f-number where points do not lie before the array");
    d.points_m = points + 3, d.n_points = 1;
    REFUSED(SAC_E_UNSUPPORTED, "and there are none");
    d.f_number = 0, d.grid.first_m[2] = d.grid.last_m[2] = 0.1e-3, d.lens = "2:300";
    d.layers = NULL;
    REFUSED(SAC_E_UNSUPPORTED, "a sixteenth of a period");
    d.layers = "5:9000,1540";
    REFUSED(SAC_E_INVALID, "transmit 1 is steered so far");
    odd = s;
    odd.acquisition.elements = odd.elements;
    odd.acquisition.transmits = odd.transmits;
    odd.transmits[0].kind = SAC_TRANSMIT_FOCUSED;
    odd.transmits[0].source_m[2] = 20e-3;
    d.acquisition = &odd.acquisition;
    REFUSED(SAC_E_UNSUPPORTED, "transmit 0 is focused");
    odd.transmits[0].kind = SAC_TRANSMIT_DIVERGING;
    d.acquisition = &odd.acquisition;
    REFUSED(SAC_E_UNSUPPORTED, "transmit 0 diverges from before the array");
    odd.transmits[0].kind = SAC_TRANSMIT_PLANE;
    odd.elements[5].position_m[2] = -1e-4;
    d.acquisition = &odd.acquisition;
    REFUSED(SAC_E_UNSUPPORTED, "element 5 does not lie at z = 0");
#undef REFUSED
}

static void layers_of_simulated_data_refuse_what_they_cannot(void **state)
{
    (void)state;
    scene s;
    sac_error err = {0};
    layered_scene(&s);
    sac_scatterer point = {{0, 0, -1e-3}, 1};
    sac_ultrasound_desc u;
    sac_ultrasound_desc_init(&u);
    u.acquisition = &s.acquisition;
    u.scatterers = &point;
    u.n_scatterers = 1;
    u.n_samples = 8;
    u.lens = LENS;
    float rf[5 * N_RX * 8];
    sac_array out;
    assert_ok(sac_array_view(&out, rf, SAC_F32, 3, (const int64_t[]){5, N_RX, 8}, &err), &err);
    assert_failed(sac_simulate_ultrasound(&out, &u, &err), SAC_E_UNSUPPORTED, &err,
                  "scatterer 0 lies behind the array");
    point.position_m[2] = 1e-3;
    assert_ok(sac_simulate_ultrasound(&out, &u, &err), &err);
    u.layers = "x";
    assert_failed(sac_simulate_ultrasound(&out, &u, &err), SAC_E_INVALID, &err, "layers: expected");
    u.layers = NULL;
    sac_probe_curved(s.elements, N_RX, RADIUS, PITCH, 0, 0);
    assert_failed(sac_simulate_ultrasound(&out, &u, &err), SAC_E_UNSUPPORTED, &err, "need a flat");
}

static void layers_open_without_memory_fails_cleanly(void **state)
{
    (void)state;
    sac_beamform *plan = NULL;
    sac_error err = {0};
    scene s;
    layered_scene(&s);
    const sac_beamform_desc d = layered_desc(&s, SAC_C64, 15e-3);
    sac_status status = SAC_E_NOMEM;
    for (int n = 0; n < 100 && status != SAC_OK; n++) {
        refuse_from(n);
        status = sac_beamform_open(&plan, &d, &err);
        assert_true(status == SAC_OK ? plan != NULL : plan == NULL);
        assert_true(status == SAC_OK || status == SAC_E_NOMEM);
    }
    sac_alloc_hook(NULL);
    assert_int_equal(status, SAC_OK);
    sac_beamform_close(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_through_two_layers_is_the_least),
        cmocka_unit_test(hyperbola_of_one_speed_is_exact),
        cmocka_unit_test(delays_are_those_of_the_fastest_way),
        cmocka_unit_test(image_is_the_sum_at_exported_delays),
        cmocka_unit_test(layers_of_one_speed_change_nothing),
        cmocka_unit_test(point_through_fat_is_in_place_where_it_is_known),
        cmocka_unit_test(point_through_a_lens_is_in_place_and_sharp),
        cmocka_unit_test(texts_of_layers_that_are_odd_are_refused),
        cmocka_unit_test(layers_refuse_what_they_cannot),
        cmocka_unit_test(layers_of_simulated_data_refuse_what_they_cannot),
        cmocka_unit_test(layers_open_without_memory_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
