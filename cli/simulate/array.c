/*
 * The arrays of saccade simulate ultrasound, and what they send.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>

#include "ultrasound.h"
#include "options.h"
#include "outputs.h"

const cli_probe cli_probes[] = {[LINEAR] = {{128, 1}, 0.30, 5.208, {-15, 0, 10}, {15, 0, 40}},
                                [PHASED] = {{64, 1}, 0.28, 2.72, {-10, 0, 30}, {10, 0, 80}},
                                [MATRIX] = {{32, 32}, 0.30, 3.0, {-4, -4, 15}, {4, 4, 35}},
                                [CURVED] = {{128, 1}, 0.508, 3.57, {-30, 0, 30}, {30, 0, 90}},
                                [ROW_COLUMN] = {{64, 64}, 0.25, 3.0, {-5, -5, 15}, {5, 5, 35}}};

#define CURVATURE_MM 49.57 /* of C5-2v */

/* What is for one array alone. */
static int check_array(const simulate_options *o)
{
    if (o->curvature_mm > 0 && o->array != CURVED) {
        return cli_misuse(&cli_simulate, "--curvature: is for --array curved");
    }
    if (o->line_taper > 0 && o->array != ROW_COLUMN) {
        return cli_misuse(&cli_simulate, "--line-taper: is for --array row-column");
    }
    return CLI_DONE;
}

static int fill_curved(simulation *s, int32_t n, double pitch_m)
{
    const double mm = s->options->curvature_mm, radius_m = 1e-3 * (mm > 0 ? mm : CURVATURE_MM);
    if (pitch_m * (n - 1) > 3 * radius_m) {
        return cli_misuse(&cli_simulate,
                          "--curvature: %g mm hold at most %.0f elements %g mm apart",
                          1e3 * radius_m, floor(3 * radius_m / pitch_m) + 1, 1e3 * pitch_m);
    }
    sac_probe_curved(s->elements, n, radius_m, pitch_m, 0.9 * pitch_m, 0);
    return CLI_DONE;
}

/* "5" or "5:20": the elements' height and their focus across the array. */
static int set_elevation(simulation *s)
{
    const char *text = s->options->elevation;
    double mm[2] = {0, 0};
    char *end = NULL;
    bool good = !text || s->options->array == LINEAR || s->options->array == PHASED ||
                s->options->array == CURVED;
    if (!text || !good) {
        return good ? CLI_DONE
                    : cli_misuse(&cli_simulate,
                                 "--elevation: is for --array linear, phased and curved");
    }
    mm[0] = strtod(text, &end);
    if (*end == ':') {
        text = end + 1;
        mm[1] = strtod(text, &end);
        good = mm[1] > 0 && mm[1] <= 1e5;
    }
    if (!good || end == text || *end || !(mm[0] > 0 && mm[0] <= 1000)) {
        return cli_misuse(&cli_simulate,
                          "--elevation: expected MM[:FOCUS], as 5:20, above 0, got `%s`",
                          s->options->elevation);
    }
    for (int32_t e = 0; e < s->acquisition.n_elements; e++) {
        s->elements[e].height_m = 1e-3 * mm[0];
    }
    s->elevation_focus_m = 1e-3 * mm[1];
    return CLI_DONE;
}

/* n[2]: along x and y, or rows and columns. */
static int fill_elements(simulation *s, const int32_t n[2], double pitch_m)
{
    const int32_t n_all = s->acquisition.n_elements;
    switch (s->options->array) {
    case CURVED:
        return fill_curved(s, n[0], pitch_m);
    case ROW_COLUMN:
        s->shapes = cli_grow(NULL, 0, (size_t)n_all, sizeof *s->shapes);
        sac_probe_row_column(s->elements, s->shapes, n[0], n[1], pitch_m, 0.9 * pitch_m);
        s->acquisition.shapes = s->shapes;
        break;
    case MATRIX:
        sac_probe_matrix(s->elements, n[0], n[1], pitch_m, pitch_m);
        for (int32_t i = 0; i < n_all; i++) {
            s->elements[i].width_m = s->elements[i].height_m = 0.9 * pitch_m;
        }
        break;
    default:
        sac_probe_linear(s->elements, n[0], pitch_m, 0.9 * pitch_m, 0);
    }
    return CLI_DONE;
}

int cli_simulate_array(simulation *s)
{
    const simulate_options *o = s->options;
    const bool row_column = o->array == ROW_COLUMN;
    int32_t n[2];
    int status = check_array(o);
    if (status != CLI_DONE) {
        return status;
    }
    for (int i = 0; i < 2; i++) {
        n[i] = o->elements[i] ? o->elements[i] : cli_probes[o->array].elements[i];
    }
    n[1] = row_column || o->array == MATRIX ? n[1] : 1;
    double pitch_m = 1e-3 * (o->pitch_mm > 0 ? o->pitch_mm : cli_probes[o->array].pitch_mm);
    if (n[0] * n[1] > 65536 && !row_column) {
        return cli_misuse(&cli_simulate, "--elements: expected at most 65536, got %dx%d", n[0],
                          n[1]);
    }
    sac_acquisition *a = &s->acquisition;
    sac_acquisition_init(a);
    a->n_elements = row_column ? n[0] + n[1] : n[0] * n[1];
    s->elements = cli_grow(NULL, 0, (size_t)a->n_elements, sizeof *s->elements);
    a->elements = s->elements;
    a->line_taper = o->line_taper;
    status = fill_elements(s, n, pitch_m);
    status = status ? status : set_elevation(s);
    if (status != CLI_DONE) {
        return status;
    }
    a->fc_hz = 1e6 * (o->fc_mhz > 0 ? o->fc_mhz : cli_probes[o->array].fc_mhz);
    a->fs_hz = o->fs_mhz > 0 ? 1e6 * o->fs_mhz : 4 * a->fc_hz;
    a->bandwidth = o->bandwidth;
    a->c_m_s = o->c_m_s;
    if (a->fs_hz < a->fc_hz * (2 + a->bandwidth)) {
        cli_warn("--fs: %.4g MHz is less than twice the highest frequency of the pulse, %.4g MHz, "
                 "which folds onto itself",
                 1e-6 * a->fs_hz, 1e-6 * a->fc_hz * (1 + 0.5 * a->bandwidth));
    }
    return CLI_DONE;
}

/* Transmits of a row-column array: both axes send those of a linear array, one after the other. */
static int row_column_transmits(simulation *s, const char *text, int32_t most)
{
    sac_acquisition *a = &s->acquisition;
    int32_t n_by[2], n[2];
    sac_error err = {0};
    if (sac_transmits_parse_row_column(s->transmits, n_by, n, most, text, s->elements, s->shapes,
                                       a->n_elements, &err) != SAC_OK) {
        return cli_error(&err);
    }
    a->n_transmits = n_by[0] + n_by[1];
    const size_t count = (size_t)a->n_transmits * (size_t)a->n_elements;
    s->tx_apodization = cli_grow(NULL, 0, count, sizeof *s->tx_apodization);
    s->receives = cli_grow(NULL, 0, count, sizeof *s->receives);
    sac_transmits_row_column(s->transmits, s->tx_apodization, s->receives, n_by[0], n_by[1], n[0],
                             n[1]);
    a->tx_apodization = s->tx_apodization;
    a->receives = s->receives;
    return CLI_DONE;
}

int cli_simulate_transmits(simulation *s)
{
    const char *text = s->options->transmits ? s->options->transmits : "plane:11:16";
    int32_t most = 65536;
    sac_error err = {0};
    s->transmits = cli_grow(NULL, 0, (size_t)most, sizeof *s->transmits);
    s->acquisition.transmits = s->transmits;
    if (s->options->array == ROW_COLUMN && s->options->tx_f_number > 0) {
        return cli_misuse(&cli_simulate, "--tx-f-number: is not for --array row-column");
    }
    if (s->options->array == ROW_COLUMN) {
        return row_column_transmits(s, text, most);
    }
    if (sac_transmits_parse(s->transmits, &s->acquisition.n_transmits, most, text, s->elements,
                            s->acquisition.n_elements, &err) != SAC_OK) {
        return cli_error(&err);
    }
    if (s->options->tx_f_number > 0) {
        const int32_t n = s->acquisition.n_transmits;
        size_t count = (size_t)n * (size_t)s->acquisition.n_elements;
        s->tx_apodization = cli_grow(NULL, 0, count, sizeof *s->tx_apodization);
        sac_transmit_apertures(s->tx_apodization, s->transmits, n, s->elements,
                               s->acquisition.n_elements, s->options->tx_f_number);
        s->acquisition.tx_apodization = s->tx_apodization;
    }
    return CLI_DONE;
}
