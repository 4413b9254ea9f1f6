/*
 * The pixels' share of the delta stream's encoder on a GPU: what is sent of each cell, and the
 * bands' streams. The rooms change_u8, predict_u8 and pack_u8 say what is computed, and
 * delta/encode_band.c in which order: the bytes are those of the CPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_ENCODE_CUDA_H
#define SAC_DELTA_ENCODE_CUDA_H

#include "delta/kernels/layout.h"
#include "delta/kernels/turn.h"
#include "room/variant_cuda.h"

/* What a frame comes to, beside its streams. */
typedef struct sac_delta_sent {
    sac_delta_turn turn;
    sac_delta_sizes size;
} sac_delta_sent;

/* In device memory, 0 at first. */
typedef struct sac_delta_encoder_cuda {
    sac_delta_clock clock[2]; /* a frame reads one and writes the other */
    unsigned long long seen; /* blocks that looked for a new scene, and changed pixels; 0 between */
    sac_delta_sent sent;
} sac_delta_encoder_cuda;

/* Bytes of a pixel of pictures on the device: the channels in a word. */
SAC_HOST_DEVICE static inline size_t sac_delta_pixel_bytes(int32_t channels)
{
    return channels == 1 ? 1 : 4;
}

/* A frame's work; but for `sent` and `streams_out` all in device memory. */
typedef struct sac_delta_encode_job {
    sac_delta_layout layout;
    const uint8_t *frame; /* (h, w, channels) */
    ptrdiff_t row, pixel, channel;
    const void *was; /* the decoder's picture before the frame, whole cells, and after it */
    void *now;
    sac_delta_encoder_cuda *state;
    sac_delta_place *places; /* (n_cells) */
    uint8_t *streams;        /* layout.band bytes a band */

    int32_t threshold;
    bool looks;     /* for a new scene */
    bool wants_key; /* whatever it finds */
    uint8_t parity; /* of the frame: clock[parity] is read */
    uint64_t time_ns;
    sac_delta_pace pace;

    sac_delta_sent *sent; /* page-locked memory of the host, as streams_out, laid out as streams */
    uint8_t *streams_out;
} sac_delta_encode_job;

/* Enqueue the two parts of a frame: after the first the frame is not read any more. SAC_E_DEVICE.
 */
SAC_EXTERN_C SAC_INTERNAL SAC_NODISCARD sac_status
sac_delta_compare_cuda(sac_gpu_stream stream, const sac_delta_encode_job *job);
SAC_EXTERN_C SAC_INTERNAL SAC_NODISCARD sac_status
sac_delta_pack_cuda(sac_gpu_stream stream, const sac_delta_encode_job *job);

#endif
