/*
 * demodulate_f32: RF records of float32 to IQ. Contract, plan and tolerance are in
 * beamform/kernels/demodulate.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DEMODULATE_F32_H
#define SAC_BEAMFORM_DEMODULATE_F32_H

#include "beamform/kernels/demodulate.h"

typedef sac_demodulate_fn sac_demodulate_f32_fn;

sac_demodulate_function sac_demodulate_f32_ref, sac_demodulate_f32_plain,
    sac_demodulate_f32_auto_v3, sac_demodulate_f32_auto_v4, sac_demodulate_f32_avx2;

SAC_INTERNAL extern const sac_room sac_demodulate_f32_room;

#endif
