/*
 * A block shared with a process that writes anything there at any time: the stream comes to no
 * harm.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "share_probe.h"
#include "stream/share.h"

/* The block as an attacker has it. */
typedef struct raw {
    int fd;
    size_t bytes;
    sac_share_block *block;
} raw;

static raw open_raw(void)
{
    struct stat of;
    raw r = {.fd = shm_open(name, O_RDWR, 0)};
    assert_true(r.fd >= 0);
    assert_int_equal(fstat(r.fd, &of), 0);
    r.bytes = (size_t)of.st_size;
    r.block = mmap(NULL, r.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
    assert_true(r.block != MAP_FAILED);
    return r;
}

static void close_raw(raw *r)
{
    (void)munmap(r->block, r->bytes);
    (void)close(r->fd);
}

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
        sac_producer *p = attach(), *second = NULL;
        int64_t n_insane = 0;
        for (int i = 0; i < 20000; i++) {
            damage(&r, &random);
            const sac_stream_counts c = counts_of_stream(s);
            n_insane += !counts_sane(&c);
            if (i % 16 == 0 && desc.policy != SAC_STREAM_WAIT) /* else it may wait for long */
                (void)!send_next(p, b);
            if (i % 64 == 0) {
                sac_producer_detach(&p);
                if (sac_producer_attach(&second, name, FRAME_BYTES, NULL) == SAC_OK)
                    p = second;
                else {
                    r.block->shape = (sac_share_shape){0};
                    atomic_store(&r.block->magic, SAC_SHARE_MAGIC);
                    assert_true(sac_share_lay_out(&r.block->shape, FRAME_BYTES, desc.capacity,
                                                  desc.batch_max, desc.policy, desc.spin_us));
                    p = attach();
                }
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

static void attach_refuses_what_is_no_stream_of_its_kind(void **state)
{
    (void)state;
    seen of = {0};
    sac_error err = {0};
    sac_producer *p = NULL, *second = NULL;
    sac_stream *s = NULL, *other = NULL;
    assert_failed(sac_producer_attach(&p, name, FRAME_BYTES, &err), SAC_E_IO, &err, "no stream");
    sac_stream_desc desc = shared_desc(&of);
    s = probe_open(&desc);
    struct stat file;
    raw r = open_raw();
    assert_int_equal(fstat(r.fd, &file), 0);
    assert_int_equal(file.st_mode & 0777, 0600);
    assert_failed(sac_stream_open(&other, &desc, &err), SAC_E_IO, &err, "another's");
    assert_failed(sac_producer_attach(NULL, name, 1, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_producer_attach(&p, name, 1, &err), SAC_E_INVALID, &err, "frame_bytes");
    static const char *const names[] = {NULL, "", "x", "/", "/a/b"};
    for (size_t i = 0; i < 5; i++)
        assert_failed(sac_producer_attach(&p, names[i], 1, &err), SAC_E_INVALID, &err, "shared");

    p = attach();
    assert_failed(sac_producer_attach(&second, name, FRAME_BYTES, &err), SAC_E_IO, &err,
                  "another producer");
    sac_producer_detach(&p);
    p = attach();
    sac_producer_detach(&p);
    sac_producer_detach(&p);
    sac_producer_detach(NULL);

    const sac_share_shape shape = r.block->shape;
#define REFUSED(what, status, word)                                                                \
    what;                                                                                          \
    assert_failed(sac_producer_attach(&p, name, FRAME_BYTES, &err), status, &err, word);           \
    assert_null(p);                                                                                \
    r.block->shape = shape;                                                                        \
    atomic_store(&r.block->magic, SAC_SHARE_MAGIC)
    REFUSED(atomic_store(&r.block->magic, 0), SAC_E_IO, "ready");
    REFUSED(atomic_store(&r.block->magic, 1), SAC_E_FORMAT, "no stream's");
    REFUSED(r.block->shape.version = 2, SAC_E_FORMAT, "version");
    REFUSED(r.block->shape.capacity = UINT32_MAX, SAC_E_FORMAT, "no stream's");
    REFUSED(r.block->shape.capacity = 0, SAC_E_FORMAT, "no stream's");
    REFUSED(r.block->shape.n_slots = 1, SAC_E_FORMAT, "no stream's");
    REFUSED(r.block->shape.slot_bytes *= 2, SAC_E_FORMAT, "no stream's");
    REFUSED(r.block->shape.slots_at = 0, SAC_E_FORMAT, "no stream's");
    REFUSED(r.block->shape.frame_bytes = UINT64_MAX, SAC_E_FORMAT, "no stream's");
    REFUSED(r.block->shape.policy = -1, SAC_E_FORMAT, "no stream's");
    REFUSED(r.block->shape.spin_us = INT32_MIN, SAC_E_FORMAT, "no stream's");
#undef REFUSED
    p = attach();
    sac_producer_detach(&p);
    close_raw(&r);
    sac_stream_close(&s);
    assert_failed(sac_producer_attach(&p, name, FRAME_BYTES, &err), SAC_E_IO, &err, "no stream");
}

int main(void)
{
    make_name();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_damaged_at_random_does_no_harm),
        cmocka_unit_test(stream_recovers_from_nonsense),
        cmocka_unit_test(attach_refuses_what_is_no_stream_of_its_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
