/*
 * How the points of a list lie: in rows, of which kernels make tiles as of a grid; or anywhere, and
 * then an order along a curve that fills space (Morton, A computer oriented geodetic data base).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "beamform/kernels/das/das.h"

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

sac_das_list sac_das_list_of(const double *points_m, int64_t n, const sac_element *elements,
                             int32_t n_elements)
{
    const int64_t w = find_rows(points_m, n);
    double middle[3] = {0};
    if (w == 0)
        return (sac_das_list){0};
    for (int32_t r = 0; r < n_elements; r++)
        for (int k = 0; k < 3; k++)
            middle[k] += elements[r].position_m[k] / n_elements;
    const int64_t h = n / w, at = h / 2 * w - w + w / 2; /* of a row before another */
    const bool is_deep = away(points_m, at, 1, middle) > away(points_m, at, w, middle);
    /* is_deep: rows lead away from the array */
    return is_deep ? (sac_das_list){h, w, w, 1} : (sac_das_list){w, h, 1, w};
}

#define AXIS_BITS 10
#define DIGIT_BITS 10 /* of a pass */
#define DIGITS (1 << DIGIT_BITS)

typedef struct place {
    uint32_t along; /* the curve */
    int32_t index;
} place;

/* Bits of a cell's three coordinates in turn. */
static uint32_t curve_at(const uint32_t cell[3])
{
    uint32_t along = 0;
    for (int bit = 0; bit < AXIS_BITS; bit++)
        for (int k = 0; k < 3; k++)
            along |= (cell[k] >> bit & 1) << (3 * bit + k);
    return along;
}

/* Cells are cubes: as many as fit along the longest side of the points' box. What is no number, as
 * of a box without sides, is in the first. */
static void find_places(place *places, const double *p, int64_t n)
{
    double low[3], side = 0;
    for (int k = 0; k < 3; k++) {
        double high = low[k] = p[k];
        for (int64_t i = 0; i < n; i++) {
            low[k] = fmin(low[k], p[3 * i + k]);
            high = fmax(high, p[3 * i + k]);
        }
        side = fmax(side, high - low[k]);
    }
    const double last = (1 << AXIS_BITS) - 1, scale = last / side;
    for (int64_t i = 0; i < n; i++) {
        uint32_t cell[3];
        for (int k = 0; k < 3; k++)
            cell[k] = (uint32_t)fmin(fmax(scale * (p[3 * i + k] - low[k]), 0), last);
        places[i] = (place){curve_at(cell), (int32_t)i};
    }
}

/* Points of one digit stay in their order. */
static void sort_digit(place *out, const place *in, int64_t n, int shift)
{
    int64_t begin[DIGITS + 1] = {0};
    for (int64_t i = 0; i < n; i++)
        begin[(in[i].along >> shift) % DIGITS + 1]++;
    for (int d = 0; d < DIGITS; d++)
        begin[d + 1] += begin[d];
    for (int64_t i = 0; i < n; i++)
        out[begin[(in[i].along >> shift) % DIGITS]++] = in[i];
}

sac_status sac_das_list_order(int32_t *order, const double *points_m, int64_t n)
{
    place *places = sac_alloc((size_t)n, 2 * sizeof *places), *from = places, *to = places + n;
    if (!places)
        return SAC_E_NOMEM;
    find_places(from, points_m, n);
    for (int shift = 0; shift < 3 * AXIS_BITS; shift += DIGIT_BITS) {
        sort_digit(to, from, n, shift);
        place *const sorted = to;
        to = from;
        from = sorted;
    }
    for (int64_t i = 0; i < n; i++)
        order[i] = from[i].index;
    sac_free(places);
    return SAC_OK;
}
