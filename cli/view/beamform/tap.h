/*
 * Where frames leave saccade beamform --listen for a viewer. The worker copies the newest one and
 * goes on: it never waits, locks, allocates or makes a system call, whatever the viewer does.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_BEAMFORM_TAP_H
#define CLI_VIEW_BEAMFORM_TAP_H

#include <stddef.h>
#include <stdint.h>

#include "view/exchange.h"

/* A frame's samples, and its number of those that came. */
typedef struct beamform_tapped {
    uint8_t *data;
    int64_t number;
} beamform_tapped;

typedef struct beamform_tap {
    size_t frame_bytes;
    beamform_tapped frames[VIEW_PLACES];
    view_exchange exchange; /* of indices of them */

    /* The viewer's. */
    _Alignas(VIEW_LINE) _Atomic int64_t n_taken;
    atomic_bool is_followed; /* it takes what comes; false: it holds one */
} beamform_tap;

beamform_tap *beamform_tap_open(size_t frame_bytes);
void beamform_tap_close(beamform_tap **tap);

/* Whether there is one that the viewer has not taken. Any thread. */
bool beamform_tap_has_frame(const beamform_tap *tap);

/* The worker's thread: this is the newest frame. */
void beamform_tap_put(beamform_tap *tap, const void *data, int64_t number);

/* The viewer's thread: the newest frame, which stays until the next call; NULL: there is none but
 * the one that was taken last. */
const beamform_tapped *beamform_tap_take(beamform_tap *tap);

#endif
