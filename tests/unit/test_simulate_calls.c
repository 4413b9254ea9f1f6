/*
 * Calls of the ultrasound simulator: noise, threads, what lies outside of records, refusals.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "refusal.h"
#include "simulated.h"

static void simulate_noise_lies_where_it_should(void **state)
{
    (void)state;
    sac_acquisition a = an_array(false);
    set_transmit(SAC_TRANSMIT_ELEMENT, &a, false);
    scatterer = (sac_scatterer){{0, 0, 40e-3}, 1};
    sac_ultrasound_desc desc = a_desc(&a);
    simulate(&desc);
    double peak = 0, power = 0, lag = 0;
    for (int32_t r = 0; r < N_ARRAY; r++)
        peak = fmax(peak, (double)largest(r));
    desc.noise_db = 30;
    desc.seed = 7;
    simulate(&desc);
    const int32_t quiet = 600; /* samples before the echo */
    for (int32_t r = 0; r < N_ARRAY; r++)
        for (int32_t j = 0; j < quiet; j++) {
            double x = (double)record[r * N_SAMPLES + j];
            power += x * x;
            lag += j > 0 ? x * (double)record[r * N_SAMPLES + j - 1] : 0;
        }
    /* 38,400 samples: the power is known to 0.7 %. */
    assert_near(10 * log10(power / (N_ARRAY * quiet)), 20 * log10(peak) - 30, 0.1);
    assert_true(fabs(lag / power) < 0.02);
    float before = record[0];
    desc.seed = 8;
    simulate(&desc);
    assert_true(before != record[0]);
}

static void simulate_at_any_number_of_threads_gives_the_same_bytes(void **state)
{
    (void)state;
    enum { N = 150 };
    static sac_scatterer scatterers[N];
    static float first[N_ARRAY * N_SAMPLES];
    sac_phantom_desc phantom;
    sac_phantom_desc_init(&phantom);
    phantom.kind = SAC_PHANTOM_CYST;
    phantom.n_scatterers = N - 4;
    assert_int_equal(sac_phantom_count(&phantom), N);
    sac_phantom_fill(scatterers, &phantom);
    sac_acquisition a = an_array(false);
    set_transmit(SAC_TRANSMIT_PLANE, &a, false);
    sac_ultrasound_desc desc = a_desc(&a);
    desc.scatterers = scatterers;
    desc.n_scatterers = N;
    desc.noise_db = 40;
    for (int32_t threads = 1; threads <= 7; threads += 2) {
        desc.n_threads = threads;
        simulate(&desc);
        if (threads == 1)
            memcpy(first, record, sizeof first);
        assert_memory_equal(first, record, sizeof first);
    }
}

static void simulate_outside_the_record_stays_silent(void **state)
{
    (void)state;
    sac_acquisition a = an_array(false);
    for (int early = 0; early < 2; early++) {
        set_transmit(SAC_TRANSMIT_PLANE, &a, false);
        transmit.t0_s = early ? -500e-6 : 500e-6;
        scatterer = (sac_scatterer){{0, 0, 20e-3}, 1};
        sac_ultrasound_desc desc = a_desc(&a);
        simulate(&desc);
        for (int32_t r = 0; r < N_ARRAY; r++)
            assert_true(largest(r) == 0);
    }
}

static bool stop(void *ctx, uint64_t done, uint64_t total)
{
    assert_true(done <= total);
    return --*(int *)ctx > 0;
}

static void simulate_cancelled_says_so(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_acquisition a = an_array(false);
    set_transmit(SAC_TRANSMIT_PLANE, &a, false);
    sac_ultrasound_desc desc = a_desc(&a);
    int calls = 1;
    desc.progress = stop;
    desc.progress_ctx = &calls;
    assert_int_equal(run(&desc, &err), SAC_CANCELLED);
    assert_int_equal(calls, 0);
}

static void assert_refused(const sac_ultrasound_desc *desc, const char *word)
{
    sac_error err = {0};
    sac_status came = run(desc, &err);
    assert_failed(came, SAC_E_INVALID, &err, word);
}

static void simulate_bad_input_is_refused_by_name(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_acquisition a = an_array(false);
    set_transmit(SAC_TRANSMIT_PLANE, &a, false);
    scatterer = (sac_scatterer){{0, 0, 20e-3}, 1};
    sac_ultrasound_desc desc = a_desc(&a), good = desc;
    const sac_acquisition sound = a;
    desc.n_scatterers = 0;
    assert_refused(&desc, "scatterers");
    desc = good;
    desc.attenuation_db_cm_mhz = NAN;
    assert_refused(&desc, "attenuation");
    desc = good;
    desc.noise_db = -1;
    assert_refused(&desc, "noise");
    desc = good;
    desc.struct_size = 1;
    assert_refused(&desc, "struct_size");
    desc = good;
    desc.elevation_focus_m = -1;
    assert_refused(&desc, "elevation_focus_m: expected 0 to");
    desc.elevation_focus_m = 20e-3;
    assert_refused(&desc, "element 0 has no height");
    desc = good;
    scatterer.position_m[1] = INFINITY;
    assert_refused(&desc, "scatterer 0");
    scatterer.position_m[1] = 1e12;
    assert_refused(&desc, "too long");
    scatterer.position_m[1] = 0;
    a.bandwidth = 1e-9;
    assert_refused(&desc, "bandwidth");
    a = sound;
    a.fs_hz = 1;
    assert_refused(&desc, "fs");
    a = sound;
    transmit.kind = SAC_TRANSMIT_ARRIVALS;
    transmit.arrivals_s = delays;
    assert_refused(&desc, "arrivals");
    set_transmit(SAC_TRANSMIT_PLANE, &a, false);
    transmit.t0_s = 1e30;
    assert_refused(&desc, "too long");
    set_transmit(SAC_TRANSMIT_PLANE, &a, false);
    const int64_t shape[3] = {1, N_ARRAY, N_SAMPLES - 1};
    sac_array out;
    assert_ok(sac_array_view(&out, record, SAC_F32, 3, shape, &err), &err);
    assert_failed(sac_simulate_ultrasound(&out, &desc, &err), SAC_E_SHAPE, &err, "out");
}

static void simulate_without_memory_is_refused(void **state)
{
    (void)state;
    sac_acquisition a = an_array(false);
    set_transmit(SAC_TRANSMIT_PLANE, &a, false);
    sac_ultrasound_desc desc = a_desc(&a);
    for (int n = 0;; n++) {
        sac_error err = {0};
        refuse_from(n);
        sac_status came = run(&desc, &err);
        sac_alloc_hook(NULL);
        if (came == SAC_OK)
            return;
        assert_failed(came, SAC_E_NOMEM, &err, "memory");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulate_noise_lies_where_it_should),
        cmocka_unit_test(simulate_at_any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(simulate_outside_the_record_stays_silent),
        cmocka_unit_test(simulate_cancelled_says_so),
        cmocka_unit_test(simulate_bad_input_is_refused_by_name),
        cmocka_unit_test(simulate_without_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
