/*
 * saccade equalize over a video: as heatmap and its kin read and write them, a plan for all frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "video.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "packets.h"

enum { W, H, X, Y }; /* of the region */

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool cli_equalize_is_video(const char *input, const cli_motion_options *options)
{
    return options->size[0] || options->format || strchr(input, '%') ||
           strchr(options->output, '%') || cli_frame_is_name(input) ||
           cli_frame_is_name(options->output) || is_folder(input) || cli_packets_is(input) ||
           sac_video_is_y4m(input); /* which takes what begins standard input */
}

/* The part of a frame that is equalized. */
static sac_status view(sac_array *part, const cli_motion_job *job, const sac_array *frame,
                       sac_error *err)
{
    sac_array rows;
    const int64_t *region = job->region;
    *part = *frame;
    if (!region[W]) {
        return SAC_OK;
    }
    sac_status st = sac_array_range(&rows, frame, 0, region[Y], region[H], err);
    return st ? st : sac_array_range(part, &rows, 1, region[X], region[W], err);
}

static sac_status open_plan(cli_motion_job *job, sac_error *err)
{
    sac_equalize_desc *desc = &job->desc.equalize;
    const int64_t *region = job->region;
    if (region[W] > job->in.w - region[X] || region[H] > job->in.h - region[Y]) {
        *err = (sac_error){.status = SAC_E_SHAPE};
        snprintf(err->text, sizeof err->text,
                 "`%s`: region %" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64
                 " does not fit in %" PRId64 "x%" PRId64 " pixels",
                 job->input, region[W], region[H], region[X], region[Y], job->in.w, job->in.h);
        return SAC_E_SHAPE;
    }
    desc->dtype = SAC_U8;
    desc->w = region[W] ? region[W] : job->in.w;
    desc->h = region[W] ? region[H] : job->in.h;
    desc->n_channels = sac_video_channels(job->in.pixel);
    return sac_equalize_open(&job->plan.equalize, desc, err);
}

static sac_status run_plan(cli_motion_job *job, const sac_array *out, const sac_array *current,
                           const sac_array *previous, sac_error *err)
{
    (void)previous;
    sac_array to, from;
    if (job->region[W]) {
        memcpy(out->data, current->data, (size_t)sac_array_count(current));
    }
    sac_status st = view(&to, job, out, err);
    st = st ? st : view(&from, job, current, err);
    return st ? st : sac_equalize_run(job->plan.equalize, &to, &from, err);
}

static const char *variant(const cli_motion_job *job)
{
    return sac_equalize_get_variant(job->plan.equalize);
}

static void close_plan(cli_motion_job *job)
{
    sac_equalize_close(&job->plan.equalize);
}

static const cli_motion_kind kind = {&cli_equalize, open_plan,  run_plan, variant,
                                     NULL,          close_plan, NULL};

int cli_equalize_video(cli_motion_job *job)
{
    job->kind = &kind;
    job->n_threads = job->desc.equalize.n_threads;
    job->device = job->desc.equalize.device;
    return cli_motion_run(job);
}
