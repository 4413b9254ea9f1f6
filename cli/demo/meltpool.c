/*
 * The demo of meltpool: two simulated layers of a metal print, frame by frame, with what it
 * predicts beside the truth; and the speed against the reference on the same frames.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <saccade/io.h>

#include "demo.h"
#include "draw/page.h"
#include "meltpool/job.h"
#include "options.h"
#include "tables.h"

#define SEED 7777 /* of a build that no model was trained on */
#define SEED_TEXT "7777"
#define N_COMPARED 1000 /* frames that the reference runs too */

enum { FRAMES, TIME, REFERENCE, SPEEDUP, EXACT, VARIANT, N_COLUMNS };

static const char *const heads[N_COLUMNS] = {
    [FRAMES] = "frames",    [TIME] = "time a frame", [REFERENCE] = "reference",
    [SPEEDUP] = "speed-up", [EXACT] = "<its bits",   [VARIANT] = "<variant"};

/* One of the two plans, frame by frame, and its last record. */
typedef struct side {
    sac_meltpool *plan;
    sac_meltpool_record record;
    sac_histogram *times;
} side;

static sac_status open_side(side *s, const char *variant, sac_error *err)
{
    sac_meltpool_desc desc;
    sac_meltpool_desc_init(&desc);
    sac_meltpool_sim_calibration(desc.calibration);
    desc.n_threads = 1;
    desc.variant = variant;
    sac_status st = sac_histogram_open(&s->times, err);
    return st ? st : sac_meltpool_open(&s->plan, &desc, err);
}

static void close_side(side *s)
{
    sac_meltpool_close(&s->plan);
    sac_histogram_close(&s->times);
}

static sac_status run_side(side *s, const sac_array *frame, const sac_meltpool_signals *signals)
{
    int64_t start_ns = cli_clock_ns();
    sac_status st = sac_meltpool_run(s->plan, &s->record, frame, signals, NULL);
    if (!(s->record.flags & SAC_MELTPOOL_EMPTY)) {
        sac_histogram_record(s->times, cli_clock_ns() - start_ns);
    }
    return st;
}

/* Both sides over the first frames of a build; *exact: whether what is of one frame agrees. */
static sac_status run_sides(side *chosen, side *reference, bool *exact, sac_error *err)
{
    static uint8_t pixels[SAC_MELTPOOL_SIM_SIZE * SAC_MELTPOOL_SIM_SIZE];
    const int64_t shape[] = {SAC_MELTPOOL_SIM_SIZE, SAC_MELTPOOL_SIM_SIZE};
    sac_array frame;
    sac_meltpool_sim *sim = NULL;
    sac_meltpool_signals signals;
    sac_simulate_meltpool_desc desc;
    sac_simulate_meltpool_desc_init(&desc);
    desc.n_frames = N_COMPARED;
    desc.seed = SEED;
    sac_status st = sac_array_view(&frame, pixels, SAC_U8, 2, shape, err);
    st = st ? st : sac_meltpool_sim_open(&sim, &desc, err);
    *exact = true;
    while (st == SAC_OK && sac_meltpool_sim_next(sim, pixels, &signals, NULL)) {
        st = run_side(chosen, &frame, &signals);
        st = st ? st : run_side(reference, &frame, &signals);
        for (int k = 0; k < SAC_MELTPOOL_OF_FRAME; k++) {
            *exact &= chosen->record.features[k] == reference->record.features[k];
        }
    }
    sac_meltpool_sim_close(&sim);
    return st;
}

static void print_sides(const side *chosen, const side *reference, bool exact)
{
    cli_table table;
    double ns = sac_histogram_get_quantile(chosen->times, 0.5);
    double reference_ns = sac_histogram_get_quantile(reference->times, 0.5);
    cli_table_open(&table, heads, N_COLUMNS);
    cli_table_row(&table);
    cli_table_cell(&table, FRAMES, "%d", N_COMPARED);
    cli_table_time(&table, TIME, ns);
    cli_table_time(&table, REFERENCE, reference_ns);
    cli_table_cell(&table, SPEEDUP, "%.0fx", reference_ns / fmax(1, ns));
    cli_table_cell(&table, EXACT, "%s", exact ? "yes" : "NO");
    cli_table_cell(&table, VARIANT, "%s", sac_meltpool_get_variant(chosen->plan));
    cli_table_print(&table, stdout);
    fflush(stdout);
}

static int compare(void)
{
    sac_error err = {0};
    bool exact = false;
    side chosen = {0}, reference = {0};
    sac_status st = open_side(&chosen, NULL, &err);
    st = st ? st : open_side(&reference, "ref", &err);
    st = st ? st : run_sides(&chosen, &reference, &exact, &err);
    int status = CLI_DONE;
    if (st != SAC_OK) {
        status = cli_fail("meltpool: %s", err.text[0] ? err.text : sac_status_name(st));
    } else {
        print_sides(&chosen, &reference, exact);
        status = exact ? status : cli_fail("meltpool: features differ from the reference's");
    }
    close_side(&chosen);
    close_side(&reference);
    return status;
}

/* The file of frames, analysed, and drawn to `plot` (NULL: not). */
static int show(const char *build, char *plot)
{
    cli_meltpool_job *job = cli_grow(NULL, 0, 1, sizeof *job);
    sac_param_defaults(sac_meltpool_params(), &job->desc);
    job->options.layer_gap_s = 1; /* the truth tells layers */
    job->options.plot = plot;
    job->input = build;
    job->one_by_one = true;
    int status = cli_meltpool_work(job);
    if (status == CLI_DONE) {
        cli_meltpool_print(job);
        printf("  drawn          %s (the frames, which need much space, are removed again)\n",
               plot ? plot : "nothing: this build has no Cairo");
    }
    cli_meltpool_close(job);
    free(job);
    return status;
}

int cli_demo_meltpool(const cli_demo_options *options)
{
    if (options->n_inputs > 0 || options->device.kind != SAC_DEVICE_CPU) {
        return CLI_DONE; /* the user's photographs are no melt pools; no GPU yet */
    }
    puts("\nmeltpool: two simulated layers of a metal print, 20,000 frames/s");
    int status = compare();
    char *build = cli_text("%s/meltpool.h5", options->output);
    char *plot = cli_cairo_version() ? cli_text("%s/meltpool.png", options->output) : NULL;
    sac_error err = {0};
    if (sac_frames_can_write(build, &err) == SAC_E_UNSUPPORTED) {
        printf("  No build is drawn: %s\n", err.text);
    } else if (status == CLI_DONE) {
        char *args[] = {"meltpool", "-o", build, "--layers", "2", "--seed", SEED_TEXT, NULL};
        status = cli_simulate_meltpool.run(7, args);
        status = status ? status : show(build, plot);
        unlink(build);
    }
    free(build);
    free(plot);
    return status;
}
