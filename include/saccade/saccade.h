/*
 * saccade: sensor samples into pictures and decisions, in real time. This header includes the
 * whole core API (libsaccade). Other headers belong to libraries of their own: files and network
 * (io.h, video.h, frames.h, records.h, recording.h, meltpool_model.h, frame_link.h,
 * frame_packets.h) to libsaccade-io, delta.h to libsaccade-delta, ladder.h and meltpool_curves.h
 * to libsaccade-ladder. The names for pkg-config are saccade, saccade-io, saccade-delta and
 * saccade-ladder, as in `cc app.c $(pkg-config --cflags --libs saccade-io)`.
 *
 * Every pipeline has the same three calls:
 *
 *     sac_equalize_desc desc;
 *     sac_equalize *plan = NULL;
 *     sac_error err = {0};
 *     sac_equalize_desc_init(&desc);
 *     desc.dtype = SAC_U8, desc.w = 1920, desc.h = 1080, desc.n_channels = 3;
 *     if (sac_equalize_open(&plan, &desc, &err) == SAC_OK &&
 *         sac_equalize_run(plan, &out, &in, &err) == SAC_OK)
 *         show(&out);
 *     else
 *         fprintf(stderr, "%s\n", err.text);
 *     sac_equalize_close(&plan);
 *
 * `in` and `out` are views of the caller's memory (saccade/array.h). Pictures and video come from
 * files by saccade/io.h and saccade/video.h, channel data by saccade/recording.h, frames of a melt
 * pool by saccade/frames.h; saccade/simulate.h and saccade/simulate_meltpool.h make test data.
 *
 * The headers use these terms:
 *
 *     desc      a struct with all settings of a pipeline; its _init sets the defaults
 *     plan      an opened pipeline: owns its tables, buffers and threads; can run many times
 *     room      one step of a pipeline (a kernel), in all its implementations: "vhist_u8"
 *     variant   one implementation of a room's step: "plain", "avx512"
 *     rung      a variant, as part of the ladder: a room's variants from slow to fast
 *     tier      how exact a result must be (sac_tier in base.h)
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_SACCADE_H
#define SACCADE_SACCADE_H

#include <saccade/acquisition.h>
#include <saccade/array.h>
#include <saccade/base.h>
#include <saccade/batch.h>
#include <saccade/beamform.h>
#include <saccade/device.h>
#include <saccade/equalize.h>
#include <saccade/flow.h>
#include <saccade/histogram.h>
#include <saccade/jitter.h>
#include <saccade/label.h>
#include <saccade/measure.h>
#include <saccade/measure_ultrasound.h>
#include <saccade/measure_video.h>
#include <saccade/meltpool.h>
#include <saccade/meltpool_calibrate.h>
#include <saccade/motion.h>
#include <saccade/param.h>
#include <saccade/signal.h>
#include <saccade/simulate.h>
#include <saccade/simulate_meltpool.h>
#include <saccade/stream.h>

#endif
