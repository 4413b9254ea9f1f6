/*
 * meltpool as a stream: what frames leave for the next ones, gaps, batches and threads,
 * predictions, and what a run refuses.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "unit.h"

#include "meltpool_scene.h"

#define N_BUILD 700

/* A plain frame: one bright square of side 3 at a place that goes to and fro. */
static void draw_square(const stream *s, int32_t i)
{
    const int32_t x = 30 + i % 7, y = 40 - i % 5;
    memset(frame_of(s, i), 3, (size_t)s->h * (size_t)s->w);
    for (int32_t k = 0; k < 9; k++)
        frame_of(s, i)[(y + k / 3) * s->w + x + k % 3] = (uint8_t)(100 + 10 * k + i % 11);
}

static stream new_squares(int32_t n, sac_meltpool_desc *desc)
{
    stream s = new_stream(n, 96, 96);
    for (int32_t i = 0; i < n; i++) {
        draw_square(&s, i);
        s.signals[i].x = 40;
        s.signals[i].y = 40;
    }
    sac_meltpool_desc_init(desc);
    desc->n_threads = 1;
    return s;
}

/* Whether the variances of the mean intensity are those of so many frames, the i-th the last. */
static void assert_window(const sac_meltpool_record *records, int32_t i, int32_t n)
{
    const sac_meltpool_record *among[64];
    for (int32_t k = 0; k < n; k++)
        among[k] = &records[i - k];
    const double want = naive_variance(among, n, 4), got = (double)records[i].features[24];
    if (!(fabs(got - want) <= 1e-5 * want))
        fail_msg("frame %d: variance over %d frames: expected %.9g, got %.9g", i, n, want, got);
}

static void meltpool_of_any_window_has_variances_over_it(void **unused)
{
    (void)unused;
    static const int32_t windows[] = {1, 2, 5, 63};
    static sac_meltpool_record records[200];
    sac_meltpool_desc desc;
    stream s = new_squares(200, &desc);
    for (int32_t k = 0; k < 4; k++) {
        desc.window = windows[k];
        sac_meltpool *plan = must_open(&desc);
        for (int32_t i = 0; i < s.n; i++) {
            records[i] = run_frame(plan, &s, i);
            assert_window(records, i, i + 1 < windows[k] ? i + 1 : windows[k]);
            assert_true(windows[k] > 1 || records[i].features[24] == 0);
        }
        sac_meltpool_close(&plan);
    }
    free_stream(&s);
}

/* Frames 0..9, then one whose counter is `step` on after `n_empty` empty ones; returns its flags.
 */
static uint32_t flags_behind(const sac_meltpool_desc *desc, const stream *s, int32_t first,
                             uint32_t step, int32_t n_empty)
{
    static sac_meltpool_record records[11];
    sac_meltpool *plan = must_open(desc);
    for (int32_t i = 0; i < 10; i++) {
        s->signals[i].counter = (int32_t)((uint32_t)first - 9 + (uint32_t)i);
        records[i] = run_frame(plan, s, i);
        assert_int_equal(records[i].flags & SAC_MELTPOOL_GAP, 0);
    }
    for (int32_t i = 0; i < n_empty; i++)
        assert_left_out(&(sac_meltpool_record[]){run_frame(plan, s, 11)}[0], SAC_MELTPOOL_EMPTY);
    s->signals[10].counter = (int32_t)((uint32_t)first + step);
    records[10] = run_frame(plan, s, 10);
    const uint32_t gap = records[10].flags & SAC_MELTPOOL_GAP;
    assert_window(records, 10, gap ? 1 : 11);
    assert_int_equal(counts_of_meltpool(plan).gaps, gap != 0);
    assert_identity(plan);
    sac_meltpool_close(&plan);
    return gap;
}

static void meltpool_behind_a_gap_begins_anew(void **unused)
{
    (void)unused;
    sac_meltpool_desc desc;
    stream s = new_squares(12, &desc);
    s.signals[11].laser_on = 0;
    /* By counters: 20 frames between two are 1 ms. */
    assert_false(flags_behind(&desc, &s, 100, 1, 0));
    assert_false(flags_behind(&desc, &s, 100, 20, 0));
    assert_true(flags_behind(&desc, &s, 100, 21, 0));
    assert_false(flags_behind(&desc, &s, 100, 20, 50));
    assert_true(flags_behind(&desc, &s, INT32_MAX - 5, 21, 3)); /* they begin again */
    assert_false(flags_behind(&desc, &s, INT32_MAX - 5, 20, 3));
    /* Counters that stand still or go back: by the frames that were seen. */
    assert_false(flags_behind(&desc, &s, 100, 0, 19));
    assert_true(flags_behind(&desc, &s, 100, 0, 20));
    assert_true(flags_behind(&desc, &s, 100, (uint32_t)-50, 20));
    desc.rate_hz = 1000;
    assert_true(flags_behind(&desc, &s, 100, 2, 0));
    assert_false(flags_behind(&desc, &s, 100, 0, 0));
    desc.gap_reset_s = 0.0041;
    assert_false(flags_behind(&desc, &s, 100, 5, 0));
    assert_true(flags_behind(&desc, &s, 100, 6, 0));
    free_stream(&s);
}

static void meltpool_with_refused_frames_between_counts_them_as_idle(void **unused)
{
    (void)unused;
    sac_meltpool_desc desc;
    stream s = new_squares(23, &desc);
    sac_meltpool *plan = must_open(&desc);
    for (int32_t i = 0; i < 23; i++) {
        s.signals[i].counter = 0;
        s.signals[i].x = i > 0 && i < 21 ? -5000 : 40;
        const sac_meltpool_record record = run_frame(plan, &s, i);
        if (i > 0 && i < 21)
            assert_left_out(&record, SAC_MELTPOOL_REFUSED);
        else
            assert_int_equal(record.flags & SAC_MELTPOOL_GAP, i == 21 ? SAC_MELTPOOL_GAP : 0);
    }
    assert_int_equal(counts_of_meltpool(plan).refused_place, 20);
    assert_identity(plan);
    sac_meltpool_close(&plan);
    free_stream(&s);
}

/* Squares' centroids are their middles; their maximum, taken before a pool is known, is their last
 * pixel, and of dark frames the first. Frame 34 is dark, and behind a gap. */
static void meltpool_at_the_previous_pool_follows_it(void **unused)
{
    (void)unused;
    sac_meltpool_desc desc;
    stream s = new_squares(60, &desc);
    desc.locate = SAC_MELTPOOL_PREVIOUS;
    sac_meltpool *plan = must_open(&desc);
    double x = 0, y = 0; /* of the last pool */
    bool known = false;
    for (int32_t i = 0; i < s.n; i++) {
        const bool is_dark = i % 10 == 4;
        const int32_t u = 30 + i % 7, v = 40 - i % 5;
        s.signals[i].laser_on = i % 10 != 6;
        s.signals[i].counter += i < 34 ? 0 : 100;
        if (is_dark)
            memset(frame_of(&s, i), 3, 96 * 96);
        const sac_meltpool_record record = run_frame(plan, &s, i);
        if (i % 10 == 6) {
            assert_left_out(&record, SAC_MELTPOOL_EMPTY);
            continue;
        }
        assert_int_equal(record.flags & SAC_MELTPOOL_GAP, i == 34 ? SAC_MELTPOOL_GAP : 0);
        known = known && i != 34;
        assert_frame(&record, &desc, &s, i,
                     known     ? x
                     : is_dark ? 0
                               : u + 2,
                     known     ? y
                     : is_dark ? 0
                               : v + 2);
        if (!is_dark) {
            known = true;
            x = u + 1;
            y = v + 1;
        }
    }
    sac_meltpool_close(&plan);
    free_stream(&s);
}

/* One pixel of area 1 beside two: a centroid between pixels, on either side of the half. */
static void meltpool_at_a_previous_pool_between_pixels_keeps_the_fraction(void **unused)
{
    (void)unused;
    sac_meltpool_desc desc;
    stream s = new_squares(2, &desc);
    desc.locate = SAC_MELTPOOL_PREVIOUS;
    for (int32_t n = 2; n < 12; n++) {
        uint8_t *p = frame_of(&s, 0);
        memset(p, 3, 96 * 96);
        memset(p + 50 * 96 + 40, 200, (size_t)n); /* and one below the first */
        p[51 * 96 + 40] = 199;
        sac_meltpool *plan = must_open(&desc);
        run_frame(plan, &s, 0);
        const sac_meltpool_record record = run_frame(plan, &s, 1);
        assert_frame(&record, &desc, &s, 1, 40 + n * (n - 1) / 2.0 / (n + 1), 50 + 1.0 / (n + 1));
        sac_meltpool_close(&plan);
    }
    free_stream(&s);
}

/* A model with nothing regular about it. */
typedef struct any_model {
    float mean[40], scale[40], w1[50 * 40], b1[50], w2[2 * 50], b2[2];
    sac_meltpool_model model;
} any_model;

static void make_model(any_model *m, int32_t output)
{
    uint64_t random = 3;
    float *numbers = m->mean;
    for (size_t i = 0; i < offsetof(any_model, model) / sizeof *numbers; i++)
        numbers[i] = (float)((double)(sac_check_random(&random) >> 40) / (1 << 23) - 1) / 8;
    for (int i = 0; i < 40; i++)
        m->scale[i] = (float)(20 * i + 1);
    m->model = (sac_meltpool_model){.struct_size = sizeof m->model,
                                    .n_hidden = 50,
                                    .output = output,
                                    .mean = m->mean,
                                    .scale = m->scale,
                                    .w1 = m->w1,
                                    .b1 = m->b1,
                                    .w2 = m->w2,
                                    .b2 = m->b2};
}

static double naive_prediction(const any_model *m, const float *features, int k)
{
    double y = (double)m->b2[k];
    for (int j = 0; j < 50; j++) {
        double sum = (double)m->b1[j];
        for (int i = 0; i < 40; i++)
            sum += (double)m->w1[40 * j + i] *
                   (((double)features[i] - (double)m->mean[i]) / (double)m->scale[i]);
        y += sum > 0 ? (double)m->w2[50 * k + j] * sum : 0;
    }
    return m->model.output == SAC_MELTPOOL_SOFTPLUS ? log1p(exp(y)) : y;
}

static void meltpool_with_a_model_predicts_from_all_features(void **unused)
{
    (void)unused;
    static any_model m;
    for (int32_t output = 0; output < 2; output++) {
        sac_meltpool_desc desc;
        stream s = new_build(200, &desc);
        make_model(&m, output);
        desc.model = &m.model;
        sac_meltpool *plan = must_open(&desc);
        for (int32_t i = 0; i < s.n; i++) {
            const sac_meltpool_record record = run_frame(plan, &s, i);
            for (int k = 0; k < 2 && !(record.flags & SAC_MELTPOOL_EMPTY); k++) {
                const double want = naive_prediction(&m, record.features, k);
                const double got = (double)record.prediction[k];
                if (!(fabs(got - want) <= 1e-5 * (1 + fabs(want))))
                    fail_msg("frame %d: expected %.9g, got %.9g", i, want, got);
            }
        }
        sac_meltpool_close(&plan);
        free_stream(&s);
    }
}

/* All frames in batches of these sizes in turn. */
static void run_batches(sac_meltpool_record *records, const sac_meltpool_desc *desc,
                        const stream *s, const int32_t *sizes, int32_t n_sizes)
{
    sac_meltpool *plan = must_open(desc);
    memset(records, 0xA5, (size_t)s->n * sizeof *records);
    for (int32_t from = 0, k = 0; from < s->n; k++) {
        const int32_t size = sizes[k % n_sizes], left = s->n - from;
        const int32_t n = size < left ? size : left;
        const sac_array a = batch_array(s, from, n);
        assert_int_equal(sac_meltpool_run_batch(plan, records + from, &a, s->signals + from, NULL),
                         SAC_OK);
        from += n;
    }
    assert_identity(plan);
    assert_int_equal(counts_of_meltpool(plan).frames, s->n);
    sac_meltpool_close(&plan);
}

static void assert_same(const sac_meltpool_record *got, const sac_meltpool_record *want, int32_t n,
                        int32_t locate, int32_t n_threads)
{
    const size_t begin = offsetof(sac_meltpool_record, signals);
    const size_t end = offsetof(sac_meltpool_record, prediction) + sizeof got->prediction;
    for (int32_t i = 0; i < n; i++)
        if (memcmp((const char *)&got[i] + begin, (const char *)&want[i] + begin, end - begin) ||
            got[i].done_ns <= 0)
            fail_msg("locate %d, %d threads: frame %d differs", locate, n_threads, i);
}

static void meltpool_batches_are_what_single_frames_are(void **unused)
{
    (void)unused;
    static const int32_t threads[] = {1, 2, 7}, odd[] = {1, 33, 7, 200, 64}, all[] = {N_BUILD};
    static sac_meltpool_record want[N_BUILD], got[N_BUILD];
    static any_model m;
    sac_meltpool_desc desc;
    stream s = new_build(N_BUILD, &desc);
    make_model(&m, SAC_MELTPOOL_SOFTPLUS);
    desc.model = &m.model;
    desc.scan_frame = true;
    desc.window = 50;
    s.signals[77].x = 1 << 30; /* refused */
    for (int32_t i = 300; i < N_BUILD; i++)
        s.signals[i].counter += 60; /* a gap */
    for (desc.locate = 0; desc.locate < 4; desc.locate++) {
        desc.n_threads = 1;
        sac_meltpool *plan = must_open(&desc);
        for (int32_t i = 0; i < N_BUILD; i++)
            want[i] = run_frame(plan, &s, i);
        sac_meltpool_close(&plan);
        for (int t = 0; t < 3; t++) {
            desc.n_threads = threads[t];
            run_batches(got, &desc, &s, odd, 5);
            assert_same(got, want, N_BUILD, desc.locate, threads[t]);
            run_batches(got, &desc, &s, all, 1);
            assert_same(got, want, N_BUILD, desc.locate, threads[t]);
        }
    }
    free_stream(&s);
}

/* Frames upside down, with gaps between rows and frames, last one first in memory. */
static void meltpool_of_any_strides_is_the_same(void **unused)
{
    (void)unused;
    enum { N = 5, ROW = 133, FRAME = 97 * ROW };
    static uint8_t memory[N * FRAME];
    sac_meltpool_desc desc;
    stream s = new_build(N, &desc);
    sac_meltpool_record want[N], got[N];
    sac_meltpool *plan = must_open(&desc);
    for (int32_t i = 0; i < N; i++) {
        want[i] = run_frame(plan, &s, i);
        for (int32_t y = 0; y < 96; y++)
            memcpy(memory + (N - 1 - i) * FRAME + (95 - y) * ROW, frame_of(&s, i) + y * 96, 96);
    }
    sac_meltpool_reset(plan);
    const sac_array a = {.data = memory + (N - 1) * FRAME + 95 * ROW,
                         .dtype = SAC_U8,
                         .n_dims = 3,
                         .shape = {N, 96, 96},
                         .stride = {-FRAME, -ROW, 1}};
    assert_int_equal(sac_meltpool_run_batch(plan, got, &a, s.signals, NULL), SAC_OK);
    assert_same(got, want, N, desc.locate, 1);
    sac_meltpool_close(&plan);
    free_stream(&s);
}

static void meltpool_without_signals_takes_each_frame_as_the_next(void **unused)
{
    (void)unused;
    sac_meltpool_desc desc;
    stream s = new_build(30, &desc);
    sac_meltpool_record records[30];
    desc.locate = SAC_MELTPOOL_BRIGHTEST;
    sac_meltpool *plan = must_open(&desc);
    const sac_array a = batch_array(&s, 0, 30), one = frame_array(&s, 0);
    assert_int_equal(sac_meltpool_run_batch(plan, records, &a, NULL, NULL), SAC_OK);
    for (int32_t i = 0; i < 30; i++) {
        int32_t most = 0;
        for (int32_t k = 0; k < 96 * 96; k++)
            most = frame_of(&s, i)[k] > frame_of(&s, i)[most] ? k : most;
        assert_frame(&records[i], &desc, &s, i, most % 96, most / 96);
        assert_int_equal(records[i].signals.counter, i);
        assert_int_equal(records[i].signals.laser_on, 1);
        assert_int_equal(records[i].flags & (SAC_MELTPOOL_GAP | SAC_MELTPOOL_EMPTY), 0);
    }
    s.signals[0].counter = 900;
    assert_int_equal(sac_meltpool_run(plan, records, &one, s.signals, NULL), SAC_OK);
    assert_int_equal(sac_meltpool_run(plan, records + 1, &one, NULL, NULL), SAC_OK);
    assert_int_equal(records[0].flags & SAC_MELTPOOL_GAP, SAC_MELTPOOL_GAP);
    assert_int_equal(records[1].signals.counter, 901);
    sac_meltpool_close(&plan);
    free_stream(&s);
}

static void meltpool_of_other_arrays_refuses_and_counts_them(void **unused)
{
    (void)unused;
    sac_meltpool_desc desc;
    stream s = new_squares(4, &desc);
    sac_meltpool *plan = must_open(&desc);
    sac_meltpool_record records[4], poison[4];
    memset(records, 0x5A, sizeof records);
    memset(poison, 0x5A, sizeof poison);
    sac_array bad[9];
    for (int i = 0; i < 9; i++)
        bad[i] = frame_array(&s, 0);
    bad[0].shape[0] = 95;
    bad[1].shape[1] = 40;
    bad[2].dtype = SAC_I8;
    bad[3].stride[1] = 2;
    bad[4].n_dims = 3;
    bad[5].n_dims = 0;
    bad[6].device.kind = SAC_DEVICE_CUDA;
    bad[7].data = NULL;
    bad[8].shape[0] = -1;
    for (int i = 0; i < 9; i++)
        assert_int_equal(sac_meltpool_run(plan, records, &bad[i], s.signals, NULL),
                         bad[i].data ? SAC_E_SHAPE : SAC_E_INVALID);
    assert_int_equal(counts_of_meltpool(plan).refused_shape, 9);
    const sac_array one = frame_array(&s, 0);
    sac_array all = batch_array(&s, 0, 4);
    assert_int_equal(sac_meltpool_run(plan, records, &one, NULL, NULL), SAC_E_SHAPE);
    assert_int_equal(sac_meltpool_run_batch(plan, records, &all, NULL, NULL), SAC_E_SHAPE);
    assert_int_equal(sac_meltpool_run_batch(plan, records, &one, s.signals, NULL), SAC_E_SHAPE);
    assert_int_equal(counts_of_meltpool(plan).refused_shape, 9 + 1 + 4 + 1);
    assert_memory_equal(records, poison, sizeof poison);
    all.shape[0] = 0;
    assert_int_equal(sac_meltpool_run_batch(plan, records, &all, s.signals, NULL), SAC_OK);
    assert_int_equal(counts_of_meltpool(plan).frames, 15);
    assert_identity(plan);
    sac_meltpool_reset(plan);
    assert_int_equal(counts_of_meltpool(plan).frames, 0);
    sac_meltpool_close(&plan);
    free_stream(&s);
}

static void meltpool_behind_a_reset_is_as_new(void **unused)
{
    (void)unused;
    sac_meltpool_desc desc;
    stream s = new_build(150, &desc);
    static sac_meltpool_record want[150];
    desc.locate = SAC_MELTPOOL_PREVIOUS;
    desc.scan_frame = true;
    sac_meltpool *plan = must_open(&desc);
    for (int32_t i = 0; i < 150; i++)
        want[i] = run_frame(plan, &s, i);
    sac_meltpool_reset(plan);
    for (int32_t i = 0; i < 150; i++) {
        const sac_meltpool_record got = run_frame(plan, &s, i);
        assert_same(&got, &want[i], 1, desc.locate, 1);
    }
    sac_meltpool_close(&plan);
    free_stream(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meltpool_of_any_window_has_variances_over_it),
        cmocka_unit_test(meltpool_behind_a_gap_begins_anew),
        cmocka_unit_test(meltpool_with_refused_frames_between_counts_them_as_idle),
        cmocka_unit_test(meltpool_at_the_previous_pool_follows_it),
        cmocka_unit_test(meltpool_at_a_previous_pool_between_pixels_keeps_the_fraction),
        cmocka_unit_test(meltpool_with_a_model_predicts_from_all_features),
        cmocka_unit_test(meltpool_batches_are_what_single_frames_are),
        cmocka_unit_test(meltpool_of_any_strides_is_the_same),
        cmocka_unit_test(meltpool_without_signals_takes_each_frame_as_the_next),
        cmocka_unit_test(meltpool_of_other_arrays_refuses_and_counts_them),
        cmocka_unit_test(meltpool_behind_a_reset_is_as_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
