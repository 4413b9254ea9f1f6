/*
 * saccade delta: video to packets of what changed, and back.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "delta_job.h"
#include "options.h"
#include "outputs.h"

#define FIELD(name) offsetof(cli_delta_options, name)

static const sac_param params[] = {
    {"output", SAC_PARAM_STRING, FIELD(output), 0, 0, 0, NULL, "", "OUT",
     "what to write: a stream (.sdv) or, of decode, a video, by its name as of saccade heatmap; - "
     "is standard output"},
    {"size", SAC_PARAM_INT2, FIELD(size), 0, SAC_VIDEO_MAX_SIDE, 0, NULL, "", "WxH",
     "of encode: IN is raw frames of W x H pixels; 0: IN says its size itself"},
    {"format", SAC_PARAM_CHOICE, FIELD(format), 0, 5, 0, cli_frame_formats, "", "PIXEL",
     "pixels of raw frames, and of what is encoded; auto: rgb, or gray of a gray IN. A stream does "
     "not keep the order of colors"},
    {"json", SAC_PARAM_STRING, FIELD(json), 0, 0, 0, NULL, "", "FILE",
     "write frames, bytes, times and the chosen variants as JSON; - is standard output"},
};

static const sac_param_table own_options = {"delta", "", sizeof(cli_delta_options), params,
                                            sizeof params / sizeof *params};

static int check(const cli_delta_job *job, const char *what, int n_operands)
{
    const cli_delta_options *o = &job->options;
    if (n_operands != 2) {
        return cli_misuse(&cli_delta, n_operands < 2 ? "%s: no input given" : "%s: one input only",
                          what);
    }
    if (!o->output && strcmp(what, "info") != 0) {
        return cli_misuse(&cli_delta, "%s: no output given: -o OUT", what);
    }
    if (o->output && !strcmp(what, "info")) {
        return cli_misuse(&cli_delta, "info: writes no output; --json takes what it finds");
    }
    if (cli_is_dash(o->output) && cli_is_dash(o->json)) {
        return cli_misuse(&cli_delta, "standard output can take one of -o and --json");
    }
    if (o->output && cli_is_one_file(job->input, o->output)) {
        return cli_misuse(&cli_delta, "%s is the input and the output", o->output);
    }
    return cli_report_check(o->json);
}

static int run(int argc, char **argv)
{
    cli_delta_job job = {0};
    int status = cli_parse(&cli_delta, &job.desc, &job.options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    const char *what = argc ? argv[0] : "";
    bool encodes = !strcmp(what, "encode");
    if (!encodes && strcmp(what, "decode") != 0 && strcmp(what, "info") != 0) {
        return cli_misuse(&cli_delta, "expected encode, decode or info, got `%s`", what);
    }
    job.input = argc > 1 ? argv[1] : "";
    job.what = what;
    status = check(&job, what, argc);
    if (status) {
        return status;
    }
    cli_catch_interrupts();
    return encodes ? cli_delta_encode(&job) : cli_delta_decode(&job);
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
                                       "how small it became, and whether it is sound",
                                       "saccade delta info clip.sdv",
                                       NULL};

const cli_command cli_delta = {
    .name = "delta",
    .summary = "video as packets of what changed, with a bounded error",
    .usage = "encode|decode|info IN [-o OUT] [OPTION]...",
    .about = "encode writes a stream (.sdv) of packets that carry only what changed by more than\n"
             "the threshold: no channel of a pixel is ever off by more, and 0 is lossless. decode\n"
             "writes the video again; info decodes it all and tells what is in it. Of the options\n"
             "below, decode and info take --threads. Y4M is coded as RGB. Ctrl-C finishes the\n"
             "frame in work and closes OUT, which is whole then.",
    .examples = examples,
    .pipeline = sac_delta_encode_params,
    .own = &own_options,
    .run = run,
};
