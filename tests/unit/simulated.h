/*
 * One transmit of one scatterer by an array, simulated: what the simulator's tests share.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_SIMULATED_H
#define TESTS_SIMULATED_H

#include "unit.h"

#include <math.h>

#include <saccade/simulate.h>

#include "beamform/kernels/das/das.h"

#define PI 3.14159265358979323846
#define N_MOST 1024 /* elements */
#define N_ARRAY 64
#define N_SAMPLES 1500 /* at 20 MHz: 57 mm there and back */

static sac_element elements[N_MOST];
static sac_transmit transmit;
static sac_scatterer scatterer;
static float record[N_MOST * N_SAMPLES];

static void assert_near(double came, double wanted, double tolerance)
{
    if (!(fabs(came - wanted) <= tolerance))
        fail_msg("expected %.9g within %.3g, got %.9g", wanted, tolerance, came);
}

static sac_acquisition an_acquisition(int32_t n_elements)
{
    sac_acquisition a;
    sac_acquisition_init(&a);
    a.n_elements = n_elements;
    a.elements = elements;
    a.n_transmits = 1;
    a.transmits = &transmit;
    a.fs_hz = 20e6;
    a.fc_hz = 5e6;
    a.bandwidth = 0.6;
    return a;
}

static sac_ultrasound_desc a_desc(const sac_acquisition *a)
{
    sac_ultrasound_desc desc;
    sac_ultrasound_desc_init(&desc);
    desc.acquisition = a;
    desc.scatterers = &scatterer;
    desc.n_scatterers = 1;
    desc.n_samples = N_SAMPLES;
    desc.n_threads = 1;
    return desc;
}

static sac_status run(const sac_ultrasound_desc *desc, sac_error *err)
{
    const sac_acquisition *a = desc->acquisition;
    const int64_t shape[3] = {a->n_transmits, a->n_elements, desc->n_samples};
    sac_array out;
    memset(record, 0xff, sizeof record); /* NaN: whatever is not written would be seen */
    assert_ok(sac_array_view(&out, record, SAC_F32, 3, shape, err), err);
    return sac_simulate_ultrasound(&out, desc, err);
}

static void simulate(const sac_ultrasound_desc *desc)
{
    sac_error err = {0};
    assert_ok(run(desc, &err), &err);
}

/* Linear arrays of point-like elements at 0.2 mm, or 8 x 8 of them. */
static sac_acquisition an_array(bool matrix)
{
    if (matrix)
        sac_probe_matrix(elements, 8, 8, 0.3e-3, 0.25e-3);
    else
        sac_probe_linear(elements, N_ARRAY, 0.2e-3, 0.18e-3, 0);
    return an_acquisition(N_ARRAY);
}

static double delays[N_MOST];

/* One transmit of each kind that an array can send. */
static const char *set_transmit(int kind, const sac_acquisition *a, bool matrix)
{
    static const char *const names[] = {"plane", "diverging", "focused", "element", "delays"};
    sac_transmit_init(&transmit, (sac_transmit_kind)kind);
    transmit.azimuth_rad = 0.1;
    transmit.elevation_rad = matrix ? -0.05 : 0;
    transmit.element = 20;
    transmit.delays_s = delays;
    transmit.t0_s = 3e-6;
    double z = kind == SAC_TRANSMIT_FOCUSED ? 22e-3 : -8e-3;
    transmit.source_m[0] = kind == SAC_TRANSMIT_FOCUSED ? 1e-3 : 2e-3;
    transmit.source_m[2] = z;
    for (int32_t e = 0; e < a->n_elements; e++)
        delays[e] = e == 5 ? 0.4e-6 : NAN;
    return names[kind];
}

static float largest(int32_t r)
{
    float peak = 0;
    for (int32_t j = 0; j < N_SAMPLES; j++)
        peak = fmaxf(peak, fabsf(record[r * N_SAMPLES + j]));
    return peak;
}

#endif
