/*
 * A block shared with a process that writes anything there at any time: the stream comes to no
 * harm.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "unit.h"

#include <fcntl.h>

#include "share_probe.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* One word gets a value: any, a small one, or near what it was. */
static void damage(raw *r, uint64_t *random)
{
    _Atomic uint64_t *words = (_Atomic uint64_t *)(void *)r->block;
    const uint64_t place = next_random(random), how = next_random(random) % 4;
    const uint64_t n = place % 4 ? sizeof *r->block / 8 : r->bytes / 8;
    _Atomic uint64_t *word = &words[(place >> 8) % n];
    const uint64_t now = atomic_load(word), value = next_random(random);
    atomic_store(word, how == 0   ? value
                       : how == 1 ? value % 100
                       : how == 2 ? now + value % 200 - 100
                                  : now ^ (UINT64_C(1) << value % 64));
}

static bool counts_sane(const sac_stream_counts *c)
{
    return counts_agree(c) && c->received >= 0 && c->accepted >= 0 && c->processed >= 0 &&
           c->late >= 0;
}

/* Every word gets any value while frames are taken, and while a producer sends. */
static void block_damaged_at_random_does_no_harm(void **state)
{
    (void)state;
    uint64_t random = 99;
    for (int round = 0; round < 30; round++) {
        both *b = open_both();
        seen of = {.wild = true};
        sac_stream_desc desc = shared_desc(&of);
        desc.policy = round % 3;
        desc.capacity = 1 + round % 7;
        desc.batch_max = 1 + round % 5;
        desc.spin_us = round % 2 ? 20 : 0;
        desc.deadline_us = 1000;
        sac_stream *s = probe_open(&desc);
        raw r = open_raw();
        sac_producer *p = attach();
        int64_t n_insane = 0;
        for (int i = 0; i < 20000; i++) {
            damage(&r, &random);
            const sac_stream_counts c = counts_of_stream(s);
            n_insane += !counts_sane(&c);
            if (i % 16 == 0 && desc.policy != SAC_STREAM_WAIT) /* else it may wait for long */
                (void)!send_next(p, b);
            if (i % 64 == 0) {
                sac_producer_detach(&p);
                p = attach();
            }
        }
        sac_stream_stop(s);
        for (int i = 0; i < 1000; i++) {
            const sac_stream_counts c = counts_of_stream(s);
            n_insane += !counts_sane(&c) || c.waiting != 0;
            assert_int_equal(c.processed, atomic_load(&of.n));
            damage(&r, &random);
        }
        assert_int_equal(n_insane, 0);
        assert_int_equal(of.n_disordered, 0);
        sac_producer_detach(&p);
        close_raw(&r);
        sac_stream_close(&s);
        (void)munmap(b, sizeof *b);
    }
}

/* Behind whatever was written there, frames of a sound producer come through. */
static void stream_recovers_from_nonsense(void **state)
{
    (void)state;
    for (int32_t policy = SAC_STREAM_WAIT; policy <= SAC_STREAM_DROP_OLDEST; policy++) {
        both *b = open_both();
        seen of = {0};
        sac_stream_desc desc = shared_desc(&of);
        desc.policy = policy;
        sac_stream *s = probe_open(&desc);
        raw r = open_raw();
        sac_producer *p = attach();
        assert_int_equal(send_next(p, b), SAC_OK);
        while (atomic_load(&of.n) < 1)
            (void)sched_yield();
        sac_producer_detach(&p);
        atomic_store(&r.block->tail, UINT64_MAX / 3);
        atomic_store(&r.block->worker_asleep, 77);
        while (counts_of_stream(s).refused < 1) /* the worker looks around by itself */
            (void)sched_yield();
        atomic_store(&r.block->head, 5);
        while (atomic_load(&r.block->head) == 5) /* and puts this right */
            (void)sched_yield();
        p = attach();
        for (int i = 0; i < 10; i++)
            assert_int_equal(send_next(p, b), SAC_OK);
        sac_producer_detach(&p);
        sac_stream_stop(s);
        assert_stopped(s, 12, 1, 11, 0, 0);
        assert_whole(&of);
        close_raw(&r);
        sac_stream_close(&s);
        (void)munmap(b, sizeof *b);
    }
}

/* Waits for the worker to look around by itself. */
static void await_processed(const seen *of, int64_t n)
{
    while (atomic_load(&of->n) < n)
        (void)sched_yield();
}

/* All of the block at once, again and again, while frames are taken; and a producer's end of the
 * stream, which only the stream may say. Afterwards the next producer finds its place. */
static void block_scribbled_over_takes_frames_again(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int round = 0; round < 12; round++) {
        both *b = open_both();
        seen of = {.wild = true};
        sac_stream_desc desc = shared_desc(&of);
        desc.policy = round % 3;
        sac_stream *s = probe_open(&desc);
        raw r = open_raw();
        for (int i = 0; i < 200; i++) {
            const sac_stream_counts c = counts_of_stream(s);
            assert_true(counts_sane(&c));
            memset(r.block, i % 2 ? 0xFF : (int)(next_random(&random) & 0xFF), r.bytes);
        }
        while (atomic_load(&r.block->tail) & SAC_RING_CLOSED) /* the worker takes it back */
            (void)sched_yield();
        sac_producer *p = attach();
        const int64_t before = atomic_load(&of.n);
        for (int i = 0; i < 100; i++)
            assert_int_equal(send_next(p, b), SAC_OK);
        if (desc.policy == SAC_STREAM_WAIT)
            await_processed(&of, before + 100);
        sac_producer_detach(&p);
        sac_stream_stop(s);
        const sac_stream_counts c = counts_of_stream(s);
        assert_true(counts_sane(&c));
        assert_int_equal(c.waiting, 0);
        assert_int_equal(c.processed, atomic_load(&of.n));
        close_raw(&r);
        sac_stream_close(&s);
        (void)munmap(b, sizeof *b);
    }
}

/* Nothing that a producer can do to the memory's file reaches the stream's process. */
static void file_cut_short_or_punched_is_still_there(void **state)
{
    (void)state;
    both *b = open_both();
    seen of = {0};
    const sac_stream_desc desc = shared_desc(&of);
    sac_stream *s = probe_open(&desc);
    raw r = open_raw();
    sac_producer *p = attach();
    assert_int_equal(send_next(p, b), SAC_OK);
    await_processed(&of, 1);
    assert_int_equal(ftruncate(r.fd, 0), -1);
    assert_int_equal(ftruncate(r.fd, (off_t)r.bytes / 2), -1);
    assert_int_equal(ftruncate(r.fd, (off_t)r.bytes * 2), -1);
    assert_int_equal(fallocate(r.fd, 0, 0, (off_t)r.bytes * 2), -1);
    assert_int_equal(fcntl(r.fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), -1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(send_next(p, b), SAC_OK);
    await_processed(&of, 4);
    /* All of its pages: they are there again, and zero, when somebody looks. */
    assert_int_equal(fallocate(r.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                               (off_t)(r.bytes + 4095) / 4096 * 4096),
                     0);
    while (counts_of_stream(s).refused < 1) /* positions that cannot be */
        (void)sched_yield();
    sac_producer_detach(&p);
    p = attach();
    assert_int_equal(send_next(p, b), SAC_OK);
    await_processed(&of, 5);
    sac_producer_detach(&p);
    sac_stream_stop(s);
    assert_stopped(s, 6, 1, 5, 0, 0);
    assert_whole(&of);
    close_raw(&r);
    sac_stream_close(&s);
    (void)munmap(b, sizeof *b);
}

int main(void)
{
    make_name();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_damaged_at_random_does_no_harm),
        cmocka_unit_test(stream_recovers_from_nonsense),
        cmocka_unit_test(block_scribbled_over_takes_frames_again),
        cmocka_unit_test(file_cut_short_or_punched_is_still_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
