/*
 * eigen_c128 on a GPU: memory, and sweeps until one changes nothing.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow/kernels/flow_cuda.h"

#define MOST_SWEEPS 40

sac_eigen_cuda_work sac_eigen_c128_cuda_parts(const sac_eigen_cuda *e)
{
    sac_eigen_cuda_work w = {.l = e->memory, .n = e->n};
    w.size = w.l + 2 * (ptrdiff_t)e->n * e->n;
    w.rank = (int32_t *)(w.size + e->n);
    w.changed = (uint32_t *)w.rank + 1;
    return w;
}

sac_status sac_eigen_c128_cuda_open(sac_eigen_cuda *e, sac_gpu *gpu, int32_t n, sac_error *err)
{
    const size_t squares = 2 * (size_t)n * (size_t)n;
    *e = (sac_eigen_cuda){.gpu = gpu, .n = n};
    const sac_status status =
        sac_gpu_alloc(gpu, &e->memory, (squares + (size_t)n + 1) * sizeof(double), err);
    return status ? status
                  : sac_gpu_alloc_pinned(gpu, (void **)&e->changed, sizeof *e->changed, err);
}

void sac_eigen_c128_cuda_close(sac_eigen_cuda *e)
{
    if (!e->gpu)
        return;
    sac_gpu_free(e->gpu, e->memory);
    sac_gpu_free_pinned(e->gpu, e->changed);
    *e = (sac_eigen_cuda){0};
}

sac_status sac_eigen_c128_cuda(sac_gpu_stream stream, double *values, double *vectors,
                               const double *g, const sac_eigen_cuda *e)
{
    const sac_eigen_cuda_work w = sac_eigen_c128_cuda_parts(e);
    sac_status status = sac_eigen_cuda_factor(stream, &w, g);
    *e->changed = 1;
    for (int i = 0; i < MOST_SWEEPS && status == SAC_OK && *e->changed; i++) {
        status = sac_eigen_cuda_sweep(stream, &w);
        if (status == SAC_OK)
            status = sac_gpu_copy(e->changed, w.changed, sizeof *e->changed, stream);
        if (status == SAC_OK)
            status = sac_gpu_wait(stream);
    }
    return status ? status : sac_eigen_cuda_sort(stream, values, vectors, &w);
}
