/*
 * Usual arrays, what they send, and the grid that suits them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "beamform/acquisition.h"
#include "beamform/kernels/das/das.h"

void sac_probe_linear(sac_element *elements, int32_t n, double pitch_m, double width_m,
                      double height_m)
{
    for (int32_t i = 0; i < n && elements; i++)
        elements[i] = (sac_element){.position_m = {(i - 0.5 * (n - 1)) * pitch_m, 0, 0},
                                    .normal = {0, 0, 1},
                                    .width_m = width_m,
                                    .height_m = height_m};
}

void sac_probe_curved(sac_element *elements, int32_t n, double radius_m, double pitch_m,
                      double width_m, double height_m)
{
    for (int32_t i = 0; i < n && elements; i++) {
        const double angle = (i - 0.5 * (n - 1)) * pitch_m / radius_m, half = sin(0.5 * angle);
        elements[i] =
            (sac_element){.position_m = {radius_m * sin(angle), 0, -2 * radius_m * half * half},
                          .normal = {sin(angle), 0, cos(angle)},
                          .width_m = width_m,
                          .height_m = height_m};
    }
}

void sac_probe_matrix(sac_element *elements, int32_t n_x, int32_t n_y, double pitch_x_m,
                      double pitch_y_m)
{
    for (int32_t i = 0; i < n_x * n_y && elements; i++) {
        double x = (i % n_x - 0.5 * (n_x - 1)) * pitch_x_m;
        double y = (i / n_x - 0.5 * (n_y - 1)) * pitch_y_m;
        elements[i] = (sac_element){.position_m = {x, y, 0},
                                    .normal = {0, 0, 1},
                                    .width_m = pitch_x_m,
                                    .height_m = pitch_y_m};
    }
}

void sac_probe_row_column(sac_element *elements, int32_t *shapes, int32_t n_rows, int32_t n_columns,
                          double pitch_m, double width_m)
{
    for (int32_t i = 0; i < n_rows + n_columns && elements && shapes; i++) {
        const bool row = i < n_rows;
        const double at = row ? (i - 0.5 * (n_rows - 1)) * pitch_m
                              : (i - n_rows - 0.5 * (n_columns - 1)) * pitch_m;
        shapes[i] = row ? SAC_SHAPE_ROW : SAC_SHAPE_COLUMN;
        elements[i] = (sac_element){.position_m = {row ? 0 : at, row ? at : 0, 0},
                                    .normal = {0, 0, 1},
                                    .width_m = row ? n_columns * pitch_m : width_m,
                                    .height_m = row ? width_m : n_rows * pitch_m};
    }
}

void sac_transmits_row_column(sac_transmit *transmits, double *tx_apodization, uint8_t *receives,
                              int32_t n_by_rows, int32_t n_by_columns, int32_t n_rows,
                              int32_t n_columns)
{
    const int32_t n = n_rows + n_columns;
    for (int32_t t = 0; t < n_by_rows + n_by_columns && transmits; t++) {
        sac_transmit *to = &transmits[t];
        const bool by_rows = t < n_by_rows;
        if (by_rows) {
            to->elevation_rad = to->azimuth_rad;
            to->azimuth_rad = 0;
            to->source_m[1] = to->source_m[0];
            to->source_m[0] = 0;
        } else {
            to->element += to->kind == SAC_TRANSMIT_ELEMENT ? n_rows : 0;
        }
        for (int32_t e = 0; e < n; e++) {
            const bool fires = (e < n_rows) == by_rows;
            tx_apodization[(ptrdiff_t)t * n + e] = fires;
            receives[(ptrdiff_t)t * n + e] = !fires;
        }
    }
}

/* The element nearest to p. */
static const double *nearest_element(const double p[3], const sac_element *elements, int32_t n)
{
    const double *nearest = elements[0].position_m;
    for (int32_t e = 1; e < n; e++)
        if (sac_distance(elements[e].position_m, p) < sac_distance(nearest, p))
            nearest = elements[e].position_m;
    return nearest;
}

void sac_transmit_apertures(double *tx_apodization, const sac_transmit *transmits,
                            int32_t n_transmits, const sac_element *elements, int32_t n_elements,
                            double f_number)
{
    for (int32_t t = 0; tx_apodization && t < n_transmits; t++) {
        const double *s = transmits[t].source_m, *m = nearest_element(s, elements, n_elements);
        const bool all = f_number <= 0 || (transmits[t].kind != SAC_TRANSMIT_DIVERGING &&
                                           transmits[t].kind != SAC_TRANSMIT_FOCUSED);
        for (int32_t e = 0; e < n_elements; e++)
            *tx_apodization++ =
                all || 2 * f_number * sac_distance(elements[e].position_m, m) <= sac_distance(s, m);
    }
}

/* Half the array's width along an axis, and its middle. */
static double half_width(double *middle, const sac_acquisition *a, int axis)
{
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < a->n_elements; i++) {
        low = fmin(low, a->elements[i].position_m[axis]);
        high = fmax(high, a->elements[i].position_m[axis]);
    }
    *middle = 0.5 * (low + high);
    return 0.5 * (high - low);
}

/* Whether any element is a line. */
static bool has_lines(const sac_acquisition *a)
{
    for (int32_t e = 0; e < a->n_elements; e++)
        if (sac_acquisition_line_m(a, e) > 0)
            return true;
    return false;
}

/* The depths between which a record's echoes lie straight ahead, at first and last sample. */
static void depths(double z[2], const sac_acquisition *a, int64_t n_samples)
{
    z[0] = INFINITY;
    z[1] = 0;
    for (int32_t i = 0; i < a->n_transmits; i++) {
        double t0 = a->transmits[i].t0_s;
        z[0] = fmin(z[0], 0.5 * a->c_m_s * t0);
        z[1] = fmax(z[1], 0.5 * a->c_m_s * (t0 + (double)(n_samples - 1) / a->fs_hz));
    }
}

/* How far a diverging wave's sector leads beyond the array at depth z: its widest. */
static double sector_half(const sac_acquisition *a, double half, double z)
{
    double widest = half;
    for (int32_t i = 0; i < a->n_transmits; i++) {
        const sac_transmit *t = &a->transmits[i];
        if (t->kind == SAC_TRANSMIT_DIVERGING && t->source_m[2] < 0)
            widest = fmax(widest, fabs(t->source_m[0]) +
                                      (half - fabs(t->source_m[0])) * (1 - z / t->source_m[2]));
    }
    return fmin(widest, fmax(half, z)); /* 45 degrees: no element looks further */
}

sac_status sac_grid_default(sac_grid *grid, const sac_acquisition *acquisition, int64_t n_samples,
                            sac_error *err)
{
    if (!grid)
        return sac_fail(err, SAC_E_INVALID, "grid: is NULL");
    sac_acquisition own;
    const sac_acquisition *a = &own;
    sac_status status = sac_acquisition_take(&own, acquisition, err);
    if (status)
        return status;
    if (n_samples < 1)
        return sac_fail(err, SAC_E_INVALID, "n_samples: expected 1 or more, got %lld",
                        (long long)n_samples);
    double lambda = a->c_m_s / a->fc_hz, middle[2], z[2];
    const bool volume = has_lines(a);
    const double width = half_width(&middle[0], a, 0), depth = half_width(&middle[1], a, 1);
    depths(z, a, n_samples);
    z[0] = fmax(z[0], lambda);
    if (!(z[1] > z[0]))
        return sac_fail(err, SAC_E_INVALID,
                        "t0: the record ends at %g mm depth: nothing lies before the array",
                        1e3 * z[1]);
    double half = volume ? width : sector_half(a, width, z[1]);
    *grid = (sac_grid){.first_m = {middle[0] - half, volume ? middle[1] - depth : 0, z[0]},
                       .last_m = {middle[0] + half, volume ? middle[1] + depth : 0, z[1]}};
    for (int i = 0; i < 3; i++)
        if (!((grid->last_m[i] - grid->first_m[i]) / lambda < 1e6))
            return sac_fail(err, SAC_E_INVALID,
                            "grid: the data covers %g wavelengths along %c; give a grid",
                            (grid->last_m[i] - grid->first_m[i]) / lambda, "xyz"[i]);
    for (int i = 0; i < 3; i++) {
        const double step = lambda / (volume && i < 2 ? 2 : 3);
        grid->n[i] = 1 + (int64_t)ceil((grid->last_m[i] - grid->first_m[i]) / step - 1e-9);
    }
    return SAC_OK;
}
