/*
 * Packets on their way in.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "inflow.h"

#include <stdlib.h>
#include <string.h>

#define TAIL_NS (4 * SAC_MS)   /* the fragments of a packet follow each other faster */
#define GATHER_NS (SAC_MS / 2) /* gaps so close together are asked for at once */
#define MOST_REORDER (50 * SAC_MS)
#define KEY_WAITS 3 /* times the latency that a keyframe is waited for beyond other packets */
#define MOST_HELD (INT64_C(1) << 29) /* bytes of packets that are not delivered */

static sac_gathering *at(sac_inflow *f, uint64_t number)
{
    return &f->at[number % SAC_IN_PACKETS];
}

static bool is_seen(const sac_gathering *g, uint32_t index)
{
    return g->seen[index / 64] >> index % 64 & 1;
}

void sac_inflow_open(sac_inflow *f, int64_t latency_ns, bool is_ordered)
{
    memset(f, 0, sizeof *f);
    f->is_ordered = is_ordered;
    f->latency_ns = latency_ns;
}

static void forget(sac_inflow *f, uint64_t number)
{
    sac_gathering *g = at(f, number);
    if (g->packet)
        f->held_bytes -= g->packet->size;
    sac_link_packet_unref(g->packet);
    free(g->seen);
    *g = (sac_gathering){0};
}

void sac_inflow_close(sac_inflow *f)
{
    while (f->next < f->end)
        forget(f, f->next++);
}

/* A gap was seen: what is missing is asked for when others can no longer have overtaken it. */
static void note(const sac_inflow *f, sac_gathering *g, int64_t now_ns)
{
    const int64_t wait = f->reorder_ns > GATHER_NS ? f->reorder_ns : GATHER_NS;
    if (g->noted_ns == 0)
        g->noted_ns = now_ns;
    if (g->fresh_ns == 0) {
        g->fresh_ns = now_ns + wait;
        g->fresh_since_ns = now_ns;
    }
}

/* All of it has been sent. */
static void pass(sac_inflow *f, sac_gathering *g, int64_t now_ns)
{
    if (g->is_whole || g->is_passed)
        return;
    g->is_passed = true;
    g->evident = g->packet ? g->n_parts : 0;
    g->tail_ns = 0;
    g->due_ns = now_ns + f->latency_ns;
    note(f, g, now_ns);
}

static void deliver_ready(sac_inflow *f)
{
    while (f->next < f->end && at(f, f->next)->is_whole) {
        sac_gathering *g = at(f, f->next++);
        sac_link_packet *p = g->packet;
        if (!(p->flags & SAC_LINK_IS_FORM)) {
            f->n_packets++;
            f->n_bytes += p->size;
            p->is_discont = f->is_discont;
            f->is_discont = false;
        }
        f->held_bytes -= p->size;
        free(g->seen);
        *g = (sac_gathering){0};
        f->deliver(f->ctx, p);
    }
}

static bool is_whole_with(sac_inflow *f, uint64_t number, uint8_t flag)
{
    const sac_gathering *g = at(f, number);
    return g->is_whole && g->packet->flags & flag;
}

/* Gives up what is not whole below `to`. */
static void give_up_to(sac_inflow *f, uint64_t to)
{
    if (f->next < to) {
        f->n_lost += to - f->next;
        f->is_discont = true;
    }
    while (f->next < to && f->next < f->end)
        forget(f, f->next++);
    f->next = f->next > to ? f->next : to;
    f->end = f->end > f->next ? f->end : f->next;
}

/* Gives up the next packet: goes on with a keyframe if one is here, and asks for one if not. */
static void give_up(sac_inflow *f)
{
    for (uint64_t k = f->next + 1; k < f->end; k++)
        if (is_whole_with(f, k, SAC_LINK_IS_KEY)) {
            give_up_to(f, k > f->next + 1 && is_whole_with(f, k - 1, SAC_LINK_IS_FORM) ? k - 1 : k);
            return;
        }
    give_up_to(f, f->next + 1);
    sac_inflow_want_key(f);
}

void sac_inflow_want_key(sac_inflow *f)
{
    for (uint64_t k = f->next; k < f->end; k++)
        if (at(f, k)->packet && at(f, k)->packet->flags & SAC_LINK_IS_KEY)
            return;
    if (!f->wants_key)
        f->key_after = f->end;
    f->wants_key = true;
}

static void extend(sac_inflow *f, uint64_t end, int64_t now_ns)
{
    if (end - f->next > SAC_IN_PACKETS) { /* too many: this connection was dead for long */
        give_up_to(f, end - SAC_IN_PACKETS / 2);
        sac_inflow_want_key(f);
        deliver_ready(f);
    }
    const uint64_t before = f->end;
    f->end = end > f->end ? end : f->end;
    for (uint64_t k = before > f->next ? before - 1 : f->next; k + 1 < f->end; k++)
        pass(f, at(f, k), now_ns);
}

static bool begin(sac_inflow *f, sac_gathering *g, const sac_fragment *x)
{
    const uint32_t n = x->size / x->part + (x->size % x->part != 0);
    if (f->held_bytes + (int64_t)x->size > MOST_HELD)
        return false;
    g->packet = sac_link_packet_new(x->size);
    g->seen = calloc(n / 64 + 1, sizeof *g->seen);
    if (!g->packet || !g->seen) {
        sac_link_packet_unref(g->packet);
        free(g->seen);
        g->packet = NULL;
        g->seen = NULL;
        return false;
    }
    f->held_bytes += x->size;
    g->packet->captured_ns = x->captured_ns;
    g->packet->flags = (uint8_t)(x->flags & ~SAC_LINK_IS_RESENT);
    g->part = x->part;
    g->n_parts = g->n_missing = n;
    g->evident = g->is_passed ? n : 0;
    g->asked = g->was_asked ? n : 0;
    return true;
}

static void complete(sac_inflow *f, sac_gathering *g, int64_t now_ns)
{
    sac_link_packet *p = g->packet;
    g->is_whole = true;
    g->fresh_ns = g->again_ns = g->tail_ns = g->due_ns = 0;
    f->n_repaired += g->was_asked;
    p->arrived_ns = now_ns;
    if (p->flags & SAC_LINK_IS_FORM && !sac_form_read(&p->form, p->bytes, p->size)) {
        p->flags = 0; /* a packet that no decoder takes: the sender is wrong, not the network */
        f->n_malformed++;
    }
    deliver_ready(f);
}

/* One came that was missing: again, or late of its own accord. */
static void learn(sac_inflow *f, const sac_gathering *g, const sac_fragment *x, uint32_t index,
                  int64_t now_ns)
{
    if (x->flags & SAC_LINK_IS_RESENT && g->noted_ns) {
        const int64_t ms = (now_ns - g->noted_ns) / SAC_MS;
        f->repairs[ms < 0 ? 0 : ms > SAC_REPAIR_MS ? SAC_REPAIR_MS : ms]++;
    } else if (!(x->flags & SAC_LINK_IS_RESENT) && index < g->evident) {
        const int64_t since = g->fresh_since_ns ? g->fresh_since_ns : g->noted_ns;
        const int64_t late = now_ns - since + SAC_MS / 4;
        const int64_t most = f->latency_ns / 4 < MOST_REORDER ? f->latency_ns / 4 : MOST_REORDER;
        if (late > f->reorder_ns)
            f->reorder_ns = late < most ? late : most;
    }
}

void sac_inflow_take(sac_inflow *f, const sac_fragment *x, int64_t now_ns)
{
    if (x->number < f->next) {
        f->n_late++;
        return;
    }
    const bool is_again = x->flags & SAC_LINK_IS_RESENT;
    extend(f, x->number + 1, now_ns);
    sac_gathering *g = at(f, x->number);
    const uint32_t index = x->offset / x->part;
    if (!g->packet && !begin(f, g, x))
        return;
    if (g->packet->size != x->size || g->part != x->part ||
        g->packet->captured_ns != x->captured_ns ||
        g->packet->flags != (x->flags & ~SAC_LINK_IS_RESENT)) {
        f->n_malformed++;
        return;
    }
    if (is_seen(g, index)) {
        f->n_duplicates++;
        return;
    }
    learn(f, g, x, index, now_ns);
    memcpy(g->packet->bytes + x->offset, x->bytes, x->n);
    g->seen[index / 64] |= UINT64_C(1) << index % 64;
    if (x->flags & SAC_LINK_IS_KEY && x->number >= f->key_after)
        f->wants_key = false;
    if (!is_again && index > g->evident)
        note(f, g, now_ns);
    if (!is_again && index >= g->evident)
        g->evident = index + 1;
    g->tail_ns = g->is_passed || f->is_ordered ? 0 : now_ns + TAIL_NS + f->reorder_ns;
    if (g->due_ns && !is_again) /* it is still being sent */
        g->due_ns = now_ns + f->latency_ns;
    if (--g->n_missing == 0)
        complete(f, g, now_ns);
}

void sac_inflow_heard(sac_inflow *f, uint64_t next, int64_t now_ns)
{
    if (f->is_ordered || next >= UINT64_C(1) << 62 || next <= f->next)
        return;
    extend(f, next, now_ns);
    pass(f, at(f, next - 1), now_ns);
}

void sac_inflow_gone(sac_inflow *f, uint64_t first)
{
    if (first > f->end)
        first = f->end;
    while (f->next < first) {
        give_up(f);
        deliver_ready(f);
    }
}

uint64_t sac_repairs_quantile(const uint64_t repairs[SAC_REPAIR_MS + 1], double share)
{
    uint64_t all = 0, sum = 0;
    for (int i = 0; i <= SAC_REPAIR_MS; i++)
        all += repairs[i];
    for (uint64_t i = 0; i <= SAC_REPAIR_MS; i++) {
        sum += repairs[i];
        if (all > 0 && (double)sum >= share * (double)all)
            return i + 1;
    }
    return 0;
}

/* Adds what is missing of a packet, from fragment `from` on. */
static void ask(sac_gathering *g, uint64_t number, uint32_t from, sac_range *ranges, uint32_t *n)
{
    if (!g->packet) {
        ranges[(*n)++] = (sac_range){number, 0, UINT32_MAX};
        return;
    }
    for (uint32_t i = from; i < g->evident && *n < SAC_NACK_MOST; i++) {
        if (is_seen(g, i))
            continue;
        sac_range *last = *n ? &ranges[*n - 1] : NULL;
        if (last && last->number == number && last->first + last->n == i)
            last->n++;
        else
            ranges[(*n)++] = (sac_range){number, i, 1};
    }
}

static void run_one(sac_inflow *f, uint64_t number, sac_range *ranges, uint32_t *n, int64_t now_ns,
                    int64_t patience_ns)
{
    sac_gathering *g = at(f, number);
    if (g->tail_ns && now_ns >= g->tail_ns)
        pass(f, g, now_ns);
    const bool is_again = g->again_ns && now_ns >= g->again_ns;
    if (*n == SAC_NACK_MOST || (!is_again && !(g->fresh_ns && now_ns >= g->fresh_ns)))
        return;
    const uint32_t before = *n;
    ask(g, number, is_again ? 0 : g->asked, ranges, n);
    for (uint32_t i = before; i < *n && !is_again; i++)
        f->n_parts_asked += ranges[i].n == UINT32_MAX ? 1 : ranges[i].n;
    g->was_asked |= *n > before;
    g->fresh_ns = 0;
    if (is_again || !g->again_ns) /* what is fresh is asked for again with what is not */
        g->again_ns = g->n_missing || !g->packet ? now_ns + patience_ns : 0;
    g->asked = g->evident;
}

/* Instead of a keyframe only another one would do, which takes longer than what is missing of this
 * one, unless the sender has gone on. */
static bool is_too_late(const sac_inflow *f, const sac_gathering *g, int64_t now_ns)
{
    const bool is_key = g->packet && g->packet->flags & SAC_LINK_IS_KEY;
    return g->due_ns && now_ns >= g->due_ns + (is_key ? KEY_WAITS * f->latency_ns : 0);
}

static int64_t sooner(int64_t a, int64_t b)
{
    return b != 0 && b < a ? b : a;
}

int64_t sac_inflow_run(sac_inflow *f, sac_range ranges[SAC_NACK_MOST], uint32_t *n_ranges,
                       int64_t now_ns, int64_t patience_ns)
{
    int64_t until = INT64_MAX;
    *n_ranges = 0;
    if (now_ns - f->eased_ns > 100 * SAC_MS) { /* networks get better, too */
        f->reorder_ns -= f->reorder_ns / 64;
        f->eased_ns = now_ns;
    }
    while (f->next < f->end && is_too_late(f, at(f, f->next), now_ns)) {
        give_up(f);
        deliver_ready(f);
    }
    for (uint64_t k = f->next; k < f->end; k++) {
        const sac_gathering *g = at(f, k);
        if (g->is_whole)
            continue;
        run_one(f, k, ranges, n_ranges, now_ns, patience_ns);
        until = sooner(until, g->tail_ns);
        until = sooner(until, g->fresh_ns);
        until = sooner(until, g->again_ns);
        if (k == f->next) /* of a keyframe for a while in vain: the next nack is sooner */
            until = sooner(until, g->due_ns > now_ns ? g->due_ns : 0);
    }
    return until;
}
