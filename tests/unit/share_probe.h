/*
 * Frames from another process, which say themselves which of all sends they were.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_SHARE_PROBE_H
#define SAC_TESTS_SHARE_PROBE_H

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "stream/share_door.h"
#include "stream_probe.h"

#define FRAME_BYTES (PROBE_WORDS * sizeof(uint64_t))

static char name[64]; /* of this process alone */

static inline void make_name(void)
{
    (void)snprintf(name, sizeof name, "/saccade-test-%ld", (long)getpid());
}

/* A child that ends with its parent, however that ends. */
static inline pid_t fork_child(void)
{
    const pid_t child = fork();
    if (child == 0)
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    return child;
}

/* Memory that a child has, too. */
typedef struct both {
    _Atomic int64_t sent, accepted; /* by producers: begun, and over */
} both;

static inline both *open_both(void)
{
    both *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(b != MAP_FAILED);
    return b;
}

/* What the work saw. Each frame says itself which of all sends it was. */
typedef struct seen {
    atomic_bool hold;
    _Atomic int64_t n;
    int64_t n_mixed, n_disordered;
    uint64_t number, first; /* of the last one: as the stream says, and the frame */
    bool wild;              /* they may say anything */
    bool alone;             /* one producer sent all: both numbers are the same */
} seen;

static inline void look(void *ctx, sac_stream_frame *frames, int32_t n)
{
    seen *s = ctx;
    while (atomic_load(&s->hold))
        (void)sched_yield();
    for (int32_t i = 0; i < n; i++) {
        const uint64_t *words = frames[i].data;
        const bool is_first = atomic_load(&s->n) == 0;
        bool mixed = false;
        for (uint64_t k = 0; k < PROBE_WORDS; k++)
            mixed |= words[k] != words[0] + k;
        s->n_mixed += mixed;
        s->n_disordered += !is_first && frames[i].number <= s->number;
        s->n_disordered += !is_first && !s->wild && words[0] <= s->first;
        s->n_disordered += s->alone && words[0] != frames[i].number * PROBE_WORDS;
        s->number = frames[i].number;
        s->first = words[0];
        atomic_fetch_add(&s->n, 1);
    }
}

static inline sac_stream_desc shared_desc(seen *s)
{
    sac_stream_desc desc;
    sac_stream_desc_init(&desc);
    desc.frame_bytes = FRAME_BYTES;
    desc.work = look;
    desc.ctx = s;
    desc.shared = name;
    return desc;
}

static inline sac_producer *attach(void)
{
    sac_producer *p = NULL;
    sac_error err = {0};
    assert_ok(sac_producer_attach(&p, name, FRAME_BYTES, &err), &err);
    return p;
}

/* A connection to the name by hand; -1: there is none. */
static inline int dial(void)
{
    struct sockaddr_un at;
    const socklen_t length = sac_share_address(&at, name);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (connect(fd, (const struct sockaddr *)&at, length) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

static inline int listen_at_name(int backlog)
{
    struct sockaddr_un at;
    const socklen_t length = sac_share_address(&at, name);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, length), 0);
    assert_int_equal(listen(fd, backlog), 0);
    return fd;
}

/* The block as an attacker has it, who came by it as any producer does, and left his place. */
typedef struct raw {
    int fd;
    size_t bytes;
    sac_share_block *block;
} raw;

static inline raw open_raw(void)
{
    sac_error err = {0};
    sac_share_place place;
    assert_ok(sac_share_ask(&place, name, FRAME_BYTES, &err), &err);
    (void)close(place.fd);
    raw r = {.fd = place.block_fd, .bytes = (size_t)place.shape.bytes};
    r.block = mmap(NULL, r.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
    assert_true(r.block != MAP_FAILED);
    return r;
}

static inline void close_raw(raw *r)
{
    (void)munmap(r->block, r->bytes);
    (void)close(r->fd);
}

static inline sac_status send_next(sac_producer *p, both *b)
{
    probe_fill(sac_producer_slot(p), (uint64_t)atomic_fetch_add(&b->sent, 1));
    const sac_status status = sac_producer_send(p, 0);
    if (status == SAC_OK)
        atomic_fetch_add(&b->accepted, 1);
    return status;
}

static inline void assert_whole(const seen *s)
{
    assert_int_equal(s->n_mixed, 0);
    assert_int_equal(s->n_disordered, 0);
}

#endif
