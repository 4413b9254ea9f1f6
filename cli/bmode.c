/*
 * The picture is drawn sample by sample: every pixel inside the axes is interpolated between the
 * image's points, so that a millimetre is as long across as down.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bmode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <saccade/io.h>

#include "plot_axis.h"

#define MAX_W 960 /* of the image alone, pixels */
#define MAX_H 720
#define MIN_SIDE 24
#define LEFT 90
#define RIGHT 130
#define TOP 40
#define BOTTOM 64
#define BAR_GAP 24
#define BAR_W 18
#define TICK 6
#define INK 235   /* of axes and text on black */
#define GLYPH_W 6 /* 5 columns and a gap, 7 rows, each drawn as 2 x 2 */
#define GLYPH_H 7
#define SIZE 2

/* Columns of 7 bits, the lowest on top. */
static const struct {
    char letter;
    uint8_t column[5];
} font[] = {
    {'0', {0x3E, 0x51, 0x49, 0x45, 0x3E}}, {'1', {0x00, 0x42, 0x7F, 0x40, 0x00}},
    {'2', {0x42, 0x61, 0x51, 0x49, 0x46}}, {'3', {0x21, 0x41, 0x45, 0x4B, 0x31}},
    {'4', {0x18, 0x14, 0x12, 0x7F, 0x10}}, {'5', {0x27, 0x45, 0x45, 0x45, 0x39}},
    {'6', {0x3C, 0x4A, 0x49, 0x49, 0x30}}, {'7', {0x01, 0x71, 0x09, 0x05, 0x03}},
    {'8', {0x36, 0x49, 0x49, 0x49, 0x36}}, {'9', {0x06, 0x49, 0x49, 0x29, 0x1E}},
    {'-', {0x08, 0x08, 0x08, 0x08, 0x08}}, {'.', {0x00, 0x60, 0x60, 0x00, 0x00}},
    {'(', {0x00, 0x1C, 0x22, 0x41, 0x00}}, {')', {0x00, 0x41, 0x22, 0x1C, 0x00}},
    {'m', {0x7C, 0x04, 0x18, 0x04, 0x78}}, {'x', {0x44, 0x28, 0x10, 0x28, 0x44}},
    {'z', {0x44, 0x64, 0x54, 0x4C, 0x44}}, {'d', {0x38, 0x44, 0x44, 0x48, 0x7F}},
    {'B', {0x7F, 0x49, 0x49, 0x49, 0x36}}, {'k', {0x7F, 0x10, 0x28, 0x44, 0x00}},
};

typedef struct canvas {
    uint8_t *pixels;
    ptrdiff_t row;
    int w, h;
} canvas;

static void fill(const canvas *c, int x, int y, int w, int h, uint8_t ink)
{
    for (int j = y < 0 ? 0 : y; j < y + h && j < c->h; j++) {
        for (int i = x < 0 ? 0 : x; i < x + w && i < c->w; i++) {
            c->pixels[j * c->row + i] = ink;
        }
    }
}

static int text_width(const char *text)
{
    return (int)strlen(text) * GLYPH_W * SIZE;
}

static void put_text(const canvas *c, int x, int y, const char *text)
{
    for (; *text; text++, x += GLYPH_W * SIZE) {
        for (size_t g = 0; g < sizeof font / sizeof *font; g++) {
            for (int i = 0; font[g].letter == *text && i < 5; i++) {
                for (int j = 0; j < GLYPH_H; j++) {
                    if (font[g].column[i] >> j & 1) {
                        fill(c, x + i * SIZE, y + j * SIZE, SIZE, SIZE, INK);
                    }
                }
            }
        }
    }
}

static cli_scale scale_of(double min, double max, int from, int to)
{
    cli_scale scale;
    const cli_axis axis = {0};
    cli_scale_open(&scale, &axis, min, max, false);
    scale.from = from;
    scale.to = to;
    return scale;
}

static void put_x_axis(const canvas *c, int y, const cli_scale *scale)
{
    char text[24];
    for (int i = 0; i < scale->n_ticks; i++) {
        int x = (int)lround(cli_scale_at(scale, scale->tick[i]));
        fill(c, x, y, 1, TICK, INK);
        cli_tick_text(text, sizeof text, scale->tick[i]);
        put_text(c, x - text_width(text) / 2, y + TICK + 4, text);
    }
    int middle = (int)(scale->from + scale->to) / 2;
    put_text(c, middle - text_width("x (mm)") / 2, y + TICK + 26, "x (mm)");
}

/* Ticks to the left of x, or to the right with their texts behind them. */
static void put_y_axis(const canvas *c, int x, const cli_scale *scale, bool right)
{
    char text[24];
    for (int i = 0; i < scale->n_ticks; i++) {
        int y = (int)lround(cli_scale_at(scale, scale->tick[i]));
        fill(c, right ? x : x - TICK, y, TICK, 1, INK);
        cli_tick_text(text, sizeof text, scale->tick[i]);
        put_text(c, right ? x + TICK + 4 : x - TICK - 4 - text_width(text), y - GLYPH_H * SIZE / 2,
                 text);
    }
}

/* The gray of a point, 0 to 255. */
static double at(const sac_array *frame, int64_t z, int64_t x, double range_db)
{
    const char *value = (const char *)frame->data + z * frame->stride[0] + x * frame->stride[1];
    return frame->dtype == SAC_U8
               ? *(const uint8_t *)value
               : 255 * (1 + (double)*(const float *)(const void *)value / range_db);
}

/* Between the four points around (z, x), in points. */
static double between(const sac_array *frame, double z, double x, double range_db)
{
    int64_t z0 = (int64_t)z, x0 = (int64_t)x;
    int64_t z1 = z0 + (z0 + 1 < frame->shape[0]), x1 = x0 + (x0 + 1 < frame->shape[1]);
    double fz = z - (double)z0, fx = x - (double)x0;
    double above = (1 - fx) * at(frame, z0, x0, range_db) + fx * at(frame, z0, x1, range_db);
    double below = (1 - fx) * at(frame, z1, x0, range_db) + fx * at(frame, z1, x1, range_db);
    return (1 - fz) * above + fz * below;
}

static void put_image(const canvas *c, int w, int h, const sac_array *frame, double range_db,
                      bool flip_x, bool flip_z)
{
    for (int j = 0; j < h; j++) {
        for (int i = 0; i < w; i++) {
            double x = h > 0 && w > 1 ? (double)i / (w - 1) : 0;
            double z = h > 1 ? (double)j / (h - 1) : 0;
            x = (flip_x ? 1 - x : x) * (double)(frame->shape[1] - 1);
            z = (flip_z ? 1 - z : z) * (double)(frame->shape[0] - 1);
            double gray = between(frame, z, x, range_db);
            c->pixels[(TOP + j) * c->row + LEFT + i] =
                (uint8_t)(gray > 0 ? fmin(gray + 0.5, 255) : 0); /* NaN is black */
        }
    }
}

static void draw(const canvas *c, int w, int h, const sac_array *frame, const sac_grid *grid,
                 double range_db)
{
    const double *a = grid->first_m, *b = grid->last_m;
    put_image(c, w, h, frame, range_db, a[0] > b[0], a[2] > b[2]);
    cli_scale x = scale_of(1e3 * fmin(a[0], b[0]), 1e3 * fmax(a[0], b[0]), LEFT, LEFT + w - 1);
    cli_scale z = scale_of(1e3 * fmin(a[2], b[2]), 1e3 * fmax(a[2], b[2]), TOP, TOP + h - 1);
    cli_scale db = scale_of(-range_db, 0, TOP + h - 1, TOP);
    put_x_axis(c, TOP + h, &x);
    put_y_axis(c, LEFT, &z, false);
    put_text(c, 4, 4, "z (mm)");
    int bar = LEFT + w + BAR_GAP;
    for (int j = 0; j < h; j++) {
        fill(c, bar, TOP + j, BAR_W, 1, (uint8_t)(255 - 255 * j / (h > 1 ? h - 1 : 1)));
    }
    fill(c, bar + BAR_W, TOP, 1, h, INK);
    put_y_axis(c, bar + BAR_W, &db, true);
    put_text(c, bar, 4, "dB");
}

/* The image's sides in pixels. */
static void sides(int *w, int *h, const sac_grid *grid)
{
    double x = fabs(grid->last_m[0] - grid->first_m[0]);
    double z = fabs(grid->last_m[2] - grid->first_m[2]);
    double a_metre = fmin(x > 0 ? MAX_W / x : INFINITY, z > 0 ? MAX_H / z : INFINITY);
    *w = (int)fmax(MIN_SIDE, isfinite(a_metre) ? round(x * a_metre) : 0);
    *h = (int)fmax(MIN_SIDE, isfinite(a_metre) ? round(z * a_metre) : 0);
}

sac_status cli_bmode_write(const char *path, const sac_array *frame, const sac_grid *grid,
                           double range_db, sac_error *err)
{
    int w, h;
    sac_picture *picture = NULL;
    sides(&w, &h, grid);
    sac_status status =
        sac_picture_new(&picture, SAC_U8, LEFT + w + RIGHT, TOP + h + BOTTOM, 1, err);
    if (status == SAC_OK) {
        sac_array pixels = sac_picture_array(picture);
        const canvas c = {pixels.data, pixels.stride[0], (int)pixels.shape[1],
                          (int)pixels.shape[0]};
        draw(&c, w, h, frame, grid, range_db);
        status = sac_picture_write(picture, path, NULL, err);
    }
    sac_picture_close(&picture);
    return status;
}
