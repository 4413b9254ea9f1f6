/*
 * Packets with a count of references.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "packet.h"

#include <stdlib.h>
#include <string.h>

sac_link_packet *sac_link_packet_new(size_t size)
{
    sac_link_packet *p =
        size <= SAC_LINK_MOST_PACKET ? malloc(sizeof *p + (size ? size : 1)) : NULL;
    if (!p)
        return NULL;
    memset(p, 0, sizeof *p);
    atomic_init(&p->refs, 1);
    p->size = (uint32_t)size;
    return p;
}

sac_link_packet *sac_link_packet_ref(sac_link_packet *packet)
{
    atomic_fetch_add_explicit(&packet->refs, 1, memory_order_relaxed);
    return packet;
}

void sac_link_packet_unref(sac_link_packet *packet)
{
    /* acq_rel: whoever frees it has seen what all others did with it. */
    if (packet && atomic_fetch_sub_explicit(&packet->refs, 1, memory_order_acq_rel) == 1)
        free(packet);
}
