/*
 * sacequalize, sacheatmap, sacnoise, sacdenoise and sacadjust give the library's bytes: every
 * format, odd sizes, gaps between rows; after new caps in mid-stream, after a flush, and with new
 * options.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reference.h"

#include <saccade/motion.h>
#include <stdio.h>

enum { N_FRAMES = 4 };

/* Pushes the frame and compares what comes out. */
static void check_frame(GstHarness *h, Reference *r, const Layout *layout, GstVideoFormat to,
                        const uint8_t *frame, int gap)
{
    GstBuffer *in = buffer_with(frame, layout->format, r->w, r->h, gap);
    GstBuffer *out = gst_harness_push_and_pull(h, in);
    assert_non_null(out);
    uint8_t *got = bytes_of(out, to, r->out_w, r->h), *wanted = reference_next(r, frame);
    assert_bytes(got, wanted, (size_t)r->out_w * (size_t)r->h * (size_t)r->out_channels,
                 element_names[r->element]);
    if (is_in_place(r->element))
        assert_true(gaps_are_whole(out)); /* it is the buffer that went in */
    g_free(got);
    g_free(wanted);
    gst_buffer_unref(out);
}

/* Frames `from` .. of a scene through an element that runs. */
static void check_frames(GstHarness *h, Reference *r, const Layout *layout, GstVideoFormat to,
                         int from, int n, int gap)
{
    for (int i = from; i < from + n; i++) {
        uint8_t *frame = scene(r->w, r->h, r->n_channels, i);
        check_frame(h, r, layout, to, frame, gap);
        g_free(frame);
    }
}

static void check_element(Element element, const Layout *layout, Size size, int gap)
{
    Reference r;
    GstHarness *h = element_harness(element_names[element]);
    reference_open(&r, element, layout, size, SAC_NOISE_MASK);
    set_caps(h, layout->format, size.w, size.h);
    check_frames(h, &r, layout, out_format(element, layout->format), 0, N_FRAMES, gap);
    reference_close(&r);
    end_harness(h);
}

static void filters_every_format_gives_the_librarys_bytes(void **state)
{
    (void)state;
    for (Element e = EQUALIZE; e < N_ELEMENTS; e++)
        for (int i = 0; i < N_LAYOUTS; i++)
            for (int j = 0; j < N_SIZES; j++)
                check_element(e, &layouts[i], sizes[j], j % 3 == 0 ? 0 : 5 + 8 * (j % 3));
}

static void filters_random_size_gives_the_librarys_bytes(void **state)
{
    const guint32 seed = g_random_int();
    GRand *random = g_rand_new_with_seed(seed);
    (void)state;
    printf("seed %u\n", seed);
    for (int i = 0; i < 40; i++) {
        const Size size = {g_rand_int_range(random, 1, 300), g_rand_int_range(random, 1, 60)};
        const Layout *layout = &layouts[g_rand_int_range(random, 0, N_LAYOUTS)];
        check_element((Element)(i % N_ELEMENTS), layout, size, g_rand_int_range(random, 0, 40));
    }
    g_rand_free(random);
}

static void filters_new_caps_in_mid_stream_begin_again(void **state)
{
    const Layout *rgb = &layouts[1], *gray = &layouts[0];
    (void)state;
    for (Element e = EQUALIZE; e < N_ELEMENTS; e++) {
        GstHarness *h = element_harness(element_names[e]);
        for (int round = 0; round < 4; round++) {
            const Layout *layout = round % 2 ? gray : rgb;
            const Size size = {round % 2 ? 33 : 64, 17 + round};
            Reference r;
            reference_open(&r, e, layout, size, SAC_NOISE_MASK);
            set_caps(h, layout->format, size.w, size.h);
            check_frames(h, &r, layout, out_format(e, layout->format), 0, 3, 3 * round);
            reference_close(&r);
        }
        end_harness(h);
    }
}

static void filters_same_caps_again_go_on(void **state)
{
    const Layout *layout = &layouts[2];
    const Size size = {31, 9};
    (void)state;
    for (Element e = EQUALIZE; e < N_ELEMENTS; e++) {
        GstHarness *h = element_harness(element_names[e]);
        Reference r;
        reference_open(&r, e, layout, size, SAC_NOISE_MASK);
        set_caps(h, layout->format, size.w, size.h);
        check_frames(h, &r, layout, layout->format, 0, 2, 0);
        set_caps(h, layout->format, size.w, size.h);
        check_frames(h, &r, layout, layout->format, 2, 2, 0);
        reference_close(&r);
        end_harness(h);
    }
}

static void filters_flush_begins_again(void **state)
{
    const Layout *layout = &layouts[1];
    const Size size = {40, 30};
    (void)state;
    for (Element e = EQUALIZE; e < N_ELEMENTS; e++) {
        GstHarness *h = element_harness(element_names[e]);
        set_caps(h, layout->format, size.w, size.h);
        for (int round = 0; round < 2; round++) {
            Reference r;
            GstSegment segment;
            reference_open(&r, e, layout, size, SAC_NOISE_MASK);
            check_frames(h, &r, layout, layout->format, 5 * round, 3, 0);
            reference_close(&r);
            assert_true(gst_harness_push_event(h, gst_event_new_flush_start()));
            assert_true(gst_harness_push_event(h, gst_event_new_flush_stop(TRUE)));
            gst_segment_init(&segment, GST_FORMAT_TIME);
            assert_true(gst_harness_push_event(h, gst_event_new_segment(&segment)));
        }
        end_harness(h);
    }
}

static void filters_end_of_stream_is_passed_on(void **state)
{
    (void)state;
    for (Element e = EQUALIZE; e < N_ELEMENTS; e++) {
        GstHarness *h = element_harness(element_names[e]);
        set_caps(h, GST_VIDEO_FORMAT_RGB, 8, 8);
        assert_true(gst_harness_push_event(h, gst_event_new_eos()));
        GstEvent *event = NULL;
        gboolean is_over = FALSE;
        while ((event = gst_harness_try_pull_event(h))) {
            is_over = GST_EVENT_TYPE(event) == GST_EVENT_EOS;
            gst_event_unref(event);
        }
        assert_true(is_over);
        end_harness(h);
    }
}

static gboolean accepts(GstHarness *h, const char *text)
{
    GstCaps *caps = gst_caps_from_string(text);
    const gboolean accepted = gst_pad_query_accept_caps(GST_PAD_PEER(h->srcpad), caps);
    gst_caps_unref(caps);
    return accepted;
}

static void filters_caps_without_a_layout_are_refused(void **state)
{
    const char *const refused[] = {"I420", "NV12", "ARGB", "xRGB", "GRAY16_LE", "YUY2", "RGB16"};
    (void)state;
    for (Element e = EQUALIZE; e < N_ELEMENTS; e++) {
        GstHarness *h = element_harness(element_names[e]);
        for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
            char *text = g_strdup_printf("video/x-raw,format=%s,width=16,height=16,framerate=25/1",
                                         refused[i]);
            assert_false(accepts(h, text));
            g_free(text);
        }
        for (int i = 0; i < N_LAYOUTS; i++) {
            GstCaps *caps = caps_of(layouts[i].format, 17, 3);
            assert_true(gst_pad_query_accept_caps(GST_PAD_PEER(h->srcpad), caps));
            gst_caps_unref(caps);
        }
        end_harness(h);
    }
}

/* Downstream wants BGR: a heat map of gray frames has it. */
static void heatmap_of_gray_takes_the_order_that_downstream_wants(void **state)
{
    const Layout *gray = &layouts[0];
    const Layout as_bgr = {GST_VIDEO_FORMAT_GRAY8, 1, SAC_ORDER_BGR};
    const Size size = {19, 7};
    Reference r;
    (void)state;
    GstHarness *h = element_harness("sacheatmap");
    gst_harness_set_sink_caps_str(h, "video/x-raw,format=BGR");
    reference_open(&r, HEATMAP, &as_bgr, size, 0);
    set_caps(h, GST_VIDEO_FORMAT_GRAY8, size.w, size.h);
    check_frames(h, &r, gray, GST_VIDEO_FORMAT_BGR, 0, 3, 0);
    reference_close(&r);
    end_harness(h);
}

/* The picture of frames i and i + 1 after another view was set. */
static void noise_view_changes_while_playing(void **state)
{
    const char *const views[] = {"mask", "bits", "overlay", "bits", "pure", "mask"};
    const int numbers[] = {SAC_NOISE_MASK, SAC_NOISE_BITS, SAC_NOISE_OVERLAY,
                           SAC_NOISE_BITS, SAC_NOISE_PURE, SAC_NOISE_MASK};
    (void)state;
    for (int i = 0; i < N_LAYOUTS; i++) {
        const Size size = {37, 11};
        GstHarness *h = element_harness("sacnoise");
        uint8_t *previous = NULL;
        set_caps(h, layouts[i].format, size.w, size.h);
        for (int j = 0; j < (int)G_N_ELEMENTS(views); j++) {
            const gboolean is_bits = numbers[j] == SAC_NOISE_BITS;
            Reference r;
            gst_util_set_object_arg(G_OBJECT(h->element), "view", views[j]);
            reference_open(&r, NOISE, &layouts[i], size, numbers[j]);
            r.previous = previous;
            check_frames(h, &r, &layouts[i], is_bits ? GST_VIDEO_FORMAT_GRAY8 : layouts[i].format,
                         2 * j, 2, 3);
            previous = r.previous;
            r.previous = NULL;
            reference_close(&r);
        }
        g_free(previous);
        end_harness(h);
    }
}

/* Brightness, contrast, saturation, gain; the last ones are where they were at first. */
static const double controls[][4] = {{0, 1, 1, 1},     {20, 1, 1, 1},    {-35.5, 1.7, 1, 1},
                                     {0, 1, 0, 1},     {0, 1, 2.5, 1.3}, {10, 0.4, 4, 16},
                                     {100, 4, 0.5, 2}, {0, 0, 1, 1},     {0, 1, 1, 1}};

/* Each takes effect with the next frame, and nobody else hears of it: no caps, no event on either
 * side, and the frames' buffers go through. */
static void adjust_controls_move_while_playing(void **state)
{
    (void)state;
    for (int i = 0; i < N_LAYOUTS; i++) {
        const Size size = sizes[i % N_SIZES];
        Reference r;
        GstHarness *h = element_harness("sacadjust");
        reference_open(&r, ADJUST, &layouts[i], size, 0);
        set_caps(h, layouts[i].format, size.w, size.h);
        check_frames(h, &r, &layouts[i], layouts[i].format, 0, 1, 3);
        const guint events = gst_harness_events_in_queue(h);
        const guint upstream = gst_harness_upstream_events_in_queue(h);
        for (int j = 0; j < (int)G_N_ELEMENTS(controls); j++) {
            const double *c = controls[j];
            g_object_set(h->element, "brightness", c[0], "contrast", c[1], "saturation", c[2],
                         "gain", c[3], NULL);
            reference_adjust(&r, c[0], c[1], c[2], c[3]);
            check_frames(h, &r, &layouts[i], layouts[i].format, 2 * j, 2, 3);
        }
        assert_int_equal(gst_harness_events_in_queue(h), events);
        assert_int_equal(gst_harness_upstream_events_in_queue(h), upstream);
        reference_close(&r);
        end_harness(h);
    }
}

/* What a plan cannot take over makes a new one, with the controls as they were. */
static void adjust_other_options_keep_the_controls(void **state)
{
    const Layout *rgb = &layouts[1];
    const Size size = {61, 23};
    Reference r;
    (void)state;
    GstHarness *h = element_harness("sacadjust");
    g_object_set(h->element, "gain", 1.5, "saturation", 0.3, "threads", 1, NULL);
    reference_open(&r, ADJUST, rgb, size, 0);
    reference_adjust(&r, 0, 1, 0.3, 1.5);
    set_caps(h, rgb->format, size.w, size.h);
    check_frames(h, &r, rgb, rgb->format, 0, 2, 0);
    g_object_set(h->element, "device", "cpu", "variant", "plain", NULL); /* which no GPU has */
    check_frames(h, &r, rgb, rgb->format, 2, 2, 0);
    g_object_set(h->element, "threads", 2, "brightness", -12.0, NULL);
    reference_adjust(&r, -12, 1, 0.3, 1.5);
    check_frames(h, &r, rgb, rgb->format, 4, 2, 0);
    reference_close(&r);
    end_harness(h);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_every_format_gives_the_librarys_bytes),
        cmocka_unit_test(filters_random_size_gives_the_librarys_bytes),
        cmocka_unit_test(filters_new_caps_in_mid_stream_begin_again),
        cmocka_unit_test(filters_same_caps_again_go_on),
        cmocka_unit_test(filters_flush_begins_again),
        cmocka_unit_test(filters_end_of_stream_is_passed_on),
        cmocka_unit_test(filters_caps_without_a_layout_are_refused),
        cmocka_unit_test(heatmap_of_gray_takes_the_order_that_downstream_wants),
        cmocka_unit_test(noise_view_changes_while_playing),
        cmocka_unit_test(adjust_controls_move_while_playing),
        cmocka_unit_test(adjust_other_options_keep_the_controls),
    };
    const int skipped = take_device(argc, argv);
    start_gst("test_filters");
    return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
