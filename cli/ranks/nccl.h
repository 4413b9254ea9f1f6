/*
 * What saccade-nccl.so, the one file of the command that sees CUDA and nccl.h, does: ranks with a
 * GPU each add up values in its memory, from GPU to GPU.
 *
 * What has to wait asks is_over meanwhile, and ends by SAC_CANCELLED where that says so.
 *
 * Threads: one at a time calls these.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_RANKS_NCCL_H
#define CLI_RANKS_NCCL_H

#include <saccade/base.h>

enum { CLI_RANKS_NCCL_KEY = 128 }; /* bytes */

typedef struct cli_ranks_nccl {
    /* By which ranks find each other: of rank 0, which gives it to the others. False: NCCL refuses.
     */
    bool (*get_key)(void *key);
    /* Joins n ranks, of which this one has GPU number `gpu`, each another. Of all at
     * the same time. NULL, and the error: SAC_E_DEVICE, SAC_E_NOMEM, SAC_CANCELLED. */
    void *(*open)(const void *key, int32_t rank, int32_t n, int32_t gpu, bool (*is_over)(void),
                  sac_error *err);
    /* Memory of a GPU; NULL: there is none. */
    float *(*alloc)(int32_t gpu, size_t n);
    void (*free)(float *memory);
    /* Makes of the values of rank 0 the sum of all ranks', in their order: v0 + v1 + ..., and
     * copies it to `sum`, memory of the CPU, which others than rank 0 leave. Of all at the same
     * time. What others have in `values` afterwards is not said. */
    sac_status (*sum)(void *group, float *sum, float *values, size_t n, sac_error *err);
    void (*close)(void *group); /* of all; waits for nobody */
} cli_ranks_nccl;

#define CLI_RANKS_NCCL_SYMBOL "saccade_ranks_nccl" /* the name of the one in saccade-nccl.so */

/* NULL: this build has none, or it does not load. */
const cli_ranks_nccl *cli_ranks_load_nccl(void);

/* The NCCL that this build was made with: "2.28.9"; NULL: none. */
const char *cli_ranks_nccl_version(void);

#endif
