/*
 * vhist_u16 in plain C. 65,536 counters take 256 KiB, so there is one table of them, not eight.
 * SPDX-License-Identifier: Apache-2.0
 */
#define SAC_DEPTH 16
#include "equalize/kernels/vhist_single.h"
#include "vhist_u16.h"

void sac_vhist_u16_plain(uint32_t *hist, const sac_pixels *in)
{
    sac_vhist_single(hist, in);
}
