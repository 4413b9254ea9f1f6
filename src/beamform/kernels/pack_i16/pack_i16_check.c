/*
 * pack_i16 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack_i16.h"
#include "beamform/kernels/check_pack.h"

static void shape(sac_check_case *c)
{
    sac_check_pack_shape(c, sizeof(int16_t), 1);
}

static sac_status open(sac_check_case *c)
{
    return sac_check_pack_open(c, sizeof(int16_t), 1);
}

const sac_room_check sac_pack_i16_check = {
    .room = &sac_pack_i16_room,
    .modes = sac_check_pack_modes,
    .contents = sac_check_pack_contents,
    .max_pixels = 20000,
    .shape = shape,
    .open = open,
    .close = sac_check_pack_close,
    .fill = sac_check_pack_fill,
    .call = sac_check_pack_call,
    .compare = sac_check_pack_compare,
    .bytes = sac_check_pack_bytes,
    .tasks = sac_check_pack_tasks,
    .set_task = sac_check_pack_set_task,
#if SAC_CUDA
    .cuda = sac_check_pack_cuda,
    .call_cuda = sac_check_pack_call_cuda,
#endif
};
