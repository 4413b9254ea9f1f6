/*
 * The programs of Battilana's report on CUDA video streaming as rungs of heat_u8 and noise_u8: what
 * they suit and what is copied for them. In libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_REPORT_CUDA_H
#define SAC_MOTION_REPORT_CUDA_H

#include "motion/kernels/pairs_cuda.h"

/* Bits of a rung's kind. Without any it is no rung of the report. */
enum {
    SAC_REPORT_BGR = 1,     /* packed BGR, as OpenCV has it */
    SAC_REPORT_BOTH = 2,    /* both frames are copied in, not the current one alone */
    SAC_REPORT_WORDS = 4,   /* frames begin at multiples of 4 bytes */
    SAC_REPORT_CHUNKS = 8,  /* of 16 */
    SAC_REPORT_SINF = 16,   /* __sinf: colors within 1 */
    SAC_REPORT_BLACK = 32,  /* out is black before the call */
    SAC_REPORT_OVERLAY = 64 /* out is the previous frame */
};

SAC_EXTERN_C const sac_variant sac_heat_u8_report_cuda[];
SAC_EXTERN_C const sac_variant sac_noise_u8_report_cuda[];

#endif
