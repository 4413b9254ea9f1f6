/*
 * interp on a GPU, the ladder of Jarosik, Lewandowski, Yiu (2023): their kernels with the room's
 * ends of a record, and loops over what a launch has no threads for. f32, delays too, 0 outside.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu/block.cuh"
#include "beamform/kernels/interp/interp_cuda.h"
#include "gpu/launch.cuh"

/* Threads' axes x, y, z, as launched. */
#define FOR_AXIS(type, i, axis, n)                                                                 \
    for (type i = (type)blockIdx.axis * (type)blockDim.axis + (type)threadIdx.axis; i < (n);       \
         i += (type)gridDim.axis * (type)blockDim.axis)

__device__ static const float *samples_of(const sac_interp_job &job, int64_t layer)
{
    return (const float *)((const char *)job.in + layer * job.in_layer);
}

__device__ static float delay_at(const sac_interp_job &job, int64_t layer, int64_t p)
{
    return ((const float *)((const char *)job.delays + layer * job.delays_layer))[p];
}

__device__ static void put(void *out, const sac_interp_job &job, int64_t layer, int64_t p,
                           float value)
{
    ((float *)((char *)out + layer * job.out_layer))[p] = value;
}

/* Whether sample i, delay s, lies in the record: of NaN and what no int32_t holds, too. */
__device__ static bool is_inside(float s, int32_t i, int32_t last)
{
    return s >= 0 && (i < last || (i == last && s == (float)i));
}

__device__ static float nearest(const float *in, float s, int32_t n)
{
    const int32_t i = __float2int_rz(s);
    return is_inside(s, i, n - 1) ? in[s - (float)i < 0.5f ? i : i + 1] : 0;
}

__device__ static float linear(const float *in, float s, int32_t n)
{
    const int32_t i = __float2int_rz(s);
    if (!is_inside(s, i, n - 1))
        return 0;
    const float weight = s - (float)i;
    return i < n - 1 ? in[i] * (1 - weight) + in[i + 1] * weight : in[i];
}

template <bool NEAREST> __global__ void interpolate_1d(void *out, sac_interp_job job)
{
    for (int64_t p = sac_grid_thread(); p < job.n_points; p += sac_grid_threads()) {
        const float *in = samples_of(job, 0), s = delay_at(job, 0, p);
        put(out, job, 0, p, NEAREST ? nearest(in, s, job.n_samples) : linear(in, s, job.n_samples));
    }
}

/* One output of the layered kernels that read delays. */
__device__ static void put_linear(void *out, const sac_interp_job &job, int64_t layer, int64_t p)
{
    put(out, job, layer, p, linear(samples_of(job, layer), delay_at(job, layer, p), job.n_samples));
}

/* Neighboring threads have neighboring elements: all that they touch lies megabytes apart. */
__global__ void layered_naive(void *out, sac_interp_job job, int32_t n_tx, int32_t n_rx)
{
    FOR_AXIS(int64_t, p, z, job.n_points)
    FOR_AXIS(int32_t, t, y, n_tx)
    FOR_AXIS(int32_t, e, x, n_rx)
    if (t * n_rx + e < job.n_layers)
        put_linear(out, job, t * n_rx + e, p);
}

/* Neighboring threads have neighboring points. */
__global__ void layered_coalesced(void *out, sac_interp_job job, int32_t n_tx, int32_t n_rx)
{
    FOR_AXIS(int32_t, t, z, n_tx)
    FOR_AXIS(int32_t, e, y, n_rx)
    FOR_AXIS(int64_t, p, x, job.n_points)
    if (t * n_rx + e < job.n_layers)
        put_linear(out, job, t * n_rx + e, p);
}

__device__ static float delay_of(const sac_interp_waves &w, int32_t t, int32_t e, uint32_t p)
{
    const uint32_t row = p / (uint32_t)w.n_x, column = p - row * (uint32_t)w.n_x;
    const float angle = w.angle_rad[t];
    const float z = w.z0_m + (float)row * w.dz_m, x = w.x0_m + (float)column * w.dx_m;
    const float element = w.e0_m + (float)e * w.pitch_m;
    const float tx_delay = (z * cosf(angle) + x * sinf(angle)) / w.c_m_s;
    const float rx_delay = hypotf(z, x - element) / w.c_m_s;
    return (tx_delay + rx_delay) * w.fs_hz;
}

/* Delays computed; samples from memory, or interpolated by the texture unit. */
template <bool TEXTURE>
__global__ void layered_computed(void *out, sac_interp_job job,
                                 const __grid_constant__ sac_interp_scene scene, int32_t n_tx)
{
    const int32_t n_rx = scene.waves.n_rx, n = job.n_samples;
    FOR_AXIS(int32_t, t, z, n_tx)
    FOR_AXIS(int32_t, e, y, n_rx)
    FOR_AXIS(int64_t, p, x, job.n_points)
    {
        const int32_t layer = t * n_rx + e;
        if (layer >= job.n_layers)
            continue;
        const float s = delay_of(scene.waves, t, e, (uint32_t)p);
        float value;
        if (TEXTURE) /* sample i is in the middle of texel i */
            value = is_inside(s, __float2int_rz(s), n - 1)
                        ? tex1DLayered<float>((cudaTextureObject_t)scene.texture, s + 0.5f, layer)
                        : 0;
        else
            value = linear(samples_of(job, layer), s, n);
        put(out, job, layer, p, value);
    }
}

/*
 * Delays read; the texture unit finds the samples: the nearest one, or two and what lies between
 * them, and with CLAMP those at the record's ends. What is no finite number it is not asked for.
 */
template <bool CLAMP>
__global__ void layered_sampled(void *out, sac_interp_job job, uint64_t texture)
{
    const int32_t last = job.n_samples - 1;
    FOR_AXIS(int32_t, once, z, 1) /* what a launch has along z beyond the first does nothing */
    FOR_AXIS(int32_t, layer, y, (int32_t)job.n_layers)
    FOR_AXIS(int64_t, p, x, job.n_points)
    {
        float s = delay_at(job, layer, p), value = 0;
        if (CLAMP && !isfinite(s))
            s = s > 0 ? (float)last : 0;
        if (CLAMP || is_inside(s, __float2int_rz(s), last))
            value = tex1DLayered<float>((cudaTextureObject_t)texture, s + 0.5f, layer);
        put(out, job, layer, p, value);
    }
}

template <bool NEAREST>
static sac_status launch_1d(sac_gpu_stream stream, const sac_gpu_shape *shape, void *out,
                            const sac_interp_job *job, const sac_interp_scene *)
{
    const sac_launch l = sac_launch_of(shape, job->n_points);
    interpolate_1d<NEAREST><<<l.grid, l.block, 0, stream>>>(out, *job);
    return sac_cuda_launched();
}

/* The paper's blocks of 8 x 8 x 8, and as many as cover the axes, as far as a grid goes. */
#define SIDE 8u
#define MAX_GRID 65535 /* along y and z */

static unsigned blocks_of(int64_t n)
{
    const int64_t blocks = (n + SIDE - 1) / SIDE;
    return (unsigned)(blocks < 1 ? 1 : blocks < MAX_GRID ? blocks : MAX_GRID);
}

static sac_launch cubes_of(const sac_gpu_shape *shape, int64_t x, int64_t y, int64_t z)
{
    if (shape)
        return sac_launch_of(shape, 1);
    const sac_launch own = {dim3(blocks_of(x), blocks_of(y), blocks_of(z)), dim3(SIDE, SIDE, SIDE)};
    return own;
}

static int32_t transmits_of(const sac_interp_job *job, const sac_interp_scene *scene)
{
    return (int32_t)((job->n_layers + scene->waves.n_rx - 1) / scene->waves.n_rx);
}

static sac_status launch_naive(sac_gpu_stream stream, const sac_gpu_shape *shape, void *out,
                               const sac_interp_job *job, const sac_interp_scene *scene)
{
    const int32_t n_tx = transmits_of(job, scene), n_rx = scene->waves.n_rx;
    const sac_launch l = cubes_of(shape, n_rx, n_tx, job->n_points);
    layered_naive<<<l.grid, l.block, 0, stream>>>(out, *job, n_tx, n_rx);
    return sac_cuda_launched();
}

static sac_status launch_coalesced(sac_gpu_stream stream, const sac_gpu_shape *shape, void *out,
                                   const sac_interp_job *job, const sac_interp_scene *scene)
{
    const int32_t n_tx = transmits_of(job, scene), n_rx = scene->waves.n_rx;
    const sac_launch l = cubes_of(shape, job->n_points, n_rx, n_tx);
    layered_coalesced<<<l.grid, l.block, 0, stream>>>(out, *job, n_tx, n_rx);
    return sac_cuda_launched();
}

template <bool TEXTURE>
static sac_status launch_computed(sac_gpu_stream stream, const sac_gpu_shape *shape, void *out,
                                  const sac_interp_job *job, const sac_interp_scene *scene)
{
    const int32_t n_tx = transmits_of(job, scene);
    const sac_launch l = cubes_of(shape, job->n_points, scene->waves.n_rx, n_tx);
    layered_computed<TEXTURE><<<l.grid, l.block, 0, stream>>>(out, *job, *scene, n_tx);
    return sac_cuda_launched();
}

template <bool CLAMP>
static sac_status launch_sampled(sac_gpu_stream stream, const sac_gpu_shape *shape, void *out,
                                 const sac_interp_job *job, const sac_interp_scene *scene)
{
    sac_launch l = sac_launch_of(shape, 1);
    if (!shape) {
        const int64_t blocks = (job->n_points + SAC_RUNG_THREADS - 1) / SAC_RUNG_THREADS;
        l.grid = dim3((unsigned)min(max(blocks, (int64_t)1), (int64_t)INT32_MAX),
                      (unsigned)min(job->n_layers, (int64_t)MAX_GRID));
    }
    layered_sampled<CLAMP><<<l.grid, l.block, 0, stream>>>(out, *job, scene->texture);
    return sac_cuda_launched();
}

static sac_status make_array(sac_interp_scene *scene, const sac_interp_job *job,
                             sac_gpu_stream stream)
{
    const size_t n = (size_t)job->n_samples, n_layers = (size_t)job->n_layers;
    const cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    cudaArray_t array = NULL;
    if (cudaMalloc3DArray(&array, &format, make_cudaExtent(n, 0, n_layers), cudaArrayLayered) !=
        cudaSuccess)
        return sac_cuda_launched();
    scene->array = array;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void *)job->in, (size_t)job->in_layer, n, 1);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(n, 1, n_layers);
    copy.kind = cudaMemcpyHostToDevice;
    (void)cudaMemcpy3DAsync(&copy, stream);
    return sac_cuda_launched();
}

extern "C" sac_status sac_interp_texture_open(sac_interp_scene *scene, const sac_interp_job *job,
                                              sac_gpu_stream stream)
{
    sac_status status = make_array(scene, job, stream);
    if (status != SAC_OK)
        return status;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = (cudaArray_t)scene->array;
    cudaTextureDesc how = {};
    how.addressMode[0] =
        job->outside == SAC_OUTSIDE_CLAMP ? cudaAddressModeClamp : cudaAddressModeBorder;
    how.filterMode = job->interp == SAC_INTERP_NEAREST ? cudaFilterModePoint : cudaFilterModeLinear;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    (void)cudaCreateTextureObject(&texture, &resource, &how, NULL);
    scene->texture = texture;
    return sac_cuda_launched();
}

extern "C" void sac_interp_texture_close(sac_interp_scene *scene)
{
    if (scene->texture != 0)
        (void)cudaDestroyTextureObject((cudaTextureObject_t)scene->texture);
    if (scene->array != NULL)
        (void)cudaFreeArray((cudaArray_t)scene->array);
    scene->texture = 0;
    scene->array = NULL;
}

#define RUNG(name, tier, ...) SAC_RUNG(sac_interp_cuda_fn, name, tier, __VA_ARGS__)

extern "C" const sac_variant sac_interp_cuda[] = {
    RUNG("1d-nearest", SAC_TIER_FP32, launch_1d<true>),
    RUNG("1d-linear", SAC_TIER_FP32, launch_1d<false>),
    RUNG("layered-naive", SAC_TIER_FP32, launch_naive),
    RUNG("layered-coalesced", SAC_TIER_FP32, launch_coalesced),
    RUNG("layered-onthefly", SAC_TIER_FP32, launch_computed<false>),
    RUNG("layered-texture", SAC_TIER_FAST, launch_computed<true>),
    RUNG("layered-texture-nearest", SAC_TIER_FAST, launch_sampled<false>),
    RUNG("layered-texture-clamp", SAC_TIER_FAST, launch_sampled<true>),
    RUNG("four-ahead", SAC_TIER_FP32, sac_interp_four_ahead),
    {NULL, 0, false, NULL, SAC_TIER_EXACT},
};
