/*
 * Loading and launching the worker.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/worker.cuh"

#define OWN_SHARED 4096 /* bytes of the kernels' own, at most */

extern "C" int32_t sac_meltpool_worker_warps(int32_t roi)
{
    int device = 0, most = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) !=
            cudaSuccess) {
        (void)cudaGetLastError();
        return 1;
    }
    const uint32_t fit = ((uint32_t)most - OWN_SHARED) / sac_meltpool_scratch<SAC_WARP>::bytes(roi);
    return fit < 2 ? 1 : fit > SAC_MELTPOOL_WORKER_WARPS ? SAC_MELTPOOL_WORKER_WARPS : (int32_t)fit;
}

extern "C" sac_status sac_meltpool_worker_prepare(int32_t *fit,
                                                  const sac_meltpool_worker_cuda *worker)
{
    const void *const kernels[] = {(const void *)sac_worker_by_blocks,
                                   (const void *)sac_worker_by_pairs,
                                   (const void *)sac_worker_by_warps};
    const void *kernel = kernels[worker->n_teams > 1 ? 2 : worker->is_paired];
    const uint32_t shared = sac_meltpool_worker_shared(worker);
    cudaFuncAttributes found;
    int n = 0;
    bool good = true;
    for (int i = 0; i < 3; i++) /* the others may be another plan's, while this one is there */
        good = good && cudaFuncGetAttributes(&found, kernels[i]) == cudaSuccess;
    if (good &&
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared) ==
            cudaSuccess &&
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, SAC_WORKER_THREADS, shared) ==
            cudaSuccess &&
        n > 0) {
        *fit = n;
        return SAC_OK;
    }
    (void)cudaGetLastError();
    return SAC_E_UNSUPPORTED;
}

extern "C" sac_status sac_meltpool_worker_launch(sac_gpu_stream stream,
                                                 const sac_meltpool_worker_cuda *worker)
{
    const unsigned n_blocks = (unsigned)worker->n_blocks;
    const uint32_t shared = sac_meltpool_worker_shared(worker);
    if (worker->n_teams > 1)
        sac_worker_by_warps<<<n_blocks, SAC_WORKER_THREADS, shared, stream>>>(*worker);
    else if (worker->is_paired)
        sac_worker_by_pairs<<<n_blocks, SAC_WORKER_THREADS, shared, stream>>>(*worker);
    else
        sac_worker_by_blocks<<<n_blocks, SAC_WORKER_THREADS, shared, stream>>>(*worker);
    return sac_cuda_launched();
}
