/*
 * Measures of pictures and machines, for reports: histograms, memory bandwidth.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_MEASURE_H
#define SACCADE_MEASURE_H

#include <saccade/array.h>
#include <saccade/base.h>
#include <saccade/equalize.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Counts V = max(R, G, B) of a u8 or u16 picture, (h, w) or with channels as `layout` says (alpha,
 * the 2nd or 4th channel, is not looked at), in `bins` bins: counts[floor(V bins / 2^depth)].
 * `counts` is (bins), the caller's, and is overwritten. SAC_E_SHAPE, SAC_E_INVALID (bins not
 * in 2..65536), SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_measure_histogram(uint64_t *counts, int32_t bins,
                                                       const sac_array *picture, sac_layout layout,
                                                       sac_error *err);

/* Copy bandwidth of this machine in bytes read plus written a second, medians. */
typedef struct sac_bandwidth {
    double hot_b_s; /* 6 MB copied to 6 MB, again and again: the last-level cache, where it holds 12
                       MB */
    double dram_b_s; /* 128 MB to 128 MB */
} sac_bandwidth;

/* Measures with n_threads threads (0: all cores) for about 0.3 s. SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_measure_bandwidth(sac_bandwidth *out, int32_t n_threads,
                                                       sac_error *err);

/*
 * The same of GPU `index`'s memory: 1 GB to 1 GB for dram_b_s, and 6 MB, which its L2 cache may
 * hold, for hot_b_s. SAC_E_UNSUPPORTED, SAC_E_DEVICE, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_measure_gpu_bandwidth(sac_bandwidth *out, int32_t index,
                                                           sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
