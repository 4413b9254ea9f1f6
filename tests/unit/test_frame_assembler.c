/*
 * frame_assembler [PACKETS]: frames from datagrams of which some are lost, late, twice there, cut
 * or none of ours, about so many (200000) in each case: what is counted is what was done, and no
 * frame has a pixel of another.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_frame_assembler.h"

static uint64_t wanted = 200000, seed = 2026;

static uint64_t random_next(void)
{
    uint64_t x = seed += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A line with faults, and with what others send into it. */
typedef struct line {
    sac_frame_assembler *assembler;
    int64_t kinds[SAC_PACKET_KINDS]; /* of what others sent, each as we meant it */
    double foreign;                  /* how often */
} line;

/* Something that is not of the stream, in one of the ways there are; how it must be counted. */
static sac_packet_kind give_foreign(sac_frame_assembler *a)
{
    uint8_t bytes[SAC_PACKET_HEADER + PIXELS + 64];
    const sac_packet_source *from = &home;
    sac_frame_packet p = a_part(random_next() % 1000000, 0, 1 + (int32_t)(random_next() % 3));
    size_t n = write_part(bytes, &p, NULL), some = (size_t)(random_next() % n);
    sac_packet_kind want = SAC_PACKET_FOREIGN;
    switch (random_next() % 8) {
    case 0: /* noise, of any length */
        n = 1 + (size_t)(random_next() % sizeof bytes);
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)random_next();
        bytes[0] = 'T';
        break;
    case 1:
        bytes[4] = 3; /* a version to come */
        break;
    case 2:
        bytes[some < 8 || (some >= 56 && some < 60) ? 20 : some] ^= 0x10;
        want = SAC_PACKET_DAMAGED;
        break;
    case 3:
        memset(bytes + n, 0, 64);
        n += 1 + (size_t)(random_next() % 64);
        want = SAC_PACKET_OVERSIZE;
        break;
    case 4:
        sac_wire_put(bytes + 48, 2, (uint64_t)p.n_fragments + random_next() % 60000);
        assert_true(sac_wire_seal(bytes, SAC_PACKET_HEADER, bytes + SAC_PACKET_HEADER,
                                  n - SAC_PACKET_HEADER, NULL));
        want = SAC_PACKET_MALFORMED;
        break;
    case 5:
        p.h = H / 2;
        n = write_part(bytes, &p, NULL);
        want = SAC_PACKET_WRONG_SHAPE;
        break;
    case 6: /* a stream of its own */
        p.stream = random_next();
        n = write_part(bytes, &p, NULL);
        want = SAC_PACKET_STRANGER;
        break;
    default: /* this stream's number, from another port */
        from = &elsewhere;
        want = SAC_PACKET_STRANGER;
    }
    sac_packet_kind kind = give(a, bytes, n, from, 0);
    if (kind != want)
        fail_msg("expected %s, got %s", sac_packet_kind_name((int32_t)want),
                 sac_packet_kind_name((int32_t)kind));
    return want;
}

static void arrive(void *ctx, const sac_datagram *d)
{
    line *l = ctx;
    uint8_t bytes[SAC_PACKET_HEADER + PIXELS];
    size_t head = d->size < SAC_PACKET_HEADER ? d->size : SAC_PACKET_HEADER;
    memcpy(bytes, d->head, head);
    memcpy(bytes + head, d->pixels, d->size - head);
    (void)give(l->assembler, bytes, d->size, &home, 0);
    while ((double)(random_next() >> 11) * 0x1p-53 < l->foreign)
        l->kinds[give_foreign(l->assembler)]++;
}

static sac_frame_sent send_all(line *l, const sac_frame_faults *shares, uint64_t n_frames,
                               int32_t fragments)
{
    sac_faults faults;
    sac_error err = {0};
    assert_ok(sac_faults_open(&faults, shares, PIXELS, &err), &err);
    faults.last = (int64_t)n_frames - 1;
    faults.emit = arrive;
    faults.ctx = l;
    for (uint64_t k = 0; k < n_frames; k++)
        for (int32_t i = 0; i < fragments; i++) {
            uint8_t bytes[SAC_PACKET_HEADER + PIXELS];
            sac_frame_packet p = a_part(k, i, fragments);
            sac_datagram d = {.frame = k, .size = write_part(bytes, &p, NULL)};
            d.head_bytes = SAC_PACKET_HEADER;
            memcpy(d.head, bytes, d.head_bytes);
            d.pixels = bytes + SAC_PACKET_HEADER;
            sac_faults_send(&faults, &d);
        }
    sac_faults_flush(&faults);
    sac_faults_close(&faults);
    return faults.sent;
}

static void run_faults(int32_t fragments, const sac_frame_faults *shares)
{
    uint64_t n_frames = wanted / (uint64_t)fragments;
    scene_sink sink = scene_open(W, H, n_frames);
    sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
    line l = {.assembler = open_assembler(&desc), .foreign = 0.1};
    sac_frame_sent sent = send_all(&l, shares, n_frames, fragments);
    sac_frame_counts c = counts_of_assembler(l.assembler);
    assert_conserved(&c);
    l.kinds[SAC_PACKET_TRUNCATED] += sent.truncated;
    l.kinds[SAC_PACKET_DUPLICATE] += sent.duplicated;
    int64_t others = 0;
    for (int i = 1; i < SAC_PACKET_KINDS; i++) {
        assert_int_equal(c.kinds[i], l.kinds[i]);
        others += l.kinds[i];
    }
    assert_int_equal(c.datagrams, sent.datagrams + others - sent.truncated - sent.duplicated);
    assert_int_equal(c.streams, 1);
    assert_int_equal(c.expected, n_frames);
    assert_int_equal(c.lost, sent.hurt);
    assert_int_equal(c.frames, sink.frames);
    if (fragments == 1) {
        assert_int_equal(c.reordered, sent.reordered);
        assert_int_equal(c.lost, sent.lost + sent.truncated);
        assert_int_equal(c.incomplete, 0);
    }
    assert_true(sent.lost > 0 && sent.truncated > 0 && sent.duplicated > 0 && sent.reordered > 0);
    sac_frame_assembler_close(&l.assembler);
    scene_close(&sink);
}

static void assembler_with_faults_of_datagrams_counts_what_was_done(void **state)
{
    (void)state;
    run_faults(1, &(sac_frame_faults){0.03, 0.02, 0.04, 0.01, 7});
    run_faults(1, &(sac_frame_faults){0.3, 0.2, 0.2, 0.2, 8});
}

static void assembler_with_faults_of_fragments_counts_what_was_done(void **state)
{
    (void)state;
    run_faults(2, &(sac_frame_faults){0.03, 0.02, 0.04, 0.01, 9});
    run_faults(7, &(sac_frame_faults){0.02, 0.05, 0.02, 0.01, 10});
}

static void assembler_under_hostile_packets_keeps_every_frame(void **state)
{
    (void)state;
    enum { FRAMES = 1000 };
    scene_sink sink = scene_open(W, H, FRAMES);
    sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
    line l = {.assembler = open_assembler(&desc)};
    uint64_t hostile = wanted / FRAMES / 3;
    for (uint64_t k = 0; k < FRAMES; k++)
        for (int32_t i = 0; i < 3; i++) {
            assert_int_equal(give_part(l.assembler, k, i, 3), SAC_PACKET_TAKEN);
            for (uint64_t n = 0; n < hostile; n++)
                l.kinds[give_foreign(l.assembler)]++;
        }
    sac_frame_counts c = counts_of_assembler(l.assembler);
    assert_conserved(&c);
    l.kinds[SAC_PACKET_TAKEN] += 3 * FRAMES;
    for (int i = 0; i < SAC_PACKET_KINDS; i++)
        assert_int_equal(c.kinds[i], l.kinds[i]);
    assert_int_equal(c.frames, FRAMES);
    assert_int_equal(c.lost, 0);
    assert_int_equal(c.reordered, 0);
    sac_frame_assembler_close(&l.assembler);
    scene_close(&sink);
}

static void assembler_with_too_many_in_flight_gives_up_the_oldest(void **state)
{
    (void)state;
    scene_sink sink = scene_open(W, H, 100);
    sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
    desc.in_flight = 2;
    sac_frame_assembler *a = open_assembler(&desc);
    for (uint64_t k = 10; k < 13; k++)
        assert_int_equal(give_part(a, k, 0, 2), SAC_PACKET_TAKEN);
    assert_int_equal(give_part(a, 10, 1, 2), SAC_PACKET_STALE);
    assert_int_equal(give_part(a, 9, 0, 2), SAC_PACKET_STALE);
    assert_int_equal(give_part(a, 11, 0, 2), SAC_PACKET_DUPLICATE);
    assert_int_equal(give_part(a, 12, 1, 2), SAC_PACKET_TAKEN);
    assert_int_equal(give_part(a, 11, 1, 2), SAC_PACKET_TAKEN);
    assert_int_equal(give_part(a, 11, 1, 2), SAC_PACKET_DUPLICATE);
    sac_frame_counts c = counts_of_assembler(a);
    assert_conserved(&c);
    assert_int_equal(c.frames, 2);
    assert_int_equal(c.reordered, 1);
    assert_int_equal(c.expected, 4);
    assert_int_equal(c.incomplete, 2); /* 9 and 10 */
    sac_frame_assembler_close(&a);
    scene_close(&sink);
}

static void assembler_beyond_its_reach_is_stale(void **state)
{
    (void)state;
    scene_sink sink = scene_open(W, H, 2000000);
    sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
    desc.reach = 8;
    sac_frame_assembler *a = open_assembler(&desc);
    assert_int_equal(give_part(a, 100, 0, 2), SAC_PACKET_TAKEN);
    assert_int_equal(give_part(a, 107, 0, 1), SAC_PACKET_TAKEN);
    assert_int_equal(give_part(a, 100, 1, 2), SAC_PACKET_TAKEN); /* just */
    assert_int_equal(give_part(a, 101, 0, 2), SAC_PACKET_TAKEN);
    assert_int_equal(give_part(a, 999999, 0, 1), SAC_PACKET_FAR);
    assert_int_equal(give_part(a, 999999, 0, 1), SAC_PACKET_FAR); /* the same follows nothing */
    assert_int_equal(give_part(a, 102, 0, 1), SAC_PACKET_TAKEN);
    assert_int_equal(give_part(a, 1000000, 0, 1), SAC_PACKET_TAKEN);
    assert_int_equal(give_part(a, 999999, 0, 1), SAC_PACKET_DUPLICATE);
    assert_int_equal(give_part(a, 101, 1, 2), SAC_PACKET_STALE);
    assert_int_equal(give_part(a, 1000000 - 8, 0, 1), SAC_PACKET_STALE);
    assert_int_equal(give_part(a, 1000000 - 7, 0, 1), SAC_PACKET_TAKEN);
    assert_int_equal(give_part(a, 1000000 - 7, 0, 1), SAC_PACKET_DUPLICATE);
    sac_frame_counts c = counts_of_assembler(a);
    assert_conserved(&c);
    assert_int_equal(c.frames, 6);
    assert_int_equal(c.expected, 1000000 - 100 + 1);
    assert_int_equal(c.incomplete, 1);
    assert_int_equal(c.kinds[SAC_PACKET_FAR], 1);
    sac_frame_assembler_close(&a);
    scene_close(&sink);
}

/* Frames that wait for fragments are lost until they are whole. */
static void assembler_in_the_midst_of_a_frame_counts_it_as_incomplete(void **state)
{
    (void)state;
    scene_sink sink = scene_open(W, H, 10);
    sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
    sac_frame_assembler *a = open_assembler(&desc);
    assert_int_equal(give_part(a, 5, 0, 2), SAC_PACKET_TAKEN);
    sac_frame_counts c = counts_of_assembler(a);
    assert_int_equal(c.lost, 1);
    assert_int_equal(c.incomplete, 1);
    assert_int_equal(give_part(a, 5, 1, 2), SAC_PACKET_TAKEN);
    c = counts_of_assembler(a);
    assert_int_equal(c.lost, 0);
    assert_int_equal(c.incomplete, 0);
    sac_frame_assembler_close(&a);
    scene_close(&sink);
}

static void assembler_with_fragments_that_contradict_keeps_the_first(void **state)
{
    (void)state;
    scene_sink sink = scene_open(W, H, 10);
    sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
    sac_frame_assembler *a = open_assembler(&desc);
    assert_int_equal(give_part(a, 5, 0, 2), SAC_PACKET_TAKEN);
    for (int i = 0; i < 5; i++) {
        uint8_t bytes[SAC_PACKET_HEADER + PIXELS];
        sac_frame_packet p = a_part(5, i == 4 ? 0 : 1, i == 4 ? 1 : 2);
        p.sent_ns += i == 0;
        p.laser_on += i == 1;
        p.x += i == 2;
        p.y += i == 3;
        assert_int_equal(give(a, bytes, write_part(bytes, &p, NULL), &home, 0),
                         SAC_PACKET_MALFORMED);
    }
    assert_int_equal(give_part(a, 5, 1, 2), SAC_PACKET_TAKEN);
    assert_int_equal(sink.frames, 1);
    sac_frame_assembler_close(&a);
    scene_close(&sink);
}

static void assembler_whose_sink_is_full_counts_refusals(void **state)
{
    (void)state;
    scene_sink sink = scene_open(W, H, 10);
    sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
    sac_frame_assembler *a = open_assembler(&desc);
    for (uint64_t k = 0; k < 10; k++) {
        sink.full = k >= 3 && k < 8;
        assert_int_equal(give_part(a, k, 0, 2), SAC_PACKET_TAKEN);
        assert_int_equal(give_part(a, k, 1, 2), SAC_PACKET_TAKEN);
    }
    sac_frame_counts c = counts_of_assembler(a);
    assert_conserved(&c);
    assert_int_equal(c.frames, 5);
    assert_int_equal(c.refused, 5);
    assert_int_equal(c.lost, 0);
    sac_frame_assembler_close(&a);
    scene_close(&sink);
}

static int refused_after;

static bool allow_some(size_t bytes)
{
    (void)bytes;
    return refused_after-- > 0;
}

static void assembler_that_refuses_memory_says_so(void **state)
{
    (void)state;
    static const sac_packet_key key = {{42}};
    scene_sink sink = {0};
    sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
    desc.key = sac_packet_can_use_key() ? &key : NULL;
    for (int n = 0;; n++) {
        sac_frame_assembler *a = NULL;
        sac_error err = {0};
        refused_after = n;
        sac_alloc_hook(allow_some);
        sac_status st = sac_frame_assembler_open(&a, &desc, &err);
        sac_alloc_hook(NULL);
        sac_frame_assembler_close(&a);
        if (st == SAC_OK)
            return;
        assert_failed(st, SAC_E_NOMEM, &err, "no memory");
    }
}

static void assembler_with_a_bad_desc_is_refused(void **state)
{
    (void)state;
    scene_sink sink = {0};
    static const struct {
        const char *word;
        int32_t w, in_flight, reach;
        double silence_s;
    } bad[] = {{"w, h", 0, 1, 1, 1},
               {"w, h", 4097, 1, 1, 1},
               {"in_flight", 1, 0, 1, 1},
               {"in_flight", 1, 65, 1, 1},
               {"reach", 1, 1, 0, 1},
               {"reach", 1, 1, 4097, 1},
               {"silence_s", 1, 1, 1, -1},
               {"silence_s", 1, 1, 1, (double)NAN},
               {"silence_s", 1, 1, 1, (double)INFINITY}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sac_frame_receiver_desc desc = scene_desc(bad[i].w, 1, &sink);
        desc.in_flight = bad[i].in_flight;
        desc.reach = bad[i].reach;
        desc.silence_s = bad[i].silence_s;
        sac_frame_assembler *a = NULL;
        sac_error err = {0};
        assert_failed(sac_frame_assembler_open(&a, &desc, &err), SAC_E_INVALID, &err, bad[i].word);
        assert_null(a);
    }
    sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
    static const sac_packet_key key = {{1}};
    sac_frame_assembler *a = NULL;
    sac_error err = {0};
    desc.key = &key;
    if (!sac_packet_can_use_key())
        assert_failed(sac_frame_assembler_open(&a, &desc, &err), SAC_E_UNSUPPORTED, &err,
                      "libsodium");
}

int main(int argc, char **argv)
{
    wanted = argc > 1 ? strtoull(argv[1], NULL, 10) : wanted;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assembler_with_faults_of_datagrams_counts_what_was_done),
        cmocka_unit_test(assembler_with_faults_of_fragments_counts_what_was_done),
        cmocka_unit_test(assembler_under_hostile_packets_keeps_every_frame),
        cmocka_unit_test(assembler_with_too_many_in_flight_gives_up_the_oldest),
        cmocka_unit_test(assembler_beyond_its_reach_is_stale),
        cmocka_unit_test(assembler_in_the_midst_of_a_frame_counts_it_as_incomplete),
        cmocka_unit_test(assembler_with_fragments_that_contradict_keeps_the_first),
        cmocka_unit_test(assembler_that_refuses_memory_says_so),
        cmocka_unit_test(assembler_whose_sink_is_full_counts_refusals),
        cmocka_unit_test(assembler_with_a_bad_desc_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
