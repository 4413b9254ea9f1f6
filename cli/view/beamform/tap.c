/*
 * Three frames between a worker and a viewer.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

#define FRESH 4 /* beside the index */
#define INDEX 3

beamform_tap *beamform_tap_open(size_t frame_bytes)
{
    beamform_tap *tap = aligned_alloc(BEAMFORM_TAP_LINE, sizeof *tap); /* a multiple of it */
    if (!tap) {
        exit(cli_fail("out of memory"));
    }
    memset(tap, 0, sizeof *tap);
    tap->frame_bytes = frame_bytes;
    for (int i = 0; i < 3; i++) { /* written, so that the worker meets no page not there yet */
        tap->frames[i].data = cli_grow(NULL, 0, frame_bytes, 1);
    }
    tap->seen = 1;
    atomic_init(&tap->between, 2);
    atomic_init(&tap->n_taken, 0);
    atomic_init(&tap->is_followed, true);
    return tap;
}

void beamform_tap_close(beamform_tap **tap)
{
    for (int i = 0; *tap && i < 3; i++) {
        free((*tap)->frames[i].data);
    }
    free(*tap);
    *tap = NULL;
}

bool beamform_tap_has_frame(const beamform_tap *tap)
{
    return atomic_load_explicit(&tap->between, memory_order_relaxed) & FRESH;
}

/* Gives one's own, and gets what was between. Release: the other side sees all of the frame that it
 * gets. Acquire: it has done with the frame that is got. */
static int swap(beamform_tap *tap, int own)
{
    return atomic_exchange_explicit(&tap->between, own, memory_order_acq_rel) & INDEX;
}

void beamform_tap_put(beamform_tap *tap, const void *data, int64_t number)
{
    beamform_tapped *to = &tap->frames[tap->written];
    memcpy(to->data, data, tap->frame_bytes);
    to->number = number;
    tap->written = swap(tap, tap->written | FRESH);
}

const beamform_tapped *beamform_tap_take(beamform_tap *tap)
{
    if (!beamform_tap_has_frame(tap)) {
        return NULL;
    }
    const int64_t n = atomic_load_explicit(&tap->n_taken, memory_order_relaxed);
    atomic_store_explicit(&tap->n_taken, n + 1, memory_order_relaxed);
    tap->seen = swap(tap, tap->seen);
    return &tap->frames[tap->seen];
}
