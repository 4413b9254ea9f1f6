/*
 * moments_u8: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "moments_u8.h"

#define ROOM "moments_u8"
#define NAME(of) sac_moments_u8_##of
#include "meltpool/kernels/stage_table.h"
