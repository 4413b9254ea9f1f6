/*
 * saccade view of recordings of ultrasound: the command line.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "outputs.h"
#include "scene.h"
#include "videos.h"
#include "view/view.h"

#define FIELD(name) offsetof(beamform_options, name)

typedef struct beamform_options {
    cli_view_options view;
    const char *grid, *grid3, *sector, *apex, *picture;
    cli_recording_options recording;
    bool yes;
} beamform_options;

static const sac_param params[] = {
    CLI_ROWS_VIEW,
    CLI_ROWS_GRID,
    CLI_ROWS_RECORDING,
    {"yes", CLI_FLAG(yes), "", "run even if more than half of the free memory is needed"},
};

static const sac_param_table own_options = CLI_TABLE("view", beamform_options, params);

/* Others of saccade's inputs are told by their endings, so that nobody wonders why a video is no
 * recording. */
static bool is_source(const char *source)
{
    static const char *const others[] = {".y4m", ".sdv", ".mp4", ".mkv",  ".avi", ".png", ".ppm",
                                         ".pgm", ".jpg", ".csv", ".json", ".tif", NULL};
    const bool is_elsewhere = cli_is_dash(source) || strstr(source, "://") ||
                              strncmp(source, "/dev/", 5) == 0 || cli_is_folder(source);
    return !is_elsewhere && !cli_ends_in(source, others);
}

static int check(beamform_options *options, const cli_beamform_job *job, int argc, char **argv)
{
    if (job->desc.output != SAC_OUTPUT_BMODE) {
        return cli_misuse(&cli_view, "--kind: a view shows bmode");
    }
    if (argc == 1 && !is_source(argv[0])) {
        return cli_misuse(&cli_view,
                          "`%s` is not a file of ultrasound channel data, as saccade beamform "
                          "reads them (MAT, HDF5, UFF, NPY), which --as beamform shows; without "
                          "--as, frames of a melt pool, videos and pictures are shown, too%s",
                          argv[0],
                          strstr(argv[0], "://") ? "; frames that come are shown by saccade "
                                                   "beamform or meltpool --listen with --view"
                                                 : "");
    }
    return cli_view_check(&cli_view, &options->view, argc, argv);
}

static int serve(cli_beamform_job *job, const cli_view_options *options)
{
    beamform_settings settings;
    beamform_scene *scene = NULL;
    const beamform_frames none = {0};
    int status = beamform_scene_open(&scene, job, &none);
    if (status == CLI_DONE) {
        view_scene *common = beamform_scene_common(scene);
        view_settings_init(&settings.common, common);
        view_settings_from(&settings.common, &beamform_kind, sac_beamform_params(), &job->desc);
        status = cli_view_run(common, &settings.common, options);
    }
    beamform_scene_close(&scene);
    return status;
}

static int run(int argc, char **argv)
{
    beamform_options options;
    cli_beamform_job job = {0};
    int status = cli_parse(&cli_view, &job.desc, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    status = check(&options, &job, argc, argv);
    job.options.grid = options.grid;
    job.options.grid3 = options.grid3;
    job.options.sector = options.sector;
    job.options.apex = options.apex;
    job.options.picture = options.picture;
    job.options.recording = options.recording;
    job.options.yes = options.yes;
    job.output = "picture.png"; /* what is shown: a sector is converted */
    status = status ? status : cli_beamform_parse_grid(&job);
    status =
        status ? status : cli_recording_parse(&job.recording_desc, &cli_view, &options.recording);
    if (status == CLI_DONE) {
        job.input = argv[0];
        status = serve(&job, &options.view);
    }
    return status;
}

const cli_view_form cli_view_beamform_form = {"beamform", run, is_source};

static const char *const examples[] = {
    "look at a recording: open the address that is printed in a browser",
    "saccade view PWI_disk.mat",
    "simulated data, on a grid of one's own",
    ("saccade simulate ultrasound --phantom cyst -o cyst.h5\n"
     "  saccade view cyst.h5 --grid -12.5:12.5:251,10:35:251"),
    "for colleagues in a network that you trust",
    "saccade view PWI_disk.mat --host 0.0.0.0 --port 8080 --password-file secret.txt",
    NULL};

const cli_command cli_view = {
    .name = "view",
    .summary = "see recordings, videos and pictures in a browser",
    .usage = "IN [OPTION]...",
    .about =
        "Prints an address. The page there shows the B-mode picture of a recording, beamformed\n"
        "anew while sliders move: f-number, apodization, speed of sound, dynamic range and more.\n"
        "It plays frames, measures points, cysts and profiles, shows delays and apertures, planes\n"
        "and maximum of a volume, and gives the command line of saccade beamform for what is on\n"
        "the screen. The options are those of saccade beamform, and what the page begins with; of\n"
        "--kind it has bmode alone. IN is channel data as saccade beamform reads it. The page "
        "needs\n"
        "no internet. All viewers of one command see the same. It listens on this machine alone:\n"
        "its address has a token, without which nobody gets in. With --host others may look, with\n"
        "a password, which crosses the network as it is, like the pictures: for networks that you\n"
        "trust. Videos, and pictures equalized: `saccade view --as motion --help`,\n"
        "`--as equalize --help`.",
    .examples = examples,
    CLI_RUNS(cli_view_choose, sac_beamform_params, &own_options),
    .next = &cli_view_meltpool,
};
