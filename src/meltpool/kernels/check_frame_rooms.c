/*
 * The rooms that take a frame's job, for the harness: mask_u8, moments_u8, polar_u8, hog_u8 and
 * frame_u8. They differ in their results.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/kernels/check_frame.h"
#include "meltpool/kernels/frame_u8/frame_u8.h"
#include "meltpool/kernels/frame_u8/frame_u8_cuda.h"
#include "meltpool/kernels/hog_u8/hog_u8.h"
#include "meltpool/kernels/mask_u8/mask_u8.h"
#include "meltpool/kernels/moments_u8/moments_u8.h"
#include "meltpool/kernels/polar_u8/polar_u8.h"

enum { MASK, MOMENTS, POLAR, HOG, FRAME };

/* A frame's result: elements of `size` bytes. */
static const struct {
    const char *name;
    size_t size, bytes;
} results[] = {
    [MASK] = {"bits", sizeof(uint64_t), sizeof(sac_meltpool_bits)},
    [MOMENTS] = {"out", sizeof(uint32_t), sizeof(sac_meltpool_integers)},
    [POLAR] = {"polar", sizeof(uint32_t), SAC_MELTPOOL_SECTORS * sizeof(uint32_t)},
    [HOG] = {"hog", sizeof(uint32_t), SAC_MELTPOOL_BINS * sizeof(uint32_t)},
    [FRAME] = {"out", sizeof(uint32_t), sizeof(sac_meltpool_integers)},
};

static void shape(sac_check_case *c)
{
    const size_t size = results[c->kind].size;
    sac_check_meltpool_shape(c, results[c->kind].name, size,
                             (int64_t)(results[c->kind].bytes / size));
}

static void call_one(sac_any_fn fn, const sac_check_case *c, int64_t i)
{
    const sac_meltpool_frame_job job = sac_check_meltpool_job(c, i);
    void *out = sac_check_row(c, 0, i);
    switch (c->kind) {
    case MASK:
        ((sac_mask_u8_fn)fn)(out, &job);
        break;
    case MOMENTS:
        ((sac_moments_u8_fn)fn)(out, sac_check_meltpool_mask(c, i), &job);
        break;
    case POLAR:
        ((sac_polar_u8_fn)fn)(out, &job);
        break;
    case HOG:
        ((sac_hog_u8_fn)fn)(out, &job);
        break;
    default:
        ((sac_frame_u8_fn)fn)(out, &job);
    }
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    for (int64_t i = 0; i < c->h; i++)
        call_one(fn, c, i);
}

static void points(const sac_check_case *c, uint64_t *all, uint64_t *active)
{
    *all = *active = (uint64_t)c->h;
}

#if SAC_CUDA
/* c->cuda: the frames' jobs. */
static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    return sac_check_keep_cuda(c, gpu, c->state, (size_t)c->h * sizeof(sac_meltpool_frame_job));
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    (void)shape_of; /* its own */
    const sac_check_arg *in = &c->arg[SAC_CHECK_MELTPOOL_FRAMES];
    const sac_meltpool_frame_job first = sac_check_meltpool_job(c, 0);
    const sac_meltpool_frames_cuda frames = {.pixels = first.frame,
                                             .frame = in->w * in->row,
                                             .row = in->row,
                                             .jobs = c->cuda,
                                             .n = c->h,
                                             .max_roi = first.n};
    return ((sac_frame_u8_cuda_fn)fn)(stream, sac_check_data(c, 0), c->arg[0].row, &frames);
}
#endif

#define FRAMES                                                                                     \
    .modes = sac_check_meltpool_modes, .contents = sac_check_meltpool_contents,                    \
    .tasks = sac_check_meltpool_tasks, .costly = true, .shape = shape,                             \
    .open = sac_check_meltpool_open, .fill = sac_check_meltpool_fill, .call = call,                \
    .bytes = sac_check_meltpool_bytes, .points = points

const sac_room_check sac_mask_u8_check = {.room = &sac_mask_u8_room, .kind = MASK, FRAMES};

const sac_room_check sac_moments_u8_check = {.room = &sac_moments_u8_room, .kind = MOMENTS, FRAMES};

const sac_room_check sac_polar_u8_check = {.room = &sac_polar_u8_room, .kind = POLAR, FRAMES};

const sac_room_check sac_hog_u8_check = {.room = &sac_hog_u8_room, .kind = HOG, FRAMES};

const sac_room_check sac_frame_u8_check = {
    .room = &sac_frame_u8_room,
    .kind = FRAME,
    FRAMES,
    SAC_CHECK_CUDA(.cuda = sac_frame_u8_cuda, .open_cuda = open_cuda,
                   .close_cuda = sac_check_free_cuda, .call_cuda = call_cuda),
};
