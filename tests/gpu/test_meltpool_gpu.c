/*
 * meltpool on a GPU gives the CPU's records: of every scene, however the centre is located,
 * wherever frames lie and however they are handed over; and it shares its GPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>

#include <saccade/equalize.h>

#include "counts.h"
#include "busy.h"
#include "meltpool_scene.h"
#include "skip.h"

typedef struct test {
    sac_gpu *gpu;
    bool thin; /* few frames, for tools that slow all of it down */
    sac_meltpool_scene_plan of;
    scene build; /* simulated, with empty frames and gaps */
} test;

static sac_meltpool_desc desc_of(const test *t)
{
    sac_meltpool_desc desc = t->of.desc;
    desc.device = (sac_device){SAC_DEVICE_CUDA, 0};
    desc.timeout_s = t->thin ? 100 : 10; /* whatever slows the machine down */
    desc.n_threads = 1;
    return desc;
}

/* The whole scene by a new plan, in batches of n as run_frames has them; against s->want. */
static void try_runs(const char *name, const scene *s, const copy *c, const sac_meltpool_desc *desc,
                     int32_t n)
{
    char text[160];
    sac_meltpool_record *got = allocate((size_t)s->n, sizeof *got);
    sac_meltpool *plan = open_plan(desc);
    snprintf(text, sizeof text, "%s, %s, batches of %d", name, places[c->place], n);
    must(run_frames(plan, got, &c->frames, s->signals, n), text, NULL);
    compare(text, s, got, desc->model);
    compare_counts(text, &s->counts, plan);
    sac_meltpool_close(&plan);
    free(got);
}

static void meltpool_frames_of_every_scene_have_the_cpus_records(test *t)
{
    static const char *const locates[] = {"laser", "brightest", "previous", "fixed"};
    for (int32_t i = 0; sac_meltpool_scenes[i]; i++) {
        scene s = open_scene(t->thin ? 20 : i == 0 ? 600 : 120, i);
        for (int32_t where = t->thin ? i % N_PLACES : 0; where < N_PLACES;
             where += t->thin ? N_PLACES : 1) {
            copy c = open_copy(t->gpu, &s, (place)where, 0, SIDE);
            for (int32_t locate = 0; locate < 4; locate++) {
                char name[64];
                sac_meltpool_desc desc = desc_of(t);
                desc.locate = locate;
                run_on_cpu(&s, &desc);
                snprintf(name, sizeof name, "%s by %s", sac_meltpool_scenes[i], locates[locate]);
                try_runs(name, &s, &c, &desc, 0);
                try_runs(name, &s, &c, &desc, 100);
                try_runs(name, &s, &c, &desc, -50);
            }
            close_copy(t->gpu, &c);
        }
        close_scene(&s);
    }
}

static void meltpool_in_batches_of_any_size_gives_the_same_records(test *t)
{
    const sac_meltpool_desc desc = desc_of(t);
    const scene *s = &t->build;
    run_on_cpu(&t->build, &desc);
    for (int32_t where = 0; where < N_PLACES; where++) {
        copy c = open_copy(t->gpu, s, (place)where, 0, SIDE);
        for (int32_t n = 1; n <= (t->thin ? 3 : 70); n++)
            try_runs("sizes", s, &c, &desc, n);
        try_runs("sizes", s, &c, &desc, 1000);
        try_runs("sizes", s, &c, &desc, s->n);
        try_runs("sizes", s, &c, &desc, -200);
        close_copy(t->gpu, &c);
    }
}

/* What is resident, how frames are shared out, and the host's threads change no record. */
static void meltpool_of_every_mapping_gives_the_same_records(test *t)
{
    static const char *const variants[] = {NULL, "frame_u8:blocks", "frame_u8:warps"};
    static const int32_t residents[] = {0, 1, 7, 33, 256, 4096};
    copy c = open_copy(t->gpu, &t->build, PINNED, 0, SIDE);
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
        for (size_t r = t->thin ? v % 2 : 0; r < sizeof residents / sizeof *residents;
             r += t->thin ? 2 : 1) {
            char name[96];
            sac_meltpool_desc desc = desc_of(t);
            desc.variant = variants[v];
            desc.resident = residents[r];
            desc.n_threads = 1 + (int32_t)(r + v) % 3;
            run_on_cpu(&t->build, &desc);
            snprintf(name, sizeof name, "%s, resident %d", variants[v] ? variants[v] : "default",
                     residents[r]);
            try_runs(name, &t->build, &c, &desc, 0);
            try_runs(name, &t->build, &c, &desc, 40);
            try_runs(name, &t->build, &c, &desc, -300);
            try_runs(name, &t->build, &c, &desc, t->build.n);
        }
    close_copy(t->gpu, &c);
}

/* What a case of the next test changes. */
static void change(sac_meltpool_desc *d, int32_t k)
{
    d->roi = k == 0 ? 8 : k == 1 ? 128 : k == 2 ? 33 : k == 3 ? 65 : 40;
    d->roi_align = k % 3 == 0 ? 1 : k % 3 == 1 ? 64 : 8;
    d->scan_frame = k == 4 || k == 5;
    d->static_roi = k == 5 || k == 6;
    d->fixed[0] = k == 6 ? 20.25 : -1;
    d->window = k == 7 ? 1 : k == 8 ? 4096 : k == 9 ? 3 : 64;
    d->threshold = k == 10 ? 0 : k == 11 ? 256 : 60;
    d->spatter_min = k == 12 ? 5 : 1;
    d->gap_reset_s = k == 13 ? 1e-9 : 1e-3;
    d->model = k == 14 ? NULL : d->model;
    d->locate = k == 15 ? SAC_MELTPOOL_BRIGHTEST : SAC_MELTPOOL_LASER;
}

/* Frames of 141 x 131 with discs that go beyond every border, some empty, some out of reach. */
static scene draw_discs(int32_t n)
{
    scene s = new_scene(n, 131, 141);
    uint64_t random = 99;
    for (int32_t i = 0; i < n; i++) {
        const int32_t cx = i * 37 % 181 - 20, cy = i * 53 % 171 - 20;
        uint8_t *frame = s.pixels + (ptrdiff_t)i * s.h * s.w;
        for (int32_t k = 0; k < s.h * s.w; k++) {
            const int32_t x = k % s.w - cx, y = k / s.w - cy,
                          noise = (int32_t)(next_random(&random) >> 58);
            const int32_t light = x * x + y * y < 60 ? 120 + x * y : 0;
            frame[k] = (uint8_t)(light + noise < 255 ? light + noise : 255);
        }
        s.signals[i] = (sac_meltpool_signals){i % 7 != 3, i + (i > n / 2 ? 40 : 0), cx, cy};
        if (i % 19 == 5)
            s.signals[i].x = INT32_MAX;
    }
    return s;
}

static void meltpool_with_any_options_and_strides_gives_the_cpus_records(test *t)
{
    static const int32_t rows[] = {141, 160, -141, 203};
    scene s = draw_discs(t->thin ? 24 : 200);
    for (int32_t k = 0; k < (t->thin ? 4 : 16); k++) {
        char name[64];
        sac_meltpool_desc desc = desc_of(t);
        desc.h = s.h;
        desc.w = s.w;
        memcpy(desc.calibration, (double[2][3]){{1, 0, 0.25}, {0, 1, -0.125}},
               sizeof desc.calibration);
        change(&desc, k);
        run_on_cpu(&s, &desc);
        want(s.counts.refused_place > 0 || desc.locate != SAC_MELTPOOL_LASER, "discs",
             "frames that are refused");
        snprintf(name, sizeof name, "case %d, rows of %d bytes", k, rows[k % 4]);
        for (int32_t where = t->thin ? k % N_PLACES : 0; where < N_PLACES;
             where += t->thin ? N_PLACES : 1) {
            copy c = open_copy(t->gpu, &s, (place)where, k % 5, rows[k % 4]);
            try_runs(name, &s, &c, &desc, 0);
            try_runs(name, &s, &c, &desc, 64);
            try_runs(name, &s, &c, &desc, -90);
            close_copy(t->gpu, &c);
        }
    }
    close_scene(&s);
}

static void meltpool_of_wrong_frames_refuses_them_as_the_cpu_does(test *t)
{
    sac_meltpool_desc desc = desc_of(t), of_cpu = desc;
    of_cpu.device = (sac_device){SAC_DEVICE_CPU, 0};
    sac_meltpool *plans[] = {open_plan(&of_cpu), open_plan(&desc)};
    copy c = open_copy(t->gpu, &t->build, ORDINARY, 0, SIDE);
    sac_meltpool_record records[4];
    for (int k = 0; k < 2; k++) {
        sac_array wrong = part_of(&c.frames, 0, 3), frame = part_of(&c.frames, 0, 0);
        const sac_status without = sac_meltpool_run(plans[k], records, &frame, NULL, NULL);
        wrong.shape[2]--;
        const sac_status narrow =
            sac_meltpool_run_batch(plans[k], records, &wrong, t->build.signals, NULL);
        wrong = part_of(&c.frames, 0, 3);
        wrong.dtype = SAC_I8;
        const sac_status typed =
            sac_meltpool_run_batch(plans[k], records, &wrong, t->build.signals, NULL);
        wrong.dtype = SAC_U8;
        wrong.shape[0] = 0;
        const sac_status none =
            sac_meltpool_run_batch(plans[k], records, &wrong, t->build.signals, NULL);
        want(without == SAC_E_SHAPE && narrow == SAC_E_SHAPE && typed == SAC_E_SHAPE, "wrong",
             "SAC_E_SHAPE");
        want(none == SAC_OK, "wrong", "SAC_OK for no frames");
    }
    const sac_meltpool_counts wanted = counts_of_meltpool(plans[0]);
    want(wanted.frames == 7 && wanted.refused_shape == 7, "wrong", "seven refused frames");
    compare_counts("wrong", &wanted, plans[1]);
    sac_array elsewhere = part_of(&c.frames, 0, 0);
    elsewhere.device = (sac_device){SAC_DEVICE_CUDA, 1};
    want(sac_meltpool_run(plans[1], records, &elsewhere, t->build.signals, NULL) == SAC_E_SHAPE,
         "wrong", "SAC_E_SHAPE for another device's memory");
    close_copy(t->gpu, &c);
    sac_meltpool_close(&plans[0]);
    sac_meltpool_close(&plans[1]);
}

static void meltpool_after_a_reset_begins_anew(test *t)
{
    const sac_meltpool_desc desc = desc_of(t);
    const scene *s = &t->build;
    copy c = open_copy(t->gpu, s, PINNED, 0, SIDE);
    sac_meltpool *plan = open_plan(&desc);
    sac_meltpool_record *got = allocate((size_t)s->n, sizeof *got);
    run_on_cpu(&t->build, &desc);
    for (int32_t i = 0; i < 4; i++) {
        sac_array some = c.frames;
        some.shape[0] = 1 + (s->n < 91 ? s->n - 1 : 90) / 3 * i;
        must(run_frames(plan, got, &some, s->signals, i % 2 ? 7 : 0), "before a reset", NULL);
        sac_meltpool_reset(plan);
        must(run_frames(plan, got, &c.frames, s->signals, i % 2 ? 0 : 90), "reset", NULL);
        compare("reset", s, got, desc.model);
        compare_counts("reset", &s->counts, plan);
        sac_meltpool_reset(plan);
    }
    free(got);
    sac_meltpool_close(&plan);
    close_copy(t->gpu, &c);
}

typedef struct job {
    const test *t;
    const scene *s;
    const copy *c;
    int32_t n;
    sac_meltpool_record *got;
    sac_status status;
} job;

static void *run_job(void *arg)
{
    job *j = arg;
    const sac_meltpool_desc desc = desc_of(j->t);
    sac_meltpool *plan = open_plan(&desc);
    for (int i = 0; i < 3 && j->status == SAC_OK; i++) {
        sac_meltpool_reset(plan);
        j->status = run_frames(plan, j->got, &j->c->frames, j->s->signals, j->n);
    }
    sac_meltpool_close(&plan);
    return NULL;
}

/* In turn in one thread, and side by side in two. */
static void meltpool_plans_on_one_gpu_do_not_disturb_each_other(test *t)
{
    const sac_meltpool_desc desc = desc_of(t);
    const scene *s = &t->build;
    copy c = open_copy(t->gpu, s, PINNED, 0, SIDE);
    job jobs[3] = {{.n = 0}, {.n = 5}, {.n = 300}};
    pthread_t threads[3];
    sac_meltpool *plans[] = {open_plan(&desc), open_plan(&desc)};
    run_on_cpu(&t->build, &desc);
    for (int i = 0; i < 3; i++)
        jobs[i] =
            (job){t, s, &c, jobs[i].n, allocate((size_t)s->n, sizeof(sac_meltpool_record)), SAC_OK};
    for (int32_t i = 0; i < s->n; i++)
        for (int k = 0; k < 2; k++) {
            const sac_array frame = part_of(&c.frames, i, 0);
            must(sac_meltpool_run(plans[k], &jobs[k].got[i], &frame, &s->signals[i], NULL),
                 "in turn", NULL);
        }
    for (int k = 0; k < 2; k++)
        compare("two plans in turn", s, jobs[k].got, desc.model);
    for (int i = 0; i < 3; i++)
        must(pthread_create(&threads[i], NULL, run_job, &jobs[i]) ? SAC_E_NOMEM : SAC_OK, "thread",
             NULL);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        must(jobs[i].status, "side by side", NULL);
        compare("plans side by side", s, jobs[i].got, desc.model);
        free(jobs[i].got);
    }
    sac_meltpool_close(&plans[0]);
    sac_meltpool_close(&plans[1]);
    close_copy(t->gpu, &c);
}

/* Allocates, copies, launches, waits and frees, all with a worker there. */
static void use_equalize(void)
{
    static uint8_t pixels[48 * 64 * 3];
    sac_equalize *plan = NULL;
    sac_equalize_desc desc;
    sac_error err = {0};
    sac_array picture;
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8;
    desc.w = 64;
    desc.h = 48;
    desc.device = (sac_device){SAC_DEVICE_CUDA, 0};
    must(sac_array_view(&picture, pixels, SAC_U8, 3, (const int64_t[]){48, 64, 3}, &err), "view",
         &err);
    must(sac_equalize_open(&plan, &desc, &err), "equalize beside a worker", &err);
    must(sac_equalize_run(plan, &picture, &picture, NULL), "equalize beside a worker", NULL);
    sac_equalize_close(&plan);
}

static void meltpool_beside_other_work_gives_the_same_records(test *t)
{
    const sac_meltpool_desc desc = desc_of(t);
    const scene *s = &t->build;
    const sac_gpu_stream beside = sac_gpu_copy_stream(t->gpu);
    const int32_t n_blocks = 2 * sac_gpu_multiprocessors(t->gpu);
    copy c = open_copy(t->gpu, s, PINNED, 0, SIDE);
    sac_meltpool *plan = open_plan(&desc);
    sac_meltpool_record *got = allocate((size_t)s->n, sizeof *got);
    run_on_cpu(&t->build, &desc);
    for (int32_t i = 0; i < s->n; i++) {
        const sac_array frame = part_of(&c.frames, i, 0);
        must(sac_meltpool_run(plan, &got[i], &frame, &s->signals[i], NULL), "beside other work",
             NULL);
        if (i % 100 == 50)
            use_equalize();
        if (i % 100 == 75) { /* kernels that fill the GPU, for 10 ms */
            must(sac_gpu_enter(t->gpu), "enter", NULL);
            for (int k = 0; k < 5; k++)
                must(busy_launch(beside, n_blocks, 2000000), "busy", NULL);
            sac_gpu_leave(t->gpu);
        }
    }
    compare("beside other work", s, got, desc.model);
    compare_counts("beside other work", &s->counts, plan);
    sac_meltpool_close(&plan);
    free(got);
    close_copy(t->gpu, &c);
}

/* The GPU is full before the worker is there. Whether it finds room is the GPU's to say. */
static void meltpool_without_an_answer_fails_for_good_and_alone(test *t)
{
    sac_meltpool_desc desc = desc_of(t);
    const scene *s = &t->build;
    const sac_gpu_stream beside = sac_gpu_copy_stream(t->gpu);
    sac_meltpool_record record;
    copy c = open_copy(t->gpu, s, PINNED, 0, SIDE);
    const sac_array frame = part_of(&c.frames, 1, 0), some = part_of(&c.frames, 0, 5);
    sac_meltpool_record *got = allocate((size_t)s->n, sizeof *got);
    const sac_meltpool_signals on = {1, 0, s->signals[1].x, s->signals[1].y};
    desc.timeout_s = 0.01;
    sac_meltpool *plan = open_plan(&desc);
    must(sac_gpu_enter(t->gpu), "enter", NULL);
    must(busy_launch(beside, 4 * sac_gpu_multiprocessors(t->gpu), 300000000), "busy", NULL);
    sac_gpu_leave(t->gpu);
    const sac_status status = sac_meltpool_run(plan, &record, &frame, &on, NULL);
    printf("a GPU that is full: %s\n", sac_status_name(status));
    want(status == SAC_OK || status == SAC_E_DEVICE, "full", "SAC_OK or SAC_E_DEVICE");
    if (status == SAC_E_DEVICE) {
        want(sac_meltpool_run(plan, &record, &frame, &on, NULL) == SAC_E_DEVICE &&
                 sac_meltpool_run_batch(plan, got, &some, s->signals, NULL) == SAC_E_DEVICE,
             "full", "SAC_E_DEVICE from then on");
        const sac_meltpool_counts k = counts_of_meltpool(plan);
        want(k.frames == 7 && k.failed == 7 && k.processed == 0, "full", "seven failed frames");
    }
    sac_meltpool_close(&plan);
    must(sac_gpu_enter(t->gpu), "enter", NULL);
    must(sac_gpu_wait(beside), "other work", NULL);
    sac_gpu_leave(t->gpu);
    desc = desc_of(t);
    plan = open_plan(&desc);
    run_on_cpu(&t->build, &desc);
    must(run_frames(plan, got, &c.frames, s->signals, 0), "another plan", NULL);
    compare("behind a failure", s, got, desc.model);
    sac_meltpool_close(&plan);
    free(got);
    close_copy(t->gpu, &c);
}

static void meltpool_opened_a_hundred_times_works_each_time(test *t)
{
    sac_meltpool_desc desc = desc_of(t);
    scene s = open_scene(8, 1);
    copy c = open_copy(t->gpu, &s, PINNED, 0, SIDE);
    run_on_cpu(&s, &desc);
    for (int i = 0; i < (t->thin ? 4 : 100); i++) {
        desc.resident = i % 4 ? 32 : 0;
        sac_meltpool_record got[8];
        sac_meltpool *plan = open_plan(&desc);
        if (i % 3) {
            must(run_frames(plan, got, &c.frames, s.signals, i % 5), "opened again", NULL);
            compare("opened again", &s, got, desc.model);
        }
        sac_meltpool_close(&plan);
    }
    close_copy(t->gpu, &c);
    close_scene(&s);
}

int main(int argc, char **argv)
{
    static void (*const tests[])(test *) = {
        meltpool_frames_of_every_scene_have_the_cpus_records,
        meltpool_in_batches_of_any_size_gives_the_same_records,
        meltpool_of_every_mapping_gives_the_same_records,
        meltpool_with_any_options_and_strides_gives_the_cpus_records,
        meltpool_of_wrong_frames_refuses_them_as_the_cpu_does,
        meltpool_after_a_reset_begins_anew,
        meltpool_plans_on_one_gpu_do_not_disturb_each_other,
        meltpool_beside_other_work_gives_the_same_records,
        meltpool_without_an_answer_fails_for_good_and_alone,
        meltpool_opened_a_hundred_times_works_each_time,
    };
    static test t;
    sac_error err = {0};
    if (sac_gpu_count() == 0)
        return skip_all("no GPU, or a build without CUDA");
    t.thin = argc == 2 && !strcmp(argv[1], "--thin");
    limit_seconds(t.thin ? 1800 : 240);
    must(sac_gpu_open(&t.gpu, 0, &err), "open", &err);
    sac_meltpool_scene_plan_init(&t.of);
    t.build = open_scene(t.thin ? 40 : 1500, 0);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        tests[i](&t);
        printf("%zu of %zu: %lld faults\n", i + 1, sizeof tests / sizeof *tests,
               (long long)n_faults);
        fflush(stdout);
    }
    close_scene(&t.build);
    sac_gpu_close(&t.gpu);
    printf("%lld records compared with the CPU's, %lld faults\n", (long long)n_compared,
           (long long)n_faults);
    return n_faults > 0;
}
