/*
 * Calls that take a struct with a size: each filled so that it succeeds.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STRUCT_CALLS_H
#define STRUCT_CALLS_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/beamform.h>
#include <saccade/flow.h>
#include <saccade/delta.h>
#include <saccade/device.h>
#include <saccade/equalize.h>
#include <saccade/frame_link.h>
#include <saccade/frames.h>
#include <saccade/jitter.h>
#include <saccade/ladder.h>
#include <saccade/meltpool_curves.h>
#include <saccade/motion.h>
#include <saccade/recording.h>
#include <saccade/records.h>
#include <saccade/simulate.h>
#include <saccade/simulate_meltpool.h>
#include <saccade/stream.h>
#include <saccade/video.h>

#include "unit.h"

/* A struct that a call takes: filled so that it succeeds, and that call. */
typedef struct sized {
    const char *name;
    size_t bytes_0_1;
    void (*fill)(void *s);
    sac_status (*use)(const void *s, sac_error *err);
} sized;

static uint8_t pixels[96 * 96 * 3];

static void fill_equalize(void *s)
{
    sac_equalize_desc *d = s;
    sac_equalize_desc_init(d);
    d->dtype = SAC_U8;
    d->w = d->h = 8;
}

static sac_status use_equalize(const void *s, sac_error *err)
{
    sac_equalize *plan = NULL;
    const sac_status status = sac_equalize_open(&plan, s, err);
    sac_equalize_close(&plan);
    return status;
}

static sac_element elements[2];
static sac_transmit transmits[1];

static void fill_acquisition(void *s)
{
    sac_acquisition *a = s;
    sac_acquisition_init(a);
    sac_probe_linear(elements, 2, 3e-4, 2e-4, 5e-3);
    transmits[0] = (sac_transmit){.kind = SAC_TRANSMIT_PLANE, .weight = 1};
    a->elements = elements;
    a->n_elements = 2;
    a->transmits = transmits;
    a->n_transmits = 1;
    a->fs_hz = 20e6;
    a->fc_hz = 5e6;
}

static sac_status use_acquisition(const void *s, sac_error *err)
{
    return sac_acquisition_check(s, err);
}

static void fill_beamform(void *s)
{
    static sac_acquisition acquisition;
    sac_beamform_desc *d = s;
    fill_acquisition(&acquisition);
    sac_beamform_desc_init(d);
    d->acquisition = &acquisition;
    d->dtype = SAC_C64;
    d->n_frames = 1;
    d->n_samples = 64;
    d->grid = (sac_grid){.first_m = {0, 0, 1e-3}, .last_m = {0, 0, 2e-3}, .n = {1, 1, 4}};
}

static sac_status use_beamform(const void *s, sac_error *err)
{
    sac_beamform *plan = NULL;
    const sac_status status = sac_beamform_open(&plan, s, err);
    sac_beamform_close(&plan);
    return status;
}

static void fill_flow(void *s)
{
    sac_flow_desc *d = s;
    sac_flow_desc_init(d);
    d->n_frames = 4;
    d->prf_hz = 1000;
    d->fc_hz = 5e6;
}

static sac_status use_flow(const void *s, sac_error *err)
{
    sac_flow *plan = NULL;
    const sac_status status = sac_flow_open(&plan, s, err);
    sac_flow_close(&plan);
    return status;
}

static void fill_ultrasound(void *s)
{
    static sac_acquisition acquisition;
    static const sac_scatterer scatterer = {.position_m = {0, 0, 1e-3}, .amplitude = 1};
    sac_ultrasound_desc *d = s;
    fill_acquisition(&acquisition);
    sac_ultrasound_desc_init(d);
    d->acquisition = &acquisition;
    d->scatterers = &scatterer;
    d->n_scatterers = 1;
    d->n_samples = 16;
}

static sac_status use_ultrasound(const void *s, sac_error *err)
{
    float samples[2 * 16];
    sac_array out;
    assert_ok(sac_array_view(&out, samples, SAC_F32, 3, (const int64_t[]){1, 2, 16}, err), err);
    return sac_simulate_ultrasound(&out, s, err);
}

static void fill_heatmap(void *s)
{
    sac_heatmap_desc *d = s;
    sac_heatmap_desc_init(d);
    d->w = d->h = 8;
}

static sac_status use_heatmap(const void *s, sac_error *err)
{
    sac_heatmap *plan = NULL;
    const sac_status status = sac_heatmap_open(&plan, s, err);
    sac_heatmap_close(&plan);
    return status;
}

static void fill_noise(void *s)
{
    sac_noise_desc *d = s;
    sac_noise_desc_init(d);
    d->w = d->h = 8;
}

static sac_status use_noise(const void *s, sac_error *err)
{
    sac_noise *plan = NULL;
    const sac_status status = sac_noise_open(&plan, s, err);
    sac_noise_close(&plan);
    return status;
}

static void fill_denoise(void *s)
{
    sac_denoise_desc *d = s;
    sac_denoise_desc_init(d);
    d->w = d->h = 8;
}

static sac_status use_denoise(const void *s, sac_error *err)
{
    sac_denoise *plan = NULL;
    const sac_status status = sac_denoise_open(&plan, s, err);
    sac_denoise_close(&plan);
    return status;
}

static void fill_adjust(void *s)
{
    sac_adjust_desc *d = s;
    sac_adjust_desc_init(d);
    d->w = d->h = 8;
}

static sac_status use_adjust(const void *s, sac_error *err)
{
    sac_adjust *plan = NULL;
    const sac_status status = sac_adjust_open(&plan, s, err);
    sac_adjust_close(&plan);
    return status;
}

static void fill_encode(void *s)
{
    sac_delta_encode_desc *d = s;
    sac_delta_encode_desc_init(d);
    d->w = d->h = 16;
}

/* A build without zstd refuses a plan once it has taken the struct. */
static sac_status unless_no_zstd(sac_status status)
{
    return status == SAC_E_UNSUPPORTED && !strstr(sac_delta_parts(), "zstd") ? SAC_OK : status;
}

static sac_status use_encode(const void *s, sac_error *err)
{
    sac_delta_encode *plan = NULL;
    const sac_status status = sac_delta_encode_open(&plan, s, err);
    sac_delta_encode_close(&plan);
    return unless_no_zstd(status);
}

static void fill_decode(void *s)
{
    sac_delta_decode_desc_init(s);
}

static sac_status use_decode(const void *s, sac_error *err)
{
    sac_delta_decode *plan = NULL;
    const sac_status status = sac_delta_decode_open(&plan, s, err);
    sac_delta_decode_close(&plan);
    return unless_no_zstd(status);
}

static void fill_meltpool(void *s)
{
    sac_meltpool_desc_init(s);
}

static sac_status use_meltpool(const void *s, sac_error *err)
{
    sac_meltpool *plan = NULL;
    const sac_status status = sac_meltpool_open(&plan, s, err);
    sac_meltpool_close(&plan);
    return status;
}

static void fill_model(void *s)
{
    static float numbers[SAC_MELTPOOL_FEATURES], ones[SAC_MELTPOOL_FEATURES];
    for (int i = 0; i < SAC_MELTPOOL_FEATURES; i++)
        ones[i] = 1;
    *(sac_meltpool_model *)s = (sac_meltpool_model){.struct_size = sizeof(sac_meltpool_model),
                                                    .n_hidden = 1,
                                                    .mean = numbers,
                                                    .scale = ones,
                                                    .w1 = numbers,
                                                    .b1 = numbers,
                                                    .w2 = numbers,
                                                    .b2 = numbers};
}

static sac_status use_model(const void *s, sac_error *err)
{
    sac_meltpool_desc desc;
    sac_meltpool_desc_init(&desc);
    desc.model = s;
    return use_meltpool(&desc, err);
}

static void fill_simulation(void *s)
{
    sac_simulate_meltpool_desc *d = s;
    sac_simulate_meltpool_desc_init(d);
    d->n_frames = 1;
}

static sac_status use_simulation(const void *s, sac_error *err)
{
    sac_meltpool_sim *sim = NULL;
    const sac_status status = sac_meltpool_sim_open(&sim, s, err);
    sac_meltpool_sim_close(&sim);
    return status;
}

static void nothing(void *ctx, sac_stream_frame *frames, int32_t n)
{
    (void)ctx;
    (void)frames;
    (void)n;
}

static void fill_stream(void *s)
{
    sac_stream_desc *d = s;
    sac_stream_desc_init(d);
    d->frame_bytes = 64;
    d->work = nothing;
}

static sac_status use_stream(const void *s, sac_error *err)
{
    sac_stream *stream = NULL;
    const sac_status status = sac_stream_open(&stream, s, err);
    sac_stream_close(&stream);
    return status;
}

static void fill_jitter(void *s)
{
    sac_jitter_desc *d = s;
    sac_jitter_desc_init(d);
    d->seconds = 0.01;
}

static sac_status use_jitter(const void *s, sac_error *err)
{
    return sac_jitter_run(NULL, NULL, s, err);
}

static uint8_t *give_slot(void *ctx)
{
    (void)ctx;
    return pixels;
}

static bool complete(void *ctx, const sac_frame_arrival *frame)
{
    (void)ctx;
    return frame != NULL;
}

static void fill_receiver(void *s)
{
    sac_frame_receiver_desc *d = s;
    sac_frame_receiver_desc_init(d);
    d->sink = (sac_frame_sink){.slot = give_slot, .complete = complete};
}

static sac_status use_receiver(const void *s, sac_error *err)
{
    sac_frame_assembler *assembler = NULL;
    const sac_status status = sac_frame_assembler_open(&assembler, s, err);
    sac_frame_assembler_close(&assembler);
    return status;
}

static void fill_sender(void *s)
{
    sac_frame_sender_desc *d = s;
    sac_frame_sender_desc_init(d);
    d->to = "udp://127.0.0.1:9";
}

static sac_status use_sender(const void *s, sac_error *err)
{
    sac_frame_sender *sender = NULL;
    const sac_status status = sac_frame_sender_open(&sender, s, err);
    sac_frame_sender_close(&sender);
    return status;
}

static const sized all[] = {
    {"equalize", 120, fill_equalize, use_equalize},
    {"acquisition", 88, fill_acquisition, use_acquisition},
    {"beamform", 256, fill_beamform, use_beamform},
    {"flow", 184, fill_flow, use_flow}, /* of 0.2 */
    {"ultrasound", 88, fill_ultrasound, use_ultrasound},
    {"heatmap", 80, fill_heatmap, use_heatmap},
    {"noise", 80, fill_noise, use_noise},
    {"denoise", 104, fill_denoise, use_denoise},
    {"adjust", 112, fill_adjust, use_adjust},
    {"encode", 96, fill_encode, use_encode},
    {"decode", 48, fill_decode, use_decode},
    {"meltpool", 184, fill_meltpool, use_meltpool},
    {"model", 64, fill_model, use_model},
    {"simulation", 32, fill_simulation, use_simulation},
    {"stream", 96, fill_stream, use_stream},
    {"jitter", 32, fill_jitter, use_jitter},
    {"receiver", 88, fill_receiver, use_receiver},
    {"sender", 112, fill_sender, use_sender},
};
enum { N_ALL = sizeof all / sizeof all[0] };

#endif
