/*
 * How a connection begins. The waiting side keeps nothing of anybody who has not proved that
 * answers reach him and, with a passphrase, that he knows it; and it never answers with more bytes
 * than it got.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include <sys/random.h>

#include "hub.h"

#define HELLO_NS (50 * SAC_MS)       /* said again after this, then twice as long, and so on, */
#define HELLO_MOST_NS (400 * SAC_MS) /* up to this */
#define COOKIE_NS (10000 * SAC_MS)   /* a cookie is taken for so long, and up to twice */
#define REFUSED_NS (1000 * SAC_MS)   /* events of refusals are not closer */

static const char *const reasons[] = {
    [SAC_REFUSED_PASSPHRASE] = "the passphrase does not match",
    [SAC_REFUSED_NEEDS_PASSPHRASE] = "a passphrase is needed",
    [SAC_REFUSED_HAS_NO_PASSPHRASE] = "the side that waits has no passphrase",
    [SAC_REFUSED_ROLE] = "both sides send, or both receive",
    [SAC_REFUSED_FULL] = "the side that waits serves as many as it may",
};

void sac_random_bytes(void *bytes, size_t n)
{
    uint8_t *at = bytes;
    while (n > 0) {
        const ssize_t got = getrandom(at, n, 0);
        at += got > 0 ? got : 0;
        n -= got > 0 ? (size_t)got : 0;
    }
}

/* Sends a message that no connection seals. */
static void send_plain(sac_hub *hub, sac_path *path, uint8_t *bytes, size_t n)
{
    sac_seal_close(NULL, bytes, n, 0);
    if (!path->is_broken && hub->carrier.send(hub->carrier.ctx, path, bytes, n) < 0)
        path->is_broken = true;
}

static void refuse(sac_hub *hub, sac_path *path, const sac_hello *h, sac_refusal why,
                   int64_t now_ns)
{
    uint8_t bytes[SAC_REFUSE_BYTES];
    char text[SAC_PATH_NAME + 64] = "";
    sac_refuse_write(bytes, h->nonce, why);
    send_plain(hub, path, bytes, sizeof bytes);
    hub->counts.refused++;
    if (now_ns < hub->refused_ns)
        return;
    hub->refused_ns = now_ns + REFUSED_NS;
    strcat(strcat(strcat(text, path->name), ": "), reasons[why]);
    sac_hub_event(hub, SAC_LINK_REFUSED, text);
}

static void make_cookie(const sac_hub *hub, const sac_path *path, const sac_hello *h, uint64_t slot,
                        uint8_t cookie[SAC_MESSAGE_NONCE])
{
    uint8_t text[sizeof path->address + sizeof h->nonce + sizeof slot];
    memcpy(text, path->address, sizeof path->address);
    memcpy(text + sizeof path->address, h->nonce, sizeof h->nonce);
    memcpy(text + sizeof path->address + sizeof h->nonce, &slot, sizeof slot);
    sac_seal_cookie(cookie, hub->secret, text, sizeof text);
}

/* Whether answers to this address reach whoever says hello. If not, he is told how to prove it. */
static bool is_reachable(sac_hub *hub, sac_path *path, const sac_hello *h, int64_t now_ns)
{
    uint8_t bytes[SAC_CHALLENGE_BYTES], cookie[SAC_MESSAGE_NONCE];
    const uint64_t slot = (uint64_t)(now_ns / COOKIE_NS);
    for (uint64_t i = 0; i < 2; i++) {
        make_cookie(hub, path, h, slot - i, cookie);
        if (sac_seal_is_equal(cookie, h->cookie, sizeof cookie))
            return true;
    }
    make_cookie(hub, path, h, slot, cookie);
    sac_challenge_write(bytes, h->nonce, cookie);
    send_plain(hub, path, bytes, sizeof bytes);
    return false;
}

static void send_accept(sac_hub *hub, const sac_session *s)
{
    uint8_t bytes[SAC_ACCEPT_BYTES];
    sac_accept a = {.connection = s->connection};
    memcpy(a.nonce, s->caller, sizeof a.nonce);
    memcpy(a.waiter, s->waiter, sizeof a.waiter);
    sac_accept_write(bytes, &a);
    sac_seal_prove(a.proof, &hub->key, bytes, SAC_ACCEPT_PROVED);
    sac_accept_write(bytes, &a);
    send_plain(hub, s->path, bytes, sizeof bytes);
}

/* Room for one more; those that never went on after the greeting make way. */
static bool make_room(sac_hub *hub)
{
    const uint32_t most = hub->desc.is_sender ? (uint32_t)hub->desc.max_clients : 1;
    sac_session *oldest = NULL;
    for (uint32_t i = 0; i < hub->n_sessions; i++)
        if (!hub->sessions[i]->is_live &&
            (!oldest || hub->sessions[i]->begun_ns < oldest->begun_ns))
            oldest = hub->sessions[i];
    if (hub->n_sessions >= most && oldest)
        sac_hub_end(hub, oldest, SAC_LINK_LOST);
    return hub->n_sessions < most;
}

static void accept_hello(sac_hub *hub, sac_path *path, const sac_hello *h, int64_t now_ns)
{
    uint8_t waiter[SAC_MESSAGE_NONCE];
    uint32_t connection;
    for (uint32_t i = 0; i < hub->n_sessions; i++)
        if (memcmp(hub->sessions[i]->caller, h->nonce, sizeof h->nonce) == 0) {
            send_accept(hub, hub->sessions[i]); /* the first one was lost */
            return;
        }
    if (path->session) /* one connection to a path */
        return;
    if (!make_room(hub)) {
        refuse(hub, path, h, SAC_REFUSED_FULL, now_ns);
        return;
    }
    sac_random_bytes(waiter, sizeof waiter);
    sac_random_bytes(&connection, sizeof connection);
    sac_session *s = sac_session_open(hub, path, connection, h->nonce, waiter, now_ns);
    if (!s)
        return;
    hub->sessions[hub->n_sessions++] = s;
    send_accept(hub, s);
}

static bool take_hello(sac_hub *hub, sac_path *path, const uint8_t *bytes, size_t n, int64_t now_ns)
{
    sac_hello h;
    uint8_t proof[SAC_MESSAGE_PROOF];
    if (!hub->is_waiter || !sac_hello_read(&h, bytes, n))
        return false;
    if (!is_reachable(hub, path, &h, now_ns))
        return true;
    sac_seal_prove(proof, &hub->key, bytes, SAC_HELLO_PROVED);
    if (h.has_key != hub->key.is_on)
        refuse(hub, path, &h,
               hub->key.is_on ? SAC_REFUSED_NEEDS_PASSPHRASE : SAC_REFUSED_HAS_NO_PASSPHRASE,
               now_ns);
    else if (!sac_seal_is_equal(proof, h.proof, sizeof proof))
        refuse(hub, path, &h, SAC_REFUSED_PASSPHRASE, now_ns);
    else if (h.is_sender == hub->desc.is_sender)
        refuse(hub, path, &h, SAC_REFUSED_ROLE, now_ns);
    else
        accept_hello(hub, path, &h, now_ns);
    return true;
}

static bool take_challenge(sac_hub *hub, const uint8_t *bytes, size_t n, int64_t now_ns)
{
    uint8_t nonce[SAC_MESSAGE_NONCE], cookie[SAC_MESSAGE_NONCE];
    if (!sac_challenge_read(nonce, cookie, bytes, n) ||
        memcmp(nonce, hub->hello.nonce, sizeof nonce) != 0)
        return false;
    memcpy(hub->hello.cookie, cookie, sizeof cookie);
    hub->hello_ns = now_ns;
    return true;
}

static bool take_accept(sac_hub *hub, const uint8_t *bytes, size_t n, int64_t now_ns)
{
    sac_accept a;
    uint8_t proof[SAC_MESSAGE_PROOF];
    if (!sac_accept_read(&a, bytes, n) || memcmp(a.nonce, hub->hello.nonce, sizeof a.nonce) != 0)
        return false;
    sac_seal_prove(proof, &hub->key, bytes, SAC_ACCEPT_PROVED);
    if (!sac_seal_is_equal(proof, a.proof, sizeof proof))
        return false;
    sac_session *s = sac_session_open(hub, hub->path, a.connection, a.nonce, a.waiter, now_ns);
    if (!s)
        return true;
    hub->sessions[hub->n_sessions++] = s;
    sac_session_ping(s, now_ns); /* which tells the other side that this one is there */
    sac_session_live(s, now_ns);
    s->run_ns = now_ns;
    return true;
}

static bool take_refusal(sac_hub *hub, const uint8_t *bytes, size_t n)
{
    uint8_t nonce[SAC_MESSAGE_NONCE];
    sac_refusal why;
    if (!sac_refuse_read(nonce, &why, bytes, n) ||
        memcmp(nonce, hub->hello.nonce, sizeof nonce) != 0)
        return false;
    hub->counts.refused++;
    hub->path->is_broken = true;
    sac_hub_event(hub, SAC_LINK_REFUSED, reasons[why]);
    if (why != SAC_REFUSED_FULL)
        sac_hub_event(hub, SAC_LINK_FAILED, reasons[why]);
    return true;
}

bool sac_greet_take(sac_hub *hub, sac_path *path, const sac_message *m, uint8_t *bytes,
                    int64_t now_ns)
{
    bool is_good = sac_seal_break(NULL, bytes, m->size, 0);
    const bool is_asked = !hub->is_waiter && path == hub->path && hub->n_sessions == 0;
    if (is_good && m->type == SAC_MESSAGE_HELLO)
        is_good = take_hello(hub, path, bytes, m->size, now_ns);
    else if (is_good && is_asked && m->type == SAC_MESSAGE_CHALLENGE)
        is_good = take_challenge(hub, bytes, m->size, now_ns);
    else if (is_good && is_asked && m->type == SAC_MESSAGE_ACCEPT)
        is_good = take_accept(hub, bytes, m->size, now_ns);
    else if (is_good && is_asked && m->type == SAC_MESSAGE_REFUSE)
        is_good = take_refusal(hub, bytes, m->size);
    else
        is_good = false;
    hub->counts.foreign += !is_good;
    return is_good;
}

int64_t sac_greet_run(sac_hub *hub, int64_t now_ns)
{
    uint8_t bytes[SAC_HELLO_BYTES];
    if (hub->is_waiter || !hub->path || hub->n_sessions > 0)
        return INT64_MAX;
    if (now_ns >= hub->give_up_ns) {
        hub->path->is_broken = true;
        return now_ns;
    }
    if (now_ns >= hub->hello_ns) {
        sac_hello_write(bytes, &hub->hello);
        sac_seal_prove(hub->hello.proof, &hub->key, bytes, SAC_HELLO_PROVED);
        sac_hello_write(bytes, &hub->hello);
        send_plain(hub, hub->path, bytes, sizeof bytes);
        hub->hello_wait_ns = hub->hello_wait_ns ? 2 * hub->hello_wait_ns : HELLO_NS;
        if (hub->hello_wait_ns > HELLO_MOST_NS)
            hub->hello_wait_ns = HELLO_MOST_NS;
        hub->hello_ns = now_ns + hub->hello_wait_ns;
    }
    return hub->hello_ns < hub->give_up_ns ? hub->hello_ns : hub->give_up_ns;
}
