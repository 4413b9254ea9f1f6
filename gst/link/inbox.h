/*
 * Packets that came and that the application has not taken.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_LINK_INBOX_H
#define SAC_LINK_INBOX_H

#include "packet.h"

enum { SAC_INBOX_PACKETS = 1024 };

typedef struct sac_inbox {
    sac_link_packet *packets[SAC_INBOX_PACKETS];
    uint32_t first, n;
    int64_t bytes, most_bytes;
    bool waits_key;
    uint64_t n_dropped;
} sac_inbox;

/* Takes a packet with its reference. Where there is no room all are dropped, and those that follow
 * until a keyframe. False: dropped, a keyframe is wanted. */
bool sac_inbox_put(sac_inbox *inbox, sac_link_packet *packet);
sac_link_packet *sac_inbox_take(sac_inbox *inbox); /* NULL: it is empty */
void sac_inbox_clear(sac_inbox *inbox);

#endif
