/*
 * The options of heatmap, noise, denoise and adjust, described once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include "base/param_rows.h"

#define HEAT(field) offsetof(sac_heatmap_desc, field)
#define NOISE(field) offsetof(sac_noise_desc, field)
#define DENOISE(field) offsetof(sac_denoise_desc, field)
#define ADJUST(field) offsetof(sac_adjust_desc, field)

static const char *const maps[] = {"sine", "gray", "jet", "turbo", "viridis", NULL};
static const char *const views[] = {"mask", "overlay", "pure", "bits", NULL};
static const char *const methods[] = {"mean", "gaussian", "median", "temporal", NULL};

static const sac_param heatmap_params[] = {
    {"map", SAC_PARAM_CHOICE, HEAT(map), 0, 4, SAC_HEAT_SINE, maps, "", "MAP",
     "colors: sine (blue, green, red), gray, jet, turbo or viridis"},
    {"scale", SAC_PARAM_INT, HEAT(scale), 1, 765, 765, NULL, "", "D",
     "sum of differences at the end of the map; 510 as in Battilana's program"},
    SAC_ROWS_PLAN(sac_heatmap_desc, "cpu, cuda or cuda:N", SAC_ROW_VARIANT_DOC),
};

static const sac_param noise_params[] = {
    {"view", SAC_PARAM_CHOICE, NOISE(view), 0, 3, SAC_NOISE_MASK, views, "", "VIEW",
     "mask: changes red on black; overlay, pure: changes red on the previous frame; bits: one bit "
     "per pixel"},
    {"threshold", SAC_PARAM_INT, NOISE(threshold), 0, 255, 20, NULL, "levels", "T",
     "a pixel has changed if any color differs by more than T"},
    SAC_ROWS_PLAN(sac_noise_desc, "cpu, cuda or cuda:N", SAC_ROW_VARIANT_DOC),
};

static const sac_param denoise_params[] = {
    {"method", SAC_PARAM_CHOICE, DENOISE(method), 0, 3, SAC_DENOISE_TEMPORAL, methods, "", "HOW",
     "mean, gaussian or median of a window, or temporal: over frames, weaker where the picture "
     "moves"},
    {"window", SAC_PARAM_INT, DENOISE(size), 3, 5, 3, NULL, "", "N", "side of the window, 3 or 5"},
    {"sigma", SAC_PARAM_FLOAT, DENOISE(sigma), 0, 100, 0, NULL, "", "S",
     "gaussian: standard deviation in pixels; 0: 0.8 for window 3, 1.1 for window 5"},
    {"strength", SAC_PARAM_FLOAT, DENOISE(strength), 0, 1, 0.8, NULL, "", "A",
     "temporal: share of the past to keep where nothing moves"},
    {"noise", SAC_PARAM_FLOAT, DENOISE(noise), 0, 64, 0, NULL, "levels", "D",
     "temporal: standard deviation of the noise; 0: estimated from the picture"},
    SAC_ROWS_PLAN(sac_denoise_desc, "cpu, cuda or cuda:N", SAC_ROW_VARIANT_DOC),
};

static const sac_param adjust_params[] = {
    {"brightness", SAC_PARAM_FLOAT, ADJUST(brightness), -100, 100, 0, NULL, "%", "B",
     "share of white that is added to every color"},
    {"contrast", SAC_PARAM_FLOAT, ADJUST(contrast), 0, 4, 1, NULL, "", "C",
     "factor about mid gray: 1 leaves it, 0 gives mid gray alone"},
    {"saturation", SAC_PARAM_FLOAT, ADJUST(saturation), 0, 4, 1, NULL, "", "S",
     "factor of the colors: 1 leaves them, 0 gives gray; gray frames have none"},
    {"gain", SAC_PARAM_FLOAT, ADJUST(gain), 0, 16, 1, NULL, "", "G",
     "factor from black: 1 leaves the picture, 2 makes it twice as bright"},
    SAC_ROWS_PLAN(sac_adjust_desc, "cpu, cuda or cuda:N", SAC_ROW_VARIANT_DOC),
};

SAC_PARAM_TABLE(sac_heatmap_params, "heatmap", sac_heatmap_desc, heatmap_params,
                "show how much each pixel of a video changes from frame to frame")

SAC_PARAM_TABLE(sac_noise_params, "noise", sac_noise_desc, noise_params,
                "show which pixels of a video change by more than a threshold")

SAC_PARAM_TABLE(sac_denoise_params, "denoise", sac_denoise_desc, denoise_params,
                "remove noise from pictures and video, 8 bits, gray or color")

SAC_PARAM_TABLE(sac_adjust_params, "adjust", sac_adjust_desc, adjust_params,
                "brightness, contrast, saturation and gain of pictures and video, 8 bits")

void sac_heatmap_desc_init(sac_heatmap_desc *desc)
{
    sac_param_defaults(sac_heatmap_params(), desc);
    desc->n_channels = 3;
}

void sac_noise_desc_init(sac_noise_desc *desc)
{
    sac_param_defaults(sac_noise_params(), desc);
    desc->n_channels = 3;
}

void sac_denoise_desc_init(sac_denoise_desc *desc)
{
    sac_param_defaults(sac_denoise_params(), desc);
    desc->n_channels = 3;
}

void sac_adjust_desc_init(sac_adjust_desc *desc)
{
    sac_param_defaults(sac_adjust_params(), desc);
    desc->n_channels = 3;
}
