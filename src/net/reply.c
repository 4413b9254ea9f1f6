/*
 * Results on their way back.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/system.h"
#include "net/address.h"
#include "net/wire.h"

#define BATCH 32

struct sac_result_sender {
    int fd;
    sac_packet_key key;
    const sac_packet_key *key_or_null;
    uint8_t bytes[BATCH][SAC_PACKET_RESULT];
    sac_system_datagram messages[BATCH];
    struct iovec parts[BATCH];
};

void sac_result_sender_close(sac_result_sender **sender)
{
    if (!sender || !*sender)
        return;
    if ((*sender)->fd >= 0)
        close((*sender)->fd);
    sac_packet_key_wipe(&(*sender)->key);
    sac_free(*sender);
    *sender = NULL;
}

sac_status sac_result_sender_open(sac_result_sender **out, const char *to,
                                  const sac_packet_key *key, sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    sac_result_sender *s = *out = sac_alloc(1, sizeof *s);
    if (!s)
        return sac_fail(err, SAC_E_NOMEM, "results: no memory");
    s->fd = -1;
    s->key_or_null = sac_packet_key_copy(&s->key, key);
    for (int i = 0; i < BATCH; i++) {
        s->parts[i] = (struct iovec){s->bytes[i], SAC_PACKET_RESULT};
        s->messages[i].msg_hdr = (struct msghdr){.msg_iov = &s->parts[i], .msg_iovlen = 1};
    }
    sac_status st = sac_packet_key_check(key, err);
    st = st ? st : sac_address_connect(&s->fd, "reply", to, 0, err);
    if (st != SAC_OK)
        sac_result_sender_close(out);
    return st;
}

/* Those that are written leave, or are dropped where there is no room; nobody listening is told of
 * once, and the next try is a new one. */
static int32_t leave(sac_result_sender *s, unsigned n)
{
    unsigned done = 0;
    for (int tries = 0; done < n && tries < 3; tries++) {
        int sent = sac_system_send(s->fd, s->messages + done, n - done, false);
        if (sent > 0)
            done += (unsigned)sent;
        else if (errno != ECONNREFUSED && errno != EINTR)
            break;
    }
    return (int32_t)done;
}

int32_t sac_result_sender_send(sac_result_sender *s, const sac_result_packet *results, int32_t n)
{
    int32_t sent = 0;
    unsigned queued = 0;
    if (!s || !results)
        return 0;
    for (int32_t i = 0; i < n; i++) {
        if (sac_result_packet_write(s->bytes[queued], &results[i], s->key_or_null))
            queued++;
        if (queued == BATCH || i == n - 1) {
            sent += leave(s, queued);
            queued = 0;
        }
    }
    return sent;
}
