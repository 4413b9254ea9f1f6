/*
 * Slabs of points for delay-and-sum through layers: where points lie that are no rows of one depth,
 * or where a call for each row takes too long. Elements are moved for a whole slab, points one by
 * one.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/alloc.h"
#include "beamform/layered.h"
#include "beamform/kernels/das/das_inline.h"

#define CLOSER (1.0 / 1024) /* periods of fc that a slab may add to the error of one depth */
#define WIDER 2e-4          /* how far an aperture may be wider or narrower than it should, */
#define WIDER_GPU 1e-3      /* where a slab takes launches of its own, */
#define THIN (1.0 / 64)     /* unless the slab is as thin as this, in wavelengths */
#define PLACES 5            /* of a slab's depths, where both are asked for */
#define MOST_SLABS (1 << 20)

/* Depths that are being cut. */
typedef struct cutter {
    sac_beamform *plan;
    int64_t room; /* slabs that there is memory for */
    double width_m;
} cutter;

/* One slab from depth to depth, and how far off its hyperbolas are; whether it is thin enough. */
static bool fit_slab(sac_beamform_slab *slab, double *error_s, sac_hyperbola *middle,
                     const sac_beamform *plan, double from_m, double to_m)
{
    const sac_layers *layers = &plan->layered->layers;
    const double fc_hz = plan->desc.acquisition->fc_hz, z_m = 0.5 * (from_m + to_m);
    double low = INFINITY, high = -INFINITY;
    sac_layer path[SAC_LAYERS_PATH];
    int32_t n = sac_layers_path(path, layers, z_m);
    *middle = sac_layers_fit(path, n, sac_beamform_layered_reach_m(plan, z_m));
    const double allowed_s = sac_layers_error_s(path, n, middle) + CLOSER / fc_hz;
    *error_s = 0;
    for (int32_t k = 0; k < PLACES; k++) {
        const double at_m = from_m + (to_m - from_m) * k / (PLACES - 1);
        n = sac_layers_path(path, layers, at_m);
        const sac_hyperbola h = sac_layers_fit_to(path, n, sac_beamform_layered_reach_m(plan, at_m),
                                                  middle->slowness_s_m);
        const double widen = h.depth_s / (h.slowness_s_m * at_m);
        *error_s = fmax(*error_s, sac_layers_error_s(path, n, &h));
        low = fmin(low, widen);
        high = fmax(high, widen);
    }
    slab->to_m = to_m;
    slab->slowness_s_m = middle->slowness_s_m;
    slab->widen = 0.5 * (low + high);
    const double wider = plan->desc.device.kind == SAC_DEVICE_CPU ? WIDER : WIDER_GPU;
    const bool even = plan->das.apodization.f_number <= 0 ||
                      high - low <= 2 * wider * slab->widen ||
                      to_m - from_m <= THIN * plan->das.c_m_s / fc_hz;
    return even && low > 0 && *error_s <= allowed_s;
}

/* The next border between layers behind a depth, or `last_m`. */
static double next_border(const sac_layers *layers, double from_m, double last_m)
{
    double border_m = -layers->lens_m;
    for (int32_t i = 0; i < layers->n && border_m <= from_m; i++)
        border_m += layers->layer[i].thickness_m;
    return fmin(border_m, last_m);
}

static sac_status add_slab(cutter *c, const sac_beamform_slab *slab, sac_error *err)
{
    sac_beamform_layered *l = c->plan->layered;
    if (l->n_slabs == c->room) {
        const int64_t room = c->room ? 2 * c->room : 64;
        sac_beamform_slab *more = room <= MOST_SLABS ? sac_alloc((size_t)room, sizeof *more) : NULL;
        if (!more)
            return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for %lld depths",
                            (long long)room);
        if (l->n_slabs)
            memcpy(more, l->slabs, (size_t)l->n_slabs * sizeof *more);
        sac_free(l->slabs);
        l->slabs = more;
        c->room = room;
    }
    l->slabs[l->n_slabs++] = *slab;
    return SAC_OK;
}

/* From depth to depth, as thick as they may be, none across a border. */
static sac_status cut(sac_beamform *plan, double first_m, double last_m, sac_error *err)
{
    cutter c = {.plan = plan, .width_m = last_m - first_m};
    double from_m = first_m;
    sac_status status = SAC_OK;
    do {
        const double border_m = next_border(&plan->layered->layers, from_m, last_m);
        double to_m = fmin(border_m, from_m + 2 * c.width_m), error_s;
        sac_beamform_slab slab = {0};
        sac_hyperbola middle;
        while (!fit_slab(&slab, &error_s, &middle, plan, from_m, to_m) && to_m > from_m)
            to_m = to_m - from_m > 1e-9 ? from_m + 0.5 * (to_m - from_m) : from_m;
        status = sac_beamform_layered_close_enough(plan, &middle, error_s, from_m, err);
        if (status == SAC_OK && to_m == from_m && to_m < last_m) /* nothing is thin enough */
            status = sac_beamform_layered_close_enough(plan, &middle, INFINITY, from_m, err);
        status = status ? status : add_slab(&c, &slab, err);
        c.width_m = to_m - from_m;
        from_m = to_m;
    } while (from_m < last_m && status == SAC_OK);
    return status;
}

/* The slab of a depth: the first that does not end before it. */
static int32_t slab_of(const sac_beamform_layered *l, double z_m)
{
    int32_t low = 0;
    for (int32_t high = l->n_slabs - 1; low < high;) {
        const int32_t middle = low + (high - low) / 2;
        if (l->slabs[middle].to_m < z_m)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Slabs without points are left out, and the others in the order of their points. */
static void drop_empty(sac_beamform_layered *l, bool backwards)
{
    int32_t n = 0;
    for (int32_t i = 0; i < l->n_slabs; i++)
        if (l->slabs[i].n > 0)
            l->slabs[n++] = l->slabs[i];
    l->n_slabs = n;
    int64_t first = 0;
    for (int32_t i = 0; i < n / 2 && backwards; i++) {
        const sac_beamform_slab swapped = l->slabs[i];
        l->slabs[i] = l->slabs[n - 1 - i];
        l->slabs[n - 1 - i] = swapped;
    }
    for (int32_t i = 0; i < n; i++) {
        l->slabs[i].first = first;
        first += l->slabs[i].n;
    }
}

/* The list, slab by slab; in each in the order that it had. */
static sac_status sort(sac_beamform *plan, sac_error *err)
{
    sac_beamform_layered *l = plan->layered;
    const int64_t n = plan->das.n_points;
    int32_t *order = sac_alloc((size_t)n, sizeof *order);
    int64_t *at = sac_alloc((size_t)l->n_slabs, sizeof *at);
    double *points_m = sac_alloc((size_t)n, 3 * sizeof *points_m);
    const bool fits = order && at && points_m;
    for (int32_t i = 0; i < l->n_slabs && fits; i++)
        at[i] = i ? at[i - 1] + l->slabs[i - 1].n : 0;
    for (int64_t i = 0; i < n && fits; i++) {
        const double *p = plan->points_m + 3 * i;
        const int64_t to = at[slab_of(l, p[2])]++;
        order[to] = plan->order ? plan->order[i] : (int32_t)i;
        memcpy(points_m + 3 * to, p, 3 * sizeof *p);
    }
    sac_free(at);
    if (!fits) {
        sac_free(order);
        sac_free(points_m);
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for an order of the points");
    }
    sac_free(plan->order);
    sac_free(plan->points_m);
    plan->order = order;
    plan->points_m = points_m;
    plan->das.points_m = points_m;
    return SAC_OK;
}

sac_status sac_beamform_slabs_open(sac_beamform *plan, sac_error *err)
{
    const sac_grid *g = &plan->desc.grid;
    const int64_t n = plan->points_m ? plan->das.n_points : g->n[2];
    const int64_t each = plan->points_m ? 1 : g->n[0] * g->n[1]; /* points of one depth */
    double first_m = INFINITY, last_m = 0;
#define DEPTH(i) (plan->points_m ? plan->points_m[3 * (i) + 2] : sac_das_coordinate(g, 2, i))
    for (int64_t i = 0; i < n; i++) {
        first_m = DEPTH(i) > 0 ? fmin(first_m, DEPTH(i)) : first_m;
        last_m = fmax(last_m, DEPTH(i));
    }
    sac_status status = cut(plan, first_m, last_m, err);
    if (status)
        return status;
    for (int64_t i = 0; i < n; i++)
        plan->layered->slabs[slab_of(plan->layered, DEPTH(i))].n += each;
#undef DEPTH
    if (plan->points_m)
        status = sort(plan, err);
    drop_empty(plan->layered, !plan->points_m && g->first_m[2] > g->last_m[2]);
    return status;
}

/* What a depth's points have in common. */
typedef struct depth {
    double z_m;
    sac_layer path[SAC_LAYERS_PATH];
    int32_t n_path;
    sac_hyperbola h;
} depth;

static void find_depth(depth *d, sac_layered_wave *waves, const sac_beamform *plan,
                       const sac_das *das, const sac_beamform_slab *slab, double z_m)
{
    d->z_m = z_m;
    d->n_path = sac_layers_path(d->path, &plan->layered->layers, z_m);
    d->h = sac_layers_fit_to(d->path, d->n_path, sac_beamform_layered_reach_m(plan, z_m),
                             slab->slowness_s_m);
    for (int32_t t = 0; t < das->n_tx; t++)
        if (das->transmits[t].kind == SAC_TRANSMIT_PLANE) {
            const double *slow = waves[t].slowness_s_m;
            waves[t].ahead_s = sac_layers_plane_s(d->path, d->n_path, hypot(slow[0], slow[1]));
        }
}

/* Arrivals of all transmits at point i of the memory, which lies at p. */
static void fill_point(sac_layered_memory *m, const sac_beamform *plan, const sac_das *das,
                       depth *d, int64_t i, const double p[3], int64_t index)
{
    for (int32_t t = 0; t < das->n_tx; t++) {
        const sac_transmit *own = &das->transmits[t];
        const sac_layered_wave *w = &m->waves[t];
        const double at_s =
            own->kind == SAC_TRANSMIT_PLANE
                ? w->slowness_s_m[0] * p[0] + w->slowness_s_m[1] * p[1] + w->ahead_s
                : sac_layered_arrival_s(plan, own, d->path, d->n_path, &d->h, p, index);
        m->arrivals[t * m->n + i] = d->h.shift_s + at_s;
    }
}

sac_das sac_beamform_slab_das(const sac_beamform *plan, const sac_das *das, sac_layered_memory *m,
                              const sac_beamform_slab *slab, int64_t first, int64_t n)
{
    const double scale = slab->slowness_s_m * das->c_m_s;
    depth d = {.z_m = NAN};
    sac_das own = *das;
    for (int32_t t = 0; t < das->n_tx; t++) {
        sac_layered_slowness(m->waves[t].slowness_s_m, &das->transmits[t], das->c_m_s);
        m->transmits[t] = das->transmits[t];
        m->transmits[t].kind = SAC_TRANSMIT_ARRIVALS;
        m->transmits[t].arrivals_s = m->arrivals + t * m->n;
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t index = plan->order ? plan->order[first + i] : first + i;
        double p[3], *to = m->places + 3 * i;
        sac_das_point(p, &plan->das, first + i);
        const bool is_before = p[2] > 0; /* else no element has it in its aperture */
        if (is_before && p[2] != d.z_m)
            find_depth(&d, m->waves, plan, das, slab, p[2]);
        to[0] = scale * p[0];
        to[1] = scale * p[1];
        to[2] = is_before ? das->c_m_s * d.h.depth_s : 0;
        for (int32_t t = 0; t < das->n_tx && !is_before; t++)
            m->arrivals[t * m->n + i] = 0;
        if (is_before)
            fill_point(m, plan, das, &d, i, p, index);
    }
    own.points_m = m->places;
    own.n_points = n;
    own.tile_rows = own.tile_columns = 0;
    own.apodization.f_number *= slab->widen;
    sac_layered_move(&own, m, scale);
    own.transmits = m->transmits;
    return own;
}
