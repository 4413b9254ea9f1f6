/*
 * Where bench_soak's frames come from: the memory of this program, or the loopback network.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_SOAK_H
#define BENCH_SOAK_H

#include <pthread.h>
#include <stdatomic.h>

#include <saccade/frame_link.h>
#include <saccade/stream.h>

#include "meltpool_bench.h"

#define SOAK_FRAME_BYTES ((size_t)BENCH_SIDE * BENCH_SIDE)
#define SOAK_SLOT_BYTES (SOAK_FRAME_BYTES + sizeof(sac_meltpool_signals))

typedef struct soak_feed {
    bench_build build; /* its frames, again and again */
    sac_stream *stream;
    double rate_hz;
    bool udp;
    atomic_bool ends; /* the sender shall; and then the receiver, where nothing comes any more */
    atomic_bool sent_all;
    pthread_t sender, receiver;
    sac_frame_sender *out; /* with udp */
    sac_frame_receiver *in;
    sac_frame_sent sent;
    sac_frame_counts came;
} soak_feed;

/* Starts to feed the stream. Ends the program with a line where that fails. */
void soak_begin(soak_feed *feed);

/* Every frame that was sent, and not lost on its way, is with the stream then. */
void soak_end(soak_feed *feed);

#endif
