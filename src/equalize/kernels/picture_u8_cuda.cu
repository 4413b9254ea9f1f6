/*
 * 8-bit equalization in one launch. All blocks are resident. Each block counts its tiles, which it
 * keeps in shared memory, waits for the other blocks, computes the table of multipliers and scales
 * the tiles that it kept. A picture that fits in the shared memory of all multiprocessors is read
 * from device memory once. Of a larger one each warp keeps its last tiles and reads the others
 * again.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/picture_u8_tiles.cuh"
#include "room/variant_cuda.h"

#define MAX_THREADS 1024
#define MIN_THREADS SAC_U8_VALUES

template <int KIND>
__global__ void __launch_bounds__(MAX_THREADS, 1)
    equalize_u8(const __grid_constant__ sac_u8_frame f)
{
    extern __shared__ uint4 memory[];
    __shared__ sac_u8_scratch scratch;
    __shared__ bool is_last;
    uint32_t *copies = (uint32_t *)memory;
    uint4 *slot = sac_u8_slots_of<KIND>(memory, f);
    const sac_u8_tiles mine = sac_u8_tiles_of(f);
    sac_u8_count<KIND>(copies, slot, scratch.q, f, mine);
    sac_grid_barrier(&f.t.ticket[0]);
    if (sac_thread() == 0)
        scratch.num = (uint64_t *)copies; /* free between counting and scaling */
    __syncthreads();
    const sac_u8_found found = sac_u8_scan(f, &scratch);
    sac_u8_multipliers(f, found.den, &scratch);
    /* All of this block's threads have read the grid's counts; who is last to say so may reset. */
    uint32_t n_before = 0;
    if (sac_thread() == 0)
        n_before = atomicAdd(&f.t.ticket[1], 1u);
    sac_u8_spread(copies, scratch.q);
    __syncthreads();
    if (KIND != SAC_UNITS_NONE)
        sac_u8_scale_tiles<KIND>(slot, copies, f, mine, f.slots);
    sac_u8_scale_rest(f.out.rest, f.in.rest, copies);
    if (sac_thread() == 0)
        is_last = n_before == gridDim.x - 1;
    __syncthreads();
    if (is_last) {
        sac_u8_finish(f.t, found);
        if (sac_thread() == 0)
            *f.t.den = found.den;
    }
}

static const void *const kernels[] = {
    (const void *)equalize_u8<SAC_UNITS_NONE>, (const void *)equalize_u8<SAC_UNITS_GRAY>,
    (const void *)equalize_u8<SAC_UNITS_RGB>, (const void *)equalize_u8<SAC_UNITS_RGBA>,
    (const void *)equalize_u8<SAC_UNITS_PLANES>};
static const int32_t tile_bytes[] = {0, 512, 1536, 2048, 1536};

sac_kind sac_u8_frame_of(sac_u8_frame *f, const sac_pixels *out, const sac_pixels *in,
                         const sac_equalize_cuda *t)
{
    const sac_kind kind = sac_units_of(&f->out, &f->in, out, in, 1);
    f->n_tiles = (f->in.n + SAC_WARP - 1) / SAC_WARP;
    f->n_pixels = in->w * in->h;
    f->slots = 0;
    f->t = *t;
    return kind;
}

extern "C" sac_status sac_equalize_cuda_open(sac_equalize_cuda *t)
{
    int device, n, shared;
    cudaFuncAttributes of;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) !=
            cudaSuccess)
        return sac_cuda_launched();
    t->n_multiprocessors = n;
    t->shared_bytes = shared;
    for (const void *kernel : kernels) {
        if (cudaFuncGetAttributes(&of, kernel) != cudaSuccess)
            return sac_cuda_launched();
        const int dynamic = shared - (int)of.sharedSizeBytes;
        if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic) !=
            cudaSuccess)
            return sac_cuda_launched();
        t->shared_bytes = dynamic < t->shared_bytes ? dynamic : t->shared_bytes;
    }
    return SAC_OK;
}

int64_t sac_u8_blocks(const sac_u8_frame *f, sac_kind kind)
{
    const int64_t n_work = kind == SAC_UNITS_NONE ? (f->n_pixels + 255) / 256 : f->n_tiles;
    const int64_t wanted = (n_work + 7) / 8; /* small pictures: fewer blocks to wait for */
    const int64_t most = wanted < f->t.n_multiprocessors ? wanted : f->t.n_multiprocessors;
    return most > 0 ? most : 1; /* none: less than a unit, all rest */
}

/* Threads, blocks and slots: 1024 threads, which use a multiprocessor best, if their slots fit. */
static int32_t choose_shape(sac_u8_frame *f, sac_kind kind, int32_t *threads)
{
    const int64_t free_bytes = f->t.shared_bytes - (int64_t)SAC_U8_TABLE * 4;
    *threads = MAX_THREADS;
    while (kind != SAC_UNITS_NONE && *threads > MIN_THREADS &&
           free_bytes / (*threads / SAC_WARP * tile_bytes[kind]) < SAC_U8_AHEAD)
        *threads /= 2;
    const int64_t n_warps = *threads / SAC_WARP, blocks = sac_u8_blocks(f, kind);
    if (kind != SAC_UNITS_NONE) {
        const int64_t fit = free_bytes / (n_warps * tile_bytes[kind]);
        const int64_t tiles = (f->n_tiles + blocks * n_warps - 1) / (blocks * n_warps);
        const int64_t slots = tiles < SAC_U8_AHEAD ? SAC_U8_AHEAD : tiles;
        f->slots = (int32_t)(slots < fit ? slots : fit);
    }
    return (int32_t)blocks;
}

extern "C" sac_status sac_equalize_u8_cuda(sac_gpu_stream stream, const sac_pixels *out,
                                           const sac_pixels *in, const sac_equalize_cuda *t)
{
    sac_u8_frame f;
    sac_kind kind = sac_u8_frame_of(&f, out, in, t);
    int32_t threads, blocks = choose_shape(&f, kind, &threads);
    if (kind != SAC_UNITS_NONE &&
        f.slots < SAC_U8_AHEAD) { /* too little shared memory for the layout */
        kind = SAC_UNITS_NONE;
        f.out.rest = *out;
        f.in.rest = *in;
        f.in.n = f.n_tiles = 0;
        blocks = choose_shape(&f, kind, &threads);
    }
    const size_t shared =
        SAC_U8_TABLE * 4 + (size_t)f.slots * (size_t)(threads / SAC_WARP * tile_bytes[kind]);
    void *args[] = {&f};
    if (cudaLaunchCooperativeKernel(kernels[kind], dim3((unsigned)blocks), dim3((unsigned)threads),
                                    args, shared, stream) != cudaSuccess)
        return sac_cuda_launched();
    return sac_cuda_launched();
}
