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

/* A GPU, for reports. */
typedef struct sac_gpu_info {
    size_t struct_size;
    char name[128];       /* "NVIDIA H100 80GB HBM3" */
    char pci[16];         /* "0000:0a:00.0" */
    char driver[32];      /* "580.159.04"; "" where the system does not say */
    int32_t cuda_driver;  /* the newest CUDA that the driver knows: 13000 is 13.0 */
    int32_t cuda_runtime; /* the one that this library was built with */
    int32_t index;        /* cuda:N */
    int32_t major, minor; /* compute capability */
    int32_t n_multiprocessors;
    int32_t memory_bus_bits;
    int64_t clock_hz, memory_clock_hz; /* at most */
    uint64_t memory_bytes, l2_bytes;
    uint64_t shared_bytes; /* shared memory of a multiprocessor */
    bool is_integrated;    /* shares its memory with the CPU */
} sac_gpu_info;

/* How many GPUs this machine has and this build can use; 0 without CUDA, a driver or a GPU. */
SAC_API int32_t sac_gpu_count(void);

/*
 * Describes GPU `index`. SAC_E_UNSUPPORTED (this build has no CUDA), SAC_E_DEVICE (no driver, no
 * such GPU).
 */
SAC_API SAC_NODISCARD sac_status sac_gpu_describe(sac_gpu_info *out, int32_t index, sac_error *err);

/*
 * Page-locked memory of the CPU, zeroed and aligned to 64 bytes: a GPU copies from it at full
 * speed, and plans on that device read frames in it in place. `device` is the GPU that it is for.
 * The caller frees it, after the plans that use it; that may wait for all kernels of the process
 * there. Of more than 64 such pieces some may be copied instead. SAC_E_UNSUPPORTED (this build has
 * no CUDA, or the device is the CPU), SAC_E_DEVICE, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_pinned_alloc(void **out, size_t bytes, sac_device device,
                                                  sac_error *err);
/* With the same device; NULL is fine. */
SAC_API void sac_pinned_free(void *memory, sac_device device);

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
