/*
 * A sender and its receivers over a network with faults, in a time of its own: hubs of gst/link
 * without sockets, an encoder, and a decoder each. The same seed gives the same run.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_GST_SIMULATION_H
#define SAC_TESTS_GST_SIMULATION_H

#include <saccade/delta.h>

#include "../../gst/link/hub.h"

enum { SIM_W = 96, SIM_H = 64, SIM_BYTES = SIM_W * SIM_H * 3, SIM_HUBS = 4, SIM_THRESHOLD = 10 };

typedef struct SimFaults {
    double loss, duplicate, damage; /* shares of messages, each way */
    int64_t delay_ns, jitter_ns;    /* one way: delay + up to jitter, whatever overtakes whatever */
} SimFaults;

typedef struct SimMessage {
    int64_t at_ns;
    int from, to;
    size_t n;
    uint8_t *bytes;
} SimMessage;

struct Sim;

/* Hub 0 is the sender, which waits; the others connect to it. */
typedef struct SimEnd {
    struct Sim *sim;
    int index;
    sac_hub *hub;
    sac_path path; /* of a receiver, to the sender */
    int64_t run_ns, offset_ns;
    bool is_on;
    sac_delta_decode *decoder;
    int shown, wrong, refused; /* pictures; packets that gave none */
    int first;                 /* frame that was shown first */
    int64_t shown_ns, gap_ns;  /* when the last picture came; longest time without one */
    int64_t worst_clock_ns;    /* error of a time of capture */
    int n_events[SAC_LINK_CONTROL + 1];
    char control[SAC_LINK_TEXT];
} SimEnd;

typedef struct Sim {
    uint64_t seed, drawn;
    int64_t now_ns;
    SimFaults faults;
    bool is_out; /* nothing arrives */
    SimEnd ends[SIM_HUBS];
    SimMessage *messages;
    int n_messages, room;
    sac_delta_encode *encoder;
    int n_frames;      /* encoded */
    int64_t most_kept; /* bytes, of any receiver's queue */
    sac_link_key key;
} Sim;

void sim_open(Sim *sim, uint64_t seed, const SimFaults *faults, const char *passphrase);
void sim_close(Sim *sim);
void sim_join(Sim *sim, int receiver);
void sim_leave(Sim *sim, int receiver); /* without a goodbye */

/* Frames at 30 a second for so long. */
void sim_run(Sim *sim, double seconds);

/* Gives a message to a hub as if it came from hub `from`. */
void sim_inject(Sim *sim, int from, int to, const uint8_t *bytes, size_t n);
double sim_draw(Sim *sim);
sac_link_counts sim_counts(const Sim *sim, int end);

#endif
