/*
 * Links over networks with faults, in simulated time: what is shown is exact, what is lost comes
 * again, and strangers change nothing.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulation.h"

static const char secret[] = "correct horse battery staple";
static const SimFaults none = {.delay_ns = 5 * SAC_MS};
/* A round trip of 40 ms. */
static const SimFaults bad = {
    .loss = 0.05, .duplicate = 0.02, .delay_ns = 10 * SAC_MS, .jitter_ns = 20 * SAC_MS};

/* A failure says what the run was. */
static void print(const Sim *sim, int end)
{
    const sac_link_counts c = sim_counts(sim, end);
    printf("seed %llu, receiver %d: %d of %d frames shown, %d wrong, %d refused, longest gap %lld "
           "ms, clock %lld us; lost %llu, repaired %llu (fragments %llu, 99 %% in %llu ms), "
           "duplicates %llu, late %llu, damaged %llu, foreign %llu, keys %llu; resent %llu, rtt "
           "%.1f ms\n",
           (unsigned long long)sim->seed, end, sim->ends[end].shown, sim->n_frames,
           sim->ends[end].wrong, sim->ends[end].refused,
           (long long)(sim->ends[end].gap_ns / SAC_MS),
           (long long)(sim->ends[end].worst_clock_ns / 1000), (unsigned long long)c.lost,
           (unsigned long long)c.repaired, (unsigned long long)c.repaired_parts,
           (unsigned long long)c.repair_p99_ms, (unsigned long long)c.duplicates,
           (unsigned long long)c.late, (unsigned long long)c.damaged, (unsigned long long)c.foreign,
           (unsigned long long)c.key_requests, (unsigned long long)sim_counts(sim, 0).resent,
           (double)c.rtt_ns / 1e6);
}

static void clean_network_shows_every_frame(void **state)
{
    Sim sim;
    (void)state;
    sim_open(&sim, 1, &none, NULL);
    sim_join(&sim, 1);
    sim_run(&sim, 10);
    print(&sim, 1);
    assert_int_equal(sim.ends[1].wrong, 0);
    assert_true(sim.ends[1].shown >= sim.n_frames - 5);
    assert_int_equal(sim_counts(&sim, 0).resent, 0);
    assert_int_equal(sim_counts(&sim, 1).lost, 0);
    assert_true(sim.ends[1].worst_clock_ns < SAC_MS); /* one clock is an hour ahead */
    sim_close(&sim);
}

static void bad_network_repairs_99_of_100_losses_in_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        Sim sim;
        sim_open(&sim, seed, &bad, seed == 1 ? secret : NULL);
        sim_join(&sim, 1);
        sim_run(&sim, 60);
        print(&sim, 1);
        const sac_link_counts c = sim_counts(&sim, 1);
        assert_int_equal(sim.ends[1].wrong, 0);
        assert_true(c.repaired_parts > 100);
        assert_true(c.repair_p99_ms <= 2 * 40 + 100);
        assert_true(100 * c.lost <= c.repaired + c.lost);
        assert_true(100 * sim.ends[1].shown >= 98 * sim.n_frames);
        sim_close(&sim);
    }
}

static void damaged_messages_are_lost_ones(void **state)
{
    const SimFaults faults = {.damage = 0.05, .delay_ns = 5 * SAC_MS, .jitter_ns = 5 * SAC_MS};
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        Sim sim;
        sim_open(&sim, seed, &faults, seed == 1 ? secret : NULL);
        sim_join(&sim, 1);
        sim_run(&sim, 20);
        print(&sim, 1);
        assert_int_equal(sim.ends[1].wrong, 0);
        assert_true(sim_counts(&sim, 1).damaged + sim_counts(&sim, 1).foreign > 0);
        assert_true(sim.ends[1].shown >= sim.n_frames - sim.ends[1].first - 10);
        sim_close(&sim);
    }
}

static void outages_of_2_seconds_end_with_a_keyframe(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        Sim sim;
        sim_open(&sim, seed, seed % 2 ? &none : &bad, NULL);
        sim_join(&sim, 1);
        for (int i = 0; i < 4; i++) {
            sim_run(&sim, 3);
            sim.is_out = true;
            sim_run(&sim, 2);
            sim.is_out = false;
            const int before = sim.ends[1].shown;
            sim_run(&sim, 1.5);
            assert_true(sim.ends[1].shown > before);
        }
        sim_run(&sim, 3);
        print(&sim, 1);
        assert_int_equal(sim.ends[1].wrong, 0);
        assert_true(sim.ends[1].gap_ns < 3500 * SAC_MS);
        sim_close(&sim);
    }
}

static void short_outages_are_bridged(void **state)
{
    Sim sim;
    (void)state;
    sim_open(&sim, 5, &none, NULL);
    sim_join(&sim, 1);
    for (int i = 0; i < 10; i++) {
        sim_run(&sim, 1);
        sim.is_out = true;
        sim_run(&sim, 0.1);
        sim.is_out = false;
    }
    sim_run(&sim, 1);
    print(&sim, 1);
    assert_int_equal(sim.ends[1].wrong, 0);
    assert_int_equal(sim_counts(&sim, 1).lost, 0); /* 200 ms of latency are enough */
    assert_true(sim.ends[1].shown >= sim.n_frames - 5);
    sim_close(&sim);
}

static void late_joiner_and_leaver_leave_others_alone(void **state)
{
    Sim sim;
    (void)state;
    sim_open(&sim, 6, &bad, NULL);
    sim_join(&sim, 1);
    sim_run(&sim, 5);
    sim_join(&sim, 2);
    sim_run(&sim, 5);
    assert_int_equal(sim_counts(&sim, 0).clients, 2);
    assert_true(sim.ends[2].shown > 130);
    assert_int_equal(sim.ends[2].wrong, 0);
    sim_leave(&sim, 2);
    sim_run(&sim, 5);
    print(&sim, 1);
    assert_int_equal(sim_counts(&sim, 0).clients, 1);
    assert_int_equal(sim.ends[1].wrong, 0);
    assert_true(100 * sim.ends[1].shown >= 98 * sim.n_frames - 500);
    sim_join(&sim, 2); /* from the same address */
    sim_run(&sim, 3);
    assert_true(sim.ends[2].shown > 70);
    sim_close(&sim);
}

static void sender_keeps_no_more_than_two_seconds(void **state)
{
    Sim sim;
    (void)state;
    sim_open(&sim, 7, &bad, NULL);
    sim_join(&sim, 1);
    sim_run(&sim, 5);
    const int64_t early = sim.most_kept;
    sim_run(&sim, 40);
    assert_true(sim.most_kept < 2 * early);
    sim_close(&sim);
}

static void control_texts_arrive_once_and_in_order(void **state)
{
    Sim sim;
    char text[32];
    (void)state;
    sim_open(&sim, 8, &bad, NULL);
    sim_join(&sim, 1);
    sim_run(&sim, 1);
    for (int i = 0; i < 50; i++) {
        snprintf(text, sizeof text, "text %d", i);
        assert_true(sac_hub_control(sim.ends[1].hub, text));
        sim.ends[1].run_ns = sim.now_ns;
        sim_run(&sim, 0.2);
    }
    sim_run(&sim, 1);
    assert_int_equal(sim.ends[0].n_events[SAC_LINK_CONTROL], 50);
    assert_string_equal(sim.ends[0].control, "text 49");
    sim_close(&sim);
}

static void wrong_passphrase_is_refused_on_both_sides(void **state)
{
    Sim sim;
    (void)state;
    sim_open(&sim, 9, &none, secret);
    assert_true(sac_link_key_derive(&sim.key, "another horse battery", 21));
    sim_join(&sim, 1);
    sim_run(&sim, 1);
    assert_int_equal(sim.ends[1].shown, 0);
    assert_true(sim.ends[1].n_events[SAC_LINK_FAILED] > 0);
    assert_true(sim_counts(&sim, 0).refused > 0);
    assert_int_equal(sim_counts(&sim, 0).clients, 0);
    sim.key.is_on = false; /* and none */
    sim_leave(&sim, 1);
    sim_join(&sim, 1);
    sim_run(&sim, 1);
    assert_int_equal(sim.ends[1].shown, 0);
    assert_true(sim.ends[1].n_events[SAC_LINK_FAILED] > 0);
    sim_close(&sim);
}

/* Random bytes, random messages with a right head, and all that was ever sent, again. */
static void hostile_messages_change_nothing(void **state)
{
    const bool keyed = *(bool *)*state;
    uint8_t bytes[1200];
    Sim sim;
    sim_open(&sim, 10, &none, keyed ? secret : NULL);
    sim_join(&sim, 1);
    sim_run(&sim, 1);
    const int shown = sim.ends[1].shown, frames = sim.n_frames;
    for (int i = 0; i < 20000; i++) {
        const size_t n = 32 + (size_t)(sim_draw(&sim) * (sizeof bytes - 32));
        for (size_t k = 0; k < n; k++)
            bytes[k] = (uint8_t)(sim_draw(&sim) * 256);
        if (i % 4) {
            const sac_message m = {.type = (sac_message_type)(1 + (int)(sim_draw(&sim) * 13)),
                                   .size = (uint16_t)n,
                                   .number = (uint64_t)(sim_draw(&sim) * 1000),
                                   .connection =
                                       i % 2 ? sim.ends[1].hub->sessions[0]->connection : 0};
            sac_message_write(bytes, &m);
            if (i % 4 == 2)
                sac_seal_close(NULL, bytes, n, 0);
        }
        sim_inject(&sim, 1, 0, bytes, n);
        sim_inject(&sim, 0, 1, bytes, n);
        if (i % 20 == 0)
            sim_run(&sim, 0.002);
    }
    sim_run(&sim, 1);
    print(&sim, 1);
    assert_int_equal(sim.ends[1].wrong, 0);
    assert_int_equal(sim.ends[1].refused, 0);
    assert_int_equal(sim.ends[1].n_events[SAC_LINK_CONNECTED], 1);
    assert_int_equal(sim.ends[1].shown - shown, sim.n_frames - frames);
    assert_int_equal(sim_counts(&sim, 0).clients, 1);
    sim_close(&sim);
}

static void greeting_answers_with_no_more_bytes_than_it_got(void **state)
{
    (void)state;
    assert_true(SAC_CHALLENGE_BYTES <= SAC_HELLO_BYTES);
    assert_true(SAC_ACCEPT_BYTES <= SAC_HELLO_BYTES);
    assert_true(SAC_REFUSE_BYTES <= SAC_HELLO_BYTES);
}

static void count_packet(void *ctx, sac_link_packet *packet)
{
    ++*(int *)ctx;
    sac_link_packet_unref(packet);
}

/* A packet of two bytes in parts of one; the second part of it where it is to be whole. */
static void take_packet(sac_inflow *in, uint64_t number, bool is_whole)
{
    const uint8_t byte = 7;
    sac_fragment f = {.number = number, .size = 2, .part = 1, .bytes = &byte, .n = 1};
    sac_inflow_take(in, &f, 0);
    f.offset = 1;
    if (is_whole)
        sac_inflow_take(in, &f, 0);
}

static void whole_packet_behind_a_long_gap_is_delivered_at_once(void **state)
{
    (void)state;
    sac_inflow *in = malloc(sizeof *in);
    int n_delivered = 0;
    assert_non_null(in);
    sac_inflow_open(in, 200 * SAC_MS, false);
    in->deliver = count_packet;
    in->ctx = &n_delivered;
    take_packet(in, 345, true);
    assert_int_equal(n_delivered, 0);
    take_packet(in, 600, false); /* all below 600 + 1 - SAC_IN_PACKETS / 2 are given up */
    assert_int_equal(n_delivered, 1);
    sac_inflow_close(in);
    free(in);
}

static void clocks_of_any_time_are_compared(void **state)
{
    (void)state;
    sac_timing t = {0};
    int64_t offset_ns;
    sac_timing_add(&t, 0, INT64_MIN + 3, INT64_MIN + 3, 4); /* whose difference wraps */
    assert_true(sac_timing_offset(&t, &offset_ns));
    assert_true(offset_ns == INT64_MIN + 1);
    assert_int_equal(sac_timing_rtt(&t), 4);
}

int main(void)
{
    static bool yes = true, no = false;
    const bool has_keys = sac_sodium_is_there();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_network_shows_every_frame),
        cmocka_unit_test(bad_network_repairs_99_of_100_losses_in_time),
        cmocka_unit_test(damaged_messages_are_lost_ones),
        cmocka_unit_test(outages_of_2_seconds_end_with_a_keyframe),
        cmocka_unit_test(short_outages_are_bridged),
        cmocka_unit_test(late_joiner_and_leaver_leave_others_alone),
        cmocka_unit_test(sender_keeps_no_more_than_two_seconds),
        cmocka_unit_test(control_texts_arrive_once_and_in_order),
        cmocka_unit_test(whole_packet_behind_a_long_gap_is_delivered_at_once),
        cmocka_unit_test(clocks_of_any_time_are_compared),
        cmocka_unit_test(greeting_answers_with_no_more_bytes_than_it_got),
        cmocka_unit_test_prestate(hostile_messages_change_nothing, &no),
    };
    const struct CMUnitTest keyed[] = {
        cmocka_unit_test(wrong_passphrase_is_refused_on_both_sides),
        cmocka_unit_test_prestate(hostile_messages_change_nothing, &yes),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + (has_keys ? cmocka_run_group_tests(keyed, NULL, NULL) : 0);
}
