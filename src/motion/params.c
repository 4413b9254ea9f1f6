/*
 * The options of heatmap and noise, described once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#include "base/param_rows.h"

#define HEAT(field) offsetof(sac_heatmap_desc, field)
#define NOISE(field) offsetof(sac_noise_desc, field)

static const char *const maps[] = {"sine", "gray", "jet", "turbo", "viridis", NULL};
static const char *const views[] = {"mask", "overlay", "pure", "bits", NULL};

static const sac_param heatmap_params[] = {
    {"map", SAC_PARAM_CHOICE, HEAT(map), 0, 4, SAC_HEAT_SINE, maps, "", "MAP",
     "colors: sine (blue, green, red), gray, jet, turbo or viridis"},
    {"scale", SAC_PARAM_INT, HEAT(scale), 1, 765, 765, NULL, "", "D",
     "the sum of differences that is the map's end; 510: as in the report's program"},
    SAC_ROW_THREADS(sac_heatmap_desc, ""),
    SAC_ROW_DEVICE(sac_heatmap_desc, "cpu"),
    SAC_ROW_VARIANT(sac_heatmap_desc, SAC_ROW_VARIANT_DOC),
};

static const sac_param noise_params[] = {
    {"view", SAC_PARAM_CHOICE, NOISE(view), 0, 3, SAC_NOISE_MASK, views, "", "VIEW",
     "mask: changes red on black; overlay, pure: on the frame before; bits: one a pixel"},
    {"threshold", SAC_PARAM_INT, NOISE(threshold), 0, 255, 20, NULL, "levels", "T",
     "a color must differ by more than T"},
    SAC_ROW_THREADS(sac_noise_desc, ""),
    SAC_ROW_DEVICE(sac_noise_desc, "cpu"),
    SAC_ROW_VARIANT(sac_noise_desc, SAC_ROW_VARIANT_DOC),
};

static const sac_param_table heatmap_table =
    SAC_PARAM_TABLE("heatmap", sac_heatmap_desc, heatmap_params,
                    "show how much each pixel of a video changes from frame to frame");

static const sac_param_table noise_table =
    SAC_PARAM_TABLE("noise", sac_noise_desc, noise_params,
                    "show which pixels of a video change by more than a threshold");

const sac_param_table *sac_heatmap_params(void)
{
    return &heatmap_table;
}

const sac_param_table *sac_noise_params(void)
{
    return &noise_table;
}

void sac_heatmap_desc_init(sac_heatmap_desc *desc)
{
    sac_param_defaults(&heatmap_table, desc);
    desc->n_channels = 3;
}

void sac_noise_desc_init(sac_noise_desc *desc)
{
    sac_param_defaults(&noise_table, desc);
    desc->n_channels = 3;
}
