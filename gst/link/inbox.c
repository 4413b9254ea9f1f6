/*
 * The application's queue.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "inbox.h"

sac_link_packet *sac_inbox_take(sac_inbox *inbox)
{
    if (inbox->n == 0)
        return NULL;
    sac_link_packet *packet = inbox->packets[inbox->first];
    inbox->first = (inbox->first + 1) % SAC_INBOX_PACKETS;
    inbox->n--;
    inbox->bytes -= packet->size;
    return packet;
}

void sac_inbox_clear(sac_inbox *inbox)
{
    while (inbox->n > 0)
        sac_link_packet_unref(sac_inbox_take(inbox));
}

bool sac_inbox_put(sac_inbox *inbox, sac_link_packet *packet)
{
    const bool is_key = packet->flags & SAC_LINK_IS_KEY, is_form = packet->flags & SAC_LINK_IS_FORM;
    if (inbox->n == SAC_INBOX_PACKETS ||
        (inbox->n > 0 && inbox->bytes + (int64_t)packet->size > inbox->most_bytes)) {
        inbox->n_dropped += inbox->n;
        sac_inbox_clear(inbox);
        inbox->waits_key = true;
    }
    if (inbox->waits_key && !is_key && !is_form) {
        inbox->n_dropped++;
        sac_link_packet_unref(packet);
        return false;
    }
    if (is_key) {
        packet->is_discont |= inbox->waits_key;
        inbox->waits_key = false;
    }
    inbox->packets[(inbox->first + inbox->n++) % SAC_INBOX_PACKETS] = packet;
    inbox->bytes += packet->size;
    return true;
}
