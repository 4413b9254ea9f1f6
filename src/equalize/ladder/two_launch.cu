/*
 * 8-bit equalization in two launches: the last block to finish counting makes the table of
 * multipliers; the second launch loads it and scales. The picture is read twice, the second time
 * from the L2 cache where it fits.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/ladder/rungs_cuda.h"
#include "equalize/kernels/picture_u8_tiles.cuh"

#define THREADS 1024 /* one block a multiprocessor, as in the one launch */

template <int KIND>
__global__ void __launch_bounds__(THREADS, 1) count(const __grid_constant__ sac_u8_frame f)
{
    extern __shared__ uint4 memory[];
    __shared__ sac_u8_scratch scratch;
    __shared__ bool is_last;
    uint32_t *copies = (uint32_t *)memory;
    sac_u8_count<KIND>(copies, sac_u8_slots_of<KIND>(memory, f), scratch.q, f, sac_u8_tiles_of(f));
    __syncthreads();
    if (sac_thread() == 0) {
        __threadfence(); /* this block's counts before its ticket */
        is_last = atomicAdd(&f.t.ticket[0], 1u) == gridDim.x - 1;
        __threadfence(); /* the other blocks' tickets before their counts */
        scratch.num = (uint64_t *)copies;
    }
    __syncthreads();
    if (!is_last)
        return;
    const sac_u8_found found = sac_u8_scan(f, &scratch);
    sac_u8_multipliers(f, found.den, &scratch);
    if (sac_thread() < SAC_U8_VALUES)
        f.t.q8[sac_thread()] = scratch.q[sac_thread()];
    sac_u8_finish(f.t, found);
}

template <int KIND>
__global__ void __launch_bounds__(THREADS, 1) scale(const __grid_constant__ sac_u8_frame f)
{
    extern __shared__ uint4 memory[];
    uint32_t *copies = (uint32_t *)memory;
    uint4 *slot = sac_u8_slots_of<KIND>(memory, f);
    const sac_u8_tiles mine = sac_u8_tiles_of(f);
    for (int32_t i = mine.n - 1; KIND != SAC_UNITS_NONE && i >= mine.n - SAC_U8_AHEAD; i--) {
        if (i >= 0)
            sac_tile_load<KIND>(slot + i % f.slots * sac_unit<KIND>::TILE, f.in,
                                mine.first + i * mine.step);
        __pipeline_commit();
    }
    sac_u8_spread(copies, f.t.q8);
    __syncthreads();
    if (KIND != SAC_UNITS_NONE)
        sac_u8_scale_tiles<KIND>(slot, copies, f, mine, SAC_U8_AHEAD);
    sac_u8_scale_rest(f.out.rest, f.in.rest, copies);
}

template <int KIND> static sac_status launch(sac_gpu_stream stream, sac_u8_frame *f)
{
    const unsigned blocks = (unsigned)sac_u8_blocks(f, (sac_kind)KIND);
    const int tile = sac_unit<KIND>::TILE * (int)sizeof(uint4);
    const int shared =
        SAC_U8_TABLE * 4 + (KIND == SAC_UNITS_NONE ? 0 : THREADS / SAC_WARP * SAC_U8_AHEAD * tile);
    f->slots = SAC_U8_AHEAD;
    if (cudaFuncSetAttribute(count<KIND>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared) ||
        cudaFuncSetAttribute(scale<KIND>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared))
        return sac_cuda_launched();
    count<KIND><<<blocks, THREADS, (size_t)shared, stream>>>(*f);
    const sac_status status = sac_cuda_launched();
    scale<KIND><<<blocks, THREADS, (size_t)shared, stream>>>(*f);
    return status ? status : sac_cuda_launched();
}

extern "C" sac_status sac_equalize_two_launch_cuda(sac_gpu_stream stream,
                                                   const sac_gpu_shape *shape,
                                                   const sac_equalize_cuda_job *job)
{
    (void)shape; /* as many threads as the machine holds */
    sac_u8_frame f;
    switch (sac_u8_frame_of(&f, &job->out, &job->in, job->t)) {
    case SAC_UNITS_GRAY:
        return launch<SAC_UNITS_GRAY>(stream, &f);
    case SAC_UNITS_RGB:
        return launch<SAC_UNITS_RGB>(stream, &f);
    case SAC_UNITS_RGBA:
        return launch<SAC_UNITS_RGBA>(stream, &f);
    case SAC_UNITS_PLANES:
        return launch<SAC_UNITS_PLANES>(stream, &f);
    default:
        return launch<SAC_UNITS_NONE>(stream, &f);
    }
}
