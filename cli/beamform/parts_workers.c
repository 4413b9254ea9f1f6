/*
 * saccade beamform of many frames: a worker's plan and memory, and a part's way through them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "parts.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks.h"
#include "videos.h"

typedef cli_beamform_parts parts;

typedef struct worker {
    sac_beamform *plan;
    sac_array image;
    void *filled;  /* samples of the last part, and zeros; NULL until there is one */
    float *on_gpu; /* the image, where GPUs add up; NULL until there is one */
    sac_device device;
} worker;

/* Ends a part of minutes. A GPU's are short, and its plan would wait after each batch. */
static bool may_go_on(void *ctx, uint64_t done, uint64_t total)
{
    (void)ctx, (void)done, (void)total;
    return !cli_interrupted() && !cli_ranks_stopped();
}

/* GPUs of different kinds have different variants, and come in any order. */
static sac_status keep_variant(parts *p, const sac_beamform *plan)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const char *variant = sac_beamform_get_variant(plan);
    pthread_mutex_lock(&lock);
    if (!p->variant || strcmp(variant, p->variant) < 0) {
        free(p->variant);
        p->variant = strdup(variant);
    }
    const sac_status st = p->variant ? SAC_OK : SAC_E_NOMEM;
    pthread_mutex_unlock(&lock);
    return st;
}

static sac_status open_worker(void *ctx, void **state, sac_device device, sac_error *err)
{
    parts *p = ctx;
    worker *w = calloc(1, sizeof *w);
    if (!w) {
        return cli_beamform_parts_no_memory(err, "a worker");
    }
    *state = w;
    w->device = device;
    sac_beamform_desc desc = p->job->desc;
    desc.device = device;
    desc.n_frames = p->n_part;
    desc.progress = device.kind == SAC_DEVICE_CPU ? may_go_on : NULL;
    desc.memory_mb = p->memory_mb;
    cli_beamform_parts_some_desc(p, &desc);
    sac_status st = sac_beamform_open(&w->plan, &desc, err);
    if (st != SAC_OK) {
        return st;
    }
    w->image = sac_beamform_get_output_array(w->plan);
    if (!cli_beamform_image_memory(&w->image)) {
        return cli_beamform_parts_no_memory(err, "an image of %" PRId64 " values",
                                            sac_array_count(&w->image));
    }
    st = keep_variant(p, w->plan);
    return st == SAC_OK ? st : cli_beamform_parts_no_memory(err, "a variant's name");
}

static void close_worker(void *ctx, void *state)
{
    worker *w = state;
    (void)ctx;
    sac_beamform_close(&w->plan);
    free(w->image.data);
    free(w->filled);
    cli_ranks_gpus_free(w->on_gpu);
    free(w);
}

static bool is_wanted(void *ctx, const sac_batch_part *part)
{
    const parts *p = ctx;
    return !sac_image_parts_has(p->writer, part->index);
}

/* The last part's samples, and zeros behind them. */
static sac_status fill_up(const parts *p, worker *w, sac_array *in, sac_error *err)
{
    const size_t bytes = (size_t)cli_beamform_parts_bytes(in);
    const size_t all = bytes / (size_t)in->shape[0] * (size_t)p->n_part;
    w->filled = w->filled ? w->filled : malloc(all);
    if (!w->filled) {
        return cli_beamform_parts_no_memory(err, "%" PRId64 " frames", p->n_part);
    }
    memcpy(w->filled, in->data, bytes);
    memset((char *)w->filled + bytes, 0, all - bytes);
    in->data = w->filled;
    in->shape[0] = p->n_part;
    return SAC_OK;
}

static sac_status read_part(const parts *p, sac_recording **recording, const sac_batch_part *part,
                            sac_error *err)
{
    char where[CLI_SAMPLE_TEXT], transmits[48];
    sac_recording_desc desc = p->job->recording_desc;
    desc.first_frame = p->first_frame + part->first;
    desc.n_frames = part->n;
    desc.first_transmit = p->first_transmit;
    desc.n_transmits = p->some.n_transmits;
    const sac_status st = sac_recording_read(recording, p->job->input, &desc, err);
    if (st != SAC_OK) {
        return st;
    }
    const sac_array in = sac_recording_get_array(*recording);
    if (cli_recording_bad_sample(where, &in) < 0) {
        return SAC_OK;
    }
    err->status = SAC_E_FORMAT;
    snprintf(transmits, sizeof transmits, ", transmits from %" PRId64, desc.first_transmit);
    snprintf(err->text, sizeof err->text, "`%s`: frames from %" PRId64 "%s on: samples: %s",
             p->job->input, desc.first_frame, desc.first_transmit ? transmits : "", where);
    return SAC_E_FORMAT;
}

/* Where the plan leaves the image of a part. */
static sac_status place(const parts *p, worker *w, sac_array *image, sac_error *err)
{
    *image = w->image;
    if (!p->sums_on_gpus) {
        return SAC_OK;
    }
    const int64_t bytes = cli_beamform_parts_bytes(image);
    w->on_gpu = w->on_gpu ? w->on_gpu : cli_ranks_gpus_alloc((size_t)bytes / sizeof *w->on_gpu);
    image->data = w->on_gpu;
    image->device = w->device;
    return w->on_gpu
               ? SAC_OK
               : cli_beamform_parts_no_memory(err, "an image of %" PRId64 " values on the GPU",
                                              sac_array_count(image));
}

static sac_status work(void *ctx, void *state, const sac_batch_part *part, sac_error *err)
{
    parts *p = ctx;
    worker *w = state;
    sac_recording *recording = NULL;
    const int64_t start_ns = cli_clock_ns();
    sac_status st = read_part(p, &recording, part, err);
    atomic_fetch_add(&p->read_ns, cli_clock_ns() - start_ns);
    if (st == SAC_OK) {
        sac_array in = sac_recording_get_array(recording);
        st = part->n < p->n_part ? fill_up(p, w, &in, err) : SAC_OK;
        sac_array image;
        st = st ? st : place(p, w, &image, err);
        st = st ? st : sac_beamform_run(w->plan, &image, &in, err);
    }
    sac_recording_close(&recording);
    return st;
}

static sac_status write_part(parts *p, const sac_batch_part *part, const sac_array *image,
                             sac_error *err)
{
    if (!atomic_load(&p->is_lit) && !cli_beamform_is_dark(p->job, image)) {
        atomic_store(&p->is_lit, true);
    }
    const int64_t start_ns = cli_clock_ns();
    const sac_status st = sac_image_parts_write(p->writer, part->index, image, err);
    atomic_fetch_add(&p->write_ns, cli_clock_ns() - start_ns);
    if (st != SAC_OK) {
        return st;
    }
    const int64_t n = atomic_fetch_add(&p->n_done, part->n) + part->n;
    /* Of ranks each knows its own frames; the others are about as far. */
    cli_progress_step(&p->progress, (uint64_t)n * (p->n_sharing > 0 ? 1 : (uint64_t)cli_ranks()),
                      (uint64_t)p->n_frames);
    return cli_interrupted() || cli_ranks_stopped() ? SAC_CANCELLED : SAC_OK;
}

static sac_status done(void *ctx, void *state, const sac_batch_part *part, sac_error *err)
{
    parts *p = ctx;
    worker *w = state;
    sac_array image = w->image;
    image.shape[0] = part->n;
    const sac_status st = cli_beamform_parts_sum(p, &image, w->on_gpu, err);
    return st == SAC_OK && (cli_rank() == 0 || p->n_sharing == 0) ? write_part(p, part, &image, err)
                                                                  : st;
}

static void lost(void *ctx, sac_device device, const sac_error *why)
{
    parts *p = ctx;
    char text[32];
    cli_progress_hide(&p->progress);
    cli_warn("%s failed (%s): the others do its frames", sac_device_text(device, text, sizeof text),
             why->text);
}

void cli_beamform_parts_workers(sac_batch_desc *desc, cli_beamform_parts *p)
{
    desc->ctx = p;
    desc->open = open_worker, desc->is_wanted = is_wanted, desc->work = work;
    desc->done = done, desc->lost = lost, desc->close = close_worker;
}
