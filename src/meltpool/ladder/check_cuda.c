/*
 * meltpool's rungs on a GPU: the table, and what each call is given.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/ladder/check_cuda.h"

#include <string.h>

#include "base/alloc.h"
#include "meltpool/ladder/rungs.h"
#include "meltpool/plan.h"

/* Nourazar, Booth and Goossens: Table 2, of a frame. Table 3, of the persistent kernel with frames
 * at once, in a thousand frames a second. */
#define PAPER .a_point = true, .source = "Nourazar et al. (2023), Table "
#define TABLE_2(rung, xavier_us, a6000_us)                                                         \
    {rung, (a6000_us)*1e3, .device = "RTX A6000", .of = "one frame", PAPER "2"},                   \
    {                                                                                              \
        rung, (xavier_us)*1e3, .device = "Jetson Xavier AGX", .of = "one frame", PAPER "2"         \
    }
#define TABLE_3(n, xavier_khz, a6000_khz)                                                          \
    {"persistent-" #n,                                                                             \
     1e6 / (a6000_khz),                                                                            \
     .device = "RTX A6000",                                                                        \
     .of = "one of " #n " at once",                                                                \
     .note = #a6000_khz "k frames a second",                                                       \
     PAPER "3"},                                                                                   \
    {                                                                                              \
        "persistent-" #n, 1e6 / (xavier_khz), .device = "Jetson Xavier AGX",                       \
                                              .of = "one of " #n " at once",                       \
                                              .note = #xavier_khz "k frames a second", PAPER "3"   \
    }

const sac_check_published sac_meltpool_cuda_published[] = {
    TABLE_2("initial", 7000, 3500),
    TABLE_2("pruned", 2500, 600),
    TABLE_2("intra-kernel", 900, 310),
    TABLE_2("fused-7", 350, 130),
    TABLE_2("unconditional", 280, 120),
    TABLE_2("fused-a", 200, 88),
    TABLE_2("fused-b", 126, 57),
    TABLE_2("fused-c", 95, 42),
    TABLE_2("grid-sync", 63, 31),
    TABLE_2("persistent", 45, 18),
    TABLE_3(1, 22, 55),
    TABLE_3(2, 33, 85),
    TABLE_3(4, 56, 125),
    TABLE_3(8, 87, 170),
    TABLE_3(16, 106, 200),
    TABLE_3(32, 106, 222),
    {0},
};

/* label-rows and regions-6 are grid-sync itself, beside what they stand against. */
const sac_variant sac_meltpool_cuda_rungs[] = {
    {"initial", 0, false, SAC_FN(sac_rung_fn, sac_rung_initial)},
    {"pruned", 0, false, SAC_FN(sac_rung_fn, sac_rung_pruned)},
    {"intra-kernel", 0, false, SAC_FN(sac_rung_fn, sac_rung_intra)},
    {"fused-7", 0, false, SAC_FN(sac_rung_fn, sac_rung_fused_7)},
    {"unconditional", 0, false, SAC_FN(sac_rung_fn, sac_rung_unconditional)},
    {"graph", 0, false, SAC_FN(sac_rung_fn, sac_rung_graph)},
    {"fused-a", 0, false, SAC_FN(sac_rung_fn, sac_rung_fused_a)},
    {"fused-b", 0, false, SAC_FN(sac_rung_fn, sac_rung_fused_b)},
    {"fused-c", 0, false, SAC_FN(sac_rung_fn, sac_rung_fused_c)},
    {"grid-sync", 0, false, SAC_FN(sac_rung_fn, sac_rung_grid_sync)},
    {"label-rows", 0, false, SAC_FN(sac_rung_fn, sac_rung_grid_sync)},
    {"label-blocks", 0, false, SAC_FN(sac_rung_fn, sac_rung_label_blocks)},
    {"regions-6", 0, false, SAC_FN(sac_rung_fn, sac_rung_grid_sync)},
    {"regions-1", 0, false, SAC_FN(sac_rung_fn, sac_rung_regions_1)},
    {"tensor", 0, false, SAC_FN(sac_rung_fn, sac_rung_tensor)},
    {"persistent", 0, false, SAC_FN(sac_rung_fn, sac_rung_persistent)},
    {"grid-sync-1", 0, false, SAC_FN(sac_rung_fn, sac_rung_grid_sync_1)},
    {"grid-sync-2", 0, false, SAC_FN(sac_rung_fn, sac_rung_grid_sync_2)},
    {"grid-sync-4", 0, false, SAC_FN(sac_rung_fn, sac_rung_grid_sync_4)},
    {"grid-sync-8", 0, false, SAC_FN(sac_rung_fn, sac_rung_grid_sync_8)},
    {"grid-sync-16", 0, false, SAC_FN(sac_rung_fn, sac_rung_grid_sync_16)},
    {"grid-sync-32", 0, false, SAC_FN(sac_rung_fn, sac_rung_grid_sync_32)},
    {"persistent-1", 0, false, SAC_FN(sac_rung_fn, sac_rung_persistent_1)},
    {"persistent-2", 0, false, SAC_FN(sac_rung_fn, sac_rung_persistent_2)},
    {"persistent-4", 0, false, SAC_FN(sac_rung_fn, sac_rung_persistent_4)},
    {"persistent-8", 0, false, SAC_FN(sac_rung_fn, sac_rung_persistent_8)},
    {"persistent-16", 0, false, SAC_FN(sac_rung_fn, sac_rung_persistent_16)},
    {"persistent-32", 0, false, SAC_FN(sac_rung_fn, sac_rung_persistent_32)},
    {0},
};

typedef struct buffers {
    sac_rung_call call; /* all but the case's memory */
    void *memory, *pinned;
    sac_meltpool_signals *signals;
} buffers;

static size_t lay_out(buffers *b, uint8_t *memory, int64_t n)
{
    sac_rung_call *call = &b->call;
    sac_rung_tasks *t = &call->tasks;
    const sac_meltpool_places *p = &call->places;
    const size_t pixels = (size_t)p->w * (size_t)p->h, roi = (size_t)p->roi * (size_t)(p->roi + 1);
    const size_t labels = 4 * ((pixels > roi ? pixels : roi) + 4);
    size_t used = 0;
    call->signals = b->signals = sac_check_take(memory, &used, (size_t)n * sizeof *b->signals);
    call->ring =
        sac_check_take(memory, &used, (size_t)p->n_rows * SAC_MELTPOOL_RING_ROW * sizeof(float));
    call->turn = sac_check_take(memory, &used, 2 * sizeof *call->turn);
    call->gate = sac_check_take(memory, &used, 2 * sizeof *call->gate);
    call->features = sac_check_take(
        memory, &used, SAC_RUNG_BATCH * SAC_MELTPOOL_FEATURES * sizeof *call->features);
    call->predictions = sac_check_take(
        memory, &used, SAC_RUNG_BATCH * SAC_MELTPOOL_PREDICTIONS * sizeof *call->predictions);
    call->frames = sac_check_take(memory, &used, SAC_RUNG_BATCH * sizeof *call->frames);
    t->labels = sac_check_take(memory, &used, labels);
    t->bins = sac_check_take(memory, &used, labels);
    t->gx = sac_check_take(memory, &used, pixels * sizeof *t->gx);
    t->gy = sac_check_take(memory, &used, pixels * sizeof *t->gy);
    t->maximum = sac_check_take(memory, &used, sizeof *t->maximum);
    t->nearest = sac_check_take(memory, &used, sizeof *t->nearest);
    t->changed = sac_check_take(memory, &used, sizeof *t->changed);
    t->z = sac_check_take(memory, &used, SAC_MELTPOOL_FEATURES * sizeof *t->z);
    t->hidden = sac_check_take(memory, &used, (size_t)call->net.n_units * sizeof *t->hidden);
    t->prediction = sac_check_take(memory, &used, SAC_MELTPOOL_PREDICTIONS * sizeof *t->prediction);
    return used;
}

/* The stream's part in page-locked memory, with the word that is asked for. */
static size_t lay_out_host(buffers *b, uint8_t *memory)
{
    sac_rung_call *call = &b->call;
    sac_rung_host *host = &call->host;
    const size_t n = (size_t)call->n, h = (size_t)call->places.h, w = (size_t)call->places.w;
    size_t used = 0;
    call->here = sac_check_take(memory, &used, sizeof *call->here);
    host->signals = sac_check_take(memory, &used, n * sizeof *host->signals);
    host->rows = sac_check_take(memory, &used, n * SAC_RUNG_VALUES * sizeof *host->rows);
    host->pixels = sac_check_take(memory, &used, n * h * w);
    return used;
}

/* Frames, in the CPU's memory, and signals into the ring. It has no rows. */
static void fill_host(const sac_rung_call *call, const sac_check_arg *frames,
                      const sac_meltpool_signals *signals)
{
    const size_t n = (size_t)call->n, w = (size_t)call->places.w;
    memcpy(call->host.signals, signals, n * sizeof *signals);
    memset(call->host.rows, 0xFF, n * SAC_RUNG_VALUES * sizeof *call->host.rows);
    for (int64_t y = 0; y < call->n * call->places.h; y++)
        memcpy(call->host.pixels + (size_t)y * w, frames->data + y * frames->row, w);
}

static sac_status upload(buffers *b, sac_gpu *gpu, const sac_meltpool_signals *signals)
{
    const sac_gpu_stream stream = sac_gpu_main_stream(gpu);
    sac_status status = sac_gpu_enter(gpu);
    if (status)
        return status;
    status = sac_gpu_copy(b->signals, signals, (size_t)b->call.n * sizeof *signals, stream);
    const sac_status waited = sac_gpu_wait(stream);
    sac_gpu_leave(gpu);
    return status ? status : waited;
}

sac_status sac_meltpool_check_open_cuda(sac_check_case *c, sac_gpu *gpu, const sac_meltpool *plan,
                                        const sac_check_arg *frames,
                                        const sac_meltpool_signals *signals)
{
    buffers *b = sac_alloc(1, sizeof *b);
    if (!b)
        return SAC_E_NOMEM;
    c->cuda = b;
    b->call.places = plan->places;
    b->call.places.n_rows = plan->places.window + 2 * SAC_RUNG_PARALLEL; /* of two turns */
    b->call.n = c->w;
    sac_status status = SAC_OK;
    if (plan->net)
        status = sac_meltpool_net_cuda_open(&b->call.net, gpu, plan->net, NULL);
    if (status == SAC_OK)
        status = sac_gpu_alloc(gpu, &b->memory, lay_out(b, NULL, c->w), NULL);
    if (status == SAC_OK)
        status = sac_gpu_alloc_pinned(gpu, &b->pinned, lay_out_host(b, NULL), NULL);
    if (status)
        return status;
    (void)lay_out(b, b->memory, c->w);
    (void)lay_out_host(b, b->pinned);
    fill_host(&b->call, frames, signals);
    return upload(b, gpu, signals);
}

void sac_meltpool_check_close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    buffers *b = c->cuda;
    if (b) {
        sac_meltpool_net_cuda_close(&b->call.net, gpu);
        sac_gpu_free(gpu, b->memory);
        sac_gpu_free_pinned(gpu, b->pinned);
    }
    sac_free(b);
    c->cuda = NULL;
}

sac_status sac_meltpool_check_call_cuda(sac_any_fn fn, sac_gpu_stream stream,
                                        const sac_check_case *c, const sac_check_arg *out,
                                        const sac_check_arg *frames)
{
    sac_rung_call call = ((const buffers *)c->cuda)->call;
    call.out = (char *)out->data;
    call.out_row = out->row;
    call.pixels = frames->data;
    call.row = frames->row;
    call.frame = call.places.h * frames->row;
    return ((sac_rung_fn)fn)(stream, &call);
}
