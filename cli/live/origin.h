/*
 * Where a sender's frames come from: a bin that can be taken out of the pipeline and made again
 * while the rest goes on, when a camera was unplugged or a file begins again.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LIVE_ORIGIN_H
#define CLI_LIVE_ORIGIN_H

#include <gst/gst.h>

#include "live.h"

/* When a file's first frame is for: once it can be decoded, and not before `least` of the running
 * time. */
typedef struct cli_live_from {
    GstElement *pipeline; /* whose time it is */
    GstClockTime least;
} cli_live_from;

/* A bin with a source pad `src`, of video of any format. A file's frames are not held back to their
 * time. NULL: a line was said. */
GstElement *cli_live_origin_new(const cli_live_send_job *job, const cli_live_from *from);

/* Sets the controls that a camera has, of those that anybody set: they then are as if they changed
 * nothing in *controls, which keeps what is left for software to do (all, where this is no camera).
 */
void cli_live_origin_control(GstElement *origin, sac_adjust_desc *controls,
                             const bool is_set[CLI_LIVE_CONTROLS]);

/* A camera's value for one of an option: what changes nothing is the camera's default, and the
 * option's least and most are the camera's. */
int32_t cli_live_camera_value(const sac_param *param, double value, int32_t min, int32_t def,
                              int32_t max);

/* What a camera is asked for: of all that it can do what is nearest to w x h pixels and fps frames
 * a second, frames without compression before others. NULL: nothing that is a picture. */
GstCaps *cli_live_choose_caps(const GstCaps *all, int w, int h, int fps);

int cli_live_list_cameras(void); /* an exit status */

#endif
