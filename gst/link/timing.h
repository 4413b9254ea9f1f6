/*
 * The other side's clock and distance, from pings (RFC 5905's offset and delay, RFC 6298's
 * smoothing), and the numbers of messages that came.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_LINK_TIMING_H
#define SAC_LINK_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#define SAC_MS INT64_C(1000000) /* ns */

enum { SAC_TIMING_SAMPLES = 16, SAC_WINDOW = 16384 };

typedef struct sac_timing {
    int64_t rtt_ns[SAC_TIMING_SAMPLES], offset_ns[SAC_TIMING_SAMPLES];
    uint64_t n; /* samples that came */
    int64_t smoothed_ns, varies_ns;
} sac_timing;

/* A ping left at t1, arrived at t2, was answered at t3, and the answer arrived at t4; t2 and t3 by
 * the other side's clock, which may say anything. */
void sac_timing_add(sac_timing *t, int64_t t1, int64_t t2, int64_t t3, int64_t t4);

/* The other side's clock minus this one's, by the fastest of the last pings. */
bool sac_timing_offset(const sac_timing *t, int64_t *offset_ns);
int64_t sac_timing_rtt(const sac_timing *t); /* smoothed; 50 ms before the first */

/* After how long an answer that has not come is late. */
int64_t sac_timing_patience(const sac_timing *t);

/* Which of the last SAC_WINDOW numbers have come. */
typedef struct sac_window {
    uint64_t next; /* above all that came */
    uint64_t bits[SAC_WINDOW / 64];
} sac_window;

/* Whether this number comes for the first time; numbers below the window have come. */
bool sac_window_take(sac_window *w, uint64_t number);

#endif
