/*
 * Frames that carry their number, and work that looks at every one of them and can be stalled.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_STREAM_PROBE_H
#define SAC_TESTS_STREAM_PROBE_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include <saccade/stream.h>

#include "counts.h"

#define PROBE_WORDS 27 /* of a frame: no whole number of lines */

typedef struct probe {
    atomic_bool hold;     /* the work waits while this is set */
    atomic_int n_batches; /* that it has begun */
    int64_t n_frames, n_mixed, n_disordered;
    uint64_t last; /* number; its sign in n_frames */
    uint64_t seen[64];
    int32_t batch_max, largest;
    uint32_t random; /* 0: no delays */
    void (*outcome)(sac_stream_frame *frame);
} probe;

static inline void probe_fill(void *slot, uint64_t number)
{
    uint64_t *words = slot;
    for (uint64_t i = 0; i < PROBE_WORDS; i++)
        words[i] = number * PROBE_WORDS + i;
}

/* Now and then some time passes. */
static inline void probe_delay(uint32_t *random)
{
    if (*random == 0)
        return;
    *random ^= *random << 13;
    *random ^= *random >> 17;
    *random ^= *random << 5;
    if (*random % 64 == 0)
        for (volatile uint32_t i = 0; i < *random >> 20; i = i + 1) {
        }
    if (*random % 1024 == 1)
        (void)sched_yield();
}

static inline void probe_look(probe *p, sac_stream_frame *frame)
{
    const uint64_t *words = frame->data;
    bool mixed = (uintptr_t)frame->data % 64 != 0;
    for (uint64_t i = 0; i < PROBE_WORDS; i++)
        mixed |= words[i] != frame->number * PROBE_WORDS + i;
    p->n_mixed += mixed;
    p->n_disordered += p->n_frames > 0 && frame->number <= p->last;
    p->last = frame->number;
    if (p->n_frames < 64)
        p->seen[p->n_frames] = frame->number;
    p->n_frames++;
    if (p->outcome)
        p->outcome(frame);
}

static inline void probe_work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    probe *p = ctx;
    atomic_fetch_add(&p->n_batches, 1);
    while (atomic_load(&p->hold))
        (void)sched_yield();
    p->largest = n > p->largest ? n : p->largest;
    for (int32_t i = 0; i < n; i++) {
        probe_look(p, &frames[i]);
        probe_delay(&p->random);
    }
}

static inline sac_stream_desc probe_desc(probe *p)
{
    sac_stream_desc desc;
    sac_stream_desc_init(&desc);
    desc.frame_bytes = PROBE_WORDS * sizeof(uint64_t);
    desc.work = probe_work;
    desc.ctx = p;
    return desc;
}

static inline sac_stream *probe_open(const sac_stream_desc *desc)
{
    sac_stream *s = NULL;
    sac_error err = {0};
    assert_ok(sac_stream_open(&s, desc, &err), &err);
    return s;
}

static inline sac_status probe_send(sac_stream *s, uint64_t number)
{
    probe_fill(sac_stream_slot(s), number);
    return sac_stream_send(s, 0);
}

/* For whatever thread: no cmocka in it. */
static inline bool counts_agree(const sac_stream_counts *c)
{
    return c->received == c->accepted + c->refused &&
           c->accepted == c->processed + c->empty + c->dropped + c->waiting && c->waiting >= 0 &&
           c->refused >= 0 && c->dropped >= 0;
}

static inline void assert_stopped(const sac_stream *s, int64_t received, int64_t refused,
                                  int64_t processed, int64_t empty, int64_t dropped)
{
    const sac_stream_counts c = counts_of_stream(s);
    assert_int_equal(c.received, received);
    assert_int_equal(c.refused, refused);
    assert_int_equal(c.accepted, received - refused);
    assert_int_equal(c.processed, processed);
    assert_int_equal(c.empty, empty);
    assert_int_equal(c.dropped, dropped);
    assert_int_equal(c.waiting, 0);
    assert_int_equal(sac_histogram_get_count(sac_stream_get_latency(s)), processed + empty);
}

static inline void assert_sound(const probe *p)
{
    assert_int_equal(p->n_mixed, 0);
    assert_int_equal(p->n_disordered, 0);
}

#endif
