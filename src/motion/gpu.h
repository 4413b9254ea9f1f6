/*
 * The part of a motion plan that is on a GPU: frames there, copies there and back, order. What is
 * drawn is the plan's. Functions are there in a build without CUDA, too, where open refuses.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_GPU_H
#define SAC_MOTION_GPU_H

#include "base/threads.h"
#include "gpu/gpu.h"
#include "motion/frame.h"
#include "motion/kernels/pairs_cuda.h"

/* What a call of a pipeline is given; previous is NULL where a frame is drawn alone. */
typedef struct sac_motion_arrays {
    const sac_array *out, *current, *previous;
} sac_motion_arrays;

#define SAC_MOTION_CALLS SAC_PAIRS /* that a plan is told at once, at most */

/* Enqueues n calls, whose arrays lie on the device. */
typedef sac_status sac_motion_enqueue(void *plan, sac_gpu_stream stream,
                                      const sac_motion_arrays *calls, int32_t n);

typedef struct sac_motion_gpu_desc {
    const char *pipeline;
    sac_device device;
    void *stream; /* the caller's, or NULL */
    int32_t n_threads;
    const sac_executor *executor;
    const char *variant;
    const sac_log *log;
    sac_frame_shape frame, out;
    bool pairs;    /* calls have a previous frame */
    bool keeps;    /* which may be the current one of the run before */
    bool in_place; /* a call's out may be its frame */
    sac_motion_enqueue *enqueue;
} sac_motion_gpu_desc;

#define SAC_MOTION_GPU(desc)                                                                       \
    .device = (desc)->device, .stream = (desc)->stream, .n_threads = (desc)->n_threads,            \
    .executor = (desc)->executor, .variant = (desc)->variant, .log = (desc)->log

/* On failure *gpu is to be closed. SAC_E_UNSUPPORTED, SAC_E_DEVICE, SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_motion_gpu_open(sac_motion_gpu **gpu, const sac_motion_gpu_desc *desc,
                                             sac_error *err);

/* The name of what the plan uses, to `text` (size) and to the log. */
void sac_motion_gpu_say(const sac_motion_gpu_desc *desc, char *text, size_t size,
                        const char *variant);

/* Freeing device memory waits for what is enqueued. Takes *gpu == NULL. */
void sac_motion_gpu_close(sac_motion_gpu **gpu);

/* Device memory of the plan's, freed by close: zeroed, or with what lies at `from`. */
SAC_NODISCARD sac_status sac_motion_gpu_keep(sac_motion_gpu *gpu, void **memory, size_t bytes,
                                             const void *from, sac_error *err);

/*
 * n calls in order. Arrays are all on the device, or, where the stream is the plan's, all in the
 * CPU's memory; then copies in, drawing and copies back of different calls overlap, and a frame
 * that is the current one of a call and the previous one of the next is copied once. Where pairs
 * are kept, previouses may be NULL: SAC_AGAIN if no run was before. Checks shapes and places before
 * anything is done. SAC_E_INVALID, SAC_E_SHAPE, SAC_E_DEVICE.
 */
SAC_NODISCARD sac_status sac_motion_gpu_run(sac_motion_gpu *gpu, void *plan, const sac_array *outs,
                                            const sac_array *currents, const sac_array *previouses,
                                            int32_t n, sac_error *err);

/* Calls (n) of a pair's plan, as its kernels take them. SAC_E_SHAPE. */
SAC_NODISCARD sac_status sac_frame_pairs_of(sac_pair *pairs, const sac_frame_pair *pair,
                                            const sac_motion_arrays *calls, int32_t n);

/* Waits for what was enqueued, and copies device memory. */
SAC_NODISCARD sac_status sac_motion_gpu_read(sac_motion_gpu *gpu, void *to, const void *memory,
                                             size_t bytes);

#endif
