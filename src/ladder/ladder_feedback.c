/*
 * What a rung takes of a GPU besides time: registers, shared memory, room on a multiprocessor;
 * energy.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ladder/rungs.h"

#define ENERGY_SECONDS 1.0 /* ten steps of the counter, and more */
#define LEAST_SECONDS 0.1  /* a ladder in less of a hurry than that has time for it */

/* One call of a rung on a case of the device. */
typedef struct job {
    const sac_ladder *l;
    const sac_bench *b;
    const sac_variant *v;
    const sac_check_case *frame;
    sac_gpu_stream stream;
} job;

static sac_status enqueue(const job *j)
{
    return j->b->check->call_cuda(j->v->fn, j->stream, sac_ladder_shape(j->l, j->v), j->frame);
}

static sac_status work(void *ctx)
{
    const job *j = ctx;
    const sac_status status = enqueue(j);
    return status == SAC_OK ? sac_gpu_wait(j->stream) : status;
}

/* A rung that a stream cannot note, since it waits for the GPU, has no kernels here. */
static sac_status list_kernels(sac_ladder *l, const job *j, sac_ladder_row *row)
{
    int32_t n = 0;
    sac_status status = sac_gpu_graph_begin(j->stream);
    if (status != SAC_OK)
        return status;
    const sac_status called = enqueue(j);
    status = sac_gpu_graph_describe(l->kernels, &n, SAC_LADDER_KERNELS, j->stream);
    if (status == SAC_E_NOMEM)
        return status;
    row->kernels = l->kernels;
    row->n_kernels = called == SAC_OK ? n : 0;
    return SAC_OK;
}

/* The GPU's power without work, once. */
static sac_status rest(sac_ladder *l)
{
    sac_energy_use use = {0};
    if (l->idle_watts > 0)
        return SAC_OK;
    const sac_status status = sac_energy_measure(&use, l->energy, NULL, NULL, ENERGY_SECONDS);
    if (status == SAC_OK)
        l->idle_watts = use.joules / use.seconds;
    return status;
}

static sac_status weigh(sac_ladder *l, job *j, sac_ladder_row *row)
{
    const double frames = row->points > 0 ? (double)row->points : 1;
    sac_energy_use use = {0};
    sac_status status = rest(l);
    if (status == SAC_OK)
        status = sac_energy_measure(&use, l->energy, work, j, ENERGY_SECONDS);
    if (status == SAC_E_UNSUPPORTED) { /* a counter that stands still */
        sac_energy_close(&l->energy);
        return SAC_OK;
    }
    if (status != SAC_OK)
        return status;
    row->frame_joules = use.joules / ((double)use.calls * frames);
    row->watts = use.joules / use.seconds;
    row->idle_watts = l->idle_watts;
    return SAC_OK;
}

sac_status sac_ladder_open_energy(sac_ladder *l, const sac_ladder_desc *desc)
{
    sac_gpu_info info = {.struct_size = sizeof info};
    const sac_status status = sac_gpu_describe(&info, desc->device.index, NULL);
    if (status != SAC_OK || (desc->seconds > 0 && desc->seconds < LEAST_SECONDS))
        return status;
    const sac_status opened = sac_energy_open(&l->energy, SAC_ENERGY_NVML, info.pci);
    return opened == SAC_E_UNSUPPORTED ? SAC_OK : opened;
}

sac_status sac_ladder_feed_back(sac_ladder *l, const sac_bench *b, const sac_variant *v,
                                const sac_check_case *frame, sac_ladder_row *row)
{
    job j = {l, b, v, frame, sac_gpu_main_stream(l->gpu)};
    sac_status status = list_kernels(l, &j, row);
    if (status == SAC_OK && l->energy != NULL && b->check->cuda_energy)
        status = weigh(l, &j, row);
    return status;
}
