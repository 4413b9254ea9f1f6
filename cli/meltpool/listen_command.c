/*
 * saccade meltpool --listen: a melt pool's frames as they come over a network.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "videos.h"
#include "listen.h"
#include "options.h"
#include "outputs.h"
#include "share.h"
#include "view/beside.h"

#define FIELD(name) offsetof(cli_listen_options, name)
#define MOST_PARAMS 64

static const sac_param params[] = {
    CLI_ROWS_LISTENING_FROM,
    {"reply", CLI_STRING(reply), "udp://HOST:PORT", "send each frame's result to this address"},
    {"output", CLI_STRING(output), "OUT",
     "the records: .h5, or .csv with one line per frame; - is CSV on standard output. Default: "
     "none"},
    {"record", CLI_STRING(record), "FILE.h5",
     "write the frames themselves, for saccade meltpool FILE.h5"},
    CLI_ROWS_LISTENING_UNTIL,
    {"size", CLI_INT2(size, 1, SAC_PACKET_MOST_SIDE, 96, "pixels"), "WxH", "size of every frame"},
    CLI_ROW_LISTENING_BUFFER,
    {"model", CLI_STRING(model), "FILE",
     "model that predicts pores, a safetensors file; none: no predictions. Default: the model that "
     "ships, which was trained on simulated builds only"},
    {"calibration", CLI_STRING(calibration), "FILE",
     "conversion of the signals' x and y to pixels, as for files; pixels: they are pixels; "
     "simulated: that of saccade simulate meltpool. Needed for predictions with --locate laser"},
    {"latency-budget", CLI_FLOAT(budget_us, 0, 1e9, 0, "us"), "US",
     "measure first, then use the batch size with the lowest latency at --rate, 99 % within US. 0: "
     "no limit, and measure only on a GPU with --rate and without --batch-max and --resident"},
    {"frame-area", CLI_FLOAT(frame_um2, 0, 1e12, 0, "um^2"), "A",
     "area of the layer per frame, to compute the expected number of pores; 5000 for a simulation. "
     "0: unknown"},
    CLI_ROW_LISTENING_JSON,
    CLI_ROWS_VIEW_BESIDE("the loop"),
};

static const sac_param_table own_options = CLI_TABLE("meltpool", cli_listen_options, params);

/* The analysis's, but the threads, since a frame is worked on by itself, by one, and the stream's,
 * with defaults for what comes by itself: a new frame is worth more than an old one, and an answer
 * within 10 ms, which is 10 mm of print. */
static const sac_param_table *plan_params(void)
{
    static sac_param all[MOST_PARAMS];
    static sac_param_table table = {"meltpool", "", sizeof(cli_listen_plan), all, 0};
    if (table.n_params == 0) {
        int32_t n = cli_listening_add_params(all, sac_meltpool_params(),
                                             offsetof(cli_listen_plan, meltpool), "threads");
        n += cli_listening_add_params(all + n, sac_stream_params(),
                                      offsetof(cli_listen_plan, stream), "threads");
        for (int32_t i = 0; i < n; i++) {
            all[i].def = !strcmp(all[i].name, "policy")     ? SAC_STREAM_DROP_OLDEST
                         : !strcmp(all[i].name, "capacity") ? 1024
                         : !strcmp(all[i].name, "deadline") ? 10000
                                                            : all[i].def;
        }
        table.n_params = n;
    }
    return &table;
}

static int check(cli_listen_options *o)
{
    const char *const read[] = {o->at.key, o->model, o->calibration, o->view.password_file};
    const char *const written[] = {o->output, o->record, o->at.json};
    sac_error err = {0};
    if (!o->at.listen) {
        return cli_misuse(&cli_meltpool_listen, "expected udp://HOST:PORT");
    }
    if (o->budget_us > 0 && (cli_was_given("batch-max") || cli_was_given("resident"))) {
        return cli_misuse(
            &cli_meltpool_listen,
            "--latency-budget chooses the batch size: expected no --batch-max and --resident");
    }
    int status = cli_inputs_kept(&cli_meltpool_listen, read, 4, written, 3);
    status = status
                 ? status
                 : cli_outputs_apart(&cli_meltpool_listen, written, 3, "-o, --record and --json");
    if (status) {
        return status;
    }
    if ((o->output && sac_records_can_write(o->output, &err) != SAC_OK) ||
        (o->record && sac_frames_can_write(o->record, &err) != SAC_OK)) {
        return cli_error(&err);
    }
    status = cli_report_check(o->at.json);
    return status ? status : view_beside_check(&cli_meltpool_listen, &o->view);
}

static int run(int argc, char **argv)
{
    if (argc == 3 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h"))) {
        cli_help(&cli_meltpool_listen, stdout); /* not where to listen */
        return CLI_DONE;
    }
    cli_listen *l = cli_grow(NULL, 0, 1, sizeof *l);
    int status = cli_parse(&cli_meltpool_listen, &l->plan, &l->options, &argc, &argv);
    if (status == CLI_GO) {
        status = argc == 0 ? check(&l->options)
                           : cli_misuse(&cli_meltpool_listen, "takes no input, got %s", argv[0]);
        status = status ? status
                        : cli_share_refuse(&cli_meltpool_listen, l->plan.meltpool.device,
                                           CLI_SHARE_SENSORS);
        status = status ? status : cli_listen_run(l);
    }
    free(l);
    return status;
}

static const char camera[] =
    "saccade meltpool --listen udp://0.0.0.0:5020 --allow 10.0.0.7 --reply udp://10.0.0.9:5021 "
    "--calibration camera.txt -o day.h5 --record frames.h5";
static const char script[] =
    "saccade meltpool --listen udp://127.0.0.1:5020 --calibration camera.txt "
    "--silence-exit 5 --json day.json";
static const char gpu[] =
    "saccade meltpool --listen udp://0.0.0.0:5020 --calibration camera.txt --device cuda "
    "--rate 50000";

static const char *const examples[] = {
    "receive the frames of a simulated camera on this machine;",
    "saccade meltpool --listen udp://127.0.0.1:5020 --calibration simulated --frame-area 5000",
    "and send them, for a minute",
    "saccade simulate meltpool --frames 1200000 --to udp://127.0.0.1:5020",
    "a real camera: only from its address, answers to the machine, everything recorded",
    camera,
    "a worker that never sleeps, on a CPU of its own",
    "saccade meltpool --listen udp://0.0.0.0:5020 --calibration camera.txt --cpu 3 --spin -1",
    "seen in a browser while it runs: the address is printed",
    "saccade meltpool --listen udp://0.0.0.0:5020 --calibration camera.txt -o day.h5 --view 8080",
    "in a script: ends 5 s after the last frame",
    script,
    "on a GPU, which reads frames where they are received; batches for this rate are measured",
    gpu,
    NULL};

const cli_command cli_meltpool_listen = {
    .name = "meltpool --listen",
    .summary = "the same, for frames that arrive over a network",
    .usage = "udp://HOST:PORT [OPTION]...",
    .about =
        "Receives frames as datagrams, whole or in fragments, processes each as it arrives, and\n"
        "counts everything else: frames that are lost, late or damaged, and foreign packets. A\n"
        "line on the terminal shows the progress; Ctrl-C ends it with a summary, and no accepted\n"
        "frame is lost. In the background of a script only SIGTERM (kill PID) ends it, because\n"
        "the shell makes it ignore SIGINT there. Files are written by a thread of their own: if\n"
        "a disk is too slow, frames are missing in the file and are counted, but the answers\n"
        "are not delayed.",
    .examples = examples,
    CLI_RUNS(run, plan_params, &own_options),
    .next = &cli_meltpool_calibration,
};
