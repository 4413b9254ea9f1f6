/*
 * Where frames and records leave a real-time loop for a viewer. The loop's thread copies and goes
 * on: it never waits, locks, allocates or makes a system call, whatever the viewer does.
 *
 * Records go through a ring of one writer and one reader. Pixels are copied only of a frame that
 * the viewer has asked for: the first one behind that is the newest there is. So a loop that nobody
 * looks at copies 208 bytes a frame, and one that somebody looks at some frames a second besides.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_MELTPOOL_TAP_H
#define CLI_VIEW_MELTPOOL_TAP_H

#include <stdatomic.h>
#include <string.h>

#include <saccade/meltpool.h>

#define VIEW_TAP_RECORDS 8192 /* 0.4 s at 20,000 frames a second */
#define VIEW_TAP_LINE 64      /* of memory: what each side writes stands on its own */

typedef struct view_tap {
    size_t frame_bytes;
    sac_meltpool_record *records; /* (VIEW_TAP_RECORDS) */
    uint8_t *pixels;              /* (frame_bytes) of the frame that was asked for */
    sac_meltpool_record record;   /* of it */
    int64_t number;               /* of it: all frames that were put, counted from 0 */

    /* The loop's. */
    _Alignas(VIEW_TAP_LINE) _Atomic uint64_t tail; /* records put in */
    uint64_t head_seen;                            /* head, when last looked at */
    _Atomic int64_t dropped; /* records that found no room: the viewer did not take any for long */

    /* The viewer's. */
    _Alignas(VIEW_TAP_LINE) _Atomic uint64_t head; /* records taken out */

    /* Whose the pixels are: true from when the viewer asks until the loop has copied them. */
    _Alignas(VIEW_TAP_LINE) atomic_bool is_wanted;
} view_tap;

view_tap *view_tap_open(size_t frame_bytes);
void view_tap_close(view_tap **tap);

/* The loop's thread: a frame is done. */
static inline void view_tap_put(view_tap *tap, const sac_meltpool_record *record,
                                const uint8_t *pixels)
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
    /* Acquire: the viewer has done with the last ones. Release: it sees these. */
    if (atomic_load_explicit(&tap->is_wanted, memory_order_acquire)) {
        memcpy(tap->pixels, pixels, tap->frame_bytes);
        tap->record = *record;
        tap->number = (int64_t)tail + dropped;
        atomic_store_explicit(&tap->is_wanted, false, memory_order_release);
    }
}

/* The viewer's thread. The records that came, at most `most` of them; returns how many. */
int32_t view_tap_take(view_tap *tap, sac_meltpool_record *records, int32_t most);

/* Asks for the next frame. */
void view_tap_ask(view_tap *tap);

/* Whether the frame that was asked for is there: in the tap's pixels and record until the next
 * view_tap_ask. */
bool view_tap_has_frame(const view_tap *tap);

#endif
