/*
 * compress_f32: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compress_f32.h"

#define ROOM "compress_f32"
#define NAME(of) sac_compress_f32_##of
#include "beamform/kernels/signal_table.h"
