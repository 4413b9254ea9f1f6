/*
 * The picture is drawn sample by sample: every pixel inside the axes is interpolated between the
 * image's points, so that a millimetre is as long across as down.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "picture.h"

#include <math.h>

#include "draw/canvas.h"

#define MAX_W 960 /* of the image alone, pixels */
#define MAX_H 720
#define MIN_SIDE 24
#define LEFT 90
#define RIGHT 130
#define TITLE_Y 4
#define UNITS_Y 28
#define TOP 64
#define BOTTOM 64
#define BAR_GAP 24
#define BAR_W 18
#define INK 0xEBEBEB /* of axes and text on black */

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

static void put_image(const cli_canvas *c, int w, int h, const sac_array *frame, double range_db,
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

static void draw(const cli_canvas *c, int w, int h, const sac_array *frame, const sac_grid *grid,
                 double range_db)
{
    const double *a = grid->first_m, *b = grid->last_m;
    put_image(c, w, h, frame, range_db, a[0] > b[0], a[2] > b[2]);
    cli_scale x =
        cli_canvas_scale(1e3 * fmin(a[0], b[0]), 1e3 * fmax(a[0], b[0]), LEFT, LEFT + w - 1);
    cli_scale z =
        cli_canvas_scale(1e3 * fmin(a[2], b[2]), 1e3 * fmax(a[2], b[2]), TOP, TOP + h - 1);
    cli_scale db = cli_canvas_scale(-range_db, 0, TOP + h - 1, TOP);
    cli_canvas_x_axis(c, TOP + h, &x, "x (mm)");
    cli_canvas_y_axis(c, LEFT, &z, false);
    cli_canvas_text(c, 4, UNITS_Y, "z (mm)");
    int bar = LEFT + w + BAR_GAP;
    for (int j = 0; j < h; j++) {
        cli_canvas_fill(c, bar, TOP + j, BAR_W, 1, (uint32_t)(255 - 255 * j / (h > 1 ? h - 1 : 1)));
    }
    cli_canvas_fill(c, bar + BAR_W, TOP, 1, h, INK);
    cli_canvas_y_axis(c, bar + BAR_W, &db, true);
    cli_canvas_text(c, bar, UNITS_Y, "dB");
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
                           double range_db, const char *title, sac_error *err)
{
    int w, h;
    sac_picture *picture = NULL;
    sides(&w, &h, grid);
    const int title_w = LEFT + cli_canvas_text_width(title) + TITLE_Y, drawn_w = LEFT + w + RIGHT;
    sac_status status = sac_picture_new(&picture, SAC_U8, drawn_w > title_w ? drawn_w : title_w,
                                        TOP + h + BOTTOM, 1, err);
    if (status == SAC_OK) {
        const cli_canvas c = cli_canvas_of(picture, INK);
        cli_canvas_text(&c, LEFT, TITLE_Y, title);
        draw(&c, w, h, frame, grid, range_db);
        status = sac_picture_write(picture, path, NULL, err);
    }
    sac_picture_close(&picture);
    return status;
}
