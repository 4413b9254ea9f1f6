/*
 * Streams of an emulated GPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EMULATED_H
#define SAC_EMULATED_H

#include "block.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "gpu/gpu.h" /* for C alone */

/* Takes the argument, and releases it when all blocks have ended. */
void emulated_enqueue(sac_gpu_stream stream, const emulated_launch *launch);

/* From now on no launch begins, as where other work fills the GPU; or they do again. */
void emulated_fill(bool is_full);

/* How many launches there were, and how many of them have not ended. */
int64_t emulated_launches(void);
int64_t emulated_unfinished(void);

#ifdef __cplusplus
}
#endif
#endif
