/*
 * saccade beamform: ultrasound channel data in, B-mode pictures or images out.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/beamform.h>
#include <saccade/io.h>
#include <saccade/recording.h>

#include "job.h"
#include "inputs.h"
#include "listening.h"
#include "options.h"
#include "outputs.h"
#include "ranks/ranks.h"

#define FIELD(name) offsetof(cli_beamform_options, name)

static const sac_param params[] = {
    {"output", CLI_STRING(output), "OUT",
     "what to write, by its ending: png (and other picture formats: B-mode with axes; several "
     "frames give a numbered series, also out-%04d.png), y4m (a movie of them), h5, npy or tif "
     "(values); for several IN a folder"},
    {"format", CLI_STRING(format), "ENDING",
     "of the outputs in a folder: png, h5, npy, tif, ...; default: png (pgm where this build "
     "writes "
     "no PNG), or h5 of --kind iq and envelope"},
    CLI_ROWS_GRID,
    CLI_ROWS_RECORDING,
    {"delays", CLI_STRING(delays), "X,Z",
     "instead of an image write a table (CSV) of the delays and weights for this point (mm), one "
     "line per transmit and element, to OUT or standard output; X,Y,Z in a volume"},
    {"json", CLI_STRING(json), "FILE",
     "write times, points and the chosen variants as JSON; - is standard output"},
    {"yes", CLI_FLAG(yes), "", "run even if more than half of the free memory is needed"},
    {"resume", CLI_FLAG(resume), "",
     "of h5 and npy: go on with a run of the same command that was cut off, where it was"},
};

static const sac_param_table own_options = CLI_TABLE("beamform", cli_beamform_options, params);

static int parse_point(double p_m[3], const char *text)
{
    double a, b, c;
    int end = -1, n = text ? sscanf(text, "%lf,%lf%n,%lf%n", &a, &b, &end, &c, &end) : 0;
    if (!text) {
        return CLI_DONE;
    }
    if (n < 2 || text[end] || !isfinite(a) || !isfinite(b) || (n == 3 && !isfinite(c))) {
        return cli_misuse(&cli_beamform, "--delays: expected X,Z or X,Y,Z in mm, got `%s`", text);
    }
    p_m[0] = 1e-3 * a;
    p_m[1] = n == 3 ? 1e-3 * b : 0;
    p_m[2] = 1e-3 * (n == 3 ? c : b);
    return CLI_DONE;
}

/* The option had this name, and --output its values; none of them is a file's name. */
static int check_old_form(const cli_beamform_options *options)
{
    static const char *const kinds[] = {"iq", "envelope", "bmode", "gray"};
    for (size_t i = 0; options->output && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(options->output, kinds[i]) == 0) {
            return cli_misuse(&cli_beamform,
                              "--output %s: --output and -o are the file to write; what it holds "
                              "is --kind %s",
                              kinds[i], kinds[i]);
        }
    }
    return CLI_DONE;
}

/* Before any work: a picture shows not every kind, and not every format can be written. */
int cli_beamform_check_output(void *ctx, const char *input, const char *output)
{
    const cli_beamform_job *job = ctx;
    sac_error err = {0};
    (void)input;
    if (job->options.delays) {
        return cli_report_check(output);
    }
    if (job->options.resume && !cli_beamform_has_places(output)) {
        return cli_misuse(&cli_beamform, "`%s`: --resume goes on with h5 and npy alone", output);
    }
    if (cli_ranks() > 1 && !cli_beamform_has_places(output)) {
        return cli_misuse(&cli_beamform, "`%s`: several processes share h5 and npy alone", output);
    }
    if (!cli_beamform_is_picture(output)) {
        return sac_image_can_write(output, &err) == SAC_OK ? CLI_DONE : cli_error(&err);
    }
    if (job->desc.output != SAC_OUTPUT_BMODE && job->desc.output != SAC_OUTPUT_GRAY) {
        return cli_misuse(&cli_beamform,
                          "`%s`: a picture shows --kind bmode or gray; h5, npy and tif hold the "
                          "others",
                          output);
    }
    int status = cli_beamform_check_pattern(output);
    if (status || cli_beamform_is_movie(output)) {
        return status ? status : cli_report_check(output);
    }
    return sac_picture_can_write(output, NULL, &err) == SAC_OK ? CLI_DONE : cli_error(&err);
}

static int check_options(const cli_beamform_options *options, const cli_inputs *inputs,
                         const char *reduction)
{
    if (cli_was_given("reduction-loading") && (!reduction || strncmp(reduction, "mv", 2) != 0)) {
        return cli_misuse(&cli_beamform, "--reduction-loading: is for --reduction mv");
    }
    if (options->delays && options->json) {
        return cli_misuse(&cli_beamform, "--delays and --json exclude each other");
    }
    if (options->delays && inputs->n > 1) {
        return cli_misuse(&cli_beamform, "--delays: one input expected, got %d", inputs->n);
    }
    if (options->resume && options->delays) {
        return cli_misuse(&cli_beamform, "--delays and --resume exclude each other");
    }
    if (options->delays && cli_ranks() > 1) {
        return cli_misuse(&cli_beamform, "--delays: is for one process, and %d were started",
                          (int)cli_ranks());
    }
    if (!options->output && !options->delays) {
        return cli_misuse(&cli_beamform, "no output given: -o OUT");
    }
    return CLI_DONE;
}

/* The ending of outputs in a folder. */
static const char *format_of(const cli_beamform_job *job)
{
    bool has_values = job->desc.output == SAC_OUTPUT_IQ || job->desc.output == SAC_OUTPUT_ENVELOPE;
    return job->options.format                                 ? job->options.format
           : has_values                                        ? "h5"
           : sac_picture_can_write("-", "png", NULL) == SAC_OK ? "png"
                                                               : "pgm";
}

/* Of several GPUs all work on it: they share its frames. */
static int beamform_one(void *ctx, sac_device device, const char *input, const char *output,
                        cli_json *json)
{
    cli_beamform_job job = *(cli_beamform_job *)ctx; /* a grid of its own, where none is given */
    job.desc.device = device;
    job.input = input;
    job.output = output;
    job.json = json;
    return cli_beamform_run(&job);
}

/* What cannot be read becomes no picture. */
static bool is_several(void *ctx, const char *input)
{
    const cli_beamform_job *job = ctx;
    sac_recording_desc one = job->recording_desc;
    sac_recording *r = NULL;
    one.n_frames = 1;
    one.no_samples = true;
    if (sac_recording_read(&r, input, &one, NULL) != SAC_OK) {
        return false;
    }
    const int64_t wanted = job->recording_desc.n_frames;
    const int64_t n = wanted ? wanted : sac_recording_get_file_frames(r) - one.first_frame;
    const bool several =
        n > 1 || (job->desc.lri && sac_recording_get_acquisition(r)->n_transmits > 1);
    sac_recording_close(&r);
    return several;
}

static int run_inputs(cli_beamform_job *job, const cli_inputs *inputs)
{
    const cli_many many = {.command = &cli_beamform,
                           .output = job->options.output,
                           .format = format_of(job),
                           .json = job->options.json,
                           .device = job->desc.device,
                           .ctx = job,
                           .is_series = cli_beamform_is_series,
                           .is_several = is_several,
                           .check = cli_beamform_check_output,
                           .one = beamform_one};
    int status = check_options(&job->options, inputs, job->desc.reduction);
    return status ? status : cli_inputs_run(inputs, &many);
}

static int run(int argc, char **argv)
{
    static const char *const endings[] = {".h5", ".hdf5", ".mat", ".npy", ".uff", NULL};
    if (cli_is_to_listen(argc, argv)) {
        return cli_beamform_listen.run(argc, argv);
    }
    cli_beamform_job job = {0};
    cli_inputs inputs;
    int status = cli_parse(&cli_beamform, &job.desc, &job.options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    status = check_old_form(&job.options);
    status = status ? status : cli_beamform_parse_grid(&job);
    status = status ? status : parse_point(job.point_m, job.options.delays);
    status = status
                 ? status
                 : cli_recording_parse(&job.recording_desc, &cli_beamform, &job.options.recording);
    status = status ? status : cli_inputs_open(&inputs, &cli_beamform, argv, argc, endings);
    if (status == CLI_DONE) {
        status = run_inputs(&job, &inputs);
        cli_inputs_close(&inputs);
    }
    return status;
}

static const char *const examples[] = {
    "a B-mode picture of every frame, on a default grid",
    "saccade beamform PWI_disk.mat -o disk.png",
    "the same plane as others, f/1, 30 dB, all frames as values in dB",
    ("saccade beamform PWI_disk.mat --grid -12.5:12.5:251,10:35:251 --f-number 1 \\\n"
     "    --dynamic-range 30 -o disk.h5"),
    "on a GPU",
    "saccade beamform PWI_disk.mat --device cuda -o disk.png",
    "a long recording on all GPUs; after it was cut off the same line goes on",
    "saccade beamform long.h5 --device cuda:all --kind iq -o images.h5 --resume",
    "simulated data, from nothing to a picture",
    ("saccade simulate ultrasound --phantom points --transmits plane:11:16 -o points.h5\n"
     "  saccade beamform points.h5 -o points.png"),
    "all frames as a movie, which FFmpeg makes an MP4 of",
    ("saccade beamform PWI_disk.mat -o disk.y4m\n"
     "  ffmpeg -i disk.y4m disk.mp4"),
    "the same by 8 processes, also of several machines",
    "mpirun -n 8 saccade beamform long.h5 --kind iq -o images.h5 --resume",
    "a day's recordings, a picture of each",
    "saccade beamform day/ -o pictures/",
    "raw samples with what is known of them in raw.json, the rest here",
    "saccade beamform raw.npy --fs 20 --fc 5 --pitch 0.3 --transmits plane:1:0 -o raw.png",
    "scan lines of a curved array, each point from the line that is nearest",
    "saccade beamform lines.h5 --tx-apodization lines -o lines.png",
    "a sector of 90 degrees, in a picture and as polar values",
    ("saccade beamform phased.h5 --sector -45:45:256,5:100:512 -o sector.png\n"
     "  saccade beamform phased.h5 --sector -45:45:256,5:100:512 -o sector.h5"),
    "when each element hears the point 5 mm to the right at 30 mm",
    "saccade beamform points.h5 --delays 5,30",
    NULL};

const cli_command cli_beamform = {
    .name = "beamform",
    .summary = "ultrasound channel data to B-mode pictures",
    .also = "flow: Doppler of them",
    .usage = "IN... -o OUT [OPTION]...",
    .about =
        "Delay-and-sum: every point sums the samples that each element recorded when the echo of\n"
        "that point arrived. IN is channel data, RF or IQ: MAT v5 or v7.3 with the param struct\n"
        "of MUST and PyMUST, a Verasonics workspace (MAT), UFF of USTB, HDF5 of PICMUS, zea or\n"
        "saccade, or NPY with its metadata in a JSON file of the same name (docs/formats.md;\n"
        "saccade convert makes one of another). Options override the file's metadata. h5, npy and\n"
        "tif hold float32 (frames, z, x) (volumes: frames, z, y, x), B-mode in dB: 0 at each\n"
        "frame's maximum; with --kind gray 8 bits per point. Of a sector z are depths and x\n"
        "angles, until it is converted to a picture. A picture of a volume shows its middle\n"
        "plane. With --device cuda the GPU does all work except files, axes and --delays; many\n"
        "frames into h5 or npy several GPUs share: cuda:0,2 or cuda:all; and so do processes that\n"
        "mpirun or srun starts (docs/scale.md). Frames over a network: `saccade beamform\n"
        "--listen --help`.",
    .examples = examples,
    CLI_RUNS(run, sac_beamform_params, &own_options),
    .shared = CLI_SHARES_FRAMES,
    .next = &cli_beamform_listen,
};
