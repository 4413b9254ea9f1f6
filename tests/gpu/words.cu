/*
 * Instructions on words, each by itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <cuda_fp16.h>

#include "words.h"

#define THREADS 128

__global__ static void try_words(uint32_t *out, const uint32_t *threes, int32_t n)
{
    const int32_t i = (int32_t)(blockIdx.x * THREADS + threadIdx.x);
    if (i >= n)
        return;
    const uint32_t a = threes[3 * i], b = threes[3 * i + 1], c = threes[3 * i + 2];
    uint32_t *word = out + i * N_WORDS;
    word[WORDS_ABSDIFF4] = __vabsdiffu4(a, b);
    word[WORDS_MIN2] = __vminu2(a, b);
    word[WORDS_MAX2] = __vmaxu2(a, b);
    word[WORDS_LEAST3] = __vimin3_u16x2(a, b, c);
    word[WORDS_MOST3] = __vimax3_u16x2(a, b, c);
    word[WORDS_GE4] = __vcmpgeu4(a, b);
    word[WORDS_ADD4] = __vadd4(a, b);
    word[WORDS_SUB4] = __vsub4(a, b);
    word[WORDS_MIN4] = __vminu4(a, b);
    word[WORDS_MAX4] = __vmaxu4(a, b);
    word[WORDS_PERMUTE] = __byte_perm(a, b, c);
    word[WORDS_DOT] = __dp4a(a, b, c);
    word[WORDS_SHIFT] = __funnelshift_r(a, b, c);
    word[WORDS_SHIFT_UP_TO_32] = __funnelshift_rc(a, b, c);
    word[WORDS_BITS] = (uint32_t)__popc(a);
    word[WORDS_ZEROS] = (uint32_t)__clz((int)a);
    word[WORDS_FIRST] = (uint32_t)__ffs((int)a);
    const float f = __uint_as_float(a), h = __half2float(__ushort_as_half((uint16_t)b));
    word[WORDS_TO_HALF] = f == f ? __half_as_ushort(__float2half_rn(f)) : WORDS_NAN;
    word[WORDS_OF_HALF] = h == h ? __float_as_uint(h) : WORDS_NAN;
}

extern "C" sac_status words_launch(sac_gpu_stream stream, uint32_t *out, const uint32_t *threes,
                                   int32_t n)
{
    try_words<<<(unsigned)(n + THREADS - 1) / THREADS, THREADS, 0, stream>>>(out, threes, n);
    return sac_cuda_launched();
}
