/*
 * saccade meltpool --listen: everything is opened, watched until it is over, and closed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "listen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "videos.h"
#include "choose.h"
#include "options.h"

#define DOUBT_AT 1000        /* frames: fewer may be the edge of a part */
#define RECORD_CAPACITY 4096 /* frames that wait for the disk: 0.2 s at 20,000 a second */

static int check_calibration(const cli_meltpool_job *job)
{
    return job->model && cli_meltpool_lacks_calibration(job)
               ? cli_misuse(&cli_meltpool_listen, "no calibration, which predictions need: "
                                                  "expected " CLI_MELTPOOL_CALIBRATIONS)
               : CLI_DONE;
}

/* Where frames come at a rate that was told to a GPU, or are to be done within a budget, batches
 * and mapping are measured for that; what was said of them stays. */
static int choose(cli_listen *l)
{
    cli_meltpool_job *job = &l->job;
    const double budget_us = l->options.budget_us;
    const bool is_gpu = job->desc.device.kind != SAC_DEVICE_CPU;
    const bool is_said = cli_was_given("batch-max") || cli_was_given("resident");
    l->in_batches = is_gpu || budget_us > 0;
    return budget_us > 0 || (is_gpu && cli_was_given("rate") && !is_said)
               ? cli_meltpool_choose(&job->desc, &l->plan.stream.batch_max, &job->chosen,
                                     job->desc.rate_hz, budget_us)
               : CLI_DONE;
}

static int open_plan(cli_listen *l)
{
    sac_error err = {0};
    cli_meltpool_job *job = &l->job;
    job->options.model = l->options.model;
    job->desc = l->plan.meltpool;
    job->desc.struct_size = sizeof job->desc;
    job->desc.w = l->options.size[0];
    job->desc.h = l->options.size[1];
    job->desc.n_threads = 1;
    l->slot_bytes = cli_listening_slots(&l->at, (size_t)job->desc.w * (size_t)job->desc.h);
    int status = cli_meltpool_calibrate(job, l->options.calibration);
    status = status ? status : cli_meltpool_open_model(job);
    status = status ? status : check_calibration(job);
    status = status ? status : choose(l);
    if (status == CLI_DONE && sac_meltpool_open(&job->plan, &job->desc, &err) != SAC_OK) {
        status = cli_error(&err);
    }
    if (status == CLI_DONE) {
        cli_meltpool_compare_model(job);
    }
    return status;
}

static sac_status open_files(cli_listen *l, sac_error *err)
{
    const cli_listen_options *o = &l->options;
    cli_meltpool_job *job = &l->job;
    sac_status st = SAC_OK;
    if (o->output) {
        sac_records_info info;
        sac_records_info_init(&info);
        info.has_signals = info.has_times = true;
        st = cli_meltpool_create(job, o->output, &info, err);
    }
    if (st == SAC_OK && o->record) {
        sac_frames_info info;
        sac_frames_info_init(&info);
        info.w = job->desc.w;
        info.h = job->desc.h;
        info.has_signals = true;
        info.has_calibration = cli_meltpool_is_calibrated(job);
        memcpy(info.calibration, job->desc.calibration, sizeof info.calibration);
        info.rate_hz = job->desc.rate_hz;
        st = sac_frames_create(&l->record, o->record, &info, err);
    }
    return st;
}

static sac_status open_streams(cli_listen *l, sac_error *err)
{
    sac_stream_desc *desc = &l->plan.stream;
    sac_status st = SAC_OK;
    if (l->options.output || l->options.record) {
        sac_stream_desc recorder;
        sac_stream_desc_init(&recorder);
        recorder.frame_bytes = sizeof(cli_listen_item) + (l->options.record ? l->at.arrival_at : 0);
        recorder.work = cli_listen_write;
        recorder.ctx = l;
        recorder.capacity = RECORD_CAPACITY;
        recorder.batch_max = CLI_LISTEN_RECORD_BATCH;
        recorder.policy = SAC_STREAM_DROP_NEWEST;
        recorder.spin_us = 0;
        l->batch_records = cli_grow(NULL, 0, CLI_LISTEN_RECORD_BATCH, sizeof *l->batch_records);
        l->batch_signals = cli_grow(NULL, 0, CLI_LISTEN_RECORD_BATCH, sizeof *l->batch_signals);
        l->batch_frames = cli_grow(NULL, 0, CLI_LISTEN_RECORD_BATCH, l->at.arrival_at);
        st = sac_stream_open(&l->recorder, &recorder, err);
    }
    desc->struct_size = sizeof *desc;
    desc->frame_bytes = l->slot_bytes;
    desc->work = cli_listen_work;
    desc->ctx = l;
    l->records = cli_grow(NULL, 0, (size_t)desc->batch_max, sizeof *l->records);
    l->signals = cli_grow(NULL, 0, (size_t)desc->batch_max, sizeof *l->signals);
    if (st == SAC_OK && l->job.desc.device.kind != SAC_DEVICE_CPU) {
        desc->memory_bytes = sac_stream_memory_bytes(desc); /* 0: open says why */
        l->memory =
            desc->memory_bytes ? cli_meltpool_memory(&l->job, desc->memory_bytes, err) : NULL;
        st = desc->memory_bytes && !l->memory ? err->status : SAC_OK;
        desc->memory = l->memory;
    }
    return st == SAC_OK ? sac_stream_open(&l->at.stream, desc, err) : st;
}

static sac_status open_network(cli_listen *l, sac_error *err)
{
    sac_frame_receiver_desc desc;
    const sac_packet_key *key = NULL;
    sac_frame_receiver_desc_init(&desc);
    desc.w = l->job.desc.w;
    desc.h = l->job.desc.h;
    snprintf(l->expects, sizeof l->expects, "--size %dx%d", desc.w, desc.h);
    l->at.expects = l->expects;
    l->at.spin_us = l->plan.stream.spin_us;
    sac_status st = cli_listening_key(&key, &l->at, err);
    if (st == SAC_OK && l->options.reply) {
        st = sac_result_sender_open(&l->reply, l->options.reply, key, err);
    }
    return st == SAC_OK ? cli_listening_open(&l->at, &desc, key, err) : st;
}

/* Who looks sees the loop from its first frame on. */
static int open_view(cli_listen *l)
{
    const pool_live_source source = {.desc = &l->job.desc,
                                     .name = l->options.at.listen,
                                     .variant = sac_meltpool_get_variant(l->job.plan),
                                     .has_model = l->job.model != NULL,
                                     .deadline_us = l->plan.stream.deadline_us,
                                     .cpu = l->plan.stream.cpu,
                                     .stream = l->at.stream,
                                     .receiver = l->at.receiver,
                                     .doubt = &l->doubt};
    if (l->options.view.port < 0) {
        return CLI_DONE;
    }
    const int status = pool_live_open(&l->live, &source, &l->options.view);
    l->tap = status == CLI_DONE ? pool_live_tap(l->live) : NULL;
    return status;
}

/* Says once, on a line of its own, what looks wrong. */
static void warn_of_doubts(void *ctx)
{
    cli_listen *l = ctx;
    const char *doubt = atomic_load_explicit(&l->doubt, memory_order_relaxed);
    if (!l->has_warned && *doubt) {
        l->has_warned = true;
        cli_warn("%s", doubt);
    }
}

/* Whatever ends it, what was accepted is worked on, and what was worked on is written. */
static int listen_until_over(cli_listen *l)
{
    const cli_listening_watch watch = {warn_of_doubts, cli_listen_show, l};
    const int status = cli_listening_run(&l->at, &watch);
    if (l->at.took_ns == 0) {
        return status; /* it did not begin */
    }
    l->job.counts.struct_size = sizeof l->job.counts;
    sac_meltpool_get_counts(l->job.plan, &l->job.counts);
    if (l->recorder) {
        sac_stream_stop(l->recorder);
        l->recorded.struct_size = sizeof l->recorded;
        sac_stream_get_counts(l->recorder, &l->recorded);
    }
    if (l->work_error.status != SAC_OK) {
        return cli_error(&l->work_error);
    }
    return l->record_error.status != SAC_OK ? cli_error(&l->record_error) : status;
}

/* What was written stays, whatever became of the rest. */
static int commit(cli_listen *l)
{
    sac_error err = {0};
    int status = CLI_DONE;
    if (l->job.out && sac_records_commit(&l->job.out, &err) != SAC_OK) {
        status = cli_error(&err);
    }
    if (l->record && sac_frames_commit(&l->record, &err) != SAC_OK) {
        status = cli_error(&err);
    }
    return status;
}

/* Files, then the summary: which is told of a run that failed, too. */
static int finish(cli_listen *l, int status)
{
    const cli_listen_options *o = &l->options;
    const int committed = commit(l);
    status = status ? status : committed;
    if (o->at.json) {
        const int reported = cli_listen_json(l);
        status = status ? status : reported;
    }
    const bool is_printed = !cli_is_dash(o->at.json) && !cli_is_dash(o->output);
    if (is_printed) {
        cli_listen_print(l);
    } else if (!l->has_warned) {
        cli_meltpool_warn(&l->job);
    }
    return status;
}

static void close_all(cli_listen *l)
{
    pool_live_close(&l->live);
    cli_listening_close(&l->at);
    sac_stream_close(&l->at.stream);
    sac_stream_close(&l->recorder);
    sac_result_sender_close(&l->reply);
    sac_frames_abort(&l->record);
    cli_meltpool_close(&l->job);
    cli_meltpool_free(&l->job, l->memory);
    free(l->records);
    free(l->signals);
    free(l->batch_frames);
    free(l->batch_records);
    free(l->batch_signals);
}

int cli_listen_run(cli_listen *l)
{
    sac_error err = {0};
    l->at.options = &l->options.at;
    l->doubt_at = DOUBT_AT;
    atomic_init(&l->doubt, "");
    int status = open_plan(l);
    if (status == CLI_DONE && (open_files(l, &err) != SAC_OK || open_streams(l, &err) != SAC_OK ||
                               open_network(l, &err) != SAC_OK)) {
        status = cli_error(&err);
    }
    status = status ? status : open_view(l);
    if (status == CLI_DONE) {
        status = listen_until_over(l);
        status = l->at.took_ns > 0 ? finish(l, status) : status;
    }
    close_all(l);
    return status;
}
