/*
 * saccade ladder: every rung of a pipeline, checked and timed on this machine.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/io.h>
#include <saccade/ladder.h>
#include <saccade/measure.h>

#include "json.h"
#include "curves.h"
#include "sweep.h"
#include "options.h"
#include "pictures.h"
#include "outputs.h"
#include "progress.h"
#include "tables.h"

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
    bool sweep, curves;
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
     "which of a room's tasks to time: beamform's A, B or C, heat_u8's sine, turbo, ...; default: "
     "each room's first"},
    {"seconds", CLI_FLOAT(seconds, 0, 3600, 0.3, "s"), "S",
     "measuring time of each rung (at least 11 runs); with --curves of all measurements, default "
     "20"},
    {"device", CLI_DEVICE(device), "DEVICE", "where to run: cpu, cuda or cuda:N"},
    {"grid", CLI_STRING(grid), "X,Y,Z",
     "on a GPU, with --block: one launch shape for all rungs that accept one"},
    {"block", CLI_STRING(block), "X,Y,Z", "on a GPU, with --grid: threads per block"},
    {"sweep", CLI_FLAG(sweep), NULL,
     "on a GPU: equalize:hsv-planes, or --only, on grids of 1 to 1024 by blocks of 1 to 256"},
    {"curves", CLI_FLAG(curves), NULL,
     "meltpool only: latency against load and throughput by batch size, and where curves bend"},
    {"batch-max", CLI_INT(batch_max, 1, 4096, 4096, "frames"), "N",
     "with --curves: batches of 1, 2, 4 .. N frames"},
    {"plot", CLI_STRING(plot), "FILE.svg",
     "with --sweep: draw time against threads; with --curves: latency against load; as SVG"},
    {"json", CLI_STRING(json), "FILE",
     "write every row as JSON; - is standard output, and then no table is printed"},
};

static const sac_param_table own_options = CLI_TABLE("ladder", ladder_options, params);

/* What has a ladder, and the copy bandwidth's place in it. */
static const struct {
    const char *name, *summary;
} pipelines[] = {
    {"equalize", "histogram equalization"},
    {"beamform", "ultrasound delay-and-sum and the steps around it"},
    {"motion", "frame difference, noise view, denoising, delta streaming"},
    {"meltpool", "melt-pool monitoring: features of small frames, thousands a second"},
};

/* A job that moves less than this is held against the cache's copy bandwidth, else DRAM's. */
#define HOT_BYTES (24u << 20)

enum {
    RUNG,
    MARK,
    CHECK,
    MEDIAN,
    SPREAD,
    RATE,
    SHARE,
    POINTS,
    SPEEDUP,
    TO_GPU,
    BACK,
    PUBLISHED,
    N_COLUMNS
};

static const char *const heads[N_COLUMNS] = {
    [RUNG] = "<rung",       [MARK] = "<planner", [CHECK] = "<check",    [MEDIAN] = "median",
    [SPREAD] = "p10-p90",   [RATE] = "GB/s",     [SHARE] = "% of copy", [POINTS] = "Gpoints/s",
    [SPEEDUP] = "speed-up", [TO_GPU] = "to GPU", [BACK] = "back",       [PUBLISHED] = "published"};

typedef struct ladder {
    sac_bandwidth one, all; /* copy bandwidth with one thread, with n_threads */
    int32_t n_threads;
    cli_progress progress;
    cli_table table;
    cli_json json;
    bool on_gpu;
    bool as_json, as_table;
    char title[192]; /* of the table that collects: room, shape, threads */
    char room[64];
    double first_ns; /* median of the room's first timed rung */
    int n_rows, n_failed;
} ladder;

static double copy_b_s(const ladder *l, const sac_ladder_row *row)
{
    const sac_bandwidth *copy = row->threads > 1 ? &l->all : &l->one;
    if (l->on_gpu) {
        return copy->dram_b_s; /* frames take turns, so that no cache holds them */
    }
    return row->bytes <= HOT_BYTES ? copy->hot_b_s : copy->dram_b_s;
}

static void fill_times(ladder *l, const sac_ladder_row *row)
{
    double b_s = (double)row->bytes / row->median_ns * 1e9;
    l->first_ns = l->first_ns > 0 ? l->first_ns : row->median_ns;
    cli_table_time(&l->table, MEDIAN, row->median_ns);
    cli_table_spread(&l->table, SPREAD, row->p10_ns, row->p90_ns);
    cli_table_cell(&l->table, RATE, "%.3g", b_s * 1e-9);
    cli_table_cell(&l->table, SHARE, "%.3g", 100 * b_s / copy_b_s(l, row));
    if (row->active_points > 0) {
        cli_table_cell(&l->table, POINTS, "%.3g", (double)row->active_points / row->median_ns);
    }
    cli_table_cell(&l->table, SPEEDUP, "%.2fx", l->first_ns / row->median_ns);
    if (row->kernel_ns > 0) {
        cli_table_time(&l->table, TO_GPU, row->h2d_ns);
        cli_table_time(&l->table, BACK, row->d2h_ns);
    }
}

static void fill_row(ladder *l, const sac_ladder_row *row)
{
    cli_table_row(&l->table);
    cli_table_cell(&l->table, RUNG, "%s", row->rung);
    cli_table_cell(&l->table, MARK, "%s", row->chosen ? "chosen" : row->ships ? "ships" : "-");
    if (row->needs[0]) {
        cli_table_cell(&l->table, CHECK, "needs %s", row->needs);
    } else if (!row->checked) {
        cli_table_cell(&l->table, CHECK, "unchecked");
    } else if (row->n_differ > 0) {
        cli_table_cell(&l->table, CHECK, "%s (%llu differ by %.3g)", row->ok ? "ok" : "FAILED",
                       (unsigned long long)row->n_differ, row->error);
    } else {
        cli_table_cell(&l->table, CHECK, "%s", row->ok ? "ok" : "FAILED");
    }
    if (row->runs > 0) {
        fill_times(l, row);
    }
    if (row->published_ns > 0) {
        cli_table_time(&l->table, PUBLISHED, row->published_ns);
    }
}

static void print_bandwidth(const ladder *l)
{
    if (l->on_gpu) {
        printf(
            "Copy bandwidth, read plus written: %.0f GB/s from device memory to device memory.\n",
            l->one.dram_b_s * 1e-9);
        return;
    }
    printf("Copy bandwidth, read plus written: in cache %.1f GB/s, DRAM %.1f GB/s with 1 thread",
           l->one.hot_b_s * 1e-9, l->one.dram_b_s * 1e-9);
    if (l->n_threads > 1) {
        printf("; %.1f and %.1f with %d", l->all.hot_b_s * 1e-9, l->all.dram_b_s * 1e-9,
               l->n_threads);
    }
    printf(".\n%% of copy is against the cache's for jobs up to %u MB, else against DRAM's.\n",
           HOT_BYTES >> 20);
}

static void print_table(ladder *l)
{
    cli_progress_hide(&l->progress);
    if (l->table.n_rows > 0) {
        printf("\n%s\n", l->title);
    }
    cli_table_print(&l->table, stdout);
    fflush(stdout);
}

static void take_row(void *ctx, const sac_ladder_row *row)
{
    ladder *l = ctx;
    l->n_rows++;
    l->n_failed += row->checked && !row->ok;
    if (l->as_json) {
        cli_ladder_put_row(&l->json, row);
    }
    if (!l->as_table) {
        return;
    }
    if (l->n_rows == 1) {
        cli_progress_hide(&l->progress);
        print_bandwidth(l);
    }
    char title[sizeof l->title];
    if (row->threads > 0) {
        snprintf(title, sizeof title, "%s: %s, %d thread%s", row->room, row->shape, row->threads,
                 row->threads == 1 ? "" : "s");
    } else {
        snprintf(title, sizeof title, "%s: %s, %s", row->room, row->shape, row->device);
    }
    if (strcmp(l->title, title) != 0) {
        print_table(l);
        memcpy(l->title, title, sizeof title);
    }
    if (strcmp(l->room, row->room) != 0) {
        snprintf(l->room, sizeof l->room, "%s", row->room);
        l->first_ns = 0;
    }
    fill_row(l, row);
}

static int measure_copies(ladder *l, sac_device device)
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

/* "8,8,4", or "8" for 8,1,1, into three axes; NULL leaves them alone. */
static int read_shape(uint32_t axes[3], const char *option, const char *text)
{
    unsigned x = 0, y = 1, z = 1;
    char more = 0;
    if (!text) {
        return CLI_DONE;
    }
    int n = sscanf(text, "%u,%u,%u%c", &x, &y, &z, &more);
    if (n < 1 || n > 3 || text[strspn(text, "0123456789,")] || x == 0 || y == 0 || z == 0) {
        return cli_misuse(&cli_ladder, "--%s: expected X,Y,Z of 1 or more, got %s", option, text);
    }
    axes[0] = x;
    axes[1] = y;
    axes[2] = z;
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
    int status = read_shape(desc->grid, "grid", options->grid);
    return status ? status : read_shape(desc->block, "block", options->block);
}

static int climb(ladder *l, const char *pipeline, const ladder_options *options,
                 const sac_ladder_desc *of)
{
    sac_error err = {0};
    sac_ladder_desc desc = *of;
    desc.progress = cli_progress_step;
    desc.progress_ctx = &l->progress;
    cli_table_open(&l->table, heads, N_COLUMNS);
    if (l->as_json) {
        cli_json_open_rows(&l->json, l->on_gpu ? l->one.dram_b_s : l->all.hot_b_s, desc.device);
    }
    cli_progress_open(&l->progress, "rungs");
    sac_status st = sac_ladder_run(pipeline, &desc, take_row, l, &err);
    print_table(l);
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

/* What the command line alone can be wrong about. */
static int check(const ladder_options *o)
{
    const bool is_shaped = o->grid || o->block;
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
    if (o->plot && !o->sweep && !o->curves) {
        return cli_misuse(&cli_ladder, "--plot is for --sweep and --curves");
    }
    return cli_svg_check(&cli_ladder, o->plot);
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

static int run(int argc, char **argv)
{
    ladder_options options;
    sac_error err = {0};
    int status = cli_parse(&cli_ladder, NULL, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
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
    sac_array input = picture ? sac_picture_get_array(picture) : (sac_array){0};
    sac_ladder_desc desc;
    ladder l = {.n_threads = options.threads ? options.threads : sac_cpu_count(),
                .on_gpu = options.device.kind == SAC_DEVICE_CUDA,
                .as_json = options.json != NULL,
                .as_table = !options.json || strcmp(options.json, "-") != 0};
    status = describe(&desc, &options, picture ? &input : NULL);
    status = status ? status : cli_report_check(options.json);
    if (status == CLI_DONE && options.sweep) {
        status = cli_ladder_sweep(argv[0], &desc, options.json, options.plot);
    } else if (status == CLI_DONE) {
        status = measure_copies(&l, options.device);
        status = status ? status : climb(&l, argv[0], &options, &desc);
    }
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
    "the rungs on a GPU",
    "saccade ladder equalize --device cuda",
    "Duong's sweep over launch shapes, as a table and a plot",
    "saccade ladder equalize --device cuda --sweep --plot sweep.svg",
    "latency against throughput of melt-pool monitoring, in batches of 1 to 4096 frames",
    "saccade ladder meltpool --device cuda --curves --plot curves.svg --json curves.json",
    NULL};

const cli_command cli_ladder = {
    .name = "ladder",
    .summary = "check and time every variant of a pipeline on this machine",
    .usage = "[PIPELINE] [OPTION]...",
    .about =
        "Each step (room) of a pipeline has several implementations (variants, the rungs of its\n"
        "ladder): the reference first, then faster ones, and some that are only for teaching.\n"
        "Every rung is compared with the reference in this run, then timed. A plan uses the\n"
        "fastest one that ships (chosen). Rungs that this CPU cannot run list what they need.\n"
        "Without PIPELINE: lists the pipelines. Fails if a rung differs from the reference by\n"
        "more than its contract allows. With --curves: measures latency against load instead, for\n"
        "each batch size (docs/meltpool.md).",
    .examples = examples,
    CLI_RUNS(run, NULL, &own_options),
};
