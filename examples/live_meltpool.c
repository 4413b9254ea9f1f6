/*
 * A melt pool live: live_meltpool [FRAMES]. One thread sends a simulated camera's frames over UDP,
 * 2,000 per second; this one receives them into a ring, whose worker analyses them.
 * Shows: sender and receiver of frames, the receiver's sink into a stream, a resident analysis,
 * what became of every frame. With the sender in another process, or on another machine, nothing
 * changes but the address.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/frame_link.h>
#include <saccade/meltpool.h>
#include <saccade/simulate_meltpool.h>
#include <saccade/stream.h>

enum { SIDE = SAC_MELTPOOL_SIM_SIZE };

typedef struct slot {
    uint8_t pixels[SIDE * SIDE];
    sac_meltpool_signals signals;
} slot;

typedef struct camera {
    int64_t n_frames;
    int32_t port;
    atomic_bool done;
    sac_error err;
} camera;

/* The other side: what a camera's computer does. */
static void *send_frames(void *ctx)
{
    static uint8_t pixels[SIDE * SIDE];
    camera *c = ctx;
    char to[40];
    sac_meltpool_signals signals;
    sac_meltpool_sim *simulation = NULL;
    sac_frame_sender *sender = NULL;
    sac_simulate_meltpool_desc simulated;
    sac_frame_sender_desc desc;
    sac_simulate_meltpool_desc_init(&simulated);
    simulated.n_frames = c->n_frames;
    sac_frame_sender_desc_init(&desc);
    snprintf(to, sizeof to, "udp://127.0.0.1:%d", c->port);
    desc.to = to;
    desc.n_frames = c->n_frames;
    desc.rate_hz = 2000;
    sac_status st = sac_meltpool_sim_open(&simulation, &simulated, &c->err);
    if (st == SAC_OK)
        st = sac_frame_sender_open(&sender, &desc, &c->err);
    while (st == SAC_OK && sac_meltpool_sim_next(simulation, pixels, &signals, NULL))
        st = sac_frame_sender_send(sender, pixels, &signals, 1, &c->err);
    sac_frame_sender_close(&sender);
    sac_meltpool_sim_close(&simulation);
    atomic_store(&c->done, true);
    return NULL;
}

/* The receiver's sink: frames go straight into the ring. */
static uint8_t *next_slot(void *stream)
{
    slot *s = sac_stream_slot(stream);
    return s ? s->pixels : NULL;
}

static bool complete(void *stream, const sac_frame_arrival *frame)
{
    slot *s = sac_stream_slot(stream); /* the one that next_slot gave */
    s->signals = frame->signals;
    return sac_stream_send(stream, frame->arrival_ns) == SAC_OK;
}

/* The ring's work, in its own thread. */
static void analyse(void *plan, sac_stream_frame *frames, int32_t n)
{
    const int64_t shape[] = {SIDE, SIDE};
    for (int32_t i = 0; i < n; i++) {
        const slot *s = frames[i].data;
        sac_array picture;
        sac_meltpool_record record;
        if (sac_array_view(&picture, (void *)s->pixels, SAC_U8, 2, shape, NULL) != SAC_OK ||
            sac_meltpool_run(plan, &record, &picture, &s->signals, NULL) != SAC_OK)
            frames[i].outcome = SAC_STREAM_REFUSED;
        else if (record.flags & SAC_MELTPOOL_EMPTY)
            frames[i].outcome = SAC_STREAM_EMPTY;
        /* else: record.features, to a controller */
    }
}

/* Receives until the camera is done and nothing more comes. */
static sac_status receive(sac_frame_receiver *receiver, camera *c, sac_error *err)
{
    pthread_t thread;
    sac_status st = SAC_OK;
    int32_t n = 1;
    c->port = sac_frame_receiver_get_port(receiver);
    if (pthread_create(&thread, NULL, send_frames, c))
        return SAC_E_NOMEM;
    while (st == SAC_OK && (!atomic_load(&c->done) || n > 0))
        st = sac_frame_receiver_run(receiver, &n, 100, err);
    pthread_join(thread, NULL);
    if (st == SAC_OK && c->err.status != SAC_OK) {
        *err = c->err;
        st = c->err.status;
    }
    return st;
}

static void report(sac_frame_receiver *receiver, sac_stream *stream, const camera *c)
{
    sac_frame_counts link = {.struct_size = sizeof link};
    sac_stream_counts ring = {.struct_size = sizeof ring};
    sac_frame_receiver_get_counts(receiver, &link);
    sac_stream_get_counts(stream, &ring);
    printf(
        "%lld frames sent: %lld complete, %lld processed, %lld with the laser off, %lld dropped, "
        "%lld lost\n",
        (long long)c->n_frames, (long long)link.frames, (long long)ring.processed,
        (long long)ring.empty, (long long)ring.dropped, (long long)(c->n_frames - link.frames));
}

int main(int argc, char **argv)
{
    camera c = {.n_frames = argc > 1 ? atoll(argv[1]) : 2000};
    sac_error err = {0};
    sac_meltpool *plan = NULL;
    sac_stream *stream = NULL;
    sac_frame_receiver *receiver = NULL;
    sac_meltpool_desc analysis;
    sac_stream_desc ring;
    sac_frame_receiver_desc link;
    sac_meltpool_desc_init(&analysis);
    sac_meltpool_sim_calibration(analysis.calibration);
    analysis.n_threads = 1;
    sac_status st = sac_meltpool_open(&plan, &analysis, &err);
    sac_stream_desc_init(&ring);
    ring.frame_bytes = sizeof(slot);
    ring.work = analyse;
    ring.ctx = plan;
    ring.policy = SAC_STREAM_DROP_NEWEST; /* the network does not wait */
    if (st == SAC_OK)
        st = sac_stream_open(&stream, &ring, &err);
    sac_frame_receiver_desc_init(&link);
    link.listen = "udp://127.0.0.1:0"; /* any free port */
    link.sink = (sac_frame_sink){next_slot, complete, stream};
    if (st == SAC_OK)
        st = sac_frame_receiver_open(&receiver, &link, &err);
    if (st == SAC_OK)
        st = receive(receiver, &c, &err);
    sac_stream_stop(stream);
    if (st == SAC_OK)
        report(receiver, stream, &c);
    else
        fprintf(stderr, "live_meltpool: %s\n", err.text[0] ? err.text : "no memory");
    sac_frame_receiver_close(&receiver);
    sac_stream_close(&stream);
    sac_meltpool_close(&plan);
    return st != SAC_OK;
}
