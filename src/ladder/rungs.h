/*
 * Between the ladder's files: a ladder, a room on one case, and what is done on a GPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_LADDER_RUNGS_H
#define SAC_LADDER_RUNGS_H

#include <saccade/ladder.h>

#include "ladder/check_case.h"
#include "ladder/energy.h"

#define SAC_LADDER_RUNS 4096 /* at most */
enum { SAC_LADDER_KERNELS = 32 /* of a rung, at most */ };
#define SAC_LADDER_PUBLISHED 16
#define SAC_LADDER_FRAMES 64 /* copies of the case on a GPU, at most: the calls in a graph */

typedef struct sac_ladder {
    sac_ladder_desc desc;
    const char *pipeline;
    void (*row)(void *ctx, const sac_ladder_row *row);
    void *ctx;
    int64_t *samples; /* (SAC_LADDER_RUNS) ns */
    uint64_t n_done, n_all;
    bool cancelled;
    sac_gpu *gpu;                               /* NULL: the CPU */
    char device[24];                            /* "cpu", "cuda:0" */
    sac_gpu_shape shape;                        /* the desc's grid and block */
    sac_gpu_kernel kernels[SAC_LADDER_KERNELS]; /* of the row */
    sac_energy *energy;                         /* NULL: it is not counted */
    double idle_watts;                          /* 0: not measured yet */
} sac_ladder;

/* A room on one case; opened again where a rung needs another mode. What a GPU needs of the case is
 * kept from rung to rung: page-locked memory (`got` lies there) and copies take longer to have than
 * to use. */
typedef struct sac_bench {
    const sac_room_check *check;
    const sac_check_task *task; /* of a room that names what it times */
    int32_t mode;               /* of the open cases; -1: none is open */
    sac_check_case want, got;
    sac_gpu *gpu;
    sac_check_arena arena, frames[SAC_LADDER_FRAMES];
    uint8_t *back; /* page-locked: where timed copies of the outputs go; NULL: not yet there */
} sac_bench;

/* The i-th of the room's tasks that are asked for; NULL behind the last. How often the ladder goes
 * through the room: once for each of them; where it has none, once, or with another name never. */
const sac_check_task *sac_ladder_task(const sac_ladder *l, const sac_room_check *check, int32_t i);
int32_t sac_ladder_count_tasks(const sac_ladder *l, const sac_room_check *check);

/* "1920x1080x3 u8", the mode where it is not the room's first, and the content where it is not; or
 * the task's name. */
void sac_ladder_write_shape(char *text, size_t size, const sac_bench *b);

/* A rung's times from the literature. */
typedef struct sac_ladder_published {
    sac_published time[SAC_LADDER_PUBLISHED];
    int32_t n;
} sac_ladder_published;

/* Those of the rung in its launch shape, into *list and the row, whose points are set. */
void sac_ladder_take_published(sac_ladder_published *list, const sac_ladder *l,
                               const sac_room_check *check, const sac_variant *v,
                               sac_ladder_row *row);

/* The row's times from n samples. */
void sac_ladder_take_samples(const sac_ladder *l, int32_t n, sac_ladder_row *row);

/* The desc's device, current until it is closed. SAC_E_INVALID, SAC_E_DEVICE, SAC_E_UNSUPPORTED. */
SAC_NODISCARD sac_status sac_ladder_open_cuda(sac_ladder *l, const sac_ladder_desc *desc,
                                              sac_error *err);
void sac_ladder_close_cuda(sac_ladder *l);

/* The user's launch shape for a rung that takes one; NULL: its own. */
const sac_gpu_shape *sac_ladder_shape(const sac_ladder *l, const sac_variant *v);

/*
 * Times a rung by events: a graph of calls on as many copies of the case as the L2 cache does not
 * hold; and the copies there and back. SAC_E_NOMEM, SAC_E_DEVICE.
 */
SAC_NODISCARD sac_status sac_ladder_time_cuda(sac_ladder *l, sac_bench *b, const sac_variant *v,
                                              sac_ladder_row *row);

/* l->energy of the desc's GPU, where it is counted and the desc leaves time to. SAC_E_NOMEM,
 * SAC_E_DEVICE. */
SAC_NODISCARD sac_status sac_ladder_open_energy(sac_ladder *l, const sac_ladder_desc *desc);

/* The row's kernels and energy, of a rung on a case in the GPU's memory; without what cannot be
 * known. SAC_E_NOMEM, SAC_E_DEVICE. */
SAC_NODISCARD sac_status sac_ladder_feed_back(sac_ladder *l, const sac_bench *b,
                                              const sac_variant *v, const sac_check_case *frame,
                                              sac_ladder_row *row);

#endif
