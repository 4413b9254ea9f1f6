/*
 * What delay-and-sum rooms are checked and timed with: arrays, transmits, points and options, made
 * from a scenario and a case's size and random numbers.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_CHECK_DAS_H
#define SAC_BEAMFORM_CHECK_DAS_H

#include "beamform/kernels/das.h"
#include "room/check.h"

typedef enum sac_check_array {
    SAC_CHECK_LINEAR = 0,
    SAC_CHECK_MATRIX,
    SAC_CHECK_CURVED
} sac_check_array;

typedef enum sac_check_points {
    SAC_CHECK_PLANE = 0, /* x and z */
    SAC_CHECK_VOLUME,    /* the same number of points, in three rows of y where h allows */
    SAC_CHECK_LIST       /* anywhere, in no order */
} sac_check_points;

typedef struct sac_check_scenario {
    const char *name;
    int32_t n_frames, n_tx, n_rx, n_samples;
    sac_transmit_kind kind;
    sac_check_array array;
    sac_check_points points;
    sac_interp interp;
    sac_outside outside;
    sac_apodization apodization;
    bool lri, phase_transmit;
    int32_t phase_sign; /* 0: 1 */
    double fs_hz;       /* 0: 6.6667 MHz */
    /* A task's own geometry, 0 for the checks': x +-, z from, z to, in mm; plane waves within
     * +-deg; t0; pitch; c; fd. */
    double x_mm, z0_mm, z1_mm, angle_deg, t0_us, pitch_mm, c_m_s, fd_hz;
} sac_check_scenario;

/* Configurations A and C of the issue of record: IQ of PWI_disk's geometry, and of PICMUS's. Their
 * sizes are 251 x 251 and 387 x 609 points. */
#define SAC_CHECK_TASK_A                                                                           \
    .n_frames = 32, .n_tx = 1, .n_rx = 128, .n_samples = 334, .interp = SAC_INTERP_LINEAR,         \
    .apodization = {.f_number = 1}, .x_mm = 12.5, .z0_mm = 10, .z1_mm = 35, .t0_us = 9.95,         \
    .pitch_mm = 0.298, .c_m_s = 1480, .fd_hz = 5e6
#define SAC_CHECK_TASK_C                                                                           \
    .n_frames = 1, .n_tx = 75, .n_rx = 128, .n_samples = 2048, .interp = SAC_INTERP_LINEAR,        \
    .apodization = {.f_number = 1.75}, .x_mm = 18, .z0_mm = 10, .z1_mm = 50, .angle_deg = 16,      \
    .fs_hz = 20.832e6, .pitch_mm = 0.3, .c_m_s = 1540, .fd_hz = 5.208e6

/* The sizes and strides of a case's run, without its pointers; and the scalars of its data. */
SAC_INTERNAL size_t sac_check_das_layout(sac_das *das, const sac_check_scenario *scenario,
                                         int32_t n_parts, size_t scalar_size);

/* The whole run but for its data: sac_check_das_close frees it. NULL: no memory. */
SAC_INTERNAL SAC_NODISCARD sac_das *sac_check_das_open(const sac_check_case *c,
                                                       const sac_check_scenario *scenario,
                                                       int32_t n_parts, size_t scalar_size);
SAC_INTERNAL void sac_check_das_close(sac_das *das);

/* Calls fn for all points, in blocks of sizes that the case's seed draws; whole blocks in a task.
 */
SAC_INTERNAL void sac_check_das_call(sac_das_fn fn, float *out, const sac_das *das,
                                     const sac_check_case *c, bool whole_blocks);

/*
 * Relative L2 error of arg 0 to its norm, but not less than to `least`: the norm that noise is
 * expected to have, which in a few values may cancel. A value must be finite where the reference's
 * is. ok: error <= bound.
 */
SAC_INTERNAL void sac_check_das_compare(sac_check_diff *d, const sac_check_case *want,
                                        const sac_check_case *got, double least, double bound);

/*
 * On a GPU: the case's last argument is the same data once more as sac_das_cuda has it, of samples
 * of `size` bytes (i16, f32, c64); none in a build without CUDA. shape and fill add it.
 */
SAC_INTERNAL void sac_check_das_shape_cuda(sac_check_case *c, const sac_das *das, size_t size);
SAC_INTERNAL void sac_check_das_fill_cuda(sac_check_case *c, const sac_das *das, size_t size);
SAC_INTERNAL bool sac_check_das_supports_cuda(const sac_variant *v, const sac_das *das,
                                              size_t size);
SAC_INTERNAL sac_status sac_check_das_open_cuda(sac_check_case *c, sac_gpu *gpu, const sac_das *das,
                                                size_t size);
SAC_INTERNAL void sac_check_das_close_cuda(sac_check_case *c, sac_gpu *gpu);
SAC_INTERNAL sac_status sac_check_das_call_cuda(sac_any_fn fn, sac_gpu_stream stream,
                                                const sac_gpu_shape *shape,
                                                const sac_check_case *c);
/* What open_cuda made: a run, but for its data. Of builds with CUDA only. */
SAC_INTERNAL const struct sac_das_cuda *sac_check_das_run_cuda(const sac_check_case *c);

#endif
