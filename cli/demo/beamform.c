/*
 * The demo of beamform: simulated echoes of points and of a cyst, by more and more waves, to B-mode
 * pictures; with the speed against the reference on the same data.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <saccade/beamform.h>
#include <saccade/io.h>
#include <saccade/measure_ultrasound.h>
#include <saccade/simulate.h>

#include "beamform/picture.h"
#include "demo.h"
#include "tables.h"

#define N_ELEMENTS 128 /* PICMUS's array */
#define MAX_WAVES 15
#define PITCH_M 0.3e-3
#define FS_HZ 20.832e6
#define FC_HZ 5.208e6
#define ANGLE_RAD (16 * 3.14159265358979323846 / 180)
#define N_SAMPLES 1200
#define RANGE_DB 60
#define NOISE_DB 20 /* below the largest echo */

static const int32_t waves[] = {1, 5, 15};

enum { N_WAVES = sizeof waves / sizeof *waves };

enum { WAVES, TIME, REFERENCE, SPEEDUP, LATERAL, GCNR, PICTURE, N_COLUMNS };

static const char *const heads[N_COLUMNS] = {
    [WAVES] = "waves",       [TIME] = "time", [REFERENCE] = "reference", [SPEEDUP] = "speed-up",
    [LATERAL] = "point, mm", [GCNR] = "gCNR", [PICTURE] = "<picture"};

typedef struct section {
    const cli_demo_options *options;
    sac_element elements[N_ELEMENTS];
    sac_transmit transmits[MAX_WAVES];
    sac_acquisition acquisition;
    sac_grid grid;
    sac_phantom_desc cyst;
    double point_m[3];
    float *rf; /* (waves, N_ELEMENTS, N_SAMPLES) */
} section;

/* A cyst at 28 mm, and a bright point over it. */
static sac_scatterer *phantom(section *s, int64_t *n)
{
    sac_phantom_desc_init(&s->cyst);
    s->cyst.kind = SAC_PHANTOM_CYST;
    s->cyst.first_m[0] = -11e-3;
    s->cyst.last_m[0] = 11e-3;
    s->cyst.first_m[2] = 20e-3;
    s->cyst.last_m[2] = 36e-3;
    s->cyst.center_m[2] = 28e-3;
    s->cyst.radius_m = 4e-3;
    s->cyst.lambda_m = s->acquisition.c_m_s / FC_HZ;
    s->cyst.seed = 1;
    *n = sac_phantom_count(&s->cyst) + 1;
    sac_scatterer *scatterers = cli_grow(NULL, 0, (size_t)*n, sizeof *scatterers);
    sac_phantom_fill(scatterers, &s->cyst);
    s->point_m[2] = 14e-3;
    scatterers[*n - 1] = (sac_scatterer){{0, 0, 14e-3}, 20};
    return scatterers;
}

static sac_status acquire(section *s, int32_t n_waves, sac_error *err)
{
    sac_acquisition *a = &s->acquisition;
    sac_acquisition_init(a);
    sac_probe_linear(s->elements, N_ELEMENTS, PITCH_M, 0.9 * PITCH_M, 5e-3);
    a->elements = s->elements;
    a->n_elements = N_ELEMENTS;
    a->transmits = s->transmits;
    a->n_transmits = n_waves;
    a->fs_hz = FS_HZ;
    a->fc_hz = FC_HZ;
    a->bandwidth = 0.67;
    for (int32_t t = 0; t < n_waves; t++) {
        double share = n_waves > 1 ? 2.0 * t / (n_waves - 1) - 1 : 0;
        sac_transmit_init(&s->transmits[t], SAC_TRANSMIT_PLANE);
        s->transmits[t].azimuth_rad = share * ANGLE_RAD;
    }
    int64_t n;
    sac_scatterer *scatterers = phantom(s, &n);
    const int64_t shape[] = {n_waves, N_ELEMENTS, N_SAMPLES};
    sac_array rf;
    sac_ultrasound_desc desc;
    sac_ultrasound_desc_init(&desc);
    desc.acquisition = a;
    desc.scatterers = scatterers;
    desc.n_scatterers = n;
    desc.n_samples = N_SAMPLES;
    desc.noise_db = NOISE_DB;
    desc.seed = 1;
    desc.n_threads = s->options->threads;
    sac_status st = sac_array_view(&rf, s->rf, SAC_F32, 3, shape, err);
    st = st ? st : sac_simulate_ultrasound(&rf, &desc, err);
    free(scatterers);
    return st;
}

/* Beamforms the section's RF into `image`; *ns is the run's time: the second
 * one's, where the plan chooses. */
static sac_status beamform(const section *s, sac_array *image, const char *variant, int64_t *ns,
                           sac_error *err)
{
    const int64_t shape[] = {1, s->acquisition.n_transmits, N_ELEMENTS, N_SAMPLES};
    sac_array in;
    sac_beamform *plan = NULL;
    sac_beamform_desc desc;
    sac_beamform_desc_init(&desc);
    desc.acquisition = &s->acquisition;
    desc.dtype = SAC_F32;
    desc.n_samples = N_SAMPLES;
    desc.grid = s->grid;
    desc.dynamic_range_db = RANGE_DB;
    desc.n_threads = s->options->threads;
    desc.variant = variant;
    sac_status st = sac_array_view(&in, s->rf, SAC_F32, 4, shape, err);
    st = st ? st : sac_beamform_open(&plan, &desc, err);
    for (int i = variant ? 1 : 0; i < 2 && st == SAC_OK; i++) {
        int64_t start_ns = cli_clock_ns();
        st = sac_beamform_run(plan, image, &in, NULL);
        *ns = cli_clock_ns() - start_ns;
    }
    sac_beamform_close(&plan);
    return st;
}

/* One row: waves[i], beamformed twice, measured, and drawn. */
static sac_status show(section *s, cli_table *table, float *pixels, int i, sac_error *err)
{
    const int64_t shape[] = {1, s->grid.n[2], s->grid.n[0]};
    int64_t ns = 0, reference_ns = 0;
    sac_array image, frame;
    sac_point_measure point;
    sac_cyst_measure cyst;
    sac_status st = sac_array_view(&image, pixels, SAC_F32, 3, shape, err);
    st = st ? st : sac_array_view(&frame, pixels, SAC_F32, 2, shape + 1, err);
    st = st ? st : acquire(s, waves[i], err);
    st = st ? st : beamform(s, &image, "ref", &reference_ns, err);
    st = st ? st : beamform(s, &image, NULL, &ns, err);
    sac_ultrasound_image view;
    sac_ultrasound_image_init(&view);
    view.samples = &frame;
    view.grid = s->grid;
    st = st ? st : sac_measure_point(&point, &view, s->point_m, 1e-3, err);
    st = st ? st : sac_measure_cyst(&cyst, &view, s->cyst.center_m, s->cyst.radius_m, err);
    char *path = cli_text("%s/beamform-%02d-waves.png", s->options->output, waves[i]);
    if (st == SAC_OK && sac_picture_can_write(path, NULL, NULL) != SAC_OK) {
        free(path);
        path = cli_text("%s/beamform-%02d-waves.pgm", s->options->output, waves[i]);
    }
    char *title = cli_text("simulated cyst and point, %d plane wave%s", waves[i], cli_s(waves[i]));
    st = st ? st : cli_bmode_write(path, &frame, &s->grid, RANGE_DB, title, err);
    free(title);
    if (st == SAC_OK) {
        cli_table_row(table);
        cli_table_cell(table, WAVES, "%d", waves[i]);
        cli_table_time(table, TIME, (double)ns);
        cli_table_time(table, REFERENCE, (double)reference_ns);
        cli_table_cell(table, SPEEDUP, "%.1fx", (double)reference_ns / (double)ns);
        cli_table_cell(table, LATERAL, "%.2f", 1e3 * point.width_m[0]);
        cli_table_cell(table, GCNR, "%.2f", cyst.gcnr);
        cli_table_cell(table, PICTURE, "%s", path);
    }
    free(path);
    return st;
}

int cli_demo_beamform(const cli_demo_options *options)
{
    if (options->n_inputs > 0 || options->device.kind != SAC_DEVICE_CPU) {
        return CLI_DONE; /* the user's photographs are not channel data; no GPU yet */
    }
    section *s = cli_grow(NULL, 0, 1, sizeof *s);
    s->options = options;
    s->grid =
        (sac_grid){.first_m = {-11e-3, 0, 10e-3}, .last_m = {11e-3, 0, 36e-3}, .n = {221, 1, 261}};
    s->rf = cli_grow(NULL, 0, (size_t)MAX_WAVES * N_ELEMENTS * N_SAMPLES, sizeof *s->rf);
    float *pixels = cli_grow(NULL, 0, (size_t)(s->grid.n[0] * s->grid.n[2]), sizeof *pixels);
    cli_table table;
    cli_table_open(&table, heads, N_COLUMNS);
    puts("\nbeamform: simulated echoes of a point and a cyst, by more and more plane waves");
    sac_error err = {0};
    sac_status st = SAC_OK;
    for (int i = 0; i < N_WAVES && st == SAC_OK; i++) {
        st = show(s, &table, pixels, i, &err);
    }
    cli_table_print(&table, stdout);
    free(pixels);
    free(s->rf);
    free(s);
    return st == SAC_OK ? CLI_DONE : cli_error(&err);
}
