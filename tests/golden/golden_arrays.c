/*
 * Curved arrays, sectors and scan lines: points lie where they are, as sharp as diffraction lets
 * them; speckle is as bright as Rayleigh says, and waves weighted by their field leave no streaks.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ultrasound_runs.h"

#define RADIUS 49.57e-3 /* of C5-2v */
#define PITCH 0.508e-3
#define N_ELEMENTS 128

static void open_curved(scene *s, int32_t n_transmits)
{
    memset(s, 0, sizeof *s);
    sac_acquisition *a = &s->acquisition;
    sac_acquisition_init(a);
    sac_probe_curved(s->elements, N_ELEMENTS, RADIUS, PITCH, 0.9 * PITCH, 0);
    a->elements = s->elements;
    a->transmits = s->transmits;
    a->n_elements = N_ELEMENTS;
    a->n_transmits = n_transmits;
    a->fs_hz = 14.28e6;
    a->fc_hz = 3.57e6;
    a->bandwidth = 0.33;
    s->n_samples = 1500;
    s->grid_kind = SAC_GRID_SECTOR;
    s->sector = (sac_sector){{0, 0, -RADIUS}, RADIUS};
    for (int32_t t = 0; t < n_transmits; t++)
        sac_transmit_init(&s->transmits[t], SAC_TRANSMIT_DIVERGING);
}

/* All elements at once: a wave that diverges from the arc's center. */
static void fire_at_once(scene *s)
{
    s->transmits[0].source_m[2] = -RADIUS;
}

static void fire_each(scene *s)
{
    for (int32_t t = 0; t < N_ELEMENTS; t++) {
        s->transmits[t].kind = SAC_TRANSMIT_ELEMENT;
        s->transmits[t].element = t;
    }
}

static double lambda_of(const scene *s)
{
    return s->acquisition.c_m_s / s->acquisition.fc_hz;
}

/* A window of a sector around a point: some wavelengths to the sides and in depth. */
static sac_grid window_of(const scene *s, double azimuth, double depth, double side, double deep)
{
    const double lambda = lambda_of(s), r = s->sector.radius_m + depth;
    return (sac_grid){.first_m = {azimuth - side * lambda / r, 0, depth - deep * lambda},
                      .last_m = {azimuth + side * lambda / r, 0, depth + deep * lambda},
                      .n = {81, 1, 61}};
}

static sac_point_measure measure_at(const scene *s, const sac_array *rf, double azimuth,
                                    double depth, const double p[3], double *weights)
{
    const sac_grid grid = window_of(s, azimuth, depth, 5, 1.5);
    sac_array image = beamform(s, rf, &grid, weights, p);
    sac_ultrasound_image view;
    sac_point_measure m;
    sac_error err = {0};
    sac_ultrasound_image_init(&view);
    view.samples = &image;
    view.grid = grid;
    view.output = SAC_OUTPUT_ENVELOPE;
    check(sac_measure_sector_point(&m, &view, &s->sector, p, lambda_of(s), &err), &err);
    free(image.data);
    return m;
}

static void expect_widths(const char *name, const sac_point_measure *m, const point_spread *spread,
                          double azimuth, double lambda)
{
    const double side[3] = {cos(azimuth), 0, -sin(azimuth)};
    const double deep[3] = {sin(azimuth), 0, cos(azimuth)};
    const double lateral = spread_width_along(spread, side);
    const double axial = spread_width_along(spread, deep);
    expect(m->error_m <= 0.1 * lambda, "error in wavelengths", name, m->error_m / lambda, 0.1);
    expect(fabs(m->width_m[0] / lateral - 1) <= SHARPNESS, "lateral mm", name, 1e3 * m->width_m[0],
           1e3 * lateral);
    expect(fabs(m->width_m[2] / axial - 1) <= SHARPNESS, "axial mm", name, 1e3 * m->width_m[2],
           1e3 * axial);
}

/* One point through simulator, beamformer and measure, in polar coordinates all along. */
static void expect_curved_point(const char *name, const scene *s, double azimuth, double depth,
                                int directions)
{
    double weights[N_ELEMENTS], p[3];
    sac_sector_point(p, &s->sector, azimuth, 0, depth);
    const sac_scatterer point = {{p[0], p[1], p[2]}, 1};
    sac_array rf = simulate(s, &point, 1, 0);
    const sac_point_measure m = measure_at(s, &rf, azimuth, depth, p, weights);
    const point_spread spread = {&s->acquisition,
                                 weights,
                                 {p[0], p[1], p[2]},
                                 spread_center_hz(&s->acquisition, directions)};
    expect_widths(name, &m, &spread, azimuth, lambda_of(s));
    free(rf.data);
}

static void points_of_curved_arrays(void)
{
    scene s;
    open_curved(&s, 1);
    fire_at_once(&s);
    expect_curved_point("curved, at once, ahead", &s, 0, 40e-3, 1);
    expect_curved_point("curved, at once, 25 degrees", &s, 25 * SPREAD_PI / 180, 40e-3, 1);
    open_curved(&s, N_ELEMENTS);
    fire_each(&s);
    expect_curved_point("curved, each by itself", &s, 0.1, 40e-3, 0);
}

/* Lines `step` apart along the arc, focused at a depth, from elements at f-number F. */
static void send_lines(scene *s, double step, double depth, double f_number)
{
    const int32_t n = s->acquisition.n_transmits;
    for (int32_t t = 0; t < n; t++) {
        s->transmits[t].kind = SAC_TRANSMIT_FOCUSED;
        sac_sector_point(s->transmits[t].source_m, &s->sector, (t - 0.5 * (n - 1)) * step / RADIUS,
                         0, depth);
    }
    sac_transmit_apertures(s->amplitudes, s->transmits, n, s->elements, N_ELEMENTS, f_number);
    s->acquisition.tx_apodization = s->amplitudes;
}

/*
 * A transmit that is focused on a point is the sum of elements that fire by themselves, each in
 * time: the theory of scan lines at their focus is that of synthetic aperture, of those elements.
 */
static void scan_lines_are_as_sharp_as_their_apertures(void)
{
    static scene s, each;
    const double depth = 40e-3, f_number = 3;
    double weights[N_ELEMENTS];
    open_curved(&s, 101);
    send_lines(&s, 0.05e-3, depth, f_number);
    s.f_number = f_number;
    s.apodization = "rect";
    s.tx_apodization = "lines";
    double p[3];
    sac_sector_point(p, &s.sector, 0, 0, depth);
    const sac_scatterer point = {{p[0], p[1], p[2]}, 1};
    sac_array rf = simulate(&s, &point, 1, 0);
    const sac_point_measure m = measure_at(&s, &rf, 0, depth, p, weights);
    open_curved(&each, 0);
    for (int32_t e = 0; e < N_ELEMENTS; e++)
        if (s.amplitudes[50 * N_ELEMENTS + e] != 0) {
            sac_transmit *t = &each.transmits[each.acquisition.n_transmits++];
            sac_transmit_init(t, SAC_TRANSMIT_ELEMENT);
            t->element = e;
        }
    const point_spread spread = {
        &each.acquisition, weights, {p[0], p[1], p[2]}, spread_center_hz(&each.acquisition, 0)};
    expect_widths("scan lines at their focus", &m, &spread, 0, lambda_of(&s));
    free(rf.data);
}

/* How bright it is more than 3 mm before or behind a point at a depth, in dB below it: side lobes
 * lie on the point's arc. */
static double streaks_db(const scene *s, const sac_array *rf, double depth)
{
    const sac_grid grid = {
        .first_m = {-0.2, 0, 15e-3}, .last_m = {0.2, 0, 65e-3}, .n = {101, 1, 301}};
    sac_array image = beamform(s, rf, &grid, NULL, NULL);
    const float *value = image.data;
    double peak = 0, beside = 0;
    for (int64_t i = 0; i < grid.n[0] * grid.n[2]; i++) {
        const double at = 15e-3 + 50e-3 / 300 * (double)(i / 101), v = (double)value[i];
        peak = fmax(peak, v);
        if (fabs(at - depth) > 3e-3)
            beside = fmax(beside, v);
    }
    free(image.data);
    return 20 * log10(beside / peak);
}

static void waves_weighted_by_their_field_leave_no_streaks(void)
{
    static scene s;
    double p[3];
    open_curved(&s, 64);
    send_lines(&s, 0.4e-3, 30e-3, 2);
    sac_sector_point(p, &s.sector, 0.05, 0, 40e-3);
    const sac_scatterer point = {{p[0], p[1], p[2]}, 1};
    sac_array rf = simulate(&s, &point, 1, 0);
    const double all = streaks_db(&s, &rf, 40e-3);
    s.tx_f_number = 2;
    const double some = streaks_db(&s, &rf, 40e-3);
    expect(all > -40, "dB beside the point", "all waves everywhere", all, -40);
    expect(some < -60, "dB beside the point", "waves in their field", some, -60);
    free(rf.data);
}

/* Speckle around a cyst before a curved array: fully developed, and dark inside. */
static void cyst_of_a_curved_array_is_dark(void)
{
    static scene s;
    sac_phantom_desc phantom;
    sac_phantom_desc_init(&phantom);
    open_curved(&s, 32);
    for (int32_t t = 0; t < 32; t++) {
        s.transmits[t].kind = SAC_TRANSMIT_ELEMENT;
        s.transmits[t].element = 48 + t;
    }
    phantom.kind = SAC_PHANTOM_CYST;
    phantom.first_m[0] = -12e-3;
    phantom.last_m[0] = 12e-3;
    phantom.first_m[2] = 28e-3;
    phantom.last_m[2] = 52e-3;
    phantom.center_m[2] = 40e-3;
    phantom.radius_m = 6e-3;
    phantom.lambda_m = lambda_of(&s);
    phantom.seed = 11;
    const int64_t n = sac_phantom_count(&phantom);
    sac_scatterer *scatterers = need(malloc((size_t)n * sizeof *scatterers));
    sac_phantom_fill(scatterers, &phantom);
    sac_array rf = simulate(&s, scatterers, n, 40);
    const sac_grid grid = {
        .first_m = {-0.11, 0, 30e-3}, .last_m = {0.11, 0, 50e-3}, .n = {101, 1, 161}};
    sac_array image = beamform(&s, &rf, &grid, NULL, NULL);
    sac_ultrasound_image view;
    sac_cyst_measure m;
    sac_error err = {0};
    sac_ultrasound_image_init(&view);
    view.samples = &image;
    view.grid = grid;
    view.output = SAC_OUTPUT_ENVELOPE;
    check(sac_measure_sector_cyst(&m, &view, &s.sector, phantom.center_m, phantom.radius_m, &err),
          &err);
    expect(fabs(m.speckle_snr - 1.91) < 0.25, "speckle SNR", "cyst, curved", m.speckle_snr, 1.91);
    expect(m.gcnr >= 0.95, "gCNR", "cyst, curved", m.gcnr, 0.95);
    expect(m.contrast_db < -20, "contrast dB", "cyst, curved", m.contrast_db, -20);
    free(image.data);
    free(rf.data);
    free(scatterers);
}

int main(void)
{
    points_of_curved_arrays();
    scan_lines_are_as_sharp_as_their_apertures();
    waves_weighted_by_their_field_leave_no_streaks();
    cyst_of_a_curved_array_is_dark();
    return n_faults > 0;
}
