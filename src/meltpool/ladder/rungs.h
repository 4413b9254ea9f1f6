/*
 * The whole pipeline's rungs on a GPU: what a call is given. In libsaccade-ladder.
 *
 * A call takes n frames of one stream in device memory, in order and one at a time, as Nourazar et
 * al. measure; or, as they do later, several at once, from page-locked memory. Each kernel finds in
 * device memory where the stream is; nothing but that says which frame is next. A rung is reset at
 * its beginning, whatever the call before left.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_LADDER_RUNGS_H
#define SAC_MELTPOOL_LADDER_RUNGS_H

#include "meltpool/kernels/mlp_f32/mlp_f32_cuda.h"
#include "room/variant_cuda.h"
#include "meltpool/place.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SAC_RUNG_FLAGS = 1, /* values of a row of the result: flags, features, prediction */
    SAC_RUNG_VALUES = SAC_RUNG_FLAGS + SAC_MELTPOOL_FEATURES + SAC_MELTPOOL_PREDICTIONS,
    SAC_RUNG_BATCH = 16,   /* frames that the tensor cores take at once */
    SAC_RUNG_PARALLEL = 32 /* frames that the rungs of several frames take at most */
};

/* Where a stream is: before frame `at`, and what the frames before it leave. */
typedef struct sac_rung_position {
    sac_meltpool_stream stream;
    int64_t at;
} sac_rung_position;

/* What a frame's stages hand on to each other. */
typedef struct sac_rung_turn {
    sac_rung_position before;
    sac_rung_position after; /* this and what follows until `in` are Pr's */
    int64_t frame;           /* below 0: there is none to work on */
    sac_meltpool_step step;
    uint32_t flags;
    sac_meltpool_integers in; /* of Se and Ph, from `polar` on of Po, from `hog` on of Ho */
    float features[SAC_MELTPOOL_FEATURES];
} sac_rung_turn;

/* Scratch of the rungs whose tasks hand on all they make through device memory; pixels are a whole
 * frame's. */
typedef struct sac_rung_tasks {
    uint32_t *labels, *bins;     /* (h w + 1) */
    int16_t *gx, *gy;            /* (h w) */
    unsigned long long *maximum; /* the most light, and its first place */
    unsigned long long *nearest; /* the pool's pixel, and how far it is */
    uint32_t *changed;           /* labels, by the last step */
    float *z, *hidden;           /* (40) features as the network takes them, (n_units) */
    float *prediction;           /* (2) */
} sac_rung_tasks;

/* The stream in page-locked memory, n slots without gaps: its frames (n, h, w) and signals (n),
 * which lie there before a call, and room for its rows (n, SAC_RUNG_VALUES). */
typedef struct sac_rung_host {
    uint8_t *pixels;
    sac_meltpool_signals *signals;
    float *rows;
} sac_rung_host;

typedef struct sac_rung_call {
    char *out; /* (n, SAC_RUNG_VALUES) of f32, rows out_row bytes apart, of any sign */
    ptrdiff_t out_row;
    const uint8_t *pixels; /* (n, h, w), frames `frame` and rows `row` bytes apart, of any sign */
    ptrdiff_t frame, row;
    const sac_meltpool_signals *signals; /* (n) */
    int64_t n;
    sac_meltpool_places places;
    sac_meltpool_net_cuda net;
    float *ring;          /* (n_rows, 32) */
    sac_rung_turn *turn;  /* (2) */
    uint32_t *gate;       /* (2): of the barrier between blocks */
    sac_rung_tasks tasks; /* its labels are the other rungs', too */
    float *features;      /* (SAC_RUNG_BATCH, 40), */
    float *predictions;   /* (SAC_RUNG_BATCH, 2) */
    int64_t *frames;      /* (SAC_RUNG_BATCH): which frames these two are of, or -1 */
    int32_t slot;         /* where of these the next frame goes */
    int64_t *here;        /* page-locked: a word that the device is asked for */
    sac_rung_host host;   /* of the rungs that take several frames at once, */
    int32_t n_parallel;   /* so many */
} sac_rung_call;

typedef sac_status sac_rung_function(sac_gpu_stream stream, const sac_rung_call *call);
typedef sac_rung_function *sac_rung_fn;

/* A kernel a task; `pruned` on the ROI of frames with the laser on, `initial` on whole frames;
 * `intra` one block a task. */
sac_rung_function sac_rung_initial, sac_rung_pruned, sac_rung_intra;

/* Seven kernels a frame and fewer, launched as the last one says, without asking, and as a graph.
 */
sac_rung_function sac_rung_fused_7, sac_rung_unconditional, sac_rung_graph, sac_rung_fused_a,
    sac_rung_fused_b, sac_rung_fused_c;

/* Pr alone. */
sac_rung_function sac_rung_launch_place;

/* One kernel a frame, or one for all of them. */
sac_rung_function sac_rung_grid_sync, sac_rung_label_blocks, sac_rung_regions_1,
    sac_rung_persistent, sac_rung_tensor;

/* The same of 1 to 32 frames at once, two blocks each, from a ring in page-locked memory.
 * SAC_E_UNSUPPORTED: this GPU does not hold so many blocks at a time. */
sac_rung_function sac_rung_grid_sync_1, sac_rung_grid_sync_2, sac_rung_grid_sync_4,
    sac_rung_grid_sync_8, sac_rung_grid_sync_16, sac_rung_grid_sync_32;
sac_rung_function sac_rung_persistent_1, sac_rung_persistent_2, sac_rung_persistent_4,
    sac_rung_persistent_8, sac_rung_persistent_16, sac_rung_persistent_32;

#ifdef __cplusplus
}
#endif
#endif
