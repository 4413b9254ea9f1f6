/*
 * The GPU as host code sees it: devices, streams, memory, events, graphs. No CUDA header needed to
 * include this; a build without CUDA has the same functions, and they say so.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GPU_GPU_H
#define SAC_GPU_GPU_H

#include <saccade/device.h>

#include "base/error.h"

/* The runtime's own types, so that callers' handles pass through unchanged. */
typedef struct CUstream_st *sac_gpu_stream;
typedef struct CUevent_st *sac_gpu_event;
typedef struct CUgraphExec_st *sac_gpu_graph;

/* One device, as one plan uses it: its streams and pinned memory. Nothing global. */
typedef struct sac_gpu sac_gpu;

/* A shape of a launch; a rung has a default of its own. */
typedef struct sac_gpu_shape {
    uint32_t grid[3], block[3];
} sac_gpu_shape;

/* Whether a GPU can launch it: SAC_E_INVALID. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_check_shape(const uint32_t grid[3],
                                                          const uint32_t block[3], sac_error *err);

/* SAC_E_UNSUPPORTED (a build without CUDA), SAC_E_DEVICE (no driver, no such device), SAC_E_NOMEM.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_open(sac_gpu **gpu, int32_t index, sac_error *err);
SAC_INTERNAL void sac_gpu_close(sac_gpu **gpu);

/* Its number, as of `cuda:N`. */
SAC_INTERNAL int32_t sac_gpu_index(const sac_gpu *gpu);

/* The plan's own stream, used where the caller brings none; and two for copies beside it, to the
 * device and back. */
SAC_INTERNAL sac_gpu_stream sac_gpu_main_stream(const sac_gpu *gpu);
SAC_INTERNAL sac_gpu_stream sac_gpu_copy_stream(const sac_gpu *gpu);
SAC_INTERNAL sac_gpu_stream sac_gpu_back_stream(const sac_gpu *gpu);

/*
 * Between enter and leave the calling thread works on this device: the place for launches, and for
 * all calls below that take a stream, an event or a graph. Those that take the sac_gpu enter by
 * themselves. Pairs nest.
 *
 * The device's context is pushed on the driver's stack for the thread and popped again. So the
 * thread has afterwards what it had before, whoever made that current, or nothing; what
 * cudaSetDevice chose stands; and no context is made on any other device. Outside of a pair the
 * runtime would make one on the thread's own device, if it has none there yet.
 *
 * SAC_E_DEVICE: then there is nothing to leave.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_enter(const sac_gpu *gpu);
SAC_INTERNAL void sac_gpu_leave(const sac_gpu *gpu);

/* How a run ends: a failure of the device gets its text, and the status is returned. */
static inline sac_status sac_gpu_fail(sac_status status, sac_error *err)
{
    return status == SAC_E_DEVICE
               ? sac_fail(err, status, "device: the GPU refused the work, or is lost")
           : status == SAC_E_NOMEM ? sac_fail(err, status, "device: the GPU has no memory left")
                                   : status;
}

SAC_INTERNAL int32_t sac_gpu_multiprocessors(const sac_gpu *gpu);

/* Device memory, zeroed; page-locked host memory. The caller frees. SAC_E_NOMEM, SAC_E_DEVICE. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_alloc(sac_gpu *gpu, void **memory, size_t bytes,
                                                    sac_error *err);
SAC_INTERNAL void sac_gpu_free(sac_gpu *gpu, void *memory);
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_alloc_pinned(sac_gpu *gpu, void **memory,
                                                           size_t bytes, sac_error *err);
SAC_INTERNAL void sac_gpu_free_pinned(sac_gpu *gpu, void *memory);

/* Device memory that nobody has taken, in bytes; 0: not known. Enters by itself. */
SAC_INTERNAL uint64_t sac_gpu_free_bytes(const sac_gpu *gpu);

/* Whether the host's bytes from `memory` on are page-locked, whoever did it. */
SAC_INTERNAL bool sac_gpu_is_pinned(const void *memory, size_t bytes);

/* Whether it is memory of sac_pinned_alloc. Takes nanoseconds, and no lock. */
SAC_INTERNAL bool sac_gpu_reads_in_place(const void *memory, size_t bytes);

/* Asynchronous on the stream; either side may be host or device. `rows` rows of `width` bytes.
 * SAC_E_DEVICE. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_copy(void *to, const void *from, size_t bytes,
                                                   sac_gpu_stream stream);
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_copy_rows(void *to, ptrdiff_t to_row,
                                                        const void *from, ptrdiff_t from_row,
                                                        size_t width, size_t rows,
                                                        sac_gpu_stream stream);
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_set(void *memory, uint8_t value, size_t bytes,
                                                  sac_gpu_stream stream);
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_wait(sac_gpu_stream stream);
/* Whether all that was enqueued is done, or has failed; does not wait. */
SAC_INTERNAL bool sac_gpu_is_idle(sac_gpu_stream stream);

SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_event_open(sac_gpu *gpu, sac_gpu_event *event);
/* For order alone: takes no times, and holds the streams up less. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_event_open_untimed(sac_gpu *gpu,
                                                                 sac_gpu_event *event);
SAC_INTERNAL void sac_gpu_event_close(sac_gpu_event *event);
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_event_record(sac_gpu_event event,
                                                           sac_gpu_stream stream);
/* What is enqueued on the stream from now on waits for the event. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_event_wait(sac_gpu_event event,
                                                         sac_gpu_stream stream);
/* Waits on the host; at once where the event was never recorded. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_event_sync(sac_gpu_event event);
/* The same, spinning, until `deadline_ns` of the monotonic clock at most, and *came says whether it
 * came. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_event_sync_until(bool *came, sac_gpu_event event,
                                                               int64_t deadline_ns);
/* Waits for `to` on the host. Nanoseconds between the two. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_event_elapsed(double *ns, sac_gpu_event from,
                                                            sac_gpu_event to);

/* What is enqueued on the stream between begin and end becomes a graph. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_graph_begin(sac_gpu_stream stream);
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_graph_end(sac_gpu_graph *graph,
                                                        sac_gpu_stream stream);
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_graph_launch(sac_gpu_graph graph,
                                                           sac_gpu_stream stream);
SAC_INTERNAL void sac_gpu_graph_close(sac_gpu_graph *graph);

/*
 * What was enqueued since sac_gpu_graph_begin is not run, but described: *n is how many kinds of
 * launches it has, of which the first `most` at most are in `kernels`. SAC_E_DEVICE where something
 * was enqueued that a graph cannot have; SAC_E_NOMEM.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_gpu_graph_describe(sac_gpu_kernel *kernels, int32_t *n,
                                                             int32_t most, sac_gpu_stream stream);

#endif
