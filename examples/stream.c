/*
 * A real-time stream: stream [FRAMES]. A camera, here a loop, writes 1,000 frames per second into a
 * ring; a worker thread equalizes them, and late and dropped ones are counted.
 * Shows: a ring whose slots the camera fills in place, a pipeline as its work, the policy for
 * overload, counts and latencies.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <saccade/equalize.h>
#include <saccade/stream.h>

enum { W = 320, H = 240, PERIOD_NS = 1000000 };

typedef struct state {
    sac_equalize *plan;
    int64_t n_bright; /* of the last pixels: what a program would do with the result */
} state;

/* In the worker's thread; allocates nothing, takes no lock. */
static void work(void *ctx, sac_stream_frame *frames, int32_t n)
{
    state *s = ctx;
    const int64_t shape[] = {H, W};
    for (int32_t i = 0; i < n; i++) {
        sac_array picture;
        if (sac_array_view(&picture, frames[i].data, SAC_U8, 2, shape, NULL) != SAC_OK ||
            sac_equalize_run(s->plan, &picture, &picture, NULL) != SAC_OK)
            frames[i].outcome = SAC_STREAM_REFUSED;
        else
            s->n_bright += ((const uint8_t *)frames[i].data)[W * H - 1] > 127;
    }
}

static void take_picture(uint8_t *slot, int64_t number)
{
    for (int i = 0; i < W * H; i++)
        slot[i] = (uint8_t)(40 + (i + number) % 50);
}

static void wait_until(int64_t ns)
{
    const struct timespec at = {ns / 1000000000, ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
        continue;
}

static void report(const sac_stream *stream)
{
    sac_stream_counts c = {.struct_size = sizeof c};
    const sac_histogram *latency = sac_stream_get_latency(stream);
    sac_stream_get_counts(stream, &c);
    printf("%lld frames: %lld processed, %lld dropped, %lld late\n", (long long)c.received,
           (long long)c.processed, (long long)c.dropped, (long long)c.late);
    printf("latency p50 %.0f us, p99 %.0f us\n", 1e-3 * sac_histogram_get_quantile(latency, 0.5),
           1e-3 * sac_histogram_get_quantile(latency, 0.99));
}

int main(int argc, char **argv)
{
    const int64_t n_frames = argc > 1 ? atoll(argv[1]) : 1000;
    sac_error err = {0};
    sac_stream *stream = NULL;
    state s = {0};
    sac_equalize_desc equalize;
    sac_equalize_desc_init(&equalize);
    equalize.dtype = SAC_U8;
    equalize.w = W;
    equalize.h = H;
    equalize.n_channels = 1;
    equalize.n_threads = 1; /* the worker's own */
    sac_stream_desc desc;
    sac_stream_desc_init(&desc);
    desc.frame_bytes = W * H;
    desc.work = work;
    desc.ctx = &s;
    desc.policy = SAC_STREAM_DROP_OLDEST; /* a live picture: new frames matter, old ones do not */
    desc.deadline_us = 5000;
    sac_status st = sac_equalize_open(&s.plan, &equalize, &err);
    if (st == SAC_OK)
        st = sac_stream_open(&stream, &desc, &err);
    const int64_t start_ns = sac_stream_clock_ns();
    for (int64_t i = 0; i < n_frames && st == SAC_OK; i++) {
        const int64_t due_ns = start_ns + i * PERIOD_NS;
        wait_until(due_ns);
        take_picture(sac_stream_slot(stream), i);
        st = sac_stream_send(stream, due_ns); /* latency counts from when it was due */
    }
    sac_stream_stop(stream); /* all that was accepted is done */
    if (st == SAC_OK)
        report(stream);
    else
        fprintf(stderr, "stream: %s\n", err.text);
    sac_stream_close(&stream);
    sac_equalize_close(&s.plan);
    return st != SAC_OK;
}
