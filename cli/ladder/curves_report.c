/*
 * The curves of melt-pool monitoring as tables.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>

#include "curves.h"
#include "draw/plot_axis.h"
#include "tables.h"

/* A rate in three digits: "1.22M". */
static const char *rate_text(char *text, size_t size, double hz)
{
    double unit = hz > 0 ? pow(10, floor(log10(hz)) - 2) : 1;
    return cli_tick_text(text, size, unit * round(hz / unit));
}

static void put_rate(cli_table *table, int column, double hz)
{
    char text[24];
    if (hz > 0) {
        cli_table_cell(table, column, "%s", rate_text(text, sizeof text, hz));
    }
}

/* Frames a second of the way with so many frames at once; 0 where it takes none. */
static double most_of(const cli_curves *c, int way, int32_t batch)
{
    for (int32_t i = 0; i < c->n_curves; i++) {
        const cli_curve *curve = &c->curves[i];
        if (curve->way == way && curve->points->batch == batch) {
            return curve->points->done_hz;
        }
    }
    return 0;
}

static int32_t largest_batch(const cli_curves *c)
{
    int32_t largest = 1;
    for (int32_t i = 0; i < c->n_curves; i++) {
        largest = c->curves[i].points->batch > largest ? c->curves[i].points->batch : largest;
    }
    return largest;
}

static bool is_on_device(const cli_curves *c, int way)
{
    for (int32_t i = 0; i < c->n_curves; i++) {
        if (c->curves[i].way == way) {
            return c->curves[i].points->way.on_device;
        }
    }
    return false;
}

/* The paper's Table 3, and ours: of frames in the CPU's memory, or in the GPU's. */
static void print_throughput(const cli_curves *c, bool on_device)
{
    const char *heads[CLI_CURVES_WAYS + 4] = {"frames"};
    int way[CLI_CURVES_WAYS], n = 0;
    cli_table table;
    for (int i = 0; i < c->n_ways; i++) {
        if (is_on_device(c, i) == on_device) {
            way[n++] = i;
            heads[n] = c->ways[n - 1]; /* on a GPU the same ways again, in their order */
        }
    }
    heads[n + 1] = "Xavier";
    heads[n + 2] = "A6000";
    heads[n + 3] = "best / A6000";
    cli_table_open(&table, heads, n + 4);
    if (n > 0 && on_device) {
        printf("\nThe same, of frames that lie in the GPU's memory\n");
    }
    double of_32 = 0;
    for (int32_t batch = 1; batch <= largest_batch(c) && n > 0; batch *= 2) {
        double best = 0, xavier, a6000;
        cli_table_row(&table);
        cli_table_cell(&table, 0, "%d", batch);
        for (int i = 0; i < n; i++) {
            put_rate(&table, 1 + i, most_of(c, way[i], batch));
            best = fmax(best, most_of(c, way[i], batch));
        }
        cli_curves_published(&xavier, &a6000, batch);
        put_rate(&table, n + 1, xavier);
        put_rate(&table, n + 2, a6000);
        of_32 = a6000 > 0 ? a6000 : of_32;
        cli_table_cell(&table, n + 3, "%.3gx", best / of_32);
    }
    cli_table_print(&table, stdout);
}

enum { FRAMES, MOST, LOW, LOW_TIME, HIGH_TIME, LOAD, P50, P99, BUFFERING, COMPUTE, N_COLUMNS };

/* The point with the load that is nearest to a share of the throughput. */
static const sac_meltpool_point *point_near(const sac_meltpool_point *points, int32_t n, double hz)
{
    const sac_meltpool_point *found = NULL;
    for (int32_t i = 0; i < n; i++) {
        if (!found || fabs(points[i].load_hz - hz) < fabs(found->load_hz - hz)) {
            found = &points[i];
        }
    }
    return found;
}

static void fill_curve(cli_table *table, const cli_curve *curve, bool is_full)
{
    sac_meltpool_point *points = cli_grow(NULL, 0, (size_t)curve->n, sizeof *points);
    int32_t n = cli_curve_loads(points, curve, is_full);
    const sac_meltpool_point *bend = sac_meltpool_inflection(points, n);
    const sac_meltpool_point *high = point_near(points, n, 0.9 * curve->points->done_hz);
    if (n > 0) {
        cli_table_row(table);
        cli_table_cell(table, FRAMES, "%d", curve->points->batch);
        put_rate(table, MOST, curve->points->done_hz);
        put_rate(table, LOW, points->load_hz);
        cli_table_time(table, LOW_TIME, points->latency.p50_ns);
        cli_table_time(table, HIGH_TIME, high->latency.p50_ns);
    }
    if (bend) {
        put_rate(table, LOAD, bend->load_hz);
        cli_table_time(table, P50, bend->latency.p50_ns);
        cli_table_time(table, P99, bend->latency.p99_ns);
        cli_table_time(table, BUFFERING, bend->buffering.mean_ns);
        cli_table_time(table, COMPUTE, bend->compute.mean_ns);
    }
    free(points);
}

static void print_curves(const cli_curves *c, int way, bool is_full)
{
    static const char *const heads[N_COLUMNS] = {[FRAMES] = "frames",
                                                 [MOST] = "at most",
                                                 [LOW] = "least load",
                                                 [LOW_TIME] = "median",
                                                 [HIGH_TIME] = "median at 90 %",
                                                 [LOAD] = "inflection",
                                                 [P50] = "median",
                                                 [P99] = "p99",
                                                 [BUFFERING] = "buffering",
                                                 [COMPUTE] = "compute"};
    cli_table table;
    cli_table_open(&table, heads, N_COLUMNS);
    for (int32_t i = 0; i < c->n_curves; i++) {
        if (c->curves[i].way == way) {
            fill_curve(&table, &c->curves[i], is_full);
        }
    }
    if (table.n_rows > 0) {
        printf("\n%s, %s\n", c->ways[way],
               is_full
                   ? "full batches: waits for all frames"
                   : "batches of the waiting frames, up to this size (as in saccade's streams)");
    }
    cli_table_print(&table, stdout);
}

static void print_fusion(const cli_fusion *f)
{
    char a[16], b[16], time[16], space[16], saved[16];
    if (!(f->in_time_ns > 0 && f->in_space_ns > 0)) {
        return;
    }
    cli_time_text(time, sizeof time, f->in_time_ns);
    cli_time_text(space, sizeof space, f->in_space_ns);
    printf(
        "\nTwo stages are better fused in time, one after the other, than in space, next to each "
        "other, "
        "where\nA + B - DR < 2 max(A, B); DR is what reading the data once saves. Here A finds the "
        "pool, B sums\nsectors and gradients. ");
    if (f->a_ns > 0) {
        double saved_ns = f->a_ns + f->b_ns - f->in_time_ns;
        printf("A frame takes a core %s and %s separately, and %s in one pass:\nDR is %s%s. ",
               cli_time_text(a, sizeof a, f->a_ns), cli_time_text(b, sizeof b, f->b_ns), time,
               saved_ns < 0 ? "-" : "", cli_time_text(saved, sizeof saved, fabs(saved_ns)));
    } else {
        printf(
            "A whole frame takes %s with both in time (rung fused-b) and\n%s in space (fused-c). ",
            time, space);
    }
    bool fuse = f->in_time_ns < 2 * f->in_space_ns;
    printf("%s is %s 2 x %s: %s.\n", time, fuse ? "below" : "not below", space,
           fuse ? "in time, where many frames wait" : "in space");
}

/* What the planner chooses from: streams take what waits, of frames in the CPU's memory. */
static int32_t planner_points(sac_meltpool_point *out, const cli_curves *c)
{
    int32_t n = 0;
    for (int32_t i = 0; i < c->n_curves; i++) {
        const cli_curve *curve = &c->curves[i];
        if (!curve->points->way.on_device) {
            out[n++] = curve->points[0];
            n += cli_curve_loads(out + n, curve, false);
        }
    }
    return n;
}

static void print_choices(const cli_curves *c)
{
    static const double rates[] = {2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7};
    static const char *const heads[] = {"rate", "<way",       "frames", "median",
                                        "p99",  "inflection", "at most"};
    sac_meltpool_point *points = cli_grow(NULL, 0, (size_t)c->n, sizeof *points);
    int32_t n = planner_points(points, c);
    cli_table table;
    cli_table_open(&table, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        sac_meltpool_choice choice;
        if (sac_meltpool_choose_from(&choice, points, n, rates[i], 0, NULL) != SAC_OK) {
            break; /* nor is more sustained */
        }
        cli_table_row(&table);
        put_rate(&table, 0, rates[i]);
        cli_table_cell(&table, 1, "%s", choice.at.way.name);
        cli_table_cell(&table, 2, "%d", choice.at.batch);
        cli_table_time(&table, 3, choice.at.latency.p50_ns);
        cli_table_time(&table, 4, choice.at.latency.p99_ns);
        put_rate(&table, 5, choice.inflection_hz);
        put_rate(&table, 6, choice.most_hz);
    }
    if (table.n_rows > 0) {
        printf(
            "\nFor a rate, as saccade meltpool --listen --rate HZ chooses on a GPU: of all that "
            "sustain it with\na margin of %.0f %%, the lowest median; of medians within 10 %% of "
            "it, the smallest batch\nwith a high inflection point.\n",
            100 * (SAC_MELTPOOL_MARGIN - 1));
    }
    cli_table_print(&table, stdout);
    free(points);
}

void cli_curves_print(const cli_curves *c)
{
    printf(
        "Frames a second, as many at once as the row says, back to back. Xavier and "
        "A6000: as\npublished by Nourazar, Booth, Goossens (Table 3); the ratio beyond 32 frames "
        "is to their 32.\n");
    print_throughput(c, false);
    print_throughput(c, true);
    printf("\nLatency against load, of frames released by a schedule: medians at the least load "
           "and at "
           "90 %% of the\nthroughput; the inflection point, the largest load at the lowest median "
           "(within %.0f %%), and the means of\nbuffering and compute there, whose sum is the mean "
           "latency.\n",
           100 * (SAC_MELTPOOL_LOWEST - 1));
    for (int way = 0; way < c->n_ways; way++) {
        print_curves(c, way, true);
        print_curves(c, way, false);
    }
    print_choices(c);
    print_fusion(&c->fusion);
}
