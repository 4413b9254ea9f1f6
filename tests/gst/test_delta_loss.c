/*
 * sacdeltadec with packets that are lost, damaged, late or foreign: no picture is wrong, a keyframe
 * is asked for at once, and pictures go on with it. sacdeltaparse finds packets among other bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta_pair.h"
#include "skip.h"

#include <stdio.h>
#include <string.h>

static const Size small = {70, 33};

/* Shows a packet's picture, which must be right: whether there is one. */
static gboolean shown(Pair *pair, GstBuffer *packet, int number)
{
    GstBuffer *picture = pair_decode(pair, packet);
    if (!picture)
        return FALSE;
    assert_in_range(pair_error(pair, picture, number), 0, 20);
    assert_true(GST_BUFFER_PTS(picture) == (GstClockTime)number * FRAME_NS);
    gst_buffer_unref(picture);
    return TRUE;
}

static void encoder_makes_keyframes_when_asked(void **state)
{
    Pair pair;
    (void)state;
    pair_open(&pair, &layouts[1], small, "");
    for (int i = 0; i < 30; i++) {
        const gboolean is_asked = i % 7 == 5;
        if (is_asked && i % 2)
            gst_harness_push_upstream_event(pair.enc, gst_video_event_new_upstream_force_key_unit(
                                                          GST_CLOCK_TIME_NONE, TRUE, 1));
        else if (is_asked) /* by an element in front of it */
            assert_true(gst_harness_push_event(
                pair.enc, gst_video_event_new_downstream_force_key_unit(
                              (GstClockTime)i * FRAME_NS, (GstClockTime)i * FRAME_NS,
                              (GstClockTime)i * FRAME_NS, TRUE, 1)));
        GstBuffer *packet = pair_encode(&pair, i);
        assert_int_equal(is_key(packet), is_asked || i == 0);
        assert_true(shown(&pair, packet, i));
    }
    pair_close(&pair);
}

static void decoder_asks_at_once_and_goes_on_with_the_keyframe(void **state)
{
    Pair pair;
    (void)state;
    pair_open(&pair, &layouts[1], small, "key-interval=0");
    for (int i = 0; i < 60; i++) {
        GstBuffer *packet = pair_encode(&pair, i);
        if (i % 10 == 3) { /* lost */
            gst_buffer_unref(packet);
            continue;
        }
        const gboolean waits = i % 10 == 4;
        assert_int_equal(shown(&pair, packet, i), !waits);
        assert_int_equal(pair_requests(&pair, TRUE), waits);
    }
    pair_close(&pair);
}

/* One soon after another: each is asked for at once. */
static void decoder_asks_at_once_after_each_loss(void **state)
{
    Pair pair;
    (void)state;
    pair_open(&pair, &layouts[1], small, "key-interval=0");
    for (int i = 0; i < 40; i++) {
        GstBuffer *packet = pair_encode(&pair, i);
        if (i % 4 == 1) {
            gst_buffer_unref(packet);
            continue;
        }
        assert_int_equal(shown(&pair, packet, i), i % 4 != 2);
        assert_int_equal(pair_requests(&pair, TRUE), i % 4 == 2);
    }
    pair_close(&pair);
}

/* Nobody answers: a request each 250 ms, which is 7 frames, not one for each packet. */
static void decoder_asks_again_but_not_for_each_packet(void **state)
{
    Pair pair;
    int n = 0;
    (void)state;
    pair_open(&pair, &layouts[1], small, "key-interval=0");
    assert_true(shown(&pair, pair_encode(&pair, 0), 0));
    gst_buffer_unref(pair_encode(&pair, 1));
    for (int i = 2; i < 2 + 70; i++) {
        assert_false(shown(&pair, pair_encode(&pair, i), i));
        const int asked = pair_requests(&pair, FALSE);
        assert_in_range(asked, 0, 1);
        assert_true(i > 2 || asked == 1);
        n += asked;
    }
    assert_int_equal(n, 10);
    pair_close(&pair);
}

static void decoder_without_a_first_keyframe_shows_nothing(void **state)
{
    Pair pair;
    (void)state;
    pair_open(&pair, &layouts[1], small, "key-interval=0");
    gst_buffer_unref(pair_encode(&pair, 0)); /* it joins later */
    for (int i = 1; i < 5; i++)
        assert_false(shown(&pair, pair_encode(&pair, i), i));
    assert_int_equal(pair_requests(&pair, TRUE), 1);
    for (int i = 5; i < 9; i++)
        assert_true(shown(&pair, pair_encode(&pair, i), i));
    pair_close(&pair);
}

static void damaged_packets_give_no_wrong_picture(void **state)
{
    const guint32 seed = g_random_int();
    GRand *random = g_rand_new_with_seed(seed);
    Pair pair;
    int n_shown = 0, n_faults = 0;
    (void)state;
    printf("seed %u\n", seed);
    pair_open(&pair, &layouts[2], small, "key-interval=0");
    for (int i = 0; i < 3000; i++) {
        GstBuffer *packet = pair_encode(&pair, i);
        const gint32 fault = g_rand_int_range(random, 0, 40);
        n_faults += fault < 4;
        if (fault == 0) {
            gst_buffer_unref(packet);
            continue;
        } else if (fault == 1) {
            assert_false(shown(&pair, damaged(packet, g_rand_int(random)), i));
            gst_buffer_unref(packet);
        } else if (fault == 2) {
            const gsize size = gst_buffer_get_size(packet);
            gst_buffer_resize(packet, 0, (gssize)(g_rand_int(random) % size));
            assert_false(shown(&pair, packet, i));
        } else if (fault == 3) { /* twice */
            const gboolean is_shown = shown(&pair, gst_buffer_ref(packet), i);
            assert_false(shown(&pair, packet, i));
            n_shown += is_shown;
        } else {
            n_shown += shown(&pair, packet, i);
        }
        pair_requests(&pair, TRUE);
    }
    printf("%d faults, %d of 3000 pictures shown\n", n_faults, n_shown);
    /* A loss costs the frame and the one that notices it; a damaged packet costs itself. */
    assert_true(n_shown >= 3000 - 3 * n_faults);
    g_rand_free(random);
    pair_close(&pair);
}

static void messages_count_what_was_lost(void **state)
{
    Pair pair;
    guint64 lost = 0, damaged_packets = 0, asked = 0;
    (void)state;
    pair_open(&pair, &layouts[1], small, "key-interval=0");
    g_object_set(pair.dec->element, "post-messages", TRUE, "message-interval",
                 G_GUINT64_CONSTANT(0), NULL);
    for (int i = 0; i < 20; i++) {
        GstBuffer *packet = pair_encode(&pair, i);
        if (i == 5 || i == 6)
            gst_buffer_unref(packet);
        else if (i == 12) {
            shown(&pair, damaged(packet, 999), i);
            gst_buffer_unref(packet);
        } else
            shown(&pair, packet, i);
        pair_requests(&pair, TRUE);
    }
    for (GstMessage *message; (message = next_message(pair.dec, GST_MESSAGE_ELEMENT));) {
        assert_true(gst_structure_get(gst_message_get_structure(message), "lost", G_TYPE_UINT64,
                                      &lost, "damaged", G_TYPE_UINT64, &damaged_packets,
                                      "key-requests", G_TYPE_UINT64, &asked, NULL));
        gst_message_unref(message);
    }
    assert_true(lost == 3); /* 5, 6, and 12, whose packet told nothing */
    assert_true(damaged_packets == 1);
    assert_true(asked == 2);
    pair_close(&pair);
}

static void foreign_bytes_are_no_error(void **state)
{
    Pair pair;
    (void)state;
    pair_open(&pair, &layouts[1], small, "");
    assert_true(shown(&pair, pair_encode(&pair, 0), 0));
    for (gsize n = 0; n < 200; n++) {
        GstBuffer *foreign = gst_buffer_new_allocate(NULL, n, NULL);
        gst_buffer_memset(foreign, 0, (guint8)n, n);
        assert_null(pair_decode(&pair, foreign));
    }
    assert_true(shown(&pair, pair_encode(&pair, 1), 1));
    pair_close(&pair);
}

/* All bytes of some packets with other bytes between them. */
static GByteArray *stream_of(Pair *pair, GstBuffer **packets, int n)
{
    GByteArray *bytes = g_byte_array_new();
    for (int i = 0; i < n; i++) {
        GstMapInfo map;
        static const char *const between[] = {"", "SAC", "SACD", "\0\0\0", "SACX no packet", ""};
        packets[i] = pair_encode(pair, i);
        gst_buffer_map(packets[i], &map, GST_MAP_READ);
        g_byte_array_append(bytes, map.data, (guint)map.size);
        gst_buffer_unmap(packets[i], &map);
        g_byte_array_append(bytes, (const guint8 *)between[i % 6], (guint)strlen(between[i % 6]));
    }
    return bytes;
}

static void parse_in_pieces(const char *what, const GByteArray *bytes, GstBuffer **packets, int n,
                            int most, GRand *random)
{
    GstHarness *h = gst_harness_new("sacdeltaparse");
    gst_harness_set_src_caps_str(h, "video/x-saccade-delta");
    for (guint at = 0; at < bytes->len;) {
        const guint wanted = (guint)g_rand_int_range(random, 1, most), left = bytes->len - at;
        const guint some = MIN(wanted, left);
        GstBuffer *piece = gst_buffer_new_memdup(bytes->data + at, some);
        assert_int_equal(gst_harness_push(h, piece), GST_FLOW_OK);
        at += some;
    }
    gst_harness_push_event(h, gst_event_new_eos());
    for (int i = 0; i < n; i++) {
        GstMapInfo map;
        GstBuffer *got = gst_harness_try_pull(h);
        if (!got)
            fprintf(stderr, "%s: packet %d of %d is missing\n", what, i, n);
        assert_non_null(got);
        gst_buffer_map(got, &map, GST_MAP_READ);
        assert_int_equal(map.size, gst_buffer_get_size(packets[i]));
        assert_true(gst_buffer_memcmp(packets[i], 0, map.data, map.size) == 0);
        gst_buffer_unmap(got, &map);
        assert_int_equal(is_key(got), is_key(packets[i]));
        assert_int_equal(GST_BUFFER_PTS(got), GST_BUFFER_PTS(packets[i]));
        gst_buffer_unref(got);
    }
    assert_null(gst_harness_try_pull(h));
    end_harness(h);
}

static void parser_finds_packets_cut_anywhere(void **state)
{
    enum { N = 25 };
    const int most[] = {2, 30, 500, 5000, 1000000};
    GRand *random = g_rand_new_with_seed(7);
    GstBuffer *packets[N];
    Pair pair;
    (void)state;
    pair_open(&pair, &layouts[1], small, "key-interval=0.3");
    GByteArray *bytes = stream_of(&pair, packets, N);
    for (size_t i = 0; i < G_N_ELEMENTS(most); i++)
        parse_in_pieces("all", bytes, packets, N, most[i], random);
    g_byte_array_unref(bytes);
    for (int i = 0; i < N; i++)
        gst_buffer_unref(packets[i]);
    pair_close(&pair);
    g_rand_free(random);
}

/* Whatever a bit does to a packet, also to its size, the others are found. */
static void parser_leaves_damaged_packets_out(void **state)
{
    enum { N = 12, BAD = 5 };
    GRand *random = g_rand_new_with_seed(8);
    GstBuffer *packets[N];
    Pair pair;
    (void)state;
    pair_open(&pair, &layouts[1], small, "");
    GByteArray *bytes = stream_of(&pair, packets, N);
    guint begin = 0;
    while (gst_buffer_memcmp(packets[BAD], 0, bytes->data + begin, 64) != 0)
        begin++;
    const guint size = (guint)gst_buffer_get_size(packets[BAD]);
    gst_buffer_unref(packets[BAD]);
    memmove(&packets[BAD], &packets[BAD + 1], sizeof *packets * (N - BAD - 1));
    for (int i = 0; i < 300; i++) {
        const guint bit = i < 64 * 8 ? (guint)i * 2 : (guint)g_rand_int(random) % (8 * size);
        bytes->data[begin + bit / 8] ^= (guint8)(1 << bit % 8);
        char *what = g_strdup_printf("bit %u of %u bytes", bit, size);
        parse_in_pieces(what, bytes, packets, N - 1, 4000, random);
        g_free(what);
        bytes->data[begin + bit / 8] ^= (guint8)(1 << bit % 8);
    }
    g_byte_array_unref(bytes);
    for (int i = 0; i < N - 1; i++)
        gst_buffer_unref(packets[i]);
    pair_close(&pair);
    g_rand_free(random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encoder_makes_keyframes_when_asked),
        cmocka_unit_test(decoder_asks_at_once_and_goes_on_with_the_keyframe),
        cmocka_unit_test(decoder_asks_at_once_after_each_loss),
        cmocka_unit_test(decoder_asks_again_but_not_for_each_packet),
        cmocka_unit_test(decoder_without_a_first_keyframe_shows_nothing),
        cmocka_unit_test(damaged_packets_give_no_wrong_picture),
        cmocka_unit_test(messages_count_what_was_lost),
        cmocka_unit_test(foreign_bytes_are_no_error),
        cmocka_unit_test(parser_finds_packets_cut_anywhere),
        cmocka_unit_test(parser_leaves_damaged_packets_out),
    };
    if (!has_delta())
        return skip_all("this build has no zstd");
    start_gst("test_delta_loss");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
