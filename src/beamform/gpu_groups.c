/*
 * Groups on a GPU: each a run of its own, of its records; all add to the same images.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/gpu_groups.h"

#include "base/alloc.h"
#include "beamform/dual.h"
#include "beamform/kernels/groups_cuda.h"

/* Whether numbers are evenly spaced. */
static bool is_even(int32_t *first, int32_t *step, const int32_t *which, int32_t n)
{
    *first = which[0];
    *step = n > 1 ? which[1] - which[0] : 1;
    for (int32_t i = 2; i < n; i++)
        if (which[i] - which[i - 1] != *step)
            return false;
    return true;
}

static sac_status open_which(sac_beamform_gpu_group *to, const sac_beamform_group *p, sac_gpu *gpu,
                             sac_error *err)
{
    const size_t n_tx = (size_t)p->n_tx, n_rx = (size_t)p->n_rx;
    to->is_even = is_even(&to->first_tx, &to->step_tx, p->transmits, p->n_tx);
    to->is_even = is_even(&to->first_rx, &to->step_rx, p->elements, p->n_rx) && to->is_even;
    if (to->is_even)
        return SAC_OK;
    sac_gpu_stream stream = sac_gpu_main_stream(gpu);
    sac_status status =
        sac_gpu_alloc(gpu, (void **)&to->which, (n_tx + n_rx) * sizeof *to->which, err);
    if (status)
        return status;
    status = sac_gpu_copy(to->which, p->transmits, n_tx * sizeof *to->which, stream);
    if (status == SAC_OK)
        status = sac_gpu_copy(to->which + n_tx, p->elements, n_rx * sizeof *to->which, stream);
    const sac_status waited = sac_gpu_wait(stream);
    status = status ? status : waited;
    return status ? sac_fail(err, status, "beamform: the device refused its groups") : SAC_OK;
}

/* As one of two stages, if the plan has two; its points and its waves' images are its own. */
static sac_das das_of(const sac_beamform *plan, int32_t i)
{
    sac_das das = plan->dual ? sac_beamform_dual_stage(plan, &plan->dual->ways[i])
                             : sac_beamform_group_das(plan, &plan->das, &plan->groups[i]);
    das.tile_rows = das.tile_columns = 0;
    das.data = NULL;
    return das;
}

sac_status sac_beamform_gpu_groups_open(sac_beamform_gpu *g, sac_beamform *plan, sac_error *err)
{
    sac_status status = sac_beamform_dual_open(plan, err);
    if (status)
        return status;
    g->groups = sac_alloc((size_t)plan->n_groups, sizeof *g->groups);
    if (!g->groups)
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for %d groups", plan->n_groups);
    g->n_groups = plan->n_groups;
    for (int32_t i = 0; i < plan->n_groups && status == SAC_OK; i++) {
        sac_beamform_gpu_group *to = &g->groups[i];
        const sac_das das = das_of(plan, i);
        status = sac_das_cuda_open(&to->das, &to->geometry, &das, g->gpu, err);
        if (status == SAC_OK)
            status = open_which(to, &plan->groups[i], g->gpu, err);
        if (status == SAC_OK && plan->dual)
            status = sac_beamform_gpu_dual_open(to, plan, i, g->gpu, err);
    }
    g->das = g->groups[0].das;
    g->das.das.n_tx = plan->das.n_tx; /* of none more */
    g->das.das.n_rx = plan->das.n_rx;
    return status;
}

void sac_beamform_gpu_groups_close(sac_beamform_gpu *g)
{
    for (int32_t i = 0; i < g->n_groups; i++) {
        sac_gpu_free(g->gpu, g->groups[i].geometry);
        sac_gpu_free(g->gpu, g->groups[i].which);
        sac_gpu_free(g->gpu, g->groups[i].taps);
    }
    sac_free(g->groups);
    sac_gpu_free(g->gpu, g->gathered);
    sac_gpu_free(g->gpu, g->stage_images);
}

void sac_beamform_gpu_groups_cut(sac_das_cuda_cuts *cuts, const sac_beamform *plan, int32_t size,
                                 sac_tier tier, bool inner)
{
    for (int32_t i = 0; i < plan->n_groups; i++) {
        sac_das_cuda_cuts one;
        const sac_das das = das_of(plan, i);
        sac_das_cuda_cut(i ? &one : cuts, &das, size, tier, inner);
        for (int32_t n = 1; i > 0 && n <= SAC_DAS_CUDA_BATCH; n++)
            cuts->ns[n] += one.ns[n];
    }
}

size_t sac_beamform_gpu_gathered_bytes(const sac_beamform *plan, int32_t n_frames)
{
    size_t most = 0;
    for (int32_t i = 0; i < plan->gpu->n_groups; i++) {
        const size_t n = (size_t)plan->groups[i].n_tx * (size_t)plan->groups[i].n_rx;
        if (!plan->gpu->groups[i].is_even && n > most)
            most = n;
    }
    return (size_t)n_frames * most * (size_t)plan->desc.n_samples *
           sac_dtype_size(plan->desc.dtype);
}

/* The group's channel data, where it lies or gathered. */
static sac_status find_records(const void **in, sac_das_cuda_strides *from,
                               const sac_beamform *plan, int32_t n_frames, int32_t i)
{
    const sac_beamform_gpu *g = plan->gpu;
    const sac_beamform_gpu_group *group = &g->groups[i];
    const ptrdiff_t size = (ptrdiff_t)sac_dtype_size(plan->desc.dtype);
    if (group->is_even) {
        *in = (const char *)*in + (group->first_tx * from->tx + group->first_rx * from->rx) * size;
        from->tx *= group->step_tx;
        from->rx *= group->step_rx;
        return SAC_OK;
    }
    const int64_t n = plan->desc.n_samples, n_rx = plan->groups[i].n_rx;
    const sac_das_cuda_strides to = {
        .frame = plan->groups[i].n_tx * n_rx * n, .tx = n_rx * n, .rx = n, .sample = 1};
    const sac_groups_cuda_job job = {.out = g->gathered,
                                     .in = *in,
                                     .from = *from,
                                     .which = group->which,
                                     .n_frames = n_frames,
                                     .n_tx = plan->groups[i].n_tx,
                                     .n_rx = plan->groups[i].n_rx,
                                     .n_samples = n,
                                     .size = (int32_t)size};
    *in = g->gathered;
    *from = to;
    return sac_groups_cuda_gather(g->stream, &job);
}

/* All transmits' sums, added to the images. Where each keeps its image, and they are not evenly
 * spaced, one by one. */
static sac_status beamform_group(const sac_beamform *plan, const sac_beamform_part *part,
                                 float *image, sac_das_cuda *run, int32_t i)
{
    const sac_beamform_group *p = &plan->groups[i];
    const sac_beamform_gpu_group *group = &plan->gpu->groups[i];
    const ptrdiff_t value = plan->iq ? 2 : 1, size = part->of.size;
    const bool is_apart = run->das.lri && !group->is_even;
    const int32_t n_calls = is_apart ? p->n_tx : 1;
    sac_status status = SAC_OK;
    if (run->das.lri && group->is_even)
        run->out_image *= group->step_tx;
    for (int32_t k = 0; k < n_calls && status == SAC_OK; k++) {
        sac_das_cuda one = *run;
        const ptrdiff_t at = run->das.lri ? p->transmits[k] * plan->das.n_points : 0;
        if (is_apart)
            one.das.n_tx = 1;
        one.waves += k;
        one.data = (const char *)run->data + k * run->tx * size;
        status = part->beamform(plan->gpu->stream, NULL, image + at * value, &one);
    }
    return status;
}

sac_status sac_beamform_gpu_groups_run(const sac_beamform *plan, const sac_beamform_part *part,
                                       float *image, const void *in,
                                       const sac_das_cuda_strides *from)
{
    const sac_das *das = &plan->das;
    const int64_t n_values = das->n_points * sac_das_images(das);
    const bool sets = !das->lri; /* the first group, all values */
    sac_status status = SAC_OK;
    if (!sets)
        status = sac_gpu_set(
            image, 0, (size_t)(part->of.n_frames * n_values) * (plan->iq ? 2 : 1) * sizeof *image,
            plan->gpu->stream);
    for (int32_t i = 0; i < plan->n_groups && status == SAC_OK; i++) {
        sac_das_cuda run = plan->gpu->groups[i].das;
        sac_das_cuda_strides at = *from;
        const void *data = in;
        run.das.n_frames = part->of.n_frames;
        run.adds = i > 0 || !sets;
        run.out_point = 1;
        run.out_image = das->n_points;
        run.out_frame = n_values;
        (void)sac_das_cuda_pack_layout(&run, part->of.group);
        status = find_records(&data, &at, plan, part->of.n_frames, i);
        if (status == SAC_OK)
            status = sac_beamform_gpu_prepare(plan, part, &run, data, &at);
        if (status == SAC_OK)
            status = plan->dual ? sac_beamform_gpu_dual_run(plan, part, image, &run, i)
                                : beamform_group(plan, part, image, &run, i);
    }
    return status;
}
