/*
 * bench_beamform: a configuration's array, transmits, points and data.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "beamform_bench.h"
#include "room/check.h"

#define SOURCES_SIDE 3
#define SOURCE_STEP_M 3e-3 /* between virtual sources, */
#define SOURCE_Z_M -10e-3  /* which lie behind the array */
#define FAN_M 15e-3        /* radius of an arc of them, around the array's middle */

static sac_transmit transmit_of(const bench_case *c, int32_t t)
{
    sac_transmit tx;
    const int32_t n = c->rows ? (c->n_tx + 1) / 2 : c->n_tx;
    const double angle = n > 1 ? c->angle_rad * (2.0 * (t % n) / (n - 1) - 1) : 0;
    sac_transmit_init(&tx, c->waves == BENCH_PLANES ? SAC_TRANSMIT_PLANE : SAC_TRANSMIT_DIVERGING);
    tx.t0_s = c->t0_s;
    if (c->waves == BENCH_SOURCES) {
        tx.source_m[0] = SOURCE_STEP_M * (t % SOURCES_SIDE - SOURCES_SIDE / 2);
        tx.source_m[1] = SOURCE_STEP_M * (t / SOURCES_SIDE - SOURCES_SIDE / 2);
        tx.source_m[2] = SOURCE_Z_M;
    } else if (c->waves == BENCH_FAN) {
        tx.source_m[0] = FAN_M * sin(angle);
        tx.source_m[2] = -FAN_M * cos(angle);
    } else {
        tx.azimuth_rad = angle;
    }
    return tx;
}

int64_t bench_count_points(const bench_case *c)
{
    return c->grid.n[0] * c->grid.n[1] * c->grid.n[2];
}

/* Place `at` of n from `first` to `last`. */
static double step(const sac_grid *grid, int axis, int64_t at)
{
    const double a = grid->first_m[axis], b = grid->last_m[axis];
    const int64_t n = grid->n[axis];
    return n > 1 ? a + (b - a) * ((double)at / (double)(n - 1)) : a;
}

/* Point `index` of the grid, or of its numbers with z running fastest. */
static void grid_point(double p[3], const sac_grid *g, int64_t index, bool z_first)
{
    const int first = z_first ? 2 : 0, last = 2 - first;
    const int64_t n = g->n[first];
    p[first] = step(g, first, index % n);
    p[1] = step(g, 1, index / n % g->n[1]);
    p[last] = step(g, last, index / n / g->n[1]);
}

static void listed_point(double p[3], const bench_case *c, int64_t index, uint64_t *random)
{
    const sac_grid *g = &c->grid;
    if (c->spots == BENCH_SCATTERED) {
        for (int i = 0; i < 3; i++)
            p[i] = g->first_m[i] + sac_check_uniform(random) * (g->last_m[i] - g->first_m[i]);
        return;
    }
    grid_point(p, g, index, c->spots == BENCH_RANGES);
    if (c->spots == BENCH_LIST)
        return;
    const double angle = p[0], range = p[2];
    p[0] = range * sin(angle);
    p[2] = range * cos(angle);
}

static void open_points(bench_work *w)
{
    const bench_case *c = w->c;
    const int64_t n = bench_count_points(c);
    uint64_t random = 1;
    if (c->spots == BENCH_GRID)
        return;
    w->points_m = cli_grow(NULL, 0, (size_t)n, 3 * sizeof *w->points_m);
    for (int64_t i = 0; i < n; i++)
        listed_point(w->points_m + 3 * i, c, i, &random);
    w->desc.points_m = w->points_m;
    w->desc.n_points = n;
}

void bench_point(double p[3], const bench_work *w, int64_t index)
{
    if (w->points_m)
        memcpy(p, w->points_m + 3 * index, 3 * sizeof *p);
    else
        grid_point(p, &w->desc.grid, index, false);
}

/* Given arrivals: a plane wave's. */
static void open_arrivals(bench_work *w)
{
    const int64_t n = bench_count_points(w->c);
    for (int32_t t = 0; t < w->c->n_tx; t++) {
        sac_transmit *tx = &w->transmits[t];
        if (tx->kind != SAC_TRANSMIT_ARRIVALS)
            continue;
        if (!w->arrivals_s)
            w->arrivals_s = cli_grow(NULL, 0, (size_t)(n * w->c->n_tx), sizeof *w->arrivals_s);
        tx->arrivals_s = w->arrivals_s + t * n;
        const double x = sin(tx->azimuth_rad) / w->c->c_m_s, z = cos(tx->azimuth_rad) / w->c->c_m_s;
        for (int64_t i = 0; i < n; i++) {
            double p[3];
            bench_point(p, w, i);
            w->arrivals_s[t * n + i] = p[0] * x + p[2] * z;
        }
    }
}

static void set_acquisition(bench_work *w)
{
    const bench_case *c = w->c;
    sac_acquisition_init(&w->acquisition);
    w->acquisition.elements = w->elements;
    w->acquisition.transmits = w->transmits;
    w->acquisition.n_elements = c->n_rx;
    w->acquisition.n_transmits = c->n_tx;
    w->acquisition.fs_hz = c->fs_hz;
    w->acquisition.fc_hz = c->fc_hz;
    w->acquisition.c_m_s = c->c_m_s;
}

/* Half of the transmits by the rows, then half by the columns. */
static void open_lines(bench_work *w)
{
    const bench_case *c = w->c;
    const int32_t n_columns = c->n_rx - c->rows, n_by_rows = (c->n_tx + 1) / 2;
    const size_t n = (size_t)c->n_tx * (size_t)c->n_rx;
    w->shapes = cli_grow(NULL, 0, (size_t)c->n_rx, sizeof *w->shapes);
    w->fires = cli_grow(NULL, 0, n, sizeof *w->fires);
    w->receives = cli_grow(NULL, 0, n, sizeof *w->receives);
    sac_probe_row_column(w->elements, w->shapes, c->rows, n_columns, c->pitch_m, 0.9 * c->pitch_m);
    sac_transmits_row_column(w->transmits, w->fires, w->receives, n_by_rows, c->n_tx - n_by_rows,
                             c->rows, n_columns);
    w->acquisition.shapes = w->shapes;
    w->acquisition.tx_apodization = w->fires;
    w->acquisition.receives = w->receives;
}

void bench_open_geometry(bench_work *w, const bench_case *c)
{
    *w = (bench_work){.c = c, .n_parts = c->dtype == SAC_C64 ? 2 : 1};
    w->elements = cli_grow(NULL, 0, (size_t)c->n_rx, sizeof *w->elements);
    if (c->matrix)
        sac_probe_matrix(w->elements, c->matrix, c->n_rx / c->matrix, c->pitch_m, c->pitch_m);
    else
        sac_probe_linear(w->elements, c->n_rx, c->pitch_m, 0, 0);
    for (int32_t t = 0; t < c->n_tx; t++)
        w->transmits[t] = c->transmits ? c->transmits[t] : transmit_of(c, t);
    set_acquisition(w);
    if (c->rows)
        open_lines(w);
    sac_beamform_desc_init(&w->desc);
    w->desc.acquisition = &w->acquisition;
    w->desc.dtype = c->dtype;
    w->desc.n_frames = c->n_frames;
    w->desc.n_samples = c->n_samples;
    w->desc.layout = c->layout;
    w->desc.grid = c->grid;
    w->desc.f_number = c->f_number;
    w->desc.apodization = c->window ? c->window : "rect";
    w->desc.layers = c->layers;
    w->desc.lens = c->lens;
    w->desc.reduction = c->reduction;
    w->desc.reduction_over = (int32_t)c->over;
    w->desc.interp = (int32_t)c->interp;
    w->desc.outside = (int32_t)c->outside;
    w->desc.lri = c->lri;
    w->desc.method = c->method;
    w->desc.output = SAC_OUTPUT_IQ;
    w->desc.demodulate = c->dtype == SAC_C64 ? SAC_DEMODULATE_AUTO : SAC_DEMODULATE_NO;
    w->desc.tier = (int32_t)c->tier;
    w->desc.n_threads = 1;
    open_points(w);
    open_arrivals(w);
}

void bench_fill_noise(const sac_array *a)
{
    uint64_t random = 1;
    const int64_t n = sac_array_count(a) * (a->dtype == SAC_C64 ? 2 : 1);
    for (int64_t i = 0; i < n; i++) {
        const int32_t value = (int32_t)(sac_check_random(&random) >> 48) - 32768;
        if (a->dtype == SAC_I16)
            ((int16_t *)a->data)[i] = (int16_t)value;
        else
            ((float *)a->data)[i] = (float)value * 0x1p-15f;
    }
}

/* Records of IQ become sums of what follows each sample, by a Gaussian of that deviation. */
static void smooth_noise(const sac_array *a, int32_t deviation)
{
    const int64_t n = a->shape[3], n_records = sac_array_count(a) / n, reach = 6 * deviation;
    for (int64_t i = 0; i < n_records; i++) {
        float *record = (float *)a->data + 2 * i * n;
        for (int64_t s = 0; s < 2 * n; s++) {
            double sum = 0;
            for (int64_t k = 0; k <= reach && s + 2 * k < 2 * n; k++) {
                const double u = (double)(k - reach / 2) / deviation;
                sum += exp(-0.5 * u * u) * (double)record[s + 2 * k];
            }
            record[s] = (float)sum;
        }
    }
}

void bench_open_data(bench_work *w)
{
    sac_error err = {0};
    const bench_case *c = w->c;
    const int64_t outer[] = {c->n_frames, c->n_tx, c->n_rx, c->n_samples};
    const int64_t inner[] = {c->n_tx, c->n_rx, c->n_samples, c->n_frames};
    const int64_t *shape = c->layout == SAC_FRAMES_INNER ? inner : outer;
    bench_must(sac_array_view(&w->in, NULL, c->dtype, 4, shape, &err), c->name, &err);
    w->in.data = cli_grow(NULL, 0, (size_t)sac_array_count(&w->in), sac_dtype_size(c->dtype));
    bench_fill_noise(&w->in);
    if (c->smooth)
        smooth_noise(&w->in, c->smooth);
}

void bench_close_work(bench_work *w)
{
    sac_beamform_close(&w->plan);
    void *memory[] = {w->in.data, w->elements, w->points_m, w->arrivals_s,
                      w->want,    w->shapes,   w->fires,    w->receives};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        free(memory[i]);
    *w = (bench_work){.c = w->c, .n_parts = w->n_parts, .all = w->all, .active = w->active};
}
