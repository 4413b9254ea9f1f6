/*
 * interp with AVX-512.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interp_simd.h"

void sac_interp_avx512(void *out, const sac_interp_job *job)
{
    sac_interp_by_blocks(out, job, sac_interp_place_simd, sac_interp_take_simd);
}
