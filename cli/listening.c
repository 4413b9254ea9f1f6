/*
 * A thread that receives frames into a stream, while the main thread watches until it is over.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "listening.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "videos.h"

#define RECEIVE_MS 20              /* a receiver that nothing comes to looks around so often */
#define LOOK_NS 20000000           /* how often the main thread does */
#define LIVE_NS INT64_C(500000000) /* between two live lines */

size_t cli_listening_slots(cli_listening *l, size_t frame_bytes)
{
    l->arrival_at = frame_bytes;
    return frame_bytes + sizeof(sac_frame_arrival);
}

sac_frame_arrival cli_listening_arrival(const cli_listening *l, const void *slot)
{
    sac_frame_arrival arrival;
    memcpy(&arrival, (const uint8_t *)slot + l->arrival_at, sizeof arrival);
    return arrival;
}

/* The receiver's sink. */
static uint8_t *give_slot(void *ctx)
{
    cli_listening *l = ctx;
    return sac_stream_slot(l->stream);
}

static bool take_frame(void *ctx, const sac_frame_arrival *arrival)
{
    cli_listening *l = ctx;
    memcpy((uint8_t *)sac_stream_slot(l->stream) + l->arrival_at, arrival, sizeof *arrival);
    return sac_stream_send(l->stream, arrival->arrival_ns) == SAC_OK;
}

sac_status cli_listening_key(const sac_packet_key **key, cli_listening *l, sac_error *err)
{
    *key = l->options->key ? &l->key : NULL;
    return *key ? sac_packet_key_read(&l->key, l->options->key, err) : SAC_OK;
}

sac_status cli_listening_open(cli_listening *l, sac_frame_receiver_desc *desc,
                              const sac_packet_key *key, sac_error *err)
{
    const cli_listening_options *o = l->options;
    desc->sink = (sac_frame_sink){give_slot, take_frame, l};
    desc->listen = o->listen;
    desc->allow = o->allow;
    desc->buffer_bytes = o->buffer_mb << 20;
    desc->key = key;
    return sac_frame_receiver_open(&l->receiver, desc, err);
}

void cli_listening_close(cli_listening *l)
{
    sac_frame_receiver_close(&l->receiver);
    sac_packet_key_wipe(&l->key);
}

void cli_listening_fail(cli_listening *l)
{
    atomic_store_explicit(&l->failed, true, memory_order_release);
}

static void *receive(void *ctx)
{
    cli_listening *l = ctx;
    int32_t wait_ms = l->spin_us == SAC_STREAM_SPIN ? 0 : RECEIVE_MS;
    while (!atomic_load_explicit(&l->ending, memory_order_relaxed)) {
        if (sac_frame_receiver_run(l->receiver, NULL, wait_ms, &l->receive_error) != SAC_OK) {
            cli_listening_fail(l);
            break;
        }
    }
    return NULL;
}

static bool is_over(const cli_listening *l)
{
    const cli_listening_options *o = l->options;
    double seconds = 1e-9 * (double)(cli_clock_ns() - l->since_ns);
    sac_stream_counts c = {.struct_size = sizeof c};
    sac_frame_counts came = {.struct_size = sizeof came};
    sac_stream_get_counts(l->stream, &c);
    sac_frame_receiver_get_counts(l->receiver, &came);
    return cli_interrupted() || atomic_load_explicit(&l->failed, memory_order_acquire) ||
           (o->seconds > 0 && seconds >= o->seconds) ||
           (o->silence_s > 0 && 1e-9 * (double)cli_listening_silent_ns(l, &came) >= o->silence_s) ||
           (o->frames > 0 && c.received >= o->frames);
}

/* While the others work. */
static void watch_until_over(cli_listening *l, const cli_listening_watch *watch)
{
    const struct timespec look = {0, LOOK_NS};
    bool is_shown = isatty(STDERR_FILENO) == 1;
    l->shown_ns = l->since_ns;
    while (!is_over(l)) {
        nanosleep(&look, NULL);
        if (watch->look) {
            watch->look(watch->ctx);
        }
        if (is_shown && cli_clock_ns() - l->shown_ns >= LIVE_NS) {
            cli_listening_live(l, watch);
        }
    }
    if (is_shown) {
        fputs("\r\033[K", stderr);
    }
}

int cli_listening_run(cli_listening *l, const cli_listening_watch *watch)
{
    pthread_t thread;
    cli_catch_interrupts();
    fprintf(stderr, "saccade: listening at port %d, a buffer of %d bytes\n",
            sac_frame_receiver_get_port(l->receiver), sac_frame_receiver_get_buffer(l->receiver));
    l->since_ns = cli_clock_ns();
    if (pthread_create(&thread, NULL, receive, l) != 0) {
        return cli_fail("no thread to receive with");
    }
    watch_until_over(l, watch);
    atomic_store_explicit(&l->ending, true, memory_order_relaxed);
    pthread_join(thread, NULL);
    sac_stream_stop(l->stream);
    l->took_ns = cli_clock_ns() - l->since_ns;
    l->counts.struct_size = sizeof l->counts;
    sac_stream_get_counts(l->stream, &l->counts);
    l->came.struct_size = sizeof l->came;
    sac_frame_receiver_get_counts(l->receiver, &l->came);
    return l->receive_error.status != SAC_OK ? cli_error(&l->receive_error) : CLI_DONE;
}

bool cli_is_to_listen(int argc, char **argv)
{
    static const char option[] = "--listen";
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], option) || !strncmp(argv[i], "--listen=", sizeof option)) {
            return true;
        }
    }
    return false;
}

int32_t cli_listening_add_params(sac_param *to, const sac_param_table *from, size_t offset,
                                 const char *without)
{
    int32_t n = 0;
    for (int32_t i = 0; i < from->n_params; i++) {
        if (strcmp(from->params[i].name, without) != 0) {
            to[n] = from->params[i];
            to[n++].offset += offset;
        }
    }
    return n;
}
