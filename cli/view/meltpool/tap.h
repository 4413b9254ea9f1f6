/*
 * Where frames and records leave a real-time loop for a viewer. The loop's thread copies and goes
 * on: it never waits, locks, allocates or makes a system call, whatever the viewer does.
 *
 * Records go through a ring of one writer and one reader. Pixels are copied of a frame behind which
 * no other waits, and where others wait, only if the viewer has taken the one before: so the last
 * frame of all is always there, and a loop that is behind copies some frames a second.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_MELTPOOL_TAP_H
#define CLI_VIEW_MELTPOOL_TAP_H

#include <string.h>

#include <saccade/meltpool.h>

#include "view/exchange.h"

#define VIEW_TAP_RECORDS 8192 /* 0.4 s at 20,000 frames a second */

/* A frame; its number of all that were put, counted from 0. */
typedef struct view_tapped {
    uint8_t *pixels; /* (frame_bytes) */
    sac_meltpool_record record;
    int64_t number;
} view_tapped;

typedef struct view_tap {
    size_t frame_bytes;
    sac_meltpool_record *records; /* (VIEW_TAP_RECORDS) */
    view_tapped frames[VIEW_PLACES];
    view_exchange exchange; /* of indices of them */

    /* The loop's. */
    _Alignas(VIEW_LINE) _Atomic uint64_t tail; /* records put in */
    uint64_t head_seen;                        /* head, when last looked at */
    _Atomic int64_t dropped; /* records that found no room: the viewer did not take any for long */

    /* The viewer's. */
    _Alignas(VIEW_LINE) _Atomic uint64_t head; /* records taken out */
} view_tap;

view_tap *view_tap_open(size_t frame_bytes);
void view_tap_close(view_tap **tap);

/* Whether there is a frame that the viewer has not taken. Any thread. */
static inline bool view_tap_has_frame(const view_tap *tap)
{
    return view_exchange_is_fresh(&tap->exchange);
}

/* The loop's thread: a frame is done. is_newest: no other waits behind it. */
static inline void view_tap_put(view_tap *tap, const sac_meltpool_record *record,
                                const uint8_t *pixels, bool is_newest)
{
    const uint64_t tail = atomic_load_explicit(&tap->tail, memory_order_relaxed);
    const int64_t dropped = atomic_load_explicit(&tap->dropped, memory_order_relaxed);
    if (tail - tap->head_seen == VIEW_TAP_RECORDS) { /* acquire: the viewer has read what it took */
        tap->head_seen = atomic_load_explicit(&tap->head, memory_order_acquire);
    }
    if (tail - tap->head_seen < VIEW_TAP_RECORDS) {
        tap->records[tail % VIEW_TAP_RECORDS] = *record;
        atomic_store_explicit(&tap->tail, tail + 1, memory_order_release);
    } else {
        atomic_store_explicit(&tap->dropped, dropped + 1, memory_order_relaxed);
    }
    if (is_newest || !view_tap_has_frame(tap)) {
        view_tapped *to = &tap->frames[tap->exchange.written];
        memcpy(to->pixels, pixels, tap->frame_bytes);
        to->record = *record;
        to->number = (int64_t)tail + dropped;
        (void)view_exchange_put(&tap->exchange);
    }
}

/* The viewer's thread. The records that came, at most `most` of them; returns how many. */
int32_t view_tap_take(view_tap *tap, sac_meltpool_record *records, int32_t most);

/* The viewer's thread of pictures: the newest frame, which stays until the next call; NULL: there
 * is none but the one that was taken last. */
const view_tapped *view_tap_take_frame(view_tap *tap);

#endif
