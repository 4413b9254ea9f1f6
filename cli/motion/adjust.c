/*
 * What saccade adjust does with a frame.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "job.h"
#include "source.h"

static void say(void *ctx, sac_log_level level, const char *line)
{
    (void)ctx;
    if (level == SAC_LOG_WARNING) {
        cli_warn("%s", line);
    }
}

static sac_status open_adjust(cli_motion_job *job, sac_error *err)
{
    static const sac_log warnings = {say, NULL};
    sac_adjust_desc *desc = &job->desc.adjust;
    desc->w = job->in.w;
    desc->h = job->in.h;
    desc->n_channels = sac_video_channels(job->in.pixel);
    desc->order = cli_frame_order(job->in.pixel);
    desc->log = &warnings;
    return sac_adjust_open(&job->plan.adjust, desc, err);
}

static sac_status run_adjust(cli_motion_job *job, const sac_array *out, const sac_array *current,
                             const sac_array *previous, sac_error *err)
{
    (void)previous;
    return sac_adjust_run(job->plan.adjust, out, current, err);
}

static const char *adjust_variant(const cli_motion_job *job)
{
    return sac_adjust_get_variant(job->plan.adjust);
}

static void report_adjust(const cli_motion_job *job, cli_json *json)
{
    const sac_adjust_desc *desc = &job->desc.adjust;
    cli_json_real(json, "brightness_percent", desc->brightness);
    cli_json_real(json, "contrast", desc->contrast);
    cli_json_real(json, "saturation", desc->saturation);
    cli_json_real(json, "gain", desc->gain);
}

static void close_adjust(cli_motion_job *job)
{
    sac_adjust_close(&job->plan.adjust);
}

const cli_motion_kind cli_adjust_kind = {&cli_adjust,   open_adjust,  run_adjust, adjust_variant,
                                         report_adjust, close_adjust, NULL};
