/*
 * Title, axes in millimetres and a bar, of decibels or what colors mean, white on black.
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

static uint32_t gray_of(double share)
{
    return (uint32_t)(255 * share) * UINT32_C(0x010101);
}

static void put_bar(cairo_t *cr, double x, int h, const cli_bar *bar)
{
    uint32_t *rgb = cli_grow(NULL, 0, (size_t)h, sizeof *rgb);
    for (int j = 0; j < h; j++) {
        rgb[j] = bar->color(1 - (double)j / (h > 1 ? h - 1 : 1));
    }
    cli_cells(cr, x, TOP, BAR_W, h, rgb, 1, h);
    free(rgb);
    const cli_scale scale = cli_scale_between(bar->low, bar->high, TOP + h - 0.5, TOP + 0.5);
    cli_color(cr, INK);
    cli_line(cr, x + BAR_W + 0.5, TOP, x + BAR_W + 0.5, TOP + h, 1);
    cli_y_axis(cr, x + BAR_W, &scale, true);
    cli_text_at(cr, x, UNITS_Y, CLI_START, bar->unit);
}

static void put_image(cairo_t *cr, const cli_bmode *b)
{
    uint32_t *rgb = cli_grow(NULL, 0, (size_t)b->w * (size_t)b->h, sizeof *rgb);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)b->w * b->h; i++) {
        rgb[i] = b->rgb ? b->rgb[i] : b->gray[i] * UINT32_C(0x010101);
    }
    cli_cells(cr, LEFT, TOP, b->w, b->h, rgb, b->w, b->h);
    free(rgb);
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
    const cli_bar gray = {-b->range_db, 0, "dB", gray_of};
    put_image(cr, b);
    cli_color(cr, INK);
    cli_font(cr, TITLE_PT, false);
    cli_text_at(cr, LEFT, TITLE_Y, CLI_START, b->title);
    cli_font(cr, AXIS_PT, false);
    cli_x_axis(cr, TOP + b->h, &x, "x (mm)");
    cli_y_axis(cr, LEFT, &z, false);
    cli_text_at(cr, 4, UNITS_Y, CLI_START, "z (mm)");
    put_bar(cr, LEFT + b->w + BAR_GAP, b->h, b->rgb ? b->bar : &gray);
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
    sac_status st = sac_picture_new(out, SAC_U8, w > title_w ? w : title_w, TOP + b->h + BOTTOM,
                                    b->rgb ? 3 : 1, err);
    if (st == SAC_OK) {
        const sac_array pixels = sac_picture_get_array(*out);
        st = cli_page_pixels(&pixels, draw, b, err);
    }
    return st;
}
