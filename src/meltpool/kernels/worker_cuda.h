/*
 * The worker: a kernel that stays on the GPU and takes frames from page-locked memory.
 *
 * Host and kernel talk by lines of words in page-locked memory. A word is 32 bits and a tag of 32,
 * stored and loaded as one: whoever finds the tag that it waits for has the value, too, and no
 * fence is needed between words. Each word has one writer. A block's submissions have tags 1, 2 ..,
 * each block's its own.
 *
 * A submission's frames go to blocks round-robin: frame i to line i / n_blocks of block i %
 * n_blocks. A block is one team, or each of its warps is; line j is the work of team j % n_teams.
 * Frames of a submission find each other's features in the ring, in the stream's order, by the tags
 * of rows.
 *
 * The first block has work in every submission. When it had none for `idle_ns`, or is told to
 * leave, it says so and goes; the others follow. Each keeps the tag that it waits for in device
 * memory, so that the next launch goes on where this one ended, whatever was submitted meanwhile.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_WORKER_CUDA_H
#define SAC_MELTPOOL_WORKER_CUDA_H

#include "base/host_device.h"
#include "meltpool/kernels/frame.h"
#include "meltpool/kernels/mlp_f32/mlp_f32_cuda.h"
#include "room/variant_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SAC_MELTPOOL_TASK_WORDS = 16,   /* a line to the worker: 128 bytes */
    SAC_MELTPOOL_ANSWER_WORDS = 48, /* a line back */
    SAC_MELTPOOL_WORKER_WARPS = 8   /* of a block */
};

/* What words of a line to the worker hold. */
typedef struct sac_meltpool_task {
    uint32_t frame_low, frame_high; /* address of the ROI's first pixel */
    uint32_t row_low, row_high;     /* bytes from a row to the next */
    uint32_t corner;                /* the ROI's first column, and its first row << 16 */
    int32_t cx_q16, cy_q16;
    uint32_t edge[3];  /* with scan: edge_x[k] & 0xffff, and edge_y[k] << 16 */
    int32_t ring_row;  /* where its features go, */
    int32_t n;         /* and of how many rows variances are */
    uint32_t number;   /* of the frame among all: its row's tag */
    uint32_t n_before; /* frames of the submission that come before it */
    uint32_t n_lines;  /* the first line of a block: how many it has; 0: it shall leave */
    uint32_t n_behind; /* frames of the submission that come after it */
} sac_meltpool_task;

/* What words of a line back hold. */
typedef struct sac_meltpool_answer {
    uint32_t flags; /* of the integers */
    float features[SAC_MELTPOOL_FEATURES];
    float prediction[SAC_MELTPOOL_PREDICTIONS];
    uint32_t area, sum_x, sum_y; /* of the pool */
    uint32_t unused[2];
} sac_meltpool_answer;

/* The tag after this one: 0 is that of lines never written. */
static inline SAC_HOST_DEVICE uint32_t sac_meltpool_next_tag(uint32_t tag)
{
    return tag + 1 ? tag + 1 : 1;
}

/* Where a worker finds everything, and what all of its frames share. */
typedef struct sac_meltpool_worker_cuda {
    uint64_t *tasks;   /* (n_blocks, n_lines, TASK_WORDS), page-locked */
    uint64_t *answers; /* (n_blocks, n_lines, ANSWER_WORDS), page-locked */
    uint32_t *left;    /* page-locked: the launch whose first block has gone; 0: none */
    uint32_t *beat; /* page-locked: changes while the first block looks for work; 0: it never has */
    uint32_t *next; /* (n_blocks), device memory: the tag that a block waits for at the start */
    uint32_t *closing; /* device memory: the same, for the other blocks */
    float *ring;       /* (n_rows, SAC_MELTPOOL_RING_ROW), device memory */
    uint32_t *row_tag; /* (n_rows), device memory: the number of the frame that a row is of */
    sac_meltpool_net_cuda net;
    int32_t n_blocks, n_lines, n_rows, window;
    int32_t roi, threshold, spatter_min;
    bool scan;
    bool is_paired;    /* by blocks, two to a multiprocessor */
    int32_t n_teams;   /* of a block: 1, the block, or as many warps */
    uint32_t launch;   /* counts from 1 */
    uint64_t idle_ns;  /* the first block leaves without work for so long */
    uint64_t limit_ns; /* so does one that waits for a line, or for another's row */
} sac_meltpool_worker_cuda;

/* Warps of a block of the current device that can each have a frame: 1 ..
 * SAC_MELTPOOL_WORKER_WARPS. */
SAC_INTERNAL int32_t sac_meltpool_worker_warps(int32_t roi);

/* Loads the kernel, so that no launch has to while another one runs, and says how many of its
 * blocks are on a multiprocessor at once. SAC_E_UNSUPPORTED: it takes more shared memory than the
 * GPU has for a block. */
SAC_INTERNAL SAC_NODISCARD sac_status
sac_meltpool_worker_prepare(int32_t *fit, const sac_meltpool_worker_cuda *worker);

SAC_INTERNAL SAC_NODISCARD sac_status
sac_meltpool_worker_launch(sac_gpu_stream stream, const sac_meltpool_worker_cuda *worker);

#ifdef __cplusplus
}
#endif
#endif
