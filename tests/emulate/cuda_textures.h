/*
 * One-dimensional layered textures of floats for a plain C++ compiler, by the CUDA programming
 * guide: places in texels have 8 bits of fraction where the unit filters. A part of cuda_words.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_EMULATE_CUDA_TEXTURES_H
#define SAC_EMULATE_CUDA_TEXTURES_H

#include "cuda_launch.h"

enum { cudaChannelFormatKindFloat, cudaArrayLayered, cudaMemcpyHostToDevice };
enum { cudaResourceTypeArray, cudaReadModeElementType };
enum { cudaAddressModeClamp, cudaAddressModeBorder };
enum { cudaFilterModePoint, cudaFilterModeLinear };

typedef struct emulated_array {
    size_t n, n_layers;
    float *values;
} * cudaArray_t;

struct cudaChannelFormatDesc {
    int x, y, z, w, f;
};

struct cudaExtent {
    size_t width, height, depth;
};

struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};

struct cudaMemcpy3DParms {
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaExtent extent;
    int kind;
};

struct cudaResourceDesc {
    int resType;
    struct {
        struct {
            cudaArray_t array;
        } array;
    } res;
};

struct cudaTextureDesc {
    int addressMode[3], filterMode, readMode;
};

typedef struct emulated_texture {
    cudaArray_t array;
    cudaTextureDesc how;
} emulated_texture;

typedef unsigned long long cudaTextureObject_t;

static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    return {width, height, depth};
}

static inline cudaPitchedPtr make_cudaPitchedPtr(void *memory, size_t pitch, size_t w, size_t h)
{
    return {memory, pitch, w, h};
}

static inline cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *,
                                            cudaExtent extent, int)
{
    if (emulated_ask(EMULATED_FULL) != SAC_OK)
        return cudaErrorMemoryAllocation;
    float *values = (float *)malloc(extent.width * extent.depth * sizeof(float));
    *array = new emulated_array{extent.width, extent.depth, values};
    emulated_count(1);
    return cudaSuccess;
}

static inline cudaError_t cudaFreeArray(cudaArray_t array)
{
    free(array->values);
    delete array;
    emulated_count(-1);
    return cudaSuccess;
}

/* A record a layer, of one row each. */
static inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *copy, sac_gpu_stream stream)
{
    const cudaArray_t to = copy->dstArray;
    for (size_t l = 0; l < copy->extent.depth; l++)
        if (sac_gpu_copy(to->values + l * to->n, (char *)copy->srcPtr.ptr + l * copy->srcPtr.pitch,
                         copy->extent.width * sizeof(float), stream) != SAC_OK)
            return cudaErrorLaunchFailure;
    return cudaSuccess;
}

static inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
                                                  const cudaResourceDesc *of,
                                                  const cudaTextureDesc *how, const void *)
{
    *texture = (cudaTextureObject_t)(uintptr_t) new emulated_texture{of->res.array.array, *how};
    return cudaSuccess;
}

static inline cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    delete (emulated_texture *)(uintptr_t)texture;
    return cudaSuccess;
}

static inline float emulated_texel(const emulated_texture *t, int layer, double i)
{
    const double last = (double)t->array->n - 1;
    if (t->how.addressMode[0] == cudaAddressModeClamp)
        i = i < 0 ? 0 : i > last ? last : i;
    return i >= 0 && i <= last ? t->array->values[(size_t)layer * t->array->n + (size_t)i] : 0;
}

/* A place that is no number gives none. */
template <class T> static inline T tex1DLayered(cudaTextureObject_t texture, float x, int layer)
{
    const emulated_texture *t = (const emulated_texture *)(uintptr_t)texture;
    if (!isfinite(x))
        return NAN;
    if (t->how.filterMode == cudaFilterModePoint)
        return emulated_texel(t, layer, floor((double)x));
    const double at = (double)x - 0.5, u = rint(256 * (at - floor(at))) / 256;
    const float a = emulated_texel(t, layer, floor(at));
    return (float)((1 - u) * (double)a + u * (double)emulated_texel(t, layer, floor(at) + 1));
}

#endif
