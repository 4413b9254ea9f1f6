/*
 * The ends of a link and those who open them: what is refused, a system that has no room to send,
 * and strings and keys, of which nothing is kept. Skipped where sockets are forbidden.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "test_frame_link.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/syscall.h>

#include "base/system.h"

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

int main(void)
{
    if (!has_loopback())
        return skip_all("no UDP socket at 127.0.0.1 here");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(link_with_a_bad_desc_is_refused),
        cmocka_unit_test(link_without_room_to_send_gives_up_and_counts),
        cmocka_unit_test(link_whose_caller_forgets_its_strings_goes_on),
        cmocka_unit_test(link_that_is_closed_leaves_no_key_in_memory),
        cmocka_unit_test(link_calls_with_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
