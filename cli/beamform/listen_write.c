/*
 * What saccade beamform --listen writes at its end.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "listen.h"

/* The acquisition of what was kept: where frames are missing in between, those that are there do
 * not have its rate, which flow and whoever else takes the file would believe. */
static sac_acquisition acquisition_of(const cli_beamform_live *l, const cli_beamform_keeper *k)
{
    sac_acquisition a = *l->job.desc.acquisition;
    if (k->has_gaps && a.frame_rate_hz > 0) {
        cli_warn("`%s`: frames are missing in between: it has no frame rate", k->path);
        a.frame_rate_hz = 0;
    }
    return a;
}

/* An image file that grew is given its name. */
static int commit(cli_beamform_live *l, const sac_acquisition *a)
{
    sac_image_info info = cli_beamform_info(&l->job, NULL);
    sac_error err = {0};
    info.frame_rate_hz = a->frame_rate_hz;
    return cli_or_error(CLI_DONE, sac_image_growing_commit(&l->images.file, &info, &err), &err);
}

/* All that was kept in a file without a name, as an array whose first axis counts it. */
static int write_spooled(cli_beamform_live *l, cli_beamform_keeper *k, const sac_acquisition *a)
{
    sac_array all = k->item;
    sac_error err = {0};
    if (!cli_beamform_spool_map(k)) {
        return cli_fail("`%s`: what is kept for it cannot be read: %s", k->path, strerror(errno));
    }
    all.data = k->data;
    all.shape[0] = k->n;
    all.stride[0] = (ptrdiff_t)k->bytes;
    return k == &l->images
               ? cli_beamform_write(&l->job, &all, a, NULL)
               : cli_or_error(CLI_DONE, sac_recording_write(k->path, &all, a, NULL, 0, &err), &err);
}

static int write_file(cli_beamform_live *l, cli_beamform_keeper *k)
{
    const sac_acquisition a = acquisition_of(l, k);
    const int status = k->file ? commit(l, &a) : write_spooled(l, k, &a);
    if (status != CLI_DONE && k->is_spooled) {
        cli_beamform_spool_rescue(k);
    }
    k->n = status == CLI_DONE ? k->n : 0;
    return status;
}

/* What is there is whole, but not all that came: no success. That nothing came is told of a run
 * that did not fail otherwise. */
static int tell(const cli_beamform_keeper *k, int status)
{
    if (k->cut) {
        const int told = cli_fail("`%s`: %s after %" PRId64 "%s", k->path, k->cut, k->n_kept,
                                  k->n > 0 ? ", which are in it" : "");
        return status ? status : told;
    }
    return status == CLI_DONE && k->stream && k->n == 0
               ? cli_fail("`%s`: no frame came that could be written", k->path)
               : status;
}

int cli_beamform_listen_write(cli_beamform_live *l, int status)
{
    cli_beamform_keeper *const keepers[] = {&l->images, &l->channels};
    sac_error err = {0};
    for (int i = 0; i < 2; i++) {
        const bool has_file = keepers[i]->file || keepers[i]->is_spooled;
        const int written = has_file && keepers[i]->n > 0 ? write_file(l, keepers[i]) : CLI_DONE;
        status = status ? status : written;
    }
    const int closed = cli_or_error(CLI_DONE, cli_beamform_film_close(&l->images.film, &err), &err);
    return tell(&l->channels, tell(&l->images, status ? status : closed));
}
