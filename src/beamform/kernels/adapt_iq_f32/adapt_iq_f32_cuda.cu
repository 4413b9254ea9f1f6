/*
 * adapt_iq_f32 on a GPU: the table, and runs. Those in two steps take as many points at a time as
 * the memory holds signals of.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "beamform/kernels/adapt_iq_f32/adapt_iq_f32_cuda.h"
#include "beamform/kernels/adapt_iq_f32/adapt_reduce.cuh"
#include "beamform/kernels/adapt_iq_f32/adapt_variance.cuh"

/* Of systems that shared memory does not hold. In tests less, so that few rows hold them. */
#ifndef SAC_ADAPT_ROWS
#define SAC_ADAPT_ROWS 0x1p28
#endif

/* Shared memory of a block: at least two are then resident. In tests less, so that small systems,
 * too, lie elsewhere. */
#ifndef SAC_ADAPT_SHARED
#define SAC_ADAPT_SHARED 101376
#endif

/* How scratch is cut. */
typedef struct layout {
    int64_t system;   /* values of a system and its signals */
    int64_t n_blocks; /* that have their systems there; 0: in shared memory */
    size_t rows;      /* bytes of these */
    size_t tile;      /* bytes of a tile's signals and what goes with them; 0: none are kept */
    int32_t n;        /* transmits at a time */
} layout;

static bool keeps_signals(const sac_reduction *r)
{
    return r->kind == SAC_REDUCE_GCF || r->kind == SAC_REDUCE_SLSC || r->kind == SAC_REDUCE_MV;
}

/* Values are in double where the tier is exact. */
static layout layout_of(const sac_das_cuda *run, size_t value)
{
    const sac_reduction *r = &run->reduction;
    const int32_t n_rx = run->das.n_rx, n_tx = run->das.n_tx;
    const bool apart = r->over == SAC_OVER_TRANSMIT;
    layout l = {};
    l.n = apart && n_tx > SAC_ADAPT_TRANSMITS ? SAC_ADAPT_TRANSMITS : n_tx;
    if (!keeps_signals(r))
        return l;
    const size_t n_lists = apart ? (size_t)l.n : 1;
    l.tile = SAC_DAS_THREADS *
             (n_lists * (size_t)n_rx * sizeof(float2) + sizeof(int32_t) + sizeof(int64_t));
    if (r->kind != SAC_REDUCE_MV)
        return l;
    l.system = sac_adapt_system_size(sac_reduction_length(r, n_rx)) + n_rx;
    const double bytes = (double)l.system * 2 * (double)value;
    if (bytes <= SAC_ADAPT_SHARED)
        return l;
    const double most = 16.0 * run->n_multiprocessors, fit = floor(SAC_ADAPT_ROWS / bytes);
    l.n_blocks = (int64_t)fmax(1, fmin(fit, most));
    l.rows = (size_t)l.n_blocks * (size_t)l.system * 2 * value;
    return l;
}

static sac_das_tiles tiles_of(const sac_das_cuda *run)
{
    return sac_das_tiles_of(run, SAC_DAS_TILE_W, SAC_DAS_TILE_H, SAC_DAS_THREADS / SAC_WARP);
}

extern "C" size_t sac_adapt_cuda_bytes(const sac_das_cuda *run, double most)
{
    /* Of either tier: systems in single are twice as many, and may be one more. */
    const layout l = layout_of(run, sizeof(double)), single = layout_of(run, sizeof(float));
    if (l.tile == 0)
        return 0;
    const double fit = floor(fmin(most, SAC_ADAPT_CUDA_BYTES) / (double)l.tile);
    return max(l.rows, single.rows) + (size_t)fmax(1, fmin(tiles_of(run).n, fit)) * l.tile;
}

/* Where the parts of scratch lie, of so many tiles. */
static void place_parts(sac_adapt_step *step, const sac_das_cuda *run, const layout *l,
                        uint32_t n_tiles)
{
    const size_t each = SAC_DAS_THREADS * (sizeof(int32_t) + sizeof(int64_t));
    step->n_threads = (int64_t)n_tiles * SAC_DAS_THREADS;
    if (l->tile == 0)
        return;
    step->x = (float2 *)((char *)run->scratch + l->rows);
    step->index = (int64_t *)((char *)step->x + n_tiles * (l->tile - each));
    step->count = (int32_t *)(step->index + step->n_threads);
}

template <int INTERP>
static sac_status take_signals(sac_gpu_stream stream, const sac_das_cuda *run,
                               const sac_das_tiles *tiles, const sac_adapt_step *step)
{
    const uint32_t n = (uint32_t)(step->n_threads / SAC_DAS_THREADS);
    switch (run->reduction.kind) {
    case SAC_REDUCE_CF:
        sac_adapt_signals<INTERP, SAC_REDUCE_CF>
            <<<n, SAC_DAS_THREADS, 0, stream>>>(*run, *tiles, *step);
        break;
    case SAC_REDUCE_SCF:
        sac_adapt_signals<INTERP, SAC_REDUCE_SCF>
            <<<n, SAC_DAS_THREADS, 0, stream>>>(*run, *tiles, *step);
        break;
    case SAC_REDUCE_DMAS:
        sac_adapt_signals<INTERP, SAC_REDUCE_DMAS>
            <<<n, SAC_DAS_THREADS, 0, stream>>>(*run, *tiles, *step);
        break;
    default:
        sac_adapt_signals<INTERP, SAC_REDUCE_SUM>
            <<<n, SAC_DAS_THREADS, 0, stream>>>(*run, *tiles, *step);
    }
    return sac_cuda_launched();
}

template <typename Real>
static sac_status solve(sac_gpu_stream stream, const sac_das_cuda *run, const layout *l,
                        const sac_adapt_step *step)
{
    const size_t bytes = l->n_blocks ? 0 : (size_t)l->system * 2 * sizeof(Real);
    const int64_t most = l->n_blocks ? l->n_blocks : 0x7fffffff;
    const uint32_t n = (uint32_t)(step->n_threads < most ? step->n_threads : most);
    sac_adapt_complex<Real> *rows = l->n_blocks ? (sac_adapt_complex<Real> *)run->scratch : NULL;
    if (bytes > 49152 &&
        cudaFuncSetAttribute(sac_adapt_variance<Real>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)bytes) != cudaSuccess)
        return sac_cuda_launched();
    sac_adapt_variance<Real><<<n, SAC_WARP, bytes, stream>>>(*run, *step, rows, l->system);
    return sac_cuda_launched();
}

/* The second step, of signals that are kept. */
template <typename Real>
static sac_status reduce(sac_gpu_stream stream, const sac_das_cuda *run, const layout *l,
                         const sac_adapt_step *step)
{
    const uint32_t n = (uint32_t)(step->n_threads / SAC_DAS_THREADS);
    if (run->reduction.kind == SAC_REDUCE_MV)
        return solve<Real>(stream, run, l, step);
    if (run->reduction.kind == SAC_REDUCE_SLSC)
        sac_adapt_reduce<SAC_REDUCE_SLSC><<<n, SAC_DAS_THREADS, 0, stream>>>(*run, *step);
    else
        sac_adapt_reduce<SAC_REDUCE_GCF><<<n, SAC_DAS_THREADS, 0, stream>>>(*run, *step);
    return sac_cuda_launched();
}

/* Real: in which systems are solved. */
template <typename Real>
static sac_status beamform(sac_gpu_stream stream, const sac_gpu_shape *, float *out,
                           const sac_das_cuda *run)
{
    typedef sac_status take_fn(sac_gpu_stream, const sac_das_cuda *, const sac_das_tiles *,
                               const sac_adapt_step *);
    static take_fn *const take[] = {take_signals<SAC_INTERP_NEAREST>,
                                    take_signals<SAC_INTERP_LINEAR>,
                                    take_signals<SAC_INTERP_CUBIC>};
    const layout l = layout_of(run, sizeof(Real));
    const sac_das_tiles tiles = tiles_of(run);
    const size_t fit = l.tile ? (run->scratch_bytes - l.rows) / l.tile : tiles.n;
    const uint32_t most = fit < tiles.n ? max((uint32_t)fit, 1u) : tiles.n;
    sac_status status = SAC_OK;
    for (int32_t f = 0; f < run->das.n_frames && status == SAC_OK; f++)
        for (uint32_t first = 0; first < tiles.n && status == SAC_OK; first += most)
            for (int32_t t = 0; t < run->das.n_tx && status == SAC_OK; t += l.n) {
                sac_adapt_step step = {};
                step.first = first;
                step.t = t;
                step.n = min(l.n, run->das.n_tx - t);
                step.frame = f * run->frame;
                step.out = (float2 *)out + f * run->out_frame;
                place_parts(&step, run, &l, min(most, tiles.n - first));
                status = take[run->das.interp](stream, run, &tiles, &step);
                if (status == SAC_OK && l.tile)
                    status = reduce<Real>(stream, run, &l, &step);
            }
    return status;
}

__global__ void clip(float2 *values, int64_t n)
{
    for (int64_t i = sac_grid_thread(); i < n; i += sac_grid_threads())
        values[i].x = values[i].x < 0 ? 0 : values[i].x;
}

extern "C" sac_status sac_adapt_cuda_clip(sac_gpu_stream stream, float *values, int64_t n)
{
    const int64_t blocks = (n + SAC_DAS_THREADS - 1) / SAC_DAS_THREADS;
    clip<<<(uint32_t)min(blocks, (int64_t)65536), SAC_DAS_THREADS, 0, stream>>>((float2 *)values,
                                                                                n);
    return sac_cuda_launched();
}

extern "C" const sac_variant sac_adapt_iq_f32_cuda[] = {
    {"signals", 0, true, SAC_FN(sac_das_cuda_fn, beamform<double>), SAC_TIER_EXACT,
     SAC_ADAPT_SIGNALS},
    {"signals-single", 0, true, SAC_FN(sac_das_cuda_fn, beamform<float>), SAC_TIER_FP32,
     SAC_ADAPT_SIGNALS},
    {"points", 0, true, SAC_FN(sac_das_cuda_fn, sac_adapt_cuda_points), SAC_TIER_EXACT,
     SAC_ADAPT_POINTS},
    {"points-single", 0, true, SAC_FN(sac_das_cuda_fn, sac_adapt_cuda_points_single), SAC_TIER_FP32,
     SAC_ADAPT_POINTS},
    {},
};
