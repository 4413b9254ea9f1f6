/*
 * interp with vectors, for sets without a file of their own.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "interp_simd.h"

void sac_interp_simd(void *out, const sac_interp_job *job)
{
    sac_interp_by_blocks(out, job, sac_interp_place_simd, sac_interp_take_simd);
}
