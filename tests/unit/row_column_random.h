/*
 * Row-column arrays by chance and for two stages, and what lines echo.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_ROW_COLUMN_RANDOM_H
#define SAC_TESTS_ROW_COLUMN_RANDOM_H

#include "row_column.h"
#include "simulated_point.h"

static inline int32_t rc_one_of(uint64_t seed, uint64_t index, int32_t n)
{
    return (int32_t)(sac_random(seed, index) % (uint64_t)n);
}

/* Transmit t of a random scene: by elements of one kind. */
static inline void rc_random_transmit(rc_scene *s, uint64_t seed, int32_t t)
{
    const int32_t n = s->acquisition.n_elements;
    const uint64_t at = 100 + 40 * (uint64_t)t;
    sac_transmit *w = &s->transmits[t];
    const int32_t who = rc_one_of(seed, at, n);
    static const sac_transmit_kind kinds[] = {SAC_TRANSMIT_PLANE, SAC_TRANSMIT_DIVERGING,
                                              SAC_TRANSMIT_ELEMENT, SAC_TRANSMIT_DELAYS};
    sac_transmit_init(w, kinds[rc_one_of(seed, at + 1, 4)]);
    w->t0_s = 1e-6 * sac_random_uniform(seed, at + 2);
    w->weight = rc_one_of(seed, at + 3, 5) ? 1 - 2 * sac_random_uniform(seed, at + 4) : 1;
    w->azimuth_rad = 0.4 * (sac_random_uniform(seed, at + 5) - 0.5);
    w->elevation_rad = 0.4 * (sac_random_uniform(seed, at + 6) - 0.5);
    w->source_m[s->shapes[who] == SAC_SHAPE_ROW ? 1 : 0] =
        1e-3 * (sac_random_uniform(seed, at + 7) - 0.5);
    w->source_m[2] = -1e-3 - 5e-3 * sac_random_uniform(seed, at + 8);
    w->element = who;
    w->delays_s = s->delays + t * n;
    for (int32_t e = 0; e < n; e++) {
        s->delays[t * n + e] = 1e-7 * sac_random_uniform(seed, at + 9 + (uint64_t)e);
        s->fires[t * n + e] =
            s->shapes[e] == s->shapes[who] &&
            (s->shapes[e] != SAC_SHAPE_ROW || s->elements[e].width_m == s->elements[who].width_m);
    }
}

static inline void rc_random_desc(rc_scene *s, uint64_t seed)
{
    static const sac_dtype types[] = {SAC_C64, SAC_C64, SAC_F32, SAC_I16};
    static const int64_t frames[] = {1, 1, 2, 18};
    sac_beamform_desc *d = &s->desc;
    *d = rc_desc(s, types[rc_one_of(seed, 10, 4)]);
    d->n_frames = frames[rc_one_of(seed, 11, 4)];
    d->interp = rc_one_of(seed, 12, 3);
    d->outside = rc_one_of(seed, 13, 2);
    d->f_number = rc_one_of(seed, 14, 3) ? 0.5 + 1.5 * sac_random_uniform(seed, 15) : 0;
    d->apodization = rc_one_of(seed, 16, 2) ? "hann" : "rect";
    d->lri = rc_one_of(seed, 17, 3) == 0;
    d->tier = rc_one_of(seed, 18, 2) ? SAC_TIER_EXACT : SAC_TIER_FP32;
    d->n_threads = 1 + rc_one_of(seed, 19, 2);
    if (d->interp == SAC_INTERP_NEAREST) /* a delay half-way may fall to either side */
        d->tier = SAC_TIER_EXACT;
    if (rc_one_of(seed, 20, 4) == 0) {
        for (int i = 0; i < 3 * 64; i++)
            s->points[i] = i % 3 == 2 ? 2e-3 + 7e-3 * sac_random_uniform(seed, 1000 + (uint64_t)i)
                                      : 4e-3 * (sac_random_uniform(seed, 1000 + (uint64_t)i) - 0.5);
        d->points_m = s->points;
        d->n_points = 64;
    }
}

static inline void rc_random(rc_scene *s, uint64_t seed)
{
    const int32_t n_rows = 1 + rc_one_of(seed, 0, 10), n_columns = 1 + rc_one_of(seed, 1, 10);
    rc_open(s, n_rows, n_columns, 1, 1);
    sac_acquisition *a = &s->acquisition;
    const int32_t n = a->n_elements;
    a->n_transmits = 1 + rc_one_of(seed, 2, 6);
    if (rc_one_of(seed, 3, 4) == 0) /* some are areas */
        for (int32_t e = 0; e < n; e++)
            s->shapes[e] = rc_one_of(seed, 60 + (uint64_t)e, 3) ? s->shapes[e] : SAC_SHAPE_AREA;
    if (rc_one_of(seed, 4, 4) == 0)
        s->elements[0].width_m *= 0.7; /* a kind of its own */
    for (int32_t t = 0; t < a->n_transmits; t++)
        rc_random_transmit(s, seed, t);
    const int32_t set = rc_one_of(seed, 5, 3); /* all, any, the cross */
    for (int32_t i = 0; i < a->n_transmits * n; i++)
        s->receives[i] =
            set == 0 || (set == 1 ? rc_one_of(seed, 2000 + (uint64_t)i, 2) || i % n == 0
                                  : s->fires[i] == 0 || i % n == 0);
    if (set == 0 && rc_one_of(seed, 6, 2))
        a->receives = NULL;
    a->phase_origin = SAC_PHASE_RECORD;
    rc_random_desc(s, seed);
}

/* Plane waves within +-steer before a volume between the lines' ends. */
static inline void rc_dual_scene(rc_scene *s, sac_beamform_desc *d, double steer)
{
    rc_open(s, 12, 10, 2, 3);
    for (int t = 0; t < 5; t++) {
        s->transmits[t].azimuth_rad *= steer / STEER;
        s->transmits[t].elevation_rad *= steer / STEER;
        s->transmits[t].t0_s = 0;
    }
    s->n_samples = 420;
    *d = rc_desc(s, SAC_F32);
    d->grid = (sac_grid){{-1.2e-3, -1.4e-3, 4e-3}, {1.25e-3, 1.3e-3, 12e-3}, {21, 18, 50}};
}

static inline void rc_simulate(float *data, const rc_scene *s, const double p[3])
{
    simulate_point(data, &s->acquisition, s->n_samples, p, NULL, NULL);
}

/* What the first column, element 1 of two, records (2048) of the first transmit, by the row. */
static inline void rc_echo(float *record, rc_scene *s, const double p[3])
{
    static float data[2 * 2 * 2048];
    s->n_samples = 2048;
    s->acquisition.fs_hz = 40e6;
    rc_simulate(data, s, p);
    memcpy(record, data + 2048, 2048 * sizeof *record);
}

static inline double rc_taper(double x, double taper)
{
    const double edge = 0.5 * taper, d = fmin(x, 1 - x);
    return d >= edge ? 1 : 0.5 - 0.5 * cos(PI * d / edge);
}

/* The same of n short areas each in their place, as docs say: an array of areas, added up. */
static inline void rc_echo_in_pieces(float *record, const rc_scene *s, const double p[3], int32_t n)
{
    enum { MOST = 700 };
    static sac_element e[2 * MOST];
    static float data[2 * MOST * 2048];
    static double fires[2 * MOST];
    rc_scene own = *s;
    sac_acquisition *a = &own.acquisition;
    double sum[2048] = {0};
    assert_true(n <= MOST);
    for (int32_t i = 0; i < 2 * n; i++) {
        const bool row = i < n;
        const double x = (i % n + 0.5) / n,
                     length = row ? s->elements[0].width_m : s->elements[1].height_m;
        e[i] = s->elements[row ? 0 : 1];
        e[i].position_m[row ? 0 : 1] += (x - 0.5) * length;
        *(row ? &e[i].width_m : &e[i].height_m) = length / n;
        fires[i] = row ? rc_taper(x, a->line_taper) / n : 0;
    }
    a->elements = e;
    a->n_elements = 2 * n;
    a->n_transmits = 1;
    a->shapes = NULL;
    a->receives = NULL;
    a->tx_apodization = fires;
    rc_simulate(data, &own, p);
    for (int32_t i = n; i < 2 * n; i++)
        for (int k = 0; k < 2048; k++)
            sum[k] += rc_taper((i - n + 0.5) / n, s->acquisition.line_taper) / n *
                      (double)data[(int64_t)i * 2048 + k];
    for (int k = 0; k < 2048; k++)
        record[k] = (float)sum[k];
}

#endif
