/*
 * The phantoms of the ultrasound simulator: where scatterers lie, how many, how bright.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include <saccade/simulate.h>

#define PI 3.14159265358979323846

static void assert_near(double came, double wanted, double tolerance)
{
    if (!(fabs(came - wanted) <= tolerance))
        fail_msg("expected %.9g within %.3g, got %.9g", wanted, tolerance, came);
}

static void phantom_points_stand_on_a_grid(void **state)
{
    (void)state;
    sac_scatterer points[60];
    sac_phantom_desc desc;
    sac_phantom_desc_init(&desc);
    assert_int_equal(sac_phantom_count(&desc), 20);
    sac_phantom_fill(points, &desc);
    assert_near(points[0].position_m[0], desc.first_m[0], 0);
    assert_near(points[3].position_m[0], desc.last_m[0], 0);
    assert_near(points[19].position_m[2], desc.last_m[2], 0);
    assert_near(points[4].position_m[2] - points[0].position_m[2], 7.5e-3, 1e-12);
    desc.last_m[1] = 2e-3;
    assert_int_equal(sac_phantom_count(&desc), 60);
    sac_phantom_fill(points, &desc);
    assert_near(points[4].position_m[1], 1e-3, 1e-12);
}

static void phantom_cyst_has_a_hole_with_marks(void **state)
{
    (void)state;
    sac_phantom_desc desc;
    sac_phantom_desc_init(&desc);
    desc.kind = SAC_PHANTOM_CYST;
    int64_t n = sac_phantom_count(&desc);
    double area = 0.03 * 0.03 - PI * 16e-6;
    assert_true(fabs((double)n / (area / 9e-8) - 5) < 0.01);
    sac_scatterer *s = malloc((size_t)n * sizeof *s);
    assert_non_null(s);
    sac_phantom_fill(s, &desc);
    double power = 0;
    for (int64_t i = 0; i < n - 4; i++) {
        const double *p = s[i].position_m;
        assert_true(hypot(p[0], p[2] - 25e-3) > 4e-3);
        assert_true(fabs(p[0]) <= 15e-3 && p[1] == 0 && fabs(p[2] - 25e-3) <= 15e-3);
        power += s[i].amplitude * s[i].amplitude;
    }
    assert_near(power / (double)(n - 4), 1, 0.05);
    assert_near(s[n - 4].position_m[0], -4e-3, 1e-12);
    assert_near(s[n - 1].position_m[2], 29e-3, 1e-12);
    for (int64_t i = n - 4; i < n; i++)
        assert_true(s[i].amplitude == 0);
    free(s);
}

static void phantom_disk_turns_as_a_whole(void **state)
{
    (void)state;
    enum { N = 200 };
    static sac_scatterer still[N], turned[N];
    sac_phantom_desc desc;
    sac_phantom_desc_init(&desc);
    desc.kind = SAC_PHANTOM_DISK;
    desc.n_scatterers = N;
    assert_int_equal(sac_phantom_count(&desc), N);
    sac_phantom_fill(still, &desc);
    desc.angle_rad = PI / 2;
    sac_phantom_fill(turned, &desc);
    for (int i = 0; i < N; i++) {
        const double *p = still[i].position_m, *q = turned[i].position_m;
        assert_true(hypot(p[0], p[2] - 25e-3) <= 4e-3);
        assert_near(q[0], p[2] - 25e-3, 1e-12); /* what lay deep moved to +x */
        assert_near(q[2] - 25e-3, -p[0], 1e-12);
        assert_true(still[i].amplitude == turned[i].amplitude);
    }
}

static void phantom_blood_flows_as_a_parabola(void **state)
{
    (void)state;
    sac_phantom_desc desc;
    sac_phantom_desc_init(&desc);
    desc.kind = SAC_PHANTOM_VESSEL;
    desc.n_scatterers = 200;
    desc.clutter_db = 20;
    desc.flow_m = 1e-6;
    desc.tissue_m = 3e-6;
    const int64_t n = sac_phantom_count(&desc);
    assert_true(n > 203);
    sac_scatterer *still = calloc((size_t)n, sizeof *still),
                  *moved = calloc((size_t)n, sizeof *moved);
    assert_true(still && moved);
    sac_phantom_fill(still, &desc);
    desc.frame = 2;
    sac_phantom_fill(moved, &desc);
    const double c = cos(PI / 6), s = sin(PI / 6);
    for (int64_t i = 0; i < n - 3; i++) {
        const double *p = still[i].position_m, *q = moved[i].position_m;
        const double beside = p[0] * s + (p[2] - 25e-3) * c, dx = q[0] - p[0], dz = q[2] - p[2];
        const double way = 2e-6 * (1 - beside * beside / (4e-3 * 4e-3));
        assert_true(i < 200 ? fabs(beside) <= 4e-3 : fabs(beside) > 4e-3);
        assert_near(dx, i < 200 ? way * c : 0, 1e-12);
        assert_near(dz, i < 200 ? -way * s : -6e-6, 1e-12); /* toward the probe */
    }
    const sac_scatterer *mark = moved + n - 3;
    assert_true(mark[0].amplitude == 0 && mark[1].amplitude == 0 && mark[2].amplitude == 0);
    assert_near(mark[0].position_m[2], 25e-3, 1e-12);
    assert_near(mark[1].position_m[0], 1e-6 * c, 1e-12);
    assert_near(mark[2].position_m[2], 25e-3 - 4e-3 * c, 1e-12);
    free(still);
    free(moved);
}

static void phantom_without_room_counts_none(void **state)
{
    (void)state;
    sac_phantom_desc good, desc;
    sac_phantom_desc_init(&good);
    good.kind = SAC_PHANTOM_CYST;
    good.n_scatterers = 10;
    desc = good;
    desc.radius_m = 1;
    assert_int_equal(sac_phantom_count(&desc), 0);
    desc = good;
    desc.center_m[0] = NAN;
    assert_int_equal(sac_phantom_count(&desc), 0);
    desc = good;
    desc.lambda_m = 0;
    assert_int_equal(sac_phantom_count(&desc), 0);
    for (int vessel = 0; vessel < 2; vessel++) { /* all but a corner */
        desc = good;
        desc.kind = vessel ? SAC_PHANTOM_VESSEL : SAC_PHANTOM_CYST;
        desc.clutter_db = 10;
        desc.vessel_rad = 0;
        desc.radius_m = (vessel ? 15e-3 : 15e-3 * sqrt(2)) * (1 - 1e-9);
        assert_int_equal(sac_phantom_count(&desc), 0);
    }
    desc = good;
    desc.n_scatterers = 0;
    desc.lambda_m = 1e-12;
    assert_int_equal(sac_phantom_count(&desc), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phantom_points_stand_on_a_grid),
        cmocka_unit_test(phantom_cyst_has_a_hole_with_marks),
        cmocka_unit_test(phantom_disk_turns_as_a_whole),
        cmocka_unit_test(phantom_blood_flows_as_a_parabola),
        cmocka_unit_test(phantom_without_room_counts_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
