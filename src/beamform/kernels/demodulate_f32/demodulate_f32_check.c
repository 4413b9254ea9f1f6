/*
 * demodulate_f32 for the harness.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "demodulate_f32.h"
#include "beamform/kernels/check_demodulate.h"
#include "beamform/kernels/demodulate_cuda.h"

#if SAC_CUDA
static const sac_variant cuda[] = {
    {"teams", 0, true, SAC_FN(sac_demodulate_cuda_fn, sac_demodulate_f32_cuda)},
    {0},
};
#endif

static void shape(sac_check_case *c)
{
    sac_check_demodulate_shape(c, sizeof(float));
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const sac_check_arg *out = &c->arg[SAC_DEMODULATE_OUT], *in = &c->arg[SAC_DEMODULATE_IN];
    ptrdiff_t in_sample;
    const float *samples = sac_check_demodulate_samples(c, &in_sample);
    ((sac_demodulate_f32_fn)fn)((float *)(void *)out->data, out->row, samples, in->row, in_sample,
                                c->h, c->state);
}

const sac_room_check sac_demodulate_f32_check = {
    .room = &sac_demodulate_f32_room,
    .modes = sac_demodulate_modes,
    .contents = sac_demodulate_contents,
    .shape = shape,
    .open = sac_check_demodulate_open,
    .close = sac_check_demodulate_close,
    .fill = sac_check_demodulate_fill,
    .call = call,
    .compare = sac_check_demodulate_compare,
    .bytes = sac_check_demodulate_bytes,
    .tasks = sac_demodulate_tasks,
    .set_task = sac_check_demodulate_task,
#if SAC_CUDA
    .cuda = cuda,
    .open_cuda = sac_check_demodulate_open_cuda,
    .close_cuda = sac_check_demodulate_close_cuda,
    .call_cuda = sac_check_demodulate_call_cuda,
#endif
};
