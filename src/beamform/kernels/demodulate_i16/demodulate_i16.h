/*
 * demodulate_i16: RF records of int16 to IQ. Contract, plan and tolerance are in
 * beamform/kernels/demodulate.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_DEMODULATE_I16_H
#define SAC_BEAMFORM_DEMODULATE_I16_H

#include "beamform/kernels/demodulate.h"

typedef sac_demodulate_fn sac_demodulate_i16_fn;

sac_demodulate_function sac_demodulate_i16_ref, sac_demodulate_i16_plain,
    sac_demodulate_i16_auto_v3, sac_demodulate_i16_auto_v4, sac_demodulate_i16_avx2;

SAC_INTERNAL extern const sac_room sac_demodulate_i16_room;

#endif
