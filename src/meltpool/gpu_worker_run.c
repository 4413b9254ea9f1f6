/*
 * The worker's runs: lines of words to a kernel that stays on the GPU, and its answers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "meltpool/gpu_worker.h"

#include <string.h>

#include "base/clock.h"
#include "base/relax.h"

enum {
    LOOKS = 256, /* at an answer, between two at the clock */
    AHEAD = 4,   /* answers that are on their way while one is read */
    MANY = 512,  /* answers that are worth waking threads for, */
    READERS = 4  /* so many of them: more were slower */
};

static const _Atomic uint32_t *word32(const uint32_t *word)
{
    return (const _Atomic uint32_t *)word;
}

/* Whether the last launch's first block has gone, or there was no launch. The others follow, each
 * behind the submission that it is at, so who still waits for an answer needs another launch. */
static bool has_left(const sac_meltpool_worker *w)
{
    return atomic_load_explicit(word32(w->cuda.left), memory_order_acquire) ==
           atomic_load_explicit(&w->launch, memory_order_relaxed);
}

static sac_status launch(sac_meltpool_worker *w)
{
    sac_status status = sac_gpu_enter(w->gpu);
    if (status)
        return status;
    w->cuda.launch++;
    atomic_store_explicit(&w->launch, w->cuda.launch, memory_order_relaxed);
    status = sac_meltpool_worker_launch(sac_gpu_main_stream(w->gpu), &w->cuda);
    sac_gpu_leave(w->gpu);
    return status;
}

/* The kernel is launched where it has left, by one of those who wait for it. */
static sac_status see_that_it_is_there(sac_meltpool_worker *w)
{
    sac_status status = SAC_OK;
    if (!has_left(w) || atomic_flag_test_and_set_explicit(&w->is_launching, memory_order_acquire))
        return SAC_OK;
    if (has_left(w))
        status = launch(w);
    atomic_flag_clear_explicit(&w->is_launching, memory_order_release);
    return status;
}

static void write_line(const sac_meltpool_worker *w, int32_t block, int32_t line,
                       const sac_meltpool_task *task)
{
    const sac_meltpool_worker_cuda *c = &w->cuda;
    uint32_t words[SAC_MELTPOOL_TASK_WORDS];
    memcpy(words, task, sizeof words);
    const uint64_t tag = (uint64_t)w->tags[block] << 32;
    _Atomic uint64_t *to = (_Atomic uint64_t *)(c->tasks + ((ptrdiff_t)block * c->n_lines + line) *
                                                               SAC_MELTPOOL_TASK_WORDS);
    for (int i = 0; i < SAC_MELTPOOL_TASK_WORDS; i++)
        atomic_store_explicit(to + i, tag | words[i], memory_order_release);
}

/* The ROI, packed, for a GPU that cannot read the frame in place. */
static const uint8_t *crop(const sac_meltpool_worker *w, int32_t k,
                           const sac_meltpool_frame_job *job)
{
    uint8_t *to = w->crops + (size_t)k * w->crop_bytes;
    for (int32_t y = 0; y < job->n; y++)
        memcpy(to + (ptrdiff_t)y * w->crop_row, sac_meltpool_at(job, 0, y), (size_t)job->n);
    return to;
}

static bool is_in_place(const sac_meltpool_frame_job *job)
{
    const uint8_t *first = sac_meltpool_at(job, 0, 0), *last = sac_meltpool_at(job, 0, job->n - 1);
    const uint8_t *from = first < last ? first : last, *to = first < last ? last : first;
    return sac_gpu_reads_in_place(from, (size_t)(to - from) + (size_t)job->n);
}

/* The k-th frame of a submission of m. */
static void submit(sac_meltpool_worker *w, const sac_meltpool_step *step, int32_t k, int32_t m)
{
    const sac_meltpool_frame_job *job = &step->job;
    const int32_t block = k % w->cuda.n_blocks, line = k / w->cuda.n_blocks;
    const bool in_place = w->on_device || is_in_place(job);
    const uint64_t roi =
        (uint64_t)(uintptr_t)(in_place ? sac_meltpool_at(job, 0, 0) : crop(w, k, job));
    const uint64_t row = (uint64_t)(in_place ? job->row : w->crop_row);
    sac_meltpool_task task = {
        .frame_low = (uint32_t)roi,
        .frame_high = (uint32_t)(roi >> 32),
        .row_low = (uint32_t)row,
        .row_high = (uint32_t)(row >> 32),
        .corner = (uint32_t)job->x0 | (uint32_t)job->y0 << 16,
        .cx_q16 = job->cx_q16,
        .cy_q16 = job->cy_q16,
        .ring_row = step->row,
        .n = step->n,
        .number = ++w->number,
        .n_before = (uint32_t)k,
        .n_behind = (uint32_t)(m - 1 - k),
        .n_lines = (uint32_t)((m - block + w->cuda.n_blocks - 1) / w->cuda.n_blocks),
    };
    for (int i = 0; i < 3; i++)
        task.edge[i] = ((uint32_t)job->edge_x[i] & 0xffff) | (uint32_t)job->edge_y[i] << 16;
    write_line(w, block, line, &task);
}

/* How many of the block's frames there is something to do of. */
static int32_t count_frames(const sac_meltpool *plan)
{
    const sac_meltpool_signals *signals = plan->block.signals;
    sac_meltpool_place place;
    int32_t m = signals ? 0 : plan->block.n;
    for (int32_t i = 0; signals && i < plan->block.n; i++)
        m += sac_meltpool_look_up(&plan->places, &place, &signals[i]) == 0;
    return m;
}

/* The block's frames, in the stream's order: each is on its way to the GPU while the next one is
 * planned. Returns how many. */
static int32_t submit_all(sac_meltpool *plan)
{
    sac_meltpool_worker *w = plan->gpu->worker;
    const int32_t m = count_frames(plan);
    int32_t k = 0;
    for (int32_t block = 0; block < m && block < w->cuda.n_blocks; block++)
        w->tags[block] = sac_meltpool_next_tag(w->tags[block]);
    for (int32_t i = 0; i < plan->block.n; i++) {
        sac_meltpool_planned *frame = &w->planned[i];
        const bool is_left_out = !sac_meltpool_plan_ahead(plan, &plan->steps[i], i, frame);
        frame->at = is_left_out ? -1 : k;
        if (!is_left_out)
            submit(w, &plan->steps[i], k++, m);
    }
    return m;
}

static const uint64_t *answer_at(const sac_meltpool_worker *w, int32_t k)
{
    const int32_t block = k % w->cuda.n_blocks, line = k / w->cuda.n_blocks;
    return w->cuda.answers +
           ((ptrdiff_t)block * w->cuda.n_lines + line) * SAC_MELTPOOL_ANSWER_WORDS;
}

/* Most answers of many frames are here when they are looked at. */
static void expect(const sac_meltpool_worker *w, int32_t k)
{
    const char *line = (const char *)answer_at(w, k);
    for (size_t i = 0; i < SAC_MELTPOOL_ANSWER_WORDS * sizeof(uint64_t); i += SAC_ALIGNMENT)
        __builtin_prefetch(line + i);
}

/* Words of an answer, as they come. They follow from the frame's pixels, which the host may write
 * anew behind the acquire (it pairs with sac_worker_send_answer, whose relaxed stores follow from
 * them). */
static bool read_words(uint32_t *words, int32_t *n, const uint64_t *line, uint32_t tag)
{
    const _Atomic uint64_t *from = (const _Atomic uint64_t *)line;
    for (; *n < SAC_MELTPOOL_ANSWER_WORDS; ++*n) {
        const uint64_t word = atomic_load_explicit(from + *n, memory_order_acquire);
        if ((uint32_t)(word >> 32) != tag)
            return false;
        words[*n] = (uint32_t)word;
    }
    return true;
}

static const char *why_none(const sac_meltpool_worker *w, uint32_t beat)
{
    const uint32_t now = atomic_load_explicit(word32(w->cuda.beat), memory_order_relaxed);
    return now == 0
               ? "the GPU gave no answer in time: its kernel did not start, perhaps since other "
                 "work fills the GPU"
           : now == beat
               ? "the GPU gave no answer in time: its kernel does not respond"
               : "the GPU gave no answer in time: its kernel waits, but not for these frames";
}

/* The answer of the k-th frame. SAC_E_DEVICE: none in time. */
static sac_status await(sac_meltpool_worker *w, sac_meltpool_answer *answer, int32_t k)
{
    const uint32_t tag = w->tags[k % w->cuda.n_blocks];
    const uint64_t *from = answer_at(w, k);
    uint32_t words[SAC_MELTPOOL_ANSWER_WORDS];
    int64_t start_ns = 0;
    int32_t n = 0;
    for (uint32_t look = 0; !read_words(words, &n, from, tag); look++) {
        sac_relax();
        if (look % LOOKS)
            continue;
        const int64_t now_ns = sac_clock_ns();
        start_ns = start_ns ? start_ns : now_ns;
        if (now_ns - start_ns > w->timeout_ns ||
            atomic_load_explicit(&w->failed, memory_order_relaxed) ||
            see_that_it_is_there(w) != SAC_OK)
            return SAC_E_DEVICE;
    }
    memcpy(answer, words, sizeof *answer);
    return SAC_OK;
}

/* The record of the block's i-th frame. */
static sac_status collect(sac_meltpool *plan, int32_t i)
{
    sac_meltpool_worker *w = plan->gpu->worker;
    const sac_meltpool_planned *frame = &w->planned[i];
    sac_meltpool_record *record = &plan->block.records[i];
    sac_meltpool_answer answer;
    if (!sac_meltpool_begin_record(record, frame))
        return SAC_OK;
    if (await(w, &answer, frame->at) != SAC_OK)
        return SAC_E_DEVICE;
    record->flags |= answer.flags;
    memcpy(record->features, answer.features, sizeof record->features);
    memcpy(record->prediction, answer.prediction, sizeof record->prediction);
    if (plan->desc.locate == SAC_MELTPOOL_PREVIOUS) {
        const sac_meltpool_integers in = {
            .area = answer.area, .sum_x = answer.sum_x, .sum_y = answer.sum_y};
        sac_meltpool_follow(&plan->stream, &plan->steps[i].job, &in);
    }
    return SAC_OK;
}

/* The records of a part of the block. */
static bool collect_part(sac_meltpool *plan, int32_t part)
{
    sac_meltpool_worker *w = plan->gpu->worker;
    const int32_t n = plan->block.n, begin = part * SAC_MELTPOOL_PART;
    const int32_t end = begin + SAC_MELTPOOL_PART < n ? begin + SAC_MELTPOOL_PART : n;
    for (int32_t i = begin; i < end; i++) {
        if (i + AHEAD < end && w->planned[i + AHEAD].at >= 0)
            expect(w, w->planned[i + AHEAD].at);
        if (collect(plan, i) != SAC_OK)
            return false;
    }
    const int64_t now_ns = sac_clock_ns();
    for (int32_t i = begin; i < end; i++)
        plan->block.records[i].done_ns = now_ns;
    return true;
}

/* Parts of the block, the next one each time. */
static void collect_parts(void *arg, int32_t task)
{
    sac_meltpool *plan = arg;
    sac_meltpool_worker *w = plan->gpu->worker;
    const int32_t n_parts = (plan->block.n + SAC_MELTPOOL_PART - 1) / SAC_MELTPOOL_PART;
    int32_t part;
    (void)task;
    while ((part = atomic_fetch_add_explicit(&w->next_part, 1, memory_order_relaxed)) < n_parts)
        if (!collect_part(plan, part))
            atomic_store_explicit(&w->failed, true, memory_order_relaxed);
}

/* Answers of many frames are read by several threads, since reading them takes the host longer than
 * making them takes the GPU; but not before all frames are submitted, which that would slow down.
 */
sac_status sac_meltpool_worker_run(sac_meltpool *plan, bool on_device)
{
    sac_meltpool_worker *w = plan->gpu->worker;
    const uint32_t beat = atomic_load_explicit(word32(w->cuda.beat), memory_order_relaxed);
    w->on_device = on_device;
    atomic_store_explicit(&w->next_part, 0, memory_order_relaxed);
    atomic_store_explicit(&w->failed, false, memory_order_relaxed);
    if (submit_all(plan) < MANY)
        collect_parts(plan, 0);
    else
        sac_pool_run(plan->pool, READERS, collect_parts, plan);
    if (!atomic_load_explicit(&w->failed, memory_order_relaxed))
        return SAC_OK;
    w->fault = why_none(w, beat);
    return SAC_E_DEVICE;
}

const char *sac_meltpool_worker_fault(const sac_meltpool_worker *w)
{
    return w->fault;
}

bool sac_meltpool_worker_leave(sac_meltpool_worker *w)
{
    const sac_meltpool_task leave = {0};
    const int64_t start_ns = sac_clock_ns();
    bool gone = w->cuda.launch == 0;
    if (gone || sac_gpu_enter(w->gpu) != SAC_OK)
        return gone;
    if (!has_left(w)) {
        w->tags[0] = sac_meltpool_next_tag(w->tags[0]);
        write_line(w, 0, 0, &leave);
    }
    while (!gone && sac_clock_ns() - start_ns <= w->timeout_ns) {
        gone = sac_gpu_is_idle(sac_gpu_main_stream(w->gpu));
        sac_relax();
    }
    sac_gpu_leave(w->gpu);
    return gone;
}
