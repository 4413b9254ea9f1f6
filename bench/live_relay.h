/*
 * Datagrams between two ports of the loopback, with faults on purpose.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_LIVE_RELAY_H
#define BENCH_LIVE_RELAY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct relay_faults {
    double loss, duplicate, damage; /* shares of datagrams, each way */
    double delay_ms, jitter_ms; /* one way: delay + up to jitter, so that some overtake others */
    double outage_s, every_s;   /* nothing arrives for so long, so often; 0: never */
    uint64_t seed;
} relay_faults;

typedef struct relay {
    relay_faults faults;
    int fd, stop_fd;
    int32_t port; /* that it listens at */
    int32_t to;   /* and forwards to */
    pthread_t thread;
    _Atomic int64_t n_datagrams, n_lost;
} relay;

/* Starts a thread, which listens at `port`; 0: any. False: no socket. */
bool relay_open(relay *r, int32_t port, int32_t to_port, const relay_faults *faults);
void relay_close(relay *r);

#endif
