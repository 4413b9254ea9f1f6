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

/* Takes the argument, and releases it when all blocks have ended, or, on a GPU that is lost, at
 * once. What became of the thread's last launch. */
void emulated_enqueue(sac_gpu_stream stream, const emulated_launch *launch);
sac_status emulated_launched(void);

/* From now on no launch begins, as where other work fills the GPU; or they do again. */
void emulated_fill(bool is_full);

/* How many launches there were, and how much of all that was enqueued has not ended. */
int64_t emulated_launches(void);
int64_t emulated_unfinished(void);

/*
 * How the GPU fails: it is full, so that nothing is allocated or launched, or lost, so that every
 * call fails and nothing that is enqueued is done any more. The next n calls that would fail go
 * well, those behind them do not, until it is mended; then, whether one failed.
 */
typedef enum emulated_fault { EMULATED_WHOLE, EMULATED_FULL, EMULATED_LOST } emulated_fault;
void emulated_break(emulated_fault what, int64_t n);
bool emulated_mend(void);

/* GPUs, their memory and events that somebody has open. */
int64_t emulated_open_things(void);

/* Between gpu.c and gpu_memory.c: whether a call goes well that fails on a GPU that is lost, or on
 * such a GPU and one that is full; a thing more that is open, or -1; a while, the longer the more
 * naps its loop has had: about a fifth of the time that it has waited. */
sac_status emulated_ask(emulated_fault by);
bool emulated_is_lost(void);
void emulated_count(int by);
void emulated_nap(int *n_naps);

#ifdef __cplusplus
}
#endif
#endif
