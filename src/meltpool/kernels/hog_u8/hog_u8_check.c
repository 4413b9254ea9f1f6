/*
 * hog_u8 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hog_u8.h"

#include "meltpool/kernels/check_frame.h"

static void shape(sac_check_case *c)
{
    sac_check_meltpool_shape(c, "hog", sizeof(uint32_t), SAC_MELTPOOL_BINS);
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    for (int64_t i = 0; i < c->h; i++) {
        const sac_meltpool_frame_job job = sac_check_meltpool_job(c, i);
        ((sac_hog_u8_fn)fn)((uint32_t *)(void *)(c->arg[0].data + i * c->arg[0].row), &job);
    }
}

const sac_room_check sac_hog_u8_check = {
    .room = &sac_hog_u8_room,
    .modes = sac_check_meltpool_modes,
    .contents = sac_check_meltpool_contents,
    .tasks = sac_check_meltpool_tasks,
    .set_task = sac_check_meltpool_set_task,
    .costly = true,
    .shape = shape,
    .open = sac_check_meltpool_open,
    .close = sac_check_meltpool_close,
    .fill = sac_check_meltpool_fill,
    .call = call,
    .bytes = sac_check_meltpool_bytes,
    .points = sac_check_meltpool_points,
};
