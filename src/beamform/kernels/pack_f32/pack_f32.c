/*
 * pack_f32: the reference, and the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack_f32.h"

void sac_pack_f32_ref(void *record, const void *in, const sac_das *das, int32_t n_frames,
                      ptrdiff_t frame, ptrdiff_t sample)
{
    sac_pack_record(record, in, das, n_frames, frame, sample, sizeof(float), 1);
}

SAC_ROOM_TABLE(sac_pack_f32_room, "pack_f32",
               {"ref", 0, true, SAC_FN(sac_pack_fn, sac_pack_f32_ref)})
