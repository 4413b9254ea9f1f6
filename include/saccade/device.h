/*
 * Devices: where a plan (an opened pipeline) works, which GPUs and CPU features there are,
 * page-locked memory, and threads that the caller lends.
 *
 *     sac_device device;
 *     if (sac_device_parse(&device, "cuda:0", &err) == SAC_OK && sac_gpu_count() > 0)
 *         desc.device = device;
 *
 * Threads: all functions may be called from any thread at any time.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_DEVICE_H
#define SACCADE_DEVICE_H

#include <saccade/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sac_device_kind {
    SAC_DEVICE_CPU = 0,
    SAC_DEVICE_CUDA = 1,
    SAC_DEVICE_CUDA_SET = 2 /* several GPUs (since 0.2): for sac_batch; plans refuse it */
} sac_device_kind;

#define SAC_MAX_DEVICES 31 /* of a set: cuda:0 to cuda:30 */

/* Where memory is, or a plan works. A struct of zeros is the CPU. */
typedef struct sac_device {
    sac_device_kind kind;
    int32_t index; /* number of the GPU; 0 for the CPU; of a set bit N is cuda:N, -1 all there are
                    */
} sac_device;

/*
 * Reads "cpu", "cuda" (the first GPU) or "cuda:N"; since 0.2 also "cuda:0,2" and "cuda:all", which
 * are sets. It does not check that the GPU exists: opening a plan does. SAC_E_INVALID: any other
 * text.
 */
SAC_API SAC_NODISCARD sac_status sac_device_parse(sac_device *out, const char *text,
                                                  sac_error *err);

/*
 * Since 0.2. The devices that `device` stands for: itself, or the GPUs of a set in the order of
 * their numbers. Of a set each must exist. Writes *n <= SAC_MAX_DEVICES of them into `out`.
 * SAC_E_INVALID (NULL, no such kind), SAC_E_UNSUPPORTED (a set, and this build has no CUDA),
 * SAC_E_DEVICE (no driver, or no such GPU).
 */
SAC_API SAC_NODISCARD sac_status sac_device_list(sac_device out[SAC_MAX_DEVICES], int32_t *n,
                                                 sac_device device, sac_error *err);

/* Since 0.2. "cpu", "cuda:1", "cuda:0,2" or "cuda:all", as sac_device_parse reads it, into `text`
 * of `size` bytes, cut off where it is longer; returns `text`. */
SAC_API const char *sac_device_text(sac_device device, char *text, size_t size);

/* Description of a GPU, for reports. */
typedef struct sac_gpu_info {
    size_t struct_size;
    char name[128];       /* "NVIDIA H100 80GB HBM3" */
    char pci[16];         /* "0000:0a:00.0" */
    char driver[32];      /* "580.159.04"; "" if the system does not tell */
    int32_t cuda_driver;  /* the newest CUDA version that the driver supports: 13000 is 13.0 */
    int32_t cuda_runtime; /* the CUDA version that this library was built with */
    int32_t index;        /* N of cuda:N */
    int32_t major, minor; /* compute capability */
    int32_t n_multiprocessors;
    int32_t memory_bus_bits;
    int64_t clock_hz, memory_clock_hz; /* maximum clocks */
    uint64_t memory_bytes, l2_bytes;
    uint64_t shared_bytes;   /* shared memory of a multiprocessor */
    bool is_integrated;      /* shares its memory with the CPU */
    int64_t n_threads;       /* that a multiprocessor holds at most; since 0.2, as all below */
    int64_t registers;       /* of 32 bits, of a multiprocessor */
    int64_t block_registers; /* of them, that a block can have */
} sac_gpu_info;

/* Since 0.2. A launch of a kernel, and what it takes of a multiprocessor. For reports. */
typedef struct sac_gpu_kernel {
    int32_t launches;      /* of this kernel in this shape */
    int32_t registers;     /* of a thread */
    uint32_t shared_bytes; /* of a block: the kernel's own and what the launch adds */
    uint32_t local_bytes;  /* of a thread: what registers do not hold */
    uint32_t grid[3], block[3];
    int32_t blocks;   /* that a multiprocessor holds at a time */
    double occupancy; /* their threads, as a share of those that it holds at most: 0 .. 1 */
} sac_gpu_kernel;

/*
 * The number of GPUs that this machine has and this build can use; 0 without CUDA, a driver or a
 * GPU.
 */
SAC_API int32_t sac_gpu_count(void);

/*
 * Describes GPU `index`: fills in the fields that out->struct_size has room for; set it first, `=
 * {.struct_size = sizeof info}`. SAC_E_INVALID: out is NULL. SAC_E_UNSUPPORTED: this build has no
 * CUDA. SAC_E_DEVICE: no driver, or no such GPU.
 */
SAC_API SAC_NODISCARD sac_status sac_gpu_describe(sac_gpu_info *out, int32_t index, sac_error *err);

/*
 * Allocates page-locked CPU memory, zeroed and aligned to 64 bytes. GPU `device` copies from it at
 * full speed, and plans on that GPU read frames directly from it. Plans can use 64 such
 * allocations directly; with more, frames in some of them may be copied. SAC_E_UNSUPPORTED: this
 * build has no CUDA, or the device is the CPU. SAC_E_DEVICE, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_pinned_alloc(void **out, size_t bytes, sac_device device,
                                                  sac_error *err);
/*
 * Frees memory of sac_pinned_alloc; `device` must be the same. Call it after closing the plans
 * that use the memory. It may wait for all kernels of this process on that GPU. NULL is allowed.
 */
SAC_API void sac_pinned_free(void *memory, sac_device device);

/* Instruction sets, as bits. A variant (one implementation of a step) may require some of them. */
#define SAC_CPU_AVX2 (UINT32_C(1) << 0) /* AVX2 */
#define SAC_CPU_V3 (UINT32_C(1) << 1)   /* x86-64-v3: AVX2, BMI1/2, F16C, FMA, LZCNT, MOVBE */
#define SAC_CPU_V4 (UINT32_C(1) << 2)   /* x86-64-v4: AVX-512 F, BW, CD, DQ, VL */
#define SAC_CPU_AVX512_VBMI (UINT32_C(1) << 3) /* v4, and byte permutes over two registers */
#define SAC_CPU_AVX512_VNNI (UINT32_C(1) << 4) /* v4, and dot products of bytes */
#define SAC_CPU_NEON (UINT32_C(1) << 5)        /* AArch64 Advanced SIMD */
#define SAC_CPU_ALL UINT32_C(0x3f)

/* The sets that this CPU has and whose registers the operating system saves (CPUID and XCR0). */
SAC_API uint32_t sac_cpu_features(void);

/*
 * The same, restricted by the environment variable SAC_CPU_MASK: "none", "all", or names joined by
 * commas ("avx2,v3"). Unknown names are ignored. open chooses variants that need no more than
 * these sets.
 */
SAC_API uint32_t sac_cpu_usable(void);

/*
 * Writes the names of the sets in `features`, joined by commas, and returns `text`. 64 bytes are
 * enough for all names.
 */
SAC_API const char *sac_cpu_names(uint32_t features, char *text, size_t size);

/* Writes the processor's product name ("AMD EPYC ..."), for reports, and returns `text`. */
SAC_API const char *sac_cpu_model(char *text, size_t size);

/* The number of cores that this process may run on; at least 1. */
SAC_API int32_t sac_cpu_count(void);

/*
 * Since 0.2. Where this process has measured times of variants from, by which open chooses: what
 * `saccade tune` wrote. The file is the one that the environment variable SAC_WISDOM names, else
 * saccade/wisdom in $XDG_CACHE_HOME or ~/.cache; with an empty SAC_WISDOM there is none. It is read
 * once, by the first open. One that is damaged, or of another build or machine, is ignored, and a
 * plan's log says so. Strings are static.
 */
typedef struct sac_wisdom_info {
    size_t struct_size;
    const char *path;    /* "" if turned off, or if there is no home */
    const char *ignored; /* why a file that is there is not used; "" otherwise */
    int32_t n_entries;   /* 0: open goes by the order of saccade's own tables */
} sac_wisdom_info;

/* Fills in the fields that struct_size has room for. */
SAC_API void sac_wisdom_describe(sac_wisdom_info *info);

/*
 * Threads of the caller, which a plan uses instead of a thread pool of its own. `parallel` calls
 * task(arg, i) once for every i in [0, n_tasks), on any threads and in any order, and returns when
 * all calls have returned.
 */
typedef struct sac_executor {
    void (*parallel)(void *ctx, int32_t n_tasks, void (*task)(void *arg, int32_t i), void *arg);
    void *ctx;
    int32_t n_threads; /* how many tasks can run at the same time; work is divided accordingly */
} sac_executor;

#ifdef __cplusplus
}
#endif
#endif
