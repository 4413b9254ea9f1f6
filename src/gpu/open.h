/*
 * What opening a GPU's part of a plan repeats: memory for many pointers, several events.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GPU_OPEN_H
#define SAC_GPU_OPEN_H

#include "gpu/gpu.h"

/* Device memory for a pointer: its address and bytes, 0 where none is wanted. */
typedef struct sac_gpu_buffer {
    void *memory;
    size_t bytes;
} sac_gpu_buffer;

static inline sac_status sac_gpu_alloc_all(sac_gpu *gpu, const sac_gpu_buffer *buffers, size_t n,
                                           sac_error *err)
{
    sac_status st = SAC_OK;
    for (size_t i = 0; i < n && st == SAC_OK; i++)
        if (buffers[i].bytes)
            st = sac_gpu_alloc(gpu, buffers[i].memory, buffers[i].bytes, err);
    return st;
}

/* Events for order alone. SAC_E_DEVICE, with its text. */
static inline sac_status sac_gpu_events_open_untimed(sac_gpu *gpu, sac_gpu_event *const *events,
                                                     size_t n, sac_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (sac_gpu_event_open_untimed(gpu, events[i]) != SAC_OK)
            return sac_fail(err, SAC_E_DEVICE, "device: cuda:%d refused an event",
                            sac_gpu_index(gpu));
    return SAC_OK;
}

#endif
