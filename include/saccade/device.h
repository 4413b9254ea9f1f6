/*
 * Where a plan works: CPU cores, or an NVIDIA GPU; what the CPU can do; who lends the threads.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_DEVICE_H
#define SACCADE_DEVICE_H

#include <saccade/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sac_device_kind { SAC_DEVICE_CPU = 0, SAC_DEVICE_CUDA = 1 } sac_device_kind;

typedef struct sac_device {
    sac_device_kind kind;
    int32_t index; /* which GPU; 0 for the CPU */
} sac_device;

/* Reads "cpu", "cuda" (the first GPU) or "cuda:N". Whether that GPU is there is the plan's to find
 * out. */
SAC_API SAC_NODISCARD sac_status sac_device_parse(sac_device *out, const char *text,
                                                  sac_error *err);

/* Instruction sets that variants ask for, as bits. */
#define SAC_CPU_AVX2 (UINT32_C(1) << 0) /* AVX2 */
#define SAC_CPU_V3 (UINT32_C(1) << 1)   /* x86-64-v3: AVX2, BMI1/2, F16C, FMA, LZCNT, MOVBE */
#define SAC_CPU_V4 (UINT32_C(1) << 2)   /* x86-64-v4: AVX-512 F, BW, CD, DQ, VL */
#define SAC_CPU_AVX512_VBMI (UINT32_C(1) << 3) /* v4, and byte permutes over two registers */
#define SAC_CPU_AVX512_VNNI (UINT32_C(1) << 4) /* v4, and dot products of bytes */
#define SAC_CPU_NEON (UINT32_C(1) << 5)        /* AArch64 Advanced SIMD */
#define SAC_CPU_ALL UINT32_C(0x3f)

/* What this CPU has and its operating system saves (CPUID and XCR0). */
SAC_API uint32_t sac_cpu_features(void);

/*
 * The same, less what the environment takes away: SAC_CPU_MASK is "none", "all", or names joined by
 * commas ("avx2,v3"). Planners choose from this. A name it does not know is ignored.
 */
SAC_API uint32_t sac_cpu_usable(void);

/* Writes the names of `features`, joined by commas, and returns `text`. 64 bytes hold every name.
 */
SAC_API const char *sac_cpu_names(uint32_t features, char *text, size_t size);

/* The processor's own name ("AMD EPYC ..."), for reports. */
SAC_API const char *sac_cpu_model(char *text, size_t size);

/* How many cores this process may run on; at least 1. */
SAC_API int32_t sac_cpu_count(void);

/*
 * Threads that the caller brings instead of the plan's own pool. `parallel` calls task(arg, i) once
 * for every i in [0, n_tasks), on any threads in any order, and returns when all are done.
 */
typedef struct sac_executor {
    void (*parallel)(void *ctx, int32_t n_tasks, void (*task)(void *arg, int32_t i), void *arg);
    void *ctx;
    int32_t n_threads; /* how many tasks can run at once; work is cut to suit it */
} sac_executor;

#ifdef __cplusplus
}
#endif
#endif
