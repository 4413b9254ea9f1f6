/*
 * Two frames of a video for the checks of motion's rooms: how much they differ is the content. In
 * libsaccade-ladder.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_MOTION_CHECK_FRAMES_H
#define SAC_MOTION_CHECK_FRAMES_H

#include "image/check_pixels.h"
#include "motion/kernels/report_cuda.h"

/*
 * scene (a still scene, or the case's input picture, with noise of up to 3 levels and a lighter
 * block in it: one pixel in 16 changes much), none, all (every sample by 128), constant, extremes
 * (0 or 255), random, every (each sum of differences, 0 to 765, in turn), clip (as scene, but one
 * pixel in 147 changes much, in columns: as many as in a clip from a hand-held phone, 0.68 %).
 */
extern const char *const sac_frame_contents[];
enum {
    SAC_FRAME_SCENE,
    SAC_FRAME_NONE,
    SAC_FRAME_ALL,
    SAC_FRAME_CONSTANT,
    SAC_FRAME_EXTREMES,
    SAC_FRAME_RANDOM,
    SAC_FRAME_EVERY,
    SAC_FRAME_CLIP
};

/* Fills the pictures that are arguments `current` and `previous`, both in layout `mode`. */
void sac_check_frames_fill(sac_check_case *c, int current, int previous, int mode);

/* Whether a rung of the report, or any other, takes these pictures, of layout `mode`. */
bool sac_check_report_takes(const sac_variant *v, const sac_pair *pair, int mode);

#endif
