/*
 * Lists of points: a plan's own order of them changes no value and no place. And of frames: how
 * many a batch has.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include "base/alloc.h"
#include "beamform/plan.h"
#include "ultrasound.h"

enum { W = 50, H = 70 }; /* no multiples of a tile's sides */

static const double target[3] = {1.7e-3, 0, 21e-3};

typedef double (*point_list)[3];

/* A sector, angles or ranges running fastest. */
static point_list sector(bool by_range)
{
    point_list points = calloc(W * H, sizeof *points);
    for (int64_t i = 0; i < W * H; i++) {
        const int64_t at = by_range ? i / H : i % W, deep = by_range ? i % H : i / W;
        const double angle = (double)at / (W - 1) - 0.5, range = 5e-3 + 0.4e-3 * (double)deep;
        points[i][0] = range * sin(angle);
        points[i][2] = range * cos(angle);
    }
    return points;
}

/* The order of a list, which holds each point once; NULL: none. */
static int32_t *order_of(const double *points, int64_t n)
{
    const sac_element at_origin = {.normal = {0, 0, 1}};
    int32_t *order = NULL;
    assert_int_equal(sac_beamform_order_points(&order, points, n, &at_origin, 1), SAC_OK);
    bool *seen = calloc((size_t)n, sizeof *seen);
    for (int64_t i = 0; i < n && order; i++) {
        assert_in_range(order[i], 0, n - 1);
        assert_false(seen[order[i]]);
        seen[order[i]] = true;
    }
    free(seen);
    return order;
}

static void a_sector_s_points_lie_side_by_side(void **state)
{
    (void)state;
    for (int by_range = 0; by_range < 2; by_range++) {
        point_list p = sector(by_range);
        int32_t *order = order_of(p[0], W * H);
        assert_non_null(order);
        for (int i = 1; i < 16; i++) /* a tile's first row */
            assert_int_equal(order[i], by_range ? i * H : i);
        assert_int_equal(order[16], by_range ? 1 : W);
        sac_free(order);
        free(p);
    }
}

static void a_list_without_rows_stays(void **state)
{
    (void)state;
    double p[48][3] = {{0}};
    for (int n = 1; n < 4; n++)
        assert_null(order_of(p[0], n)); /* all the same */
    for (int i = 0; i < 48; i++)
        p[i][0] = i;
    assert_null(order_of(p[0], 48)); /* a line */
    for (int i = 0; i < 48; i++)
        p[i][0] = i % 7, p[i][2] = (double)(i / 7) * 0.5;
    assert_null(order_of(p[0], 48)); /* rows of 7, the last one short */
    for (int i = 0; i < 48; i++)
        p[i][0] = i * 37 % 48;
    assert_null(order_of(p[0], 48)); /* to and fro */
}

static sac_array image_of(const scene *s, const sac_array *in, point_list points)
{
    sac_beamform_desc d = scene_desc(s, in->dtype, target, 1e-3, 1);
    sac_beamform *plan = NULL;
    sac_error err = {0};
    d.points_m = points[0];
    d.n_points = W * H;
    d.demodulate = in->dtype == SAC_C64 ? SAC_DEMODULATE_AUTO : SAC_DEMODULATE_NO;
    assert_ok(sac_beamform_open(&plan, &d, &err), &err);
    sac_array out = output_of(plan);
    assert_int_equal(sac_beamform_run(plan, &out, in, NULL), SAC_OK);
    sac_beamform_close(&plan);
    return out;
}

/* One frame, few and many; IQ, and its real parts as RF. */
static void ranges_and_angles_first_give_the_same(void **state)
{
    (void)state;
    const double tau[] = {21e-3 / 1540, 21e-3 / 1540, 21e-3 / 1540};
    point_list points[] = {sector(false), sector(true)};
    for (int k = 0; k < 6; k++) {
        scene s;
        linear_scene(&s, 32, 3);
        s.n_frames = k % 3 == 0 ? 1 : k % 3 == 1 ? 2 : 9;
        float complex *iq = echo_iq(&s, target, tau);
        const bool is_rf = k >= 3;
        for (int64_t i = 0; i < s.n_frames * 3 * 32 * s.n_samples && is_rf; i++)
            ((float *)iq)[i] = crealf(iq[i]);
        const sac_array in = channel_array(&s, is_rf ? SAC_F32 : SAC_C64, iq);
        sac_array a = image_of(&s, &in, points[0]), b = image_of(&s, &in, points[1]);
        const int64_t parts = is_rf ? 1 : 2;
        const float *x = a.data, *y = b.data;
        for (int64_t f = 0; f < s.n_frames; f++)
            for (int64_t i = 0; i < W * H * parts; i++) {
                const int64_t at = i / parts, turned = at % W * H + at / W;
                const float want = x[f * W * H * parts + i];
                const float got = y[(f * W * H + turned) * parts + i % parts];
                /* RF: neighbours share work, so that roundings differ. */
                assert_true(is_rf ? fabsf(want - got) < 1e-4f : want == got);
            }
        free(a.data);
        free(b.data);
        free(iq);
    }
    free(points[0]);
    free(points[1]);
}

/* Frames of a batch, had the plan records so long. */
static int32_t batch_with(sac_beamform *plan, int64_t n_samples)
{
    plan->das.n_samples = (int32_t)n_samples;
    return sac_beamform_cpu_batch(plan);
}

/* Together as long as they take 1 GiB packed; where there are vectors of points, they are then
 * faster apart. Nothing is allocated. */
static void rf_of_many_frames_goes_together_within_a_gibibyte(void **state)
{
    (void)state;
    scene s;
    sac_error err = {0};
    sac_beamform *plan = NULL;
    linear_scene(&s, 16, 3);
    s.n_frames = 32;
    for (int i16 = 0; i16 < 2; i16++) {
        sac_beamform_desc d = scene_desc(&s, i16 ? SAC_I16 : SAC_F32, target, 1e-3, 5);
        d.demodulate = SAC_DEMODULATE_NO;
        assert_ok(sac_beamform_open(&plan, &d, &err), &err);
        const bool vectors = strstr(plan->variant, "avx") || strstr(plan->variant, "neon");
        const int64_t n = (INT64_C(1) << 30) / (32 * 16 * 3 * (i16 ? 2 : 4)); /* of a record */
        assert_int_equal(plan->das.n_frames, 32);
        assert_int_equal(batch_with(plan, n - 16), 32);
        assert_int_equal(batch_with(plan, n + 1), vectors ? 1 : 32);
        plan->das.n_samples = (int32_t)s.n_samples;
        sac_beamform_close(&plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sector_s_points_lie_side_by_side),
        cmocka_unit_test(a_list_without_rows_stays),
        cmocka_unit_test(ranges_and_angles_first_give_the_same),
        cmocka_unit_test(rf_of_many_frames_goes_together_within_a_gibibyte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
