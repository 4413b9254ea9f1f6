/*
 * For the tests of frames over the loopback: the two ends of a link, and frames from one to the
 * other.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_TEST_FRAME_LINK_H
#define SAC_TESTS_TEST_FRAME_LINK_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "counts.h"
#include "frame_scene.h"

enum { W = 96, H = 96, PIXELS = W * H, FRAMES = 3000, AHEAD = 8 };
#define DEADLINE_NS INT64_C(60000000000) /* a test that waits so long has failed */

/* Whether the system lets this process have a UDP socket at the loopback. */
static inline bool has_loopback(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    bool has = fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof at) == 0;
    if (fd >= 0)
        close(fd);
    return has;
}

static inline sac_frame_receiver *open_receiver(const sac_frame_receiver_desc *desc)
{
    sac_frame_receiver *r = NULL;
    sac_error err = {0};
    assert_ok(sac_frame_receiver_open(&r, desc, &err), &err);
    return r;
}

static inline sac_frame_sender *open_sender(char to[64], const sac_frame_receiver *r,
                                            sac_frame_sender_desc *desc)
{
    sac_frame_sender *s = NULL;
    sac_error err = {0};
    snprintf(to, 64, "udp://127.0.0.1:%d", sac_frame_receiver_get_port(r));
    desc->to = to;
    assert_ok(sac_frame_sender_open(&s, desc, &err), &err);
    return s;
}

static inline void send_some(sac_frame_sender *s, uint64_t first, int n)
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
static inline void receive_all(sac_frame_receiver *r, int64_t datagrams)
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

#endif
