/*
 * The part of an encoder that is on a GPU: frames there, streams back. Functions are there in a
 * build without CUDA, too, where open refuses.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_DELTA_ENCODE_GPU_H
#define SAC_DELTA_ENCODE_GPU_H

#include "delta/encode.h"

/* Opens the plan's pool and its part on the GPU, and says so to the log; desc and geometry are set.
 * SAC_E_UNSUPPORTED, SAC_E_DEVICE, SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_delta_encode_gpu_open(sac_delta_encode *plan, sac_error *err);
void sac_delta_encode_gpu_close(sac_delta_encode_gpu **gpu);

/* n frames, at least one, that are checked: as sac_delta_encode_run_batch. taker NULL: no packets
 * are made, so that the pixels' share can be timed. */
SAC_NODISCARD sac_status sac_delta_encode_gpu_run(sac_delta_encode *plan,
                                                  const sac_delta_taker *taker,
                                                  const sac_array *frames, const uint64_t *times_ns,
                                                  int32_t n, sac_error *err);

#endif
