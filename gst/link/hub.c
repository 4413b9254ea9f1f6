/*
 * All connections of a link.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hub.h"

#include <stdio.h>
#include <string.h>

#include "base/system.h"

#define KEY_AGAIN_NS                                                                               \
    (250 * SAC_MS) /* the application is asked for a keyframe, where none comes                    \
                    */

void sac_hub_open(sac_hub *hub, const sac_link_desc *desc, const sac_link_key *key,
                  const sac_carrier_fns *carrier, bool is_waiter)
{
    memset(hub, 0, sizeof *hub);
    hub->desc = *desc;
    hub->desc.uri = hub->desc.passphrase_file = NULL;
    hub->key = *key;
    hub->carrier = *carrier;
    hub->is_waiter = is_waiter;
    sac_random_bytes(hub->secret, sizeof hub->secret);
}

static void remove_session(sac_hub *hub, sac_session *s)
{
    uint32_t i = 0;
    while (hub->sessions[i] != s)
        i++;
    hub->sessions[i] = hub->sessions[--hub->n_sessions];
    if (hub->path == s->path)
        hub->path = NULL;
    sac_session_close(s);
}

void sac_hub_end(sac_hub *hub, sac_session *s, sac_link_event_type why)
{
    if (s->is_live)
        sac_hub_event(hub, why, s->path->name);
    remove_session(hub, s);
}

void sac_hub_close(sac_hub *hub)
{
    while (hub->n_sessions > 0) {
        sac_session_bye(hub->sessions[0]);
        remove_session(hub, hub->sessions[0]);
    }
    sac_link_packet_unref(hub->form);
    hub->form = NULL;
    sac_system_wipe(&hub->key, sizeof hub->key);
}

void sac_hub_connect(sac_hub *hub, sac_path *path, int64_t now_ns)
{
    hub->path = path;
    hub->hello = (sac_hello){.is_sender = hub->desc.is_sender, .has_key = hub->key.is_on};
    sac_random_bytes(hub->hello.nonce, sizeof hub->hello.nonce);
    hub->hello_ns = now_ns;
    hub->hello_wait_ns = 0;
    hub->give_up_ns = now_ns + hub->desc.timeout_ms * SAC_MS;
}

sac_session *sac_hub_find(sac_hub *hub, const sac_path *path, uint32_t connection)
{
    for (uint32_t i = 0; i < hub->n_sessions; i++) {
        sac_session *s = hub->sessions[i];
        if (s->connection == connection &&
            memcmp(s->path->address, path->address, sizeof path->address) == 0)
            return s;
    }
    return NULL;
}

bool sac_hub_take(sac_hub *hub, sac_path *path, uint8_t *bytes, size_t n, int64_t now_ns)
{
    sac_message m;
    if (!sac_message_read(&m, bytes, n)) {
        hub->counts.foreign++;
        return false;
    }
    if (m.type < SAC_MESSAGE_DATA)
        return sac_greet_take(hub, path, &m, bytes, now_ns);
    sac_session *s = sac_hub_find(hub, path, m.connection);
    if (!s) {
        hub->counts.foreign++;
        return false;
    }
    return sac_session_take(s, &m, bytes, now_ns);
}

void sac_hub_break(sac_hub *hub, sac_path *path)
{
    path->is_broken = true;
    if (path->session)
        sac_hub_end(hub, path->session, SAC_LINK_LOST);
    if (hub->path == path)
        hub->path = NULL;
}

void sac_hub_has_room(sac_path *path)
{
    if (path->session)
        path->session->run_ns = 0;
}

int64_t sac_hub_run(sac_hub *hub, int64_t now_ns)
{
    int64_t until = sac_greet_run(hub, now_ns);
    const int64_t timeout_ns = hub->desc.timeout_ms * SAC_MS;
    for (uint32_t i = 0; i < hub->n_sessions;) {
        sac_session *s = hub->sessions[i];
        if (now_ns >= s->run_ns)
            sac_session_run(s, now_ns);
        if (s->path->is_broken || now_ns - s->heard_ns >= timeout_ns) {
            sac_hub_end(hub, s, SAC_LINK_LOST);
            continue;
        }
        const int64_t silent_ns = s->heard_ns + timeout_ns;
        until = s->run_ns < until ? s->run_ns : until;
        until = silent_ns < until ? silent_ns : until;
        i++;
    }
    return until;
}

void sac_hub_want_key(sac_hub *hub, int64_t now_ns)
{
    if (hub->key_is_asked && now_ns < hub->key_again_ns)
        return;
    hub->key_is_asked = true;
    hub->key_again_ns = now_ns + KEY_AGAIN_NS;
    hub->counts.key_requests++;
    sac_hub_event(hub, SAC_LINK_KEY, "");
}

void sac_hub_send(sac_hub *hub, sac_link_packet *packet, int64_t now_ns)
{
    if (packet->flags & SAC_LINK_IS_KEY)
        hub->key_is_asked = false;
    for (uint32_t i = 0; i < hub->n_sessions; i++) {
        sac_session *s = hub->sessions[i];
        if (!s->is_live || !s->out)
            continue;
        if (!sac_outflow_push(s->out, packet, hub->form, now_ns))
            sac_hub_want_key(hub, now_ns);
        s->run_ns = now_ns;
    }
}

bool sac_hub_is_drained(const sac_hub *hub)
{
    for (uint32_t i = 0; i < hub->n_sessions; i++) {
        const sac_session *s = hub->sessions[i];
        if (s->is_live && s->out && s->done < s->out->next)
            return false;
    }
    return true;
}

void sac_hub_drain(sac_hub *hub, bool on, int64_t now_ns)
{
    hub->is_draining = on;
    for (uint32_t i = 0; i < hub->n_sessions && on; i++)
        hub->sessions[i]->ping_ns = hub->sessions[i]->run_ns = now_ns;
}

void sac_hub_ask_key(sac_hub *hub)
{
    for (uint32_t i = 0; i < hub->n_sessions; i++)
        if (hub->sessions[i]->in) {
            sac_inflow_want_key(hub->sessions[i]->in);
            hub->sessions[i]->run_ns = 0;
        }
}

bool sac_hub_control(sac_hub *hub, const char *text)
{
    sac_session *s = hub->n_sessions > 0 ? hub->sessions[0] : NULL;
    if (!s || !s->in || !s->is_live || s->n_controls == SAC_HUB_CONTROLS ||
        SAC_MESSAGE_LEAST + 8 + strlen(text) > hub->carrier.most)
        return false;
    sac_control *c = &s->controls[s->n_controls++];
    c->number = ++s->control_out;
    c->again_ns = 0;
    snprintf(c->text, sizeof c->text, "%s", text);
    s->run_ns = 0;
    return true;
}

void sac_hub_event(sac_hub *hub, sac_link_event_type type, const char *text)
{
    if (hub->n_events == SAC_HUB_EVENTS)
        return;
    sac_link_event *e = &hub->events[(hub->event_first + hub->n_events++) % SAC_HUB_EVENTS];
    e->type = type;
    snprintf(e->text, sizeof e->text, "%s", text);
}

bool sac_hub_next_event(sac_hub *hub, sac_link_event *event)
{
    if (hub->n_events == 0)
        return false;
    *event = hub->events[hub->event_first];
    hub->event_first = (hub->event_first + 1) % SAC_HUB_EVENTS;
    hub->n_events--;
    return true;
}

void sac_hub_get_counts(const sac_hub *hub, sac_link_counts *counts)
{
    uint64_t repairs[SAC_REPAIR_MS + 1];
    sac_link_counts c = hub->counts;
    memcpy(repairs, hub->repairs, sizeof repairs);
    c.packets = hub->closed.packets;
    c.bytes = hub->closed.bytes;
    c.resent = hub->closed.resent;
    c.dropped = hub->closed.dropped;
    c.lost = hub->closed.lost;
    c.repaired = hub->closed.repaired;
    c.late = hub->closed.late;
    c.repaired_parts = hub->closed.repaired_parts;
    c.duplicates += hub->closed.duplicates;
    c.damaged += hub->closed.damaged;
    c.clients = 0;
    for (uint32_t i = 0; i < hub->n_sessions; i++) {
        c.clients += hub->sessions[i]->is_live;
        sac_session_add_counts(hub->sessions[i], &c, repairs);
    }
    c.repair_p99_ms = sac_repairs_quantile(repairs, 0.99);
    *counts = c;
}
