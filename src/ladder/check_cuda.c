/*
 * A case on the device: its memory there as it is here, guards and poison included, so that what a
 * rung did is judged here.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ladder/check_case.h"

#define BOUNDARY ((size_t)256) /* of an argument's memory */

void sac_check_arena_close(sac_check_arena *arena)
{
    sac_gpu_free(arena->gpu, arena->memory);
    arena->memory = NULL;
    arena->n_bytes = 0;
}

/* How far the case's memory lies behind a boundary; kept on the device. */
static size_t offset_of(const sac_check_arg *a)
{
    return (uintptr_t)a->memory % BOUNDARY;
}

static size_t room_for(const sac_check_arg *a)
{
    return (offset_of(a) + a->n_bytes + BOUNDARY - 1) / BOUNDARY * BOUNDARY;
}

static sac_status grow(sac_check_arena *arena, size_t n_bytes)
{
    if (n_bytes <= arena->n_bytes)
        return SAC_OK;
    sac_check_arena_close(arena);
    const size_t wanted = n_bytes + n_bytes / 2;
    void *memory = NULL;
    const sac_status status = sac_gpu_alloc(arena->gpu, &memory, wanted, NULL);
    if (status == SAC_OK) {
        arena->memory = memory;
        arena->n_bytes = wanted;
    }
    return status;
}

sac_status sac_check_upload(sac_check_case *device, sac_check_arena *arena, const sac_check_case *c)
{
    size_t n_bytes = 0;
    for (int32_t i = 0; i < c->n_args; i++)
        n_bytes += room_for(&c->arg[i]);
    *device = *c;
    sac_status status = grow(arena, n_bytes);
    uint8_t *at = arena->memory;
    for (int32_t i = 0; i < c->n_args && status == SAC_OK; i++) {
        const sac_check_arg *a = &c->arg[i];
        uint8_t *memory = at + offset_of(a);
        device->arg[i].memory = memory;
        device->arg[i].data = memory + (a->data - a->memory);
        at += room_for(a);
        status = sac_gpu_copy(memory, a->memory, a->n_bytes, sac_gpu_main_stream(arena->gpu));
    }
    return status;
}

/* All of it back into the case's memory. */
static sac_status download(const sac_check_case *c, const sac_check_case *device,
                           const sac_check_arena *arena)
{
    const sac_gpu_stream stream = sac_gpu_main_stream(arena->gpu);
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < c->n_args && status == SAC_OK; i++)
        status = sac_gpu_copy(c->arg[i].memory, device->arg[i].memory, c->arg[i].n_bytes, stream);
    const sac_status waited = sac_gpu_wait(stream);
    return status != SAC_OK ? status : waited;
}

sac_status sac_check_call_cuda(const sac_check_case *c, sac_check_arena *arena,
                               const sac_room_check *check, const sac_variant *v,
                               const sac_gpu_shape *shape)
{
    sac_check_case device;
    sac_status status = sac_check_upload(&device, arena, c);
    if (status == SAC_OK)
        status = check->call_cuda(v->fn, sac_gpu_main_stream(arena->gpu), shape, &device);
    return status == SAC_OK ? download(c, &device, arena) : status;
}

sac_status sac_check_keep_cuda(sac_check_case *c, sac_gpu *gpu, const void *from, size_t bytes)
{
    const sac_gpu_stream stream = sac_gpu_main_stream(gpu);
    sac_status status = sac_gpu_alloc(gpu, &c->cuda, bytes, NULL);
    status = status ? status : sac_gpu_copy(c->cuda, from, bytes, stream);
    const sac_status waited = sac_gpu_wait(stream);
    return status ? status : waited;
}

void sac_check_free_cuda(sac_check_case *c, sac_gpu *gpu)
{
    sac_gpu_free(gpu, c->cuda);
    c->cuda = NULL;
}
