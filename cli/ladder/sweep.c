/*
 * The sweep over launch shapes: one rung, from one thread to 262,144, each cell checked and timed;
 * next to it what the report has of four GPUs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sweep.h"

#include <math.h>
#include <string.h>

#include "draw/plot.h"
#include "rungs.h"

enum {
    N_GRIDS = 6,
    N_BLOCKS = 5,
    N_CELLS = N_GRIDS * N_BLOCKS,
    N_SOLID = 2, /* launch shapes of more than one axis */
    N_SHAPES = N_CELLS + N_SOLID,
    MOST_REPORTED = 4,
    MOST_PANELS = 1 + MOST_REPORTED
};

static const uint32_t grids[N_GRIDS] = {1, 4, 16, 64, 256, 1024};
static const uint32_t blocks[N_BLOCKS] = {1, 4, 16, 64, 256};

/* Two shapes of 2,048 threads, which the report compares in its section 5.3: grid, then block. */
static const uint32_t solid[N_SOLID][6] = {{8, 1, 1, 8, 8, 4}, {8, 8, 1, 8, 4, 1}};

/* A GPU whose times in the same shapes are published. */
typedef struct reported {
    const char *gpu, *note;
    double ms[N_CELLS];
} reported;

typedef struct sweep {
    double ms[N_SHAPES];
    double cpu_ms; /* the same rung on one core of the CPU; 0 if it has none there */
    cli_json json;
    cli_progress progress;
    int cell;
    int n_failed;
    double n_pixels;
    char rung[64];
    reported reports[MOST_REPORTED];
    int n_reports;
    char cpus[200]; /* published times of CPUs */
} sweep;

/* Blocks and threads of each, of a cell or of a solid shape. */
static void shape_of(uint32_t grid[3], uint32_t block[3], int cell)
{
    for (int i = 0; i < 3; i++) {
        const bool is_cell = cell < N_CELLS;
        grid[i] = !is_cell ? solid[cell - N_CELLS][i] : i == 0 ? grids[cell / N_BLOCKS] : 1;
        block[i] = !is_cell ? solid[cell - N_CELLS][3 + i] : i == 0 ? blocks[cell % N_BLOCKS] : 1;
    }
}

static const char *axes_text(char *text, size_t size, const uint32_t axes[3])
{
    if (axes[1] * axes[2] == 1) {
        snprintf(text, size, "%u", axes[0]);
    } else {
        snprintf(text, size, "%u,%u,%u", axes[0], axes[1], axes[2]);
    }
    return text;
}

static void take_published(sweep *s, const sac_published *p)
{
    int i = 0;
    while (i < s->n_reports && strcmp(s->reports[i].gpu, p->device) != 0) {
        i++;
    }
    if (s->cell >= N_CELLS || p->grid != grids[s->cell / N_BLOCKS] ||
        p->block != blocks[s->cell % N_BLOCKS] || i == MOST_REPORTED) {
        return;
    }
    s->n_reports = i == s->n_reports ? i + 1 : s->n_reports;
    s->reports[i].gpu = p->device;
    s->reports[i].note = p->note;
    s->reports[i].ms[s->cell] = p->ns * 1e-6;
}

static void take_cell(void *ctx, const sac_ladder_row *row)
{
    sweep *s = ctx;
    sac_ladder_row cell = *row;
    uint32_t grid[3], block[3];
    char shape[160], text[2][40];
    shape_of(grid, block, s->cell);
    snprintf(shape, sizeof shape, "%s, grid %s, block %s", row->shape,
             axes_text(text[0], sizeof text[0], grid), axes_text(text[1], sizeof text[1], block));
    cell.shape = shape;
    snprintf(s->rung, sizeof s->rung, "%s:%s", row->room, row->rung);
    s->ms[s->cell] = row->median_ns * 1e-6;
    s->n_failed += !row->ok;
    for (int32_t i = 0; i < row->n_published; i++) {
        take_published(s, &row->published[i]);
    }
    cli_ladder_put_row(&s->json, &cell, NULL, 0);
}

static void take_cpu(void *ctx, const sac_ladder_row *row)
{
    sweep *s = ctx;
    s->cpu_ms = row->median_ns * 1e-6;
    s->n_failed += !row->ok;
    for (int32_t i = 0; i < row->n_published; i++) {
        const size_t used = strlen(s->cpus);
        if (row->published[i].grid > 0) {
            continue; /* a GPU's */
        }
        snprintf(s->cpus + used, sizeof s->cpus - used, "%s%s %.4g ms", used ? ", " : "",
                 row->published[i].device, row->published[i].ns * 1e-6);
    }
    cli_ladder_put_row(&s->json, row, NULL, 0);
}

/* One of the report's tables next to ours, or ours alone (NULL). */
static void print_table(const sweep *s, const reported *r)
{
    static const char *const heads[] = {"grid \\ block", "1", "4",  "16", "64", "256",
                                        "report: 1",     "4", "16", "64", "256"};
    cli_table table;
    cli_table_open(&table, heads, 1 + (r ? 2 : 1) * N_BLOCKS);
    for (int g = 0; g < N_GRIDS; g++) {
        cli_table_row(&table);
        cli_table_cell(&table, 0, "%u", grids[g]);
        for (int b = 0; b < N_BLOCKS; b++) {
            cli_table_cell(&table, 1 + b, "%.4g", s->ms[g * N_BLOCKS + b]);
            if (r) {
                cli_table_cell(&table, 1 + N_BLOCKS + b, "%.2f", r->ms[g * N_BLOCKS + b]);
            }
        }
    }
    cli_table_print(&table, stdout);
}

static void print_sweep(const sweep *s)
{
    printf("%s, milliseconds\n", s->rung);
    if (s->n_reports == 0) {
        print_table(s, NULL);
    }
    for (int i = 0; i < s->n_reports; i++) {
        printf("%snext to %s, as published by Duong (%s)\n", i ? "\n" : "", s->reports[i].gpu,
               s->reports[i].note);
        print_table(s, &s->reports[i]);
    }
    printf("2,048 threads: 8 blocks of 8 x 8 x 4 %.4g ms, 8 x 8 blocks of 8 x 4 %.4g ms.\n",
           s->ms[N_CELLS], s->ms[N_CELLS + 1]);
    if (s->cpu_ms > 0) {
        printf("The same on one core of the CPU: %.4g ms%s%s.\n", s->cpu_ms,
               s->cpus[0] ? "; published: " : "", s->cpus);
    }
}

/* Lines of a machine, and what they point to. */
typedef struct lines {
    double x[N_BLOCKS][N_GRIDS], y[N_BLOCKS][N_GRIDS];
    cli_series series[N_BLOCKS];
    cli_mark marks[2];
} lines;

/* Time against threads, a line a block size. */
static cli_panel fill_panel(lines *l, const char *title, const double *ms, double cpu_ms,
                            double n_pixels)
{
    static const char *const labels[N_BLOCKS] = {"1 thread a block", "4", "16", "64", "256"};
    size_t n_marks = 0;
    for (int b = 0; b < N_BLOCKS; b++) {
        for (int g = 0; g < N_GRIDS; g++) {
            l->x[b][g] = log2((double)grids[g] * blocks[b]);
            l->y[b][g] = ms[g * N_BLOCKS + b];
        }
        l->series[b] = (cli_series){
            .label = labels[b], .kind = CLI_LINE_POINTS, .x = l->x[b], .y = l->y[b], .n = N_GRIDS};
    }
    if (n_pixels > 0) {
        l->marks[n_marks++] = (cli_mark){log2(n_pixels), (double)NAN, "a thread a pixel"};
    }
    if (cpu_ms > 0) {
        l->marks[n_marks++] = (cli_mark){(double)NAN, cpu_ms, "CPU"};
    }
    return (cli_panel){.title = title,
                       .x = {.label = "log2(threads)", .max = 22, .step = 2},
                       .y = {.label = "ms", .log_base = 10},
                       .series = l->series,
                       .n_series = N_BLOCKS,
                       .marks = l->marks,
                       .n_marks = n_marks};
}

/* Here, and as in the report's figures 12 to 15. */
static sac_status draw(const sweep *s, const char *path, sac_error *err)
{
    lines all[MOST_PANELS];
    char titles[MOST_PANELS][80];
    cli_panel panels[MOST_PANELS];
    size_t n = 1;
    snprintf(titles[0], sizeof titles[0], "here: %s", s->rung);
    panels[0] = fill_panel(&all[0], titles[0], s->ms, s->cpu_ms, s->n_pixels);
    for (int i = 0; i < s->n_reports; i++, n++) {
        snprintf(titles[n], sizeof titles[n], "report: %s", s->reports[i].gpu);
        panels[n] = fill_panel(&all[n], titles[n], s->reports[i].ms, 0, 0);
    }
    const cli_plot plot = {.title = "Time by launch shape",
                           .panels = panels,
                           .n_panels = n,
                           .n_columns = n > 1 ? 2 : 1};
    return cli_plot_write(path, &plot, err);
}

static sac_status measure(sweep *s, const char *pipeline, const sac_ladder_desc *desc,
                          sac_error *err)
{
    sac_ladder_desc one = *desc;
    one.only = desc->only ? desc->only : "equalize:hsv-planes";
    one.n_threads = 1;
    sac_status st = SAC_OK;
    for (s->cell = 0; s->cell < N_SHAPES && st == SAC_OK; s->cell++) {
        (void)cli_progress_step(&s->progress, (uint64_t)s->cell, N_SHAPES);
        shape_of(one.grid, one.block, s->cell);
        st = sac_ladder_run(pipeline, &one, take_cell, s, err);
    }
    one.device = (sac_device){SAC_DEVICE_CPU, 0};
    memset(one.grid, 0, sizeof one.grid);
    memset(one.block, 0, sizeof one.block);
    if (st == SAC_OK && sac_ladder_run(pipeline, &one, take_cpu, s, NULL) != SAC_OK) {
        s->cpu_ms = 0; /* no such rung there */
    }
    return st;
}

int cli_ladder_end_sweep(sac_status st, const sac_error *err, cli_json *json, const char *json_path,
                         int n_failed)
{
    if (st != SAC_OK) {
        cli_json_discard(json);
        return cli_error(err);
    }
    const int status = cli_json_end(json, json_path);
    return n_failed ? cli_fail("%d launch shapes gave another picture", n_failed) : status;
}

int cli_ladder_sweep(const char *pipeline, const sac_ladder_desc *desc, const char *json_path,
                     const char *plot_path)
{
    sweep s = {0};
    sac_error err = {0};
    s.n_pixels = desc->input ? (double)(desc->input->shape[0] * desc->input->shape[1])
                 : desc->w   ? (double)desc->w * (double)desc->h
                             : 1920.0 * 1080;
    cli_json_open_rows(&s.json, 0, desc->device);
    cli_progress_open(&s.progress, "shapes");
    sac_status st = measure(&s, pipeline, desc, &err);
    cli_progress_hide(&s.progress);
    if (st == SAC_OK && (!json_path || strcmp(json_path, "-") != 0)) {
        print_sweep(&s);
    }
    if (st == SAC_OK && plot_path) {
        st = draw(&s, plot_path, &err);
    }
    return cli_ladder_end_sweep(st, &err, &s.json, json_path, s.n_failed);
}
