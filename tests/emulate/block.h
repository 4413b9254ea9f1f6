/*
 * Blocks of a kernel: a block is at work in a thread of the system, whose fibers are its threads.
 * Which of them goes on is drawn by chance, so that runs try many orders; the thread sanitizer sees
 * what orders them, and nothing else: barriers, and __syncwarp, but no shuffle or vote.
 *
 * A block ends the process with a line where threads wait for ever, lanes of a warp meet at
 * different places, a barrier is used in two ways at once, or a thread ends before what it has
 * begun.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EMULATE_BLOCK_H
#define SAC_EMULATE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct emulated_size {
    uint32_t x, y, z;
} emulated_size;

typedef struct emulated_thread {
    emulated_size thread, block, block_size, grid_size;
} emulated_thread;

static inline uint32_t emulated_product(emulated_size s)
{
    return s.x * s.y * s.z;
}

/* Of the thread that asks. */
const emulated_thread *emulated_place(void);

/* The launch's shared memory, aligned to 64 bytes. */
char *emulated_memory(void);

/* What lanes of a warp meet for: all of them, or those whose bits are set in `lanes`. */
enum {
    EMULATED_SYNC,
    EMULATED_FROM, /* the value of lane `of` */
    EMULATED_XOR,  /* .. of the lane's number ^ of */
    EMULATED_UP,   /* .. of the lane's number - of, or its own */
    EMULATED_DOWN, /* .. of the lane's number + of, or its own */
    EMULATED_VOTES,
    EMULATED_SUM,
    EMULATED_LEAST
};
uint64_t emulated_meet(int what, uint64_t value, uint32_t of, uint32_t lanes, int line);

/* Barrier 0 .. 15 of n threads (0: all). Whether all values are true, where it waits. */
bool emulated_barrier(int barrier, uint32_t n, bool waits, bool value, int line);

/* Lets others go on, where a thread waits for what another block or the host does. */
void emulated_yield(void);

/* Ends the process: what the thread did wrong, and at which lines. */
void emulated_fail(const char *what, int line, int other);

/* One of two, by chance. */
bool emulated_chance(void);

/* Copies into shared memory that the thread that asks has begun and not waited for, in groups of
 * those between two commits. It must have waited for all when it ends. */
enum { EMULATED_COPIES = 64 };

typedef struct emulated_copies {
    struct {
        void *to;
        const void *from;
        uint32_t bytes, group;
    } copy[EMULATED_COPIES];
    uint32_t n, group;
} emulated_copies;
emulated_copies *emulated_begun(void);

/* Of a launch that may begin before the stream's earlier work has ended: each of its threads must
 * say that it waits for that. */
void emulated_stream_awaited(void);

/* A launch. Of its blocks EMULATED_AT_ONCE are there at once, the others wait for a place; of a
 * cooperative one, whose blocks wait for each other, all. */
enum {
    EMULATED_AT_ONCE = 3,
    EMULATED_PROCESSORS = 2,    /* with two blocks on one of them */
    EMULATED_SHARED = 227 << 10 /* bytes of a block, at most */
};

typedef struct emulated_launch {
    void (*kernel)(const void *argument);
    void (*release)(const void *argument);
    const void *argument;
    emulated_size grid, block; /* a block: 1024 threads at most */
    size_t shared_bytes;
    bool is_cooperative, is_early;
    uint64_t seed;
} emulated_launch;

/* Returns when all blocks have ended. */
void emulated_run(const emulated_launch *launch);

#ifdef __cplusplus
}
#endif
#endif
