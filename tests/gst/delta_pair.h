/*
 * An encoder and a decoder, packets between them in the test's hands.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_GST_DELTA_PAIR_H
#define SAC_TESTS_GST_DELTA_PAIR_H

#include "harness.h"

enum { FRAME_NS = 40000000 }; /* 25 frames a second */

typedef struct Pair {
    GstHarness *enc, *dec;
    const Layout *layout;
    Size size;
    int gap; /* behind the rows of frames */
} Pair;

void pair_open(Pair *pair, const Layout *layout, Size size, const char *options);
void pair_close(Pair *pair);

/* New caps for what comes next. */
void pair_caps(Pair *pair, const Layout *layout, Size size);

/* Frame `number` of the scene, at number * FRAME_NS, as a packet. */
GstBuffer *pair_encode(Pair *pair, int number);

/* Gives the packet to the decoder: its picture, or NULL. */
GstBuffer *pair_decode(Pair *pair, GstBuffer *packet);

/* The largest difference of a picture from frame `number`; 256: it has another size. */
int pair_error(const Pair *pair, GstBuffer *picture, int number);

/* How often the decoder asked for a keyframe since the last call; `pass_on`: the encoder hears of
 * it. */
int pair_requests(Pair *pair, gboolean pass_on);

/* Whether this build can encode at all. */
gboolean has_delta(void);

gboolean is_key(GstBuffer *packet);

/* The same packet with a bit flipped. */
GstBuffer *damaged(GstBuffer *packet, gsize bit);

#endif
