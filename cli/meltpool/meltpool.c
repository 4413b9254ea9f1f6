/*
 * saccade meltpool: frames of a melt pool in, features and predicted pores out.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include <saccade/io.h>

#include "inputs.h"
#include "listening.h"
#include "job.h"
#include "layers.h"
#include "options.h"
#include "outputs.h"
#include "share.h"

#define FIELD(name) offsetof(cli_meltpool_options, name)

static const sac_param params[] = {
    {"output", CLI_STRING(output), "OUT",
     "the records: .h5, or .csv with one line per frame; - is CSV on standard output; for several "
     "IN a folder"},
    {"format", CLI_STRING(format), "ENDING", "of the outputs in a folder: h5 or csv; default: h5"},
    {"model", CLI_STRING(model), "FILE",
     "model that predicts pores, a safetensors file; none: no predictions. Default: the model that "
     "ships, which was trained on simulated builds only"},
    {"calibration", CLI_STRING(calibration), "FILE",
     "conversion of the signals' x and y to pixels: six numbers a b c d e f, column = a x + b y + "
     "c and row = d x + e y + f, as plain text or JSON; pixels: x and y are pixels; simulated: "
     "that of saccade simulate meltpool. Default: as IN says; needed for predictions with --locate "
     "laser"},
    {"json", CLI_STRING(json), "FILE",
     "write counts, times and predictions as JSON; - is standard output"},
    {"plot", CLI_STRING(plot), "FILE",
     "draw features over time, and the predicted pores over the layers, with the truth if IN has "
     "it, as PNG, SVG or PDF by its ending"},
    {"frame-area", CLI_FLOAT(frame_um2, 0, 1e12, 0, "um^2"), "A",
     "area of the layer per frame, to convert predicted densities to expected numbers of pores. 0: "
     "5000 for a simulation, otherwise unknown"},
    {"batch", CLI_INT(batch, 0, 65536, 0, "frames"), "N",
     "process N frames at once, and time batches; 0: one at a time, or with --threads some "
     "hundreds"},
    {"latency-budget", CLI_FLOAT(budget_us, 0, 1e9, 0, "us"), "US",
     "measure first, then use the batch size with the highest throughput for which 99 % of frames "
     "are done within US; 0: no"},
    {"layer-gap", CLI_FLOAT(layer_gap_s, 1e-9, 1e9, CLI_MELTPOOL_LAYER_GAP_S, "s"), "S",
     "if IN does not tell layers: the plot starts a new layer after this time without the laser"},
};

static const sac_param_table own_options = CLI_TABLE("meltpool", cli_meltpool_options, params);

/* No file is written twice, and none that is read. */
static int check_files(const cli_meltpool_job *job)
{
    const cli_meltpool_options *o = &job->options;
    const char *const read[] = {job->input, o->model, o->calibration};
    const char *const written[] = {o->output, o->json, o->plot};
    int status = cli_inputs_kept(&cli_meltpool, read, 3, written, 3);
    return status ? status : cli_outputs_apart(&cli_meltpool, written, 3, "-o, --json and --plot");
}

/* Before any work: everything that the command line alone can be wrong about. */
static int check(const cli_meltpool_job *job)
{
    const cli_meltpool_options *o = &job->options;
    sac_error err = {0};
    if (!o->output) {
        return cli_misuse(&cli_meltpool, "no output given: -o OUT");
    }
    if (o->budget_us > 0 && (o->batch > 0 || cli_was_given("resident"))) {
        return cli_misuse(
            &cli_meltpool,
            "--latency-budget chooses the batch size: expected no --batch and --resident");
    }
    int status = check_files(job);
    status = status ? status : cli_report_check(o->json);
    status = status ? status : cli_plot_check(&cli_meltpool, o->plot);
    if (status == CLI_DONE && sac_records_can_write(o->output, &err) != SAC_OK) {
        return cli_error(&err);
    }
    return status;
}

static int run_one(void *ctx, sac_device device, const char *input, const char *output,
                   cli_json *json)
{
    cli_meltpool_job *job = cli_grow(NULL, 0, 1, sizeof *job);
    *job = *(cli_meltpool_job *)ctx;
    job->desc.device = device;
    job->input = input;
    job->options.output = output;
    job->json = json;
    int status = cli_meltpool_run(job);
    free(job);
    return status;
}

static int check_one(void *ctx, const char *input, const char *output)
{
    cli_meltpool_job job = *(cli_meltpool_job *)ctx;
    job.input = input;
    job.options.output = output;
    return check(&job);
}

static int run_inputs(cli_meltpool_job *job, const cli_inputs *inputs)
{
    const cli_meltpool_options *o = &job->options;
    const cli_many many = {.command = &cli_meltpool,
                           .output = o->output,
                           .format = o->format ? o->format : "h5",
                           .json = o->json,
                           .device = job->desc.device,
                           .n_workers = 1, /* each frame is timed: no other is in its way */
                           .ctx = job,
                           .check = check_one,
                           .one = run_one};
    if (!o->output) {
        return cli_misuse(&cli_meltpool, "no output given: -o OUT");
    }
    if (o->plot && inputs->are_many) {
        return cli_misuse(&cli_meltpool, "--plot: one input expected, got %d", inputs->n);
    }
    const int status =
        inputs->are_many ? CLI_DONE : cli_share_refuse(&cli_meltpool, many.device, "there is one");
    return status ? status : cli_inputs_run(inputs, &many);
}

static int run(int argc, char **argv)
{
    static const char *const endings[] = {".h5", ".hdf5", NULL};
    if (argc > 1 && !strcmp(argv[1], "calibrate")) {
        return cli_meltpool_calibration.run(argc - 1, argv + 1);
    }
    if (cli_is_to_listen(argc, argv)) {
        return cli_meltpool_listen.run(argc, argv);
    }
    cli_inputs inputs;
    cli_meltpool_job *job = cli_grow(NULL, 0, 1, sizeof *job);
    int status = cli_parse(&cli_meltpool, &job->desc, &job->options, &argc, &argv);
    if (status == CLI_GO) {
        job->desc.device = cli_share_device(job->desc.device);
        job->rate_given = cli_was_given("rate");
        job->one_by_one = !cli_was_given("threads");
        status = cli_inputs_open(&inputs, &cli_meltpool, argv, argc, endings);
        if (status == CLI_DONE) {
            status = run_inputs(job, &inputs);
            cli_inputs_close(&inputs);
        }
    }
    free(job);
    return status;
}

static const char *const examples[] = {
    "a simulated build (simulate meltpool --seed 3000 -o build.h5), features and pores drawn",
    "saccade meltpool build.h5 -o records.h5 --plot build.png",
    "frames without signals, as CSV, without predictions",
    "saccade meltpool frames.h5 --locate brightest --model none -o features.csv",
    "a machine of one's own: where its laser is in the picture, and a model trained on its builds",
    "saccade meltpool day.h5 --calibration camera.txt --model mine.safetensors -o day.csv",
    "on a GPU, one frame at a time",
    "saccade meltpool build.h5 -o records.h5 --device cuda",
    "and 512 at once",
    "saccade meltpool build.h5 -o records.h5 --device cuda --batch 512",
    NULL};

const cli_command cli_meltpool = {
    .name = "meltpool",
    .summary = "melt-pool monitoring: features of each frame, and predicted pores",
    .usage = "IN.h5... -o OUT [OPTION]...",
    .about =
        "IN has small frames of a fast camera and usually the machine's signals: whether\n"
        "the laser is on, and where (docs/formats.md). Each frame with the laser on gives 40\n"
        "features and two densities of pores. Frames are processed one at a time on one thread,\n"
        "as they would come from the machine, and each is timed. With --threads or --batch they\n"
        "are processed in batches, and a frame's time is its batch's time divided by its frames.\n"
        "Times are for frames in memory; reading and writing are reported separately. Several IN\n"
        "are shared among GPUs by --device cuda:0,2 or cuda:all. To receive frames over a\n"
        "network: `saccade meltpool --listen --help`. To find a camera's calibration: `saccade\n"
        "meltpool calibrate --help`.",
    .examples = examples,
    CLI_RUNS(run, sac_meltpool_params, &own_options),
    .shared = CLI_SHARES_INPUTS,
    .next = &cli_meltpool_listen,
};
