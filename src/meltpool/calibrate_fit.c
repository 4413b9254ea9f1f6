/*
 * Least squares that outliers cannot move: a start by least median of squares, then weights.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/calibrate_fit.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

#define TRIALS 500      /* with almost half of the points outliers, one in 8 trials has none */
#define MOST_TRIED 1024 /* points that judge a trial */
#define ROUNDS 60
#define CUT 4.5 /* sigma: where a point is an outlier; of Gaussian ones 1 in 25,000 is */
#define RAYLEIGH 1.1774100225154747 /* median distance from the centre, in sigma of each axis */
#define LEAST_SIGMA                                                                                \
    0.25                 /* pixels: what is within a pixel is no outlier, however still pools are  \
                          */
#define LEAST_OTHER 0.25 /* squared difference of directions, of length 1, that tells a lag */
#define LEAST_TOLD 0.1   /* of the directions' variance, that places do not explain */

int sac_fit_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double sac_fit_at(const double *sorted, int64_t n, double p)
{
    return sorted[(int64_t)(p * (double)(n - 1) + 0.5)];
}

/* The direction in which the laser moves in the picture, of length 1. */
static void direct(double to[2], const sac_fit_model *m, const double towards[2])
{
    for (int k = 0; k < 2; k++)
        to[k] = m->place[k][0] * towards[0] + m->place[k][1] * towards[1];
    const double length = sqrt(to[0] * to[0] + to[1] * to[1]);
    for (int k = 0; k < 2; k++)
        to[k] = length > 0 ? to[k] / length : 0;
}

static double distance(const sac_fit_model *m, const sac_fit_point *p)
{
    double to[2] = {0, 0}, sum = 0;
    if (m->has_lag)
        direct(to, m, p->towards);
    for (int k = 0; k < 2; k++) {
        const double *a = m->place[k];
        const double off = p->seen[k] - (a[0] * p->x + a[1] * p->y + a[2] - m->lag * to[k]);
        sum += off * off;
    }
    return sqrt(sum);
}

/* Weighted sums of x, y, and of what is to be explained by them: column, row, direction (2). */
typedef struct sums {
    double weight, x, y, t[4];
    double xx, xy, yy, xt[4], yt[4];
} sums;

static void targets_of(double t[4], const sac_fit_model *m, const sac_fit_point *p)
{
    t[0] = p->seen[0];
    t[1] = p->seen[1];
    direct(t + 2, m, p->towards);
}

static sums add_up(const sac_fit_model *m, const sac_fit_point *points, int64_t n)
{
    sums s = {0};
    double t[4];
    for (int64_t i = 0; i < n; i++) {
        const sac_fit_point *p = &points[i];
        targets_of(t, m, p);
        s.weight += p->weight;
        s.x += p->weight * p->x;
        s.y += p->weight * p->y;
        s.xx += p->weight * p->x * p->x;
        s.xy += p->weight * p->x * p->y;
        s.yy += p->weight * p->y * p->y;
        for (int k = 0; k < 4; k++) {
            s.t[k] += p->weight * t[k];
            s.xt[k] += p->weight * p->x * t[k];
            s.yt[k] += p->weight * p->y * t[k];
        }
    }
    return s;
}

/* The planes a x + b y + c of least squares through the four targets; false: the places are on a
 * line. */
static bool planes_of(double planes[4][3], const sums *s)
{
    const double w = s->weight, x = s->x / w, y = s->y / w;
    const double xx = s->xx / w - x * x, xy = s->xy / w - x * y, yy = s->yy / w - y * y;
    const double det = xx * yy - xy * xy;
    if (!(w > 0 && det > SAC_LEAST_SPREAD * SAC_LEAST_SPREAD * (xx + yy) * (xx + yy)))
        return false;
    for (int k = 0; k < 4; k++) {
        const double t = s->t[k] / w, xt = s->xt[k] / w - x * t, yt = s->yt[k] / w - y * t;
        planes[k][0] = (xt * yy - yt * xy) / det;
        planes[k][1] = (yt * xx - xt * xy) / det;
        planes[k][2] = t - planes[k][0] * x - planes[k][1] * y;
    }
    return true;
}

/*
 * The weighted least squares. A lag is what is left of the centroids along what is left of the
 * directions, when both have lost what places explain; *told, which may be NULL, is that part of
 * the directions' variance. False: the places are on a line.
 */
static bool fit(sac_fit_model *m, const sac_fit_point *points, int64_t n, double *told)
{
    double planes[4][3], t[4], along = 0, direction = 0;
    const sums s = add_up(m, points, n);
    if (!planes_of(planes, &s))
        return false;
    for (int64_t i = 0; i < n; i++) {
        const sac_fit_point *p = &points[i];
        targets_of(t, m, p);
        for (int k = 0; k < 4; k++)
            t[k] -= planes[k][0] * p->x + planes[k][1] * p->y + planes[k][2];
        along += p->weight * (t[0] * t[2] + t[1] * t[3]);
        direction += p->weight * (t[2] * t[2] + t[3] * t[3]);
    }
    if (told)
        *told = direction / s.weight;
    m->lag = m->has_lag && direction > 0 ? -along / direction : 0;
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 3; j++)
            m->place[k][j] = planes[k][j] + m->lag * planes[k + 2][j];
    return true;
}

/* The median distance of every `step`-th point. */
static double median_distance(const sac_fit_job *j, const sac_fit_model *m, int64_t step)
{
    int64_t n = 0;
    for (int64_t i = 0; i < j->n; i += step)
        j->sorted[n++] = distance(m, &j->points[i]);
    qsort(j->sorted, (size_t)n, sizeof *j->sorted, sac_fit_ascending);
    return sac_fit_at(j->sorted, n, 0.5);
}

/* Least median of squares (Rousseeuw, "Least median of squares regression", 1984): of planes
 * through three frames each, the one to which half of all frames are nearest. */
bool sac_fit_start(sac_fit_job *j)
{
    const int64_t step = (j->n + MOST_TRIED - 1) / MOST_TRIED;
    double least = INFINITY;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        sac_fit_point three[3];
        sac_fit_model m = {0};
        for (uint64_t k = 0; k < 3; k++) {
            three[k] = j->points[sac_random(1, 3 * trial + k) % (uint64_t)j->n];
            three[k].weight = 1;
        }
        if (!fit(&m, three, 3, NULL))
            continue;
        const double median = median_distance(j, &m, step);
        if (median < least) {
            least = median;
            j->model = m;
        }
    }
    return least < (double)INFINITY;
}

/* Tukey's biweight: less the farther away, 0 of outliers. */
static void weigh(sac_fit_job *j)
{
    for (int64_t i = 0; i < j->n; i++)
        j->points[i].distance = j->sorted[i] = distance(&j->model, &j->points[i]);
    qsort(j->sorted, (size_t)j->n, sizeof *j->sorted, sac_fit_ascending);
    j->sigma = fmax(sac_fit_at(j->sorted, j->n, 0.5) / RAYLEIGH, LEAST_SIGMA);
    for (int64_t i = 0; i < j->n; i++) {
        const double far = j->points[i].distance / (CUT * j->sigma);
        j->points[i].weight = far < 1 ? (1 - far * far) * (1 - far * far) : 0;
    }
}

static double change(const sac_fit_model *a, const sac_fit_model *b)
{
    double most = fabs(a->lag - b->lag);
    for (int k = 0; k < 6; k++)
        most = fmax(most, fabs(a->place[k / 3][k % 3] - b->place[k / 3][k % 3]));
    return most;
}

bool sac_fit_improve(sac_fit_job *j)
{
    for (int round = 0; round < ROUNDS; round++) {
        const sac_fit_model before = j->model;
        weigh(j);
        if (!fit(&j->model, j->points, j->n, NULL))
            return false;
        if (change(&before, &j->model) < 1e-9)
            break;
    }
    weigh(j);
    return true;
}

static bool is_directed(const sac_fit_point *p)
{
    return p->towards[0] != 0 || p->towards[1] != 0;
}

/* Where points that are directed otherwise than those near the model, on average, tell the lag. */
static void start_lag(sac_fit_job *j)
{
    sac_fit_model *m = &j->model;
    double mean[2] = {0, 0}, to[2], t[4], weight = 0;
    weigh(j);
    for (int64_t i = 0; i < j->n; i++) {
        direct(to, m, j->points[i].towards);
        weight += j->points[i].weight;
        for (int k = 0; k < 2; k++)
            mean[k] += j->points[i].weight * to[k];
    }
    int64_t n = 0;
    for (int64_t i = 0; i < j->n; i++) {
        const sac_fit_point *p = &j->points[i];
        targets_of(t, m, p);
        for (int k = 0; k < 2; k++) {
            t[k] -= m->place[k][0] * p->x + m->place[k][1] * p->y + m->place[k][2];
            t[k + 2] -= mean[k] / weight;
        }
        const double other = t[2] * t[2] + t[3] * t[3];
        if (other > LEAST_OTHER)
            j->sorted[n++] = -(t[0] * t[2] + t[1] * t[3]) / other;
    }
    if (n == 0)
        return;
    qsort(j->sorted, (size_t)n, sizeof *j->sorted, sac_fit_ascending);
    m->lag = sac_fit_at(j->sorted, n, 0.5);
    for (int k = 0; k < 2; k++)
        m->place[k][2] += m->lag * mean[k] / weight;
}

int64_t sac_fit_choose_lag(sac_fit_job *j)
{
    const int64_t n = j->n;
    int64_t known = 0;
    double told = 0;
    for (int64_t i = 0; i < n; i++) {
        known += is_directed(&j->points[i]);
        j->points[i].weight = is_directed(&j->points[i]);
    }
    sac_fit_model m = j->model;
    if (known < SAC_MELTPOOL_LEAST_SIGHTS || 2 * known < n || !fit(&m, j->points, n, &told) ||
        told < LEAST_TOLD)
        return 0;
    j->n = 0;
    for (int64_t i = 0; i < n; i++)
        if (is_directed(&j->points[i]))
            j->points[j->n++] = j->points[i];
    start_lag(j);
    j->model.has_lag = true;
    return n - j->n;
}
