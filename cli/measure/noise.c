/*
 * saccade measure --noise: a camera's noise from a clip of a still scene.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "noise.h"

#include <stdlib.h>

#include "options.h"
#include "outputs.h"

typedef struct noise_options {
    size_t struct_size;
    bool noise; /* what chose this form */
    int32_t size[2];
    int32_t format, bins;
    const char *json;
} noise_options;

#define FIELD(name) offsetof(noise_options, name)

static const sac_param params[] = {
    {"noise", CLI_FLAG(noise), NULL, "measure a camera's noise; CLIP shows a still scene"},
    {"size", CLI_INT2(size, 0, SAC_VIDEO_MAX_SIDE, 0, ""), "WxH",
     "CLIP is raw frames of W x H pixels; 0: CLIP has its own size"},
    {"format", CLI_CHOICE(format, 0, cli_frame_formats), "PIXEL",
     "pixels of raw frames, and what other frames become before they are measured, each channel by "
     "itself; auto: rgb, or gray of a gray CLIP. gray takes the luma of a Y4M file"},
    {"bins", CLI_INT(bins, 1, 256, 16, ""), "N", "equal classes of brightness"},
    {"json", CLI_STRING(json), "FILE",
     "write every row as JSON; - is standard output, and then no table is printed"},
};

static const sac_param_table own_options = CLI_TABLE("measure --noise", noise_options, params);

typedef struct work {
    cli_camera_noise *result;
    cli_source source;
    sac_camera_noise *noise;
    sac_array frame;
} work;

static sac_status step(void *ctx, sac_error *err)
{
    work *w = ctx;
    sac_status st = cli_source_read(&w->source, &w->frame, err);
    const int64_t start_ns = cli_clock_ns();
    if (st == SAC_OK) {
        st = sac_camera_noise_add(w->noise, &w->frame, err);
        w->result->n_frames += st == SAC_OK;
    }
    cli_frame_lap(&w->result->measure_ns, start_ns);
    return st;
}

static sac_status open_all(work *w, const noise_options *o, sac_error *err)
{
    cli_camera_noise *r = w->result;
    sac_camera_noise_desc desc;
    sac_camera_noise_desc_init(&desc);
    sac_status st = cli_source_open(&w->source, r->input, o->size, o->format, err);
    if (st != SAC_OK) {
        return st;
    }
    r->info = w->source.info;
    r->n_bins = o->bins;
    r->n_channels = sac_video_channels(r->info.pixel);
    desc.w = r->info.w;
    desc.h = r->info.h;
    desc.n_channels = r->n_channels;
    desc.n_bins = r->n_bins;
    w->frame = cli_frame_new(&r->info);
    return sac_camera_noise_open(&w->noise, &desc, err);
}

static sac_status take_figures(work *w, sac_error *err)
{
    cli_camera_noise *r = w->result;
    const size_t classes = (size_t)r->n_bins + 1;
    sac_status st = SAC_OK;
    r->figures = cli_grow(NULL, 0, (size_t)r->n_channels * classes, sizeof *r->figures);
    for (int32_t c = 0; st == SAC_OK && c < r->n_channels; c++) {
        st = sac_camera_noise_get_figures(w->noise, r->figures + (size_t)c * classes, c, err);
    }
    return st;
}

static int measure(cli_camera_noise *result, const noise_options *o)
{
    work w = {.result = result};
    sac_error err = {0};
    sac_status st = open_all(&w, o, &err);
    st = st ? st : cli_frame_each(step, &w, &result->n_frames, &err);
    int status = CLI_DONE;
    if (st != SAC_OK && st != SAC_END && st != SAC_CANCELLED) {
        status = cli_frame_error(&err, o->size, o->format);
    } else if (result->n_frames < 2) {
        status = cli_fail("%s: noise needs 2 frames or more, %s came", result->input,
                          result->n_frames ? "one" : "none");
    } else {
        status = cli_or_error(status, take_figures(&w, &err), &err);
    }
    result->read_ns = w.source.read_ns;
    sac_camera_noise_close(&w.noise);
    cli_source_close(&w.source);
    free(w.frame.data);
    return status;
}

static int run(int argc, char **argv)
{
    noise_options options;
    int status = cli_parse(&cli_measure_noise, NULL, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    if (argc != 1) {
        return cli_misuse(&cli_measure_noise, argc ? "one clip at a time, got %d" : "no clip given",
                          argc);
    }
    status = cli_frame_outputs(&cli_measure_noise, argv[0], NULL, options.json);
    if (status) {
        return status;
    }
    cli_catch_interrupts();
    cli_camera_noise noise = {.input = argv[0], .json = options.json};
    status = measure(&noise, &options);
    status = status ? status : cli_camera_noise_report(&noise);
    free(noise.figures);
    return status;
}

static const char of_a_video[] =
    "ffmpeg -i in.mp4 -frames:v 100 -vsync passthrough -f yuv4mpegpipe - |\n"
    "    saccade measure - --noise --format gray";

static const char *const examples[] = {
    "100 frames of a still, evenly lit target", of_a_video, "raw frames of a camera, as data",
    "saccade measure clip.bgr --noise --size 1920x1080 --format bgr --json noise.json", NULL};

const cli_command cli_measure_noise = {
    .name = "measure --noise",
    .summary = "a camera's noise by brightness, from a clip of a still scene",
    .usage = "CLIP [OPTION]...",
    .about =
        "Standard deviations in levels, for each class of brightness and for all together.\n"
        "Noise that is new in each frame: random (of single pixels), banding (of whole rows\n"
        "and columns), frame (of all pixels: flicker); temporal is all of it. What all frames\n"
        "share: fixed pattern of pixels, rows and columns. CLIP is read as by saccade\n"
        "heatmap, in one pass. Put the camera on a stand, aim at a plain surface out of\n"
        "focus, switch off automatic exposure and record 100 frames or more: texture counts\n"
        "as fixed pattern, motion as noise. docs/camera-noise.md explains the figures.",
    .examples = examples,
    CLI_RUNS(run, NULL, &own_options),
};
