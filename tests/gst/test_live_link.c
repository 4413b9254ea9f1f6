/*
 * sacdeltasink and sacdeltasrc over the loopback: every transport, either side waiting, several
 * receivers, those who come late or go, passphrases, requests on the way back, and strangers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/random.h"
#include "live_pair.h"
#include "skip.h"

static const char passphrase[] = "correct horse battery staple\n";
static int flood = 20000; /* hostile datagrams */

typedef struct Way {
    const char *scheme;
    gboolean sender_waits, keyed;
} Way;

static gboolean has_scheme(const char *scheme)
{
    char *uri = g_strdup_printf("%s://:0", scheme);
    GstElement *sink = gst_element_factory_make("sacdeltasink", NULL);
    g_object_set(sink, "uri", uri, NULL);
    const gboolean has = gst_element_set_state(sink, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE;
    gst_element_set_state(sink, GST_STATE_NULL);
    gst_object_unref(sink);
    g_free(uri);
    return has;
}

static gboolean keys; /* this build has passphrases */

static gboolean find_keys(void)
{
    char *file = write_passphrase(passphrase);
    GstElement *sink = gst_element_factory_make("sacdeltasink", NULL);
    g_object_set(sink, "uri", "tcp://:0", "passphrase-file", file, NULL);
    const gboolean has = gst_element_set_state(sink, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE;
    gst_element_set_state(sink, GST_STATE_NULL);
    gst_object_unref(sink);
    unlink(file);
    g_free(file);
    return has;
}

static void link_shows_every_frame_exactly(void **state)
{
    const Way *way = *state;
    char *any = g_strdup_printf("%s://:0", way->scheme), *uri = NULL,
         *file = way->keyed ? write_passphrase(passphrase) : NULL;
    Live live;
    GstHarness *src, *dec = decoder();
    if (!has_scheme(way->scheme) || (way->keyed && !keys))
        skip_test("this build has no SRT, or no passphrases (libsodium)");
    if (way->sender_waits) {
        sender_open(&live, any, file);
        src = start("sacdeltasrc", uri = uri_to(way->scheme, live.sink), file);
    } else {
        src = start("sacdeltasrc", any, file);
        sender_open(&live, uri = uri_to(way->scheme, src), file);
    }
    await_request(&live);
    stream(&live, src, dec, 20);
    assert_int_equal(stat_of(src, "packets"), 20);
    assert_int_equal(stat_of(src, "lost"), 0);
    assert_int_equal(stat_of(live.sink, "bytes"), stat_of(src, "bytes"));
    sender_close(&live);
    end_harness(src);
    gst_harness_teardown(dec);
    if (file)
        unlink(file);
    g_free(file);
    g_free(any);
    g_free(uri);
}

static void late_receiver_begins_with_a_keyframe(void **state)
{
    Live live;
    GstHarness *dec[] = {decoder(), decoder()};
    (void)state;
    sender_open(&live, "udp://:0", NULL);
    char *uri = uri_to("udp", live.sink);
    GstHarness *first = start("sacdeltasrc", uri, NULL);
    await_request(&live);
    stream(&live, first, dec[0], 10);
    GstHarness *second = start("sacdeltasrc", uri, NULL);
    await_request(&live);
    for (int i = 0; i < 10; i++) {
        send_frame(&live);
        assert_int_equal(receive(&live, first, dec[0]), live.n - 1);
        assert_int_equal(receive(&live, second, dec[1]), live.n - 1);
    }
    assert_int_equal(stat_of(live.sink, "clients"), 2);
    end_harness(second); /* the first goes on */
    stream(&live, first, dec[0], 5);
    end_harness(first);
    sender_close(&live);
    gst_harness_teardown(dec[0]);
    gst_harness_teardown(dec[1]);
    g_free(uri);
}

static void restarted_receiver_goes_on(void **state)
{
    Live live;
    (void)state;
    sender_open(&live, "tcp://:0", NULL);
    char *uri = uri_to("tcp", live.sink);
    for (int i = 0; i < 3; i++) {
        GstHarness *src = start("sacdeltasrc", uri, NULL), *dec = decoder();
        await_request(&live);
        stream(&live, src, dec, 5);
        end_harness(src);
        gst_harness_teardown(dec);
        send_frame(&live); /* to nobody */
    }
    sender_close(&live);
    g_free(uri);
}

static void assert_says(GstMessage *message, const char *word)
{
    GError *error = NULL;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
        gst_message_parse_error(message, &error, NULL);
    else
        gst_message_parse_warning(message, &error, NULL);
    if (!strstr(error->message, word))
        fail_msg("%s: lacks %s", error->message, word);
    g_error_free(error);
    gst_message_unref(message);
}

static void wrong_passphrase_is_said_on_both_sides(void **state)
{
    const Way *way = *state;
    char *right = write_passphrase(passphrase), *wrong = write_passphrase("a wrong passphrase\n");
    char *any = g_strdup_printf("%s://:0", way->scheme);
    Live live;
    if (!has_scheme(way->scheme) || !keys)
        skip_test("this build has no SRT, or no passphrases (libsodium)");
    sender_open(&live, any, right);
    char *uri = uri_to(way->scheme, live.sink);
    GstHarness *src = start("sacdeltasrc", uri, wrong);
    assert_says(await_message(src, GST_MESSAGE_ERROR), "passphrase does not match");
    assert_says(await_message(live.sink, GST_MESSAGE_WARNING), "passphrase does not match");
    assert_true(stat_of(live.sink, "refused") > 0);
    send_frame(&live);
    assert_null(gst_harness_try_pull(src));
    end_harness(src);
    sender_close(&live);
    unlink(right);
    unlink(wrong);
    g_free(right);
    g_free(wrong);
    g_free(any);
    g_free(uri);
}

static void requests_and_control_go_to_the_sender(void **state)
{
    Live live;
    GstHarness *dec = decoder();
    gboolean has_control = FALSE, has_key = FALSE;
    gint wanted = 0;
    (void)state;
    sender_open(&live, "udp://:0", NULL);
    char *uri = uri_to("udp", live.sink);
    GstHarness *src = start("sacdeltasrc", uri, NULL);
    await_request(&live);
    stream(&live, src, dec, 5);
    gst_harness_push_upstream_event(
        src, gst_event_new_custom(
                 GST_EVENT_CUSTOM_UPSTREAM,
                 gst_structure_new("saccade-control", "threshold", G_TYPE_INT, 7, NULL)));
    gst_harness_push_upstream_event(
        src, gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 1));
    while (!has_control || !has_key) {
        GstEvent *event = gst_harness_pull_upstream_event(live.sink);
        assert_non_null(event);
        const GstStructure *structure = gst_event_get_structure(event);
        if (structure && gst_structure_has_name(structure, "saccade-control"))
            has_control = gst_structure_get_int(structure, "threshold", &wanted);
        has_key |= gst_video_event_is_force_key_unit(event);
        gst_event_unref(event);
    }
    assert_int_equal(wanted, 7);
    end_harness(src);
    sender_close(&live);
    gst_harness_teardown(dec);
    g_free(uri);
}

static void end_of_the_sender_ends_a_source_that_does_not_reconnect(void **state)
{
    const Way *way = *state;
    char *any = g_strdup_printf("%s://:0", way->scheme);
    Live live;
    GstHarness *dec = decoder();
    if (!has_scheme(way->scheme))
        skip_test("this build has no SRT");
    sender_open(&live, any, NULL);
    char *uri = uri_to(way->scheme, live.sink);
    GstHarness *src = start_with("sacdeltasrc", uri, NULL, FALSE);
    await_request(&live);
    for (int i = 0; i < 10; i++)
        send_frame(&live);
    gst_harness_push_event(live.sink, gst_event_new_eos());
    sender_close(&live);
    int n = 0;
    for (GstBuffer *buffer; n < 10 && (buffer = gst_harness_pull(src)); n++)
        gst_buffer_unref(buffer);
    assert_int_equal(n, 10);
    for (GstEvent *event; (event = gst_harness_pull_event(src));) {
        const gboolean is_end = GST_EVENT_TYPE(event) == GST_EVENT_EOS;
        gst_event_unref(event);
        if (is_end)
            break;
    }
    end_harness(src);
    gst_harness_teardown(dec);
    g_free(any);
    g_free(uri);
}

/* Datagrams of every kind at the port of a sender with a passphrase, while it sends. */
static void hostile_datagrams_change_nothing_that_is_shown(void **state)
{
    char *file = write_passphrase(passphrase);
    Live live;
    GstHarness *dec = decoder();
    uint8_t bytes[1400];
    (void)state;
    if (!keys)
        skip_test("this build has no passphrases (libsodium)");
    sender_open(&live, "udp://:0", file);
    char *uri = uri_to("udp", live.sink);
    GstHarness *src = start("sacdeltasrc", uri, file);
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)stat_of(live.sink, "port")),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    await_request(&live);
    for (int i = 0; i < flood; i++) {
        const size_t n = (size_t)(sac_random_uniform(1, (uint64_t)i) * sizeof bytes);
        for (size_t k = 0; k < n; k += 8) {
            const uint64_t word = sac_random(2, (uint64_t)i * 256 + k);
            memcpy(bytes + k, &word, n - k < 8 ? n - k : 8);
        }
        if (i % 2 && n > 6) {
            const uint8_t head[] = {
                'S', 'L', 1, (uint8_t)(1 + i / 2 % 13), (uint8_t)n, (uint8_t)(n >> 8)};
            memcpy(bytes, head, sizeof head);
        }
        (void)!sendto(fd, bytes, n, MSG_DONTWAIT, (const struct sockaddr *)&to, sizeof to);
        if (i % 500 == 0)
            stream(&live, src, dec, 1);
    }
    stream(&live, src, dec, 5);
    assert_int_equal(stat_of(live.sink, "clients"), 1);
    assert_int_equal(stat_of(src, "packets"), (uint64_t)live.n);
    assert_true(stat_of(live.sink, "foreign") > 0);
    close(fd);
    end_harness(src);
    sender_close(&live);
    gst_harness_teardown(dec);
    unlink(file);
    g_free(file);
    g_free(uri);
}

static void refused(const char *uri, const char *file, const char *word)
{
    GstElement *sink = gst_element_factory_make("sacdeltasink", NULL);
    GstBus *bus = gst_bus_new();
    g_object_set(sink, "uri", uri, "passphrase-file", file, NULL);
    gst_element_set_bus(sink, bus);
    assert_int_equal(gst_element_set_state(sink, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    assert_says(gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR), word);
    gst_element_set_state(sink, GST_STATE_NULL);
    gst_bus_set_flushing(bus, TRUE);
    gst_object_unref(bus);
    gst_object_unref(sink);
}

static void properties_that_are_not_valid_are_refused(void **state)
{
    char *file = write_passphrase("too short\n");
    (void)state;
    refused(NULL, NULL, "uri: expected");
    refused("http://example.org:80", NULL, "uri: expected");
    refused("udp://host", NULL, "uri: expected");
    refused("udp://host:0", NULL, "uri: expected");
    refused("tcp://host:70000", NULL, "uri: expected");
    refused("tcp://:5000?mode=other", NULL, "uri: expected");
    refused("tcp://:0", "/none/such", keys ? "/none/such" : "libsodium");
    refused("tcp://:0", file, keys ? "16" : "libsodium");
    unlink(file);
    g_free(file);
}

static void flush_before_the_start_is_harmless(void **state)
{
    (void)state;
    GstElement *src = gst_element_factory_make("sacdeltasrc", NULL);
    g_object_set(src, "uri", "tcp://:0", NULL);
    gst_element_send_event(src, gst_event_new_flush_start());
    gst_element_send_event(src, gst_event_new_flush_stop(TRUE));
    assert_int_not_equal(gst_element_set_state(src, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    gst_element_set_state(src, GST_STATE_NULL);
    gst_object_unref(src);
}

int main(int argc, char **argv)
{
    static Way udp[] = {{"udp", TRUE, FALSE}, {"udp", FALSE, FALSE}, {"udp", TRUE, TRUE}},
               tcp[] = {{"tcp", TRUE, FALSE}, {"tcp", FALSE, FALSE}, {"tcp", FALSE, TRUE}},
               srt[] = {{"srt", TRUE, FALSE}, {"srt", FALSE, FALSE}, {"srt", TRUE, TRUE}};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(link_shows_every_frame_exactly, &udp[0]),
        cmocka_unit_test_prestate(link_shows_every_frame_exactly, &udp[1]),
        cmocka_unit_test_prestate(link_shows_every_frame_exactly, &udp[2]),
        cmocka_unit_test_prestate(link_shows_every_frame_exactly, &tcp[0]),
        cmocka_unit_test_prestate(link_shows_every_frame_exactly, &tcp[1]),
        cmocka_unit_test_prestate(link_shows_every_frame_exactly, &tcp[2]),
        cmocka_unit_test_prestate(link_shows_every_frame_exactly, &srt[0]),
        cmocka_unit_test_prestate(link_shows_every_frame_exactly, &srt[1]),
        cmocka_unit_test_prestate(link_shows_every_frame_exactly, &srt[2]),
        cmocka_unit_test_prestate(wrong_passphrase_is_said_on_both_sides, &udp[0]),
        cmocka_unit_test_prestate(wrong_passphrase_is_said_on_both_sides, &tcp[0]),
        cmocka_unit_test_prestate(wrong_passphrase_is_said_on_both_sides, &srt[0]),
        cmocka_unit_test_prestate(end_of_the_sender_ends_a_source_that_does_not_reconnect, &udp[0]),
        cmocka_unit_test_prestate(end_of_the_sender_ends_a_source_that_does_not_reconnect, &tcp[0]),
        cmocka_unit_test_prestate(end_of_the_sender_ends_a_source_that_does_not_reconnect, &srt[0]),
        cmocka_unit_test(late_receiver_begins_with_a_keyframe),
        cmocka_unit_test(restarted_receiver_goes_on),
        cmocka_unit_test(requests_and_control_go_to_the_sender),
        cmocka_unit_test(properties_that_are_not_valid_are_refused),
        cmocka_unit_test(flush_before_the_start_is_harmless),
        cmocka_unit_test(hostile_datagrams_change_nothing_that_is_shown),
    };
    const struct CMUnitTest floods[] = {
        cmocka_unit_test(hostile_datagrams_change_nothing_that_is_shown),
    };
    start_gst("live");
    if (!has_delta())
        return puts("SKIPPED: this build has no zstd"), 77;
    keys = find_keys();
    if (argc > 1) {
        flood = atoi(argv[1]);
        return cmocka_run_group_tests(floods, NULL, NULL);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
