/*
 * saccade simulate ultrasound at work.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_SIMULATE_ULTRASOUND_H
#define CLI_SIMULATE_ULTRASOUND_H

#include <saccade/recording.h>
#include <saccade/simulate.h>

#include "progress.h"
#include "send.h"

typedef struct simulate_options {
    size_t struct_size;
    const char *output;
    int32_t phantom, array;
    const char *transmits;
    int32_t seed;
    int32_t elements[2];
    double pitch_mm, curvature_mm, fc_mhz, fs_mhz, bandwidth, c_m_s, tx_f_number, line_taper;
    int32_t samples, frames;
    double rotation_deg, noise_db, attenuation;
    const char *region, *at, *layers, *lens, *elevation;
    double radius_mm, prf_hz, peak_m_s, vessel_deg, clutter_db, tissue_m_s;
    int32_t scatterers, threads, repeat;
    cli_send_options send;
} simulate_options;

enum { LINEAR, PHASED, MATRIX, CURVED, ROW_COLUMN };

/* What an array is where the command line does not say. */
typedef struct cli_probe {
    int32_t elements[2];
    double pitch_mm, fc_mhz;
    double first_mm[3], last_mm[3]; /* the region */
} cli_probe;

extern const cli_probe cli_probes[];

typedef struct simulation {
    const simulate_options *options;
    sac_acquisition acquisition;
    sac_element *elements;
    sac_transmit *transmits;
    double *tx_apodization; /* or NULL */
    int32_t *shapes;        /* of a row-column array; or NULL */
    uint8_t *receives;      /* the same */
    double elevation_focus_m;
    sac_phantom_desc phantom;
    sac_scatterer *scatterers; /* of the frame in work */
    sac_scatterer *truth;      /* of the first frame */
    int64_t n_scatterers, n_samples;
    float *samples;
    sac_array array;
    cli_progress progress;
    int32_t frame;
} simulation;

extern const char *const cli_phantoms[];

/* Before it the array. Returns an exit status. */
int cli_simulate_phantom(simulation *s);

/* The array with its sampling, then the transmits. Return an exit status. */
int cli_simulate_array(simulation *s);
int cli_simulate_transmits(simulation *s);

#endif
