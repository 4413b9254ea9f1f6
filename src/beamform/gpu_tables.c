/*
 * What a beamform plan on a GPU knows of the waves' fields and of a sector's picture.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "beamform/gpu_plan.h"

#define ALIGN 64

/* Bytes of the tables one after the other, each from a multiple of ALIGN on. */
typedef struct table_bytes {
    size_t field, waves, points, places, arrivals;
} table_bytes;

static size_t rounded(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* Whether waves arrive as the field says. */
static bool has_focus(const sac_beamform *plan)
{
    bool has = false;
    for (int32_t t = 0; sac_beamform_does(plan, SAC_STEP_FIELD) && t < plan->das.n_tx; t++)
        has = has || plan->waves[t].shape == SAC_FIELD_BOTH_SIDES;
    return has;
}

static table_bytes bytes_of(const sac_beamform *plan)
{
    const bool field = sac_beamform_does(plan, SAC_STEP_FIELD);
    const bool convert = sac_beamform_does(plan, SAC_STEP_CONVERT);
    return (table_bytes){
        .field = field ? rounded((size_t)plan->das.n_tx * sizeof *plan->waves) : 0,
        .waves = field ? rounded((size_t)plan->das.n_tx * sizeof(sac_das_wave)) : 0,
        .points = field ? rounded((size_t)plan->das.n_points * sizeof(float)) : 0,
        .places = convert ? rounded((size_t)plan->scan.n_points * sizeof *plan->places) : 0,
        .arrivals = has_focus(plan)
                        ? (size_t)plan->gpu->n_waves * (size_t)plan->das.n_points * sizeof(double)
                        : 0,
    };
}

/* The kernels' waves, focused ones as such with given arrivals. */
static sac_status fill_waves(sac_beamform_gpu *g, const sac_beamform *plan, void *to,
                             sac_gpu_stream stream)
{
    const size_t n = (size_t)plan->das.n_tx;
    sac_das_wave *waves = sac_alloc(n, sizeof *waves);
    if (!waves)
        return SAC_E_NOMEM;
    sac_status status = sac_gpu_copy(waves, g->das.waves, n * sizeof *waves, stream);
    if (status == SAC_OK)
        status = sac_gpu_wait(stream);
    for (size_t t = 0; t < n && status == SAC_OK; t++)
        if (plan->waves[t].shape == SAC_FIELD_BOTH_SIDES) {
            waves[t].kind = SAC_TRANSMIT_ARRIVALS;
            waves[t].arrivals_s =
                g->arrivals_s + t % (size_t)g->n_waves * (size_t)plan->das.n_points;
        }
    if (status == SAC_OK)
        status = sac_gpu_copy(to, waves, n * sizeof *waves, stream);
    const sac_status waited = sac_gpu_wait(stream);
    sac_free(waves);
    g->waves = to;
    return status ? status : waited;
}

static sac_status fill(sac_beamform_gpu *g, const sac_beamform *plan, const table_bytes *bytes)
{
    sac_gpu_stream stream = sac_gpu_main_stream(g->gpu);
    char *field = g->tables, *waves = field + bytes->field, *points = waves + bytes->waves;
    char *places = points + bytes->points;
    sac_status status = SAC_OK;
    if (bytes->arrivals)
        g->arrivals_s = (double *)(void *)(places + bytes->places);
    if (bytes->field) {
        g->field.field = plan->field;
        g->field.field.waves = (const sac_field_wave *)(void *)field;
        g->field.share = (float *)(void *)points;
        g->field.line = (int32_t *)(void *)points;
        status =
            sac_gpu_copy(field, plan->waves, (size_t)plan->das.n_tx * sizeof *plan->waves, stream);
        if (status == SAC_OK)
            status = sac_field_cuda_prepare(stream, &g->field, &g->das.das);
        if (status == SAC_OK)
            status = fill_waves(g, plan, waves, stream);
    }
    if (bytes->places && status == SAC_OK) {
        g->scan = plan->scan;
        g->scan.places = (const sac_scan_place *)(void *)places;
        status = sac_gpu_copy(places, plan->places,
                              (size_t)plan->scan.n_points * sizeof *plan->places, stream);
    }
    const sac_status waited = sac_gpu_wait(stream);
    return status ? status : waited;
}

sac_status sac_beamform_gpu_tables(sac_beamform_gpu *g, const sac_beamform *plan, sac_error *err)
{
    const table_bytes bytes = bytes_of(plan);
    const size_t n = bytes.field + bytes.waves + bytes.points + bytes.places + bytes.arrivals;
    sac_status status = n ? sac_gpu_alloc(g->gpu, &g->tables, n, err) : SAC_OK;
    if (status || !n)
        return status;
    status = fill(g, plan, &bytes);
    return status ? sac_fail(err, status, "beamform: the device refused its tables") : SAC_OK;
}
