/*
 * The floor on a GPU in a build without CUDA: opening the GPU has failed before.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool_floor.h"

sac_status bench_floor_launch(sac_gpu_stream stream, bench_floor_words *words, const uint8_t *ring,
                              bench_floor_kind kind, int64_t idle_ns)
{
    (void)stream, (void)words, (void)ring, (void)kind, (void)idle_ns;
    return SAC_E_UNSUPPORTED;
}
