/*
 * Buffers of the filters: what is shared, held, copied, kept of their metadata; frames that are
 * skipped, damaged or of the wrong size.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reference.h"

#include <string.h>

enum { W = 24, H = 10 };

static const Layout *const rgb = &layouts[1];
static const Size size = {W, H};

static GstBuffer *frame_at(int number, guint64 pts)
{
    uint8_t *bytes = scene(W, H, 3, number);
    GstBuffer *buffer = buffer_with(bytes, rgb->format, W, H, 0);
    GST_BUFFER_PTS(buffer) = pts;
    GST_BUFFER_DURATION(buffer) = GST_SECOND / 25;
    g_free(bytes);
    return buffer;
}

static GstHarness *harness_of(Element element)
{
    GstHarness *h = element_harness(element_names[element]);
    watch_messages(h);
    set_caps(h, rgb->format, W, H);
    return h;
}

static void assert_frame(GstBuffer *out, Reference *r, int number)
{
    uint8_t *frame = scene(W, H, 3, number), *wanted = reference_next(r, frame);
    uint8_t *got = bytes_of(out, rgb->format, W, H);
    assert_bytes(got, wanted, (size_t)3 * W * H, element_names[r->element]);
    g_free(frame);
    g_free(wanted);
    g_free(got);
}

static void check_in_place(Element e)
{
    Reference r;
    GstHarness *h = harness_of(e);
    reference_open(&r, e, rgb, size, 0);
    if (e == ADJUST) {
        g_object_set(h->element, "contrast", 2.0, "saturation", 0.5, NULL);
        reference_adjust(&r, 0, 2, 0.5, 1);
    }
    GstBuffer *in = frame_at(0, 0), *out = gst_harness_push_and_pull(h, in);
    assert_ptr_equal(out, in);
    assert_frame(out, &r, 0);
    gst_buffer_unref(out);

    in = frame_at(1, GST_SECOND);
    uint8_t *before = bytes_of(in, rgb->format, W, H);
    out = gst_harness_push_and_pull(h, gst_buffer_ref(in));
    uint8_t *after = bytes_of(in, rgb->format, W, H);
    assert_true(out != in);
    assert_bytes(after, before, (size_t)3 * W * H, "input that is shared");
    assert_frame(out, &r, 1);
    assert_true(GST_BUFFER_PTS(out) == GST_SECOND);
    g_free(before);
    g_free(after);
    gst_buffer_unref(in);
    gst_buffer_unref(out);
    reference_close(&r);
    end_harness(h);
}

static void filters_work_in_place_where_the_buffer_is_their_own(void **state)
{
    (void)state;
    for (Element e = EQUALIZE; e < N_ELEMENTS; e++)
        if (is_in_place(e))
            check_in_place(e);
}

static void filters_keep_times_flags_and_metas(void **state)
{
    (void)state;
    GstCaps *reference = gst_caps_new_empty_simple("timestamp/x-ntp");
    for (Element e = EQUALIZE; e < N_ELEMENTS; e++) {
        GstHarness *h = harness_of(e);
        for (int i = 0; i < 3; i++) {
            GstBuffer *in = frame_at(i, (guint64)i * GST_SECOND);
            GST_BUFFER_OFFSET(in) = (guint64)i;
            GST_BUFFER_FLAG_SET(in, GST_BUFFER_FLAG_MARKER);
            gst_buffer_add_video_region_of_interest_meta(in, "face", 3, 2, 5, 4);
            gst_buffer_add_reference_timestamp_meta(in, reference, (guint64)i + 1000, 40);
            GstBuffer *out = gst_harness_push_and_pull(h, in);
            assert_true(GST_BUFFER_PTS(out) == (guint64)i * GST_SECOND);
            assert_true(GST_BUFFER_DURATION(out) == GST_SECOND / 25);
            assert_true(GST_BUFFER_OFFSET(out) == (guint64)i);
            assert_true(GST_BUFFER_FLAG_IS_SET(out, GST_BUFFER_FLAG_MARKER));
            const GstVideoRegionOfInterestMeta *roi =
                (const GstVideoRegionOfInterestMeta *)gst_buffer_get_meta(
                    out, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
            assert_non_null(roi);
            assert_int_equal(roi->x, 3);
            assert_int_equal(roi->w, 5);
            const GstReferenceTimestampMeta *time =
                gst_buffer_get_reference_timestamp_meta(out, reference);
            assert_non_null(time);
            assert_true(time->timestamp == (guint64)i + 1000);
            gst_buffer_unref(out);
        }
        end_harness(h);
    }
    gst_caps_unref(reference);
}

/* Bits are narrower than the frame: a region of it would be elsewhere. */
static void noise_bits_have_no_regions(void **state)
{
    (void)state;
    GstHarness *h = gst_harness_new_parse("sacnoise view=bits");
    set_caps(h, rgb->format, W, H);
    GstBuffer *in = frame_at(0, 0);
    gst_buffer_add_video_region_of_interest_meta(in, "face", 3, 2, 5, 4);
    GstBuffer *out = gst_harness_push_and_pull(h, in);
    assert_null(gst_buffer_get_meta(out, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE));
    gst_buffer_unref(out);
    end_harness(h);
}

static void filters_late_frame_is_skipped_and_compared_with(void **state)
{
    (void)state;
    for (Element e = HEATMAP; e <= NOISE; e++) {
        Reference r;
        GstHarness *h = harness_of(e);
        reference_open(&r, e, rgb, size, 0);
        GstBuffer *out = gst_harness_push_and_pull(h, frame_at(0, 0));
        assert_frame(out, &r, 0);
        gst_buffer_unref(out);
        /* Downstream is late: what ends before 2 s is of no use. */
        gst_harness_push_upstream_event(
            h, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1.5, GST_SECOND / 2, GST_SECOND));
        assert_int_equal(gst_harness_push(h, frame_at(1, GST_SECOND)), GST_FLOW_OK);
        assert_null(gst_harness_try_pull(h));
        GstMessage *message = next_message(h, GST_MESSAGE_QOS);
        assert_non_null(message);
        gst_message_unref(message);
        uint8_t *skipped = scene(W, H, 3, 1);
        g_free(reference_next(&r, skipped));
        g_free(skipped);
        out = gst_harness_push_and_pull(h, frame_at(2, 3 * GST_SECOND));
        assert_frame(out, &r, 2);
        gst_buffer_unref(out);
        reference_close(&r);
        end_harness(h);
    }
}

static void filters_what_is_drawn_from_a_damaged_frame_is_marked(void **state)
{
    (void)state;
    for (Element e = HEATMAP; e <= NOISE; e++) {
        GstHarness *h = harness_of(e);
        for (int i = 0; i < 5; i++) {
            GstBuffer *in = frame_at(i, (guint64)i * GST_SECOND);
            if (i == 2)
                GST_BUFFER_FLAG_SET(in, GST_BUFFER_FLAG_CORRUPTED);
            GstBuffer *out = gst_harness_push_and_pull(h, in);
            assert_int_equal(GST_BUFFER_FLAG_IS_SET(out, GST_BUFFER_FLAG_CORRUPTED) != 0,
                             i == 2 || i == 3);
            gst_buffer_unref(out);
        }
        end_harness(h);
    }
}

static void gone(gpointer data, GstMiniObject *object)
{
    (void)object;
    *(gboolean *)data = TRUE;
}

/* A camera that is to change its format waits for its buffers. */
static void filters_give_the_frame_before_back_when_asked(void **state)
{
    (void)state;
    for (Element e = HEATMAP; e <= NOISE; e++) {
        Reference r;
        gboolean is_gone = FALSE;
        GstHarness *h = harness_of(e);
        reference_open(&r, e, rgb, size, 0);
        GstBuffer *in = frame_at(0, 0);
        gst_mini_object_weak_ref(GST_MINI_OBJECT(in), gone, &is_gone);
        GstBuffer *out = gst_harness_push_and_pull(h, in);
        assert_frame(out, &r, 0);
        gst_buffer_unref(out);
        assert_false(is_gone);
        GstQuery *drain = gst_query_new_drain();
        gst_pad_peer_query(h->srcpad, drain);
        gst_query_unref(drain);
        assert_true(is_gone);
        out = gst_harness_push_and_pull(h, frame_at(1, GST_SECOND));
        assert_frame(out, &r, 1);
        gst_buffer_unref(out);
        reference_close(&r);
        end_harness(h);
    }
}

static void filters_ask_for_a_buffer_more_where_they_hold_one(void **state)
{
    (void)state;
    for (Element e = EQUALIZE; e < N_ELEMENTS; e++) {
        GstHarness *h = harness_of(e);
        GstCaps *caps = caps_of(rgb->format, W, H);
        GstQuery *query = gst_query_new_allocation(caps, TRUE);
        GstBufferPool *pool = NULL;
        guint bytes = 0, min = 0, max = 0;
        gst_caps_unref(caps);
        gst_buffer_unref(gst_harness_push_and_pull(h, frame_at(0, 0)));
        assert_true(gst_pad_peer_query(h->srcpad, query));
        if (!is_in_place(e)) {
            assert_int_equal(gst_query_get_n_allocation_pools(query), 1);
            gst_query_parse_nth_allocation_pool(query, 0, &pool, &bytes, &min, &max);
            assert_int_equal(min, e == DENOISE ? 0 : 1);
            assert_true(gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL));
            gst_object_unref(pool);
        }
        gst_query_unref(query);
        end_harness(h);
    }
}

static void filters_buffer_that_is_too_small_is_an_error(void **state)
{
    (void)state;
    for (Element e = EQUALIZE; e < N_ELEMENTS; e++) {
        GstHarness *h = harness_of(e);
        GstBuffer *in = gst_buffer_new_allocate(NULL, 3 * W * H - 1, NULL);
        assert_int_equal(gst_harness_push(h, in), GST_FLOW_ERROR);
        assert_null(gst_harness_try_pull(h));
        GstMessage *message = next_message(h, GST_MESSAGE_ERROR);
        assert_non_null(message);
        gst_message_unref(message);
        end_harness(h);
    }
}

static void filters_buffer_of_another_size_is_an_error(void **state)
{
    (void)state;
    for (Element e = EQUALIZE; e < N_ELEMENTS; e++) {
        GstHarness *h = harness_of(e);
        uint8_t *bytes = scene(W, H + 1, 3, 0);
        assert_int_equal(gst_harness_push(h, buffer_with(bytes, rgb->format, W, H + 1, 0)),
                         GST_FLOW_ERROR);
        g_free(bytes);
        end_harness(h);
    }
}

static void filters_add_no_latency(void **state)
{
    (void)state;
    for (Element e = EQUALIZE; e < N_ELEMENTS; e++) {
        GstHarness *h = harness_of(e);
        gst_harness_set_upstream_latency(h, 40 * GST_MSECOND);
        gst_buffer_unref(gst_harness_push_and_pull(h, frame_at(0, 0)));
        assert_true(gst_harness_query_latency(h) == 40 * GST_MSECOND);
        end_harness(h);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_work_in_place_where_the_buffer_is_their_own),
        cmocka_unit_test(filters_keep_times_flags_and_metas),
        cmocka_unit_test(noise_bits_have_no_regions),
        cmocka_unit_test(filters_late_frame_is_skipped_and_compared_with),
        cmocka_unit_test(filters_what_is_drawn_from_a_damaged_frame_is_marked),
        cmocka_unit_test(filters_give_the_frame_before_back_when_asked),
        cmocka_unit_test(filters_ask_for_a_buffer_more_where_they_hold_one),
        cmocka_unit_test(filters_buffer_that_is_too_small_is_an_error),
        cmocka_unit_test(filters_buffer_of_another_size_is_an_error),
        cmocka_unit_test(filters_add_no_latency),
    };
    const int skipped = take_device(argc, argv);
    start_gst("test_filter_buffers");
    return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
