/*
 * run allocates nothing: this program's malloc and its kin end it while a run is on.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "counts.h"
#include "unit.h"

#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <saccade/delta.h>
#include <saccade/equalize.h>
#include <saccade/flow.h>
#include <saccade/meltpool.h>
#include <saccade/motion.h>
#include <saccade/stream.h>

#include "pictures.h"
#include "ultrasound.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define CANNOT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CANNOT 1
#endif
#endif

#ifdef CANNOT

#include "skip.h"

int main(void)
{
    return skip_all("a sanitizer, or a C library other than glibc, owns malloc");
}

#else

static atomic_bool armed;
static atomic_int n_seen; /* calls that came here at all: the interposition works */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t align, size_t size);

static void witness(const char *what)
{
    atomic_fetch_add_explicit(&n_seen, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&armed, memory_order_relaxed))
        return;
    (void)!write(STDERR_FILENO, what, strlen(what));
    (void)!write(STDERR_FILENO, " in a run\n", 10);
    abort();
}

void *malloc(size_t size)
{
    witness("malloc");
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    witness("calloc");
    return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
    witness("realloc");
    return __libc_realloc(memory, size);
}

void *memalign(size_t align, size_t size)
{
    witness("memalign");
    return __libc_memalign(align, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    witness("aligned_alloc");
    return __libc_memalign(align, size);
}

int posix_memalign(void **out, size_t align, size_t size)
{
    witness("posix_memalign");
    *out = __libc_memalign(align, size);
    return *out != NULL ? 0 : ENOMEM;
}

static void run_armed(sac_dtype dtype, int32_t n_channels, int32_t tiles, int32_t n_threads)
{
    sac_array in = new_picture(dtype, 331, 97, n_channels);
    sac_array out = new_picture(dtype, 331, 97, n_channels);
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = dtype;
    desc.w = 331;
    desc.h = 97;
    desc.n_channels = n_channels;
    desc.clahe[0] = desc.clahe[1] = tiles;
    desc.smooth = tiles == 0 ? 0.5 : 0;
    desc.n_threads = n_threads;
    sac_equalize *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_equalize_open(&plan, &desc, &err), &err);
    bool ok = true;
    atomic_store(&armed, true);
    for (int i = 0; i < 3; i++)
        ok = sac_equalize_run(plan, &out, &in, NULL) == SAC_OK && ok;
    sac_equalize_reset(plan);
    ok = sac_equalize_run(plan, &in, &in, NULL) == SAC_OK && ok;
    atomic_store(&armed, false);
    assert_true(ok);
    sac_equalize_close(&plan);
    free(in.data);
    free(out.data);
}

static void run_of_equalize_allocates_nothing(void **state)
{
    (void)state;
    static const int32_t threads[] = {1, 2, 7};
    for (size_t t = 0; t < 3; t++)
        for (int32_t tiles = 0; tiles <= 4; tiles += 4)
            for (int32_t n_channels = 1; n_channels <= 4; n_channels++) {
                run_armed(SAC_U8, n_channels, tiles, threads[t]);
                run_armed(SAC_U16, n_channels, tiles, threads[t]);
            }
    assert_true(atomic_load(&n_seen) > 0);
}

static void beamform_armed(sac_dtype dtype, sac_demodulate_choice demodulate, int64_t n_frames,
                           int32_t n_threads)
{
    static const double target[3] = {0, 0, 20e-3};
    scene s;
    linear_scene(&s, 16, 2);
    s.n_frames = n_frames;
    void *data = calloc((size_t)(n_frames * 2 * 16 * s.n_samples), sac_dtype_size(dtype));
    sac_array in = channel_array(&s, dtype, data);
    sac_beamform_desc desc = scene_desc(&s, dtype, target, 1e-3, 65);
    desc.output = n_frames > 1 ? SAC_OUTPUT_GRAY : SAC_OUTPUT_BMODE;
    desc.demodulate = (int32_t)demodulate;
    desc.n_threads = n_threads;
    sac_beamform *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_beamform_open(&plan, &desc, &err), &err);
    sac_array out = output_of(plan);
    bool ok = true;
    atomic_store(&armed, true);
    for (int i = 0; i < 2; i++)
        ok = sac_beamform_run(plan, &out, &in, NULL) == SAC_OK && ok;
    atomic_store(&armed, false);
    assert_true(ok);
    sac_beamform_close(&plan);
    free(out.data);
    free(data);
}

static void run_of_beamform_allocates_nothing(void **state)
{
    (void)state;
    static const int32_t threads[] = {1, 2, 7};
    for (size_t t = 0; t < 3; t++)
        for (int64_t n_frames = 1; n_frames <= 33; n_frames += 32) {
            beamform_armed(SAC_C64, SAC_DEMODULATE_AUTO, n_frames, threads[t]);
            beamform_armed(SAC_I16, SAC_DEMODULATE_YES, n_frames, threads[t]);
            beamform_armed(SAC_F32, SAC_DEMODULATE_NO, n_frames, threads[t]);
        }
    assert_true(atomic_load(&n_seen) > 0);
}

static void flow_armed(int32_t kind, const char *filter, int32_t n_threads)
{
    enum { N = 12, POINTS = 3000 };
    static const double azimuth[] = {-0.2, 0, 0.2};
    const int64_t shape[] = {N, POINTS}, of_waves[] = {N / 3, 3, POINTS};
    const bool is_vector = kind == SAC_FLOW_VECTOR;
    float *iq = calloc((size_t)2 * N * POINTS, sizeof *iq);
    sac_array in, out;
    sac_flow_desc desc;
    sac_flow *plan = NULL;
    sac_error err = {0};
    assert_ok(
        sac_array_view(&in, iq, SAC_C64, is_vector ? 3 : 2, is_vector ? of_waves : shape, &err),
        &err);
    for (int i = 0; i < 2 * N * POINTS; i++)
        iq[i] = (float)(i * 7 % 101);
    sac_flow_desc_init(&desc);
    desc.n_frames = in.shape[0];
    desc.n_transmits = is_vector ? 3 : 0;
    desc.azimuth_rad = azimuth;
    desc.shape[0] = POINTS;
    desc.prf_hz = 1000;
    desc.fc_hz = 5e6;
    desc.kind = kind;
    desc.filter = filter;
    desc.average[0] = 3;
    desc.n_threads = n_threads;
    assert_ok(sac_flow_open(&plan, &desc, &err), &err);
    out = sac_flow_get_output_array(plan);
    out.data = calloc((size_t)sac_array_count(&out), sizeof(float));
    atomic_store(&armed, true);
    bool ok = sac_flow_run(plan, &out, &in, NULL) == SAC_OK;
    ok = sac_flow_run(plan, &out, &in, NULL) == SAC_OK && ok;
    atomic_store(&armed, false);
    assert_true(ok);
    sac_flow_close(&plan);
    free(out.data);
    free(iq);
}

static void run_of_flow_allocates_nothing(void **state)
{
    (void)state;
    for (int32_t n_threads = 1; n_threads <= 2; n_threads++) {
        flow_armed(SAC_FLOW_COLOR, NULL, n_threads);
        flow_armed(SAC_FLOW_DIRECTIONAL, "polynomial:1", n_threads);
        flow_armed(SAC_FLOW_COLOR_POWER, "svd:auto", n_threads);
        flow_armed(SAC_FLOW_VECTOR, "svd:1", n_threads);
    }
    assert_true(atomic_load(&n_seen) > 0);
}

static void views_armed(int32_t n_channels, int32_t n_threads)
{
    sac_array in = new_picture(SAC_U8, 331, 97, n_channels);
    sac_array out = new_picture(SAC_U8, 331, 97, n_channels == 1 ? 3 : n_channels);
    sac_heatmap_desc heat;
    sac_noise_desc noise;
    sac_heatmap_desc_init(&heat);
    sac_noise_desc_init(&noise);
    heat.w = noise.w = 331;
    heat.h = noise.h = 97;
    heat.n_channels = noise.n_channels = n_channels;
    heat.n_threads = noise.n_threads = n_threads;
    noise.view = SAC_NOISE_OVERLAY;
    sac_adjust_desc adjust;
    sac_adjust_desc_init(&adjust);
    adjust.w = 331, adjust.h = 97, adjust.n_channels = n_channels, adjust.n_threads = n_threads;
    adjust.saturation = 2;
    sac_heatmap *a = NULL;
    sac_noise *b = NULL;
    sac_adjust *c = NULL;
    sac_error err = {0};
    assert_ok(sac_heatmap_open(&a, &heat, &err), &err);
    assert_ok(sac_noise_open(&b, &noise, &err), &err);
    assert_ok(sac_adjust_open(&c, &adjust, &err), &err);
    adjust.gain = 3;
    atomic_store(&armed, true);
    bool ok = sac_heatmap_run(a, &out, &in, &in, NULL) == SAC_OK;
    ok = sac_noise_run(b, &in, &in, &in, NULL) == SAC_OK && ok;
    ok = sac_adjust_set(c, &adjust, NULL) == SAC_OK && ok;
    ok = sac_adjust_run(c, &in, &in, NULL) == SAC_OK && ok;
    atomic_store(&armed, false);
    assert_true(ok);
    sac_heatmap_close(&a);
    sac_noise_close(&b);
    sac_adjust_close(&c);
    free(in.data);
    free(out.data);
}

static void run_of_heatmap_noise_and_adjust_allocates_nothing(void **state)
{
    (void)state;
    static const int32_t threads[] = {1, 2, 7};
    for (size_t t = 0; t < 3; t++) {
        views_armed(1, threads[t]);
        views_armed(3, threads[t]);
        views_armed(4, threads[t]);
    }
}

static void delta_armed(int32_t n_channels, int32_t threshold, bool fast, int32_t n_threads)
{
    sac_array in = new_picture(SAC_U8, 331, 97, n_channels);
    sac_delta_encode_desc there;
    sac_delta_decode_desc back;
    sac_delta_encode_desc_init(&there);
    sac_delta_decode_desc_init(&back);
    there.w = 331;
    there.h = 97;
    there.n_channels = n_channels;
    there.threshold = threshold;
    there.fast = fast;
    there.n_threads = back.n_threads = n_threads;
    sac_delta_encode *encoder = NULL;
    sac_delta_decode *decoder = NULL;
    sac_delta_packet packet;
    sac_delta_frame frame;
    sac_error err = {0};
    if (sac_delta_encode_open(&encoder, &there, &err) == SAC_E_UNSUPPORTED)
        skip_test("this build has no delta streams, or no fast ones (zstd, lz4)");
    assert_ok(sac_delta_decode_open(&decoder, &back, &err), &err);
    bool ok = true;
    for (uint64_t i = 0; i < 4; i++) {
        memset(in.data, (int)(100 + 50 * i), 331);
        atomic_store(&armed, true);
        ok = sac_delta_encode_run(encoder, &packet, &in, i, NULL) == SAC_OK && ok;
        atomic_store(&armed, i > 0); /* the first tells the decoder its size */
        ok = sac_delta_decode_run(decoder, &frame, packet.data, packet.size, NULL) == SAC_OK && ok;
        atomic_store(&armed, false);
        if (i == 1)
            sac_delta_encode_key(encoder);
    }
    assert_true(ok);
    sac_delta_encode_close(&encoder);
    sac_delta_decode_close(&decoder);
    free(in.data);
}

static void run_of_delta_allocates_nothing(void **state)
{
    (void)state;
    static const int32_t threads[] = {1, 2, 7};
    for (size_t t = 0; t < 3; t++)
        for (int fast = 0; fast < 2; fast++) {
            delta_armed(1, 0, fast, threads[t]);
            delta_armed(3, 20, fast, threads[t]);
            delta_armed(4, 0, fast, threads[t]);
        }
}

/* 300 frames: several blocks, one of them not whole. */
static void meltpool_armed(int32_t locate, int32_t n_threads)
{
    static float zeros[8 * 40], ones[40];
    static sac_meltpool_record records[300];
    for (int i = 0; i < 40; i++)
        ones[i] = 1;
    const sac_meltpool_model model = {
        sizeof model, 8, SAC_MELTPOOL_SOFTPLUS, zeros, ones, zeros, zeros, zeros, zeros};
    sac_array all = new_picture(SAC_U8, 64, 300 * 48, 1);
    sac_array view, one;
    sac_meltpool_desc desc;
    sac_meltpool_desc_init(&desc);
    desc.w = 64;
    desc.h = 48;
    desc.locate = locate;
    desc.scan_frame = true;
    desc.model = &model;
    desc.n_threads = n_threads;
    sac_meltpool *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_meltpool_open(&plan, &desc, &err), &err);
    assert_ok(sac_array_view(&view, all.data, SAC_U8, 3, (const int64_t[]){300, 48, 64}, &err),
              &err);
    assert_ok(sac_array_view(&one, all.data, SAC_U8, 2, (const int64_t[]){48, 64}, &err), &err);
    atomic_store(&armed, true);
    bool ok = sac_meltpool_run_batch(plan, records, &view, NULL, NULL) == SAC_OK;
    sac_meltpool_reset(plan);
    ok = sac_meltpool_run(plan, records, &one, NULL, NULL) == SAC_OK && ok;
    atomic_store(&armed, false);
    assert_true(ok);
    sac_meltpool_close(&plan);
    free(all.data);
}

static void run_of_meltpool_allocates_nothing(void **state)
{
    (void)state;
    static const int32_t threads[] = {1, 2, 7};
    for (size_t t = 0; t < 3; t++)
        for (int32_t locate = SAC_MELTPOOL_BRIGHTEST; locate <= SAC_MELTPOOL_FIXED; locate++)
            meltpool_armed(locate, threads[t]);
}

typedef struct plug {
    sac_equalize *plan;
    sac_array out;
    atomic_bool failed;
} plug;

static void equalize_frames(void *ctx, sac_stream_frame *frames, int32_t n)
{
    plug *p = ctx;
    for (int32_t i = 0; i < n; i++) {
        sac_array in = p->out;
        in.data = frames[i].data;
        if (sac_equalize_run(p->plan, &p->out, &in, NULL) != SAC_OK)
            atomic_store(&p->failed, true);
    }
}

/* 300 frames, the first of them to warm up; then all that is armed is the stream at work. */
static void stream_armed(int32_t policy, int32_t spin_us)
{
    plug p = {.out = new_picture(SAC_U8, 64, 48, 1)};
    sac_equalize_desc of;
    sac_equalize_desc_init(&of);
    of.dtype = SAC_U8;
    of.w = 64;
    of.h = 48;
    of.n_channels = 1;
    of.n_threads = 1;
    sac_stream_desc desc;
    sac_stream_desc_init(&desc);
    desc.frame_bytes = picture_bytes(&p.out);
    desc.work = equalize_frames;
    desc.ctx = &p;
    desc.capacity = 4;
    desc.policy = policy;
    desc.spin_us = spin_us;
    sac_stream *stream = NULL;
    sac_error err = {0};
    assert_ok(sac_equalize_open(&p.plan, &of, &err), &err);
    assert_ok(sac_stream_open(&stream, &desc, &err), &err);
    bool ok = true;
    for (int i = 0; i < 300; i++) {
        memset(sac_stream_slot(stream), i, desc.frame_bytes);
        ok = sac_stream_send(stream, 0) == SAC_OK && ok;
        while (i == 0 && counts_of_stream(stream).waiting > 0)
            (void)sched_yield();
        atomic_store(&armed, true);
    }
    while (counts_of_stream(stream).waiting > 0)
        (void)sched_yield();
    const double p99_ns = sac_histogram_get_quantile(sac_stream_get_latency(stream), 0.99);
    atomic_store(&armed, false);
    assert_true(ok && p99_ns > 0 && !atomic_load(&p.failed));
    sac_stream_close(&stream);
    sac_equalize_close(&p.plan);
    free(p.out.data);
}

static void stream_at_work_allocates_nothing(void **state)
{
    (void)state;
    for (int32_t policy = SAC_STREAM_WAIT; policy <= SAC_STREAM_DROP_OLDEST; policy++) {
        stream_armed(policy, 0);
        stream_armed(policy, SAC_STREAM_SPIN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_of_equalize_allocates_nothing),
        cmocka_unit_test(stream_at_work_allocates_nothing),
        cmocka_unit_test(run_of_delta_allocates_nothing),
        cmocka_unit_test(run_of_heatmap_noise_and_adjust_allocates_nothing),
        cmocka_unit_test(run_of_meltpool_allocates_nothing),
        cmocka_unit_test(run_of_beamform_allocates_nothing),
        cmocka_unit_test(run_of_flow_allocates_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
