/*
 * saccade heatmap, noise and denoise: what changes in a video, and less of what only flickers. And
 * saccade adjust: a camera's controls.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/measure_video.h>

#include "inputs.h"
#include "job.h"
#include "options.h"
#include "outputs.h"
#include "ranks/ranks.h"
#include "share.h"
#include "source.h"

#define FIELD(name) offsetof(cli_motion_options, name)

/* All but the first are of noise, all but the last of heatmap, and N_DENOISE of denoise and of
 * adjust. */
static const sac_param params[] = {
    {"plot", CLI_STRING(plot), "FILE",
     "without IN: draw red, green and blue of --map, or of every map, against the difference d, as "
     "PNG, SVG or PDF by its ending"},
    {"output", CLI_STRING(output), "OUT",
     "the video to write, by its name: .y4m; .raw, .gray, .rgb, .bgr, .rgba, .bgrx, .nv12 or "
     ".i420; pictures as out-%04d.png or a folder; - is standard output: Y4M, or raw if IN is raw"},
    CLI_PARAM_SIZE,
    {"format", CLI_CHOICE(format, 0, cli_frame_inputs), "PIXEL",
     "pixels of raw frames, and what frames of other kinds become; auto: by IN's ending (.bgr, "
     ".nv12, ...), else rgb, gray of a gray IN"},
    CLI_PARAM_CHROMA,
    CLI_PARAM_QUALITY,
    {"json", CLI_STRING(json), "FILE",
     "write frames, times and the chosen variants as JSON, and what changed, a row for each frame; "
     "- is standard output"},
    CLI_PARAM_DENOISE("the difference"),
    {"overlay", CLI_FLAG(overlay), "", "same as --view overlay: changes red on the previous frame"},
};

enum { N_DENOISE = 6, N_HEATMAP = 8, N_NOISE = 8 };

static const sac_param_table denoise_own =
    CLI_TABLE_OF("denoise", cli_motion_options, params + 1, N_DENOISE);
static const sac_param_table adjust_own =
    CLI_TABLE_OF("adjust", cli_motion_options, params + 1, N_DENOISE);
static const sac_param_table heatmap_own =
    CLI_TABLE_OF("heatmap", cli_motion_options, params, N_HEATMAP);
static const sac_param_table noise_own =
    CLI_TABLE_OF("noise", cli_motion_options, params + 1, N_NOISE);

static sac_status open_heatmap(cli_motion_job *job, sac_error *err)
{
    sac_heatmap_desc *desc = &job->desc.heatmap;
    desc->w = job->in.w;
    desc->h = job->in.h;
    desc->n_channels = sac_video_channels(job->in.pixel);
    desc->order = cli_frame_order(job->in.pixel);
    desc->keep_previous = desc->device.kind != SAC_DEVICE_CPU; /* saves a copy per frame */
    job->out.pixel = desc->n_channels == 1 ? SAC_PIXEL_RGB : job->in.pixel;
    return sac_heatmap_open(&job->plan.heatmap, desc, err);
}

static sac_status run_heatmap(cli_motion_job *job, const sac_array *out, const sac_array *current,
                              const sac_array *previous, sac_error *err)
{
    const bool is_kept = job->desc.heatmap.keep_previous && previous->data != current->data;
    return sac_heatmap_run(job->plan.heatmap, out, current, is_kept ? NULL : previous, err);
}

static void put_changed(const cli_motion_job *job, cli_json *row, uint64_t n)
{
    cli_json_uint(row, "changed_pixels", n);
    cli_json_real(row, "changed_share", (double)n / (double)(job->in.w * job->in.h));
}

static sac_status count_heatmap(const cli_motion_job *job, cli_json *row, const sac_array *current,
                                const sac_array *previous, sac_error *err)
{
    sac_frame_difference found;
    sac_status st = sac_measure_difference(&found, current, previous, err);
    if (st == SAC_OK) {
        put_changed(job, row, found.n_changed);
        cli_json_uint(row, "difference_sum", found.sum);
        cli_json_int(row, "difference_max", found.max);
    }
    return st;
}

static const char *heatmap_variant(const cli_motion_job *job)
{
    return sac_heatmap_get_variant(job->plan.heatmap);
}

static void close_heatmap(cli_motion_job *job)
{
    sac_heatmap_close(&job->plan.heatmap);
}

static sac_status open_noise(cli_motion_job *job, sac_error *err)
{
    sac_noise_desc *desc = &job->desc.noise;
    desc->w = job->in.w;
    desc->h = job->in.h;
    desc->n_channels = sac_video_channels(job->in.pixel);
    desc->order = cli_frame_order(job->in.pixel);
    desc->keep_previous = desc->device.kind != SAC_DEVICE_CPU; /* saves a copy per frame */
    if (job->options.overlay) {
        desc->view = SAC_NOISE_OVERLAY;
    }
    if (desc->view == SAC_NOISE_BITS) { /* a gray picture of eight pixels a byte */
        job->out.pixel = SAC_PIXEL_GRAY;
        job->out.w = (job->in.w + 7) / 8;
    }
    return sac_noise_open(&job->plan.noise, desc, err);
}

static sac_status run_noise(cli_motion_job *job, const sac_array *out, const sac_array *current,
                            const sac_array *previous, sac_error *err)
{
    const bool is_kept = job->desc.noise.keep_previous && previous->data != current->data;
    sac_status st = sac_noise_run(job->plan.noise, out, current, is_kept ? NULL : previous, err);
    job->n_changed += sac_noise_get_count(job->plan.noise);
    return st;
}

static sac_status count_noise(const cli_motion_job *job, cli_json *row, const sac_array *current,
                              const sac_array *previous, sac_error *err)
{
    (void)current;
    (void)previous;
    (void)err;
    put_changed(job, row, sac_noise_get_count(job->plan.noise));
    return SAC_OK;
}

static const char *noise_variant(const cli_motion_job *job)
{
    return sac_noise_get_variant(job->plan.noise);
}

static void report_noise(const cli_motion_job *job, cli_json *json)
{
    cli_json_int(json, "threshold", job->desc.noise.threshold);
    cli_json_uint(json, "changed_pixels", job->n_changed);
}

static void close_noise(cli_motion_job *job)
{
    sac_noise_close(&job->plan.noise);
}

static sac_status open_denoise(cli_motion_job *job, sac_error *err)
{
    sac_denoise_desc *desc = &job->desc.denoise;
    desc->w = job->in.w;
    desc->h = job->in.h;
    desc->n_channels = sac_video_channels(job->in.pixel);
    return sac_denoise_open(&job->plan.denoise, desc, err);
}

static sac_status run_denoise(cli_motion_job *job, const sac_array *out, const sac_array *current,
                              const sac_array *previous, sac_error *err)
{
    (void)previous;
    return sac_denoise_run(job->plan.denoise, out, current, err);
}

static const char *denoise_variant(const cli_motion_job *job)
{
    return sac_denoise_get_variant(job->plan.denoise);
}

static void report_denoise(const cli_motion_job *job, cli_json *json)
{
    cli_json_real(json, "noise_levels", sac_denoise_get_noise(job->plan.denoise));
}

static void close_denoise(cli_motion_job *job)
{
    sac_denoise_close(&job->plan.denoise);
}

static const cli_motion_kind heatmap_kind = {
    &cli_heatmap, open_heatmap, run_heatmap, heatmap_variant, NULL, close_heatmap, count_heatmap};
static const cli_motion_kind noise_kind = {&cli_noise,   open_noise,  run_noise,  noise_variant,
                                           report_noise, close_noise, count_noise};
static const cli_motion_kind denoise_kind = {
    &cli_denoise, open_denoise, run_denoise, denoise_variant, report_denoise, close_denoise, NULL};

/* What every desc has. */
#define OF_DESC(job, field)                                                                        \
    ((job)->kind == &heatmap_kind   ? &(job)->desc.heatmap.field                                   \
     : (job)->kind == &noise_kind   ? &(job)->desc.noise.field                                     \
     : (job)->kind == &denoise_kind ? &(job)->desc.denoise.field                                   \
                                    : &(job)->desc.adjust.field)

static void set_device(cli_motion_job *job, sac_device device)
{
    *OF_DESC(job, device) = job->device = device;
}

/* Of processes that were started together each has its share of the machine. */
static void take_common(cli_motion_job *job)
{
    int32_t *n_threads = OF_DESC(job, n_threads);
    *n_threads = job->n_threads = cli_ranks_threads(*n_threads);
    set_device(job, cli_share_device(*OF_DESC(job, device)));
}

static int run_one(void *ctx, sac_device device, const char *input, const char *output,
                   cli_json *json)
{
    cli_motion_job job = *(cli_motion_job *)ctx;
    set_device(&job, device);
    job.input = input;
    job.options.output = output;
    job.json = json;
    return cli_motion_run(&job);
}

static int plot_maps(const cli_motion_job *job, int n_inputs)
{
    if (n_inputs > 0 || job->options.output) {
        return cli_misuse(&cli_heatmap, "--plot goes without IN and -o OUT");
    }
    const int status = cli_plot_check(&cli_heatmap, job->options.plot);
    return status
               ? status
               : cli_heat_maps_plot(&job->desc.heatmap, !cli_was_given("map"), job->options.plot);
}

static int run(const cli_motion_kind *kind, int argc, char **argv)
{
    cli_motion_job job = {.kind = kind};
    cli_inputs inputs;
    int status = cli_parse(kind->command, &job.desc, &job.options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    if (job.options.plot) {
        status = cli_inputs_check_reports(kind->command, "plot", job.options.plot);
        return status ? status : plot_maps(&job, argc);
    }
    take_common(&job);
    status = cli_inputs_open(&inputs, kind->command, argv, argc, NULL);
    if (status) {
        return status;
    }
    if (!job.options.output) {
        status = cli_misuse(kind->command, "no output given: -o OUT");
    } else if (!inputs.are_many) { /* where a folder is one of pictures */
        status = cli_share_refuse(kind->command, job.device, "there is one");
        status =
            status ? status : run_one(&job, job.device, inputs.path[0], job.options.output, NULL);
    } else {
        const cli_many many = {.command = kind->command,
                               .output = job.options.output,
                               .json = job.options.json,
                               .device = job.device,
                               .ctx = &job,
                               .check = cli_frame_check_many,
                               .one = run_one};
        cli_catch_interrupts();
        status = cli_inputs_run(&inputs, &many);
    }
    cli_inputs_close(&inputs);
    return status;
}

static int run_heatmap_command(int argc, char **argv)
{
    return run(&heatmap_kind, argc, argv);
}

static int run_noise_command(int argc, char **argv)
{
    return run(&noise_kind, argc, argv);
}

static int run_denoise_command(int argc, char **argv)
{
    return run(&denoise_kind, argc, argv);
}

static int run_adjust_command(int argc, char **argv)
{
    return run(&cli_adjust_kind, argc, argv);
}

#define ABOUT_VIDEO                                                                                \
    "IN is Y4M, raw frames (--size WxH --format bgr), a delta stream (.sdv), pictures\n"           \
    "(in-%04d.png, or a folder) or -, standard input; what FFmpeg decodes comes through a\n"       \
    "pipe. For several videos, or a pattern in quotes, OUT is a folder with one file for\n"        \
    "each, and --device cuda:0,2 or cuda:all shares them among GPUs. Ctrl-C finishes the\n"        \
    "current frame and closes OUT, which is then complete."

/* FFmpeg's half of a pipe; it repeats and drops no frame. */
#define FFMPEG "ffmpeg -i in.mp4 -vsync passthrough -f yuv4mpegpipe - |\n    "

static const char heatmap_pipe[] = FFMPEG "saccade heatmap - -o - | ffmpeg -i - heat.mp4";
static const char noise_pipe[] = FFMPEG "saccade noise - --threshold 20 -o noise.y4m";
static const char denoise_pipe[] =
    FFMPEG "saccade denoise - --method temporal -o - | ffmpeg -i - clean.mp4";

static const char adjust_pipe[] =
    FFMPEG "saccade adjust - --brightness -5 --contrast 1.3 -o - | ffmpeg -i - out.mp4";

static const char *const heatmap_examples[] = {
    "any video, by FFmpeg on both sides",
    heatmap_pipe,
    "a Y4M file to numbered pictures, another map",
    "saccade heatmap in.y4m --map turbo -o heat-%04d.png",
    "raw frames, noise filtered away first",
    "saccade heatmap in.bgr --size 1920x1080 --format bgr --denoise median -o heat.bgr",
    "the colors of every map",
    "saccade heatmap --plot maps.svg",
    NULL};

const cli_command cli_heatmap = {
    .name = "heatmap",
    .summary = "heat map: how much each pixel of a video changes",
    .usage = "IN... -o OUT [OPTION]...",
    .about = "Colors each pixel by |R-R'| + |G-G'| + |B-B'|, 0 to 765, from the previous frame;\n"
             "the first frame is compared with itself, so that OUT has as many frames as "
             "IN.\n" ABOUT_VIDEO,
    .examples = heatmap_examples,
    CLI_RUNS(run_heatmap_command, sac_heatmap_params, &heatmap_own),
    .shared = CLI_SHARES_INPUTS,
};

static const char *const noise_examples[] = {
    "what a camera's noise would cost a stream: changes by more than 20 levels, red on black",
    noise_pipe,
    "red on the picture, with the count of changed pixels",
    "saccade noise in.y4m --overlay -o noise.y4m --json counts.json",
    "one bit per pixel, as raw bytes",
    "saccade noise in.y4m --view bits -o changed.raw",
    NULL};

const cli_command cli_noise = {
    .name = "noise",
    .summary = "which pixels of a video change beyond a threshold",
    .usage = "IN... -o OUT [OPTION]...",
    .about = "A pixel has changed where any of its colors differs from the previous frame by more\n"
             "than the threshold; the first frame is compared with itself.\n" ABOUT_VIDEO,
    .examples = noise_examples,
    CLI_RUNS(run_noise_command, sac_noise_params, &noise_own),
    .shared = CLI_SHARES_INPUTS,
};

static const char *const denoise_examples[] = {
    "a median over 3 x 3 pixels", "saccade denoise in.y4m --method median -o clean.y4m",
    "over time, weaker where the picture moves, in a pipe", denoise_pipe, NULL};

const cli_command cli_denoise = {
    .name = "denoise",
    .summary = "remove noise from a video: mean, Gaussian, median, or over time",
    .usage = "IN... -o OUT [OPTION]...",
    .about = "Filters each frame, in RGB; Y4M keeps its chroma format.\n" ABOUT_VIDEO,
    .examples = denoise_examples,
    CLI_RUNS(run_denoise_command, sac_denoise_params, &denoise_own),
    .shared = CLI_SHARES_INPUTS,
};

static const char *const adjust_examples[] = {"a dark video, twice as bright",
                                              "saccade adjust in.y4m --gain 2 -o bright.y4m",
                                              "more vivid colors; 0 takes them away",
                                              "saccade adjust in.y4m --saturation 1.5 -o vivid.y4m",
                                              "black pulled down and more contrast, in a pipe",
                                              adjust_pipe,
                                              NULL};

const cli_command cli_adjust = {
    .name = "adjust",
    .summary = "brightness, contrast, saturation and gain of a video",
    .usage = "IN... -o OUT [OPTION]...",
    .about =
        "With a pixel's luma Y = (38 R + 75 G + 15 B) / 128, each of its colors c becomes\n"
        "    gain contrast (Y + saturation (c - Y)) + 127.5 (1 - contrast) + 2.55 brightness\n"
        "rounded and clipped once, at the end; the defaults change nothing. Works in RGB; Y4M\n"
        "keeps its chroma format.\n" ABOUT_VIDEO,
    .examples = adjust_examples,
    CLI_RUNS(run_adjust_command, sac_adjust_params, &adjust_own),
    .shared = CLI_SHARES_INPUTS,
};
