/*
 * Color over B-mode: red toward the probe, blue away, brighter where it is faster; power from red
 * to yellow. Pixels take the nearest point's color, so that none is between red and blue.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>

#include <saccade/io.h>

#include "beamform/axes.h"
#include "beamform/picture.h"
#include "job.h"

#define STILL 0.01 /* of the Nyquist velocity: below it nothing moves, and the B-mode is shown */

static uint32_t rgb_of(double r, double g, double b)
{
    return (uint32_t)lrint(255 * fmin(fmax(r, 0), 1)) << 16 |
           (uint32_t)lrint(255 * fmin(fmax(g, 0), 1)) << 8 |
           (uint32_t)lrint(255 * fmin(fmax(b, 0), 1));
}

/* 0: the fastest away, 0.5: none, 1: the fastest toward. */
static uint32_t velocity_color(double share)
{
    const double v = 2 * share - 1, size = fabs(v);
    const double base = 0.35 + 1.3 * fmin(size, 0.5), bright = fmax(0, 2 * size - 1);
    if (size < 1e-9) {
        return 0;
    }
    return v > 0 ? rgb_of(base, bright, 0) : rgb_of(0, bright, base);
}

/* 0: the floor, 1: the maximum. */
static uint32_t power_color(double share)
{
    return rgb_of(0.3 + 1.4 * share, 2 * share - 0.7, 3 * share - 2.2);
}

/* Whether a point is colored, and how. */
static bool color_at(uint32_t *rgb, const cli_flow_picture *p, int64_t i)
{
    if (p->is_directional) {
        const double toward = (double)p->first[i], away = (double)p->second[i];
        const double db = fmax(toward, away), share = 1 + db / p->range_db;
        *rgb = velocity_color(0.5 + (toward >= away ? 0.5 : -0.5) * share);
        return db > -p->range_db;
    }
    if (p->along_z) {
        const double speed = hypot((double)p->first[i], (double)p->along_z[i]);
        *rgb = power_color(fmin(speed / p->nyquist_m_s, 1));
        return (double)p->second[i] > -p->range_db;
    }
    if (!p->is_power && fabs((double)p->first[i]) < STILL * p->nyquist_m_s) {
        return false;
    }
    const double db = (double)(p->is_power ? p->first : p->second)[i];
    *rgb = p->is_power ? power_color(1 + db / p->range_db)
                       : velocity_color(0.5 + 0.5 * (double)p->first[i] / p->nyquist_m_s);
    return db > -p->range_db;
}

/* The frame's B-mode, 0 to 255; to be freed. */
static uint8_t *gray_of(const cli_flow_picture *p)
{
    const int64_t n = p->grid->n[0] * p->grid->n[2];
    uint8_t *gray = cli_grow(NULL, 0, (size_t)n, 1);
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, hypot((double)p->iq[2 * i], (double)p->iq[2 * i + 1]));
    }
    for (int64_t i = 0; i < n && most > 0; i++) {
        const double size = hypot((double)p->iq[2 * i], (double)p->iq[2 * i + 1]) / most;
        const double share = size > 0 ? 1 + 20 * log10(size) / p->image_range_db : 0;
        gray[i] = (uint8_t)lrint(255 * fmax(share, 0));
    }
    return gray;
}

/* Of pixel i of n along an axis: the point. */
static int64_t nearest(int i, int n, const sac_grid *g, int axis)
{
    const double share = n > 1 ? (double)i / (n - 1) : 0;
    return (int64_t)lrint((g->first_m[axis] > g->last_m[axis] ? 1 - share : share) *
                          (double)(g->n[axis] - 1));
}

int64_t cli_flow_point(int i, int j, int w, int h, const sac_grid *g)
{
    return nearest(j, h, g, 2) * g->n[0] + nearest(i, w, g, 0);
}

static void paint(uint32_t *rgb, int w, int h, const cli_flow_picture *p)
{
    const sac_grid *g = p->grid;
    uint8_t *gray = gray_of(p);
    for (int j = 0; j < h; j++) {
        for (int i = 0; i < w; i++) {
            const int64_t at = cli_flow_point(i, j, w, h, g);
            uint32_t *to = &rgb[(ptrdiff_t)j * w + i];
            if (!color_at(to, p, at)) {
                *to = gray[at] * UINT32_C(0x010101);
            }
        }
    }
    free(gray);
}

sac_status cli_flow_draw(const char *path, const cli_flow_picture *p, sac_error *err)
{
    const double range = p->range_db;
    const cli_bar velocity = {-p->nyquist_m_s, p->nyquist_m_s, "m/s", velocity_color};
    const cli_bar power = {-range, 0, "dB", power_color};
    const cli_bar directional = {-1, 1, "away, toward", velocity_color};
    cli_bmode b = {.grid = p->grid, .title = p->title};
    const cli_bar speed = {0, p->nyquist_m_s, "m/s", power_color};
    b.bar = p->along_z          ? &speed
            : p->is_power       ? &power
            : p->is_directional ? &directional
                                : &velocity;
    cli_bmode_sides(&b.w, &b.h, p->grid);
    uint32_t *rgb = cli_grow(NULL, 0, (size_t)b.w * (size_t)b.h, sizeof *rgb);
    paint(rgb, b.w, b.h, p);
    if (p->along_z) {
        cli_flow_arrows(rgb, b.w, b.h, p);
    }
    b.rgb = rgb;
    sac_picture *picture = NULL;
    sac_status st = cli_bmode_frame(&picture, &b, err);
    st = st ? st : sac_picture_write(picture, path, NULL, err);
    sac_picture_close(&picture);
    free(rgb);
    return st;
}
