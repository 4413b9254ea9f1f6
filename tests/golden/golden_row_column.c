/*
 * Row-column arrays, direct and dual-stage: points of a volume lie where they are, and are as sharp
 * along x, y and z as diffraction lets them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ultrasound_runs.h"

#define N_LINES 64 /* each way */
#define N_WAVES 16
#define PITCH 0.25e-3 /* half a wavelength */

static int32_t shapes[2 * N_LINES];
static uint8_t receives[2 * N_WAVES * 2 * N_LINES];

/* Plane waves within +-degrees, from the rows, then from the columns. */
static void open_row_column(scene *s, double degrees, double taper)
{
    memset(s, 0, sizeof *s);
    sac_acquisition *a = &s->acquisition;
    sac_acquisition_init(a);
    sac_probe_row_column(s->elements, shapes, N_LINES, N_LINES, PITCH, 0.9 * PITCH);
    for (int32_t t = 0; t < 2 * N_WAVES; t++) {
        sac_transmit_init(&s->transmits[t], SAC_TRANSMIT_PLANE);
        s->transmits[t].azimuth_rad =
            degrees * SPREAD_PI / 180 * (2.0 * (t % N_WAVES) / (N_WAVES - 1) - 1);
        s->transmits[t].t0_s = 8e-6;
    }
    sac_transmits_row_column(s->transmits, s->amplitudes, receives, N_WAVES, N_WAVES, N_LINES,
                             N_LINES);
    a->elements = s->elements;
    a->n_elements = 2 * N_LINES;
    a->transmits = s->transmits;
    a->n_transmits = 2 * N_WAVES;
    a->shapes = shapes;
    a->tx_apodization = s->amplitudes;
    a->receives = receives;
    a->line_taper = taper;
    a->fs_hz = 12e6;
    a->fc_hz = 3e6;
    a->bandwidth = 0.5;
    s->n_samples = 420;
}

/* A volume around a point: some wavelengths to the sides and in depth; farther to one side where it
 * is made of planes in its middle, which the point then is not near. */
static sac_grid volume_around(const double p[3], double lambda, int32_t method)
{
    const double reach[3] = {4 * lambda, 4 * lambda, 1.5 * lambda};
    sac_grid grid = {.n = {41, 41, 31}};
    for (int i = 0; i < 3; i++) {
        const bool farther = i < 2 && method == SAC_METHOD_DUAL_STAGE;
        grid.first_m[i] = p[i] - reach[i];
        grid.last_m[i] = p[i] + reach[i] + (farther ? 6 * lambda : 0);
        grid.n[i] += farther ? 30 : 0;
    }
    return grid;
}

static void expect_point(const char *name, scene *s, const double p[3])
{
    static const char *const sides[] = {"lateral mm", "elevation mm", "axial mm"};
    const sac_acquisition *a = &s->acquisition;
    const double lambda = a->c_m_s / a->fc_hz;
    double weights[2 * N_LINES];
    const sac_scatterer point = {{p[0], p[1], p[2]}, 1};
    const sac_grid grid = volume_around(p, lambda, s->method);
    sac_array rf = simulate(s, &point, 1, 0);
    sac_array image = beamform(s, &rf, &grid, weights, p);
    sac_ultrasound_image view;
    sac_point_measure m;
    sac_error err = {0};
    sac_ultrasound_image_init(&view);
    view.samples = &image;
    view.grid = grid;
    view.output = SAC_OUTPUT_ENVELOPE;
    check(sac_measure_point(&m, &view, p, lambda, &err), &err);
    /* a wave by rows, each a line, and a line that receives: three times by stationary phase */
    const point_spread spread = {a, weights, {p[0], p[1], p[2]}, spread_center_hz(a, 3)};
    expect(m.error_m <= 0.1 * lambda, "error in wavelengths", name, m.error_m / lambda, 0.1);
    for (int axis = 0; axis < 3; axis++) {
        const double wanted = spread_width(&spread, axis);
        expect(fabs(m.width_m[axis] / wanted - 1) <= SHARPNESS, sides[axis], name,
               1e3 * m.width_m[axis], 1e3 * wanted);
    }
    free(image.data);
    free(rf.data);
}

int main(void)
{
    static scene s;
    open_row_column(&s, 10, 1);
    s.method = SAC_METHOD_DUAL_STAGE;
    expect_point("dual-stage, ahead", &s, (const double[]){0, 0, 15e-3});
    expect_point("dual-stage, aside", &s, (const double[]){2e-3, -1.5e-3, 18e-3});
    open_row_column(&s, 20, 1);
    s.method = SAC_METHOD_DUAL_STAGE;
    s.f_number = 1;
    expect_point("dual-stage, wide", &s, (const double[]){-1.2e-3, 0.8e-3, 15e-3});
    open_row_column(&s, 10, 1);
    expect_point("row-column, ahead", &s, (const double[]){0, 0, 15e-3});
    expect_point("row-column, aside", &s, (const double[]){2e-3, -1.5e-3, 18e-3});
    open_row_column(&s, 10, 0);
    expect_point("row-column, no taper", &s, (const double[]){-1e-3, 0.5e-3, 15e-3});
    open_row_column(&s, 20, 1);
    s.f_number = 1;
    expect_point("row-column, wide", &s, (const double[]){-1.2e-3, 0.8e-3, 15e-3});
    return n_faults > 0;
}
