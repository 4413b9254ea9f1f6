/*
 * Measures of pictures and machines, for reports: histogram of a picture, memory bandwidth of the
 * CPU and of a GPU, operations a second of the CPU.
 *
 * Threads: every function may be called from any thread at any time; measurements of machines
 * disturb each other.
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
 * The histogram of V = max(R, G, B) of a u8 or u16 picture in `bins` bins: counts[floor(V bins /
 * 2^depth)]. The picture is (h, w), or has channels as `layout` says; alpha, the 2nd or 4th
 * channel, is ignored. `counts` is (bins), owned by the caller, and is overwritten; pass 256 bins
 * to have one for each value of a u8 picture. SAC_E_SHAPE; SAC_E_INVALID (bins not in 2..65536);
 * SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_measure_histogram(uint64_t *counts, int32_t bins,
                                                       const sac_array *picture, sac_layout layout,
                                                       sac_error *err);

/* Copy bandwidth: bytes read plus bytes written per second. Of a CPU the most in any short time,
 * which is what nothing exceeds, also where other work goes on; of a GPU medians. */
typedef struct sac_bandwidth {
    double hot_b_s;  /* 6 MB to 6 MB, repeatedly: the bandwidth of the last-level cache, if it holds
                        12 MB */
    double dram_b_s; /* 128 MB to 128 MB */
} sac_bandwidth;

/*
 * Measures the CPU's memory with n_threads threads (0: one per core), which takes about 0.1 s, on a
 * busy machine some times as long. SAC_E_INVALID (NULL, threads); SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_measure_bandwidth(sac_bandwidth *out, int32_t n_threads,
                                                       sac_error *err);

/* Since 0.2. Operations a second on 32-bit numbers that stay in registers, the most in any short
 * time. */
typedef struct sac_operations {
    double add_s; /* additions of integers */
    double fma_s; /* multiplications and additions of floats, fused where the CPU can: 2 each */
} sac_operations;

/*
 * Since 0.2. Measures the CPU's instructions of one feature with n_threads threads at once (0: one
 * per core) for 20 ms, on a busy machine up to 240: 0 for those that every CPU of its kind has,
 * SAC_CPU_V3, SAC_CPU_V4 or SAC_CPU_NEON. SAC_E_UNSUPPORTED (another feature, or one that
 * sac_cpu_usable lacks); SAC_E_INVALID (NULL, threads); SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_measure_operations(sac_operations *out, uint32_t feature,
                                                        int32_t n_threads, sac_error *err);

/*
 * Measures the memory of GPU `index`: dram_b_s copies 1 GB to 1 GB, hot_b_s 6 MB to 6 MB, which
 * its L2 cache may hold. SAC_E_UNSUPPORTED, SAC_E_DEVICE, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_measure_gpu_bandwidth(sac_bandwidth *out, int32_t index,
                                                           sac_error *err);

/*
 * Measures the shared memory of all multiprocessors of GPU `index` together: bytes read per second
 * by loads of 16 bytes per thread without bank conflicts, median. It has no writes and no copies.
 * Takes about 0.1 s. SAC_E_INVALID (NULL), SAC_E_UNSUPPORTED, SAC_E_DEVICE, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_measure_gpu_shared(double *b_s, int32_t index, sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
