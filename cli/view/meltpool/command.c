/*
 * saccade view of files of melt-pool frames: the command line.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "file.h"
#include "meltpool/layers.h"
#include "outputs.h"
#include "settings.h"
#include "videos.h"
#include "view/view.h"

#define FIELD(name) offsetof(meltpool_options, name)

typedef struct meltpool_options {
    cli_view_options view;
    const char *model, *calibration;
    double layer_gap_s;
    bool yes;
} meltpool_options;

static const sac_param params[] = {
    CLI_ROWS_VIEW,
    {"model", CLI_STRING(model), "FILE",
     "model that predicts pores, a safetensors file; none: no predictions. Default: the model that "
     "ships, which was trained on simulated builds only"},
    {"calibration", CLI_STRING(calibration), "FILE",
     "conversion of the signals' x and y to pixels, as saccade meltpool takes it. Default: as IN "
     "says; needed for predictions with --locate laser"},
    {"layer-gap", CLI_FLOAT(layer_gap_s, 1e-9, 1e9, CLI_MELTPOOL_LAYER_GAP_S, "s"), "S",
     "if IN does not tell layers: a new layer starts after this time without the laser"},
    {"yes", CLI_FLAG(yes), "", "run even if more than half of the free memory is needed"},
};

static const sac_param_table own_options = CLI_TABLE("view", meltpool_options, params);

/* HDF5 whose dataset is frames: channel data has others. */
static bool is_source(const char *source)
{
    sac_frames_in *in = NULL;
    if (!cli_ends_in(source, (const char *[]){".h5", ".hdf5", NULL})) {
        return false;
    }
    const bool is_one = sac_frames_open(&in, source, NULL) == SAC_OK;
    sac_frames_close(&in);
    return is_one;
}

static int serve(cli_meltpool_job *job, const meltpool_options *options)
{
    pool_settings settings;
    pool_file *file = NULL;
    int status = pool_file_open(&file, job, options->yes);
    if (status == CLI_DONE) {
        view_scene *common = pool_file_common(file);
        view_settings_init(&settings.common, common);
        view_settings_from(&settings.common, &pool_file_kind, sac_meltpool_params(), &job->desc);
        settings.density = POOL_BOTH;
        status = cli_view_run(common, &settings.common, &options->view);
    }
    pool_file_close(&file);
    return status;
}

static int run(int argc, char **argv)
{
    meltpool_options options;
    cli_meltpool_job job = {0};
    int status = cli_parse(&cli_view_meltpool, &job.desc, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    job.rate_given = cli_was_given("rate");
    job.options.model = options.model;
    job.options.calibration = options.calibration;
    job.options.layer_gap_s = options.layer_gap_s;
    status = cli_view_check(&cli_view_meltpool, &options.view, argc, argv);
    if (status == CLI_DONE) {
        job.input = argv[0];
        status = serve(&job, &options);
    }
    return status;
}

const cli_view_form cli_view_meltpool_form = {"meltpool", run, is_source};

static const char *const examples[] = {
    "a simulated build; --as meltpool may be left out where IN is such a file",
    ("saccade simulate meltpool --seed 3000 -o build.h5\n"
     "  saccade view build.h5"),
    "a loop that works on a camera's frames, while it records",
    "saccade meltpool --listen udp://0.0.0.0:5020 --calibration camera.txt -o day.h5 --view 8080",
    NULL};

const cli_command cli_view_meltpool = {
    .name = "view",
    .summary = "see frames of a melt pool in a browser",
    .usage = "FRAMES.h5 [--as meltpool] [OPTION]...",
    .about =
        "Shows each frame with its region of interest, pool and fitted ellipse, features and\n"
        "predictions over time, the pores that are expected in the layer, and the truth where it\n"
        "is known. The options of saccade meltpool are what the page begins with; others begin\n"
        "the analysis anew. The records of all frames are kept in memory, 208 bytes a frame.\n"
        "Address, password and viewers are as for saccade view of recordings. To look at a loop\n"
        "that runs: saccade meltpool --listen .. --view PORT.",
    .examples = examples,
    CLI_RUNS(cli_view_choose, sac_meltpool_params, &own_options),
    .next = &cli_view_motion,
};
