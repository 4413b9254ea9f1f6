/*
 * Inputs over several GPUs, by sac_batch: a part is an input. What an input gave is kept until its
 * turn comes, by input, not by worker: so one that is done stays done where a GPU fails.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "share.h"

#include <stdlib.h>

#include <saccade/batch.h>

#include "progress.h"
#include "ranks/ranks.h"
#include "videos.h"

typedef struct worker {
    sac_device device;
    void *own;
} worker;

/* Of an input. */
typedef struct outcome {
    cli_heard heard;
    cli_json rows;
    int status;
    bool is_done, is_left, is_told;
    bool was_lost;
    int32_t lost_on; /* where it was: the GPU that failed with it */
} outcome;

typedef struct shared {
    const cli_share *share;
    outcome *outcomes; /* (n) */
    cli_progress progress;
    int n_told, n_left, worst;
} shared;

static sac_status open_worker(void *ctx, void **state, sac_device device, sac_error *err)
{
    (void)ctx;
    (void)err;
    worker *w = cli_grow(NULL, 0, 1, sizeof *w);
    w->device = device;
    *state = w;
    return SAC_OK;
}

static void close_worker(void *ctx, void *state)
{
    const shared *s = ctx;
    worker *w = state;
    if (w->own && s->share->close) {
        s->share->close(s->share->ctx, w->own);
    }
    free(w);
}

static void drop(outcome *o)
{
    cli_heard_discard(&o->heard);
    cli_json_discard(&o->rows);
}

/* Whether it is the GPU's failure. What fails on a second GPU, too, can go on none: the input's. */
static bool is_of_gpu(const outcome *o, sac_device device)
{
    return o->heard.lost.status == SAC_E_DEVICE && !(o->was_lost && o->lost_on != device.index);
}

static sac_status work(void *ctx, void *state, const sac_batch_part *part, sac_error *err)
{
    shared *s = ctx;
    worker *w = state;
    outcome *o = &s->outcomes[part->index];
    if (o->is_done) {
        return SAC_OK;
    }
    o->is_left = cli_interrupted() || cli_ranks_stopped();
    if (!o->is_left) {
        cli_hear(&o->heard);
        if (s->share->json) {
            cli_json_open_part(&o->rows);
        }
        o->status = s->share->one(s->share->ctx, &w->own, w->device, (int)part->index, &o->rows);
        cli_hear(NULL);
    }
    if (!o->is_left && o->status != CLI_DONE && is_of_gpu(o, w->device)) {
        *err = o->heard.lost;
        o->was_lost = true;
        o->lost_on = w->device.index;
        drop(o);
        return SAC_E_DEVICE;
    }
    o->is_done = true;
    return SAC_OK;
}

static sac_status done(void *ctx, void *state, const sac_batch_part *part, sac_error *err)
{
    shared *s = ctx;
    outcome *o = &s->outcomes[part->index];
    (void)state;
    (void)err;
    cli_progress_hide(&s->progress);
    s->n_left += o->is_left;
    s->worst = o->status > s->worst ? o->status : s->worst;
    cli_heard_tell(&o->heard);
    if (s->share->json && o->rows.file) {
        cli_json_append(s->share->json, &o->rows);
    }
    drop(o);
    o->is_told = true;
    s->n_told++;
    cli_progress_step(&s->progress, (uint64_t)s->n_told * (uint64_t)cli_ranks(),
                      (uint64_t)s->share->n);
    return SAC_OK;
}

static void lost(void *ctx, sac_device device, const sac_error *why)
{
    shared *s = ctx;
    char text[32];
    cli_progress_hide(&s->progress);
    cli_warn("%s failed (%s): the others do its %s", sac_device_text(device, text, sizeof text),
             why->text, s->share->what);
}

/* The last GPU has failed, or there was none. What was done by then, behind an input that was not,
 * is told first. */
static void tell_rest(shared *s, const sac_error *err)
{
    const int mine = (s->share->n - cli_rank() + cli_ranks() - 1) / cli_ranks();
    for (int i = 0; i < s->share->n; i++) {
        if (s->outcomes[i].is_done && !s->outcomes[i].is_told) {
            (void)done(s, NULL, &(sac_batch_part){.index = i}, NULL);
        }
    }
    cli_progress_hide(&s->progress);
    cli_error(err);
    if (mine - s->n_told > 0 && mine > 1) {
        cli_fail("%d of %d %s were not done", mine - s->n_told, mine, s->share->what);
    }
    s->worst = s->worst ? s->worst : CLI_FAILED;
}

int cli_share_run(const cli_share *share, int *n_left)
{
    shared s = {.share = share};
    sac_batch *batch = NULL;
    sac_batch_desc desc;
    sac_error err = {0};
    sac_batch_desc_init(&desc);
    desc.device = share->device, desc.n_workers = share->n_workers;
    desc.n_items = share->n;
    desc.rank = cli_rank(), desc.n_ranks = cli_ranks();
    desc.ctx = &s;
    desc.open = open_worker, desc.work = work, desc.done = done;
    desc.lost = lost, desc.close = close_worker;
    s.outcomes = cli_grow(NULL, 0, (size_t)share->n, sizeof *s.outcomes);
    cli_progress_open(&s.progress, share->what);
    sac_status st = sac_batch_open(&batch, &desc, &err);
    st = st ? st : sac_batch_run(batch, &err);
    cli_progress_hide(&s.progress);
    if (st != SAC_OK) {
        tell_rest(&s, &err);
    }
    sac_batch_close(&batch);
    for (int i = 0; i < share->n; i++) {
        drop(&s.outcomes[i]);
    }
    free(s.outcomes);
    *n_left += s.n_left;
    return s.n_left > 0 && !s.worst ? CLI_FAILED : s.worst;
}

sac_device cli_share_device(sac_device device)
{
    sac_device each[SAC_MAX_DEVICES];
    int32_t n = 0;
    device = cli_ranks_device(device);
    return sac_device_list(each, &n, device, NULL) == SAC_OK && n == 1 ? each[0] : device;
}

int cli_share_refuse(const cli_command *command, sac_device device, const char *because)
{
    char text[64];
    return device.kind != SAC_DEVICE_CUDA_SET
               ? CLI_DONE
               : cli_misuse(command, "--device %s: several GPUs share inputs, and %s: name one GPU",
                            sac_device_text(device, text, sizeof text), because);
}
