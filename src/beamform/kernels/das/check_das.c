/*
 * Delay-and-sum's checks: geometry, transmits, points and data of a case, and the calls on them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/das/check_das.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "beamform/kernels/adapt_iq_f32/adapt_iq_f32.h"
#include "beamform/kernels/das/das_rf.h"

#define PI 3.14159265358979323846
#define MATRIX_COLUMNS 6

enum { OUT = SAC_CHECK_DAS_OUT, IN = SAC_CHECK_DAS_IN };
enum { NOISE, CONSTANT, HOLES };
const char *const sac_check_das_contents[] = {"noise", "constant", "nan", NULL};

static size_t scalar_of(const sac_check_case *c)
{
    return c->kind == SAC_I16 ? sizeof(int16_t) : sizeof(float);
}

static int32_t n_parts_of(const sac_check_case *c)
{
    return sac_check_das_is_iq(c) ? 2 : 1;
}

/* The sizes and strides of a case's run, without its pointers; and the scalars of its data. */
static size_t layout(sac_das *das, const sac_check_case *c)
{
    const sac_check_scenario *s = sac_check_das_scenario(c);
    const double fd_hz = s->fd_hz > 0 ? s->fd_hz : 5e6;
    *das = (sac_das){.n_tx = s->n_tx,
                     .n_rx = s->n_rx,
                     .n_samples = s->n_samples,
                     .n_frames = s->n_frames ? s->n_frames : 1,
                     .fs_hz = s->fs_hz > 0 ? s->fs_hz : 20e6 / 3,
                     .c_m_s = s->c_m_s > 0 ? s->c_m_s : 1480,
                     .fd_hz = sac_check_das_is_iq(c) ? fd_hz : 0,
                     .phase_sign = s->phase_sign ? s->phase_sign : 1,
                     .phase_transmit = s->phase_transmit,
                     .apodization = s->apodization,
                     .interp = s->interp,
                     .outside = s->outside,
                     .lri = s->lri};
    return sac_das_layout(das, n_parts_of(c), scalar_of(c));
}

void sac_check_das_shape(sac_check_case *c)
{
    sac_das das;
    const int32_t n_parts = n_parts_of(c);
    const size_t size = scalar_of(c), n = layout(&das, c);
    c->arg[OUT] = (sac_check_arg){"out",
                                  SAC_CHECK_OUT,
                                  .size = 4,
                                  .align = 4 * (size_t)n_parts,
                                  .packed = true,
                                  .h = c->w * c->h,
                                  .w = n_parts * sac_das_images(&das) * das.n_frames};
    c->arg[IN] = (sac_check_arg){"data",         SAC_CHECK_IN,    .size = size, .align = 64,
                                 .packed = true, .w = (int64_t)n, .h = 1};
    c->n_args = 2;
    sac_check_das_shape_cuda(c, &das, (size_t)n_parts * size);
}

double sac_check_das_unit(const sac_check_case *c)
{
    return c->kind == SAC_I16 ? 32767 : 1;
}

static float draw(const sac_check_case *c, uint64_t *random, const sac_das *das, int32_t r,
                  int32_t f)
{
    const bool has_holes = c->content == HOLES && c->kind != SAC_I16;
    if (c->content == CONSTANT)
        return 1;
    if (has_holes && r == das->n_rx / 3)
        return NAN;
    if (has_holes && r == das->n_rx / 2 && f == das->n_frames - 1)
        return INFINITY;
    return (float)((double)(int64_t)sac_check_random(random) * 0x1p-63);
}

static void put(const sac_check_case *c, ptrdiff_t at, float value)
{
    if (c->kind == SAC_I16)
        ((int16_t *)sac_check_data(c, IN))[at] = (int16_t)(value * 32767);
    else
        ((float *)sac_check_data(c, IN))[at] = value;
}

void sac_check_das_fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    sac_das das;
    (void)layout(&das, c);
    memset(c->arg[IN].data, 0, c->arg[IN].size * (size_t)c->arg[IN].w);
    for (int32_t i = 0; i < das.n_tx * das.n_rx; i++)
        for (int32_t s = 0; s < das.n_samples; s++)
            for (int32_t f = 0; f < das.n_frames; f++)
                for (int32_t part = 0; part < n_parts_of(c); part++)
                    put(c, i * das.rx + s * das.sample + f + part * das.imag,
                        draw(c, &random, &das, i % das.n_rx, f));
    sac_check_das_fill_cuda(c, &das, (size_t)n_parts_of(c) * scalar_of(c));
}

/* Takes an element of a matrix out of the plane z = 0. */
static void lift(sac_element *e, sac_check_array array, bool is_odd)
{
    if (array == SAC_CHECK_TILTED) {
        e->normal[0] = 0.28;
        e->normal[2] = 0.96;
        e->position_m[2] = -0.28 * e->position_m[0];
        e->position_m[0] *= 0.96;
        return;
    }
    e->position_m[2] = SAC_CHECK_RAISED_MM * 1e-3;
    if (array == SAC_CHECK_ODD && is_odd) {
        e->normal[1] = -0.28;
        e->normal[2] = 0.96;
    }
}

static void place_elements(sac_check_das *o, const sac_check_scenario *s)
{
    double pitch = s->pitch_mm > 0 ? s->pitch_mm * 1e-3 : 0.298e-3, radius = 0.02;
    double first = -0.5 * pitch * (s->n_rx - 1);
    const bool is_matrix = s->array == SAC_CHECK_MATRIX || s->array >= SAC_CHECK_RAISED;
    for (int32_t r = 0; r < s->n_rx; r++) {
        sac_element *e = &o->elements[r];
        sac_element_init(e);
        e->position_m[0] = first + r * pitch;
        if (is_matrix) {
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
    for (int32_t r = 0; r < s->n_rx && s->array >= SAC_CHECK_RAISED; r++)
        lift(&o->elements[r], s->array, r == s->n_rx / 2);
    if (s->array == SAC_CHECK_LINEAR) {
        o->das.x0_m = first;
        o->das.pitch_m = pitch;
    }
}

/* Anywhere, or in a sector down from z. */
static void list_points(sac_check_das *o, const sac_check_case *c, sac_check_points kind,
                        double half, double z, double depth, uint64_t *random)
{
    for (int64_t i = 0; i < c->w * c->h; i++) {
        const bool by_range = kind == SAC_CHECK_RANGES;
        const int64_t at = by_range ? i / c->h : i % c->w, deep = by_range ? i % c->h : i / c->w;
        const double angle = (double)at / (double)c->w - 0.4;
        const double range = z + (1.1 * depth - z) * (double)deep / (double)c->h;
        double *p = &o->points[3 * i];
        p[0] = range * sin(angle);
        p[1] = 1e-4;
        p[2] = range * cos(angle);
        if (kind == SAC_CHECK_LIST) {
            p[0] = 2.4 * half * (sac_check_uniform(random) - 0.5);
            p[1] = 2e-3 * (sac_check_uniform(random) - 0.5);
            p[2] = 1.1 * depth * sac_check_uniform(random);
        }
    }
    o->das.points_m = o->points;
}

/* The checks' records end before the deepest points do. */
static void place_points(sac_check_das *o, const sac_check_case *c, const sac_check_scenario *s,
                         uint64_t *random)
{
    sac_das *das = &o->das;
    double depth = s->n_samples * das->c_m_s / (2 * das->fs_hz), half = 0.7 * 0.149e-3 * s->n_rx;
    double z = (0.4 + 0.5 * sac_check_uniform(random)) * depth, x = s->x_mm * 1e-3;
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
    if (s->points == SAC_CHECK_SIDE) {
        das->grid.first_m[1] = -half;
        das->grid.last_m[1] = half;
        das->grid.n[0] = 1;
        das->grid.n[1] = c->w;
    }
    if (s->points >= SAC_CHECK_LIST)
        list_points(o, c, s->points, half, z, depth, random);
    das->tile_rows = s->tile_rows;
    das->tile_columns = s->tile_columns;
}

#define FIRST_T0 1.5e-7

/* Anywhere; or such that an element's delay lies at an end of the first transmit's record, so close
 * that only double precision knows on which side. */
static double arrival_s(const sac_check_das *o, int64_t i, double depth, uint64_t *random)
{
    const sac_das *das = &o->das;
    double p[3], off = i & 8 ? 1e-7 : -1e-7;
    if (i % 16 == 6)
        return i % 32 == 6 ? NAN : INFINITY;
    if (i % 16 == 10)
        return i % 32 == 10 ? 2.1e4 : -3e7; /* beyond what sac_das_hold lets be */
    if (i % 2 == 0)
        return depth / das->c_m_s * sac_check_uniform(random);
    sac_das_point(p, das, i);
    double rx = sac_distance(p, o->elements[i / 2 % das->n_rx].position_m) / das->c_m_s;
    return (off + (i & 2 ? das->n_samples - 1 : 0)) / das->fs_hz + FIRST_T0 - rx;
}

static void place_transmits(sac_check_das *o, const sac_check_scenario *s, uint64_t *random)
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

/* Whether s lies within slack of where f jumps. */
static bool is_unsure(const sac_das *das, double s)
{
    double slack = sac_das_rf_slack(das), last = das->n_samples - 1;
    if (das->outside == SAC_OUTSIDE_ZERO && (fabs(s) < slack || fabs(s - last) < slack))
        return true;
    return das->interp == SAC_INTERP_NEAREST && fabs(s - floor(s) - 0.5) < slack;
}

/* Transmit t at point i: what it adds to the outputs' power. */
static double look_at(const sac_check_das *o, int64_t i, int32_t t, bool *unsure)
{
    const sac_das *das = &o->das;
    const sac_transmit *tx = &das->transmits[t];
    double power = 0, p[3], a = das->lri ? 1 : (double)das->tx_weight[t];
    sac_das_point(p, das, i);
    double tau = sac_das_arrival_of(das, t, p, i) - tx->t0_s;
    for (int32_t r = 0; r < das->n_rx; r++) {
        const sac_element *e = &das->elements[r];
        double s = (tau + sac_distance(p, e->position_m) / das->c_m_s) * das->fs_hz;
        double w = a * sac_das_weight(&das->apodization, e, p);
        *unsure = *unsure || is_unsure(das, s);
        if (s >= 0 && s <= das->n_samples - 1)
            power += w * w * 2 / 3; /* linear interpolation's mean */
    }
    return power;
}

/* Points looked at at a time. Powers are added up part by part: the sum is the same with any number
 * of threads. */
#define LOOKS 2048

static void look_at_some(void *ctx, int64_t first, int64_t n)
{
    const sac_check_das *o = ctx;
    const int32_t images = sac_das_images(&o->das);
    double power = 0;
    for (int64_t i = first; i < first + n; i++)
        for (int32_t t = 0; t < o->das.n_tx; t++)
            power += look_at(o, i, t, &o->unsure[i * images + t % images]);
    o->powers[first / LOOKS] = power;
}

static void look_at_all(sac_check_das *o)
{
    sac_check_share(look_at_some, o, o->das.n_points, LOOKS);
    for (int64_t i = 0; i * LOOKS < o->das.n_points; i++)
        o->power += o->powers[i];
}

void sac_check_das_close(sac_check_case *c)
{
    sac_check_das *o = c->state;
    if (!o)
        return;
    void *const parts[] = {o->elements, o->transmits, o->tx_weight, o->delays, o->arrivals,
                           o->points,   o->unsure,    o->powers,    o};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        sac_free(parts[i]);
    c->state = NULL;
}

static sac_status allocate(sac_check_das *o, const sac_check_scenario *s, const sac_check_case *c)
{
    const size_t n_points = (size_t)(c->w * c->h),
                 n_images = sac_check_das_is_iq(c) ? 1 : (size_t)s->n_tx;
    const size_t n_rx = (size_t)s->n_rx, n_tx = (size_t)s->n_tx;
    o->elements = sac_alloc(n_rx, sizeof *o->elements);
    o->transmits = sac_alloc(n_tx, sizeof *o->transmits);
    o->tx_weight = sac_alloc(n_tx, sizeof *o->tx_weight);
    o->delays = sac_alloc(n_rx, sizeof *o->delays);
    o->arrivals = sac_alloc(n_points, sizeof *o->arrivals);
    o->points = sac_alloc(3 * n_points, sizeof *o->points);
    o->unsure = sac_alloc(n_points * n_images, sizeof *o->unsure);
    o->powers = sac_alloc(n_points / LOOKS + 1, sizeof *o->powers);
    const bool ok = o->elements && o->transmits && o->tx_weight && o->delays && o->arrivals &&
                    o->points && o->unsure && o->powers;
    return ok ? SAC_OK : SAC_E_NOMEM;
}

sac_status sac_check_das_open(sac_check_case *c)
{
    const sac_check_scenario *s = sac_check_das_scenario(c);
    uint64_t random = c->seed | 1;
    sac_check_das *o = c->state = sac_alloc(1, sizeof *o);
    if (!o)
        return SAC_E_NOMEM;
    (void)layout(&o->das, c);
    if (allocate(o, s, c)) {
        sac_check_das_close(c);
        return SAC_E_NOMEM;
    }
    place_elements(o, s);
    place_points(o, c, s, &random);
    place_transmits(o, s, &random);
    o->das.elements = o->elements;
    o->das.transmits = o->transmits;
    o->das.tx_weight = o->tx_weight;
    o->das.reduction = c->kind == SAC_CHECK_ADAPT ? &s->reduction : NULL;
    if (!sac_check_das_is_iq(c))
        look_at_all(o);
    return SAC_OK;
}

void sac_check_das_call_rows(sac_any_fn fn, const sac_check_case *c, int64_t first, int64_t n_rows)
{
    const bool whole_blocks = sac_check_das_is_task(c);
    sac_das das = *sac_check_das_of(c);
    das.data = c->arg[IN].data;
    if (das.reduction) {
        das.scratch = sac_alloc(sac_adapt_scratch(&das), sizeof *das.scratch);
        if (!das.scratch)
            abort(); /* a call has nobody to tell */
    }
    uint64_t random = c->seed | 1;
    for (int64_t i = first; i < first + n_rows;) {
        int64_t n =
            whole_blocks ? SAC_DAS_BLOCK : 1 + (int64_t)(sac_check_random(&random) % SAC_DAS_BLOCK);
        n = n < first + n_rows - i ? n : first + n_rows - i;
        ((sac_das_fn)fn)(sac_check_row(c, OUT, i), &das, i, (int32_t)n);
        i += n;
    }
    sac_free(das.scratch);
}

void sac_check_das_call(sac_any_fn fn, const sac_check_case *c)
{
    sac_check_das_call_rows(fn, c, 0, c->arg[OUT].h);
}
