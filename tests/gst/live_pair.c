/*
 * A sender's elements and receivers' in the hands of a test.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "live_pair.h"

#include <saccade/delta.h>
#include <string.h>
#include <unistd.h>

enum { T = 10, DEADLINE_S = 30 };
static const Size size = {160, 96};

char *write_passphrase(const char *text)
{
    char *name = g_strdup_printf("%s/passphrase-%d-%c", BUILD_FOLDER, (int)getpid(), text[0]);
    assert_true(g_file_set_contents(name, text, -1, NULL));
    return name;
}

/* An element that is playing, by the clock of the system. A harness plays sinks at once, and does
 * not wait for their first buffer. */
GstHarness *start_with(const char *factory, const char *uri, const char *file, gboolean reconnect)
{
    GstElement *element = gst_element_factory_make(factory, NULL);
    const gboolean is_sink = strcmp(factory, "sacdeltasink") == 0;
    g_object_set(element, "uri", uri, "passphrase-file", file, "reconnect", reconnect, NULL);
    if (is_sink)
        g_object_set(element, "async", FALSE, NULL);
    GstHarness *h =
        gst_harness_new_with_element(element, is_sink ? "sink" : NULL, is_sink ? NULL : "src");
    gst_object_unref(element); /* the harness has it */
    gst_harness_use_systemclock(h);
    gst_element_set_base_time(element, (GstClockTime)g_get_monotonic_time() * 1000);
    watch_messages(h);
    if (!is_sink)
        gst_harness_play(h);
    return h;
}

GstHarness *start(const char *factory, const char *uri, const char *file)
{
    return start_with(factory, uri, file, TRUE);
}

guint64 stat_of(GstHarness *h, const char *name)
{
    GstStructure *stats;
    guint64 value = 0;
    gint port = 0;
    g_object_get(h->element, "stats", &stats, NULL);
    if (!gst_structure_get_uint64(stats, name, &value) && gst_structure_get_int(stats, name, &port))
        value = (guint64)port;
    gst_structure_free(stats);
    return value;
}

char *uri_to(const char *scheme, GstHarness *waiter)
{
    const int port = (int)stat_of(waiter, "port");
    assert_true(port > 0);
    return g_strdup_printf("%s://127.0.0.1:%d", scheme, port);
}

void sender_open(Live *live, const char *uri, const char *file)
{
    *live = (Live){.sink = start("sacdeltasink", uri, file)};
    pair_open(&live->pair, &layouts[1], size, "threshold=10 key-interval=0");
}

void sender_close(Live *live)
{
    end_harness(live->sink);
    pair_close(&live->pair);
}

/* Requests for keyframes go from the sink to the encoder, as in a pipeline. */
static int pass_on(Live *live, GstEvent *event)
{
    int n = 0;
    for (; event; event = gst_harness_try_pull_upstream_event(live->sink)) {
        if (gst_video_event_is_force_key_unit(event)) {
            gst_harness_push_upstream_event(live->pair.enc, gst_event_ref(event));
            n++;
        }
        gst_event_unref(event);
    }
    return n;
}

void send_frame(Live *live)
{
    (void)pass_on(live, gst_harness_try_pull_upstream_event(live->sink));
    GstBuffer *packet = pair_encode(&live->pair, live->n++);
    if (live->n == 1) {
        GstCaps *caps = gst_pad_get_current_caps(live->pair.enc->sinkpad);
        gst_harness_set_src_caps(live->sink, caps);
    }
    assert_int_equal(gst_harness_push(live->sink, packet), GST_FLOW_OK);
}

/* Waits until a receiver is there: its coming asks for a keyframe. */
void await_request(Live *live)
{
    int n = 0;
    while (n == 0) {
        GstEvent *event = gst_harness_pull_upstream_event(live->sink);
        assert_non_null(event); /* after its 60 seconds */
        n = pass_on(live, event);
    }
}

/* The next packet; its picture must be the frame that it is of. Returns that frame's number. */
int receive(Live *live, GstHarness *src, GstHarness *dec)
{
    GstBuffer *packet = gst_harness_pull(src);
    sac_delta_packet header;
    GstMapInfo map;
    assert_non_null(packet);
    gst_buffer_map(packet, &map, GST_MAP_READ);
    assert_int_equal(sac_delta_peek(&header, map.data, map.size, G_GUINT64_CONSTANT(1) << 26, NULL),
                     SAC_OK);
    gst_buffer_unmap(packet, &map);
    assert_int_equal(header.is_key, is_key(packet));
    const int number = (int)(header.time_ns / FRAME_NS);
    GstCaps *now = gst_pad_get_current_caps(dec->srcpad);
    if (!now)
        gst_harness_set_src_caps(dec, gst_pad_get_current_caps(src->sinkpad));
    gst_clear_caps(&now);
    assert_int_equal(gst_harness_push(dec, packet), GST_FLOW_OK);
    GstBuffer *picture = gst_harness_try_pull(dec);
    assert_non_null(picture);
    Pair pair = live->pair;
    pair.dec = dec;
    assert_true(pair_error(&pair, picture, number) <= T);
    assert_non_null(gst_buffer_get_reference_timestamp_meta(picture, NULL));
    gst_buffer_unref(picture);
    return number;
}

GstHarness *decoder(void)
{
    GstHarness *h = gst_harness_new("sacdeltadec");
    g_object_set(h->element, "threads", 1, NULL);
    return h;
}

/* Sends and receives n frames, in turn. */
void stream(Live *live, GstHarness *src, GstHarness *dec, int n)
{
    for (int i = 0; i < n; i++) {
        send_frame(live);
        assert_int_equal(receive(live, src, dec), live->n - 1);
    }
}

GstMessage *await_message(GstHarness *h, GstMessageType type)
{
    GstBus *bus = gst_element_get_bus(h->element);
    GstMessage *message = gst_bus_timed_pop_filtered(bus, DEADLINE_S * GST_SECOND, type);
    gst_object_unref(bus);
    assert_non_null(message);
    return message;
}
