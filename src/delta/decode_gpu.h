/*
 * The part of a decoder that is on a GPU: streams there, pictures back. Functions are there in a
 * build without CUDA, too, where open refuses.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_DECODE_GPU_H
#define SAC_DELTA_DECODE_GPU_H

#include "delta/decode.h"
#include "gpu/gpu.h"

/* Opens the plan's pool and its part on the GPU, and says so to the log. SAC_E_UNSUPPORTED,
 * SAC_E_DEVICE, SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_delta_decode_gpu_open(sac_delta_decode *plan, sac_error *err);

/* Frees the chains' pictures, too. */
void sac_delta_decode_gpu_close(sac_delta_decode *plan);

/* Memory for the chain's geometry. SAC_E_NOMEM, SAC_E_DEVICE. */
SAC_NODISCARD sac_status sac_delta_decode_gpu_room(sac_delta_decode *plan, sac_delta_chain *chain);

/* Gives each stream of each band its place in page-locked memory, when the packet before has left
 * it. */
void sac_delta_decode_gpu_share(sac_delta_decode *plan);

/* Brings the picture of plan->chain up to the bands' streams, which are sound. SAC_E_DEVICE. */
SAC_NODISCARD sac_status sac_delta_decode_gpu_bands(sac_delta_decode *plan);

/* Where the picture of plan->chain is for the caller. */
void *sac_delta_decode_gpu_picture(const sac_delta_decode *plan);

#endif
