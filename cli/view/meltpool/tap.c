/*
 * The viewer's side of a real-time loop's tap.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tap.h"

#include <stdlib.h>

#include "command.h"

view_tap *view_tap_open(size_t frame_bytes)
{
    view_tap *tap = aligned_alloc(VIEW_LINE, sizeof *tap); /* a multiple of it */
    if (!tap) {
        exit(cli_fail("out of memory"));
    }
    memset(tap, 0, sizeof *tap);
    tap->frame_bytes = frame_bytes;
    /* Written here, so that the loop's thread meets no page that is not there yet. */
    tap->records = cli_grow(NULL, 0, VIEW_TAP_RECORDS, sizeof *tap->records);
    for (int i = 0; i < VIEW_PLACES; i++) {
        tap->frames[i].pixels = cli_grow(NULL, 0, frame_bytes, 1);
    }
    view_exchange_init(&tap->exchange);
    atomic_init(&tap->tail, 0);
    atomic_init(&tap->dropped, 0);
    atomic_init(&tap->head, 0);
    return tap;
}

void view_tap_close(view_tap **tap)
{
    for (int i = 0; *tap && i < VIEW_PLACES; i++) {
        free((*tap)->frames[i].pixels);
    }
    if (*tap) {
        free((*tap)->records);
        free(*tap);
        *tap = NULL;
    }
}

int32_t view_tap_take(view_tap *tap, sac_meltpool_record *records, int32_t most)
{
    const uint64_t head = atomic_load_explicit(&tap->head, memory_order_relaxed);
    /* Acquire: what was put in is seen. Release: the loop may write over what was read. */
    const uint64_t there = atomic_load_explicit(&tap->tail, memory_order_acquire) - head;
    const int32_t n = there < (uint64_t)most ? (int32_t)there : most;
    for (int32_t i = 0; i < n; i++) {
        records[i] = tap->records[(head + (uint64_t)i) % VIEW_TAP_RECORDS];
    }
    atomic_store_explicit(&tap->head, head + (uint64_t)n, memory_order_release);
    return n;
}

const view_tapped *view_tap_take_frame(view_tap *tap)
{
    return view_exchange_take(&tap->exchange) ? &tap->frames[tap->exchange.seen] : NULL;
}
