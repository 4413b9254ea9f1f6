/*
 * The pace of threads, cell by cell of the time: nobody waits for anybody, since on a busy machine
 * who waits loses its turn.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/together.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include <saccade/device.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/system.h"

#define MAX_THREADS 1024
#define MAX_CPUS 4096 /* numbers that are tried */
#define LATE 4        /* as many times the time a thread may come late, at most */

typedef struct shared {
    const sac_together *work;
    int64_t n_cells;
    _Atomic int64_t begin_ns; /* when the first thread came; 0: none has */
    _Atomic int64_t
        last_ns; /* how long after it the last one came; stored before n_come counts it */
    _Atomic int32_t n_come;
} shared;

typedef struct worker {
    shared *of;
    int32_t i;
    double *cells; /* pieces done in each */
    pthread_t thread;
} worker;

sac_status sac_together_count(int32_t *n_threads, sac_error *err)
{
    if (*n_threads < 0 || *n_threads > MAX_THREADS)
        return sac_fail(err, SAC_E_INVALID, "threads: expected 0 to %d, got %d", MAX_THREADS,
                        *n_threads);
    if (*n_threads == 0)
        *n_threads = sac_cpu_count() < MAX_THREADS ? sac_cpu_count() : MAX_THREADS;
    return SAC_OK;
}

/* A piece that took from then to then, over the cells that it lies in. */
static void spread(const worker *w, int64_t from_ns, int64_t to_ns)
{
    const int64_t cell_ns = w->of->work->cell_ns;
    const double share = 1 / (double)(to_ns > from_ns ? to_ns - from_ns : 1);
    for (int64_t c = from_ns / cell_ns; c < w->of->n_cells && c * cell_ns < to_ns; c++) {
        const int64_t begin = c * cell_ns > from_ns ? c * cell_ns : from_ns;
        const int64_t end = (c + 1) * cell_ns < to_ns ? (c + 1) * cell_ns : to_ns;
        w->cells[c] += share * (double)(end - begin);
    }
}

/* The time is over: all were there for so long, or those who were there have waited enough. */
static bool is_over(shared *of, int64_t at_ns)
{
    const int64_t ns = of->work->ns;
    /* Acquire: with all of them counted, last_ns is final. */
    if (atomic_load_explicit(&of->n_come, memory_order_acquire) < of->work->n_threads)
        return at_ns >= LATE * ns;
    return at_ns >= atomic_load_explicit(&of->last_ns, memory_order_relaxed) + ns;
}

static void *run(void *arg)
{
    worker *w = arg;
    const sac_together *work = w->of->work;
    int64_t begin_ns = 0, now_ns = sac_clock_ns();
    /* Relaxed: a time by itself, that tells of nothing else. */
    if (atomic_compare_exchange_strong_explicit(&w->of->begin_ns, &begin_ns, now_ns,
                                                memory_order_relaxed, memory_order_relaxed))
        begin_ns = now_ns;
    int64_t at_ns = now_ns > begin_ns ? now_ns - begin_ns : 0;
    int64_t last_ns = atomic_load_explicit(&w->of->last_ns, memory_order_relaxed);
    while (at_ns > last_ns && at_ns < LATE * work->ns &&
           !atomic_compare_exchange_weak_explicit(&w->of->last_ns, &last_ns, at_ns,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
    /* Release: last_ns before the count. */
    atomic_fetch_add_explicit(&w->of->n_come, 1, memory_order_release);
    for (int64_t k = 0; !is_over(w->of, at_ns); k++) {
        work->piece(work->arg, w->i, k);
        now_ns = sac_clock_ns() - begin_ns;
        spread(w, at_ns, now_ns);
        at_ns = now_ns;
    }
    return NULL;
}

static int start_on(worker *w, int32_t cpu)
{
    pthread_attr_t attributes;
    int failed = pthread_attr_init(&attributes);
    if (failed)
        return failed;
    failed = sac_system_thread(&w->thread, &attributes, cpu, run, w);
    (void)pthread_attr_destroy(&attributes);
    return failed;
}

/* On the first CPU from *cpu on where it may be, and *cpu is the next; anywhere where there is
 * none, or *cpu is -1. */
static int start(worker *w, int32_t *cpu)
{
    int failed = EINVAL;
    while (failed == EINVAL && *cpu >= 0 && *cpu < MAX_CPUS)
        failed = start_on(w, (*cpu)++);
    if (!failed)
        return 0;
    *cpu = -1;
    return start_on(w, -1);
}

static sac_pace find_pace(const worker *workers, const shared *of)
{
    double all = 0, one = 0;
    for (int64_t c = 0; c < of->n_cells; c++) {
        double sum = 0;
        for (int32_t i = 0; i < of->work->n_threads; i++) {
            const double n = workers[i].cells[c];
            one = n > one ? n : one;
            sum += n;
        }
        all = sum > all ? sum : all;
    }
    const double cell_s = 1e-9 * (double)of->work->cell_ns;
    return (sac_pace){all / cell_s, one / cell_s};
}

sac_status sac_together_measure(sac_pace *out, const sac_together *work, sac_error *err)
{
    shared of = {.work = work, .n_cells = (LATE + 1) * work->ns / work->cell_ns};
    const int32_t n = work->n_threads;
    worker *workers = sac_alloc((size_t)n, sizeof *workers);
    double *cells = sac_alloc((size_t)n * (size_t)of.n_cells, sizeof *cells);
    int32_t cpu = n == sac_cpu_count() ? 0 : -1, n_started = 0; /* else the system chooses best */
    bool is_started = workers && cells;
    for (int32_t i = 0; i < n && is_started; i++) {
        workers[i] = (worker){.of = &of, .i = i, .cells = cells + i * of.n_cells};
        is_started = start(&workers[i], &cpu) == 0;
        n_started += is_started;
    }
    for (int32_t i = 0; i < n_started; i++)
        pthread_join(workers[i].thread, NULL);
    if (is_started)
        *out = find_pace(workers, &of);
    sac_free(workers);
    sac_free(cells);
    return is_started ? SAC_OK
                      : sac_fail(err, SAC_E_NOMEM, "threads: no memory for %d that measure", n);
}
