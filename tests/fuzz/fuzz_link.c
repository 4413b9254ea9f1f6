/*
 * libFuzzer on the messages of a link. The input is messages, three bytes before each: two of
 * length, and one that says who gets it (a sender or a receiver, which are connected), whether it
 * is sealed as the other side would, whether a packet is sent, and how much later it comes. What
 * the two then send goes to the other one, as on a network.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "../../gst/link/hub.h"

enum { MTU = 400, ENDS = 2, QUEUE = 64, TURNS = 200 };

static sac_hub *hubs[ENDS]; /* a sender, which waits; a receiver, which connects to it */
static sac_path path;       /* the receiver's */
static int64_t now_ns;
static uint64_t delivered;

/* Messages on their way; what does not fit is lost. */
static struct {
    int to;
    size_t n;
    uint8_t bytes[MTU];
} queue[QUEUE];
static int n_queued;

static int send_message(void *ctx, sac_path *to, const uint8_t *bytes, size_t n)
{
    (void)to;
    if (n > MTU)
        abort();
    if (n_queued == QUEUE)
        return 1;
    queue[n_queued].to = ctx == &hubs[0] ? 1 : 0;
    queue[n_queued].n = n;
    memcpy(queue[n_queued++].bytes, bytes, n);
    return 1;
}

static void take(int to, uint8_t *bytes, size_t n)
{
    sac_path stranger = {.address = {1}};
    (void)sac_hub_take(hubs[to], to == 0 ? &stranger : &path, bytes, n, now_ns);
}

/* The first on its way arrives. */
static void arrive(void)
{
    uint8_t bytes[MTU];
    const int to = queue[0].to;
    const size_t n = queue[0].n;
    memcpy(bytes, queue[0].bytes, n);
    memmove(queue, queue + 1, (size_t)--n_queued * sizeof *queue);
    take(to, bytes, n);
}

static sac_path *keep(void *ctx, sac_path *from)
{
    if (ctx != &hubs[0])
        return from;
    sac_path *kept = malloc(sizeof *kept);
    if (!kept)
        abort();
    *kept = *from;
    return kept;
}

static void drop(void *ctx, sac_path *kept)
{
    if (ctx == &hubs[0])
        free(kept);
}

static void deliver(void *ctx, sac_link_packet *packet)
{
    (void)ctx;
    delivered++;
    sac_link_packet_unref(packet);
}

static void send_packet(uint8_t what)
{
    sac_link_packet *p = sac_link_packet_new(1 + (size_t)what * 20);
    if (!p)
        abort();
    memset(p->bytes, what, p->size);
    p->flags = what % 5 == 0 ? SAC_LINK_IS_KEY : 0;
    sac_hub_send(hubs[0], p, now_ns);
    sac_link_packet_unref(p);
}

/* Seals a message as the other side of hub `to` would. */
static void seal(int to, uint8_t *bytes, size_t n)
{
    if (n < SAC_MESSAGE_LEAST || hubs[to]->n_sessions == 0)
        return;
    const sac_session *s = hubs[to]->sessions[0];
    const sac_message m = {.type = (sac_message_type)(1 + bytes[3] % (SAC_MESSAGE_TYPES - 1)),
                           .size = (uint16_t)n,
                           .number = s->window.next + bytes[6] % 4,
                           .connection = s->connection};
    sac_message_write(bytes, &m);
    sac_seal_close(m.type < SAC_MESSAGE_DATA ? NULL : &s->in_seal, bytes, n, m.number);
}

static void run(void)
{
    sac_link_event event;
    for (int i = 0; i < ENDS; i++) {
        (void)sac_hub_run(hubs[i], now_ns);
        while (sac_hub_next_event(hubs[i], &event))
            ;
    }
    if (hubs[1]->path && !path.is_broken)
        return;
    if (hubs[1]->path)
        sac_hub_break(hubs[1], &path);
    path = (sac_path){0};
    sac_hub_connect(hubs[1], &path, now_ns);
}

static void give(uint8_t how, uint8_t *bytes, size_t n)
{
    const int to = how & 1;
    now_ns += (int64_t)(how >> 3 & 7) * 7 * SAC_MS;
    if (how & 2)
        seal(to, bytes, n);
    if (how & 4)
        send_packet(how);
    take(to, bytes, n);
    run();
    for (int i = 0; i < TURNS && n_queued > 0; i++)
        arrive();
    run();
}

static void open_hub(int i)
{
    static const sac_link_key none;
    const sac_link_desc desc = {.is_sender = i == 0,
                                .latency_ms = 200,
                                .timeout_ms = 2000,
                                .max_clients = 2,
                                .queue_bytes = 1 << 16};
    const sac_carrier_fns carrier = {.send = send_message,
                                     .keep = keep,
                                     .drop = drop,
                                     .ctx = &hubs[i],
                                     .loses = true,
                                     .most = MTU};
    hubs[i] = malloc(sizeof *hubs[i]);
    if (!hubs[i])
        abort();
    sac_hub_open(hubs[i], &desc, &none, &carrier, i == 0);
    hubs[i]->deliver = deliver;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    now_ns = INT64_C(1000000000000);
    for (int i = 0; i < ENDS; i++)
        open_hub(i);
    path = (sac_path){0};
    sac_hub_connect(hubs[1], &path, now_ns);
    for (int i = 0; i < 4; i++) { /* they greet each other */
        run();
        while (n_queued > 0)
            arrive();
    }
    if (hubs[0]->n_sessions != 1 || !hubs[0]->sessions[0]->is_live)
        abort();
    while (size > 3) {
        size_t n = (size_t)(data[0] | data[1] << 8);
        const uint8_t how = data[2];
        data += 3;
        size -= 3;
        n = n < size ? n : size;
        uint8_t *bytes = malloc(n ? n : 1);
        if (!bytes)
            abort();
        memcpy(bytes, data, n);
        give(how, bytes, n);
        free(bytes);
        data += n;
        size -= n;
    }
    for (int i = 0; i < ENDS; i++) {
        sac_hub_close(hubs[i]);
        free(hubs[i]);
    }
    n_queued = 0;
    return 0;
}
