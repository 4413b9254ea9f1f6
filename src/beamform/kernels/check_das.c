/*
 * Delay-and-sum's checks: geometry, transmits and points of a case.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/check_das.h"

#include "base/alloc.h"

#define PI 3.14159265358979323846
#define MATRIX_COLUMNS 6

/* A run with what it points to. */
typedef struct owned {
    sac_das das; /* first: what is handed out */
    sac_element *elements;
    sac_transmit *transmits;
    float *tx_weight;
    double *delays, *arrivals, *points;
} owned;

static double uniform(uint64_t *random)
{
    return (double)(sac_check_random(random) >> 11) * 0x1p-53;
}

size_t sac_check_das_layout(sac_das *das, const sac_check_scenario *s, int32_t n_parts,
                            size_t scalar_size)
{
    *das = (sac_das){.n_tx = s->n_tx,
                     .n_rx = s->n_rx,
                     .n_samples = s->n_samples,
                     .n_frames = s->n_frames,
                     .fs_hz = s->fs_hz > 0 ? s->fs_hz : 20e6 / 3,
                     .c_m_s = s->c_m_s > 0 ? s->c_m_s : 1480,
                     .fd_hz = s->fd_hz > 0 ? s->fd_hz : 5e6,
                     .phase_sign = s->phase_sign ? s->phase_sign : 1,
                     .phase_transmit = s->phase_transmit,
                     .apodization = s->apodization,
                     .interp = s->interp,
                     .outside = s->outside,
                     .lri = s->lri};
    return sac_das_layout(das, n_parts, scalar_size);
}

static void place_elements(owned *o, const sac_check_scenario *s)
{
    double pitch = s->pitch_mm > 0 ? s->pitch_mm * 1e-3 : 0.298e-3, radius = 0.02;
    double first = -0.5 * pitch * (s->n_rx - 1);
    for (int32_t r = 0; r < s->n_rx; r++) {
        sac_element *e = &o->elements[r];
        sac_element_init(e);
        e->position_m[0] = first + r * pitch;
        if (s->array == SAC_CHECK_MATRIX) {
            e->position_m[0] = pitch * (r % MATRIX_COLUMNS - 2.5);
            e->position_m[1] = pitch * (r / MATRIX_COLUMNS - 2.0);
        } else if (s->array == SAC_CHECK_CURVED) {
            double angle = e->position_m[0] / radius;
            e->normal[0] = sin(angle);
            e->normal[2] = cos(angle);
            e->position_m[0] = radius * sin(angle);
            e->position_m[2] = radius * (cos(angle) - 1);
        }
    }
    if (s->array == SAC_CHECK_LINEAR) {
        o->das.x0_m = first;
        o->das.pitch_m = pitch;
    }
}

/* The checks' records end before the deepest points do. */
static void place_points(owned *o, const sac_check_case *c, const sac_check_scenario *s,
                         uint64_t *random)
{
    sac_das *das = &o->das;
    double depth = s->n_samples * das->c_m_s / (2 * das->fs_hz), half = 0.7 * 0.149e-3 * s->n_rx;
    double z = (0.4 + 0.5 * uniform(random)) * depth, x = s->x_mm * 1e-3;
    bool task = x > 0, volume = s->points == SAC_CHECK_VOLUME && c->h % 3 == 0;
    das->n_points = c->w * c->h;
    das->grid = (sac_grid){.first_m = {task ? -x : -half, volume ? -1e-3 : 0.2e-3, z},
                           .last_m = {task ? x : 1.1 * half, 1e-3, 1.1 * depth},
                           .n = {c->w, volume ? 3 : 1, volume ? c->h / 3 : c->h}};
    if (task) {
        das->grid.first_m[1] = 0;
        das->grid.first_m[2] = s->z0_mm * 1e-3;
        das->grid.last_m[2] = s->z1_mm * 1e-3;
    }
    for (int64_t i = 0; i < das->n_points && s->points == SAC_CHECK_LIST; i++) {
        o->points[3 * i] = 2.4 * half * (uniform(random) - 0.5);
        o->points[3 * i + 1] = 2e-3 * (uniform(random) - 0.5);
        o->points[3 * i + 2] = 1.1 * depth * uniform(random);
    }
    das->points_m = s->points == SAC_CHECK_LIST ? o->points : NULL;
}

#define FIRST_T0 1.5e-7

/* Anywhere; or such that an element's delay lies at an end of the first transmit's record, so close
 * that only double precision knows on which side. */
static double arrival_s(const owned *o, int64_t i, double depth, uint64_t *random)
{
    const sac_das *das = &o->das;
    double p[3], off = i & 8 ? 1e-7 : -1e-7;
    if (i % 16 == 6)
        return i % 32 == 6 ? NAN : INFINITY;
    if (i % 2 == 0)
        return depth / das->c_m_s * uniform(random);
    sac_das_point(p, das, i);
    double rx = sac_distance(p, o->elements[i / 2 % das->n_rx].position_m) / das->c_m_s;
    return (off + (i & 2 ? das->n_samples - 1 : 0)) / das->fs_hz + FIRST_T0 - rx;
}

static void place_transmits(owned *o, const sac_check_scenario *s, uint64_t *random)
{
    const sac_das *das = &o->das;
    double depth = s->n_samples * das->c_m_s / (2 * das->fs_hz);
    for (int32_t r = 0; r < s->n_rx; r++)
        o->delays[r] = r % 4 == 1 && r > 1 ? NAN : 1e-7 * r;
    for (int64_t i = 0; i < das->n_points && s->kind == SAC_TRANSMIT_ARRIVALS; i++)
        o->arrivals[i] = arrival_s(o, i, depth, random);
    for (int32_t t = 0; t < s->n_tx; t++) {
        double share = s->n_tx > 1 ? 2.0 * t / (s->n_tx - 1) - 1 : 0;
        sac_transmit *tx = &o->transmits[t];
        sac_transmit_init(tx, s->kind);
        tx->azimuth_rad = share * (s->x_mm > 0 ? s->angle_deg : 20) * PI / 180;
        tx->elevation_rad = s->x_mm > 0 ? 0 : 0.1 * share;
        tx->source_m[0] = 2e-3 * share;
        tx->source_m[1] = 1e-4;
        tx->source_m[2] = s->kind == SAC_TRANSMIT_DIVERGING ? -0.3 * depth : 0.5 * depth;
        tx->element = t % s->n_rx;
        tx->delays_s = o->delays;
        tx->arrivals_s = o->arrivals;
        tx->t0_s = s->x_mm > 0 ? s->t0_us * 1e-6 : FIRST_T0 * (t + 1);
        o->tx_weight[t] = s->x_mm > 0 ? 1 : (float)(1 - 0.2 * share);
        tx->weight = (double)o->tx_weight[t];
    }
}

void sac_check_das_close(sac_das *das)
{
    owned *o = (owned *)(void *)das;
    if (!o)
        return;
    sac_free(o->elements);
    sac_free(o->transmits);
    sac_free(o->tx_weight);
    sac_free(o->delays);
    sac_free(o->arrivals);
    sac_free(o->points);
    sac_free(o);
}

sac_das *sac_check_das_open(const sac_check_case *c, const sac_check_scenario *s, int32_t n_parts,
                            size_t scalar_size)
{
    uint64_t random = c->seed | 1;
    size_t n_points = (size_t)(c->w * c->h), n_rx = (size_t)s->n_rx, n_tx = (size_t)s->n_tx;
    owned *o = sac_alloc(1, sizeof *o);
    if (!o)
        return NULL;
    sac_check_das_layout(&o->das, s, n_parts, scalar_size);
    o->elements = sac_alloc(n_rx, sizeof *o->elements);
    o->transmits = sac_alloc(n_tx, sizeof *o->transmits);
    o->tx_weight = sac_alloc(n_tx, sizeof *o->tx_weight);
    o->delays = sac_alloc(n_rx, sizeof *o->delays);
    o->arrivals = sac_alloc(n_points, sizeof *o->arrivals);
    o->points = sac_alloc(3 * n_points, sizeof *o->points);
    if (!o->elements || !o->transmits || !o->tx_weight || !o->delays || !o->arrivals ||
        !o->points) {
        sac_check_das_close(&o->das);
        return NULL;
    }
    place_elements(o, s);
    place_points(o, c, s, &random);
    place_transmits(o, s, &random);
    o->das.elements = o->elements;
    o->das.transmits = o->transmits;
    o->das.tx_weight = o->tx_weight;
    return &o->das;
}

void sac_check_das_call(sac_das_fn fn, float *out, const sac_das *das, const sac_check_case *c,
                        bool whole_blocks)
{
    uint64_t random = c->seed | 1;
    int64_t step = (int64_t)(c->arg[0].w);
    for (int64_t i = 0; i < das->n_points;) {
        int64_t n =
            whole_blocks ? SAC_DAS_BLOCK : 1 + (int64_t)(sac_check_random(&random) % SAC_DAS_BLOCK);
        n = n < das->n_points - i ? n : das->n_points - i;
        fn(out + i * step, das, i, (int32_t)n);
        i += n;
    }
}

void sac_check_das_compare(sac_check_diff *d, const sac_check_case *want, const sac_check_case *got,
                           double least, double bound)
{
    const sac_check_arg *a = &want->arg[0];
    const float *x = (const float *)(const void *)a->data;
    const float *y = (const float *)(const void *)got->arg[0].data;
    double scale = 0, sum = 0, largest = -1;
    for (int64_t i = 0; i < a->w * a->h; i++) {
        if (!isfinite(x[i]) && !isfinite(y[i]))
            continue;
        double difference = (double)y[i] - (double)x[i];
        sum += difference * difference;
        scale += isfinite(x[i]) ? (double)x[i] * (double)x[i] : 0;
        d->n_differ += x[i] != y[i];
        if (fabs(difference) > largest || !isfinite(difference)) {
            largest = isfinite(difference) ? fabs(difference) : INFINITY;
            d->index = i;
            d->wanted = (double)x[i];
            d->got = (double)y[i];
        }
    }
    d->error = sum == 0 ? 0 : sqrt(sum) / fmax(sqrt(scale), least); /* NaN is no success */
    d->ok = d->error <= bound;
}
