/*
 * saccade beamform --listen, as a source of saccade view: the scene of recordings, whose frames are
 * those that come. It has a plan of its own, so that sliders change nothing of the command's.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_BEAMFORM_LIVE_H
#define CLI_VIEW_BEAMFORM_LIVE_H

#include "beamform/job.h"
#include "listening.h"
#include "tap.h"
#include "view/view.h"

typedef struct beamform_view beamform_view;

/* What listens; `at` stays until beamform_view_close. */
typedef struct beamform_view_source {
    const cli_beamform_job *job; /* of the command; is copied */
    const cli_recording_options *recording;
    const char *like;
    const cli_listening *at;
    size_t frame_bytes;
    int32_t cpu; /* the worker's own; -1: any */
} beamform_view_source;

/* Listens for viewers, says where on standard error, and shows what comes. Returns an exit status;
 * the view must be closed in any case. */
int beamform_view_open(beamform_view **out, const beamform_view_source *source,
                       const cli_view_options *options);

/* Where the worker puts frames. */
beamform_tap *beamform_view_tap(beamform_view *view);

/* The main thread, often: makes known that frames came. */
void beamform_view_look(beamform_view *view);

/* Viewers leave, and the threads end. The worker puts nothing any more. */
void beamform_view_close(beamform_view **view);

#endif
