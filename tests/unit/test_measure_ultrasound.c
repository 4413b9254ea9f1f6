/*
 * Measures of beamformed images on images whose answers are known: Gaussians and sinc profiles of
 * given widths, speckle of Rayleigh's distribution.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include <saccade/measure_ultrasound.h>

#include "base/random.h"
#include "refusal.h"

#define PI 3.14159265358979323846
#define N_X 61
#define N_Y 23
#define N_Z 81
#define STEP 0.1e-3
#define N_SPECKLE 301 /* a side of the image of a cyst */

static float samples[2 * N_X * N_Y * N_Z];
static sac_array array;

static void assert_near(double came, double wanted, double tolerance)
{
    if (!(fabs(came - wanted) <= tolerance))
        fail_msg("expected %.9g within %.3g, got %.9g", wanted, tolerance, came);
}

static sac_ultrasound_image an_image(int64_t n_x, int64_t n_y, int64_t n_z,
                                     sac_beamform_output output)
{
    sac_error err = {0};
    int64_t shape[3] = {n_z, n_y > 1 ? n_y : n_x, n_x};
    assert_ok(sac_array_view(&array, samples, output == SAC_OUTPUT_IQ ? SAC_C64 : SAC_F32,
                             n_y > 1 ? 3 : 2, shape, &err),
              &err);
    sac_ultrasound_image image;
    sac_ultrasound_image_init(&image);
    image.samples = &array;
    image.output = output;
    const int64_t n[3] = {n_x, n_y, n_z};
    for (int i = 0; i < 3; i++) {
        image.grid.n[i] = n[i];
        image.grid.first_m[i] = i == 2 ? 20e-3 : -0.5 * STEP * (double)(n[i] - 1);
        image.grid.last_m[i] = image.grid.first_m[i] + STEP * (double)(n[i] - 1);
    }
    return image;
}

typedef double (*shape_fn)(const double offset_m[3]);

/* Fills the image with a shape around `at`, of magnitude 7. */
static void draw(const sac_ultrasound_image *image, const double at_m[3], shape_fn shape)
{
    const sac_grid *g = &image->grid;
    for (int64_t i = 0; i < g->n[0] * g->n[1] * g->n[2]; i++) {
        int64_t place[3] = {i % g->n[0], i / g->n[0] % g->n[1], i / g->n[0] / g->n[1]};
        double offset[3];
        for (int k = 0; k < 3; k++)
            offset[k] = g->n[k] > 1 ? g->first_m[k] + STEP * (double)place[k] - at_m[k] : 0;
        double value = 7 * shape(offset);
        if (image->output == SAC_OUTPUT_IQ) {
            samples[2 * i] = (float)(value * cos((double)i));
            samples[2 * i + 1] = (float)(value * sin((double)i));
        } else {
            samples[i] =
                (float)(image->output == SAC_OUTPUT_BMODE ? 20 * log10(fabs(value)) : fabs(value));
        }
    }
}

static const double widths[3] = {0.61e-3, 0.83e-3, 0.42e-3};

static double gaussian(const double d[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += d[i] * d[i] / (widths[i] * widths[i]);
    return exp(-4 * log(2) * sum);
}

static void measure_point_of_a_gaussian_gives_its_widths_and_place(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        bool volume = i % 2;
        sac_ultrasound_image image =
            an_image(N_X, volume ? N_Y : 1, N_Z, (sac_beamform_output)(i / 2));
        const double at[3] = {0.333e-3, volume ? -0.12e-3 : 0, 24.047e-3};
        const double asked[3] = {0.3e-3, 0, 24.1e-3};
        draw(&image, at, gaussian);
        sac_point_measure m;
        sac_error err = {0};
        assert_ok(sac_measure_point(&m, &image, asked, 2e-3, &err), &err);
        for (int k = 0; k < 3; k++) {
            if (k == 1 && !volume) {
                assert_true(isnan(m.width_m[1]));
                continue;
            }
            assert_near(m.peak_m[k], at[k], 1e-8);
            assert_near(m.width_m[k] / widths[k], 1, 1e-3);
        }
        assert_near(m.peak_db, 20 * log10(7), 1e-3);
        assert_near(m.error_m, sqrt(33e-6 * 33e-6 + 53e-6 * 53e-6 + at[1] * at[1]), 1e-8);
        assert_true(isnan(m.side_lobe_db)); /* a Gaussian has none */
    }
}

/* An aperture's: zeros each 0.6 mm, half at 0.6034 of that, -13.26 dB behind the first zero. */
static double aperture(const double d[3])
{
    double u = PI * d[0] / 0.6e-3;
    return (fabs(u) < 1e-9 ? 1 : sin(u) / u) * exp(-4 * log(2) * d[2] * d[2] / 0.16e-6);
}

static void measure_point_of_an_aperture_gives_its_side_lobe(void **state)
{
    (void)state;
    sac_ultrasound_image image = an_image(N_X, 1, N_Z, SAC_OUTPUT_ENVELOPE);
    const double at[3] = {0.02e-3, 0, 23.97e-3};
    draw(&image, at, aperture);
    sac_point_measure m;
    sac_error err = {0};
    assert_ok(sac_measure_point(&m, &image, at, 2.5e-3, &err), &err);
    assert_near(m.width_m[0] / 0.6e-3, 1.2067, 5e-3);
    assert_near(m.width_m[2] / 0.4e-3, 1, 2e-3);
    assert_near(m.side_lobe_db, -13.26, 0.05);
    assert_ok(sac_measure_point(&m, &image, at, 0.55e-3, &err), &err);
    assert_true(isnan(m.side_lobe_db)); /* the first minimum is out of reach */
}

static void measure_point_at_the_border_has_no_width(void **state)
{
    (void)state;
    sac_ultrasound_image image = an_image(N_X, 1, N_Z, SAC_OUTPUT_ENVELOPE);
    const double at[3] = {-3e-3, 0, 24e-3};
    draw(&image, at, gaussian);
    sac_point_measure m;
    sac_error err = {0};
    assert_ok(sac_measure_point(&m, &image, at, 1e-3, &err), &err);
    assert_true(isnan(m.width_m[0]));
    assert_near(m.width_m[2] / widths[2], 1, 1e-3);
}

static void measure_point_reads_any_strides(void **state)
{
    (void)state;
    sac_ultrasound_image image = an_image(N_X, 1, N_Z, SAC_OUTPUT_ENVELOPE);
    const double at[3] = {0.333e-3, 0, 24.047e-3};
    const double mirrored[3] = {-0.333e-3, 0, 24.047e-3};
    draw(&image, at, gaussian);
    sac_array whole = array;
    sac_point_measure m;
    sac_error err = {0};
    assert_ok(sac_array_flip(&array, &whole, 1, &err), &err);
    assert_ok(sac_measure_point(&m, &image, mirrored, 1e-3, &err), &err);
    assert_near(m.error_m, 0, 1e-8);
    double first = image.grid.first_m[0]; /* a grid that runs backwards shows it upright again */
    image.grid.first_m[0] = image.grid.last_m[0];
    image.grid.last_m[0] = first;
    assert_ok(sac_measure_point(&m, &image, at, 1e-3, &err), &err);
    assert_near(m.error_m, 0, 1e-8);
    assert_near(m.width_m[0] / widths[0], 1, 1e-3);
}

static void measure_point_without_a_point_is_refused(void **state)
{
    (void)state;
    sac_ultrasound_image image = an_image(N_X, 1, N_Z, SAC_OUTPUT_ENVELOPE), good = image;
    memset(samples, 0, sizeof samples);
    samples[0] = NAN;
    sac_point_measure m;
    sac_error err = {0};
    const double at[3] = {0, 0, 24e-3}, off[3] = {5e-3, 0, 24e-3}, no[3] = {0, 0, NAN};
    assert_failed(sac_measure_point(&m, &image, at, 9, &err), SAC_E_INVALID, &err, "silence");
    assert_failed(sac_measure_point(&m, &image, off, 1e-3, &err), SAC_E_INVALID, &err, "x = 5 mm");
    assert_failed(sac_measure_point(&m, &image, no, 1e-3, &err), SAC_E_INVALID, &err, "z = nan");
    assert_failed(sac_measure_point(&m, &image, at, 0, &err), SAC_E_INVALID, &err, "reach");
    image.output = SAC_OUTPUT_IQ; /* f32: RF that was beamformed as it is */
    assert_failed(sac_measure_point(&m, &image, at, 1e-3, &err), SAC_E_SHAPE, &err, "RF");
    image = good;
    image.grid.n[0]++;
    assert_failed(sac_measure_point(&m, &image, at, 1e-3, &err), SAC_E_SHAPE, &err, "grid");
    image = good;
    image.grid.last_m[2] = INFINITY;
    assert_failed(sac_measure_point(&m, &image, at, 1e-3, &err), SAC_E_INVALID, &err, "grid: z");
}

#define RADIUS 8e-3 /* of the cyst, 80 samples */

static const double center[3] = {0.5e-3, 0, 35e-3};

/* Independent Rayleigh samples, `inside` as high within the cyst as around it. */
static sac_ultrasound_image speckle(double inside, bool db)
{
    sac_ultrasound_image image =
        an_image(N_SPECKLE, 1, N_SPECKLE, db ? SAC_OUTPUT_BMODE : SAC_OUTPUT_ENVELOPE);
    for (int64_t i = 0; i < N_SPECKLE * N_SPECKLE; i++) {
        double x = image.grid.first_m[0] + STEP * (double)(i % N_SPECKLE) - center[0];
        double z = image.grid.first_m[2] + STEP * (double)(i / N_SPECKLE) - center[2];
        double s = sqrt(-2 * log(sac_random_uniform(5, (uint64_t)i)));
        s *= hypot(x, z) < RADIUS ? inside : 1;
        samples[i] = (float)(db ? 20 * log10(s) : s);
    }
    return image;
}

static void measure_cyst_of_rayleigh_speckle_gives_its_statistics(void **state)
{
    (void)state;
    const double inside[] = {0.1, 0.5, 2};
    for (int i = 0; i < 6; i++) {
        double a = inside[i / 2];
        sac_ultrasound_image image = speckle(a, i % 2);
        sac_cyst_measure m;
        sac_error err = {0};
        assert_ok(sac_measure_cyst(&m, &image, center, RADIUS, &err), &err);
        /* About 12,900 independent samples each: means are known to 0.5 %, deviations to 1 %. */
        assert_near(m.speckle_snr, sqrt(PI / 2 / (2 - PI / 2)), 0.03);
        assert_near(m.contrast_db, 20 * log10(a), 0.1);
        assert_near(m.cnr_cubdl, fabs(1 - a) * 1.913 / sqrt(1 + a * a), 0.04);
        assert_near(m.cnr_picmus_db, 20 * log10(fabs(20 * log10(a)) / 5.570), 0.2);
        /* Both densities cross where x^2 / 2 = ln(1 / a^2) / (1 / a^2 - 1). */
        double half = log(1 / (a * a)) / (1 / (a * a) - 1);
        assert_near(m.gcnr, fabs(exp(-half) - exp(-half / (a * a))), 0.03);
        assert_near((double)m.n_inside, PI * 64 * 64, 100);
        assert_near((double)m.n_outside, PI * 64 * 64, 200);
    }
}

static void measure_cyst_of_even_speckle_sees_none(void **state)
{
    (void)state;
    sac_ultrasound_image image = speckle(1, false);
    sac_cyst_measure m;
    sac_error err = {0};
    assert_ok(sac_measure_cyst(&m, &image, center, RADIUS, &err), &err);
    assert_near(m.contrast_db, 0, 0.1);
    assert_true(m.gcnr < 0.08); /* 100 bins of 12,900 samples never agree wholly */
}

static void measure_cyst_without_samples_is_refused(void **state)
{
    (void)state;
    sac_ultrasound_image image = speckle(1, false);
    sac_cyst_measure m;
    sac_error err = {0};
    const double off[3] = {1, 0, 35e-3}, no[3] = {NAN, 0, 0};
    assert_failed(sac_measure_cyst(&m, &image, off, 1e-3, &err), SAC_E_INVALID, &err, "1000");
    assert_failed(sac_measure_cyst(&m, &image, no, 1e-3, &err), SAC_E_INVALID, &err, "center");
    assert_failed(sac_measure_cyst(&m, &image, center, 0, &err), SAC_E_INVALID, &err, "radius");
    assert_failed(sac_measure_cyst(&m, &image, center, 1e-4, &err), SAC_E_INVALID, &err, "inside");
    assert_failed(sac_measure_cyst(&m, &image, center, 18e-3, &err), SAC_E_INVALID, &err, "around");
    refuse_from(0);
    sac_status came = sac_measure_cyst(&m, &image, center, RADIUS, &err);
    sac_alloc_hook(NULL);
    assert_failed(came, SAC_E_NOMEM, &err, "memory");
}

static void measures_refuse_null(void **state)
{
    (void)state;
    const double at[3] = {0, 0, 25e-3};
    sac_ultrasound_image image = an_image(N_X, 1, N_Z, SAC_OUTPUT_ENVELOPE), bare;
    sac_error err = {0};
    sac_point_measure p;
    sac_cyst_measure c;
    sac_ultrasound_image_init(&bare);
    assert_failed(sac_measure_point(NULL, &image, at, 1e-3, &err), SAC_E_INVALID, &err, "out");
    assert_failed(sac_measure_point(&p, NULL, at, 1e-3, &err), SAC_E_INVALID, &err, "image");
    assert_failed(sac_measure_point(&p, &bare, at, 1e-3, &err), SAC_E_INVALID, &err, "image");
    assert_failed(sac_measure_point(&p, &image, NULL, 1e-3, &err), SAC_E_INVALID, &err, "at");
    assert_failed(sac_measure_cyst(NULL, &image, at, 1e-3, &err), SAC_E_INVALID, &err, "out");
    assert_failed(sac_measure_cyst(&c, NULL, at, 1e-3, &err), SAC_E_INVALID, &err, "image");
    assert_failed(sac_measure_cyst(&c, &image, NULL, 1e-3, &err), SAC_E_INVALID, &err, "center");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_refuse_null),
        cmocka_unit_test(measure_point_of_a_gaussian_gives_its_widths_and_place),
        cmocka_unit_test(measure_point_of_an_aperture_gives_its_side_lobe),
        cmocka_unit_test(measure_point_at_the_border_has_no_width),
        cmocka_unit_test(measure_point_reads_any_strides),
        cmocka_unit_test(measure_point_without_a_point_is_refused),
        cmocka_unit_test(measure_cyst_of_rayleigh_speckle_gives_its_statistics),
        cmocka_unit_test(measure_cyst_of_even_speckle_sees_none),
        cmocka_unit_test(measure_cyst_without_samples_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
