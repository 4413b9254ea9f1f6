/*
 * mask_u8: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mask_u8.h"

#define ROOM "mask_u8"
#define NAME(of) sac_mask_u8_##of
#include "meltpool/kernels/stage_table.h"
