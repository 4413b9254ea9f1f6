/*
 * Batches: every part once and in order, whatever the workers do, whichever of them are lost, and
 * however many processes share them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include <saccade/batch.h>

#include "base/error.h"
#include "base/random.h"
#include "batch/batch.h"

enum { MOST = 400 };

typedef struct job {
    int64_t n_items, n_part;
    _Atomic int32_t worked[MOST], n_open; /* items; states */
    int32_t taken[MOST];                  /* results that were taken, of items */
    int64_t last;                         /* part whose result was taken */
    bool in_order, is_skipping;
    int64_t fails_at;     /* a part; -1: none */
    sac_status status;    /* with this */
    _Atomic int32_t lose; /* workers that fail before long */
    int32_t n_lost;
    _Atomic int32_t n_telling; /* calls of done and lost */
    bool is_slow, met;         /* done takes a while; two of these calls were at a time */
} job;

static sac_status open_state(void *ctx, void **worker, sac_device device, sac_error *err)
{
    job *j = ctx;
    (void)device, (void)err;
    *worker = &j->worked; /* anything but NULL */
    atomic_fetch_add(&j->n_open, 1);
    return SAC_OK;
}

static void close_state(void *ctx, void *worker)
{
    job *j = ctx;
    assert_ptr_equal(worker, &j->worked);
    atomic_fetch_sub(&j->n_open, 1);
}

static bool is_wanted(void *ctx, const sac_batch_part *part)
{
    const job *j = ctx;
    return !j->is_skipping || part->index % 3 != 0;
}

static sac_status work(void *ctx, void *worker, const sac_batch_part *part, sac_error *err)
{
    job *j = ctx;
    assert_ptr_equal(worker, &j->worked);
    if (part->index > 2 && atomic_fetch_sub(&j->lose, 1) > 0)
        return sac_fail(err, SAC_E_DEVICE, "lost");
    if (part->index == j->fails_at) {
        snprintf(err->text, sizeof err->text, "part %d", (int)part->index);
        return j->status;
    }
    for (int64_t i = part->first; i < part->first + part->n; i++)
        atomic_fetch_add(&j->worked[i], 1);
    return SAC_OK;
}

static void tell(job *j)
{
    if (atomic_fetch_add(&j->n_telling, 1) > 0)
        j->met = true;
    for (int i = 0; i < 200 && j->is_slow; i++)
        sched_yield();
    atomic_fetch_sub(&j->n_telling, 1);
}

static sac_status done(void *ctx, void *worker, const sac_batch_part *part, sac_error *err)
{
    job *j = ctx;
    (void)worker, (void)err;
    tell(j);
    j->in_order = j->in_order && part->index > j->last && part->first == part->index * j->n_part;
    j->last = part->index;
    for (int64_t i = part->first; i < part->first + part->n; i++)
        j->taken[i]++;
    return SAC_OK;
}

static void lost(void *ctx, sac_device device, const sac_error *why)
{
    job *j = ctx;
    assert_int_equal(device.kind, SAC_DEVICE_CPU);
    assert_string_equal(why->text, "lost");
    tell(j);
    j->n_lost++;
}

static sac_batch_desc desc_of(job *j, int32_t n_workers)
{
    sac_batch_desc d;
    sac_batch_desc_init(&d);
    j->in_order = true;
    j->last = -1;
    d.n_items = j->n_items, d.n_part_items = j->n_part, d.n_workers = n_workers, d.ctx = j;
    d.open = open_state, d.work = work, d.done = done, d.close = close_state;
    d.is_wanted = is_wanted, d.lost = lost;
    return d;
}

static sac_status run(const sac_batch_desc *d, sac_error *err)
{
    sac_batch *batch = NULL;
    sac_status st = sac_batch_open(&batch, d, err);
    st = st ? st : sac_batch_run(batch, err);
    sac_batch_close(&batch);
    assert_null(batch);
    return st;
}

static void batch_any_shape_does_every_item_once_and_in_order(void **state)
{
    (void)state;
    for (int k = 0; k < 200; k++) {
        job j = {.fails_at = -1};
        sac_error err = {0};
        j.n_items = 1 + (int64_t)(sac_random(7, 2 * (uint64_t)k) % MOST);
        j.n_part = 1 + (int64_t)(sac_random(7, 2 * (uint64_t)k + 1) % 40);
        j.is_skipping = k % 4 == 0;
        const int32_t n_ranks = 1 + k % 3;
        for (int32_t rank = 0; rank < n_ranks; rank++) {
            sac_batch_desc d = desc_of(&j, 1 + k % 5);
            d.rank = rank, d.n_ranks = n_ranks;
            assert_ok(run(&d, &err), &err);
            assert_true(j.in_order);
            assert_int_equal(j.n_open, 0);
        }
        for (int64_t i = 0; i < j.n_items; i++) {
            const int32_t wanted = !j.is_skipping || i / j.n_part % 3 != 0;
            assert_int_equal(j.worked[i], wanted);
            assert_int_equal(j.taken[i], wanted);
        }
    }
}

static void batch_failure_ends_the_run_and_nothing_after_it_is_taken(void **state)
{
    (void)state;
    for (int k = 0; k < 60; k++) {
        job j = {.n_items = 100, .n_part = 5, .fails_at = k % 20, .status = SAC_E_FORMAT};
        sac_error err = {0};
        const sac_batch_desc d = desc_of(&j, 1 + k % 4);
        assert_int_equal(run(&d, &err), SAC_E_FORMAT);
        assert_int_equal(err.status, SAC_E_FORMAT);
        char text[16];
        snprintf(text, sizeof text, "part %d", k % 20);
        assert_string_equal(err.text, text);
        assert_true(j.in_order && j.last < j.fails_at);
        assert_int_equal(j.n_open, 0);
    }
}

static void batch_parts_of_lost_workers_are_done_by_the_others(void **state)
{
    (void)state;
    for (int k = 0; k < 100; k++) {
        job j = {.n_items = 120, .n_part = 1 + k % 7, .fails_at = -1, .lose = k % 5};
        sac_error err = {0};
        const sac_batch_desc d = desc_of(&j, 5);
        assert_ok(run(&d, &err), &err);
        for (int64_t i = 0; i < j.n_items; i++)
            assert_int_equal(j.taken[i], 1);
        assert_true(j.in_order && j.n_lost == 0 && j.n_open == 0);
    }
}

static void batch_losses_are_told_one_at_a_time_and_during_no_done(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        job j = {.n_items = 60, .n_part = 2, .fails_at = -1, .lose = 4, .is_slow = true};
        sac_error err = {0};
        sac_batch *batch = NULL;
        const sac_batch_desc d = desc_of(&j, 5);
        assert_ok(sac_batch_open(&batch, &d, &err), &err);
        for (int32_t i = 0; i < 5; i++) /* as if each had a device of its own */
            batch->workers[i].device.index = i;
        assert_ok(sac_batch_run(batch, &err), &err);
        assert_int_equal(sac_batch_get_workers(batch), 1);
        sac_batch_close(&batch);
        for (int64_t i = 0; i < j.n_items; i++)
            assert_int_equal(j.taken[i], 1);
        assert_true(j.in_order && j.n_lost == 4 && !j.met);
    }
}

static sac_status open_half(void *ctx, void **worker, sac_device device, sac_error *err)
{
    const sac_status st = open_state(ctx, worker, device, err);
    return st ? st : sac_fail(err, SAC_E_NOMEM, "half");
}

static void batch_state_of_an_open_that_failed_is_closed(void **state)
{
    job j = {.n_items = 5, .n_part = 1, .fails_at = -1};
    sac_error err = {0};
    sac_batch *batch = NULL;
    sac_batch_desc d = desc_of(&j, 3);
    (void)state;
    d.open = open_half;
    assert_failed(sac_batch_open(&batch, &d, &err), SAC_E_NOMEM, &err, "half");
    assert_null(batch);
    assert_int_equal(j.n_open, 0);
}

static void batch_last_worker_that_is_lost_ends_the_run(void **state)
{
    job j = {.n_items = 120, .n_part = 1, .fails_at = -1, .lose = 3};
    sac_error err = {0};
    sac_batch *batch = NULL;
    const sac_batch_desc d = desc_of(&j, 3);
    (void)state;
    assert_ok(sac_batch_open(&batch, &d, &err), &err);
    assert_failed(sac_batch_run(batch, &err), SAC_E_DEVICE, &err, "lost");
    assert_true(j.in_order && j.last < 119);
    sac_batch_close(&batch);
    assert_int_equal(j.n_open, 0);
}

static void batch_may_run_again(void **state)
{
    job j = {.n_items = 50, .n_part = 3, .fails_at = 9, .status = SAC_CANCELLED};
    sac_error err = {0};
    sac_batch *batch = NULL;
    const sac_batch_desc d = desc_of(&j, 3);
    (void)state;
    assert_ok(sac_batch_open(&batch, &d, &err), &err);
    assert_int_equal(sac_batch_get_workers(batch), 3);
    assert_int_equal(sac_batch_run(batch, &err), SAC_CANCELLED);
    j.fails_at = j.last = -1;
    memset(j.taken, 0, sizeof j.taken);
    assert_ok(sac_batch_run(batch, &err), &err);
    for (int64_t i = 0; i < j.n_items; i++)
        assert_int_equal(j.taken[i], 1);
    sac_batch_close(&batch);
}

static void batch_what_makes_no_sense_is_refused(void **state)
{
    job j = {.n_items = 5, .n_part = 1, .fails_at = -1};
    const sac_batch_desc good = desc_of(&j, 1);
    sac_batch *batch = NULL;
    sac_error err = {0};
    (void)state;
    for (int k = 0; k < 8; k++) {
        sac_batch_desc d = good;
        if (k == 0)
            d.work = NULL;
        else if (k == 1)
            d.n_items = 0;
        else if (k == 2)
            d.n_part_items = 0;
        else if (k == 3)
            d.n_workers = 17;
        else if (k == 4)
            d.rank = 1;
        else if (k == 5)
            d.n_ranks = 0;
        else if (k == 6)
            d.device = (sac_device){SAC_DEVICE_CUDA_SET, 0};
        else
            d.device.kind = (sac_device_kind)9;
        assert_int_equal(sac_batch_open(&batch, &d, &err), SAC_E_INVALID);
        assert_null(batch);
    }
    assert_int_equal(sac_batch_open(NULL, &good, &err), SAC_E_INVALID);
    assert_int_equal(sac_batch_open(&batch, NULL, &err), SAC_E_INVALID);
    assert_int_equal(sac_batch_run(NULL, &err), SAC_E_INVALID);
    assert_int_equal(sac_batch_get_workers(NULL), 0);
    sac_batch_close(NULL);
    sac_batch_close(&batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batch_any_shape_does_every_item_once_and_in_order),
        cmocka_unit_test(batch_failure_ends_the_run_and_nothing_after_it_is_taken),
        cmocka_unit_test(batch_parts_of_lost_workers_are_done_by_the_others),
        cmocka_unit_test(batch_losses_are_told_one_at_a_time_and_during_no_done),
        cmocka_unit_test(batch_state_of_an_open_that_failed_is_closed),
        cmocka_unit_test(batch_last_worker_that_is_lost_ends_the_run),
        cmocka_unit_test(batch_may_run_again),
        cmocka_unit_test(batch_what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
