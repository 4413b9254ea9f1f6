/*
 * What the motion pipelines share: checks of a frame's desc, frames as pixels, strips of rows.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_FRAME_H
#define SAC_MOTION_FRAME_H

#include <saccade/motion.h>

#include "base/threads.h"
#include "image/pixels.h"
#include "room/variant.h"

/* Of a plan's pictures. */
typedef struct sac_frame_shape {
    int64_t w, h;
    int32_t n_channels;
    sac_pixel_order order;
} sac_frame_shape;

/* SAC_E_SHAPE, SAC_E_INVALID; SAC_E_UNSUPPORTED where the device is none that `pipeline` has. */
sac_status sac_frame_check(const sac_frame_shape *shape, sac_device device, const char *pipeline,
                           sac_error *err);

/* Two frames to a picture: what heat map and noise view work on. */
typedef struct sac_frames {
    sac_frame_shape shape, out_shape;
    sac_pixels out, current, previous; /* of the run at work */
} sac_frames;

/* A run's arrays as pixels, color[0] red, the fourth channel as alpha. SAC_E_SHAPE where one is no
 * such picture on the CPU. */
sac_status sac_frames_take(sac_frames *frames, const sac_array *out, const sac_array *current,
                           const sac_array *previous, sac_error *err);

/* The i-th of n strips of rows of all three. */
sac_frames sac_frames_strip(const sac_frames *frames, int32_t i, int32_t n);

/* How many strips of rows, tasks of a pass: one a thread, or two, so that a slow core holds up
 * less. */
int32_t sac_frame_strips(const sac_pool *pool, int64_t h);

#endif
