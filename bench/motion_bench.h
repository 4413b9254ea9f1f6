/*
 * bench_motion's entries: jobs of saccade, and OpenCV's way to each.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_MOTION_BENCH_H
#define BENCH_MOTION_BENCH_H

#include <saccade/motion.h>

#include "motion/kernels/check_frames.h"
#include "motion_opencv.h"

#define W 1920
#define H 1080
#define MAX_ENTRIES 64
#define MAX_ROUNDS 4096

typedef struct entry entry;

typedef struct frames {
    sac_array out, current, previous; /* (H, W, 3) BGR */
} frames;

struct entry {
    const char *name;
    int level; /* of --isa all */
    int32_t n_threads;
    bool (*run)(const entry *e, const frames *f); /* false: it failed */
    sac_heatmap *heatmap;
    sac_noise *noise;
    sac_denoise *denoise;
    sac_adjust *adjust;
    bench_opencv_filter filter; /* of OpenCV */
    int32_t against;            /* which entry the ratio is to, and whose bytes must come out */
    int32_t border;             /* pixels where they may differ; all of them where it is H */
    int64_t ns[MAX_ROUNDS];
};

typedef struct bench {
    entry entry[MAX_ENTRIES];
    int32_t n_entries, n_rounds;
    int level;      /* of what is added */
    bool is_one_of; /* several levels: OpenCV is added with the first */
    frames frames;
    sac_check_case memory;
} bench;

/* Saccade's jobs with so many threads, OpenCV's after each where this build has it, and a copy. */
SAC_NODISCARD sac_status bench_motion_add(bench *b, int32_t n_threads, sac_error *err);
void bench_motion_close(bench *b);

#endif
