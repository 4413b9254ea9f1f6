/*
 * The picture is drawn sample by sample: every pixel inside the axes is interpolated between the
 * image's points, so that a millimetre is as long across as down.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "picture.h"

#include <math.h>
#include <stdlib.h>

#include <saccade/io.h>

#include "axes.h"
#include "command.h"

#define MAX_W 960 /* of the image alone, pixels */
#define MAX_H 720
#define MIN_SIDE 24

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

/* Into (h, w). */
static void put_image(uint8_t *out, int w, int h, const sac_array *frame, double range_db,
                      bool flip_x, bool flip_z)
{
    for (int j = 0; j < h; j++) {
        for (int i = 0; i < w; i++) {
            double x = h > 0 && w > 1 ? (double)i / (w - 1) : 0;
            double z = h > 1 ? (double)j / (h - 1) : 0;
            x = (flip_x ? 1 - x : x) * (double)(frame->shape[1] - 1);
            z = (flip_z ? 1 - z : z) * (double)(frame->shape[0] - 1);
            double gray = between(frame, z, x, range_db);
            out[(ptrdiff_t)j * w + i] =
                (uint8_t)(gray > 0 ? fmin(gray + 0.5, 255) : 0); /* NaN is black */
        }
    }
}

void cli_bmode_sides(int *w, int *h, const sac_grid *grid)
{
    double x = fabs(grid->last_m[0] - grid->first_m[0]);
    double z = fabs(grid->last_m[2] - grid->first_m[2]);
    double a_metre = fmin(x > 0 ? MAX_W / x : INFINITY, z > 0 ? MAX_H / z : INFINITY);
    *w = (int)fmax(MIN_SIDE, isfinite(a_metre) ? round(x * a_metre) : 0);
    *h = (int)fmax(MIN_SIDE, isfinite(a_metre) ? round(z * a_metre) : 0);
}

sac_status cli_bmode_draw(sac_picture **out, const sac_array *frame, const sac_grid *grid,
                          double range_db, const char *title, sac_error *err)
{
    cli_bmode b = {.grid = grid, .range_db = range_db, .title = title};
    cli_bmode_sides(&b.w, &b.h, grid);
    b.gray = cli_grow(NULL, 0, (size_t)b.w * (size_t)b.h, 1);
    put_image(b.gray, b.w, b.h, frame, range_db, grid->first_m[0] > grid->last_m[0],
              grid->first_m[2] > grid->last_m[2]);
    sac_status status = cli_bmode_frame(out, &b, err);
    free(b.gray);
    return status;
}

sac_status cli_bmode_write(const char *path, const sac_array *frame, const sac_grid *grid,
                           double range_db, const char *title, sac_error *err)
{
    sac_picture *picture = NULL;
    sac_status status = cli_bmode_draw(&picture, frame, grid, range_db, title, err);
    status = status ? status : sac_picture_write(picture, path, NULL, err);
    sac_picture_close(&picture);
    return status;
}
