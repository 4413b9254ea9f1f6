/*
 * Who competes at equalizing one picture, and how they are timed.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_EQUALIZE_BENCH_H
#define BENCH_EQUALIZE_BENCH_H

#include <saccade/equalize.h>

#define BENCH_MAX_ENTRIES 8
#define BENCH_MAX_ROUNDS 4096

typedef struct bench bench;

typedef struct bench_entry {
    const char *name;
    int32_t n_threads;
    bool (*run)(bench *b, struct bench_entry *e); /* false: it failed */
    sac_equalize *plan;                           /* saccade's entries */
    const struct bench_entry *against;            /* saccade with as many threads */
    bool checked;
    double error; /* largest difference from the reference */
    int64_t *ns;  /* (n_rounds) */
    double median_ns, p10_ns, p90_ns, min_ns, max_ns;
    double ratio; /* median over rounds of its time over that of `against` */
} bench_entry;

struct bench {
    sac_array in, out; /* contiguous, u8 or u16 */
    int32_t clahe;     /* tiles both ways; 0: none */
    uint8_t *want;     /* the reference's bytes */
    size_t n_bytes;
    bench_entry entry[BENCH_MAX_ENTRIES];
    int32_t n_entries, n_rounds;
    bool has_opencv; /* among the entries */
};

/*
 * Entries for `in` with one and with n_threads threads: saccade, saccade's plain C, OpenCV (where
 * there is one, and it takes such pictures), a copy. With n_threads 0, one thread: saccade for each
 * level of instruction sets that this CPU has, the last one first. Nothing to close on failure.
 */
sac_status bench_open(bench *b, const sac_array *in, int32_t clahe, int32_t n_threads,
                      sac_error *err);

/* Runs each once and compares with the reference. False where an entry failed. */
bool bench_check(bench *b);

/* In turns, A B C A B C, for `seconds` and at least 11 rounds. */
bool bench_time(bench *b, double seconds);

/* OpenCV's time over the entry's, with as many threads; 0: it does not compete. */
double bench_opencv_ratio(const bench *b, const bench_entry *e);

void bench_close(bench *b);

#endif
