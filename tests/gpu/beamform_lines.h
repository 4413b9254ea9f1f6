/*
 * Arrays of lines, as beamforming to be done: rows or columns send, all, the others or any receive.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_BEAMFORM_LINES_H
#define SAC_TESTS_BEAMFORM_LINES_H

#include "beamform_scene.h"

/* What the array of a test with lines needs besides. To be kept while it is used. */
typedef struct test_lines {
    int32_t shapes[MAX_ELEMENTS];
    uint8_t receives[MAX_TRANSMITS * MAX_ELEMENTS];
} test_lines;

/* The elements become rows and columns; of each transmit, whose elements and field are there, one
 * axis sends. */
static inline void make_lines(test *t, test_lines *lines, uint64_t *state)
{
    sac_acquisition *a = &t->acquisition;
    const int32_t n = a->n_elements, n_rows = 1 + (int32_t)(next(state) % (uint64_t)(n - 1));
    const uint64_t who = next(state) % 3;
    sac_probe_row_column(t->elements, lines->shapes, n_rows, n - n_rows, 0.31e-3, 0.25e-3);
    for (int32_t i = 0; i < a->n_transmits; i++) {
        const sac_transmit *w = &t->transmits[i];
        const bool by_element = w->kind == SAC_TRANSMIT_ELEMENT;
        const int32_t shape = by_element             ? lines->shapes[w->element]
                              : next(state) % 2 == 0 ? SAC_SHAPE_ROW
                                                     : SAC_SHAPE_COLUMN;
        for (int32_t e = 0; e < n; e++) {
            const int32_t at = i * n + e;
            const bool sends = lines->shapes[e] == shape;
            t->amplitudes[at] = sends ? 1.5 + noise(state) : 0;
            lines->receives[at] = who == 0 || (who == 1 ? !sends : next(state) % 3 || e == 0);
        }
    }
    /* Of a wave by delays an element that has one. */
    for (int32_t e = 0; e < n; e++)
        t->delays_s[e] = isfinite(t->delays_s[e]) ? t->delays_s[e] : 0.2e-6;
    a->shapes = lines->shapes;
    a->tx_apodization = t->amplitudes;
    a->receives = lines->receives;
    t->choice[FIRING] = 1;
    t->choice[FIELD] = EVERYWHERE;
}

#endif
