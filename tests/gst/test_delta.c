/*
 * sacdeltaenc and sacdeltadec without losses: the library's packets, pictures within the threshold,
 * new caps, options and flushes in mid-stream, metadata, messages, memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta_pair.h"
#include "skip.h"

#include <malloc.h>
#include <saccade/delta.h>
#include <stdio.h>
#include <string.h>

static const Size small = {70, 33};

static void check_packets(const Layout *layout, Size size, int gap)
{
    Pair pair;
    sac_delta_encode_desc desc;
    sac_delta_encode *plan = NULL;
    sac_delta_packet packet;
    pair_open(&pair, layout, size, "");
    pair.gap = gap;
    sac_delta_encode_desc_init(&desc);
    desc.w = size.w, desc.h = size.h, desc.n_channels = layout->n_channels;
    desc.order = (sac_pixel_order)layout->order;
    assert_int_equal(sac_delta_encode_open(&plan, &desc, NULL), SAC_OK);
    for (int i = 0; i < 4; i++) {
        uint8_t *bytes = scene(size.w, size.h, layout->n_channels, i);
        const int64_t shape[] = {size.h, size.w, layout->n_channels};
        sac_array frame;
        GstMapInfo map;
        assert_int_equal(
            sac_array_view(&frame, bytes, SAC_U8, layout->n_channels == 1 ? 2 : 3, shape, NULL),
            SAC_OK);
        assert_int_equal(sac_delta_encode_run(plan, &packet, &frame, (uint64_t)i * FRAME_NS, NULL),
                         SAC_OK);
        GstBuffer *got = pair_encode(&pair, i);
        gst_buffer_map(got, &map, GST_MAP_READ);
        assert_int_equal(map.size, packet.size);
        assert_bytes(map.data, packet.data, map.size, "packet");
        gst_buffer_unmap(got, &map);
        assert_true(is_key(got) == packet.is_key);
        gst_buffer_unref(got);
        g_free(bytes);
    }
    sac_delta_encode_close(&plan);
    pair_close(&pair);
}

static void encoder_gives_the_librarys_packets(void **state)
{
    (void)state;
    for (int i = 0; i < N_LAYOUTS; i++)
        for (int j = 0; j < N_SIZES; j++)
            check_packets(&layouts[i], sizes[j], j % 2 * 7);
}

/* Frames `from` .. through both; pictures are off by at most `most`. */
static void check_pictures(Pair *pair, int from, int n, int most)
{
    for (int i = from; i < from + n; i++) {
        GstBuffer *picture = pair_decode(pair, pair_encode(pair, i));
        assert_non_null(picture);
        assert_true(GST_BUFFER_PTS(picture) == (GstClockTime)i * FRAME_NS);
        assert_true(GST_BUFFER_DURATION(picture) == FRAME_NS);
        assert_in_range(pair_error(pair, picture, i), 0, most);
        assert_false(GST_BUFFER_FLAG_IS_SET(picture, GST_BUFFER_FLAG_CORRUPTED));
        gst_buffer_unref(picture);
    }
}

static void pictures_are_exact_within_the_threshold(void **state)
{
    (void)state;
    for (int i = 0; i < N_LAYOUTS; i++)
        for (int j = 0; j < N_SIZES; j++) {
            Pair pair;
            pair_open(&pair, &layouts[i], sizes[j], j % 2 ? "threshold=0" : "");
            check_pictures(&pair, 0, 4, j % 2 ? 0 : 20);
            assert_int_equal(pair_requests(&pair, FALSE), 0);
            pair_close(&pair);
        }
}

static void new_caps_in_mid_stream_begin_with_a_keyframe(void **state)
{
    Pair pair;
    (void)state;
    pair_open(&pair, &layouts[1], small, "");
    for (int round = 0; round < 6; round++) {
        pair_caps(&pair, &layouts[round % N_LAYOUTS], (Size){20 + 13 * round, 40 - 5 * round});
        GstBuffer *packet = pair_encode(&pair, 10 * round);
        assert_true(is_key(packet));
        GstBuffer *picture = pair_decode(&pair, packet);
        assert_non_null(picture);
        gst_buffer_unref(picture);
        check_pictures(&pair, 10 * round + 1, 3, 20);
    }
    assert_int_equal(pair_requests(&pair, FALSE), 0);
    pair_close(&pair);
}

static void flush_side(GstHarness *h)
{
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    assert_true(gst_harness_push_event(h, gst_event_new_flush_start()));
    assert_true(gst_harness_push_event(h, gst_event_new_flush_stop(TRUE)));
    assert_true(gst_harness_push_event(h, gst_event_new_segment(&segment)));
}

/* As a seek does, also to an earlier place. */
static void flush_begins_with_a_keyframe(void **state)
{
    Pair pair;
    (void)state;
    pair_open(&pair, &layouts[2], small, "");
    check_pictures(&pair, 20, 5, 20);
    flush_side(pair.enc);
    flush_side(pair.dec);
    GstBuffer *packet = pair_encode(&pair, 3);
    assert_true(is_key(packet));
    gst_buffer_unref(pair_decode(&pair, packet));
    check_pictures(&pair, 4, 3, 20);
    pair_close(&pair);
}

/* The decoder alone is flushed, and the same packets come again. */
static void flush_decodes_earlier_packets_again(void **state)
{
    enum { N = 6 };
    GstBuffer *packets[N];
    Pair pair;
    (void)state;
    pair_open(&pair, &layouts[1], small, "");
    for (int i = 0; i < N; i++)
        packets[i] = pair_encode(&pair, i);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            GstBuffer *picture = pair_decode(&pair, gst_buffer_ref(packets[i]));
            assert_non_null(picture);
            assert_in_range(pair_error(&pair, picture, i), 0, 20);
            gst_buffer_unref(picture);
        }
        flush_side(pair.dec);
    }
    for (int i = 0; i < N; i++)
        gst_buffer_unref(packets[i]);
    pair_close(&pair);
}

static void options_take_effect_while_playing(void **state)
{
    Pair pair;
    (void)state;
    pair_open(&pair, &layouts[1], small, "");
    check_pictures(&pair, 0, 3, 20);
    g_object_set(pair.enc->element, "threshold", 0, NULL);
    check_pictures(&pair, 3, 3, 0);
    g_object_set(pair.enc->element, "threshold", 3, "level", 5, NULL);
    check_pictures(&pair, 6, 3, 3);
    assert_int_equal(pair_requests(&pair, FALSE), 0);
    pair_close(&pair);
}

static void bad_option_stops_with_the_librarys_words(void **state)
{
    const char *const properties[] = {"variant", "device"};
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(properties); i++)
        for (int side = 0; side < 2; side++) {
            Pair pair;
            pair_open(&pair, &layouts[1], small, "");
            gst_buffer_unref(pair_decode(&pair, pair_encode(&pair, 0)));
            GstBuffer *packet = pair_encode(&pair, 1);
            GstHarness *h = side ? pair.dec : pair.enc;
            g_object_set(h->element, properties[i], "none-such", NULL);
            GstBuffer *in = side ? gst_buffer_ref(packet) : gst_buffer_new_allocate(NULL, 1, NULL);
            assert_int_equal(gst_harness_push(h, in), GST_FLOW_ERROR);
            GstMessage *message = next_message(h, GST_MESSAGE_ERROR);
            assert_non_null(message);
            gst_message_unref(message);
            gst_buffer_unref(packet);
            pair_close(&pair);
        }
}

static void regions_and_reference_times_survive(void **state)
{
    GstCaps *clock = gst_caps_new_empty_simple("timestamp/x-ntp");
    Pair pair;
    (void)state;
    pair_open(&pair, &layouts[1], small, "");
    uint8_t *bytes = scene(small.w, small.h, 3, 0);
    GstBuffer *frame = buffer_with(bytes, GST_VIDEO_FORMAT_RGB, small.w, small.h, 0);
    g_free(bytes);
    GST_BUFFER_PTS(frame) = 0;
    gst_buffer_add_video_region_of_interest_meta(frame, "face", 3, 2, 5, 4);
    gst_buffer_add_reference_timestamp_meta(frame, clock, 1234, 40);
    GstBuffer *picture = pair_decode(&pair, gst_harness_push_and_pull(pair.enc, frame));
    const GstVideoRegionOfInterestMeta *roi =
        (const GstVideoRegionOfInterestMeta *)gst_buffer_get_meta(
            picture, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
    assert_non_null(roi);
    assert_int_equal(roi->x, 3);
    assert_non_null(gst_buffer_get_reference_timestamp_meta(picture, clock));
    gst_buffer_unref(picture);
    gst_caps_unref(clock);
    pair_close(&pair);
}

static void end_of_stream_is_passed_on(void **state)
{
    Pair pair;
    (void)state;
    pair_open(&pair, &layouts[1], small, "");
    check_pictures(&pair, 0, 2, 20);
    GstHarness *const sides[] = {pair.enc, pair.dec};
    for (int i = 0; i < 2; i++) {
        gboolean is_over = FALSE;
        assert_true(gst_harness_push_event(sides[i], gst_event_new_eos()));
        for (GstEvent *event; (event = gst_harness_try_pull_event(sides[i]));) {
            is_over = GST_EVENT_TYPE(event) == GST_EVENT_EOS;
            gst_event_unref(event);
        }
        assert_true(is_over);
    }
    pair_close(&pair);
}

static GstStructure *counts_of(GstHarness *h)
{
    GstMessage *message = next_message(h, GST_MESSAGE_ELEMENT);
    assert_non_null(message);
    GstStructure *counts = gst_structure_copy(gst_message_get_structure(message));
    gst_message_unref(message);
    assert_null(next_message(h, GST_MESSAGE_ELEMENT));
    return counts;
}

static void messages_have_the_counts(void **state)
{
    Pair pair;
    guint64 bytes, total, frames, sum = 0;
    gdouble ratio;
    (void)state;
    pair_open(&pair, &layouts[1], small, "post-messages=true message-interval=0");
    g_object_set(pair.dec->element, "post-messages", TRUE, "message-interval",
                 G_GUINT64_CONSTANT(0), NULL);
    for (int i = 0; i < 5; i++) {
        GstBuffer *packet = pair_encode(&pair, i);
        const gsize size = gst_buffer_get_size(packet);
        sum += size;
        gst_buffer_unref(pair_decode(&pair, packet));
        GstStructure *enc = counts_of(pair.enc), *dec = counts_of(pair.dec);
        assert_true(gst_structure_get(enc, "bytes", G_TYPE_UINT64, &bytes, "total-bytes",
                                      G_TYPE_UINT64, &total, "ratio", G_TYPE_DOUBLE, &ratio, NULL));
        assert_true(bytes == size && total == sum);
        assert_true(ratio == 3.0 * small.w * small.h / (double)size);
        assert_true(gst_structure_get(dec, "bytes", G_TYPE_UINT64, &bytes, "frames", G_TYPE_UINT64,
                                      &frames, NULL));
        assert_true(bytes == size && frames == (guint64)i + 1);
        gst_structure_free(enc);
        gst_structure_free(dec);
    }
    pair_close(&pair);
}

static void late_frames_have_no_packet(void **state)
{
    Pair pair;
    (void)state;
    pair_open(&pair, &layouts[1], small, "qos=true");
    check_pictures(&pair, 0, 2, 20);
    gst_harness_push_upstream_event(
        pair.enc, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2, 0, 4 * (GstClockTime)FRAME_NS));
    gst_harness_push_upstream_event(
        pair.enc, gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, FALSE, 0));
    uint8_t *bytes = scene(small.w, small.h, 3, 2);
    GstBuffer *frame = buffer_with(bytes, GST_VIDEO_FORMAT_RGB, small.w, small.h, 0);
    GST_BUFFER_PTS(frame) = 2 * (GstClockTime)FRAME_NS;
    g_free(bytes);
    assert_int_equal(gst_harness_push(pair.enc, frame), GST_FLOW_OK);
    assert_null(gst_harness_try_pull(pair.enc));
    /* What was asked for comes with the next one. */
    GstBuffer *packet = pair_encode(&pair, 9);
    assert_true(is_key(packet));
    gst_buffer_unref(pair_decode(&pair, packet));
    check_pictures(&pair, 10, 3, 20);
    assert_int_equal(pair_requests(&pair, FALSE), 0);
    pair_close(&pair);
}

static void delta_10000_buffers_need_no_more_memory(void **state)
{
    enum { FIRST = 1000, ALL = 10000 };
    size_t before = 0;
    Pair pair;
    (void)state;
    pair_open(&pair, &layouts[1], (Size){24, 10}, "key-interval=1");
    for (int i = 0; i < ALL; i++) {
        if (i == FIRST)
            before = mallinfo2().uordblks;
        GstBuffer *picture = pair_decode(&pair, pair_encode(&pair, i));
        assert_non_null(picture);
        gst_buffer_unref(picture);
        for (int side = 0; side < 2; side++)
            while (gst_harness_events_in_queue(side ? pair.dec : pair.enc))
                gst_event_unref(gst_harness_pull_event(side ? pair.dec : pair.enc));
    }
    const size_t after = mallinfo2().uordblks;
    if (after > before + 65536)
        fprintf(stderr, "%zu bytes, then %zu\n", before, after);
    assert_true(after <= before + 65536);
    pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encoder_gives_the_librarys_packets),
        cmocka_unit_test(pictures_are_exact_within_the_threshold),
        cmocka_unit_test(new_caps_in_mid_stream_begin_with_a_keyframe),
        cmocka_unit_test(flush_begins_with_a_keyframe),
        cmocka_unit_test(flush_decodes_earlier_packets_again),
        cmocka_unit_test(options_take_effect_while_playing),
        cmocka_unit_test(bad_option_stops_with_the_librarys_words),
        cmocka_unit_test(regions_and_reference_times_survive),
        cmocka_unit_test(end_of_stream_is_passed_on),
        cmocka_unit_test(messages_have_the_counts),
        cmocka_unit_test(late_frames_have_no_packet),
        cmocka_unit_test(delta_10000_buffers_need_no_more_memory),
    };
    if (!has_delta())
        return skip_all("this build has no zstd");
    start_gst("test_delta");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
