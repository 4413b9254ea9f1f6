/*
 * What the messages of a connection do.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "hub.h"

#define PINGS_FAST 8 /* the first, so that clock and round trip are soon known */
#define PING_FAST_NS (20 * SAC_MS)
#define PING_NS (200 * SAC_MS)
#define KEY_AGAIN_NS (100 * SAC_MS)

/* Seals and sends a message whose body is in the hub's scratch, behind the head. */
static int send_message(sac_session *s, sac_message_type type, size_t n_body)
{
    sac_hub *hub = s->hub;
    const size_t n = SAC_MESSAGE_HEAD + n_body + SAC_MESSAGE_TAG;
    const sac_message m = {type, (uint16_t)n, s->number, s->connection};
    if (s->path->is_broken)
        return -1;
    sac_message_write(hub->scratch, &m);
    sac_seal_close(&s->out_seal, hub->scratch, n, s->number);
    const int went = hub->carrier.send(hub->carrier.ctx, s->path, hub->scratch, n);
    if (went == 1) {
        s->number++;
        if (hub->desc.is_sender)
            hub->counts.wire_bytes += n + hub->carrier.around;
    }
    if (went < 0)
        s->path->is_broken = true;
    return went;
}

static uint8_t *body_of(sac_session *s)
{
    return s->hub->scratch + SAC_MESSAGE_HEAD;
}

static void send_numbers(sac_session *s, sac_message_type type, const uint64_t *numbers, uint32_t n)
{
    (void)send_message(s, type, sac_numbers_write(body_of(s), numbers, n));
}

static int send_fragment(void *ctx, const sac_fragment *f)
{
    sac_session *s = ctx;
    return send_message(s, SAC_MESSAGE_DATA, sac_fragment_write(body_of(s), f));
}

static void deliver(void *ctx, sac_link_packet *packet)
{
    sac_session *s = ctx;
    int64_t offset_ns = 0;
    if (sac_timing_offset(&s->timing, &offset_ns))
        packet->captured_ns = (int64_t)((uint64_t)packet->captured_ns - (uint64_t)offset_ns);
    else
        packet->captured_ns = packet->arrived_ns;
    s->hub->deliver(s->hub->deliver_ctx, packet);
}

static bool open_flow(sac_session *s)
{
    const sac_hub *hub = s->hub;
    const int32_t around = SAC_MESSAGE_LEAST + SAC_FRAGMENT_HEAD;
    if (hub->desc.is_sender) {
        s->out = malloc(sizeof *s->out);
        if (s->out) {
            const int64_t rate = hub->carrier.loses ? (int64_t)hub->desc.max_rate * 125000 : 0;
            sac_outflow_open(s->out, (uint16_t)(hub->carrier.most - around), hub->carrier.loses,
                             rate, hub->desc.queue_bytes);
            s->out->emit = send_fragment;
            s->out->ctx = s;
        }
        return s->out != NULL;
    }
    s->in = malloc(sizeof *s->in);
    if (s->in) {
        sac_inflow_open(s->in, hub->desc.latency_ms * SAC_MS, !hub->carrier.loses);
        s->in->deliver = deliver;
        s->in->ctx = s;
        s->in->is_discont = s->in->wants_key = true;
    }
    return s->in != NULL;
}

sac_session *sac_session_open(sac_hub *hub, sac_path *path, uint32_t connection,
                              const uint8_t *caller, const uint8_t *waiter, int64_t now_ns)
{
    sac_session *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->hub = hub;
    s->connection = connection;
    s->is_caller = !hub->is_waiter;
    memcpy(s->caller, caller, sizeof s->caller);
    memcpy(s->waiter, waiter, sizeof s->waiter);
    sac_seal_open(&s->in_seal, &hub->key, hub->is_waiter, caller, waiter);
    sac_seal_open(&s->out_seal, &hub->key, !hub->is_waiter, caller, waiter);
    s->begun_ns = s->heard_ns = s->ping_ns = now_ns;
    s->path = open_flow(s) ? hub->carrier.keep(hub->carrier.ctx, path) : NULL;
    if (!s->path) {
        free(s->out);
        free(s->in);
        free(s);
        return NULL;
    }
    s->path->session = s;
    return s;
}

void sac_session_close(sac_session *s)
{
    sac_hub *hub = s->hub;
    sac_session_add_counts(s, &hub->closed, hub->repairs);
    if (s->out)
        sac_outflow_close(s->out);
    if (s->in)
        sac_inflow_close(s->in);
    s->path->session = NULL;
    hub->carrier.drop(hub->carrier.ctx, s->path);
    free(s->out);
    free(s->in);
    sac_system_wipe(s, sizeof *s); /* with its keys */
    free(s);
}

void sac_session_add_counts(const sac_session *s, sac_link_counts *c, uint64_t *repairs)
{
    if (s->out) {
        c->packets += s->out->n_packets;
        c->bytes += s->out->n_bytes;
        c->resent += s->out->n_resent;
        c->dropped += s->out->n_dropped;
    }
    if (s->in) {
        c->packets += s->in->n_packets;
        c->bytes += s->in->n_bytes;
        c->lost += s->in->n_lost;
        c->repaired += s->in->n_repaired;
        c->late += s->in->n_late;
        c->duplicates += s->in->n_duplicates;
        c->damaged += s->in->n_malformed;
    }
    for (int i = 0; s->in && i <= SAC_REPAIR_MS; i++) {
        repairs[i] += s->in->repairs[i];
        c->repaired_parts += s->in->repairs[i];
    }
}

void sac_session_ping(sac_session *s, int64_t now_ns)
{
    const uint64_t numbers[] = {(uint64_t)now_ns, s->out ? s->out->unsent : 0};
    send_numbers(s, SAC_MESSAGE_PING, numbers, 2);
    s->n_pings++;
    s->ping_ns = now_ns + (s->n_pings < PINGS_FAST || s->hub->is_draining ? PING_FAST_NS : PING_NS);
}

void sac_session_bye(sac_session *s)
{
    for (int i = 0; i < (s->hub->carrier.loses ? 3 : 1); i++)
        (void)send_message(s, SAC_MESSAGE_BYE, 0);
}

void sac_session_live(sac_session *s, int64_t now_ns)
{
    if (s->is_live)
        return;
    s->is_live = true;
    sac_hub_event(s->hub, SAC_LINK_CONNECTED, s->path->name);
    if (s->out)
        sac_hub_want_key(s->hub, now_ns);
}

static bool take_ping(sac_session *s, const uint8_t *body, size_t n, int64_t now_ns)
{
    uint64_t got[2];
    if (!sac_numbers_read(got, 2, body, n))
        return false;
    if (s->in)
        sac_inflow_heard(s->in, got[1], now_ns);
    const uint64_t numbers[] = {got[0], (uint64_t)now_ns, (uint64_t)now_ns,
                                s->in ? s->in->next : 0};
    send_numbers(s, SAC_MESSAGE_PONG, numbers, 4);
    return true;
}

static bool take_pong(sac_session *s, const uint8_t *body, size_t n, int64_t now_ns)
{
    uint64_t got[4];
    if (!sac_numbers_read(got, 4, body, n))
        return false;
    sac_timing_add(&s->timing, (int64_t)got[0], (int64_t)got[1], (int64_t)got[2], now_ns);
    s->done = got[3];
    s->hub->counts.rtt_ns = sac_timing_rtt(&s->timing);
    s->hub->counts.has_offset = sac_timing_offset(&s->timing, &s->hub->counts.offset_ns);
    return true;
}

static bool take_nack(sac_session *s, const uint8_t *body, size_t n, int64_t now_ns)
{
    sac_range ranges[SAC_NACK_MOST];
    uint32_t n_ranges;
    uint64_t from = 0;
    bool is_kept = true;
    if (!s->out || !sac_ranges_read(ranges, &n_ranges, body, n))
        return false;
    for (uint32_t i = 0; i < n_ranges; i++)
        is_kept &= sac_outflow_nack(s->out, &ranges[i], now_ns, sac_timing_rtt(&s->timing), &from);
    if (!is_kept) {
        send_numbers(s, SAC_MESSAGE_GONE, &from, 1);
        if (s->out->next_key <= from)
            sac_hub_want_key(s->hub, now_ns);
    }
    return true;
}

/* A keyframe that is on its way will do. */
static bool take_key(sac_session *s, const uint8_t *body, size_t n, int64_t now_ns)
{
    uint64_t after;
    if (!s->out || !sac_numbers_read(&after, 1, body, n))
        return false;
    if (s->out->next_key <= after)
        sac_hub_want_key(s->hub, now_ns);
    return true;
}

static bool take_control(sac_session *s, uint8_t *body, size_t n)
{
    uint64_t number;
    char text[SAC_LINK_TEXT];
    if (!s->out || n < 8 || n - 8 >= sizeof text || !sac_numbers_read(&number, 1, body, 8) ||
        memchr(body + 8, '\0', n - 8))
        return false;
    memcpy(text, body + 8, n - 8);
    text[n - 8] = '\0';
    if (number == (uint64_t)s->control_in + 1) {
        s->control_in++;
        sac_hub_event(s->hub, SAC_LINK_CONTROL, text);
    }
    if (number <= s->control_in)
        send_numbers(s, SAC_MESSAGE_CONTROL_ACK, &number, 1);
    return true;
}

static bool take_ack(sac_session *s, const uint8_t *body, size_t n)
{
    uint64_t number;
    if (!sac_numbers_read(&number, 1, body, n))
        return false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->n_controls; i++)
        if (s->controls[i].number > number)
            s->controls[kept++] = s->controls[i];
    s->n_controls = kept;
    return true;
}

static bool take_data(sac_session *s, const uint8_t *body, size_t n, int64_t now_ns)
{
    sac_fragment f;
    if (!s->in || !sac_fragment_read(&f, body, n))
        return false;
    sac_inflow_take(s->in, &f, now_ns);
    return true;
}

static bool dispatch(sac_session *s, sac_message_type type, uint8_t *body, size_t n, int64_t now_ns)
{
    uint64_t first;
    switch (type) {
    case SAC_MESSAGE_DATA:
        return take_data(s, body, n, now_ns);
    case SAC_MESSAGE_NACK:
        return take_nack(s, body, n, now_ns);
    case SAC_MESSAGE_GONE:
        if (!s->in || !sac_numbers_read(&first, 1, body, n))
            return false;
        sac_inflow_gone(s->in, first);
        return true;
    case SAC_MESSAGE_KEY:
        return take_key(s, body, n, now_ns);
    case SAC_MESSAGE_PING:
        return take_ping(s, body, n, now_ns);
    case SAC_MESSAGE_PONG:
        return take_pong(s, body, n, now_ns);
    case SAC_MESSAGE_CONTROL:
        return take_control(s, body, n);
    case SAC_MESSAGE_CONTROL_ACK:
        return take_ack(s, body, n);
    default:
        return false;
    }
}

bool sac_session_take(sac_session *s, const sac_message *m, uint8_t *bytes, int64_t now_ns)
{
    sac_hub *hub = s->hub;
    if (!sac_seal_break(&s->in_seal, bytes, m->size, m->number)) {
        hub->counts.damaged++;
        return false;
    }
    if (!sac_window_take(&s->window, m->number)) {
        hub->counts.duplicates++;
        return hub->carrier.loses;
    }
    s->heard_ns = now_ns;
    if (!hub->desc.is_sender)
        hub->counts.wire_bytes += m->size + hub->carrier.around;
    sac_session_live(s, now_ns);
    s->run_ns = now_ns;
    if (m->type == SAC_MESSAGE_BYE) {
        sac_hub_end(hub, s, SAC_LINK_ENDED);
        return true;
    }
    if (!dispatch(s, m->type, bytes + SAC_MESSAGE_HEAD, m->size - SAC_MESSAGE_LEAST, now_ns))
        hub->counts.damaged++;
    return true;
}

/* Asks for what is missing, in messages that the path takes; twice, as one may be lost. */
static void ask(sac_session *s, const sac_range *ranges, uint32_t n)
{
    const uint32_t most =
        ((uint32_t)s->hub->carrier.most - SAC_MESSAGE_LEAST) / (uint32_t)SAC_NACK_RANGE;
    for (int i = 0; i < 2; i++)
        for (uint32_t at = 0; at < n; at += most)
            (void)send_message(
                s, SAC_MESSAGE_NACK,
                sac_ranges_write(body_of(s), ranges + at, n - at < most ? n - at : most));
}

static void run_in(sac_session *s, int64_t now_ns)
{
    sac_range ranges[SAC_NACK_MOST];
    uint32_t n;
    const int64_t until =
        sac_inflow_run(s->in, ranges, &n, now_ns, sac_timing_patience(&s->timing));
    s->run_ns = until < s->run_ns ? until : s->run_ns;
    if (s->hub->carrier.loses)
        ask(s, ranges, n);
    if (!s->in->wants_key)
        return;
    if (now_ns >= s->key_ns) {
        const int64_t rtt = 2 * sac_timing_rtt(&s->timing);
        send_numbers(s, SAC_MESSAGE_KEY, &s->in->key_after, 1);
        s->hub->counts.key_requests++;
        s->key_ns = now_ns + (rtt > KEY_AGAIN_NS ? rtt : KEY_AGAIN_NS);
    }
    s->run_ns = s->key_ns < s->run_ns ? s->key_ns : s->run_ns;
}

static void run_out(sac_session *s, int64_t now_ns)
{
    const int64_t until = sac_outflow_run(s->out, now_ns, &s->is_full);
    if (until < 0)
        s->path->is_broken = true;
    s->run_ns = until >= 0 && until < s->run_ns ? until : s->run_ns;
}

static void run_controls(sac_session *s, int64_t now_ns)
{
    for (uint32_t i = 0; i < s->n_controls; i++) {
        sac_control *c = &s->controls[i];
        if (now_ns >= c->again_ns) {
            const size_t n = strlen(c->text);
            const uint64_t number = c->number;
            (void)sac_numbers_write(body_of(s), &number, 1);
            memcpy(body_of(s) + 8, c->text, n);
            (void)send_message(s, SAC_MESSAGE_CONTROL, 8 + n);
            c->again_ns = now_ns + sac_timing_patience(&s->timing);
        }
        s->run_ns = c->again_ns < s->run_ns ? c->again_ns : s->run_ns;
    }
}

void sac_session_run(sac_session *s, int64_t now_ns)
{
    if (!s->is_live && !s->is_caller) {
        s->run_ns = INT64_MAX;
        return;
    }
    if (now_ns >= s->ping_ns)
        sac_session_ping(s, now_ns);
    s->run_ns = s->ping_ns;
    if (s->out)
        run_out(s, now_ns);
    else
        run_in(s, now_ns);
    run_controls(s, now_ns);
}
