/*
 * The GPU in a build without CUDA: there is none, and who asks for one is told so.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/gpu.h"

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
    (void)out;
    (void)index;
    return refuse(err);
}

sac_status sac_pinned_alloc(void **out, size_t bytes, sac_device device, sac_error *err)
{
    (void)bytes;
    (void)device;
    if (out)
        *out = NULL;
    return refuse(err);
}

void sac_pinned_free(void *memory, sac_device device)
{
    (void)memory;
    (void)device;
}

sac_status sac_gpu_open(sac_gpu **gpu, int32_t index, sac_error *err)
{
    (void)index;
    *gpu = NULL;
    return refuse(err);
}

/* Without a sac_gpu nothing below is ever called; it is here for callers to link. */

void sac_gpu_close(sac_gpu **gpu)
{
    (void)gpu;
}

int32_t sac_gpu_index(const sac_gpu *gpu)
{
    (void)gpu;
    return 0;
}

sac_gpu_stream sac_gpu_main_stream(const sac_gpu *gpu)
{
    (void)gpu;
    return NULL;
}

sac_gpu_stream sac_gpu_copy_stream(const sac_gpu *gpu)
{
    (void)gpu;
    return NULL;
}

sac_gpu_stream sac_gpu_back_stream(const sac_gpu *gpu)
{
    (void)gpu;
    return NULL;
}

sac_status sac_gpu_enter(const sac_gpu *gpu)
{
    (void)gpu;
    return refuse(NULL);
}

void sac_gpu_leave(const sac_gpu *gpu)
{
    (void)gpu;
}

int32_t sac_gpu_multiprocessors(const sac_gpu *gpu)
{
    (void)gpu;
    return 0;
}

sac_status sac_gpu_alloc(sac_gpu *gpu, void **memory, size_t bytes, sac_error *err)
{
    (void)gpu;
    (void)memory;
    (void)bytes;
    return refuse(err);
}

void sac_gpu_free(sac_gpu *gpu, void *memory)
{
    (void)gpu;
    (void)memory;
}

sac_status sac_gpu_alloc_pinned(sac_gpu *gpu, void **memory, size_t bytes, sac_error *err)
{
    (void)gpu;
    (void)memory;
    (void)bytes;
    return refuse(err);
}

void sac_gpu_free_pinned(sac_gpu *gpu, void *memory)
{
    (void)gpu;
    (void)memory;
}

bool sac_gpu_is_pinned(const void *memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
    return false;
}

sac_status sac_gpu_copy(void *to, const void *from, size_t bytes, sac_gpu_stream stream)
{
    (void)to;
    (void)from;
    (void)bytes;
    (void)stream;
    return refuse(NULL);
}

sac_status sac_gpu_copy_rows(void *to, ptrdiff_t to_row, const void *from, ptrdiff_t from_row,
                             size_t width, size_t rows, sac_gpu_stream stream)
{
    (void)to;
    (void)to_row;
    (void)from;
    (void)from_row;
    (void)width;
    (void)rows;
    (void)stream;
    return refuse(NULL);
}

sac_status sac_gpu_set(void *memory, uint8_t value, size_t bytes, sac_gpu_stream stream)
{
    (void)memory;
    (void)value;
    (void)bytes;
    (void)stream;
    return refuse(NULL);
}

sac_status sac_gpu_wait(sac_gpu_stream stream)
{
    (void)stream;
    return refuse(NULL);
}

sac_status sac_gpu_event_open(sac_gpu *gpu, sac_gpu_event *event)
{
    (void)gpu;
    (void)event;
    return refuse(NULL);
}

sac_status sac_gpu_event_open_untimed(sac_gpu *gpu, sac_gpu_event *event)
{
    (void)gpu;
    (void)event;
    return refuse(NULL);
}

void sac_gpu_event_close(sac_gpu_event *event)
{
    (void)event;
}

sac_status sac_gpu_event_record(sac_gpu_event event, sac_gpu_stream stream)
{
    (void)event;
    (void)stream;
    return refuse(NULL);
}

sac_status sac_gpu_event_wait(sac_gpu_event event, sac_gpu_stream stream)
{
    (void)event;
    (void)stream;
    return refuse(NULL);
}

sac_status sac_gpu_event_sync(sac_gpu_event event)
{
    (void)event;
    return refuse(NULL);
}

sac_status sac_gpu_event_sync_until(bool *came, sac_gpu_event event, int64_t deadline_ns)
{
    *came = false;
    (void)event;
    (void)deadline_ns;
    return refuse(NULL);
}

sac_status sac_gpu_event_elapsed(double *ns, sac_gpu_event from, sac_gpu_event to)
{
    (void)ns;
    (void)from;
    (void)to;
    return refuse(NULL);
}

sac_status sac_gpu_graph_begin(sac_gpu_stream stream)
{
    (void)stream;
    return refuse(NULL);
}

sac_status sac_gpu_graph_end(sac_gpu_graph *graph, sac_gpu_stream stream)
{
    (void)graph;
    (void)stream;
    return refuse(NULL);
}

sac_status sac_gpu_graph_launch(sac_gpu_graph graph, sac_gpu_stream stream)
{
    (void)graph;
    (void)stream;
    return refuse(NULL);
}

void sac_gpu_graph_close(sac_gpu_graph *graph)
{
    (void)graph;
}

bool sac_gpu_is_idle(sac_gpu_stream stream)
{
    (void)stream;
    return true;
}

bool sac_gpu_reads_in_place(const void *memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
    return false;
}
