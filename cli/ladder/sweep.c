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
    N_REPORTED = 4,
    MOST_PANELS = 1 + N_REPORTED
};

static const uint32_t grids[N_GRIDS] = {1, 4, 16, 64, 256, 1024};
static const uint32_t blocks[N_BLOCKS] = {1, 4, 16, 64, 256};

/* Two shapes of 2,048 threads, which the report compares in its section 5.3: grid, then block. */
static const uint32_t solid[N_SOLID][6] = {{8, 1, 1, 8, 8, 4}, {8, 8, 1, 8, 4, 1}};

/* A GPU of the report: its Tables 3 to 6 and, of its CPU, the mean of section 4.2.1. They have no
 * unit, and no size of the picture; by the profiles of its Figs. 16 and 17 they are milliseconds.
 */
typedef struct reported {
    const char *gpu;
    double cpu_ms;
    double ms[N_CELLS];
} reported;

static const reported reports[N_REPORTED] = {
    {"Quadro P620, Core i7-8700",
     56.78,
     {1921.28, 538.16, 142.68, 38.62, 12.69, 497.36, 138.78, 39.05, 10.23, 3.68,
      137.35,  36.71,  10.79,  3.97,  2.93,  46.86,  13.24,  3.93,  3.19,  3.50,
      36.59,   10.92,  3.74,   2.69,  2.42,  37.28,  9.39,   4.18,  2.37,  2.89}},
    {"GeForce MX130, Core i7-8565U",
     191.93,
     {1785.61, 509.38, 136.54, 39.18, 13.21, 464.52, 134.97, 38.00, 12.18, 5.80,
      132.12,  36.56,  11.88,  5.67,  4.84,  58.50,  17.75,  6.82,  4.90,  4.60,
      52.76,   15.54,  6.39,   4.78,  4.37,  53.20,  15.97,  6.18,  4.75,  4.51}},
    {"Tesla T4, Xeon at 2 GHz",
     74.94,
     {1182.08, 510.87, 199.363, 58.71, 22.81, 479.14, 190.88, 55.50, 16.09, 7.12,
      187.47,  53.25,  15.32,   5.39,  3.30,  53.0,   14.91,  5.35,  3.22,  2.54,
      20.24,   6.58,   3.05,    2.50,  2.33,  17.36,  5.89,   2.94,  2.39,  2.39}},
    {"A100, Xeon at 2 GHz", 74.94, {763.85, 275.66, 86.30, 23.92, 7.40, 286.03, 88.73, 24.43,
                                    7.16,   2.92,   90.35, 24.15, 7.46, 2.97,   1.82,  24.75,
                                    7.17,   2.94,   1.82,  1.52,  7.40, 2.89,   1.84,  1.57,
                                    1.49,   3.23,   1.90,  1.59,  1.54, 1.50}}};

typedef struct sweep {
    double ms[N_SHAPES];
    double cpu_ms; /* the same rung on one core of the CPU; 0 if it has none there */
    cli_json json;
    cli_progress progress;
    int cell;
    int n_failed;
    double n_pixels;
    char rung[64];
    bool is_reports; /* the chain that the report timed */
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
    s->is_reports = !strcmp(row->room, "equalize");
    s->n_failed += !row->ok;
    cli_ladder_put_row(&s->json, &cell, NULL);
}

static void take_cpu(void *ctx, const sac_ladder_row *row)
{
    sweep *s = ctx;
    s->cpu_ms = row->median_ns * 1e-6;
    s->n_failed += !row->ok;
    cli_ladder_put_row(&s->json, row, NULL);
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
    if (!s->is_reports) {
        print_table(s, NULL);
    }
    for (int i = 0; i < N_REPORTED && s->is_reports; i++) {
        printf("%snext to %s, as published by Duong (no unit, picture of unknown size)\n",
               i ? "\n" : "", reports[i].gpu);
        print_table(s, &reports[i]);
    }
    printf("2,048 threads: 8 blocks of 8 x 8 x 4 %.4g ms, 8 x 8 blocks of 8 x 4 %.4g ms.\n",
           s->ms[N_CELLS], s->ms[N_CELLS + 1]);
    if (s->cpu_ms > 0) {
        printf("The same on one core of the CPU: %.4g ms.\n", s->cpu_ms);
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
    for (int i = 0; i < N_REPORTED && s->is_reports; i++, n++) {
        snprintf(titles[n], sizeof titles[n], "report: %s", reports[i].gpu);
        panels[n] = fill_panel(&all[n], titles[n], reports[i].ms, reports[i].cpu_ms, 0);
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
