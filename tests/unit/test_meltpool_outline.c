/*
 * Outlines for who draws them: their pools are those of the records.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>

#include "meltpool_scene.h"

enum { FRAMES = 1500 };

static uint8_t pool[128 * 128];

/* Number and mean of the pool's pixels in the frame. */
static void count_pool(int64_t *n, double *mean, const sac_meltpool_desc *d, const stream *s,
                       int32_t i, const sac_meltpool_outline *o)
{
    double sum = 0;
    *n = 0;
    for (int k = 0; k < d->roi * d->roi; k++)
        if (pool[k]) {
            sum += frame_of(s, i)[(o->y0 + k / d->roi) * s->w + o->x0 + k % d->roi];
            ++*n;
        }
    *mean = *n ? sum / (double)*n : 0;
}

static void compare(const sac_meltpool_record *r, const sac_meltpool_desc *d, const stream *s,
                    int32_t i, const sac_meltpool_outline *o)
{
    int64_t n = 0;
    double mean = 0;
    assert_int_equal(o->flags, r->flags & ~(uint32_t)SAC_MELTPOOL_GAP);
    assert_int_equal(o->area, (int64_t)r->features[0]);
    if (r->flags & (SAC_MELTPOOL_EMPTY | SAC_MELTPOOL_REFUSED))
        return;
    count_pool(&n, &mean, d, s, i, o);
    assert_int_equal(n, o->area);
    assert_true(fabs(mean - (double)r->features[4]) < 1e-4);
    if (n > 0)
        assert_true(fabs(o->semi_axes[1] / o->semi_axes[0] - (double)r->features[3]) < 1e-5);
}

static void check_all(sac_meltpool_desc *d, const stream *s)
{
    sac_meltpool *plan = must_open(d);
    bool has_last = false;
    double last[2] = {0};
    sac_error err = {0};
    for (int32_t i = 0; i < FRAMES; i++) {
        const sac_meltpool_record r = run_frame(plan, s, i);
        const sac_array frame = frame_array(s, i);
        sac_meltpool_outline o = {.struct_size = sizeof o};
        has_last = has_last && !(r.flags & SAC_MELTPOOL_GAP);
        assert_ok(sac_meltpool_find_outline(&o, pool, d, &frame, &s->signals[i],
                                            has_last ? last : NULL, &err),
                  &err);
        compare(&r, d, s, i, &o);
        if (o.area > 0) {
            has_last = true;
            memcpy(last, o.pool, sizeof last);
        }
    }
    sac_meltpool_close(&plan);
}

static void outline_has_the_pool_of_the_record(void **unused)
{
    (void)unused;
    sac_meltpool_desc d;
    stream s = new_build(FRAMES, &d);
    check_all(&d, &s);
    d.roi = 21; /* narrow, so that pools are clipped */
    d.threshold = 30;
    check_all(&d, &s);
    d.locate = SAC_MELTPOOL_BRIGHTEST;
    check_all(&d, &s);
    d.locate = SAC_MELTPOOL_PREVIOUS;
    check_all(&d, &s);
    d.locate = SAC_MELTPOOL_LASER;
    d.static_roi = true;
    d.roi = 96;
    check_all(&d, &s);
    free_stream(&s);
}

static void outline_of_a_bar_is_its_ellipse(void **unused)
{
    (void)unused;
    sac_meltpool_desc d;
    sac_error err = {0};
    stream s = new_stream(1, 40, 50);
    sac_meltpool_desc_init(&d);
    d.w = 50, d.h = 40, d.roi = 16, d.roi_align = 1;
    d.locate = SAC_MELTPOOL_BRIGHTEST;
    for (int k = 0; k < 6; k++)
        frame_of(&s, 0)[(20 + k) * s.w + 30 + k] = 200,
                                              frame_of(&s, 0)[(20 + k) * s.w + 31 + k] = 200;
    const sac_array frame = frame_array(&s, 0);
    sac_meltpool_outline o = {.struct_size = sizeof o};
    assert_ok(sac_meltpool_find_outline(&o, NULL, &d, &frame, NULL, NULL, &err), &err);
    assert_int_equal(o.area, 12);
    assert_true(fabs(o.pool[0] - 33) < 1e-12 && fabs(o.pool[1] - 22.5) < 1e-12);
    assert_true(o.angle_rad > 0.7 && o.angle_rad < 0.8 && o.semi_axes[0] > 3 * o.semi_axes[1]);
    assert_true(o.centre[0] == 30 && o.centre[1] == 20);
    free_stream(&s);
}

static void outline_refuses_what_it_cannot_take(void **unused)
{
    (void)unused;
    sac_meltpool_desc d;
    sac_error err = {0};
    stream s = new_stream(1, 40, 50);
    sac_meltpool_desc_init(&d);
    d.w = 50, d.h = 40;
    const sac_array frame = frame_array(&s, 0);
    const double far[2] = {-1, 5000};
    sac_meltpool_outline o = {.struct_size = sizeof o, .area = 7};
    assert_failed(sac_meltpool_find_outline(NULL, NULL, &d, &frame, s.signals, NULL, &err),
                  SAC_E_INVALID, &err, "outline");
    assert_failed(sac_meltpool_find_outline(&o, NULL, NULL, &frame, s.signals, NULL, &err),
                  SAC_E_INVALID, &err, "desc");
    assert_failed(sac_meltpool_find_outline(&o, NULL, &d, NULL, s.signals, NULL, &err),
                  SAC_E_INVALID, &err, "frame");
    assert_failed(sac_meltpool_find_outline(&o, NULL, &d, &frame, NULL, NULL, &err), SAC_E_INVALID,
                  &err, "signals");
    assert_failed(sac_meltpool_find_outline(&o, NULL, &d, &frame, s.signals, far, &err),
                  SAC_E_INVALID, &err, "last_pool");
    d.h = 41;
    assert_failed(sac_meltpool_find_outline(&o, NULL, &d, &frame, s.signals, NULL, &err),
                  SAC_E_SHAPE, &err, "41");
    d.roi = 4;
    assert_failed(sac_meltpool_find_outline(&o, NULL, &d, &frame, s.signals, NULL, &err),
                  SAC_E_INVALID, &err, "roi");
    assert_int_equal(o.area, 7);
    free_stream(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outline_has_the_pool_of_the_record),
        cmocka_unit_test(outline_of_a_bar_is_its_ellipse),
        cmocka_unit_test(outline_refuses_what_it_cannot_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
