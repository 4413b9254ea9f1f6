/*
 * Properties of all elements: they are those of the parameter tables, take effect while playing,
 * and what is not valid stops the pipeline with the library's own words. Messages, and 10,000
 * buffers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reference.h"

#include <malloc.h>
#include <saccade/delta.h>
#include <saccade/equalize.h>
#include <saccade/motion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { W = 20, H = 12 };

static const Layout *const rgb = &layouts[1];

static GstBuffer *frame_at(int number, guint64 pts)
{
    uint8_t *bytes = scene(W, H, 3, number);
    GstBuffer *buffer = buffer_with(bytes, rgb->format, W, H, 0);
    GST_BUFFER_PTS(buffer) = pts;
    g_free(bytes);
    return buffer;
}

static GstHarness *harness_of(const char *element)
{
    GstHarness *h = gst_harness_new(element);
    watch_messages(h);
    set_caps(h, rgb->format, W, H);
    return h;
}

static void check_number(GParamSpec *spec, const sac_param *p)
{
    if (p->type == SAC_PARAM_INT) {
        assert_true(G_IS_PARAM_SPEC_INT(spec));
        assert_true(((GParamSpecInt *)spec)->minimum == (gint)p->min);
        assert_true(((GParamSpecInt *)spec)->maximum == (gint)p->max);
    } else if (p->type == SAC_PARAM_FLOAT) {
        assert_true(G_IS_PARAM_SPEC_DOUBLE(spec));
        assert_true(((GParamSpecDouble *)spec)->minimum == p->min);
        assert_true(((GParamSpecDouble *)spec)->maximum == p->max);
    } else if (p->type == SAC_PARAM_CHOICE) {
        const GEnumClass *values = ((GParamSpecEnum *)spec)->enum_class;
        for (guint i = 0; i < values->n_values; i++)
            assert_string_equal(values->values[i].value_nick, p->choices[i]);
        assert_null(p->choices[values->n_values]);
    }
}

static void check_table(const char *element, const sac_param_table *table)
{
    GstElement *e = gst_element_factory_make(element, NULL);
    assert_non_null(e);
    for (int32_t i = 0; i < table->n_params; i++) {
        const sac_param *p = &table->params[i];
        GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(e), p->name);
        assert_non_null(spec);
        assert_true(g_ascii_strncasecmp(g_param_spec_get_blurb(spec), p->doc, strlen(p->doc)) == 0);
        assert_true(spec->flags & GST_PARAM_MUTABLE_PLAYING);
        check_number(spec, p);
        /* What is read before anything is set is the default. */
        GValue value = G_VALUE_INIT;
        g_value_init(&value, spec->value_type);
        g_object_get_property(G_OBJECT(e), p->name, &value);
        assert_true(g_param_value_defaults(spec, &value));
        g_value_unset(&value);
    }
    gst_object_unref(e);
}

static void properties_are_those_of_the_tables(void **state)
{
    (void)state;
    check_table("sacequalize", sac_equalize_params());
    check_table("sacheatmap", sac_heatmap_params());
    check_table("sacnoise", sac_noise_params());
    check_table("sacdenoise", sac_denoise_params());
    check_table("sacadjust", sac_adjust_params());
    check_table("sacdeltaenc", sac_delta_encode_params());
    check_table("sacdeltadec", sac_delta_decode_params());
}

static void properties_give_back_what_was_set(void **state)
{
    char *clahe, *variant, *device;
    gdouble clip;
    gint bins;
    (void)state;
    GstElement *e = gst_element_factory_make("sacequalize", NULL);
    g_object_set(e, "clahe", "8x6", "clip", 3.5, "bins", 64, "variant", "plain", NULL);
    g_object_get(e, "clahe", &clahe, "clip", &clip, "bins", &bins, "variant", &variant, "device",
                 &device, NULL);
    assert_string_equal(clahe, "8x6");
    assert_true(clip == 3.5);
    assert_int_equal(bins, 64);
    assert_string_equal(variant, "plain");
    assert_string_equal(device, "cpu");
    g_free(clahe);
    g_free(variant);
    g_free(device);
    gst_object_unref(e);
}

static guint64 changed(const uint8_t *a, const uint8_t *b, int threshold)
{
    guint64 n = 0;
    for (int i = 0; i < W * H; i++) {
        gboolean is_changed = FALSE;
        for (int c = 0; c < 3; c++)
            is_changed = is_changed || abs(a[3 * i + c] - b[3 * i + c]) > threshold;
        n += is_changed ? 1 : 0;
    }
    return n;
}

/* The count of the message that was just posted. */
static guint64 posted(GstHarness *h)
{
    guint64 n = 0;
    GstMessage *message = next_message(h, GST_MESSAGE_ELEMENT);
    assert_non_null(message);
    const GstStructure *counts = gst_message_get_structure(message);
    assert_true(gst_structure_has_name(counts, "saccade"));
    assert_true(gst_structure_get_uint64(counts, "changed-pixels", &n));
    gst_message_unref(message);
    assert_null(next_message(h, GST_MESSAGE_ELEMENT));
    return n;
}

static void threshold_takes_effect_while_playing(void **state)
{
    (void)state;
    GstHarness *h = harness_of("sacnoise");
    g_object_set(h->element, "post-messages", TRUE, "message-interval", G_GUINT64_CONSTANT(0),
                 NULL);
    gst_buffer_unref(gst_harness_push_and_pull(h, frame_at(0, 0)));
    assert_true(posted(h) == 0);
    for (int i = 1; i < 40; i++) {
        const int threshold = (i * 37) % 256;
        uint8_t *before = scene(W, H, 3, i - 1), *now = scene(W, H, 3, i);
        g_object_set(h->element, "threshold", threshold, NULL);
        gst_buffer_unref(gst_harness_push_and_pull(h, frame_at(i, (guint64)i * GST_SECOND)));
        assert_true(posted(h) == changed(before, now, threshold));
        g_free(before);
        g_free(now);
    }
    end_harness(h);
}

static void heatmap_counts_what_changed_at_all(void **state)
{
    uint8_t *before = scene(W, H, 3, 0), *now = scene(W, H, 3, 1);
    (void)state;
    GstHarness *h = harness_of("sacheatmap");
    g_object_set(h->element, "post-messages", TRUE, "message-interval", G_GUINT64_CONSTANT(0),
                 NULL);
    gst_buffer_unref(gst_harness_push_and_pull(h, frame_at(0, 0)));
    assert_true(posted(h) == 0);
    gst_buffer_unref(gst_harness_push_and_pull(h, frame_at(1, GST_SECOND)));
    assert_true(posted(h) == changed(before, now, 0));
    g_free(before);
    g_free(now);
    end_harness(h);
}

static int messages_of(gboolean is_on, guint64 interval)
{
    int n = 0;
    GstHarness *h = harness_of("sacnoise");
    g_object_set(h->element, "post-messages", is_on, "message-interval", interval, NULL);
    for (int i = 0; i < 50; i++)
        gst_buffer_unref(gst_harness_push_and_pull(h, frame_at(i, (guint64)i * GST_SECOND / 25)));
    for (GstMessage *m; (m = next_message(h, GST_MESSAGE_ELEMENT)); n++)
        gst_message_unref(m);
    end_harness(h);
    return n;
}

static void messages_are_off_or_as_rare_as_asked(void **state)
{
    (void)state;
    assert_int_equal(messages_of(FALSE, 0), 0);
    assert_int_equal(messages_of(TRUE, 0), 50);
    assert_int_equal(messages_of(TRUE, GST_SECOND / 5), 10);
    assert_int_equal(messages_of(TRUE, GST_SECOND), 2);
}

/* The text of the error that stopped the element. */
static char *error_of(GstHarness *h)
{
    GError *error = NULL;
    GstMessage *message = next_message(h, GST_MESSAGE_ERROR);
    assert_non_null(message);
    gst_message_parse_error(message, &error, NULL);
    char *text = g_strdup(error->message);
    g_error_free(error);
    gst_message_unref(message);
    return text;
}

/* Sets a property between two frames: the second one is refused. */
static void check_refused(const char *element, const char *property, const char *value,
                          const char *word)
{
    GstHarness *h = harness_of(element);
    gst_buffer_unref(gst_harness_push_and_pull(h, frame_at(0, 0)));
    gst_util_set_object_arg(G_OBJECT(h->element), property, value);
    assert_int_equal(gst_harness_push(h, frame_at(1, GST_SECOND)), GST_FLOW_ERROR);
    assert_null(gst_harness_try_pull(h));
    char *text = error_of(h);
    if (!strstr(text, word))
        fprintf(stderr, "%s %s=%s: \"%s\" does not have \"%s\"\n", element, property, value, text,
                word);
    assert_non_null(strstr(text, word));
    g_free(text);
    end_harness(h);
}

static void values_that_are_not_valid_stop_with_the_librarys_words(void **state)
{
    (void)state;
    check_refused("sacequalize", "clahe", "many", "clahe");
    check_refused("sacequalize", "clahe", "65", "clahe");
    check_refused("sacequalize", "bins", "1", "bins");
    check_refused("sacequalize", "device", "tpu", "device");
    check_refused("sacheatmap", "variant", "no-such", "no-such");
    check_refused("sacnoise", "variant", "other_room:avx2", "other_room");
    check_refused("sacdenoise", "device", "cpu0", "device");
    check_refused("sacadjust", "variant", "noise_u8:plain", "noise_u8");
    /* cuda:1 is refused by builds without CUDA, and where there is no second GPU. */
    check_refused("sacheatmap", "device", "cuda:63", "");
}

/* A value that is corrected in time does no harm. */
static void value_that_is_corrected_does_no_harm(void **state)
{
    (void)state;
    GstHarness *h = harness_of("sacequalize");
    g_object_set(h->element, "clahe", "many", NULL);
    g_object_set(h->element, "clahe", "2x2", NULL);
    gst_buffer_unref(gst_harness_push_and_pull(h, frame_at(0, 0)));
    end_harness(h);
}

static size_t allocated(void)
{
    return mallinfo2().uordblks;
}

/* Under a sanitizer malloc does not tell; there the leak checker looks at the end. */
static void check_growth(const char *element)
{
    enum { FIRST = 1000, ALL = 10000 };
    size_t before = 0;
    GstHarness *h = harness_of(element);
    g_object_set(h->element, "threads", 1, NULL);
    for (int i = 0; i < ALL; i++) {
        if (i == FIRST)
            before = allocated();
        GstBuffer *out =
            gst_harness_push_and_pull(h, frame_at(i % 16, (guint64)i * GST_SECOND / 100));
        assert_non_null(out);
        gst_buffer_unref(out);
        while (gst_harness_events_in_queue(h))
            gst_event_unref(gst_harness_pull_event(h));
    }
    const size_t after = allocated();
    if (after > before + 65536)
        fprintf(stderr, "%s: %zu bytes, then %zu\n", element, before, after);
    assert_true(after <= before + 65536);
    end_harness(h);
}

static void filters_10000_buffers_need_no_more_memory(void **state)
{
    (void)state;
    for (Element e = EQUALIZE; e < N_ELEMENTS; e++)
        check_growth(element_names[e]);
}

/* Another thread sets options for as long as frames are worked on. */
static gpointer set_forever(gpointer data)
{
    GstHarness *h = data;
    for (int i = 0; !g_object_get_data(G_OBJECT(h->element), "over"); i++) {
        gst_util_set_object_arg(G_OBJECT(h->element), "view", i % 3 ? "overlay" : "bits");
        g_object_set(h->element, "threshold", i % 200, "variant", i % 2 ? NULL : "plain", NULL);
        g_usleep(100);
    }
    return NULL;
}

static void options_may_be_set_by_another_thread_at_any_time(void **state)
{
    (void)state;
    GstHarness *h = harness_of("sacnoise");
    GThread *thread = g_thread_new("set", set_forever, h);
    for (int i = 0; i < 1000; i++) {
        GstBuffer *out = gst_harness_push_and_pull(h, frame_at(i, (guint64)i * GST_MSECOND));
        assert_non_null(out);
        gst_buffer_unref(out);
    }
    g_object_set_data(G_OBJECT(h->element), "over", h);
    g_thread_join(thread);
    end_harness(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(properties_are_those_of_the_tables),
        cmocka_unit_test(properties_give_back_what_was_set),
        cmocka_unit_test(threshold_takes_effect_while_playing),
        cmocka_unit_test(heatmap_counts_what_changed_at_all),
        cmocka_unit_test(messages_are_off_or_as_rare_as_asked),
        cmocka_unit_test(values_that_are_not_valid_stop_with_the_librarys_words),
        cmocka_unit_test(value_that_is_corrected_does_no_harm),
        cmocka_unit_test(filters_10000_buffers_need_no_more_memory),
        cmocka_unit_test(options_may_be_set_by_another_thread_at_any_time),
    };
    start_gst("test_options");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
