/*
 * temporal_u8 for the harness. States are the picture's own, less or more by a random amount: near
 * it in most places, far away in some.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "motion/kernels/check_samples.h"
#include "motion/kernels/filters_cuda.h"
#include "temporal_u8.h"

enum { OUT, STATE, IN };

static void shape(sac_check_case *c)
{
    sac_check_pixels_shape(c, OUT, "out", SAC_CHECK_OUT, 1, c->mode);
    sac_check_pixels_shape(c, IN, "in", SAC_CHECK_IN, 1, c->mode);
    sac_samples in = sac_check_samples(c, IN, c->mode);
    c->arg[STATE] = (sac_check_arg){.name = "state",
                                    .role = SAC_CHECK_INOUT,
                                    .size = 2,
                                    .w = c->w * in.n_channels,
                                    .h = c->h,
                                    .packed = true};
    c->n_args = 3;
}

static void fill(sac_check_case *c)
{
    sac_check_pixels_fill(c, IN, c->mode);
    sac_samples in = sac_check_samples(c, IN, c->mode);
    uint16_t *state = sac_check_data(c, STATE);
    uint64_t random = ~c->seed | 1;
    for (int64_t y = 0; y < in.h; y++)
        for (int64_t x = 0; x < in.w; x++)
            for (int32_t k = 0; k < in.n_channels; k++) {
                uint64_t r = sac_check_random(&random);
                int64_t spread = r >> 60 == 0 ? 65535 : 4095;
                int64_t s = in.data[y * in.row + x * in.pixel + k * in.channel] * INT64_C(256) +
                            (int64_t)(r >> 32 & 0xffff) % (2 * spread + 1) - spread;
                *state++ = (uint16_t)(s < 0 ? 0 : s > 65280 ? 65280 : s);
            }
}

/* keep: falling with the difference, or anything; the first is 65535, the last 0. */
static sac_status open(sac_check_case *c)
{
    uint16_t *keep = sac_alloc(256, sizeof *keep);
    if (!keep)
        return SAC_E_NOMEM;
    uint64_t random = c->seed | 1;
    for (int i = 1; i < 255; i++) {
        uint64_t any = sac_check_random(&random) >> 48;
        keep[i] = (uint16_t)(c->seed >> 9 & 1 ? any : UINT64_C(62000) >> i / 4);
    }
    keep[0] = 65535;
    c->state = keep;
    return SAC_OK;
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    sac_samples out = sac_check_samples(c, OUT, c->mode), in = sac_check_samples(c, IN, c->mode);
    ((sac_temporal_u8_fn)fn)(&out, sac_check_data(c, STATE), &in, c->state);
}

#if SAC_CUDA
static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    return sac_check_keep_cuda(c, gpu, c->state, 256 * sizeof(uint16_t));
}

static void close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    sac_check_free_cuda(c, gpu);
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    const sac_samples out = sac_check_samples(c, OUT, c->mode);
    const sac_samples in = sac_check_samples(c, IN, c->mode);
    return ((sac_temporal_u8_cuda_fn)fn)(stream, shape_of, &out, sac_check_data(c, STATE), &in,
                                         c->cuda);
}
#endif

static uint64_t bytes(const sac_check_case *c)
{
    return 6 * (uint64_t)(c->arg[STATE].w * c->arg[STATE].h); /* in, out, state twice */
}

const sac_room_check sac_temporal_u8_check = {SAC_CHECK_CALLS(sac_temporal_u8_room),
                                              .modes = sac_pixel_modes,
                                              .contents = sac_pixel_contents,
                                              .open = open,
                                              .bytes = bytes,
                                              SAC_CHECK_CUDA_ROOM(sac_temporal_u8_cuda)};
