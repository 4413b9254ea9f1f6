/*
 * The sweep over the threads of one block, as in Battilana's report on CUDA video streaming.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sweep.h"

#include <math.h>
#include <string.h>

#include "draw/plot.h"
#include "options.h"
#include "rungs.h"

enum { STEP = 4, MOST = 1024, N_SHAPES = MOST / STEP, PUBLISHED_BEST = 716 };
#define DEFAULT_RUNG "heat_u8:word" /* the report's last program, before its K was chosen */
#define SECONDS 0.03                /* for each K, unless asked otherwise: there are 256 */

enum { TO_GPU, KERNEL, BACK, LOOP, N_TIMES };

typedef struct sweep {
    double ms[N_TIMES][N_SHAPES];
    double published_ms[N_TIMES];
    cli_json json;
    cli_progress progress;
    int n, n_failed;
    char title[192];
} sweep;

static void take_row(void *ctx, const sac_ladder_row *row)
{
    sweep *s = ctx;
    s->n_failed += !row->ok;
    cli_ladder_put_row(&s->json, row, NULL, 0);
    if (s->n == N_SHAPES || row->block[0] != (uint32_t)(STEP * (s->n + 1))) {
        return; /* a rung that has a shape of its own */
    }
    const double ns[N_TIMES] = {row->h2d_ns, row->kernel_ns, row->d2h_ns, row->loop_ns};
    const double published[N_TIMES] = {row->published_h2d_ns, row->published_ns,
                                       row->published_d2h_ns, row->published_loop_ns};
    for (int t = 0; t < N_TIMES; t++) {
        s->ms[t][s->n] = ns[t] * 1e-6;
        s->published_ms[t] = published[t] * 1e-6;
    }
    snprintf(s->title, sizeof s->title, "%s:%s, %s, %s", row->room, row->rung, row->shape,
             row->device);
    s->n++;
}

static int best(const sweep *s)
{
    int least = 0;
    for (int i = 1; i < N_SHAPES; i++) {
        least = s->ms[KERNEL][i] < s->ms[KERNEL][least] ? i : least;
    }
    return least;
}

/* The powers of two, the report's best, and the best here. The plot and the JSON have all. */
static void print_sweep(const sweep *s)
{
    static const char *const heads[] = {"threads", "to GPU", "kernel", "back", "loop", "<"};
    cli_table table;
    cli_table_open(&table, heads, 6);
    printf("%s: one block of 4, 8 .. 1024 threads, milliseconds\n", s->title);
    for (int i = 0; i < N_SHAPES; i++) {
        const int k = STEP * (i + 1);
        if ((k & (k - 1)) != 0 && k != PUBLISHED_BEST && i != best(s)) {
            continue;
        }
        cli_table_row(&table);
        cli_table_cell(&table, 0, "%d", k);
        for (int t = 0; t < N_TIMES; t++) {
            cli_table_cell(&table, 1 + t, "%.4g", s->ms[t][i]);
        }
        cli_table_cell(&table, 5, "%s%s", i == best(s) ? "the fastest here " : "",
                       k == PUBLISHED_BEST ? "the report's fastest" : "");
    }
    cli_table_row(&table);
    cli_table_cell(&table, 0, "report, %d", MOST);
    for (int t = 0; t < N_TIMES && s->published_ms[LOOP] > 0; t++) {
        cli_table_cell(&table, 1 + t, "%.4g", s->published_ms[t]);
    }
    cli_table_print(&table, stdout);
}

/* Kernel, and both copies, against K, as in the report's figure 7. */
static sac_status draw(const sweep *s, const char *path, sac_error *err)
{
    double x[N_SHAPES];
    for (int i = 0; i < N_SHAPES; i++) {
        x[i] = STEP * (i + 1);
    }
    const cli_series kernel = {.kind = CLI_LINE, .x = x, .y = s->ms[KERNEL], .n = N_SHAPES};
    const cli_series copies[] = {
        {.label = "to the GPU", .kind = CLI_LINE, .x = x, .y = s->ms[TO_GPU], .n = N_SHAPES},
        {.label = "back", .kind = CLI_LINE, .x = x, .y = s->ms[BACK], .n = N_SHAPES}};
    const cli_mark marks[] = {{PUBLISHED_BEST, (double)NAN, "716: the report's fastest"}};
    const cli_axis threads = {.label = "threads of the block", .max = MOST, .step = 128};
    const cli_panel panels[] = {
        {.title = "kernel",
         .x = threads,
         .y = {.label = "ms", .log_base = 10},
         .series = &kernel,
         .n_series = 1,
         .marks = marks,
         .n_marks = 1},
        {.title = "copies", .x = threads, .y = {.label = "ms"}, .series = copies, .n_series = 2}};
    const cli_plot plot = {.title = s->title, .panels = panels, .n_panels = 2, .n_columns = 2};
    return cli_plot_write(path, &plot, err);
}

int cli_ladder_sweep_threads(const char *pipeline, const sac_ladder_desc *desc,
                             const char *json_path, const char *plot_path)
{
    static sweep s;
    uint32_t blocks[N_SHAPES];
    sac_error err = {0};
    sac_ladder_desc all = *desc;
    s = (sweep){0};
    for (uint32_t i = 0; i < N_SHAPES; i++) {
        blocks[i] = STEP * (i + 1);
    }
    all.only = desc->only ? desc->only : DEFAULT_RUNG;
    all.seconds = cli_was_given("seconds") ? desc->seconds : SECONDS;
    all.blocks = blocks;
    all.n_blocks = N_SHAPES;
    all.progress = cli_progress_step;
    all.progress_ctx = &s.progress;
    cli_json_open_rows(&s.json, 0, desc->device);
    cli_progress_open(&s.progress, "threads");
    sac_status st = sac_ladder_run(pipeline, &all, take_row, &s, &err);
    cli_progress_hide(&s.progress);
    if (st == SAC_OK && s.n < N_SHAPES) {
        cli_json_discard(&s.json);
        return cli_fail("--sweep: %s has a launch shape of its own", all.only);
    }
    if (st == SAC_OK && (!json_path || strcmp(json_path, "-") != 0)) {
        print_sweep(&s);
    }
    if (st == SAC_OK && plot_path) {
        st = draw(&s, plot_path, &err);
    }
    return cli_ladder_end_sweep(st, &err, &s.json, json_path, s.n_failed);
}
