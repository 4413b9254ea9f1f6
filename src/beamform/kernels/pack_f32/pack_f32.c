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

static const sac_variant variants[] = {
    {"ref", 0, true, SAC_FN(sac_pack_fn, sac_pack_f32_ref)},
#if SAC_X86
    {"avx2", SAC_CPU_V3, true, SAC_FN(sac_pack_fn, sac_pack_f32_avx2)},
    {"avx512", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, true,
     SAC_FN(sac_pack_fn, sac_pack_f32_avx512)},
#elif SAC_ARM
    {"neon", SAC_CPU_NEON, true, SAC_FN(sac_pack_fn, sac_pack_f32_neon)},
#endif
    {0},
};

const sac_room sac_pack_f32_room = {"pack_f32", variants};
