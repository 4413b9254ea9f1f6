/*
 * bench_view_tap: what it costs the thread of a real-time loop to put frames down for a viewer.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <saccade/histogram.h>

#include "base/clock.h"
#include "base/relax.h"
#include "options.h"
#include "view/meltpool/tap.h"

#define SIDE 96
#define FRAMES 1024 /* in memory, as a stream's slots */
#define TICK_NS 10000000
#define TAKEN 512

typedef struct bench_options {
    size_t struct_size;
    double seconds, rate_hz;
    int32_t rounds;
} bench_options;

static const char help[] =
    "bench_view_tap: what a viewer costs the thread of a loop of saccade meltpool --listen.\n"
    "\n"
    "Usage: bench_view_tap [OPTION]...\n"
    "\n"
    "  --seconds S  each row's (default 2)\n"
    "  --rate HZ    frames a second (default 20000)\n"
    "  --rounds N   of all rows in turn (default 5)\n"
    "  -h, --help   this text\n"
    "\n"
    "Each frame of 96 x 96 is put down when it is due, while another thread takes records a "
    "hundred\n"
    "times a second, and a frame at every third time. Shown is the time of one call, for frames\n"
    "behind which others wait, of which some are copied, and for those that are the newest, which\n"
    "all are; \"clock\" is that of two readings of the clock with nothing between them.\n";

#define FIELD(name) offsetof(bench_options, name)

static const sac_param params[] = {
    {"seconds", CLI_FLOAT(seconds, 0.01, 1000, 2, "s"), "S", ""},
    {"rate", CLI_FLOAT(rate_hz, 1, 1e7, 20000, ""), "HZ", ""},
    {"rounds", CLI_INT(rounds, 1, 1000, 5, ""), "N", ""},
};

typedef enum way { CLOCK, BEHIND, NEWEST, WAYS } way;

typedef struct viewer {
    view_tap *tap;
    atomic_bool is_over;
    int64_t n_pictures;
} viewer;

/* As the viewer's thread beside a loop. */
static void *look(void *ctx)
{
    viewer *v = ctx;
    const struct timespec tick = {0, TICK_NS};
    sac_meltpool_record *records = cli_grow(NULL, 0, TAKEN, sizeof *records);
    for (int64_t n = 0; !atomic_load_explicit(&v->is_over, memory_order_relaxed); n++) {
        nanosleep(&tick, NULL);
        while (view_tap_take(v->tap, records, TAKEN) == TAKEN) {
        }
        v->n_pictures += n % 3 == 0 && view_tap_take_frame(v->tap);
    }
    free(records);
    return NULL;
}

static void put_frames(sac_histogram *times, view_tap *tap, way w, const uint8_t *pixels,
                       const bench_options *o)
{
    const int64_t n = (int64_t)(o->seconds * o->rate_hz), begin_ns = sac_clock_ns();
    sac_meltpool_record record = {.signals.laser_on = 1};
    for (int64_t i = 0; i < n; i++) {
        const int64_t due_ns = begin_ns + (int64_t)(1e9 * (double)i / o->rate_hz);
        while (sac_clock_ns() < due_ns)
            sac_relax();
        record.signals.counter = (int32_t)i;
        const int64_t start_ns = sac_clock_ns();
        if (tap)
            view_tap_put(tap, &record, pixels + i % FRAMES * SIDE * SIDE, w == NEWEST);
        sac_histogram_record(times, sac_clock_ns() - start_ns);
    }
}

static void measure(sac_histogram *times, int64_t *n_pictures, way w, const uint8_t *pixels,
                    const bench_options *o)
{
    viewer v = {0};
    pthread_t thread;
    if (w == CLOCK) {
        put_frames(times, NULL, w, pixels, o);
        return;
    }
    v.tap = view_tap_open((size_t)SIDE * SIDE);
    if (pthread_create(&thread, NULL, look, &v) != 0)
        exit(cli_fail("no thread"));
    put_frames(times, v.tap, w, pixels, o);
    atomic_store_explicit(&v.is_over, true, memory_order_relaxed);
    pthread_join(thread, NULL);
    *n_pictures += v.n_pictures;
    view_tap_close(&v.tap);
}

static int run(const void *options)
{
    static const char *const names[WAYS] = {"clock", "others wait", "the newest"};
    const bench_options *o = options;
    sac_histogram *times[WAYS] = {0};
    int64_t n_pictures = 0;
    char load[64];
    sac_error err = {0};
    uint8_t *pixels = cli_grow(NULL, 0, FRAMES, (size_t)SIDE * SIDE);
    for (int w = 0; w < WAYS; w++)
        bench_must(sac_histogram_open(&times[w], &err), "histogram", &err);
    for (int32_t k = 0; k < o->rounds; k++)
        for (int w = 0; w < WAYS; w++)
            measure(times[w], &n_pictures, (way)w, pixels, o);
    printf("ns a frame at %g frames/s, %s\n", o->rate_hz, bench_load(load, sizeof load));
    for (int w = 0; w < WAYS; w++) {
        printf("  %-12s p50 %.0f, p99 %.0f, p99.9 %.0f, max %lld; mean %.0f\n", names[w],
               sac_histogram_get_quantile(times[w], 0.5),
               sac_histogram_get_quantile(times[w], 0.99),
               sac_histogram_get_quantile(times[w], 0.999),
               (long long)sac_histogram_get_max(times[w]), sac_histogram_get_mean(times[w]));
        sac_histogram_close(&times[w]);
    }
    printf("  %.0f pictures/s\n", (double)n_pictures / (2 * o->seconds * o->rounds));
    free(pixels);
    return CLI_DONE;
}

const bench_command bench_this = {help, CLI_TABLE("bench_view_tap", bench_options, params), run, 0,
                                  0};
