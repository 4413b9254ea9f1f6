/*
 * The energy of a GPU, counted by a library in NVML's place: what is measured, and what is absent.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include "ladder/energy.h"

#define SECONDS 0.02

typedef struct worker {
    int64_t calls;
    sac_status status;
} worker;

static sac_status work(void *ctx)
{
    worker *w = ctx;
    w->calls++;
    return w->status;
}

static void energy_without_the_library_or_the_gpu_is_unsupported(void **state)
{
    (void)state;
    sac_energy *energy = NULL;
    assert_int_equal(sac_energy_open(&energy, "libno-such-nvml.so.1", "0000:01:00.0"),
                     SAC_E_UNSUPPORTED);
    assert_null(energy);
    assert_int_equal(sac_energy_open(&energy, "libc.so.6", "0000:01:00.0"), SAC_E_UNSUPPORTED);
    assert_int_equal(sac_energy_open(&energy, FAKE_NVML, "0000:05:00.0"), SAC_E_UNSUPPORTED);
    assert_int_equal(sac_energy_open(&energy, FAKE_NVML, "0000:02:00.0"), SAC_E_UNSUPPORTED);
    assert_null(energy);
    sac_energy_close(&energy);
}

/* The counter's steps are 100 J each, one a look. */
static void energy_of_work_is_the_counters(void **state)
{
    (void)state;
    sac_energy *energy = NULL;
    sac_energy_use use = {0};
    worker w = {0};
    assert_int_equal(sac_energy_open(&energy, FAKE_NVML, "0000:01:00.0"), SAC_OK);
    assert_int_equal(sac_energy_measure(&use, energy, work, &w, SECONDS), SAC_OK);
    assert_true(use.seconds >= SECONDS);
    assert_true(use.joules >= 100 && use.joules / 100 == (double)(int64_t)(use.joules / 100));
    assert_true(use.calls > 0 &&
                use.calls < w.calls); /* those before the first step do not count */
    const int64_t before = w.calls;
    assert_int_equal(sac_energy_measure(&use, energy, NULL, &w, SECONDS), SAC_OK); /* at rest */
    assert_true(use.joules >= 100);
    assert_int_equal(use.calls, 0);
    assert_int_equal(w.calls, before);
    sac_energy_close(&energy);
    assert_null(energy);
}

static void energy_of_work_that_fails_is_its_failure(void **state)
{
    (void)state;
    sac_energy *energy = NULL;
    sac_energy_use use = {0};
    worker w = {.status = SAC_E_DEVICE};
    assert_int_equal(sac_energy_open(&energy, FAKE_NVML, "0000:01:00.0"), SAC_OK);
    assert_int_equal(sac_energy_measure(&use, energy, work, &w, SECONDS), SAC_E_DEVICE);
    assert_int_equal(w.calls, 1);
    sac_energy_close(&energy);
}

static void energy_by_a_counter_that_fails_or_stands_still_is_unsupported(void **state)
{
    (void)state;
    sac_energy *energy = NULL;
    sac_energy_use use = {0};
    assert_int_equal(sac_energy_open(&energy, FAKE_NVML, "0000:03:00.0"), SAC_OK);
    assert_int_equal(sac_energy_measure(&use, energy, NULL, NULL, SECONDS), SAC_E_UNSUPPORTED);
    sac_energy_close(&energy);
    assert_int_equal(sac_energy_open(&energy, FAKE_NVML, "0000:04:00.0"), SAC_OK);
    assert_int_equal(sac_energy_measure(&use, energy, NULL, NULL, SECONDS), SAC_E_UNSUPPORTED);
    sac_energy_close(&energy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_without_the_library_or_the_gpu_is_unsupported),
        cmocka_unit_test(energy_of_work_is_the_counters),
        cmocka_unit_test(energy_of_work_that_fails_is_its_failure),
        cmocka_unit_test(energy_by_a_counter_that_fails_or_stands_still_is_unsupported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
