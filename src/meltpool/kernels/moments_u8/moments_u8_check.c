/*
 * moments_u8 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "moments_u8.h"

#include "meltpool/kernels/check_frame.h"

static void shape(sac_check_case *c)
{
    sac_check_meltpool_shape(c, "out", sizeof(uint32_t),
                             sizeof(sac_meltpool_integers) / sizeof(uint32_t));
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    for (int64_t i = 0; i < c->h; i++) {
        const sac_meltpool_frame_job job = sac_check_meltpool_job(c, i);
        ((sac_moments_u8_fn)fn)(
            (sac_meltpool_integers *)(void *)(c->arg[0].data + i * c->arg[0].row),
            sac_check_meltpool_mask(c, i), &job);
    }
}

const sac_room_check sac_moments_u8_check = {
    .room = &sac_moments_u8_room,
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
