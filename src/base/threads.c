/*
 * The plan's pool. One 64-bit word holds the job's number, how many tasks it has and which comes
 * next, so a worker that comes late sees from the word alone that nothing is left, and never
 * touches a job that is over.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/relax.h"
#include "base/system.h"
#include "base/wait.h"

#define MAX_THREADS 1024
#define SPIN_NS 50000 /* two passes of a picture lie closer; a frame at 60 Hz does not */

/* The ticket: job number in bits 40..63, number of tasks in 20..39, next task in 0..19. */
#define TASK_BITS 20
#define TASK_MASK ((UINT64_C(1) << TASK_BITS) - 1)

struct sac_pool {
    _Alignas(SAC_ALIGNMENT) _Atomic uint64_t ticket;
    _Alignas(SAC_ALIGNMENT) _Atomic int32_t done; /* tasks of this job that are finished */
    _Alignas(SAC_ALIGNMENT) sac_task_fn task;     /* written before the ticket, read after it */
    void *arg;
    _Atomic int32_t sleepers;
    _Atomic bool quit;
    sac_executor executor;
    int32_t n_threads, n_started;
    bool has_lock, has_wake;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread[];
};

static bool has_task(uint64_t ticket)
{
    return (ticket & TASK_MASK) < ((ticket >> TASK_BITS) & TASK_MASK);
}

/*
 * Takes tasks until none is left. The add's acquire pairs with the release store of the ticket in
 * sac_pool_run: who holds a task sees its function and argument. They stay until `done` says that
 * this task, too, is finished. The next-field cannot overflow: each thread adds past the end once a
 * job.
 */
static void work(sac_pool *pool)
{
    while (has_task(atomic_load_explicit(&pool->ticket, memory_order_relaxed))) {
        uint64_t mine = atomic_fetch_add_explicit(&pool->ticket, 1, memory_order_acquire);
        if (!has_task(mine))
            return;
        pool->task(pool->arg, (int32_t)(mine & TASK_MASK));
        /* Release: the task's writes, for the acquire load in sac_pool_run. */
        atomic_fetch_add_explicit(&pool->done, 1, memory_order_release);
    }
}

static bool has_news(const void *of)
{
    const sac_pool *pool = of;
    return has_task(atomic_load(&pool->ticket)) || atomic_load(&pool->quit);
}

static void *worker(void *arg)
{
    sac_pool *pool = arg;
    while (!atomic_load_explicit(&pool->quit, memory_order_acquire)) {
        work(pool);
        if (sac_spin(has_news, pool, SPIN_NS))
            continue;
        /* Sequentially consistent with wake: either it sees this sleeper, or this sees its
         * ticket. */
        pthread_mutex_lock(&pool->lock);
        atomic_fetch_add(&pool->sleepers, 1);
        while (!has_news(pool))
            pthread_cond_wait(&pool->wake, &pool->lock);
        atomic_fetch_sub(&pool->sleepers, 1);
        pthread_mutex_unlock(&pool->lock);
    }
    return NULL;
}

/* As many as there are tasks for, beside the caller and those that are awake: waking one takes a
 * microsecond or more. Who is not woken is not missed: the caller takes what is left. */
static void wake(sac_pool *pool, int32_t n_tasks)
{
    const int32_t asleep = atomic_load(&pool->sleepers);
    const int32_t wanted = n_tasks - 1 - (pool->n_started - asleep);
    if (asleep == 0 || wanted <= 0)
        return;
    pthread_mutex_lock(&pool->lock);
    if (wanted >= asleep)
        pthread_cond_broadcast(&pool->wake);
    else
        for (int32_t i = 0; i < wanted; i++)
            pthread_cond_signal(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

static bool start_workers(sac_pool *pool)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    while (pool->n_started < pool->n_threads - 1 &&
           sac_system_thread(&pool->thread[pool->n_started], &attributes, -1, worker, pool) == 0)
        pool->n_started++;
    (void)pthread_attr_destroy(&attributes);
    return pool->n_started == pool->n_threads - 1;
}

sac_status sac_pool_open(sac_pool **out, int32_t n_threads, const sac_executor *executor,
                         sac_error *err)
{
    *out = NULL;
    if (executor && (!executor->parallel || executor->n_threads < 1))
        return sac_fail(err, SAC_E_INVALID, "executor: needs a parallel function and threads");
    if (n_threads < 0 || n_threads > MAX_THREADS)
        return sac_fail(err, SAC_E_INVALID, "threads: expected 0 to %d, got %d", MAX_THREADS,
                        n_threads);
    if (n_threads == 0)
        n_threads = sac_cpu_count() < MAX_THREADS ? sac_cpu_count() : MAX_THREADS;
    size_t n_slots = executor ? 0 : (size_t)(n_threads - 1);
    sac_pool *pool = sac_alloc(1, sizeof *pool + n_slots * sizeof pool->thread[0]);
    if (!pool)
        return sac_fail(err, SAC_E_NOMEM, "threads: no memory for a pool of %d", n_threads);
    pool->n_threads = n_threads;
    if (executor) {
        pool->executor = *executor;
        pool->n_threads = executor->n_threads;
        *out = pool;
        return SAC_OK;
    }
    pool->has_lock = !pthread_mutex_init(&pool->lock, NULL);
    pool->has_wake = pool->has_lock && !pthread_cond_init(&pool->wake, NULL);
    if (!pool->has_wake)
        goto fail;
    if (!start_workers(pool))
        goto fail;
    *out = pool;
    return SAC_OK;
fail:
    sac_fail(err, SAC_E_NOMEM, "threads: the system gave %d of %d threads", pool->n_started + 1,
             n_threads);
    sac_pool_close(&pool);
    return SAC_E_NOMEM;
}

int32_t sac_pool_threads(const sac_pool *pool)
{
    return pool->n_threads;
}

void sac_pool_run(sac_pool *pool, int32_t n_tasks, sac_task_fn task, void *arg)
{
    if (pool->executor.parallel) {
        pool->executor.parallel(pool->executor.ctx, n_tasks, task, arg);
        return;
    }
    if (pool->n_threads == 1 || n_tasks <= 1) {
        for (int32_t i = 0; i < n_tasks; i++)
            task(arg, i);
        return;
    }
    pool->task = task;
    pool->arg = arg;
    atomic_store_explicit(&pool->done, 0, memory_order_relaxed);
    uint64_t job = (atomic_load_explicit(&pool->ticket, memory_order_relaxed) >> 2 * TASK_BITS) + 1;
    atomic_store(&pool->ticket, job << 2 * TASK_BITS | (uint64_t)n_tasks << TASK_BITS);
    wake(pool, n_tasks);
    work(pool);
    /* Acquire pairs with the release add in work(): all tasks' writes are visible from here on. */
    for (uint32_t spins = 0; atomic_load_explicit(&pool->done, memory_order_acquire) < n_tasks;
         spins++) {
        if (spins < 4096)
            sac_relax();
        else
            sched_yield(); /* more threads than cores: let the last one finish */
    }
}

void sac_pool_close(sac_pool **pool)
{
    if (!pool || !*pool)
        return;
    sac_pool *p = *pool;
    if (p->has_wake) {
        pthread_mutex_lock(&p->lock);
        atomic_store(&p->quit, true);
        pthread_cond_broadcast(&p->wake);
        pthread_mutex_unlock(&p->lock);
        for (int32_t i = 0; i < p->n_started; i++)
            pthread_join(p->thread[i], NULL);
        pthread_cond_destroy(&p->wake);
    }
    if (p->has_lock)
        pthread_mutex_destroy(&p->lock);
    sac_free(p);
    *pool = NULL;
}
