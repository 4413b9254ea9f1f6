/*
 * saccade delta: video to packets of what changed, and back.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "job.h"
#include "inputs.h"
#include "options.h"
#include "outputs.h"
#include "source.h"

#define FIELD(name) offsetof(cli_delta_options, name)

static const sac_param params[] = {
    {"output", CLI_STRING(output), "OUT",
     "what to write: a stream (.sdv, or an unknown ending) or, for decode, a video by its name as "
     "in saccade heatmap; - is standard output"},
    {"format", CLI_CHOICE(format, 0, cli_frame_formats), "PIXEL",
     "encode: pixels of raw frames, and of the encoded ones; auto: rgb, or gray if IN is gray. "
     "decode: pixels of the output; auto: as they were encoded"},
    {"json", CLI_STRING(json), "FILE",
     "write frames, bytes, times and the chosen variants as JSON; - is standard output"},
    {"size", CLI_INT2(size, 0, SAC_VIDEO_MAX_SIDE, 0, ""), "WxH",
     "encode: IN is raw frames of W x H pixels; 0: IN has its own size"},
    {"rate", CLI_STRING(rate), "RATE",
     "encode: frames per second, a number or N/D; default: as IN says, otherwise 25"},
    CLI_PARAM_DENOISE("it is encoded (the stream, also a lossless one, has the filtered frames)"),
};
enum { N_DECODE = 3 }; /* the first so many are decode's too */

static const sac_param_table own_options = CLI_TABLE("delta", cli_delta_options, params);
static const sac_param_table decode_options =
    CLI_TABLE_OF("delta", cli_delta_options, params, N_DECODE);

/* decode and info by themselves: the rest is the encoder's, and a stream says it itself. */
static const cli_command decode = {
    .name = "delta decode", .pipeline = sac_delta_decode_params, .own = &decode_options};
static const cli_command info = {
    .name = "delta info", .pipeline = sac_delta_decode_params, .own = &decode_options};

/* "25", "29.97", "30000/1001". */
static bool parse_rate(double *rate, const char *text)
{
    char *end = NULL;
    double num = strtod(text, &end), den = 1;
    bool sound = end != text;
    if (sound && *end == '/') {
        const char *rest = end + 1;
        den = strtod(rest, &end);
        sound = end != rest;
    }
    *rate = num / den;
    return sound && !*end && num > 0 && den > 0 && *rate >= 1e-3 && *rate <= 1e6;
}

/* Endings that say something else than a stream: video, pictures, data. */
static const char *const other_endings[] = {
    "mp4",  "m4v",  "mkv", "webm", "mov",  "avi",  "mpg",  "mpeg", "ts",
    "flv",  "wmv",  "y4m", "raw",  "yuv",  "gray", "rgb",  "bgr",  "rgba",
    "bgrx", "gif",  "png", "jpg",  "jpeg", "tif",  "tiff", "bmp",  "webp",
    "ppm",  "pgm",  "pbm", "pnm",  "pam",  "jp2",  "jxl",  "avif", "heic",
    "h5",   "hdf5", "npy", "mat",  "csv",  "json", "svg",  "txt",  "safetensors"};

/* A name that ends as something else would be a lie; other names are the caller's to choose. */
static int check_ending(const char *output)
{
    const char *dot = strrchr(cli_base_name(output), '.');
    for (size_t i = 0; dot && i < sizeof other_endings / sizeof *other_endings; i++) {
        if (strcasecmp(dot + 1, other_endings[i]) == 0) {
            return cli_misuse(&cli_delta,
                              "encode: writes a stream of its own, which ends in .sdv, not in %s; "
                              "decode makes a video of it",
                              dot);
        }
    }
    return CLI_DONE;
}

static int check(cli_delta_job *job, int n_operands)
{
    const cli_delta_options *o = &job->options;
    const char *what = job->what;
    if (n_operands < 2) {
        return cli_misuse(&cli_delta, "%s: no input given", what);
    }
    if (!o->output && strcmp(what, "info") != 0) {
        return cli_misuse(&cli_delta, "%s: no output given: -o OUT", what);
    }
    if ((o->output || o->format) && !strcmp(what, "info")) {
        return cli_misuse(&cli_delta, "info: writes no output; --json takes what it finds");
    }
    if (o->rate && !parse_rate(&job->rate, o->rate)) {
        return cli_misuse(&cli_delta,
                          "--rate: expected 0.001 to 1000000, a number or N/D, got `%s`", o->rate);
    }
    return CLI_DONE;
}

static int run_one(void *ctx, sac_device device, const char *input, const char *output,
                   cli_json *json)
{
    cli_delta_job job = *(cli_delta_job *)ctx;
    (void)device;
    job.input = input;
    job.options.output = output;
    job.json = json;
    return !strcmp(job.what, "encode") ? cli_delta_encode(&job) : cli_delta_decode(&job);
}

/* Of one video a folder is one of pictures. */
static int run_inputs(cli_delta_job *job, const cli_inputs *inputs)
{
    const cli_delta_options *o = &job->options;
    const bool encodes = strcmp(job->what, "encode") == 0;
    const cli_many many = {.command = &cli_delta,
                           .output = o->output,
                           .format = encodes ? "sdv" : "y4m",
                           .json = o->json,
                           .ctx = job,
                           .check = cli_frame_check_many,
                           .one = run_one};
    if (inputs->are_many) {
        return cli_inputs_run(inputs, &many);
    }
    int status = cli_frame_outputs(&cli_delta, inputs->path[0], o->output, o->json);
    status = status || !encodes ? status : check_ending(o->output);
    return status ? status
                  : run_one(job, (sac_device){SAC_DEVICE_CPU, 0}, inputs->path[0], o->output, NULL);
}

/* Which of the three it is; NULL: none. */
static const cli_command *find(const char *what)
{
    return !strcmp(what, "encode")   ? &cli_delta
           : !strcmp(what, "decode") ? &decode
           : !strcmp(what, "info")   ? &info
                                     : NULL;
}

static int run(int argc, char **argv)
{
    cli_delta_job job = {0};
    cli_inputs inputs;
    int n = argc;
    char **all = argv;
    int status = cli_parse(&cli_delta, &job.desc, &job.options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    job.what = argc ? argv[0] : "";
    const cli_command *command = find(job.what);
    if (!command) {
        return cli_misuse(&cli_delta, "expected encode, decode or info, got `%s`", job.what);
    }
    if (command != &cli_delta) { /* once more, by the options that it has */
        status = cli_parse(command, &job.decode, &job.options, &n, &all);
    }
    status = status == CLI_GO ? check(&job, argc) : status;
    status = status ? status : cli_inputs_open(&inputs, &cli_delta, argv + 1, argc - 1, NULL);
    if (status == CLI_DONE) {
        cli_catch_interrupts();
        status = run_inputs(&job, &inputs);
        cli_inputs_close(&inputs);
    }
    return status;
}

static const char encode_pipe[] = "ffmpeg -i in.mp4 -vsync passthrough -f yuv4mpegpipe - |\n"
                                  "    saccade delta encode - --threshold 0 -o clip.sdv";
static const char decode_pipe[] =
    "saccade delta decode clip.sdv -o - | ffmpeg -i - -pix_fmt yuv420p clip.mp4";

static const char *const examples[] = {"changes by more than 20 levels only",
                                       "saccade delta encode in.y4m --threshold 20 -o clip.sdv",
                                       "lossless, what FFmpeg decodes",
                                       encode_pipe,
                                       "back to a video",
                                       decode_pipe,
                                       "how small it is, and whether it is undamaged",
                                       "saccade delta info clip.sdv",
                                       NULL};

const cli_command cli_delta = {
    .name = "delta",
    .summary = "compress video: packets of changes, with a bounded error",
    .usage = "encode|decode|info IN... [-o OUT] [OPTION]...",
    .about =
        "encode writes a stream (.sdv) of packets with only the changes above the threshold: no\n"
        "channel of a pixel is ever off by more, and 0 is lossless. decode writes the video\n"
        "again, its colors in their original order; info decodes everything and tells what the\n"
        "stream contains. Of the options below, decode takes -o, --format, --json, --threads,\n"
        "--device and --variant, and info the last four of these. Y4M is coded as RGB. For several "
        "IN, or a\n"
        "pattern in quotes, OUT is a folder with one file for each. Ctrl-C finishes the current\n"
        "frame and closes OUT, which is then complete.",
    .examples = examples,
    CLI_RUNS(run, sac_delta_encode_params, &own_options),
};
