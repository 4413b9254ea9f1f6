/*
 * What the motion pipelines share: checks of a frame's desc, frames as pixels, strips of rows.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_FRAME_H
#define SAC_MOTION_FRAME_H

#include <saccade/motion.h>

#include "base/threads.h"
#include "image/pixels.h"
#include "room/plan.h"

/* A plan's pictures. */
typedef struct sac_frame_shape {
    int64_t w, h;
    int32_t n_channels;
    sac_pixel_order order;
} sac_frame_shape;

typedef struct sac_motion_gpu sac_motion_gpu;

/* Two frames to a picture: a plan of heat map or noise view. */
typedef struct sac_frame_pair {
    sac_frame_shape shape, out_shape;
    char variant[64];

    /* On the CPU. */
    sac_pool *pool;
    sac_any_fn draw; /* the chosen kernel */
    int32_t n_strips;
    sac_pixels out, current, previous; /* of the run at work */
    uint8_t *kept[2]; /* with keep_previous: the frame before, and room for this one; packed */
    bool has_kept;    /* kept[0] has a frame */

    sac_motion_gpu *gpu; /* NULL on the CPU */
} sac_frame_pair;

/* w and h, n_channels, order; a stream asks for a GPU. SAC_E_SHAPE, SAC_E_INVALID. */
sac_status sac_frame_shape_check(const sac_frame_shape *shape, sac_device device,
                                 const void *stream, sac_error *err);

/* That a batch is given what its n calls need; a plan that keeps frames needs no previous ones.
 * SAC_E_INVALID. */
sac_status sac_frame_batch_check(const void *plan, const sac_array *outs, const sac_array *currents,
                                 const sac_array *previouses, bool keeps, int32_t n,
                                 sac_error *err);

/* On the CPU, with the shapes set and checked. SAC_E_NOMEM, SAC_E_INVALID. */
sac_status sac_frame_pair_open(sac_frame_pair *pair, const sac_plan_choice *choice, bool keeps,
                               sac_error *err);
void sac_frame_pair_close(sac_frame_pair *pair);

/* An array as pixels: color[0] red, the fourth channel as alpha. SAC_E_INVALID, SAC_E_SHAPE. */
sac_status sac_frame_pixels(sac_pixels *pixels, const sac_array *array, const char *name,
                            const sac_frame_shape *shape, sac_error *err);

/* The same of an array on the CPU, which a run is given. */
sac_status sac_frame_take(sac_pixels *pixels, const sac_array *array, const char *name,
                          const sac_frame_shape *shape, sac_error *err);

/*
 * A run on the CPU: the arrays as pixels, then draw_strip(plan, i) for each of n_strips. `previous`
 * may be NULL if the plan keeps it: SAC_AGAIN where it has none yet. SAC_E_SHAPE where an array is
 * no such picture on the CPU.
 */
sac_status sac_frame_pair_run(sac_frame_pair *pair, const sac_array *out, const sac_array *current,
                              const sac_array *previous, sac_task_fn draw_strip, void *plan,
                              sac_error *err);

/* That a filter does not write into the frame that it reads. SAC_E_SHAPE. */
sac_status sac_frame_apart(const sac_array *out, const sac_array *in, sac_error *err);

/* The i-th strip of rows of all three. */
sac_frame_pair sac_frame_pair_strip(const sac_frame_pair *pair, int32_t i);

/* How many strips of rows, tasks of a pass: one a thread, or two, so that a slow core holds up
 * less. */
int32_t sac_frame_strips(const sac_pool *pool, int64_t h);

#endif
