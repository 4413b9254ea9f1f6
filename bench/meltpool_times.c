/*
 * bench_meltpool's measurements.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool_bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "command.h"
#include "base/timings.h"

#define FRAME_BYTES ((size_t)BENCH_SIDE * BENCH_SIDE)
#define HUGE_PAGE ((size_t)1 << 21)

void bench_open_build(bench_build *build, int32_t n, int32_t scene)
{
    const size_t bytes = ((size_t)n * FRAME_BYTES + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    *build = (bench_build){.n = n, .pixels = aligned_alloc(HUGE_PAGE, bytes)};
    build->signals = sac_alloc((size_t)n, sizeof *build->signals);
    build->records = sac_alloc((size_t)n, sizeof *build->records);
    build->ring = sac_alloc(BENCH_SLOTS, FRAME_BYTES);
    if (build->pixels)
        (void)madvise(build->pixels, bytes, MADV_HUGEPAGE);
    if (!build->pixels || !build->signals || !build->records || !build->ring ||
        sac_meltpool_scene_fill(build->pixels, BENCH_SIDE, build->signals, n, scene, 1 << 11))
        exit(cli_fail("no memory for %d frames", n));
}

void bench_close_build(bench_build *build)
{
    free(build->pixels);
    sac_free(build->signals);
    sac_free(build->records);
    sac_free(build->ring);
}

static bench_times sorted(bench *b, int32_t n)
{
    sac_timings_sort(b->ns, n);
    return (bench_times){b->ns, n};
}

bench_times bench_spin(bench *b, int32_t n)
{
    n = n < b->most ? n : b->most;
    int64_t before = sac_clock_ns();
    for (int32_t i = 0; i < n; i++) {
        const int64_t now = sac_clock_ns();
        b->ns[i] = now - before;
        before = now;
    }
    return sorted(b, n);
}

static sac_array view(uint8_t *pixels, int64_t n, int32_t n_dims)
{
    const int64_t shape[] = {n, BENCH_SIDE, BENCH_SIDE};
    sac_array a;
    if (sac_array_view(&a, pixels, SAC_U8, n_dims, shape + 3 - n_dims, NULL))
        exit(cli_fail("%d frames are too many", (int)n));
    return a;
}

static uint8_t *frame_at(const bench_build *build, int64_t i)
{
    return build->pixels + (size_t)i * FRAME_BYTES;
}

bench_times bench_frames(bench *b, const bench_build *build, bench_work work)
{
    int32_t n = 0;
    sac_meltpool_reset(b->plan);
    for (int64_t k = 0; k < (int64_t)b->passes * build->n && n < b->most; k++) {
        const int64_t i = k % build->n;
        uint8_t *pixels = frame_at(build, i);
        if (work != BENCH_MEMORY)
            pixels =
                memcpy(build->ring + (size_t)(k % BENCH_SLOTS) * FRAME_BYTES, pixels, FRAME_BYTES);
        const sac_array frame = view(pixels, 1, 2);
        sac_status status = SAC_OK;
        const int64_t start = sac_clock_ns();
        if (work != BENCH_NOTHING)
            status =
                sac_meltpool_run(b->plan, &build->records[i], &frame, &build->signals[i], NULL);
        const int64_t took = sac_clock_ns() - start;
        if (status)
            exit(cli_fail("a frame was refused"));
        if (build->signals[i].laser_on)
            b->ns[n++] = took;
    }
    return sorted(b, n);
}

static int64_t now_ns(int32_t n_threads)
{
    struct timespec t;
    if (n_threads > 1 || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0)
        return sac_clock_ns();
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* One pass; returns ns. */
static int64_t pass(sac_meltpool *plan, const bench_build *build, bench_work work, int32_t n,
                    int32_t n_threads)
{
    int64_t ns = 0;
    for (int64_t from = 0; from < build->n; from += n) {
        const int64_t left = build->n - from, count = n < left ? n : left;
        uint8_t *pixels = frame_at(build, from);
        if (work == BENCH_RING)
            pixels = memcpy(build->ring, pixels, (size_t)count * FRAME_BYTES);
        const sac_array frames = view(pixels, count, 3);
        const int64_t start = now_ns(n_threads);
        if (sac_meltpool_run_batch(plan, build->records + from, &frames, build->signals + from,
                                   NULL))
            exit(cli_fail("a batch was refused"));
        ns += now_ns(n_threads) - start;
    }
    return ns;
}

double bench_batches(bench *b, const bench_build *build, bench_work work, int32_t n,
                     int32_t n_threads)
{
    sac_meltpool *plan = NULL;
    sac_error err = {0};
    const int32_t passes = b->passes < b->most ? b->passes : b->most;
    b->of.desc.n_threads = n_threads;
    if (sac_meltpool_open(&plan, &b->of.desc, &err))
        exit(cli_fail("%s", err.text));
    (void)pass(plan, build, work, n, n_threads);
    for (int32_t i = 0; i < passes; i++)
        b->ns[i] = pass(plan, build, work, n, n_threads);
    sac_meltpool_close(&plan);
    const bench_times times = sorted(b, passes);
    return (double)sac_timings_at(times.ns, passes, 0.5) / build->n;
}
