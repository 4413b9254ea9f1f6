/*
 * saccade ladder: every rung of a pipeline, checked and timed on this machine.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/io.h>

#include "compare.h"
#include "curves.h"
#include "rungs.h"
#include "sweep.h"
#include "options.h"
#include "pictures.h"
#include "outputs.h"

typedef struct ladder_options {
    size_t struct_size;
    int32_t size[2];
    const char *input;
    int32_t threads;
    const char *only;
    const char *task;
    double seconds;
    sac_device device;
    const char *grid, *block;
    bool sweep, curves, compare;
    int32_t batch_max;
    const char *plot;
    const char *json;
    int32_t max_pixels;
} ladder_options;

#define FIELD(name) offsetof(ladder_options, name)

static const sac_param params[] = {
    {"size", CLI_INT2(size, 0, 1 << 20, 0, "pixels"), "WxH",
     "size of the synthetic picture; 0: 1920x1080"},
    {"input", CLI_STRING(input), "FILE", "use this picture instead"},
    CLI_PARAM_MAX_PIXELS(FIELD(max_pixels)),
    {"threads", CLI_INT(threads, 0, 1024, 0, ""), "N",
     "threads of the rungs that use several; 0: one per core"},
    {"only", CLI_STRING(only), "ROOM[:RUNG]", "only this room, or this rung of it"},
    {"task", CLI_STRING(task), "NAME",
     "which of a room's tasks to time: beamform's A, B or C, heat_u8's sine, turbo, ..., "
     "equalize's "
     "scene, constant or random; all: one after another; default: each room's first"},
    {"seconds", CLI_FLOAT(seconds, 0, 3600, 0.3, "s"), "S",
     "measuring time of each rung (at least 11 runs); with --curves of all measurements, default "
     "20"},
    {"device", CLI_DEVICE(device), "DEVICE", "where to run: cpu, cuda or cuda:N"},
    {"grid", CLI_STRING(grid), "X,Y,Z",
     "on a GPU, with --block: one launch shape for all rungs that accept one"},
    {"block", CLI_STRING(block), "X,Y,Z", "on a GPU, with --grid: threads per block"},
    {"sweep", CLI_FLAG(sweep), NULL,
     "on a GPU: equalize:hsv-planes, or --only, on grids of 1 to 1024 by blocks of 1 to 256; of "
     "motion: heat_u8:word, or --only, in one block of 4, 8 .. 1024 threads"},
    {"curves", CLI_FLAG(curves), NULL,
     "meltpool only: latency against load and throughput by batch size, and where curves bend"},
    {"batch-max", CLI_INT(batch_max, 1, 4096, 4096, "frames"), "N",
     "with --curves: batches of 1, 2, 4 .. N frames"},
    {"compare", CLI_FLAG(compare), NULL,
     "instead of running anything: compare 2 to 5 files of --json, of one machine each, rung by "
     "rung"},
    {"plot", CLI_STRING(plot), "FILE",
     "draw the rungs' times as bars, published ones next to them; with --sweep: time against "
     "threads; with --curves: latency "
     "against load; as PNG, SVG or PDF by its ending"},
    {"json", CLI_STRING(json), "FILE",
     "write every row as JSON; - is standard output, and then no table is printed"},
};

static const sac_param_table own_options = CLI_TABLE("ladder", ladder_options, params);

/* What has a ladder. */
static const struct {
    const char *name, *summary;
} pipelines[] = {
    {"equalize", "histogram equalization"},
    {"beamform", "ultrasound delay-and-sum and the steps around it"},
    {"flow", "Doppler: wall filters, autocorrelation"},
    {"motion", "frame difference, noise view, denoising, delta streaming"},
    {"meltpool", "melt-pool monitoring: features of small frames, thousands a second"},
};

static int measure_copies(cli_ladder_rows *l, sac_device device)
{
    sac_error err = {0};
    if (l->on_gpu) {
        sac_status st = sac_measure_gpu_bandwidth(&l->one, device.index, &err);
        l->all = l->one;
        return st == SAC_OK ? CLI_DONE : cli_error(&err);
    }
    if (sac_measure_bandwidth(&l->one, 1, &err) != SAC_OK) {
        return cli_error(&err);
    }
    l->all = l->one;
    if (l->n_threads > 1 && sac_measure_bandwidth(&l->all, l->n_threads, &err) != SAC_OK) {
        return cli_error(&err);
    }
    return CLI_DONE;
}

static int describe(sac_ladder_desc *desc, const ladder_options *options, const sac_array *input)
{
    sac_ladder_desc_init(desc);
    desc->w = options->size[0];
    desc->h = options->size[1];
    desc->input = input;
    desc->n_threads = options->threads ? options->threads : sac_cpu_count();
    desc->seconds = options->seconds;
    desc->only = options->only;
    desc->task = options->task;
    desc->device = options->device;
    int status = cli_launch_axes(desc->grid, &cli_ladder, "grid", options->grid);
    return status ? status : cli_launch_axes(desc->block, &cli_ladder, "block", options->block);
}

static int climb(cli_ladder_rows *l, const char *pipeline, const ladder_options *options,
                 const sac_ladder_desc *of)
{
    sac_error err = {0};
    sac_ladder_desc desc = *of;
    desc.progress = cli_progress_step;
    desc.progress_ctx = &l->progress;
    cli_ladder_begin_table(l);
    if (l->as_json) {
        cli_json_open_rows(&l->json, l->on_gpu ? l->one.dram_b_s : l->all.hot_b_s, desc.device);
    }
    cli_progress_open(&l->progress, "rungs");
    sac_status st = sac_ladder_run(pipeline, &desc, cli_ladder_take_row, l, &err);
    cli_ladder_end_table(l);
    const bool ran = st == SAC_OK;
    sac_status drawn = cli_ladder_draw_bars(l->bars, ran ? options->plot : NULL, ran ? &err : NULL);
    st = ran ? drawn : st;
    if (st != SAC_OK) {
        cli_json_discard(&l->json);
        return cli_error(&err);
    }
    int written = l->as_json ? cli_json_write(&l->json, options->json) : CLI_DONE;
    if (l->n_failed > 0) {
        return cli_fail("%d of %d rungs differ from the reference beyond their contract",
                        l->n_failed, l->n_rows);
    }
    return written;
}

/* The files of --compare, which goes with --plot alone. */
static int compare(const ladder_options *o, int n, char **paths)
{
    for (int32_t i = 0; i < own_options.n_params; i++) {
        const char *name = params[i].name;
        if (cli_was_given(name) && strcmp(name, "compare") != 0 && strcmp(name, "plot") != 0) {
            return cli_misuse(&cli_ladder, "--compare goes with --plot alone, got --%s", name);
        }
    }
    if (n < 2 || n > CLI_COMPARED) {
        return cli_misuse(&cli_ladder, "--compare: expected 2 to %d files of --json, got %d",
                          CLI_COMPARED, n);
    }
    int status = cli_inputs_kept(&cli_ladder, (const char *const *)paths, n, &o->plot, 1);
    status = status ? status : cli_plot_check(&cli_ladder, o->plot);
    return status ? status : cli_ladder_compare(paths, n, o->plot);
}

/* What the command line alone can be wrong about. */
static int check(const ladder_options *o)
{
    const bool is_shaped = o->grid || o->block;
    char text[64];
    if (o->device.kind == SAC_DEVICE_CUDA_SET) {
        return cli_misuse(&cli_ladder, "--device %s: a ladder is of one device: name one GPU",
                          sac_device_text(o->device, text, sizeof text));
    }
    if ((o->sweep || is_shaped) && o->device.kind != SAC_DEVICE_CUDA) {
        return cli_misuse(&cli_ladder, "--sweep, --grid and --block are for --device cuda");
    }
    if (!o->grid != !o->block || (o->sweep && is_shaped)) {
        return cli_misuse(&cli_ladder, "--grid and --block go together, and without --sweep");
    }
    if (o->curves &&
        (o->sweep || is_shaped || o->only || o->task || o->input || cli_was_given("size"))) {
        return cli_misuse(&cli_ladder, "--curves goes without --sweep, --grid, --block, --only, "
                                       "--task, --input and --size");
    }
    if (o->curves && cli_was_given("seconds") && !(o->seconds > 0)) {
        return cli_misuse(&cli_ladder, "--seconds: with --curves above 0 expected, got %g",
                          o->seconds);
    }
    const char *const written[] = {o->json, o->plot};
    const char *const read[] = {o->input};
    int status = cli_outputs_apart(&cli_ladder, written, 2, "--json and --plot");
    status = status ? status : cli_inputs_kept(&cli_ladder, read, 1, written, 2);
    if (status) {
        return status;
    }
    if (cli_was_given("batch-max") && !o->curves) {
        return cli_misuse(&cli_ladder, "--batch-max is for --curves");
    }
    return cli_plot_check(&cli_ladder, o->plot);
}

static int draw_curves(const ladder_options *o)
{
    sac_meltpool_curves_desc desc;
    sac_meltpool_curves_desc_init(&desc);
    desc.device = o->device;
    desc.n_threads = o->threads;
    desc.batch_max = o->batch_max;
    desc.seconds = cli_was_given("seconds") ? o->seconds : desc.seconds;
    int status = cli_report_check(o->json);
    return status ? status : cli_ladder_curves(&desc, o->json, o->plot);
}

static int list_pipelines(void)
{
    puts("Pipelines that have a ladder (saccade ladder NAME):");
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++) {
        printf("  %-10s %s\n", pipelines[i].name, pipelines[i].summary);
    }
    return CLI_DONE;
}

static int no_pipeline(const char *name)
{
    char names[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines && used < sizeof names; i++) {
        int n =
            snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", pipelines[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
    return cli_misuse(&cli_ladder, "no pipeline %s has a ladder, only %s", name, names);
}

static bool is_pipeline(const char *name)
{
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++) {
        if (!strcmp(name, pipelines[i].name)) {
            return true;
        }
    }
    return false;
}

static int run_pipeline(const char *name, const ladder_options *options, const sac_array *input)
{
    sac_ladder_desc desc;
    cli_ladder_bars bars = {0};
    cli_ladder_rows l = {.bars = &bars,
                         .n_threads = options->threads ? options->threads : sac_cpu_count(),
                         .on_gpu = options->device.kind == SAC_DEVICE_CUDA,
                         .task = options->task,
                         .as_json = options->json != NULL,
                         .as_table = !options->json || strcmp(options->json, "-") != 0};
    int status = describe(&desc, options, input);
    status = status ? status : cli_report_check(options->json);
    if (status) {
        return status;
    }
    if (options->sweep && desc.only && !strchr(desc.only, ':')) {
        return cli_fail("--sweep: one rung expected, ROOM:RUNG, got %s", desc.only);
    }
    if (options->sweep) {
        return (strcmp(name, "motion") == 0 ? cli_ladder_sweep_threads : cli_ladder_sweep)(
            name, &desc, options->json, options->plot);
    }
    status = measure_copies(&l, options->device);
    return status ? status : climb(&l, name, options, &desc);
}

static int run(int argc, char **argv)
{
    ladder_options options;
    sac_error err = {0};
    int status = cli_parse(&cli_ladder, NULL, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    if (options.compare) {
        return compare(&options, argc, argv);
    }
    if (argc == 0) {
        return list_pipelines();
    }
    status = check(&options);
    if (status != CLI_DONE) {
        return status;
    }
    if (argc > 1) {
        return cli_misuse(&cli_ladder, "one pipeline at a time, got %s and %s", argv[0], argv[1]);
    }
    if (!is_pipeline(argv[0])) {
        return no_pipeline(argv[0]);
    }
    if (options.curves) {
        return strcmp(argv[0], "meltpool") == 0
                   ? draw_curves(&options)
                   : cli_misuse(&cli_ladder, "--curves is for meltpool, got %s", argv[0]);
    }
    sac_picture *picture = NULL;
    if (options.input &&
        cli_picture_read(&picture, options.input, options.max_pixels, 0, &err) != SAC_OK) {
        return cli_error(&err);
    }
    const sac_array input = picture ? sac_picture_get_array(picture) : (sac_array){0};
    status = run_pipeline(argv[0], &options, picture ? &input : NULL);
    sac_picture_close(&picture);
    return status;
}

static const char *const examples[] = {
    "every rung of equalize on a 1920x1080 picture",
    "saccade ladder equalize",
    "delay-and-sum of 75 plane waves (docs/beamform.md has the configurations)",
    "saccade ladder beamform --task C --only das_iq_f32",
    "one room, on a photograph, at length",
    "saccade ladder equalize --input photo.jpg --only vhist_u8 --seconds 2",
    "results as data",
    "saccade ladder equalize --json ladder.json",
    "histograms of a scene, of one color and of noise: what collisions cost",
    "saccade ladder equalize --only vhist_u8 --task all",
    "the rungs on a GPU",
    "saccade ladder equalize --device cuda",
    "Duong's sweep over launch shapes, as a table and a plot",
    "saccade ladder equalize --device cuda --sweep --plot sweep.svg",
    "the CUDA programs of Battilana's report, as tables and as bars",
    "saccade ladder motion --device cuda --plot rungs.svg",
    "its sweep over the threads of a block",
    "saccade ladder motion --device cuda --sweep --plot threads.svg",
    "the results of two machines next to each other",
    "saccade ladder --compare laptop.json server.json --plot both.svg",
    "latency against throughput of melt-pool monitoring, in batches of 1 to 4096 frames",
    "saccade ladder meltpool --device cuda --curves --plot curves.svg --json curves.json",
    NULL};

const cli_command cli_ladder = {
    .name = "ladder",
    .summary = "check and time every variant of a pipeline on this machine",
    .usage = "[PIPELINE | --compare FILE...] [OPTION]...",
    .about =
        "Each step (room) of a pipeline has several implementations (variants, the rungs of its\n"
        "ladder): the reference first, then faster ones, and some that are only for teaching.\n"
        "Every rung is compared with the reference in this run, then timed. A plan uses the\n"
        "fastest one that ships (chosen). Rungs that this CPU cannot run list what they need.\n"
        "Without PIPELINE: lists the pipelines. Fails if a rung differs from the reference by\n"
        "more than its contract allows. With --curves: measures latency against load instead, for\n"
        "each batch size (docs/meltpool.md). With --compare: runs nothing, and shows the JSON of\n"
        "several machines next to each other.",
    .examples = examples,
    CLI_RUNS(run, NULL, &own_options),
};
