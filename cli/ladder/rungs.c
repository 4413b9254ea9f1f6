/*
 * Rungs as rows: of tables, one for each room and shape, and of JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "rungs.h"

#include <stdio.h>
#include <string.h>

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
    WORK_OF,
    STEPS,
    EXTRA,
    PUBLISHED,
    N_COLUMNS
};

static const char *const heads[N_COLUMNS] = {
    [RUNG] = "<rung",         [MARK] = "<planner", [CHECK] = "<check",    [MEDIAN] = "median",
    [SPREAD] = "p10-p90",     [RATE] = "GB/s",     [SHARE] = "% of copy", [POINTS] = "Gpoints/s",
    [SPEEDUP] = "speed-up",   [WORK_OF] = "work",  [STEPS] = "steps",     [EXTRA] = "extra bytes",
    [PUBLISHED] = "published"};

/* Of the second table, on a GPU: each time as its median, least and most. */
enum {
    LEG_RUNG,
    LEG_IN,
    LEG_KERNEL,
    LEG_BACK,
    LEG_LOOP,
    LEG_SHARE,
    LEG_PUBLISHED,
    N_LEGS = LEG_PUBLISHED + LEG_SHARE
};

static const char *const legs[N_LEGS] = {
    "<rung",  "to GPU", "kernel", "back",    "loop", "kernel %", "published: to GPU",
    "kernel", "back",   "loop",   "kernel %"};

static void put_legs(cli_json *json, const sac_ladder_row *row)
{
    cli_json_real(json, "h2d_ns", row->h2d_ns);
    cli_json_real(json, "h2d_min_ns", row->h2d_min_ns);
    cli_json_real(json, "h2d_max_ns", row->h2d_max_ns);
    cli_json_real(json, "kernel_ns", row->kernel_ns);
    cli_json_real(json, "d2h_ns", row->d2h_ns);
    cli_json_real(json, "d2h_min_ns", row->d2h_min_ns);
    cli_json_real(json, "d2h_max_ns", row->d2h_max_ns);
    cli_json_real(json, "loop_ns", row->loop_ns);
    cli_json_real(json, "loop_min_ns", row->loop_min_ns);
    cli_json_real(json, "loop_max_ns", row->loop_max_ns);
    if (row->block[0] > 0) {
        const uint64_t shape[] = {row->grid[0],  row->grid[1],  row->grid[2],
                                  row->block[0], row->block[1], row->block[2]};
        cli_json_uints(json, "grid", shape, 3);
        cli_json_uints(json, "block", shape + 3, 3);
    }
}

void cli_ladder_put_row(cli_json *json, const sac_ladder_row *row, const char *task,
                        double copy_b_s)
{
    cli_json_object(json, NULL);
    cli_json_string(json, "pipeline", row->pipeline);
    cli_json_string(json, "room", row->room);
    cli_json_string(json, "rung", row->rung);
    cli_json_string(json, "device", row->device);
    if (row->threads > 0) {
        cli_json_int(json, "threads", row->threads);
    }
    cli_json_string(json, "shape", row->shape);
    if (task) {
        cli_json_string(json, "task", task);
    }
    if (row->needs[0]) {
        cli_json_string(json, "needs", row->needs);
    }
    cli_json_bool(json, "ships", row->ships);
    cli_json_bool(json, "chosen", row->chosen);
    cli_json_bool(json, "checked", row->checked);
    if (row->checked) {
        cli_json_bool(json, "ok", row->ok);
        cli_json_real(json, "error", row->error);
        cli_json_uint(json, "n_differ", row->n_differ);
    }
    if (row->runs > 0) {
        cli_json_times(json, row->median_ns, row->p10_ns, row->p90_ns);
        cli_json_real(json, "min_ns", row->min_ns);
        cli_json_real(json, "max_ns", row->max_ns);
        cli_json_uint(json, "runs", row->runs);
        cli_json_uint(json, "bytes", row->bytes);
        if (copy_b_s > 0) {
            cli_json_real(json, "copy_gb_s", copy_b_s * 1e-9);
        }
        if (row->points > 0) {
            cli_json_uint(json, "points", row->points);
            cli_json_uint(json, "active_points", row->active_points);
        }
    }
    if (row->kernel_ns > 0) {
        put_legs(json, row);
        cli_ladder_put_feedback(json, row);
    }
    if (row->work > 0) {
        cli_json_uint(json, "work", row->work);
        cli_json_uint(json, "steps", row->steps);
        cli_json_uint(json, "extra_bytes", row->extra_bytes);
    }
    cli_ladder_put_published(json, row);
    cli_json_end_object(json);
}

static double copy_b_s(const cli_ladder_rows *l, const sac_ladder_row *row)
{
    const sac_bandwidth *copy = row->threads > 1 ? &l->all : &l->one;
    if (l->on_gpu) {
        return copy->dram_b_s; /* frames take turns, so that no cache holds them */
    }
    return row->bytes <= HOT_BYTES ? copy->hot_b_s : copy->dram_b_s;
}

static void fill_times(cli_ladder_rows *l, const sac_ladder_row *row)
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
}

static void fill_leg(cli_table *table, int column, double median, double least, double most)
{
    char text[3][16];
    cli_table_cell(table, column, "%s (%s - %s)", cli_time_text(text[0], 16, median),
                   cli_time_text(text[1], 16, least), cli_time_text(text[2], 16, most));
}

/* The kernel's share is of the kernel and both copies, as profilers count it. */
static void fill_legs(cli_table *table, const sac_ladder_row *r)
{
    const double published = r->published_h2d_ns + r->published_ns + r->published_d2h_ns;
    cli_table_row(table);
    cli_table_cell(table, LEG_RUNG, "%s", r->rung);
    fill_leg(table, LEG_IN, r->h2d_ns, r->h2d_min_ns, r->h2d_max_ns);
    fill_leg(table, LEG_KERNEL, r->kernel_ns, r->min_ns, r->max_ns);
    fill_leg(table, LEG_BACK, r->d2h_ns, r->d2h_min_ns, r->d2h_max_ns);
    fill_leg(table, LEG_LOOP, r->loop_ns, r->loop_min_ns, r->loop_max_ns);
    cli_table_cell(table, LEG_SHARE, "%.3g",
                   100 * r->kernel_ns / (r->h2d_ns + r->kernel_ns + r->d2h_ns));
    if (r->published_loop_ns > 0) {
        cli_table_time(table, LEG_PUBLISHED, r->published_h2d_ns);
        cli_table_time(table, LEG_PUBLISHED + 1, r->published_ns);
        cli_table_time(table, LEG_PUBLISHED + 2, r->published_d2h_ns);
        cli_table_time(table, LEG_PUBLISHED + 3, r->published_loop_ns);
        cli_table_cell(table, LEG_PUBLISHED + 4, "%.3g", 100 * r->published_ns / published);
    }
}

static void fill_row(cli_ladder_rows *l, const sac_ladder_row *row)
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
    if (row->kernel_ns > 0) {
        fill_legs(&l->legs, row);
        cli_ladder_add_feedback(&l->feedback, row);
    }
    if (row->work > 0) {
        cli_table_cell(&l->table, WORK_OF, "%llu", (unsigned long long)row->work);
        cli_table_cell(&l->table, STEPS, "%llu", (unsigned long long)row->steps);
        cli_table_cell(&l->table, EXTRA, "%llu", (unsigned long long)row->extra_bytes);
    }
    if (row->published_ns > 0) {
        cli_table_time(&l->table, PUBLISHED, row->published_ns);
    }
    cli_ladder_fill_published(&l->published, row);
}

static void print_bandwidth(const cli_ladder_rows *l)
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

void cli_ladder_end_table(cli_ladder_rows *l)
{
    cli_progress_hide(&l->progress);
    if (l->table.n_rows > 0) {
        printf("\n%s\n", l->title);
    }
    cli_table_print(&l->table, stdout);
    if (l->legs.n_rows > 0) {
        printf(
            "\nMedian (least - most) of a frame's way to the GPU, its kernel, its way back, and of "
            "all one after\nanother (loop):\n");
    }
    cli_table_print(&l->legs, stdout);
    cli_ladder_print_feedback(&l->feedback, stdout);
    cli_ladder_print_published(&l->published);
    fflush(stdout);
}

void cli_ladder_take_row(void *ctx, const sac_ladder_row *row)
{
    cli_ladder_rows *l = ctx;
    l->n_rows++;
    l->n_failed += row->checked && !row->ok;
    if (l->as_json) {
        cli_ladder_put_row(&l->json, row, l->task, copy_b_s(l, row));
    }
    if (l->bars) {
        cli_ladder_add_bar(l->bars, row);
    }
    if (!l->as_table) {
        return;
    }
    if (l->n_rows == 1) {
        cli_progress_hide(&l->progress);
        print_bandwidth(l);
    }
    char title[sizeof l->title], frames[48] = "";
    if (strcmp(row->pipeline, "meltpool") == 0 && strcmp(row->room, "meltpool") == 0) {
        snprintf(frames, sizeof frames, ", times of %llu frames", (unsigned long long)row->points);
    }
    if (row->threads > 0) {
        snprintf(title, sizeof title, "%s: %s, %d thread%s%s", row->room, row->shape, row->threads,
                 row->threads == 1 ? "" : "s", frames);
    } else {
        snprintf(title, sizeof title, "%s: %s, %s%s", row->room, row->shape, row->device, frames);
    }
    if (strcmp(l->title, title) != 0) {
        cli_ladder_end_table(l);
        memcpy(l->title, title, sizeof title);
    }
    if (strcmp(l->room, row->room) != 0 || strcmp(l->first, row->rung) == 0) { /* its next task */
        snprintf(l->room, sizeof l->room, "%s", row->room);
        snprintf(l->first, sizeof l->first, "%s", row->rung);
        l->first_ns = 0;
    }
    fill_row(l, row);
}

void cli_ladder_begin_table(cli_ladder_rows *l)
{
    cli_table_open(&l->table, heads, N_COLUMNS);
    cli_table_open(&l->legs, legs, N_LEGS);
    cli_ladder_begin_feedback(&l->feedback);
    cli_ladder_begin_published(&l->published);
}
