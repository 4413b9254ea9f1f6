/*
 * das_rf_i16 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "das_rf_i16.h"
#include "beamform/kernels/check_das_rf.h"
#include "beamform/kernels/das_rungs_cuda.h"

static const sac_variant rungs[] = {
    {"two-kernels", 0, false, SAC_FN(sac_das_fn, sac_das_rf_i16_two_kernels), SAC_TIER_FP32},
    {"fused-global", 0, false, SAC_FN(sac_das_fn, sac_das_rf_i16_fused_global), SAC_TIER_FP32},
    {"fused-register", 0, false, SAC_FN(sac_das_fn, sac_das_rf_i16_fused_register), SAC_TIER_FP32},
    {0},
};

static void shape(sac_check_case *c)
{
    sac_check_das_rf_shape(c, sizeof(int16_t));
}

const sac_room_check sac_das_rf_i16_check = {
    .room = &sac_das_rf_i16_room,
    .rungs = rungs,
    .modes = sac_check_das_rf_modes,
    .contents = sac_check_das_rf_contents,
    .max_pixels = 1100,
    .costly = true,
    .shape = shape,
    .open = sac_check_das_rf_open,
    .close = sac_check_das_rf_close,
    .fill = sac_check_das_rf_fill,
    .call = sac_check_das_rf_call,
    .compare = sac_check_das_rf_compare,
    .supports = sac_check_das_rf_supports,
    .bytes = sac_check_das_rf_bytes,
    .tasks = sac_check_das_rf_tasks,
    .set_task = sac_check_das_rf_set_task,
    .points = sac_check_das_rf_points,

    .cuda = sac_das_rf_i16_cuda,
    .open_cuda = sac_check_das_rf_open_cuda,
    .close_cuda = sac_check_das_close_cuda,
    .call_cuda = sac_check_das_call_cuda,
};
