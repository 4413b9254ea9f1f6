/*
 * What a flow plan keeps on a GPU and for it.
 *
 * Ensembles come into one of two slots where the samples lie in the CPU's memory: one is copied
 * while the other is worked on. All frames of a block of points are filtered at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_FLOW_GPU_PLAN_H
#define SAC_FLOW_GPU_PLAN_H

#include "flow/cusolver.h"
#include "flow/kernels/flow_cuda.h"
#include "flow/plan.h"
#include "gpu/stage.h"

#define SAC_FLOW_SLOTS 2

/* An ensemble of all transmits that is copied, and what came of it. */
typedef struct sac_flow_slot {
    float *in, *out;
    sac_gpu_event here, done, gone; /* copied in; worked on; copied back */
} sac_flow_slot;

struct sac_flow_gpu {
    sac_gpu *gpu;
    sac_gpu_stream stream; /* the caller's or the plan's */
    bool waits;            /* it is the plan's: a run is complete when it returns */
    sac_stage *stage; /* for arrays in the CPU's memory; NULL where the stream is the caller's */
    sac_flow_slot slot[SAC_FLOW_SLOTS];

    float *first, *second, *spectrum;     /* as the plan's; (n, n) c64 */
    int64_t block;                        /* points */
    float *coefficients, *frames, *lines; /* (n, block) c64, where there are such */
    float *maps, *averaged;               /* (3, n_points); one of them at work */
    float *most;                          /* of the ensemble's power */
    double *components;                   /* (2, n_points), of vector */

    /* SVD. */
    double *parts, *gram_of, *values, *vectors;
    sac_flow_cusolver *cusolver; /* NULL: eigen does it */
    sac_eigen_cuda eigen;
    double *host;           /* page-locked: values (n); of svd:auto similarities (n, n) c128 */
    float *picked, *shares; /* (n, n_picked) c64 */
};

/* n_points points of frames in rows plan->row bytes apart: at most as many as a block has. */
static inline sac_flow_block sac_flow_gpu_block(const sac_flow *plan, const float *x,
                                                int64_t n_points)
{
    const sac_flow_gpu *g = plan->gpu;
    return (sac_flow_block){g->first, g->second, g->spectrum, g->coefficients, g->frames,
                            g->lines, g->block,  x,           plan->row,       n_points};
}

/* An ensemble, `at` of all transmits', whose first image is x, in rows plan->row bytes apart: its
 * averaged maps. Waits where an SVD filter asks for it. */
SAC_NODISCARD sac_status sac_flow_gpu_work(sac_flow *plan, const float *x, int64_t at);

/* What is asked of the maps, or of vector's components. Only enqueues. */
SAC_NODISCARD sac_status sac_flow_gpu_put(const sac_flow *plan, float *out);

#endif
