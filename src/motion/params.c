/*
 * The options of heatmap and noise, described once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/motion.h>

#define HEAT(field) offsetof(sac_heatmap_desc, field)
#define NOISE(field) offsetof(sac_noise_desc, field)

static const char *const maps[] = {"sine", "gray", "jet", "turbo", "viridis", NULL};
static const char *const views[] = {"mask", "overlay", "pure", "bits", NULL};

static const char threads_doc[] = "threads on the CPU; 0: one per core";
static const char device_doc[] = "where to work: cpu";
static const char variant_doc[] = "variants (implementations) to use, NAME or ROOM:NAME,...; "
                                  "default: the fastest on this machine";

static const sac_param heatmap_params[] = {
    {"map", SAC_PARAM_CHOICE, HEAT(map), 0, 4, SAC_HEAT_SINE, maps, "", "MAP",
     "colors: sine (blue, green, red), gray, jet, turbo or viridis"},
    {"scale", SAC_PARAM_INT, HEAT(scale), 1, 765, 765, NULL, "", "D",
     "sum of differences at the end of the map; 510 in the report's program"},
    {"threads", SAC_PARAM_INT, HEAT(n_threads), 0, 1024, 0, NULL, "", "N", threads_doc},
    {"device", SAC_PARAM_DEVICE, HEAT(device), 0, 0, 0, NULL, "", "DEVICE", device_doc},
    {"variant", SAC_PARAM_STRING, HEAT(variant), 0, 0, 0, NULL, "", "NAME", variant_doc},
};

static const sac_param noise_params[] = {
    {"view", SAC_PARAM_CHOICE, NOISE(view), 0, 3, SAC_NOISE_MASK, views, "", "VIEW",
     "mask: changes red on black; overlay, pure: changes red on the previous frame; bits: one bit "
     "per pixel"},
    {"threshold", SAC_PARAM_INT, NOISE(threshold), 0, 255, 20, NULL, "levels", "T",
     "a pixel has changed if any color differs by more than T"},
    {"threads", SAC_PARAM_INT, NOISE(n_threads), 0, 1024, 0, NULL, "", "N", threads_doc},
    {"device", SAC_PARAM_DEVICE, NOISE(device), 0, 0, 0, NULL, "", "DEVICE", device_doc},
    {"variant", SAC_PARAM_STRING, NOISE(variant), 0, 0, 0, NULL, "", "NAME", variant_doc},
};

static const sac_param_table heatmap_table = {
    .pipeline = "heatmap",
    .summary = "show how much each pixel of a video changes from frame to frame",
    .desc_size = sizeof(sac_heatmap_desc),
    .params = heatmap_params,
    .n_params = sizeof heatmap_params / sizeof heatmap_params[0],
};

static const sac_param_table noise_table = {
    .pipeline = "noise",
    .summary = "show which pixels of a video change by more than a threshold",
    .desc_size = sizeof(sac_noise_desc),
    .params = noise_params,
    .n_params = sizeof noise_params / sizeof noise_params[0],
};

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
