/*
 * saccade receive: what saccade send sends, into a window and files.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include <strings.h>

#include "live.h"
#include "options.h"
#include "outputs.h"
#include "videos.h"

#define FIELD(name) offsetof(cli_live_receive_options, name)

static const char *const views[] = {"original", "heat", "noise", NULL};

static const sac_param params[] = {
    {"output", CLI_STRING(output), "FILE",
     "record: .sdv, the packets exactly as they come; .y4m, frames without compression; .mp4 or "
     ".mkv, smaller and not exact. The file of this name is replaced with the first frame. -: "
     "packets on standard output"},
    {"show", CLI_FLAG(show), "", "show the frames in a window"},
    {"view", CLI_CHOICE(view, CLI_LIVE_ORIGINAL, views), "VIEW",
     "what is shown, and recorded but as .sdv: the frames, or what changes in them, as saccade "
     "heatmap and saccade noise have it"},
    {"passphrase-file", CLI_STRING(passphrase_file), "FILE",
     "take only what is encrypted with the passphrase that is this file's first line"},
    {"seconds", CLI_FLOAT(seconds, 0, 1e9, 0, "s"), "S",
     "end after this time; 0: when interrupted"},
    {"silence-exit", CLI_FLOAT(silence_s, 0, 1e9, 0, "s"), "SECONDS",
     "end after this time without a frame, also at the start; 0: never"},
    {"frames", CLI_INT(frames, 0, INT32_MAX, 0, ""), "N", "end after N frames; 0: never"},
    {"json", CLI_STRING(json), "FILE",
     "write the summary as JSON, and a row for each second; - is standard output"},
};

static const sac_param_table own_options = CLI_TABLE("receive", cli_live_receive_options, params);

cli_live_format cli_live_format_of(const char *output)
{
    static const struct {
        const char *ending;
        cli_live_format format;
    } formats[] = {{".sdv", CLI_LIVE_SDV},
                   {".y4m", CLI_LIVE_Y4M},
                   {".mp4", CLI_LIVE_MP4},
                   {".mkv", CLI_LIVE_MKV}};
    const char *dot = cli_is_dash(output) ? ".sdv" : strrchr(cli_base_name(output), '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++) {
        if (strcasecmp(dot, formats[i].ending) == 0) {
            return formats[i].format;
        }
    }
    return CLI_LIVE_NO_FORMAT;
}

static int check(cli_live_receive_job *job, int n_operands, char **operands)
{
    const cli_live_receive_options *o = &job->options;
    const char *const written[] = {o->output, o->json};
    if (n_operands != 1) {
        return n_operands == 0
                   ? cli_misuse(&cli_live_receive, "no address given: tcp://:5000, for example")
                   : cli_misuse(&cli_live_receive, "takes one address, got also %s", operands[1]);
    }
    job->from = operands[0];
    int status = cli_live_check_uri(&cli_live_receive, "", job->from);
    if (status == CLI_DONE && o->output && !cli_live_format_of(o->output)) {
        return cli_misuse(&cli_live_receive,
                          "--output: expected the ending .sdv, .y4m, .mp4 or .mkv, got `%s`",
                          o->output);
    }
    status = status ? status : cli_outputs_apart(&cli_live_receive, written, 2, "-o and --json");
    status =
        status ? status : cli_inputs_kept(&cli_live_receive, &o->passphrase_file, 1, written, 2);
    status = status ? status : cli_live_check_passphrase(o->passphrase_file);
    status = status ? status : cli_report_check(o->output);
    return status ? status : cli_report_check(o->json);
}

static int run(int argc, char **argv)
{
    cli_live_receive_job job = {0};
    int status = cli_parse(&cli_live_receive, &job.decode, &job.options, &argc, &argv);
    status = status == CLI_GO ? check(&job, argc, argv) : status;
    return status == CLI_DONE && job.from ? cli_live_receive_run(&job) : status;
}

static const char recorded[] = "saccade receive udp://:5000 -o day.sdv --seconds 3600\n"
                               "  saccade delta decode day.sdv -o - | ffmpeg -i - day.mp4";

static const char *const examples[] = {
    "wait for a sender, and show what it sends",
    "saccade receive tcp://:5000 --show",
    "what changes in it, from a sender that waits for receivers",
    "saccade receive srt://192.168.1.5:5000 --passphrase-file secret.txt --view heat --show",
    "record exactly what comes, for an hour; then make a film of it",
    recorded,
    "a film at once; in a script: ends 10 s after the last frame",
    "saccade receive tcp://:5000 -o day.mkv --silence-exit 10 --json day.json",
    NULL};

const cli_command cli_live_receive = {
    .name = "receive",
    .summary = "show and record what saccade send sends",
    .usage = "URI [-o FILE] [--show] [OPTION]...",
    .about =
        "Receives what `saccade send` sends. URI is srt, tcp or udp://HOST:PORT of a sender that\n"
        "waits, or without HOST (tcp://:5000) the port to wait for a sender at. A frame is shown\n"
        "and recorded whole and within the sender's threshold, or not at all: after a loss there\n"
        "is none until the next keyframe, which is asked for at once. Lines on standard input,\n"
        "such as `brightness 10`, go to the sender: see `saccade send --help`. A line on the\n"
        "terminal shows each second what came, and how old frames were when they were shown;\n"
        "Ctrl-C ends with a summary and leaves whole files. A sender that goes away is reported\n"
        "and awaited again.",
    .examples = examples,
    CLI_RUNS(run, sac_delta_decode_params, &own_options),
};
