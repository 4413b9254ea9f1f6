/*
 * noise_u8 as in Battilana's report on CUDA video streaming: one block, a section a thread, 16
 * bytes a load and one a store. Each rung stores less. (Its program subtracts in int8, which misses
 * changes of more than 235, and forgets at the start of a section what the pixel there has of its
 * bytes before; here neither.) The number of changed pixels is not counted.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/kernels/report.cuh"

/* What a rung stores:
 * chunk      every byte: 0, and 255 in the red ones of changed pixels
 * red_only   the red bytes, a third of the stores: out was black, so the others are 0 already
 * overlay    255 in the red bytes of changed pixels, nothing else: out is the previous frame */
enum { CHUNK, RED_ONLY, OVERLAY };

#define CHUNK_BYTES 16

/* Chunk i; what follows the frame's last byte is 0, and not read. */
__device__ static inline uint4 chunk_at(const uint8_t *frame, int32_t i, int32_t n_bytes)
{
    if (i < n_bytes / CHUNK_BYTES)
        return ((const uint4 *)frame)[i];
    uint4 chunk = make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int32_t j = 0; j < CHUNK_BYTES; j++)
        if (CHUNK_BYTES * i + j < n_bytes)
            ((uint8_t *)&chunk)[j] = frame[CHUNK_BYTES * i + j];
    return chunk;
}

__device__ static inline bool differs(uint8_t a, uint8_t b, int32_t threshold)
{
    return abs(a - b) > threshold;
}

/* Whether the pixel that a section begins within has changed in its bytes before that. */
__device__ static bool has_changed_before(const uint8_t *current, const uint8_t *previous,
                                          int32_t at, int32_t threshold)
{
    bool changed = false;
    for (int32_t k = at - at % 3; k < at; k++)
        changed = changed || differs(current[k], previous[k], threshold);
    return changed;
}

/*
 * A pixel's red byte is its last: there the pixel is decided. Whether a byte is red depends on the
 * chunk's number, so the test is made for each byte, and threads of a warp whose chunks begin at
 * different colors take both sides of it. `out` may be `previous`: only red bytes are written, and
 * has_changed_before reads none.
 */
template <int STORES>
__global__ void __launch_bounds__(SAC_REPORT_K)
    noise_chunks(uint8_t *out, const uint8_t *current, const uint8_t *previous, int32_t n_bytes,
                 int32_t threshold)
{
    const int32_t n = (n_bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
#pragma unroll 1
    for (int pass = 0; pass < SAC_SECTION_PASSES; pass++) {
        const sac_section s = sac_section_of(pass, n);
        bool changed = s.first < s.end &&
                       has_changed_before(current, previous, CHUNK_BYTES * s.first, threshold);
        for (int32_t i = s.first; i < s.end; i++) {
            const uint4 is = chunk_at(current, i, n_bytes), was = chunk_at(previous, i, n_bytes);
#pragma unroll
            for (int j = 0; j < CHUNK_BYTES; j++) {
                const int32_t at = CHUNK_BYTES * i + j;
                changed = changed ||
                          differs(((const uint8_t *)&is)[j], ((const uint8_t *)&was)[j], threshold);
                if (at % 3 == 2 && at < n_bytes) {
                    if (STORES != OVERLAY || changed)
                        out[at] = changed ? 255 : 0;
                    changed = false;
                } else if (STORES == CHUNK && at < n_bytes) {
                    out[at] = 0;
                }
            }
        }
    }
}

template <int STORES>
static sac_status run(sac_gpu_stream stream, const sac_gpu_shape *shape, const sac_pair *pair,
                      sac_noise_view view, int32_t threshold, uint64_t *count,
                      sac_noise_scratch *scratch)
{
    (void)view; /* each has one */
    (void)count;
    (void)scratch;
    const sac_launch l = sac_report_launch(shape, SAC_REPORT_K);
    noise_chunks<STORES><<<l.grid, l.block, 0, stream>>>(
        sac_report_bytes(&pair->out), sac_report_bytes(&pair->current),
        sac_report_bytes(&pair->previous), sac_report_size(&pair->out), threshold);
    return sac_cuda_launched();
}

extern "C" const sac_variant sac_noise_u8_report_cuda[] = {
    {"chunk", 0, false, SAC_FN(sac_noise_u8_cuda_fn, run<CHUNK>), SAC_TIER_EXACT,
     SAC_REPORT_BGR | SAC_REPORT_CHUNKS},
    {"red-only", 0, false, SAC_FN(sac_noise_u8_cuda_fn, run<RED_ONLY>), SAC_TIER_EXACT,
     SAC_REPORT_BGR | SAC_REPORT_CHUNKS | SAC_REPORT_BLACK},
    {"overlay", 0, false, SAC_FN(sac_noise_u8_cuda_fn, run<OVERLAY>), SAC_TIER_EXACT,
     SAC_REPORT_BGR | SAC_REPORT_CHUNKS | SAC_REPORT_OVERLAY},
    {NULL, 0, false, NULL},
};
