/*
 * vhist_u8 with one table, the obvious way. Equal neighbors wait until each other's count is
 * stored.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/vhist_single.h"
#include "equalize/kernels/vhist_u8/vhist_u8.h"

void sac_vhist_u8_single(uint32_t *hist, const sac_pixels *in)
{
    sac_vhist_single(hist, in);
}
