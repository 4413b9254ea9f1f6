/*
 * Arrays between the CPU's memory, whatever their strides, and rows in device memory. What the
 * caller page-locked is copied as it lies; everything else goes in pieces through two page-locked
 * buffers a way, so that one piece is packed while another travels.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GPU_STAGE_H
#define SAC_GPU_STAGE_H

#include <saccade/array.h>

#include "base/threads.h"
#include "gpu/gpu.h"

#define SAC_STAGE_ALIGN 16 /* bytes: what vector loads ask of a row's start */

typedef struct sac_stage sac_stage;

/* A row's bytes, up to a multiple of SAC_STAGE_ALIGN. */
static inline size_t sac_stage_pitch(size_t row)
{
    return (row + SAC_STAGE_ALIGN - 1) / SAC_STAGE_ALIGN * SAC_STAGE_ALIGN;
}

/* For arrays of up to `bytes` on the device. gpu and pool stay the caller's, and outlive it.
 * SAC_E_NOMEM, SAC_E_DEVICE. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_stage_open(sac_stage **stage, sac_gpu *gpu,
                                                     sac_pool *pool, size_t bytes, sac_error *err);
SAC_INTERNAL void sac_stage_close(sac_stage **stage);

/*
 * To the device on its copy stream, from it on the back stream. There the elements follow each
 * other in the array's order, in rows of its last `row_axes` axes (1 or 2) `pitch` bytes apart: a
 * row's bytes, or up to SAC_STAGE_ALIGN - 1 more. Only enqueues where the array is page-locked, and
 * then it must stay until the stream has come that far; else returns when the array has been read,
 * or written. SAC_E_DEVICE.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_stage_up(sac_stage *stage, void *device, size_t pitch,
                                                   const sac_array *from, int32_t row_axes);
SAC_INTERNAL SAC_NODISCARD sac_status sac_stage_down(sac_stage *stage, const sac_array *to,
                                                     int32_t row_axes, const void *device,
                                                     size_t pitch);

#endif
