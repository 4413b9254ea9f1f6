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

/* What the literature has of the same shapes, by device. */
enum { MAX_DEVICES = 4 };
typedef struct published {
    const char *device, *note;
    double ms[N_CELLS];
} published;

typedef struct sweep {
    double ms[N_CELLS];
    double cpu_ms; /* the same rung on one core of the CPU; 0 if it has none there */
    cli_json json;
    cli_progress progress;
    int cell;
    int n_failed;
    double n_pixels;
    char rung[64];
    published published[MAX_DEVICES];
    int n_published;
} sweep;

static void take_published(sweep *s, const sac_published *p)
{
    int i = 0;
    while (i < s->n_published && strcmp(s->published[i].device, p->device) != 0) {
        i++;
    }
    if (p->grid != grids[s->cell / N_BLOCKS] || p->block != blocks[s->cell % N_BLOCKS] ||
        i == MAX_DEVICES) {
        return;
    }
    s->n_published = i == s->n_published ? i + 1 : s->n_published;
    s->published[i].device = p->device;
    s->published[i].note = p->note;
    s->published[i].ms[s->cell] = p->ns * 1e-6;
}

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
    for (int32_t i = 0; i < row->n_published; i++) {
        take_published(s, &row->published[i]);
    }
    cli_ladder_put_row(&s->json, &cell);
}

static void take_cpu(void *ctx, const sac_ladder_row *row)
{
    sweep *s = ctx;
    s->cpu_ms = row->median_ns * 1e-6;
    s->n_failed += !row->ok;
    cli_ladder_put_row(&s->json, row);
}

/* A table of n devices next to each other, by grid and block. */
static void print_shapes(const char *const names[], const double *const ms[], int n)
{
    char texts[MAX_DEVICES + 1][64];
    const char *heads[1 + (MAX_DEVICES + 1) * N_BLOCKS] = {"grid \\ block"};
    static const char *const of_block[N_BLOCKS] = {"1", "4", "16", "64", "256"};
    cli_table table;
    for (int i = 0; i < n * N_BLOCKS; i++) {
        snprintf(texts[i / N_BLOCKS], sizeof texts[0], "%s: 1", names[i / N_BLOCKS]);
        heads[1 + i] = i % N_BLOCKS == 0 ? texts[i / N_BLOCKS] : of_block[i % N_BLOCKS];
    }
    cli_table_open(&table, heads, 1 + n * N_BLOCKS);
    for (int g = 0; g < N_GRIDS; g++) {
        cli_table_row(&table);
        cli_table_cell(&table, 0, "%u", grids[g]);
        for (int i = 0; i < n * N_BLOCKS; i++) {
            const double of = ms[i / N_BLOCKS][g * N_BLOCKS + i % N_BLOCKS];
            if (of > 0) {
                cli_table_cell(&table, 1 + i, "%.4g", of);
            }
        }
    }
    cli_table_print(&table, stdout);
}

static void print_sweep(const sweep *s)
{
    const char *names[MAX_DEVICES + 1] = {"here"};
    const double *ms[MAX_DEVICES + 1] = {s->ms};
    for (int i = 0; i < s->n_published; i++) {
        names[1 + i] = s->published[i].device;
        ms[1 + i] = s->published[i].ms;
    }
    const int n = 1 + s->n_published, first = n < 2 ? n : 2;
    printf("%s, milliseconds", s->rung);
    if (n > 1) {
        printf("; as published by Duong (%s) on the right", s->published[0].note);
    }
    putchar('\n');
    print_shapes(names, ms, first);
    if (n > first) {
        putchar('\n');
        print_shapes(names + first, ms + first, n - first);
    }
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
