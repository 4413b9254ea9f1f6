/*
 * frame_u8 and the features made of it: every gradient against integers, ties, edges of
 * words and sectors, and real frames; each in every variant that this CPU can run.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <saccade/device.h>
#include <saccade/io.h>

#include "meltpool/kernels/frame_u8/features.h"

#define PI 3.14159265358979323846

enum { MAX = SAC_MELTPOOL_MAX_ROI };

/* What all variants say, which is what the reference says. */
static sac_meltpool_integers run(const sac_meltpool_frame_job *job)
{
    const sac_variant *v = sac_frame_u8_room.variants;
    sac_meltpool_integers want, got;
    ((sac_frame_u8_fn)v->fn)(&want, job);
    for (v++; v->name; v++) {
        if (v->needs & ~sac_cpu_features())
            continue;
        memset(&got, 0xA5, sizeof got);
        ((sac_frame_u8_fn)v->fn)(&got, job);
        assert_memory_equal(&got, &want, sizeof want);
    }
    return want;
}

/* All of an n x n frame, centred on pixel (x, y). */
static sac_meltpool_frame_job job_of(const uint8_t *frame, int32_t n, int32_t x, int32_t y)
{
    return (sac_meltpool_frame_job){.frame = frame,
                                    .row = n,
                                    .n = n,
                                    .threshold = 60,
                                    .spatter_min = 1,
                                    .cx = x,
                                    .cy = y,
                                    .cx_q16 = 65536 * x,
                                    .cy_q16 = 65536 * y};
}

/* m with (m - 1/2)^2 <= 256 (gx^2 + gy^2) < (m + 1/2)^2. */
static uint32_t magnitude(int32_t gx, int32_t gy)
{
    const int32_t squares = 1024 * (gx * gx + gy * gy);
    int32_t m = (int32_t)sqrt(squares / 4.0);
    while (m > 0 && (2 * m - 1) * (2 * m - 1) > squares)
        m--;
    while ((2 * m + 1) * (2 * m + 1) <= squares)
        m++;
    return (uint32_t)m;
}

static int32_t bin_of(int32_t gx, int32_t gy)
{
    const double pi = 3.14159265358979323846;
    const double degrees = gy == 0 ? 0 : atan2(gy, gx) * 180 / pi;
    return (int32_t)floor((degrees < 0 ? degrees + 180 : degrees) / 20);
}

static void vote_frame(uint32_t hog[SAC_MELTPOOL_BINS], const uint8_t *p, int32_t n)
{
    memset(hog, 0, SAC_MELTPOOL_BINS * sizeof *hog);
    for (int32_t y = 0; y < n; y++)
        for (int32_t x = 0; x < n; x++) {
            const int32_t west = x > 0 ? x - 1 : x, east = x < n - 1 ? x + 1 : x;
            const int32_t up = y > 0 ? y - 1 : y, down = y < n - 1 ? y + 1 : y;
            const int32_t gx = p[y * n + east] - p[y * n + west];
            const int32_t gy = p[down * n + x] - p[up * n + x];
            hog[bin_of(gx, gy)] += magnitude(gx, gy);
        }
}

/* In each 3 x 3 pixels the one in the middle has one gradient: all of -255..255 by -255..255. */
static void frame_of_every_gradient_votes_as_the_true_angle_and_integers_say(void **unused)
{
    (void)unused;
    static uint8_t p[MAX * MAX];
    const int32_t n_all = 511 * 511;
    for (int32_t i = 0; i < n_all;) {
        memset(p, 0, sizeof p);
        for (int32_t y = 1; y < MAX - 1; y += 3)
            for (int32_t x = 1; x < MAX - 1 && i < n_all; x += 3, i++) {
                const int32_t gx = i % 511 - 255, gy = i / 511 - 255;
                p[y * MAX + x + (gx < 0 ? -1 : 1)] = (uint8_t)abs(gx);
                p[(y + (gy < 0 ? -1 : 1)) * MAX + x] = (uint8_t)abs(gy);
            }
        const sac_meltpool_frame_job job = job_of(p, MAX, 64, 64);
        const sac_meltpool_integers got = run(&job);
        uint32_t hog[SAC_MELTPOOL_BINS];
        vote_frame(hog, p, MAX);
        assert_memory_equal(got.hog, hog, sizeof hog);
    }
}

/* Sums are the largest there can be. */
static void frame_of_the_steepest_gradients_has_all_votes_in_one_bin(void **unused)
{
    (void)unused;
    static uint8_t p[MAX * MAX];
    for (int32_t turned = 0; turned < 2; turned++) {
        for (int32_t i = 0; i < MAX * MAX; i++)
            p[i] = (turned ? i / MAX - i % MAX : i / MAX + i % MAX) >> 1 & 1 ? 255 : 0;
        const sac_meltpool_frame_job job = job_of(p, MAX, 64, 64);
        const sac_meltpool_integers got = run(&job);
        assert_in_range(got.hog[turned ? 6 : 2], (MAX - 2) * (MAX - 2) * 5770, MAX * MAX * 5770);
    }
}

static void frame_of_equally_near_components_takes_the_first_in_raster_order(void **unused)
{
    (void)unused;
    uint8_t p[20 * 20] = {0};
    p[7 * 20 + 10] = p[13 * 20 + 10] = p[10 * 20 + 7] = p[10 * 20 + 13] = 60;
    const sac_meltpool_frame_job job = job_of(p, 20, 10, 10);
    sac_meltpool_integers got = run(&job);
    assert_int_equal(got.area, 1);
    assert_int_equal(got.sum_x, 10);
    assert_int_equal(got.sum_y, 7);
    assert_int_equal(got.n_spatters, 3);
    p[7 * 20 + 10] = 59;
    got = run(&job);
    assert_int_equal(got.sum_x, 7);
    assert_int_equal(got.n_spatters, 2);
    p[11 * 20 + 11] = 255; /* nearer, and on the centre's other side */
    got = run(&job);
    assert_int_equal(got.sum_i, 255);
    assert_int_equal(got.sum_xy, 121);
    p[10 * 20 + 10] = 255; /* touches it at a corner only */
    got = run(&job);
    assert_int_equal(got.area, 1);
    assert_int_equal(got.sum_x, 10);
    assert_int_equal(got.n_spatters, 4);
    assert_int_equal(got.flags, 0);
}

static void frame_with_a_centre_outside_takes_the_nearest_pixel(void **unused)
{
    (void)unused;
    uint8_t p[16 * 16] = {0};
    p[0] = p[1] = p[16 * 15 + 15] = 200;
    sac_meltpool_frame_job job = job_of(p, 16, -40, -3);
    sac_meltpool_integers got = run(&job);
    assert_int_equal(got.area, 2);
    assert_int_equal(got.flags, SAC_MELTPOOL_CLIPPED);
    assert_int_equal(got.spatter_pixels, 1);
    assert_int_equal(got.polar[0], 600);
    job = job_of(p, 16, 8192, 9);
    job.spatter_min = 3;
    got = run(&job);
    assert_int_equal(got.sum_x, 15);
    assert_int_equal(got.n_spatters, 0);
    assert_int_equal(got.polar[3], 400);
    assert_int_equal(got.polar[2], 200);
}

/* One way through all rows from end to end: runs that cross the words' border, joined late. */
static void frame_of_one_long_way_is_one_component(void **unused)
{
    (void)unused;
    static uint8_t p[MAX * MAX];
    memset(p, 0, sizeof p);
    for (int32_t y = 0; y < MAX; y++)
        for (int32_t x = 0; x < MAX; x++)
            p[y * MAX + x] = y % 2 == 0 || x == (y % 4 == 1 ? MAX - 1 : 0) ? 255 : 59;
    sac_meltpool_frame_job job = job_of(p, MAX, 64, 1);
    sac_meltpool_integers got = run(&job);
    assert_int_equal(got.area, 64 * MAX + 64);
    assert_int_equal(got.n_spatters, 0);
    for (job.n = 63; job.n <= 66; job.n++) {
        got = run(&job);
        assert_int_equal(got.n_spatters, (job.n + 1) / 4); /* open at the right */
    }
    p[2 * MAX + 63] = 0;
    job.n = MAX;
    job.cy = 2;
    got = run(&job);
    assert_int_equal(got.n_spatters, 1);
}

/* The sector of one bright pixel, by (dx, dy) in sixteenths of a pixel; scan: NULL, or its
 * direction in radians. */
static int32_t sector_of(int32_t dx, int32_t dy, const double *scan)
{
    uint8_t p[24 * 24] = {0};
    p[11 * 24 + 12] = 100;
    sac_meltpool_frame_job job = job_of(p, 24, 0, 0);
    job.cx_q16 = 65536 * 12 - dx * 4096;
    job.cy_q16 = 65536 * 11 - dy * 4096;
    job.scan = scan != NULL;
    for (int32_t k = 0; k < 3 && scan; k++) {
        job.edge_x[k] = (int32_t)lround(16384 * cos(*scan + k * PI / 3));
        job.edge_y[k] = (int32_t)lround(16384 * sin(*scan + k * PI / 3));
    }
    const sac_meltpool_integers got = run(&job);
    for (int32_t i = 0; i < SAC_MELTPOOL_SECTORS; i++)
        if (got.polar[i])
            return got.polar[i] == 100 ? i : -1;
    return -1;
}

static void frame_with_a_pixel_anywhere_has_it_in_its_sector(void **unused)
{
    (void)unused;
    for (int32_t dy = -80; dy <= 80; dy++)
        for (int32_t dx = -80; dx <= 80; dx++) {
            const double degrees = atan2(dy, dx) * 180 / PI;
            const int32_t want = (int32_t)floor((degrees < 0 ? degrees + 360 : degrees) / 60);
            if (sector_of(dx, dy, NULL) != want)
                fail_msg("dx %d, dy %d: sector %d expected, got %d", dx, dy, want,
                         sector_of(dx, dy, NULL));
        }
}

/* Within 1e-4 of an edge its rounding decides, but where the edge is a multiple of 90 degrees. */
static void frame_with_scan_counts_sectors_from_its_direction(void **unused)
{
    (void)unused;
    for (int32_t i = 0; i < 48; i++) {
        const double scan = i * PI / 24; /* 7.5 degrees */
        for (int32_t dy = -40; dy <= 40; dy += 5)
            for (int32_t dx = -40; dx <= 40; dx += 4) {
                const double turns = (atan2(dy, dx) - scan) / (2 * PI);
                const double sector = 6 * (turns - floor(turns));
                const int32_t got = sector_of(dx, dy, &scan);
                if (fabs(sector - round(sector)) < 1e-4 || (dx == 0 && dy == 0))
                    continue;
                if (got != (int32_t)sector)
                    fail_msg("scan %g, dx %d, dy %d: sector %g, got %d", scan, dx, dy, sector, got);
            }
    }
    for (int32_t k = 0; k < 12; k++) { /* along an edge: it is the sector's that begins there */
        const double scan = (k % 4) * PI / 2;
        const int32_t x[] = {1, 0, -1, 0}, y[] = {0, 1, 0, -1}, by = k / 4 * 13 + 1;
        assert_int_equal(sector_of(by * x[k % 4], by * y[k % 4], &scan), 0);
        assert_int_equal(sector_of(-by * x[k % 4], -by * y[k % 4], &scan), 3);
        assert_int_equal(sector_of(0, 0, &scan), 0);
    }
}

static void features_of_bars_and_of_nothing_are_their_definitions(void **unused)
{
    (void)unused;
    uint8_t p[32 * 32];
    float features[SAC_MELTPOOL_OF_FRAME];
    for (int32_t length = 1; length <= 20; length++) {
        memset(p, 7, sizeof p);
        for (int32_t i = 0; i < length; i++)
            p[32 * 9 + 5 + i] = (uint8_t)(100 + i);
        const sac_meltpool_frame_job job = job_of(p, 32, 3, 9);
        const sac_meltpool_integers got = run(&job);
        sac_meltpool_features(features, &got);
        assert_true(features[0] == (float)length && features[1] == 0 && features[2] == 0);
        assert_true(fabs(features[3] - 1.0 / length) < 1e-7);
        assert_true(features[4] == (float)(100 + (length - 1) / 2.0));
        double norm = 0, light = 0;
        for (int32_t i = 0; i < SAC_MELTPOOL_BINS; i++)
            norm += (double)features[11 + i] * features[11 + i];
        for (int32_t i = 0; i < SAC_MELTPOOL_SECTORS; i++)
            light += features[5 + i];
        assert_true(fabs(norm - 1) < 1e-6);
        assert_true(light == 7.0 * (1024 - length) + got.sum_i);
    }
    memset(p, 59, sizeof p);
    const sac_meltpool_frame_job job = job_of(p, 32, 3, 9);
    const sac_meltpool_integers got = run(&job);
    sac_meltpool_features(features, &got);
    assert_int_equal(got.flags, SAC_MELTPOOL_NO_POOL);
    for (int32_t i = 0; i < SAC_MELTPOOL_OF_FRAME; i++)
        assert_true(i >= 5 && i < 11 ? features[i] > 0 : features[i] == 0);
}

/* Every ROI of this side at steps, centres on and between pixels, thresholds from all to few. */
static void run_real(const uint8_t *frame, ptrdiff_t row, int32_t w, int32_t h, int32_t n)
{
    static const int32_t thresholds[] = {0, 8, 30, 60, 120, 255, 256};
    for (int32_t y = 0; y + n <= h; y += n < h ? (h - n + 3) / 4 : h)
        for (int32_t x = 0; x + n <= w; x += n < w ? (w - n + 3) / 4 : w)
            for (int32_t i = 0; i < 7; i++) {
                sac_meltpool_frame_job job = {.frame = frame,
                                              .row = row,
                                              .x0 = x,
                                              .y0 = y,
                                              .n = n,
                                              .threshold = thresholds[i],
                                              .spatter_min = 1 + i % 3,
                                              .cx = x + n / 2,
                                              .cy = y + n / 3};
                job.cx_q16 = 65536 * job.cx + 9001 * (i - 3);
                job.cy_q16 = 65536 * job.cy - 9901 * (i - 3);
                (void)run(&job);
            }
}

static void frame_from_a_camera_is_the_same_in_every_variant(void **unused)
{
    static const char *const names[] = {"normal_1", "normal_2", "spatters_1"};
    static const int32_t sides[] = {8, 33, 40, 64, 65, 96};
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
        const sac_array array = sac_picture_get_array(picture), *a = &array;
        for (int32_t k = 0; k < 6; k++)
            run_real(a->data, a->stride[0], (int32_t)a->shape[1], (int32_t)a->shape[0], sides[k]);
        const sac_meltpool_frame_job job = job_of(a->data, 96, 48, 48);
        const sac_meltpool_integers got = run(&job);
        print_message("%s: area %u, %u spatters of %u pixels\n", names[i], got.area, got.n_spatters,
                      got.spatter_pixels);
        sac_picture_close(&picture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_of_every_gradient_votes_as_the_true_angle_and_integers_say),
        cmocka_unit_test(frame_of_the_steepest_gradients_has_all_votes_in_one_bin),
        cmocka_unit_test(frame_of_equally_near_components_takes_the_first_in_raster_order),
        cmocka_unit_test(frame_with_a_centre_outside_takes_the_nearest_pixel),
        cmocka_unit_test(frame_of_one_long_way_is_one_component),
        cmocka_unit_test(frame_with_a_pixel_anywhere_has_it_in_its_sector),
        cmocka_unit_test(frame_with_scan_counts_sectors_from_its_direction),
        cmocka_unit_test(features_of_bars_and_of_nothing_are_their_definitions),
        cmocka_unit_test(frame_from_a_camera_is_the_same_in_every_variant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
