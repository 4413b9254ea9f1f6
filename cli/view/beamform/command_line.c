/*
 * The command line that writes the picture which is looked at.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "view/line.h"

#define DEG_PER_RAD 57.295779513082321
#define RAD_PER_DEG 0.017453292519943295 /* as the command line multiplies */
#define DIGITS "%.15g"                   /* so many come back as they are */

static void put_axis(FILE *file, const char *before, const sac_grid *g, int axis, double scale)
{
    fprintf(file, "%s" DIGITS ":" DIGITS ":%" PRId64, before, scale * g->first_m[axis],
            scale * g->last_m[axis], g->n[axis]);
}

static void put_grid(FILE *file, const sac_beamform_desc *desc)
{
    const sac_grid *g = &desc->grid;
    const bool is_sector = desc->grid_kind == SAC_GRID_SECTOR;
    put_axis(file,
             is_sector     ? " --sector "
             : g->n[1] > 1 ? " --grid3 "
                           : " --grid ",
             g, 0, is_sector ? DEG_PER_RAD : 1e3);
    if (g->n[1] > 1) {
        put_axis(file, ",", g, 1, 1e3);
    }
    put_axis(file, ",", g, 2, 1e3);
    if (is_sector) {
        fprintf(file, " --apex " DIGITS "," DIGITS "," DIGITS, 1e3 * desc->sector.apex_m[0],
                1e3 * desc->sector.apex_m[2], 1e3 * desc->sector.radius_m);
        put_axis(file, " --picture ", &desc->picture, 0, 1e3);
        put_axis(file, ",", &desc->picture, 2, 1e3);
    }
}

static void put_recording(FILE *file, const cli_beamform_job *job,
                          const beamform_settings *settings, bool has_frames)
{
    const cli_recording_options *o = &job->options.recording;
    const struct {
        const char *name, *value;
    } given[] = {{"transmits", o->transmits},
                 {"fs", o->fs},
                 {"fc", o->fc},
                 {"fd", o->fd},
                 {"t0", o->t0},
                 {"pitch", o->pitch},
                 {"bandwidth", o->bandwidth},
                 {"c", settings->c_m_s > 0 ? NULL : o->c}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (given[i].value) {
            view_line_put(file, given[i].name, given[i].value);
        }
    }
    if (settings->c_m_s > 0) {
        fprintf(file, " --c " DIGITS, settings->c_m_s);
    }
    const int64_t frame = job->recording_desc.first_frame + settings->common.frame;
    if (has_frames) {
        fprintf(file, " --frames %" PRId64 ":%" PRId64, frame, frame + 1);
    }
}

/* What a length becomes on its way through a command line. */
static double through_text(double value_m)
{
    char text[32];
    snprintf(text, sizeof text, DIGITS, 1e3 * value_m);
    return 1e-3 * strtod(text, NULL);
}

static double angle_through_text(double value_rad)
{
    char text[32];
    snprintf(text, sizeof text, DIGITS, DEG_PER_RAD * value_rad);
    return 1e-3 * strtod(text, NULL) * (1e3 * RAD_PER_DEG);
}

void beamform_command_line_round(sac_beamform_desc *desc)
{
    for (int i = 0; i < 3; i++) {
        const bool is_angle = i == 0 && desc->grid_kind == SAC_GRID_SECTOR;
        double (*const round)(double) = is_angle ? angle_through_text : through_text;
        desc->grid.first_m[i] = round(desc->grid.first_m[i]);
        desc->grid.last_m[i] = round(desc->grid.last_m[i]);
        desc->picture.first_m[i] = through_text(desc->picture.first_m[i]);
        desc->picture.last_m[i] = through_text(desc->picture.last_m[i]);
        desc->sector.apex_m[i] = through_text(desc->sector.apex_m[i]);
    }
    desc->sector.radius_m = through_text(desc->sector.radius_m);
}

/* Where the input is; a listener of its own needs the key, too. */
static void put_input(FILE *file, const cli_beamform_job *job, const cli_listening_options *o)
{
    if (!o) {
        view_line_input(file, job->input);
        return;
    }
    view_line_put(file, "listen", o->listen);
    if (o->allow) {
        view_line_put(file, "allow", o->allow);
    }
    if (o->key) {
        view_line_put(file, "key", o->key);
    }
    view_line_put(file, "like", job->input);
}

char *beamform_command_line(const cli_beamform_job *job, const beamform_settings *settings,
                            const cli_listening_options *listening)
{
    view_line line;
    sac_beamform_desc desc = job->desc;
    view_line_begin(&line);
    if (view_settings_apply(&desc, sac_beamform_params(), &settings->common, &beamform_kind,
                            NULL) != SAC_OK) {
        desc = job->desc; /* they are being taken back */
    }
    fputs("saccade beamform", line.file);
    put_input(line.file, job, listening);
    view_line_options(line.file, sac_beamform_params(), &desc, "kind");
    put_grid(line.file, &desc);
    put_recording(line.file, job, settings, !listening);
    fputs(listening ? " -o live.png" : " -o picture.png", line.file);
    return view_line_end(&line);
}
