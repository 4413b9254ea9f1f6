/*
 * saccade equalize: pictures or a video in, equalized ones out.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <saccade/equalize.h>
#include <saccade/io.h>

#include "files.h"
#include "video.h"
#include "inputs.h"
#include "options.h"
#include "outputs.h"
#include "packets.h"
#include "pictures.h"
#include "ranks/ranks.h"
#include "share.h"

typedef struct equalize_options {
    cli_motion_options video; /* first; `output` and `json` (here --stats) are pictures', too */
    const char *format, *roi, *plot, *grid, *block;
    int32_t max_pixels, page;
    bool hsv;
} equalize_options;

#define FIELD(name) offsetof(equalize_options, name)

static const sac_param params[] = {
    {"output", CLI_STRING(video.output), "OUT",
     "the picture to write, its format by its ending; - is standard output. A folder (existing, or "
     "a name that ends in /, which is created) keeps each input's name. May be the input itself. "
     "For a video as in saccade heatmap: .y4m, .raw, out-%04d.png, ..."},
    {"format", CLI_STRING(format), "FMT",
     "write this format (ppm, pam, png, jpg, tif, webp, ...) and ignore the ending of OUT; in a "
     "folder names get this ending. For a video its pixels, as in saccade heatmap: gray, rgb, bgr, "
     "rgba, bgrx, nv12 or i420"},
    CLI_PARAM_QUALITY,
    {"page", CLI_INT(page, 0, INT32_MAX, 0, ""), "N",
     "which picture of a file with several (TIFF, GIF, WebP, PNM, ...), from 1; 0: the first, with "
     "a warning"},
    CLI_PARAM_MAX_PIXELS(FIELD(max_pixels)),
    CLI_PARAM_SIZE,
    CLI_PARAM_CHROMA,
    {"roi", CLI_STRING(roi), "WxH+X+Y",
     "equalize only this region, W x H pixels with its upper left one at (X, Y), by its own "
     "histogram; the rest is unchanged"},
    {"stats", CLI_STRING(video.json), "FILE.json",
     "write times and histograms as JSON, one row per picture; for a video its frames and times; - "
     "is standard output"},
    {"plot", CLI_STRING(plot), "FILE",
     "draw each picture's histogram and cumulative sum, before and after, as PNG, SVG or PDF by "
     "its ending"},
    {"hsv", CLI_FLAG(hsv), NULL,
     "as Duong's program does it, by way of HSV in floats: RGB of 8 bits; the picture may differ "
     "by "
     "1 from the exact one"},
    {"grid", CLI_STRING(grid), "X,Y,Z",
     "on a GPU, with --block: launch each step of --hsv, which this implies, as so many blocks"},
    {"block", CLI_STRING(block), "X,Y,Z", "on a GPU, with --grid: threads per block"},
};

static const sac_param_table own_options = CLI_TABLE("equalize", equalize_options, params);

static int parse_roi(cli_equalize_job *job, const char *text)
{
    int end = -1;
    bool good =
        !text || (sscanf(text, "%" SCNd64 "x%" SCNd64 "+%" SCNd64 "+%" SCNd64 "%n", &job->w,
                         &job->h, &job->x, &job->y, &end) == 4 &&
                  text[end] == '\0' && job->w > 0 && job->h > 0 && job->x >= 0 && job->y >= 0);
    job->roi = text;
    return good ? CLI_DONE
                : cli_misuse(&cli_equalize, "--roi: expected WxH+X+Y, as 640x480+0+0, got `%s`",
                             text);
}

/* Before any work: names that cannot be written are reported, and become NULL where others remain.
 */
static int check_outputs(char **outputs, int n, const char *format)
{
    for (int i = 0; i < n; i++) {
        sac_error err = {0};
        if (sac_picture_can_write(outputs[i], format, &err) != SAC_OK) {
            int status = cli_error(&err);
            if (n == 1) {
                return status;
            }
            free(outputs[i]);
            outputs[i] = NULL;
        }
    }
    return CLI_DONE;
}

/* Before any work: options that no picture could be equalized with. */
static int check_options(const sac_equalize_desc *desc)
{
    sac_error err[2] = {{0}};
    sac_device each[SAC_MAX_DEVICES];
    int32_t n;
    if (sac_device_list(each, &n, desc->device, &err[0]) != SAC_OK) {
        return cli_error(&err[0]);
    }
    for (int deep = 0; deep < 2; deep++) {
        sac_equalize *plan = NULL;
        sac_equalize_desc probe = *desc;
        probe.dtype = deep ? SAC_U16 : SAC_U8;
        probe.w = probe.h = 64; /* room for any grid of tiles */
        probe.n_channels = 3;
        probe.n_threads = 1;
        probe.device = each[0];
        sac_status st = sac_equalize_open(&plan, &probe, &err[deep]);
        sac_equalize_close(&plan);
        if (st == SAC_OK) {
            return CLI_DONE;
        }
    }
    return cli_error(&err[0]);
}

/* What processes or GPUs would share must be independent of each other. */
static int check_sharing(const sac_equalize_desc *desc, const cli_inputs *inputs)
{
    const bool is_smooth = desc->smooth > 0;
    if (is_smooth && cli_ranks() > 1) {
        return cli_misuse(&cli_equalize,
                          "--smooth goes from one input to the next, and %d processes were started",
                          (int)cli_ranks());
    }
    return is_smooth || !inputs->are_many
               ? cli_share_refuse(&cli_equalize, desc->device,
                                  inputs->are_many ? "--smooth goes from one to the next"
                                                   : "there is one")
               : CLI_DONE;
}

/* By way of HSV, if that is asked for; what the program has no option for is refused. */
static int check_hsv(cli_equalize_job *job, equalize_options *options)
{
    static const char *const others[] = {"bins", "clahe", "clip", "smooth", "threads", "variant"};
    const bool is_shaped = options->grid || options->block;
    if (is_shaped && job->desc.device.kind == SAC_DEVICE_CPU) {
        return cli_misuse(&cli_equalize, "--grid and --block are for --device cuda");
    }
    if (!options->grid != !options->block) {
        return cli_misuse(&cli_equalize, "--grid and --block go together");
    }
    job->by_hsv = options->hsv = options->hsv || is_shaped;
    for (size_t i = 0; job->by_hsv && i < sizeof others / sizeof *others; i++) {
        if (cli_was_given(others[i])) {
            return cli_misuse(&cli_equalize, "--%s is not for --hsv, --grid and --block",
                              others[i]);
        }
    }
    sac_ladder_hsv_desc_init(&job->hsv);
    job->hsv.device = job->desc.device;
    job->hsv.scale = job->desc.scale;
    int status = cli_launch_axes(job->hsv.grid, &cli_equalize, "grid", options->grid);
    return status ? status
                  : cli_launch_axes(job->hsv.block, &cli_equalize, "block", options->block);
}

/* No file is written twice, and none that is read. */
static int check_files(const equalize_options *options, char **inputs, char **outputs, int n)
{
    const char *const reports[] = {options->video.json, options->plot};
    int status = cli_inputs_kept(&cli_equalize, (const char *const *)inputs, n,
                                 (const char *const *)outputs, n);
    status = status ? status
                    : cli_inputs_kept(&cli_equalize, (const char *const *)inputs, n, reports, 2);
    for (int i = 0; i < n && !status; i++) {
        const char *const written[] = {outputs[i], options->video.json, options->plot};
        status = cli_outputs_apart(&cli_equalize, written, 3, "-o, --stats and --plot");
    }
    return status;
}

static int run_job(cli_equalize_job *job, const equalize_options *options, char **inputs,
                   char **outputs, int n)
{
    bool made = false;
    cli_json stats;
    int status = cli_inputs_check_reports(&cli_equalize, "stats", options->video.json);
    status = status ? status : cli_inputs_check_reports(&cli_equalize, "plot", options->plot);
    status = status ? status : cli_report_check(options->video.json);
    status = status ? status : cli_plot_check(&cli_equalize, options->plot);
    status = status ? status : cli_outputs_folder(&made, options->video.output);
    status = status ? status : check_outputs(outputs, n, options->format);
    status = status ? status : cli_ranks_part_inputs();
    if (status) {
        return status;
    }
    job->format = options->format;
    job->quality = options->video.quality;
    job->max_pixels = options->max_pixels;
    job->page = options->page;
    job->is_quiet = cli_is_dash(options->video.output) || cli_is_dash(options->video.json) ||
                    cli_is_dash(options->plot);
    job->lists = options->video.json != NULL;
    job->plots = options->plot != NULL;
    if (job->lists) {
        job->stats = &stats;
        cli_json_open_rows(&stats, 0, job->desc.device);
    }
    status = cli_equalize_files(job, inputs, outputs, n);
    if (job->lists) {
        int written = cli_json_write(&stats, options->video.json);
        status = status ? status : written;
    }
    if (job->n_pairs > 0) {
        int written = cli_equalize_plot(options->plot, job->pairs, job->n_pairs);
        status = status ? status : written;
    }
    if (made && status) {
        rmdir(options->video.output); /* goes only if nothing came into it */
    }
    free(job->pairs);
    return status;
}

/* Takes --format for the pixels of frames where it names some. */
static void take_pixels(equalize_options *options)
{
    for (int32_t i = 0; options->format && cli_frame_inputs[i]; i++) {
        if (strcmp(options->format, cli_frame_inputs[i]) == 0) {
            options->video.format = i;
            options->format = NULL;
        }
    }
}

static int run_video(const cli_equalize_job *job, const equalize_options *options,
                     const char *input)
{
    const char *not_here = options->plot                 ? "--plot"
                           : options->grid               ? "--grid"
                           : options->hsv                ? "--hsv"
                           : options->page               ? "--page"
                           : options->format             ? "--format of pictures"
                           : cli_was_given("max-pixels") ? "--max-pixels"
                                                         : NULL;
    if (not_here) {
        return cli_misuse(&cli_equalize, "%s is a video (or -o is), and %s is for pictures", input,
                          not_here);
    }
    cli_motion_job video = {.options = options->video,
                            .input = input,
                            .desc.equalize = job->desc,
                            .region = {job->w, job->h, job->x, job->y}};
    return cli_equalize_video(&video);
}

/* GIF is the one format that is written with fewer colors than a picture has. */
static void warn_of_gif(const equalize_options *options)
{
    const char *output = options->video.output, *dot = strrchr(output, '.');
    const char *format = options->format ? options->format : dot ? dot + 1 : "";
    if (strcasecmp(format, "gif") == 0) {
        cli_warn("GIF holds 256 colors: others are dithered");
    }
}

static int run_pictures(cli_equalize_job *job, const equalize_options *options, char **inputs,
                        int n)
{
    char **outputs = NULL;
    for (int i = 0; i < n && n > 1; i++) {
        if (strcmp(inputs[i], "-") != 0 &&
            (sac_video_is_y4m(inputs[i]) || cli_packets_is(inputs[i]))) {
            return cli_misuse(&cli_equalize, "%s is a video: one input expected, got %d", inputs[i],
                              n);
        }
    }
    int status = cli_outputs_name(&outputs, &cli_equalize, inputs, n, options->video.output,
                                  options->format);
    status = status ? status : check_files(options, inputs, outputs, n);
    if (!status) {
        warn_of_gif(options);
        status = run_job(job, options, inputs, outputs, n);
    }
    cli_outputs_free(outputs, n);
    return status;
}

static int run(int argc, char **argv)
{
    cli_equalize_job job = {0};
    equalize_options options = {0};
    cli_inputs inputs;
    int status = cli_parse(&cli_equalize, &job.desc, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    status = cli_inputs_open(&inputs, &cli_equalize, argv, argc, NULL);
    if (status) {
        return status;
    }
    job.desc.device = cli_share_device(job.desc.device);
    job.desc.n_threads = cli_ranks_threads(job.desc.n_threads);
    take_pixels(&options);
    status = options.video.output ? CLI_DONE : cli_misuse(&cli_equalize, "no output given: -o OUT");
    status = status ? status : check_sharing(&job.desc, &inputs);
    status = status ? status : parse_roi(&job, options.roi);
    status = status ? status : check_hsv(&job, &options);
    status = status ? status : check_options(&job.desc);
    if (status == CLI_DONE) {
        status = inputs.n == 1 && cli_ranks() == 1 &&
                         cli_equalize_is_video(inputs.path[0], &options.video)
                     ? run_video(&job, &options, inputs.path[0])
                     : run_pictures(&job, &options, inputs.path, inputs.n);
    }
    cli_inputs_close(&inputs);
    return status;
}

static const char *const examples[] = {
    "one picture, its format by the ending",
    "saccade equalize dark.jpg -o bright.png",
    "a whole folder, every name kept",
    "saccade equalize 'photos/*.jpg' -o equalized/",
    "locally, 8 x 8 tiles, noise held back; with histograms drawn",
    "saccade equalize xray.tif --clahe 8 --clip 3 -o clear.tif --plot clear.svg",
    "by Duong's program on a GPU, in one of its launch shapes",
    "saccade equalize dark.png -o bright.png --device cuda --grid 8 --block 8,8,4",
    "in a pipe, timed",
    "djpeg a.jpg | saccade equalize - --stats a.json -o - | pnmtopng > a.png",
    "a video, by FFmpeg on both sides; curves follow slowly, so that it does not flicker",
    ("ffmpeg -i in.mp4 -vsync passthrough -f yuv4mpegpipe - |\n"
     "    saccade equalize - --smooth 0.9 -o - | ffmpeg -i - out.mp4"),
    NULL};

const cli_command cli_equalize = {
    .name = "equalize",
    .summary = "histogram equalization of pictures and videos, exact and fast",
    .usage = "IN... -o OUT [OPTION]...",
    .about =
        "Spreads the brightness V = max(R, G, B) over its whole range and keeps hue and\n"
        "saturation: R, G and B of a pixel are scaled alike. Gray pictures are mapped by the\n"
        "same table; alpha is unchanged. 8 and 16 bits per sample. PNM and PAM are built in;\n"
        "other formats are read through libvips if the build has it (saccade info), and keep\n"
        "ICC profile and EXIF. IN may be - (standard input) or a pattern in quotes. A file is\n"
        "written completely or not at all. If one of several inputs fails, it is reported, and\n"
        "the others are still processed; --device cuda:0,2 or cuda:all shares several among\n"
        "GPUs. One line tells what is converted on reading (CMYK, a palette, float) or ignored\n"
        "(further pages). A video is a single IN: Y4M, raw frames (--size WxH), .sdv, a folder\n"
        "or in-%04d.png, as for saccade heatmap; frames then have 8 bits.",
    .examples = examples,
    CLI_RUNS(run, sac_equalize_params, &own_options),
    .shared = CLI_SHARES_INPUTS,
};
