/*
 * sac_adjust: what open and set refuse, what changes nothing, known values, the distance from the
 * formula in real numbers, controls that move, warnings.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>

#include <saccade/motion.h>

#include "pictures.h"
#include "refusal.h"

#define W 67
#define H 31

static sac_adjust_desc desc_of(const sac_array *a)
{
    sac_adjust_desc desc;
    sac_adjust_desc_init(&desc);
    desc.h = a->shape[0];
    desc.w = a->shape[1];
    desc.n_channels = a->n_dims == 3 ? (int32_t)a->shape[2] : 1;
    desc.n_threads = 1;
    return desc;
}

static sac_adjust *must_open(const sac_adjust_desc *desc)
{
    sac_adjust *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_adjust_open(&plan, desc, &err), &err);
    assert_non_null(plan);
    return plan;
}

/* One run of a new plan. */
static void run_once(const sac_array *out, const sac_array *in, const sac_adjust_desc *desc)
{
    sac_adjust *plan = must_open(desc);
    assert_int_equal(sac_adjust_run(plan, out, in, NULL), SAC_OK);
    sac_adjust_close(&plan);
    assert_null(plan);
}

static void must_refuse(const sac_adjust_desc *desc, sac_status wanted, const char *word)
{
    sac_adjust *plan = (sac_adjust *)&allowed; /* open is to set it to NULL */
    sac_error err = {0};
    assert_failed(sac_adjust_open(&plan, desc, &err), wanted, &err, word);
    assert_null(plan);
}

static void open_what_is_wrong_is_refused_by_name(void **state)
{
    (void)state;
    sac_array a = new_picture(SAC_U8, W, H, 3);
    const sac_adjust_desc good = desc_of(&a);
    sac_adjust_desc desc = good;
    must_refuse(NULL, SAC_E_INVALID, "desc");
    desc.w = 0;
    must_refuse(&desc, SAC_E_SHAPE, "w");
    desc = good;
    desc.n_channels = 2;
    must_refuse(&desc, SAC_E_SHAPE, "n_channels");
    desc = good;
    desc.order = (sac_pixel_order)9;
    must_refuse(&desc, SAC_E_INVALID, "order");
    desc = good;
    desc.brightness = -101;
    must_refuse(&desc, SAC_E_INVALID, "brightness");
    desc = good;
    desc.contrast = NAN;
    must_refuse(&desc, SAC_E_INVALID, "contrast");
    desc = good;
    desc.saturation = 4.1;
    must_refuse(&desc, SAC_E_INVALID, "saturation");
    desc = good;
    desc.gain = INFINITY;
    must_refuse(&desc, SAC_E_INVALID, "gain");
    desc = good;
    desc.variant = "nonsense";
    must_refuse(&desc, SAC_E_INVALID, "variant");
    desc = good;
    desc.stream = &desc;
    must_refuse(&desc, SAC_E_INVALID, "stream");
    free(a.data);
}

static void open_without_memory_is_refused(void **state)
{
    (void)state;
    sac_array a = new_picture(SAC_U8, W, H, 3);
    sac_adjust_desc desc = desc_of(&a);
    desc.n_threads = 3;
    sac_status status = SAC_E_NOMEM;
    for (int n = 0; status != SAC_OK && n < 20; n++) {
        sac_adjust *plan = NULL;
        refuse_from(n);
        status = sac_adjust_open(&plan, &desc, NULL);
        sac_alloc_hook(NULL);
        assert_true(status == SAC_E_NOMEM || status == SAC_OK);
        assert_int_equal(plan == NULL, status != SAC_OK);
        sac_adjust_close(&plan);
    }
    assert_int_equal(status, SAC_OK);
    free(a.data);
}

static void defaults_change_nothing(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= 4; n += 1 + (n == 1)) {
        sac_array in = new_picture(SAC_U8, W, H, n), out = new_picture(SAC_U8, W, H, n);
        const sac_adjust_desc desc = desc_of(&in);
        uint8_t *was = malloc(picture_bytes(&in));
        memcpy(was, in.data, picture_bytes(&in));
        memset(out.data, 0x5a, picture_bytes(&out));
        run_once(&out, &in, &desc);
        assert_memory_equal(out.data, was, picture_bytes(&out));
        run_once(&in, &in, &desc);
        assert_memory_equal(in.data, was, picture_bytes(&in));
        free(was);
        free(in.data);
        free(out.data);
    }
}

/* What becomes of one pixel, R, G, B. */
static void check_pixel(sac_adjust_desc desc, const uint8_t *from, const uint8_t *wanted)
{
    uint8_t pixel[3] = {from[0], from[1], from[2]};
    sac_array a;
    sac_error err = {0};
    assert_ok(sac_array_view(&a, pixel, SAC_U8, 3, (int64_t[]){1, 1, 3}, &err), &err);
    desc.w = desc.h = 1;
    desc.n_threads = 1;
    run_once(&a, &a, &desc);
    for (int c = 0; c < 3; c++)
        assert_int_equal(pixel[c], wanted[c]);
}

static void controls_give_what_their_formula_says(void **state)
{
    static const struct {
        double brightness, contrast, saturation, gain;
        uint8_t from[3], wanted[3];
    } cases[] = {
        {0, 1, 1, 2, {0, 100, 130}, {0, 200, 255}},
        {0, 1, 1, 0.5, {1, 2, 255}, {1, 1, 128}},     /* halves go up */
        {10, 1, 1, 1, {0, 100, 240}, {26, 126, 255}}, /* 25.5 levels */
        {-20, 1, 1, 1, {50, 51, 255}, {0, 0, 204}},   /* 51 */
        {0, 2, 1, 1, {63, 127, 200}, {0, 127, 255}},  /* 2 c - 127.5 */
        {0, 0, 1, 1, {0, 100, 255}, {128, 128, 128}}, /* 127.5 */
        {0, 1, 0, 1, {255, 0, 0}, {76, 76, 76}},      /* 38 * 255 / 128 = 75.7 */
        {0, 1, 0, 1, {0, 255, 0}, {149, 149, 149}},   /* 149.4 */
        {0, 1, 0, 1, {0, 0, 255}, {30, 30, 30}},      /* 29.9 */
        {0, 1, 2, 1, {100, 90, 95}, {106, 86, 96}},   /* luma 93.55 */
        {0, 1, 4, 16, {0, 0, 0}, {0, 0, 0}},
        {-50, 1, 1, 2, {100, 120, 250}, {73, 113, 255}}, /* 72.5; no clipping between */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sac_adjust_desc desc;
        sac_adjust_desc_init(&desc);
        desc.brightness = cases[i].brightness;
        desc.contrast = cases[i].contrast;
        desc.saturation = cases[i].saturation;
        desc.gain = cases[i].gain;
        check_pixel(desc, cases[i].from, cases[i].wanted);
    }
}

static double draw(uint64_t *random, double most)
{
    return most * (double)(sac_check_random(random) >> 40) / (1 << 24);
}

/* The formula in real numbers, and how far its integers may be from it: docs/motion.md. */
static void integers_are_near_the_formula(void **state)
{
    (void)state;
    sac_array in = new_picture(SAC_U8, W, H, 3), out = new_picture(SAC_U8, W, H, 3);
    uint64_t random = 7;
    for (size_t i = 0; i < picture_bytes(&in); i++)
        ((uint8_t *)in.data)[i] = (uint8_t)(sac_check_random(&random) >> 40);
    for (int round = 0; round < 100; round++) {
        sac_adjust_desc d = desc_of(&in);
        d.brightness = draw(&random, 200) - 100;
        d.contrast = draw(&random, 4);
        d.saturation = draw(&random, 4);
        d.gain = draw(&random, round % 2 ? 16 : 2);
        run_once(&out, &in, &d);
        const double a = d.gain * d.contrast, s = d.saturation;
        const double bound = 0.5 + 1.0 / 64 + fmax(255.0 / 8192, a * fmax(s, 1) * 255 / 16383);
        const uint8_t *from = in.data, *got = out.data;
        for (int k = 0; k < W * H; k++, from += 3, got += 3) {
            const double luma = (38 * from[0] + 75 * from[1] + 15 * from[2]) / 128.0;
            for (int c = 0; c < 3; c++) {
                const double v = a * (luma + s * (from[c] - luma)) + 127.5 * (1 - d.contrast) +
                                 2.55 * d.brightness;
                assert_true(fabs(got[c] - fmin(fmax(v, 0), 255)) <= bound);
            }
        }
    }
    free(in.data);
    free(out.data);
}

static void set_is_what_open_would_have_been(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= 4; n += 1 + (n == 1)) {
        sac_array in = new_picture(SAC_U8, W, H, n), got = new_picture(SAC_U8, W, H, n);
        sac_array wanted = new_picture(SAC_U8, W, H, n);
        sac_adjust_desc desc = desc_of(&in), moved;
        sac_adjust *plan = must_open(&desc);
        desc.gain = 1.7, desc.contrast = 0.8, desc.saturation = 2.5, desc.brightness = 12;
        sac_adjust_desc_init(&moved); /* of no size, as a program has it that moves a control */
        moved.gain = 1.7, moved.contrast = 0.8, moved.saturation = 2.5, moved.brightness = 12;
        sac_error err = {0};
        assert_ok(sac_adjust_set(plan, &moved, &err), &err);
        assert_ok(sac_adjust_run(plan, &got, &in, &err), &err);
        run_once(&wanted, &in, &desc);
        assert_memory_equal(got.data, wanted.data, picture_bytes(&got));
        assert_true(memcmp(got.data, in.data, picture_bytes(&got)) != 0);
        sac_adjust_close(&plan);
        free(in.data);
        free(got.data);
        free(wanted.data);
    }
}

static void set_what_is_wrong_leaves_the_plan_as_it_is(void **state)
{
    (void)state;
    sac_array in = new_picture(SAC_U8, W, H, 3), got = new_picture(SAC_U8, W, H, 3);
    sac_array wanted = new_picture(SAC_U8, W, H, 3);
    sac_adjust_desc desc = desc_of(&in);
    desc.gain = 1.5;
    sac_adjust *plan = must_open(&desc);
    run_once(&wanted, &in, &desc);
    sac_adjust_desc wrong = desc;
    wrong.brightness = 50;
    wrong.gain = 16.5;
    sac_error err = {0};
    assert_failed(sac_adjust_set(plan, &wrong, &err), SAC_E_INVALID, &err, "gain");
    wrong.gain = NAN;
    assert_failed(sac_adjust_set(plan, &wrong, &err), SAC_E_INVALID, &err, "gain");
    assert_failed(sac_adjust_set(plan, NULL, &err), SAC_E_INVALID, &err, "desc");
    assert_failed(sac_adjust_set(NULL, &desc, &err), SAC_E_INVALID, &err, "plan");
    assert_int_equal(sac_adjust_run(plan, &got, &in, NULL), SAC_OK);
    assert_memory_equal(got.data, wanted.data, picture_bytes(&got));
    sac_adjust_close(&plan);
    free(in.data);
    free(got.data);
    free(wanted.data);
}

/* The fourth channel is not adjusted, and BGR has red in its third. */
static void order_and_fourth_channel_are_kept(void **state)
{
    (void)state;
    uint8_t pixel[4] = {0, 0, 255, 77};
    sac_array a;
    sac_error err = {0};
    assert_ok(sac_array_view(&a, pixel, SAC_U8, 3, (int64_t[]){1, 1, 4}, &err), &err);
    sac_adjust_desc desc = desc_of(&a);
    desc.order = SAC_ORDER_BGR;
    desc.saturation = 0;
    run_once(&a, &a, &desc);
    assert_memory_equal(pixel, ((uint8_t[]){76, 76, 76, 77}), 4);
}

static void batch_is_one_after_the_other(void **state)
{
    (void)state;
    enum { N = 3 };
    sac_array in[N], out[N];
    sac_adjust_desc desc;
    for (int i = 0; i < N; i++) {
        in[i] = new_picture(SAC_U8, W, H, 3);
        out[i] = new_picture(SAC_U8, W, H, 3);
        ((uint8_t *)in[i].data)[i] = 200;
    }
    desc = desc_of(&in[0]);
    desc.contrast = 3;
    desc.n_threads = 2;
    sac_adjust *plan = must_open(&desc);
    assert_int_equal(sac_adjust_run_batch(plan, out, in, N, NULL), SAC_OK);
    assert_int_equal(sac_adjust_run_batch(plan, in, in, N, NULL), SAC_OK);
    assert_int_equal(sac_adjust_run_batch(plan, NULL, NULL, 0, NULL), SAC_OK);
    assert_int_equal(sac_adjust_run_batch(plan, NULL, in, N, NULL), SAC_E_INVALID);
    for (int i = 0; i < N; i++) {
        assert_memory_equal(in[i].data, out[i].data, picture_bytes(&in[i]));
        free(in[i].data);
        free(out[i].data);
    }
    sac_adjust_close(&plan);
}

static int n_warnings;
static char warning[256];

static void note(void *ctx, sac_log_level level, const char *line)
{
    (void)ctx;
    if (level != SAC_LOG_WARNING)
        return;
    n_warnings++;
    snprintf(warning, sizeof warning, "%s", line);
}

/* How many warnings open gives; the last one has `word`. */
static void check_warnings(const sac_adjust_desc *of, int wanted, const char *word)
{
    static const sac_log log = {note, NULL};
    sac_adjust_desc desc = *of;
    desc.log = &log;
    n_warnings = 0;
    sac_adjust *plan = must_open(&desc);
    sac_adjust_close(&plan);
    assert_int_equal(n_warnings, wanted);
    if (wanted > 0)
        assert_non_null(strstr(warning, word));
}

static void open_warns_of_what_is_hardly_wanted(void **state)
{
    (void)state;
    sac_array a = new_picture(SAC_U8, W, H, 3);
    const sac_adjust_desc good = desc_of(&a);
    sac_adjust_desc desc = good;
    check_warnings(&desc, 0, "");
    desc.contrast = 0;
    check_warnings(&desc, 1, "one gray, 128");
    desc = good;
    desc.gain = 0;
    check_warnings(&desc, 1, "one gray, 0");
    desc = good;
    desc.brightness = 100;
    check_warnings(&desc, 1, "one gray, 255");
    desc.saturation = 4; /* colors far from their luma go below it */
    check_warnings(&desc, 0, "");
    desc = good;
    desc.saturation = 0;
    check_warnings(&desc, 0, "");
    desc.n_channels = 1;
    check_warnings(&desc, 1, "saturation 0 is ignored");
    free(a.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_what_is_wrong_is_refused_by_name),
        cmocka_unit_test(open_without_memory_is_refused),
        cmocka_unit_test(defaults_change_nothing),
        cmocka_unit_test(controls_give_what_their_formula_says),
        cmocka_unit_test(integers_are_near_the_formula),
        cmocka_unit_test(set_is_what_open_would_have_been),
        cmocka_unit_test(set_what_is_wrong_leaves_the_plan_as_it_is),
        cmocka_unit_test(order_and_fourth_channel_are_kept),
        cmocka_unit_test(batch_is_one_after_the_other),
        cmocka_unit_test(open_warns_of_what_is_hardly_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
