/*
 * pack_i16: the reference, and the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack_i16.h"

void sac_pack_i16_ref(void *record, const void *in, const sac_das *das, int32_t n_frames,
                      ptrdiff_t frame, ptrdiff_t sample)
{
    sac_pack_record(record, in, das, n_frames, frame, sample, sizeof(int16_t), 1);
}

SAC_ROOM_TABLE(sac_pack_i16_room, "pack_i16",
               {"ref", 0, true, SAC_FN(sac_pack_fn, sac_pack_i16_ref)})
