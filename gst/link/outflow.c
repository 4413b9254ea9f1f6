/*
 * Packets on their way out.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "outflow.h"

#include <stdlib.h>
#include <string.h>

#include "timing.h"

#define KEEP_NS (2000 * SAC_MS) /* a packet is kept for so long after it was sent */
#define WAIT_NS (1000 * SAC_MS) /* and waits at most so long to be sent */
#define BURST 80                /* fragments that go at once: a default socket buffer holds 90 */
#define BURST_S 2e-3            /* but no more than go in this time */

static sac_sent *at(sac_outflow *o, uint64_t number)
{
    return &o->sent[number % SAC_OUT_PACKETS];
}

void sac_outflow_open(sac_outflow *o, uint16_t part, bool keeps, int64_t rate, int64_t most_bytes)
{
    memset(o, 0, sizeof *o);
    o->part = part;
    o->keeps = keeps;
    o->rate = rate;
    o->most_bytes = most_bytes;
    o->waits_key = true;
}

static void forget(sac_outflow *o, uint64_t number)
{
    sac_sent *s = at(o, number);
    sac_link_packet_unref(s->packet);
    free(s->again_ms);
    *s = (sac_sent){0};
}

static void forget_first(sac_outflow *o)
{
    o->kept_bytes -= at(o, o->first)->packet->size;
    forget(o, o->first++);
}

void sac_outflow_close(sac_outflow *o)
{
    while (o->first < o->next)
        forget(o, o->first++);
}

/* Those that have not begun to leave; their numbers are given again. */
static void drop_waiting(sac_outflow *o)
{
    const uint64_t keep = o->unsent + (o->offset > 0);
    while (o->next > keep) {
        o->next--;
        o->waiting_bytes -= at(o, o->next)->packet->size;
        o->n_dropped += !(at(o, o->next)->packet->flags & SAC_LINK_IS_FORM);
        forget(o, o->next);
    }
    o->next_key = o->next_key > o->next ? o->next : o->next_key;
}

static void queue(sac_outflow *o, sac_link_packet *packet, int64_t now_ns)
{
    if (o->next - o->first == SAC_OUT_PACKETS)
        forget_first(o);
    *at(o, o->next++) = (sac_sent){.packet = sac_link_packet_ref(packet), .since_ns = now_ns};
    o->waiting_bytes += packet->size;
}

/* Room for two more, one of them a form; and what waits is not too old to be shown. */
static bool has_room(sac_outflow *o, size_t size, int64_t now_ns)
{
    const uint64_t oldest = o->unsent + (o->offset > 0);
    return o->next - o->unsent + 2 <= SAC_OUT_PACKETS &&
           (oldest >= o->next || now_ns - at(o, oldest)->since_ns <= WAIT_NS) &&
           (o->waiting_bytes == 0 || o->waiting_bytes + (int64_t)size <= o->most_bytes);
}

bool sac_outflow_push(sac_outflow *o, sac_link_packet *packet, sac_link_packet *form,
                      int64_t now_ns)
{
    const bool is_key = packet->flags & SAC_LINK_IS_KEY;
    bool is_full = false;
    if (!has_room(o, packet->size, now_ns)) {
        drop_waiting(o);
        is_full = !has_room(o, packet->size, now_ns); /* one that is leaving, and large */
        o->waits_key = true;
    }
    if (is_full || (o->waits_key && !is_key)) {
        o->n_dropped++;
        return false;
    }
    o->waits_key = false;
    if (is_key && form)
        queue(o, form, now_ns);
    queue(o, packet, now_ns);
    if (is_key)
        o->next_key = o->next;
    return true;
}

static void trim(sac_outflow *o, int64_t now_ns)
{
    while (o->first < o->unsent && (!o->keeps || o->kept_bytes > o->most_bytes ||
                                    now_ns - at(o, o->first)->since_ns > KEEP_NS))
        forget_first(o);
}

static int send_part(sac_outflow *o, uint64_t number, uint32_t offset, uint8_t more_flags)
{
    const sac_link_packet *p = at(o, number)->packet;
    const uint32_t rest = p->size - offset;
    const sac_fragment f = {
        .number = number,
        .captured_ns = p->captured_ns,
        .size = p->size,
        .offset = offset,
        .part = o->part,
        .flags = (uint8_t)(p->flags | more_flags),
        .bytes = p->bytes + offset,
        .n = rest < o->part ? rest : o->part,
    };
    const int went = o->emit(o->ctx, &f);
    if (went == 1)
        o->tokens -= f.n;
    return went;
}

static int send_again(sac_outflow *o)
{
    const sac_range r = o->resends[o->resend_first];
    int went = 1;
    if (r.number >= o->first && r.number < o->next) {
        went = send_part(o, r.number, r.first * o->part, SAC_LINK_IS_RESENT);
        o->n_resent += went == 1;
    }
    if (went == 1) {
        o->resend_first = (o->resend_first + 1) % SAC_OUT_RESENDS;
        o->n_resends--;
    }
    return went;
}

static int send_next(sac_outflow *o, int64_t now_ns)
{
    sac_sent *s = at(o, o->unsent);
    const int went = send_part(o, o->unsent, o->offset, 0);
    if (went != 1)
        return went;
    o->offset += o->part < s->packet->size - o->offset ? o->part : s->packet->size - o->offset;
    if (o->offset < s->packet->size)
        return went;
    s->since_ns = now_ns;
    o->waiting_bytes -= s->packet->size;
    o->kept_bytes += s->packet->size;
    if (!(s->packet->flags & SAC_LINK_IS_FORM)) {
        o->n_packets++;
        o->n_bytes += s->packet->size;
    }
    o->unsent++;
    o->offset = 0;
    return went;
}

/* Bytes that may go at once. */
static int64_t burst(const sac_outflow *o)
{
    const double most = BURST * (double)o->part, soon = BURST_S * (double)o->rate;
    const double least = 2.0 * (double)o->part;
    return (int64_t)(o->rate <= 0 || soon > most ? most : soon < least ? least : soon);
}

static void earn(sac_outflow *o, int64_t now_ns)
{
    const int64_t most = burst(o), ns = now_ns - o->tokens_ns;
    o->tokens_ns = now_ns;
    if (o->rate <= 0 || ns > INT64_C(1000000000) || ns < 0)
        o->tokens = most;
    else
        o->tokens += (int64_t)((double)ns * 1e-9 * (double)o->rate);
    if (o->tokens > most)
        o->tokens = most;
}

int64_t sac_outflow_run(sac_outflow *o, int64_t now_ns, bool *is_full)
{
    *is_full = false;
    earn(o, now_ns);
    while ((o->n_resends > 0 || o->unsent < o->next) && (o->rate <= 0 || o->tokens > 0)) {
        const int went = o->n_resends > 0 ? send_again(o) : send_next(o, now_ns);
        if (went < 0)
            return -1;
        if (went == 0) {
            *is_full = true;
            return INT64_MAX;
        }
    }
    trim(o, now_ns);
    if (o->n_resends == 0 && o->unsent == o->next)
        return INT64_MAX;
    /* Half a burst later: rarer wakes cost less. */
    const double ns = (double)(burst(o) / 2 - o->tokens) * 1e9 / (double)o->rate;
    return now_ns + (int64_t)ns + 1;
}

static bool is_due(const sac_sent *s, uint32_t index, int64_t now_ns, int64_t rtt_ns)
{
    const uint32_t now_ms = (uint32_t)(now_ns / SAC_MS), then_ms = s->again_ms[index];
    const int64_t half_ms = rtt_ns / 2 / SAC_MS;
    return then_ms == 0 || now_ms - then_ms >= (uint32_t)(half_ms > 3 ? half_ms : 3);
}

bool sac_outflow_nack(sac_outflow *o, const sac_range *range, int64_t now_ns, int64_t rtt_ns,
                      uint64_t *from)
{
    *from = o->first;
    if (range->number < o->first)
        return false;
    if (range->number > o->unsent || (range->number == o->unsent && o->offset == 0))
        return true; /* it has not left yet */
    sac_sent *s = at(o, range->number);
    const uint32_t size = range->number == o->unsent ? o->offset : s->packet->size;
    const uint32_t n = size / o->part + (size % o->part != 0);
    if (!s->again_ms)
        s->again_ms = calloc(s->packet->size / o->part + 1, sizeof *s->again_ms);
    if (!s->again_ms)
        return true;
    for (uint32_t i = range->first; i < n && i - range->first < range->n; i++) {
        if (o->n_resends == SAC_OUT_RESENDS || !is_due(s, i, now_ns, rtt_ns))
            continue;
        const uint32_t now_ms = (uint32_t)(now_ns / SAC_MS);
        const bool is_second = s->again_ms[i] != 0; /* twice: it is short of time */
        s->again_ms[i] = now_ms ? now_ms : 1;
        for (int k = 0; k <= is_second && o->n_resends < SAC_OUT_RESENDS; k++)
            o->resends[(o->resend_first + o->n_resends++) % SAC_OUT_RESENDS] =
                (sac_range){range->number, i, 1};
    }
    return true;
}
