/*
 * A block's threads as fibers. Built without sanitizers, which see the kernels: what a fiber does
 * here must call nothing that they watch, so memory is all there before.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "block.h"

#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "context.h"

enum { WARP = 32, MOST_THREADS = 1024, BARRIERS = 16, LOOKS = 64 };
enum { STACK_BYTES = 256 << 10 };

alignas(64) static thread_local char memory[EMULATED_SHARED];

typedef struct fiber {
    struct fiber *next_spare;
    context at;
    emulated_thread place;
    emulated_copies begun;
    uint32_t lane, warp;
    bool is_done, has_waited; /* for the stream */
    char *stack;
    void *tsan;
} fiber;

/* Of two rounds in turn: those who have not left one may not hinder the next. */
typedef struct meeting {
    int what, line;
    uint32_t n, lanes, round; /* `lanes`: a bit each */
    uint64_t value[WARP], result[2][WARP];
    uint32_t of[WARP];
    fiber *waiting[WARP];
    char order[2];
} meeting;

typedef struct barrier {
    int line;
    uint32_t n, wanted, round, n_waiting;
    bool all, result[2];
    fiber *waiting[MOST_THREADS];
    char order[2];
} barrier;

/* One at a time in a thread of the system. */
typedef struct block {
    const emulated_launch *launch;
    uint32_t n_threads, index;
    context main;
    void *main_tsan;
    const void *main_stack;
    size_t main_bytes;
    fiber *self; /* that goes on */
    fiber *ready[MOST_THREADS];
    uint32_t n_ready, n_done;
    uint32_t looks; /* since others had a turn */
    uint64_t random;
    char begun, ended; /* what comes before a block, and what its threads did */
    fiber *threads[MOST_THREADS];
    meeting warps[MOST_THREADS]; /* by the first of the lanes that meet */
    barrier barriers[BARRIERS];
} block;

static thread_local block *own;

static int add_own_memory(dl_phdr_info *of, size_t, void *bytes)
{
    for (int i = 0; i < of->dlpi_phnum; i++)
        if (of->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)bytes += of->dlpi_phdr[i].p_memsz;
    return 0;
}

/* Of runners: the usual, of which the system keeps a few for those that come next. */
static pthread_attr_t usual_stack;

/* What is thread_local, as all __shared__ memory is here, 8 MB of it, lies on the stack of every
 * thread. Others than runners, which do the CPU's work, get as much more as that. */
__attribute__((constructor)) static void make_room()
{
    pthread_attr_t larger;
    size_t bytes = 0, usual = 0;
    dl_iterate_phdr(add_own_memory, &bytes);
    if (pthread_attr_init(&usual_stack) != 0 || pthread_attr_init(&larger) != 0 ||
        pthread_attr_getstacksize(&larger, &usual) != 0 ||
        pthread_attr_setstacksize(&usual_stack, usual) != 0 ||
        pthread_attr_setstacksize(&larger, usual + bytes) != 0 ||
        pthread_setattr_default_np(&larger) != 0)
        abort();
    (void)pthread_attr_destroy(&larger);
}

const emulated_thread *emulated_place(void)
{
    return &own->self->place;
}

char *emulated_memory(void)
{
    return memory;
}

emulated_copies *emulated_begun(void)
{
    return &own->self->begun;
}

void emulated_stream_awaited(void)
{
    own->self->has_waited = true;
}

void emulated_fail(const char *what, int line, int other)
{
    const emulated_size at = own->self->place.thread;
    fprintf(stderr, "emulated block %u, thread %u %u %u: %s: lines %d and %d\n", own->index, at.x,
            at.y, at.z, what, line, other);
    abort();
}

static void release(char *order)
{
    if (__tsan_release)
        __tsan_release(order);
}

static void acquire(char *order)
{
    if (__tsan_acquire)
        __tsan_acquire(order);
}

/* xorshift64*. */
static uint32_t random_below(block *b, uint32_t n)
{
    b->random ^= b->random >> 12;
    b->random ^= b->random << 25;
    b->random ^= b->random >> 27;
    return (uint32_t)(b->random * UINT64_C(0x2545F4914F6CDD1D) >> 32) % n;
}

bool emulated_chance(void)
{
    return random_below(own, 2) == 0;
}

static void make_ready(fiber *f)
{
    own->ready[own->n_ready++] = f;
}

static void switch_to(context *from, const context *to, void *tsan, const void *stack, size_t bytes,
                      bool is_last)
{
    void *save = NULL;
    if (__tsan_switch_to_fiber)
        __tsan_switch_to_fiber(tsan, 1 /* which orders nothing */);
    if (__sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(is_last ? NULL : &save, stack, bytes);
    emulated_switch(from, to);
    if (__sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(save, NULL, NULL);
}

/* Until somebody makes it ready. */
static void wait_here(void)
{
    switch_to(&own->self->at, &own->main, own->main_tsan, own->main_stack, own->main_bytes,
              own->self->is_done);
}

void emulated_yield(void)
{
    make_ready(own->self);
    if (++own->looks % LOOKS == 0)
        sched_yield();
    wait_here();
}

static uint64_t result_of(const meeting *m, uint32_t lane, uint64_t votes, uint64_t sum,
                          uint64_t least)
{
    const uint32_t of = m->of[lane];
    switch (m->what) {
    case EMULATED_FROM:
        return m->value[of % WARP];
    case EMULATED_XOR:
        return m->value[(lane ^ of) % WARP];
    case EMULATED_UP:
        return m->value[lane >= of ? lane - of : lane];
    case EMULATED_DOWN:
        return m->value[lane + of < WARP ? lane + of : lane];
    case EMULATED_VOTES:
        return votes;
    case EMULATED_SUM:
        return (uint32_t)sum;
    case EMULATED_LEAST:
        return least;
    default:
        return 0;
    }
}

static void end_meeting(meeting *m, const fiber *last)
{
    uint64_t votes = 0, sum = 0, least = UINT64_MAX;
    for (uint32_t i = 0; i < WARP; i++)
        if (m->lanes >> i & 1) {
            votes |= (uint64_t)(m->value[i] != 0) << i;
            sum += m->value[i];
            least = m->value[i] < least ? m->value[i] : least;
        }
    for (uint32_t i = 0; i < WARP; i++)
        if (m->lanes >> i & 1)
            m->result[m->round % 2][i] = result_of(m, i, votes, sum, least);
    for (uint32_t i = 0; i < m->n; i++)
        if (m->waiting[i] != last)
            make_ready(m->waiting[i]);
    m->n = 0;
    m->round++;
}

/* The last warp of a block may have fewer. */
static uint32_t lanes_of(const block *b, uint32_t warp)
{
    const uint32_t left = b->n_threads - warp * WARP;
    return left < WARP ? (1u << left) - 1 : UINT32_MAX;
}

uint64_t emulated_meet(int what, uint64_t value, uint32_t of, uint32_t lanes, int line)
{
    fiber *f = own->self;
    lanes &= lanes_of(own, f->warp);
    if (!(lanes >> f->lane & 1))
        emulated_fail("a lane that meets nobody", line, line);
    meeting *m = &own->warps[f->warp * WARP + (uint32_t)__builtin_ctz(lanes)];
    const uint32_t round = m->round % 2;
    if (m->n > 0 && (m->what != what || m->line != line || m->lanes != lanes))
        emulated_fail("lanes of a warp meet at two places", m->line, line);
    m->what = what;
    m->line = line;
    m->lanes = lanes;
    m->value[f->lane] = value;
    m->of[f->lane] = of;
    m->waiting[m->n++] = f;
    if (what == EMULATED_SYNC)
        release(&m->order[round]);
    if (m->n == (uint32_t)__builtin_popcount(lanes))
        end_meeting(m, f);
    else
        wait_here();
    if (what == EMULATED_SYNC)
        acquire(&m->order[round]);
    return m->result[round][f->lane];
}

bool emulated_barrier(int which, uint32_t n, bool waits, bool value, int line)
{
    fiber *f = own->self;
    barrier *b = &own->barriers[which];
    const uint32_t round = b->round % 2;
    n = n ? n : own->n_threads;
    if (b->n > 0 && (b->wanted != n || b->line != line))
        emulated_fail("a barrier at two places", b->line, line);
    b->line = line;
    b->wanted = n;
    b->all = (b->n == 0 || b->all) && value;
    release(&b->order[round]);
    if (++b->n == n) {
        b->result[round] = b->all;
        for (uint32_t i = 0; i < b->n_waiting; i++)
            make_ready(b->waiting[i]);
        b->n = b->n_waiting = 0;
        b->round++;
    } else if (waits) {
        b->waiting[b->n_waiting++] = f;
        wait_here();
    }
    if (waits)
        acquire(&b->order[round]);
    return b->result[round];
}

static void run_thread(void)
{
    if (__sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(NULL, &own->main_stack, &own->main_bytes);
    acquire(&own->begun);
    own->launch->kernel(own->launch->argument);
    if (own->self->begun.n > 0)
        emulated_fail("ends before its copies", 0, 0);
    if (own->launch->is_early && !own->self->has_waited)
        emulated_fail("does not wait for the stream", 0, 0);
    release(&own->ended);
    own->self->is_done = true;
    own->n_done++;
    wait_here();
}

/* The i-th of as many, x fastest. */
static emulated_size place_of(uint32_t i, emulated_size n)
{
    return {i % n.x, i / n.x % n.y, i / n.x / n.y};
}

/* Thread i of the block, at its beginning. */
static void begin_thread(block *b, uint32_t i)
{
    const emulated_launch *l = b->launch;
    fiber *f = b->threads[i];
    if (__asan_unpoison_memory_region) /* what ended there did not return */
        __asan_unpoison_memory_region(f->stack, STACK_BYTES);
    f->place = {place_of(i, l->block), place_of(b->index, l->grid), l->block, l->grid};
    f->begun.n = f->begun.group = 0;
    f->has_waited = false;
    f->lane = i % WARP;
    f->warp = i / WARP;
    f->is_done = false;
    start_context(&f->at, f->stack, STACK_BYTES, run_thread);
    make_ready(f);
}

/* One of those who are ready. */
static fiber *draw(block *b)
{
    const uint32_t i = random_below(b, b->n_ready);
    fiber *f = b->ready[i];
    b->ready[i] = b->ready[--b->n_ready];
    return f;
}

/* Shared memory has what a block before has left there. */
static void run_block(block *b, uint32_t index)
{
    b->index = index;
    b->n_done = 0;
    release(&b->begun);
    for (uint32_t i = 0; i < b->n_threads; i++)
        begin_thread(b, i);
    while (b->n_done < b->n_threads) {
        if (b->n_ready == 0) {
            fprintf(stderr, "emulated block %u: %u threads wait for ever\n", index,
                    b->n_threads - b->n_done);
            abort();
        }
        b->self = draw(b);
        switch_to(&b->main, &b->self->at, b->self->tsan, b->self->stack, STACK_BYTES, false);
    }
    acquire(&b->ended);
}

/* Fibers that no launch has at present: making one takes long. */
static fiber *spare;
static char spare_is_taken; /* a lock that orders nothing for those who watch */

static fiber *open_fiber(void)
{
    while (__atomic_test_and_set(&spare_is_taken, __ATOMIC_ACQUIRE))
        sched_yield();
    fiber *f = spare;
    spare = f ? f->next_spare : NULL;
    __atomic_clear(&spare_is_taken, __ATOMIC_RELEASE);
    if (f)
        return f;
    f = (fiber *)calloc(1, sizeof *f);
    void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!f || stack == MAP_FAILED)
        abort();
    f->stack = (char *)stack;
    f->tsan = __tsan_create_fiber ? __tsan_create_fiber(0) : NULL;
    return f;
}

static void close_fiber(fiber *f)
{
    while (__atomic_test_and_set(&spare_is_taken, __ATOMIC_ACQUIRE))
        sched_yield();
    f->next_spare = spare;
    spare = f;
    __atomic_clear(&spare_is_taken, __ATOMIC_RELEASE);
}

static void open_threads(block *b)
{
    if (__tsan_get_current_fiber)
        b->main_tsan = __tsan_get_current_fiber();
    for (uint32_t i = 0; i < b->n_threads; i++)
        b->threads[i] = open_fiber();
    memset(memory, 0xa5, EMULATED_SHARED);
    if (__asan_poison_memory_region)
        __asan_poison_memory_region(memory + b->launch->shared_bytes,
                                    EMULATED_SHARED - b->launch->shared_bytes);
}

static void close_threads(block *b)
{
    for (uint32_t i = 0; i < b->n_threads; i++)
        close_fiber(b->threads[i]);
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region(memory, EMULATED_SHARED);
}

/* Runs one block after the other. */
typedef struct runner {
    pthread_t thread;
    uint32_t *next, n_blocks; /* the launch's first block that nobody has taken; of so many */
    block at_work;
} runner;

static void *run(void *argument)
{
    runner *r = (runner *)argument;
    own = &r->at_work;
    open_threads(own);
    for (uint32_t i; (i = __atomic_fetch_add(r->next, 1, __ATOMIC_RELAXED)) < r->n_blocks;)
        run_block(own, i);
    close_threads(own);
    return NULL;
}

void emulated_run(const emulated_launch *launch)
{
    const uint32_t n_blocks = emulated_product(launch->grid);
    const uint32_t n_threads = emulated_product(launch->block);
    const bool is_few = launch->is_cooperative || n_blocks < EMULATED_AT_ONCE;
    const uint32_t n = is_few ? n_blocks : (uint32_t)EMULATED_AT_ONCE;
    uint32_t next = 0;
    runner *runners = (runner *)calloc(n, sizeof *runners);
    if (!runners || n_blocks == 0 || n_threads == 0 || n_threads > MOST_THREADS ||
        launch->shared_bytes > EMULATED_SHARED)
        abort();
    for (uint32_t i = 0; i < n; i++) {
        runners[i].next = &next;
        runners[i].n_blocks = n_blocks;
        runners[i].at_work.n_threads = n_threads;
        runners[i].at_work.launch = launch;
        runners[i].at_work.random = (launch->seed + i) * UINT64_C(0x9E3779B97F4A7C15) | 1;
        if (pthread_create(&runners[i].thread, &usual_stack, run, &runners[i]) != 0)
            abort();
    }
    for (uint32_t i = 0; i < n; i++)
        pthread_join(runners[i].thread, NULL);
    free(runners);
}
