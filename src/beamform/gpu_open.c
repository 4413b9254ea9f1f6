/*
 * Opening and closing the GPU's part of a beamform plan: its kernels, all of its memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "beamform/gpu_plan.h"

#define MEMORY_BYTES 0x1p30 /* that a plan takes, unless one frame needs more */
#define GROUP 4             /* frames: a step between sizes of a batch */

/* Bytes of one frame on the device; 0 where there is no such step. What a desc may ask for (2^16
 * elements and transmits, 2^24 samples, 2^28 points) leaves each below 2^60. */
typedef struct frame_bytes {
    size_t in, records, packed, image, envelope, out;
} frame_bytes;

static frame_bytes bytes_of(const sac_beamform *plan, uint32_t steps)
{
    const sac_beamform_desc *d = &plan->desc;
    const sac_das *das = &plan->das;
    size_t n_records = (size_t)das->n_tx * (size_t)das->n_rx;
    size_t n_values = (size_t)das->n_points * (size_t)sac_das_images(das);
    size_t sample = (size_t)sac_beamform_sample_size(plan), n = (size_t)das->n_samples;
    bool fused = steps & SAC_STEP_FUSED;
    frame_bytes b = {
        .in = n_records * (size_t)d->n_samples * sac_dtype_size(d->dtype),
        .out = n_values * sac_dtype_size(sac_beamform_get_output_array(plan).dtype),
    };
    if ((steps & (SAC_STEP_FILTER | SAC_STEP_HALVE)) && !fused)
        b.records = n_records * n * sample;
    if (steps & SAC_STEP_PACK)
        b.packed = n_records * (n + SAC_DAS_GAP) * sample;
    if (steps & (SAC_STEP_MAGNITUDE | SAC_STEP_HILBERT))
        b.image = n_values * (plan->iq ? 2 : 1) * sizeof(float);
    if ((steps & SAC_STEP_COMPRESS) && (steps & SAC_STEP_HILBERT))
        b.envelope = n_values * sizeof(float);
    return b;
}

/* How a batch of n frames lies when it is beamformed: how many side by side, in which type, and the
 * plan's steps with those that bring it there. */
typedef struct batch_layout {
    int32_t group, sample; /* sample: bytes */
    uint32_t steps;
} batch_layout;

static batch_layout layout_of(const sac_beamform *plan, int32_t n)
{
    sac_das das = plan->das;
    int32_t size = sac_beamform_sample_size(plan);
    das.n_frames = n;
    batch_layout l = {.sample = size, .steps = plan->steps};
    bool filters = sac_beamform_does(plan, SAC_STEP_FILTER);
    if (sac_das_cuda_takes_half(&das, size, (sac_tier)plan->desc.tier)) {
        l.group = SAC_DAS_HALF_GROUP;
        l.sample = 2 * (int32_t)sizeof(int16_t);
        l.steps |= SAC_STEP_PACK | SAC_STEP_HALVE;
        return l;
    }
    l.group = sac_das_cuda_group(&das, size);
    if (l.group > 1 || (!filters && plan->desc.layout == SAC_FRAMES_INNER))
        l.steps |= SAC_STEP_PACK;
    return l;
}

/* Bytes that a batch of n frames takes, groups filled up. */
static double batch_bytes(const sac_beamform *plan, int32_t n)
{
    batch_layout l = layout_of(plan, n);
    frame_bytes b = bytes_of(plan, l.steps);
    int32_t padded = (n + l.group - 1) / l.group * l.group;
    double of_frame = SAC_BEAMFORM_SLOTS * ((double)b.in + (double)b.out) + (double)b.image +
                      (double)b.envelope + (double)b.records;
    double packed = (double)b.packed * l.sample / sac_beamform_sample_size(plan);
    return n * of_frame + padded * packed;
}

/* Frames of a batch: as many as fit, few of them in whole units. */
static int32_t batch_of(const sac_beamform *plan)
{
    int32_t n = plan->das.n_frames; /* at most SAC_BEAMFORM_BATCH */
    while (n > 1 && batch_bytes(plan, n) > MEMORY_BYTES)
        n = n > GROUP ? (n - 1) / GROUP * GROUP : n - 1;
    return n;
}

static sac_status open_slot(sac_beamform_slot *slot, sac_beamform_gpu *g, size_t in, size_t out,
                            sac_error *err)
{
    sac_status status = SAC_OK;
    if (in)
        status = sac_gpu_alloc(g->gpu, &slot->in, in, err);
    if (status == SAC_OK)
        status = sac_gpu_alloc(g->gpu, &slot->out, out, err);
    if (status)
        return status;
    if (sac_gpu_event_open_untimed(g->gpu, &slot->here) != SAC_OK ||
        sac_gpu_event_open_untimed(g->gpu, &slot->done) != SAC_OK ||
        sac_gpu_event_open_untimed(g->gpu, &slot->gone) != SAC_OK)
        return sac_fail(err, SAC_E_DEVICE, "device: refused an event");
    return SAC_OK;
}

static sac_status allocate(sac_beamform_gpu *g, const sac_beamform *plan, sac_error *err)
{
    const frame_bytes b = bytes_of(plan, plan->steps);
    const size_t n = (size_t)plan->das.n_frames, sample = (size_t)sac_beamform_sample_size(plan);
    const struct {
        void **memory;
        size_t bytes;
    } buffers[] = {
        {&g->records, n * b.records},
        {&g->packed, b.packed ? (size_t)g->n_packed * sample : 0},
        {(void **)&g->image, n * b.image},
        {(void **)&g->envelope, n * b.envelope},
        {(void **)&g->maximum, sac_beamform_does(plan, SAC_STEP_COMPRESS) ? n * sizeof(float) : 0},
        {(void **)&g->largest, sac_beamform_does(plan, SAC_STEP_HALVE) ? sizeof(float) : 0},
    };
    sac_status status = SAC_OK;
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0] && status == SAC_OK; i++)
        if (buffers[i].bytes)
            status = sac_gpu_alloc(g->gpu, buffers[i].memory, buffers[i].bytes, err);
    g->das.largest = g->largest;
    int n_slots = g->waits ? SAC_BEAMFORM_SLOTS : 1;
    for (int i = 0; i < n_slots && status == SAC_OK; i++)
        status = open_slot(&g->slot[i], g, g->waits ? n * b.in : 0, n * b.out, err);
    if (status == SAC_OK && g->waits)
        status =
            sac_stage_open(&g->stage, g->gpu, plan->pool, n * (b.in > b.out ? b.in : b.out), err);
    return status;
}

/* " ROOM:NAME" behind what there is. */
static void name(sac_beamform *plan, const char *room, const char *rung)
{
    size_t at = strlen(plan->variant);
    snprintf(plan->variant + at, sizeof plan->variant - at, "%s%s:%s", at ? " " : "", room, rung);
}

/* The last steps that are decided, and the kernels, named in the order of a run. */
static void choose(sac_beamform_gpu *g, sac_beamform *plan)
{
    const char *rung, *own = "cuda";
    int32_t size = sac_beamform_sample_size(plan);
    const batch_layout layout = layout_of(plan, plan->das.n_frames);
    plan->steps = layout.steps;
    bool filters = sac_beamform_does(plan, SAC_STEP_FILTER);
    bool half = sac_beamform_does(plan, SAC_STEP_HALVE);
    g->n_packed = sac_das_cuda_pack_layout(&g->das, layout.group);
    g->n_packed += half ? SAC_DAS_HALF_GROUP : 0; /* that can be read */
    if (filters && !half && sac_beamform_does(plan, SAC_STEP_PACK) &&
        sac_demodulate_cuda_packs(&g->demodulate, sac_beamform_does(plan, SAC_STEP_RESTORE)))
        plan->steps |= SAC_STEP_FUSED;
    g->beamform = sac_das_cuda_choose(&rung, g->das.group, size, (sac_tier)plan->desc.tier, half);
    if (filters)
        name(plan, plan->desc.dtype == SAC_I16 ? "demodulate_i16" : "demodulate_f32", own);
    if (sac_beamform_does(plan, SAC_STEP_PACK) && !sac_beamform_does(plan, SAC_STEP_FUSED))
        name(plan, size == 8 ? "pack_c64" : size == 4 ? "pack_f32" : "pack_i16", own);
    name(plan, size == 8 ? "das_iq_f32" : size == 4 ? "das_rf_f32" : "das_rf_i16", rung);
    if (sac_beamform_does(plan, SAC_STEP_MAGNITUDE | SAC_STEP_HILBERT))
        name(plan, plan->iq ? "envelope_c64" : "hilbert_f32", own);
    if (sac_beamform_does(plan, SAC_STEP_COMPRESS))
        name(plan, "compress_f32", own);
    sac_hilbert_init(&plan->taps);
    sac_log_line(plan->desc.log, SAC_LOG_INFO, "beamform: %s, cuda:%d, %d frames at a time",
                 plan->variant, plan->desc.device.index, plan->das.n_frames);
}

/* Everything but the device itself. */
static sac_status open_parts(sac_beamform_gpu *g, sac_beamform *plan, sac_error *err)
{
    plan->das.n_frames = batch_of(plan);
    sac_status status = sac_das_cuda_open(&g->das, &g->geometry, &plan->das, g->gpu, err);
    if (status == SAC_OK && sac_beamform_does(plan, SAC_STEP_FILTER))
        status = sac_demodulate_cuda_open(&g->demodulate, sac_demodulator_plan(plan->demodulator),
                                          g->gpu, err);
    if (status == SAC_OK && g->waits)
        status = sac_pool_open(&plan->pool, plan->desc.n_threads, plan->desc.executor, err);
    if (status)
        return status;
    choose(g, plan);
    return allocate(g, plan, err);
}

sac_status sac_beamform_gpu_open(sac_beamform *plan, sac_error *err)
{
    int32_t index = plan->desc.device.index;
    if (plan->desc.variant)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "variant: can be forced on the CPU only, and the device is cuda:%d", index);
    sac_beamform_gpu *g = plan->gpu = sac_alloc(1, sizeof *g);
    if (!g)
        return sac_fail(err, SAC_E_NOMEM, "beamform: no memory for the plan");
    sac_status status = sac_gpu_open(&g->gpu, index, err);
    if (status)
        return status;
    g->waits = plan->desc.stream == NULL;
    g->stream = g->waits ? sac_gpu_main_stream(g->gpu) : plan->desc.stream;
    if (sac_gpu_enter(g->gpu))
        return sac_fail(err, SAC_E_DEVICE, "device: cuda:%d is lost", index);
    status = open_parts(g, plan, err);
    sac_gpu_leave(g->gpu);
    return status;
}

static void close_parts(sac_beamform_gpu *g)
{
    sac_stage_close(&g->stage);
    sac_demodulate_cuda_close(&g->demodulate, g->gpu);
    for (int i = 0; i < SAC_BEAMFORM_SLOTS; i++) {
        sac_gpu_event_close(&g->slot[i].here);
        sac_gpu_event_close(&g->slot[i].done);
        sac_gpu_event_close(&g->slot[i].gone);
        sac_gpu_free(g->gpu, g->slot[i].in);
        sac_gpu_free(g->gpu, g->slot[i].out);
    }
    void *memory[] = {g->geometry, g->records, g->packed, g->image,
                      g->envelope, g->maximum, g->largest};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        sac_gpu_free(g->gpu, memory[i]);
}

void sac_beamform_gpu_close(sac_beamform_gpu **gpu)
{
    if (!*gpu)
        return;
    sac_beamform_gpu *g = *gpu;
    bool entered = g->gpu && sac_gpu_enter(g->gpu) == SAC_OK;
    if (g->gpu)
        close_parts(g);
    if (entered)
        sac_gpu_leave(g->gpu);
    sac_gpu_close(&g->gpu);
    sac_free(g);
    *gpu = NULL;
}
