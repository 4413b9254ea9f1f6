/*
 * hog_u8: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hog_u8.h"

#define ROOM "hog_u8"
#define NAME(of) sac_hog_u8_##of
#include "meltpool/kernels/stage_table.h"
