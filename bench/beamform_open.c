/*
 * bench_beamform: opening a plan, and what takes the place of changing an option of an open one:
 * closing it and opening another.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/clock.h"
#include "beamform_rows.h"

#define LEAST_OPENS 5
#define MOST_OPENS 100
#define SMALL_SAMPLES 64
#define TIME_SHARE 0.25 /* of --seconds, for each of the four */

typedef enum change { OPEN, F_NUMBER, SPEED, RANGE, N_CHANGES } change;
static const char *const names[N_CHANGES] = {"open", "close and open, f-number",
                                             "close and open, speed of sound",
                                             "close and open, dynamic range"};
static const char *const heads[] = {
    "<close and open, for a new", "<", "open alone", "f-number", "speed of sound", "dynamic range"};
static const char *const configurations[] = {"A-32", "B-1", "C-1", "phased-angle", "matrix-16"};

/* The option's first or its other value. */
static void set(sac_beamform_desc *desc, sac_acquisition *acquisition, change what, bool other)
{
    if (what == F_NUMBER)
        desc->f_number = other ? 1.5 : 1.2;
    else if (what == SPEED)
        acquisition->c_m_s = other ? 1490 : 1500;
    else if (what == RANGE)
        desc->dynamic_range_db = other ? 50 : 60;
}

static sac_beamform_desc desc_of(const bench_work *w, const bench_place *place)
{
    sac_beamform_desc desc = w->desc;
    desc.n_threads = place->n_threads;
    if (w->c->dtype == SAC_C64)
        desc.output = SAC_OUTPUT_BMODE;
    if (place->gpu)
        desc.device = bench_gpu_device(place->gpu);
    return desc;
}

static void time_change(bench_row *row, const bench_work *w, const bench_place *place, change what,
                        double seconds)
{
    sac_error err = {0};
    sac_beamform *plan = NULL;
    sac_acquisition acquisition = w->acquisition;
    sac_beamform_desc desc = desc_of(w, place);
    int64_t ns[MOST_OPENS];
    int32_t n = 0;
    desc.acquisition = &acquisition;
    bench_must(sac_beamform_open(&plan, &desc, &err), w->c->name, &err);
    const int64_t began = sac_clock_ns();
    while (n < MOST_OPENS &&
           (n < LEAST_OPENS || (double)(sac_clock_ns() - began) < seconds * 1e9)) {
        set(&desc, &acquisition, what, n % 2 == 0);
        if (what == OPEN)
            sac_beamform_close(&plan);
        const int64_t start = sac_clock_ns();
        sac_beamform_close(&plan);
        bench_must(sac_beamform_open(&plan, &desc, &err), w->c->name, &err);
        ns[n++] = sac_clock_ns() - start;
    }
    bench_take_times(row, ns, n);
    snprintf(row->rung, sizeof row->rung, "%s", sac_beamform_get_variant(plan));
    sac_beamform_close(&plan);
}

static void time_place(bench *b, cli_table *table, const bench_work *w, const bench_place *place)
{
    cli_table_row(table);
    cli_table_cell(table, 0, "%s", w->c->name);
    if (place->gpu)
        cli_table_cell(table, 1, "cuda:%d", bench_gpu_device(place->gpu).index);
    else
        cli_table_cell(table, 1, "cpu, %d thread%s", place->n_threads, cli_s(place->n_threads));
    for (int what = OPEN; what < N_CHANGES; what++) {
        bench_row row = {.work = w, .error = -1};
        if (what == RANGE && w->c->dtype != SAC_C64) /* RF's decibels need a finer grid than B's */
            continue;
        time_change(&row, w, place, (change)what, TIME_SHARE * b->options->seconds);
        if (place->gpu)
            snprintf(row.device, sizeof row.device, "cuda:%d", bench_gpu_device(place->gpu).index);
        else
            snprintf(row.device, sizeof row.device, "cpu");
        snprintf(row.what, sizeof row.what, "%s", names[what]);
        row.n_threads = place->n_threads;
        cli_table_time(table, 2 + what, row.median_ns);
        bench_put_json(&b->json, &row);
    }
}

void bench_run_opens(bench *b, const bench_place *places, int32_t n_places)
{
    cli_table table;
    if (!bench_wants(b->options->only, "open", NULL))
        return;
    cli_table_open(&table, heads, sizeof heads / sizeof heads[0]);
    for (int32_t i = 0; i < bench_n_rows; i++) {
        bench_case c = bench_rows[i];
        bench_work w;
        bool timed = false;
        for (size_t k = 0; k < sizeof configurations / sizeof configurations[0]; k++)
            timed = timed || !strcmp(c.name, configurations[k]);
        if (!timed)
            continue;
        if (b->options->small) {
            bench_make_small(&c);
            c.n_samples = SMALL_SAMPLES; /* nothing is beamformed */
        }
        bench_open_geometry(&w, &c);
        for (int32_t k = 0; k < n_places; k++)
            time_place(b, &table, &w, &places[k]);
        bench_close_work(&w);
    }
    cli_table_print(&table, b->text);
}
