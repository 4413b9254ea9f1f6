/*
 * Opening a meltpool plan: its options, what is refused and in which words, memory that runs out.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <saccade/meltpool.h>

#include "refusal.h"

static sac_meltpool_desc new_desc(void)
{
    sac_meltpool_desc desc;
    sac_meltpool_desc_init(&desc);
    desc.n_threads = 1;
    return desc;
}

static void assert_refused(const sac_meltpool_desc *desc, sac_status status, const char *word)
{
    sac_meltpool *plan = (sac_meltpool *)&allowed; /* open is to set it to NULL */
    sac_error err = {0};
    assert_failed(sac_meltpool_open(&plan, desc, &err), status, &err, word);
    assert_null(plan);
}

static void meltpool_desc_init_has_the_papers_defaults(void **unused)
{
    (void)unused;
    const sac_meltpool_desc d = new_desc();
    assert_true(d.h == 96 && d.w == 96 && d.roi == 40 && d.roi_align == 8);
    assert_true(d.locate == SAC_MELTPOOL_LASER && !d.static_roi && !d.scan_frame);
    assert_true(d.threshold == 60 && d.spatter_min == 1 && d.window == 64);
    assert_true(d.rate_hz == 20000 && d.gap_reset_s == 1e-3);
    for (int i = 0; i < 6; i++)
        assert_true(d.calibration[i / 3][i % 3] == (i == 0 || i == 4));
    assert_null(d.model);
}

static void meltpool_open_refuses_a_whole_number_out_of_its_range(void **unused)
{
    (void)unused;
    static const struct {
        size_t offset;
        int32_t value;
        const char *word;
    } all[] = {
        {offsetof(sac_meltpool_desc, h), 39, "w, h"},
        {offsetof(sac_meltpool_desc, w), 39, "w, h"},
        {offsetof(sac_meltpool_desc, w), 4097, "w, h"},
        {offsetof(sac_meltpool_desc, roi), 7, "roi"},
        {offsetof(sac_meltpool_desc, roi), 97, "ROI"},
        {offsetof(sac_meltpool_desc, roi), 129, "roi"},
        {offsetof(sac_meltpool_desc, roi_align), 0, "roi-align"},
        {offsetof(sac_meltpool_desc, roi_align), 12, "roi-align"},
        {offsetof(sac_meltpool_desc, roi_align), 128, "roi-align"},
        {offsetof(sac_meltpool_desc, locate), 4, "locate"},
        {offsetof(sac_meltpool_desc, threshold), -1, "threshold"},
        {offsetof(sac_meltpool_desc, threshold), 257, "threshold"},
        {offsetof(sac_meltpool_desc, spatter_min), 0, "spatter-min"},
        {offsetof(sac_meltpool_desc, window), 0, "window"},
        {offsetof(sac_meltpool_desc, window), 4097, "window"},
        {offsetof(sac_meltpool_desc, n_threads), -1, "threads"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        sac_meltpool_desc desc = new_desc();
        memcpy((char *)&desc + all[i].offset, &all[i].value, sizeof all[i].value);
        assert_refused(&desc, SAC_E_INVALID, all[i].word);
    }
}

static void meltpool_open_refuses_a_real_number_out_of_its_range(void **unused)
{
    (void)unused;
    static const struct {
        size_t offset;
        double value;
        const char *word;
    } all[] = {
        {offsetof(sac_meltpool_desc, calibration), NAN, "calibration"},
        {offsetof(sac_meltpool_desc, calibration[1][2]), INFINITY, "row 1, column 2"},
        {offsetof(sac_meltpool_desc, fixed), -0.5, "fixed-x"},
        {offsetof(sac_meltpool_desc, fixed), NAN, "fixed-x"},
        {offsetof(sac_meltpool_desc, fixed[1]), 95.01, "fixed-y"},
        {offsetof(sac_meltpool_desc, fixed[1]), -2, "fixed-y"},
        {offsetof(sac_meltpool_desc, rate_hz), 0, "rate"},
        {offsetof(sac_meltpool_desc, rate_hz), NAN, "rate"},
        {offsetof(sac_meltpool_desc, gap_reset_s), 0, "gap-reset"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        sac_meltpool_desc desc = new_desc();
        memcpy((char *)&desc + all[i].offset, &all[i].value, sizeof all[i].value);
        assert_refused(&desc, SAC_E_INVALID, all[i].word);
    }
}

static void meltpool_open_refuses_a_calibration_of_a_line_or_a_point(void **unused)
{
    (void)unused;
    static const struct {
        double m[6];
        const char *word; /* NULL: it is taken */
    } all[] = {
        {{0, 0, 40, 0, 0, 40}, "pixel"},
        {{1e-300, 0, 40, 0, 1e-300, 40}, "pixel"},
        {{1, 2, 3, 2, 4, 5}, "line"},
        {{1, 0, 0, 0, 0, 0}, "line"},
        {{1e308, -1e308, 0, -1e308, 1e308, 0}, "line"},
        {{0.1, 0.2, 3, 0.3, 0.6, 5}, "line"}, /* but for rounding */
        {{1, 0, 0, 0, 0.9e-6, 0}, "line"},
        {{1, 1, 0, 1, 1 + 2e-6, 0}, "line"},
        {{1, 0, 0, 0, 1.1e-6, 0}, NULL},
        {{0, -1e-5, 0, 1e-5, 0, 0}, NULL},
        {{1e308, 0, 0, 0, -1e308, 0}, NULL},
        {{0.004997, 0.000174, 47.6, 0.000174, -0.004997, 48.3}, NULL},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        sac_meltpool_desc desc = new_desc();
        sac_meltpool *plan = NULL;
        sac_error err = {0};
        memcpy(desc.calibration, all[i].m, sizeof desc.calibration);
        if (all[i].word) {
            assert_refused(&desc, SAC_E_INVALID, all[i].word);
            assert_failed(sac_meltpool_calibration_check(all[i].m, &err), SAC_E_INVALID, &err,
                          "calibration: ");
            continue;
        }
        assert_ok(sac_meltpool_calibration_check(all[i].m, &err), &err);
        assert_ok(sac_meltpool_open(&plan, &desc, &err), &err);
        sac_meltpool_close(&plan);
    }
    sac_error err = {0};
    assert_failed(sac_meltpool_calibration_check(NULL, &err), SAC_E_INVALID, &err, "NULL");
}

static void meltpool_open_refuses_what_it_cannot_work_with(void **unused)
{
    (void)unused;
    sac_error err = {0};
    sac_meltpool_desc desc = new_desc();
    assert_failed(sac_meltpool_open(NULL, &desc, &err), SAC_E_INVALID, &err, "plan");
    assert_refused(NULL, SAC_E_INVALID, "desc");
    desc.struct_size--;
    assert_refused(&desc, SAC_E_INVALID, "struct_size");
    desc = new_desc();
    desc.device = (sac_device){SAC_DEVICE_CUDA, 1000}; /* more than any machine has */
    assert_refused(&desc, SAC_CUDA ? SAC_E_DEVICE : SAC_E_UNSUPPORTED, "device");
    desc = new_desc();
    desc.variant = "frame_u8:none";
    assert_refused(&desc, SAC_E_INVALID, "variant");
    desc.variant = "mlp_f32:ref"; /* a room that it has no work for */
    assert_refused(&desc, SAC_E_INVALID, "variant");
}

/* Of two hidden units. */
typedef struct small_model {
    float mean[40], scale[40], w1[80], b1[2], w2[4], b2[2];
    sac_meltpool_model model;
} small_model;

static void make_small(small_model *m)
{
    memset(m, 0, sizeof *m);
    for (int i = 0; i < 40; i++)
        m->scale[i] = 1;
    m->b2[0] = 3;
    m->model = (sac_meltpool_model){
        sizeof m->model, 2, SAC_MELTPOOL_LINEAR, m->mean, m->scale, m->w1, m->b1, m->w2, m->b2};
}

static void meltpool_open_refuses_a_bad_model(void **unused)
{
    (void)unused;
    small_model m;
    sac_meltpool_desc desc = new_desc();
    make_small(&m);
    desc.model = &m.model;
    m.w1[79] = NAN;
    assert_refused(&desc, SAC_E_INVALID, "w1[79]");
    make_small(&m);
    m.scale[3] = 0;
    assert_refused(&desc, SAC_E_INVALID, "scale[3]");
    make_small(&m);
    m.model.n_hidden = 0;
    assert_refused(&desc, SAC_E_INVALID, "hidden");
    make_small(&m);
    m.model.b2 = NULL;
    assert_refused(&desc, SAC_E_INVALID, "b2");
}

static void meltpool_open_copies_the_model(void **unused)
{
    (void)unused;
    static uint8_t pixels[96 * 96];
    small_model m;
    sac_meltpool_desc desc = new_desc();
    sac_meltpool *plan = NULL;
    sac_meltpool_record record;
    sac_error err = {0};
    sac_array a;
    const sac_meltpool_signals on = {.laser_on = 1};
    make_small(&m);
    desc.model = &m.model;
    assert_ok(sac_meltpool_open(&plan, &desc, &err), &err);
    memset(&m, 0xFF, sizeof m);
    assert_ok(sac_array_view(&a, pixels, SAC_U8, 2, (const int64_t[]){96, 96}, &err), &err);
    assert_int_equal(sac_meltpool_run(plan, &record, &a, &on, NULL), SAC_OK);
    assert_true(record.prediction[0] == 3 && record.prediction[1] == 0);
    sac_meltpool_close(&plan);
    assert_null(plan);
    sac_meltpool_close(&plan);
    sac_meltpool_close(NULL);
}

static void meltpool_structs_from_their_init_are_whole(void **unused)
{
    (void)unused;
    sac_meltpool_signals signals;
    sac_meltpool_model model;
    sac_meltpool_desc desc = new_desc();
    memset(&signals, 0xFF, sizeof signals);
    memset(&model, 0xFF, sizeof model);
    sac_meltpool_signals_init(&signals);
    sac_meltpool_model_init(&model);
    assert_true(signals.laser_on && signals.counter == 0 && signals.x == 0 && signals.y == 0);
    assert_int_equal(model.struct_size, sizeof model);
    assert_int_equal(model.output, SAC_MELTPOOL_LINEAR);
    desc.model = &model;
    assert_refused(&desc, SAC_E_INVALID, "hidden units"); /* what was not filled in */
    model.n_hidden = 2;
    assert_refused(&desc, SAC_E_INVALID, "mean is NULL");
    sac_meltpool_signals_init(NULL);
    sac_meltpool_model_init(NULL);
    sac_meltpool_desc_init(NULL);
    sac_meltpool_reset(NULL);
    assert_string_equal(sac_meltpool_get_variant(NULL), "");
    assert_string_equal(sac_meltpool_get_fault(NULL), "");
    assert_string_equal(sac_meltpool_feature_name(-1), "");
}

static void meltpool_with_a_forced_variant_runs_it(void **unused)
{
    (void)unused;
    static const char *const names[] = {"ref", "plain"};
    small_model m;
    make_small(&m);
    for (int i = 0; i < 2; i++) {
        sac_meltpool *plan = NULL;
        sac_error err = {0};
        sac_meltpool_desc desc = new_desc();
        char want[3][64];
        desc.model = &m.model;
        desc.variant = names[i];
        assert_ok(sac_meltpool_open(&plan, &desc, &err), &err);
        snprintf(want[0], sizeof want[0], "frame_u8:%s", names[i]);
        snprintf(want[1], sizeof want[1], "variance_f32:%s", names[i]);
        snprintf(want[2], sizeof want[2], "mlp_f32:%s", names[i]);
        for (int k = 0; k < 3; k++)
            assert_non_null(strstr(sac_meltpool_get_variant(plan), want[k]));
        sac_meltpool_close(&plan);
    }
}

static void meltpool_without_memory_fails_cleanly(void **unused)
{
    (void)unused;
    small_model m;
    sac_meltpool_desc desc = new_desc();
    sac_status status = SAC_E_NOMEM;
    make_small(&m);
    desc.model = &m.model;
    desc.n_threads = 2;
    int n = 0;
    for (; status == SAC_E_NOMEM && n < 100; n++) {
        sac_meltpool *plan = NULL;
        sac_error err = {0};
        refuse_from(n);
        status = sac_meltpool_open(&plan, &desc, &err);
        sac_alloc_hook(NULL);
        if (status)
            assert_failed(status, SAC_E_NOMEM, &err, "no memory");
        sac_meltpool_close(&plan);
    }
    assert_int_equal(status, SAC_OK);
    assert_in_range(n, 5, 10);
}

static void write_line(void *ctx, sac_log_level level, const char *line)
{
    (void)level;
    snprintf(ctx, 240, "%s", line);
}

static void meltpool_open_tells_the_log_what_runs(void **unused)
{
    (void)unused;
    char line[240] = "";
    const sac_log log = {.write = write_line, .ctx = line};
    sac_meltpool_desc desc = new_desc();
    sac_meltpool *plan = NULL;
    sac_error err = {0};
    desc.log = &log;
    assert_ok(sac_meltpool_open(&plan, &desc, &err), &err);
    assert_non_null(strstr(line, "frame_u8:"));
    assert_non_null(strstr(line, "1 threads"));
    sac_meltpool_close(&plan);
}

static void keep_warning(void *ctx, sac_log_level level, const char *line)
{
    if (level == SAC_LOG_WARNING)
        snprintf(ctx, 240, "%s", line);
}

static void meltpool_open_warns_of_a_model_without_a_calibration(void **unused)
{
    (void)unused;
    for (int k = 0; k < 4; k++) { /* the default; no model; located otherwise; a calibration */
        char line[240] = "";
        const sac_log log = {.write = keep_warning, .ctx = line};
        small_model m;
        sac_meltpool_desc desc = new_desc();
        sac_meltpool *plan = NULL;
        sac_error err = {0};
        make_small(&m);
        desc.model = k == 1 ? NULL : &m.model;
        desc.locate = k == 2 ? SAC_MELTPOOL_BRIGHTEST : SAC_MELTPOOL_LASER;
        desc.calibration[0][2] = k == 3 ? 0.5 : 0;
        desc.log = &log;
        assert_ok(sac_meltpool_open(&plan, &desc, &err), &err);
        assert_int_equal(strstr(line, "calibration") != NULL, k == 0);
        sac_meltpool_close(&plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meltpool_desc_init_has_the_papers_defaults),
        cmocka_unit_test(meltpool_open_refuses_a_whole_number_out_of_its_range),
        cmocka_unit_test(meltpool_open_refuses_a_real_number_out_of_its_range),
        cmocka_unit_test(meltpool_open_refuses_a_calibration_of_a_line_or_a_point),
        cmocka_unit_test(meltpool_open_refuses_what_it_cannot_work_with),
        cmocka_unit_test(meltpool_open_refuses_a_bad_model),
        cmocka_unit_test(meltpool_open_copies_the_model),
        cmocka_unit_test(meltpool_structs_from_their_init_are_whole),
        cmocka_unit_test(meltpool_with_a_forced_variant_runs_it),
        cmocka_unit_test(meltpool_without_memory_fails_cleanly),
        cmocka_unit_test(meltpool_open_tells_the_log_what_runs),
        cmocka_unit_test(meltpool_open_warns_of_a_model_without_a_calibration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
