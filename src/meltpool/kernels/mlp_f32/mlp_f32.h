/*
 * mlp_f32: predictions from features by a network with one hidden layer, for n frames.
 *
 *     out[k] = g(b2 + W2 max(0, b1 + W1 z)),  z[i] = (features[k][i] - mean[i]) / scale[i]
 *
 * with g(y) = y or ln(1 + e^y). features (n, 40), out (n, 2), contiguous, no overlap. The same
 * bytes whatever n is split into.
 *
 * Tolerance: y is within 2^-24 (n_hidden / 16 + 70) S of the exact one, S = |b2| + sum |W2| (|b1| +
 * sum |W1| |z|), which is 5e-6 S for 164 hidden units; typically 1e-7 S. ln(1 + e^y) has that
 * relative error and 1e-6 more, down to 2^-125 (docs/numerics.md).
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_MLP_F32_H
#define SAC_MELTPOOL_MLP_F32_H

#include <saccade/meltpool.h>

#include "room/variant.h"

enum {
    SAC_MELTPOOL_MAX_HIDDEN = 4096,
    SAC_MELTPOOL_TILE =
        176 /* hidden units: 11 vectors of 16, the least that hold the paper's 164 */
};

/* A model as the kernels take it: hidden units in tiles, the last filled up with zeros. */
typedef struct sac_meltpool_net {
    int32_t n_tiles, n_hidden;
    bool is_softplus;
    float b2[SAC_MELTPOOL_PREDICTIONS];
    float *numbers;            /* owned: all that follow */
    const float *mean, *scale; /* (40), aligned to 64 bytes as all of these */
    const float *w1;           /* (n_tiles, 40, TILE) */
    const float *b1;           /* (n_tiles, TILE) */
    const float *w2;           /* (n_tiles, 2, TILE) */
} sac_meltpool_net;

/*
 * Copies the model, which is checked: SAC_E_INVALID (NULL, of another struct_size, n_hidden beyond
 * 1..4096, no such output, a number that is not finite, a scale not above 0), SAC_E_NOMEM.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_meltpool_net_open(sac_meltpool_net **out,
                                                            const sac_meltpool_model *model,
                                                            sac_error *err);
/* Frees and NULLs *net. */
SAC_INTERNAL void sac_meltpool_net_close(sac_meltpool_net **net);

typedef void sac_mlp_f32_function(float *out, const float *features, int64_t n,
                                  const sac_meltpool_net *net);
typedef sac_mlp_f32_function *sac_mlp_f32_fn;

sac_mlp_f32_function sac_mlp_f32_ref, sac_mlp_f32_plain, sac_mlp_f32_auto_v3, sac_mlp_f32_auto_v4,
    sac_mlp_f32_avx2, sac_mlp_f32_avx512, sac_mlp_f32_neon;

SAC_INTERNAL extern const sac_room sac_mlp_f32_room;

#endif
