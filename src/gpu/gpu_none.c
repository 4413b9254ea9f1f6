/*
 * The GPU in a build without CUDA: there is none, and who asks for one is told so.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/shared_bandwidth.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static sac_status refuse(sac_error *err)
{
    return sac_fail(err, SAC_E_UNSUPPORTED, "device: this build of saccade has no CUDA");
}

int32_t sac_gpu_count(void)
{
    return 0;
}

sac_status sac_gpu_describe(sac_gpu_info *out, int32_t index, sac_error *err)
{
    return out ? refuse(err) : sac_fail(err, SAC_E_INVALID, "out: is NULL");
}

sac_status sac_pinned_alloc(void **out, size_t bytes, sac_device device, sac_error *err)
{
    if (out)
        *out = NULL;
    return refuse(err);
}

void sac_pinned_free(void *memory, sac_device device)
{
}

sac_status sac_gpu_open(sac_gpu **gpu, int32_t index, sac_error *err)
{
    *gpu = NULL;
    return refuse(err);
}

/* Without a sac_gpu nothing below is ever called; it is here for callers to link. */
#define NOTHING(function, ...)                                                                     \
    void function(__VA_ARGS__)                                                                     \
    {                                                                                              \
    }
#define CONSTANT(type, value, function, ...)                                                       \
    type function(__VA_ARGS__)                                                                     \
    {                                                                                              \
        return value;                                                                              \
    }
#define REFUSED(function, ...) CONSTANT(sac_status, SAC_E_UNSUPPORTED, function, __VA_ARGS__)

NOTHING(sac_gpu_close, sac_gpu **gpu)
NOTHING(sac_gpu_leave, const sac_gpu *gpu)
NOTHING(sac_gpu_free, sac_gpu *gpu, void *memory)
NOTHING(sac_gpu_free_pinned, sac_gpu *gpu, void *memory)
NOTHING(sac_gpu_event_close, sac_gpu_event *event)
NOTHING(sac_gpu_graph_close, sac_gpu_graph *graph)

CONSTANT(int32_t, 0, sac_gpu_index, const sac_gpu *gpu)
CONSTANT(sac_gpu_stream, NULL, sac_gpu_main_stream, const sac_gpu *gpu)
CONSTANT(sac_gpu_stream, NULL, sac_gpu_copy_stream, const sac_gpu *gpu)
CONSTANT(sac_gpu_stream, NULL, sac_gpu_back_stream, const sac_gpu *gpu)
CONSTANT(int32_t, 0, sac_gpu_multiprocessors, const sac_gpu *gpu)
CONSTANT(uint64_t, 0, sac_gpu_free_bytes, const sac_gpu *gpu)
CONSTANT(bool, false, sac_gpu_is_pinned, const void *memory, size_t bytes)
CONSTANT(bool, true, sac_gpu_is_idle, sac_gpu_stream stream)
CONSTANT(bool, false, sac_gpu_reads_in_place, const void *memory, size_t bytes)

CONSTANT(size_t, 0, sac_gpu_shared_out, int32_t n_multiprocessors)
CONSTANT(double, 0, sac_gpu_shared_bytes, int32_t n_multiprocessors)

REFUSED(sac_gpu_read_shared, void *out, int32_t n_multiprocessors, sac_gpu_stream stream)
REFUSED(sac_gpu_enter, const sac_gpu *gpu)
REFUSED(sac_gpu_alloc, sac_gpu *gpu, void **memory, size_t bytes, sac_error *err)
REFUSED(sac_gpu_alloc_pinned, sac_gpu *gpu, void **memory, size_t bytes, sac_error *err)
REFUSED(sac_gpu_copy, void *to, const void *from, size_t bytes, sac_gpu_stream stream)
REFUSED(sac_gpu_copy_rows, void *to, ptrdiff_t to_row, const void *from, ptrdiff_t from_row,
        size_t width, size_t rows, sac_gpu_stream stream)
REFUSED(sac_gpu_set, void *memory, uint8_t value, size_t bytes, sac_gpu_stream stream)
REFUSED(sac_gpu_wait, sac_gpu_stream stream)
REFUSED(sac_gpu_event_open, sac_gpu *gpu, sac_gpu_event *event)
REFUSED(sac_gpu_event_open_untimed, sac_gpu *gpu, sac_gpu_event *event)
REFUSED(sac_gpu_event_record, sac_gpu_event event, sac_gpu_stream stream)
REFUSED(sac_gpu_event_wait, sac_gpu_event event, sac_gpu_stream stream)
REFUSED(sac_gpu_event_sync, sac_gpu_event event)
REFUSED(sac_gpu_event_sync_until, bool *came, sac_gpu_event event, int64_t deadline_ns)
REFUSED(sac_gpu_event_elapsed, double *ns, sac_gpu_event from, sac_gpu_event to)
REFUSED(sac_gpu_graph_begin, sac_gpu_stream stream)
REFUSED(sac_gpu_graph_end, sac_gpu_graph *graph, sac_gpu_stream stream)
REFUSED(sac_gpu_graph_launch, sac_gpu_graph graph, sac_gpu_stream stream)
REFUSED(sac_gpu_graph_describe, sac_gpu_kernel *kernels, int32_t *n, int32_t most,
        sac_gpu_stream stream)
