/*
 * pack_c64: the reference, which is the plain C of all rungs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack_c64.h"

void sac_pack_c64_ref(void *record, const void *in, const sac_das *das, int32_t n_frames,
                      ptrdiff_t frame, ptrdiff_t sample)
{
    sac_pack_record(record, in, das, n_frames, frame, sample, sizeof(float), 2);
}
