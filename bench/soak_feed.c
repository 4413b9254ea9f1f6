/*
 * bench_soak's sources of frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/relax.h"
#include "options.h"
#include "soak.h"

#define SPIN_NS 100000 /* before a frame is due: a sleep may last so much too long */
#define AT_ONCE 50     /* frames a send over the network: how soon it sees that it shall end */
#define SILENCE_MS 200 /* then all that was sent has come, through loopback */

static void wait_until(int64_t due_ns)
{
    const int64_t wake = due_ns - SPIN_NS;
    const struct timespec at = {.tv_sec = wake / 1000000000, .tv_nsec = wake % 1000000000};
    if (wake > sac_clock_ns())
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
        }
    while (sac_clock_ns() < due_ns)
        sac_relax();
}

static void *send_in_memory(void *arg)
{
    soak_feed *f = arg;
    const double period_ns = 1e9 / f->rate_hz;
    const int64_t begin = sac_clock_ns();
    for (int64_t k = 0; !atomic_load(&f->ends); k++) {
        const int64_t i = k % f->build.n, due = begin + (int64_t)((double)k * period_ns);
        char *slot = sac_stream_slot(f->stream);
        wait_until(due);
        memcpy(slot, f->build.pixels + (size_t)i * SOAK_FRAME_BYTES, SOAK_FRAME_BYTES);
        memcpy(slot + SOAK_FRAME_BYTES, &f->build.signals[i], sizeof f->build.signals[i]);
        if (sac_stream_send(f->stream, due))
            break;
    }
    return NULL;
}

static void *send_over_network(void *arg)
{
    soak_feed *f = arg;
    sac_error err = {0};
    for (int64_t i = 0, n; !atomic_load(&f->ends); i = (i + n) % f->build.n) {
        n = f->build.n - i < AT_ONCE ? f->build.n - i : AT_ONCE;
        bench_must(sac_frame_sender_send(f->out, f->build.pixels + (size_t)i * SOAK_FRAME_BYTES,
                                         f->build.signals + i, n, &err),
                   NULL, &err);
    }
    atomic_store(&f->sent_all, true);
    return NULL;
}

static void *receive(void *arg)
{
    soak_feed *f = arg;
    sac_error err = {0};
    int32_t n = 1;
    while (n > 0 || !atomic_load(&f->sent_all))
        bench_must(sac_frame_receiver_run(f->in, &n, SILENCE_MS, &err), NULL, &err);
    return NULL;
}

static uint8_t *slot_of(void *ctx)
{
    return sac_stream_slot(((soak_feed *)ctx)->stream);
}

static bool complete(void *ctx, const sac_frame_arrival *frame)
{
    sac_stream *s = ((soak_feed *)ctx)->stream;
    memcpy((char *)sac_stream_slot(s) + SOAK_FRAME_BYTES, &frame->signals, sizeof frame->signals);
    return sac_stream_send(s, frame->arrival_ns) == SAC_OK;
}

static void open_link(soak_feed *f)
{
    char to[32];
    sac_error err = {0};
    sac_frame_receiver_desc in;
    sac_frame_sender_desc out;
    sac_frame_receiver_desc_init(&in);
    in.listen = "udp://127.0.0.1:0";
    in.sink = (sac_frame_sink){slot_of, complete, f};
    bench_must(sac_frame_receiver_open(&f->in, &in, &err), NULL, &err);
    (void)snprintf(to, sizeof to, "udp://127.0.0.1:%d", sac_frame_receiver_get_port(f->in));
    sac_frame_sender_desc_init(&out);
    out.to = to;
    out.rate_hz = f->rate_hz;
    bench_must(sac_frame_sender_open(&f->out, &out, &err), NULL, &err);
}

static void start(pthread_t *thread, void *(*run)(void *), soak_feed *f)
{
    if (pthread_create(thread, NULL, run, f) != 0)
        exit(cli_fail("the system gave no thread"));
}

void soak_begin(soak_feed *f)
{
    if (f->udp) {
        open_link(f);
        start(&f->receiver, receive, f);
    }
    start(&f->sender, f->udp ? send_over_network : send_in_memory, f);
}

void soak_end(soak_feed *f)
{
    atomic_store(&f->ends, true);
    (void)pthread_join(f->sender, NULL);
    if (!f->udp)
        return;
    (void)pthread_join(f->receiver, NULL);
    f->sent.struct_size = sizeof f->sent;
    sac_frame_sender_get_sent(f->out, &f->sent);
    f->came.struct_size = sizeof f->came;
    sac_frame_receiver_get_counts(f->in, &f->came);
    sac_frame_sender_close(&f->out);
    sac_frame_receiver_close(&f->in);
}
