/*
 * adapt_iq_f32: the table, and the memory of a call.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "adapt_iq_f32.h"

static const sac_variant variants[] = {
    {"ref", 0, false, SAC_FN(sac_das_fn, sac_adapt_iq_f32_ref)},
    {"plain", 0, true, SAC_FN(sac_das_fn, sac_adapt_iq_f32_plain)},
#if SAC_X86
    {"avx2", SAC_CPU_V3, true, SAC_FN(sac_das_fn, sac_adapt_iq_f32_avx2), SAC_TIER_FP32,
     SAC_DAS_BY_POINTS},
    {"avx512", SAC_CPU_AVX512_VBMI | SAC_CPU_AVX512_VNNI, true,
     SAC_FN(sac_das_fn, sac_adapt_iq_f32_avx512), SAC_TIER_FP32, SAC_DAS_BY_POINTS},
#elif SAC_ARM
    {"neon", SAC_CPU_NEON, true, SAC_FN(sac_das_fn, sac_adapt_iq_f32_neon), SAC_TIER_FP32,
     SAC_DAS_BY_POINTS},
#endif
    {0},
};

const sac_room sac_adapt_iq_f32_room = {"adapt_iq_f32", variants};

/* Of plain: all signals in double, and MV's rows. Of vectors: what elements bring, a transmit's
 * signals, those of a block, the sums of a block, MV's signals, rows and columns. */
size_t sac_adapt_scratch(const sac_das *das)
{
    const sac_reduction *r = das->reduction;
    const size_t n_rx = (size_t)das->n_rx, n_tx = (size_t)das->n_tx;
    const bool solves = r->kind == SAC_REDUCE_MV;
    const size_t pair = 2 * SAC_ADAPT_LANES,
                 l = solves ? (size_t)sac_reduction_length(r, das->n_rx) + 1 : 0; /* an even one */
    const size_t plain = 4 * (n_rx * (r->over == SAC_OVER_ALL ? n_tx : 1) + l * (l + 2));
    const size_t block = r->over == SAC_OVER_COMPOUND ? n_rx * 2 * SAC_DAS_BLOCK : 0;
    const size_t vectors = (n_rx / 8 + 1) * (SAC_ADAPT_CHUNK / sizeof(float)) +
                           n_rx * (pair + SAC_ADAPT_LANES) + block + 6 * SAC_DAS_BLOCK +
                           pair * (3 * n_rx + l * (l + 5));
    return ((plain > vectors ? plain : vectors) + 15) / 16 * 16;
}
