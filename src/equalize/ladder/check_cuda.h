/*
 * equalize's rungs on a GPU for the harness: a plan's device buffers, and calls. In
 * libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_LADDER_CHECK_CUDA_H
#define SAC_EQUALIZE_LADDER_CHECK_CUDA_H

#include <saccade/equalize.h>

#include "image/pixels.h"
#include "room/check.h"

#if SAC_CUDA
extern const sac_variant sac_equalize_cuda_rungs[];

/* c->cuda for pictures of `desc`, whose bins are filled in. */
sac_status sac_equalize_check_open_cuda(sac_check_case *c, sac_gpu *gpu,
                                        const sac_equalize_desc *desc);
void sac_equalize_check_close_cuda(sac_check_case *c, sac_gpu *gpu);
sac_status sac_equalize_check_call_cuda(sac_any_fn fn, sac_gpu_stream stream,
                                        const sac_gpu_shape *shape, const sac_check_case *c,
                                        const sac_pixels *out, const sac_pixels *in);
#else
#define sac_equalize_cuda_rungs NULL
#define sac_equalize_check_close_cuda NULL
#define sac_equalize_check_open_cuda(c, gpu, desc)                                                 \
    ((void)(c), (void)(gpu), (void)(desc), SAC_E_DEVICE)
#define sac_equalize_check_call_cuda(fn, stream, shape, c, out, in)                                \
    ((void)(fn), (void)(stream), (void)(shape), (void)(c), (void)(out), (void)(in), SAC_E_DEVICE)
#endif

#endif
