/*
 * A warp's tiles of an 8-bit picture: counted one after the other, kept as far as there is room,
 * and scaled backwards.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EQUALIZE_PICTURE_U8_TILES_CUH
#define SAC_EQUALIZE_PICTURE_U8_TILES_CUH

#include "equalize/kernels/picture_u8.cuh"

#define SAC_U8_AHEAD 2 /* tiles of a warp on their way; so many slots it has at least */

typedef struct sac_u8_tiles {
    int64_t first, step; /* of this warp: first, first + step, ... */
    int32_t n;
} sac_u8_tiles;

/* Neighboring tiles go to different multiprocessors, so that few tiles occupy them all. */
__device__ inline sac_u8_tiles sac_u8_tiles_of(const sac_u8_frame &f)
{
    const uint32_t warp = sac_thread() / SAC_WARP, n_warps = sac_block_threads() / SAC_WARP;
    sac_u8_tiles t = {(int64_t)warp * gridDim.x + blockIdx.x, (int64_t)n_warps * gridDim.x, 0};
    t.n = f.n_tiles > t.first ? (int32_t)((f.n_tiles - t.first + t.step - 1) / t.step) : 0;
    return t;
}

template <int KIND>
__device__ inline void sac_u8_load_first(uint4 *slot, const sac_u8_frame &f, sac_u8_tiles t)
{
    for (int32_t i = 0; i < SAC_U8_AHEAD; i++) {
        if (i < t.n)
            sac_tile_load<KIND>(slot + i * sac_unit<KIND>::TILE, f.in, t.first + i * t.step);
        __pipeline_commit();
    }
}

/* The first tiles are on their way. */
template <int KIND>
__device__ inline void sac_u8_count_tiles(uint32_t *copies, uint4 *slot, const sac_u8_frame &f,
                                          sac_u8_tiles t)
{
    enum { TILE = sac_unit<KIND>::TILE };
    const uint32_t lane = sac_thread() % SAC_WARP;
    for (int32_t i = 0; i < t.n; i++) {
        __pipeline_wait_prior(SAC_U8_AHEAD - 1);
        __syncwarp();
        const int64_t tile = t.first + i * t.step;
        if (tile * SAC_WARP + lane < f.in.n) {
            uint32_t word[4 * sac_unit<KIND>::QUADS];
            sac_unit_read<KIND>(word, slot + i % f.slots * TILE);
            sac_u8_count_unit<KIND>(copies, word);
        }
        __syncwarp();
        if (i + SAC_U8_AHEAD < t.n)
            sac_tile_load<KIND>(slot + (i + SAC_U8_AHEAD) % f.slots * TILE, f.in,
                                tile + SAC_U8_AHEAD * t.step);
        __pipeline_commit();
    }
}

/* This warp's slots, after the block's counters. */
template <int KIND> __device__ inline uint4 *sac_u8_slots_of(uint4 *memory, const sac_u8_frame &f)
{
    return memory + SAC_U8_TABLE / 4 + sac_thread() / SAC_WARP * f.slots * sac_unit<KIND>::TILE;
}

/* The block's pixels, counted and added to the grid's counts. sums: (256) shared. */
template <int KIND>
__device__ inline void sac_u8_count(uint32_t *copies, uint4 *slot, uint32_t *sums,
                                    const sac_u8_frame &f, sac_u8_tiles t)
{
    if (KIND != SAC_UNITS_NONE)
        sac_u8_load_first<KIND>(slot, f, t);
    sac_u8_clear(copies);
    __syncthreads();
    if (KIND != SAC_UNITS_NONE)
        sac_u8_count_tiles<KIND>(copies, slot, f, t);
    sac_u8_count_rest(copies, f.in.rest);
    __syncthreads();
    sac_u8_total(f.t, sums, copies);
}

/* Backwards: the last `kept` tiles are still there, SAC_U8_AHEAD at least, or on their way. */
template <int KIND>
__device__ inline void sac_u8_scale_tiles(uint4 *slot, const uint32_t *copies,
                                          const sac_u8_frame &f, sac_u8_tiles t, int32_t kept)
{
    enum { TILE = sac_unit<KIND>::TILE };
    for (int32_t i = t.n - 1; i >= 0; i--) {
        __pipeline_wait_prior(SAC_U8_AHEAD - 1);
        __syncwarp();
        uint4 *at = slot + i % f.slots * TILE;
        const int64_t tile = t.first + i * t.step;
        uint32_t word[4 * sac_unit<KIND>::QUADS];
        sac_unit_read<KIND>(word, at);
        sac_u8_scale_unit<KIND>(word, copies);
        sac_unit_write<KIND>(at, word);
        __syncwarp();
        sac_tile_store<KIND>(f.out, tile, at);
        __syncwarp();
        const int32_t next = i - SAC_U8_AHEAD;
        if (next >= 0 && next < t.n - kept)
            sac_tile_load<KIND>(slot + next % f.slots * TILE, f.in, tile - SAC_U8_AHEAD * t.step);
        __pipeline_commit();
    }
}

#endif
