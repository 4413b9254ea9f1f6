/*
 * frame_u8 on a GPU: a frame to a warp, or to a block.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/frame_u8/frame_u8_cuda.h"
#include "meltpool/kernels/latency.cuh"

#define MAX_WARPS 8        /* of a block */
#define SHARED (48 * 1024) /* that any kernel of any GPU may have */
#define MAX_BLOCKS (INT64_C(1) << 30)

/* By a warp, and by a block. */
__device__ static void analyse_one(const sac_meltpool_scratch<SAC_WARP> &s,
                                   const sac_meltpool_frame_job *job, const uint8_t *frame,
                                   ptrdiff_t row)
{
    sac_meltpool_frame(s, job, frame, row);
}

__device__ static void analyse_one(const sac_meltpool_fast &s, const sac_meltpool_frame_job *job,
                                   const uint8_t *frame, ptrdiff_t row)
{
    const sac_meltpool_shares shares(job->n);
    sac_meltpool_nothing_else nothing;
    sac_meltpool_frame_fast(s, job, frame, row, shares, nothing);
}

template <int T>
__global__ void __launch_bounds__(T == SAC_WARP ? MAX_WARPS * SAC_WARP : T)
    analyse(char *out, ptrdiff_t out_row, const __grid_constant__ sac_meltpool_frames_cuda frames)
{
    extern __shared__ __align__(16) char memory[];
    const uint32_t teams = blockDim.x / T, team = threadIdx.x / T;
    const int32_t rank = sac_meltpool_team<T>::rank();
    char *own = memory + team * sac_meltpool_scratch<T>::bytes(frames.max_roi);
    for (int64_t i = (int64_t)blockIdx.x * teams + team; i < frames.n;
         i += (int64_t)gridDim.x * teams) {
        const sac_meltpool_frame_job job = frames.jobs[i];
        const sac_meltpool_scratch<T> s(own, job.n);
        analyse_one(s, &job, frames.pixels ? frames.pixels + i * frames.frame : job.frame,
                    frames.pixels ? frames.row : job.row);
        if (rank < SAC_MELTPOOL_RESULT)
            ((uint32_t *)(out + i * out_row))[rank] = ((const uint32_t *)s.out)[rank];
        sac_meltpool_team<T>::sync();
    }
}

/* As many teams a block as shared memory holds; a single one may have more where the GPU has it. */
template <int T>
static sac_status launch(sac_gpu_stream stream, sac_meltpool_integers *out, ptrdiff_t row,
                         const sac_meltpool_frames_cuda *frames)
{
    const uint32_t bytes = sac_meltpool_scratch<T>::bytes(frames->max_roi);
    const uint32_t most = T == SAC_WARP ? MAX_WARPS : 1, fit = SHARED / bytes;
    const uint32_t teams = fit == 0 ? 1 : fit < most ? fit : most;
    const int64_t blocks = (frames->n + teams - 1) / teams;
    if (frames->n == 0)
        return SAC_OK;
    if (bytes > SHARED &&
        cudaFuncSetAttribute(analyse<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes) !=
            cudaSuccess) {
        (void)cudaGetLastError();
        return SAC_E_UNSUPPORTED;
    }
    analyse<T><<<(unsigned)(blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS), teams * T, teams * bytes,
                 stream>>>((char *)out, row, *frames);
    return sac_cuda_launched();
}

extern "C" const sac_variant sac_frame_u8_cuda[] = {
    {"blocks", 0, true, SAC_FN(sac_frame_u8_cuda_fn, launch<SAC_MELTPOOL_FAST>)},
    {"warps", 0, true, SAC_FN(sac_frame_u8_cuda_fn, launch<SAC_WARP>), SAC_TIER_EXACT,
     SAC_FRAME_U8_BY_WARPS},
    {NULL, 0, false, NULL},
};
