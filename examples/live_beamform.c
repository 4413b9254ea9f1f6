/*
 * Ultrasound live: live_beamform IN [FRAMES]. One thread sends the first frame of a recording over
 * UDP, 50 times a second; this one receives it into a ring, whose worker beamforms each.
 * Shows: frames that are arrays of any type, the receiver's sink into a stream, a plan of one frame
 * as a stream's work. With a scanner as the sender nothing changes but the address; the recording
 * then says how its frames are acquired.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/beamform.h>
#include <saccade/frame_link.h>
#include <saccade/recording.h>
#include <saccade/stream.h>

typedef struct scanner {
    const sac_array *samples; /* (1, transmits, elements, samples) */
    int64_t n_frames;
    int32_t port;
    atomic_bool done;
    sac_error err;
} scanner;

/* What the ring's worker needs. */
typedef struct beamformer {
    sac_beamform *plan;
    sac_array samples, image;
} beamformer;

/* The other side: what a scanner's computer does. */
static void *send_frames(void *ctx)
{
    scanner *s = ctx;
    char to[40];
    sac_frame_sender *sender = NULL;
    sac_frame_sender_desc desc;
    sac_frame_sender_desc_init(&desc);
    snprintf(to, sizeof to, "udp://127.0.0.1:%d", s->port);
    desc.to = to;
    desc.rate_hz = 50;
    desc.dtype = (int32_t)s->samples->dtype;
    desc.n_dims = 3; /* of a frame */
    memcpy(desc.shape, s->samples->shape + 1, 3 * sizeof *desc.shape);
    sac_status st = sac_frame_sender_open(&sender, &desc, &s->err);
    for (int64_t i = 0; i < s->n_frames && st == SAC_OK; i++)
        st = sac_frame_sender_send(sender, s->samples->data, NULL, 1, &s->err);
    sac_frame_sender_close(&sender);
    atomic_store(&s->done, true);
    return NULL;
}

/* The receiver's sink: frames go straight into the ring. */
static uint8_t *next_slot(void *stream)
{
    return sac_stream_slot(stream);
}

static bool complete(void *stream, const sac_frame_arrival *frame)
{
    return sac_stream_send(stream, frame->arrival_ns) == SAC_OK;
}

/* The ring's work, in its own thread. */
static void beamform(void *ctx, sac_stream_frame *frames, int32_t n)
{
    beamformer *b = ctx;
    for (int32_t i = 0; i < n; i++) {
        b->samples.data = frames[i].data;
        if (sac_beamform_run(b->plan, &b->image, &b->samples, NULL) != SAC_OK)
            frames[i].outcome = SAC_STREAM_REFUSED;
        /* else: b->image, to a display */
    }
}

static sac_status open_plan(beamformer *b, const sac_recording *recording, sac_error *err)
{
    sac_beamform_desc desc;
    sac_beamform_desc_init(&desc);
    desc.acquisition = sac_recording_get_acquisition(recording);
    desc.dtype = b->samples.dtype;
    desc.n_samples = b->samples.shape[3];
    desc.output = SAC_OUTPUT_BMODE;
    sac_status st = sac_grid_default(&desc.grid, desc.acquisition, desc.n_samples, err);
    if (st == SAC_OK)
        st = sac_beamform_open(&b->plan, &desc, err);
    if (st != SAC_OK)
        return st;
    b->image = sac_beamform_get_output_array(b->plan);
    b->image.data = calloc((size_t)sac_array_count(&b->image), sac_dtype_size(b->image.dtype));
    return b->image.data ? SAC_OK : SAC_E_NOMEM;
}

/* Receives until the scanner is done and nothing more comes. */
static sac_status receive(sac_frame_receiver *receiver, scanner *s, sac_error *err)
{
    pthread_t thread;
    sac_status st = SAC_OK;
    int32_t n = 1;
    s->port = sac_frame_receiver_get_port(receiver);
    if (pthread_create(&thread, NULL, send_frames, s))
        return SAC_E_NOMEM;
    while (st == SAC_OK && (!atomic_load(&s->done) || n > 0))
        st = sac_frame_receiver_run(receiver, &n, 100, err);
    pthread_join(thread, NULL);
    if (st == SAC_OK && s->err.status != SAC_OK) {
        *err = s->err;
        st = s->err.status;
    }
    return st;
}

static void report(sac_frame_receiver *receiver, sac_stream *stream, const scanner *s)
{
    sac_frame_counts link = {.struct_size = sizeof link};
    sac_stream_counts ring = {.struct_size = sizeof ring};
    sac_frame_receiver_get_counts(receiver, &link);
    sac_stream_get_counts(stream, &ring);
    printf(
        "%lld frames sent: %lld complete, %lld beamformed, %lld dropped, %lld lost; p99 %.3g ms\n",
        (long long)s->n_frames, (long long)link.frames, (long long)ring.processed,
        (long long)ring.dropped, (long long)(s->n_frames - link.frames),
        1e-6 * sac_histogram_get_quantile(sac_stream_get_latency(stream), 0.99));
}

static sac_status run(const sac_recording *recording, int64_t n_frames, sac_error *err)
{
    beamformer b = {.samples = sac_recording_get_array(recording)};
    scanner s = {.n_frames = n_frames};
    sac_stream *stream = NULL;
    sac_frame_receiver *receiver = NULL;
    sac_stream_desc ring;
    sac_frame_receiver_desc link;
    b.samples.shape[0] = 1;
    const sac_array first = b.samples; /* the worker's changes */
    s.samples = &first;
    sac_status st = open_plan(&b, recording, err);
    sac_stream_desc_init(&ring);
    ring.frame_bytes = (size_t)sac_array_count(&first) * sac_dtype_size(first.dtype);
    ring.work = beamform;
    ring.ctx = &b;
    ring.policy = SAC_STREAM_DROP_OLDEST; /* a new picture is worth more than an old one */
    if (st == SAC_OK)
        st = sac_stream_open(&stream, &ring, err);
    sac_frame_receiver_desc_init(&link);
    link.listen = "udp://127.0.0.1:0"; /* any free port */
    link.sink = (sac_frame_sink){next_slot, complete, stream};
    link.dtype = (int32_t)first.dtype;
    link.n_dims = 3;
    memcpy(link.shape, first.shape + 1, 3 * sizeof *link.shape);
    if (st == SAC_OK)
        st = sac_frame_receiver_open(&receiver, &link, err);
    if (st == SAC_OK)
        st = receive(receiver, &s, err);
    sac_stream_stop(stream);
    if (st == SAC_OK)
        report(receiver, stream, &s);
    sac_frame_receiver_close(&receiver);
    sac_stream_close(&stream);
    sac_beamform_close(&b.plan);
    free(b.image.data);
    return st;
}

int main(int argc, char **argv)
{
    sac_error err = {0};
    sac_recording *recording = NULL;
    if (argc < 2) {
        fprintf(stderr, "usage: live_beamform IN [FRAMES]\n");
        return 2;
    }
    sac_status st = sac_recording_read(&recording, argv[1], NULL, &err);
    if (st == SAC_OK)
        st = run(recording, argc > 2 ? atoll(argv[2]) : 100, &err);
    if (st != SAC_OK)
        fprintf(stderr, "live_beamform: %s\n", err.text[0] ? err.text : "no memory");
    sac_recording_close(&recording);
    return st != SAC_OK;
}
