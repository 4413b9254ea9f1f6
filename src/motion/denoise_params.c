/*
 * The options of denoise, described once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#define OFFSET(field) offsetof(sac_denoise_desc, field)

static const char *const methods[] = {"mean", "gaussian", "median", "temporal", NULL};

static const sac_param params[] = {
    {"method", SAC_PARAM_CHOICE, OFFSET(method), 0, 3, SAC_DENOISE_TEMPORAL, methods, "", "HOW",
     "mean, gaussian or median of a window, or temporal: over frames, weaker where the picture "
     "moves"},
    {"window", SAC_PARAM_INT, OFFSET(size), 3, 5, 3, NULL, "", "N", "side of the window, 3 or 5"},
    {"sigma", SAC_PARAM_FLOAT, OFFSET(sigma), 0, 100, 0, NULL, "", "S",
     "gaussian: standard deviation in pixels; 0: 0.8 for window 3, 1.1 for window 5"},
    {"strength", SAC_PARAM_FLOAT, OFFSET(strength), 0, 1, 0.8, NULL, "", "A",
     "temporal: share of the past to keep where nothing moves"},
    {"noise", SAC_PARAM_FLOAT, OFFSET(noise), 0, 64, 0, NULL, "levels", "D",
     "temporal: standard deviation of the noise; 0: estimated from the picture"},
    {"threads", SAC_PARAM_INT, OFFSET(n_threads), 0, 1024, 0, NULL, "", "N",
     "threads on the CPU; 0: one per core"},
    {"device", SAC_PARAM_DEVICE, OFFSET(device), 0, 0, 0, NULL, "", "DEVICE", "where to work: cpu"},
    {"variant", SAC_PARAM_STRING, OFFSET(variant), 0, 0, 0, NULL, "", "NAME",
     "variants (implementations) to use, NAME or ROOM:NAME,...; default: the fastest on this "
     "machine"},
};

static const sac_param_table table = {
    .pipeline = "denoise",
    .summary = "remove noise from pictures and video, 8 bits, gray or color",
    .desc_size = sizeof(sac_denoise_desc),
    .params = params,
    .n_params = sizeof params / sizeof params[0],
};

const sac_param_table *sac_denoise_params(void)
{
    return &table;
}

void sac_denoise_desc_init(sac_denoise_desc *desc)
{
    sac_param_defaults(&table, desc);
    desc->n_channels = 3;
}
