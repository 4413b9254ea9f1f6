/*
 * meltpool's rungs on a GPU for the harness: what a stream needs there, and calls. In
 * libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_LADDER_CHECK_CUDA_H
#define SAC_MELTPOOL_LADDER_CHECK_CUDA_H

#include <saccade/meltpool.h>

#include "room/check.h"

#if SAC_CUDA
extern const sac_variant sac_meltpool_cuda_rungs[]; /* ends with NULL name */
extern const sac_check_published sac_meltpool_cuda_published[];

/* c->cuda for the case's c->w frames of a CPU's plan, in the CPU's memory, and their signals (n).
 */
sac_status sac_meltpool_check_open_cuda(sac_check_case *c, sac_gpu *gpu, const sac_meltpool *plan,
                                        const sac_check_arg *frames,
                                        const sac_meltpool_signals *signals);
void sac_meltpool_check_close_cuda(sac_check_case *c, sac_gpu *gpu);

/* `out` as of the room: flags, features and predictions, a row a frame. */
sac_status sac_meltpool_check_call_cuda(sac_any_fn fn, sac_gpu_stream stream,
                                        const sac_check_case *c, const sac_check_arg *out,
                                        const sac_check_arg *frames);

#else
#define sac_meltpool_cuda_rungs NULL
#define sac_meltpool_cuda_published NULL
#define sac_meltpool_check_close_cuda NULL
#define sac_meltpool_check_open_cuda(c, gpu, plan, frames, signals)                                \
    ((void)(c), (void)(gpu), (void)(plan), (void)(frames), (void)(signals), SAC_E_DEVICE)
#define sac_meltpool_check_call_cuda(fn, stream, c, out, frames)                                   \
    ((void)(fn), (void)(stream), (void)(c), (void)(out), (void)(frames), SAC_E_DEVICE)
#endif

#endif
