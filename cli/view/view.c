/*
 * saccade view: the command line.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "view.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "access.h"
#include "options.h"
#include "outputs.h"
#include "videos.h"

#define FIELD(name) offsetof(cli_view_options, name)

static const sac_param params[] = {
    {"port", CLI_INT(port, 0, 65535, 0, ""), "PORT", "port to listen at; 0: any that is free"},
    {"host", CLI_STRING(host), "ADDRESS",
     "address to listen at, for viewers on other machines: one of this machine's, or 0.0.0.0 for "
     "all; needs --password-file; default: 127.0.0.1, for this machine alone"},
    {"password-file", CLI_STRING(password_file), "FILE",
     "ask viewers for the password that is this file's first line, of 12 characters or more"},
    CLI_ROWS_GRID,
    CLI_ROWS_RECORDING,
    {"yes", CLI_FLAG(yes), "", "run even if more than half of the free memory is needed"},
};

static const sac_param_table own_options = CLI_TABLE("view", cli_view_options, params);

/* What this version shows. Others of saccade's inputs are told by their endings, so that nobody
 * wonders why a video is no recording. */
static int check_source(const char *source)
{
    static const char *const others[] = {".y4m", ".sdv", ".mp4", ".mkv", ".avi",  ".png",
                                         ".ppm", ".pgm", ".jpg", ".csv", ".json", ".tif"};
    const char *ending = strrchr(source, '.');
    const bool is_elsewhere = cli_is_dash(source) || strstr(source, "://") ||
                              strncmp(source, "/dev/", 5) == 0 || cli_is_folder(source);
    bool is_other = false;
    for (size_t i = 0; ending && i < sizeof others / sizeof *others; i++) {
        is_other = is_other || strcasecmp(ending, others[i]) == 0;
    }
    return is_elsewhere || is_other
               ? cli_misuse(&cli_view,
                            "shows files of ultrasound channel data, as saccade beamform reads "
                            "them (MAT, HDF5, UFF, NPY); `%s` is none",
                            source)
               : CLI_DONE;
}

static int check_host(const cli_view_options *options)
{
    struct in_addr address;
    if (options->host && inet_pton(AF_INET, options->host, &address) != 1) {
        return cli_misuse(&cli_view,
                          "--host: expected an IPv4 address of this machine, or 0.0.0.0 for all, "
                          "got `%s`",
                          options->host);
    }
    const bool is_open = options->host && strncmp(options->host, "127.", 4) != 0;
    return is_open && !options->password_file
               ? cli_misuse(&cli_view, "--host %s lets other machines in: it needs --password-file",
                            options->host)
               : CLI_DONE;
}

static int check(const cli_view_options *options, const cli_beamform_job *job, int argc,
                 char **argv)
{
    if (argc != 1) {
        return argc == 0 ? cli_misuse(&cli_view, "no input given: a recording of channel data")
                         : cli_misuse(&cli_view, "takes one input, got also %s", argv[1]);
    }
    if (job->desc.output != SAC_OUTPUT_BMODE) {
        return cli_misuse(&cli_view, "--kind: a view shows bmode");
    }
    int status = check_source(argv[0]);
    status = status ? status : check_host(options);
    return status ? status : cli_view_can_serve();
}

static int serve(cli_beamform_job *job, const cli_view_options *options)
{
    char password[VIEW_PASSWORD];
    view_settings settings;
    view_scene *scene = NULL;
    cli_view_session *session = NULL;
    sac_error err = {0};
    int status = options->password_file
                     ? view_access_read_password(password, options->password_file)
                     : CLI_DONE;
    status = status ? status : view_scene_open(&scene, job);
    if (status == CLI_DONE) {
        view_settings_init(&settings, &job->desc);
        status =
            cli_or_error(status, cli_view_session_open(&session, scene, &settings, &err), &err);
    }
    if (status == CLI_DONE) {
        status = cli_view_serve(session, options, options->password_file ? password : NULL);
        const uint64_t n = cli_view_session_close(&session);
        if (status == CLI_DONE) {
            printf("%llu picture%s made\n", (unsigned long long)n, cli_s((int64_t)n));
        }
    }
    view_scene_close(&scene);
    return status;
}

static int run(int argc, char **argv)
{
    cli_view_options options;
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
        status = serve(&job, &options);
    }
    return status;
}

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
    .summary = "see recordings in a browser",
    .usage = "IN [OPTION]...",
    .about =
        "Prints an address. The page there shows the B-mode picture of a recording, beamformed\n"
        "anew while sliders move: f-number, apodization, speed of sound, dynamic range and more.\n"
        "It plays frames, measures points, cysts and profiles, shows delays and apertures, planes\n"
        "and maximum of a volume, and gives the command line of saccade beamform for what is on\n"
        "the screen. The options are those of saccade beamform, and what the page begins with.\n"
        "IN is channel data as saccade beamform reads it. The page needs no internet. All viewers\n"
        "of one command see the same. It listens on this machine alone: its address has a token,\n"
        "without which nobody gets in. With --host others may look, with a password, which\n"
        "crosses the network as it is, like the pictures: for networks that you trust.",
    .examples = examples,
    CLI_RUNS(run, sac_beamform_params, &own_options),
};
