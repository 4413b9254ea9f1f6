/*
 * Title, axes in millimetres and a gray bar in decibels, white on black.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "axes.h"

#include <math.h>
#include <stdlib.h>

#include "command.h"
#include "draw/ink.h"
#include "draw/page.h"

enum {
    LEFT = 90,
    RIGHT = 130,
    TITLE_Y = 18, /* base lines */
    UNITS_Y = 42,
    TOP = 64,
    BOTTOM = 64,
    BAR_GAP = 24,
    BAR_W = 18
};

#define INK 0xebebeb
#define TITLE_PT 15
#define AXIS_PT 13

/* n columns, drawn w wide. */
static void put_gray(cairo_t *cr, double x, const uint8_t *gray, int n, int h, int w)
{
    uint32_t *rgb = cli_grow(NULL, 0, (size_t)n * (size_t)h, sizeof *rgb);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)n * h; i++) {
        rgb[i] = gray[i] * UINT32_C(0x010101);
    }
    cli_cells(cr, x, TOP, w, h, rgb, n, h);
    free(rgb);
}

static void put_bar(cairo_t *cr, double x, int h, double range_db)
{
    uint8_t *gray = cli_grow(NULL, 0, (size_t)h, 1);
    for (int j = 0; j < h; j++) {
        gray[j] = (uint8_t)(255 - 255 * j / (h > 1 ? h - 1 : 1));
    }
    put_gray(cr, x, gray, 1, h, BAR_W);
    free(gray);
    const cli_scale db = cli_scale_between(-range_db, 0, TOP + h - 0.5, TOP + 0.5);
    cli_color(cr, INK);
    cli_line(cr, x + BAR_W + 0.5, TOP, x + BAR_W + 0.5, TOP + h, 1);
    cli_y_axis(cr, x + BAR_W, &db, true);
    cli_text_at(cr, x, UNITS_Y, CLI_START, "dB");
}

static void draw(cairo_t *cr, const void *ctx)
{
    const cli_bmode *b = ctx;
    const double *first = b->grid->first_m, *last = b->grid->last_m;
    const cli_scale x =
        cli_scale_between(1e3 * fmin(first[0], last[0]), 1e3 * fmax(first[0], last[0]), LEFT + 0.5,
                          LEFT + b->w - 0.5);
    const cli_scale z = cli_scale_between(
        1e3 * fmin(first[2], last[2]), 1e3 * fmax(first[2], last[2]), TOP + 0.5, TOP + b->h - 0.5);
    put_gray(cr, LEFT, b->gray, b->w, b->h, b->w);
    cli_color(cr, INK);
    cli_font(cr, TITLE_PT, false);
    cli_text_at(cr, LEFT, TITLE_Y, CLI_START, b->title);
    cli_font(cr, AXIS_PT, false);
    cli_x_axis(cr, TOP + b->h, &x, "x (mm)");
    cli_y_axis(cr, LEFT, &z, false);
    cli_text_at(cr, 4, UNITS_Y, CLI_START, "z (mm)");
    put_bar(cr, LEFT + b->w + BAR_GAP, b->h, b->range_db);
}

/* What the title needs; before there is a page. */
static int title_width(const char *title)
{
    cairo_surface_t *none = cairo_recording_surface_create(CAIRO_CONTENT_COLOR, NULL);
    cairo_t *cr = cairo_create(none);
    cli_font(cr, TITLE_PT, false);
    const double w = cli_text_width(cr, title);
    cairo_destroy(cr);
    cairo_surface_destroy(none);
    return LEFT + (int)ceil(w) + 8;
}

sac_status cli_bmode_frame(sac_picture **out, const cli_bmode *b, sac_error *err)
{
    const int w = LEFT + b->w + RIGHT, title_w = title_width(b->title);
    sac_status st =
        sac_picture_new(out, SAC_U8, w > title_w ? w : title_w, TOP + b->h + BOTTOM, 1, err);
    if (st == SAC_OK) {
        const sac_array pixels = sac_picture_get_array(*out);
        st = cli_page_gray(&pixels, draw, b, err);
    }
    return st;
}
