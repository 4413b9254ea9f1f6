/*
 * Frames and a model to check and time the pipeline with. In libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_LADDER_SCENES_H
#define SAC_MELTPOOL_LADDER_SCENES_H

#include <saccade/simulate_meltpool.h>

#include "base/error.h"

enum { SAC_MELTPOOL_SCENE_HIDDEN = 164 }; /* units of the model: the paper's */

/* What frames show: "typical" are a simulated build's, all others are as bad as can be. */
SAC_INTERNAL extern const char *const sac_meltpool_scenes[]; /* ends with NULL */

/*
 * n frames (96, 96), rows `row` bytes apart, of a scene (an index), and their signals (n), or NULL.
 * But for the typical scene the laser is on and in the frame's middle. SAC_E_NOMEM.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_meltpool_scene_fill(uint8_t *pixels, ptrdiff_t row,
                                                              sac_meltpool_signals *signals,
                                                              int64_t n, int32_t scene,
                                                              uint64_t seed);

/* Defaults, the simulator's calibration, and a model of random weights, for features of usual
 * sizes. */
typedef struct sac_meltpool_scene_plan {
    sac_meltpool_desc desc; /* with this model */
    sac_meltpool_model model;
    float mean[SAC_MELTPOOL_FEATURES], scale[SAC_MELTPOOL_FEATURES];
    float w1[SAC_MELTPOOL_SCENE_HIDDEN * SAC_MELTPOOL_FEATURES], b1[SAC_MELTPOOL_SCENE_HIDDEN];
    float w2[SAC_MELTPOOL_PREDICTIONS * SAC_MELTPOOL_SCENE_HIDDEN], b2[SAC_MELTPOOL_PREDICTIONS];
} sac_meltpool_scene_plan;

SAC_INTERNAL void sac_meltpool_scene_plan_init(sac_meltpool_scene_plan *plan);

/* How much a prediction can change where each feature does by so much of it and of its mean. */
SAC_INTERNAL double sac_meltpool_scene_sway(const sac_meltpool_model *model, const float *features,
                                            int32_t output);

/*
 * What of two plans' records of one frame is not as two variants' must be: "features 0..19" (the
 * bits), "variances" (1e-5), "predictions", as these let them, "signals", "flags"; NULL: nothing.
 * Without a model predictions are 0.
 */
SAC_INTERNAL const char *sac_meltpool_scene_differs(const sac_meltpool_record *want,
                                                    const sac_meltpool_record *got,
                                                    const sac_meltpool_model *model);

#endif
