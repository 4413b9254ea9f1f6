/*
 * beamform on a GPU gives the CPU's pictures within the error bounds of docs/numerics.md: every
 * array, transmit, option and way of handing over data; and the same bytes on every run.
 * Needs no library for tests, which a GPU machine seldom has.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/recording.h>

#include "beamform_buffers.h"
#include "beamform_scene.h"
#include "skip.h"

static int n_cases, n_faults;

static void fault(const test *t, const char *what, double wanted, double got)
{
    if (n_faults++ < 20)
        fprintf(stderr, "%s: %s: wanted %.9g, got %.9g\n", describe(t), what, wanted, got);
}

static void expect(const test *t, bool good, const char *what, double wanted, double got)
{
    n_cases++;
    if (!good)
        fault(t, what, wanted, got);
}

static sac_beamform *open_plan(const sac_beamform_desc *desc)
{
    sac_error err = {0};
    sac_beamform *plan = NULL;
    must(sac_beamform_open(&plan, desc, &err), "open", &err);
    return plan;
}

/* The plan's image of the test's data, packed. */
static char *run(const test *t, sac_beamform *plan, place in_place, lie in_lie, place out_place,
                 lie out_lie)
{
    const sac_array shape = sac_beamform_get_output_array(plan);
    buffer in = new_buffer(&t->shape, in_place, in_lie);
    buffer out = new_buffer(&shape, out_place, out_lie);
    put(&in, t->data);
    if (out.device)
        copy(out.device, out.host, out.bytes);
    sac_status status = sac_beamform_run(plan, &out.array, &in.array, NULL);
    if (status)
        fault(t, sac_status_name(status), 0, status);
    sac_gpu_stream stream = t->desc.stream;
    if (stream)
        must(sac_gpu_wait(stream), "wait", NULL);
    char *image = get(&out);
    free_buffer(&in);
    free_buffer(&out);
    return image;
}

/* Values as amplitudes. */
static double amplitude(const test *t, const void *image, int64_t i)
{
    double value = (double)((const float *)image)[i];
    return t->desc.output == SAC_OUTPUT_BMODE ? pow(10, value / 20) : value;
}

/* Relative L2 error; of gray the largest step. */
static void compare(const test *t, const char *want, const char *got, const sac_array *shape)
{
    int64_t n = sac_array_count(shape) * (shape->dtype == SAC_C64 ? 2 : 1);
    double sum = 0, scale = 0, step = 0;
    for (int64_t i = 0; i < n; i++) {
        if (shape->dtype == SAC_U8) {
            step = fmax(step, fabs((double)(uint8_t)want[i] - (double)(uint8_t)got[i]));
            continue;
        }
        double x = amplitude(t, want, i), y = amplitude(t, got, i);
        sum += (x - y) * (x - y);
        scale += x * x;
    }
    double error = sqrt(sum / fmax(scale, 1e-30)), bound = error_bound(t);
    expect(t, step <= 1, "gray differs", 1, step);
    expect(t, error <= bound, "relative error", bound, error); /* NaN, too */
    expect(t, shape->dtype == SAC_U8 || scale > 0, "nothing is seen", 1, scale);
}

static void expect_bytes(const test *t, const char *what, const char *want, char *got,
                         const sac_array *shape)
{
    size_t n = (size_t)sac_array_count(shape) * sac_dtype_size(shape->dtype), i = 0;
    while (i < n && want[i] == got[i])
        i++;
    expect(t, i == n, what, (double)i, (double)n);
    free(got);
}

/* Every way of handing over gives the same bytes, and they are the CPU's within the bound. */
static void try_ways(const test *t, const char *want)
{
    test own = *t, asynchronous = *t;
    own.desc.device = asynchronous.desc.device = on_gpu;
    asynchronous.desc.stream = sac_gpu_main_stream(gpu);
    sac_beamform *plan = open_plan(&own.desc), *enqueued = open_plan(&asynchronous.desc);
    const sac_array shape = sac_beamform_get_output_array(plan);
    lie sparse = t->desc.layout == SAC_FRAMES_OUTER ? GAPS : SPARSE;
    char *got = run(&own, plan, HOST, PACKED, HOST, PACKED);
    compare(t, want, got, &shape);
    expect_bytes(t, "a second run", got, run(&own, plan, HOST, PACKED, HOST, PACKED), &shape);
    expect_bytes(t, "sparse", got, run(&own, plan, HOST, SPARSE, HOST, GAPS), &shape);
    expect_bytes(t, "gaps", got, run(&own, plan, HOST, GAPS, HOST, SPARSE), &shape);
    expect_bytes(t, "page-locked", got, run(&own, plan, PINNED, PACKED, PINNED, PACKED), &shape);
    expect_bytes(t, "page-locked, gaps", got, run(&own, plan, PINNED, GAPS, PINNED, GAPS), &shape);
    expect_bytes(t, "device", got, run(&own, plan, DEVICE, PACKED, DEVICE, PACKED), &shape);
    expect_bytes(t, "to the device", got, run(&own, plan, PINNED, SPARSE, DEVICE, GAPS), &shape);
    expect_bytes(t, "from the device", got, run(&own, plan, DEVICE, GAPS, HOST, PACKED), &shape);
    expect_bytes(t, "on a stream", got,
                 run(&asynchronous, enqueued, DEVICE, PACKED, DEVICE, PACKED), &shape);
    expect_bytes(t, "on a stream, gaps", got,
                 run(&asynchronous, enqueued, DEVICE, sparse, DEVICE, SPARSE), &shape);
    free(got);
    sac_beamform_close(&plan);
    sac_beamform_close(&enqueued);
}

static void try_test(test *t)
{
    sac_beamform_desc desc = t->desc;
    desc.tier = SAC_TIER_EXACT;
    sac_beamform *cpu = open_plan(&desc);
    char *want = run(t, cpu, HOST, PACKED, HOST, PACKED);
    try_ways(t, want);
    sac_beamform_close(&cpu);
    free(want);
}

/* One option after the other, then many mixtures of all. */
static void beamform_every_option_gives_the_cpu_s_picture(bool thin)
{
    uint64_t state = 1;
    for (int i = 0; i < (thin ? 6 : count_single() + 120); i++) {
        test t;
        new_test(&t, &state, i < count_single() && !thin ? i : -1, thin);
        try_test(&t);
        free_test(&t);
    }
}

/* Half precision is for IQ of more than 16 frames: as it comes, dense or not, and demodulated. */
static void beamform_half_precision_of_many_frames_gives_the_cpu_s_picture(bool thin)
{
    static const int64_t n_frames[] = {17, 70, 32, 33};
    uint64_t state = 5;
    for (int i = 0; i < (thin ? 2 : 8); i++) {
        test t;
        new_test(&t, &state, 0, thin);
        t.desc.tier = SAC_TIER_FAST;
        t.desc.layout = i / 4 ? SAC_FRAMES_INNER : SAC_FRAMES_OUTER;
        set_frames(&t, &state, n_frames[i % 4]);
        try_test(&t);
        free_test(&t);
    }
}

/* Numbers of frames that fill no group go in parts, of each type of samples; and int16 in groups.
 */
static void beamform_frames_that_fill_no_group_give_the_cpu_s_picture(bool thin)
{
    static const struct {
        const char *name;
        sac_dtype dtype;
        int64_t n_frames;
    } all[] = {
        {"IQ, 33 frames", SAC_C64, 33},    {"RF, 19 frames", SAC_F32, 19},
        {"int16, 33 frames", SAC_I16, 33}, {"IQ, 3 frames", SAC_C64, 3},
        {"IQ, 9 frames", SAC_C64, 9},      {"IQ, 31 frames", SAC_C64, 31},
        {"RF, 5 frames", SAC_F32, 5},      {"RF, 70 frames", SAC_F32, 70},
        {"int16, 19 frames", SAC_I16, 19},
    };
    uint64_t state = 13;
    for (int i = 0; i < (thin ? 3 : 2 * (int)(sizeof all / sizeof all[0])); i++) {
        test t;
        new_test(&t, &state, 0, thin);
        t.name = all[i / (thin ? 1 : 2)].name;
        t.desc.dtype = all[i / (thin ? 1 : 2)].dtype;
        t.desc.demodulate = t.desc.dtype == SAC_C64 ? SAC_DEMODULATE_AUTO : SAC_DEMODULATE_NO;
        t.desc.layout = i % 2 ? SAC_FRAMES_INNER : SAC_FRAMES_OUTER;
        if (!thin) /* so that packing pays */
            t.desc.grid.n[0] = t.desc.grid.n[2] = 400;
        set_frames(&t, &state, all[i / (thin ? 1 : 2)].n_frames);
        try_test(&t);
        t.desc.device = on_gpu;
        sac_beamform *plan = open_plan(&t.desc);
        const char *variant = sac_beamform_get_variant(plan);
        expect(&t, thin || t.desc.n_frames < 31 || strstr(variant, "f32:frames"), variant, 1, 0);
        sac_beamform_close(&plan);
        free_test(&t);
    }
}

/* Frames in groups, of IQ and RF, by every interpolation and in every tier: `change` makes the
 * scene one that single precision is not for. */
static void try_frames(const char *name, void (*change)(test *t))
{
    uint64_t state = 29;
    for (int i = 0; i < 18; i++) {
        test t;
        new_test(&t, &state, 0, true);
        t.name = name;
        t.desc.dtype = i % 2 ? SAC_F32 : SAC_C64;
        t.desc.demodulate = i % 2 ? SAC_DEMODULATE_NO : SAC_DEMODULATE_AUTO;
        t.desc.interp = (sac_interp)(i / 2 % 3);
        t.desc.tier = (sac_tier)(i / 6);
        t.desc.f_number = 1;
        change(&t);
        set_frames(&t, &state, 32);
        try_test(&t);
        free_test(&t);
    }
}

/* A point so far away that a float does not count the samples to it: as far as there may be. */
static void put_a_point_far_away(test *t)
{
    static double points[64][3];
    for (int i = 0; i < 64; i++) {
        points[i][0] = i == 20 ? 1e5 : 0.5e-3 * (i % 8 - 4);
        points[i][2] = 1e-3 * (2 + i / 8);
    }
    t->desc.points_m = points[0];
    t->desc.n_points = 64;
}

/* 100 times as wide as it was, which is wider than a record is long; points see all of it. */
static void widen_the_array(test *t)
{
    for (int i = 0; i < t->acquisition.n_elements; i++)
        t->elements[i].position_m[0] *= 100;
    t->desc.f_number = 0;
    t->desc.n_samples = 1000;
}

static void beamform_of_what_is_too_long_for_single_precision_gives_the_cpu_s_picture(void)
{
    try_frames("a point far away", put_a_point_far_away);
    try_frames("a wide array", widen_the_array);
}

static void expect_status(const test *t, const char *what, sac_status want, sac_status got)
{
    expect(t, want == got, what, want, got);
}

static bool stop(void *ctx, uint64_t done, uint64_t all)
{
    *(int *)ctx += 1;
    return done > all;
}

static bool go_on(void *ctx, uint64_t done, uint64_t all)
{
    *(uint64_t *)ctx = done == all ? all : 0;
    return true;
}

static bool count(void *ctx, uint64_t done, uint64_t all)
{
    *(int *)ctx += 1;
    return done <= all;
}

/* Batches of as many frames as the memory that is allowed holds: of four images of 0.32 MB all, or
 * one after the other, since there are two slots then. */
static void beamform_memory_bounds_a_batch(void)
{
    test t;
    uint64_t state = 17;
    char *got[2];
    sac_array shape;
    new_test(&t, &state, 0, true);
    t.desc.device = on_gpu;
    t.desc.grid.n[0] = t.desc.grid.n[2] = 200;
    set_frames(&t, &state, 4);
    for (int32_t mb = 0; mb < 2; mb++) {
        int n_calls = 0;
        t.desc.memory_mb = mb;
        t.desc.progress = count;
        t.desc.progress_ctx = &n_calls;
        sac_beamform *plan = open_plan(&t.desc);
        shape = sac_beamform_get_output_array(plan);
        got[mb] = run(&t, plan, HOST, PACKED, HOST, PACKED);
        expect(&t, n_calls == (mb ? 4 : 1), "batches", mb ? 4 : 1, n_calls);
        sac_beamform_close(&plan);
    }
    compare(&t, got[0], got[1], &shape);
    free(got[0]);
    free(got[1]);
    free_test(&t);
}

/* Images so large that memory bounds the frames of a batch: 10 go as two. */
static void beamform_large_images_go_in_small_batches(void)
{
    test t;
    uint64_t state = 7;
    int n_calls = 0;
    new_test(&t, &state, 0, false);
    t.desc.grid.n[0] = t.desc.grid.n[2] = 2400;
    t.desc.lri = true;
    t.desc.output = SAC_OUTPUT_GRAY;
    t.desc.memory_mb = 1000;
    set_frames(&t, &state, 10);
    sac_beamform *cpu = open_plan(&t.desc);
    t.desc.device = on_gpu;
    t.desc.progress = count;
    t.desc.progress_ctx = &n_calls;
    sac_beamform *plan = open_plan(&t.desc);
    const sac_array shape = sac_beamform_get_output_array(plan);
    char *want = run(&t, cpu, HOST, PACKED, HOST, PACKED);
    char *got = run(&t, plan, DEVICE, PACKED, DEVICE, PACKED);
    expect(&t, n_calls == 2, "batches", 2, n_calls);
    compare(&t, want, got, &shape);
    expect_bytes(&t, "host", got, run(&t, plan, HOST, PACKED, HOST, PACKED), &shape);
    sac_beamform_close(&cpu);
    sac_beamform_close(&plan);
    free(want);
    free(got);
    free_test(&t);
}

/* What does not fit is refused before any work, and progress may end a run. */
static void beamform_wrong_use_is_refused(void)
{
    test t;
    uint64_t state = 3;
    new_test(&t, &state, 0, true);
    set_frames(&t, &state, 70);
    t.desc.device = on_gpu;
    sac_error err = {0};
    sac_beamform *plan = open_plan(&t.desc);
    const sac_array shape = sac_beamform_get_output_array(plan);
    sac_beamform_close(&plan); /* without a run */
    sac_beamform_desc desc = t.desc;
    desc.variant = "points";
    expect_status(&t, "variant", SAC_E_UNSUPPORTED, sac_beamform_open(&plan, &desc, &err));
    desc = t.desc, desc.device.index = 99;
    expect_status(&t, "cuda:99", SAC_E_DEVICE, sac_beamform_open(&plan, &desc, &err));
    buffer in = new_buffer(&t.shape, HOST, PACKED), out = new_buffer(&shape, HOST, PACKED);
    buffer there = new_buffer(&t.shape, DEVICE, PACKED);
    put(&in, t.data);
    int n_calls = 0;
    uint64_t all = 0;
    desc = t.desc, desc.stream = sac_gpu_main_stream(gpu);
    plan = open_plan(&desc);
    expect_status(&t, "stream", SAC_E_SHAPE, sac_beamform_run(plan, &out.array, &in.array, NULL));
    sac_beamform_close(&plan);
    desc = t.desc, desc.progress = stop, desc.progress_ctx = &n_calls;
    plan = open_plan(&desc);
    expect_status(&t, "progress", SAC_CANCELLED,
                  sac_beamform_run(plan, &out.array, &in.array, NULL));
    expect(&t, n_calls == 1, "calls of progress", 1, n_calls);
    sac_beamform_close(&plan);
    desc = t.desc, desc.progress = go_on, desc.progress_ctx = &all;
    plan = open_plan(&desc);
    expect_status(&t, "progress", SAC_OK, sac_beamform_run(plan, &out.array, &in.array, NULL));
    expect(&t, all > 0, "the end of progress", 1, (double)all);
    sac_array bad = in.array;
    bad.shape[3]--;
    expect_status(&t, "samples", SAC_E_SHAPE, sac_beamform_run(plan, &out.array, &bad, NULL));
    bad = in.array, bad.dtype = SAC_F64;
    expect_status(&t, "type", SAC_E_SHAPE, sac_beamform_run(plan, &out.array, &bad, NULL));
    bad = out.array, bad.shape[1]++;
    expect_status(&t, "output", SAC_E_SHAPE, sac_beamform_run(plan, &bad, &in.array, NULL));
    bad = there.array, bad.device.index = 5;
    expect_status(&t, "device", SAC_E_SHAPE, sac_beamform_run(plan, &out.array, &bad, NULL));
    bad = there.array, bad.stride[3] *= 2;
    expect_status(&t, "strides", SAC_E_SHAPE, sac_beamform_run(plan, &out.array, &bad, NULL));
    sac_beamform_close(&plan);
    free_buffer(&in);
    free_buffer(&out);
    free_buffer(&there);
    free_test(&t);
}

/* A plan of a thread: runs again and again, and compares. */
typedef struct work {
    test test;
    const char *want;
    int n_differ;
} work;

static void *run_again(void *arg)
{
    work *w = arg;
    sac_beamform *plan = open_plan(&w->test.desc);
    sac_array in = w->test.shape, out = sac_beamform_get_output_array(plan);
    size_t bytes = (size_t)sac_array_count(&out) * sac_dtype_size(out.dtype);
    in.data = w->test.data;
    out.data = malloc(bytes);
    for (int i = 0; i < 10; i++)
        w->n_differ += sac_beamform_run(plan, &out, &in, NULL) != SAC_OK ||
                       memcmp(out.data, w->want, bytes) != 0;
    free(out.data);
    sac_beamform_close(&plan);
    return NULL;
}

static void beamform_two_plans_in_two_threads_agree_with_one(void)
{
    work w[2] = {0};
    pthread_t thread[2];
    uint64_t state = 11;
    for (int i = 0; i < 2; i++) {
        new_test(&w[i].test, &state, i, true);
        set_frames(&w[i].test, &state, 33);
        w[i].test.desc.device = on_gpu;
        sac_beamform *plan = open_plan(&w[i].test.desc);
        w[i].want = run(&w[i].test, plan, HOST, PACKED, HOST, PACKED);
        sac_beamform_close(&plan);
    }
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, run_again, &w[i]))
            exit(1);
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        expect(&w[i].test, w[i].n_differ == 0, "runs of a thread differ", 0, w[i].n_differ);
        free((void *)(uintptr_t)w[i].want);
        free_test(&w[i].test);
    }
}

/* Real channel data, where it is: the CPU's picture. */
static void beamform_of_the_real_disk_is_the_cpu_s_picture(void)
{
    char path[1024];
    const char *folder = getenv("SACCADE_DATA");
    snprintf(path, sizeof path, "%s/ultrasound/PWI_disk.mat", folder ? folder : "../shared/data");
    sac_recording *recording = NULL;
    sac_error err = {0};
    sac_status status = sac_recording_read(&recording, path, NULL, &err);
    if (status == SAC_E_IO || status == SAC_E_UNSUPPORTED) {
        skip_part(err.text);
        return;
    }
    must(status, "PWI_disk.mat", &err);
    for (int output = SAC_OUTPUT_IQ; output <= SAC_OUTPUT_GRAY; output++) {
        test t = {.name = "PWI_disk"};
        sac_beamform_desc_init(&t.desc);
        t.shape = sac_recording_get_array(recording);
        t.data = t.shape.data;
        t.desc.acquisition = sac_recording_get_acquisition(recording);
        t.desc.dtype = t.shape.dtype;
        t.desc.n_frames = t.shape.shape[0];
        t.desc.n_samples = t.shape.shape[3];
        t.desc.grid = (sac_grid){{-12.5e-3, 0, 10e-3}, {12.5e-3, 0, 35e-3}, {251, 1, 251}};
        t.desc.f_number = 1;
        t.desc.output = output;
        try_test(&t);
    }
    sac_recording_close(&recording);
}

/* --thin: a few small cases, for tools that slow it down. */
int main(int argc, char **argv)
{
    const bool thin = argc == 2 && !strcmp(argv[1], "--thin");
    sac_error err = {0};
    if (sac_gpu_count() == 0)
        return skip_all("no GPU, or a build without CUDA");
    must(sac_gpu_open(&gpu, 0, &err), "open", &err);
    beamform_every_option_gives_the_cpu_s_picture(thin);
    beamform_half_precision_of_many_frames_gives_the_cpu_s_picture(thin);
    beamform_frames_that_fill_no_group_give_the_cpu_s_picture(thin);
    beamform_of_what_is_too_long_for_single_precision_gives_the_cpu_s_picture();
    beamform_memory_bounds_a_batch();
    beamform_wrong_use_is_refused();
    if (!thin) {
        beamform_large_images_go_in_small_batches();
        beamform_two_plans_in_two_threads_agree_with_one();
        beamform_of_the_real_disk_is_the_cpu_s_picture();
    }
    sac_gpu_close(&gpu);
    printf("%d checks, %d failed\n", n_cases, n_faults);
    return n_faults > 0;
}
