/*
 * frame_u8 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "frame_u8.h"

#include "base/alloc.h"
#include "meltpool/kernels/check_frame.h"
#include "meltpool/kernels/frame_u8/frame_u8_cuda.h"

static void shape(sac_check_case *c)
{
    sac_check_meltpool_shape(c, "out", sizeof(uint32_t),
                             sizeof(sac_meltpool_integers) / sizeof(uint32_t));
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    for (int64_t i = 0; i < c->h; i++) {
        const sac_meltpool_frame_job job = sac_check_meltpool_job(c, i);
        ((sac_frame_u8_fn)fn)((sac_meltpool_integers *)(void *)(c->arg[0].data + i * c->arg[0].row),
                              &job);
    }
}

#if SAC_CUDA
/* The frames' jobs on the device. */
static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    sac_meltpool_frame_job *jobs = sac_alloc((size_t)c->h, sizeof *jobs);
    if (!jobs)
        return SAC_E_NOMEM;
    for (int64_t i = 0; i < c->h; i++)
        jobs[i] = sac_check_meltpool_job(c, i);
    const sac_status status = sac_check_keep_cuda(c, gpu, jobs, (size_t)c->h * sizeof *jobs);
    sac_free(jobs);
    return status;
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
    return ((sac_frame_u8_cuda_fn)fn)(stream, (sac_meltpool_integers *)(void *)c->arg[0].data,
                                      c->arg[0].row, &frames);
}
#endif

const sac_room_check sac_frame_u8_check = {
    .room = &sac_frame_u8_room,
    .modes = sac_check_meltpool_modes,
    .contents = sac_check_meltpool_contents,
    .tasks = sac_check_meltpool_tasks,
    .set_task = sac_check_meltpool_set_task,
    .costly = true,
    .shape = shape,
    .open = sac_check_meltpool_open,
    .close = sac_check_meltpool_close,
    .fill = sac_check_meltpool_fill,
    .call = call,
    .bytes = sac_check_meltpool_bytes,
    .points = sac_check_meltpool_points,
#if SAC_CUDA
    .cuda = sac_frame_u8_cuda,
    .open_cuda = open_cuda,
    .close_cuda = sac_check_free_cuda,
    .call_cuda = call_cuda,
#endif
};
