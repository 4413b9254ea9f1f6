/*
 * Three frames between a worker and a viewer.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

beamform_tap *beamform_tap_open(size_t frame_bytes)
{
    beamform_tap *tap = aligned_alloc(VIEW_LINE, sizeof *tap); /* a multiple of it */
    if (!tap) {
        exit(cli_fail("out of memory"));
    }
    memset(tap, 0, sizeof *tap);
    tap->frame_bytes = frame_bytes;
    for (int i = 0; i < VIEW_PLACES;
         i++) { /* written, so that the worker meets no page not there yet */
        tap->frames[i].data = cli_grow(NULL, 0, frame_bytes, 1);
    }
    view_exchange_init(&tap->exchange);
    atomic_init(&tap->n_taken, 0);
    atomic_init(&tap->is_followed, true);
    return tap;
}

void beamform_tap_close(beamform_tap **tap)
{
    for (int i = 0; *tap && i < VIEW_PLACES; i++) {
        free((*tap)->frames[i].data);
    }
    free(*tap);
    *tap = NULL;
}

bool beamform_tap_has_frame(const beamform_tap *tap)
{
    return view_exchange_is_fresh(&tap->exchange);
}

void beamform_tap_put(beamform_tap *tap, const void *data, int64_t number)
{
    beamform_tapped *to = &tap->frames[tap->exchange.written];
    memcpy(to->data, data, tap->frame_bytes);
    to->number = number;
    (void)view_exchange_put(&tap->exchange);
}

const beamform_tapped *beamform_tap_take(beamform_tap *tap)
{
    if (!view_exchange_take(&tap->exchange)) {
        return NULL;
    }
    const int64_t n = atomic_load_explicit(&tap->n_taken, memory_order_relaxed);
    atomic_store_explicit(&tap->n_taken, n + 1, memory_order_relaxed);
    return &tap->frames[tap->exchange.seen];
}
