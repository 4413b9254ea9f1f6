/*
 * Where Jarosik, Lewandowski, Yiu, "CUDA by examples: delay and sum" (IUS 2023 GPU short course),
 * have their times from: for tables of sac_check_published. The slides call the GPU "NVIDIA Geforce
 * 3700 Mobile" and "3700 RTX", a name that NVIDIA never gave; compute capability 8.6.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BEAMFORM_PUBLISHED_H
#define SAC_BEAMFORM_PUBLISHED_H

#define SAC_CUDA_BY_EXAMPLES(part)                                                                 \
    .device = "GeForce 3700 Mobile (sic)", .source = "CUDA by examples (2023), " part

#endif
