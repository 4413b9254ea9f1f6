/*
 * The image of a point target: where its peak is, how wide it is, how high its side lobes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/simulate/magnitudes.h"

#include <math.h>

#define HALF_DB (-6.020599913279624) /* 20 log10(1/2) */
#define STEEPEST_DB 20               /* from a peak to its neighbour: beyond, that is no parabola */
#define WALK 8                       /* steps a sample along a profile */
#define BISECTIONS 30

/* A place between samples, in samples along x, y, z. */
typedef struct place {
    double at[3];
} place;

typedef struct window {
    int64_t begin[3], end[3];
} window;

/* Catmull-Rom's weights of the samples at -1, 0, 1, 2 for 0 <= f < 1. */
static void catmull_rom(double weight[4], double f)
{
    weight[0] = f * (-0.5 + f * (1 - 0.5 * f));
    weight[1] = 1 + f * f * (-2.5 + 1.5 * f);
    weight[2] = f * (0.5 + f * (2 - 1.5 * f));
    weight[3] = f * f * (-0.5 + 0.5 * f);
}

/* Along one axis: four samples (held at the ends) and their weights; one where f is 0. */
static int taps(int64_t index[4], double weight[4], double at, int64_t n)
{
    double whole = floor(at);
    if (at == whole) {
        index[0] = (int64_t)whole;
        weight[0] = 1;
        return 1;
    }
    catmull_rom(weight, at - whole);
    for (int i = 0; i < 4; i++) {
        int64_t k = (int64_t)whole - 1 + i;
        index[i] = k < 0 ? 0 : k < n ? k : n - 1;
    }
    return 4;
}

static double db_at(const sac_image_view *v, const place *p)
{
    int64_t index[3][4];
    double weight[3][4], sum = 0;
    int n[3];
    for (int i = 0; i < 3; i++)
        n[i] = taps(index[i], weight[i], p->at[i], v->n[i]);
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++)
                sum += weight[2][z] * weight[1][y] * weight[0][x] *
                       sac_image_db(v, index[0][x], index[1][y], index[2][z]);
    return sum;
}

static sac_status window_around(window *w, const sac_image_view *v, const double at_m[3],
                                double reach_m, sac_error *err)
{
    if (!(reach_m > 0))
        return sac_fail(err, SAC_E_INVALID, "reach: expected more than 0 m, got %g", reach_m);
    double found[3], scale[3];
    sac_image_find(found, v, at_m);
    sac_image_scale(scale, v, found);
    for (int i = 0; i < 3; i++) {
        w->begin[i] = 0;
        w->end[i] = v->n[i];
        if (v->n[i] == 1)
            continue;
        double at = (found[i] - v->first_m[i]) / v->step_m[i];
        double reach = reach_m / (fabs(v->step_m[i]) * scale[i]);
        if (!(at >= -0.5 && at <= (double)v->n[i] - 0.5) && v->sector)
            return sac_fail(err, SAC_E_INVALID, "point: (%g, %g) mm lies outside of the sector",
                            1e3 * at_m[0], 1e3 * at_m[2]);
        if (!(at >= -0.5 && at <= (double)v->n[i] - 0.5))
            return sac_fail(err, SAC_E_INVALID,
                            "point: %c = %g mm lies outside of the image (%g to %g mm)", "xyz"[i],
                            1e3 * at_m[i], 1e3 * v -> first_m[i],
                            1e3 * (v->first_m[i] + v->step_m[i] * (double)(v->n[i] - 1)));
        w->begin[i] = (int64_t)fmax(0, ceil(at - reach));
        w->end[i] = (int64_t)fmin((double)v->n[i], floor(at + reach) + 1);
    }
    return SAC_OK;
}

/* The brightest sample of the window. */
static double brightest(int64_t at[3], const sac_image_view *v, const window *w)
{
    double peak = SAC_SILENCE_DB;
    for (int64_t z = w->begin[2]; z < w->end[2]; z++)
        for (int64_t y = w->begin[1]; y < w->end[1]; y++)
            for (int64_t x = w->begin[0]; x < w->end[0]; x++) {
                double db = sac_image_db(v, x, y, z);
                if (db > peak) {
                    peak = db;
                    at[0] = x;
                    at[1] = y;
                    at[2] = z;
                }
            }
    return peak;
}

/* From the brightest sample to the top of the parabola through it and its neighbours. */
static void refine(place *peak, const sac_image_view *v, const int64_t at[3])
{
    for (int i = 0; i < 3; i++) {
        int64_t low[3] = {at[0], at[1], at[2]}, high[3] = {at[0], at[1], at[2]};
        low[i]--;
        high[i]++;
        peak->at[i] = (double)at[i];
        if (low[i] < 0 || high[i] >= v->n[i])
            continue;
        const double b = sac_image_db(v, at[0], at[1], at[2]);
        const double a = fmax(sac_image_db(v, low[0], low[1], low[2]), b - STEEPEST_DB);
        const double c = fmax(sac_image_db(v, high[0], high[1], high[2]), b - STEEPEST_DB);
        if (a - 2 * b + c < 0)
            peak->at[i] += 0.5 * (a - c) / (a - 2 * b + c); /* b is the largest: within 1/2 */
    }
}

/* How far from the peak the profile crosses the level, in samples; NaN where it does not. */
static double crossing(const sac_image_view *v, const place *peak, int axis, int sign, double level)
{
    place p = *peak;
    double limit = sign < 0 ? peak->at[axis] : (double)(v->n[axis] - 1) - peak->at[axis];
    double near = 0, far = 0;
    do {
        near = far;
        far += 1.0 / WALK;
        if (far > limit)
            return NAN;
        p.at[axis] = peak->at[axis] + sign * far;
    } while (db_at(v, &p) >= level);
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = 0.5 * (near + far);
        p.at[axis] = peak->at[axis] + sign * middle;
        *(db_at(v, &p) >= level ? &near : &far) = middle;
    }
    return 0.5 * (near + far);
}

/* The highest place of the profile along x behind its first minimum; `from` is in the main lobe. */
static double side_lobe(const sac_image_view *v, const place *peak, int sign, double from,
                        double reach)
{
    place p = *peak;
    double limit = sign < 0 ? peak->at[0] : (double)(v->n[0] - 1) - peak->at[0];
    double before = INFINITY, highest = NAN;
    bool behind = false;
    for (double far = from; far <= fmin(limit, reach); far += 1.0 / WALK) {
        p.at[0] = peak->at[0] + sign * far;
        double db = db_at(v, &p);
        behind = behind || db >= before;
        before = db;
        if (behind)
            highest = fmax(highest, db); /* NaN gives way */
    }
    return highest;
}

static void measure_profiles(sac_point_measure *out, const sac_image_view *v, const place *peak,
                             const double scale[3], double reach_m)
{
    double half[2] = {NAN, NAN};
    for (int axis = 2; axis >= 0; axis--) {
        for (int side = 0; side < 2; side++)
            half[side] = v->n[axis] > 1
                             ? crossing(v, peak, axis, side ? 1 : -1, out->peak_db + HALF_DB)
                             : NAN;
        out->width_m[axis] = (half[0] + half[1]) * fabs(v->step_m[axis]) * scale[axis];
    }
    out->side_lobe_db = NAN; /* x is the last axis: half[] are its crossings */
    for (int side = 0; side < 2; side++)
        if (!isnan(half[side]))
            out->side_lobe_db =
                fmax(out->side_lobe_db, side_lobe(v, peak, side ? 1 : -1, half[side],
                                                  reach_m / (fabs(v->step_m[0]) * scale[0])) -
                                            out->peak_db);
}

static sac_status measure_point(sac_point_measure *out, const sac_ultrasound_image *image,
                                const sac_sector *sector, const double at_m[3], double reach_m,
                                sac_error *err)
{
    sac_image_view v;
    window w;
    int64_t at[3] = {0};
    if (!out || !at_m)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "at" : "out");
    sac_status status = sac_image_view_of(&v, image, sector, err);
    if (status == SAC_OK)
        status = window_around(&w, &v, at_m, reach_m, err);
    if (status)
        return status;
    if (!(brightest(at, &v, &w) > SAC_SILENCE_DB))
        return sac_fail(err, SAC_E_INVALID, "point: nothing but silence around (%g, %g) mm",
                        1e3 * at_m[0], 1e3 * at_m[2]);
    place peak;
    refine(&peak, &v, at);
    *out = (sac_point_measure){.peak_db = db_at(&v, &peak)};
    double error2 = 0, found[3], wanted[3], scale[3];
    for (int i = 0; i < 3; i++)
        found[i] = v.first_m[i] + peak.at[i] * v.step_m[i];
    sac_image_find(wanted, &v, at_m);
    sac_image_scale(scale, &v, found);
    sac_image_place(out->peak_m, &v, found);
    for (int i = 0; i < 3; i++) {
        double d = v.n[i] > 1 ? (found[i] - wanted[i]) * scale[i] : 0;
        error2 += d * d;
    }
    out->error_m = sqrt(error2);
    measure_profiles(out, &v, &peak, scale, reach_m);
    return SAC_OK;
}

sac_status sac_measure_point(sac_point_measure *out, const sac_ultrasound_image *image,
                             const double at_m[3], double reach_m, sac_error *err)
{
    return measure_point(out, image, NULL, at_m, reach_m, err);
}

sac_status sac_measure_sector_point(sac_point_measure *out, const sac_ultrasound_image *image,
                                    const sac_sector *sector, const double at_m[3], double reach_m,
                                    sac_error *err)
{
    return sector ? measure_point(out, image, sector, at_m, reach_m, err)
                  : sac_fail(err, SAC_E_INVALID, "sector: is NULL");
}
