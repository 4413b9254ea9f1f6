/*
 * What the checks of plans share: drawing, arrays that lie anyhow, comparing, telling of faults.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "plans.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "room/check.h"

#define GUARD 64 /* bytes around an array */
#define MOST_PRINTED 20

const char *const plan_places[PLAN_PLACES] = {"CPU memory", "page-locked memory", "device memory"};

int64_t plan_draw(plan_check *c, int64_t n)
{
    return (int64_t)((sac_check_random(&c->random) >> 11) % (uint64_t)n);
}

void plan_about(plan_check *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->about, sizeof c->about, format, args);
    va_end(args);
}

void plan_fault(plan_check *c, const char *format, ...)
{
    va_list args;
    if (c->n_faults++ >= MOST_PRINTED)
        return;
    printf("FAULT %s --seed %" PRIu64 " --round %" PRId64 ": %s: ", c->name, c->seed, c->round,
           c->about);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

void plan_must(sac_status status, const char *what, const sac_error *err)
{
    if (status == SAC_OK)
        return;
    fprintf(stderr, "check_plans: %s: %s: %s\n", what, sac_status_name(status),
            err ? err->text : "");
    exit(1);
}

void *plan_memory(size_t n, size_t size)
{
    void *memory = calloc(n ? n : 1, size);
    plan_must(memory ? SAC_OK : SAC_E_NOMEM, "memory", NULL);
    return memory;
}

const char *plan_variant(plan_check *c)
{
    static const char *const all[] = {NULL,    NULL,      NULL,      "ref",
                                      "plain", "auto_v3", "auto_v4", "avx512"};
    return c->gpu ? NULL : PLAN_ONE_OF(c, all);
}

bool plan_lacks(sac_status status, const char *variant)
{
    return variant && (status == SAC_E_UNSUPPORTED || status == SAC_E_INVALID);
}

/* Strides of an array whose axes lie in the order given, the innermost first; *first is where its
 * first element is. Returns the bytes that it takes. */
static size_t lay_out(plan_check *c, sac_array *a, size_t *first, const int32_t *order,
                      bool in_rows)
{
    const ptrdiff_t size = (ptrdiff_t)sac_dtype_size(a->dtype);
    ptrdiff_t step = size;
    *first = 0;
    for (int32_t k = 0; k < a->n_dims; k++) {
        const int32_t axis = order[k];
        const bool is_row = in_rows && k == 0;
        if (!is_row && plan_draw(c, 3) == 0)
            step += size * (1 + plan_draw(c, 9));
        const bool is_backward = !is_row && plan_draw(c, 3) == 0;
        a->stride[axis] = is_backward ? -step : step;
        *first += is_backward ? (size_t)(step * (a->shape[axis] - 1)) : 0;
        step *= a->shape[axis] > 0 ? a->shape[axis] : 1;
    }
    return (size_t)step;
}

static void order_axes(plan_check *c, int32_t *order, int32_t n, bool in_rows)
{
    for (int32_t k = 0; k < n; k++)
        order[k] = n - 1 - k;
    for (int32_t k = in_rows ? 1 : 0; k < n && plan_draw(c, 2); k++) {
        const int32_t other = k + (int32_t)plan_draw(c, n - k), was = order[k];
        order[k] = order[other];
        order[other] = was;
    }
}

static void upload(plan_check *c, plan_lay *lay)
{
    if (lay->place != PLAN_DEVICE) {
        memcpy(lay->memory, lay->bytes, lay->n_bytes);
        return;
    }
    const sac_gpu_stream stream = sac_gpu_copy_stream(c->gpu);
    plan_must(sac_gpu_enter(c->gpu), "enter", NULL);
    plan_must(sac_gpu_copy(lay->memory, lay->bytes, lay->n_bytes, stream), "copy", NULL);
    plan_must(sac_gpu_wait(stream), "copy", NULL);
    sac_gpu_leave(c->gpu);
}

static void download(plan_check *c, const plan_lay *lay, uint8_t *to)
{
    if (lay->place != PLAN_DEVICE) {
        memcpy(to, lay->memory, lay->n_bytes);
        return;
    }
    const sac_gpu_stream stream = sac_gpu_copy_stream(c->gpu);
    plan_must(sac_gpu_enter(c->gpu), "enter", NULL);
    plan_must(sac_gpu_copy(to, lay->memory, lay->n_bytes, stream), "copy", NULL);
    plan_must(sac_gpu_wait(stream), "copy", NULL);
    sac_gpu_leave(c->gpu);
}

plan_lay plan_lay_open(plan_check *c, sac_dtype dtype, int32_t n_dims, const int64_t *shape,
                       bool in_rows, plan_place place)
{
    static const uint8_t poisons[] = {0x5A, 0xA5};
    const sac_device gpu = {SAC_DEVICE_CUDA, 0};
    int32_t order[SAC_MAX_DIMS];
    plan_lay lay = {.place = place, .poison = PLAN_ONE_OF(c, poisons)};
    sac_error err = {0};
    lay.array = (sac_array){.dtype = dtype, .n_dims = n_dims};
    memcpy(lay.array.shape, shape, (size_t)n_dims * sizeof *shape);
    order_axes(c, order, n_dims, in_rows);
    const size_t size = sac_dtype_size(dtype), skip = size * (size_t)plan_draw(c, 17);
    size_t first = 0;
    lay.n_bytes = 2 * GUARD + skip + lay_out(c, &lay.array, &first, order, in_rows);
    const size_t at = GUARD + skip + first;
    if (place == PLAN_HOST)
        lay.memory = plan_memory(lay.n_bytes, 1);
    else if (place == PLAN_PINNED)
        plan_must(sac_pinned_alloc(&lay.memory, lay.n_bytes, gpu, &err), "pinned", &err);
    else
        plan_must(sac_gpu_alloc(c->gpu, &lay.memory, lay.n_bytes, &err), "device memory", &err);
    lay.bytes = plan_memory(lay.n_bytes, 1);
    memset(lay.bytes, lay.poison, lay.n_bytes);
    lay.image = lay.array;
    lay.image.data = lay.bytes + at;
    lay.array.data = (uint8_t *)lay.memory + at;
    if (place == PLAN_DEVICE)
        lay.array.device = gpu;
    upload(c, &lay);
    return lay;
}

void plan_lay_close(plan_check *c, plan_lay *lay)
{
    if (lay->place == PLAN_HOST)
        free(lay->memory);
    else if (lay->place == PLAN_PINNED)
        sac_pinned_free(lay->memory, (sac_device){SAC_DEVICE_CUDA, 0});
    else
        sac_gpu_free(c->gpu, lay->memory);
    free(lay->bytes);
}

/* Element `at` of a packed array of this shape, in the array's memory. */
static uint8_t *element(const sac_array *a, int64_t at)
{
    uint8_t *p = a->data;
    for (int32_t axis = a->n_dims - 1; axis >= 0; axis--) {
        p += at % a->shape[axis] * a->stride[axis];
        at /= a->shape[axis];
    }
    return p;
}

static void put(const sac_array *a, const void *packed)
{
    const size_t size = sac_dtype_size(a->dtype);
    const int64_t n = sac_array_count(a);
    for (int64_t i = 0; i < n; i++)
        memcpy(element(a, i), (const uint8_t *)packed + (size_t)i * size, size);
}

void plan_lay_write(plan_check *c, plan_lay *lay, const void *packed)
{
    put(&lay->image, packed);
    upload(c, lay);
}

void plan_lay_read(plan_check *c, const plan_lay *lay, void *packed)
{
    const size_t size = sac_dtype_size(lay->image.dtype);
    const int64_t n = sac_array_count(&lay->image);
    uint8_t *got = plan_memory(lay->n_bytes, 1);
    download(c, lay, got);
    for (int64_t i = 0; i < n; i++)
        memcpy((uint8_t *)packed + (size_t)i * size, got + (element(&lay->image, i) - lay->bytes),
               size);
    free(got);
}

/* The first element that differs; -1: it is a gap or a guard. */
static int64_t find(const plan_lay *lay, const uint8_t *got)
{
    const int64_t n = sac_array_count(&lay->image);
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *p = element(&lay->image, i);
        if (memcmp(p, got + (p - lay->bytes), sac_dtype_size(lay->image.dtype)) != 0)
            return i;
    }
    return -1;
}

void plan_lay_compare(plan_check *c, plan_lay *lay, const void *packed, const char *what)
{
    const size_t n = (size_t)sac_array_count(&lay->image) * sac_dtype_size(lay->image.dtype);
    const uint8_t *values = packed;
    size_t n_zero = 0;
    uint8_t *got = plan_memory(lay->n_bytes, 1);
    put(&lay->image, packed);
    download(c, lay, got);
    while (n_zero < n && values[n_zero] == 0)
        n_zero++;
    c->n_compared++;
    c->n_blank += n_zero == n;
    if (memcmp(got, lay->bytes, lay->n_bytes) != 0) {
        const int64_t at = find(lay, got);
        const uint8_t *p = at < 0 ? lay->bytes : element(&lay->image, at);
        if (at < 0)
            plan_fault(c, "%s: bytes beside the array were written", what);
        else
            plan_fault(c, "%s: element %" PRId64 ": wanted byte %d, got %d", what, at, *p,
                       got[p - lay->bytes]);
    }
    free(got);
}

void plan_fill(plan_check *c, void *values, sac_dtype dtype, int64_t n)
{
    const int64_t kind = plan_draw(c, 8);
    uint64_t random = c->random | 1;
    uint8_t *u8 = values;
    uint16_t *u16 = values;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t noise = sac_check_random(&random) >> 48;
        const uint64_t value = kind == 0   ? 40000
                               : kind == 1 ? (noise & 1) * 65535
                               : kind == 2 ? noise
                                           : (uint64_t)i * 30000 / (uint64_t)n + noise / 4;
        if (dtype == SAC_U8)
            u8[i] = (uint8_t)(value >> 8);
        else
            u16[i] = (uint16_t)value;
    }
}
