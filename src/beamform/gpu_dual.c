/*
 * Dual-stage beamforming on a GPU: what the second stage takes, and a way's two stages.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "base/alloc.h"
#include "beamform/dual.h"
#include "beamform/gpu_groups.h"

#define PI 3.14159265358979323846
#define ALONG SAC_DUAL_CUDA_ALONG

/* The tables, here: one behind the other. */
typedef struct tables {
    sac_dual_cuda_tap *taps;
    sac_dual_cuda_start *starts;
    sac_dual_cuda_block *blocks;
    size_t taps_bytes, starts_bytes, bytes;
} tables;

static const sac_dual_taps *taps_of(const sac_dual_way *w, int64_t i, int32_t t)
{
    return &w->taps[i * w->das.n_tx + t];
}

/* Blocks of points along the lines, each of one plane; `blocks` may be NULL. */
static int32_t cut_blocks(sac_dual_cuda_block *blocks, const sac_dual_way *w)
{
    int32_t n = 0;
    for (int64_t i = 0, end; i < w->n_along; i = end, n++) {
        const int32_t plane = taps_of(w, i, 0)->plane;
        for (end = i + 1;
             end < w->n_along && end < i + ALONG && taps_of(w, end, 0)->plane == plane;)
            end++;
        if (blocks)
            blocks[n] = (sac_dual_cuda_block){(int32_t)i, (int32_t)(end - i), plane};
    }
    return n;
}

/* What a block takes of a wave, its rows in the order in which they change. */
static void fill_wave(sac_dual_cuda_tap *to, sac_dual_cuda_start *start,
                      const sac_dual_cuda_block *block, const sac_beamform_gpu_group *group,
                      const sac_dual_way *w, int32_t t)
{
    const sac_das *das = &w->das;
    const int32_t first = taps_of(w, block->first, t)->row;
    const int32_t last = taps_of(w, block->first + block->n - 1, t)->row;
    const int32_t way = last < first ? -1 : 1;
    const sac_grid *g = &das->grid;
    const double step = (g->last_m[2] - g->first_m[2]) / (double)(w->n_depths - 1);
    const double turn = 2 * PI * group->das.turns * group->das.unturned * step * group->das.scale;
    start->row = first - (int32_t)w->first_row + (way < 0 ? 3 : 0);
    start->way = way;
    for (int32_t i = 0, row = first; i < block->n; i++) {
        const sac_dual_taps *from = taps_of(w, block->first + i, t);
        double c[4];
        sac_beamform_dual_cubic(c, from->shift - floor(from->shift));
        for (int k = 0; k < 4; k++)
            to[i].w[k] = (float)c[way < 0 ? 3 - k : k];
        to[i].re = (float)(das->tx_weight[t] * cos(turn * from->shift));
        to[i].im = (float)(das->tx_weight[t] * sin(turn * from->shift));
        to[i].rows = (from->row - row) * way;
        row = from->row;
    }
}

/* How much of a depth is left out of the images' turns: between what the waves add to a path. */
static double unturned_of(const sac_dual_way *w)
{
    double low = INFINITY, high = -INFINITY;
    for (int32_t t = 0; t < w->das.n_tx; t++) {
        const double by =
            sac_beamform_dual_turned(w, sac_beamform_dual_angle(&w->das.transmits[t], w));
        low = fmin(low, by);
        high = fmax(high, by);
    }
    return 0.5 * (low + high);
}

static void fill_job(sac_dual_cuda *job, const sac_beamform *plan, const sac_dual_way *w,
                     const sac_das_cuda *das)
{
    const sac_grid *g = &plan->das.grid;
    const double step_m = g->n[2] > 1 ? (g->last_m[2] - g->first_m[2]) / (double)(g->n[2] - 1) : 0;
    const double turns = das->turns * das->unturned * das->scale;
    *job = (sac_dual_cuda){.n_tx = w->das.n_tx,
                           .n_planes = w->n_planes,
                           .refined = w->refined,
                           .n_blocks = cut_blocks(NULL, w),
                           .n_across = w->n_across,
                           .n_depths = w->n_depths,
                           .n_z = g->n[2],
                           .out_across = w->across == 0 ? 1 : g->n[0],
                           .out_along = w->across == 0 ? g->n[0] : 1,
                           .out_z = g->n[0] * g->n[1],
                           .turn_first = turns * g->first_m[2],
                           .turn_step = turns * step_m};
}

static bool lay_out(tables *to, const sac_dual_cuda *job)
{
    const size_t n = (size_t)job->n_blocks, n_waves = n * (size_t)job->n_tx;
    to->taps_bytes = n_waves * ALONG * sizeof *to->taps;
    to->starts_bytes = n_waves * sizeof *to->starts;
    to->bytes = to->taps_bytes + to->starts_bytes + n * sizeof *to->blocks;
    char *here = sac_alloc(to->bytes, 1);
    to->taps = (sac_dual_cuda_tap *)(void *)here;
    if (!here)
        return false;
    to->starts = (sac_dual_cuda_start *)(void *)(here + to->taps_bytes);
    to->blocks = (sac_dual_cuda_block *)(void *)(here + to->taps_bytes + to->starts_bytes);
    return true;
}

sac_status sac_beamform_gpu_dual_open(sac_beamform_gpu_group *group, const sac_beamform *plan,
                                      int32_t i, sac_gpu *gpu, sac_error *err)
{
    const sac_dual_way *w = &plan->dual->ways[i];
    sac_dual_cuda *job = &group->dual;
    tables here;
    group->das.unturned = unturned_of(w);
    fill_job(job, plan, w, &group->das);
    if (!lay_out(&here, job))
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for the images of two stages");
    (void)cut_blocks(here.blocks, w);
    for (int32_t b = 0; b < job->n_blocks; b++)
        for (int32_t t = 0; t < job->n_tx; t++)
            fill_wave(here.taps + ((ptrdiff_t)b * job->n_tx + t) * ALONG,
                      here.starts + (ptrdiff_t)b * job->n_tx + t, &here.blocks[b], group, w, t);
    sac_gpu_stream stream = sac_gpu_main_stream(gpu);
    sac_status status = sac_gpu_alloc(gpu, &group->taps, here.bytes, err);
    if (status == SAC_OK) {
        status = sac_gpu_copy(group->taps, here.taps, here.bytes, stream);
        const sac_status waited = sac_gpu_wait(stream);
        status = status ? status : waited;
        if (status)
            status = sac_fail(err, status, "beamform: the device refused its tables");
    }
    const char *there = group->taps;
    job->taps = group->taps;
    job->starts = (const sac_dual_cuda_start *)(const void *)(there + here.taps_bytes);
    job->blocks =
        (const sac_dual_cuda_block *)(const void *)(there + here.taps_bytes + here.starts_bytes);
    sac_free(here.taps);
    return status;
}

/* Values of a row of images, which lies before and after all of them, too. */
static size_t row_of(const sac_dual_cuda *job)
{
    return (size_t)job->n_planes * (size_t)job->n_across;
}

size_t sac_beamform_gpu_stage_bytes(const sac_beamform *plan)
{
    size_t most = 0;
    for (int32_t i = 0; plan->dual && i < plan->gpu->n_groups; i++) {
        const sac_dual_cuda *job = &plan->gpu->groups[i].dual;
        const size_t n = ((size_t)job->n_tx * (size_t)job->n_depths + 2) * row_of(job);
        most = n > most ? n : most;
    }
    return most * 2 * sizeof(float);
}

sac_status sac_beamform_gpu_dual_run(const sac_beamform *plan, const sac_beamform_part *part,
                                     float *image, const sac_das_cuda *run, int32_t i)
{
    const sac_beamform_gpu *g = plan->gpu;
    const sac_dual_cuda *job = &g->groups[i].dual;
    float *images = (float *)g->stage_images + 2 * row_of(job);
    sac_status status = SAC_OK;
    for (int32_t f = 0; f < part->of.n_frames && status == SAC_OK; f++) {
        sac_das_cuda stage = *run;
        stage.das.n_frames = 1;
        stage.data = (const char *)run->data + f * run->frame * part->of.size;
        stage.adds = false;
        stage.out_image = stage.out_frame = stage.das.n_points;
        status = part->beamform(g->stream, NULL, images, &stage);
        if (status == SAC_OK)
            status = sac_dual_cuda_run(g->stream, image + 2 * f * run->out_frame, images, job,
                                       run->adds);
    }
    return status;
}
