/*
 * sac_camera_noise: clips of known noise are measured within the scatter of the estimators, in all
 * sizes, types and channels; motion and clipping are found; what is wrong is refused.
 * sac_measure_difference against a count by hand.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/measure_video.h>

#include "base/random.h"
#include "refusal.h"

#define SIGMAS 5 /* of the scatter that is derived below: one of 1.7 million tests fails */
#define MAX_BINS 16

/* A clip: variances of what is drawn by itself. */
typedef struct clip {
    int64_t w, h;
    int32_t n_channels, n_frames;
    sac_dtype dtype;
    int32_t white;
    double level;
    double random, row, column, frame, fixed, fixed_row, fixed_column; /* deviations */
    double contrast; /* the right half is brighter by this, and its random noise is doubled */
    uint64_t seed;
} clip;

/* Numbers of one seed that never meet: kind of part, channel, frame (or -1: fixed), place. */
static double draw(const clip *c, int kind, int32_t channel, int32_t frame, int64_t place)
{
    const uint64_t seed = c->seed * 1000003 + (uint64_t)(kind * 4 + channel) * 100003;
    return sac_random_normal(seed + (uint64_t)(frame + 1), (uint64_t)place);
}

static int64_t sample(const clip *c, int32_t i, int32_t t, int64_t x, int64_t y)
{
    const bool is_right = c->contrast > 0 && x >= c->w / 2;
    const double value =
        c->level + (is_right ? c->contrast : 0) +
        (is_right ? 2 : 1) * c->random * draw(c, 0, i, t, y * c->w + x) +
        c->row * draw(c, 1, i, t, y) + c->column * draw(c, 2, i, t, x) +
        c->frame * draw(c, 3, i, t, 0) + c->fixed * draw(c, 4, i, -1, y * c->w + x) +
        c->fixed_row * draw(c, 5, i, -1, y) + c->fixed_column * draw(c, 6, i, -1, x);
    return (int64_t)fmin(fmax(rint(value), 0), c->white);
}

static sac_camera_noise *must_open(const clip *c)
{
    sac_camera_noise_desc desc;
    sac_camera_noise *noise = NULL;
    sac_error err = {0};
    sac_camera_noise_desc_init(&desc);
    desc.w = c->w;
    desc.h = c->h;
    desc.n_channels = c->n_channels;
    desc.dtype = c->dtype;
    desc.white = c->white;
    assert_ok(sac_camera_noise_open(&noise, &desc, &err), &err);
    return noise;
}

/* Rows with a gap, as cameras have them. */
static void measure(sac_noise_figures *figures, const clip *c)
{
    sac_camera_noise *noise = must_open(c);
    sac_error err = {0};
    const size_t bytes = sac_dtype_size(c->dtype);
    const int64_t gap = c->w * c->n_channels + 3;
    uint8_t *data = calloc((size_t)(gap * c->h), bytes);
    assert_non_null(data);
    sac_array frame = {
        .data = data,
        .dtype = c->dtype,
        .n_dims = c->n_channels == 1 ? 2 : 3,
        .shape = {c->h, c->w, c->n_channels},
        .stride = {gap * (int64_t)bytes, c->n_channels * (int64_t)bytes, (int64_t)bytes}};
    for (int32_t t = 0; t < c->n_frames; t++) {
        for (int64_t y = 0; y < c->h; y++)
            for (int64_t x = 0; x < c->w * c->n_channels; x++) {
                const int64_t value =
                    sample(c, (int32_t)(x % c->n_channels), t, x / c->n_channels, y);
                if (c->dtype == SAC_U8)
                    data[y * gap + x] = (uint8_t)value;
                else
                    ((uint16_t *)(void *)data)[y * gap + x] = (uint16_t)value;
            }
        assert_ok(sac_camera_noise_add(noise, &frame, &err), &err);
    }
    for (int32_t i = 0; i < c->n_channels; i++)
        assert_ok(sac_camera_noise_get_figures(noise, figures + i * (MAX_BINS + 1), i, &err), &err);
    sac_camera_noise_close(&noise);
    assert_null(noise);
    free(data);
}

static void check(const char *name, double got, double wanted, double scatter)
{
    const double error = got * got - wanted * wanted;
    if (!(fabs(error) <= SIGMAS * scatter))
        fail_msg("%s: wanted a deviation of %g, got %g: the variances differ by %g, allowed %g",
                 name, wanted, got, error, SIGMAS * scatter);
}

/*
 * The scatter (standard deviation) of an estimated variance, for normal noise. n values of variance
 * v give v sqrt(2 / n). Differences of frames that follow each other are correlated by -1/2, so n
 * pairs of frames give v sqrt(3 / n); second differences along a line by -2/3 and 1/6, so n of them
 * give v sqrt(3.89 / n), and both ways sqrt(7.56 / n). The v of a line is its own plus its share of
 * the pixels' noise, and what T frames leave of their noise is in all that is fixed.
 */
static void check_figures(const sac_noise_figures *f, const clip *c, double n, double random)
{
    const double t = c->n_frames, pairs = t - 1, h = (double)c->h, w = n / h;
    const double pixel = random * random + 1.0 / 12; /* rounding is noise of its own */
    const double row = c->row * c->row, column = c->column * c->column;
    const double fixed = c->fixed * c->fixed + pixel / t;
    check("random", f->random, sqrt(pixel), pixel * sqrt(3 / (pairs * n)));
    check("row", f->row, c->row, (row + pixel / w) * sqrt(3 / (pairs * (h - 1))));
    check("column", f->column, c->column, (column + pixel / h) * sqrt(3 / (pairs * (w - 1))));
    check("frame", f->frame, c->frame,
          (c->frame * c->frame + row / h + column / w + pixel / n) * sqrt(3 / pairs));
    check("temporal", f->temporal, sqrt(pixel + row + column + c->frame * c->frame),
          pixel * sqrt(3 / (pairs * n)) + row * sqrt(3 / (pairs * h)) +
              column * sqrt(3 / (pairs * w)) + c->frame * c->frame * sqrt(3 / pairs));
    check("fixed", f->fixed, c->fixed, fixed * sqrt(7.56 / n));
    check("fixed_row", f->fixed_row, c->fixed_row,
          (c->fixed_row * c->fixed_row + row / t + fixed / w) * sqrt(3.89 / h));
    check("fixed_column", f->fixed_column, c->fixed_column,
          (c->fixed_column * c->fixed_column + column / t + fixed / h) * sqrt(3.89 / w));
    assert_true(f->restless == 0);
}

static const clip all_parts = {96, 71, 1, 40, SAC_U8, 255, 120, 2, 0.7, 0.5, 1, 1.5, 1, 0.8, 0, 1};

static void known_noise_is_found(void **state)
{
    (void)state;
    sac_noise_figures figures[4 * (MAX_BINS + 1)];
    for (uint64_t seed = 1; seed <= 4; seed++) {
        clip c = all_parts;
        c.seed = seed;
        measure(figures, &c);
        check_figures(&figures[MAX_BINS], &c, (double)(c.w * c.h), c.random);
        assert_true(fabs(figures[MAX_BINS].brightness - c.level) < 1);
        assert_true(figures[MAX_BINS].n_pixels == (double)(c.w * c.h));
        assert_true(figures[MAX_BINS].clipped == 0);
        assert_true(isnan(figures[0].random) && isnan(figures[0].fixed));
    }
}

/* Each part alone: the others are then about 0. */
static void one_part_is_not_taken_for_another(void **state)
{
    (void)state;
    sac_noise_figures figures[MAX_BINS + 1];
    for (int part = 0; part < 6; part++) {
        clip c = {67, 53, 1, 30, SAC_U8, 255, 120, 1.5, 0, 0, 0, 0, 0, 0, 0, 7};
        double *parts[] = {&c.row, &c.column, &c.frame, &c.fixed, &c.fixed_row, &c.fixed_column};
        *parts[part] = 2;
        measure(figures, &c);
        check_figures(&figures[MAX_BINS], &c, (double)(c.w * c.h), c.random);
    }
}

static void channels_types_and_odd_sizes_are_measured_alike(void **state)
{
    (void)state;
    sac_noise_figures figures[4 * (MAX_BINS + 1)];
    const int64_t sizes[][2] = {{31, 97}, {129, 17}, {40, 40}, {23, 19}};
    for (int i = 0; i < 4; i++)
        for (int wide = 0; wide < 2; wide++) {
            clip c = all_parts;
            c.w = sizes[i][0];
            c.h = sizes[i][1];
            c.n_channels = i + 1;
            c.dtype = wide ? SAC_U16 : SAC_U8;
            c.white = wide ? 1023 : 255;
            c.level = wide ? 600 : 120;
            c.seed = 20 + (uint64_t)i;
            measure(figures, &c);
            for (int32_t k = 0; k < c.n_channels; k++)
                check_figures(&figures[k * (MAX_BINS + 1) + MAX_BINS], &c, (double)(c.w * c.h),
                              c.random);
        }
}

/* Two brightnesses in the middle of their classes, with noise of their own. */
static void brightnesses_are_told_apart(void **state)
{
    (void)state;
    sac_noise_figures figures[MAX_BINS + 1];
    clip c = {120, 80, 1, 30, SAC_U8, 255, 56, 0.9, 0.4, 0, 0, 0, 0, 0, 128, 3};
    measure(figures, &c);
    for (int i = 0; i < 2; i++) {
        const sac_noise_figures *f = &figures[i ? 11 : 3];
        check("random", f->random, sqrt(c.random * c.random * (i ? 4 : 1) + 1.0 / 12),
              (c.random * c.random * (i ? 4 : 1) + 1.0 / 12) * sqrt(3.0 / (29 * 4800)));
        check("row", f->row, c.row, (0.16 + 3.4 / 60) * sqrt(3.0 / (29 * 79)));
        check("column", f->column, 0, 3.4 / 80 * sqrt(3.0 / (29 * 59)));
        assert_true(fabs(f->brightness - (i ? 184 : 56)) < 0.5);
        assert_true(fabs(f->n_pixels - 4800) < 5);
        assert_true(f->restless == 0);
    }
}

static void motion_and_clipping_are_noticed(void **state)
{
    (void)state;
    enum { W = 96, H = 64, FRAMES = 30 };
    static uint8_t pixels[H][W];
    sac_noise_figures figures[MAX_BINS + 1];
    clip c = {W, H, 1, FRAMES, SAC_U8, 255, 3, 2, 0, 0, 0, 0, 0, 0, 0, 5};
    measure(figures, &c); /* P(normal < -1.25) = 0.106 */
    assert_true(fabs(figures[MAX_BINS].clipped - 0.106) < 0.01);
    c.level = 100;
    sac_camera_noise *noise = must_open(&c);
    sac_array frame;
    sac_error err = {0};
    assert_ok(sac_array_view(&frame, pixels, SAC_U8, 2, (const int64_t[]){H, W}, &err), &err);
    for (int32_t t = 0; t < FRAMES; t++) {
        for (int64_t y = 0; y < H; y++)
            for (int64_t x = 0; x < W; x++) {
                const bool is_block = y >= 20 && y < 30 && x >= 2 * t && x < 2 * t + 12;
                pixels[y][x] = (uint8_t)(sample(&c, 0, t, x, y) + (is_block ? 60 : 0));
            }
        assert_ok(sac_camera_noise_add(noise, &frame, &err), &err);
    }
    assert_ok(sac_camera_noise_get_figures(noise, figures, 0, &err), &err);
    const double crossed = 10.0 * (2 * FRAMES - 2 + 12) / (W * H);
    assert_true(figures[MAX_BINS].restless > 0.8 * crossed);
    assert_true(figures[MAX_BINS].restless <= crossed);
    sac_camera_noise_close(&noise);
}

static void still_frames_have_no_noise(void **state)
{
    (void)state;
    sac_noise_figures figures[MAX_BINS + 1];
    clip c = {16, 9, 1, 3, SAC_U16, 65535, 40000, 0, 0, 0, 0, 0, 0, 0, 0, 5};
    measure(figures, &c);
    const sac_noise_figures *f = &figures[MAX_BINS];
    assert_true(f->random == 0 && f->row == 0 && f->column == 0 && f->frame == 0);
    assert_true(f->fixed == 0 && f->fixed_row == 0 && f->fixed_column == 0 && f->restless == 0);
    c.w = 1; /* too small for what is fixed, and for columns */
    measure(figures, &c);
    assert_true(isnan(f->fixed) && isnan(f->fixed_row) && isnan(f->random) && f->temporal == 0);
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    sac_noise_figures figures[MAX_BINS + 1];
    sac_camera_noise *noise = NULL;
    sac_error err = {0};
    sac_camera_noise_desc good, desc;
    sac_camera_noise_desc_init(&good);
    good.w = good.h = 8;
#define REFUSE(field, value, status)                                                               \
    do {                                                                                           \
        desc = good;                                                                               \
        desc.field = value;                                                                        \
        assert_failed(sac_camera_noise_open(&noise, &desc, &err), status, &err, #field);           \
        assert_null(noise);                                                                        \
    } while (0)
    REFUSE(struct_size, 4, SAC_E_INVALID);
    REFUSE(w, 0, SAC_E_SHAPE);
    REFUSE(h, INT64_MAX, SAC_E_SHAPE);
    REFUSE(n_channels, 5, SAC_E_INVALID);
    REFUSE(dtype, SAC_F32, SAC_E_INVALID);
    REFUSE(white, 256, SAC_E_INVALID);
    REFUSE(n_bins, 257, SAC_E_INVALID);
    assert_failed(sac_camera_noise_open(NULL, &good, &err), SAC_E_INVALID, &err, "noise");
    assert_failed(sac_camera_noise_open(&noise, NULL, &err), SAC_E_INVALID, &err, "desc");
    for (int n = 0;; n++) {
        refuse_from(n);
        const sac_status st = sac_camera_noise_open(&noise, &good, &err);
        sac_alloc_hook(NULL);
        if (st == SAC_OK)
            break;
        assert_int_equal(st, SAC_E_NOMEM);
        assert_null(noise);
    }
    static uint8_t pixels[8 * 8 * 3];
    sac_array frame, color;
    assert_ok(sac_array_view(&frame, pixels, SAC_U8, 2, (const int64_t[]){8, 8}, &err), &err);
    assert_ok(sac_array_view(&color, pixels, SAC_U8, 3, (const int64_t[]){8, 8, 3}, &err), &err);
    assert_failed(sac_camera_noise_add(noise, &color, &err), SAC_E_SHAPE, &err, "frame");
    assert_failed(sac_camera_noise_add(noise, NULL, &err), SAC_E_INVALID, &err, "frame");
    assert_failed(sac_camera_noise_add(NULL, &frame, &err), SAC_E_INVALID, &err, "noise");
    assert_ok(sac_camera_noise_add(noise, &frame, &err), &err);
    assert_failed(sac_camera_noise_get_figures(noise, figures, 0, &err), SAC_E_INVALID, &err,
                  "two frames");
    assert_ok(sac_camera_noise_add(noise, &frame, &err), &err);
    assert_failed(sac_camera_noise_get_figures(noise, figures, 1, &err), SAC_E_INVALID, &err,
                  "channel");
    assert_failed(sac_camera_noise_get_figures(noise, NULL, 0, &err), SAC_E_INVALID, &err,
                  "figures");
    assert_ok(sac_camera_noise_get_figures(noise, figures, 0, &err), &err);
    sac_camera_noise_close(&noise);
    sac_camera_noise_close(&noise);
    sac_camera_noise_close(NULL);
}

static void difference_counts_pixels(void **state)
{
    (void)state;
    uint8_t a[2 * 3 * 4] = {0}, b[2 * 3 * 4] = {0};
    sac_array current, previous, gray;
    sac_frame_difference found;
    sac_error err = {0};
    const int64_t shape[] = {2, 3, 4};
    assert_ok(sac_array_view(&current, a, SAC_U8, 3, shape, &err), &err);
    assert_ok(sac_array_view(&previous, b, SAC_U8, 3, shape, &err), &err);
    a[0] = 255, b[1] = 255, a[2] = 255; /* one pixel by 765 */
    b[4 * 5 + 1] = 7, a[4 * 5 + 2] = 2; /* the last one by 9 */
    a[4 * 2 + 3] = 99;                  /* a fourth channel is ignored */
    assert_ok(sac_measure_difference(&found, &current, &previous, &err), &err);
    assert_true(found.n_changed == 2 && found.sum == 774 && found.max == 765);
    assert_ok(sac_array_view(&gray, a, SAC_U8, 2, (const int64_t[]){4, 6}, &err), &err);
    assert_failed(sac_measure_difference(&found, &current, &gray, &err), SAC_E_SHAPE, &err,
                  "previous");
    sac_array other;
    assert_ok(sac_array_view(&other, b, SAC_U8, 2, (const int64_t[]){4, 6}, &err), &err);
    assert_ok(sac_measure_difference(&found, &gray, &other, &err), &err);
    assert_true(found.n_changed == 6 && found.sum == 3 * (3 * 255 + 99 + 7 + 2));
    assert_true(found.max == 765);
    assert_failed(sac_measure_difference(NULL, &gray, &other, &err), SAC_E_INVALID, &err, "out");
    assert_failed(sac_measure_difference(&found, NULL, &other, &err), SAC_E_INVALID, &err,
                  "current");
    assert_failed(sac_measure_difference(&found, &gray, NULL, &err), SAC_E_INVALID, &err,
                  "previous");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_noise_is_found),
        cmocka_unit_test(one_part_is_not_taken_for_another),
        cmocka_unit_test(channels_types_and_odd_sizes_are_measured_alike),
        cmocka_unit_test(brightnesses_are_told_apart),
        cmocka_unit_test(motion_and_clipping_are_noticed),
        cmocka_unit_test(still_frames_have_no_noise),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(difference_counts_pixels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
