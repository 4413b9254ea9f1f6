/*
 * The meltpool worker, kernel and host, without a GPU: a kernel's threads are fibers that go on in
 * any order, under whatever sanitizer this is built with. Records are the CPU's.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <time.h>

#include "counts.h"
#include "emulated.h"
#include "meltpool/kernels/variance_f32/variance_f32.h"
#include "meltpool/kernels/worker_cuda.h"
#include "meltpool_scene.h"

enum { N_FRAMES = 6, RESIDENT = 5, AT_ONCE = 4, DEADLINE_S = 300 };

static const char *const mappings[] = {"frame_u8:blocks", "frame_u8:warps"};

static sac_meltpool_scene_plan of;
static uint64_t seeds = 1;

static sac_meltpool_desc desc_of(int32_t mapping)
{
    sac_meltpool_desc desc = of.desc;
    desc.device = (sac_device){SAC_DEVICE_CUDA, 0};
    desc.variant = mappings[mapping];
    desc.resident = RESIDENT;
    desc.timeout_s = DEADLINE_S;
    desc.n_threads = 1;
    return desc;
}

/* The scenes' model twice side by side: of more units than a block has threads. */
enum { HIDDEN = SAC_MELTPOOL_SCENE_HIDDEN, WIDE = 2 * HIDDEN };

static const sac_meltpool_model *wide_model(void)
{
    static float w1[WIDE * SAC_MELTPOOL_FEATURES], b1[WIDE];
    static float w2[SAC_MELTPOOL_PREDICTIONS * WIDE];
    static sac_meltpool_model wide;
    for (int32_t half = 0; half < 2; half++) {
        memcpy(w1 + half * HIDDEN * SAC_MELTPOOL_FEATURES, of.w1, sizeof of.w1);
        memcpy(b1 + half * HIDDEN, of.b1, sizeof of.b1);
        for (int32_t i = 0; i < SAC_MELTPOOL_PREDICTIONS; i++)
            memcpy(w2 + i * WIDE + half * HIDDEN, of.w2 + i * HIDDEN, HIDDEN * sizeof *w2);
    }
    wide = of.model;
    wide.n_hidden = WIDE;
    wide.w1 = w1;
    wide.b1 = b1;
    wide.w2 = w2;
    return &wide;
}

/* What a case changes: the ways through the kernels. */
enum { CASES = 9 };

static void change(sac_meltpool_desc *d, int32_t k)
{
    d->locate = k == 1   ? SAC_MELTPOOL_PREVIOUS
                : k == 2 ? SAC_MELTPOOL_BRIGHTEST
                         : SAC_MELTPOOL_LASER;
    d->roi_align = k == 3 ? 1 : 8;
    d->scan_frame = k == 4;
    d->window = k == 4 ? 3 : k == 6 ? 1 : 64;
    d->roi = k == 5 ? 64 : k == 6 ? 33 : 40;
    d->model = k == 7 ? NULL : k == 8 ? wide_model() : d->model;
}

static void run_case(const scene *s, const copy *c, const sac_meltpool_desc *desc, const char *name)
{
    sac_meltpool_record got[N_FRAMES];
    sac_meltpool *plan = open_plan(desc);
    const int32_t at_once = seeds++ % 3 == 0 ? 0 : AT_ONCE;
    must(run_frames(plan, got, &c->frames, s->signals, at_once), name, NULL);
    compare(name, s, got, desc->model);
    compare_counts(name, &s->counts, plan);
    sac_meltpool_close(&plan);
}

static void worker_of_every_scene_has_the_cpus_records(void)
{
    for (int32_t i = 0; sac_meltpool_scenes[i]; i++) {
        scene s = open_scene(N_FRAMES, i);
        copy copies[] = {open_copy(NULL, &s, PINNED, 0, SIDE),
                         open_copy(NULL, &s, ORDINARY, 3, 99)};
        for (int32_t k = 0; k < CASES * 2; k++) {
            char name[96];
            sac_meltpool_desc desc = desc_of(k % 2);
            change(&desc, k / 2);
            run_on_cpu(&s, &desc);
            snprintf(name, sizeof name, "%s, case %d, %s", sac_meltpool_scenes[i], k / 2,
                     mappings[k % 2]);
            run_case(&s, &copies[k / 2 % 2], &desc, name);
        }
        for (int k = 0; k < 2; k++)
            close_copy(NULL, &copies[k]);
        close_scene(&s);
    }
}

/* Tasks in turn, the last one first. */
static void backwards(void *ctx, int32_t n_tasks, void (*task)(void *arg, int32_t i), void *arg)
{
    (void)ctx;
    for (int32_t i = n_tasks; i-- > 0;)
        task(arg, i);
}

/* Submissions of one plan in which some frames, the first ones or all are empty: blocks that had no
 * frame are there for the next one. */
static void run_between_empty_ones(int32_t mapping, int32_t resident, int32_t n,
                                   const sac_executor *executor)
{
    static const uint32_t patterns[] = {0x3ff, 0x001, 0x3ff, 0x2ec, 0x200, 0x000, 0x010};
    scene s = open_scene(n, 1);
    copy c = open_copy(NULL, &s, PINNED, 0, SIDE);
    sac_meltpool_record *got = allocate((size_t)n, sizeof *got);
    sac_meltpool_desc desc = desc_of(mapping);
    char name[64];
    for (int32_t i = 0; i < n; i++)
        s.signals[i].laser_on = patterns[i / resident % 7] >> i % resident % 10 & 1;
    desc.roi = 16;
    desc.resident = resident;
    desc.n_threads = 3;
    desc.executor = executor;
    run_on_cpu(&s, &desc);
    sac_meltpool *plan = open_plan(&desc);
    snprintf(name, sizeof name, "empty frames, %d at once, %s", resident, mappings[mapping]);
    must(run_frames(plan, got, &c.frames, s.signals, resident), name, NULL);
    compare(name, &s, got, desc.model);
    compare_counts(name, &s.counts, plan);
    sac_meltpool_close(&plan);
    free(got);
    close_copy(NULL, &c);
    close_scene(&s);
}

static void worker_of_frames_between_empty_ones_has_the_cpus_records(void)
{
    for (int32_t mapping = 0; mapping < 2; mapping++) {
        run_between_empty_ones(mapping, 3, 84, NULL);
        run_between_empty_ones(mapping, 10, 140, NULL);
    }
}

/* Answers are read by several threads, of the plan's or of its user's. */
static void worker_of_many_frames_has_the_cpus_records(void)
{
    enum { MANY = 520 };
    static const sac_executor executor = {.n_threads = 2, .parallel = backwards};
    run_between_empty_ones(1, MANY, MANY, NULL);
    run_between_empty_ones(1, MANY, MANY, &executor);
}

static bool ends_in_time(void)
{
    const struct timespec look = {0, 1000000};
    const time_t until = time(NULL) + DEADLINE_S;
    while (emulated_unfinished() > 0 && time(NULL) < until)
        nanosleep(&look, NULL);
    return emulated_unfinished() == 0;
}

/* Nobody tells it to leave: it has nothing to do. */
static void worker_without_frames_leaves_and_comes_back(void)
{
    scene s = open_scene(N_FRAMES, 0);
    copy c = open_copy(NULL, &s, PINNED, 0, SIDE);
    for (int32_t mapping = 0; mapping < 2; mapping++) {
        const sac_meltpool_desc desc = desc_of(mapping);
        sac_meltpool_record got[N_FRAMES];
        sac_meltpool *plan = open_plan(&desc);
        run_on_cpu(&s, &desc);
        for (int32_t at = 0; at < N_FRAMES; at += 3) {
            const int64_t before = emulated_launches();
            const sac_array part = part_of(&c.frames, at, 3);
            must(sac_meltpool_run_batch(plan, got + at, &part, s.signals + at, NULL), "back", NULL);
            want(emulated_launches() == before + 1, "back", "a launch");
            want(ends_in_time(), "back", "a worker that leaves");
        }
        compare("a worker that was away", &s, got, desc.model);
        sac_meltpool_close(&plan);
    }
    close_copy(NULL, &c);
    close_scene(&s);
}

static void worker_on_a_gpu_that_is_full_fails_in_time(void)
{
    sac_meltpool_desc desc = desc_of(0);
    scene s = open_scene(N_FRAMES, 1); /* the laser is on */
    copy c = open_copy(NULL, &s, ORDINARY, 0, SIDE);
    sac_meltpool_record got[N_FRAMES];
    desc.timeout_s = 0.05;
    sac_meltpool *plan = open_plan(&desc);
    emulated_fill(true);
    want(run_frames(plan, got, &c.frames, s.signals, 0) == SAC_E_DEVICE, "full", "SAC_E_DEVICE");
    want(strstr(sac_meltpool_get_fault(plan), "did not start") != NULL, "full", "why");
    emulated_fill(false);
    want(ends_in_time(), "full", "a worker that begins late, and leaves");
    want(run_frames(plan, got, &c.frames, s.signals, 0) == SAC_E_DEVICE, "full",
         "a plan that stays failed");
    const sac_meltpool_counts counts = counts_of_meltpool(plan);
    want(counts.failed == counts.frames && counts.frames > 0, "full", "failed frames");
    sac_meltpool_close(&plan);
    close_copy(NULL, &c);
    close_scene(&s);
}

/* What a launch before has left of a submission of two frames: the first one is answered. */
enum { ROI = 16, LINES = 2 };

typedef struct half_done {
    uint64_t tasks[LINES][SAC_MELTPOOL_TASK_WORDS], answers[LINES][SAC_MELTPOOL_ANSWER_WORDS];
    uint32_t left, beat, next, closing, row_tag[LINES];
    float ring[LINES * SAC_MELTPOOL_RING_ROW];
    uint8_t pixels[ROI * ROI];
} half_done;

static void write_task(half_done *h, uint32_t line)
{
    const uint64_t roi = line == 0 ? 0 : (uint64_t)(uintptr_t)h->pixels; /* 0: given away */
    const sac_meltpool_task task = {.frame_low = (uint32_t)roi,
                                    .frame_high = (uint32_t)(roi >> 32),
                                    .row_low = ROI,
                                    .ring_row = (int32_t)line,
                                    .n = 1,
                                    .number = line + 1,
                                    .n_before = line,
                                    .n_lines = LINES,
                                    .n_behind = LINES - 1 - line};
    uint32_t words[SAC_MELTPOOL_TASK_WORDS];
    memcpy(words, &task, sizeof words);
    for (int i = 0; i < SAC_MELTPOOL_TASK_WORDS; i++)
        h->tasks[line][i] = UINT64_C(1) << 32 | words[i];
}

static void worker_by_warps_does_not_look_at_a_frame_that_is_answered(void)
{
    sac_gpu *gpu = NULL;
    half_done *h = allocate(1, sizeof *h);
    const uint64_t answer = UINT64_C(1) << 32 | 4711;
    const sac_meltpool_worker_cuda worker = {
        .tasks = h->tasks[0],
        .answers = h->answers[0],
        .left = &h->left,
        .beat = &h->beat,
        .next = &h->next,
        .closing = &h->closing,
        .ring = h->ring,
        .row_tag = h->row_tag,
        .n_blocks = 1,
        .n_lines = LINES,
        .n_rows = LINES,
        .window = 1,
        .roi = ROI,
        .threshold = 60,
        .spatter_min = 1,
        .n_teams = LINES,
        .launch = 7,
        .idle_ns = 1000000,
        .limit_ns = UINT64_C(1000000000) * DEADLINE_S,
    };
    h->next = h->row_tag[0] = 1;
    for (uint32_t line = 0; line < LINES; line++)
        write_task(h, line);
    for (int i = 0; i < SAC_MELTPOOL_ANSWER_WORDS; i++)
        h->answers[0][i] = answer;
    must(sac_gpu_open(&gpu, 0, NULL), "open", NULL);
    must(sac_meltpool_worker_launch(sac_gpu_main_stream(gpu), &worker), "launch", NULL);
    want(ends_in_time(), "answered", "a worker that leaves");
    for (int i = 0; i < SAC_MELTPOOL_ANSWER_WORDS; i++) {
        want(h->answers[0][i] == answer, "answered", "the answer of the launch before");
        want(h->answers[1][i] >> 32 == 1, "answered", "an answer");
    }
    want(h->row_tag[1] == 2 && h->next == 2 && h->left == 7, "answered", "the next submission");
    sac_gpu_close(&gpu);
    free(h);
}

int main(void)
{
    static void (*const tests[])(void) = {
        worker_of_every_scene_has_the_cpus_records,
        worker_of_frames_between_empty_ones_has_the_cpus_records,
        worker_of_many_frames_has_the_cpus_records,
        worker_without_frames_leaves_and_comes_back,
        worker_on_a_gpu_that_is_full_fails_in_time,
        worker_by_warps_does_not_look_at_a_frame_that_is_answered,
    };
    limit_seconds(2 * DEADLINE_S);
    sac_meltpool_scene_plan_init(&of);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tests[i]();
    printf("%lld records compared with the CPU's, %lld faults\n", (long long)n_compared,
           (long long)n_faults);
    return n_faults > 0;
}
