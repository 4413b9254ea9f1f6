/*
 * A link: a hub and a carrier, with a thread that moves them and a queue for the application.
 *
 * One lock guards all of it. The thread holds it but where it waits, finds names, or tells the
 * application of events. A packet leaves in the thread of whoever sends it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "link.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/system.h"
#include "inbox.h"
#include "net.h"

#define RETRY_NS (100 * SAC_MS)    /* until the next try to connect; twice as long each time, */
#define RETRY_MOST (2000 * SAC_MS) /* up to this */

struct sac_link {
    sac_hub hub;
    sac_net net;
    void (*event)(void *ctx, const sac_link_event *event);
    void *ctx;
    bool reconnect;
    pthread_mutex_t lock;
    pthread_cond_t moved; /* a packet came, a state changed */
    pthread_t thread;
    bool has_thread, has_locks, stops, is_woken;
    bool is_failing;          /* it will, once the application was told */
    bool is_ended, is_failed; /* nothing more will come */
    int64_t waits_until;      /* of the thread */
    int64_t retry_ns, retry_wait_ns;
    bool was_told;  /* that it tries to connect */
    bool is_trying; /* to connect */
    sac_inbox inbox;
};

void sac_link_desc_init(sac_link_desc *desc)
{
    *desc = (sac_link_desc){
        .reconnect = true,
        .mtu = 1200,
        .latency_ms = 200,
        .timeout_ms = 2000,
        .max_clients = 8,
        .queue_bytes = INT64_C(32) << 20,
        .max_rate = 500,
    };
}

static sac_status check(const sac_link_desc *d, sac_error *err)
{
    const struct {
        const char *name;
        long long value, least, most;
    } all[] = {
        {"mtu", d->mtu, 576, 4096},
        {"latency", d->latency_ms, 0, 60000},
        {"timeout", d->timeout_ms, 100, 600000},
        {"max-clients", d->max_clients, 1, SAC_HUB_SESSIONS},
        {"queue-bytes", d->queue_bytes, 1, INT64_C(1) << 40},
        {"max-rate", d->max_rate, 0, 1000000},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].value < all[i].least || all[i].value > all[i].most)
            return sac_fail(err, SAC_E_INVALID, "%s: expected %lld to %lld, got %lld", all[i].name,
                            all[i].least, all[i].most, all[i].value);
    return SAC_OK;
}

static void deliver(void *ctx, sac_link_packet *packet)
{
    sac_link *link = ctx;
    if (!sac_inbox_put(&link->inbox, packet))
        sac_hub_ask_key(&link->hub);
    pthread_cond_broadcast(&link->moved);
}

static void fail(sac_link *link, const char *why)
{
    if (link->is_failing || link->is_ended)
        return;
    link->is_failing = true;
    sac_hub_event(&link->hub, SAC_LINK_FAILED, why);
}

static void react(sac_link *link, const sac_link_event *event)
{
    if (event->type == SAC_LINK_CONNECTED) {
        link->retry_wait_ns = 0;
        link->was_told = link->is_trying = false;
    }
    if (event->type == SAC_LINK_FAILED)
        link->is_failing = link->is_failed = true;
    if (event->type == SAC_LINK_ENDED && !link->reconnect && !link->hub.desc.is_sender)
        link->is_ended = true;
    if (event->type == SAC_LINK_LOST && !link->reconnect &&
        (!link->hub.desc.is_sender || !link->net.uri.is_waiter))
        fail(link, "the connection was lost");
    pthread_cond_broadcast(&link->moved);
}

/* Tells the application, without the lock. Whether there was anything to tell. */
static bool tell(sac_link *link)
{
    sac_link_event event;
    bool any = false;
    while (sac_hub_next_event(&link->hub, &event)) {
        any = true;
        pthread_mutex_unlock(&link->lock);
        if (link->event)
            link->event(link->ctx, &event);
        pthread_mutex_lock(&link->lock);
        react(link, &event); /* after it: who fails has said why */
    }
    return any;
}

static void try_failed(sac_link *link, int64_t now_ns)
{
    char text[SAC_LINK_TEXT];
    link->is_trying = false;
    link->retry_wait_ns = link->retry_wait_ns ? 2 * link->retry_wait_ns : RETRY_NS;
    if (link->retry_wait_ns > RETRY_MOST)
        link->retry_wait_ns = RETRY_MOST;
    link->retry_ns = now_ns + link->retry_wait_ns;
    if (!link->reconnect) {
        snprintf(text, sizeof text, "%s:%s: %s", link->net.uri.host, link->net.uri.port,
                 link->net.why);
        fail(link, text);
    }
}

/* Begins to connect, if that is due. Returns when it is. */
static int64_t connect_again(sac_link *link, int64_t now_ns)
{
    char text[300];
    const char *why = NULL;
    if (link->net.uri.is_waiter || link->hub.path || link->hub.n_sessions > 0)
        return INT64_MAX;
    if (link->is_trying)
        try_failed(link, now_ns);
    if (link->is_failing || link->is_ended)
        return INT64_MAX;
    if (now_ns < link->retry_ns)
        return link->retry_ns;
    if (!link->was_told) {
        snprintf(text, sizeof text, "%s:%s", link->net.uri.host, link->net.uri.port);
        sac_hub_event(&link->hub, SAC_LINK_CONNECTING, text);
    }
    link->was_told = link->is_trying = true;
    pthread_mutex_unlock(&link->lock);
    const bool is_found = sac_net_resolve(&link->net, &why);
    pthread_mutex_lock(&link->lock);
    sac_net_note(&link->net, is_found ? NULL : why);
    if (is_found && !link->net.fns->connect(&link->net, now_ns))
        snprintf(link->net.why, sizeof link->net.why, "%s", strerror(errno));
    return now_ns;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t step(sac_link *link, int64_t now_ns)
{
    int64_t until = sac_hub_run(&link->hub, now_ns);
    until = least(until, sac_net_sweep(&link->net, now_ns));
    if (link->hub.is_draining)
        pthread_cond_broadcast(&link->moved);
    return tell(link) ? now_ns : least(until, connect_again(link, now_ns));
}

static void *run(void *arg)
{
    sac_link *link = arg;
    pthread_mutex_lock(&link->lock);
    while (!link->stops) {
        const int64_t now_ns = sac_clock_ns(), until = step(link, now_ns);
        if (until <= now_ns)
            continue;
        link->net.fns->prepare(&link->net);
        link->waits_until = until;
        pthread_mutex_unlock(&link->lock);
        link->net.fns->wait(&link->net, until == INT64_MAX ? INT64_MAX : until - now_ns);
        pthread_mutex_lock(&link->lock);
        link->waits_until = 0;
        if (!link->stops)
            link->net.fns->read(&link->net, sac_clock_ns());
    }
    pthread_mutex_unlock(&link->lock);
    return NULL;
}

/* After something was given to the hub: lets go what may, and wakes the thread for the rest. */
static void move(sac_link *link)
{
    const int64_t now_ns = sac_clock_ns(), until = sac_hub_run(&link->hub, now_ns);
    bool is_full = false;
    for (uint32_t i = 0; i < link->hub.n_sessions; i++)
        is_full |= link->hub.sessions[i]->is_full;
    if (until < link->waits_until || link->hub.n_events > 0 || is_full)
        sac_net_wake(&link->net);
}

static sac_status open_locks(sac_link *link, sac_error *err)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    const bool is_good = pthread_mutex_init(&link->lock, NULL) == 0 &&
                         pthread_cond_init(&link->moved, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    link->has_locks = is_good;
    return is_good ? SAC_OK : sac_fail(err, SAC_E_NOMEM, "link: no memory");
}

sac_status sac_link_open(sac_link **out, const sac_link_desc *desc, sac_error *err)
{
    sac_uri uri;
    sac_link_key key = {0};
    *out = NULL;
    sac_status st = check(desc, err);
    st = st ? st : sac_uri_read(&uri, desc->uri, err);
    st = st ? st : sac_link_key_read(&key, desc->passphrase_file, err);
    if (st != SAC_OK)
        return st;
    sac_link *link = calloc(1, sizeof *link);
    if (!link)
        return sac_fail(err, SAC_E_NOMEM, "link: no memory");
    link->event = desc->event;
    link->ctx = desc->ctx;
    link->reconnect = desc->reconnect;
    st = sac_net_open(&link->net, &uri, &link->hub, desc->mtu, err);
    st = st ? st : open_locks(link, err);
    if (st == SAC_OK) {
        sac_carrier_fns carrier = link->net.fns->carrier;
        const int most = desc->mtu - (carrier.around > 28 ? carrier.around - 28 : 0);
        carrier.ctx = &link->net;
        if (carrier.most == 0 || (carrier.around && carrier.most > most))
            carrier.most = (uint16_t)most;
        sac_hub_open(&link->hub, desc, &key, &carrier, uri.is_waiter);
        link->inbox.most_bytes = desc->queue_bytes;
        link->hub.deliver = deliver;
        link->hub.deliver_ctx = link;
        link->has_thread = pthread_create(&link->thread, NULL, run, link) == 0;
        if (!link->has_thread)
            st = sac_fail(err, SAC_E_NOMEM, "link: no thread");
    }
    sac_system_wipe(&key, sizeof key);
    if (st == SAC_OK)
        *out = link;
    else
        sac_link_close(&link);
    return st;
}

void sac_link_close(sac_link **out)
{
    sac_link *link = out ? *out : NULL;
    if (!link)
        return;
    *out = NULL;
    if (link->has_thread) {
        pthread_mutex_lock(&link->lock);
        link->stops = true;
        sac_net_wake(&link->net);
        pthread_mutex_unlock(&link->lock);
        pthread_join(link->thread, NULL);
        sac_hub_close(&link->hub);
    }
    sac_inbox_clear(&link->inbox);
    sac_net_close(&link->net);
    if (link->has_locks) {
        pthread_cond_destroy(&link->moved);
        pthread_mutex_destroy(&link->lock);
    }
    sac_system_wipe(&link->hub.key, sizeof link->hub.key);
    free(link);
}

sac_status sac_link_send(sac_link *link, const void *bytes, size_t size, bool is_key,
                         int64_t captured_ns)
{
    sac_link_packet *packet = size > 0 ? sac_link_packet_new(size) : NULL;
    if (!packet)
        return SAC_E_NOMEM;
    memcpy(packet->bytes, bytes, size);
    packet->flags = is_key ? SAC_LINK_IS_KEY : 0;
    packet->captured_ns = captured_ns;
    pthread_mutex_lock(&link->lock);
    sac_hub_send(&link->hub, packet, sac_clock_ns());
    move(link);
    pthread_mutex_unlock(&link->lock);
    sac_link_packet_unref(packet);
    return SAC_OK;
}

sac_status sac_link_set_form(sac_link *link, const sac_link_form *form)
{
    sac_link_packet *packet = sac_link_packet_new(SAC_LINK_FORM_BYTES);
    if (!packet)
        return SAC_E_NOMEM;
    packet->flags = SAC_LINK_IS_FORM;
    packet->form = *form;
    sac_form_write(packet->bytes, form);
    pthread_mutex_lock(&link->lock);
    sac_link_packet_unref(link->hub.form);
    link->hub.form = packet;
    pthread_mutex_unlock(&link->lock);
    return SAC_OK;
}

/* Waits until something moves, or until then. False: the time is up. */
static bool wait_for(sac_link *link, int64_t until_ns)
{
    const struct timespec time = {.tv_sec = until_ns / 1000000000,
                                  .tv_nsec = until_ns % 1000000000};
    return pthread_cond_timedwait(&link->moved, &link->lock, &time) != ETIMEDOUT;
}

void sac_link_drain(sac_link *link, int64_t timeout_ns)
{
    const int64_t until_ns = sac_clock_ns() + timeout_ns;
    pthread_mutex_lock(&link->lock);
    sac_hub_drain(&link->hub, true, sac_clock_ns());
    sac_net_wake(&link->net);
    while (!link->is_woken && !sac_hub_is_drained(&link->hub))
        if (!wait_for(link, until_ns))
            break;
    sac_hub_drain(&link->hub, false, 0);
    pthread_mutex_unlock(&link->lock);
}

sac_status sac_link_take(sac_link *link, sac_link_packet **packet, int64_t timeout_ns)
{
    const int64_t until_ns = sac_clock_ns() + timeout_ns;
    sac_status st = SAC_OK;
    *packet = NULL;
    pthread_mutex_lock(&link->lock);
    while (st == SAC_OK && !*packet) {
        if (link->is_woken)
            st = SAC_CANCELLED;
        else if ((*packet = sac_inbox_take(&link->inbox)))
            break;
        else if (link->is_ended || link->is_failed)
            st = link->is_ended ? SAC_END : SAC_E_IO;
        else if (!wait_for(link, until_ns))
            st = SAC_AGAIN;
    }
    pthread_mutex_unlock(&link->lock);
    return st;
}

void sac_link_wake(sac_link *link, bool on)
{
    pthread_mutex_lock(&link->lock);
    link->is_woken = on;
    pthread_cond_broadcast(&link->moved);
    pthread_mutex_unlock(&link->lock);
}

void sac_link_ask_key(sac_link *link)
{
    pthread_mutex_lock(&link->lock);
    sac_hub_ask_key(&link->hub);
    move(link);
    pthread_mutex_unlock(&link->lock);
}

sac_status sac_link_control(sac_link *link, const char *text)
{
    if (strlen(text) >= SAC_LINK_TEXT - 64)
        return SAC_E_INVALID;
    pthread_mutex_lock(&link->lock);
    const bool is_sent = sac_hub_control(&link->hub, text);
    move(link);
    pthread_mutex_unlock(&link->lock);
    return is_sent ? SAC_OK : SAC_AGAIN;
}

void sac_link_get_counts(sac_link *link, sac_link_counts *counts)
{
    pthread_mutex_lock(&link->lock);
    sac_hub_get_counts(&link->hub, counts);
    counts->dropped += link->inbox.n_dropped;
    pthread_mutex_unlock(&link->lock);
}

int32_t sac_link_get_port(const sac_link *link)
{
    return link->net.uri.is_waiter ? link->net.port : 0;
}
