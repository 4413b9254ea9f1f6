/*
 * What bench_delta's coders have in common: a clip in memory, and what is done to it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_DELTA_BENCH_H
#define BENCH_DELTA_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Raw frames, BGR, one behind the other. */
typedef struct bench_clip {
    const char *name;
    int32_t w, h;
    int64_t n_frames;
    uint8_t *frames;
} bench_clip;

static inline size_t bench_frame_bytes(const bench_clip *clip)
{
    return (size_t)clip->w * (size_t)clip->h * 3;
}

/* Reads a clip, `most` frames of it (0: all); free() its frames in any case. NULL, or why there is
 * none. */
const char *bench_open_clip(bench_clip *clip, const char *path, int64_t most);

/* What a pass took. */
typedef struct bench_time {
    int64_t wall_ns, cpu_ns; /* the processor's is that of all threads */
} bench_time;

bench_time bench_now(void);
bench_time bench_since(bench_time then);

typedef struct bench_coder bench_coder;
struct bench_coder {
    const char *name;
    int32_t threshold; /* no channel may be off by more */
    bool fast;         /* of saccade */
    const char *codec; /* of FFmpeg, and its options: "key=value:key=value" */
    const char *options;

    /* NULL, or why it is not here. */
    const char *(*missing)(const bench_coder *coder);

    /* Before the first encode of a clip, in one thread; NULL: there is nothing to do. What was
     * chosen is printed. */
    bool (*prepare)(const bench_coder *coder, const bench_clip *clip, FILE *text);

    /* All frames of a clip; returns the stream and its size, NULL where that fails. Only the coder
     * is timed: frames are in its own order of pixels before, and plans open. */
    void *(*encode)(const bench_coder *coder, const bench_clip *clip, int32_t n_threads,
                    uint64_t *bytes, bench_time *time);

    /* The frames again; returns how many. With `worst`, what they are off by is found out. */
    int64_t (*decode)(const bench_coder *coder, const bench_clip *clip, int32_t n_threads,
                      void *stream, int *worst, bench_time *time);
    void (*discard)(void *stream);
};

/* The functions of a file's coders. */
#define BENCH_CODER .missing = missing, .encode = encode, .decode = decode, .discard = discard

/* The largest difference of any of n bytes from step to step. */
int bench_worst(const uint8_t *a, const uint8_t *b, size_t n, int worst);

extern const bench_coder bench_saccade_coders[], bench_ffmpeg_coders[];
extern const int bench_n_saccade_coders, bench_n_ffmpeg_coders;

const char *bench_ffmpeg_version(void); /* NULL: not in this build */

#endif
