/*
 * equalize's rungs on a GPU: the table, and what each call is given.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/ladder/check_cuda.h"

#include "base/alloc.h"
#include "equalize/ladder/check.h"
#include "equalize/ladder/rungs_cuda.h"

#define SMALL 256 /* bins of the HSV rungs */

typedef struct buffers {
    sac_equalize_cuda t;
    sac_equalize_cuda_job job; /* all but out and in */
    void *memory;
} buffers;

static sac_status run_one_launch(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                 const sac_equalize_cuda_job *job)
{
    (void)shape; /* as many threads as the machine holds */
    return sac_equalize_u8_cuda(stream, &job->out, &job->in, job->t);
}

static sac_status run_four_launch(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                  const sac_equalize_cuda_job *job)
{
    (void)shape;
    return sac_equalize_u16_cuda(stream, &job->out, &job->in, job->t);
}

const sac_variant sac_equalize_cuda_rungs[] = {
    {"hsv-triples", 0, false, SAC_FN(sac_equalize_cuda_fn, sac_equalize_hsv_triples_cuda),
     .kind = SAC_EQUALIZE_TAKES_PACKED_RGB},
    {"hsv-planes", 0, false, SAC_FN(sac_equalize_cuda_fn, sac_equalize_hsv_planes_cuda),
     .kind = SAC_EQUALIZE_TAKES_PACKED_RGB},
    {"two-launch", 0, false, SAC_FN(sac_equalize_cuda_fn, sac_equalize_two_launch_cuda),
     .kind = SAC_EQUALIZE_TAKES_U8},
    {"one-launch", 0, true, SAC_FN(sac_equalize_cuda_fn, run_one_launch),
     .kind = SAC_EQUALIZE_TAKES_U8},
    {"four-launch", 0, true, SAC_FN(sac_equalize_cuda_fn, run_four_launch),
     .kind = SAC_EQUALIZE_TAKES_U16},
    {0},
};

static size_t lay_out(buffers *b, uint8_t *memory, const sac_equalize_desc *desc)
{
    size_t used = 0, bins = (size_t)desc->bins;
    b->t.hist = sac_check_take(memory, &used, bins * sizeof *b->t.hist);
    b->t.counts = sac_check_take(memory, &used, bins * sizeof *b->t.counts);
    b->t.num = sac_check_take(memory, &used, bins * sizeof *b->t.num);
    b->t.den = sac_check_take(memory, &used, sizeof *b->t.den);
    b->t.q8 = sac_check_take(memory, &used, 256 * sizeof *b->t.q8);
    b->t.q16 = sac_check_take(memory, &used, 65536 * sizeof *b->t.q16);
    b->t.ticket = sac_check_take(memory, &used, SAC_EQUALIZE_TICKETS * sizeof *b->t.ticket);
    b->t.part = sac_check_take(memory, &used, (SAC_EQUALIZE_PARTS + 1) * sizeof *b->t.part);
    b->job.hsv =
        sac_check_take(memory, &used, (size_t)(3 * desc->w * desc->h) * sizeof *b->job.hsv);
    b->job.s = sac_check_take(memory, &used, SMALL * sizeof *b->job.s);
    b->job.counts = sac_check_take(memory, &used, SMALL * sizeof *b->job.counts);
    b->job.cumulative = sac_check_take(memory, &used, SMALL * sizeof *b->job.cumulative);
    b->job.second = sac_check_take(memory, &used, SMALL * sizeof *b->job.second);
    return used;
}

sac_status sac_equalize_check_open_cuda(sac_check_case *c, sac_gpu *gpu,
                                        const sac_equalize_desc *desc)
{
    buffers *b = sac_alloc(1, sizeof *b);
    if (!b)
        return SAC_E_NOMEM;
    c->cuda = b;
    const size_t bytes = lay_out(b, NULL, desc);
    sac_status status = sac_gpu_alloc(gpu, &b->memory, bytes, NULL);
    if (status == SAC_OK)
        status = sac_equalize_cuda_open(&b->t);
    (void)lay_out(b, b->memory, desc);
    b->t.depth = desc->dtype == SAC_U8 ? 8 : 16;
    b->t.bins = desc->bins;
    b->t.scale = desc->scale;
    b->job.t = &b->t;
    return status;
}

void sac_equalize_check_close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    buffers *b = c->cuda;
    if (b)
        sac_gpu_free(gpu, b->memory);
    sac_free(b);
    c->cuda = NULL;
}

sac_status sac_equalize_check_call_cuda(sac_any_fn fn, sac_gpu_stream stream,
                                        const sac_gpu_shape *shape, const sac_check_case *c,
                                        const sac_pixels *out, const sac_pixels *in)
{
    sac_equalize_cuda_job job = ((const buffers *)c->cuda)->job;
    job.out = *out;
    job.in = *in;
    return ((sac_equalize_cuda_fn)fn)(stream, shape, &job);
}
