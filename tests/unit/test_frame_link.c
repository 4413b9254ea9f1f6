/*
 * Frames over the loopback: what is sent comes, with faults and without, and every datagram is
 * accounted for, the system's own losses included. Skipped where sockets are forbidden.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "counts.h"
#include "base/clock.h"
#include "base/system.h"
#include "frame_scene.h"

enum { W = 96, H = 96, PIXELS = W * H, FRAMES = 3000, AHEAD = 8 };
#define DEADLINE_NS INT64_C(60000000000) /* a test that waits so long has failed */

/* The system's, or one that has no room (errno `send_fails`) for so many calls; -1: for ever. */
static int send_fails, send_fails_for;

static bool has_room(void)
{
    if (send_fails_for == 0)
        return true;
    send_fails_for -= send_fails_for > 0;
    errno = send_fails;
    return false;
}

#ifdef __GLIBC__
typedef int mmsg_flags;
#else
typedef unsigned mmsg_flags;
#endif

#if SAC_LINUX
int sendmmsg(int fd, struct mmsghdr *messages, unsigned n, mmsg_flags flags)
{
    return has_room() ? (int)syscall(SYS_sendmmsg, fd, messages, n, flags) : -1;
}
#else
ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    return has_room() ? syscall(SYS_sendmsg, fd, message, flags) : -1;
}
#endif

static sac_frame_receiver *open_receiver(const sac_frame_receiver_desc *desc)
{
    sac_frame_receiver *r = NULL;
    sac_error err = {0};
    assert_ok(sac_frame_receiver_open(&r, desc, &err), &err);
    return r;
}

static sac_frame_sender *open_sender(char to[64], const sac_frame_receiver *r,
                                     sac_frame_sender_desc *desc)
{
    sac_frame_sender *s = NULL;
    sac_error err = {0};
    snprintf(to, 64, "udp://127.0.0.1:%d", sac_frame_receiver_get_port(r));
    desc->to = to;
    assert_ok(sac_frame_sender_open(&s, desc, &err), &err);
    return s;
}

static void send_some(sac_frame_sender *s, uint64_t first, int n)
{
    static uint8_t frames[AHEAD * PIXELS];
    sac_meltpool_signals signals[AHEAD];
    sac_error err = {0};
    for (int i = 0; i < n; i++) {
        scene_draw(frames + i * PIXELS, first + (uint64_t)i, PIXELS);
        signals[i] = scene_signals(first + (uint64_t)i);
    }
    assert_ok(sac_frame_sender_send(s, frames, signals, n, &err), &err);
}

/* Until all that was sent has come, or was dropped by the system. */
static void receive_all(sac_frame_receiver *r, int64_t datagrams)
{
    int64_t deadline_ns = sac_clock_ns() + DEADLINE_NS;
    for (;;) {
        sac_frame_counts c = counts_of_receiver(r);
        if (c.datagrams + (c.kernel_dropped > 0 ? c.kernel_dropped : 0) >= datagrams)
            return;
        if (sac_clock_ns() > deadline_ns)
            fail_msg("%" PRId64 " of %" PRId64 " datagrams came", c.datagrams, datagrams);
        sac_error err = {0};
        assert_ok(sac_frame_receiver_run(r, NULL, 100, &err), &err);
    }
}

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

/* The system has no room for a while, or never again: the sender waits a little, counts, goes on.
 */
static void link_without_room_to_send_gives_up_and_counts(void **state)
{
    (void)state;
    static const int errors[] = {ENOBUFS, EAGAIN, ENOMEM};
    for (int i = 0; i < 3; i++) {
        char url[64];
        scene_sink sink = scene_open(W, H, FRAMES);
        sac_frame_sender_desc to;
        sac_frame_receiver_desc at = scene_desc(W, H, &sink);
        sac_frame_sender_desc_init(&to);
        at.listen = "udp://127.0.0.1:0";
        sac_frame_receiver *r = open_receiver(&at);
        sac_frame_sender *s = open_sender(url, r, &to);
        send_fails = errors[i];
        send_fails_for = 20;
        send_some(s, 0, AHEAD);
        receive_all(r, AHEAD);
        assert_int_equal(sent_of(s).no_room, 0);
        send_fails_for = -1;
        for (uint64_t k = 1; k < 100; k++)
            send_some(s, k * AHEAD, AHEAD);
        sac_frame_sent sent = sent_of(s);
        assert_int_equal(sent.no_room, 99 * AHEAD);
        assert_int_equal(sent.datagrams, AHEAD);
        send_fails_for = 0;
        send_some(s, 100 * AHEAD, AHEAD);
        receive_all(r, 2 * AHEAD);
        sac_frame_sender_close(&s);
        assert_int_equal(sink.frames, 2 * AHEAD);
        sac_frame_receiver_close(&r);
        scene_close(&sink);
    }
}

/* What was given at open is the caller's again. */
static void link_whose_caller_forgets_its_strings_goes_on(void **state)
{
    (void)state;
    scene_sink sink = scene_open(W, H, AHEAD);
    char *listen = strdup("udp://127.0.0.1:0"), *allow = strdup("127.0.0.1"), *to = malloc(64);
    sac_frame_sender_desc there;
    sac_frame_receiver_desc at = scene_desc(W, H, &sink);
    sac_frame_sender_desc_init(&there);
    at.listen = listen;
    at.allow = allow;
    sac_frame_receiver *r = open_receiver(&at);
    sac_frame_sender *s = open_sender(to, r, &there);
    char *word = strdup(to);
    free(listen);
    free(allow);
    memset(to, 'x', 63);
    free(to);
    send_some(s, 0, AHEAD);
    receive_all(r, AHEAD);
    static uint8_t frame[PIXELS];
    const sac_meltpool_signals signals = {0};
    sac_error err = {0};
    send_fails = EACCES;
    send_fails_for = 1;
    assert_failed(sac_frame_sender_send(s, frame, &signals, 1, &err), SAC_E_IO, &err, word);
    free(word);
    sac_frame_sender_close(&s);
    sac_frame_receiver_close(&r);
    scene_close(&sink);
}

/* How often these 32 bytes, each turned, are in this process's own memory. */
static int find_in_memory(const uint8_t turned[32])
{
    static uint8_t bytes[1 << 16];
    FILE *maps = fopen("/proc/self/maps", "r");
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC), n = 0;
    unsigned long from, to;
    char line[512], access[8];
    while (maps && memory >= 0 && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx %7s", &from, &to, access) != 3 || access[0] != 'r' ||
            access[1] != 'w' || to - from > 1ul << 30)
            continue;
        for (unsigned long at = from; at + 32 <= to; at += sizeof bytes - 31) {
            ssize_t got = pread(memory, bytes, sizeof bytes, (off_t)at);
            for (ssize_t i = 0; i + 32 <= got; i++) {
                int k = 0;
                while (k < 32 && (bytes[i + k] ^ 0xa5) == turned[k])
                    k++;
                n += k == 32 && !(at + (unsigned long)i >= (unsigned long)bytes &&
                                  at + (unsigned long)i < (unsigned long)(bytes + sizeof bytes));
            }
        }
    }
    if (maps)
        fclose(maps);
    if (memory >= 0)
        close(memory);
    memset(bytes, 0, sizeof bytes);
    return n;
}

/* Everything that has a key, used and closed. */
static void use_a_key(sac_packet_key *key)
{
    char url[64];
    scene_sink sink = scene_open(W, H, AHEAD);
    sac_frame_sender_desc to;
    sac_frame_receiver_desc at = scene_desc(W, H, &sink);
    sac_frame_sender_desc_init(&to);
    at.listen = "udp://127.0.0.1:0";
    at.key = to.key = key;
    sac_frame_receiver *r = open_receiver(&at);
    sac_frame_sender *s = open_sender(url, r, &to);
    sac_result_sender *back = NULL;
    sac_result_packet result = {.stream = STREAM};
    sac_error err = {0};
    assert_ok(sac_result_sender_open(&back, "udp://127.0.0.1:9", key, &err), &err);
    send_some(s, 0, AHEAD);
    receive_all(r, AHEAD);
    (void)sac_result_sender_send(back, &result, 1);
    assert_int_equal(sink.frames, AHEAD);
    sac_frame_sender_close(&s);
    sac_result_sender_close(&back);
    sac_frame_receiver_close(&r);
    scene_close(&sink);
}

static void link_that_is_closed_leaves_no_key_in_memory(void **state)
{
    (void)state;
    uint8_t turned[32];
    char path[] = "/tmp/saccade-key-XXXXXX";
    if (!sac_packet_can_use_key())
        skip_test("this build has no keys (libsodium)");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (int i = 0; i < 32; i++) {
        turned[i] = (uint8_t)(31 * i + 77);
        char digits[3];
        snprintf(digits, sizeof digits, "%02x", turned[i] ^ 0xa5);
        assert_int_equal(write(fd, digits, 2), 2);
    }
    close(fd);
    sac_packet_key *key = malloc(sizeof *key);
    sac_error err = {0};
    assert_ok(sac_packet_key_read(key, path, &err), &err);
    unlink(path);
    if (find_in_memory(turned) == 0)
        skip_test("this system does not show a process its memory");
    use_a_key(key);
    assert_int_equal(find_in_memory(turned), 1);
    sac_packet_key_wipe(key);
    assert_int_equal(find_in_memory(turned), 0);
    free(key);
}

static void link_calls_with_nothing_are_refused(void **state)
{
    (void)state;
    sac_error err = {0};
    sac_frame_receiver *r = NULL;
    sac_frame_sender *s = NULL;
    sac_result_sender *back = NULL;
    static uint8_t frame[PIXELS];
    const sac_meltpool_signals signals = {0};
    assert_failed(sac_frame_receiver_open(&r, NULL, &err), SAC_E_INVALID, &err, "desc");
    assert_failed(sac_frame_receiver_open(NULL, NULL, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_frame_receiver_run(NULL, NULL, 0, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_frame_sender_open(&s, NULL, &err), SAC_E_INVALID, &err, "desc");
    assert_failed(sac_frame_sender_open(NULL, NULL, &err), SAC_E_INVALID, &err, "NULL");
    assert_failed(sac_frame_sender_send(NULL, frame, &signals, 1, &err), SAC_E_INVALID, &err,
                  "sender");
    assert_failed(sac_result_sender_open(&back, NULL, NULL, &err), SAC_E_INVALID, &err, "NULL");
    assert_int_equal(sac_result_sender_send(NULL, NULL, 1), 0);
    sac_frame_sender_desc desc;
    sac_frame_sender_desc_init(&desc);
    assert_failed(sac_frame_sender_open(&s, &desc, &err), SAC_E_INVALID, &err, "NULL"); /* to */
    desc.to = "udp://127.0.0.1:9";
    assert_ok(sac_frame_sender_open(&s, &desc, &err), &err);
    assert_failed(sac_frame_sender_send(s, NULL, &signals, 1, &err), SAC_E_INVALID, &err, "frames");
    assert_failed(sac_frame_sender_send(s, frame, NULL, 1, &err), SAC_E_INVALID, &err, "signals");
    assert_failed(sac_frame_sender_send(s, frame, &signals, -1, &err), SAC_E_INVALID, &err, "n:");
    assert_ok(sac_frame_sender_send(s, NULL, NULL, 0, &err), &err);
    sac_frame_sender_close(&s);
    sac_frame_sender_desc_init(NULL);
    sac_frame_receiver_desc_init(NULL);
    assert_int_equal(counts_of_receiver(NULL).datagrams, 0);
    assert_int_equal(counts_of_assembler(NULL).datagrams, 0);
    assert_int_equal(sent_of(NULL).frames, 0);
    assert_int_equal(sac_frame_receiver_get_port(NULL) + sac_frame_receiver_get_buffer(NULL), 0);
    assert_int_equal(sac_frame_sender_get_fragments(NULL), 0);
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

static void link_with_a_bad_desc_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *listen, *allow, *word;
    } bad[] = {
        {"127.0.0.1:5", NULL, "udp://HOST:PORT"},      {"udp://127.0.0.1", NULL, "udp://HOST:PORT"},
        {"udp://:5", NULL, "udp://HOST:PORT"},         {"udp://h:65536", NULL, "udp://HOST:PORT"},
        {"udp://::1:5", NULL, "udp://HOST:PORT"},      {NULL, NULL, "NULL"},
        {"udp://127.0.0.1:0", "localhost", "numeric"}, {"udp://127.0.0.1:0", "", "numeric"},
        {"udp://127.0.0.1:0", "1.2.3.4,,", "numeric"},
    };
    scene_sink sink = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sac_frame_receiver_desc desc = scene_desc(W, H, &sink);
        sac_frame_receiver *r = NULL;
        sac_error err = {0};
        desc.listen = bad[i].listen;
        desc.allow = bad[i].allow;
        assert_failed(sac_frame_receiver_open(&r, &desc, &err), SAC_E_INVALID, &err, bad[i].word);
        assert_null(r);
    }
    static const struct {
        sac_frame_faults faults;
        int32_t fragments, packet_bytes;
        double rate_hz;
        const char *word;
    } worse[] = {
        {{0.5, 0.6, 0, 0, 1}, 0, 0, 0, "together"},
        {{-1, 0, 0, 0, 1}, 0, 0, 0, "shares"},
        {{0}, 5000, 0, 0, "fragments"},
        {{0}, 0, 80, 0, "packet_bytes"},
        {{0}, 0, 82, 0, "cannot travel"},
        {{0}, 0, 0, -1, "rate_hz"},
        {{0}, 0, 0, 1e-300, "rate_hz"},
        {{0}, 0, 0, (double)NAN, "rate_hz"},
        {{0}, 0, 0, (double)INFINITY, "rate_hz"},
        {{.loss = (double)NAN}, 0, 0, 0, "shares"},
    };
    for (size_t i = 0; i < sizeof worse / sizeof *worse; i++) {
        sac_frame_sender_desc desc;
        sac_frame_sender *s = NULL;
        sac_error err = {0};
        sac_frame_sender_desc_init(&desc);
        desc.to = "udp://127.0.0.1:9";
        desc.faults = worse[i].faults;
        desc.fragments = worse[i].fragments;
        desc.packet_bytes = worse[i].packet_bytes;
        desc.rate_hz = worse[i].rate_hz;
        assert_failed(sac_frame_sender_open(&s, &desc, &err), SAC_E_INVALID, &err, worse[i].word);
        assert_null(s);
    }
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
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    if (fd < 0 || bind(fd, (const struct sockaddr *)&at, sizeof at) != 0)
        return skip_all("no UDP socket at 127.0.0.1 here");
    close(fd);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(link_without_faults_brings_every_frame),
        cmocka_unit_test(link_with_faults_counts_what_was_done),
        cmocka_unit_test(link_with_a_key_brings_every_frame),
        cmocka_unit_test(link_with_a_sender_not_allowed_takes_nothing),
        cmocka_unit_test(link_with_datagrams_of_any_size_counts_them),
        cmocka_unit_test(link_that_overflows_counts_what_the_system_dropped),
        cmocka_unit_test(link_with_a_bad_desc_is_refused),
        cmocka_unit_test(link_without_room_to_send_gives_up_and_counts),
        cmocka_unit_test(link_whose_caller_forgets_its_strings_goes_on),
        cmocka_unit_test(link_that_is_closed_leaves_no_key_in_memory),
        cmocka_unit_test(link_calls_with_nothing_are_refused),
        cmocka_unit_test(results_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
