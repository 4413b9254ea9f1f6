/*
 * meltpool, frame by frame: features against their definition on simulated and on real frames,
 * where the centre and the ROI are, and which frames are refused.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "unit.h"

#include <stdio.h>

#include <saccade/io.h>

#include "meltpool_scene.h"

#define N_BUILD 400

/* Variances of frame i over at most `window` processed frames since the last gap. */
static void assert_variances(const sac_meltpool_record *records, int32_t i, int32_t window)
{
    const sac_meltpool_record *among[64];
    int32_t n = 0;
    for (int32_t k = i; k >= 0 && n < window; k--) {
        if (records[k].flags & SAC_MELTPOOL_EMPTY)
            continue;
        among[n++] = &records[k];
        if (records[k].flags & SAC_MELTPOOL_GAP)
            break;
    }
    for (int f = 0; f < 20; f++) {
        const double want = naive_variance(among, n, f), got = (double)records[i].features[20 + f];
        if (!(fabs(got - want) <= 1e-5 * want + 1e-30))
            fail_msg("frame %d: variance %d over %d: expected %.9g, got %.9g", i, f, n, want, got);
    }
}

static void meltpool_frames_of_a_build_have_the_features_of_the_definition(void **unused)
{
    (void)unused;
    sac_meltpool_desc desc;
    stream s = new_build(N_BUILD, &desc);
    static sac_meltpool_record records[N_BUILD];
    desc.roi_align = 4;
    sac_meltpool *plan = must_open(&desc);
    sac_meltpool_counts want = {.struct_size = sizeof want, .frames = N_BUILD};
    for (int32_t i = 0; i < N_BUILD; i++) {
        const sac_meltpool_signals *at = &s.signals[i];
        records[i] = run_frame(plan, &s, i);
        assert_memory_equal(&records[i].signals, at, sizeof *at);
        assert_true(records[i].done_ns >= (i > 0 ? records[i - 1].done_ns : 1));
        want.processed += at->laser_on != 0;
        if (!at->laser_on) {
            assert_left_out(&records[i], SAC_MELTPOOL_EMPTY);
            continue;
        }
        assert_frame(&records[i], &desc, &s, i, laser_at(&desc, at, 0), laser_at(&desc, at, 1));
        assert_variances(records, i, 64);
        assert_true(records[i].prediction[0] == 0 && records[i].prediction[1] == 0);
        want.no_pool += (records[i].flags & SAC_MELTPOOL_NO_POOL) != 0;
        want.clipped += (records[i].flags & SAC_MELTPOOL_CLIPPED) != 0;
        want.gaps += (records[i].flags & SAC_MELTPOOL_GAP) != 0;
        want.spatters += (int64_t)records[i].features[2];
    }
    want.empty = want.frames - want.processed;
    const sac_meltpool_counts got = counts_of_meltpool(plan);
    assert_memory_equal(&got, &want, sizeof got);
    assert_true(want.empty > 0);
    sac_meltpool_close(&plan);
    free_stream(&s);
}

/* A frame of noise with a bright disc. */
static void draw_disc(uint8_t *pixels, int32_t h, int32_t w, double x, double y, uint64_t random)
{
    for (int32_t v = 0; v < h; v++)
        for (int32_t u = 0; u < w; u++) {
            const double d = (u - x) * (u - x) + (v - y) * (v - y);
            const uint64_t noise = sac_check_random(&random) >> 60;
            pixels[v * w + u] = (uint8_t)((d < 20 ? 90 + 5 * (20 - d) : 0) + (double)noise);
        }
}

static void meltpool_of_each_size_crops_inside_at_every_border(void **unused)
{
    (void)unused;
    static const int32_t sides[][3] = {
        {96, 96, 40}, {61, 101, 33}, {40, 40, 40}, {128, 131, 128}, {24, 8, 8}};
    static const int32_t aligns[] = {1, 8, 64};
    for (int32_t k = 0; k < 15; k++) {
        sac_meltpool_desc desc;
        sac_meltpool_desc_init(&desc);
        desc.h = sides[k / 3][0];
        desc.w = sides[k / 3][1];
        desc.roi = sides[k / 3][2];
        desc.roi_align = aligns[k % 3];
        desc.threshold = 80;
        desc.n_threads = 1;
        stream s = new_stream(1, desc.h, desc.w);
        sac_meltpool *plan = must_open(&desc);
        for (int32_t at = 0; at < 49; at++) { /* from beyond one border to beyond the other */
            const int32_t x = (at % 7) * (desc.w + 20) / 6 - 10;
            const int32_t y = (at / 7) * (desc.h + 20) / 6 - 10;
            draw_disc(s.pixels, s.h, s.w, x, y, 7 + (uint64_t)at);
            s.signals[0].x = x;
            s.signals[0].y = y;
            const sac_meltpool_record record = run_frame(plan, &s, 0);
            assert_frame(&record, &desc, &s, 0, x, y);
        }
        sac_meltpool_close(&plan);
        free_stream(&s);
    }
}

static void meltpool_with_a_calibration_keeps_the_fraction_for_sectors(void **unused)
{
    (void)unused;
    sac_meltpool_desc desc;
    sac_meltpool_desc_init(&desc);
    /* Rows are halves of 1/65536 above a sixteenth: rounded up, they miss the pixels' own. */
    const double m[2][3] = {{0.0625, 0.03125, 20.5}, {-0.0625, 0.125, 41 + 0x1p-17}};
    memcpy(desc.calibration, m, sizeof m);
    stream s = new_stream(1, 96, 96);
    sac_meltpool *plan = must_open(&desc);
    draw_disc(s.pixels, 96, 96, 40, 50, 3);
    for (int32_t i = 0; i < 60; i++) {
        s.signals[0].x = 11 * i - 300;
        s.signals[0].y = 7 * i;
        const double x = s.signals[0].x, y = s.signals[0].y;
        const sac_meltpool_record record = run_frame(plan, &s, 0);
        assert_frame(&record, &desc, &s, 0, 0.0625 * x + 0.03125 * y + 20.5,
                     -0.0625 * x + 0.125 * y + 41 + 0x1p-17);
    }
    sac_meltpool_close(&plan);
    free_stream(&s);
}

static void meltpool_with_the_laser_out_of_reach_refuses_the_frame(void **unused)
{
    (void)unused;
    static const double all[][6] = {{1, 0, 0, 0, 1, 0},
                                    {1e308, 0, 0, 0, 1e308, 0},
                                    {1e308, -1e308, 0, 1e308, 1e308, 40},
                                    {1e300, 1e299, 40, 1e300, -1e300, 1e308},
                                    {1e-8, 0, 40, 0, 1e-3, 40}};
    static const int32_t places[] = {0,    40,    -4096,     -4097,     4191,
                                     4192, 65535, INT32_MAX, INT32_MIN, -1};
    stream s = new_stream(1, 96, 96);
    for (int32_t k = 0; k < 5; k++) {
        sac_meltpool_desc desc;
        sac_meltpool_desc_init(&desc);
        memcpy(desc.calibration, all[k], sizeof desc.calibration);
        sac_meltpool *plan = must_open(&desc);
        for (int32_t i = 0; i < 100; i++) {
            s.signals[0].x = places[i % 10];
            s.signals[0].y = places[i / 10];
            const double column = laser_at(&desc, s.signals, 0);
            const double line = laser_at(&desc, s.signals, 1);
            const sac_meltpool_record record = run_frame(plan, &s, 0);
            if (fabs(column - 47.5) <= 4143.5 && fabs(line - 47.5) <= 4143.5)
                assert_frame(&record, &desc, &s, 0, column, line);
            else
                assert_left_out(&record, SAC_MELTPOOL_REFUSED);
        }
        assert_identity(plan);
        assert_true(counts_of_meltpool(plan).refused_place > 0);
        sac_meltpool_close(&plan);
    }
    free_stream(&s);
}

static void meltpool_at_the_brightest_takes_the_first_maximum(void **unused)
{
    (void)unused;
    sac_meltpool_desc desc;
    sac_meltpool_desc_init(&desc);
    desc.locate = SAC_MELTPOOL_BRIGHTEST;
    desc.w = 101;
    stream s = new_stream(1, 96, 101);
    sac_meltpool *plan = must_open(&desc);
    uint64_t random = 5;
    sac_meltpool_record record = run_frame(plan, &s, 0);
    assert_frame(&record, &desc, &s, 0, 0, 0); /* all black */
    for (int32_t i = 0; i < 100; i++) {
        const int32_t at = (int32_t)(sac_check_random(&random) % (96 * 101));
        memset(s.pixels, i < 50 ? 50 : 0, 96 * 101);
        s.pixels[at] = i % 2 ? 255 : 51;
        if (i % 3 == 0)
            s.pixels[96 * 101 - 1] = s.pixels[at]; /* another, later one */
        record = run_frame(plan, &s, 0);
        assert_frame(&record, &desc, &s, 0, at % 101, at / 101);
    }
    sac_meltpool_close(&plan);
    free_stream(&s);
}

static void meltpool_at_a_fixed_place_stays_there(void **unused)
{
    (void)unused;
    sac_meltpool_desc desc;
    stream s = new_build(20, &desc);
    desc.locate = SAC_MELTPOOL_FIXED;
    for (int32_t k = 0; k < 3; k++) {
        if (k > 0) {
            desc.fixed[0] = k == 1 ? 0 : 90.625;
            desc.fixed[1] = k == 1 ? 95 : 33.5;
        }
        sac_meltpool *plan = must_open(&desc);
        for (int32_t i = 0; i < s.n; i++) {
            s.signals[i].laser_on = 1;
            const sac_meltpool_record record = run_frame(plan, &s, i);
            assert_frame(&record, &desc, &s, i, k > 0 ? desc.fixed[0] : 47.5,
                         k > 0 ? desc.fixed[1] : 47.5);
        }
        sac_meltpool_close(&plan);
    }
    free_stream(&s);
}

static void meltpool_with_a_static_roi_has_sectors_around_the_laser(void **unused)
{
    (void)unused;
    sac_meltpool_desc desc, fixed;
    stream s = new_build(60, &desc);
    desc.static_roi = true;
    desc.fixed[0] = 50;
    desc.fixed[1] = 30;
    fixed = desc;
    sac_meltpool *plan = must_open(&desc);
    for (int32_t i = 0; i < s.n; i++) {
        const sac_meltpool_signals *at = &s.signals[i];
        const sac_meltpool_record record = run_frame(plan, &s, i);
        double want[20];
        uint32_t moved, flags;
        if (!at->laser_on)
            continue;
        naive_frame f = naive_crop(&fixed, &s, i, 50, 30, &moved);
        f.x = floor(65536 * (laser_at(&desc, at, 0)) + 0.5) / 65536;
        f.y = floor(65536 * (laser_at(&desc, at, 1)) + 0.5) / 65536;
        naive_features(want, &flags, &f);
        assert_features(&record, want, "frame", i);
        assert_int_equal(record.flags & SAC_MELTPOOL_CLIPPED,
                         (flags | moved) & SAC_MELTPOOL_CLIPPED);
    }
    sac_meltpool_close(&plan);
    free_stream(&s);
}

/* Frames 3 k are where the one before was; the second line goes back; some are empty or refused. */
static void meltpool_in_the_scan_frame_counts_sectors_from_the_motion(void **unused)
{
    (void)unused;
    enum { N = 120 };
    sac_meltpool_desc desc;
    stream s = new_build(N, &desc);
    desc.scan_frame = true;
    sac_meltpool *plan = must_open(&desc);
    double turn = 0, x = 0, y = 0, n_sure = 0;
    bool moves = false;
    for (int32_t i = 0; i < N; i++) {
        const int32_t k = i % 3 == 0 && i > 0 ? i - 1 : i;
        s.signals[i].laser_on = i % 11 != 5;
        s.signals[i].x = i % 13 == 7 ? INT32_MAX : 300 * (k % 17) - 40 * k;
        s.signals[i].y = 100 * (k % 23) - (k > 60 ? 7 * k : 900);
        const sac_meltpool_record record = run_frame(plan, &s, i);
        if (record.flags & (SAC_MELTPOOL_EMPTY | SAC_MELTPOOL_REFUSED))
            continue;
        const double to_x = floor(65536 * laser_at(&desc, &s.signals[i], 0) + 0.5) / 65536;
        const double to_y = floor(65536 * laser_at(&desc, &s.signals[i], 1) + 0.5) / 65536;
        if (moves && (to_x != x || to_y != y))
            turn = atan2(to_y - y, to_x - x);
        moves = true;
        x = to_x;
        y = to_y;
        double want[20];
        uint32_t moved, flags;
        naive_frame f = naive_crop(&desc, &s, i, x, y, &moved);
        f.turn_rad = turn;
        naive_features(want, &flags, &f);
        const double doubt = naive_doubt(&f);
        n_sure += doubt == 0;
        for (int q = 5; q < 11; q++) {
            const double got = (double)record.features[q];
            if (!(fabs(got - want[q]) <= doubt))
                fail_msg("frame %d: sector %d: expected %g, got %g", i, q - 5, want[q], got);
            want[q] = got;
        }
        assert_features(&record, want, "frame", i);
    }
    assert_true(n_sure > N / 4);
    sac_meltpool_close(&plan);
    free_stream(&s);
}

/* A frame from a camera, as one of a stream, at each place of a grid. */
static void run_real(const sac_picture *picture)
{
    const sac_array a = sac_picture_get_array(picture);
    sac_meltpool_desc desc;
    sac_meltpool_desc_init(&desc);
    desc.h = (int32_t)a.shape[0];
    desc.w = (int32_t)a.shape[1];
    desc.n_threads = 1;
    stream s = new_stream(1, desc.h, desc.w);
    for (int32_t y = 0; y < desc.h; y++)
        memcpy(s.pixels + y * desc.w, (const uint8_t *)a.data + y * a.stride[0], (size_t)desc.w);
    for (desc.threshold = 10; desc.threshold < 256; desc.threshold += 50) {
        sac_meltpool *plan = must_open(&desc);
        for (int32_t i = 0; i < 25; i++) {
            s.signals[0].x = i % 5 * 24;
            s.signals[0].y = i / 5 * 24;
            const sac_meltpool_record record = run_frame(plan, &s, 0);
            assert_frame(&record, &desc, &s, 0, s.signals[0].x, s.signals[0].y);
        }
        sac_meltpool_close(&plan);
    }
    free_stream(&s);
}

static void meltpool_frames_of_a_camera_have_the_features_of_the_definition(void **unused)
{
    static const char *const names[] = {"normal_1", "normal_2", "spatters_1"};
    const char *folder = getenv("SACCADE_DATA");
    (void)unused;
    for (int32_t i = 0; i < 3; i++) {
        sac_picture *picture = NULL;
        char path[1024];
        snprintf(path, sizeof path, "%s/meltpool/%s_96x96.pgm", folder ? folder : "../shared/data",
                 names[i]);
        if (sac_picture_read(&picture, path, 0, NULL) != SAC_OK) {
            skip_test("no camera's frames in ../shared/data or SACCADE_DATA");
        }
        run_real(picture);
        sac_picture_close(&picture);
    }
}

static void meltpool_counts_where_the_laser_is_outside(void **unused)
{
    (void)unused;
    sac_meltpool_desc desc;
    sac_meltpool_desc_init(&desc);
    static const struct {
        int32_t x, y;
        bool is_outside;
    } all[] = {{0, 0, false},  {95, 95, false}, {-1, 0, true},     {0, -1, true},
               {96, 95, true}, {95, 96, true},  {-4096, 40, true}, {-4097, 40, false}};
    stream s = new_stream(1, 96, 96);
    for (int k = 0; k < 3; k++) { /* with a ROI that stays, the flags say nothing of it */
        desc.static_roi = k == 1;
        desc.locate = k == 2 ? SAC_MELTPOOL_FIXED : SAC_MELTPOOL_LASER;
        sac_meltpool *plan = must_open(&desc);
        int64_t outside = 0;
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
            s.signals[0] = (sac_meltpool_signals){1, (int32_t)i, all[i].x, all[i].y};
            (void)run_frame(plan, &s, 0);
            outside += k < 2 && all[i].is_outside;
            assert_int_equal(counts_of_meltpool(plan).outside, outside);
        }
        s.signals[0].laser_on = 0;
        (void)run_frame(plan, &s, 0);
        assert_int_equal(counts_of_meltpool(plan).outside, outside);
        sac_meltpool_close(&plan);
    }
    free_stream(&s);
}

static void meltpool_doubt_names_what_most_frames_have(void **unused)
{
    (void)unused;
    static const struct {
        sac_meltpool_counts counts;
        const char *word; /* "": none */
    } all[] = {
        {{0}, ""},
        {{.frames = 10, .processed = 10}, ""},
        {{.frames = 10, .processed = 10, .outside = 5}, ""},
        {{.frames = 10, .processed = 10, .outside = 6, .clipped = 10}, "outside"},
        {{.frames = 10, .refused_place = 10}, "outside"},
        {{.frames = 10, .processed = 4, .refused_place = 2, .outside = 1, .empty = 4}, ""},
        {{.frames = 10, .processed = 4, .refused_place = 2, .outside = 2, .empty = 4}, "outside"},
        {{.frames = 10, .processed = 9, .empty = 1, .no_pool = 5}, "no pool"},
        {{.frames = 10, .processed = 9, .empty = 1, .clipped = 5}, "clipped"},
        {{.frames = 10, .processed = 9, .empty = 1, .clipped = 4, .no_pool = 4}, ""},
        {{.frames = 10, .processed = 4, .empty = 6}, "empty"},
        {{.frames = 10, .processed = 5, .empty = 5}, ""},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        sac_meltpool_counts counts = all[i].counts;
        counts.struct_size = sizeof counts;
        const char *doubt = sac_meltpool_doubt(&counts);
        if (*all[i].word ? !strstr(doubt, all[i].word) : *doubt != '\0')
            fail_msg("counts %zu: expected '%s', got '%s'", i, all[i].word, doubt);
    }
    sac_meltpool_counts older = {.frames = 10, .processed = 10, .outside = 10, .clipped = 9};
    older.struct_size = offsetof(sac_meltpool_counts, outside); /* of a program that has no more */
    assert_non_null(strstr(sac_meltpool_doubt(&older), "clipped"));
    older.struct_size = 0;
    assert_string_equal(sac_meltpool_doubt(&older), "");
    assert_string_equal(sac_meltpool_doubt(NULL), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meltpool_frames_of_a_build_have_the_features_of_the_definition),
        cmocka_unit_test(meltpool_of_each_size_crops_inside_at_every_border),
        cmocka_unit_test(meltpool_with_a_calibration_keeps_the_fraction_for_sectors),
        cmocka_unit_test(meltpool_counts_where_the_laser_is_outside),
        cmocka_unit_test(meltpool_doubt_names_what_most_frames_have),
        cmocka_unit_test(meltpool_with_the_laser_out_of_reach_refuses_the_frame),
        cmocka_unit_test(meltpool_at_the_brightest_takes_the_first_maximum),
        cmocka_unit_test(meltpool_at_a_fixed_place_stays_there),
        cmocka_unit_test(meltpool_with_a_static_roi_has_sectors_around_the_laser),
        cmocka_unit_test(meltpool_in_the_scan_frame_counts_sectors_from_the_motion),
        cmocka_unit_test(meltpool_frames_of_a_camera_have_the_features_of_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
