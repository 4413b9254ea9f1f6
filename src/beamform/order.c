/*
 * The order in which a plan works on a list of points: so that those at work together lie together,
 * as in a grid. Kernels read few samples then, and read them often.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "base/alloc.h"
#include "beamform/plan.h"

#define JUMP 4 /* by how much the step to a row's end is longer than those before it, squared */

static double step2(const double *p, int64_t i, int64_t apart)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double d = p[3 * (i + apart) + k] - p[3 * i + k];
        sum += d * d;
    }
    return sum;
}

/* The longest step within a row of w points from i on. */
static double longest(const double *p, int64_t i, int64_t w)
{
    double most = 0;
    for (int64_t k = 0; k + 1 < w; k++)
        most = fmax(most, step2(p, i + k, 1));
    return most;
}

/* How many points a row has: as many in each, and from its last point to the next row is farther
 * than from point to point. 0: the list has no such rows. */
static int64_t find_rows(const double *p, int64_t n)
{
    int64_t w = 2;
    double most = n > 2 ? step2(p, 0, 1) : 0;
    while (w < n && step2(p, w - 1, 1) <= JUMP * most) {
        most = fmax(most, step2(p, w - 1, 1));
        w++;
    }
    if (w >= n || n % w != 0)
        return 0;
    for (int64_t i = w; i < n; i += w)
        if (step2(p, i - 1, 1) <= JUMP * longest(p, i, w))
            return 0;
    return w;
}

/* |cos| of the angle at which the step to the point `apart` after i leads away from `from`. */
static double away(const double *p, int64_t i, int64_t apart, const double from[3])
{
    double product = 0, length2 = 0;
    for (int k = 0; k < 3; k++) {
        const double d = p[3 * i + k] - from[k];
        product += (p[3 * (i + apart) + k] - p[3 * i + k]) * d;
        length2 += d * d;
    }
    return fabs(product) / sqrt(fmax(length2 * step2(p, i, apart), 1e-300));
}

/* Tile by tile, each row by row across. */
static void fill(int32_t *order, int64_t n_across, int64_t n_deep, int64_t across, int64_t deep)
{
    for (int64_t y = 0; y < n_deep; y += SAC_BEAMFORM_TILE_ROWS)
        for (int64_t x = 0; x < n_across; x += SAC_BEAMFORM_TILE_COLUMNS)
            for (int64_t b = y; b < y + SAC_BEAMFORM_TILE_ROWS && b < n_deep; b++)
                for (int64_t a = x; a < x + SAC_BEAMFORM_TILE_COLUMNS && a < n_across; a++)
                    *order++ = (int32_t)(b * deep + a * across);
}

sac_status sac_beamform_order_points(int32_t **order, const double *points_m, int64_t n,
                                     const sac_element *elements, int32_t n_elements)
{
    const int64_t w = find_rows(points_m, n);
    double middle[3] = {0};
    *order = NULL;
    if (w == 0)
        return SAC_OK;
    *order = sac_alloc((size_t)n, sizeof **order);
    if (!*order)
        return SAC_E_NOMEM;
    for (int32_t r = 0; r < n_elements; r++)
        for (int k = 0; k < 3; k++)
            middle[k] += elements[r].position_m[k] / n_elements;
    const int64_t h = n / w, at = h / 2 * w - w + w / 2; /* of a row before another */
    const bool is_deep = away(points_m, at, 1, middle) > away(points_m, at, w, middle);
    if (is_deep) /* rows lead away from the array */
        fill(*order, h, w, w, 1);
    else
        fill(*order, w, h, 1, w);
    return SAC_OK;
}
