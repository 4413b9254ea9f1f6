/*
 * A workspace of Verasonics' Vantage while it is read.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_RECORDING_VERASONICS_PARTS_H
#define SAC_IO_RECORDING_VERASONICS_PARTS_H

#include "io/recording/mat_tree.h"
#include "io/recording/parts.h"

/* Variables of a workspace. */
enum { RCV_DATA, RECEIVE, TRANS, RESOURCE, TX, TW, EVENT, N_VARIABLES };

/* Samples of a wavelength of the transducer, as real samples or as pairs of them. */
typedef struct sampling {
    const char *mode;
    double samples_per_wave; /* that were taken at decimSampleRate, of them stored: */
    bool pairs;              /* two next to each other, (I, -Q) */
    int32_t each;            /* ticks of decimSampleRate from pair to pair, or sample to sample */
} sampling;

typedef struct workspace {
    sac_draft *draft;
    bool v5;
    uint64_t limit; /* bytes of samples */
    sac_mat_variable v[N_VARIABLES];
    double trans_hz, wavelength_m, unit_m; /* unit_m: of Trans */
    const sampling *sampling;
    uint64_t buffer;                   /* of RcvData, from 1 on */
    uint64_t n_frames, n_acquisitions; /* of that buffer */
    uint64_t *receive;                 /* (n_frames, n_acquisitions): which Receive, from 1 */
    uint64_t n_rows, n_elements, first_frame; /* rows: samples that are stored of an acquisition */
    sac_mat_array samples;                    /* of the buffer */
} workspace;

/* "`x.mat`: Verasonics: ...": SAC_E_FORMAT. */
sac_status sac_vs_odd(const workspace *w, sac_error *err, const char *what);

/* The first number of a field; NaN where there is none. */
double sac_vs_number(const workspace *w, int variable, uint64_t i, const char *field);

/* A whole number from 1 to `most`; 0 where it is none. */
uint64_t sac_vs_index(double x, uint64_t most);

/* Speed of sound, units and pulse; then the elements. */
SAC_NODISCARD sac_status sac_vs_trans(workspace *w, sac_error *err);
SAC_NODISCARD sac_status sac_vs_elements(workspace *w, sac_error *err);

/* The transmit of each acquisition, once Receives are found; or, where the caller describes them,
 * only when records begin. */
SAC_NODISCARD sac_status sac_vs_transmits(workspace *w, sac_error *err);

#endif
