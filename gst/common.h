/*
 * What all elements share: frames of GStreamer as arrays, caps, errors.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GST_COMMON_H
#define SAC_GST_COMMON_H

#include <gst/video/video.h>
#include <saccade/array.h>

#include "options.h"

#define SAC_GST_AUTHOR "The authors of saccade"
#define SAC_GST_FORMATS "{ GRAY8, RGB, BGR, RGBx, BGRx, RGBA, BGRA }"

/* What a plan is opened for. */
typedef struct SacPixels {
    gint64 w, h;
    gint32 n_channels;
    sac_pixel_order order;
} SacPixels;

SacPixels sac_pixels_of(const GstVideoInfo *info);

/* A view of a mapped frame, of one of SAC_GST_FORMATS. */
sac_array sac_array_of(const GstVideoFrame *frame);

/* Maps a buffer that must have exactly this size and format; FALSE: it has not, and nothing is
 * mapped. */
gboolean sac_frame_map(GstVideoFrame *frame, const GstVideoInfo *info, GstBuffer *buffer,
                       GstMapFlags flags);

/* Caps of video/x-raw: those of `caps` that have one of `formats`, "{ RGB, BGR }", with `other`
 * formats instead. */
GstCaps *sac_caps_replace(GstCaps *caps, const char *formats, const char *other);

/* Whether a meta stays true of a picture with other pixels, of the same size or not. */
gboolean sac_meta_stays(const GstMeta *meta, gboolean is_same_size);

/* Makes the pipeline fail with the library's own words. Returns GST_FLOW_ERROR. */
GstFlowReturn sac_gst_fail(GstElement *element, sac_status status, const sac_error *err);

#endif
