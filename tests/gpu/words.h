/*
 * Instructions on words, as a GPU has them and as tests/emulate/cuda_bits.h and cuda_fp16.h have.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_WORDS_H
#define SAC_TESTS_WORDS_H

#include "room/variant_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WORDS_ABSDIFF4,
    WORDS_MIN2,
    WORDS_MAX2,
    WORDS_LEAST3,
    WORDS_MOST3,
    WORDS_GE4,
    WORDS_ADD4,
    WORDS_SUB4,
    WORDS_MIN4,
    WORDS_MAX4,
    WORDS_PERMUTE,
    WORDS_DOT,
    WORDS_SHIFT,
    WORDS_SHIFT_UP_TO_32,
    WORDS_BITS,
    WORDS_ZEROS,
    WORDS_FIRST,
    WORDS_TO_HALF, /* WORDS_NAN for any of them */
    WORDS_OF_HALF,
    N_WORDS
};

#define WORDS_NAN UINT32_MAX

/* Of n threes of words what each makes of them: out is (n, N_WORDS). Only enqueues. */
sac_status words_launch(sac_gpu_stream stream, uint32_t *out, const uint32_t *threes, int32_t n);

#ifdef __cplusplus
}
#endif
#endif
