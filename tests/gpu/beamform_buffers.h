/*
 * Arrays of a beamformer's runs: in the CPU's memory, page-locked or on a GPU; packed, with gaps,
 * or with axes backwards.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_BEAMFORM_BUFFERS_H
#define SAC_TESTS_BEAMFORM_BUFFERS_H

#define POISON 0x5a /* what memory holds before it is written */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/array.h>

#include "gpu/gpu.h"

static sac_gpu *gpu; /* NULL: there are arrays in the CPU's memory alone */
static sac_device on_gpu = {SAC_DEVICE_CUDA, 0};

static inline void must(sac_status status, const char *what, const sac_error *err)
{
    if (status == SAC_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, sac_status_name(status), err ? err->text : "");
    exit(1);
}

/* Where an array lies, and how: packed, with gaps and axes backwards, or its last axis with gaps.
 */
typedef enum place { HOST, PINNED, DEVICE } place;
typedef enum lie { PACKED, GAPS, SPARSE } lie;

typedef struct buffer {
    sac_array array;
    char *host;
    void *device;
    size_t bytes;
    place place;
    ptrdiff_t first; /* of the first element behind the memory's start */
} buffer;

static inline void lay_out(buffer *b, lie how)
{
    sac_array *a = &b->array;
    ptrdiff_t size = (ptrdiff_t)sac_dtype_size(a->dtype);
    ptrdiff_t step = how == SPARSE ? 2 * size : size;
    for (int i = a->n_dims - 1; i >= 0; i--) {
        a->stride[i] = step;
        step *= a->shape[i];
        if (how != PACKED && i < 3)
            step += (3 - i) * size;
    }
    b->bytes = (size_t)step;
    b->first = 0;
    for (int i = 0; i < a->n_dims - 1 && how == GAPS; i++) { /* all but the last axis */
        b->first += (ptrdiff_t)(a->shape[i] - 1) * a->stride[i];
        a->stride[i] = -a->stride[i];
    }
}

static inline buffer new_buffer(const sac_array *shape, place at, lie how)
{
    buffer b = {.array = *shape, .place = at};
    sac_error err = {0};
    lay_out(&b, how);
    if (at == PINNED)
        must(sac_gpu_alloc_pinned(gpu, (void **)&b.host, b.bytes, &err), "pinned", &err);
    else if (!(b.host = malloc(b.bytes)))
        exit(1);
    memset(b.host, POISON, b.bytes);
    if (at == DEVICE)
        must(sac_gpu_alloc(gpu, &b.device, b.bytes, &err), "device memory", &err);
    b.array.data = (at == DEVICE ? (char *)b.device : b.host) + b.first;
    b.array.device = at == DEVICE ? on_gpu : (sac_device){SAC_DEVICE_CPU, 0};
    return b;
}

static inline void free_buffer(buffer *b)
{
    if (b->device)
        sac_gpu_free(gpu, b->device);
    if (b->place == PINNED)
        sac_gpu_free_pinned(gpu, b->host);
    else
        free(b->host);
}

/* Between packed values and the buffer's elements in the CPU's memory. */
static inline void move(buffer *b, char *packed, bool back)
{
    const sac_array *a = &b->array;
    const size_t size = sac_dtype_size(a->dtype);
    const int64_t n = sac_array_count(a);
    if (sac_array_is_contiguous(a)) {
        memcpy(back ? packed : b->host, back ? b->host : packed, (size_t)n * size);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        char *at = b->host + b->first;
        int64_t rest = i;
        for (int k = a->n_dims - 1; k >= 0; k--) {
            at += rest % a->shape[k] * a->stride[k];
            rest /= a->shape[k];
        }
        memcpy(back ? packed + (size_t)i * size : at, back ? at : packed + (size_t)i * size, size);
    }
}

static inline void copy(void *to, const void *from, size_t bytes)
{
    sac_gpu_stream stream = sac_gpu_copy_stream(gpu);
    must(sac_gpu_copy(to, from, bytes, stream), "copy", NULL);
    must(sac_gpu_wait(stream), "wait", NULL);
}

static inline void put(buffer *b, char *packed)
{
    move(b, packed, false);
    if (b->device)
        copy(b->device, b->host, b->bytes);
}

static inline char *get(buffer *b)
{
    char *packed = malloc((size_t)sac_array_count(&b->array) * sac_dtype_size(b->array.dtype));
    if (!packed)
        exit(1);
    if (b->device)
        copy(b->host, b->device, b->bytes);
    move(b, packed, true);
    return packed;
}

/* Whether what lies between and behind the elements is as it was: ask after get, once. */
static inline bool is_whole_around(buffer *b)
{
    const size_t n = (size_t)sac_array_count(&b->array) * sac_dtype_size(b->array.dtype);
    char *poison = malloc(n);
    if (!poison)
        exit(1);
    memset(poison, POISON, n);
    move(b, poison, false);
    free(poison);
    size_t i = 0;
    while (i < b->bytes && b->host[i] == POISON)
        i++;
    return i == b->bytes;
}

#endif
