/*
 * clahe_u8, the specification.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "clahe_u8.h"
#include "equalize/kernels/clahe_ref.h"

void sac_clahe_u8_ref(const sac_pixels *out, const sac_pixels *in, const sac_clahe *c, int64_t y0)
{
    sac_clahe_ref(out, in, c, y0, 8);
}
