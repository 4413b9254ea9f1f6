/*
 * The points that saccade beamform makes an image of: as the command line gives them, or as they
 * suit the array.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "job.h"
#include "options.h"
#include "outputs.h"

#define RAD_PER_DEG 0.017453292519943295

/* "A:B:N" in mm, into axis `axis`; returns what follows it, NULL where it is none. Ends that fall
 * are taken the other way round, with a word. */
static const char *parse_axis(sac_grid *grid, int axis, const char *text, const char *name)
{
    double a, b;
    int64_t n;
    int end = -1;
    if (sscanf(text, "%lf:%lf:%" SCNd64 "%n", &a, &b, &n, &end) != 3 || n < 1 || !isfinite(a) ||
        !isfinite(b)) {
        return NULL;
    }
    if (a > b) {
        const bool polar = strcmp(name, "sector") == 0;
        cli_warn("--%s: %s goes from %g down to %g %s: taken as %g:%g", name,
                 polar ? (const char *[]){"angle", "", "depth"}[axis]
                       : (const char *[]){"x", "y", "z"}[axis],
                 a, b, polar && axis == 0 ? "degrees" : "mm", b, a);
    }
    grid->first_m[axis] = 1e-3 * fmin(a, b);
    grid->last_m[axis] = 1e-3 * fmax(a, b);
    grid->n[axis] = n;
    return text + end;
}

/* Axes x, z or x, y, z; whether the text has them, and no more. */
static bool parse_axes(sac_grid *grid, const char *text, bool is_volume, const char *name)
{
    static const int plane[] = {0, 2}, volume[] = {0, 1, 2};
    const int *axes = is_volume ? volume : plane, n_axes = is_volume ? 3 : 2;
    sac_grid_init(grid);
    const char *rest = text;
    for (int i = 0; i < n_axes && rest; i++) {
        rest = i > 0 && *rest++ != ',' ? NULL : parse_axis(grid, axes[i], rest, name);
    }
    return rest && !*rest;
}

/* The sector's axes, of which the first is in degrees. */
static int parse_sector(cli_beamform_job *job)
{
    sac_grid *grid = &job->desc.grid;
    if (!parse_axes(grid, job->options.sector, false, "sector")) {
        return cli_misuse(cli_parsed(),
                          "--sector: expected A0:A1:NA,R0:R1:NR in degrees and mm, got `%s`",
                          job->options.sector);
    }
    grid->first_m[0] *= 1e3 * RAD_PER_DEG;
    grid->last_m[0] *= 1e3 * RAD_PER_DEG;
    job->desc.grid_kind = SAC_GRID_SECTOR;
    return CLI_DONE;
}

static int parse_points(cli_beamform_job *job)
{
    const cli_beamform_options *o = &job->options;
    const char *text = o->grid3 ? o->grid3 : o->grid;
    sac_grid_init(&job->desc.grid);
    job->has_grid = text || o->sector;
    if ((o->grid != NULL) + (o->grid3 != NULL) + (o->sector != NULL) > 1) {
        return cli_misuse(cli_parsed(), "--grid, --grid3 and --sector exclude each other");
    }
    if (text && !parse_axes(&job->desc.grid, text, o->grid3 != NULL, o->grid3 ? "grid3" : "grid")) {
        return cli_misuse(cli_parsed(), "--grid%s: expected %s in mm, got `%s`",
                          o->grid3 ? "3" : "",
                          o->grid3 ? "X0:X1:NX,Y0:Y1:NY,Z0:Z1:NZ" : "X0:X1:NX,Z0:Z1:NZ", text);
    }
    return o->sector ? parse_sector(job) : CLI_DONE;
}

/* What belongs to a sector, which the default grid may be, too. */
static int parse_sector_options(cli_beamform_job *job)
{
    const cli_beamform_options *o = &job->options;
    double *apex = job->desc.sector.apex_m, *radius = &job->desc.sector.radius_m;
    char more = 0;
    if ((o->apex || o->picture) && (o->grid || o->grid3)) {
        return cli_misuse(cli_parsed(), "--%s: is for a sector", o->apex ? "apex" : "picture");
    }
    if (o->apex && (sscanf(o->apex, "%lf,%lf,%lf%c", &apex[0], &apex[2], radius, &more) != 3 ||
                    !isfinite(apex[0] + apex[2]) || !isfinite(*radius) || *radius < 0)) {
        return cli_misuse(cli_parsed(), "--apex: expected X,Z,R in mm, got `%s`", o->apex);
    }
    apex[0] *= 1e-3;
    apex[2] *= 1e-3;
    *radius *= 1e-3;
    job->has_apex = o->apex != NULL;
    if (job->has_apex && !o->sector) {
        return cli_misuse(cli_parsed(), "--apex: is for --sector");
    }
    if (o->picture && strcmp(o->picture, "auto") != 0 &&
        !parse_axes(&job->picture, o->picture, false, "picture")) {
        return cli_misuse(cli_parsed(),
                          "--picture: expected auto or X0:X1:NX,Z0:Z1:NZ in mm, got `%s`",
                          o->picture);
    }
    return CLI_DONE;
}

int cli_beamform_parse_grid(cli_beamform_job *job)
{
    const int status = parse_points(job);
    return status ? status : parse_sector_options(job);
}

const sac_grid *cli_beamform_grid(const cli_beamform_job *job)
{
    return job->desc.picture.n[0] ? &job->desc.picture : &job->desc.grid;
}

/* Whether a file of this name may hold polar values: pictures show, and UFF has, cartesian ones. */
static bool takes_sectors(const char *path)
{
    return !cli_beamform_is_picture(path) && !cli_beamform_is_uff(path);
}

/* Refuses a picture that lies beside all of the sector. */
static sac_status check_shown(const sac_beamform_desc *d, sac_error *err)
{
    sac_grid all;
    sac_sector_picture(&all, &d->grid, &d->sector);
    for (int axis = 0; axis < 3; axis += 2) {
        if (d->picture.last_m[axis] < all.first_m[axis] ||
            d->picture.first_m[axis] > all.last_m[axis]) {
            err->status = SAC_E_INVALID;
            snprintf(err->text, sizeof err->text,
                     "--picture: shows nothing of the sector, whose %c goes from %.4g to %.4g mm",
                     "xyz"[axis], 1e3 * all.first_m[axis], 1e3 * all.last_m[axis]);
            return err->status;
        }
    }
    return SAC_OK;
}

sac_status cli_beamform_choose_grid(cli_beamform_job *job, int64_t n_samples, sac_error *err)
{
    sac_beamform_desc *d = &job->desc;
    sac_status st = SAC_OK;
    sac_grid grid;
    sac_sector sector;
    int32_t kind;
    if (!job->has_grid || (d->grid_kind == SAC_GRID_SECTOR && !job->has_apex)) {
        st = sac_grid_suit(&grid, &kind, &sector, d->acquisition, n_samples, err);
        if (st != SAC_OK) {
            return st;
        }
        d->sector = sector;
    }
    if (!job->has_grid && job->take && cli_beamform_is_picture(job->output)) {
        st = sac_grid_default(&d->grid, d->acquisition, n_samples, err); /* IQ is not converted */
    } else if (!job->has_grid) {
        d->grid = grid;
        d->grid_kind = kind;
        if (d->demodulate == SAC_DEMODULATE_NO) {
            d->grid.n[2] = 2 * d->grid.n[2] + 1; /* the carrier itself is sampled */
        }
    }
    if (d->grid_kind != SAC_GRID_SECTOR) {
        if (!job->options.picture) {
            return SAC_OK;
        }
        err->status = SAC_E_INVALID;
        snprintf(err->text, sizeof err->text, "--picture: is for a sector: see --sector");
        return err->status;
    }
    d->picture = job->picture;
    if (d->picture.n[0]) {
        d->picture.first_m[1] = d->picture.last_m[1] = d->sector.apex_m[1];
        return check_shown(d, err);
    }
    if (job->options.picture || (job->output && !takes_sectors(job->output))) {
        sac_sector_picture(&d->picture, &d->grid, &d->sector);
    }
    return st;
}
