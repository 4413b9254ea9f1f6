/*
 * From simulated echoes to measures: every kind of transmit puts points where they are, as sharp as
 * diffraction lets it, and contrast grows with the number of waves as PICMUS found.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/measure_ultrasound.h>
#include <saccade/simulate.h>

#include "../unit/point_spread.h"

#define MAX_ELEMENTS 256
#define MAX_TRANSMITS 128
#define PICMUS_ANGLE (16 * SPREAD_PI / 180)
#define SHARPNESS                                                                                  \
    0.05 /* of the estimate, and tenths of a wavelength: the bars of docs/beamform.md */

static int n_faults;

typedef struct scene {
    sac_element elements[MAX_ELEMENTS];
    sac_transmit transmits[MAX_TRANSMITS];
    double delays[MAX_ELEMENTS];
    sac_acquisition acquisition;
    int64_t n_samples;
} scene;

/* PICMUS's array and sampling, and n plane waves over +-16 degrees. */
static void open_scene(scene *s, int32_t n_transmits)
{
    memset(s, 0, sizeof *s);
    sac_acquisition *a = &s->acquisition;
    sac_acquisition_init(a);
    sac_probe_linear(s->elements, 128, 0.3e-3, 0.27e-3, 5e-3);
    a->elements = s->elements;
    a->transmits = s->transmits;
    a->n_elements = 128;
    a->n_transmits = n_transmits;
    a->fs_hz = 20.832e6;
    a->fc_hz = 5.208e6;
    a->bandwidth = 0.33;
    s->n_samples = 1200;
    for (int32_t t = 0; t < n_transmits; t++) {
        sac_transmit_init(&s->transmits[t], SAC_TRANSMIT_PLANE);
        if (n_transmits > 1)
            s->transmits[t].azimuth_rad = PICMUS_ANGLE * (2.0 * t / (n_transmits - 1) - 1);
    }
}

static void expect(bool good, const char *what, const char *name, double got, double wanted)
{
    printf("%s %-28s %-24s %8.4f, expected %.4f\n", good ? "ok  " : "FAIL", name, what, got,
           wanted);
    n_faults += !good;
}

static void *need(void *memory)
{
    if (!memory) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    return memory;
}

static void check(sac_status status, const sac_error *err)
{
    if (status != SAC_OK) {
        fprintf(stderr, "%s: %s\n", sac_status_name(status), err->text);
        exit(1);
    }
}

static sac_array simulate(const scene *s, const sac_scatterer *scatterers, int64_t n,
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

/* The envelope of `rf`, (n_tx, n_rx, n_samples), on a grid at f/1.75. */
static sac_array beamform(const scene *s, const sac_array *rf, const sac_grid *grid,
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

static sac_point_measure measure(const scene *s, const sac_array *rf, const double p[3],
                                 double *weights, bool volume)
{
    double lambda = s->acquisition.c_m_s / s->acquisition.fc_hz;
    sac_ultrasound_image view;
    sac_grid grid;
    sac_grid_init(&grid);
    for (int i = 0; i < 3; i++) {
        grid.n[i] = i != 1 || volume ? 61 : 1;
        double half = grid.n[i] > 1 ? (i == 2 ? 1.5 : 4) * lambda : 0;
        grid.first_m[i] = p[i] - half;
        grid.last_m[i] = p[i] + half;
    }
    sac_array image = beamform(s, rf, &grid, weights, p);
    sac_ultrasound_image_init(&view);
    view.samples = &image;
    view.grid = grid;
    view.output = SAC_OUTPUT_ENVELOPE;
    sac_point_measure m;
    sac_error err = {0};
    check(sac_measure_point(&m, &view, p, lambda, &err), &err);
    free(image.data);
    return m;
}

/* One point through simulator, beamformer and measure, against the diffraction estimate. */
static void expect_point(const char *name, const scene *s, const double p[3], bool volume)
{
    double weights[MAX_ELEMENTS], lambda = s->acquisition.c_m_s / s->acquisition.fc_hz;
    const sac_scatterer point = {{p[0], p[1], p[2]}, 1};
    sac_array rf = simulate(s, &point, 1, 0);
    sac_point_measure m = measure(s, &rf, p, weights, volume);
    const point_spread spread = {&s->acquisition,
                                 weights,
                                 {p[0], p[1], p[2]},
                                 spread_center_hz(&s->acquisition, volume ? 2 : 1)};
    expect(m.error_m <= 0.1 * lambda, "error in wavelengths", name, m.error_m / lambda, 0.1);
    for (int i = 0; i < 3; i++) {
        static const char *const what[] = {"lateral mm", "elevation mm", "axial mm"};
        if (i == 1 && !volume)
            continue;
        double estimate = spread_width(&spread, i);
        expect(fabs(m.width_m[i] / estimate - 1) <= SHARPNESS, what[i], name, 1e3 * m.width_m[i],
               1e3 * estimate);
    }
    free(rf.data);
}

static void points_of_plane_waves(void)
{
    static const int32_t n_waves[] = {1, 11, 75};
    for (int k = 0; k < 3; k++) {
        scene s;
        char name[32];
        open_scene(&s, n_waves[k]);
        snprintf(name, sizeof name, "plane waves: %d", n_waves[k]);
        expect_point(name, &s, (const double[]){0, 0, 25e-3}, false);
    }
}

static void points_of_other_transmits(void)
{
    scene s;
    open_scene(&s, 5);
    for (int t = 0; t < 5; t++) {
        s.transmits[t].kind = SAC_TRANSMIT_DIVERGING;
        s.transmits[t].source_m[0] = (t - 2) * 4e-3;
        s.transmits[t].source_m[2] = -18e-3;
    }
    expect_point("diverging", &s, (const double[]){1e-3, 0, 25e-3}, false);
    for (int t = 0; t < 5; t++) {
        s.transmits[t].kind = SAC_TRANSMIT_FOCUSED;
        s.transmits[t].source_m[0] = (t - 2) * 1e-3;
        s.transmits[t].source_m[2] = 12e-3;
    }
    expect_point("focused, beyond the focus", &s, (const double[]){0, 0, 30e-3}, false);
    for (int t = 0; t < 5; t++)
        s.transmits[t].source_m[2] = 60e-3;
    expect_point("focused, before the focus", &s, (const double[]){0, 0, 25e-3}, false);
    open_scene(&s, 128);
    for (int t = 0; t < 128; t++) {
        s.transmits[t].kind = SAC_TRANSMIT_ELEMENT;
        s.transmits[t].element = t;
    }
    expect_point("synthetic aperture", &s, (const double[]){2e-3, 0, 25e-3}, false);
}

/* A plane wave's delays, given one by one: the same picture as the plane wave's. */
static void points_of_given_delays(void)
{
    scene s;
    open_scene(&s, 1);
    const double p[] = {0, 0, 25e-3}, angle = 0.1;
    const sac_scatterer point = {{0, 0, 25e-3}, 1};
    double lambda = s.acquisition.c_m_s / s.acquisition.fc_hz;
    s.transmits[0].kind = SAC_TRANSMIT_DELAYS;
    s.transmits[0].delays_s = s.delays;
    for (int r = 0; r < 128; r++)
        s.delays[r] = s.elements[r].position_m[0] * sin(angle) / s.acquisition.c_m_s;
    sac_array rf = simulate(&s, &point, 1, 0);
    sac_point_measure m = measure(&s, &rf, p, NULL, false);
    expect(m.error_m <= 0.1 * lambda, "error in wavelengths", "delays", m.error_m / lambda, 0.1);
    free(rf.data);
}

static void points_in_a_volume(void)
{
    scene s;
    open_scene(&s, 3);
    sac_probe_matrix(s.elements, 16, 16, 0.3e-3, 0.3e-3);
    s.acquisition.n_elements = 256;
    for (int t = 0; t < 3; t++) {
        s.transmits[t].azimuth_rad = 0.05 * (t - 1);
        s.transmits[t].elevation_rad = 0.05 * (t - 1);
    }
    s.n_samples = 400;
    expect_point("3-D, matrix array", &s, (const double[]){0, 0, 7e-3}, true);
}

/* The waves of `every` that are kept: their records side by side, and their transmits. */
static sac_array keep_waves(scene *some, const scene *every, const sac_array *rf, int32_t first,
                            int32_t step, int32_t n)
{
    *some = *every;
    some->acquisition.elements = some->elements;
    some->acquisition.transmits = some->transmits;
    some->acquisition.n_transmits = n;
    size_t record = (size_t)(rf->shape[1] * rf->shape[2]) * sizeof(float);
    sac_array kept = *rf;
    kept.shape[0] = n;
    kept.data = need(malloc((size_t)n * record));
    for (int32_t t = 0; t < n; t++) {
        some->transmits[t] = every->transmits[first + t * step];
        memcpy((char *)kept.data + (size_t)t * record,
               (char *)rf->data + (size_t)(first + t * step) * record, record);
    }
    return kept;
}

/* PICMUS's contrast: 1, 11 and 75 waves of one noisy recording of a cyst. */
static void contrast_grows_with_the_number_of_waves(void)
{
    static const struct {
        int32_t first, step, n;
        double low, high;
    } waves[] = {{37, 1, 1, 0.6, 0.7}, {2, 7, 11, 0.85, 0.9}, {0, 1, 75, 0.95, 1}};
    scene all, some;
    open_scene(&all, 75);
    sac_phantom_desc phantom;
    sac_phantom_desc_init(&phantom);
    phantom.kind = SAC_PHANTOM_CYST;
    phantom.first_m[0] = -9e-3;
    phantom.last_m[0] = 9e-3;
    phantom.first_m[2] = 16e-3;
    phantom.last_m[2] = 34e-3;
    phantom.center_m[2] = 25e-3;
    phantom.radius_m = 4e-3;
    phantom.lambda_m = all.acquisition.c_m_s / all.acquisition.fc_hz;
    phantom.seed = 3;
    int64_t n = sac_phantom_count(&phantom);
    sac_scatterer *scatterers = need(malloc((size_t)n * sizeof *scatterers));
    sac_phantom_fill(scatterers, &phantom);
    sac_array rf = simulate(&all, scatterers, n, 20);
    const sac_grid grid = {
        .first_m = {-6.5e-3, 0, 18.5e-3}, .last_m = {6.5e-3, 0, 31.5e-3}, .n = {131, 1, 131}};
    for (int k = 0; k < 3; k++) {
        char name[32];
        sac_error err = {0};
        sac_cyst_measure m;
        sac_array kept = keep_waves(&some, &all, &rf, waves[k].first, waves[k].step, waves[k].n);
        sac_array image = beamform(&some, &kept, &grid, NULL, NULL);
        sac_ultrasound_image view;
        sac_ultrasound_image_init(&view);
        view.samples = &image;
        view.grid = grid;
        view.output = SAC_OUTPUT_ENVELOPE;
        check(sac_measure_cyst(&m, &view, phantom.center_m, phantom.radius_m, &err), &err);
        snprintf(name, sizeof name, "cyst, waves: %d", waves[k].n);
        expect(m.gcnr >= waves[k].low && m.gcnr <= waves[k].high, "gCNR", name, m.gcnr,
               waves[k].low);
        expect(fabs(m.speckle_snr - 1.91) < 0.25, "speckle SNR", name, m.speckle_snr, 1.91);
        free(image.data);
        free(kept.data);
    }
    free(rf.data);
    free(scatterers);
}

/* golden_beamform [contrast]: the points, or the contrast, of whose recording the simulator takes
 * long. */
int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "contrast") == 0) {
        contrast_grows_with_the_number_of_waves();
        return n_faults > 0;
    }
    points_of_plane_waves();
    points_of_other_transmits();
    points_of_given_delays();
    points_in_a_volume();
    return n_faults > 0;
}
