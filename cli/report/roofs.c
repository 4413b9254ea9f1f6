/*
 * Calls of a ladder against what the machine was measured to do: time against bytes, and operations
 * against operations per byte where rungs count them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "command.h"
#include "info/roofs.h"
#include "parts.h"

typedef struct points {
    cli_chart_series series[2]; /* what plans use, and the others */
    double *values;
} points;

static void open_points(points *p, size_t n)
{
    p->values = cli_grow(NULL, 0, 4 * n + 1, sizeof *p->values);
    for (size_t i = 0; i < 2; i++) {
        p->series[i] = (cli_chart_series){
            .x = p->values + 2 * i * n, .y = p->values + (2 * i + 1) * n, .is_dots = true};
    }
    snprintf(p->series[0].label, sizeof p->series[0].label, "rungs that a plan uses");
    snprintf(p->series[1].label, sizeof p->series[1].label, "other rungs");
}

static void add_point(points *p, bool is_chosen, double x, double y)
{
    cli_chart_series *s = &p->series[is_chosen ? 0 : 1];
    s->x[s->n] = x;
    s->y[s->n++] = y;
}

static void draw(FILE *page, const points *p, cli_chart chart, const double *roofs,
                 const char *const *names)
{
    chart.series = p->series;
    chart.n_series = 2;
    chart.roofs = roofs;
    chart.roof_names = names;
    cli_chart_lines(page, &chart);
}

/* Its flat parts are additions: what rungs count are additions of integers, and counts. */
static void draw_work(FILE *page, const points *p, const cli_report_limits *limits,
                      const double *roofs, const char *const *names, size_t n_roofs)
{
    char texts[CLI_REPORT_SETS][64];
    const char *top_names[CLI_REPORT_SETS];
    double tops[CLI_REPORT_SETS];
    for (size_t i = 0; i < limits->n_sets; i++) {
        tops[i] = limits->set[i].add_g_s;
        top_names[i] = texts[i];
        snprintf(texts[i], sizeof texts[i], "additions by %s, %.3g 1e9/s", limits->set[i].name,
                 tops[i]);
    }
    const cli_chart chart = {
        .title =
            limits->n_sets
                ? "Roofline: operations a second against operations a byte. The lines are the "
                  "measured copy bandwidth, and the most additions of 32-bit integers that all "
                  "cores were measured to do in registers, by each set of instructions."
                : "Roofline: operations a second against operations a byte. The lines are the "
                  "measured copy bandwidth; no peak of operations is known: saccade info "
                  "measures that of a CPU.",
        .x_label = "operations for each byte",
        .y_label = "operations, 1e9/s",
        .n_roofs = n_roofs,
        .tops = tops,
        .top_names = top_names,
        .n_tops = limits->n_sets};
    draw(page, p, chart, roofs, names);
}

void cli_report_roofs(FILE *page, cli_report_input *in, const cli_report_limits *limits)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(in->tree, "rows"), *row;
    char names[2][64];
    const char *const name[2] = {names[0], names[1]};
    double gb_s[2], ns_b[2];
    size_t n_roofs = 0;
    int i = 0;
    points by_bytes, by_work;
    const size_t n = (size_t)cJSON_GetArraySize(rows);
    if (limits->copy_gb_s > 0) {
        snprintf(names[n_roofs], sizeof names[0], "copy in the %s, %.3g GB/s",
                 limits->is_gpu ? "GPU's memory" : "cache", limits->copy_gb_s);
        gb_s[n_roofs++] = limits->copy_gb_s;
    }
    if (limits->dram_gb_s > 0) {
        snprintf(names[n_roofs], sizeof names[0], "copy in memory, %.3g GB/s", limits->dram_gb_s);
        gb_s[n_roofs++] = limits->dram_gb_s;
    }
    for (size_t k = 0; k < n_roofs; k++) {
        ns_b[k] = 1 / gb_s[k];
    }
    open_points(&by_bytes, n);
    open_points(&by_work, n);
    cJSON_ArrayForEach(row, rows)
    {
        const double ns = cli_report_number(in, row, i, "median_ns");
        const double bytes = cli_report_number(in, row, i, "bytes");
        const double work = cli_report_number(in, row, i, "work");
        const double all = bytes + cli_report_number(in, row, i++, "extra_bytes");
        if (ns > 0 && bytes > 0) {
            add_point(&by_bytes, cli_report_is(row, "chosen"), bytes, ns);
            if (work > 0) {
                add_point(&by_work, cli_report_is(row, "chosen"), work / all, work / ns);
            }
        }
    }
    if (by_bytes.series[0].n + by_bytes.series[1].n > 0 && n_roofs > 0) {
        fputs("<h3>Against the machine\xe2\x80\x99s limits</h3>\n", page);
        if (limits->rounds_differ > CLI_ROOFS_DIFFER) {
            fprintf(page,
                    "<p>saccade info measured them on a machine with other work: its rounds differ "
                    "by up to %.0f %%, and the limits may be too low.</p>\n",
                    100 * limits->rounds_differ);
        }
    }
    const cli_chart time = {.title = "Time of a call against the bytes it moves. The lines are the "
                                     "measured copy bandwidth: points near them cannot be faster "
                                     "without moving less.",
                            .x_label = "bytes of a call, read plus written",
                            .y_label = "median, ns",
                            .n_roofs = n_roofs};
    draw(page, &by_bytes, time, ns_b, name);
    draw_work(page, &by_work, limits, gb_s, name, n_roofs);
    free(by_bytes.values);
    free(by_work.values);
}
