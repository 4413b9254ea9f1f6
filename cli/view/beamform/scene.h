/*
 * A recording, and the picture of it that the settings ask for.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_BEAMFORM_SCENE_H
#define CLI_VIEW_BEAMFORM_SCENE_H

#include "beamform/job.h"
#include "listening.h"
#include "settings.h"
#include "tap.h"

typedef struct beamform_scene beamform_scene;

extern const view_kind beamform_kind;

/* Frames that come by themselves, while the recording tells what they are like; all of it stays. */
typedef struct beamform_frames {
    beamform_tap *tap; /* NULL: frames are the recording's */
    const cli_listening_options *options;
    void (*put)(cli_json *json, const void *ctx); /* members of each picture; counts */
    const void *ctx;
} beamform_frames;

/* Reads the job's input, chooses the grid, and tries that it can be beamformed. Returns an exit
 * status. `job` must stay. */
int beamform_scene_open(beamform_scene **out, cli_beamform_job *job, const beamform_frames *frames);
void beamform_scene_close(beamform_scene **scene);

/* The scene as all kinds have it. */
view_scene *beamform_scene_common(beamform_scene *scene);

/* For scene.c: that command line, of the frame, or of what comes with these options (NULL: of the
 * frame); free() it. And the desc's grid as such a line gives it back: a
 * point at the edge of an aperture is on one side of it or the other by its last bit. */
char *beamform_command_line(const cli_beamform_job *job, const beamform_settings *settings,
                            const cli_listening_options *listening);
void beamform_command_line_round(sac_beamform_desc *desc);

#endif
