/*
 * demodulate_f32: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "demodulate_f32.h"

#define ROOM "demodulate_f32"
#define NAME(of) sac_demodulate_f32_##of
#include "beamform/kernels/signal_table.h"
