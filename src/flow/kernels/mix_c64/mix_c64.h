/*
 * mix_c64: frames from frames, by a matrix: the wall filters, and the spectrum of each point.
 *
 *     out[r][p] = base[r][p] + sum over i of matrix[r][i] in[i][p],   r < n_out, i < n_in
 *
 * Rows of n_points c64, bytes apart as the job says; matrix (n_out, n_in) c64, contiguous. base
 * NULL is 0; it may be `out`. No other overlap. In double and rounded once, or in single precision
 * (tier fp32): within (n_in + 3) 2^-23 of |base| + sum of |matrix| |in|.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_FLOW_MIX_C64_H
#define SAC_FLOW_MIX_C64_H

#include "room/variant.h"

typedef struct sac_mix_job {
    float *out;
    const float *base, *in, *matrix;
    ptrdiff_t out_row, base_row, in_row;
    int64_t n_points;
    int32_t n_out, n_in;
} sac_mix_job;

typedef void sac_mix_c64_function(const sac_mix_job *job);
typedef sac_mix_c64_function *sac_mix_c64_fn;

sac_mix_c64_function sac_mix_c64_ref, sac_mix_c64_plain, sac_mix_c64_auto_v3, sac_mix_c64_auto_v4,
    sac_mix_c64_avx2, sac_mix_c64_avx512, sac_mix_c64_neon;

SAC_INTERNAL extern const sac_room sac_mix_c64_room;

static inline float *sac_mix_row(const float *rows, ptrdiff_t row, int32_t i)
{
    return (float *)(void *)((const char *)rows + i * row);
}

#endif
