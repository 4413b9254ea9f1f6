/*
 * The producer's side of a stream in another process.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "stream/share_door.h"

/* It knows where things are for itself, too: at worst it writes frames that nobody takes. */
struct sac_producer {
    sac_share_block *block;
    sac_share_shape shape;
    uint64_t tail;      /* frames that were sent */
    uint64_t head_seen; /* head, when last looked at */
    uint64_t number;    /* of the next send */
    int64_t looked_ns;  /* when the stream was last known to live */
    bool is_gone;       /* it does not */
    int fd;             /* of the connection; -1: none */
};

void sac_producer_detach(sac_producer **producer)
{
    if (!producer || !*producer)
        return;
    sac_producer *p = *producer;
    if (p->block)
        (void)munmap(p->block, (size_t)p->shape.bytes);
    if (p->fd >= 0)
        (void)close(p->fd); /* and so gives the place free */
    sac_free(p);
    *producer = NULL;
}

static sac_status join(sac_producer *p, const char *name, size_t frame_bytes, sac_error *err)
{
    sac_share_place place;
    const sac_status status = sac_share_ask(&place, name, frame_bytes, err);
    if (status)
        return status;
    p->fd = place.fd;
    p->shape = place.shape;
    void *at = mmap(NULL, (size_t)p->shape.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                    place.block_fd, 0);
    const int failed = at == MAP_FAILED ? errno : 0;
    (void)close(place.block_fd);
    if (failed)
        return sac_fail(err, SAC_E_NOMEM, "shared: %.60s: %s", name, strerror(failed));
    p->block = at;
    return SAC_OK;
}

/* Goes on where an earlier producer ended. */
static void begin(sac_producer *p)
{
    p->tail = atomic_load_explicit(&p->block->tail, memory_order_relaxed) & ~SAC_RING_CLOSED;
    p->head_seen = atomic_load_explicit(&p->block->head, memory_order_acquire);
    p->number = p->tail + atomic_load_explicit(&p->block->dropped, memory_order_relaxed);
    p->looked_ns = sac_clock_ns();
    /* For the frame that comes next, as in push(). */
    atomic_thread_fence(memory_order_release);
}

sac_status sac_producer_attach(sac_producer **out, const char *shared, size_t frame_bytes,
                               sac_error *err)
{
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "producer: is NULL");
    sac_producer *p = *out = sac_alloc(1, sizeof *p);
    if (!p)
        return sac_fail(err, SAC_E_NOMEM, "producer: no memory for it");
    p->fd = -1;
    sac_status status = sac_share_check_name(shared, err);
    status = status ? status : join(p, shared, frame_bytes, err);
    if (status == SAC_OK)
        begin(p);
    else
        sac_producer_detach(out);
    return status;
}

void *sac_producer_slot(sac_producer *p)
{
    return p ? sac_share_slot(p->block, &p->shape, p->tail) + 1 : NULL;
}

bool sac_producer_is_stopping(const sac_producer *p)
{
    /* Sequentially consistent, for sac_sleep. */
    return !p || p->is_gone || (atomic_load(&p->block->tail) & SAC_RING_CLOSED) != 0;
}

static void look_for_stream(sac_producer *p, int64_t now_ns)
{
    if (now_ns - p->looked_ns < SAC_SHARE_PATIENCE_NS)
        return;
    p->is_gone = sac_share_has_hung_up(p->fd);
    p->looked_ns = now_ns;
}

/* Room by the newest head. Sequentially consistent, for sac_sleep; acquire: the worker is
 * done with the slots below. */
static bool has_room_now(sac_producer *p)
{
    p->head_seen = atomic_load(&p->block->head);
    return p->tail - p->head_seen < p->shape.capacity;
}

static bool has_room(sac_producer *p)
{
    return p->shape.policy == SAC_STREAM_DROP_OLDEST ||
           p->tail - p->head_seen < p->shape.capacity || has_room_now(p);
}

static bool can_go_on(const void *producer)
{
    const sac_producer *p = producer;
    return p->tail - atomic_load(&p->block->head) < p->shape.capacity ||
           sac_producer_is_stopping(p);
}

static void wait_for_room(sac_producer *p)
{
    while (!can_go_on(p))
        if (!sac_share_pause(&p->block->producer_asleep, p->shape.spin_us, can_go_on, p))
            look_for_stream(p, sac_clock_ns());
}

/* False: the stream has closed. */
static bool push(sac_producer *p)
{
    uint64_t tail = p->tail;
    /* An exchange, as in the ring. Release: the frame and its facts, for sac_share_take.
     * Sequentially consistent, for sac_sleep. */
    if (!atomic_compare_exchange_strong(&p->block->tail, &tail, tail + 1))
        return false;
    p->tail = tail + 1;
    p->number++;
    /* Whoever sees anything of the next frame sees this tail: n_torn() says why. */
    atomic_thread_fence(memory_order_release);
    sac_wake(&p->block->worker_asleep, true);
    return true;
}

void sac_producer_refuse(sac_producer *p, int64_t n)
{
    if (p && n > 0)
        (void)atomic_fetch_add_explicit(&p->block->refused, (uint64_t)n, memory_order_release);
}

sac_status sac_producer_send(sac_producer *p, int64_t scheduled_ns)
{
    if (!p)
        return SAC_E_INVALID;
    sac_ring_slot *slot = sac_share_slot(p->block, &p->shape, p->tail);
    slot->number = p->number;
    slot->arrived_ns = sac_clock_ns();
    slot->scheduled_ns = scheduled_ns ? scheduled_ns : slot->arrived_ns;
    look_for_stream(p, slot->arrived_ns);
    bool goes_on = !sac_producer_is_stopping(p);
    if (goes_on && !has_room(p)) {
        if (p->shape.policy == SAC_STREAM_DROP_NEWEST) {
            (void)atomic_fetch_add_explicit(&p->block->dropped, 1, memory_order_release);
            p->number++;
            return SAC_OK;
        }
        wait_for_room(p);
        goes_on = has_room_now(p);
    }
    if (goes_on && push(p))
        return SAC_OK;
    sac_producer_refuse(p, 1);
    return SAC_END;
}
