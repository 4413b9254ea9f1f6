/*
 * A recording, and the picture of it that the settings ask for.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_SCENE_H
#define CLI_VIEW_SCENE_H

#include "beamform/job.h"
#include "blob.h"
#include "settings.h"

typedef struct view_scene view_scene;

/* Reads the job's input, chooses the grid, and tries that it can be beamformed. Returns an exit
 * status. `job` must stay. */
int view_scene_open(view_scene **out, cli_beamform_job *job);

/* Filled in by view_scene_open, the variants by view_scene_try. */
view_limits *view_scene_limits(view_scene *scene);

/* Which variants can be forced here: by opening a plan with each. */
void view_scene_try(view_scene *scene);

/*
 * Beamforms the frame of the settings: the picture's message, which is JSON (numbers, measures and
 * the panels' axes), then 16 bits a point for each panel, row by row: 0 is -200 dB or less below
 * the frame's maximum, 65535 is 0 dB. A volume has four panels: the planes through the point, or
 * the middle, and the maximum along y. SAC_E_NOMEM, and what beamforming refuses.
 */
SAC_NODISCARD sac_status view_scene_show(view_blob **out, view_scene *scene,
                                         const view_settings *settings, sac_error *err);

/* The members of the state that tell of the recording, the machine and the command line that
 * writes the same picture. */
void view_scene_put(cli_json *json, const view_scene *scene, const view_settings *settings);

void view_scene_close(view_scene **scene);

/* For scene.c: that command line; free() it. And the desc's grid as such a line gives it back: a
 * point at the edge of an aperture is on one side of it or the other by its last bit. */
char *view_command_line(const cli_beamform_job *job, const view_settings *settings);
void view_command_line_round(sac_beamform_desc *desc);

#endif
