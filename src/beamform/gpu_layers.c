/*
 * Layers and a lens on a GPU: the slabs' geometry, and a part's frames through them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/gpu_layers.h"

#include "base/alloc.h"
#include "beamform/layered.h"

static sac_status open_slabs(sac_beamform_gpu *g, const sac_beamform *plan, sac_layered_memory *m,
                             sac_error *err)
{
    const sac_beamform_layered *l = plan->layered;
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < l->n_slabs && status == SAC_OK; i++) {
        const sac_beamform_slab *slab = &l->slabs[i];
        const sac_das das = sac_beamform_slab_das(plan, &plan->das, m, slab, slab->first, slab->n);
        status = sac_das_cuda_open(&g->slabs[i].das, &g->slabs[i].geometry, &das, g->gpu, err);
    }
    return status;
}

/* The list's points and their order, to the device. */
static sac_status open_list(sac_beamform_gpu *g, const sac_beamform *plan, sac_error *err)
{
    const size_t n = (size_t)plan->das.n_points, points = 3 * n * sizeof(double);
    sac_gpu_stream stream = sac_gpu_main_stream(g->gpu);
    sac_status status = sac_gpu_alloc(g->gpu, &g->list, points + n * sizeof *g->order, err);
    if (status)
        return status;
    char *order = (char *)g->list + points;
    status = sac_gpu_copy(g->list, plan->points_m, points, stream);
    if (status == SAC_OK)
        status = sac_gpu_copy(order, plan->order, n * sizeof *g->order, stream);
    const sac_status waited = sac_gpu_wait(stream);
    g->das.das.points_m = g->list;
    g->order = (const int32_t *)(void *)order;
    status = status ? status : waited;
    return status ? sac_fail(err, status, "beamform: the device refused its points") : SAC_OK;
}

sac_status sac_beamform_gpu_layers_open(sac_beamform_gpu *g, const sac_beamform *plan,
                                        sac_error *err)
{
    const sac_beamform_layered *l = plan->layered;
    int64_t most = 0;
    for (int32_t i = 0; i < l->n_slabs; i++)
        most = l->slabs[i].n > most ? l->slabs[i].n : most;
    g->slabs = sac_alloc((size_t)l->n_slabs, sizeof *g->slabs);
    g->n_slabs = g->slabs ? l->n_slabs : 0;
    sac_layered_memory m;
    const bool fits = sac_layered_allocate(&m, plan, most) && g->slabs;
    const sac_status status =
        fits ? open_slabs(g, plan, &m, err)
             : sac_fail(err, SAC_E_NOMEM, "beamform: no memory for the arrivals of %lld points",
                        (long long)most);
    sac_layered_free(&m);
    if (status)
        return status;
    g->das = g->slabs[0].das;
    g->das.das.grid = plan->das.grid; /* where points lie for whoever does not beamform */
    g->das.das.points_m = NULL;
    g->das.das.n_points = plan->das.n_points;
    return plan->points_m ? open_list(g, plan, err) : SAC_OK;
}

double sac_beamform_gpu_layers_bytes(const sac_beamform *plan)
{
    const double n = plan->layered ? (double)plan->das.n_points : 0, place = 3 * sizeof(double);
    const double listed = plan->points_m ? place + sizeof(int32_t) : 0;
    return n * (plan->das.n_tx * (double)sizeof(double) + place + listed);
}

void sac_beamform_gpu_layers_close(sac_beamform_gpu *g)
{
    for (int32_t i = 0; i < g->n_slabs; i++)
        sac_gpu_free(g->gpu, g->slabs[i].geometry);
    sac_free(g->slabs);
    sac_gpu_free(g->gpu, g->list);
    sac_gpu_free(g->gpu, g->sorted);
}

sac_status sac_beamform_gpu_layers_run(const sac_beamform *plan, const sac_beamform_part *part,
                                       float *image, const sac_das_cuda *run, int32_t t)
{
    const sac_beamform_gpu *g = plan->gpu;
    const ptrdiff_t value = plan->iq ? 2 : 1;
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < g->n_slabs && status == SAC_OK; i++) {
        sac_das_cuda own = g->slabs[i].das;
        own.das.n_frames = run->das.n_frames;
        own.das.n_tx = run->das.n_tx;
        own.das.lri = run->das.lri;
        own.data = run->data;
        own.frame = run->frame;
        own.tx = run->tx;
        own.rx = run->rx;
        own.group = run->group;
        own.out_frame = run->out_frame;
        own.out_image = run->out_image;
        own.out_point = run->out_point;
        own.waves += t;
        own.largest = run->largest;
        own.scratch = run->scratch;
        own.scratch_bytes = run->scratch_bytes;
        status =
            part->beamform(g->stream, NULL, image + plan->layered->slabs[i].first * value, &own);
    }
    return status;
}
