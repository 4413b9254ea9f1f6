/*
 * Layers and a lens before sectors, lists of points and grids, with and without transmit
 * apodization: images of noise against a sum in double at Fermat's delays, and a phased array's
 * picture of a point.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layered_random.h"

#include "refusal.h"
#include "simulated_point.h"

/* With an f-number; without one delays are known to a sixteenth of a period alone: a quarter of a
 * sample, of white noise. */
static void random_layers_agree_with_a_sum_at_fermat_s_delays(void **state)
{
    (void)state;
    int n_known = 0;
    for (uint64_t seed = 1; seed <= 80; seed++) {
        layered_random r;
        layered_by_chance(&r, seed, false);
        const double error = layered_error(&r, seed);
        n_known += error >= 0;
        if (!(error <= (r.desc.f_number > 0 ? 2e-3 : 0.3)))
            fail_msg("seed %llu: error %.3g", (unsigned long long)seed, error);
    }
    assert_in_range(n_known, 70, 80);
}

/* Of one speed, every layer alike: what there is without layers. */
static void layers_of_one_speed_change_no_picture_of_points(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        sac_array out[2];
        layered_random r;
        layered_by_chance(&r, seed, false);
        r.desc.lens = NULL;
        r.desc.tier = SAC_TIER_EXACT;
        float *data = lr_noise(&r, seed);
        const sac_array in = channel_array(&r.s, r.desc.dtype, data);
        for (int k = 0; k < 2; k++) {
            sac_error err = {0};
            sac_beamform *plan = NULL;
            r.desc.layers = k ? "3:1540,6:1540,1540" : NULL;
            assert_ok(sac_beamform_open(&plan, &r.desc, &err), &err);
            out[k] = output_of(plan);
            assert_ok(sac_beamform_run(plan, &out[k], &in, &err), &err);
            sac_beamform_close(&plan);
        }
        const int64_t n = sac_array_count(&out[0]) * (int64_t)sac_dtype_size(out[0].dtype) / 4;
        double off = 0, all = 0;
        for (int64_t i = 0; i < n; i++) {
            const double a = (double)((float *)out[0].data)[i],
                         b = (double)((float *)out[1].data)[i];
            off += (a - b) * (a - b);
            all += a * a;
        }
        if (!(off <= 1e-10 * all))
            fail_msg("seed %llu: error %.3g", (unsigned long long)seed, sqrt(off / all));
        free(out[0].data);
        free(out[1].data);
        free(data);
    }
}

/* Where a sector's picture of a point is brightest, off its place. */
static double off_its_place(const double p[3], const char *lens, double depth_m, double azimuth_rad)
{
    enum { N = 61 };
    scene s;
    sac_error err = {0};
    linear_scene(&s, 64, 5);
    s.n_samples = 1500;
    for (int t = 0; t < 5; t++) {
        sac_transmit_init(&s.transmits[t], SAC_TRANSMIT_DIVERGING);
        s.transmits[t].source_m[0] = 3e-3 * (t - 2);
        s.transmits[t].source_m[2] = -10e-3;
    }
    float *rf = malloc((size_t)(5 * 64 * s.n_samples) * sizeof *rf);
    simulate_point(rf, &s.acquisition, s.n_samples, p, NULL, "1.2:1000");
    const sac_array in = channel_array(&s, SAC_F32, rf);
    sac_beamform_desc d = scene_desc(&s, SAC_F32, p, 0, 1);
    d.grid_kind = SAC_GRID_SECTOR;
    d.sector.apex_m[2] = -10e-3;
    d.sector.radius_m = 10e-3;
    d.grid = (sac_grid){{azimuth_rad - 0.03, 0, depth_m - 1.5e-3},
                        {azimuth_rad + 0.03, 0, depth_m + 1.5e-3},
                        {N, 1, N}};
    d.f_number = 1.2;
    d.output = SAC_OUTPUT_ENVELOPE;
    d.lens = lens;
    sac_beamform *plan = NULL;
    assert_ok(sac_beamform_open(&plan, &d, &err), &err);
    sac_array out = output_of(plan);
    assert_ok(sac_beamform_run(plan, &out, &in, &err), &err);
    sac_beamform_close(&plan);
    int best = 0;
    for (int k = 0; k < N * N; k++)
        best = ((float *)out.data)[k] > ((float *)out.data)[best] ? k : best;
    double at[3];
    sac_sector_point(at, &d.sector, azimuth_rad + 1e-3 * (best % N - N / 2), 0,
                     depth_m + 5e-5 * (best / N - N / 2));
    free(out.data);
    free(rf);
    return distance(at, p);
}

static void point_of_a_sector_behind_a_lens_is_in_place(void **state)
{
    (void)state;
    const double azimuth = 0.4, depth = 22e-3; /* from the apex, 10 mm behind the array */
    const double p[3] = {32e-3 * sin(azimuth), 0, 32e-3 * cos(azimuth) - 10e-3};
    const double known = off_its_place(p, "1.2:1000", depth, azimuth);
    const double unknown = off_its_place(p, NULL, depth, azimuth);
    assert_true(unknown > 1e-3);
    if (!(known <= 8e-5))
        fail_msg("expected the point in place, got it %.3g mm off", 1e3 * known);
}

/* An aperture ends at z = 0: what lies beside the array is 0, and has no delay. */
static void points_beside_the_array_are_nothing(void **state)
{
    (void)state;
    const double points[] = {0, 0, 5e-3, 3e-3, 0, 0, 1e-3, 0, -2e-3, 0, 0, 6e-3};
    scene s;
    sac_error err = {0};
    sac_beamform *plan = NULL;
    linear_scene(&s, 32, 2);
    sac_beamform_desc d = scene_desc(&s, SAC_C64, points, 0, 1);
    d.points_m = points;
    d.n_points = 4;
    d.f_number = 1;
    d.lens = "1:1000";
    assert_ok(sac_beamform_open(&plan, &d, &err), &err);
    float *data = malloc((size_t)(2 * 32 * s.n_samples) * 2 * sizeof *data);
    for (int64_t i = 0; i < 2 * 32 * s.n_samples * 2; i++)
        data[i] = 1;
    const sac_array in = channel_array(&s, SAC_C64, data);
    sac_array out = output_of(plan);
    assert_ok(sac_beamform_run(plan, &out, &in, &err), &err);
    for (int k = 0; k < 4; k++) {
        double delays[64], weights[32];
        sac_beamform_get_delays(plan, points + 3 * k, k, delays, weights);
        const bool before = points[3 * k + 2] > 0;
        assert_int_equal(((float *)out.data)[2 * k] != 0, before);
        assert_int_equal(isnan(delays[0]), !before);
    }
    sac_beamform_close(&plan);
    free(out.data);
    free(data);
}

static void lists_behind_layers_open_without_memory_fails_cleanly(void **state)
{
    (void)state;
    layered_random r;
    sac_error err = {0};
    sac_beamform *plan = NULL;
    layered_by_chance(&r, 1, false);
    r.desc.points_m = r.points;
    r.desc.n_points = LR_POINTS;
    for (int i = 0; i < LR_POINTS; i++)
        r.points[3 * i + 2] = 2e-3 + 1e-5 * i; /* below each other */
    r.desc.grid_kind = SAC_GRID_CARTESIAN;
    r.desc.f_number = 1;
    r.desc.layers = "3:1450,1540";
    sac_status status = SAC_E_NOMEM;
    for (int n = 0; n < 200 && status != SAC_OK; n++) {
        refuse_from(n);
        status = sac_beamform_open(&plan, &r.desc, &err);
        assert_true(status == SAC_OK ? plan != NULL : plan == NULL);
        if (status != SAC_OK)
            assert_failed(status, SAC_E_NOMEM, &err, "memory");
    }
    sac_alloc_hook(NULL);
    assert_int_equal(status, SAC_OK);
    sac_beamform_close(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_layers_agree_with_a_sum_at_fermat_s_delays),
        cmocka_unit_test(layers_of_one_speed_change_no_picture_of_points),
        cmocka_unit_test(point_of_a_sector_behind_a_lens_is_in_place),
        cmocka_unit_test(points_beside_the_array_are_nothing),
        cmocka_unit_test(lists_behind_layers_open_without_memory_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
