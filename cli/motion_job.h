/*
 * What saccade heatmap, noise and denoise share: frames in, a plan over them, frames out.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_MOTION_JOB_H
#define CLI_MOTION_JOB_H

#include <saccade/motion.h>
#include <saccade/video.h>

#include "command.h"
#include "json.h"

typedef struct cli_motion_options {
    size_t struct_size;
    const char *output, *json;
    int32_t size[2];
    int32_t format;  /* 0: none given, else 1 + sac_video_pixel */
    int32_t denoise; /* 0: no filter before the difference, else 1 + sac_denoise_method */
    bool overlay;
} cli_motion_options;

struct cli_motion_job;

/* One of the three commands at work; `run` is given the frame before too. */
typedef struct cli_motion_kind {
    const cli_command *command;
    /* Opens the plan for frames as job->in; job->out, a copy of that, becomes what it makes. */
    sac_status (*open)(struct cli_motion_job *job, sac_error *err);
    sac_status (*run)(struct cli_motion_job *job, const sac_array *out, const sac_array *current,
                      const sac_array *previous, sac_error *err);
    const char *(*variant)(const struct cli_motion_job *job);
    void (*report)(const struct cli_motion_job *job, cli_json *json); /* its own; may be NULL */
    void (*close)(struct cli_motion_job *job);
} cli_motion_kind;

typedef struct cli_motion_job {
    const cli_motion_kind *kind;
    cli_motion_options options;
    const char *input;
    sac_video_info in, out;
    int32_t n_threads;
    union {
        sac_heatmap_desc heatmap;
        sac_noise_desc noise;
        sac_denoise_desc denoise;
    } desc;
    union {
        sac_heatmap *heatmap;
        sac_noise *noise;
        sac_denoise *denoise;
    } plan;
    cli_json *json;     /* takes a row a video; NULL: options.json is this one's alone */
    uint64_t n_changed; /* pixels, of noise, in all frames */
} cli_motion_job;

/*
 * Reads, runs, writes, reports, until the input ends or the program is interrupted: the frame in
 * work is then finished and the output closed. Returns an exit status.
 */
int cli_motion_run(cli_motion_job *job);

#endif
