/*
 * The denoise plan: what open prepares and run uses.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_DENOISE_H
#define SAC_MOTION_DENOISE_H

#include <saccade/motion.h>

#include "base/threads.h"
#include "motion/gpu.h"
#include "motion/kernels/samples.h"
#include "motion/kernels/temporal_u8/temporal_u8.h"

struct sac_denoise {
    sac_denoise_desc desc;
    sac_pool *pool;
    char variant[64];
    int32_t n_strips; /* of rows: tasks of a run */

    sac_filter_u8_fn filter; /* NULL: temporal */
    sac_filter window;

    sac_temporal_u8_fn temporal;
    uint16_t *state;    /* (h, w, n_channels) */
    uint16_t keep[256]; /* of differences, in levels */
    uint64_t n_frames;  /* since the last reset */
    double noise;       /* standard deviation, in levels */

    sac_samples in, out; /* of the run at work */

    /* On a GPU: NULL on the CPU. There `state` and what is kept are device memory. */
    sac_motion_gpu *gpu;
    struct sac_temporal_cuda *kept;
    sac_any_fn launch;
};

/* What is estimated, and when: of every so many frames the first. */
#define SAC_ESTIMATE_EVERY 16

/* A frame that fits the plan, wherever it lies. SAC_E_INVALID, SAC_E_SHAPE. */
sac_status sac_denoise_samples(sac_samples *p, const sac_array *a, const char *name,
                               const sac_denoise_desc *desc, sac_error *err);

/* The GPU's part: weights and sizes are set. SAC_E_UNSUPPORTED, SAC_E_DEVICE, SAC_E_NOMEM. */
sac_status sac_denoise_gpu_open(sac_denoise *plan, sac_error *err);

/* The noise that was last estimated there; 0 where the device is lost. */
double sac_denoise_gpu_noise(const sac_denoise *plan);

/*
 * The noise's standard deviation in levels, from at most a number of rows that keeps the time
 * short. Immerkaer, "Fast noise variance estimation" (1996): a difference of two Laplacians L,
 * which sees neither slopes nor straight edges, has 6 times the noise's deviation. Of |L| the
 * median, which is 0.6745 deviations of Gaussian noise, so that texture and corners count for
 * little. Clipped samples (0 and 255) hide noise and are left out. 0 where the picture is smaller
 * than 3 x 3.
 */
double sac_denoise_estimate(const sac_samples *in);

/* keep (256) of temporal_u8: all of `strength` up to 3 times the noise, nothing from 6 times on,
 * falling evenly between. */
void sac_denoise_keep(uint16_t *keep, double strength, double noise);

/* Weights of 256 in all, by exp(-i^2 / 2 sigma^2) and rounded; the middle takes what rounding left.
 */
void sac_denoise_weights(sac_filter *window, double sigma);

#endif
