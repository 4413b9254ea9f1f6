/*
 * The flow plan: what open prepares and run uses.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_FLOW_PLAN_H
#define SAC_FLOW_PLAN_H

#include <math.h>

#include <saccade/flow.h>

#include "base/threads.h"
#include "flow/gpu.h"
#include "flow/kernels/eigen_c128/eigen_c128.h"
#include "flow/kernels/gram_c64/gram_c64.h"
#include "flow/kernels/lag_c64/lag_c64.h"
#include "flow/kernels/mix_c64/mix_c64.h"
#include "flow/lapack.h"

typedef enum sac_flow_filter_kind {
    SAC_FILTER_NONE,
    SAC_FILTER_POLYNOMIAL,
    SAC_FILTER_SVD,
    SAC_FILTER_SVD_AUTO
} sac_flow_filter_kind;

typedef struct sac_flow_filter {
    sac_flow_filter_kind kind;
    int32_t low, high; /* svd: what is kept, of 0 to n - 1; polynomial: high is the order */
} sac_flow_filter;

struct sac_flow {
    sac_flow_desc desc;
    sac_flow_filter filter;
    sac_pool *pool;
    sac_flow_gpu *gpu; /* NULL: a plan of the CPU, which alone has the kernels below */
    sac_gram_c64_fn gram;
    sac_eigen_c128_fn eigen;
    sac_flow_lapack *lapack; /* NULL: eigen does it */
    sac_mix_c64_fn mix;
    sac_lag_c64_fn lag;
    char variant[160];

    int32_t n; /* frames of an ensemble */
    int32_t n_planes;
    int64_t n_points, n_ensembles;
    int32_t n_transmits; /* 1 but of vector */
    double nyquist_m_s;

    /*
     * The filter: coefficients = first (n_basis, n) times the frames; what is left is the frames
     * plus second (n, n_basis) times the coefficients, or with `keeps` that alone.
     */
    int32_t n_basis;
    bool keeps;
    float *first, *second;
    double *gram_of, *vectors; /* (n, n) c128; (n, 2 n) */
    double *singular;          /* (n_ensembles, n_transmits, n) */
    int32_t *cuts;             /* (n_ensembles, n_transmits, 2) */
    float *spectrum;           /* (n, n) c64, of directional: frequencies below 0, in between, above
                                  0 */
    int32_t n_below, n_between;

    /* svd:auto. */
    int64_t n_picked;          /* points that the similarity is of; even */
    float *picked, *shares;    /* (n, n_picked) c64 each */
    double *similarity, *sums; /* (n, n) c128; (n + 1, n + 1) */

    int64_t block; /* points */
    int32_t n_tasks;
    float *blocks;       /* (n_tasks, 3 n, block) c64: coefficients, frames, spectrum */
    float *maps;         /* (6, n_points): P, re and im of A; the same averaged */
    double *column_sums; /* (n_points) */

    /* Vector. */
    double condition;
    double *weights;    /* (n_transmits, 2): an angle's velocity in those along x and z */
    double *components; /* (2, n_points) */

    const float *x;    /* of the ensemble at work */
    ptrdiff_t row;     /* bytes from frame to frame */
    int64_t from, end; /* its points that tasks work on */

    /* Progress: transmits' ensembles done before this one, hundredths told, and who said no. */
    int64_t at;
    uint64_t told;
    bool cancelled;
};

/* "svd:20" and others. SAC_E_INVALID. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_filter_parse(sac_flow_filter *filter,
                                                            const char *text, int32_t n,
                                                            sac_error *err);

/* Once, at open: of polynomials, and the spectrum's matrix. */
SAC_INTERNAL void sac_flow_filter_open(sac_flow *plan);

/* Of the ensemble at work, plan->at of all transmits': decomposes it where the filter asks for it.
 */
SAC_INTERNAL void sac_flow_filter_adapt(sac_flow *plan);

/* Tells progress the share of the ensemble at work that is done; false once it has said no. */
SAC_INTERNAL bool sac_flow_tell(sac_flow *plan, double share);

/* What filter and maps cost a point, about, in complex products. */
SAC_INTERNAL double sac_flow_cost(const sac_flow *plan);

/* The shares after which its products of frames, and then its vectors, are there. */
SAC_INTERNAL double sac_flow_share_of_products(const sac_flow *plan);
SAC_INTERNAL double sac_flow_share_of_vectors(const sac_flow *plan);

/* Runs a task over all points, some at a time, multiples of `unit`, so that progress is told a few
 * times a second, from one share to another. A point costs `cost` complex products. */
SAC_INTERNAL void sac_flow_run_points(sac_flow *plan, sac_task_fn task, int64_t unit, double cost,
                                      const double shares[2]);

/*
 * Products have errors of single precision, some 2^-24 of the largest eigenvalue, by which others
 * may be below 0. Cholesky's method would make wrong vectors of those near 0: all values are raised
 * by a share of their sum meanwhile, which leaves the vectors, and lowered after.
 */
#define SAC_FLOW_RAISED 0x1p-20
SAC_INTERNAL void sac_flow_lower(double *values, int32_t n, double sum);

/* How many vectors the filter that keeps components [low, high) has: the smaller of what is kept
 * and what is not. */
SAC_INTERNAL void sac_flow_choose_basis(sac_flow *plan, int32_t low, int32_t high);

/* Where tissue ends, by the spatial similarity matrix: how many of the largest to take out. The
 * second alone: of plan->similarity, as it is. */
SAC_INTERNAL int32_t sac_flow_find_cut(sac_flow *plan);
SAC_INTERNAL int32_t sac_flow_fit_squares(sac_flow *plan);

static inline bool sac_flow_is_svd(const sac_flow *plan)
{
    return plan->filter.kind == SAC_FILTER_SVD || plan->filter.kind == SAC_FILTER_SVD_AUTO;
}

/* Of an ensemble: power alone, both sides' power, or power and the autocorrelation. */
static inline int sac_flow_count_maps(const sac_flow *plan)
{
    return plan->desc.kind == SAC_FLOW_POWER ? 1 : plan->desc.kind == SAC_FLOW_DIRECTIONAL ? 2 : 3;
}

/* Velocity along the beam of a radian of the autocorrelation. */
static inline double sac_flow_velocity_scale(const sac_flow *plan)
{
    return plan->desc.phase_sign * plan->nyquist_m_s / 3.14159265358979323846;
}

/* Velocity along the beam at a point, of the maps. */
static inline double sac_flow_velocity(const sac_flow *plan, int64_t p)
{
    const float *re = plan->maps + plan->n_points, *im = re + plan->n_points;
    return sac_flow_velocity_scale(plan) * atan2((double)im[p], (double)re[p]);
}

/* The variance of a velocity that is all noise. */
static inline double sac_flow_variance_scale(const sac_flow *plan)
{
    const double radian = plan->nyquist_m_s / 3.14159265358979323846;
    return 2 * radian * radian;
}

/* A block of the ensemble's points at work, in the memory of the CPU or of a GPU. */
typedef struct sac_flow_block {
    const float *first, *second, *spectrum; /* as the plan's */
    float *coefficients, *frames, *lines;   /* (n, size) c64 */
    int64_t size;                           /* points that there is room for */
    const float *x;                         /* (n, n_points) c64: frames, then filtered ones */
    ptrdiff_t row;                          /* bytes from one to the next */
    int64_t n_points;
} sac_flow_block;

/* The jobs that filter a block, whose frames are the filtered ones then: 2, or 0: there is nothing
 * to take out. */
SAC_INTERNAL SAC_NODISCARD int sac_flow_filter_jobs(sac_mix_job jobs[2], const sac_flow *plan,
                                                    sac_flow_block *block);

/* The job that makes a block's lines of its frames. */
SAC_INTERNAL sac_mix_job sac_flow_spectrum_job(const sac_flow *plan, const sac_flow_block *block);

/* The job that makes the components of the points picked, by their vectors in `first`. */
SAC_INTERNAL sac_mix_job sac_flow_shares_job(const sac_flow *plan, float *shares,
                                             const float *picked, const float *first);

/* Before any work: both have the type and shape, and are contiguous. SAC_E_SHAPE. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_check_arrays(const sac_flow *plan,
                                                            const sac_array *out,
                                                            const sac_array *in, sac_error *err);

/* Transmits and their angles. SAC_E_INVALID. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_flow_vector_check(const sac_flow_desc *desc,
                                                            sac_error *err);

/* Once, at open: weights and the condition number; warns. */
SAC_INTERNAL void sac_flow_vector_open(sac_flow *plan);

/* Adds a transmit's velocities, of the maps, to the components; the first empties these. */
SAC_INTERNAL void sac_flow_vector_add(sac_flow *plan, int32_t transmit);

#endif
