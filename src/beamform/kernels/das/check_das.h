/*
 * What delay-and-sum rooms are checked and timed with: arrays, transmits, points and options, made
 * from a scenario and a case's size and random numbers.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_CHECK_DAS_H
#define SAC_BEAMFORM_CHECK_DAS_H

#include "beamform/kernels/das/das.h"
#include "room/check.h"

typedef enum sac_check_array {
    SAC_CHECK_LINEAR = 0,
    SAC_CHECK_MATRIX,
    SAC_CHECK_CURVED,
    SAC_CHECK_RAISED, /* a matrix at z = SAC_CHECK_RAISED_MM */
    SAC_CHECK_ODD,    /* the same, of which one element faces elsewhere */
    SAC_CHECK_TILTED  /* a matrix in a plane that is not along x */
} sac_check_array;

#define SAC_CHECK_RAISED_MM 0.75

typedef enum sac_check_points {
    SAC_CHECK_PLANE = 0, /* x and z */
    SAC_CHECK_VOLUME,    /* the same number of points, in three rows of y where h allows */
    SAC_CHECK_SIDE,      /* y and z */
    SAC_CHECK_LIST,      /* anywhere, in no order */
    SAC_CHECK_ANGLES,    /* a list, a sector's: angles first, or ranges */
    SAC_CHECK_RANGES
} sac_check_points;

typedef struct sac_check_scenario {
    int32_t n_frames, n_tx, n_rx, n_samples;
    sac_transmit_kind kind;
    sac_check_array array;
    sac_check_points points;
    sac_interp interp;
    sac_outside outside;
    sac_apodization apodization;
    bool lri, phase_transmit;
    int32_t phase_sign; /* 0: 1 */
    int32_t tile_rows, tile_columns;
    sac_reduction reduction; /* of `adapt` */
    double fs_hz;            /* 0: 6.6667 MHz */
    /* A task's own geometry, 0 for the checks': x +-, z from, z to, in mm; plane waves within
     * +-deg; t0; pitch; c; fd. */
    double x_mm, z0_mm, z1_mm, angle_deg, t0_us, pitch_mm, c_m_s, fd_hz;
} sac_check_scenario;

/* A room's kind is the dtype of its samples: C64, of `iq`, or F32 or I16, of `rf`; or this, of
 * `adapt`: C64, with adaptive weights. */
#define SAC_CHECK_ADAPT 100
SAC_INTERNAL extern const char *const sac_check_das_iq_modes[],
    *const sac_check_das_rf_modes[], *const sac_check_das_adapt_modes[];
SAC_INTERNAL extern const sac_check_task sac_check_das_iq_tasks[], sac_check_das_rf_tasks[],
    sac_check_das_adapt_tasks[];

static inline bool sac_check_das_is_iq(const sac_check_case *c)
{
    return c->kind == SAC_C64 || c->kind == SAC_CHECK_ADAPT;
}

SAC_INTERNAL const sac_check_scenario *sac_check_das_scenario(const sac_check_case *c);
SAC_INTERNAL bool sac_check_das_is_task(const sac_check_case *c);

/* A case's run but for its data, and what its delays and weights say of its outputs; c->state. */
typedef struct sac_check_das {
    sac_das das;
    sac_element *elements;
    sac_transmit *transmits;
    float *tx_weight;
    double *delays, *arrivals, *points;
    bool *unsure; /* of RF (n_points, n_images): has a delay that lies near a place where f jumps */
    double power; /* of RF: of all outputs of a frame, on white noise of variance 1 */
    double *powers; /* of which some points' each */
} sac_check_das;

static inline const sac_das *sac_check_das_of(const sac_check_case *c)
{
    return &((const sac_check_das *)c->state)->das;
}

/* Arguments: the sums, the data, and on a GPU the data once more. */
enum { SAC_CHECK_DAS_OUT, SAC_CHECK_DAS_IN };
SAC_INTERNAL extern const char *const sac_check_das_contents[];
SAC_INTERNAL void sac_check_das_shape(sac_check_case *c);
SAC_INTERNAL void sac_check_das_fill(sac_check_case *c);
SAC_INTERNAL SAC_NODISCARD sac_status sac_check_das_open(sac_check_case *c);
SAC_INTERNAL void sac_check_das_close(sac_check_case *c);

/* The noise's amplitude. */
SAC_INTERNAL double sac_check_das_unit(const sac_check_case *c);

/* Calls fn for all points, in blocks of sizes that the case's seed draws; whole blocks in a task.
 */
SAC_INTERNAL void sac_check_das_call(sac_any_fn fn, const sac_check_case *c);
SAC_INTERNAL void sac_check_das_call_rows(sac_any_fn fn, const sac_check_case *c, int64_t first,
                                          int64_t n_rows);

/*
 * On a GPU: the case's last argument is the same data once more as sac_das_cuda has it; none in a
 * build without CUDA. shape and fill add it.
 */
SAC_INTERNAL void sac_check_das_shape_cuda(sac_check_case *c, const sac_das *das, size_t size);
SAC_INTERNAL void sac_check_das_fill_cuda(sac_check_case *c, const sac_das *das, size_t size);

#if SAC_CUDA
/* Tables of rungs, and calls for them; das_rf_f32 has more of both, the ladder's steps. */
SAC_INTERNAL bool sac_check_das_supports_cuda(const sac_variant *v, const sac_check_case *c);
SAC_INTERNAL sac_status sac_check_das_open_cuda(sac_check_case *c, sac_gpu *gpu);
SAC_INTERNAL void sac_check_das_close_cuda(sac_check_case *c, sac_gpu *gpu);
SAC_INTERNAL sac_status sac_check_das_call_cuda(sac_any_fn fn, sac_gpu_stream stream,
                                                const sac_gpu_shape *shape,
                                                const sac_check_case *c);
SAC_INTERNAL sac_status sac_check_das_open_steps(sac_check_case *c, sac_gpu *gpu);
SAC_INTERNAL void sac_check_das_close_steps(sac_check_case *c, sac_gpu *gpu);
SAC_INTERNAL sac_status sac_check_das_call_steps(sac_any_fn fn, sac_gpu_stream stream,
                                                 const sac_gpu_shape *shape,
                                                 const sac_check_case *c);
#else
#define sac_check_das_supports_cuda(v, c) ((void)(v), (void)(c), false)
#endif

/* Whether the ladder's steps take it: linear, zero outside, one frame, without f-number. */
SAC_INTERNAL bool sac_check_das_takes_steps(const sac_check_case *c);

#endif
