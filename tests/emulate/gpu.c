/*
 * gpu/gpu.h on the CPU. Device memory is ordinary memory. A stream is a thread that does what was
 * enqueued, in order; only events and waits order it with others, so that the thread sanitizer sees
 * where one is missing.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "emulated.h"

enum { N_STREAMS = 3, MOST_TASKS = 1024, LOOK_NS = 20000, MOST_DOUBLINGS = 6 };

struct CUevent_st {
    uint64_t recorded;         /* how often it was enqueued, */
    _Atomic uint64_t happened; /* and how often it was reached */
};

typedef enum kind { LAUNCH, COPY, SET, RECORD, WAIT, STOP } kind;

/* What is enqueued. */
typedef struct task {
    kind kind;
    emulated_launch launch;
    char *to;
    const char *from; /* NULL: `value` */
    ptrdiff_t to_row, from_row;
    size_t width, rows;
    uint8_t value;
    sac_gpu_event event;
    uint64_t number; /* of the event's records */
} task;

/* One thread enqueues, one does it. What the stream has done is acquired by whoever asks for that
 * alone, not by enqueueing. */
struct CUstream_st {
    pthread_t thread;
    task tasks[MOST_TASKS];
    _Atomic uint64_t enqueued, done;
};

struct sac_gpu {
    struct CUstream_st streams[N_STREAMS];
};

static atomic_bool is_full;
static _Atomic int64_t n_launches, n_enqueued, n_ended;

void emulated_nap(int *n_naps)
{
    const int doublings = *n_naps / 4 < MOST_DOUBLINGS ? *n_naps / 4 : MOST_DOUBLINGS;
    nanosleep(&(struct timespec){0, LOOK_NS << doublings}, NULL);
    ++*n_naps;
}

void emulated_fill(bool full)
{
    atomic_store(&is_full, full);
}

int64_t emulated_launches(void)
{
    return atomic_load(&n_launches);
}

int64_t emulated_unfinished(void)
{
    const int64_t ended = atomic_load(&n_ended); /* first, so that it is never below 0 */
    return atomic_load(&n_enqueued) - ended;
}

static void run_launch(const task *t)
{
    int n_naps = 0;
    while (atomic_load(&is_full))
        emulated_nap(&n_naps);
    if (!emulated_is_lost())
        emulated_run(&t->launch);
    t->launch.release(t->launch.argument);
}

static void run_task(const task *t)
{
    int n_naps = 0;
    if (t->kind == LAUNCH)
        run_launch(t);
    for (ptrdiff_t y = 0; y < (ptrdiff_t)t->rows && !emulated_is_lost(); y++)
        if (t->kind == COPY)
            memcpy(t->to + y * t->to_row, t->from + y * t->from_row, t->width);
        else if (t->kind == SET)
            memset(t->to, t->value, t->width);
    if (t->kind == RECORD)
        atomic_store_explicit(&t->event->happened, t->number, memory_order_release);
    while (t->kind == WAIT &&
           atomic_load_explicit(&t->event->happened, memory_order_acquire) < t->number)
        emulated_nap(&n_naps);
    atomic_fetch_add(&n_ended, 1);
}

static void *run_stream(void *argument)
{
    struct CUstream_st *s = argument;
    for (uint64_t at = 0;; at++) {
        int n_naps = 0;
        while (atomic_load_explicit(&s->enqueued, memory_order_acquire) == at)
            emulated_nap(&n_naps);
        const task *t = &s->tasks[at % MOST_TASKS];
        if (t->kind == STOP)
            return NULL;
        run_task(t);
        atomic_store_explicit(&s->done, at + 1, memory_order_release);
    }
}

static void push(sac_gpu_stream s, const task *t)
{
    int n_naps = 0;
    const uint64_t at = atomic_load_explicit(&s->enqueued, memory_order_relaxed);
    while (at - atomic_load_explicit(&s->done, memory_order_relaxed) == MOST_TASKS)
        emulated_nap(&n_naps);
    s->tasks[at % MOST_TASKS] = *t;
    if (t->kind != STOP)
        atomic_fetch_add(&n_enqueued, 1);
    atomic_store_explicit(&s->enqueued, at + 1, memory_order_release);
}

static sac_status enqueue(sac_gpu_stream s, const task *t)
{
    const sac_status status = emulated_ask(EMULATED_LOST);
    if (status == SAC_OK)
        push(s, t);
    return status;
}

static _Thread_local sac_status launched;

sac_status emulated_launched(void)
{
    const sac_status status = launched;
    launched = SAC_OK;
    return status;
}

void emulated_enqueue(sac_gpu_stream stream, const emulated_launch *launch)
{
    task t = {.kind = LAUNCH, .launch = *launch};
    launched = emulated_ask(EMULATED_FULL);
    if (launched) {
        launch->release(launch->argument);
        return;
    }
    t.launch.seed = (uint64_t)atomic_fetch_add(&n_launches, 1);
    push(stream, &t);
}

bool sac_gpu_is_idle(sac_gpu_stream s)
{
    return atomic_load_explicit(&s->done, memory_order_acquire) ==
           atomic_load_explicit(&s->enqueued, memory_order_relaxed);
}

sac_status sac_gpu_wait(sac_gpu_stream s)
{
    int n_naps = 0;
    while (!sac_gpu_is_idle(s))
        emulated_nap(&n_naps);
    return emulated_ask(EMULATED_LOST);
}

sac_status sac_gpu_open(sac_gpu **gpu, int32_t index, sac_error *err)
{
    *gpu = NULL;
    if (emulated_ask(EMULATED_LOST) != SAC_OK)
        return sac_fail(err, SAC_E_DEVICE, "device: cuda:%d is lost", index);
    *gpu = index == 0 ? calloc(1, sizeof **gpu) : NULL;
    for (int i = 0; *gpu && i < N_STREAMS; i++)
        if (pthread_create(&(*gpu)->streams[i].thread, NULL, run_stream, &(*gpu)->streams[i]) != 0)
            abort();
    emulated_count(*gpu != NULL);
    return *gpu ? SAC_OK : sac_fail(err, SAC_E_DEVICE, "device: there is an emulated cuda:0 only");
}

void sac_gpu_close(sac_gpu **gpu)
{
    const task stop = {.kind = STOP};
    for (int i = 0; *gpu && i < N_STREAMS; i++) {
        push(&(*gpu)->streams[i], &stop);
        pthread_join((*gpu)->streams[i].thread, NULL);
    }
    emulated_count(-(*gpu != NULL));
    free(*gpu);
    *gpu = NULL;
}

int32_t sac_gpu_index(const sac_gpu *gpu)
{
    (void)gpu;
    return 0;
}

sac_gpu_stream sac_gpu_main_stream(const sac_gpu *gpu)
{
    return (sac_gpu_stream)&gpu->streams[0];
}

sac_gpu_stream sac_gpu_copy_stream(const sac_gpu *gpu)
{
    return (sac_gpu_stream)&gpu->streams[1];
}

sac_gpu_stream sac_gpu_back_stream(const sac_gpu *gpu)
{
    return (sac_gpu_stream)&gpu->streams[2];
}

sac_status sac_gpu_enter(const sac_gpu *gpu)
{
    return gpu ? emulated_ask(EMULATED_LOST) : SAC_E_DEVICE;
}

void sac_gpu_leave(const sac_gpu *gpu)
{
    (void)gpu;
}

int32_t sac_gpu_multiprocessors(const sac_gpu *gpu)
{
    (void)gpu;
    return EMULATED_PROCESSORS;
}

int32_t sac_gpu_count(void)
{
    return 1;
}

sac_status sac_gpu_describe(sac_gpu_info *out, int32_t index, sac_error *err)
{
    (void)out;
    (void)index;
    return sac_fail(err, SAC_E_UNSUPPORTED, "device: an emulated GPU has no description");
}

sac_status sac_gpu_copy_rows(void *to, ptrdiff_t to_row, const void *from, ptrdiff_t from_row,
                             size_t width, size_t rows, sac_gpu_stream stream)
{
    return enqueue(stream, &(task){.kind = COPY,
                                   .to = to,
                                   .from = from,
                                   .to_row = to_row,
                                   .from_row = from_row,
                                   .width = width,
                                   .rows = rows});
}

sac_status sac_gpu_copy(void *to, const void *from, size_t bytes, sac_gpu_stream stream)
{
    return sac_gpu_copy_rows(to, 0, from, 0, bytes, 1, stream);
}

sac_status sac_gpu_set(void *memory, uint8_t value, size_t bytes, sac_gpu_stream stream)
{
    return enqueue(stream,
                   &(task){.kind = SET, .to = memory, .value = value, .width = bytes, .rows = 1});
}

sac_status sac_gpu_event_open(sac_gpu *gpu, sac_gpu_event *event)
{
    const sac_status status = emulated_ask(EMULATED_LOST);
    (void)gpu;
    *event = status ? NULL : calloc(1, sizeof **event);
    emulated_count(*event != NULL);
    return status || *event ? status : SAC_E_NOMEM;
}

sac_status sac_gpu_event_open_untimed(sac_gpu *gpu, sac_gpu_event *event)
{
    return sac_gpu_event_open(gpu, event);
}

void sac_gpu_event_close(sac_gpu_event *event)
{
    emulated_count(-(*event != NULL));
    free(*event);
    *event = NULL;
}

sac_status sac_gpu_event_record(sac_gpu_event event, sac_gpu_stream stream)
{
    const uint64_t number = event->recorded + 1;
    const sac_status status =
        enqueue(stream, &(task){.kind = RECORD, .event = event, .number = number});
    event->recorded = status ? event->recorded : number;
    return status;
}

sac_status sac_gpu_event_wait(sac_gpu_event event, sac_gpu_stream stream)
{
    return enqueue(stream, &(task){.kind = WAIT, .event = event, .number = event->recorded});
}

sac_status sac_gpu_event_sync_until(bool *came, sac_gpu_event event, int64_t deadline_ns)
{
    int n_naps = 0;
    while (!(*came =
                 atomic_load_explicit(&event->happened, memory_order_acquire) >= event->recorded) &&
           sac_clock_ns() < deadline_ns)
        emulated_nap(&n_naps);
    return emulated_ask(EMULATED_LOST);
}

sac_status sac_gpu_event_sync(sac_gpu_event event)
{
    bool came;
    return sac_gpu_event_sync_until(&came, event, INT64_MAX);
}

sac_status sac_gpu_event_elapsed(double *ns, sac_gpu_event from, sac_gpu_event to)
{
    (void)from;
    (void)to;
    *ns = 0;
    return SAC_E_UNSUPPORTED;
}

sac_status sac_gpu_graph_begin(sac_gpu_stream stream)
{
    (void)stream;
    return SAC_E_UNSUPPORTED;
}

sac_status sac_gpu_graph_end(sac_gpu_graph *graph, sac_gpu_stream stream)
{
    (void)graph;
    (void)stream;
    return SAC_E_UNSUPPORTED;
}

sac_status sac_gpu_graph_launch(sac_gpu_graph graph, sac_gpu_stream stream)
{
    (void)graph;
    (void)stream;
    return SAC_E_UNSUPPORTED;
}

sac_status sac_gpu_graph_describe(sac_gpu_kernel *kernels, int32_t *n, int32_t most,
                                  sac_gpu_stream stream)
{
    (void)kernels;
    (void)most;
    (void)stream;
    *n = 0;
    return SAC_E_UNSUPPORTED;
}

void sac_gpu_graph_close(sac_gpu_graph *graph)
{
    (void)graph;
}
