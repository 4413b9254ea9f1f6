/*
 * Curved arrays, the grids that suit a probe, the elements that fire and the fields of waves:
 * formulas, and what is refused. Pictures of all of them are compared with a truth in double by
 * tests/gpu/test_beamform_plans.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include "curved.h"

static const double center[3] = {0, 0, 25e-3};

static void probe_curved_lies_on_its_arc(void **state)
{
    (void)state;
    sac_element e[129];
    sac_probe_curved(e, 129, RADIUS, PITCH, 1e-4, 2e-4);
    for (int i = 0; i < 129; i++) {
        const double x = e[i].position_m[0], z = e[i].position_m[2] + RADIUS;
        assert_near(hypot(x, z), RADIUS, 1e-15);
        assert_near(atan2(x, z), (i - 64) * PITCH / RADIUS, 1e-14);
        assert_near(e[i].normal[0], x / RADIUS, 1e-14);
        assert_near(e[i].normal[2], z / RADIUS, 1e-14);
        assert_true(e[i].position_m[1] == 0 && e[i].normal[1] == 0);
        assert_true(e[i].width_m == 1e-4 && e[i].height_m == 2e-4);
    }
    assert_true(e[64].position_m[0] == 0 && e[64].position_m[2] == 0);
    sac_probe_curved(NULL, 4, RADIUS, PITCH, 0, 0);
}

static void transmit_apertures_are_as_wide_as_the_f_number_says(void **state)
{
    (void)state;
    scene s;
    double fires[3 * 64];
    linear_scene(&s, 64, 3);
    s.transmits[0].kind = SAC_TRANSMIT_FOCUSED;
    s.transmits[0].source_m[0] = s.elements[20].position_m[0];
    s.transmits[0].source_m[2] = 12e-3;
    s.transmits[1].kind = SAC_TRANSMIT_DIVERGING;
    s.transmits[1].source_m[2] = -3e-3;
    sac_transmit_apertures(fires, s.transmits, 3, s.elements, 64, 4);
    for (int e = 0; e < 64; e++) { /* 3 mm wide; 0.75 mm; all */
        assert_true(fires[e] == (abs(e - 20) <= 5));
        const double off = fmin(fabs(e - 31.0), fabs(e - 32.0)) * 0.3e-3;
        assert_true(fires[64 + e] == 1 || off > 0.1e-3);
        assert_true(fires[64 + e] == 0 || off < 0.7e-3);
        assert_true(fires[128 + e] == 1);
    }
    sac_transmit_apertures(fires, s.transmits, 3, s.elements, 64, 0);
    for (int e = 0; e < 192; e++)
        assert_true(fires[e] == 1);
    sac_transmit_apertures(NULL, s.transmits, 3, s.elements, 64, 0);
}

static void grid_suits_a_curved_array(void **state)
{
    (void)state;
    scene s;
    sac_grid grid, flat;
    sac_sector sector;
    sac_error err = {0};
    int32_t kind;
    curved_scene(&s, 128, 1);
    assert_ok(sac_grid_suit(&grid, &kind, &sector, &s.acquisition, s.n_samples, &err), &err);
    const double lambda = 1540 / 3.57e6, half = 63.5 * PITCH / RADIUS;
    assert_int_equal(kind, SAC_GRID_SECTOR);
    assert_near(sector.apex_m[0], 0, 1e-12);
    assert_near(sector.apex_m[2], -RADIUS, 1e-9);
    assert_near(sector.radius_m, RADIUS, 1e-9);
    assert_near(grid.first_m[0], -half, 1e-9);
    assert_near(grid.last_m[0], half, 1e-9);
    assert_int_equal(grid.n[1], 1);
    assert_ok(sac_grid_default(&flat, &s.acquisition, s.n_samples, &err), &err);
    assert_true(grid.first_m[2] == flat.first_m[2] && grid.last_m[2] == flat.last_m[2]);
    /* a third of a wavelength over the width of 59 mm */
    const double step = (grid.last_m[0] - grid.first_m[0]) / (double)(grid.n[0] - 1);
    assert_true(step <= lambda / 3 / (2 * RADIUS * sin(half)) && step > 0.95 * lambda / 180e-3);
    s.elements[3].position_m[2] += 2e-3; /* no arc any more */
    assert_ok(sac_grid_suit(&grid, &kind, &sector, &s.acquisition, s.n_samples, &err), &err);
    assert_int_equal(kind, SAC_GRID_CARTESIAN);
}

static void grid_suits_a_phased_array(void **state)
{
    (void)state;
    scene s;
    sac_grid grid;
    sac_sector sector;
    sac_error err = {0};
    int32_t kind;
    linear_scene(&s, 64, 2);
    s.acquisition.fc_hz = 2.5e6; /* 0.49 wavelengths between elements */
    for (int t = 0; t < 2; t++) {
        s.transmits[t].kind = SAC_TRANSMIT_DIVERGING;
        s.transmits[t].source_m[0] = t ? 2e-3 : -2e-3;
        s.transmits[t].source_m[2] = -20e-3;
    }
    assert_ok(sac_grid_suit(&grid, &kind, &sector, &s.acquisition, s.n_samples, &err), &err);
    assert_int_equal(kind, SAC_GRID_SECTOR);
    assert_near(sector.apex_m[2], -20e-3, 1e-15);
    assert_near(sector.radius_m, 20e-3, 1e-15);
    /* from the source at -2 mm past the element at 9.45 mm */
    const double deepest = grid.last_m[2];
    assert_near(grid.last_m[0], atan2(9.45e-3 + 11.45 / 20 * deepest, deepest + 20e-3), 1e-9);
    assert_near(grid.first_m[0], -grid.last_m[0], 1e-15);
    s.transmits[1].source_m[2] = -10e-3; /* no depth that both have: the array's middle */
    assert_ok(sac_grid_suit(&grid, &kind, &sector, &s.acquisition, s.n_samples, &err), &err);
    assert_true(kind == SAC_GRID_SECTOR && sector.apex_m[2] == 0 && sector.radius_m == 0);
    assert_near(grid.last_m[0], 0.25 * PI, 1e-12);
    for (int t = 0; t < 2; t++) /* straight ahead, nothing is gained by a sector */
        s.transmits[t].kind = SAC_TRANSMIT_PLANE;
    assert_ok(sac_grid_suit(&grid, &kind, &sector, &s.acquisition, s.n_samples, &err), &err);
    assert_int_equal(kind, SAC_GRID_CARTESIAN);
}

static void grid_that_suits_a_linear_array_is_the_default(void **state)
{
    (void)state;
    scene s;
    sac_grid grid, wanted;
    sac_sector sector;
    sac_error err = {0};
    int32_t kind;
    linear_scene(&s, 64, 1); /* 0.97 wavelengths between elements */
    s.transmits[0].azimuth_rad = 0.3;
    assert_ok(sac_grid_default(&wanted, &s.acquisition, s.n_samples, &err), &err);
    assert_ok(sac_grid_suit(&grid, &kind, &sector, &s.acquisition, s.n_samples, &err), &err);
    assert_int_equal(kind, SAC_GRID_CARTESIAN);
    assert_memory_equal(&grid, &wanted, sizeof grid);
    assert_true(fabs(sector.apex_m[0]) < 1e-9 && sector.radius_m == 0);
    assert_failed(sac_grid_suit(&grid, NULL, &sector, &s.acquisition, 9, &err), SAC_E_INVALID, &err,
                  "kind");
    assert_failed(sac_grid_suit(NULL, &kind, &sector, &s.acquisition, 9, &err), SAC_E_INVALID, &err,
                  "grid");
}

/* Foci a step apart: Hann windows of that half width sum to 1, everywhere between the outer two. */
static void transmit_weights_share_a_point_among_foci(void **state)
{
    (void)state;
    scene s;
    double weights[16];
    sac_error err = {0};
    linear_scene(&s, 64, 16);
    for (int t = 0; t < 16; t++) {
        s.transmits[t].kind = SAC_TRANSMIT_FOCUSED;
        s.transmits[t].source_m[0] = 1e-3 * (t - 7.5);
        s.transmits[t].source_m[2] = 1000; /* axes that are parallel */
        s.transmits[t].weight = 2;
    }
    sac_beamform_desc d = scene_desc(&s, SAC_C64, center, 1e-3, 3);
    d.tx_f_number = 100;
    sac_beamform *plan = NULL;
    assert_ok(sac_beamform_open(&plan, &d, &err), &err);
    const double p[3] = {0.3e-3, 0, 1000};
    sac_beamform_get_transmit_weights(plan, p, weights);
    for (int t = 0; t < 16; t++) {
        const double u = fabs(p[0] - s.transmits[t].source_m[0]) / 1e-3;
        assert_near(weights[t], u < 1 ? 1 + cos(PI * u) : 0, 1e-3);
    }
    sac_beamform_get_transmit_weights(plan, NULL, weights);
    sac_beamform_close(&plan);
    d.tx_apodization = "lines";
    assert_ok(sac_beamform_open(&plan, &d, &err), &err);
    sac_beamform_get_transmit_weights(plan, p, weights);
    for (int t = 0; t < 16; t++)
        assert_true(weights[t] == (t == 8 ? 2 : 0));
    sac_beamform_close(&plan);
    d.tx_apodization = NULL;
    d.tx_f_number = 0;
    assert_ok(sac_beamform_open(&plan, &d, &err), &err);
    sac_beamform_get_transmit_weights(plan, p, weights);
    assert_true(weights[0] == 2 && weights[15] == 2);
    sac_beamform_close(&plan);
}

static void transmit_apodization_that_is_none_is_refused(void **state)
{
    (void)state;
    static double delays[16], amplitudes[2 * 16];
    scene s;
    sac_error err = {0};
    sac_beamform *plan = NULL;
    linear_scene(&s, 16, 2);
    sac_beamform_desc d = scene_desc(&s, SAC_C64, center, 1e-3, 3);
    d.tx_apodization = "triangle";
    expect_refused(&d, "tx-apodization");
    d.tx_apodization = NULL;
    d.tx_f_number = -1;
    expect_refused(&d, "tx-f-number");
    d.tx_f_number = 0;
    s.acquisition.tx_apodization = amplitudes;
    expect_refused(&d, "transmit 0 fires no element");
    amplitudes[3] = amplitudes[16] = 1;
    assert_ok(sac_acquisition_check(&s.acquisition, &err), &err);
    amplitudes[20] = INFINITY;
    expect_refused(&d, "transmit 1 and element 4");
    s.acquisition.tx_apodization = NULL;
    s.transmits[1].kind = SAC_TRANSMIT_DELAYS;
    s.transmits[1].delays_s = delays;
    d.tx_apodization = "lines";
    assert_failed(sac_beamform_open(&plan, &d, &err), SAC_E_UNSUPPORTED, &err, "transmit 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probe_curved_lies_on_its_arc),
        cmocka_unit_test(transmit_apertures_are_as_wide_as_the_f_number_says),
        cmocka_unit_test(grid_suits_a_curved_array),
        cmocka_unit_test(grid_suits_a_phased_array),
        cmocka_unit_test(grid_that_suits_a_linear_array_is_the_default),
        cmocka_unit_test(transmit_weights_share_a_point_among_foci),
        cmocka_unit_test(transmit_apodization_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
