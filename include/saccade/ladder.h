/*
 * The ladders: every rung of a pipeline, checked against its reference and timed on this machine.
 * In libsaccade-ladder, so that an application carries no rung that only teaches.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_LADDER_H
#define SACCADE_LADDER_H

#include <saccade/array.h>
#include <saccade/base.h>
#include <saccade/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One rung, measured. Strings are static or live until the callback returns. */
typedef struct sac_ladder_row {
    const char *pipeline; /* "equalize" */
    const char *room;     /* the job: "vhist_u8"; the pipeline's own name for whole-picture rungs */
    const char *rung;     /* "avx512" */
    const char *device;   /* "cpu", "cuda:0" */
    const char *shape;    /* "1920x1080x3 u8" */
    const char *needs;    /* instruction sets that this machine lacks; "" if it can run */
    int32_t threads;
    bool ships;        /* the planner may choose it */
    bool chosen;       /* the planner would, here */
    bool checked;      /* compared with the reference in this run */
    bool ok;           /* and within the contract */
    double error;      /* largest difference from the reference, in units of the last place */
    uint64_t n_differ; /* values that differ at all */
    uint64_t runs;     /* timed runs; 0 if it was not timed */
    double median_ns, p10_ns, p90_ns, min_ns, max_ns;
    /* On a GPU, else 0: inputs there from page-locked memory, the work (median_ns is the same), and
     * outputs back. */
    double h2d_ns, kernel_ns, d2h_ns;
    uint64_t bytes;                 /* moved by the job: read plus written */
    uint64_t points, active_points; /* beamform: all, and those in the aperture; else 0 */
    double published_ns; /* a time from the literature, 0 if none: docs/equalize.md says on what */
} sac_ladder_row;

typedef struct sac_ladder_desc {
    size_t struct_size;
    int64_t w, h; /* size of the synthetic picture where `input` is NULL; 0: 1920 x 1080 */
    const sac_array *input; /* a picture to work on: (h, w) or (h, w, c), u8 or u16; may be NULL */
    int32_t n_threads;      /* for whole-pipeline rungs; 0: all cores */
    double seconds;         /* how long to time each rung, at least 11 runs; 0: 0.3 */
    const char *only;       /* "ROOM", "ROOM:RUNG"; NULL: all */
    const char *task;  /* of the rooms that name what they time: which; NULL: each room's first */
    sac_device device; /* a GPU: its rungs, on pictures in its memory */
    uint32_t grid[3], block[3]; /* of every launch of the rungs that take any; 0: each rung's own */
    sac_progress_fn progress;   /* may be NULL; rungs done of all */
    void *progress_ctx;
} sac_ladder_desc;

SAC_API void sac_ladder_desc_init(sac_ladder_desc *desc);

/*
 * Checks and times every rung of `pipeline` and hands each to row(ctx, &row), room by room,
 * reference first. SAC_E_INVALID for an unknown pipeline or rung, SAC_E_NOMEM, SAC_E_DEVICE,
 * SAC_E_UNSUPPORTED (a GPU, without CUDA). A rung that fails its check is a row with ok == false,
 * not an error.
 */
SAC_API SAC_NODISCARD sac_status sac_ladder_run(const char *pipeline, const sac_ladder_desc *desc,
                                                void (*row)(void *ctx, const sac_ladder_row *row),
                                                void *ctx, sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
