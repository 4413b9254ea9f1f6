/*
 * The meltpool plan: what open prepares, what a run uses, and what the stream leaves behind from
 * frame to frame.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MELTPOOL_PLAN_H
#define SAC_MELTPOOL_PLAN_H

#include <saccade/meltpool.h>

#include "base/threads.h"
#include "kernels/meltpool_frame_u8/meltpool_frame_u8.h"
#include "kernels/meltpool_mlp_f32/meltpool_mlp_f32.h"
#include "kernels/meltpool_variance_f32/meltpool_variance_f32.h"

enum {
    SAC_MELTPOOL_MAX_SIDE = 4096, /* of a frame */
    SAC_MELTPOOL_REACH = 4096,    /* how far beyond it a centre may be, in pixels */
    SAC_MELTPOOL_PART = 32,       /* frames of a task */
    SAC_MELTPOOL_PARTS = 128      /* tasks of a block at most */
};

/* In 1/65536 of a pixel, x to the right and y down. */
typedef struct sac_meltpool_place {
    int32_t x, y;
} sac_meltpool_place;

/* What frames before leave for the next one. */
typedef struct sac_meltpool_stream {
    bool has_frame, has_pool; /* one was processed; one had a pool, since the last gap */
    int32_t next_counter;     /* of a frame without signals */
    int32_t counter;          /* the last processed frame's, */
    sac_meltpool_place centre;
    int64_t n_between;            /* frames since then */
    sac_meltpool_place pool;      /* centroid of the last pool */
    int32_t n, newest;            /* rows that variances may be of, and where the last one is */
    int32_t edge_x[3], edge_y[3]; /* of the scan's sectors */
} sac_meltpool_stream;

/* What is to be done of one frame of a block. */
typedef struct sac_meltpool_step {
    sac_meltpool_frame_job job;
    int32_t row, n;               /* its row of the ring, and how many variances are of */
    sac_meltpool_place brightest; /* with SAC_MELTPOOL_BRIGHTEST */
} sac_meltpool_step;

/* The frames of the run at work. */
typedef struct sac_meltpool_block {
    sac_meltpool_record *records;        /* (n) */
    const sac_meltpool_signals *signals; /* (n) or NULL */
    const uint8_t *pixels;
    ptrdiff_t frame, row; /* bytes */
    int32_t n;
} sac_meltpool_block;

struct sac_meltpool {
    sac_meltpool_desc desc;
    int32_t align;            /* of the ROI's first column */
    sac_meltpool_place fixed; /* desc.fixed */
    sac_pool *pool;
    sac_meltpool_net *net; /* NULL: no model */
    sac_meltpool_frame_u8_fn frame;
    sac_meltpool_variance_f32_fn variance;
    sac_meltpool_mlp_f32_fn mlp;
    char variant[160];

    int32_t n_block, n_rows;  /* frames of a block; n_rows: those, and a window before them */
    sac_meltpool_step *steps; /* (n_block) */
    float *ring;              /* (n_rows, 32): features of the last processed frames */
    sac_meltpool_stream stream;
    sac_meltpool_counts counts;
    sac_meltpool_block block;
};

/* 1/65536 of a pixel from pixels, rounded, halves up; |pixels| < 2^14. */
int32_t sac_meltpool_q16(double pixels);

/* The pixel at a place: rounded, halves up. */
static inline int32_t sac_meltpool_pixel(int32_t q16)
{
    return (q16 + 32768) >> 16;
}

/* The next frame of the stream, the i-th of the block: whether there is work, and what. */
void sac_meltpool_plan_step(sac_meltpool *plan, int32_t i);

/* The first maximum of a frame in raster order. */
sac_meltpool_place sac_meltpool_brightest(const sac_meltpool *plan, const uint8_t *pixels);

/* Edges of a scan that moves by (x, y), which are not both 0. */
void sac_meltpool_direct(sac_meltpool_stream *stream, double x, double y);

#endif
