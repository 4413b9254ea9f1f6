/*
 * CUDA rungs of a room: a table next to the CPU's, with launchers that take device memory and a
 * stream.
 *
 * A room's <room>_cuda.h gives the launcher's type: the CPU function's arguments with device
 * pointers, after a stream and a shape, and a status: SAC_OK, or what the runtime said of the
 * launch. A launcher only enqueues: it allocates nothing and waits for nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_ROOM_VARIANT_CUDA_H
#define SAC_ROOM_VARIANT_CUDA_H

#include "gpu/launched.h"
#include "room/variant.h"

/* Declares what a .cu file defines with extern "C"; one name per declaration, for nvcc. */
#ifdef __cplusplus
#define SAC_EXTERN_C extern "C"
#else
#define SAC_EXTERN_C extern
#endif

#endif
