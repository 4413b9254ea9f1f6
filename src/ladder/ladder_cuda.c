/*
 * The ladder on a GPU: rungs timed by events, on pictures that no cache holds any more.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "ladder/rungs.h"
#include "base/timings.h"

#define MAX_BYTES ((size_t)1 << 30) /* of all copies: many times the caches of any GPU */
#define MIN_SAMPLES 11
#define MIN_SAMPLES_SLOW 3 /* where one graph takes longer than the rung's time */
#define MAX_COPIES 101     /* there and back */
#define MAX_BLOCK 1024     /* threads */

static bool is_shape(const uint32_t axes[3])
{
    return axes[0] != 0 && axes[1] != 0 && axes[2] != 0;
}

static sac_status check_blocks(const sac_ladder_desc *desc, bool is_alone, sac_error *err)
{
    if (desc->n_blocks < 0 || desc->blocks == NULL)
        return sac_fail(err, SAC_E_INVALID, "blocks: n_blocks of them expected, got %s, %" PRId32,
                        desc->blocks ? "some" : "NULL", desc->n_blocks);
    if (!is_alone)
        return sac_fail(err, SAC_E_INVALID, "blocks: expected without grid and block");
    for (int32_t i = 0; i < desc->n_blocks; i++)
        if (desc->blocks[i] < 1 || desc->blocks[i] > MAX_BLOCK)
            return sac_fail(err, SAC_E_INVALID, "blocks: 1 to 1024 threads expected, got %" PRIu32,
                            desc->blocks[i]);
    return SAC_OK;
}

static sac_status check_shape(const sac_ladder_desc *desc, sac_error *err)
{
    const uint32_t *g = desc->grid, *b = desc->block;
    const bool none = g[0] + g[1] + g[2] + b[0] + b[1] + b[2] == 0;
    if (none && desc->n_blocks == 0)
        return SAC_OK;
    if (desc->device.kind != SAC_DEVICE_CUDA)
        return sac_fail(err, SAC_E_INVALID,
                        "grid, block, blocks: are for a GPU, and the device is cpu");
    if (desc->n_blocks != 0)
        return check_blocks(desc, none, err);
    return sac_gpu_check_shape(g, b, err);
}

sac_status sac_ladder_open_cuda(sac_ladder *l, const sac_ladder_desc *desc, sac_error *err)
{
    if (desc->device.kind != SAC_DEVICE_CPU && desc->device.kind != SAC_DEVICE_CUDA)
        return sac_fail(err, SAC_E_UNSUPPORTED, "device: expected the CPU or one GPU");
    snprintf(l->device, sizeof l->device, "cpu");
    sac_status status = check_shape(desc, err);
    if (status != SAC_OK || desc->device.kind != SAC_DEVICE_CUDA)
        return status;
    snprintf(l->device, sizeof l->device, "cuda:%" PRId32, desc->device.index);
    memcpy(l->shape.grid, desc->grid, sizeof l->shape.grid);
    memcpy(l->shape.block, desc->block, sizeof l->shape.block);
    status = sac_gpu_open(&l->gpu, desc->device.index, err);
    if (status == SAC_OK && sac_gpu_enter(l->gpu) != SAC_OK) {
        sac_gpu_close(&l->gpu);
        status = sac_fail(err, SAC_E_DEVICE, "device: %s is lost", l->device);
    }
    return status == SAC_OK ? sac_ladder_open_energy(l, desc) : status;
}

void sac_ladder_close_cuda(sac_ladder *l)
{
    if (l->gpu == NULL)
        return;
    sac_energy_close(&l->energy);
    sac_gpu_leave(l->gpu);
    sac_gpu_close(&l->gpu);
}

const sac_gpu_shape *sac_ladder_shape(const sac_ladder *l, const sac_variant *v)
{
    return v->ships || !is_shape(l->shape.grid) ? NULL : &l->shape;
}

/* What one rung is timed with. */
typedef struct timing {
    sac_gpu *gpu;
    sac_gpu_stream stream;
    sac_gpu_event from, to;
    sac_gpu_graph graph;
    sac_check_case frame[SAC_LADDER_FRAMES];
    int32_t n_frames;
} timing;

static void close_timing(timing *t)
{
    sac_gpu_graph_close(&t->graph);
    sac_gpu_event_close(&t->from);
    sac_gpu_event_close(&t->to);
}

static sac_status call_frame(const timing *t, const sac_ladder *l, const sac_bench *b,
                             const sac_variant *v, int32_t i)
{
    return b->check->call_cuda(v->fn, t->stream, sac_ladder_shape(l, v), &t->frame[i]);
}

static sac_status add_frame(timing *t, sac_bench *b)
{
    const int32_t i = t->n_frames++;
    b->frames[i].gpu = t->gpu;
    return sac_check_upload(&t->frame[i], &b->frames[i], &b->got);
}

/* Nanoseconds of the first call after one to warm up. */
static sac_status time_first(double *ns, timing *t, const sac_ladder *l, const sac_bench *b,
                             const sac_variant *v)
{
    sac_status status = call_frame(t, l, b, v, 0);
    status = status ? status : sac_gpu_event_record(t->from, t->stream);
    status = status ? status : call_frame(t, l, b, v, 0);
    status = status ? status : sac_gpu_event_record(t->to, t->stream);
    return status == SAC_OK ? sac_gpu_event_elapsed(ns, t->from, t->to) : status;
}

static sac_status make_graph(timing *t, const sac_ladder *l, const sac_bench *b,
                             const sac_variant *v)
{
    sac_status status = sac_gpu_graph_begin(t->stream);
    if (status != SAC_OK)
        return status;
    for (int32_t i = 0; i < t->n_frames && status == SAC_OK; i++)
        status = call_frame(t, l, b, v, i);
    const sac_status ended = sac_gpu_graph_end(&t->graph, t->stream);
    return status == SAC_OK ? ended : status;
}

/* All frames: as a graph, where the room has one made. */
static sac_status time_frames(double *ns, timing *t, const sac_ladder *l, const sac_bench *b,
                              const sac_variant *v)
{
    sac_status status = sac_gpu_event_record(t->from, t->stream);
    if (status == SAC_OK && t->graph != NULL)
        status = sac_gpu_graph_launch(t->graph, t->stream);
    for (int32_t i = 0; i < t->n_frames && status == SAC_OK && t->graph == NULL; i++)
        status = call_frame(t, l, b, v, i);
    status = status ? status : sac_gpu_event_record(t->to, t->stream);
    return status == SAC_OK ? sac_gpu_event_elapsed(ns, t->from, t->to) : status;
}

static size_t case_bytes(const sac_check_case *c)
{
    size_t n = 0;
    for (int32_t i = 0; i < c->n_args; i++)
        n += c->arg[i].n_bytes;
    return n;
}

/* Frames for one graph: all that fit, fewer where one call is slow. */
static int32_t count_frames(const sac_ladder *l, const sac_bench *b, double first_ns)
{
    const double fit = (double)MAX_BYTES / (double)case_bytes(&b->got);
    const double fast = l->desc.seconds * 1e9 / MIN_SAMPLES / first_ns;
    double n = fit < fast ? fit : fast;
    n = n < SAC_LADDER_FRAMES ? n : SAC_LADDER_FRAMES;
    return n > 1 ? (int32_t)n : 1;
}

static sac_status time_kernels(sac_ladder *l, sac_bench *b, const sac_variant *v, timing *t,
                               sac_ladder_row *row)
{
    double ns = 0;
    sac_status status = add_frame(t, b);
    status = status ? status : time_first(&ns, t, l, b, v);
    const int32_t n_frames = count_frames(l, b, ns);
    while (status == SAC_OK && t->n_frames < n_frames)
        status = add_frame(t, b);
    if (status == SAC_OK && !b->check->cuda_by_calls)
        status = make_graph(t, l, b, v);
    status = status ? status : time_frames(&ns, t, l, b, v);
    const double budget = l->desc.seconds * 1e9;
    const int32_t least = ns > budget / 2 ? MIN_SAMPLES_SLOW : MIN_SAMPLES;
    const int64_t end = sac_clock_ns() + (int64_t)budget;
    int32_t n = 0;
    while (status == SAC_OK && (n < least || (n < SAC_LADDER_RUNS && sac_clock_ns() < end))) {
        status = time_frames(&ns, t, l, b, v);
        l->samples[n++] = (int64_t)(ns / n_frames + 0.5);
    }
    if (status == SAC_OK) {
        sac_ladder_take_samples(l, n, row);
        row->runs = (uint64_t)n * (uint64_t)n_frames;
        row->kernel_ns = row->median_ns;
    }
    return status;
}

/* What is timed beside the kernels: a frame's way in, its way back, and all of it. */
typedef enum leg { COPY_IN, COPY_BACK, LOOP } leg;

/* Enqueues the copies of the arguments that the rung is given, or gives back. */
static sac_status copy_frame(const timing *t, const sac_bench *b, const sac_variant *v, int32_t i,
                             bool back)
{
    const sac_check_case *c = &t->frame[i];
    uint8_t *here = b->back;
    sac_status status = SAC_OK;
    for (int32_t k = 0; k < c->n_args && status == SAC_OK; k++) {
        const sac_check_arg *a = &c->arg[k];
        if (sac_check_passes(b->check, v, c, k, back))
            status = back ? sac_gpu_copy(here, a->memory, a->n_bytes, t->stream)
                          : sac_gpu_copy(a->memory, b->got.arg[k].memory, a->n_bytes, t->stream);
        here += a->role != SAC_CHECK_IN ? a->n_bytes : 0;
    }
    return status;
}

/* Page-locked memory for the case's outputs, so that its own, from which frames are copied, stays
 * as it is. */
static sac_status open_back(sac_bench *b)
{
    void *memory = NULL;
    size_t n = 0;
    if (b->back != NULL)
        return SAC_OK;
    for (int32_t k = 0; k < b->got.n_args; k++)
        n += b->got.arg[k].role != SAC_CHECK_IN ? b->got.arg[k].n_bytes : 0;
    const sac_status status = sac_gpu_alloc_pinned(b->gpu, &memory, n, NULL);
    b->back = memory;
    return status;
}

static sac_status time_leg(double *ns, leg what, const timing *t, const sac_ladder *l,
                           const sac_bench *b, const sac_variant *v, int32_t i)
{
    sac_status status = sac_gpu_event_record(t->from, t->stream);
    if (status == SAC_OK && what != COPY_BACK)
        status = copy_frame(t, b, v, i, false);
    if (status == SAC_OK && what == LOOP)
        status = call_frame(t, l, b, v, i);
    if (status == SAC_OK && what != COPY_IN)
        status = copy_frame(t, b, v, i, true);
    status = status ? status : sac_gpu_event_record(t->to, t->stream);
    return status == SAC_OK ? sac_gpu_event_elapsed(ns, t->from, t->to) : status;
}

/* A leg's median, least and most, of frames in turn. */
static sac_status time_legs(double times[3], leg what, sac_ladder *l, const sac_bench *b,
                            const sac_variant *v, const timing *t)
{
    const double budget = l->desc.seconds * 1e9 / 3;
    const int64_t end = sac_clock_ns() + (int64_t)budget;
    double ns = 0;
    sac_status status = time_leg(&ns, what, t, l, b, v, 0);
    const int32_t least = ns > budget / 2 ? MIN_SAMPLES_SLOW : MIN_SAMPLES;
    int32_t n = 0;
    while (status == SAC_OK && (n < least || (n < MAX_COPIES && sac_clock_ns() < end))) {
        status = time_leg(&ns, what, t, l, b, v, n % t->n_frames);
        l->samples[n++] = (int64_t)ns;
    }
    if (status != SAC_OK)
        return status;
    sac_timings_sort(l->samples, n);
    times[0] = (double)sac_timings_at(l->samples, n, 0.5);
    times[1] = (double)sac_timings_at(l->samples, n, 0.0);
    times[2] = (double)sac_timings_at(l->samples, n, 1.0);
    return SAC_OK;
}

static sac_status time_all_legs(sac_ladder *l, const sac_bench *b, const sac_variant *v,
                                const timing *t, sac_ladder_row *row)
{
    double in[3] = {0}, back[3] = {0}, loop[3] = {0};
    sac_status status = time_legs(back, COPY_BACK, l, b, v, t);
    status = status ? status : time_legs(in, COPY_IN, l, b, v, t);
    status = status ? status : time_legs(loop, LOOP, l, b, v, t);
    row->h2d_ns = in[0];
    row->h2d_min_ns = in[1];
    row->h2d_max_ns = in[2];
    row->d2h_ns = back[0];
    row->d2h_min_ns = back[1];
    row->d2h_max_ns = back[2];
    row->loop_ns = loop[0];
    row->loop_min_ns = loop[1];
    row->loop_max_ns = loop[2];
    return status;
}

sac_status sac_ladder_time_cuda(sac_ladder *l, sac_bench *b, const sac_variant *v,
                                sac_ladder_row *row)
{
    timing *t = sac_alloc(1, sizeof *t);
    if (t == NULL)
        return SAC_E_NOMEM;
    const sac_gpu_shape *shape = sac_ladder_shape(l, v);
    if (shape != NULL) {
        memcpy(row->grid, shape->grid, sizeof row->grid);
        memcpy(row->block, shape->block, sizeof row->block);
    }
    t->gpu = l->gpu;
    t->stream = sac_gpu_main_stream(l->gpu);
    sac_status status = sac_gpu_event_open(l->gpu, &t->from);
    status = status ? status : sac_gpu_event_open(l->gpu, &t->to);
    status = status ? status : open_back(b);
    status = status ? status : time_kernels(l, b, v, t, row);
    status = status ? status : time_all_legs(l, b, v, t, row);
    status = status ? status : sac_ladder_feed_back(l, b, v, &t->frame[0], row);
    close_timing(t);
    sac_free(t);
    return status;
}
