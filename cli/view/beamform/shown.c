/*
 * One beamformed frame as viewers get it: panels of levels, and measures of what is marked.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/measure_ultrasound.h>

#include "shown.h"

#define LEVELS 65535
#define REACH_WAVELENGTHS 3 /* of the point: how far from it the brightest is searched */
#define MOST_PANELS 4

/* A panel shows the axes `across` and `down` of the grid, at point `at` of the third, or the
 * maximum along it (at of -1). */
typedef struct panel {
    const char *name;
    int across, down, third;
    int64_t at;
} panel;

/* The frame, or one transmit's of it, with strides of the axes x, y and z in floats. */
typedef struct field {
    const float *values;
    ptrdiff_t step[3];
    const sac_grid *grid;
} field;

/* (1, [n_transmits,] n_z, [n_y,] n_x) */
static field field_of(const beamform_shown *shown)
{
    const int64_t *n = shown->grid->n;
    field f = {.values = shown->image->data, .grid = shown->grid};
    f.step[0] = 1;
    f.step[1] = (ptrdiff_t)n[0];
    f.step[2] = (ptrdiff_t)(n[0] * n[1]);
    if (shown->has_transmits) {
        f.values += shown->settings->transmit * n[0] * n[1] * n[2];
    }
    return f;
}

/* Round to nearest; NaN is the lowest. */
static uint16_t level_of(float db)
{
    const float level = (db + BEAMFORM_RANGE_DB) * ((float)LEVELS / BEAMFORM_RANGE_DB);
    return (uint16_t)(level > 0 ? fminf(level + 0.5F, LEVELS) : 0);
}

static float brightest(const float *values, ptrdiff_t step, int64_t n)
{
    float most = -BEAMFORM_RANGE_DB;
    for (int64_t i = 0; i < n; i++) {
        most = values[i * step] > most ? values[i * step] : most;
    }
    return most;
}

static void put_levels(uint16_t *out, const field *f, const panel *p)
{
    const int64_t *n = f->grid->n;
    for (int64_t j = 0; j < n[p->down]; j++) {
        for (int64_t i = 0; i < n[p->across]; i++) {
            const float *at = f->values + j * f->step[p->down] + i * f->step[p->across];
            const float db = p->at < 0 ? brightest(at, f->step[p->third], n[p->third])
                                       : at[p->at * f->step[p->third]];
            out[j * n[p->across] + i] = level_of(db);
        }
    }
}

/* The point of an axis that is nearest to the mark, or the middle. */
static int64_t index_of(const beamform_shown *shown, int axis)
{
    const sac_grid *g = shown->grid;
    const double width = g->last_m[axis] - g->first_m[axis];
    if (!shown->settings->has_point || g->n[axis] < 2 || !(fabs(width) > 0)) {
        return g->n[axis] / 2;
    }
    const double at = (shown->settings->point_m[axis] - g->first_m[axis]) / width;
    return (int64_t)(fmin(fmax(at, 0), 1) * (double)(g->n[axis] - 1) + 0.5);
}

static int list_panels(panel panels[MOST_PANELS], const beamform_shown *shown)
{
    if (shown->grid->n[1] < 2) {
        panels[0] = (panel){"image", 0, 2, 1, 0};
        return 1;
    }
    panels[0] = (panel){"plane x z", 0, 2, 1, index_of(shown, 1)};
    panels[1] = (panel){"plane y z", 1, 2, 0, index_of(shown, 0)};
    panels[2] = (panel){"plane x y", 0, 1, 2, index_of(shown, 2)};
    panels[3] = (panel){"maximum along y", 0, 2, 1, -1};
    return MOST_PANELS;
}

static void put_panel(cli_json *json, const panel *p, const sac_grid *g)
{
    const double step = g->n[p->third] > 1 ? (g->last_m[p->third] - g->first_m[p->third]) /
                                                 (double)(g->n[p->third] - 1)
                                           : 0;
    cli_json_line(json);
    cli_json_string(json, "name", p->name);
    cli_json_string(json, "type", "level");
    cli_json_int(json, "w", g->n[p->across]);
    cli_json_int(json, "h", g->n[p->down]);
    cli_json_int(json, "across", p->across);
    cli_json_int(json, "down", p->down);
    cli_json_int(json, "third", p->third);
    cli_json_real(json, "left", 1e3 * g->first_m[p->across]);
    cli_json_real(json, "right", 1e3 * g->last_m[p->across]);
    cli_json_real(json, "top", 1e3 * g->first_m[p->down]);
    cli_json_real(json, "bottom", 1e3 * g->last_m[p->down]);
    if (p->at >= 0) {
        cli_json_real(json, "at", 1e3 * (g->first_m[p->third] + step * (double)p->at));
    }
    cli_json_end_line(json);
}

/* The samples as measures take them: (n_z, n_x), or (n_z, n_y, n_x). */
static sac_array samples_of(const field *f)
{
    const int64_t *n = f->grid->n;
    sac_array a = {.data = (void *)f->values, .dtype = SAC_F32, .n_dims = n[1] > 1 ? 3 : 2};
    int axis = 0;
    for (int i = 2; i >= 0; i--) {
        if (i != 1 || n[1] > 1) {
            a.shape[axis] = n[i];
            a.stride[axis++] = f->step[i] * (ptrdiff_t)sizeof(float);
        }
    }
    return a;
}

static void put_three(cli_json *json, const char *name, const double values[3])
{
    cli_json_array(json, name);
    for (int i = 0; i < 3; i++) {
        cli_json_real(json, NULL, 1e3 * values[i]);
    }
    cli_json_end_array(json);
}

static void put_point(cli_json *json, const beamform_shown *shown,
                      const sac_ultrasound_image *image)
{
    sac_error err = {0};
    sac_point_measure point = {0};
    const double reach_m =
        REACH_WAVELENGTHS * shown->acquisition->c_m_s / shown->acquisition->fc_hz;
    const sac_status st = sac_measure_point(&point, image, shown->settings->point_m, reach_m, &err);
    cli_json_object(json, "point");
    if (st == SAC_OK) {
        put_three(json, "peak_mm", point.peak_m);
        put_three(json, "width_mm", point.width_m);
        cli_json_real(json, "peak_db", point.peak_db);
        cli_json_real(json, "side_lobe_db", point.side_lobe_db);
    } else {
        cli_json_string(json, "error", err.text);
    }
    cli_json_end_object(json);
}

static void put_cyst(cli_json *json, const beamform_shown *shown, const sac_ultrasound_image *image)
{
    sac_error err = {0};
    sac_cyst_measure cyst = {0};
    const sac_status st =
        sac_measure_cyst(&cyst, image, shown->settings->cyst_m, shown->settings->radius_m, &err);
    cli_json_object(json, "cyst");
    if (st == SAC_OK) {
        cli_json_real(json, "contrast_db", cyst.contrast_db);
        cli_json_real(json, "cnr_db", cyst.cnr_picmus_db);
        cli_json_real(json, "gcnr", cyst.gcnr);
        cli_json_real(json, "speckle_snr", cyst.speckle_snr);
        cli_json_int(json, "n_inside", cyst.n_inside);
        cli_json_int(json, "n_outside", cyst.n_outside);
    } else {
        cli_json_string(json, "error", err.text);
    }
    cli_json_end_object(json);
}

/* Of the transmit that is looked at, at the point: when each element hears it, and its weight. */
static void put_delays(cli_json *json, const beamform_shown *shown)
{
    const sac_acquisition *a = shown->acquisition;
    const int64_t n = (int64_t)a->n_transmits * a->n_elements;
    double *delays = cli_grow(NULL, 0, (size_t)n, sizeof *delays);
    double *weights = cli_grow(NULL, 0, (size_t)a->n_elements, sizeof *weights);
    sac_beamform_get_delays(shown->plan, shown->settings->point_m, 0, delays, weights);
    const double *of = delays + (ptrdiff_t)shown->settings->transmit * a->n_elements;
    cli_json_array(json, "delays_us");
    for (int32_t i = 0; i < a->n_elements; i++) {
        cli_json_real(json, NULL, 1e6 * of[i]);
    }
    cli_json_end_array(json);
    cli_json_array(json, "weights");
    for (int32_t i = 0; i < a->n_elements; i++) {
        cli_json_real(json, NULL, weights[i]);
    }
    cli_json_end_array(json);
    free(weights);
    free(delays);
}

static void put_measures(cli_json *json, const beamform_shown *shown, const field *f)
{
    const sac_array samples = samples_of(f);
    sac_ultrasound_image image;
    sac_ultrasound_image_init(&image);
    image.samples = &samples;
    image.grid = *shown->grid;
    if (shown->settings->has_point) {
        put_point(json, shown, &image);
    }
    if (shown->settings->has_cyst) {
        put_cyst(json, shown, &image);
    }
    if (shown->settings->has_point && shown->settings->wants_delays) {
        put_delays(json, shown);
    }
}

static void put_numbers(cli_json *json, const beamform_shown *shown)
{
    cli_json_string(json, "kind", "picture");
    cli_json_int(json, "frame", shown->frame);
    cli_json_int(json, "transmit", shown->settings->transmit);
    cli_json_real(json, "c_m_s", shown->acquisition->c_m_s);
    cli_json_int(json, "open_ns", shown->open_ns);
    cli_json_int(json, "run_ns", shown->run_ns);
    cli_json_string(json, "device", shown->device);
    cli_json_string(json, "variant", sac_beamform_get_variant(shown->plan));
    cli_json_int(json, "range_db", BEAMFORM_RANGE_DB);
    if (shown->put) {
        shown->put(json, shown->ctx);
    }
}

sac_status beamform_shown_message(view_blob **out, const beamform_shown *shown, sac_error *err)
{
    panel panels[MOST_PANELS];
    const int n_panels = list_panels(panels, shown);
    const field f = field_of(shown);
    const int64_t *n = f.grid->n;
    size_t n_levels = 0;
    cli_json json;
    cli_json_open(&json);
    cli_json_object(&json, NULL);
    put_numbers(&json, shown);
    put_measures(&json, shown, &f);
    cli_json_array(&json, "panels");
    for (int i = 0; i < n_panels; i++) {
        put_panel(&json, &panels[i], f.grid);
        n_levels += (size_t)(n[panels[i].across] * n[panels[i].down]);
    }
    cli_json_end_array(&json);
    cli_json_end_object(&json);
    void *at = NULL;
    *out = view_blob_of(&json, n_levels * sizeof(uint16_t), &at);
    uint16_t *levels = at;
    for (int i = 0; i < n_panels && *out; i++) {
        put_levels(levels, &f, &panels[i]);
        levels += n[panels[i].across] * n[panels[i].down];
    }
    return *out ? SAC_OK : view_no_memory(err);
}
