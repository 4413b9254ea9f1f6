/*
 * Which stream an assembler follows: its own behind a gap, another behind a silence, one with a
 * key, none that is forged.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_frame_assembler.h"

/* Counters leap as far as they can, in one stream after another. */
static void assembler_whose_counters_leap_stays_within_its_numbers(void **state)
{
    (void)state;
    uint8_t bytes[SAC_PACKET_HEADER + PIXELS];
    scene_sink sink = scene_open(W, H, 0);
    sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
    desc.silence_s = 0;
    sink.full = true;
    sac_frame_assembler *a = open_assembler(&desc);
    for (int i = 0; i < 9; i++) { /* the second of each is held, and taken with the third */
        sac_frame_packet p =
            a_part(i % 3 ? SAC_PACKET_MOST_COUNTER - 2 + (uint64_t)i % 3 : 0, 0, 1);
        p.stream += (uint64_t)(i / 3);
        assert_int_equal(give(a, bytes, write_part(bytes, &p, NULL), &home, i + 1),
                         i % 3 == 1 ? SAC_PACKET_FAR : SAC_PACKET_TAKEN);
        sac_frame_counts c = counts_of_assembler(a);
        assert_conserved(&c);
        assert_int_equal(c.lost, 0);
    }
    sac_frame_counts c = counts_of_assembler(a);
    assert_int_equal(c.expected, 9);
    assert_int_equal(c.refused, 9);
    assert_int_equal(c.streams, 6);

    /* The farthest that is a loss, again and again. */
    for (uint64_t i = 0; i < 80; i++) {
        sac_frame_packet p = a_part((i / 2 << 32) + i % 2, 0, 1);
        p.stream = 1;
        (void)give(a, bytes, write_part(bytes, &p, NULL), &home, 100);
        c = counts_of_assembler(a);
        assert_conserved(&c);
    }
    assert_int_equal(c.expected, 9 + (INT64_C(39) << 32) + 2);
    assert_int_equal(c.streams, 7);
    sac_frame_assembler_close(&a);
    scene_close(&sink);
}

/* Two streams that use the same counters: the second is taken up where the first is silent, and
 * has nothing of it. */
static void assembler_takes_up_another_stream_behind_a_silence(void **state)
{
    (void)state;
    const int64_t s = 1000000000;
    scene_sink sink = scene_open(W, H, 100);
    sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
    sac_frame_assembler *a = open_assembler(&desc);
    uint8_t bytes[SAC_PACKET_HEADER + PIXELS];
    sac_frame_packet p = a_part(50, 0, 2);
    assert_int_equal(give(a, bytes, write_part(bytes, &p, NULL), &home, 0), SAC_PACKET_TAKEN);
    p.stream++;
    assert_int_equal(give(a, bytes, write_part(bytes, &p, NULL), &home, s), SAC_PACKET_STRANGER);
    p.fragment = 1;
    assert_int_equal(give(a, bytes, write_part(bytes, &p, NULL), &elsewhere, s + 1),
                     SAC_PACKET_TAKEN);
    assert_int_equal(sink.frames, 0);
    p.fragment = 0;
    assert_int_equal(give(a, bytes, write_part(bytes, &p, NULL), &elsewhere, s + 2),
                     SAC_PACKET_TAKEN);
    assert_int_equal(sink.frames, 1);
    sac_frame_counts c = counts_of_assembler(a);
    assert_conserved(&c);
    assert_int_equal(c.streams, 2);
    assert_int_equal(c.expected, 2);
    assert_int_equal(c.incomplete, 1);
    sac_frame_assembler_close(&a);
    scene_close(&sink);
}

/* A copy of a packet with another counter, from the sender's own address: nothing is lost by it,
 * nothing stops, nothing more is expected, and the stream's next packets are taken. */
static void assembler_with_one_forged_counter_goes_on(void **state)
{
    (void)state;
    static const sac_packet_key key = {{42}};
    static const uint64_t counters[] = {SAC_PACKET_MOST_COUNTER, SAC_PACKET_MOST_COUNTER - 1,
                                        UINT64_C(1) << 40, 100000, 10 + 256 + 10};
    for (int keyed = 0; keyed <= sac_packet_can_use_key(); keyed++)
        for (size_t k = 0; k < sizeof counters / sizeof *counters; k++) {
            scene_sink sink = scene_open(W, H, 1000);
            sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
            desc.key = keyed ? &key : NULL;
            sac_frame_assembler *a = open_assembler(&desc);
            uint8_t bytes[SAC_PACKET_HEADER + PIXELS];
            for (uint64_t i = 0; i < 20; i++) {
                sac_frame_packet p = a_part(i, 0, 1), forged = a_part(counters[k], 0, 1);
                assert_int_equal(give(a, bytes, write_part(bytes, &p, desc.key), &home, 0),
                                 SAC_PACKET_TAKEN);
                if (i == 10)
                    assert_int_equal(give(a, bytes, write_part(bytes, &forged, NULL), &home, 0),
                                     keyed ? SAC_PACKET_NO_TAG : SAC_PACKET_FAR);
                sac_frame_counts c = counts_of_assembler(a);
                assert_conserved(&c);
                assert_int_equal(c.expected, i + 1);
                assert_int_equal(c.lost, 0);
            }
            assert_int_equal(sink.frames, 20);
            sac_frame_assembler_close(&a);
            scene_close(&sink);
        }
}

/* The line was dead for longer than the reach: nothing of what comes then is given away, in
 * fragments neither, and what did not come is lost. */
static void assembler_behind_a_long_gap_takes_all_that_comes(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= 3; n++) {
        scene_sink sink = scene_open(W, H, 10000);
        sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
        sac_frame_assembler *a = open_assembler(&desc);
        for (uint64_t k = 0; k < 20; k++)
            for (int32_t i = 0; i < n; i++)
                (void)give_part(a, k < 10 ? k : 5000 + k, i, n);
        sac_frame_counts c = counts_of_assembler(a);
        assert_conserved(&c);
        assert_int_equal(c.frames, 20);
        assert_int_equal(c.lost, 5000);
        assert_int_equal(c.kinds[SAC_PACKET_TAKEN], 20 * n);
        assert_int_equal(c.reordered, 0);
        assert_int_equal(c.streams, 1);
        sac_frame_assembler_close(&a);
        scene_close(&sink);
    }
}

/* One datagram of another stream, the first of all, or behind a silence, holds the place for no
 * longer than until two of the real one came. */
static void assembler_with_one_forged_stream_goes_on(void **state)
{
    (void)state;
    const int64_t s = 1000000000;
    for (int first = 0; first < 2; first++) {
        scene_sink sink = scene_open(W, H, 1000);
        sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
        sac_frame_assembler *a = open_assembler(&desc);
        uint8_t bytes[SAC_PACKET_HEADER + PIXELS];
        for (uint64_t k = 0; k < 5 && !first; k++)
            assert_int_equal(give_part(a, k, 0, 1), SAC_PACKET_TAKEN);
        sac_frame_packet forged = a_part(999, 0, 1);
        forged.stream += 7;
        assert_int_equal(give(a, bytes, write_part(bytes, &forged, NULL), &elsewhere, 2 * s),
                         SAC_PACKET_TAKEN);
        for (uint64_t k = 5; k < 10; k++) {
            sac_frame_packet p = a_part(k, 0, 1);
            assert_int_equal(give(a, bytes, write_part(bytes, &p, NULL), &home, 2 * s + 1),
                             k == 5 ? SAC_PACKET_STRANGER : SAC_PACKET_TAKEN);
        }
        sac_frame_counts c = counts_of_assembler(a);
        assert_conserved(&c);
        assert_int_equal(c.frames, first ? 6 : 11);
        assert_int_equal(c.lost, 0);
        assert_int_equal(c.kinds[SAC_PACKET_STRANGER], 0); /* the one that was held came too */
        assert_int_equal(give(a, bytes, write_part(bytes, &forged, NULL), &elsewhere, 2 * s + 2),
                         SAC_PACKET_STRANGER);
        forged.counter++;
        assert_int_equal(give(a, bytes, write_part(bytes, &forged, NULL), &elsewhere, 2 * s + 2),
                         SAC_PACKET_STRANGER);
        sac_frame_assembler_close(&a);
        scene_close(&sink);
    }
}

/* One packet of a stream with a key. */
static sac_packet_kind give_keyed(sac_frame_assembler *a, uint64_t stream, uint64_t counter,
                                  int64_t now_ns)
{
    static const sac_packet_key key = {{42}};
    uint8_t bytes[SAC_PACKET_HEADER + PIXELS];
    sac_frame_packet p = a_part(counter, 0, 1);
    p.stream = stream;
    return give(a, bytes, write_part(bytes, &p, &key), &home, now_ns);
}

/* A sender begins anew, its clock set back: so does the receiver. Of what came before, nothing is
 * taken again, whichever stream it is of; what is new of it is. */
static void assembler_with_a_key_takes_a_sender_whose_clock_went_back(void **state)
{
    (void)state;
    if (!sac_packet_can_use_key())
        skip_test("this build has no keys (libsodium)");
    const int64_t s = 2000000000;
    static const sac_packet_key key = {{42}};
    scene_sink sink = scene_open(W, H, 100000);
    sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
    desc.key = &key;
    sac_frame_assembler *a = open_assembler(&desc);
    for (uint64_t k = 0; k < 5; k++)
        assert_int_equal(give_keyed(a, 5000, k, 0), SAC_PACKET_TAKEN);
    assert_int_equal(give_keyed(a, 4000, 10, 0), SAC_PACKET_STRANGER); /* 5000 is not silent */
    for (uint64_t k = 10; k < 15; k++)
        assert_int_equal(give_keyed(a, 4000, k, s), SAC_PACKET_TAKEN);
    for (uint64_t k = 0; k < 5; k++) { /* played again, behind a silence */
        assert_int_equal(give_keyed(a, 5000, k, 3 * s), SAC_PACKET_STRANGER);
        assert_int_equal(give_keyed(a, 4000, 10 + k, 3 * s), SAC_PACKET_DUPLICATE);
    }
    for (uint64_t k = 20; k < 25; k++) /* the first goes on after all */
        assert_int_equal(give_keyed(a, 5000, k, 3 * s), SAC_PACKET_TAKEN);
    for (uint64_t k = 0; k < 5; k++)
        assert_int_equal(give_keyed(a, 5000, k, 3 * s), SAC_PACKET_STALE);
    sac_frame_counts c = counts_of_assembler(a);
    assert_conserved(&c);
    assert_int_equal(c.streams, 3);
    assert_int_equal(c.frames, 15);
    sac_frame_assembler_close(&a);
    scene_close(&sink);
}

/* More streams than are known by name: the oldest are known by being older. */
static void assembler_with_a_key_takes_none_of_thousands_of_streams_again(void **state)
{
    (void)state;
    enum { STREAMS = 3000 };
    if (!sac_packet_can_use_key())
        skip_test("this build has no keys (libsodium)");
    const int64_t s = 2000000000;
    static const sac_packet_key key = {{42}};
    scene_sink sink = scene_open(W, H, STREAMS);
    sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
    desc.key = &key;
    sac_frame_assembler *a = open_assembler(&desc);
    for (uint64_t k = 0; k < STREAMS; k++)
        assert_int_equal(give_keyed(a, 1000 + k, k, (int64_t)k * s), SAC_PACKET_TAKEN);
    for (uint64_t k = 0; k + 1 < STREAMS; k++)
        assert_int_equal(give_keyed(a, 1000 + k, k, STREAMS * s), SAC_PACKET_STRANGER);
    assert_int_equal(sink.frames, STREAMS);
    sac_frame_assembler_close(&a);
    scene_close(&sink);
}

static void assembler_with_a_key_takes_no_stream_again(void **state)
{
    (void)state;
    if (!sac_packet_can_use_key())
        skip_test("this build has no keys (libsodium)");
    const int64_t s = 1000000000;
    static const sac_packet_key key = {{42}};
    scene_sink sink = scene_open(W, H, 1000);
    sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
    desc.key = &key;
    sac_frame_assembler *a = open_assembler(&desc);
    uint8_t bytes[SAC_PACKET_HEADER + PIXELS], forged[SAC_PACKET_HEADER + PIXELS];
    sac_frame_packet p = a_part(900, 0, 1), early = a_part(1, 0, 1);
    size_t n = write_part(bytes, &p, &key);
    assert_int_equal(give(a, forged, write_part(forged, &p, NULL), &home, 0), SAC_PACKET_NO_TAG);
    assert_int_equal(give(a, bytes, n, &home, 0), SAC_PACKET_TAKEN);
    assert_int_equal(give(a, bytes, n, &home, 5 * s), SAC_PACKET_DUPLICATE);
    n = write_part(bytes, &early, &key);
    assert_int_equal(give(a, bytes, n, &home, 5 * s), SAC_PACKET_STALE);
    early.stream++;
    n = write_part(bytes, &early, &key);
    assert_int_equal(give(a, bytes, n, &home, 5 * s), SAC_PACKET_TAKEN);
    n = write_part(bytes, &p, &key);
    assert_int_equal(give(a, bytes, n, &home, 10 * s), SAC_PACKET_STRANGER);
    sac_frame_assembler_close(&a);
    scene_close(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assembler_whose_counters_leap_stays_within_its_numbers),
        cmocka_unit_test(assembler_takes_up_another_stream_behind_a_silence),
        cmocka_unit_test(assembler_with_one_forged_counter_goes_on),
        cmocka_unit_test(assembler_behind_a_long_gap_takes_all_that_comes),
        cmocka_unit_test(assembler_with_one_forged_stream_goes_on),
        cmocka_unit_test(assembler_with_a_key_takes_no_stream_again),
        cmocka_unit_test(assembler_with_a_key_takes_a_sender_whose_clock_went_back),
        cmocka_unit_test(assembler_with_a_key_takes_none_of_thousands_of_streams_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
