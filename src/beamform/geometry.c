/*
 * The plan's own copies of elements, transmits and points, which a run works with.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/alloc.h"
#include "beamform/acquisition.h"
#include "beamform/plan.h"
#include "beamform/sector.h"

/* Doubles that the transmits' own tables take. */
static size_t table_count(const sac_acquisition *a, int64_t n_points)
{
    size_t count = 0;
    for (int32_t t = 0; t < a->n_transmits; t++) {
        if (a->transmits[t].kind == SAC_TRANSMIT_DELAYS)
            count += (size_t)a->n_elements;
        if (a->transmits[t].kind == SAC_TRANSMIT_ARRIVALS)
            count += (size_t)n_points;
    }
    return count;
}

static const double *keep(double **at, const double *values, size_t n)
{
    sac_known(*at);
    const double *kept = memcpy(*at, values, n * sizeof *values);
    *at += n;
    return kept;
}

/* Delays of the elements that fire. */
static const double *keep_delays(double **at, const sac_acquisition *a, int32_t t)
{
    double *kept = *at;
    (void)keep(at, a->transmits[t].delays_s, (size_t)a->n_elements);
    for (int32_t e = 0; e < a->n_elements; e++)
        if (sac_acquisition_amplitude(a, t, e) == 0)
            kept[e] = NAN;
    return kept;
}

double sac_beamform_pitch(const sac_element *e, int32_t n)
{
    double pitch = n > 1 ? (e[n - 1].position_m[0] - e[0].position_m[0]) / (n - 1) : 1;
    for (int32_t i = 0; i < n; i++) {
        double off = e[i].position_m[0] - (e[0].position_m[0] + i * pitch);
        if (e[i].position_m[1] != 0 || e[i].position_m[2] != 0 || e[i].normal[2] != 1 ||
            !(fabs(off) <= 1e-6 * pitch)) /* the closed form is only a first guess */
            return 0;
    }
    return pitch > 0 ? pitch : 0;
}

/* The list of points, the caller's or a sector's, on a CPU in an order of the plan's own; not where
 * arrivals are given by the caller's. */
static sac_status keep_points(sac_beamform *plan)
{
    const double *from = plan->desc.points_m;
    const int64_t n = plan->das.n_points;
    sac_status status = SAC_OK;
    double *sector = from ? NULL : sac_alloc((size_t)n, 3 * sizeof *sector);
    if (!from && !sector)
        return SAC_E_NOMEM;
    if (sector) {
        sac_sector_points(sector, &plan->desc.grid, &plan->desc.sector);
        from = sector;
    }
    if (plan->desc.device.kind == SAC_DEVICE_CPU && !sac_beamform_has_arrivals(plan))
        status = sac_beamform_order_points(&plan->order, from, n, plan->elements, plan->das.n_rx);
    for (int64_t i = 0; i < n && status == SAC_OK; i++)
        memcpy(plan->points_m + 3 * i, from + 3 * (plan->order ? plan->order[i] : i),
               3 * sizeof(double));
    sac_free(sector);
    return status;
}

sac_status sac_beamform_copy_geometry(sac_beamform *plan, sac_error *err)
{
    const sac_acquisition *a = plan->desc.acquisition;
    size_t n_tx = (size_t)a->n_transmits, n_rx = (size_t)a->n_elements;
    size_t n_points = (size_t)plan->das.n_points, n_table = table_count(a, plan->das.n_points);
    plan->elements = sac_alloc(n_rx, sizeof *plan->elements);
    plan->transmits = sac_alloc(n_tx, sizeof *plan->transmits);
    plan->tx_weight = sac_alloc(n_tx, sizeof *plan->tx_weight);
    plan->tables = n_table ? sac_alloc(n_table, sizeof *plan->tables) : NULL;
    const bool is_list = plan->desc.points_m || plan->desc.grid_kind == SAC_GRID_SECTOR;
    plan->points_m = is_list ? sac_alloc(n_points, 3 * sizeof(double)) : NULL;
    if (!plan->elements || !plan->transmits || !plan->tx_weight || (n_table && !plan->tables) ||
        (is_list && !plan->points_m))
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for %d elements and %d transmits",
                        a->n_elements, a->n_transmits);
    memcpy(plan->elements, a->elements, n_rx * sizeof *plan->elements);
    memcpy(plan->transmits, a->transmits, n_tx * sizeof *plan->transmits);
    double *at = plan->tables; /* NULL where no transmit has a table */
    for (size_t t = 0; t < n_tx; t++) {
        sac_transmit *own = &plan->transmits[t];
        plan->tx_weight[t] = (float)own->weight;
        if (own->kind == SAC_TRANSMIT_DELAYS)
            own->delays_s = keep_delays(&at, a, (int32_t)t);
        if (own->kind == SAC_TRANSMIT_ARRIVALS)
            own->arrivals_s = keep(&at, own->arrivals_s, n_points);
    }
    if (plan->points_m && keep_points(plan))
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for an order of the points");
    plan->das.elements = plan->elements;
    plan->das.transmits = plan->transmits;
    plan->das.tx_weight = plan->tx_weight;
    plan->das.points_m = plan->points_m;
    plan->das.x0_m = plan->elements[0].position_m[0];
    plan->das.pitch_m = sac_beamform_pitch(plan->elements, plan->das.n_rx);
    return SAC_OK;
}
