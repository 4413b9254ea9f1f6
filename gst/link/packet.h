/*
 * Packets as a link keeps them: shared by several receivers' queues, freed with the last.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_LINK_PACKET_H
#define SAC_LINK_PACKET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAC_LINK_MOST_PACKET (UINT32_C(1) << 28) /* bytes */

/* What a packet is; these are its flags on the wire, too. */
enum { SAC_LINK_IS_KEY = 1, SAC_LINK_IS_RESENT = 2, SAC_LINK_IS_FORM = 4 };

/* What a decoder's surroundings want to know before the first picture. */
typedef struct sac_link_form {
    uint16_t w, h;
    uint32_t rate_n, rate_d;   /* frames a second; 0/1: not known */
    uint32_t pixel_n, pixel_d; /* width to height of a pixel */
    char format[16];           /* "RGBx": of GStreamer's names; zeros behind it */
} sac_link_form;

enum { SAC_LINK_FORM_BYTES = 36 };

typedef struct sac_link_packet {
    atomic_int refs;
    uint8_t flags;
    bool is_discont;     /* delivered: the one before it is missing */
    uint32_t size;       /* of bytes */
    int64_t captured_ns; /* by the sender's clock; delivered: by the receiver's */
    int64_t arrived_ns;
    sac_link_form form; /* if flags has IS_FORM */
    uint8_t bytes[];
} sac_link_packet;

/* One reference; its bytes are not set. NULL: no memory. */
sac_link_packet *sac_link_packet_new(size_t size);
sac_link_packet *sac_link_packet_ref(sac_link_packet *packet);
void sac_link_packet_unref(sac_link_packet *packet); /* takes NULL */

#endif
