/*
 * Links with their threads and sockets, over the loopback, without GStreamer: for the sanitizers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <netdb.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../gst/link/link.h"
#include "../../gst/link/net.h"
#include "skip.h"

enum { N_PACKETS = 200 };
static const int64_t deadline_ns = INT64_C(30000000000);

/* What a link's events said. */
typedef struct Told {
    _Atomic int n[SAC_LINK_CONTROL + 1];
    _Atomic int wants_key;
    char text[SAC_LINK_TEXT]; /* of the last refusal or failure */
} Told;

static void note(void *ctx, const sac_link_event *event)
{
    Told *told = ctx;
    if (event->type == SAC_LINK_KEY)
        atomic_store(&told->wants_key, 1);
    if (event->type == SAC_LINK_REFUSED || event->type == SAC_LINK_UNKNOWN)
        memcpy(told->text, event->text, sizeof told->text);
    atomic_fetch_add(&told->n[event->type], 1);
}

static sac_link *open_link(const char *uri, bool is_sender, bool reconnect, const char *file,
                           Told *told)
{
    sac_link *link = NULL;
    sac_link_desc desc;
    sac_error err = {SAC_OK, ""};
    sac_link_desc_init(&desc);
    *told = (Told){0};
    desc.uri = uri;
    desc.is_sender = is_sender;
    desc.reconnect = reconnect;
    desc.passphrase_file = file;
    desc.event = note;
    desc.ctx = told;
    if (sac_link_open(&link, &desc, &err) != SAC_OK)
        fail_msg("%s: %s", uri, err.text);
    return link;
}

/* Waits for an event; takes of `link` pass the time. */
static bool await(sac_link *link, Told *told, sac_link_event_type type)
{
    for (int i = 0; i < 30000; i++) {
        sac_link_packet *packet;
        if (atomic_load(&told->n[type]) > 0)
            return true;
        if (sac_link_take(link, &packet, INT64_C(1000000)) == SAC_OK)
            sac_link_packet_unref(packet);
    }
    return false;
}

/* Packet i: its bytes say so, and how many they are. */
static size_t make(uint8_t *bytes, int i)
{
    const size_t n = 4 + (size_t)i * 7919 % 60000;
    memset(bytes, i, n);
    memcpy(bytes, &i, 4);
    return n;
}

static int number_of(const sac_link_packet *packet)
{
    static uint8_t wanted[64000];
    int i;
    assert_true(packet->size >= 4);
    memcpy(&i, packet->bytes, 4);
    assert_in_range(i, 0, N_PACKETS - 1);
    assert_int_equal(packet->size, make(wanted, i));
    assert_memory_equal(packet->bytes, wanted, packet->size);
    return i;
}

/* Sends all; what it takes in between must be in order and whole. */
static void pass_all(sac_link *sender, Told *told, sac_link *receiver)
{
    static uint8_t bytes[64000];
    int last = -1, sent = 0;
    while (last < N_PACKETS - 1) {
        sac_link_packet *packet;
        if (sent < N_PACKETS) {
            const bool is_key = atomic_exchange(&told->wants_key, 0);
            const size_t n = make(bytes, sent++);
            assert_int_equal(sac_link_send(sender, bytes, n, is_key, sent), SAC_OK);
        }
        const sac_status st = sac_link_take(receiver, &packet, deadline_ns);
        assert_int_equal(st, SAC_OK);
        assert_int_equal(number_of(packet), ++last);
        sac_link_packet_unref(packet);
    }
}

static void pass_over(const char *scheme, bool sender_waits, const char *file)
{
    char any[32], uri[64];
    Told told[2];
    sac_link_counts counts[2];
    if (strcmp(scheme, "srt") == 0 && !sac_net_has_srt())
        skip_test("this build has no SRT");
    snprintf(any, sizeof any, "%s://:0", scheme);
    sac_link *waiter = open_link(any, sender_waits, true, file, &told[0]);
    snprintf(uri, sizeof uri, "%s://127.0.0.1:%d", scheme, sac_link_get_port(waiter));
    sac_link *caller = open_link(uri, !sender_waits, true, file, &told[1]);
    sac_link *sender = sender_waits ? waiter : caller, *receiver = sender_waits ? caller : waiter;
    Told *of_sender = &told[sender_waits ? 0 : 1];
    assert_true(await(receiver, of_sender, SAC_LINK_KEY));
    pass_all(sender, of_sender, receiver);
    sac_link_drain(sender, deadline_ns);
    assert_int_equal(sac_link_control(receiver, "a text"), SAC_OK);
    assert_true(await(receiver, of_sender, SAC_LINK_CONTROL));
    sac_link_ask_key(receiver);
    sac_link_get_counts(sender, &counts[0]);
    sac_link_get_counts(receiver, &counts[1]);
    assert_int_equal(counts[0].packets, N_PACKETS);
    assert_int_equal(counts[1].packets, N_PACKETS);
    assert_int_equal(counts[1].lost, 0);
    sac_link_close(&sender);
    assert_true(await(receiver, &told[sender_waits ? 1 : 0], SAC_LINK_ENDED));
    sac_link_close(&receiver);
}

static void udp_passes_every_packet(void **state)
{
    (void)state;
    pass_over("udp", true, NULL);
    pass_over("udp", false, NULL);
}

static void tcp_passes_every_packet(void **state)
{
    (void)state;
    pass_over("tcp", true, NULL);
    pass_over("tcp", false, NULL);
}

static void srt_passes_every_packet(void **state)
{
    (void)state;
    pass_over("srt", true, NULL);
    pass_over("srt", false, NULL);
}

static void link_that_may_not_reconnect_fails_in_words(void **state)
{
    Told told;
    sac_link_packet *packet;
    (void)state;
    sac_link *link = open_link("tcp://127.0.0.1:1", false, false, NULL, &told);
    assert_int_equal(sac_link_take(link, &packet, deadline_ns), SAC_E_IO);
    assert_int_equal(atomic_load(&told.n[SAC_LINK_FAILED]), 1);
    sac_link_close(&link);
}

/* No resolver is asked for a name with an empty part. */
static void host_without_an_address_is_named(void **state)
{
    static const char host[] = "no..host: ";
    Told told;
    (void)state;
    sac_link *link = open_link("udp://no..host:5000", true, true, NULL, &told);
    assert_true(await(link, &told, SAC_LINK_UNKNOWN));
    assert_memory_equal(told.text, host, sizeof host - 1);
    sac_link_close(&link);
}

static void wakes_and_closes_do_not_wait(void **state)
{
    Told told;
    sac_link_packet *packet;
    (void)state;
    sac_link *link = open_link("udp://127.0.0.1:1", false, true, NULL, &told);
    sac_link_wake(link, true);
    assert_int_equal(sac_link_take(link, &packet, deadline_ns), SAC_CANCELLED);
    sac_link_close(&link);
    sac_link_close(&link);
}

/* Bytes that are no message, half a message, and silence, at the port of a sender. */
static void tcp_strangers_are_cut_off(void **state)
{
    static const char text[] = "GET / HTTP/1.1\r\n\r\n";
    Told told[2];
    sac_net net = {.to_size = 0};
    (void)state;
    sac_link *sender = open_link("tcp://:0", true, true, NULL, &told[0]);
    char uri[64];
    snprintf(uri, sizeof uri, "tcp://127.0.0.1:%d", sac_link_get_port(sender));
    assert_int_equal(sac_uri_read(&net.uri, uri, NULL), SAC_OK);
    const char *why;
    assert_true(sac_net_resolve(&net, &why));
    int fds[100];
    for (int i = 0; i < 100; i++) {
        fds[i] = socket(net.to.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_true(connect(fds[i], (const struct sockaddr *)&net.to, net.to_size) == 0);
        (void)!write(fds[i], text, i % 3 ? sizeof text - 1 : 0);
    }
    sac_link *receiver = open_link(uri, false, true, NULL, &told[1]);
    assert_true(await(receiver, &told[0], SAC_LINK_KEY));
    pass_all(sender, &told[0], receiver);
    for (int i = 0; i < 100; i++)
        close(fds[i]);
    sac_link_close(&receiver);
    sac_link_close(&sender);
}

static void every_address_of_a_name_is_tried(void **state)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *all = NULL;
    sac_net net = {.to_size = 0};
    const char *why;
    (void)state;
    assert_int_equal(sac_uri_read(&net.uri, "tcp://localhost:5000", NULL), SAC_OK);
    if (getaddrinfo("localhost", "5000", &hints, &all) != 0)
        skip_test("this machine does not know localhost");
    for (const struct addrinfo *a = all; a; a = a->ai_next) {
        assert_true(sac_net_resolve(&net, &why));
        assert_int_equal(net.to_size, a->ai_addrlen);
        assert_memory_equal(&net.to, a->ai_addr, a->ai_addrlen);
    }
    freeaddrinfo(all);
}

/* A socket that takes its time. */
static int n_closed;
static bool is_empty;

static void close_slow(int fd)
{
    n_closed += fd == 7;
}

static bool has_left_slow(int fd)
{
    return fd != 7 || is_empty;
}

/* Its goodbye has a moment to leave, in which the link goes on. */
static void end_that_is_over_is_closed_once_its_goodbye_left(void **state)
{
    static const sac_net_fns fns = {.close_fd = close_slow, .has_left = has_left_slow};
    static sac_net net;
    const struct sockaddr_storage name = {.ss_family = AF_INET};
    const int64_t ms = 1000000;
    (void)state;
    for (int way = 0; way < 3; way++) {
        net.fns = &fns;
        n_closed = is_empty = 0;
        sac_end *end = sac_end_new(&net, 7, &name, sizeof name, 0);
        assert_non_null(end);
        sac_end_drop(&net, &end->path);
        assert_in_range(sac_net_sweep(&net, 10 * ms), 10 * ms + 1, 60 * ms);
        assert_int_equal(n_closed, 0);
        is_empty = way == 0;                                       /* the goodbye left, */
        end->path.is_broken = way == 1;                            /* the connection is gone, */
        (void)sac_net_sweep(&net, way == 2 ? 1000 * ms : 12 * ms); /* or the time is up */
        assert_int_equal(n_closed, 1);
        assert_int_equal(net.n_ends, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(udp_passes_every_packet),
        cmocka_unit_test(tcp_passes_every_packet),
        cmocka_unit_test(srt_passes_every_packet),
        cmocka_unit_test(link_that_may_not_reconnect_fails_in_words),
        cmocka_unit_test(host_without_an_address_is_named),
        cmocka_unit_test(wakes_and_closes_do_not_wait),
        cmocka_unit_test(tcp_strangers_are_cut_off),
        cmocka_unit_test(every_address_of_a_name_is_tried),
        cmocka_unit_test(end_that_is_over_is_closed_once_its_goodbye_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
