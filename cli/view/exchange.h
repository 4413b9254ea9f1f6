/*
 * Three places between one that writes and one that reads, neither of which ever waits: one place
 * is being written, one is looked at for as long as the reader likes, and the newest is between
 * them, which either side exchanges with its own. Here are the places' indices; what lies there is
 * the caller's.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_EXCHANGE_H
#define CLI_VIEW_EXCHANGE_H

#include <stdatomic.h>
#include <stdbool.h>

enum {
    VIEW_PLACES = 3,
    VIEW_FRESH = 4, /* next to an index */
    VIEW_LINE = 64  /* bytes of a line of memory: what each side writes has its own */
};

typedef struct view_exchange {
    _Alignas(VIEW_LINE) int written;        /* the writer's: the place that it fills */
    _Alignas(VIEW_LINE) int seen;           /* the reader's: the place that it looks at */
    _Alignas(VIEW_LINE) atomic_int between; /* the newest, and whether the reader has not had it */
} view_exchange;

static inline void view_exchange_init(view_exchange *x)
{
    x->written = 0;
    x->seen = 1;
    atomic_init(&x->between, 2);
}

/* Whether there is something that the reader has not taken. Any thread. */
static inline bool view_exchange_is_fresh(const view_exchange *x)
{
    return atomic_load_explicit(&x->between, memory_order_relaxed) & VIEW_FRESH;
}

/* The writer: what is in `written` is the newest now, and `written` is another place. Returns
 * whether the reader has missed the one before. Here and in take: release, the other side sees all
 * that lies in the place it gets; acquire, it has done with the place that is got. */
static inline bool view_exchange_put(view_exchange *x)
{
    const int got =
        atomic_exchange_explicit(&x->between, x->written | VIEW_FRESH, memory_order_acq_rel);
    x->written = got & ~VIEW_FRESH;
    return got & VIEW_FRESH;
}

/* The reader: the newest is in `seen`, and stays until the next call; false: there is nothing newer
 * than what is there. */
static inline bool view_exchange_take(view_exchange *x)
{
    if (!view_exchange_is_fresh(x)) {
        return false;
    }
    x->seen = atomic_exchange_explicit(&x->between, x->seen, memory_order_acq_rel) & ~VIEW_FRESH;
    return true;
}

#endif
