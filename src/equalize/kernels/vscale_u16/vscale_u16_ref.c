/*
 * vscale_u16, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/vscale_ref.h"
#include "vscale_u16.h"

void sac_vscale_u16_ref(const sac_pixels *out, const sac_pixels *in, const sac_scale *s)
{
    sac_vscale_ref(out, in, s, 16);
}
