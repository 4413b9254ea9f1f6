/*
 * sacdeltaenc and sacdeltasink, and as many sacdeltasrc as a test wants, over the loopback.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_GST_LIVE_PAIR_H
#define SAC_TESTS_GST_LIVE_PAIR_H

#include "delta_pair.h"

typedef struct Live {
    Pair pair;
    GstHarness *sink;
    int n; /* frames sent */
} Live;

/* A file with this text, of this program; freed by g_free. */
char *write_passphrase(const char *text);

/* An element that is playing, by the clock of the system. */
GstHarness *start_with(const char *factory, const char *uri, const char *file, gboolean reconnect);
GstHarness *start(const char *factory, const char *uri, const char *file);

guint64 stat_of(GstHarness *h, const char *name);
char *uri_to(const char *scheme, GstHarness *waiter);

void sender_open(Live *live, const char *uri, const char *file);
void sender_close(Live *live);
void send_frame(Live *live);

/* Waits until a receiver is there: its coming asks for a keyframe. */
void await_request(Live *live);

/* The next packet; its picture must be the frame that it is of. Returns that frame's number. */
int receive(Live *live, GstHarness *src, GstHarness *dec);
GstHarness *decoder(void);

/* Sends and receives n frames, in turn. */
void stream(Live *live, GstHarness *src, GstHarness *dec, int n);

/* The next message of the element; the test fails where none comes. */
GstMessage *await_message(GstHarness *h, GstMessageType type);

#endif
