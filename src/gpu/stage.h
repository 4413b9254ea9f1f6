/*
 * Pictures between the CPU's memory, whatever their strides, and packed frames in device memory.
 * What the caller page-locked is copied as it lies; everything else goes in pieces through two
 * page-locked buffers a way, so that one piece is packed while another travels.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GPU_STAGE_H
#define SAC_GPU_STAGE_H

#include "base/threads.h"
#include "gpu/gpu.h"

#define SAC_STAGE_ALIGN 16 /* bytes: rows of a frame begin at multiples, for vector loads */

/*
 * A picture in the CPU's memory: (n_planes, h, w, n_channels) samples of `size` bytes. In a frame
 * the rows of all planes follow each other, each without gaps but for its end, which
 * sac_stage_row pads.
 */
typedef struct sac_stage_picture {
    char *data;
    ptrdiff_t plane, row, pixel, channel; /* strides in bytes, of either sign */
    int64_t n_planes, h, w;
    int32_t n_channels, size;
} sac_stage_picture;

typedef struct sac_stage sac_stage;

/* Bytes from a row of a frame to the next. */
size_t sac_stage_row(const sac_stage_picture *picture);

/* For pictures of this shape, which need no data yet. gpu and pool stay the caller's, and outlive
 * it. SAC_E_NOMEM, SAC_E_DEVICE. */
SAC_NODISCARD sac_status sac_stage_open(sac_stage **stage, sac_gpu *gpu, sac_pool *pool,
                                        const sac_stage_picture *shape, sac_error *err);
void sac_stage_close(sac_stage **stage);

/*
 * To the frame on the device's copy stream, from it on the back stream. Only enqueues where the
 * picture is page-locked, and then it must stay until the stream has come that far; else returns
 * when the picture has been read, or written. SAC_E_DEVICE.
 */
SAC_NODISCARD sac_status sac_stage_up(sac_stage *stage, void *frame, const sac_stage_picture *from);
SAC_NODISCARD sac_status sac_stage_down(sac_stage *stage, const sac_stage_picture *to,
                                        const void *frame);

#endif
