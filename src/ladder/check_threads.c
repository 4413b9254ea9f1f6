/*
 * Every variant in several threads at once, each on memory and inputs of its own: finds scratch
 * that calls share.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ladder/check_case.h"

#include <pthread.h>

#include "base/threads.h"

#define N_THREADS 4
#define N_CALLS 16  /* of each thread */
#define FEW_CALLS 2 /* of costly rooms, where the run is sparse */
#define WIDTH 509   /* large enough for calls to overlap; a prime */
#define HEIGHT 7

static const sac_check_layout layout = {.offset = 1, .padding = 3, .poison = 0xA5};

typedef struct worker {
    pthread_barrier_t *start;
    const sac_room_check *check;
    const sac_variant *variant;
    sac_check_case want, got;
    int32_t n_calls;
    bool is_wrong;
    sac_check_diff diff; /* the first wrong call's */
} worker;

static void work(void *arg, int32_t k)
{
    worker *w = (worker *)arg + k;
    (void)pthread_barrier_wait(w->start);
    for (int32_t i = 0; i < w->n_calls && !w->is_wrong; i++) {
        sac_check_reset(&w->got, w->check);
        sac_check_call(&w->got, w->check, w->variant);
        sac_check_compare(&w->diff, w->check, &w->want, &w->got, w->variant);
        w->is_wrong = !w->diff.ok;
    }
}

static sac_status open_worker(worker *w, const sac_check_run *run, int32_t mode, int32_t i)
{
    const int64_t limit = run->check->max_pixels;
    sac_check_case c = {.w = WIDTH + 16 * i,
                        .h = run->check->one_row ? 1 : HEIGHT,
                        .mode = mode,
                        .content = i % run->n_contents,
                        .seed = sac_check_mix(run->options->seed + 1, (uint64_t)i),
                        .n_threads = 1};
    if (limit != 0 && c.w * c.h > limit) {
        c.h = 1;
        c.w = c.w < limit ? c.w : limit;
    }
    w->check = run->check;
    w->n_calls = run->check->costly && run->options->sparse ? FEW_CALLS : N_CALLS;
    w->want = c;
    w->got = c;
    const sac_status status = sac_check_pair_open(&w->want, &w->got, run->check, &layout);
    if (status == SAC_OK)
        sac_check_call(&w->want, run->check, run->reference);
    return status;
}

static void try_variant(sac_check_run *run, sac_check_tally *t, sac_pool *pool, worker *workers)
{
    for (int32_t i = 0; i < N_THREADS; i++) {
        workers[i].variant = t->variant;
        workers[i].is_wrong = false;
    }
    sac_pool_run(pool, N_THREADS, work, workers);
    run->result->n_cases += N_THREADS;
    t->n_cases += N_THREADS;
    for (int32_t i = 0; i < N_THREADS; i++) {
        const sac_check_diff *d = &workers[i].diff;
        if (workers[i].is_wrong) {
            sac_check_report(run, t, &workers[i].got, &layout,
                             &(sac_check_damage){SAC_FAULT_THREADS, (int32_t)d->arg, d->index,
                                                 d->wanted, d->got});
        }
    }
}

static sac_status try_mode(sac_check_run *run, int32_t mode, sac_pool *pool, worker *workers)
{
    sac_status status = SAC_OK;
    int32_t n = 0;
    while (n < N_THREADS && status == SAC_OK) {
        status = open_worker(&workers[n], run, mode, n);
        n += status == SAC_OK;
    }
    for (int32_t i = 0; i < run->n_variants && status == SAC_OK; i++) {
        sac_check_tally *t = &run->tallies[i];
        if (t->on && sac_check_supports(run->check, t->variant, &workers[0].got))
            try_variant(run, t, pool, workers);
    }
    while (n > 0) {
        n--;
        sac_check_pair_close(&workers[n].want, &workers[n].got, run->check);
    }
    return status;
}

sac_status sac_check_threads(sac_check_run *run)
{
    pthread_barrier_t start;
    sac_pool *pool = NULL;
    if (pthread_barrier_init(&start, NULL, N_THREADS) != 0)
        return SAC_E_NOMEM;
    worker workers[N_THREADS];
    for (int32_t i = 0; i < N_THREADS; i++)
        workers[i].start = &start;
    sac_status status = sac_pool_open(&pool, N_THREADS, NULL, NULL);
    for (int32_t mode = 0; mode < run->n_modes && status == SAC_OK; mode++)
        status = try_mode(run, mode, pool, workers);
    sac_pool_close(&pool);
    (void)pthread_barrier_destroy(&start);
    return status;
}
