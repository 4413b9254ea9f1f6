/*
 * Polar grids: their points, pictures and measures, and what is refused. Pictures of all of them
 * are compared with a truth in double by tests/gpu/test_beamform_plans.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <saccade/measure_ultrasound.h>

#include "curved.h"

static const double center[3] = {0, 0, 25e-3};

static void sector_point_is_the_formula_s(void **state)
{
    (void)state;
    const sac_sector sector = {{1e-3, 2e-3, -30e-3}, 25e-3};
    double p[3] = {7, 7, 7};
    sac_sector_point(p, &sector, 0.3, -0.2, 15e-3);
    assert_near(p[0], 1e-3 + 40e-3 * sin(0.3) * cos(0.2), 1e-16);
    assert_near(p[1], 2e-3 - 40e-3 * sin(0.2), 1e-16);
    assert_near(p[2], -30e-3 + 40e-3 * cos(0.3) * cos(0.2), 1e-16);
    sac_sector_point(NULL, &sector, 0, 0, 0);
    sac_sector_point(p, NULL, 0, 0, 0);
}

static void sector_picture_shows_all_of_it(void **state)
{
    (void)state;
    const sac_sector sector = {{1e-3, 0, -10e-3}, 10e-3};
    const sac_grid grid = {.first_m = {-0.5, 0, 5e-3}, .last_m = {0.7, 0, 25e-3}, .n = {9, 1, 21}};
    sac_grid picture;
    sac_sector_picture(&picture, &grid, &sector);
    assert_near(picture.first_m[0], 1e-3 - 35e-3 * sin(0.5), 1e-15);
    assert_near(picture.last_m[0], 1e-3 + 35e-3 * sin(0.7), 1e-15);
    assert_near(picture.first_m[2], -10e-3 + 15e-3 * cos(0.7), 1e-15);
    assert_near(picture.last_m[2], 25e-3, 1e-15); /* straight ahead */
    assert_int_equal(picture.n[0], 1 + (int)ceil(35 * (sin(0.5) + sin(0.7))));
    assert_int_equal(picture.n[1], 1);
    sac_sector_picture(NULL, &grid, &sector);
}

static sac_beamform_desc sector_desc(const scene *s)
{
    sac_beamform_desc d = scene_desc(s, SAC_C64, center, 5e-3, 33);
    d.grid_kind = SAC_GRID_SECTOR;
    d.grid.first_m[0] = -0.2;
    d.grid.last_m[0] = 0.3;
    d.sector = (sac_sector){{0, 0, -RADIUS}, RADIUS};
    return d;
}

static sac_array run_plan(const sac_beamform_desc *desc, const sac_array *in)
{
    sac_beamform *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_beamform_open(&plan, desc, &err), &err);
    const sac_array out = output_of(plan);
    assert_ok(sac_beamform_run(plan, &out, in, &err), &err);
    sac_beamform_close(&plan);
    return out;
}

static void sector_has_the_values_of_its_points(void **state)
{
    (void)state;
    scene s;
    curved_scene(&s, 64, 1);
    const double tau[] = {center[2] / 1540};
    float complex *iq = echo_iq(&s, center, tau);
    const sac_array in = channel_array(&s, SAC_C64, iq);
    sac_beamform_desc d = sector_desc(&s);
    const sac_array polar = run_plan(&d, &in);
    assert_int_equal(polar.n_dims, 3);
    assert_true(polar.shape[1] == 33 && polar.shape[2] == 33);
    double *points = malloc(33 * 33 * 3 * sizeof *points);
    for (int i = 0; i < 33 * 33; i++)
        sac_sector_point(points + (ptrdiff_t)3 * i, &d.sector, -0.2 + 0.5 * ((i % 33) / 32.0), 0,
                         20e-3 + 10e-3 * ((i / 33) / 32.0));
    d.grid_kind = SAC_GRID_CARTESIAN;
    d.points_m = points;
    d.n_points = 33 * 33;
    const sac_array listed = run_plan(&d, &in);
    for (int i = 0; i < 33 * 33; i++)
        assert_true(cabsf(((float complex *)polar.data)[i] - ((float complex *)listed.data)[i]) <=
                    1e-4f * 64);
    free(points);
    free(listed.data);
    free(polar.data);
    free(iq);
}

/* Bilinear: a picture's point on a point of the sector has its value, and outside there is none. */
static void sector_picture_has_the_sector_s_values(void **state)
{
    (void)state;
    scene s;
    curved_scene(&s, 64, 1);
    const double tau[] = {center[2] / 1540};
    float complex *iq = echo_iq(&s, center, tau);
    const sac_array in = channel_array(&s, SAC_C64, iq);
    sac_beamform_desc d = sector_desc(&s);
    d.output = SAC_OUTPUT_ENVELOPE;
    const sac_array polar = run_plan(&d, &in);
    double p[3], q[3];
    sac_sector_point(p, &d.sector, -0.2 + 0.5 / 32 * 20, 0, 20e-3 + 10e-3 / 32 * 7);
    sac_sector_point(q, &d.sector, 0.31, 0, 25e-3);
    d.picture = (sac_grid){.first_m = {p[0], 0, p[2]}, .last_m = {q[0], 0, q[2]}, .n = {2, 1, 2}};
    const sac_array picture = run_plan(&d, &in);
    const float *of = picture.data;
    assert_int_equal(sac_array_count(&picture), 4);
    assert_near((double)of[0], (double)((float *)polar.data)[7 * 33 + 20], 1e-5);
    assert_true(of[0] > 0 && of[3] == 0);
    d.output = SAC_OUTPUT_GRAY;
    const sac_array gray = run_plan(&d, &in);
    assert_int_equal(((uint8_t *)gray.data)[3], 0);
    free(gray.data);
    free(picture.data);
    free(polar.data);
    free(iq);
}

static void sector_that_is_none_is_refused(void **state)
{
    (void)state;
    scene s;
    curved_scene(&s, 16, 1);
    const sac_beamform_desc good = sector_desc(&s);
    sac_beamform_desc d = good;
    d.grid_kind = 2;
    expect_refused(&d, "grid_kind: 2");
    d = good;
    d.grid.last_m[0] = 3.2;
    expect_refused(&d, "azimuths");
    d = good;
    d.grid.n[1] = 2, d.grid.last_m[1] = 1.6;
    expect_refused(&d, "elevations");
    d = good;
    d.grid.first_m[2] = -60e-3;
    expect_refused(&d, "apex");
    d = good;
    d.sector.radius_m = -1;
    expect_refused(&d, "radius");
    d = good;
    d.sector.apex_m[1] = NAN;
    expect_refused(&d, "apex");
    d = good;
    d.points_m = center, d.n_points = 1;
    expect_refused(&d, "points");
}

static void picture_that_is_none_is_refused(void **state)
{
    (void)state;
    scene s;
    curved_scene(&s, 16, 1);
    sac_beamform_desc good = sector_desc(&s);
    sac_sector_picture(&good.picture, &good.grid, &good.sector);
    sac_beamform_desc d = good;
    expect_refused(&d, "iq");
    good.output = d.output = SAC_OUTPUT_BMODE;
    d.picture.n[2] = 0;
    expect_refused(&d, "along z");
    d = good;
    d.picture.last_m[0] = NAN;
    expect_refused(&d, "along x");
    d = good;
    d.picture.n[0] = d.picture.n[2] = 20000;
    expect_refused(&d, "at most");
    d = good;
    d.picture.first_m[1] = 1e-3;
    expect_refused(&d, "plane of the sector");
    d = good;
    d.grid.n[0] = 1;
    expect_refused(&d, "two angles");
    d = good;
    d.grid_kind = SAC_GRID_CARTESIAN;
    expect_refused(&d, "cartesian");
}

/* A Gaussian in angle and depth: its widths in metres, at the radius where it is. */
static void measure_sector_point_is_in_metres(void **state)
{
    (void)state;
    enum { N = 81 };
    static float values[N * N];
    const sac_sector sector = {{0, 0, -30e-3}, 20e-3};
    const double sigma_a = 0.01, sigma_r = 0.3e-3, at[2] = {0.151, 25.03e-3};
    const int64_t shape[] = {N, N};
    double target[3];
    sac_array array;
    sac_error err = {0};
    sac_ultrasound_image image;
    sac_point_measure m;
    sac_ultrasound_image_init(&image);
    image.grid = (sac_grid){.first_m = {0, 0, 23e-3}, .last_m = {0.3, 0, 27e-3}, .n = {N, 1, N}};
    image.output = SAC_OUTPUT_ENVELOPE;
    image.samples = &array;
    for (int i = 0; i < N * N; i++) {
        const double a = (0.3 / (N - 1) * (i % N) - at[0]) / sigma_a;
        const double r = (23e-3 + 4e-3 / (N - 1) * (i / N) - at[1]) / sigma_r;
        values[i] = (float)exp(-0.5 * (a * a + r * r));
    }
    assert_ok(sac_array_view(&array, values, SAC_F32, 2, shape, &err), &err);
    sac_sector_point(target, &sector, at[0], 0, at[1]);
    assert_ok(sac_measure_sector_point(&m, &image, &sector, target, 2e-3, &err), &err);
    const double full = 2 * sqrt(2 * log(2));
    assert_near(m.error_m, 0, 1e-6);
    assert_near(m.peak_m[0], target[0], 1e-6);
    assert_near(m.peak_m[2], target[2], 1e-6);
    assert_near(m.width_m[0], full * sigma_a * 45.03e-3, 1e-6);
    assert_near(m.width_m[2], full * sigma_r, 1e-6);
    assert_failed(sac_measure_sector_point(&m, &image, NULL, target, 2e-3, &err), SAC_E_INVALID,
                  &err, "sector");
    target[0] = -20e-3;
    assert_failed(sac_measure_sector_point(&m, &image, &sector, target, 2e-3, &err), SAC_E_INVALID,
                  &err, "outside of the sector");
    sac_cyst_measure cyst;
    assert_failed(sac_measure_sector_cyst(&cyst, &image, NULL, target, 2e-3, &err), SAC_E_INVALID,
                  &err, "sector");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sector_point_is_the_formula_s),
        cmocka_unit_test(sector_picture_shows_all_of_it),
        cmocka_unit_test(sector_has_the_values_of_its_points),
        cmocka_unit_test(sector_picture_has_the_sector_s_values),
        cmocka_unit_test(sector_that_is_none_is_refused),
        cmocka_unit_test(picture_that_is_none_is_refused),
        cmocka_unit_test(measure_sector_point_is_in_metres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
