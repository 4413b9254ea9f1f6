/*
 * median3_u8 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/kernels/check_samples.h"
#include "median3_u8.h"

const sac_room_check sac_median3_u8_check = {
    .room = &sac_median3_u8_room,
    .modes = sac_pixel_modes,
    .contents = sac_pixel_contents,
    .shape = sac_check_filter_shape,
    .open = sac_check_filter_open,
    .close = sac_check_filter_close,
    .fill = sac_check_filter_fill,
    .call = sac_check_filter_call,
    .bytes = sac_check_filter_bytes,
};
