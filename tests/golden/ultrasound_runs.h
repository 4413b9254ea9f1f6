/*
 * From a machine's geometry to an envelope: simulated, beamformed, and checked.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_ULTRASOUND_RUNS_H
#define SAC_TESTS_ULTRASOUND_RUNS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/measure_ultrasound.h>
#include <saccade/simulate.h>

#include "../unit/point_spread.h"

#define MAX_ELEMENTS 256
#define MAX_TRANSMITS 128
#define SHARPNESS                                                                                  \
    0.05 /* of the estimate, and tenths of a wavelength: the bars of docs/beamform.md */

static int n_faults;

typedef struct scene {
    sac_element elements[MAX_ELEMENTS];
    sac_transmit transmits[MAX_TRANSMITS];
    double delays[MAX_ELEMENTS];
    sac_acquisition acquisition;
    double amplitudes[MAX_TRANSMITS * MAX_ELEMENTS];
    int64_t n_samples;

    /* How it is beamformed, besides the defaults. */
    int32_t grid_kind;
    sac_sector sector;
    double f_number, tx_f_number; /* f_number 0: f/1.75 */
    const char *apodization, *tx_apodization;
    int32_t method;
} scene;

static inline void expect(bool good, const char *what, const char *name, double got, double wanted)
{
    printf("%s %-28s %-24s %8.4f, expected %.4f\n", good ? "ok  " : "FAIL", name, what, got,
           wanted);
    n_faults += !good;
}

static inline void *need(void *memory)
{
    if (!memory) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    return memory;
}

static inline void check(sac_status status, const sac_error *err)
{
    if (status != SAC_OK) {
        fprintf(stderr, "%s: %s\n", sac_status_name(status), err->text);
        exit(1);
    }
}

static inline sac_array simulate(const scene *s, const sac_scatterer *scatterers, int64_t n,
                                 double noise_db)
{
    const int64_t shape[] = {s->acquisition.n_transmits, s->acquisition.n_elements, s->n_samples};
    sac_array rf;
    sac_error err = {0};
    float *data = need(calloc((size_t)(shape[0] * shape[1] * shape[2]), sizeof *data));
    check(sac_array_view(&rf, data, SAC_F32, 3, shape, &err), &err);
    sac_ultrasound_desc desc;
    sac_ultrasound_desc_init(&desc);
    desc.acquisition = &s->acquisition;
    desc.scatterers = scatterers;
    desc.n_scatterers = n;
    desc.n_samples = s->n_samples;
    desc.noise_db = noise_db;
    desc.seed = 7;
    check(sac_simulate_ultrasound(&rf, &desc, &err), &err);
    return rf;
}

/* The envelope of `rf`, (n_tx, n_rx, n_samples), on a grid. */
static inline sac_array beamform(const scene *s, const sac_array *rf, const sac_grid *grid,
                                 double *weights, const double *p)
{
    const int64_t shape[] = {1, rf->shape[0], rf->shape[1], rf->shape[2]};
    sac_error err = {0};
    sac_array in;
    check(sac_array_view(&in, rf->data, SAC_F32, 4, shape, &err), &err);
    sac_beamform_desc desc;
    sac_beamform_desc_init(&desc);
    desc.acquisition = &s->acquisition;
    desc.dtype = SAC_F32;
    desc.n_samples = s->n_samples;
    desc.grid = *grid;
    desc.output = SAC_OUTPUT_ENVELOPE;
    desc.interp = SAC_INTERP_CUBIC;
    desc.band = "wide"; /* the estimate is of the pulse itself */
    desc.grid_kind = s->grid_kind;
    desc.sector = s->sector;
    desc.f_number = s->f_number > 0 ? s->f_number : desc.f_number;
    desc.tx_f_number = s->tx_f_number;
    desc.apodization = s->apodization;
    desc.tx_apodization = s->tx_apodization;
    desc.method = s->method;
    sac_beamform *plan = NULL;
    check(sac_beamform_open(&plan, &desc, &err), &err);
    sac_array out = sac_beamform_get_output_array(plan);
    out.data = need(malloc((size_t)sac_array_count(&out) * sizeof(float)));
    check(sac_beamform_run(plan, &out, &in, NULL), &err);
    if (weights)
        sac_beamform_get_delays(plan, p, 0, NULL, weights);
    sac_beamform_close(&plan);
    /* The frame alone: (n_z, [n_y,] n_x). */
    out.n_dims--;
    memmove(out.shape, out.shape + 1, (size_t)out.n_dims * sizeof *out.shape);
    memmove(out.stride, out.stride + 1, (size_t)out.n_dims * sizeof *out.stride);
    return out;
}

#endif
