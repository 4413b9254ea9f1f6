/*
 * The harness's own work, shared by all cores: what a case needs once takes a core minutes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/threads.h"
#include "room/check.h"

#define MIN_PARTS 64 /* fewer are done before the threads have started */

typedef struct share {
    void (*run)(void *ctx, int64_t first, int64_t n);
    void *ctx;
    int64_t n_all, step, n_parts;
    int32_t n_tasks;
} share;

/* Every n_tasks-th part. */
static void run_parts(void *arg, int32_t i)
{
    const share *s = arg;
    for (int64_t part = i; part < s->n_parts; part += s->n_tasks) {
        const int64_t first = part * s->step, left = s->n_all - first;
        s->run(s->ctx, first, left < s->step ? left : s->step);
    }
}

void sac_check_share(void (*run)(void *ctx, int64_t first, int64_t n), void *ctx, int64_t n_all,
                     int64_t step)
{
    share s = {run, ctx, n_all, step, (n_all + step - 1) / step, 1};
    sac_pool *pool = NULL;
    if (s.n_parts >= MIN_PARTS && sac_pool_open(&pool, 0, NULL, NULL) == SAC_OK)
        s.n_tasks = s.n_parts < SAC_POOL_MAX_TASKS ? (int32_t)s.n_parts : SAC_POOL_MAX_TASKS;
    if (pool != NULL)
        sac_pool_run(pool, s.n_tasks, run_parts, &s);
    else
        run_parts(&s, 0);
    sac_pool_close(&pool);
}
