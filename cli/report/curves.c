/*
 * Curves of melt-pool monitoring: latency against load, and throughput by batch beside published
 * ones.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "command.h"
#include "html.h"
#include "parts.h"
#include "tables.h"

/* A row's way of working, and what a series is of. */
typedef struct point {
    const char *part, *way, *batches;
    double at_once, load_hz, done_hz, p50_ns, p99_ns, p999_ns, xavier_hz, a6000_hz;
    bool kept_up;
} point;

static void read_point(point *p, cli_report_input *in, const cJSON *row, int i)
{
    const cJSON *latency = cJSON_GetObjectItemCaseSensitive(row, "latency");
    *p = (point){.part = cli_report_string(in, row, i, "part"),
                 .way = cli_report_word(in, row, i, "way", ""),
                 .batches = cli_report_word(in, row, i, "batches", ""),
                 .at_once = cli_report_number(in, row, i, "frames_at_once"),
                 .load_hz = cli_report_number(in, row, i, "load_hz"),
                 .p50_ns = cli_report_number(in, latency, i, "p50_ns"),
                 .p99_ns = cli_report_number(in, latency, i, "p99_ns"),
                 .p999_ns = cli_report_number(in, latency, i, "p999_ns"),
                 .xavier_hz = cli_report_number(in, row, i, "published_xavier_hz"),
                 .a6000_hz = cli_report_number(in, row, i, "published_a6000_hz"),
                 .kept_up = cli_report_is(row, "kept_up")};
    if (strcmp(p->part, "inflection") == 0) { /* where a curve bends */
        p->p50_ns = cli_report_number(in, row, i, "latency_p50_ns");
        p->p99_ns = cli_report_number(in, row, i, "latency_p99_ns");
    }
    p->done_hz = cli_report_number(
        in, row, i, strcmp(p->part, "throughput") == 0 ? "throughput_hz" : "done_hz");
}

typedef struct lines {
    cli_chart_series *series; /* (n) */
    double *values;
    size_t n, room, used;
} lines;

static void open_lines(lines *l, size_t n_points, size_t n_series)
{
    l->series = cli_grow(NULL, 0, n_series, sizeof *l->series);
    l->values = cli_grow(NULL, 0, 2 * n_points * n_series, sizeof *l->values);
    l->room = n_points;
    l->n = 0;
}

static void close_lines(lines *l)
{
    free(l->series);
    free(l->values);
}

static cli_chart_series *add_line(lines *l)
{
    cli_chart_series *s = &l->series[l->n];
    *s = (cli_chart_series){.x = l->values + 2 * l->n * l->room};
    s->y = s->x + l->room;
    l->n++;
    return s;
}

static void add(cli_chart_series *s, double x, double y)
{
    if (x > 0 && y > 0) {
        s->x[s->n] = x;
        s->y[s->n++] = y;
    }
}

static bool is_latency(const point *p)
{
    return strcmp(p->part, "latency") == 0;
}

static bool is_like(const point *a, const point *b)
{
    return is_latency(b) && !strcmp(a->way, b->way) && !strcmp(a->batches, b->batches);
}

enum { MOST_LINES = 14 }; /* batches of 1, 2, 4 .. 4096 are 13 */

/* The median against the load, a line for each size of batch, of one way. */
static void draw_latency(FILE *page, const point *p, size_t n, const point *of)
{
    char *title = cli_text("Median latency against load: %s, %s batches", of->way, of->batches);
    lines l = {0};
    open_lines(&l, n, MOST_LINES);
    for (size_t i = 0; i < n && l.n < MOST_LINES; i++) {
        bool is_first = is_like(of, &p[i]);
        for (size_t k = 0; k < i && is_first; k++) {
            is_first = !(is_like(of, &p[k]) && p[k].at_once == p[i].at_once);
        }
        if (is_first) {
            cli_chart_series *s = add_line(&l);
            snprintf(s->label, sizeof s->label, "%.0f frame%s at once", p[i].at_once,
                     p[i].at_once == 1 ? "" : "s");
            for (size_t k = i; k < n; k++) {
                if (is_like(of, &p[k]) && p[k].at_once == p[i].at_once) {
                    add(s, p[k].load_hz, p[k].p50_ns * 1e-3);
                }
            }
        }
    }
    const cli_chart chart = {.title = title,
                             .x_label = "frames a second",
                             .y_label = "median latency, us",
                             .series = l.series,
                             .n_series = l.n};
    cli_chart_lines(page, &chart);
    close_lines(&l);
    free(title);
}

/* A line of each way, and the published ones. */
static void draw_throughput(FILE *page, const point *p, size_t n)
{
    enum { XAVIER, A6000, OWN };
    lines l = {0};
    open_lines(&l, n, OWN + MOST_LINES);
    for (int k = 0; k < OWN; k++) {
        cli_chart_series *s = add_line(&l);
        s->dashed = true;
        snprintf(s->label, sizeof s->label, "published: %s",
                 k == XAVIER ? "Xavier AGX" : "RTX A6000");
    }
    for (size_t i = 0; i < n; i++) {
        if (strcmp(p[i].part, "throughput") != 0) {
            continue;
        }
        size_t k = OWN;
        const size_t most = sizeof l.series->label - 1; /* of a way */
        while (k < l.n && strncmp(l.series[k].label, p[i].way, most) != 0) {
            k++;
        }
        if (k == l.n && l.n < OWN + MOST_LINES) {
            snprintf(add_line(&l)->label, sizeof l.series->label, "%s", p[i].way);
        }
        if (k < l.n) {
            add(&l.series[k], p[i].at_once, p[i].done_hz);
        }
        if (k == OWN) { /* they stand with each way */
            add(&l.series[XAVIER], p[i].at_once, p[i].xavier_hz);
            add(&l.series[A6000], p[i].at_once, p[i].a6000_hz);
        }
    }
    const cli_chart chart = {.title = "Throughput by frames at once, and published ones",
                             .x_label = "frames at once",
                             .y_label = "frames a second",
                             .series = l.series,
                             .n_series = l.n};
    cli_chart_lines(page, &chart);
    close_lines(&l);
}

static void put_hz(FILE *page, double hz)
{
    char text[32] = "";
    if (hz > 0) {
        snprintf(text, sizeof text, "%.0f", hz);
    }
    cli_html_number(page, text);
}

static void put_time(FILE *page, double ns)
{
    char text[16];
    cli_html_number(page, ns > 0 ? cli_time_text(text, sizeof text, ns) : "");
}

static void put_table(FILE *page, const point *p, size_t n)
{
    static const char *const heads[] = {"<part",    "<way",     "at once",    "<batches",
                                        "load, Hz", "done, Hz", "p50",        "p99",
                                        "p99.9",    "<kept up", "Xavier, Hz", "A6000, Hz"};
    char text[32];
    cli_html_table(page, "All measurements; of the last two columns: published throughput", heads,
                   sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < n; i++) {
        cli_html_row(page);
        cli_html_head(page, p[i].part);
        cli_html_cell(page, p[i].way);
        snprintf(text, sizeof text, "%.0f", p[i].at_once);
        cli_html_number(page, text);
        cli_html_cell(page, p[i].batches);
        put_hz(page, p[i].load_hz);
        put_hz(page, p[i].done_hz);
        put_time(page, p[i].p50_ns);
        put_time(page, p[i].p99_ns);
        put_time(page, p[i].p999_ns);
        cli_html_cell(page, is_latency(&p[i]) ? p[i].kept_up ? "yes" : "no" : "");
        put_hz(page, p[i].xavier_hz);
        put_hz(page, p[i].a6000_hz);
        cli_html_end_row(page);
    }
    cli_html_end_table(page);
}

/* Stages one after another, and side by side. */
static void put_fusion(FILE *page, cli_report_input *in, const cJSON *row, int i)
{
    char time[16], space[16];
    const double time_ns = cli_report_number(in, row, i, "in_time_ns");
    const double space_ns = cli_report_number(in, row, i, "in_space_ns");
    if (time_ns > 0 && space_ns > 0) {
        fprintf(page, "<p>Fusion of two stages: %s in time, %s in space.</p>\n",
                cli_time_text(time, sizeof time, time_ns),
                cli_time_text(space, sizeof space, space_ns));
    }
}

void cli_report_curves(FILE *page, cli_report_input *in)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(in->tree, "rows"), *row;
    const size_t n = (size_t)cJSON_GetArraySize(rows);
    point *points = cli_grow(NULL, 0, n, sizeof *points);
    size_t i = 0;
    cJSON_ArrayForEach(row, rows)
    {
        read_point(&points[i], in, row, (int)i);
        i++;
    }
    for (i = 0; i < n && !in->is_bad; i++) {
        bool is_first = is_latency(&points[i]);
        for (size_t k = 0; k < i && is_first; k++) {
            is_first = !is_like(&points[i], &points[k]);
        }
        if (is_first) {
            draw_latency(page, points, n, &points[i]);
        }
    }
    if (!in->is_bad) {
        draw_throughput(page, points, n);
        put_table(page, points, n);
    }
    i = 0;
    cJSON_ArrayForEach(row, rows)
    {
        put_fusion(page, in, row, (int)i++);
    }
    free(points);
}
