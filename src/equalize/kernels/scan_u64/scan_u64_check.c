/*
 * scan_u64 for the harness. The ladder times 256 values, as many as an 8-bit histogram has.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "scan_u64.h"
#include "scan_u64_cuda.h"
#include "room/check.h"

enum { OUT, IN };

static const char *const modes[] = {"256", "any", NULL};
static const char *const contents[] = {"counts", "large", NULL};

static const sac_variant rungs[] = {
    {"baseline", 0, false, SAC_FN(sac_scan_u64_fn, sac_scan_u64_baseline)},
    {"baseline-two-ended", 0, false, SAC_FN(sac_scan_u64_fn, sac_scan_u64_two_ended)},
    {"two-array", 0, false, SAC_FN(sac_scan_u64_fn, sac_scan_u64_two_array)},
    {"brent-kung", 0, false, SAC_FN(sac_scan_u64_fn, sac_scan_u64_brent_kung)},
    {"kogge-stone", 0, false, SAC_FN(sac_scan_u64_fn, sac_scan_u64_kogge_stone)},
    {0},
};

static void shape(sac_check_case *c)
{
    int64_t n = c->mode == 0 ? 256 : c->w * c->h;
    c->arg[OUT] = (sac_check_arg){"out", SAC_CHECK_OUT, .size = 8, .w = n, .h = 1};
    c->arg[IN] = (sac_check_arg){"in", SAC_CHECK_IN, .size = 8, .w = n, .h = 1};
    c->n_args = 2;
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1, *in = sac_check_data(c, IN);
    for (int64_t i = 0; i < c->arg[IN].w; i++)
        in[i] = sac_check_random(&random) >> (c->content == 0 ? 44 : 0);
}

/* The baselines take n^2 additions. */
static bool supports(const sac_variant *v, const sac_check_case *c)
{
    bool square = !strncmp(v->name, "baseline", 8) || !strncmp(v->name, "two-ended", 9);
    return !square || c->arg[IN].w <= 5000;
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    ((sac_scan_u64_fn)fn)(sac_check_data(c, OUT), sac_check_data(c, IN), (size_t)c->arg[IN].w);
}

/* c->cuda: the second array. */
static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    return sac_gpu_alloc(gpu, &c->cuda, (size_t)c->arg[IN].w * 8, NULL);
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    return ((sac_scan_u64_cuda_fn)fn)(stream, shape_of, sac_check_data(c, OUT), c->cuda,
                                      sac_check_data(c, IN), c->arg[IN].w);
}

/* Duong's GPU (GeForce MX130), 256 bins: a launch a step, and shared memory. */
static const sac_check_published published[] = {
    {"kogge-stone", 25.9e3}, {"kogge-stone-shared", 7.6e3}, {0}};

const sac_room_check sac_scan_u64_check = {
    SAC_CHECK_ROOM(sac_scan_u64_room),
    SAC_CHECK_RUNGS,
    .one_row = true,
    .cuda = sac_scan_u64_cuda,
    .open_cuda = open_cuda,
    .close_cuda = sac_check_free_cuda,
    .call_cuda = call_cuda,
};
