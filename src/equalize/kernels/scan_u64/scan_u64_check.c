/*
 * scan_u64 for the harness. The ladder times 256 values, as many as an 8-bit histogram has, of a
 * picture with many brightnesses, with one, or with all of them alike.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "scan_u64.h"
#include "scan_u64_cuda.h"
#include "equalize/kernels/published.h"
#include "gpu/launched.h"
#include "room/check.h"

enum { OUT, IN };

static const char *const modes[] = {"256", "any", NULL};
enum { COUNTS, LARGE, ONE_BIN, EVEN };
static const char *const contents[] = {"counts", "large", "one bin", "even", NULL};
static const sac_check_task tasks[] = {{"scene", .content = COUNTS, .is_content = true},
                                       {"constant", .content = ONE_BIN, .is_content = true},
                                       {"random", .content = EVEN, .is_content = true},
                                       {0}};

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
    const int64_t n = c->arg[IN].w, pixels = c->w * c->h;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t r = sac_check_random(&random);
        if (c->content == ONE_BIN)
            in[i] = i == n / 2 ? (uint64_t)pixels : 0;
        else
            in[i] =
                c->content == EVEN ? (uint64_t)(pixels / n) : r >> (c->content == COUNTS ? 44 : 0);
    }
}

/* The baselines take n^2 additions. */
static bool supports(const sac_variant *v, const sac_check_case *c)
{
    bool square = !strncmp(v->name, "baseline", 8) || !strncmp(v->name, "two-ended", 9);
    return !square || c->arg[IN].w <= 5000;
}

/* Additions of log2(n) passes, each of all values d or more from the first. */
static void add_passes(sac_check_cost *cost, uint64_t n)
{
    for (uint64_t d = 1; d < n; d *= 2) {
        cost->work += n - d;
        cost->steps++;
    }
}

/* Of every 2 d-th value from `from` on. */
static void add_level(sac_check_cost *cost, uint64_t from, uint64_t d, uint64_t n)
{
    cost->work += n > from ? (n - from + 2 * d - 1) / (2 * d) : 0;
    cost->steps += n > from;
}

static void add_tree(sac_check_cost *cost, uint64_t n)
{
    uint64_t d = 1;
    for (; d < n; d *= 2)
        add_level(cost, 2 * d - 1, d, n);
    for (; d >= 1; d /= 2)
        add_level(cost, 3 * d - 1, d, n);
}

/* The total first; then each value by itself, from its nearer end. */
static void add_two_ended(sac_check_cost *cost, uint64_t n)
{
    const uint64_t low = n / 2, high = n - low;
    cost->work = n + low * (low + 1) / 2 + high * (high - 1) / 2 + high;
    cost->steps = n + (low > high - 1 ? low : high);
}

/* In chunks of m values, each after the one before. */
static void add_chunks(sac_check_cost *cost, uint64_t m, uint64_t n)
{
    sac_check_cost chunk = {0};
    const uint64_t chunks = (n + m - 1) / m;
    add_passes(&chunk, m);
    cost->work = chunks * (chunk.work + m);
    cost->steps = chunks * (chunk.steps + 1);
}

/* Additions. On a GPU steps in place need a second array, shared memory holds 1,024 values. */
static void cost(sac_check_cost *cost, const sac_variant *v, const sac_check_case *c, bool on_gpu,
                 const sac_gpu_shape *shape)
{
    enum { CHUNK = 1024, WARP = 32, RUN = 8 };
    const uint64_t n = (uint64_t)c->arg[IN].w, vectors = (n + 7) / 8;
    uint64_t blocks, threads;
    sac_rung_launch(&blocks, &threads, shape, (int64_t)n);
    *cost = (sac_check_cost){.work = n, .steps = n};
    if (!strcmp(v->name, "avx512")) /* vectors of eight: three additions, and the carry */
        *cost = (sac_check_cost){.work = 8 * 4 * vectors, .steps = 3 + vectors};
    else if (!strcmp(v->name, "baseline"))
        cost->work = n * (n + 1) / 2;
    else if (!strcmp(v->name, "baseline-two-ended") || !strcmp(v->name, "two-ended-shared"))
        add_two_ended(cost, n);
    else if (!strcmp(v->name, "one-warp")) /* runs, the lanes' sums, and both together */
        *cost = (sac_check_cost){.work = (n + WARP * RUN - 1) / (WARP * RUN) *
                                         (2 * WARP * RUN + 129 + 2 * WARP),
                                 .steps = (n + WARP * RUN - 1) / (WARP * RUN) * (RUN + 5 + 3)};
    else if (!strcmp(v->name, "kogge-stone-shared"))
        add_chunks(cost, threads, n);
    else if (strcmp(v->name, "sequential") != 0)
        *cost = (sac_check_cost){0};
    if (!strcmp(v->name, "brent-kung"))
        add_tree(cost, n);
    if (!strcmp(v->name, "two-array") || !strcmp(v->name, "kogge-stone"))
        add_passes(cost, n);
    if (!strcmp(v->name, "two-array") || (on_gpu && !strcmp(v->name, "kogge-stone")))
        cost->extra = 8 * n;
    if (on_gpu && strstr(v->name, "two-ended"))
        cost->extra = 8 + (strstr(v->name, "shared") ? blocks * CHUNK * 8 : 0);
    if (!strcmp(v->name, "kogge-stone-shared"))
        cost->extra = CHUNK * 8;
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

/* Of 256 bins: a launch a step, the sum of all, and shared memory. One source, so that the second
 * is held against the first. */
#define FIGURES .source = "Duong (2024), Figs. 16, 17"
static const sac_check_published published[] = {
    {"kogge-stone", 3.968e3 + 10.272e3 + 11.648e3, SAC_DUONG_AT_16, FIGURES},
    {"kogge-stone-shared", 7.616e3, SAC_DUONG_AT_17, FIGURES},
    {0}};

const sac_room_check sac_scan_u64_check = {
    SAC_CHECK_ROOM(sac_scan_u64_room),
    SAC_CHECK_RUNGS,
    .one_row = true,
    .tasks = tasks,
    .cost = cost,
    .cuda = sac_scan_u64_cuda,
    .open_cuda = open_cuda,
    .close_cuda = sac_check_free_cuda,
    .call_cuda = call_cuda,
};
