/*
 * The sweep over launch shapes: one rung, from one thread to 262,144, each cell checked and timed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sweep.h"

#include <math.h>
#include <string.h>

#include "draw/plot.h"
#include "rungs.h"

enum { N_GRIDS = 6, N_BLOCKS = 5, N_CELLS = N_GRIDS * N_BLOCKS };

static const uint32_t grids[N_GRIDS] = {1, 4, 16, 64, 256, 1024};
static const uint32_t blocks[N_BLOCKS] = {1, 4, 16, 64, 256};

/* Duong's Table 6: an A100, milliseconds for a picture whose size he does not give. */
static const double a100_ms[N_GRIDS][N_BLOCKS] = {
    {763.85, 275.66, 86.30, 23.92, 7.40}, {286.03, 88.73, 24.43, 7.16, 2.92},
    {90.35, 24.15, 7.46, 2.97, 1.82},     {24.75, 7.17, 2.94, 1.82, 1.52},
    {7.40, 2.89, 1.84, 1.57, 1.49},       {3.23, 1.90, 1.59, 1.54, 1.50}};

typedef struct sweep {
    double ms[N_CELLS];
    double cpu_ms; /* the same rung on one core of the CPU; 0 if it has none there */
    cli_json json;
    cli_progress progress;
    int cell;
    int n_failed;
    double n_pixels;
    char rung[64];
} sweep;

static void take_cell(void *ctx, const sac_ladder_row *row)
{
    sweep *s = ctx;
    sac_ladder_row cell = *row;
    char shape[160];
    snprintf(shape, sizeof shape, "%s, grid %u, block %u", row->shape, grids[s->cell / N_BLOCKS],
             blocks[s->cell % N_BLOCKS]);
    cell.shape = shape;
    snprintf(s->rung, sizeof s->rung, "%s:%s", row->room, row->rung);
    s->ms[s->cell] = row->median_ns * 1e-6;
    s->n_failed += !row->ok;
    cli_ladder_put_row(&s->json, &cell);
}

static void take_cpu(void *ctx, const sac_ladder_row *row)
{
    sweep *s = ctx;
    s->cpu_ms = row->median_ns * 1e-6;
    s->n_failed += !row->ok;
    cli_ladder_put_row(&s->json, row);
}

static void print_sweep(const sweep *s)
{
    static const char *const heads[] = {"grid \\ block", "1", "4",  "16", "64", "256",
                                        "A100: 1",       "4", "16", "64", "256"};
    cli_table table;
    cli_table_open(&table, heads, 1 + 2 * N_BLOCKS);
    printf("%s, milliseconds; right, as published by Duong for an A100 (size not given)\n",
           s->rung);
    for (int g = 0; g < N_GRIDS; g++) {
        cli_table_row(&table);
        cli_table_cell(&table, 0, "%u", grids[g]);
        for (int b = 0; b < N_BLOCKS; b++) {
            cli_table_cell(&table, 1 + b, "%.4g", s->ms[g * N_BLOCKS + b]);
            cli_table_cell(&table, 1 + N_BLOCKS + b, "%.2f", a100_ms[g][b]);
        }
    }
    cli_table_print(&table, stdout);
    if (s->cpu_ms > 0) {
        printf("The same on one core of the CPU: %.4g ms.\n", s->cpu_ms);
    }
}

/* Time against threads, a line a block size, as in Duong's figures 12 to 15. */
static sac_status draw(const sweep *s, const char *path, sac_error *err)
{
    static const char *const labels[N_BLOCKS] = {"1 thread a block", "4", "16", "64", "256"};
    double x[N_BLOCKS][N_GRIDS], y[N_BLOCKS][N_GRIDS];
    cli_series series[N_BLOCKS];
    for (int b = 0; b < N_BLOCKS; b++) {
        for (int g = 0; g < N_GRIDS; g++) {
            x[b][g] = log2((double)grids[g] * blocks[b]);
            y[b][g] = s->ms[g * N_BLOCKS + b];
        }
        series[b] = (cli_series){
            .label = labels[b], .kind = CLI_LINE_POINTS, .x = x[b], .y = y[b], .n = N_GRIDS};
    }
    const cli_mark marks[] = {{log2(s->n_pixels), (double)NAN, "a thread a pixel"},
                              {(double)NAN, s->cpu_ms, "one CPU core"}};
    const cli_panel panel = {.title = s->rung,
                             .x = {.label = "log2(threads)", .max = 22, .step = 2},
                             .y = {.label = "ms", .log_base = 10},
                             .series = series,
                             .n_series = N_BLOCKS,
                             .marks = marks,
                             .n_marks = s->cpu_ms > 0 ? 2 : 1};
    const cli_plot plot = {
        .title = "Time by launch shape", .panels = &panel, .n_panels = 1, .n_columns = 1};
    return cli_plot_write(path, &plot, err);
}

static sac_status measure(sweep *s, const char *pipeline, const sac_ladder_desc *desc,
                          sac_error *err)
{
    sac_ladder_desc one = *desc;
    one.only = desc->only ? desc->only : "equalize:hsv-planes";
    one.n_threads = 1;
    sac_status st = SAC_OK;
    for (s->cell = 0; s->cell < N_CELLS && st == SAC_OK; s->cell++) {
        (void)cli_progress_step(&s->progress, (uint64_t)s->cell, N_CELLS);
        one.grid[0] = grids[s->cell / N_BLOCKS];
        one.block[0] = blocks[s->cell % N_BLOCKS];
        one.grid[1] = one.grid[2] = one.block[1] = one.block[2] = 1;
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
