/*
 * Delay-and-sum through layers of different speed of sound. In a row of points of one depth the
 * time to an element is a hyperbola of the distance across, very nearly: so a row is the kernel's
 * as ever, of elements and points moved to where the hyperbola has them, and of given arrivals.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/alloc.h"
#include "beamform/acquisition.h"
#include "beamform/layers.h"
#include "beamform/plan.h"
#include "beamform/kernels/das/das_inline.h"

#define TOLERANCE (1.0 / 16) /* periods of fc: of the hyperbola */
#define LEAST_REACH 0.1      /* of the depth: closer by it is the hyperbola of that */

/* What a worker makes of a row. */
typedef struct layered_scratch {
    sac_element *elements;   /* (n_rx) */
    sac_transmit *transmits; /* (n_tx) */
    double *arrivals;        /* (n_tx, n_block) */
} layered_scratch;

struct sac_beamform_layered {
    sac_layers layers;
    sac_hyperbola *rows; /* (n_z) */
    layered_scratch *scratch;
    int32_t n_scratch;
};

void sac_beamform_layered_close(sac_beamform_layered **layered)
{
    sac_beamform_layered *l = *layered;
    for (int32_t i = 0; l && i < l->n_scratch; i++) {
        sac_free(l->scratch[i].elements);
        sac_free(l->scratch[i].transmits);
        sac_free(l->scratch[i].arrivals);
    }
    if (l) {
        sac_free(l->scratch);
        sac_free(l->rows);
    }
    sac_free(l);
    *layered = NULL;
}

/* The reason why a transmit cannot be, or NULL. */
static const char *odd_transmit(const sac_transmit *t)
{
    if (t->kind == SAC_TRANSMIT_FOCUSED)
        return "is focused: layers and a lens move and blur its focus, by no one time of arrival";
    if (t->kind == SAC_TRANSMIT_DIVERGING && t->source_m[2] > 0)
        return "diverges from before the array";
    return NULL;
}

static sac_status check_steps(const sac_beamform *plan, sac_error *err)
{
    const sac_beamform_desc *d = &plan->desc;
    const char *why = NULL;
    if (d->device.kind != SAC_DEVICE_CPU)
        why = "are for the CPU only, and the device is a GPU";
    else if (plan->n_groups)
        why = "need all elements to receive all transmits";
    else if (d->points_m || d->grid_kind != SAC_GRID_CARTESIAN)
        why = "need a cartesian grid: its rows have one depth each";
    else if (sac_beamform_does(plan, SAC_STEP_FIELD))
        why = "do not go with transmit apodization (tx-f-number, tx-apodization)";
    else if (!(fmin(d->grid.first_m[2], d->grid.last_m[2]) > 0))
        why = "need a grid that lies before the array, at z above 0";
    return why ? sac_fail(err, SAC_E_UNSUPPORTED, "layers: layers and a lens %s", why) : SAC_OK;
}

/* Whether each transmit has a time of arrival down to the deepest point. */
static sac_status check_transmits(const sac_beamform *plan, sac_error *err)
{
    const sac_acquisition *a = plan->desc.acquisition;
    const sac_grid *g = &plan->desc.grid;
    const double p[3] = {g->first_m[0], g->first_m[1], fmax(g->first_m[2], g->last_m[2])};
    for (int32_t t = 0; t < a->n_transmits; t++) {
        const char *odd = odd_transmit(&a->transmits[t]);
        if (odd)
            return sac_fail(err, SAC_E_UNSUPPORTED, "layers: transmit %d %s", t, odd);
        if (isnan(sac_beamform_layered_arrival_s(plan, t, p, 0)))
            return sac_fail(err, SAC_E_INVALID,
                            "layers: transmit %d is steered so far that a layer of c %g m/s "
                            "reflects all of it",
                            t, a->c_m_s);
    }
    return SAC_OK;
}

/* How far an aperture may reach across: as its f-number says, and not beyond the array. */
static double reach_at(const sac_beamform *plan, double z_m)
{
    const sac_grid *g = &plan->desc.grid;
    const double f_number = plan->das.apodization.f_number;
    double most = 0;
    for (int32_t e = 0; e < plan->das.n_rx; e++)
        for (int corner = 0; corner < 4; corner++) {
            const double *at = plan->elements[e].position_m;
            const double x = corner & 1 ? g->last_m[0] : g->first_m[0];
            const double y = corner & 2 ? g->last_m[1] : g->first_m[1];
            most = fmax(most, hypot(x - at[0], y - at[1]));
        }
    most = f_number > 0 ? fmin(most, 0.5 * z_m / f_number) : most;
    return fmax(most, LEAST_REACH * z_m);
}

static sac_status fit_rows(sac_beamform *plan, sac_error *err)
{
    sac_beamform_layered *l = plan->layered;
    const sac_grid *g = &plan->desc.grid;
    const double period_s = 1 / plan->desc.acquisition->fc_hz;
    l->rows = sac_alloc((size_t)g->n[2], sizeof *l->rows);
    if (!l->rows)
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for %lld depths",
                        (long long)g->n[2]);
    for (int64_t i = 0; i < g->n[2]; i++) {
        sac_layer path[SAC_LAYERS_PATH];
        const double z_m = sac_das_coordinate(g, 2, i);
        const int32_t n = sac_layers_path(path, &l->layers, z_m);
        l->rows[i] = sac_layers_fit(path, n, reach_at(plan, z_m));
        if (!(l->rows[i].error_s <= TOLERANCE * period_s) || !(l->rows[i].depth_s > 0))
            return sac_fail(err, SAC_E_UNSUPPORTED,
                            "layers: at z %.3g mm delays through them are not known to a sixteenth "
                            "of a period: take an f-number above %.3g, or a deeper grid",
                            1e3 * z_m, 0.5 * z_m / l->rows[i].reach_m);
    }
    return SAC_OK;
}

sac_status sac_beamform_layered_open(sac_beamform *plan, sac_error *err)
{
    const sac_beamform_desc *d = &plan->desc;
    if (!d->layers && !d->lens)
        return SAC_OK;
    plan->layered = sac_alloc(1, sizeof *plan->layered);
    if (!plan->layered)
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for layers");
    sac_status status =
        sac_layers_read(&plan->layered->layers, d->lens, d->layers, d->acquisition->c_m_s, err);
    status = status ? status : sac_layers_check(d->acquisition, err);
    status = status ? status : check_steps(plan, err);
    status = status ? status : check_transmits(plan, err);
    return status ? status : fit_rows(plan, err);
}

bool sac_beamform_layered_allocate(sac_beamform *plan)
{
    sac_beamform_layered *l = plan->layered;
    const size_t n_tx = (size_t)plan->das.n_tx;
    bool all = true;
    if (!l)
        return true;
    l->scratch = sac_alloc((size_t)plan->n_workers, sizeof *l->scratch);
    if (!l->scratch)
        return false;
    l->n_scratch = plan->n_workers;
    for (int32_t i = 0; i < l->n_scratch && all; i++) {
        layered_scratch *s = &l->scratch[i];
        s->elements = sac_alloc((size_t)plan->das.n_rx, sizeof *s->elements);
        s->transmits = sac_alloc(n_tx, sizeof *s->transmits);
        s->arrivals = sac_alloc(n_tx * (size_t)plan->n_block, sizeof *s->arrivals);
        all = s->elements && s->transmits && s->arrivals;
    }
    return all;
}

/* Through layers to p, across the whole of them and by the row's hyperbola where that reaches. */
static double way_s(const sac_layer *path, int32_t n, const sac_hyperbola *row, double across_m)
{
    return row && across_m <= row->reach_m
               ? row->shift_s + hypot(row->depth_s, row->slowness_s_m * across_m)
               : sac_layers_time_s(path, n, across_m);
}

static double first_arrival_s(const sac_beamform *plan, const double *delays_s,
                              const sac_layer *path, int32_t n, const sac_hyperbola *row,
                              const double p[3])
{
    double first = INFINITY;
    for (int32_t e = 0; e < plan->das.n_rx; e++) {
        const double *at = plan->elements[e].position_m;
        const double s = delays_s[e] + way_s(path, n, row, hypot(p[0] - at[0], p[1] - at[1]));
        first = s < first ? s : first; /* false for NaN: that one does not fire */
    }
    return first;
}

/* Of a plane wave, along x. */
static double slowness_x(const sac_transmit *t, double c_m_s)
{
    return sin(t->azimuth_rad) * cos(t->elevation_rad) / c_m_s;
}

/* tau_tx at p, which lies n layers deep. A plane wave keeps its slowness along the layers; a wave
 * that diverges comes as through one layer more, of the speed that its delays are made of. */
static double arrival_s(const sac_beamform *plan, int32_t t, sac_layer path[SAC_LAYERS_PATH],
                        int32_t n, const sac_hyperbola *row, const double p[3], int64_t index)
{
    const sac_transmit *own = &plan->transmits[t];
    const double c = plan->das.c_m_s, *s = own->source_m;
    if (own->kind == SAC_TRANSMIT_PLANE) {
        const double x = slowness_x(own, c), y = sin(own->elevation_rad) / c;
        return x * p[0] + y * p[1] + sac_layers_plane_s(path, n, hypot(x, y));
    }
    if (own->kind == SAC_TRANSMIT_DIVERGING) {
        path[n] = (sac_layer){-s[2], c};
        return sac_layers_time_s(path, n + 1, hypot(p[0] - s[0], p[1] - s[1])) -
               sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) / c;
    }
    if (own->kind == SAC_TRANSMIT_ELEMENT) {
        const double *e = plan->elements[own->element].position_m;
        return way_s(path, n, row, hypot(p[0] - e[0], p[1] - e[1]));
    }
    if (own->kind == SAC_TRANSMIT_DELAYS)
        return first_arrival_s(plan, own->delays_s, path, n, row, p);
    return own->kind == SAC_TRANSMIT_ARRIVALS ? own->arrivals_s[index] : NAN;
}

double sac_beamform_layered_arrival_s(const sac_beamform *plan, int32_t t, const double p_m[3],
                                      int64_t index)
{
    sac_layer path[SAC_LAYERS_PATH];
    const int32_t n = sac_layers_path(path, &plan->layered->layers, p_m[2]);
    return arrival_s(plan, t, path, n, NULL, p_m, index);
}

double sac_beamform_layered_receive_s(const sac_beamform *plan, int32_t r, const double p_m[3])
{
    sac_layer path[SAC_LAYERS_PATH];
    const int32_t n = sac_layers_path(path, &plan->layered->layers, p_m[2]);
    const double *e = plan->elements[r].position_m;
    return sac_layers_time_s(path, n, hypot(p_m[0] - e[0], p_m[1] - e[1]));
}

/* Arrivals at n points of a row from its point `column` on, less what the hyperbola is shifted. */
static void fill_arrivals(const sac_beamform *plan, layered_scratch *s, const sac_hyperbola *row,
                          double p[3], int64_t column, int64_t first, int32_t n)
{
    sac_layer path[SAC_LAYERS_PATH];
    const int32_t n_path = sac_layers_path(path, &plan->layered->layers, p[2]);
    for (int32_t t = 0; t < plan->das.n_tx; t++) {
        double *arrivals = s->arrivals + (ptrdiff_t)t * plan->n_block;
        s->transmits[t] = plan->transmits[t];
        s->transmits[t].kind = SAC_TRANSMIT_ARRIVALS;
        s->transmits[t].arrivals_s = arrivals;
        p[0] = 0;
        const bool plane = plan->transmits[t].kind == SAC_TRANSMIT_PLANE;
        const double ahead = plane ? arrival_s(plan, t, path, n_path, row, p, 0) : 0;
        const double slope = slowness_x(&plan->transmits[t], plan->das.c_m_s);
        for (int32_t i = 0; i < n; i++) {
            p[0] = sac_das_coordinate(&plan->desc.grid, 0, column + i);
            arrivals[i] =
                row->shift_s + (plane ? ahead + slope * p[0]
                                      : arrival_s(plan, t, path, n_path, row, p, first + i));
        }
    }
}

/* The das of n points of a row, from `column` on. */
static sac_das row_das(const sac_beamform *plan, const sac_das *das, layered_scratch *s,
                       int64_t row_index, int64_t column, int32_t n)
{
    const sac_grid *g = &plan->desc.grid;
    const int64_t depth = row_index / g->n[1];
    const sac_hyperbola *row = &plan->layered->rows[depth];
    const double scale = row->slowness_s_m * das->c_m_s, z_m = row->depth_s * das->c_m_s;
    double p[3] = {0, sac_das_coordinate(g, 1, row_index % g->n[1]),
                   sac_das_coordinate(g, 2, depth)};
    sac_das own = *das;
    sac_grid_init(&own.grid);
    own.grid.n[0] = own.n_points = n;
    own.grid.first_m[0] = scale * sac_das_coordinate(g, 0, column);
    own.grid.last_m[0] = scale * sac_das_coordinate(g, 0, column + n - 1);
    own.grid.first_m[1] = own.grid.last_m[1] = scale * p[1];
    own.grid.first_m[2] = own.grid.last_m[2] = z_m;
    own.apodization.f_number *= z_m / (scale * p[2]);
    for (int32_t e = 0; e < das->n_rx; e++) {
        s->elements[e] = das->elements[e];
        s->elements[e].position_m[0] *= scale;
        s->elements[e].position_m[1] *= scale;
    }
    own.x0_m = s->elements[0].position_m[0];
    own.pitch_m = scale * das->pitch_m;
    own.elements = s->elements;
    own.transmits = s->transmits;
    fill_arrivals(plan, s, row, p, column, row_index * g->n[0] + column, n);
    return own;
}

void sac_beamform_layered_block(const sac_beamform *plan, float *out, const sac_das *das,
                                int64_t first, int32_t n, int32_t worker)
{
    const int64_t n_x = plan->desc.grid.n[0];
    const int32_t n_values = das->n_frames * sac_das_images(das) * (plan->iq ? 2 : 1);
    while (n > 0) {
        const int64_t column = first % n_x;
        const int32_t some = n_x - column < n ? (int32_t)(n_x - column) : n;
        const sac_das row =
            row_das(plan, das, &plan->layered->scratch[worker], first / n_x, column, some);
        plan->beamform(out, &row, 0, some);
        out += (ptrdiff_t)some * n_values;
        first += some;
        n -= some;
    }
}
