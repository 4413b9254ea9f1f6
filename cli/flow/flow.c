/*
 * saccade flow: Doppler of an ensemble of ultrasound images.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include <saccade/io.h>

#include "job.h"
#include "options.h"
#include "outputs.h"

#define FIELD(name) offsetof(cli_flow_options, name)

static const char *const carriers[] = {"pulse", "images", NULL};

static const sac_param params[] = {
    {"output", CLI_STRING(output), "OUT",
     "what to write, by its ending: png (and other picture formats: color over B-mode, with the "
     "velocities' bar; several ensembles give a numbered series), or h5, npy or tif (values)"},
    {"grid", CLI_STRING(grid), "X0:X1:NX,Z0:Z1:NZ",
     "of channel data: points to beamform, in mm; default: as saccade beamform has it"},
    {"f-number", CLI_FLOAT(f_number, 0, 100, 1.75, ""), "F",
     "of channel data: depth over width of the receive aperture; 0: all elements"},
    {"apodization", CLI_STRING(apodization), "WINDOW",
     "of channel data: rect, hann or tukey:A; default: tukey:0.25"},
    {"band", CLI_STRING(band), "MHZ",
     "of RF: the band to keep or wide, as saccade beamform has it; default: the pulse's"},
    {"carrier", CLI_CHOICE(carrier, 0, carriers), "WHICH",
     "frequency that velocities count by: pulse (fc) or images (their own mean frequency along z, "
     "which takes biases of the band and the aperture out), of color, color-power and variance"},
    {"color-range", CLI_FLOAT(color_range_db, 1, 200, 20, "dB"), "DB",
     "of a picture of velocities: colors cover its B-mode where the power is not farther below its "
     "maximum"},
    {"image-range", CLI_FLOAT(image_range_db, 1, 200, 50, "dB"), "DB", "of that B-mode"},
    CLI_ROWS_RECORDING,
    {"json", CLI_STRING(json), "FILE",
     "write times, rates and the chosen variants as JSON; - is standard output"},
    {"yes", CLI_FLAG(yes), "", "beamform even if more than half of the free memory is needed"},
};

static const sac_param_table own_options = CLI_TABLE("flow", cli_flow_options, params);

static int check_output(cli_flow_job *job)
{
    sac_error err = {0};
    const char *output = job->options.output;
    if (!output) {
        return cli_misuse(&cli_flow, "no output given: -o OUT");
    }
    job->is_picture = cli_beamform_is_picture(output);
    if (!job->is_picture) {
        return sac_image_can_write(output, &err) == SAC_OK ? CLI_DONE : cli_error(&err);
    }
    if (cli_beamform_is_movie(output) || strchr(cli_base_name(output), '%')) {
        return cli_misuse(&cli_flow, "`%s`: several ensembles give out-0000.png, ...; no movie",
                          output);
    }
    if (job->desc.kind == SAC_FLOW_VARIANCE) {
        return cli_misuse(&cli_flow,
                          "`%s`: pictures show power, color and directional; h5, npy and tif hold "
                          "the variance",
                          output);
    }
    return sac_picture_can_write(output, NULL, &err) == SAC_OK ? CLI_DONE : cli_error(&err);
}

/* The beamforming of channel data. */
static int make_beam(cli_flow_job *job)
{
    const cli_flow_options *o = &job->options;
    cli_beamform_job *b = &job->beam;
    sac_beamform_desc_init(&b->desc);
    b->desc.output = SAC_OUTPUT_IQ;
    b->desc.lri = job->desc.kind == SAC_FLOW_VECTOR;
    b->desc.f_number = o->f_number;
    b->desc.apodization = o->apodization;
    b->desc.band = o->band;
    b->desc.n_threads = job->desc.n_threads;
    b->desc.device = job->desc.device;
    b->options = (cli_beamform_options){.struct_size = sizeof b->options,
                                        .output = o->output,
                                        .grid = o->grid,
                                        .recording = o->recording,
                                        .yes = o->yes};
    b->input = job->input;
    b->output = o->output;
    b->take = cli_flow_take;
    b->take_ctx = job;
    const int status = cli_beamform_parse_grid(b);
    return status ? status : cli_recording_parse(&b->recording_desc, &cli_flow, &o->recording);
}

static int run(int argc, char **argv)
{
    cli_flow_job job = {0};
    int status = cli_parse(&cli_flow, &job.desc, &job.options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    if (argc != 1) {
        return cli_misuse(&cli_flow, argc ? "one input at a time, got %d" : "no input given", argc);
    }
    job.input = argv[0];
    if (job.desc.step && !job.desc.ensemble) {
        return cli_misuse(&cli_flow, "--step: is for --ensemble N: all frames are one");
    }
    if (cli_was_given("eigen") && (!job.desc.filter || strncmp(job.desc.filter, "svd:", 4) != 0)) {
        return cli_misuse(&cli_flow, "--eigen: is for --filter svd:...");
    }
    const char *const read[] = {job.input};
    const char *const written[] = {job.options.output, job.options.json};
    status = cli_inputs_kept(&cli_flow, read, 1, written, 2);
    status = status ? status : cli_outputs_apart(&cli_flow, written, 2, "-o and --json");
    status = status ? status : check_output(&job);
    if (status == CLI_DONE && job.is_picture) {
        const char *const others[] = {job.input, job.options.json};
        status = cli_series_apart(&cli_flow, job.options.output, others, 2);
    }
    status = status ? status : cli_report_check(job.options.json);
    status = status ? status : make_beam(&job);
    return status ? status : cli_flow_run(&job);
}

static const char *const defaults[] = {"eigen", "auto", NULL};

static const char *const examples[] = {
    "velocities of a rotating disk, over its B-mode",
    ("saccade flow PWI_disk.mat --grid -12.5:12.5:251,10:35:251 --f-number 1 --average 5 \\\n"
     "    -o disk.png"),
    "simulated blood in moving tissue, and what is left of the tissue",
    ("saccade simulate ultrasound --phantom vessel --transmits plane:1:0 --frames 64 \\\n"
     "    --clutter 40 --elements 64 --region -8:8,18:32 -o vessel.h5\n"
     "  saccade flow vessel.h5 --filter svd:auto --average 5 -o color.png\n"
     "  saccade flow vessel.h5 --filter svd:auto --kind power -o power.png"),
    "beamformed once, then ensembles of 32 frames, half of them shared by neighbours, as values",
    ("saccade beamform vessel.h5 --kind iq -o iq.h5\n"
     "  saccade flow iq.h5 --ensemble 32 --step 16 --filter polynomial:1 -o color.h5"),
    "vectors, from plane waves of three angles; along x and along z against the truth",
    ("saccade simulate ultrasound --phantom vessel --transmits plane:3:12 --frames 16 -o w.h5\n"
     "  saccade flow w.h5 --kind vector --average 5 -o vector.h5\n"
     "  saccade measure vector.h5 --flow --frame 0\n"
     "  saccade measure vector.h5 --flow --frame 1"),
    "against the truth of the simulation",
    ("saccade flow iq.h5 --filter svd:auto -o color.h5\n"
     "  saccade measure color.h5 --flow"),
    NULL};

const cli_command cli_flow = {
    .name = "flow",
    .summary = "Doppler of ultrasound images: power, velocity and direction",
    .usage = "IN -o OUT [OPTION]...",
    .about =
        "Velocity is that along the beam, by the phase between frames (lag-one autocorrelation,\n"
        "Kasai et al. 1985): positive and red toward the probe, negative and blue away. Above the\n"
        "Nyquist velocity c prf / (4 fc lag), which is printed, it comes out with the other sign.\n"
        "IN is IQ images, as saccade beamform --kind iq -o IN.h5 writes them, or channel data,\n"
        "which is beamformed first. Frames are one ensemble, or with --ensemble several. A wall\n"
        "filter takes out tissue: the slowest (polynomial), or what changes least over space and\n"
        "time (svd). Plane waves of two or more angles give vectors (--kind vector), of channel "
        "data\n"
        "or of images by beamform --lri. docs/flow.md has formulas and conventions.",
    .examples = examples,
    .defaults = defaults,
    CLI_RUNS(run, sac_flow_params, &own_options),
};
