/*
 * Frames from another process: a block of shared memory that a producer there writes, and that the
 * worker here copies frames out of.
 *
 *     sac_share_block | slots, each a line of facts and its frame
 *
 * The frame at position p is in slot p modulo n_slots. Positions below tail were sent, those below
 * head taken; both only grow. A producer that waits or drops the newest frame keeps tail - head
 * within the capacity. One that drops the oldest looks at head not at all: the worker passes over
 * what is further behind than the capacity, and over frames that were written over while it copied.
 *
 * The other process may be killed at any moment, and it may be hostile. So the worker trusts no
 * word of the block: where the frames lie, which is next and what was counted it knows for itself,
 * and tail is only ever a number whose distance from its own is looked at. Frames are copied before
 * the work sees them, so that none changes meanwhile. Whoever sleeps looks around ten times a
 * second. The block is a memfd whose size is sealed, so nobody can cut it short; where a hole is
 * punched into it, zeros are read. share_door.h says how a producer comes by it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_STREAM_SHARE_H
#define SAC_STREAM_SHARE_H

#include "base/error.h"
#include "stream/ring.h"

#define SAC_SHARE_NAME 100              /* bytes of a name at most, its end included */
#define SAC_SHARE_OPEN UINT64_MAX       /* no position */
#define SAC_SHARE_PATIENCE_NS 100000000 /* who sleeps looks around after this */

/* All that says where things are. Both sides have a copy of their own. */
typedef struct sac_share_shape {
    uint64_t bytes, slots_at, slot_bytes, frame_bytes;
    uint32_t capacity, n_slots;
    int32_t policy; /* sac_stream_policy */
    int32_t spin_us;
} sac_share_shape;

/* A line for what one side writes often. */
typedef struct sac_share_block {
    struct {
        _Alignas(SAC_ALIGNMENT) _Atomic uint64_t tail; /* SAC_RING_CLOSED: nothing more comes in */
    };
    struct {
        _Alignas(SAC_ALIGNMENT) _Atomic uint64_t head;
    };
    struct {
        _Alignas(SAC_ALIGNMENT) _Atomic uint32_t worker_asleep;
    };
    struct {
        _Alignas(SAC_ALIGNMENT) _Atomic uint32_t producer_asleep;
    };
    struct {
        _Alignas(SAC_ALIGNMENT) _Atomic uint64_t dropped; /* by producers: the newest */
        _Atomic uint64_t refused;
    };
} sac_share_block;

typedef struct sac_share_door sac_share_door;

/* The stream's side. */
typedef struct sac_share {
    sac_share_block *block;
    sac_share_shape shape;
    /* The worker's. seen + shift is the head: two, so that counts never jump where it has to. */
    _Atomic uint64_t seen;  /* frames that were taken or lost */
    _Atomic uint64_t shift; /* changes where a producer wrote nonsense */
    _Atomic uint64_t final; /* tail when it was closed; SAC_SHARE_OPEN before */
    uint64_t number;        /* of the next frame, at least */
    sac_share_door *door;
} sac_share;

static inline sac_ring_slot *sac_share_slot(sac_share_block *block, const sac_share_shape *shape,
                                            uint64_t position)
{
    return (sac_ring_slot *)((char *)block + shape->slots_at +
                             position % shape->n_slots * shape->slot_bytes);
}

/* Takes the name, makes a block, and lets producers attach from now on. SAC_E_INVALID, SAC_E_IO,
 * SAC_E_NOMEM, SAC_E_UNSUPPORTED. */
SAC_NODISCARD sac_status sac_share_open(sac_share **out, const sac_stream_desc *desc,
                                        sac_error *err);

/* Takes the name away and frees. Takes NULL and *share == NULL. */
void sac_share_close(sac_share **share);

/*
 * The worker's: copies at most `max` frames that wait into the first slots of `to`, and counts
 * there what was lost. Returns how many there are; `ids` are their slots.
 */
int32_t sac_share_take(sac_share *share, sac_ring *to, uint32_t *ids, int32_t max);

/* Returns when frames wait, `to` is stopping, or a while has passed. */
void sac_share_wait(sac_share *share, const sac_ring *to);

/* No send is accepted from now on. False: frames still wait. */
bool sac_share_close_empty(sac_share *share);

/* For any thread and for signal handlers: what a stop changes for the producer and the worker. */
void sac_share_request_stop(sac_share *share);

/* Adds frames that came, those that wait in the block included, and that the producer gave up.
 * Loads them behind what `counts` has already, so that no frame is done before it came. */
void sac_share_add_counts(const sac_share *share, sac_stream_counts *counts);

/* What both sides use. */
SAC_NODISCARD sac_status sac_share_check_name(const char *name, sac_error *err);
SAC_NODISCARD bool sac_share_lay_out(sac_share_shape *shape, uint64_t frame_bytes, int32_t capacity,
                                     int32_t batch_max, int32_t policy, int32_t spin_us);

/* Looks for spin_us whether ready(of), then sleeps until woken, a while at most. Whether it is. */
bool sac_share_pause(_Atomic uint32_t *asleep, int32_t spin_us, sac_ready_fn ready, const void *of);

#endif
