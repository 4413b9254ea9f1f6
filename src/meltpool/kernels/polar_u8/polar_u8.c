/*
 * polar_u8: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "polar_u8.h"

#define ROOM "polar_u8"
#define NAME(of) sac_polar_u8_##of
#include "meltpool/kernels/stage_table.h"
