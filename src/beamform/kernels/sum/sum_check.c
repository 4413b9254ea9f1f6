/*
 * sum for the harness: h lines of w values. The ladder times the sizes of Jarosik, Lewandowski, Yiu
 * (2023): (256, 1024, 128) over the last axis, and one line of 1,024; and one of 2^20.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "beamform/kernels/published.h"
#include "sum.h"
#include "sum_cuda.h"
#include "room/check.h"

enum { OUT, IN };

#define TASK_RECURSIVE (INT64_C(1) << 20)

/* Which axis of `in` is summed: its values are neighbors, or its lines are. */
enum { ALONG, ACROSS, STRIDED };
static const char *const modes[] = {"along", "across", "strided", NULL};
static const char *const contents[] = {"noise", "large", "one sign", "not finite", NULL};
static const sac_check_task tasks[] = {{"das", 128, 256 * 1024, ALONG},
                                       {"das-across", 128, 256 * 1024, ACROSS},
                                       {"1d", 1024, 1, ALONG},
                                       {"1d-recursive", TASK_RECURSIVE, 1, ALONG},
                                       {0}};

static const sac_variant rungs[] = {
    {"sequential", 0, false, SAC_FN(sac_sum_fn, sac_sum_sequential), SAC_TIER_FP32},
    {"tree", 0, false, SAC_FN(sac_sum_fn, sac_sum_tree), SAC_TIER_FP32},
    {"conflict-free", 0, false, SAC_FN(sac_sum_fn, sac_sum_conflict_free), SAC_TIER_FP32},
    {"first-add", 0, false, SAC_FN(sac_sum_fn, sac_sum_first_add), SAC_TIER_FP32},
    {"pairwise", 0, false, SAC_FN(sac_sum_fn, sac_sum_pairwise), SAC_TIER_FP32},
    {"recursive", 0, false, SAC_FN(sac_sum_fn, sac_sum_recursive), SAC_TIER_FP32},
    {0},
};

static void shape(sac_check_case *c)
{
    const bool along = c->mode == ALONG;
    c->arg[OUT] = (sac_check_arg){"out", SAC_CHECK_OUT, .size = 4, .w = 1, .h = c->h};
    c->arg[IN] = (sac_check_arg){"in", SAC_CHECK_IN, .size = 4};
    c->arg[IN].w = along ? c->w : c->mode == ACROSS ? c->h : 3 * c->h;
    c->arg[IN].h = along ? c->h : c->w;
    c->n_args = 2;
}

static sac_sum_job job_of(const sac_check_case *c)
{
    const sac_check_arg *in = &c->arg[IN];
    const ptrdiff_t row = in->row / 4;
    sac_sum_job job = {.in = sac_check_data(c, IN),
                       .in_k = c->mode == ALONG ? 1 : row,
                       .in_m = c->mode == ALONG ? row : 1,
                       .out_m = c->arg[OUT].row / 4,
                       .n = c->w,
                       .n_lines = c->h};
    if (c->mode == STRIDED) { /* every third, from the last back */
        job.in += in->w - 1;
        job.in_m = -3;
    }
    return job;
}

static float draw(const sac_check_case *c, uint64_t *random)
{
    const double u = sac_check_uniform(random);
    if (c->content == 3 && u < 0.001)
        return u < 0.0005 ? NAN : INFINITY;
    return (float)(c->content == 1 ? 1e30 * (2 * u - 1) : c->content == 2 ? u : 2 * u - 1);
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    const sac_check_arg *a = &c->arg[IN];
    for (int64_t y = 0; y < a->h; y++)
        for (int64_t x = 0; x < a->w; x++)
            ((float *)sac_check_row(c, IN, y))[x] = draw(c, &random);
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const sac_sum_job job = job_of(c);
    ((sac_sum_fn)fn)(sac_check_data(c, OUT), &job);
}

static bool steps(const sac_variant *v)
{
    return !strcmp(v->name, "tree") || !strcmp(v->name, "conflict-free") ||
           !strcmp(v->name, "first-add");
}

/* The same kernels have two names on a GPU, for one line and for many, as the paper times both. Its
 * times are of 1,024 values, so those rungs leave the long line to 1d-recursive and ours. */
static bool supports(const sac_variant *v, const sac_check_case *c)
{
    if (!strcmp(v->name, "1d-recursive"))
        return c->h == 1;
    if (!strncmp(v->name, "1d-", 3))
        return c->h == 1 && c->w < TASK_RECURSIVE;
    if (!strncmp(v->name, "das-", 4))
        return c->h != 1;
    return !steps(v) || c->w <= SAC_SUM_STEPS;
}

static double magnitude(const sac_sum_job *job, int64_t m)
{
    double sum = 0;
    for (int64_t k = 0; k < job->n; k++)
        sum += fabs((double)job->in[k * job->in_k + m * job->in_m]);
    return sum;
}

/* Whether it adds in the contract's order. */
static bool is_in_order(const sac_variant *v)
{
    return v->ships || !strcmp(v->name, "hybrid");
}

/* The contract's bound, relative to the magnitudes' sum. */
static void judge(sac_check_diff *d, const sac_check_case *want, const sac_variant *v,
                  const sac_check_pair *p)
{
    const sac_sum_job job = job_of(want);
    const double n = (double)job.n, terms = is_in_order(v) ? n / SAC_SUM_PARTS + 5 : 2 * n;
    const bool same = p->wanted == p->got || (isnan(p->wanted) && isnan(p->got));
    sac_check_value(d, p, same ? 0 : fabs(p->got - p->wanted) / magnitude(&job, p->y),
                    terms * 0x1p-24);
}

/* The tasks das and 1d. */
#define SUM_1D SAC_CUDA_BY_EXAMPLES("sum, 1D")
#define SUM_DAS SAC_CUDA_BY_EXAMPLES("sum, DAS")
static const sac_check_published published[] = {
    {"1d-sequential", 340e3, SUM_1D, .grid = 1, .block = 1},
    {"1d-tree", 37e3, SUM_1D, .grid = 1, .block = 1024},
    {"1d-non-divergent", 23e3, SUM_1D, .note = "on its own slide"},
    {"1d-non-divergent", 22e3, SUM_1D, .note = "in the later tables"},
    {"1d-first-add", 16e3, SUM_1D, .grid = 1, .block = 1024},
    {"1d-unrolled-last-warp", 12e3, SUM_1D, .grid = 1, .block = 1024},
    {"das-sequential", 7.87e6, SUM_DAS},
    {"das-tree", 11.38e6, SUM_DAS},
    {"das-non-divergent", 7.82e6, SUM_DAS},
    {"das-conflict-free", 7.71e6, SUM_DAS},
    {"das-first-add", 7.63e6, SUM_DAS},
    {"das-unrolled-last-warp", 7.62e6, SUM_DAS},
    {0},
};

#if SAC_CUDA
/* c->cuda: scratch. */
static sac_status open_cuda(sac_check_case *c, sac_gpu *gpu)
{
    const int64_t n = c->h == 1 ? sac_sum_scratch(c->w) : 0;
    return n > 0 ? sac_gpu_alloc(gpu, &c->cuda, (size_t)n * sizeof(float), NULL) : SAC_OK;
}

static sac_status call_cuda(sac_any_fn fn, sac_gpu_stream stream, const sac_gpu_shape *shape_of,
                            const sac_check_case *c)
{
    const sac_sum_job job = job_of(c);
    return ((sac_sum_cuda_fn)fn)(stream, shape_of, sac_check_data(c, OUT), &job, c->cuda);
}
#endif

const sac_room_check sac_sum_check = {
    SAC_CHECK_ROOM(sac_sum_room),
    SAC_CHECK_RUNGS,
    .judge = judge,
    .tasks = tasks,
    SAC_CHECK_CUDA(.cuda = sac_sum_cuda, .open_cuda = open_cuda, .close_cuda = sac_check_free_cuda,
                   .call_cuda = call_cuda),
};
