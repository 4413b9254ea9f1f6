/*
 * What a beamform plan on a GPU knows of the waves' fields and of a sector's picture.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/gpu_plan.h"

#define ALIGN 64

/* Bytes of the tables one after the other, each from a multiple of ALIGN on. */
typedef struct table_bytes {
    size_t waves, points, places;
} table_bytes;

static size_t rounded(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static table_bytes bytes_of(const sac_beamform *plan)
{
    const bool field = sac_beamform_does(plan, SAC_STEP_FIELD);
    const bool convert = sac_beamform_does(plan, SAC_STEP_CONVERT);
    return (table_bytes){
        .waves = field ? rounded((size_t)plan->das.n_tx * sizeof *plan->waves) : 0,
        .points = field ? rounded((size_t)plan->das.n_points * sizeof(float)) : 0,
        .places = convert ? (size_t)plan->scan.n_points * sizeof *plan->places : 0,
    };
}

static sac_status fill(sac_beamform_gpu *g, const sac_beamform *plan, const table_bytes *bytes)
{
    sac_gpu_stream stream = sac_gpu_main_stream(g->gpu);
    char *waves = g->tables, *points = waves + bytes->waves, *places = points + bytes->points;
    sac_status status = SAC_OK;
    if (bytes->waves) {
        g->field.field = plan->field;
        g->field.field.waves = (const sac_field_wave *)(void *)waves;
        g->field.share = (float *)(void *)points;
        g->field.line = (int32_t *)(void *)points;
        status =
            sac_gpu_copy(waves, plan->waves, (size_t)plan->das.n_tx * sizeof *plan->waves, stream);
        if (status == SAC_OK)
            status = sac_field_cuda_prepare(stream, &g->field, &g->das.das);
    }
    if (bytes->places && status == SAC_OK) {
        g->scan = plan->scan;
        g->scan.places = (const sac_scan_place *)(void *)places;
        status = sac_gpu_copy(places, plan->places, bytes->places, stream);
    }
    const sac_status waited = sac_gpu_wait(stream);
    return status ? status : waited;
}

sac_status sac_beamform_gpu_tables(sac_beamform_gpu *g, const sac_beamform *plan, sac_error *err)
{
    const table_bytes bytes = bytes_of(plan);
    const size_t n = bytes.waves + bytes.points + bytes.places;
    sac_status status = n ? sac_gpu_alloc(g->gpu, &g->tables, n, err) : SAC_OK;
    if (status || !n)
        return status;
    status = fill(g, plan, &bytes);
    return status ? sac_fail(err, status, "beamform: the device refused its tables") : SAC_OK;
}
