/*
 * A melt pool's features straight from their definition, in double, pixel by pixel: what the
 * pipeline is compared with. It shares no code with it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_MELTPOOL_NAIVE_H
#define SAC_TESTS_MELTPOOL_NAIVE_H

#include <math.h>

#include <saccade/meltpool.h>

#include "unit.h"

#define NAIVE_SIDE 128
#define NAIVE_PI 3.14159265358979323846

/* The ROI and what is around it. The centre, (x, y), in pixels, a multiple of 1/65536. */
typedef struct naive_frame {
    const uint8_t *pixels; /* the frame's */
    ptrdiff_t row;
    int x0, y0, n;
    double x, y;
    double turn_rad; /* where sectors begin */
    int threshold, spatter_min;
} naive_frame;

static inline int naive_at(const naive_frame *f, int x, int y)
{
    const int last = f->n - 1;
    x = x < 0 ? 0 : x > last ? last : x;
    y = y < 0 ? 0 : y > last ? last : y;
    return f->pixels[(f->y0 + y) * f->row + f->x0 + x];
}

/* A component: numbered, and its pixels put on a list. Returns how many. */
static inline int naive_fill(int label[NAIVE_SIDE][NAIVE_SIDE], int (*list)[2],
                             const naive_frame *f, int x, int y, int number)
{
    static const int step[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    int n = 1;
    list[0][0] = x;
    list[0][1] = y;
    label[y][x] = number;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++) {
            const int u = list[i][0] + step[k][0], v = list[i][1] + step[k][1];
            if (u < 0 || v < 0 || u >= f->n || v >= f->n || label[v][u] ||
                naive_at(f, u, v) < f->threshold)
                continue;
            label[v][u] = number;
            list[n][0] = u;
            list[n++][1] = v;
        }
    return n;
}

/* sqrt(lmin / lmax) of the second central moments, each pixel being a square. */
static inline double naive_ratio(int (*list)[2], int n)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < n; i++) {
        x += (double)list[i][0] / n;
        y += (double)list[i][1] / n;
    }
    for (int i = 0; i < n; i++) {
        const double u = list[i][0] - x, v = list[i][1] - y;
        xx += (u * u + 1.0 / 12) / n;
        yy += (v * v + 1.0 / 12) / n;
        xy += u * v / n;
    }
    const double middle = (xx + yy) / 2, apart = sqrt((xx - yy) * (xx - yy) / 4 + xy * xy);
    return sqrt((middle - apart) / (middle + apart));
}

static inline void naive_pool(double out[20], int (*list)[2], int n, const naive_frame *f)
{
    double light = 0;
    for (int i = 0; i < n; i++)
        light += naive_at(f, list[i][0], list[i][1]);
    out[0] = n;
    out[3] = naive_ratio(list, n);
    out[4] = light / n;
}

static inline void naive_segments(double out[20], uint32_t *flags, const naive_frame *f)
{
    static int label[NAIVE_SIDE][NAIVE_SIDE], list[NAIVE_SIDE * NAIVE_SIDE][2];
    const double cx = floor(f->x + 0.5) - f->x0, cy = floor(f->y + 0.5) - f->y0;
    double nearest = HUGE_VAL;
    int at[2] = {-1, -1}, number = 0;
    memset(label, 0, sizeof label);
    for (int y = 0; y < f->n; y++)
        for (int x = 0; x < f->n; x++) {
            const double far = (x - cx) * (x - cx) + (y - cy) * (y - cy);
            if (naive_at(f, x, y) < f->threshold || far >= nearest)
                continue;
            nearest = far;
            at[0] = x;
            at[1] = y;
        }
    *flags = at[0] < 0 ? SAC_MELTPOOL_NO_POOL : 0;
    if (at[0] < 0)
        return;
    int n = naive_fill(label, list, f, at[0], at[1], ++number);
    naive_pool(out, list, n, f);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            if (list[i][k] == 0 || list[i][k] == f->n - 1)
                *flags = SAC_MELTPOOL_CLIPPED;
    for (int y = 0; y < f->n; y++)
        for (int x = 0; x < f->n; x++) {
            if (label[y][x] || naive_at(f, x, y) < f->threshold)
                continue;
            n = naive_fill(label, list, f, x, y, ++number);
            out[1] += n >= f->spatter_min ? n : 0;
            out[2] += n >= f->spatter_min;
        }
}

/* From where sectors begin, in [0, 360). */
static inline double naive_degrees(const naive_frame *f, int x, int y)
{
    const double dx = f->x0 + x - f->x, dy = f->y0 + y - f->y;
    const double degrees = dx == 0 && dy == 0 ? 0 : (atan2(dy, dx) - f->turn_rad) * 180 / NAIVE_PI;
    return degrees - 360 * floor(degrees / 360);
}

/* Light so near to a sector's edge that one rounded to 2^-14 may leave it on the other side. */
static inline double naive_doubt(const naive_frame *f)
{
    double light = 0;
    for (int y = 0; y < f->n; y++)
        for (int x = 0; x < f->n; x++) {
            const double degrees = fmod(naive_degrees(f, x, y), 60);
            light += degrees < 0.005 || degrees > 59.995 ? naive_at(f, x, y) : 0;
        }
    return light;
}

static inline int naive_bin(int gx, int gy)
{
    double degrees = gy == 0 ? 0 : atan2(gy, gx) * 180 / NAIVE_PI;
    degrees += degrees < 0 ? 180 : 0;
    return (int)floor(degrees / 20) % 9;
}

/* Features 0..19; NO_POOL, or CLIPPED where the pool touches the ROI's edge. */
static inline void naive_features(double out[20], uint32_t *flags, const naive_frame *f)
{
    double norm = 0;
    memset(out, 0, 20 * sizeof *out);
    naive_segments(out, flags, f);
    for (int y = 0; y < f->n; y++)
        for (int x = 0; x < f->n; x++) {
            const int gx = naive_at(f, x + 1, y) - naive_at(f, x - 1, y);
            const int gy = naive_at(f, x, y + 1) - naive_at(f, x, y - 1);
            out[5 + (int)floor(naive_degrees(f, x, y) / 60) % 6] += naive_at(f, x, y);
            out[11 + naive_bin(gx, gy)] += floor(16 * sqrt(gx * gx + gy * gy) + 0.5);
        }
    for (int i = 11; i < 20; i++)
        norm += out[i] * out[i];
    for (int i = 11; i < 20 && norm > 0; i++)
        out[i] /= sqrt(norm);
}

/* Of feature `which` of n records, those that were processed alone. */
static inline double naive_variance(const sac_meltpool_record *const *records, int n, int which)
{
    double mean = 0, sum = 0;
    for (int i = 0; i < n; i++)
        mean += (double)records[i]->features[which] / n;
    for (int i = 0; i < n; i++) {
        const double d = (double)records[i]->features[which] - mean;
        sum += d * d / n;
    }
    return sum;
}

#endif
