/*
 * A ladder's rows: for each room and shape a table of its rungs beside bars; sweeps over launch
 * shapes as lines.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "command.h"
#include "html.h"
#include "parts.h"
#include "tables.h"

enum { MOST_BARS = 60 }; /* more rows are a sweep */

static const char *const heads[] = {"<rung", "<planner",  "<check",   "median",   "p10 - p90",
                                    "GB/s",  "% of copy", "speed-up", "published"};
enum { N_HEADS = sizeof heads / sizeof heads[0] };

typedef struct rung {
    const char *room, *shape, *device, *task, *name, *needs;
    double threads, median_ns, p10_ns, p90_ns, bytes, copy_gb_s, published_ns, grid, block;
    double first_ns; /* of the room's first rung */
    bool ships, chosen, has_failed, is_checked;
    char label[160];
} rung;

/* The product of a launch's axes; 0: the rung's own. */
static double launch_of(const cJSON *row, const char *name)
{
    const cJSON *axes = cJSON_GetObjectItemCaseSensitive(row, name);
    double n = cJSON_GetArraySize(axes) == 3 ? 1 : 0;
    for (int i = 0; i < 3 && n > 0; i++) {
        const cJSON *axis = cJSON_GetArrayItem(axes, i);
        n = cJSON_IsNumber(axis) && axis->valuedouble >= 1 && axis->valuedouble < 1e6
                ? n * axis->valuedouble
                : 0;
    }
    return n;
}

static void read_rung(rung *r, cli_report_input *in, const cJSON *row, int i)
{
    *r = (rung){.room = cli_report_string(in, row, i, "room"),
                .shape = cli_report_string(in, row, i, "shape"),
                .device = cli_report_string(in, row, i, "device"),
                .name = cli_report_string(in, row, i, "rung"),
                .task = cli_report_word(in, row, i, "task", ""),
                .needs = cli_report_word(in, row, i, "needs", ""),
                .threads = cli_report_number(in, row, i, "threads"),
                .median_ns = cli_report_number(in, row, i, "median_ns"),
                .p10_ns = cli_report_number(in, row, i, "p10_ns"),
                .p90_ns = cli_report_number(in, row, i, "p90_ns"),
                .bytes = cli_report_number(in, row, i, "bytes"),
                .copy_gb_s = cli_report_number(in, row, i, "copy_gb_s"),
                .published_ns = cli_report_number(in, row, i, "published_ns"),
                .grid = launch_of(row, "grid"),
                .block = launch_of(row, "block"),
                .ships = cli_report_is(row, "ships"),
                .chosen = cli_report_is(row, "chosen"),
                .is_checked = cli_report_is(row, "checked"),
                .has_failed = cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(row, "ok"))};
    snprintf(r->label, sizeof r->label, "%s", r->name);
    if (r->block > 0) {
        snprintf(r->label, sizeof r->label, "%.120s, %.0f x %.0f", r->name, r->grid, r->block);
    }
}

static bool is_one_group(const rung *a, const rung *b)
{
    return !strcmp(a->room, b->room) && !strcmp(a->shape, b->shape) &&
           !strcmp(a->device, b->device) && !strcmp(a->task, b->task) && a->threads == b->threads;
}

static void put_time(FILE *page, double ns)
{
    char text[16];
    cli_html_number(page, ns > 0 ? cli_time_text(text, sizeof text, ns) : "");
}

/* A wrong result has no speed. */
static double time_of(const rung *r)
{
    return r->has_failed ? 0 : r->median_ns;
}

/* The machine's copy bandwidth is that of many threads: for one of them it would be too much. */
static double copy_of(const rung *r, const cli_report_limits *limits)
{
    return r->copy_gb_s > 0 ? r->copy_gb_s : r->threads != 1 ? limits->copy_gb_s : 0;
}

static void put_rate(FILE *page, const rung *r, double copy_gb_s)
{
    char text[32] = "", share[32] = "";
    if (r->median_ns > 0 && r->bytes > 0) {
        snprintf(text, sizeof text, "%.3g", r->bytes / r->median_ns);
        if (copy_gb_s > 0) {
            snprintf(share, sizeof share, "%.3g", 100 * r->bytes / r->median_ns / copy_gb_s);
        }
    }
    cli_html_number(page, text);
    cli_html_number(page, share);
}

static void put_rung(FILE *page, const rung *r, double copy_gb_s)
{
    char low[16], high[16], text[64] = "";
    cli_html_row(page);
    cli_html_head(page, r->label);
    cli_html_cell(page, r->chosen ? "chosen" : r->ships ? "ships" : "");
    if (r->needs[0]) {
        char *needs = cli_text("needs %s", r->needs);
        cli_html_cell(page, needs);
        free(needs);
    } else {
        cli_html_cell(page, r->has_failed ? "FAILED" : r->is_checked ? "ok" : "unchecked");
    }
    put_time(page, r->median_ns);
    if (r->p10_ns > 0 && r->p90_ns > 0) {
        snprintf(text, sizeof text, "%s - %s", cli_time_text(low, 16, r->p10_ns),
                 cli_time_text(high, 16, r->p90_ns));
    }
    cli_html_number(page, text);
    put_rate(page, r, copy_gb_s);
    text[0] = '\0';
    if (time_of(r) > 0 && r->first_ns > 0) {
        snprintf(text, sizeof text, "%.2fx", r->first_ns / r->median_ns);
    }
    cli_html_number(page, text);
    put_time(page, r->published_ns);
    cli_html_end_row(page);
}

static void draw_bars(FILE *page, const char *title, const rung *r, size_t n)
{
    cli_chart_bar *bars = cli_grow(NULL, 0, n, sizeof *bars);
    for (size_t i = 0; i < n; i++) {
        bars[i] = (cli_chart_bar){.label = r[i].label,
                                  .ns = time_of(&r[i]),
                                  .published_ns = r[i].published_ns,
                                  .is_chosen = r[i].chosen};
        bars[i].speed_up = bars[i].ns > 0 && r[i].first_ns > 0 ? r[i].first_ns / bars[i].ns : 0;
    }
    cli_chart_bars(page, title, bars, n);
    free(bars);
}

/* Time against the threads of a block, a line for each rung and number of blocks. */
static void draw_sweep(FILE *page, const char *title, const rung *r, size_t n)
{
    cli_chart_series *series = cli_grow(NULL, 0, n, sizeof *series);
    double *values = cli_grow(NULL, 0, 2 * n, sizeof *values);
    bool *is_taken = cli_grow(NULL, 0, n, sizeof *is_taken);
    size_t n_series = 0, used = 0;
    for (size_t i = 0; i < n; i++) {
        cli_chart_series *s = &series[n_series];
        *s = (cli_chart_series){.x = values + used, .y = values + n + used};
        snprintf(s->label, sizeof s->label, "%.80s, %.0f block%s", r[i].name, r[i].grid,
                 cli_s((int64_t)r[i].grid));
        for (size_t k = i; k < n; k++) {
            if (!is_taken[k] && r[k].block > 0 && time_of(&r[k]) > 0 && r[k].grid == r[i].grid &&
                !strcmp(r[k].name, r[i].name)) {
                s->x[s->n] = r[k].block;
                s->y[s->n++] = time_of(&r[k]);
                is_taken[k] = true;
            }
        }
        used += s->n;
        n_series += s->n > 0;
    }
    const cli_chart chart = {.title = title,
                             .x_label = "threads of a block",
                             .y_label = "median, ns",
                             .series = series,
                             .n_series = n_series};
    cli_chart_lines(page, &chart);
    free(series);
    free(values);
    free(is_taken);
}

static void put_group(FILE *page, const rung *r, size_t n, const cli_report_limits *limits)
{
    char threads[48] = "";
    if (r->threads > 0) {
        snprintf(threads, sizeof threads, ", %.0f thread%s", r->threads,
                 r->threads == 1 ? "" : "s");
    }
    char *title = cli_text("%s: %s%s%s, %s%s", r->room, r->shape, r->task[0] ? ", task " : "",
                           r->task, r->device, threads);
    size_t n_launched = 0;
    for (size_t i = 0; i < n; i++) {
        n_launched += r[i].block > 0;
    }
    fputs("<h3>", page);
    cli_html_text(page, title);
    fputs("</h3>\n", page);
    if (n <= MOST_BARS) {
        draw_bars(page, title, r, n);
    }
    if (n_launched > 4) {
        draw_sweep(page, title, r, n);
    }
    cli_html_table(page, title, heads, N_HEADS);
    for (size_t i = 0; i < n; i++) {
        put_rung(page, &r[i], copy_of(&r[i], limits));
    }
    cli_html_end_table(page);
    free(title);
}

/* Speed-ups are over the room's first rung, until it comes again for another shape or task: as
 * `saccade ladder` has it. */
static void find_first(rung *r, size_t n)
{
    size_t first = 0;
    double first_ns = 0;
    for (size_t i = 0; i < n; i++) {
        const bool is_again = !strcmp(r[i].name, r[first].name) && !is_one_group(&r[i], &r[first]);
        if (strcmp(r[i].room, r[first].room) != 0 || is_again) {
            first = i;
            first_ns = 0;
        }
        first_ns = first_ns > 0 ? first_ns : time_of(&r[i]);
        r[i].first_ns = first_ns;
    }
}

void cli_report_ladder(FILE *page, cli_report_input *in, const cli_report_limits *limits)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(in->tree, "rows"), *row;
    const size_t n = (size_t)cJSON_GetArraySize(rows);
    rung *rungs = cli_grow(NULL, 0, n, sizeof *rungs);
    size_t i = 0;
    cJSON_ArrayForEach(row, rows)
    {
        read_rung(&rungs[i], in, row, (int)i);
        i++;
    }
    find_first(rungs, n);
    for (size_t first = 0; first < n && !in->is_bad;) {
        size_t last = first + 1;
        while (last < n && is_one_group(&rungs[first], &rungs[last])) {
            last++;
        }
        put_group(page, &rungs[first], last - first, limits);
        first = last;
    }
    free(rungs);
    cli_report_roofs(page, in, limits);
}
