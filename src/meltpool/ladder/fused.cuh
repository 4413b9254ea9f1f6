/*
 * What fused kernels do of a frame: Pr-Se-Ph parallel to Pr-Po-Ho, and Te-Ne.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_LADDER_FUSED_CUH
#define SAC_MELTPOOL_LADDER_FUSED_CUH

#include "meltpool/ladder/answer.cuh"
#include "meltpool/ladder/label.cuh"
#include "meltpool/ladder/launch.cuh"
#include "meltpool/ladder/sums.cuh"

/* Se-Ph: the labels never leave shared memory. The ROI is there; sync before. */
template <sac_rung_spread SPREAD>
__device__ static inline void sac_rung_segment(sac_rung_block *b, sac_rung_memory *m)
{
    sac_rung_label<SPREAD>(b, m, m->pixels, m->pixel_pitch);
    sac_rung_physical(b, m->labels, m->pitch, m->pixels, m->pixel_pitch);
}

/* Po-Ho by REGIONS blocks, of which this is the block-th; Ho by the first one. Into the turn in
 * device memory. The ROI and its sectors are there; sync before. */
template <int REGIONS>
__device__ static inline void sac_rung_light(sac_rung_block *b, const sac_rung_memory &m,
                                             int32_t block, sac_rung_turn *turn)
{
    enum { N = SAC_MELTPOOL_SECTORS / REGIONS };
    sac_rung_polar<N>(b, m, m.pixels, m.pixel_pitch, block * N, turn->in.polar);
    if (block == 0)
        sac_rung_gradients(b, m.pixels, m.pixel_pitch, turn->in.hog);
}

/* Pr by every block; then Se-Ph by the first one, Po-Ho by the others. Whether there is work. */
template <sac_rung_spread SPREAD, int REGIONS>
__device__ static inline bool sac_rung_front(sac_rung_block *b, sac_rung_memory *m,
                                             const sac_rung_call &c, sac_rung_turn *turn)
{
    const int32_t block = (int32_t)sac_block();
    if (!sac_rung_place(b, &turn->before, c, block == 0))
        return false;
    sac_rung_load(*m, b, c);
    if (block > 0)
        sac_rung_sectors(b, *m);
    __syncthreads();
    if (block == 0)
        sac_rung_segment<SPREAD>(b, m);
    else
        sac_rung_light<REGIONS>(b, *m, block - 1, turn);
    return true;
}

/* Te-Ne. b->turn is whole; sync before. */
__device__ static inline void sac_rung_back(sac_rung_block *b, const sac_rung_memory &m,
                                            const sac_rung_call &c)
{
    sac_rung_temporal(b, c);
    sac_rung_network(b, c, (float *)m.lines);
}

#endif
