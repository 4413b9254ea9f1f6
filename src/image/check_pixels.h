/*
 * Pictures for the checks of rooms that work on sac_pixels: layouts as modes, contents, and the way
 * from a harness argument to sac_pixels. In libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IMAGE_CHECK_PIXELS_H
#define SAC_IMAGE_CHECK_PIXELS_H

#include "image/pixels.h"
#include "room/check.h"

/* rgb, gray, bgr, rgba, bgra, planar, sparse (RGB with two foreign samples behind each pixel),
 * gray-alpha. */
extern const char *const sac_pixel_modes[];
enum {
    SAC_MODE_RGB,
    SAC_MODE_GRAY,
    SAC_MODE_BGR,
    SAC_MODE_RGBA,
    SAC_MODE_BGRA,
    SAC_MODE_PLANAR,
    SAC_MODE_SPARSE,
    SAC_MODE_GRAY_ALPHA,
    SAC_N_PIXEL_MODES
};

/* scene (or the case's input picture), constant, random, extremes, dark, two. */
extern const char *const sac_pixel_contents[];

/* The first three of them, for the ladder: by them counters collide, or not. Ends with NULL name.
 */
extern const sac_check_task sac_pixel_tasks[];

/* A room of pictures, in a build with CUDA with the rungs `cuda_table`, by the names that its
 * functions have in the room's file. Its kind is the bytes of a sample. */
#define SAC_CHECK_PIXELS(table, size, cuda_table)                                                  \
    .room = &(table), .kind = (size), .modes = sac_pixel_modes, .contents = sac_pixel_contents,    \
    .tasks = sac_pixel_tasks, .shape = shape, .fill = fill, .call = call, .bytes = bytes,          \
    .call_cuda = call_cuda, SAC_CHECK_CUDA(.cuda = cuda_table)

/* Makes argument `i` a picture of c->w x c->h pixels in layout `mode`, samples of `size` bytes. */
void sac_check_pixels_shape(sac_check_case *c, int i, const char *name, sac_check_role role,
                            size_t size, int mode);

/* Fills the picture with the case's content. */
void sac_check_pixels_fill(sac_check_case *c, int i, int mode);

sac_pixels sac_check_pixels(const sac_check_case *c, int i, int mode);

/* Bytes of color samples in the picture: what a kernel must read, or write. */
uint64_t sac_check_pixels_bytes(const sac_check_case *c, int i, int mode);

#endif
