/*
 * The worker: takes what waits, calls the work, counts what came of it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/clock.h"
#include "stream/plan.h"

static void fill(sac_stream *s, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const sac_ring_slot *slot = sac_ring_slot_at(s->ring, s->ids[i]);
        s->frames[i] = (sac_stream_frame){.data = sac_ring_data(s->ring, s->ids[i]),
                                          .number = slot->number,
                                          .scheduled_ns = slot->scheduled_ns,
                                          .arrived_ns = slot->arrived_ns,
                                          .outcome = SAC_STREAM_PROCESSED};
    }
}

int32_t sac_stream_evenly_spaced(const sac_stream_frame *frames, int32_t n, ptrdiff_t *stride)
{
    if (!frames || !stride || n < 1)
        return 0;
    int32_t i = 1;
    *stride = n > 1 ? (char *)frames[1].data - (char *)frames[0].data : 0;
    while (i < n && (char *)frames[i].data - (char *)frames[i - 1].data == *stride)
        i++;
    return i;
}

static void count(sac_stream *s, int32_t n)
{
    const int64_t now = sac_clock_ns();
    sac_ring *r = s->ring;
    int64_t n_empty = 0, n_refused = 0, n_late = 0;
    for (int32_t i = 0; i < n; i++) {
        const sac_stream_frame *frame = &s->frames[i];
        if (frame->outcome == SAC_STREAM_REFUSED) {
            n_refused++;
            continue;
        }
        const int64_t done_ns = frame->done_ns ? frame->done_ns : now;
        /* Whatever the producer said: by unsigned numbers, which may wrap. */
        const int64_t latency_ns =
            (int64_t)((uint64_t)done_ns - (uint64_t)sac_ring_slot_at(r, s->ids[i])->scheduled_ns);
        sac_histogram_record(s->latency, latency_ns);
        n_late += latency_ns > s->deadline_ns;
        n_empty += frame->outcome == SAC_STREAM_EMPTY;
    }
    sac_ring_count(&r->batches, 1);
    sac_ring_count(&r->late, n_late);
    sac_ring_count(&r->turned_down, n_refused);
    sac_ring_count(&r->empty, n_empty);
    sac_ring_count(&r->processed, n - n_empty - n_refused);
}

static int32_t take(sac_stream *s)
{
    return s->share ? sac_share_take(s->share, s->ring, s->ids, s->batch_max)
                    : sac_ring_take(s->ring, s->ids, s->batch_max);
}

static void wait_for_some(sac_stream *s)
{
    if (s->share)
        sac_share_wait(s->share, s->ring);
    else
        sac_ring_wait(s->ring, &s->ring->worker_asleep, sac_ring_can_take);
}

void *sac_stream_worker(void *stream)
{
    sac_stream *s = stream;
    for (;;) {
        const int32_t n = take(s);
        if (n > 0) {
            fill(s, n);
            s->work(s->ctx, s->frames, n);
            count(s, n);
            if (!s->share)
                sac_ring_give_back(s->ring, s->ids, n);
        } else if (!sac_ring_is_stopping(s->ring)) {
            wait_for_some(s);
        } else if (s->share ? sac_share_close_empty(s->share) : sac_ring_close_empty(s->ring)) {
            return NULL;
        }
    }
}
