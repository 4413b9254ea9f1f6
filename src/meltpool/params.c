/*
 * The options of meltpool, described once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/meltpool.h>

#include "base/param_rows.h"

#define OFFSET(field) offsetof(sac_meltpool_desc, field)

static const char *const locates[] = {"laser", "brightest", "previous", "fixed", NULL};

static const sac_param params[] = {
    {"roi", SAC_PARAM_INT, OFFSET(roi), 8, 128, 40, NULL, "pixels", "N",
     "side of the square region of interest (ROI)"},
    {"roi-align", SAC_PARAM_INT, OFFSET(roi_align), 1, 64, 8, NULL, "pixels", "N",
     "the ROI's first column is a multiple of this where possible: 1, 2, 4 .. 64"},
    {"locate", SAC_PARAM_CHOICE, OFFSET(locate), 0, 3, SAC_MELTPOOL_LASER, locates, "", "HOW",
     "how to find the centre of the ROI: laser (by the signals), brightest (pixel), previous "
     "(centroid of the last pool) or fixed"},
    {"fixed-x", SAC_PARAM_FLOAT, OFFSET(fixed[0]), -1, 4095, -1, NULL, "pixels", "X",
     "column of the fixed centre; -1: the middle of the frame"},
    {"fixed-y", SAC_PARAM_FLOAT, OFFSET(fixed[1]), -1, 4095, -1, NULL, "pixels", "Y",
     "row of the fixed centre; -1: the middle of the frame"},
    {"static-roi", SAC_PARAM_BOOL, OFFSET(static_roi), 0, 1, 0, NULL, "", "",
     "keep the ROI around the fixed centre"},
    {"scan-frame", SAC_PARAM_BOOL, OFFSET(scan_frame), 0, 1, 0, NULL, "", "",
     "count sectors from the direction in which the centre moves, not from the picture's x"},
    {"threshold", SAC_PARAM_INT, OFFSET(threshold), 0, 256, 60, NULL, "levels", "T",
     "lowest value of a bright pixel"},
    {"spatter-min", SAC_PARAM_INT, OFFSET(spatter_min), 1, 16384, 1, NULL, "pixels", "N",
     "minimum size of a spatter; smaller ones are ignored as noise"},
    {"window", SAC_PARAM_INT, OFFSET(window), 1, 4096, 64, NULL, "frames", "W",
     "compute variances over the last W frames with the laser on"},
    {"rate", SAC_PARAM_FLOAT, OFFSET(rate_hz), 1e-3, 1e9, 20000, NULL, "Hz", "HZ",
     "frames per second"},
    {"gap-reset", SAC_PARAM_FLOAT, OFFSET(gap_reset_s), 1e-9, 1e9, 1e-3, NULL, "s", "S",
     "start variances again after a gap of S seconds"},
    SAC_ROW_THREADS(sac_meltpool_desc, ", for batches"),
    SAC_ROW_DEVICE(sac_meltpool_desc, "cpu, cuda or cuda:N"),
    {"resident", SAC_PARAM_INT, OFFSET(resident), 0, 4096, 32, NULL, "frames", "N",
     "on a GPU: largest batch for the resident kernel, which avoids a launch; larger batches are "
     "launched"},
    {"timeout", SAC_PARAM_FLOAT, OFFSET(timeout_s), 1e-3, 3600, 0.5, NULL, "s", "S",
     "on a GPU: time without an answer after which it counts as failed"},
    SAC_ROW_VARIANT(
        sac_meltpool_desc,
        "variants (implementations) to use, NAME or ROOM:NAME,...; on a GPU: blocks or warps (one "
        "frame for each); default: the fastest on this machine"),
};

SAC_PARAM_TABLE(sac_meltpool_params, "meltpool", sac_meltpool_desc, params,
                "features of the melt pool in each frame, and predicted pores")

void sac_meltpool_signals_init(sac_meltpool_signals *signals)
{
    if (signals)
        *signals = (sac_meltpool_signals){.laser_on = 1};
}

void sac_meltpool_model_init(sac_meltpool_model *model)
{
    if (model)
        *model = (sac_meltpool_model){.struct_size = sizeof *model, .output = SAC_MELTPOOL_LINEAR};
}

void sac_meltpool_desc_init(sac_meltpool_desc *desc)
{
    if (!desc)
        return;
    sac_param_defaults(sac_meltpool_params(), desc);
    desc->h = desc->w = 96;
    desc->calibration[0][0] = desc->calibration[1][1] = 1;
}
