/*
 * Delay-and-sum through layers of different speed of sound. In a row of points of one depth the
 * time to an element is a hyperbola of the distance across, very nearly: so a row is the kernel's
 * as ever, of elements and points moved to where the hyperbola has them, and of given arrivals.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/alloc.h"
#include "beamform/acquisition.h"
#include "beamform/layered.h"
#include "beamform/kernels/das/das_inline.h"

#define TOLERANCE (1.0 / 16) /* periods of fc: of the hyperbola */
#define LEAST_REACH 0.1      /* of the way straight ahead: closer by it is the hyperbola of that */

void sac_beamform_layered_close(sac_beamform_layered **layered)
{
    sac_beamform_layered *l = *layered;
    for (int32_t i = 0; l && i < l->n_scratch; i++)
        sac_layered_free(&l->scratch[i]);
    if (l) {
        sac_free(l->scratch);
        sac_free(l->slabs);
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

/* Where the plan's points lie. */
static void find_box(double low[3], double high[3], const sac_beamform *plan)
{
    const sac_grid *g = &plan->desc.grid;
    for (int i = 0; i < 3; i++) {
        low[i] = plan->points_m ? INFINITY : fmin(g->first_m[i], g->last_m[i]);
        high[i] = plan->points_m ? -INFINITY : fmax(g->first_m[i], g->last_m[i]);
    }
    for (int64_t k = 0; k < plan->das.n_points && plan->points_m; k++)
        for (int i = 0; i < 3; i++) {
            low[i] = fmin(low[i], plan->points_m[3 * k + i]);
            high[i] = fmax(high[i], plan->points_m[3 * k + i]);
        }
}

static sac_status check_steps(const sac_beamform *plan, double least_z_m, double most_z_m,
                              sac_error *err)
{
    const char *why = NULL;
    if (plan->n_groups)
        why = "need all elements to receive all transmits";
    else if (!(most_z_m > 0))
        why = "need points that lie before the array, at z above 0, and there are none";
    else if (!(least_z_m > 0) && !plan->points_m)
        why = "need a grid that lies before the array, at z above 0";
    else if (!(least_z_m > 0) && !(plan->das.apodization.f_number > 0))
        why = "need an f-number where points do not lie before the array, at z above 0";
    return why ? sac_fail(err, SAC_E_UNSUPPORTED, "layers: layers and a lens %s", why) : SAC_OK;
}

/* Whether each transmit has a time of arrival down to the deepest point. */
static sac_status check_transmits(const sac_beamform *plan, const double deepest_m[3],
                                  sac_error *err)
{
    const sac_acquisition *a = plan->desc.acquisition;
    for (int32_t t = 0; t < a->n_transmits; t++) {
        const char *odd = odd_transmit(&a->transmits[t]);
        if (odd)
            return sac_fail(err, SAC_E_UNSUPPORTED, "layers: transmit %d %s", t, odd);
        if (isnan(sac_beamform_layered_arrival_s(plan, t, deepest_m, 0)))
            return sac_fail(err, SAC_E_INVALID,
                            "layers: transmit %d is steered so far that a layer of c %g m/s "
                            "reflects all of it",
                            t, a->c_m_s);
    }
    return SAC_OK;
}

/* How far points and elements are apart across, at most. */
static double most_across(const sac_beamform *plan, const double low[3], const double high[3])
{
    double most = 0;
    for (int32_t e = 0; e < plan->das.n_rx; e++)
        for (int corner = 0; corner < 4; corner++) {
            const double *at = plan->elements[e].position_m;
            const double x = corner & 1 ? high[0] : low[0];
            const double y = corner & 2 ? high[1] : low[1];
            most = fmax(most, hypot(x - at[0], y - at[1]));
        }
    return most;
}

double sac_beamform_layered_reach_m(const sac_beamform *plan, double z_m)
{
    const double f_number = plan->das.apodization.f_number, most = plan->layered->most_m;
    return fmax(f_number > 0 ? fmin(most, 0.5 * z_m / f_number) : most,
                LEAST_REACH * (z_m + plan->layered->layers.lens_m));
}

sac_status sac_beamform_layered_close_enough(const sac_beamform *plan, const sac_hyperbola *h,
                                             double error_s, double z_m, sac_error *err)
{
    if (error_s * plan->desc.acquisition->fc_hz <= TOLERANCE && h->depth_s > 0)
        return SAC_OK;
    return sac_fail(err, SAC_E_UNSUPPORTED,
                    "layers: at z %.3g mm delays through them are not known to a sixteenth of a "
                    "period: take an f-number above %.3g, or deeper points",
                    1e3 * z_m, 0.5 * z_m / h->reach_m);
}

static sac_status fit_rows(sac_beamform *plan, sac_error *err)
{
    sac_beamform_layered *l = plan->layered;
    const sac_grid *g = &plan->desc.grid;
    sac_status status = SAC_OK;
    l->rows = sac_alloc((size_t)g->n[2], sizeof *l->rows);
    if (!l->rows)
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for %lld depths",
                        (long long)g->n[2]);
    for (int64_t i = 0; i < g->n[2] && status == SAC_OK; i++) {
        sac_layer path[SAC_LAYERS_PATH];
        const double z_m = sac_das_coordinate(g, 2, i);
        const int32_t n = sac_layers_path(path, &l->layers, z_m);
        l->rows[i] = sac_layers_fit(path, n, sac_beamform_layered_reach_m(plan, z_m));
        status = sac_beamform_layered_close_enough(
            plan, &l->rows[i], sac_layers_error_s(path, n, &l->rows[i]), z_m, err);
    }
    return status;
}

sac_status sac_beamform_layered_open(sac_beamform *plan, sac_error *err)
{
    const sac_beamform_desc *d = &plan->desc;
    double low[3], high[3];
    if (!d->layers && !d->lens)
        return SAC_OK;
    plan->layered = sac_alloc(1, sizeof *plan->layered);
    if (!plan->layered)
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for layers");
    sac_status status =
        sac_layers_read(&plan->layered->layers, d->lens, d->layers, d->acquisition->c_m_s, err);
    status = status ? status : sac_layers_check(d->acquisition, err);
    if (status)
        return status;
    find_box(low, high, plan);
    plan->layered->most_m = most_across(plan, low, high);
    status = check_steps(plan, low[2], high[2], err);
    status = status ? status : check_transmits(plan, high, err);
    if (status)
        return status;
    const bool by_rows = d->device.kind == SAC_DEVICE_CPU && !plan->points_m;
    return by_rows ? fit_rows(plan, err) : sac_beamform_slabs_open(plan, err);
}

bool sac_layered_allocate(sac_layered_memory *m, const sac_beamform *plan, int64_t n)
{
    const size_t n_tx = (size_t)plan->das.n_tx, count = (size_t)n;
    *m = (sac_layered_memory){.n = n};
    m->elements = sac_alloc((size_t)plan->das.n_rx, sizeof *m->elements);
    m->transmits = sac_alloc(n_tx, sizeof *m->transmits);
    m->arrivals = sac_alloc(n_tx * count, sizeof *m->arrivals);
    m->places = sac_alloc(count, 3 * sizeof *m->places);
    m->waves = sac_alloc(n_tx, sizeof *m->waves);
    return m->elements && m->transmits && m->arrivals && m->places && m->waves;
}

void sac_layered_free(sac_layered_memory *m)
{
    sac_free(m->elements);
    sac_free(m->transmits);
    sac_free(m->arrivals);
    sac_free(m->places);
    sac_free(m->waves);
    *m = (sac_layered_memory){0};
}

bool sac_beamform_layered_allocate(sac_beamform *plan)
{
    sac_beamform_layered *l = plan->layered;
    bool all = true;
    if (!l)
        return true;
    l->scratch = sac_alloc((size_t)plan->n_workers, sizeof *l->scratch);
    if (!l->scratch)
        return false;
    l->n_scratch = plan->n_workers;
    for (int32_t i = 0; i < l->n_scratch && all; i++)
        all = sac_layered_allocate(&l->scratch[i], plan, plan->n_block);
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

void sac_layered_slowness(double slowness_s_m[2], const sac_transmit *t, double c_m_s)
{
    slowness_s_m[0] = sin(t->azimuth_rad) * cos(t->elevation_rad) / c_m_s;
    slowness_s_m[1] = sin(t->elevation_rad) / c_m_s;
}

/* A plane wave keeps its slowness along the layers; a wave that diverges comes as through one layer
 * more, of the speed that its delays are made of. */
double sac_layered_arrival_s(const sac_beamform *plan, const sac_transmit *own,
                             sac_layer path[SAC_LAYERS_PATH], int32_t n, const sac_hyperbola *row,
                             const double p[3], int64_t index)
{
    const double c = plan->das.c_m_s, *s = own->source_m;
    if (own->kind == SAC_TRANSMIT_PLANE) {
        double slow[2];
        sac_layered_slowness(slow, own, c);
        return slow[0] * p[0] + slow[1] * p[1] +
               sac_layers_plane_s(path, n, hypot(slow[0], slow[1]));
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
    if (!(p_m[2] > 0))
        return NAN;
    const int32_t n = sac_layers_path(path, &plan->layered->layers, p_m[2]);
    return sac_layered_arrival_s(plan, &plan->transmits[t], path, n, NULL, p_m, index);
}

double sac_beamform_layered_receive_s(const sac_beamform *plan, int32_t r, const double p_m[3])
{
    sac_layer path[SAC_LAYERS_PATH];
    if (!(p_m[2] > 0))
        return NAN;
    const int32_t n = sac_layers_path(path, &plan->layered->layers, p_m[2]);
    const double *e = plan->elements[r].position_m;
    return sac_layers_time_s(path, n, hypot(p_m[0] - e[0], p_m[1] - e[1]));
}

/* Arrivals at n points of a row from its point `column` on, less what the hyperbola is shifted. */
static void fill_arrivals(const sac_beamform *plan, const sac_das *das, sac_layered_memory *m,
                          const sac_hyperbola *row, double p[3], int64_t column, int64_t first,
                          int32_t n)
{
    sac_layer path[SAC_LAYERS_PATH];
    const int32_t n_path = sac_layers_path(path, &plan->layered->layers, p[2]);
    for (int32_t t = 0; t < das->n_tx; t++) {
        const sac_transmit *own = &das->transmits[t];
        double *arrivals = m->arrivals + (ptrdiff_t)t * m->n, slow[2];
        m->transmits[t] = *own;
        m->transmits[t].kind = SAC_TRANSMIT_ARRIVALS;
        m->transmits[t].arrivals_s = arrivals;
        p[0] = 0;
        const bool plane = own->kind == SAC_TRANSMIT_PLANE;
        const double ahead = plane ? sac_layered_arrival_s(plan, own, path, n_path, row, p, 0) : 0;
        sac_layered_slowness(slow, own, plan->das.c_m_s);
        for (int32_t i = 0; i < n; i++) {
            p[0] = sac_das_coordinate(&plan->desc.grid, 0, column + i);
            arrivals[i] = row->shift_s + (plane ? ahead + slow[0] * p[0]
                                                : sac_layered_arrival_s(plan, own, path, n_path,
                                                                        row, p, first + i));
        }
    }
}

void sac_layered_move(sac_das *das, sac_layered_memory *m, double scale)
{
    for (int32_t e = 0; e < das->n_rx; e++) {
        m->elements[e] = das->elements[e];
        m->elements[e].position_m[0] *= scale;
        m->elements[e].position_m[1] *= scale;
    }
    das->elements = m->elements;
    das->x0_m = m->elements[0].position_m[0];
    das->pitch_m *= scale;
}

/* The das of n points of a row, from `column` on. */
static sac_das row_das(const sac_beamform *plan, const sac_das *das, sac_layered_memory *m,
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
    sac_layered_move(&own, m, scale);
    own.transmits = m->transmits;
    fill_arrivals(plan, das, m, row, p, column, row_index * g->n[0] + column, n);
    return own;
}

/* As many of n points from `first` on as one das takes, beamformed: how many. */
static int32_t beamform_some(const sac_beamform *plan, float *out, const sac_das *das,
                             sac_layered_memory *m, int64_t first, int32_t n)
{
    const sac_beamform_layered *l = plan->layered;
    const int64_t n_x = plan->desc.grid.n[0], column = first % n_x;
    int32_t low = 0; /* the last slab that begins at `first` or before */
    for (int32_t high = l->n_slabs; high - low > 1;) {
        const int32_t middle = low + (high - low) / 2;
        *(l->slabs[middle].first <= first ? &low : &high) = middle;
    }
    const sac_beamform_slab *slab = l->rows ? NULL : &l->slabs[low];
    const int64_t left = slab ? slab->first + slab->n - first : n_x - column;
    const int32_t some = left < n ? (int32_t)left : n;
    const sac_das own = slab ? sac_beamform_slab_das(plan, das, m, slab, first, some)
                             : row_das(plan, das, m, first / n_x, column, some);
    plan->beamform(out, &own, 0, some);
    return some;
}

void sac_beamform_layered_block(const sac_beamform *plan, float *out, const sac_das *das,
                                int64_t first, int32_t n, int32_t worker)
{
    const int32_t n_values = das->n_frames * sac_das_images(das) * (plan->iq ? 2 : 1);
    while (n > 0) {
        const int32_t some =
            beamform_some(plan, out, das, &plan->layered->scratch[worker], first, n);
        out += (ptrdiff_t)some * n_values;
        first += some;
        n -= some;
    }
}
