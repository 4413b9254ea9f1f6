/*
 * Other work on a GPU, for as long as a test wants.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_BUSY_H
#define SAC_TESTS_BUSY_H

#include "room/variant_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Threads that spin for ns, n_blocks of 1024; at 2 a multiprocessor nothing else has room on most
 * GPUs. Only enqueues. */
sac_status busy_launch(sac_gpu_stream stream, int32_t n_blocks, int64_t ns);

#ifdef __cplusplus
}
#endif
#endif
