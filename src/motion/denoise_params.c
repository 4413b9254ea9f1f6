/*
 * The options of denoise, described once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include "base/param_rows.h"

#define OFFSET(field) offsetof(sac_denoise_desc, field)

static const char *const methods[] = {"mean", "gaussian", "median", "temporal", NULL};

static const sac_param params[] = {
    {"method", SAC_PARAM_CHOICE, OFFSET(method), 0, 3, SAC_DENOISE_TEMPORAL, methods, "", "HOW",
     "mean, gaussian or median of a window, or temporal: over frames, held back where they move"},
    {"window", SAC_PARAM_INT, OFFSET(size), 3, 5, 3, NULL, "", "N", "side of the window, 3 or 5"},
    {"sigma", SAC_PARAM_FLOAT, OFFSET(sigma), 0, 100, 0, NULL, "", "S",
     "of gaussian, in pixels; 0: 0.8 with size 3, 1.1 with size 5"},
    {"strength", SAC_PARAM_FLOAT, OFFSET(strength), 0, 1, 0.8, NULL, "", "A",
     "of temporal: how much of the past stays where nothing moves"},
    {"noise", SAC_PARAM_FLOAT, OFFSET(noise), 0, 64, 0, NULL, "levels", "D",
     "of temporal: the noise's standard deviation; 0: estimated from the picture"},
    SAC_ROW_THREADS(sac_denoise_desc, ""),
    SAC_ROW_DEVICE(sac_denoise_desc, "cpu"),
    SAC_ROW_VARIANT(sac_denoise_desc, SAC_ROW_VARIANT_DOC),
};

static const sac_param_table table =
    SAC_PARAM_TABLE("denoise", sac_denoise_desc, params,
                    "take noise out of pictures and video, 8 bits, gray or color");

const sac_param_table *sac_denoise_params(void)
{
    return &table;
}

void sac_denoise_desc_init(sac_denoise_desc *desc)
{
    sac_param_defaults(&table, desc);
    desc->n_channels = 3;
}
