/*
 * polar_u8 with vectors: sums of rows under masks of where sectors end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/frame_simd.h"
#include "polar_u8.h"

void sac_polar_u8_simd(uint32_t *polar, const sac_meltpool_frame_job *job)
{
    sac_meltpool_roi roi;
    sac_meltpool_copy(&roi, job);
    sac_meltpool_polar_all(polar, &roi, job);
}
