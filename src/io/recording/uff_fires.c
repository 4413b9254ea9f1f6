/*
 * Which elements fire in a wave of UFF, and how strongly: its uff.apodization, as USTB computes it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "io/recording/uff.h"

#define PI 3.14159265358979323846
#define FLAT 1e-6 /* of a normal's z from 1; float32 is finer */

enum { NONE = 0, BOXCAR, HANNING, HAMMING, TUKEY25, TUKEY50, TUKEY75, STA }; /* uff.window */

/* The window at `ratio` of the aperture's width from its middle; 0 beyond 1/2 (apodization.m). */
static double window_at(int window, double ratio)
{
    static const double rolls[] = {[TUKEY25] = 0.25, [TUKEY50] = 0.5, [TUKEY75] = 0.75};
    if (ratio > 0.5)
        return 0;
    if (window == HANNING)
        return 0.5 + 0.5 * cos(2 * PI * ratio);
    if (window == HAMMING)
        return 0.53836 + 0.46164 * cos(2 * PI * ratio);
    const double roll = window == BOXCAR ? 0 : rolls[window];
    return ratio <= 0.5 * (1 - roll) ? 1
                                     : 0.5 * (1 + cos(2 * PI / roll * (ratio - 0.5 * roll - 0.5)));
}

/* A pair along x and y, or one number for both. */
static sac_status read_pair(double pair[2], const sac_h5_group *g, const char *name, sac_error *err)
{
    sac_h5_numbers n;
    sac_status st = sac_h5_numbers_read(&n, g, name, false, err);
    if (st != SAC_OK || !n.values)
        return st;
    if (n.rows * n.columns > 2)
        st = sac_h5_odd(g, name, "expected two numbers", err);
    for (uint64_t k = 0; k < 2 && st == SAC_OK; k++)
        pair[k] = n.values[n.rows * n.columns == 2 ? k : 0];
    sac_free(n.values);
    return st;
}

/* The names of versions 1.0, 1.1 and 1.2. */
static const char *name_in(const sac_h5_group *g, const char *const names[])
{
    int i = 0;
    while (names[i + 1] && !sac_h5_has(g->h, g->id, names[i]))
        i++;
    return names[i];
}

static const char *origin_in(const sac_h5_group *g)
{
    return name_in(g, (const char *const[]){"apex", "origo", "origin", NULL});
}

/* One number for each element. */
static sac_status read_vector(double *to, const sac_h5_group *g, int32_t n_elements, sac_error *err)
{
    sac_h5_numbers n;
    sac_status st = sac_h5_numbers_read(&n, g, "apodization_vector", false, err);
    if (st == SAC_OK && n.rows * n.columns != (uint64_t)n_elements)
        st = sac_h5_odd(g, "apodization_vector", "expected a number for each element", err);
    if (st == SAC_OK)
        memcpy(to, n.values, (size_t)n_elements * sizeof *to);
    sac_free(n.values);
    return st;
}

/* The element nearest to the origin alone. */
static sac_status fire_one(double *to, const sac_h5_group *g, const sac_acquisition *a,
                           sac_error *err)
{
    const char *name = origin_in(g);
    sac_uff_point p;
    if (!sac_h5_has(g->h, g->id, name))
        return sac_h5_odd(g, name, "is missing: of window sta it says which element fires", err);
    sac_status st = sac_uff_point_read(&p, g, name, err);
    if (st == SAC_OK && !isfinite(p.distance_m))
        st = sac_h5_odd(g, name, "expected a place: it says which element fires", err);
    if (st != SAC_OK)
        return st;
    double o[3], least = INFINITY;
    int32_t nearest = 0;
    sac_uff_point_place(o, &p);
    for (int32_t e = 0; e < a->n_elements; e++) {
        const double *at = a->elements[e].position_m;
        const double d = hypot(hypot(at[0] - o[0], at[1] - o[1]), at[2] - o[2]);
        nearest = d < least ? e : nearest;
        least = fmin(least, d);
        to[e] = 0;
    }
    to[nearest] = 1;
    return SAC_OK;
}

/* The middle of an aperture: what is straight before it. Windows move it otherwise, too, in ways
 * that versions of USTB do not share. */
static sac_status read_middle(double focus[3], const sac_h5_group *g, const sac_acquisition *a,
                              sac_error *err)
{
    static const char *const axes[] = {"x", "y", "z"};
    const char *name = name_in(g, (const char *const[]){"scan", "focus", NULL});
    const char *origin = origin_in(g);
    double tilt[2] = {0, 0};
    sac_uff_point p = {INFINITY, 0, 0};
    for (int32_t e = 0; e < a->n_elements; e++)
        if (!(fabs(a->elements[e].normal[2] - 1) < FLAT))
            return sac_h5_odd(g, "window", "cannot be told of an array that is not flat", err);
    sac_status st = read_pair(tilt, g, "tilt", err);
    if (st == SAC_OK && (tilt[0] != 0 || tilt[1] != 0))
        st = sac_h5_odd(g, "tilt", "expected 0 of a wave's elements", err);
    if (st == SAC_OK && sac_h5_has(g->h, g->id, origin))
        st = sac_uff_point_read(&p, g, origin, err);
    if (st == SAC_OK && isfinite(p.distance_m))
        st = sac_h5_odd(g, origin, "expected none, or one at infinity, with this window", err);
    sac_h5_group scan;
    st = st ? st : sac_h5_group_open(&scan, g, name, err);
    if (st != SAC_OK)
        return st;
    if (scan.id < 0)
        st = sac_h5_odd(g, name, "is missing: the window lies before it", err);
    for (int k = 0; k < 3 && st == SAC_OK; k++)
        st = sac_h5_need(&scan, axes[k], &focus[k], NAN, NULL, err);
    sac_h5_group_close(&scan);
    return st;
}

/* A window as wide as the focus is deep, over the f-number, along x and y. */
static sac_status fire_window(double *to, const sac_h5_group *g, int window,
                              const sac_acquisition *a, sac_error *err)
{
    double f[2] = {1, 1}, least_m[2] = {1e-3, 1e-3}, most_m[2] = {10, 10}, focus[3];
    sac_status st = read_middle(focus, g, a, err);
    st = st ? st : read_pair(f, g, "f_number", err);
    st = st ? st : read_pair(least_m, g, "minimum_aperture", err);
    st = st ? st : read_pair(most_m, g, "maximum_aperture", err);
    if (st == SAC_OK && !(f[0] > 0 && f[1] > 0))
        st = sac_h5_odd(g, "f_number", "expected more than 0", err);
    bool any = false;
    for (int32_t e = 0; e < a->n_elements && st == SAC_OK; e++) {
        const double *at = a->elements[e].position_m;
        to[e] = 1;
        for (int k = 0; k < 2; k++) {
            const double width_m = fabs(focus[2] - at[2]) / f[k];
            to[e] *= window_at(window,
                               fabs(focus[k] - at[k]) / fmin(fmax(width_m, least_m[k]), most_m[k]));
        }
        any = any || to[e] != 0;
    }
    return st || any ? st : sac_h5_odd(g, "window", "lies where the array has no element", err);
}

/* Memory for all transmits' amplitudes, 1 each, once one needs it. */
static sac_status make_room(sac_draft *d, const sac_h5_group *g, uint64_t most, sac_error *err)
{
    sac_recording *r = d->recording;
    const uint64_t n = (uint64_t)r->acquisition.n_transmits * (uint64_t)r->acquisition.n_elements;
    if (r->tx_apodization)
        return SAC_OK;
    if (n > most)
        return sac_h5_odd(g, "", "is of more waves and elements than the file has samples", err);
    sac_status st =
        sac_draft_table(&r->tx_apodization, d, "amplitudes", (uint64_t)r->acquisition.n_transmits,
                        (uint64_t)r->acquisition.n_elements, err);
    r->acquisition.tx_apodization = r->tx_apodization;
    for (uint64_t i = 0; i < n && st == SAC_OK; i++)
        r->tx_apodization[i] = 1;
    return st;
}

static sac_status read_amplitudes(sac_draft *d, int32_t i, const sac_h5_group *g, uint64_t most,
                                  sac_error *err)
{
    const sac_acquisition *a = &d->recording->acquisition;
    const bool listed = sac_h5_has(g->h, g->id, "apodization_vector");
    double window = NONE;
    sac_status st = sac_h5_value(g, "window", &window, err);
    if (st == SAC_OK && !listed && window == NONE)
        return SAC_OK;
    if (st == SAC_OK && !listed && !(window >= BOXCAR && window <= STA && window == rint(window)))
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "%s: %swindow: %g is no window of a wave's elements (0 to %d; --transmits "
                        "gives transmits otherwise)",
                        g->h->name, g->path, window, STA);
    if (st == SAC_OK && a->n_elements == 0)
        st = sac_h5_odd(g, listed ? "apodization_vector" : "window",
                        "is of a probe, which is missing", err);
    st = st ? st : make_room(d, g, most, err);
    if (st != SAC_OK)
        return st;
    double *to = d->recording->tx_apodization + (ptrdiff_t)i * a->n_elements;
    return listed          ? read_vector(to, g, a->n_elements, err)
           : window == STA ? fire_one(to, g, a, err)
                           : fire_window(to, g, (int)window, a, err);
}

sac_status sac_uff_read_fires(sac_draft *d, int32_t i, const sac_h5_group *wave, uint64_t most,
                              sac_error *err)
{
    sac_h5_group g;
    if (d->recording->transmits[i].kind == SAC_TRANSMIT_ELEMENT)
        return SAC_OK; /* which is the one that fires */
    sac_status st = sac_h5_group_open(&g, wave, "apodization", err);
    if (st == SAC_OK && g.id >= 0)
        st = read_amplitudes(d, i, &g, most, err);
    sac_h5_group_close(&g);
    return st;
}

void sac_uff_middle(double middle_m[3], const sac_acquisition *a, int32_t i)
{
    const double *amplitudes =
        a->tx_apodization ? a->tx_apodization + (ptrdiff_t)i * a->n_elements : NULL;
    double n = 0;
    memset(middle_m, 0, 3 * sizeof *middle_m);
    for (int32_t e = 0; e < a->n_elements; e++) {
        const double weight = amplitudes ? fabs(amplitudes[e]) : 1;
        for (int k = 0; k < 3; k++)
            middle_m[k] += weight * a->elements[e].position_m[k];
        n += weight;
    }
    for (int k = 0; k < 3 && n > 0; k++)
        middle_m[k] /= n;
}

/* How far apart the nearest neighbours are. */
static double pitch_of(const sac_acquisition *a)
{
    double least_m = INFINITY;
    for (int32_t e = 1; e < a->n_elements; e++) {
        const double *p = a->elements[e - 1].position_m, *q = a->elements[e].position_m;
        least_m = fmin(least_m, hypot(q[0] - p[0], q[1] - p[1]));
    }
    return least_m;
}

sac_status sac_uff_check_origin(sac_draft *d, int32_t i, const sac_h5_group *wave, sac_error *err)
{
    const sac_acquisition *a = &d->recording->acquisition;
    const sac_transmit_kind kind = a->transmits[i].kind;
    sac_uff_point p;
    double o[3], middle[3];
    sac_status st = sac_uff_point_read(&p, wave, "origin", err);
    if (st != SAC_OK || p.distance_m == 0 ||
        (kind != SAC_TRANSMIT_FOCUSED && kind != SAC_TRANSMIT_DIVERGING))
        return st;
    sac_uff_point_place(o, &p);
    sac_uff_middle(middle, a, i);
    if (!(hypot(middle[0] - o[0], middle[1] - o[1]) <= pitch_of(a)))
        sac_draft_note(
            d, "the waves' origin is ignored: their axes lead from the middle of what fires");
    return SAC_OK;
}
