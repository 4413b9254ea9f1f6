/*
 * The arrays of saccade simulate ultrasound, and what they send.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "ultrasound.h"
#include "options.h"
#include "outputs.h"

const cli_probe cli_probes[] = {[LINEAR] = {{128, 1}, 0.30, 5.208, {-15, 0, 10}, {15, 0, 40}},
                                [PHASED] = {{64, 1}, 0.28, 2.72, {-10, 0, 30}, {10, 0, 80}},
                                [MATRIX] = {{32, 32}, 0.30, 3.0, {-4, -4, 15}, {4, 4, 35}},
                                [CURVED] = {{128, 1}, 0.508, 3.57, {-30, 0, 30}, {30, 0, 90}}};

#define CURVATURE_MM 49.57 /* of C5-2v */

int cli_simulate_array(simulation *s)
{
    const simulate_options *o = s->options;
    bool matrix = o->array == MATRIX;
    int32_t n[2];
    for (int i = 0; i < 2; i++) {
        n[i] = o->elements[i] ? o->elements[i] : cli_probes[o->array].elements[i];
    }
    n[1] = matrix ? n[1] : 1;
    double pitch_m = 1e-3 * (o->pitch_mm > 0 ? o->pitch_mm : cli_probes[o->array].pitch_mm);
    if (n[0] * n[1] > 65536) {
        return cli_misuse(&cli_simulate, "--elements: expected at most 65536, got %dx%d", n[0],
                          n[1]);
    }
    s->elements = cli_grow(NULL, 0, (size_t)n[0] * (size_t)n[1], sizeof *s->elements);
    double radius_m = 1e-3 * (o->curvature_mm > 0 ? o->curvature_mm : CURVATURE_MM);
    if (o->curvature_mm > 0 && o->array != CURVED) {
        return cli_misuse(&cli_simulate, "--curvature: is for --array curved");
    }
    if (o->array == CURVED) {
        if (pitch_m * (n[0] - 1) > 3 * radius_m) {
            return cli_misuse(&cli_simulate,
                              "--curvature: %g mm hold at most %.0f elements %g mm apart",
                              1e3 * radius_m, floor(3 * radius_m / pitch_m) + 1, 1e3 * pitch_m);
        }
        sac_probe_curved(s->elements, n[0], radius_m, pitch_m, 0.9 * pitch_m, 0);
    } else if (matrix) {
        sac_probe_matrix(s->elements, n[0], n[1], pitch_m, pitch_m);
    } else {
        sac_probe_linear(s->elements, n[0], pitch_m, 0.9 * pitch_m, 0);
    }
    for (int32_t i = 0; matrix && i < n[0] * n[1]; i++) {
        s->elements[i].width_m = s->elements[i].height_m = 0.9 * pitch_m;
    }
    sac_acquisition *a = &s->acquisition;
    sac_acquisition_init(a);
    a->elements = s->elements;
    a->n_elements = n[0] * n[1];
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

int cli_simulate_transmits(simulation *s)
{
    const char *text = s->options->transmits ? s->options->transmits : "plane:11:16";
    int32_t most = 65536;
    sac_error err = {0};
    s->transmits = cli_grow(NULL, 0, (size_t)most, sizeof *s->transmits);
    if (sac_transmits_parse(s->transmits, &s->acquisition.n_transmits, most, text, s->elements,
                            s->acquisition.n_elements, &err) != SAC_OK) {
        return cli_error(&err);
    }
    s->acquisition.transmits = s->transmits;
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
