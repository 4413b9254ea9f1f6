/*
 * The pool: each task once, results visible, at 1, 2 and 7 threads, and through an executor.
 * Threads whose pace is measured.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/threads.h"
#include "base/together.h"

#define MAX_TASKS 1000

typedef struct job {
    int32_t count[MAX_TASKS]; /* plain: the pool's promise makes it visible */
    uint64_t round;
    uint64_t stamp[MAX_TASKS];
} job;

static job shared;

static void count_task(void *arg, int32_t i)
{
    job *j = arg;
    j->count[i]++;
    j->stamp[i] = j->round;
}

static void run_rounds(sac_pool *pool, int32_t n_rounds)
{
    static const int32_t sizes[] = {1, 2, 3, 7, 8, 64, 0, 1000, 5};
    memset(&shared, 0, sizeof shared);
    for (int32_t round = 1; round <= n_rounds; round++) {
        const int32_t n = sizes[round % (int32_t)(sizeof sizes / sizeof sizes[0])];
        memset(shared.count, 0, sizeof shared.count);
        shared.round = (uint64_t)round;
        sac_pool_run(pool, n, count_task, &shared);
        for (int32_t i = 0; i < MAX_TASKS; i++) {
            if (shared.count[i] != (i < n) || (i < n && shared.stamp[i] != (uint64_t)round))
                fail_msg("round %d of %d tasks: task %d ran %d times", round, n, i,
                         shared.count[i]);
        }
    }
}

static void run_each_task_once_at_any_number_of_threads(void **state)
{
    (void)state;
    static const int32_t threads[] = {1, 2, 7};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        sac_pool *pool = NULL;
        sac_error err = {0};
        assert_ok(sac_pool_open(&pool, threads[i], NULL, &err), &err);
        assert_int_equal(sac_pool_threads(pool), threads[i]);
        run_rounds(pool, 3000);
        sac_pool_close(&pool);
        assert_null(pool);
    }
}

static void add_task(void *arg, int32_t i)
{
    atomic_fetch_add_explicit((_Atomic int64_t *)arg, i, memory_order_relaxed);
}

static void run_the_most_tasks_that_are_allowed(void **state)
{
    (void)state;
    _Atomic int64_t sum = 0;
    sac_pool *pool = NULL;
    sac_error err = {0};
    assert_ok(sac_pool_open(&pool, 3, NULL, &err), &err);
    sac_pool_run(pool, SAC_POOL_MAX_TASKS, add_task, &sum);
    assert_int_equal(sum, (int64_t)SAC_POOL_MAX_TASKS * (SAC_POOL_MAX_TASKS - 1) / 2);
    sac_pool_close(&pool);
}

static void meet_task(void *arg, int32_t i)
{
    (void)i;
    (void)pthread_barrier_wait(arg);
}

static void run_as_many_tasks_as_threads_run_at_once(void **state)
{
    (void)state;
    pthread_barrier_t barrier;
    sac_pool *pool = NULL;
    sac_error err = {0};
    assert_int_equal(pthread_barrier_init(&barrier, NULL, 5), 0);
    assert_ok(sac_pool_open(&pool, 5, NULL, &err), &err);
    for (int round = 0; round < 100; round++)
        sac_pool_run(pool, 5, meet_task, &barrier); /* would never end, were they not */
    sac_pool_close(&pool);
    assert_int_equal(pthread_barrier_destroy(&barrier), 0);
}

/* Of the pool's seven some are asleep after a while. */
static void run_of_few_tasks_has_a_thread_for_each(void **state)
{
    (void)state;
    pthread_barrier_t barrier;
    sac_pool *pool = NULL;
    sac_error err = {0};
    assert_int_equal(pthread_barrier_init(&barrier, NULL, 3), 0);
    assert_ok(sac_pool_open(&pool, 7, NULL, &err), &err);
    for (int round = 0; round < 2000; round++)
        sac_pool_run(pool, 3, meet_task, &barrier);
    sac_pool_close(&pool);
    assert_int_equal(pthread_barrier_destroy(&barrier), 0);
}

static int n_parallel;

static void backwards(void *ctx, int32_t n_tasks, void (*task)(void *arg, int32_t i), void *arg)
{
    assert_ptr_equal(ctx, &n_parallel);
    n_parallel++;
    for (int32_t i = n_tasks - 1; i >= 0; i--)
        task(arg, i);
}

static void count_piece(void *arg, int32_t thread, int64_t k)
{
    (void)k;
    count_task(arg, thread);
}

/* A machine without a free CPU gives one thread's pieces at least. */
static void together_counts_the_pieces_of_its_threads(void **state)
{
    (void)state;
    static const int32_t threads[] = {1, 2, 7};
    for (size_t k = 0; k < sizeof threads / sizeof threads[0]; k++) {
        const sac_together work = {count_piece, &shared, threads[k], 1000000, 100000};
        sac_pace pace = {0};
        sac_error err = {0};
        memset(&shared, 0, sizeof shared);
        assert_ok(sac_together_measure(&pace, &work, &err), &err);
        int64_t n = 0;
        for (int32_t i = 0; i < MAX_TASKS; i++) {
            n += shared.count[i];
            assert_true(i < threads[k] || shared.count[i] == 0);
        }
        assert_true(n > 0 && pace.one_s > 0 && pace.all_s >= pace.one_s);
    }
}

static void run_with_an_executor_uses_it_alone(void **state)
{
    (void)state;
    const sac_executor executor = {backwards, &n_parallel, 3};
    sac_pool *pool = NULL;
    sac_error err = {0};
    assert_ok(sac_pool_open(&pool, 0, &executor, &err), &err);
    assert_int_equal(sac_pool_threads(pool), 3);
    n_parallel = 0;
    run_rounds(pool, 20);
    assert_int_equal(n_parallel, 20);
    sac_pool_close(&pool);
}

static void open_with_no_number_takes_every_core(void **state)
{
    (void)state;
    sac_pool *pool = NULL;
    sac_error err = {0};
    assert_ok(sac_pool_open(&pool, 0, NULL, &err), &err);
    assert_int_equal(sac_pool_threads(pool), sac_cpu_count());
    run_rounds(pool, 50);
    sac_pool_close(&pool);
}

static void open_with_bad_arguments_is_refused(void **state)
{
    (void)state;
    sac_pool *pool = (sac_pool *)&shared;
    sac_error err = {0};
    assert_failed(sac_pool_open(&pool, -1, NULL, &err), SAC_E_INVALID, &err, "-1");
    assert_null(pool);
    assert_failed(sac_pool_open(&pool, 1025, NULL, &err), SAC_E_INVALID, &err, "1025");
    const sac_executor none = {NULL, NULL, 3};
    assert_failed(sac_pool_open(&pool, 1, &none, &err), SAC_E_INVALID, &err, "executor");
    const sac_executor empty = {backwards, NULL, 0};
    assert_failed(sac_pool_open(&pool, 1, &empty, &err), SAC_E_INVALID, &err, "executor");
}

static bool refuse(size_t bytes)
{
    (void)bytes;
    return false;
}

static void open_without_memory_is_refused(void **state)
{
    (void)state;
    sac_pool *pool = NULL;
    sac_error err = {0};
    sac_alloc_hook(refuse);
    const sac_status status = sac_pool_open(&pool, 2, NULL, &err);
    sac_alloc_hook(NULL);
    assert_failed(status, SAC_E_NOMEM, &err, "memory");
    assert_null(pool);
}

static void close_again_is_harmless(void **state)
{
    (void)state;
    sac_pool *pool = NULL;
    sac_pool_close(NULL);
    sac_pool_close(&pool);
    sac_error err = {0};
    assert_ok(sac_pool_open(&pool, 2, NULL, &err), &err);
    sac_pool_close(&pool);
    sac_pool_close(&pool);
    assert_null(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_each_task_once_at_any_number_of_threads),
        cmocka_unit_test(run_the_most_tasks_that_are_allowed),
        cmocka_unit_test(run_as_many_tasks_as_threads_run_at_once),
        cmocka_unit_test(run_of_few_tasks_has_a_thread_for_each),
        cmocka_unit_test(together_counts_the_pieces_of_its_threads),
        cmocka_unit_test(run_with_an_executor_uses_it_alone),
        cmocka_unit_test(open_with_no_number_takes_every_core),
        cmocka_unit_test(open_with_bad_arguments_is_refused),
        cmocka_unit_test(open_without_memory_is_refused),
        cmocka_unit_test(close_again_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
