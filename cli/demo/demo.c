/*
 * saccade demo: every pipeline at work on real data, a section each.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "demo.h"
#include "options.h"
#include "outputs.h"
#include "pictures.h"

#define FIELD(name) offsetof(cli_demo_options, name)

static const sac_param params[] = {
    {"output", CLI_STRING(output), "DIR",
     "folder for results, created if missing; default: ./saccade-demo"},
    {"clip", CLI_STRING(clip), "FILE",
     "a video for motion: Y4M, or any that ffmpeg decodes; its first 60 frames"},
    {"drawn", CLI_FLAG(drawn), NULL,
     "render the pictures, also where this machine has photographs: the same everywhere"},
    CLI_PARAM_MAX_PIXELS(FIELD(max_pixels)),
    {"threads", CLI_INT(threads, 0, 1024, 0, ""), "N", "threads; 0: one per core"},
    {"device", CLI_DEVICE(device), "DEVICE",
     "where to run: cpu, cuda or cuda:N; the reference always runs on the CPU"},
};

static const sac_param_table own_options = CLI_TABLE("demo", cli_demo_options, params);

static int (*const sections[])(const cli_demo_options *) = {
    cli_demo_equalize, cli_demo_beamform, cli_demo_motion, cli_demo_meltpool, cli_demo_live};

static int run_sections(const cli_demo_options *options)
{
    if (mkdir(options->output, 0777) != 0 && errno != EEXIST) {
        return cli_fail("`%s`: cannot make this folder: %s", options->output, strerror(errno));
    }
    if (!cli_is_folder(options->output)) {
        return cli_misuse(&cli_demo, "--output: `%s` is a file, and a folder is expected",
                          options->output);
    }
    int worst = CLI_DONE;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        int status = sections[i](options);
        worst = status > worst ? status : worst;
    }
    rmdir(options->output); /* goes only if nothing came into it */
    return worst;
}

static int run(int argc, char **argv)
{
    cli_demo_options options;
    int status = cli_parse(&cli_demo, NULL, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    sac_gpu_info gpu = {.struct_size = sizeof gpu};
    sac_error err = {0};
    if (options.device.kind == SAC_DEVICE_CUDA &&
        sac_gpu_describe(&gpu, options.device.index, &err) != SAC_OK) {
        return cli_error(&err);
    }
    char *folder = cli_text("%s", options.output ? options.output : "saccade-demo");
    for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/'; n--) {
        folder[n - 1] = '\0';
    }
    options.output = folder;
    options.inputs = argv;
    options.n_inputs = argc;
    status = run_sections(&options);
    free(folder);
    return status;
}

static const char *const examples[] = {
    "on photographs that this machine has", "saccade demo", "on your own",
    "saccade demo holiday/*.jpg --clip holiday.mp4 -o shown", NULL};

const cli_command cli_demo = {
    .name = "demo",
    .summary = "try it on photographs, echoes, a video and a melt pool",
    .usage = "[IN...] [OPTION]...",
    .about =
        "Darkens a copy of each photograph (V - 120, as Duong does in \"Programmation GPU\",\n"
        "2024), equalizes the dark copy with each scaling, and writes the pictures side by side.\n"
        "Prints times, and the speed-up over the reference, with which the bytes must agree.\n"
        "Without IN it uses photographs of Debian's package forensics-samples-files, or if\n"
        "those are missing a synthetic scene. Then it simulates ultrasound echoes of a point and\n"
        "a cyst, beamforms them with 1, 5 and 15 plane waves, and measures the pictures. It shows\n"
        "the changes in a clip, and encodes and decodes it as a delta stream. It simulates\n"
        "two layers of a metal print, and draws features and predicted pores. Finally one process\n"
        "sends a test picture to another, which records it, where live video is installed.",
    .examples = examples,
    CLI_RUNS(run, NULL, &own_options),
};
