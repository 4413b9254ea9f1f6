/*
 * The worker's host side: lines of words to a kernel that stays on the GPU, and its answers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/relax.h"
#include "kernels/meltpool_worker_cuda.h"
#include "meltpool/gpu_plan.h"

enum {
    LOOKS = 256,        /* at an answer, between two at the clock */
    AHEAD = 4,          /* answers that are on their way while one is read */
    MANY = 256,         /* answers that are worth waking threads for */
    IDLE_NS = 100000000 /* without frames for so long, the kernel leaves the GPU */
};

struct sac_meltpool_worker {
    sac_gpu *gpu; /* its own streams: the kernel's is never waited for by others */
    sac_meltpool_worker_cuda cuda;
    void *lines;           /* page-locked: everything that both sides see */
    uint32_t *tags;        /* (n_blocks): of the blocks' last submissions */
    uint32_t launched_tag; /* that the first block waited for when it was last launched */
    uint8_t *crops;        /* page-locked: ROIs of frames that the GPU cannot read in place */
    int32_t crop_row;
    size_t crop_bytes;
    int32_t *work;   /* (resident): the block's frames that are submitted, */
    int32_t n_work;  /* so many of them */
    uint32_t number; /* of the last one */
    int64_t timeout_ns;
    atomic_bool failed; /* an answer did not come */
    const char *fault;  /* why */
    int32_t index;      /* cuda:N */
};

static const _Atomic uint32_t *word32(const uint32_t *word)
{
    return (const _Atomic uint32_t *)word;
}

/* Blocks, teams of a block, and lines of a block. */
static void share_out(sac_meltpool_worker *w, const sac_meltpool *plan)
{
    const int32_t resident = plan->gpu->resident > 0 ? plan->gpu->resident : 1;
    const int32_t most = sac_gpu_multiprocessors(w->gpu);
    sac_meltpool_worker_cuda *c = &w->cuda;
    int32_t n_blocks = resident;
    c->n_teams = 1;
    if (plan->gpu->by_warps && sac_gpu_enter(w->gpu) == SAC_OK) {
        c->n_teams = sac_meltpool_worker_warps(plan->desc.roi);
        sac_gpu_leave(w->gpu);
        n_blocks = (resident + c->n_teams - 1) / c->n_teams;
    }
    c->n_blocks = n_blocks < most ? n_blocks : most;
    c->n_lines = (resident + c->n_blocks - 1) / c->n_blocks;
}

/* What both sides see: tasks, answers, and the two words of the first block. */
static sac_status allocate_lines(sac_meltpool_worker *w, sac_error *err)
{
    sac_meltpool_worker_cuda *c = &w->cuda;
    const size_t lines = (size_t)c->n_blocks * (size_t)c->n_lines;
    const size_t tasks = lines * SAC_MELTPOOL_TASK_WORDS, words = 2 * SAC_ALIGNMENT / 8;
    const size_t answers = lines * SAC_MELTPOOL_ANSWER_WORDS;
    const size_t bytes = (tasks + answers + words) * sizeof(uint64_t);
    const sac_status status = sac_gpu_alloc_pinned(w->gpu, &w->lines, bytes, err);
    if (status)
        return status;
    memset(w->lines, 0, bytes);
    c->tasks = w->lines;
    c->answers = c->tasks + tasks;
    c->left = (uint32_t *)(c->answers + answers);
    c->beat = c->left + SAC_ALIGNMENT / sizeof *c->left;
    return SAC_OK;
}

/* What the kernel keeps from launch to launch: tags begin with 1. */
static sac_status allocate_device(sac_meltpool_worker *w, const sac_meltpool *plan, sac_error *err)
{
    sac_meltpool_worker_cuda *c = &w->cuda;
    const sac_gpu_stream stream = sac_gpu_main_stream(w->gpu);
    void *next = NULL, *rows = NULL;
    sac_status status =
        sac_gpu_alloc(w->gpu, &next, ((size_t)c->n_blocks + 1) * sizeof *c->next, err);
    c->next = next;
    if (status == SAC_OK)
        status = sac_gpu_alloc(w->gpu, &rows, (size_t)plan->n_rows * sizeof *c->row_tag, err);
    c->row_tag = rows;
    w->tags = sac_alloc((size_t)c->n_blocks + 1, sizeof *w->tags);
    if (status == SAC_OK && !w->tags)
        status = sac_fail(err, SAC_E_NOMEM, "meltpool: no memory for %d blocks", c->n_blocks);
    if (status)
        return status;
    c->closing = c->next + c->n_blocks;
    for (int32_t b = 0; b < c->n_blocks; b++)
        w->tags[b] = 1;
    status = sac_gpu_enter(w->gpu);
    if (status == SAC_OK) {
        status = sac_gpu_copy(next, w->tags, (size_t)c->n_blocks * sizeof *w->tags, stream);
        const sac_status waited = sac_gpu_wait(stream);
        sac_gpu_leave(w->gpu);
        status = status ? status : waited;
    }
    memset(w->tags, 0, (size_t)c->n_blocks * sizeof *w->tags);
    return status ? sac_fail(err, status, "device: cuda:%d refused a copy", w->index) : SAC_OK;
}

static sac_status open_parts(sac_meltpool_worker *w, sac_meltpool *plan, sac_error *err)
{
    const sac_meltpool_desc *d = &plan->desc;
    const int32_t resident = plan->gpu->resident > 0 ? plan->gpu->resident : 1;
    void *crops = NULL;
    sac_meltpool_worker_cuda *c = &w->cuda;
    sac_status status = sac_gpu_open(&w->gpu, d->device.index, err);
    if (status)
        return status;
    share_out(w, plan);
    c->ring = plan->gpu->ring;
    c->net = plan->gpu->net;
    c->n_rows = plan->n_rows;
    c->window = d->window;
    c->roi = d->roi;
    c->threshold = d->threshold;
    c->spatter_min = d->spatter_min;
    c->scan = d->scan_frame;
    c->idle_ns = IDLE_NS;
    w->timeout_ns = (int64_t)(d->timeout_s * 1e9);
    c->limit_ns = 2 * (uint64_t)w->timeout_ns; /* the host gives up first */
    w->crop_row = (d->roi + 15) / 16 * 16;
    w->crop_bytes = (size_t)w->crop_row * (size_t)d->roi;
    status = allocate_lines(w, err);
    if (status == SAC_OK)
        status = allocate_device(w, plan, err);
    if (status == SAC_OK)
        status = sac_gpu_alloc_pinned(w->gpu, &crops, (size_t)resident * w->crop_bytes, err);
    w->crops = crops;
    w->work = sac_alloc((size_t)resident, sizeof *w->work);
    if (status == SAC_OK && !w->work)
        status = sac_fail(err, SAC_E_NOMEM, "meltpool: no memory for %d frames", resident);
    if (status)
        return status;
    status = sac_gpu_enter(w->gpu);
    if (status)
        return sac_fail(err, status, "device: cuda:%d is lost", w->index);
    status = sac_meltpool_worker_prepare(c);
    sac_gpu_leave(w->gpu);
    return status ? sac_fail(err, status,
                             "roi: %d pixels, or the model's hidden units, are too many for "
                             "shared memory of cuda:%d",
                             d->roi, w->index)
                  : SAC_OK;
}

sac_status sac_meltpool_worker_open(sac_meltpool_worker **out, sac_meltpool *plan, sac_error *err)
{
    sac_meltpool_worker *w = sac_alloc(1, sizeof *w);
    *out = w;
    if (!w)
        return sac_fail(err, SAC_E_NOMEM, "meltpool: no memory for a worker");
    w->index = plan->desc.device.index;
    return open_parts(w, plan, err);
}

static sac_status launch(sac_meltpool_worker *w)
{
    sac_status status = sac_gpu_enter(w->gpu);
    if (status)
        return status;
    w->cuda.launch++;
    w->launched_tag = w->tags[0];
    status = sac_meltpool_worker_launch(sac_gpu_main_stream(w->gpu), &w->cuda);
    sac_gpu_leave(w->gpu);
    return status;
}

/* Whether the first block does not wait for this tag any more, or never has; and was not launched
 * again for it. */
static bool has_left(const sac_meltpool_worker *w, uint32_t tag)
{
    return w->cuda.launch == 0 ||
           (w->launched_tag != tag &&
            atomic_load_explicit(word32(w->cuda.left), memory_order_acquire) == tag);
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

/* The k-th frame of a submission. */
static void submit(sac_meltpool_worker *w, const sac_meltpool_step *step, int32_t k, bool on_device)
{
    const int32_t m = w->n_work;
    const sac_meltpool_frame_job *job = &step->job;
    const int32_t block = k % w->cuda.n_blocks, line = k / w->cuda.n_blocks;
    const bool in_place = on_device || is_in_place(job);
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
               ? "the GPU gave no answer in time: its kernel did not begin, as where other work "
                 "fills the GPU"
           : now == beat
               ? "the GPU gave no answer in time: its kernel shows no sign of life"
               : "the GPU gave no answer in time: its kernel waits, but not for these frames";
}

/* The answer of the k-th frame. SAC_E_DEVICE: none in time. The first one's launches the kernel
 * where it has left; then it is there for the others. */
static sac_status await(sac_meltpool_worker *w, sac_meltpool_answer *answer, int32_t k)
{
    const sac_meltpool_worker_cuda *c = &w->cuda;
    const uint32_t tag = w->tags[k % c->n_blocks];
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
            (k == 0 && has_left(w, tag) && launch(w) != SAC_OK))
            return SAC_E_DEVICE;
    }
    memcpy(answer, words, sizeof *answer);
    return SAC_OK;
}

static void note(sac_meltpool *plan, int32_t i, const sac_meltpool_answer *answer)
{
    sac_meltpool_record *record = &plan->block.records[i];
    record->flags |= answer->flags;
    memcpy(record->features, answer->features, sizeof record->features);
    memcpy(record->prediction, answer->prediction, sizeof record->prediction);
    if (plan->desc.locate == SAC_MELTPOOL_PREVIOUS) {
        const sac_meltpool_integers in = {
            .area = answer->area, .sum_x = answer->sum_x, .sum_y = answer->sum_y};
        sac_meltpool_follow(&plan->stream, &plan->steps[i].job, &in);
    }
}

/* Answers of frames begin .. end - 1 of a submission. */
static void collect(sac_meltpool *plan, int32_t begin, int32_t end)
{
    sac_meltpool_worker *w = plan->gpu->worker;
    for (int32_t k = begin; k < end; k++) {
        sac_meltpool_answer answer;
        if (k + AHEAD < end)
            expect(w, k + AHEAD);
        if (await(w, &answer, k) != SAC_OK) {
            atomic_store_explicit(&w->failed, true, memory_order_relaxed);
            return;
        }
        note(plan, w->work[k], &answer);
    }
}

static void collect_part(void *arg, int32_t part)
{
    sac_meltpool *plan = arg;
    const int32_t begin = 1 + part * SAC_MELTPOOL_PART, end = begin + SAC_MELTPOOL_PART;
    const int32_t n = plan->gpu->worker->n_work;
    collect(plan, begin, end < n ? end : n);
}

/* All answers; of many by all of the plan's threads, since reading them takes the host longer than
 * making them takes the GPU. */
static sac_status collect_all(sac_meltpool *plan)
{
    sac_meltpool_worker *w = plan->gpu->worker;
    const int32_t n = w->n_work, n_parts = (n + SAC_MELTPOOL_PART - 2) / SAC_MELTPOOL_PART;
    const uint32_t beat = atomic_load_explicit(word32(w->cuda.beat), memory_order_relaxed);
    atomic_store_explicit(&w->failed, false, memory_order_relaxed);
    if (n > 0)
        collect(plan, 0, 1);
    if (n < MANY) /* nothing is waited for where the first did not come */
        collect(plan, 1, n);
    else
        sac_pool_run(plan->pool, n_parts, collect_part, plan);
    if (!atomic_load_explicit(&w->failed, memory_order_relaxed))
        return SAC_OK;
    w->fault = why_none(w, beat);
    return SAC_E_DEVICE;
}

sac_status sac_meltpool_worker_run(sac_meltpool *plan, bool on_device)
{
    sac_meltpool_worker *w = plan->gpu->worker;
    const sac_meltpool_block *b = &plan->block;
    int32_t m = 0;
    for (int32_t i = 0; i < b->n; i++) {
        sac_meltpool_plan_step(plan, i);
        if (!sac_meltpool_is_left_out(b->records[i].flags))
            w->work[m++] = i;
    }
    w->n_work = m;
    for (int32_t block = 0; block < m && block < w->cuda.n_blocks; block++)
        w->tags[block] = sac_meltpool_next_tag(w->tags[block]);
    for (int32_t k = 0; k < m; k++)
        submit(w, &plan->steps[w->work[k]], k, on_device);
    const sac_status status = collect_all(plan);
    const int64_t now_ns = sac_clock_ns();
    for (int32_t i = 0; i < b->n; i++)
        b->records[i].done_ns = now_ns;
    return status;
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
    if (!has_left(w, sac_meltpool_next_tag(w->tags[0]))) {
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

void sac_meltpool_worker_close(sac_meltpool_worker **worker)
{
    sac_meltpool_worker *w = *worker;
    if (!w)
        return;
    if (w->gpu) {
        sac_gpu_free(w->gpu, w->cuda.next);
        sac_gpu_free(w->gpu, w->cuda.row_tag);
        sac_gpu_free_pinned(w->gpu, w->crops);
        sac_gpu_free_pinned(w->gpu, w->lines);
    }
    sac_gpu_close(&w->gpu);
    sac_free(w->tags);
    sac_free(w->work);
    sac_free(w);
    *worker = NULL;
}
