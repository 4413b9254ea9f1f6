/*
 * A calibration from what the machine says and the camera sees: frames in, a fit or a reason out.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/struct.h"
#include "meltpool/calibrate_fit.h"

#define STEP 8            /* of x or y: a direction over less is a rounded one */
#define MOST_BACK 64      /* frames, over which it may be reached */
#define LEAST_MOVE 0.5    /* pixels: deviation of the places in the picture */
#define LEAST_SIGMAS 2    /* of the residuals, that it is at least */
#define DOUBTFUL_PIXELS 1 /* median residual */
#define DOUBTFUL_FRAMES 100

/* The laser's direction at frame i: from the last place that is far enough, without a frame
 * missing or without the laser in between. */
static void find_direction(double towards[2], const sac_meltpool_sight *sights, int64_t i)
{
    const sac_meltpool_signals *now = &sights[i].signals;
    towards[0] = towards[1] = 0;
    for (int64_t back = 1; back <= MOST_BACK && back <= i; back++) {
        const sac_meltpool_signals *then = &sights[i - back].signals;
        if (!then->laser_on || (uint32_t)now->counter - (uint32_t)then->counter != (uint32_t)back)
            return;
        const double dx = (double)now->x - then->x, dy = (double)now->y - then->y;
        if (fabs(dx) >= STEP || fabs(dy) >= STEP) {
            const double length = sqrt(dx * dx + dy * dy);
            towards[0] = dx / length;
            towards[1] = dy / length;
            return;
        }
    }
}

/* Deviations along and across, of what has these variances and this covariance. */
static void deviations(double of[2], double xx, double xy, double yy)
{
    const double mean = (xx + yy) / 2, apart = sqrt((xx - yy) * (xx - yy) / 4 + xy * xy);
    of[0] = sqrt(mean + apart);
    of[1] = sqrt(fmax(0, mean - apart));
}

/* The usable sights as points around the middle. */
static void collect(sac_fit_job *j, const sac_meltpool_sight *sights, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (sights[i].flags)
            continue;
        sac_fit_point *p = &j->points[j->n++];
        *p = (sac_fit_point){.x = sights[i].signals.x,
                             .y = sights[i].signals.y,
                             .seen = {sights[i].column, sights[i].row},
                             .weight = 1};
        find_direction(p->towards, sights, i);
        j->middle[0] += (p->x - j->middle[0]) / (double)j->n;
        j->middle[1] += (p->y - j->middle[1]) / (double)j->n;
    }
}

static int64_t usable(const sac_meltpool_fit *f)
{
    return f->frames - f->laser_off - f->no_pool - f->clipped;
}

static void count(sac_meltpool_fit *f, const sac_meltpool_sight *sights, int64_t n)
{
    f->frames = n;
    for (int64_t i = 0; i < n; i++) {
        const uint32_t flags = sights[i].flags;
        f->laser_off += (flags & SAC_MELTPOOL_EMPTY) != 0;
        f->no_pool += !(flags & SAC_MELTPOOL_EMPTY) && (flags & SAC_MELTPOOL_NO_POOL);
        f->clipped += flags && !(flags & (SAC_MELTPOOL_EMPTY | SAC_MELTPOOL_NO_POOL));
    }
}

static sac_status too_few(const sac_meltpool_fit *f, int64_t n, sac_error *err)
{
    return sac_fail(err, SAC_E_INVALID,
                    "calibration: expected at least %d frames whose pools tell where the laser is, "
                    "got %lld of %lld (laser off %lld, no pool %lld, at the edge %lld)",
                    SAC_MELTPOOL_LEAST_SIGHTS, (long long)n, (long long)f->frames,
                    (long long)f->laser_off, (long long)f->no_pool, (long long)f->clipped);
}

/* The laser's places: an area, in units of their deviation from here on. */
static sac_status normalise(sac_fit_job *j, sac_error *err)
{
    double xx = 0, xy = 0, yy = 0, of[2];
    for (int64_t i = 0; i < j->n; i++) {
        sac_fit_point *p = &j->points[i];
        p->x -= j->middle[0];
        p->y -= j->middle[1];
        xx += p->x * p->x;
        xy += p->x * p->y;
        yy += p->y * p->y;
    }
    deviations(of, xx, xy, yy);
    if (!(of[1] > SAC_LEAST_SPREAD * of[0]))
        return sac_fail(err, SAC_E_INVALID,
                        "calibration: expected a scan over an area, got all places of the laser "
                        "(around x %g, y %g) on one %s",
                        j->middle[0], j->middle[1], of[0] > 0 ? "line" : "place");
    j->unit = of[0] / sqrt((double)j->n);
    for (int64_t i = 0; i < j->n; i++) {
        j->points[i].x /= j->unit;
        j->points[i].y /= j->unit;
    }
    return SAC_OK;
}

/* Refuses what noise could have given: places of the laser that are, in the picture, not much
 * farther apart than the pools are from them. */
static sac_status check_spread(const sac_fit_job *j, sac_error *err)
{
    const double(*a)[3] = j->model.place;
    const double least = fmax(LEAST_MOVE, LEAST_SIGMAS * j->sigma);
    double n = 0, u = 0, v = 0, uu = 0, uv = 0, vv = 0, of[2];
    for (int64_t i = 0; i < j->n; i++) {
        const sac_fit_point *p = &j->points[i];
        if (p->weight <= 0)
            continue;
        const double x = a[0][0] * p->x + a[0][1] * p->y, y = a[1][0] * p->x + a[1][1] * p->y;
        n++;
        u += x;
        v += y;
        uu += x * x;
        uv += x * y;
        vv += y * y;
    }
    deviations(of, uu / n - u * u / n / n, uv / n - u * v / n / n, vv / n - v * v / n / n);
    if (of[0] < least)
        return sac_fail(
            err, SAC_E_INVALID,
            "calibration: the pool does not move in the picture with the laser: by %.3g "
            "pixels (standard deviation), expected at least %.3g",
            of[0], least);
    if (of[1] < least)
        return sac_fail(err, SAC_E_INVALID,
                        "calibration: expected a scan over an area, got places of the laser that "
                        "are within %.3g pixels of a line (standard deviation; at least %.3g)",
                        of[1], least);
    return SAC_OK;
}

/* The calibration of the machine's x and y, and the residuals of the points that were used. */
static void tell(sac_meltpool_fit *f, sac_fit_job *j)
{
    for (int k = 0; k < 2; k++) {
        const double *a = j->model.place[k];
        f->calibration[k][0] = a[0] / j->unit;
        f->calibration[k][1] = a[1] / j->unit;
        f->calibration[k][2] = a[2] - (a[0] * j->middle[0] + a[1] * j->middle[1]) / j->unit;
    }
    f->lag = j->model.lag;
    f->has_lag = j->model.has_lag;
    f->used = 0;
    for (int64_t i = 0; i < j->n; i++)
        if (j->points[i].weight > 0)
            j->sorted[f->used++] = j->points[i].distance;
    f->outliers = j->n - f->used;
    if (f->used == 0)
        return;
    qsort(j->sorted, (size_t)f->used, sizeof *j->sorted, sac_fit_ascending);
    f->median = sac_fit_at(j->sorted, f->used, 0.5);
    f->p95 = sac_fit_at(j->sorted, f->used, 0.95);
    f->max = j->sorted[f->used - 1];
}

static sac_status fit(sac_meltpool_fit *f, sac_fit_job *j, sac_error *err)
{
    sac_status status = normalise(j, err);
    if (status)
        return status;
    bool fits = sac_fit_start(j);
    f->turning = fits ? sac_fit_choose_lag(j) : 0;
    fits = fits && sac_fit_improve(j);
    if (!fits)
        return sac_fail(err, SAC_E_INVALID,
                        "calibration: expected a scan over an area, got places of the laser on one "
                        "line where pools are found");
    tell(f, j);
    if (f->used < SAC_MELTPOOL_LEAST_SIGHTS)
        return too_few(f, f->used, err);
    status = check_spread(j, err);
    return status ? status : sac_meltpool_calibration_check(f->calibration[0], err);
}

sac_status sac_meltpool_calibrate(sac_meltpool_fit *out, const sac_meltpool_sight *sights,
                                  int64_t n, sac_error *err)
{
    sac_meltpool_fit f = {.struct_size = sizeof f};
    if (!out || (!sights && n > 0))
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "sights" : "fit");
    if (n < 0)
        return sac_fail(err, SAC_E_INVALID, "n: expected 0 or more, got %lld", (long long)n);
    count(&f, sights, n);
    const int64_t room = usable(&f);
    if (room < SAC_MELTPOOL_LEAST_SIGHTS)
        return too_few(&f, room, err);
    sac_fit_job j = {.points = sac_alloc((size_t)room, sizeof *j.points),
                     .sorted = sac_alloc((size_t)room, sizeof *j.sorted)};
    sac_status status = SAC_OK;
    if (j.points && j.sorted) {
        collect(&j, sights, n);
        status = fit(&f, &j, err);
    } else {
        status =
            sac_fail(err, SAC_E_NOMEM, "calibration: no memory for %lld frames", (long long)room);
    }
    sac_free(j.points);
    sac_free(j.sorted);
    if (status == SAC_OK)
        sac_struct_give(out, &f);
    return status;
}

const char *sac_meltpool_fit_doubt(const sac_meltpool_fit *fit)
{
    sac_meltpool_fit f = {.struct_size = sizeof f};
    if (!fit || fit->struct_size == 0)
        return "";
    memcpy(&f, fit, fit->struct_size < sizeof f ? fit->struct_size : sizeof f);
    if (f.median > DOUBTFUL_PIXELS)
        return "the residual is large: its median is above a pixel";
    if (2 * f.used < usable(&f))
        return "less than half of the frames with a whole pool are used";
    if (f.used < DOUBTFUL_FRAMES)
        return "few frames are used: less than 100";
    if (!f.has_lag)
        return "the laser's directions do not tell how far the pool lags behind it: the places are "
               "the pool's, not the laser's";
    return "";
}
