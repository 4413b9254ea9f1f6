/*
 * The host's side of the floor on a GPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool_floor.h"

#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/relax.h"
#include "histogram.h"

#define FRAME_BYTES ((size_t)BENCH_FLOOR_SIDE * BENCH_FLOOR_SIDE)
#define PATIENCE_NS 1000000000      /* of the host, for an answer */
#define IDLE_NS INT64_C(2000000000) /* of the kernel, for a frame */
#define LOOKS 1024

typedef struct memory {
    bench_floor_words words;
    uint8_t ring[BENCH_FLOOR_SLOTS][BENCH_FLOOR_SIDE * BENCH_FLOOR_SIDE];
} memory;

static uint64_t odd_words(const uint8_t *row, size_t n_bytes, size_t word)
{
    uint64_t n = 0;
    for (size_t i = 0; i < n_bytes; i += word) {
        uint8_t all = 0;
        for (size_t k = 0; k < word; k++)
            all ^= row[i + k];
        n += (uint64_t)__builtin_popcount(all) & 1;
    }
    return n;
}

static uint64_t wanted_of(const uint8_t *frame, bench_floor_kind kind)
{
    uint64_t n = 0;
    if (kind == BENCH_FLOOR_FRAME)
        return odd_words(frame, FRAME_BYTES, 16);
    for (size_t y = 0; y < BENCH_FLOOR_ROI && kind == BENCH_FLOOR_REGION; y++)
        n += odd_words(frame + (BENCH_FLOOR_AT + y) * BENCH_FLOOR_SIDE + BENCH_FLOOR_AT,
                       BENCH_FLOOR_ROI, 8);
    return n;
}

/* The words have one writer each: this thread, and the kernel's. */
static void tell(bench_floor_words *words, uint64_t number)
{
    atomic_store_explicit((_Atomic uint64_t *)&words->told, number, memory_order_release);
}

/* 0 where none came; the kernel's store is a release. */
static uint64_t await(bench_floor_words *words, uint64_t number)
{
    const int64_t until = sac_clock_ns() + PATIENCE_NS;
    do
        for (int i = 0; i < LOOKS; i++) {
            const uint64_t seen =
                atomic_load_explicit((_Atomic uint64_t *)&words->answer, memory_order_acquire);
            if (seen >> 16 == number)
                return seen;
            sac_relax();
        }
    while (sac_clock_ns() < until);
    return 0;
}

static sac_status play(sac_histogram *times, memory *m, const bench_floor *f, sac_error *err)
{
    int64_t begin = 0;
    for (int64_t k = 0; k < BENCH_WARM + f->n; k++) {
        uint8_t *slot = m->ring[k % BENCH_FLOOR_SLOTS];
        memcpy(slot, f->frames + (size_t)(k % f->n_frames) * FRAME_BYTES, FRAME_BYTES);
        const uint64_t number = (uint64_t)k + 1, wanted = number << 16 | wanted_of(slot, f->kind);
        const int64_t due = bench_await_due(&begin, k, f->rate_hz);
        tell(&m->words, number);
        const uint64_t answer = await(&m->words, number);
        const int64_t took = sac_clock_ns() - due;
        if (answer != wanted)
            return sac_fail(err, SAC_E_DEVICE, "floor: frame %lld: expected %llu odd words, got %s",
                            (long long)k, (unsigned long long)(wanted & 0xffff),
                            answer ? "others" : "no answer");
        if (k >= BENCH_WARM)
            sac_histogram_record(times, took);
    }
    return SAC_OK;
}

static sac_status run(sac_histogram *times, sac_gpu *gpu, memory *m, const bench_floor *f,
                      sac_error *err)
{
    const sac_gpu_stream stream = sac_gpu_main_stream(gpu);
    sac_status status = sac_gpu_enter(gpu);
    if (status == SAC_OK) {
        status = bench_floor_launch(stream, &m->words, m->ring[0], f->kind, IDLE_NS);
        sac_gpu_leave(gpu);
    }
    if (status)
        return sac_fail(err, status, "floor: cuda:%d refused the kernel", f->device.index);
    status = play(times, m, f, err);
    tell(&m->words, BENCH_FLOOR_STOP);
    if (sac_gpu_enter(gpu) == SAC_OK) {
        const sac_status ended = sac_gpu_wait(stream);
        sac_gpu_leave(gpu);
        if (ended && status == SAC_OK)
            status = sac_fail(err, ended, "floor: cuda:%d is lost", f->device.index);
    }
    return status;
}

sac_status bench_floor_run(sac_histogram *times, const bench_floor *f, sac_error *err)
{
    sac_gpu *gpu = NULL;
    void *m = NULL;
    sac_status status = sac_gpu_open(&gpu, f->device.index, err);
    if (status == SAC_OK)
        status = sac_pinned_alloc(&m, sizeof(memory), f->device, err);
    if (status == SAC_OK)
        status = run(times, gpu, m, f, err);
    sac_pinned_free(m, f->device);
    sac_gpu_close(&gpu);
    return status;
}
