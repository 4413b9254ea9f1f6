/*
 * Opening dual-stage beamforming: whether it can be, in how many planes, and what the second stage
 * takes of the first.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "beamform/dual.h"
#include "beamform/kernels/das/das_inline.h"

#define DUAL_VARIANT "beamform:dual-stage"
#define PI 3.14159265358979323846
#define TOLERANCE (1.0 / 16) /* wavelengths: of the path to the aperture's edge */
#define MOST_STEPS 4096      /* of the first stage for one of the volume's */
#define STEP 0.22            /* wavelengths: of the first stage's depths, at most */

double sac_beamform_dual_angle(const sac_transmit *t, const sac_dual_way *w)
{
    return w->across == 0 ? t->elevation_rad : t->azimuth_rad;
}

/* Depth by which a wave's image is shifted `beside` a plane: arrivals are the same half-way to the
 * aperture's edge, so that the errors ahead and at the edge are alike. */
static double shift_of(const sac_dual_way *w, double angle, double beside)
{
    return beside * sin(angle) / (1 + cos(angle) - w->slant);
}

static double place_on(const sac_grid *g, int axis, int64_t i)
{
    return sac_das_coordinate(g, axis, i);
}

/* The plane nearest to point i along the lines, and where it is. */
static int32_t plane_near(double *at, const sac_dual_way *w, const sac_grid *g, int64_t i)
{
    const double a = g->first_m[w->along], b = g->last_m[w->along];
    const double width = (b - a) / w->n_planes, x = place_on(g, w->along, i);
    int32_t k = width != 0 ? (int32_t)floor((x - a) / width) : 0;
    k = k < 0 ? 0 : k < w->n_planes ? k : w->n_planes - 1;
    *at = a + (k + 0.5) * width;
    return k;
}

/* The largest error of a path at depth z, of a wave `beside` a plane: ahead, or at the edge. */
static double path_error(const sac_dual_way *w, double angle, double beside, double z, double edge)
{
    const double shift = shift_of(w, angle, beside), out = shift * cos(angle) - beside * sin(angle);
    return fmax(fabs(out + shift), fabs(out + hypot(z + shift, edge) - hypot(z, edge)));
}

/* How far the aperture reaches to a side at depth z. */
static double edge_of(const sac_das *das, const sac_dual_way *w, double z)
{
    const double f = das->apodization.f_number;
    double far = 0;
    for (int32_t r = 0; r < das->n_rx; r++) {
        const double x = das->elements[r].position_m[0];
        far = fmax(far, fmax(fabs(x - das->grid.first_m[w->across]),
                             fabs(x - das->grid.last_m[w->across])));
    }
    return f > 0 ? fmin(far, z / (2 * f)) : far;
}

/* Planes that keep the error within the tolerance; 0: none do. */
static int32_t planes_needed(const sac_dual_way *w, double lambda)
{
    const sac_das *das = &w->das;
    const sac_grid *g = &das->grid;
    const double range = fabs(g->last_m[w->along] - g->first_m[w->along]);
    double steepest = 0;
    for (int32_t t = 0; t < das->n_tx; t++)
        steepest = fmax(steepest, fabs(sac_beamform_dual_angle(&das->transmits[t], w)));
    for (int32_t n = 1; n <= 1 + g->n[w->along] / 2; n++) {
        const double beside = 0.5 * range / n, shift = shift_of(w, steepest, beside);
        double worst = 0;
        for (int end = 0; end < 2; end++) {
            const double z = end ? g->last_m[2] : g->first_m[2], edge = edge_of(das, w, z);
            for (int side = -1; side <= 1; side += 2)
                worst = fmax(worst, path_error(w, steepest, side * beside, z, edge));
        }
        if (g->first_m[2] - shift > lambda && worst <= TOLERANCE * lambda)
            return n;
    }
    return 0;
}

/* Why a way cannot go in two stages; NULL: it can. */
static const char *why_not(const sac_das *das, const sac_dual_way *w)
{
    const sac_grid *g = &das->grid;
    if (das->line.shape == SAC_SHAPE_AREA)
        return "not only lines receive";
    for (int32_t t = 0; t < das->n_tx; t++) {
        const sac_transmit *tx = &das->transmits[t];
        const double other = w->across == 0 ? tx->azimuth_rad : tx->elevation_rad;
        if (tx->kind != SAC_TRANSMIT_PLANE || other != 0)
            return "not all waves are plane, and steered along the lines that receive";
    }
    for (int end = 0; end < 2; end++) {
        const double at = end ? g->last_m[w->along] : g->first_m[w->along];
        if (fabs(at - das->line.middle_m) > das->line.half_m * (1 + 1e-9))
            return "the volume reaches beyond the ends of the lines";
    }
    if (!(g->first_m[2] > 0 && g->last_m[2] >= g->first_m[2]))
        return "depths do not rise from the array";
    return NULL;
}

void sac_beamform_dual_cubic(double c[4], double f)
{
    c[0] = -f * (f - 1) * (f - 2) / 6;
    c[1] = (f + 1) * (f - 1) * (f - 2) / 2;
    c[2] = -(f + 1) * f * (f - 2) / 2;
    c[3] = (f + 1) * f * (f - 1) / 6;
}

double sac_beamform_dual_turned(const sac_dual_way *w, double angle)
{
    return 1 + cos(angle) - w->slant;
}

static void fill_taps(sac_dual_taps *to, const sac_dual_way *w, const sac_grid *g, int64_t i,
                      int32_t t, double step)
{
    const sac_das *das = &w->das;
    const double angle = sac_beamform_dual_angle(&das->transmits[t], w);
    double plane_at, c[4];
    to->plane = plane_near(&plane_at, w, g, i);
    const double shift = shift_of(w, angle, place_on(g, w->along, i) - plane_at) / step;
    const double whole = floor(shift + 1e-9), f = fabs(shift - whole) < 1e-9 ? 0 : shift - whole;
    sac_beamform_dual_cubic(c, f);
    const double turn = 2 * PI * das->phase_sign * das->fd_hz * sac_beamform_dual_turned(w, angle) *
                        step / das->c_m_s;
    const int32_t first = f == 0 && !w->all_taps ? 1 : 0;
    to->n = first ? 1 : 4;
    to->shift = whole + f;
    to->row = (int32_t)whole - 1 + first;
    for (int32_t k = 0; k < to->n; k++) {
        const double by = turn * (f - (k + first - 1)), weight = c[k + first];
        to->re[k] = (float)(weight * das->tx_weight[t] * cos(by));
        to->im[k] = (float)(weight * das->tx_weight[t] * sin(by));
    }
}

static double step_of(const sac_grid *g, double lambda)
{
    return g->n[2] > 1 ? (g->last_m[2] - g->first_m[2]) / (double)(g->n[2] - 1) : STEP * lambda;
}

/* Into how many steps of the first stage one of the volume's is divided. */
static double refined_of(const sac_grid *g, double lambda)
{
    return fmax(1, ceil(step_of(g, lambda) / (STEP * lambda) - 1e-9));
}

/* The first stage's grid, and what the second takes of it. */
static sac_status fill_way(sac_dual_way *w, const sac_grid *g, double lambda)
{
    sac_das *das = &w->das;
    const double dz = step_of(g, lambda);
    w->refined = (int32_t)refined_of(g, lambda);
    const double step = dz / w->refined;
    int64_t low = 0, high = 0;
    w->taps = sac_alloc((size_t)(w->n_along * das->n_tx), sizeof *w->taps);
    w->transmits = sac_alloc((size_t)das->n_tx, sizeof *w->transmits);
    if (!w->taps || !w->transmits)
        return SAC_E_NOMEM;
    for (int32_t t = 0; t < das->n_tx; t++) {
        w->transmits[t] = das->transmits[t];
        w->transmits[t].azimuth_rad = 0;
        w->transmits[t].elevation_rad = sac_beamform_dual_angle(&das->transmits[t], w);
    }
    for (int64_t i = 0; i < w->n_along; i++)
        for (int32_t t = 0; t < das->n_tx; t++) {
            sac_dual_taps *to = &w->taps[i * das->n_tx + t];
            fill_taps(to, w, g, i, t, step);
            low = to->row < low ? to->row : low;
            high = to->row + to->n - 1 > high ? to->row + to->n - 1 : high;
        }
    w->first_row = low;
    w->n_depths = (g->n[2] - 1) * w->refined + high - low + 1;
    sac_grid *own = &das->grid;
    const double half = 0.5 * (g->last_m[w->along] - g->first_m[w->along]) / w->n_planes;
    own->n[w->along] = w->n_planes;
    own->first_m[w->along] = g->first_m[w->along] + half;
    own->last_m[w->along] = g->last_m[w->along] - half;
    own->n[2] = w->n_depths;
    own->first_m[2] = g->first_m[2] + (double)low * step;
    own->last_m[2] = own->first_m[2] + (double)(w->n_depths - 1) * step;
    das->n_points = own->n[0] * own->n[1] * own->n[2];
    if (w->all_taps) /* their images are on the device */
        return SAC_OK;
    w->images = sac_alloc(2 * (size_t)w->n_planes * (size_t)das->n_tx * (size_t)w->n_depths,
                          (size_t)w->n_across * sizeof *w->images);
    return w->images ? SAC_OK : SAC_E_NOMEM;
}

/* *why: what stands against it, or NULL. */
static sac_status open_way(sac_dual_way *w, const char **why, const sac_beamform *plan,
                           const sac_beamform_group *group, double lambda)
{
    const sac_grid *g = &plan->das.grid;
    w->das = sac_beamform_group_das(plan, &plan->das, group);
    w->across = group->line.shape == SAC_SHAPE_ROW ? 1 : 0;
    w->along = 1 - w->across;
    w->all_taps = plan->desc.device.kind != SAC_DEVICE_CPU;
    w->n_across = g->n[w->across];
    w->n_along = g->n[w->along];
    *why = why_not(&w->das, w);
    if (*why)
        return SAC_OK;
    const double middle = 0.5 * (g->first_m[2] + g->last_m[2]);
    w->slant = 0.5 * (1 - middle / hypot(middle, edge_of(&w->das, w, middle)));
    w->n_planes = planes_needed(w, lambda);
    if (w->n_planes == 0)
        *why = "the volume begins too near the array for waves so steep";
    const double points = w->n_planes * refined_of(g, lambda);
    if (points > MOST_STEPS ||
        (plan->desc.method == SAC_METHOD_AUTO && points >= (double)w->n_along))
        *why = "depths lie so far apart that two stages take longer";
    return *why ? SAC_OK : fill_way(w, g, lambda);
}

static sac_status allocate(sac_beamform_dual *d, const sac_beamform *plan)
{
    if (plan->desc.device.kind != SAC_DEVICE_CPU)
        return SAC_OK;
    const size_t n_workers = (size_t)sac_pool_threads(plan->pool);
    d->scratch_floats = (size_t)SAC_DAS_BLOCK * 2 * SAC_DUAL_WAVES;
    d->plane_floats = 4 * (size_t)(plan->das.grid.n[0] * plan->das.grid.n[1]);
    d->scratch = sac_alloc(n_workers * d->scratch_floats, sizeof *d->scratch);
    d->planes = sac_alloc(n_workers * d->plane_floats, sizeof *d->planes);
    return d->scratch && d->planes ? SAC_OK : SAC_E_NOMEM;
}

void sac_beamform_dual_close(sac_beamform_dual **dual)
{
    sac_beamform_dual *d = *dual;
    for (int32_t i = 0; d && d->ways && i < d->n_ways; i++) {
        sac_free(d->ways[i].images);
        sac_free(d->ways[i].taps);
        sac_free(d->ways[i].transmits);
    }
    if (d) {
        sac_free(d->ways);
        sac_free(d->scratch);
        sac_free(d->planes);
    }
    sac_free(d);
    *dual = NULL;
}

/* What stands against two stages of the plan as a whole, or NULL. */
static const char *why_not_plan(const sac_beamform *plan)
{
    const sac_beamform_desc *d = &plan->desc;
    if (plan->n_groups == 0)
        return "the array has no lines";
    if (d->lri)
        return "each wave's image is asked for";
    if (!plan->iq)
        return "RF that stays RF is not interpolated in depth";
    if (plan->points_m || d->grid_kind == SAC_GRID_SECTOR)
        return "points are no volume along x, y and z";
    return NULL;
}

/* Without the second stage's variant, which was chosen before it was known that there is none. */
static void unname(char *variants)
{
    char *from = strstr(variants, " dual_f32:");
    const char *after = from ? strchr(from + 1, ' ') : NULL;
    if (from)
        memmove(from, after ? after : "", after ? strlen(after) + 1 : 1);
}

/* With its own name, where there is room. */
static void name(char *variants, size_t size)
{
    const size_t n = strlen(variants);
    if (n + 1 + sizeof DUAL_VARIANT <= size)
        snprintf(variants + n, size - n, "%s" DUAL_VARIANT, n ? " " : "");
}

sac_status sac_beamform_dual_open(sac_beamform *plan, sac_error *err)
{
    const sac_beamform_desc *desc = &plan->desc;
    const double lambda = plan->das.c_m_s / (plan->das.fd_hz > 0 ? plan->das.fd_hz : 1);
    const bool wanted = desc->method == SAC_METHOD_DUAL_STAGE;
    const char *why = sac_beamform_may_dual(desc) ? why_not_plan(plan) : "";
    sac_status status = SAC_OK;
    if (!why) {
        sac_beamform_dual *d = plan->dual = sac_alloc(1, sizeof *d);
        sac_dual_way *ways = d ? sac_alloc((size_t)plan->n_groups, sizeof *ways) : NULL;
        if (d) {
            d->sum = (sac_dual_f32_fn)plan->dual_sum;
            d->ways = ways;
            d->n_ways = plan->n_groups;
        }
        status = ways ? SAC_OK : SAC_E_NOMEM;
        for (int32_t i = 0; i < plan->n_groups && status == SAC_OK && !why; i++)
            status = open_way(&ways[i], &why, plan, &plan->groups[i], lambda);
        status = status || why ? status : allocate(d, plan);
    }
    if (status)
        return sac_fail(err, status, "beamform: no memory for the images of two stages");
    if (why) {
        sac_beamform_dual_close(&plan->dual);
        unname(plan->variant);
    } else {
        name(plan->variant, sizeof plan->variant);
    }
    if (why && wanted)
        return sac_fail(err, SAC_E_UNSUPPORTED, "method: dual-stage: %s", why);
    return SAC_OK;
}
