/*
 * demodulate_i16: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "demodulate_i16.h"

#define ROOM "demodulate_i16"
#define NAME(of) sac_demodulate_i16_##of
#include "beamform/kernels/signal_table.h"
