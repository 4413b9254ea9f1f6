/*
 * The pixels' share of the delta stream's decoder on a GPU: a packet's streams, which are sound, to
 * the picture. The room unpack_u8 says how masks and values are read, docs/delta-format.md what the
 * cells are.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_DECODE_CUDA_H
#define SAC_DELTA_DECODE_CUDA_H

#include "delta/kernels/layout.h"
#include "room/variant_cuda.h"

/* A packet's work. The caller has checked that kinds, masks and values belong together. */
typedef struct sac_delta_decode_job {
    sac_delta_layout layout;
    /* Page-locked memory of the host, until the first part has run. */
    const sac_delta_sizes *sizes;
    const uint8_t *streams_in; /* laid out as `streams` */
    /* Device memory. */
    uint8_t *picture; /* whole cells, their channels side by side */
    uint8_t *streams;
    sac_delta_sizes *scratch;
    sac_delta_place *places; /* (n_cells) */
    uint32_t *done;          /* (n_cells): the packet whose spatial cell is in the picture */
    uint32_t *ticket;
    uint32_t packet; /* a number, not 0, that `done` does not have yet */
    bool is_spatial; /* some cells are */
} sac_delta_decode_job;

/* Enqueue the two parts of a packet: after the first, `sizes` and `streams_in` are not read any
 * more. SAC_E_DEVICE. */
SAC_EXTERN_C SAC_INTERNAL SAC_NODISCARD sac_status
sac_delta_fetch_cuda(sac_gpu_stream stream, const sac_delta_decode_job *job);
SAC_EXTERN_C SAC_INTERNAL SAC_NODISCARD sac_status
sac_delta_unpack_cuda(sac_gpu_stream stream, const sac_delta_decode_job *job);

#endif
