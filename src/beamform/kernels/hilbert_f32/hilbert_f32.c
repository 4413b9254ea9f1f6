/*
 * hilbert_f32: the filter's design, and the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hilbert_f32.h"

#include "beamform/kernels/fir.h"

#define PI 3.14159265358979323846

void sac_hilbert_init(sac_hilbert *hilbert)
{
    for (int i = 0; i < SAC_HILBERT_TAPS; i++) {
        int k = 2 * i + 1;
        hilbert->exact[i] = 2 / (PI * k) * sac_kaiser((double)k / (2 * SAC_HILBERT_TAPS));
        hilbert->tap[i] = (float)hilbert->exact[i];
    }
}

static const sac_variant variants[] = {
    {"ref", 0, false, SAC_FN(sac_hilbert_f32_fn, sac_hilbert_f32_ref)},
    {"plain", 0, true, SAC_FN(sac_hilbert_f32_fn, sac_hilbert_f32_plain)},
#if SAC_X86
    {"auto_v3", SAC_CPU_V3, true, SAC_FN(sac_hilbert_f32_fn, sac_hilbert_f32_auto_v3)},
    {"auto_v4", SAC_CPU_V4, true, SAC_FN(sac_hilbert_f32_fn, sac_hilbert_f32_auto_v4)},
    {"avx2", SAC_CPU_V3, true, SAC_FN(sac_hilbert_f32_fn, sac_hilbert_f32_avx2)},
    {"avx512", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, true,
     SAC_FN(sac_hilbert_f32_fn, sac_hilbert_f32_avx512)},
#elif SAC_ARM
    {"neon", SAC_CPU_NEON, true, SAC_FN(sac_hilbert_f32_fn, sac_hilbert_f32_neon)},
#endif
    {0},
};

const sac_room sac_hilbert_f32_room = {"hilbert_f32", variants};
