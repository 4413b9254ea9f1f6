/*
 * What saccade heatmap, noise, denoise, adjust and, of videos, equalize share: frames in, a plan
 * over them, frames out.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_MOTION_JOB_H
#define CLI_MOTION_JOB_H

#include <saccade/equalize.h>
#include <saccade/io.h>
#include <saccade/motion.h>
#include <saccade/video.h>

#include "command.h"
#include "videos.h"
#include "json.h"

typedef struct cli_motion_options {
    size_t struct_size;
    const char *output, *json, *plot;
    int32_t size[2];
    int32_t format;  /* an index of cli_frame_inputs */
    int32_t chroma;  /* 0: as IN's, else 1 + sac_video_chroma */
    int32_t quality; /* of pictures that are written */
    int32_t denoise; /* before the difference: an index of cli_source_filters */
    bool overlay;
} cli_motion_options;

extern const char *const cli_motion_chromas[]; /* auto, then as sac_video_chroma */

/* Rows of the parameter table of a command whose options begin with cli_motion_options. */
#define CLI_PARAM_SIZE                                                                             \
    {                                                                                              \
        "size", SAC_PARAM_INT2, offsetof(cli_motion_options, size), 0, SAC_VIDEO_MAX_SIDE, 0,      \
            NULL, "", "WxH", "IN is raw frames of W x H pixels; 0: IN has its own size"            \
    }
#define CLI_PARAM_CHROMA                                                                           \
    {                                                                                              \
        "chroma", SAC_PARAM_CHOICE, offsetof(cli_motion_options, chroma), 0, 5, 0,                 \
            cli_motion_chromas, "", "CHROMA",                                                      \
            "color samples of a Y4M OUT: 444 has one per pixel; 422 and 420 have fewer "           \
            "(most players show only 420); "                                                       \
            "auto: as in IN, or 444 if IN is RGB"                                                  \
    }
#define CLI_PARAM_QUALITY                                                                          \
    {                                                                                              \
        "quality", SAC_PARAM_INT, offsetof(cli_motion_options, quality), 1, 100,                   \
            SAC_PICTURE_QUALITY, NULL, "", "N",                                                    \
            "quality of JPEG, WebP, HEIC, AVIF and JPEG XL; other formats are lossless"            \
    }

struct cli_motion_job;

/* One of the commands at work; `run` is given the frame before too. */
typedef struct cli_motion_kind {
    const cli_command *command;
    /* Opens the plan for frames as job->in; job->out, a copy of that, becomes what it makes. */
    sac_status (*open)(struct cli_motion_job *job, sac_error *err);
    sac_status (*run)(struct cli_motion_job *job, const sac_array *out, const sac_array *current,
                      const sac_array *previous, sac_error *err);
    const char *(*variant)(const struct cli_motion_job *job);
    void (*report)(const struct cli_motion_job *job, cli_json *json); /* its own; may be NULL */
    void (*close)(struct cli_motion_job *job);
    /* Members of the row of the frame that ran last: what changed in it; NULL: no such rows. */
    sac_status (*count)(const struct cli_motion_job *job, cli_json *row, const sac_array *current,
                        const sac_array *previous, sac_error *err);
} cli_motion_kind;

typedef struct cli_motion_job {
    const cli_motion_kind *kind;
    cli_motion_options options;
    const char *input;
    sac_video_info in, out;
    int32_t n_threads; /* this and device: as in desc */
    sac_device device;
    union {
        sac_heatmap_desc heatmap;
        sac_noise_desc noise;
        sac_denoise_desc denoise;
        sac_adjust_desc adjust;
        sac_equalize_desc equalize;
    } desc;
    union {
        sac_heatmap *heatmap;
        sac_noise *noise;
        sac_denoise *denoise;
        sac_adjust *adjust;
        sac_equalize *equalize;
    } plan;
    cli_json *json;     /* takes a row a video; NULL: options.json is this one's alone */
    uint64_t n_changed; /* pixels, of noise, in all frames */
    int64_t region[4];  /* w, h, x, y that are equalized; w 0: all */
} cli_motion_job;

extern const cli_motion_kind cli_adjust_kind;

/* Draws red, green and blue against the difference d: of the desc's map, or of all. Returns an exit
 * status. */
int cli_heat_maps_plot(const sac_heatmap_desc *desc, bool is_all, const char *path);

/*
 * Reads, runs, writes, reports, until the input ends or the program is interrupted: the frame in
 * work is then finished and the output closed. Returns an exit status.
 */
int cli_motion_run(cli_motion_job *job);

#endif
