/*
 * What bench_live's sender and receivers share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_LIVE_BENCH_H
#define BENCH_LIVE_BENCH_H

#include <gst/gst.h>
#include <signal.h>
#include <stdatomic.h>

#include "delta_bench.h"
#include "options.h"

typedef struct live_options {
    size_t struct_size;
    char **clips;
    const char *passphrase_file;
    int32_t kind;
    int32_t receivers, threshold, port, latency_ms;
    double seconds, rate, join_s;
    double loss, duplicate, damage, delay_ms, jitter_ms, outage_s, every_s;
    bool check;
} live_options;

/* When each frame left, for the receivers. */
enum { MOST_FRAMES = 1 << 24 };
#define EARLY_NS INT64_C(2000000000) /* then all threads are there */

typedef struct shared {
    _Atomic int64_t n_frames;
    int64_t captured_ns[MOST_FRAMES]; /* their time; pages that are not used take no memory */
    int64_t left_ns[MOST_FRAMES];     /* when they left the source pad */
} shared;

typedef struct footprint {
    int64_t resident_kb, descriptors, threads;
} footprint;

extern const char *const live_transports[];
extern const live_options *options;
extern bench_clip clip;
extern shared *sent;
extern volatile sig_atomic_t stops;

/* Forwards and backwards, so that nothing jumps. */
const uint8_t *frame_at(int64_t i);
void on_signal(int number);
footprint footprint_now(void);
void print_footprint(const char *who, footprint before, footprint after, double seconds);
GstElement *launch(const char *text);
bool look_at_bus(GstElement *pipeline, int64_t ns); /* false: the pipeline ended or failed */
void print_stats(GstElement *pipeline, const char *name, const char *who);

/* A receiver's process; returns its exit status. */
int receive(int index, int32_t port);

#endif
