/*
 * Arrays of lines, and elements that do not receive all transmits: the formulas of
 * docs/beamform.md, "Row-column arrays", in both orientations; random arrays against a sum in
 * double; what is refused; the simulator's lines.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include "refusal.h"
#include "row_column_random.h"

static void probe_row_column_crosses_its_lines(void **state)
{
    (void)state;
    rc_scene s;
    rc_open(&s, 6, 4, 3, 5);
    for (int e = 0; e < 10; e++) {
        const double *p = s.elements[e].position_m;
        const bool row = e < 6;
        assert_int_equal(s.shapes[e], row ? SAC_SHAPE_ROW : SAC_SHAPE_COLUMN);
        assert_near(p[row], row ? (e - 2.5) * PITCH : (e - 6 - 1.5) * PITCH, 1e-15);
        assert_true(p[!row] == 0 && p[2] == 0 && s.elements[e].normal[2] == 1);
        assert_near(s.elements[e].width_m, row ? 4 * PITCH : WIDTH, 1e-15);
        assert_near(s.elements[e].height_m, row ? WIDTH : 6 * PITCH, 1e-15);
    }
    for (int t = 0; t < 8; t++) {
        const sac_transmit *w = &s.transmits[t];
        assert_true((t < 3 ? w->azimuth_rad : w->elevation_rad) == 0);
        for (int e = 0; e < 10; e++) {
            const bool sends = (e < 6) == (t < 3);
            assert_true(s.fires[t * 10 + e] == sends && s.receives[t * 10 + e] == !sends);
        }
    }
    assert_near(s.transmits[0].elevation_rad, -STEER, 1e-15);
    assert_near(s.transmits[7].azimuth_rad, STEER, 1e-15);
    sac_probe_row_column(NULL, NULL, 2, 2, 1, 1);
    sac_transmits_row_column(NULL, NULL, NULL, 1, 1, 2, 2);
}

/* The paths of a row-column array as they are written: a wave along its axis, and back to the line.
 */
static void delays_are_those_of_the_two_paths(void **state)
{
    (void)state;
    rc_scene s;
    sac_error err = {0};
    sac_beamform *plan = NULL;
    double delays[8 * 10], weights[10];
    rc_open(&s, 6, 4, 3, 5);
    sac_beamform_desc d = rc_desc(&s, SAC_C64);
    d.f_number = 1;
    d.apodization = "hann";
    assert_ok(sac_beamform_open(&plan, &d, &err), &err);
    /* before all lines; beyond the ends of the columns; beyond those of both */
    const double points[3][3] = {
        {0.2e-3, -0.3e-3, 8e-3}, {-0.1e-3, 3e-3, 8e-3}, {1.5e-3, -4e-3, 6e-3}};
    for (int i = 0; i < 3; i++) {
        const double *p = points[i], x = p[0], y = p[1], z = p[2], c = s.acquisition.c_m_s;
        const double over_x = fmax(fabs(x) - 2 * PITCH, 0), over_y = fmax(fabs(y) - 3 * PITCH, 0);
        sac_beamform_get_delays(plan, p, 0, delays, weights);
        for (int e = 0; e < 10; e++) {
            const double *o = s.elements[e].position_m;
            const double across = e < 6 ? y - o[1] : x - o[0], over = e < 6 ? over_x : over_y;
            const double back = sqrt(z * z + across * across + over * over);
            const double u = 2 * hypot(across, over) / z;
            assert_near(weights[e], u <= 1 ? 0.5 + 0.5 * cos(PI * u) : 0, 1e-12);
            for (int t = 0; t < 8; t++) {
                const double a = t < 3 ? s.transmits[t].elevation_rad : s.transmits[t].azimuth_rad;
                const double out = z * cos(a) + (t < 3 ? y : x) * sin(a);
                const double came = delays[t * 10 + e];
                if ((e < 6) == (t < 3))
                    assert_true(isnan(came)); /* it sends */
                else
                    assert_near(came, (out + back) / c - s.transmits[t].t0_s, 1e-18);
            }
        }
    }
    sac_beamform_close(&plan);
}

static void points_of_a_run_are_those_of_the_lines_that_receive(void **state)
{
    (void)state;
    rc_scene s;
    sac_error err = {0};
    sac_beamform *plan = NULL;
    uint64_t all, active;
    rc_open(&s, 6, 4, 3, 5);
    sac_beamform_desc d = rc_desc(&s, SAC_C64);
    d.f_number = 0;
    assert_ok(sac_beamform_open(&plan, &d, &err), &err);
    sac_beamform_get_points(plan, &all, &active);
    const uint64_t n = (uint64_t)(d.grid.n[0] * d.grid.n[1] * d.grid.n[2]);
    assert_true(all == n * (3 * 4 + 5 * 6) && active == all);
    sac_beamform_close(&plan);
}

/* Any array of lines, areas or both, any waves that it can send, any desc: against a sum in double.
 */
static void random_arrays_agree_with_a_sum_in_double(void **state)
{
    (void)state;
    static rc_scene s;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        rc_random(&s, seed);
        rc_compare(&s, seed);
    }
}

static void grid_of_lines_is_a_volume(void **state)
{
    (void)state;
    rc_scene s;
    sac_grid grid;
    sac_sector sector;
    sac_error err = {0};
    int32_t kind;
    rc_open(&s, 8, 6, 1, 1);
    s.transmits[0].t0_s = s.transmits[1].t0_s = 0;
    assert_ok(sac_grid_suit(&grid, &kind, &sector, &s.acquisition, 512, &err), &err);
    const double lambda = s.acquisition.c_m_s / s.acquisition.fc_hz;
    assert_int_equal(kind, SAC_GRID_CARTESIAN);
    assert_near(grid.last_m[0], 2.5 * PITCH, 1e-12);
    assert_near(grid.last_m[1], 3.5 * PITCH, 1e-12);
    assert_near(grid.first_m[1], -grid.last_m[1], 1e-12);
    assert_int_equal(grid.n[1], 1 + (int64_t)ceil(7 * PITCH / (lambda / 2) - 1e-9));
    assert_true(fabs(grid.first_m[2] - lambda) < 1e-12 && grid.n[2] > 100);
}

static void lines_and_receivers_that_cannot_be_are_refused(void **state)
{
    (void)state;
    rc_scene s;
    sac_error err = {0};
    sac_acquisition *a = &s.acquisition;
#define REFUSED(change, word)                                                                      \
    do {                                                                                           \
        rc_open(&s, 6, 4, 3, 5);                                                                   \
        change;                                                                                    \
        assert_failed(sac_acquisition_check(a, &err), SAC_E_INVALID, &err, word);                  \
    } while (0)
    REFUSED(s.shapes[3] = 3, "shapes: 3 of element 3");
    REFUSED(s.shapes[3] = -1, "shapes");
    REFUSED(s.elements[2].width_m = 0, "its width is 0");
    REFUSED(s.elements[7].height_m = 0, "its height is 0");
    REFUSED((s.elements[7].normal[2] = 0, s.elements[7].normal[0] = 1), "face (0, 0, 1)");
    REFUSED(s.receives[12] = 2, "receives: of transmit 1 and element 2");
    REFUSED(memset(s.receives + 20, 0, 10), "receives: no element receives transmit 2");
    REFUSED(a->line_taper = 1.5, "line_taper");
    REFUSED(a->line_taper = NAN, "line_taper");
#undef REFUSED
}

static void plan_for_lines_names_what_is_not_built(void **state)
{
    (void)state;
    rc_scene s;
    sac_error err = {0};
    sac_beamform *plan = NULL;
    rc_open(&s, 6, 4, 3, 5);
    sac_beamform_desc d = rc_desc(&s, SAC_C64);
    d.tx_f_number = 2;
    assert_failed(sac_beamform_open(&plan, &d, &err), SAC_E_UNSUPPORTED, &err, "tx_f_number");
    d.tx_f_number = 0;
    d.tx_apodization = "lines";
    assert_failed(sac_beamform_open(&plan, &d, &err), SAC_E_UNSUPPORTED, &err, "tx_f_number");
    d.tx_apodization = NULL;
    d.reduction = "cf";
    assert_failed(sac_beamform_open(&plan, &d, &err), SAC_E_UNSUPPORTED, &err, "reduction: cf");
    d.reduction = NULL;
    s.transmits[1].kind = SAC_TRANSMIT_DIVERGING;
    s.transmits[1].source_m[2] = -5e-3;
    s.fires[10 + 8] = 1; /* a column among the rows */
    assert_failed(sac_beamform_open(&plan, &d, &err), SAC_E_UNSUPPORTED, &err, "transmit 1 fires");
    assert_null(plan);
}

/* Noise of the pulse's band, directly and in two stages: the relative L2 distance. */
static double dual_stage_error(rc_scene *s, sac_beamform_desc *d, uint64_t seed)
{
    float *image[2];
    int64_t n = 0;
    double off = 0, all = 0;
    d->dtype = SAC_F32;
    d->demodulate = SAC_DEMODULATE_AUTO;
    d->interp = SAC_INTERP_CUBIC;
    s->desc = *d;
    void *data = rc_noise(s, seed);
    for (int i = 0; i < 2; i++) {
        d->method = i == 0 ? SAC_METHOD_DIRECT : SAC_METHOD_DUAL_STAGE;
        image[i] = rc_run(&n, s, d, data, i == 0 ? NULL : "beamform:dual-stage");
    }
    for (int64_t i = 0; i < n; i++) {
        off += pow((double)image[0][i] - (double)image[1][i], 2);
        all += pow((double)image[0][i], 2);
    }
    free(image[0]);
    free(image[1]);
    free(data);
    return sqrt(off / all);
}

static void dual_stage_straight_ahead_is_direct(void **state)
{
    (void)state;
    rc_scene s;
    sac_beamform_desc d;
    rc_dual_scene(&s, &d, 0);
    assert_true(dual_stage_error(&s, &d, 1) <= 1e-5); /* the bar is 1e-3 */
    d.n_frames = 3;
    assert_true(dual_stage_error(&s, &d, 2) <= 1e-5);
}

/* Paths err by a sixteenth of a wavelength at most: 2 sin(pi / 16), where all err as much. */
static void dual_stage_steered_stays_within_its_bound(void **state)
{
    (void)state;
    rc_scene s;
    sac_beamform_desc d;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        rc_dual_scene(&s, &d, 0.3 * sac_random_uniform(seed, 1));
        d.f_number = rc_one_of(seed, 2, 4) ? 1 + 2 * sac_random_uniform(seed, 3) : 0;
        d.grid.n[0] = 1 + rc_one_of(seed, 4, 24);
        d.grid.n[1] = 1 + rc_one_of(seed, 5, 24);
        d.grid.n[2] = 1 + rc_one_of(seed, 6, 60);
        d.n_threads = 1 + rc_one_of(seed, 7, 2);
        const double error = dual_stage_error(&s, &d, seed);
        if (!(error <= 0.25))
            fail_msg("seed %llu: error %.3g", (unsigned long long)seed, error);
    }
}

static void dual_stage_that_cannot_be_says_why(void **state)
{
    (void)state;
    rc_scene s;
    sac_beamform_desc d;
    sac_beamform *plan = NULL;
    sac_error err = {0};
#define REFUSED(change, word)                                                                      \
    do {                                                                                           \
        rc_dual_scene(&s, &d, 0.1);                                                                \
        d.demodulate = SAC_DEMODULATE_AUTO;                                                        \
        d.method = SAC_METHOD_DUAL_STAGE;                                                          \
        change;                                                                                    \
        assert_failed(sac_beamform_open(&plan, &d, &err), SAC_E_UNSUPPORTED, &err, word);          \
        d.method = SAC_METHOD_AUTO;                                                                \
        d.tier = SAC_TIER_FAST;                                                                    \
        assert_ok(sac_beamform_open(&plan, &d, &err), &err);                                       \
        assert_null(strstr(sac_beamform_get_variant(plan), "dual-stage"));                         \
        sac_beamform_close(&plan);                                                                 \
    } while (0)
    REFUSED((s.acquisition.shapes = NULL, s.acquisition.receives = NULL), "no lines");
    REFUSED(memset(s.shapes, 0, sizeof s.shapes), "not only lines");
    REFUSED(d.lri = true, "image");
    REFUSED(d.demodulate = SAC_DEMODULATE_NO, "RF");
    REFUSED((d.points_m = s.points, d.n_points = 4), "volume");
    REFUSED(s.transmits[1].azimuth_rad = 0.1, "steered");
    REFUSED(d.grid.last_m[1] = 1.6e-3, "ends");
    REFUSED(d.grid.first_m[2] = 0.1e-3, "near");
#undef REFUSED
    rc_dual_scene(&s, &d, 0.1);
    d.demodulate = SAC_DEMODULATE_AUTO;
    d.tier = SAC_TIER_FAST;
    assert_ok(sac_beamform_open(&plan, &d, &err), &err);
    assert_non_null(strstr(sac_beamform_get_variant(plan), "dual-stage"));
    sac_beamform_close(&plan);
    d.method = 3;
    assert_failed(sac_beamform_open(&plan, &d, &err), SAC_E_INVALID, &err, "method");
}

static void open_without_memory_for_groups_leaves_nothing(void **state)
{
    (void)state;
    rc_scene s;
    rc_open(&s, 6, 4, 3, 5);
    sac_beamform_desc d = rc_desc(&s, SAC_C64);
    d.grid = (sac_grid){{-0.4e-3, -0.7e-3, 4e-3}, {0.5e-3, 0.7e-3, 9e-3}, {7, 5, 6}};
    d.method = SAC_METHOD_DUAL_STAGE;
    sac_error err = {0};
    sac_status status = SAC_E_NOMEM;
    int n = 0;
    for (; status == SAC_E_NOMEM && n < 1000; n++) {
        refuse_from(n);
        status = rc_try_open(&d, &err);
    }
    sac_alloc_hook(NULL);
    assert_ok(status, &err);
    assert_true(n > 12); /* six arrays of each of two groups */
}

/* A line's echo is the mean of pieces of it, however finely it is cut. */
static void line_sends_what_its_pieces_send(void **state)
{
    (void)state;
    rc_scene s;
    static float line[2048], fine[2048];
    for (int taper = 0; taper < 2; taper++) {
        rc_open(&s, 1, 1, 1, 1);
        s.elements[0].width_m = s.elements[1].height_m = 6e-3;
        s.acquisition.line_taper = taper;
        rc_echo(line, &s, (const double[3]){0.7e-3, -0.4e-3, 7e-3});
        rc_echo_in_pieces(fine, &s, (const double[3]){0.7e-3, -0.4e-3, 7e-3}, 700);
        double peak = 0, worst = 0;
        for (int i = 0; i < 2048; i++) {
            peak = fmax(peak, fabs((double)fine[i]));
            worst = fmax(worst, fabs((double)line[i] - (double)fine[i]));
        }
        assert_true(peak > 0);
        if (worst > 0.01 * peak)
            fail_msg("taper %d: %.3g of the peak", taper, worst / peak);
    }
}

/* Waves from the ends of a line come later than that from its nearest point; a Hann window leaves
 * little of them. */
static void edge_waves_come_from_the_ends_and_a_taper_takes_them(void **state)
{
    (void)state;
    rc_scene s;
    static float echo[2048];
    double edge[2];
    for (int taper = 0; taper < 2; taper++) {
        rc_open(&s, 1, 1, 1, 1);
        s.elements[0].width_m = s.elements[1].height_m = 12e-3;
        s.acquisition.line_taper = taper;
        const double z = 10e-3, c = s.acquisition.c_m_s, end = hypot(z, 6e-3);
        rc_echo(echo, &s, (const double[3]){0, 0, z});
        double peak = 0;
        edge[taper] = 0;
        for (int i = 0; i < 2048; i++) {
            const double t = s.transmits[0].t0_s + i / s.acquisition.fs_hz;
            const double v = fabs((double)echo[i]);
            peak = fmax(peak, v);
            if (fabs(t - (z + end) / c) < 0.5e-6)
                edge[taper] = fmax(edge[taper], v);
        }
        edge[taper] /= peak;
    }
    assert_true(edge[0] > 0.02);
    assert_true(edge[1] < 0.2 * edge[0]);
}

static void records_of_elements_that_do_not_receive_are_zero(void **state)
{
    (void)state;
    rc_scene s;
    static float data[8 * 10 * 512];
    rc_open(&s, 6, 4, 3, 5);
    s.n_samples = 512;
    rc_simulate(data, &s, (const double[3]){0.1e-3, 0.2e-3, 8e-3});
    for (int k = 0; k < 80; k++) {
        bool any = false;
        for (int i = 0; i < 512; i++)
            any = any || data[k * 512 + i] != 0;
        assert_true(any == s.receives[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probe_row_column_crosses_its_lines),
        cmocka_unit_test(delays_are_those_of_the_two_paths),
        cmocka_unit_test(points_of_a_run_are_those_of_the_lines_that_receive),
        cmocka_unit_test(random_arrays_agree_with_a_sum_in_double),
        cmocka_unit_test(grid_of_lines_is_a_volume),
        cmocka_unit_test(lines_and_receivers_that_cannot_be_are_refused),
        cmocka_unit_test(plan_for_lines_names_what_is_not_built),
        cmocka_unit_test(dual_stage_straight_ahead_is_direct),
        cmocka_unit_test(dual_stage_steered_stays_within_its_bound),
        cmocka_unit_test(dual_stage_that_cannot_be_says_why),
        cmocka_unit_test(open_without_memory_for_groups_leaves_nothing),
        cmocka_unit_test(line_sends_what_its_pieces_send),
        cmocka_unit_test(edge_waves_come_from_the_ends_and_a_taper_takes_them),
        cmocka_unit_test(records_of_elements_that_do_not_receive_are_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
