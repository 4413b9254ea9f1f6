/*
 * saccade-nccl.so: sums from GPU to GPU, by NCCL, in the command's terms. Each rank adds up a share
 * of the values, which the others send it, in the order of ranks, and rank 0 gets what comes out:
 * so a sum has the bytes that one rank adding in that order would give it, whatever way NCCL takes,
 * and each link carries the values once or twice, however many ranks there are.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks/nccl.h"

#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NAP_NS 20000 /* between two looks */

static_assert(sizeof(ncclUniqueId) == CLI_RANKS_NCCL_KEY, "the key");

typedef struct group {
    ncclComm_t comm;
    cudaStream_t stream;
    int32_t rank, n, gpu;
    bool (*is_over)(void);
    float *theirs; /* (n, n_theirs): of each rank, what it has of this one's share */
    size_t n_theirs;
} group;

static void nap(void)
{
    const struct timespec time = {0, NAP_NS};
    nanosleep(&time, NULL);
}

static sac_status fail(sac_error *err, const char *what, const char *why)
{
    err->status = SAC_E_DEVICE;
    snprintf(err->text, sizeof err->text, "device: NCCL: %s: %s", what, why);
    return SAC_E_DEVICE;
}

static sac_status cancel(sac_error *err)
{
    err->status = SAC_CANCELLED;
    snprintf(err->text, sizeof err->text, "cancelled");
    return SAC_CANCELLED;
}

/* NCCL works in a thread of its own, lest a rank that is gone holds this one up. */
static sac_status settle(const group *g, ncclResult_t result, const char *what, sac_error *err)
{
    while (result == ncclInProgress) {
        if (g->is_over())
            return cancel(err);
        nap();
        const ncclResult_t asked = ncclCommGetAsyncError(g->comm, &result);
        result = asked == ncclSuccess ? result : asked;
    }
    return result == ncclSuccess ? SAC_OK : fail(err, what, ncclGetErrorString(result));
}

static sac_status finish(const group *g, sac_error *err)
{
    cudaError_t at = cudaStreamQuery(g->stream);
    while (at == cudaErrorNotReady) {
        const sac_status st = g->is_over() ? cancel(err) : settle(g, ncclInProgress, "a sum", err);
        if (st != SAC_OK)
            return st;
        nap();
        at = cudaStreamQuery(g->stream);
    }
    return at == cudaSuccess ? SAC_OK : fail(err, "a sum", cudaGetErrorString(at));
}

static bool get_key(void *key)
{
    ncclUniqueId id;
    const bool is_there = ncclGetUniqueId(&id) == ncclSuccess;
    memcpy(key, &id, sizeof id);
    return is_there;
}

static void close_group(void *of)
{
    group *g = (group *)of;
    cudaSetDevice(g->gpu);
    if (g->comm)
        ncclCommAbort(g->comm); /* unlike destroy it waits for nobody */
    cudaFree(g->theirs);
    if (g->stream)
        cudaStreamDestroy(g->stream);
    free(g);
}

static void *open_group(const void *key, int32_t rank, int32_t n, int32_t gpu,
                        bool (*is_over)(void), sac_error *err)
{
    group *g = (group *)calloc(1, sizeof *g);
    if (!g) {
        err->status = SAC_E_NOMEM;
        snprintf(err->text, sizeof err->text, "no memory for NCCL");
        return NULL;
    }
    g->rank = rank, g->n = n, g->gpu = gpu, g->is_over = is_over;
    cudaError_t e = cudaSetDevice(gpu);
    e = e == cudaSuccess ? cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking) : e;
    sac_status st = e == cudaSuccess ? SAC_OK : fail(err, "a stream", cudaGetErrorString(e));
    if (st == SAC_OK) {
        ncclUniqueId id;
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        memcpy(&id, key, sizeof id);
        st = settle(g, ncclCommInitRankConfig(&g->comm, n, id, rank, &config), "ranks do not join",
                    err);
    }
    if (st == SAC_OK)
        return g;
    close_group(g);
    return NULL;
}

static float *alloc(int32_t gpu, size_t n)
{
    float *memory = NULL;
    if (cudaSetDevice(gpu) == cudaSuccess &&
        cudaMalloc((void **)&memory, n * sizeof *memory) == cudaSuccess)
        return memory;
    cudaGetLastError(); /* else a later call would return it */
    return NULL;
}

static void release(float *memory)
{
    cudaFree(memory);
}

/* The first of the values that rank i adds up. */
static size_t first_of(const group *g, int32_t i, size_t n)
{
    return n / (size_t)g->n * (size_t)i + n % (size_t)g->n * (size_t)i / (size_t)g->n;
}

static size_t n_of(const group *g, int32_t i, size_t n)
{
    return first_of(g, i + 1, n) - first_of(g, i, n);
}

/* values: this rank's own, n of them, which become the sum. */
static __global__ void add_up(float *values, const float *theirs, size_t n, size_t n_theirs,
                              int32_t rank, int32_t n_ranks)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (size_t)blockDim.x) {
        float sum = rank == 0 ? values[i] : theirs[i];
        for (int32_t k = 1; k < n_ranks; k++)
            sum += k == rank ? values[i] : theirs[(size_t)k * n_theirs + i];
        values[i] = sum;
    }
}

/* Each rank gets what the others have of its share. */
static ncclResult_t begin_sharing(group *g, const float *values, size_t n)
{
    ncclGroupStart();
    for (int32_t i = 0; i < g->n; i++)
        if (i != g->rank) {
            ncclSend(values + first_of(g, i, n), n_of(g, i, n), ncclFloat, i, g->comm, g->stream);
            ncclRecv(g->theirs + (size_t)i * g->n_theirs, n_of(g, g->rank, n), ncclFloat, i,
                     g->comm, g->stream);
        }
    return ncclGroupEnd();
}

/* Rank 0 gets all shares. */
static ncclResult_t begin_collecting(group *g, float *values, size_t n)
{
    ncclGroupStart();
    for (int32_t i = 1; i < g->n; i++)
        if (g->rank == 0)
            ncclRecv(values + first_of(g, i, n), n_of(g, i, n), ncclFloat, i, g->comm, g->stream);
    if (g->rank > 0)
        ncclSend(values + first_of(g, g->rank, n), n_of(g, g->rank, n), ncclFloat, 0, g->comm,
                 g->stream);
    return ncclGroupEnd();
}

static sac_status make_room(group *g, size_t n)
{
    if (n <= g->n_theirs)
        return SAC_OK;
    cudaFree(g->theirs);
    g->theirs = NULL, g->n_theirs = 0;
    if (cudaMalloc((void **)&g->theirs, (size_t)g->n * n * sizeof *g->theirs) != cudaSuccess)
        return SAC_E_NOMEM;
    g->n_theirs = n;
    return SAC_OK;
}

static sac_status sum(void *of, float *sums, float *values, size_t n, sac_error *err)
{
    group *g = (group *)of;
    const size_t own = n_of(g, g->rank, n);
    cudaError_t e = cudaSetDevice(g->gpu);
    if (e != cudaSuccess)
        return fail(err, "a sum", cudaGetErrorString(e));
    if (make_room(g, n / (size_t)g->n + 1) != SAC_OK)
        return fail(err, "a sum", "the GPU has no memory left");
    sac_status st = settle(g, begin_sharing(g, values, n), "a sum", err);
    if (st != SAC_OK)
        return st;
    add_up<<<1024, 256, 0, g->stream>>>(values + first_of(g, g->rank, n), g->theirs, own,
                                        g->n_theirs, g->rank, g->n);
    e = cudaGetLastError();
    if (e != cudaSuccess)
        return fail(err, "a sum", cudaGetErrorString(e));
    st = settle(g, begin_collecting(g, values, n), "a sum", err);
    st = st ? st : finish(g, err);
    if (st != SAC_OK || g->rank > 0)
        return st;
    e = cudaMemcpy(sums, values, n * sizeof *values, cudaMemcpyDeviceToHost);
    return e == cudaSuccess ? SAC_OK : fail(err, "a sum", cudaGetErrorString(e));
}

extern "C" {
extern const cli_ranks_nccl saccade_ranks_nccl;
SAC_API const cli_ranks_nccl saccade_ranks_nccl = {get_key, open_group, alloc,
                                                   release, sum,        close_group};
}
