/*
 * A recording, and the picture of it that the settings ask for.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_BEAMFORM_SCENE_H
#define CLI_VIEW_BEAMFORM_SCENE_H

#include "beamform/job.h"
#include "settings.h"

typedef struct beamform_scene beamform_scene;

extern const view_kind beamform_kind;

/* Reads the job's input, chooses the grid, and tries that it can be beamformed. Returns an exit
 * status. `job` must stay. */
int beamform_scene_open(beamform_scene **out, cli_beamform_job *job);
void beamform_scene_close(beamform_scene **scene);

/* The scene as all kinds have it. */
view_scene *beamform_scene_common(beamform_scene *scene);

/* For scene.c: that command line; free() it. And the desc's grid as such a line gives it back: a
 * point at the edge of an aperture is on one side of it or the other by its last bit. */
char *beamform_command_line(const cli_beamform_job *job, const beamform_settings *settings);
void beamform_command_line_round(sac_beamform_desc *desc);

#endif
