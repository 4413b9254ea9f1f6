/*
 * mlp_f32 for the harness: modes are networks, and n is the case's width.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "meltpool/kernels/mlp_f32/mlp_f32_cuda.h"
#include "room/check.h"

enum { OUT, IN };
enum { FEATURES = SAC_MELTPOOL_FEATURES, OUTPUTS = SAC_MELTPOOL_PREDICTIONS };

static const char *const modes[] = {"164 softplus", "164 linear",   "1 softplus",
                                    "177 linear",   "600 softplus", NULL};
static const struct {
    int32_t n_hidden, output;
} networks[] = {{164, SAC_MELTPOOL_SOFTPLUS},
                {164, SAC_MELTPOOL_LINEAR},
                {1, SAC_MELTPOOL_SOFTPLUS},
                {177, SAC_MELTPOOL_LINEAR},
                {600, SAC_MELTPOOL_SOFTPLUS}};
static const char *const contents[] = {"typical", "large", "mean", NULL};
enum { TYPICAL, LARGE };
static const sac_check_task tasks[] = {{"164", 1000, 1}, {"one", 1, 1}, {0}};

static void shape(sac_check_case *c)
{
    c->arg[OUT] =
        (sac_check_arg){"out", SAC_CHECK_OUT, .size = 4, .w = OUTPUTS, .h = c->w, .packed = true};
    c->arg[IN] = (sac_check_arg){"features",    SAC_CHECK_IN, .size = 4,
                                 .w = FEATURES, .h = c->w,    .packed = true};
    c->n_args = 2;
}

/* -1 .. 1. */
static double draw(uint64_t *random)
{
    return 2 * sac_check_uniform(random) - 1;
}

static double mean_of(int32_t i)
{
    return exp2(i % 18);
}

/* Contents: 1, 100 and no spreads around the mean. */
static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    float *x = sac_check_data(c, IN);
    const double spread = c->content == TYPICAL ? 2 : c->content == LARGE ? 100 : 0;
    for (int64_t k = 0; k < c->w; k++)
        for (int32_t i = 0; i < FEATURES; i++)
            x[k * FEATURES + i] = (float)(mean_of(i) * (1 + 0.1 * spread * draw(&random)));
}

/* Weights as training begins with: uniform, of a variance that keeps that of what passes. */
static sac_status open_net(sac_meltpool_net **net, float *numbers, int32_t n_hidden, int32_t output,
                           uint64_t seed)
{
    float *mean = numbers, *scale = mean + FEATURES, *b2 = scale + FEATURES, *b1 = b2 + OUTPUTS;
    float *w2 = b1 + n_hidden, *w1 = w2 + OUTPUTS * n_hidden;
    uint64_t random = seed | 1;
    for (int32_t i = 0; i < FEATURES; i++) {
        mean[i] = (float)mean_of(i);
        scale[i] = (float)(0.1 * mean_of(i));
    }
    for (int32_t i = 0; i < OUTPUTS; i++)
        b2[i] = (float)draw(&random);
    for (int32_t i = 0; i < n_hidden; i++)
        b1[i] = (float)draw(&random);
    for (int32_t i = 0; i < n_hidden * OUTPUTS; i++)
        w2[i] = (float)(draw(&random) * sqrt(6.0 / (n_hidden + OUTPUTS)));
    for (int32_t i = 0; i < n_hidden * FEATURES; i++)
        w1[i] = (float)(draw(&random) * sqrt(6.0 / (n_hidden + FEATURES)));
    const sac_meltpool_model model = {sizeof model, n_hidden, output, mean, scale, w1, b1, w2, b2};
    return sac_meltpool_net_open(net, &model, NULL);
}

static sac_status open_case(sac_check_case *c)
{
    const int32_t n_hidden = networks[c->mode].n_hidden;
    float *numbers = sac_alloc(2 * FEATURES + OUTPUTS + (size_t)n_hidden * (1 + OUTPUTS + FEATURES),
                               sizeof *numbers);
    if (!numbers)
        return SAC_E_NOMEM;
    sac_meltpool_net *net;
    const sac_status status = open_net(&net, numbers, n_hidden, networks[c->mode].output, c->seed);
    c->state = net;
    sac_free(numbers);
    return status;
}

static void close_case(sac_check_case *c)
{
    sac_meltpool_net *net = c->state;
    sac_meltpool_net_close(&net);
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    ((sac_mlp_f32_fn)fn)(sac_check_data(c, OUT), sac_check_data(c, IN), c->w, c->state);
}

#if SAC_CUDA
/* The case's network on the device. */
static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    sac_meltpool_net_cuda *net = sac_alloc(1, sizeof *net);
    c->cuda = net;
    return net ? sac_meltpool_net_cuda_open(net, gpu, c->state, NULL) : SAC_E_NOMEM;
}

static void close_cuda(sac_check_case *c, sac_gpu *gpu)
{
    if (c->cuda)
        sac_meltpool_net_cuda_close(c->cuda, gpu);
    sac_free(c->cuda);
    c->cuda = NULL;
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    (void)shape_of; /* its own */
    return ((sac_mlp_f32_cuda_fn)fn)(stream, sac_check_data(c, OUT), sac_check_data(c, IN), c->w,
                                     c->cuda);
}
#endif

/* S of one frame and output. */
static double magnitude(const sac_meltpool_net *net, const float *x, int32_t o)
{
    double all = fabs((double)net->b2[o]);
    for (int32_t h = 0; h < net->n_hidden; h++) {
        const int32_t tile = h / SAC_MELTPOOL_TILE, at = h % SAC_MELTPOOL_TILE;
        double sum = fabs((double)net->b1[tile * SAC_MELTPOOL_TILE + at]);
        for (int32_t i = 0; i < FEATURES; i++)
            sum += fabs((double)net->w1[(tile * FEATURES + i) * SAC_MELTPOOL_TILE + at] *
                        ((double)x[i] - (double)net->mean[i]) / (double)net->scale[i]);
        all += sum * fabs((double)net->w2[(tile * OUTPUTS + o) * SAC_MELTPOOL_TILE + at]);
    }
    return all;
}

/* The header's bound, and for typical features 1e-5 whatever it says. */
static double tolerance_of(const sac_check_case *c, int32_t o, int64_t y, double wanted)
{
    const sac_meltpool_net *net = c->state;
    const float *x = sac_check_row(c, IN, y);
    const double bound = 0x1p-24 * (net->n_hidden / 16 + 70) * magnitude(net, x, o);
    const double within = net->is_softplus ? wanted * (bound + 1e-6) + 0x1p-125 : bound;
    return c->content == TYPICAL && net->is_softplus ? fmin(within, 1e-5 * wanted) : within;
}

static void judge(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                  const sac_check_pair *p)
{
    (void)v;
    const double error = fabs(p->got - p->wanted);
    /* 1e-6 is within every bound, and S takes as long as the reference. */
    double within = 1e-6 * fabs(p->wanted);
    if (!(error <= within))
        within = tolerance_of(want, (int32_t)p->x, p->y, p->wanted);
    sac_check_value(d, p, error, within);
}

static void points(const sac_check_case *c, uint64_t *all, uint64_t *active)
{
    *all = *active = (uint64_t)c->w;
}

const sac_room_check sac_mlp_f32_check = {
    SAC_CHECK_ROOM(sac_mlp_f32_room),
    .max_pixels = 65,
    .one_row = true,
    .tasks = tasks,
    .open = open_case,
    .close = close_case,
    .judge = judge,
    .points = points,
    SAC_CHECK_CUDA_ROOM(sac_mlp_f32_cuda),
};
