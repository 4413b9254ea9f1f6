/*
 * What bench_meltpool's files share: a build in memory, and what was timed.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_MELTPOOL_BENCH_H
#define BENCH_MELTPOOL_BENCH_H

#include "meltpool/ladder/scenes.h"

#define BENCH_SIDE SAC_MELTPOOL_SIM_SIZE
#define BENCH_SLOTS 64 /* frames of the ring: within a core's L2 cache */

/* Frames to run, one behind the other. */
typedef struct bench_build {
    int32_t n;
    uint8_t *pixels;               /* (n, 96, 96), in huge pages where the system gives them */
    sac_meltpool_signals *signals; /* (n) */
    sac_meltpool_record *records;  /* (n) */
    uint8_t *ring;                 /* (64, 96, 96) */
} bench_build;

/* Times of one kind, sorted. */
typedef struct bench_times {
    int64_t *ns; /* (n): the bench's, until the next is measured */
    int32_t n;
} bench_times;

typedef struct bench {
    int32_t passes;
    sac_meltpool_scene_plan of;
    sac_meltpool *plan; /* one thread */
    int64_t *ns;        /* (most) scratch */
    int32_t most;
} bench;

/* Ends the program with a line where the memory is not there. */
void bench_open_build(bench_build *build, int32_t n, int32_t scene);
void bench_close_build(bench_build *build);

/* Between two readings of the clock with nothing in between, read again and again. */
bench_times bench_spin(bench *b, int32_t n);

typedef enum bench_work {
    BENCH_NOTHING, /* the loop, the copy and the clock alone */
    BENCH_RING,    /* each frame was just copied into a ring, as a receiver does */
    BENCH_MEMORY   /* frames lie where they are: in DRAM, where there are many */
} bench_work;

/* Every frame with the laser on, `passes` times, one run each. */
bench_times bench_frames(bench *b, const bench_build *build, bench_work work);

/* Batches of n frames: the median over the passes of ns a frame, empty ones counted. With one
 * thread of the processor's time, else by the clock. */
double bench_batches(bench *b, const bench_build *build, bench_work work, int32_t n,
                     int32_t n_threads);

#endif
