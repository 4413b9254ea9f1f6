/*
 * Frames over the loopback: what is sent comes, with faults and without, and every datagram is
 * accounted for, the system's own losses included. Skipped where sockets are forbidden.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_frame_link.h"

#include <pthread.h>

/* In turns, so that the socket always has room: all comes, and all counts agree. */
static void send_in_turns(sac_frame_sender_desc *to, sac_frame_receiver_desc *at)
{
    char url[64];
    scene_sink sink = scene_open(W, H, FRAMES);
    at->sink.ctx = &sink;
    sac_frame_receiver *r = open_receiver(at);
    to->n_frames = FRAMES;
    sac_frame_sender *s = open_sender(url, r, to);
    for (uint64_t k = 0; k < FRAMES; k += AHEAD) {
        send_some(s, k, AHEAD);
        receive_all(r, sent_of(s).datagrams);
    }
    sac_frame_sent sent = sent_of(s);
    sac_frame_counts c = counts_of_receiver(r);
    assert_conserved(&c);
    assert_int_equal(sent.frames, FRAMES);
    assert_int_equal(c.datagrams, sent.datagrams);
    assert_int_equal(c.expected, FRAMES);
    assert_int_equal(c.lost, sent.hurt);
    assert_int_equal(c.frames, sink.frames);
    assert_int_equal(c.kinds[SAC_PACKET_TRUNCATED], sent.truncated);
    assert_int_equal(c.kinds[SAC_PACKET_DUPLICATE], sent.duplicated);
    if (sac_frame_sender_get_fragments(s) == 1)
        assert_int_equal(c.reordered, sent.reordered);
    sac_frame_sender_close(&s);
    sac_frame_receiver_close(&r);
    scene_close(&sink);
}

static void link_without_faults_brings_every_frame(void **state)
{
    (void)state;
    const int32_t most[] = {0, 9000, 1452};
    const int32_t parts[] = {1, 2, 7};
    for (int i = 0; i < 3; i++) {
        sac_frame_sender_desc to;
        sac_frame_receiver_desc at = scene_desc(W, H, NULL);
        at.listen = "udp://127.0.0.1:0";
        at.allow = "10.0.0.1,127.0.0.1";
        sac_frame_sender_desc_init(&to);
        to.packet_bytes = most[i];
        assert_int_equal(sac_frame_fragments(PIXELS, most[i] ? most[i] - 80 : 65427), parts[i]);
        send_in_turns(&to, &at);
    }
}

static void link_with_faults_counts_what_was_done(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        sac_frame_sender_desc to;
        sac_frame_receiver_desc at = scene_desc(W, H, NULL);
        at.listen = "udp://127.0.0.1:0";
        sac_frame_sender_desc_init(&to);
        to.fragments = 1 + i;
        to.faults = (sac_frame_faults){0.05, 0.05, 0.05, 0.05, 3};
        send_in_turns(&to, &at);
    }
}

static void link_with_a_key_brings_every_frame(void **state)
{
    (void)state;
    static const sac_packet_key key = {{1, 2, 3}};
    sac_frame_sender_desc to;
    sac_frame_receiver_desc at = scene_desc(W, H, NULL);
    sac_frame_sender_desc_init(&to);
    at.listen = "udp://127.0.0.1:0";
    at.key = to.key = &key;
    if (!sac_packet_can_use_key())
        skip_test("this build has no keys (libsodium)");
    send_in_turns(&to, &at);
}

static void link_with_a_sender_not_allowed_takes_nothing(void **state)
{
    (void)state;
    char url[64];
    scene_sink sink = scene_open(W, H, FRAMES);
    sac_frame_sender_desc to;
    sac_frame_receiver_desc at = scene_desc(W, H, &sink);
    sac_frame_sender_desc_init(&to);
    at.listen = "udp://127.0.0.1:0";
    at.allow = "127.0.0.2,::1";
    sac_frame_receiver *r = open_receiver(&at);
    sac_frame_sender *s = open_sender(url, r, &to);
    send_some(s, 0, AHEAD);
    receive_all(r, AHEAD);
    sac_frame_counts c = counts_of_receiver(r);
    assert_conserved(&c);
    assert_int_equal(c.kinds[SAC_PACKET_STRANGER], AHEAD);
    assert_int_equal(sink.frames, 0);
    sac_frame_sender_close(&s);
    sac_frame_receiver_close(&r);
    scene_close(&sink);
}

static void link_with_datagrams_of_any_size_counts_them(void **state)
{
    (void)state;
    static uint8_t bytes[60000];
    scene_sink sink = scene_open(W, H, 1);
    sac_frame_receiver_desc at = scene_desc(W, H, &sink);
    at.listen = "udp://127.0.0.1:0";
    sac_frame_receiver *r = open_receiver(&at);
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)sac_frame_receiver_get_port(r)),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    const size_t sizes[] = {0, 1, 80, PIXELS + 80, PIXELS + 81, sizeof bytes};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(sendto(fd, bytes, sizes[i], 0, (const struct sockaddr *)&to, sizeof to),
                         sizes[i]);
    receive_all(r, 6);
    sac_frame_counts c = counts_of_receiver(r);
    assert_conserved(&c);
    assert_int_equal(c.kinds[SAC_PACKET_TRUNCATED], 1);
    assert_int_equal(c.kinds[SAC_PACKET_FOREIGN], 3);
    assert_int_equal(c.kinds[SAC_PACKET_OVERSIZE], 2);
    close(fd);
    sac_frame_receiver_close(&r);
    scene_close(&sink);
}

typedef struct flood {
    sac_frame_sender *sender;
    int64_t datagrams;
} flood;

static void *send_flat_out(void *ctx)
{
    flood *f = ctx;
    for (uint64_t k = 0; k < FRAMES; k += AHEAD)
        send_some(f->sender, k, AHEAD);
    return NULL;
}

/* As fast as it goes, into a small buffer: what the system drops is told, and nothing is silent. */
static void link_that_overflows_counts_what_the_system_dropped(void **state)
{
    (void)state;
    char url[64];
    scene_sink sink = scene_open(W, H, FRAMES);
    sac_frame_sender_desc to;
    sac_frame_receiver_desc at = scene_desc(W, H, &sink);
    sac_frame_sender_desc_init(&to);
    at.listen = "udp://127.0.0.1:0";
    at.buffer_bytes = 1 << 16;
    to.fragments = 2;
    sac_frame_receiver *r = open_receiver(&at);
    if (counts_of_receiver(r).kernel_dropped < 0) {
        sac_frame_receiver_close(&r);
        scene_close(&sink);
        skip_test("the system does not say what it dropped");
    }
    flood f = {.sender = open_sender(url, r, &to)};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, send_flat_out, &f), 0);
    receive_all(r, 2 * FRAMES);
    assert_int_equal(pthread_join(thread, NULL), 0);
    sac_frame_counts c = counts_of_receiver(r);
    assert_conserved(&c);
    assert_int_equal(c.datagrams + c.kernel_dropped, 2 * FRAMES);
    assert_int_equal(c.frames, sink.frames);
    sac_frame_sender_close(&f.sender);
    sac_frame_receiver_close(&r);
    scene_close(&sink);
}

static void results_come_back(void **state)
{
    (void)state;
    enum { RESULTS = 100 };
    char to[64];
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    snprintf(to, sizeof to, "udp://127.0.0.1:%d", ntohs(at.sin_port));
    sac_result_sender *s = NULL;
    sac_error err = {0};
    assert_ok(sac_result_sender_open(&s, to, NULL, &err), &err);
    static sac_result_packet results[RESULTS];
    for (uint64_t k = 0; k < RESULTS; k++)
        results[k] = (sac_result_packet){.stream = STREAM, .counter = k};
    assert_int_equal(sac_result_sender_send(s, results, RESULTS), RESULTS);
    for (uint64_t k = 0; k < RESULTS; k++) {
        uint8_t bytes[SAC_PACKET_RESULT + 1];
        sac_result_packet back;
        ssize_t n = recv(fd, bytes, sizeof bytes, 0);
        assert_int_equal(sac_result_packet_parse(&back, bytes, (size_t)n, NULL), SAC_PACKET_TAKEN);
        assert_int_equal(back.counter, k);
    }
    sac_result_sender_close(&s);
    close(fd);
}

int main(void)
{
    if (!has_loopback())
        return skip_all("no UDP socket at 127.0.0.1 here");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(link_without_faults_brings_every_frame),
        cmocka_unit_test(link_with_faults_counts_what_was_done),
        cmocka_unit_test(link_with_a_key_brings_every_frame),
        cmocka_unit_test(link_with_a_sender_not_allowed_takes_nothing),
        cmocka_unit_test(link_with_datagrams_of_any_size_counts_them),
        cmocka_unit_test(link_that_overflows_counts_what_the_system_dropped),
        cmocka_unit_test(results_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
