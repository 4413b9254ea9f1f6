/*
 * The threads of saccade meltpool --listen: frames of a stream through sac_meltpool, to results and
 * files.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "listen.h"

#include <stdio.h>
#include <string.h>

/* Hands a frame with its record to whoever writes files. */
static void record_frame(cli_listen *l, const sac_meltpool_record *record, const uint8_t *pixels)
{
    cli_listen_item *to = sac_stream_slot(l->recorder);
    to->record = *record;
    if (l->options.record) {
        memcpy(to->pixels, pixels, l->at.arrival_at);
    }
    (void)!sac_stream_send(l->recorder, 0); /* counted there */
}

/* The answer, the files and the sums of a frame that was run. */
static void finish_frame(cli_listen *l, sac_stream_frame *frame, const sac_frame_arrival *arrival,
                         const sac_meltpool_record *record)
{
    sac_result_packet result = {arrival->stream, arrival->counter, arrival->sent_ns, *record};
    sac_meltpool_record *r = &result.record;
    int64_t limit_ns = INT64_C(1000) * l->plan.stream.deadline_us;
    r->arrival_ns = arrival->arrival_ns;
    if (limit_ns > 0 && r->done_ns - r->arrival_ns > limit_ns) {
        r->flags |= SAC_MELTPOOL_LATE;
    }
    if (l->reply) {
        cli_listening_count(sac_result_sender_send(l->reply, &result, 1) ? &l->replied
                                                                         : &l->unreplied);
    }
    frame->done_ns = sac_stream_clock_ns();
    frame->outcome = r->flags & SAC_MELTPOOL_EMPTY     ? SAC_STREAM_EMPTY
                     : r->flags & SAC_MELTPOOL_REFUSED ? SAC_STREAM_REFUSED
                                                       : SAC_STREAM_PROCESSED;
    for (int k = 0; k < SAC_MELTPOOL_PREDICTIONS; k++) {
        double sum = atomic_load_explicit(&l->sums[k], memory_order_relaxed);
        atomic_store_explicit(&l->sums[k], sum + (double)r->prediction[k], memory_order_relaxed);
    }
    if (l->recorder) {
        record_frame(l, r, frame->data);
    }
    if (l->tap) {
        view_tap_put(l->tap, r, frame->data, frame == l->newest);
    }
}

/* A device that has failed does so from now on: the first time is told, and ends the run. */
static void refuse(cli_listen *l, sac_stream_frame *frames, int32_t n, sac_status status)
{
    if (status == SAC_E_DEVICE && !l->job.gpu_failed) {
        l->job.gpu_failed = true;
        (void)cli_meltpool_fail(&l->job, status, (int64_t)frames->number, &l->work_error);
        cli_listening_fail(&l->at);
    }
    for (int32_t i = 0; i < n; i++) {
        frames[i].outcome = SAC_STREAM_REFUSED;
    }
}

/* Looks at the counts behind the first thousand frames with the laser on, two thousand, four .. */
static void look_for_doubts(cli_listen *l)
{
    sac_meltpool_counts counts = {.struct_size = sizeof counts};
    sac_meltpool_get_counts(l->job.plan, &counts);
    const int64_t n = counts.processed + counts.refused_place;
    if (n >= l->doubt_at) {
        l->doubt_at = 2 * n;
        atomic_store_explicit(&l->doubt, sac_meltpool_doubt(&counts), memory_order_relaxed);
    }
}

/* n frames that lie `stride` bytes from each other, in place. */
static void work_on(cli_listen *l, sac_stream_frame *frames, int32_t n, ptrdiff_t stride)
{
    const sac_meltpool_desc *desc = &l->job.desc;
    const sac_array array = {.data = frames->data,
                             .dtype = SAC_U8,
                             .n_dims = 3,
                             .shape = {n, desc->h, desc->w},
                             .stride = {stride, desc->w, 1}};
    for (int32_t i = 0; i < n; i++) {
        l->signals[i] = cli_listening_arrival(&l->at, frames[i].data).signals;
    }
    sac_status status = sac_meltpool_run_batch(l->job.plan, l->records, &array, l->signals, NULL);
    if (status != SAC_OK) {
        refuse(l, frames, n, status);
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        const sac_frame_arrival arrival = cli_listening_arrival(&l->at, frames[i].data);
        finish_frame(l, &frames[i], &arrival, &l->records[i]);
    }
    look_for_doubts(l);
}

void cli_listen_work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    cli_listen *l = ctx;
    sac_stream_counts c = {.struct_size = sizeof c};
    if (l->tap) {
        sac_stream_get_counts(l->at.stream, &c);
        l->newest = c.waiting <= n ? &frames[n - 1] : NULL;
    }
    for (int32_t at = 0, count; at < n; at += count) {
        ptrdiff_t stride = 0;
        count = l->in_batches ? sac_stream_evenly_spaced(frames + at, n - at, &stride) : 1;
        work_on(l, frames + at, count, stride);
    }
}

/* What cannot be written on is given up; the other file goes on, and the run ends. */
static void append_batch(cli_listen *l, int32_t n)
{
    sac_error *err = &l->record_error;
    if (l->job.out && sac_records_append(l->job.out, l->batch_records, NULL, n, err) != SAC_OK) {
        sac_records_abort(&l->job.out);
    }
    if (l->record &&
        sac_frames_append(l->record, l->batch_frames, l->batch_signals, NULL, n, err) != SAC_OK) {
        sac_frames_abort(&l->record);
    }
    if (err->status != SAC_OK) {
        cli_listening_fail(&l->at);
    }
}

void cli_listen_write(void *ctx, sac_stream_frame *frames, int32_t n)
{
    cli_listen *l = ctx;
    for (int32_t i = 0; i < n; i++) {
        const cli_listen_item *from = frames[i].data;
        l->batch_records[i] = from->record;
        l->batch_signals[i] = from->record.signals;
        if (l->record) {
            memcpy(l->batch_frames + (size_t)i * l->at.arrival_at, from->pixels, l->at.arrival_at);
        }
    }
    append_batch(l, n);
    for (int32_t i = 0; i < n && !l->job.out && !l->record; i++) {
        frames[i].outcome = SAC_STREAM_REFUSED; /* nobody wrote it */
    }
}
