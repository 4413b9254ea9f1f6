/*
 * saccade beamform --listen: ultrasound frames as they come over a network.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "listen.h"
#include "options.h"
#include "outputs.h"
#include "share.h"
#include "videos.h"
#include "view/beside.h"

#define FIELD(name) offsetof(cli_beamform_listen_options, name)
#define MOST_PARAMS 64
#define DEADLINE_US 100000 /* what a hand that moves a probe takes for now */
#define BATCH_MAX 16       /* whose latency is still that of few */

static const sac_param params[] = {
    CLI_ROWS_LISTENING_FROM,
    {"like", CLI_STRING(like), "IN",
     "a recording of such frames, of any length: it says transmits, elements, sampling and the "
     "samples' type and number. Frames of others are not taken, and are counted"},
    {"output", CLI_STRING(output), "OUT",
     "the images, by the ending, as of files: png and others (numbered by their frames), y4m (a "
     "movie), or values of all frames: h5 or npy, into which they go as they come, or tif or uff, "
     "written at the end. Default: none"},
    {"record", CLI_STRING(record), "FILE",
     "write the channel data as well: h5, npy or uff, written at the end"},
    {"to", CLI_STRING(to), "udp://HOST:PORT",
     "send each image to this address, as a frame (docs/frame-format.md), with a tag if there is "
     "a --key"},
    {"mtu", CLI_INT(mtu, 0, 65535, 0, "bytes"), "BYTES",
     "of --to: the largest datagram including IP and UDP headers; 0: 65535, the loopback's"},
    CLI_ROWS_LISTENING_UNTIL,
    CLI_ROW_LISTENING_BUFFER,
    CLI_ROWS_GRID,
    CLI_ROWS_METADATA,
    CLI_ROW_LISTENING_JSON,
    CLI_ROWS_VIEW_BESIDE("the frames that come"),
};

static const sac_param_table own_options =
    CLI_TABLE("beamform", cli_beamform_listen_options, params);

/* The pipeline's and the stream's, with defaults for what comes by itself: a new frame is worth
 * more than an old one. */
static const sac_param_table *plan_params(void)
{
    static sac_param all[MOST_PARAMS];
    static sac_param_table table = {"beamform", "", sizeof(cli_beamform_listen_plan), all, 0};
    if (table.n_params == 0) {
        int32_t n = cli_listening_add_params(all, sac_beamform_params(),
                                             offsetof(cli_beamform_listen_plan, beamform), "");
        n += cli_listening_add_params(all + n, sac_stream_params(),
                                      offsetof(cli_beamform_listen_plan, stream), "");
        for (int32_t i = 0; i < n; i++) {
            all[i].def = !strcmp(all[i].name, "policy")      ? SAC_STREAM_DROP_OLDEST
                         : !strcmp(all[i].name, "deadline")  ? DEADLINE_US
                         : !strcmp(all[i].name, "batch-max") ? BATCH_MAX
                                                             : all[i].def;
        }
        table.n_params = n;
    }
    return &table;
}

/* What the job of files has, too. */
static int prepare(cli_beamform_live *l)
{
    const cli_beamform_listen_options *o = &l->options;
    cli_beamform_job *job = &l->job;
    job->desc = l->plan.beamform;
    job->desc.struct_size = sizeof job->desc;
    job->options.grid = o->grid;
    job->options.grid3 = o->grid3;
    job->options.sector = o->sector;
    job->options.apex = o->apex;
    job->options.picture = o->picture;
    job->input = o->at.listen;
    job->output = o->output;
    const int status = cli_beamform_parse_grid(job);
    return status ? status
                  : cli_recording_parse(&job->recording_desc, &cli_beamform_listen, &o->recording);
}

static int check_files(cli_beamform_live *l)
{
    const cli_beamform_listen_options *o = &l->options;
    const char *const read[] = {o->at.key, o->like, o->view.password_file};
    char *metadata = cli_outputs_beside(o->record);
    const char *const written[] = {o->output, o->record, o->at.json, metadata};
    sac_error err = {0};
    int status = cli_inputs_kept(&cli_beamform_listen, read, 3, written, 4);
    status = status
                 ? status
                 : cli_outputs_apart(&cli_beamform_listen, written, 4, "-o, --record and --json");
    free(metadata);
    if (status == CLI_DONE && o->output && cli_beamform_is_series(o->output)) {
        const char *const others[] = {o->at.key, o->like, o->record, o->at.json,
                                      o->view.password_file};
        status = cli_series_apart(&cli_beamform_listen, o->output, others, 5);
    }
    if (status == CLI_DONE && o->output) {
        status =
            cli_is_dash(o->output) || cli_is_folder(o->output)
                ? cli_misuse(&cli_beamform_listen, "`%s`: expected the name of a file", o->output)
                : cli_beamform_check_output(&l->job, o->at.listen, o->output);
    }
    if (status == CLI_DONE && o->record && sac_recording_can_write(o->record, &err) != SAC_OK) {
        status = cli_error(&err);
    }
    status = status ? status : cli_report_check(o->at.json);
    return status ? status : view_beside_check(&cli_beamform_listen, &l->options.view);
}

static int check(cli_beamform_live *l)
{
    const cli_beamform_listen_options *o = &l->options;
    if (!o->at.listen) {
        return cli_misuse(&cli_beamform_listen, "expected udp://HOST:PORT");
    }
    if (!o->like) {
        return cli_misuse(&cli_beamform_listen,
                          "no --like IN: a recording of such frames, which says how they were "
                          "acquired");
    }
    if (o->mtu && !o->to) {
        return cli_misuse(&cli_beamform_listen, "--mtu is of no use without --to");
    }
    int status = cli_check_mtu(&cli_beamform_listen, o->mtu);
    status = status ? status : prepare(l);
    return status ? status : check_files(l);
}

static int run(int argc, char **argv)
{
    if (argc == 3 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h"))) {
        cli_help(&cli_beamform_listen, stdout); /* not where to listen */
        return CLI_DONE;
    }
    cli_beamform_live *l = cli_grow(NULL, 0, 1, sizeof *l);
    int status = cli_parse(&cli_beamform_listen, &l->plan, &l->options, &argc, &argv);
    if (status == CLI_GO) {
        status = argc == 0 ? check(l)
                           : cli_misuse(&cli_beamform_listen,
                                        "takes no input, got %s: a recording of such frames is "
                                        "--like",
                                        argv[0]);
        status = status ? status
                        : cli_share_refuse(&cli_beamform_listen, l->plan.beamform.device,
                                           CLI_SHARE_SENSORS);
        status = status ? status : cli_beamform_listen_run(l);
    }
    free(l);
    return status;
}

static const char scanner[] =
    "saccade beamform --listen udp://0.0.0.0:5030 --allow 10.0.0.7 --like scan.h5 --frames 1000 "
    "-o day.h5 --record channels.h5";
static const char display[] =
    "saccade beamform --listen udp://0.0.0.0:5030 --like scan.h5 --kind gray "
    "--to udp://10.0.0.9:5031 --json day.json";

static const char *const examples[] = {
    "a recording says what frames are like;",
    "saccade simulate ultrasound --phantom disk --transmits plane:1:0 --frames 8 -o disk.h5",
    "receive such frames until 2 s after the last, as pictures;",
    "saccade beamform --listen udp://127.0.0.1:5030 --like disk.h5 -o live.png --silence-exit 2",
    "and send them, from another shell",
    "saccade simulate ultrasound --to udp://127.0.0.1:5030 --input disk.h5 --rate 20 --repeat 10",
    "a scanner: only from its address, values and channel data of 1,000 frames",
    scanner,
    "images on to a display, with latencies as JSON",
    display,
    "seen in a browser while it runs: the address is printed",
    "saccade beamform --listen udp://0.0.0.0:5030 --like scan.h5 --record channels.h5 --view 8080",
    NULL};

const cli_command cli_beamform_listen = {
    .name = "beamform --listen",
    .summary = "the same, for frames that arrive over a network",
    .usage = "udp://HOST:PORT --like IN [OPTION]...",
    .about =
        "Receives channel data as datagrams, a frame in any number of fragments, beamforms each\n"
        "frame as it arrives, and counts everything else: frames that are lost, late or dropped,\n"
        "frames of another shape or type, and foreign packets. A line on the terminal shows the\n"
        "progress; Ctrl-C ends it with a summary, and no accepted frame is lost. In the\n"
        "background of a script only SIGTERM (kill PID) ends it, because the shell makes it\n"
        "ignore SIGINT there. Pictures are drawn by a thread of their own: where that is too\n"
        "slow, pictures are missing, and are counted, but no frame waits. Everything goes to the\n"
        "disk as it comes, channel data, tif and uff to a file without a name, from which they\n"
        "are written at the end: they take twice their room until then. When the disk is full\n"
        "it ends, writes what there is, and fails; what cannot be written stays, as OUT.raw.",
    .examples = examples,
    CLI_RUNS(run, plan_params, &own_options),
};
