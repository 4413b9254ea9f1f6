/*
 * The least that any program takes from a frame in page-locked memory of the host to an answer
 * there: a kernel that stays on the GPU, is told of a frame by a word, reads it, and answers by a
 * word.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_MELTPOOL_FLOOR_H
#define BENCH_MELTPOOL_FLOOR_H

#include <saccade/histogram.h>

#include "room/variant_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BENCH_FLOOR_SLOTS = 64, /* frames of the ring; a power of two */
    BENCH_FLOOR_SIDE = 96,  /* pixels of a frame; 9,216 bytes */
    BENCH_FLOOR_ROI = 40,
    BENCH_FLOOR_AT = 24 /* the region's first column and row: 40 columns from a multiple of 8 on */
};

/* What is read of a frame. */
typedef enum bench_floor_kind {
    BENCH_FLOOR_NOTHING, /* the round trip alone */
    BENCH_FLOOR_REGION,  /* 40 x 40 pixels, in words of 8 bytes */
    BENCH_FLOOR_FRAME    /* all of it, in words of 16 bytes */
} bench_floor_kind;

#define BENCH_FLOOR_STOP UINT64_MAX

/* In page-locked memory, zeroed; each on a line of its own, and with one writer. */
typedef struct bench_floor_words {
    uint64_t told; /* by the host: the number of the last frame, from 1, or BENCH_FLOOR_STOP */
    uint64_t pad0[15];
    uint64_t
        answer; /* by the kernel: that number << 16 | how many words have an odd number of ones */
    uint64_t pad1[15];
} bench_floor_words;

/* Starts the kernel: frame k is in slot (k - 1) % SLOTS of ring (SLOTS, 96, 96). It ends when told
 * to, or when nothing came for idle_ns. */
sac_status bench_floor_launch(sac_gpu_stream stream, bench_floor_words *words, const uint8_t *ring,
                              bench_floor_kind kind, int64_t idle_ns);

#ifndef __CUDACC__
typedef struct bench_floor {
    bench_floor_kind kind;
    sac_device device;
    int64_t n;             /* rounds */
    double rate_hz;        /* that are due; 0: one behind the other */
    const uint8_t *frames; /* (n_frames, 96, 96): copied into the ring in turn */
    int32_t n_frames;
} bench_floor;

/* Times from when a frame was due to its answer. Every answer is checked: SAC_E_DEVICE where one is
 * wrong, or none came within a second. */
SAC_NODISCARD sac_status bench_floor_run(sac_histogram *times, const bench_floor *floor,
                                         sac_error *err);
#endif

#ifdef __cplusplus
}
#endif
#endif
