/*
 * Between the files that measure latency against throughput: frames that lie ready, and one
 * measurement of a plan on them. In libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_LADDER_CURVES_H
#define SAC_LADDER_CURVES_H

#include <saccade/histogram.h>
#include <saccade/meltpool_curves.h>

#include "gpu/gpu.h"

enum { SAC_CURVES_MOST_BATCH = 4096, SAC_CURVES_BATCHES = 1 << 16 /* of a measurement, at most */ };

/* n frames (h, w) one behind the other, with their signals. */
typedef struct sac_curves_frames {
    sac_gpu *gpu;                  /* NULL: the CPU */
    uint8_t *pixels;               /* page-locked where there is a GPU */
    uint8_t *on_device;            /* the same there; NULL until a way wants them */
    sac_meltpool_signals *signals; /* (n) */
    sac_device device;
    int32_t n, h, w;
    bool is_stuck; /* a GPU that failed may still read them, and freeing would wait for it */
} sac_curves_frames;

/* What a measurement notes of a batch. */
typedef struct sac_curves_batch {
    int64_t first, start_ns, done_ns;
    int32_t n;
} sac_curves_batch;

typedef struct sac_curves {
    sac_meltpool_desc desc; /* for the frames, but for the way */
    sac_curves_frames frames;
    sac_meltpool *plan;           /* opened with the desc; NULL: none is */
    sac_meltpool_record *records; /* (batch_max) */
    sac_curves_batch *batches;    /* (SAC_CURVES_BATCHES) */
    sac_histogram *latency, *buffering, *compute;
    int64_t begin_ns; /* frame 0 is due */
    int32_t n_batches;
} sac_curves;

/*
 * At least n frames of a simulated build for the desc, whose calibration is set to suit; fewer
 * where they are large. SAC_E_NOMEM, SAC_E_DEVICE, SAC_E_UNSUPPORTED.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_curves_open(sac_curves *c, const sac_meltpool_desc *desc,
                                                      int32_t n, sac_error *err);
SAC_INTERNAL void sac_curves_close(sac_curves *c);

/* Of curves_frames.c. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_curves_fill(sac_curves_frames *frames,
                                                      sac_meltpool_desc *desc, int32_t n,
                                                      sac_error *err);
SAC_INTERNAL SAC_NODISCARD sac_status sac_curves_copy(sac_curves_frames *frames, sac_error *err);
SAC_INTERNAL void sac_curves_free(sac_curves_frames *frames);

#define SAC_CURVES_WAYS 8 /* at most */

/* The ways of running the desc's plan, of frames in the CPU's memory; returns how many. */
SAC_INTERNAL int32_t sac_curves_ways(sac_meltpool_way ways[SAC_CURVES_WAYS],
                                     const sac_meltpool_desc *desc);

/*
 * Opens the plan for a way and a batch, if it is not, and warms it up. SAC_E_UNSUPPORTED and
 * SAC_E_INVALID: it does not take this batch this way; SAC_E_NOMEM, SAC_E_DEVICE.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_curves_begin(sac_curves *c, const sac_meltpool_way *way,
                                                       int32_t batch, sac_error *err);

/*
 * Measures the point, whose way and batch the plan was opened for, whose is_full and load_hz say
 * how, for about so many seconds; fills in the rest. frames is 0 where the load needs longer than
 * that for some full batches. SAC_E_DEVICE.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_curves_measure(sac_curves *c, sac_meltpool_point *point,
                                                         double seconds, sac_error *err);

/* SAC_E_INVALID unless these are a rate, a budget or both, as of sac_meltpool_choose. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_curves_check_wish(double rate_hz, double budget_ns,
                                                            sac_error *err);

#endif
