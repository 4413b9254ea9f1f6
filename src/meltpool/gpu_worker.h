/*
 * The worker's host side: what its opening and its runs share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_GPU_WORKER_H
#define SAC_MELTPOOL_GPU_WORKER_H

#include <stdatomic.h>

#include "base/alloc.h"
#include "meltpool/kernels/worker_cuda.h"
#include "meltpool/gpu_plan.h"

struct sac_meltpool_worker {
    sac_gpu *gpu; /* its own streams: the kernel's is never waited for by others */
    sac_meltpool_worker_cuda cuda;
    void *lines;    /* page-locked: everything that both sides see */
    uint32_t *tags; /* (n_blocks): of the blocks' last submissions */
    uint8_t *crops; /* page-locked: ROIs of frames that the GPU cannot read in place */
    int32_t crop_row;
    size_t crop_bytes;
    int64_t timeout_ns;
    const char *fault; /* why an answer did not come */
    int32_t index;     /* cuda:N */

    /* The run at work. */
    bool on_device;                /* where frames lie */
    sac_meltpool_planned *planned; /* (resident): frames of the block */
    uint32_t number;               /* of the last one submitted */
    /* By several threads, apart from what all read. */
    _Alignas(SAC_ALIGNMENT) _Atomic int32_t next_part; /* to be collected */
    atomic_bool failed;                                /* an answer did not come */
    atomic_flag is_launching;
    _Atomic uint32_t launch; /* the last one, as cuda.launch; 0: none */
};

#endif
