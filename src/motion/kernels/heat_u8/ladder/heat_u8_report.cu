/*
 * heat_u8 as in Battilana's report on CUDA video streaming: three sines a pixel, one block. Each
 * rung changes one thing. (Its program divides by 510 where the text has 765; here 765.)
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "motion/kernels/report.cuh"

/* Which sine a rung calls: the special function unit's, or the exact one. */
enum { FAST, EXACT };

/* In double, as the report's constants make it. */
template <int SINE> __device__ static inline uint8_t level(double x)
{
    const double sine = SINE == FAST ? (double)__sinf((float)x) : sin(x);
    return (uint8_t)fminf(fmaxf((float)(sine * 255.0), 0.0f), 255.0f);
}

/* The color of a difference: three stores of a byte. */
template <int SINE> __device__ static inline void draw(uint8_t *pixel, int d)
{
    const float u = (float)(d / 765.0);
    pixel[2] = level<SINE>(M_PI * u - M_PI / 2.0);
    pixel[1] = level<SINE>(M_PI * u);
    pixel[0] = level<SINE>(M_PI * u + M_PI / 2.0);
}

/*
 * cuda-naive and swap: the CPU's program, a section a thread, a byte an access. A warp's 32 threads
 * are a section apart, so each access touches 32 lines and uses one byte of each. swap is the same
 * kernel, but keeps the previous frame on the device.
 */
__global__ void __launch_bounds__(SAC_REPORT_K)
    heat_bytes(uint8_t *out, const uint8_t *current, const uint8_t *previous, int32_t n_bytes)
{
#pragma unroll 1
    for (int pass = 0; pass < SAC_SECTION_PASSES; pass++) {
        const sac_section s = sac_section_of(pass, n_bytes / 3);
        for (int32_t i = 3 * s.first; i < 3 * s.end; i += 3)
            draw<FAST>(out + i, abs(current[i] - previous[i]) +
                                    abs(current[i + 1] - previous[i + 1]) +
                                    abs(current[i + 2] - previous[i + 2]));
    }
}

/* Word i; what follows the frame's last byte is 0, and not read. */
__device__ static inline uint32_t word_at(const uint8_t *frame, int32_t i, int32_t n_bytes)
{
    if (i < n_bytes / 4)
        return ((const uint32_t *)frame)[i];
    uint32_t word = 0;
    for (int32_t at = 4 * i; at < n_bytes; at++)
        word |= (uint32_t)frame[at] << 8 * (at - 4 * i);
    return word;
}

/* |a - b| of the lowest three bytes, together. */
__device__ static inline int differ(uint32_t a, uint32_t b)
{
    int d = 0;
    for (int k = 0; k < 24; k += 8)
        d += abs((int)(a >> k & 255) - (int)(b >> k & 255));
    return d;
}

/*
 * word-sinf, word and threads: four bytes a load, still one byte a store. A word's pixels are those
 * that begin in it; what the last lacks comes from the next word (the report reads past its
 * variable instead).
 *
 * As in the report, each byte asks whether a pixel begins there. Sections are n / K words: where
 * that is a multiple of 3, all threads find their pixels in the same turns of the loop, else each
 * third of a warp in another, and the warp draws pixels three times as often. So time jumps with K.
 */
template <int SINE>
__global__ void __launch_bounds__(SAC_REPORT_K)
    heat_words(uint8_t *out, const uint8_t *current, const uint8_t *previous, int32_t n_bytes)
{
    const int32_t n = (n_bytes + 3) / 4;
#pragma unroll 1
    for (int pass = 0; pass < SAC_SECTION_PASSES; pass++) {
        const sac_section s = sac_section_of(pass, n);
        uint32_t is = word_at(current, s.first, n_bytes), was = word_at(previous, s.first, n_bytes);
        for (int32_t i = s.first; i < s.end; i++) {
            const uint32_t next_is = word_at(current, i + 1, n_bytes);
            const uint32_t next_was = word_at(previous, i + 1, n_bytes);
#pragma unroll 1
            for (int j = 0; j < 4 && 4 * i + j < n_bytes; j++)
                if ((4 * i + j) % 3 == 0)
                    draw<SINE>(out + 4 * i + j, differ(__funnelshift_r(is, next_is, 8 * j),
                                                       __funnelshift_r(was, next_was, 8 * j)));
            is = next_is;
            was = next_was;
        }
    }
}

static sac_status run_bytes(sac_gpu_stream stream, const sac_gpu_shape *shape, const sac_pair *pair,
                            const uint32_t *table)
{
    (void)table; /* three sines instead */
    const sac_launch l = sac_report_launch(shape, SAC_REPORT_K);
    heat_bytes<<<l.grid, l.block, 0, stream>>>(
        sac_report_bytes(&pair->out), sac_report_bytes(&pair->current),
        sac_report_bytes(&pair->previous), sac_report_size(&pair->out));
    return sac_cuda_launched();
}

template <int SINE>
static sac_status words(sac_gpu_stream stream, const sac_gpu_shape *shape, const sac_pair *pair,
                        unsigned k)
{
    const sac_launch l = sac_report_launch(shape, k);
    heat_words<SINE><<<l.grid, l.block, 0, stream>>>(
        sac_report_bytes(&pair->out), sac_report_bytes(&pair->current),
        sac_report_bytes(&pair->previous), sac_report_size(&pair->out));
    return sac_cuda_launched();
}

static sac_status run_words_fast(sac_gpu_stream stream, const sac_gpu_shape *shape,
                                 const sac_pair *pair, const uint32_t *table)
{
    (void)table;
    return words<FAST>(stream, shape, pair, SAC_REPORT_K);
}

static sac_status run_words(sac_gpu_stream stream, const sac_gpu_shape *shape, const sac_pair *pair,
                            const uint32_t *table)
{
    (void)table;
    return words<EXACT>(stream, shape, pair, SAC_REPORT_K);
}

/* threads: word with the K that the report's sweep found best. */
static sac_status run_threads(sac_gpu_stream stream, const sac_gpu_shape *shape,
                              const sac_pair *pair, const uint32_t *table)
{
    (void)table;
    return words<EXACT>(stream, shape, pair, SAC_REPORT_BEST_K);
}

extern "C" const sac_variant sac_heat_u8_report_cuda[] = {
    {"cuda-naive", 0, false, SAC_FN(sac_heat_u8_cuda_fn, run_bytes), SAC_TIER_EXACT,
     SAC_REPORT_BGR | SAC_REPORT_SINF | SAC_REPORT_BOTH},
    {"swap", 0, false, SAC_FN(sac_heat_u8_cuda_fn, run_bytes), SAC_TIER_EXACT,
     SAC_REPORT_BGR | SAC_REPORT_SINF},
    {"word-sinf", 0, false, SAC_FN(sac_heat_u8_cuda_fn, run_words_fast), SAC_TIER_EXACT,
     SAC_REPORT_BGR | SAC_REPORT_SINF | SAC_REPORT_WORDS},
    {"word", 0, false, SAC_FN(sac_heat_u8_cuda_fn, run_words), SAC_TIER_EXACT,
     SAC_REPORT_BGR | SAC_REPORT_WORDS},
    {"threads", 0, false, SAC_FN(sac_heat_u8_cuda_fn, run_threads), SAC_TIER_EXACT,
     SAC_REPORT_BGR | SAC_REPORT_WORDS},
    {NULL, 0, false, NULL},
};
