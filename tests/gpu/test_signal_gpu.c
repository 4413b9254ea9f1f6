/*
 * The beamformer's steps on the GPU that no room's check reaches: frames and transmits of records,
 * records within the band, straight into a packed run; maxima, complex values, gray levels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beamform/kernels/compress_f32/compress_f32.h"
#include "beamform/kernels/envelope_c64/envelope_c64.h"
#include "beamform/kernels/signal_cuda.h"
#include "room/check.h"
#include "skip.h"

enum { N_FRAMES = 5, N_TX = 2, N_RX = 3, N_SAMPLES = 334, N_RECORDS = N_FRAMES * N_TX * N_RX };
#define N_POINTS 1001 /* odd: frames begin anywhere */
#define N_VALUES ((int64_t)N_FRAMES * N_POINTS)

static int n_faults;
static sac_gpu *gpu;
static uint64_t state = 1;

static void want(bool good, const char *what, int64_t index)
{
    if (!good && n_faults++ < 20)
        fprintf(stderr, "wrong: %s, index %lld\n", what, (long long)index);
}

static void must(sac_status status, const char *what)
{
    if (status == SAC_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, sac_status_name(status));
    exit(1);
}

static void *device(size_t bytes, const void *from)
{
    void *memory;
    must(sac_gpu_alloc(gpu, &memory, bytes, NULL), "alloc");
    if (from)
        must(sac_gpu_copy(memory, from, bytes, sac_gpu_main_stream(gpu)), "copy");
    return memory;
}

/* Copies what is there, and frees it. */
static void fetch(void *to, void *from, size_t bytes)
{
    must(sac_gpu_copy(to, from, bytes, sac_gpu_main_stream(gpu)), "copy");
    must(sac_gpu_wait(sac_gpu_main_stream(gpu)), "wait");
    sac_gpu_free(gpu, from);
}

static double uniform(void)
{
    return (double)(sac_check_random(&state) >> 11) * 0x1p-52 - 1;
}

/* Strides of samples as acquired, and with frames side by side. */
static const sac_das_cuda_strides acquired = {(int64_t)N_TX * N_RX * N_SAMPLES,
                                              (int64_t)N_RX *N_SAMPLES, N_SAMPLES, 1};
static const sac_das_cuda_strides inner = {1, (int64_t)N_RX *N_SAMPLES *N_FRAMES,
                                           (int64_t)N_SAMPLES *N_FRAMES, N_FRAMES};

static int16_t rf[N_RECORDS * N_SAMPLES], rf_inner[N_RECORDS * N_SAMPLES];

static void fill_rf(void)
{
    for (int64_t i = 0; i < N_RECORDS * N_SAMPLES; i++) {
        const int64_t s = i % N_SAMPLES, record = i / N_SAMPLES;
        const int64_t f = record / (N_TX * N_RX), tr = record % (N_TX * N_RX);
        rf[i] = (int16_t)(32767 * uniform());
        rf_inner[(tr * N_SAMPLES + s) * N_FRAMES + f] = rf[i];
    }
}

/* What is wanted of one record, IQ or, `restored`, the record within the band. */
static void exact(float *out, int64_t record, bool restored, const sac_demodulate_plan *plan)
{
    sac_demodulate_exact(out, rf + record * N_SAMPLES, sizeof *rf, true, plan);
    for (int64_t n = 0; restored && n < plan->n_out; n++)
        out[n] = out[2 * n] * plan->turn_re[n] + out[2 * n + 1] * plan->turn_im[n];
}

static void demodulated(bool restored, const sac_demodulate_plan *plan,
                        const sac_demodulate_cuda *tables)
{
    const int64_t n = plan->n_out * (restored ? 1 : 2);
    const size_t bytes = (size_t)(N_RECORDS * n) * sizeof(float);
    static float one[N_RECORDS * 2 * N_SAMPLES], other[N_RECORDS * 2 * N_SAMPLES];
    float wanted[2 * N_SAMPLES];
    const sac_gpu_stream stream = sac_gpu_main_stream(gpu);
    void *in = device(sizeof rf, rf), *in_inner = device(sizeof rf, rf_inner);
    void *out = device(bytes, NULL), *out_inner = device(bytes, NULL);
    must(sac_demodulate_cuda_run(stream, out, in, SAC_I16, &acquired, N_FRAMES, N_TX, N_RX,
                                 restored, tables),
         "run");
    must(sac_demodulate_cuda_run(stream, out_inner, in_inner, SAC_I16, &inner, N_FRAMES, N_TX, N_RX,
                                 restored, tables),
         "run");

    /* Packed by itself, and straight: one frame fewer than the run has. */
    sac_das_cuda run = {.das = {.n_frames = N_FRAMES + 1,
                                .n_tx = N_TX,
                                .n_rx = N_RX,
                                .n_samples = (int32_t)plan->n_out}};
    const int32_t size = restored ? 4 : 8, units = restored ? 8 : 4; /* of 16 bytes */
    const size_t packed = (size_t)sac_das_cuda_pack_layout(&run, units * 16 / size) * (size_t)size;
    const sac_das_cuda_strides dense = {N_TX * N_RX * plan->n_out, N_RX * plan->n_out, plan->n_out,
                                        1};
    void *after = device(packed, NULL), *straight = device(packed, NULL);
    must(sac_gpu_set(after, 0xff, packed, stream), "set");
    must(sac_gpu_set(straight, 0xff, packed, stream), "set");
    must(sac_das_cuda_pack(stream, after, out, &dense, &run, N_FRAMES, size, size), "pack");
    must(sac_demodulate_cuda_pack(stream, straight, in, SAC_I16, &acquired, &run, N_FRAMES,
                                  restored, tables),
         "straight");
    float *a = malloc(packed), *b = malloc(packed);
    if (!a || !b)
        exit(1);
    fetch(a, after, packed);
    fetch(b, straight, packed);
    for (size_t i = 0; i < packed / sizeof *a; i++)
        want(a[i] == b[i], "straight into a packed run", (int64_t)i);
    free(a);
    free(b);

    fetch(one, out, bytes);
    fetch(other, out_inner, bytes);
    want(!memcmp(one, other, bytes), "the same of frames side by side", 0);
    /* The record within the band rounds three times more, of a magnitude that is at most sqrt(2).
     */
    const double bound = 1.5 * (2 * plan->half + 10) * 0x1p-24 * (double)plan->sum * 32768;
    for (int64_t r = 0; r < N_RECORDS; r++) {
        exact(wanted, r, restored, plan);
        for (int64_t i = 0; i < n; i++)
            want(fabs((double)(wanted[i] - one[r * n + i])) <= (restored ? 1.5 : 1) * bound,
                 restored ? "record within the band" : "IQ", r * n + i);
    }
    sac_gpu_free(gpu, in);
    sac_gpu_free(gpu, in_inner);
}

/* With 33, 65 and 95 taps: of each remainder when they are taken by four. */
static void records_match(int32_t decimation)
{
    sac_demodulation d;
    sac_demodulation_init(&d);
    d.fs_hz = 20e6 / 3;
    d.fd_hz = 5e6;
    d.bandwidth_hz = 3.1e6 / decimation;
    d.decimation = decimation;
    sac_demodulate_plan plan;
    sac_demodulate_cuda tables;
    must(sac_demodulate_plan_open(&plan, &d, N_SAMPLES, NULL), "plan");
    must(sac_demodulate_cuda_open(&tables, &plan, gpu, NULL), "tables");
    demodulated(false, &plan, &tables);
    if (decimation == 1)
        demodulated(true, &plan, &tables);
    sac_demodulate_cuda_close(&tables, gpu);
    sac_demodulate_plan_close(&plan);
}

static float iq[2 * N_VALUES], magnitude[N_VALUES];

/* Speckle, with what is no number, infinite or about to be; the last frame is all zero. */
static void fill_iq(void)
{
    for (int64_t i = 0; i < 2 * N_VALUES; i++) {
        const double x = uniform(), y = uniform();
        iq[i] = (float)(x * exp2(20 * y));
        if (i % 97 == 5)
            iq[i] = i % 2 ? NAN : -INFINITY;
        if (i / 2 < N_POINTS && (i / 2) % 50 == 7)
            iq[i] = FLT_MAX * 0.75f; /* its magnitude is infinite */
        if (i >= 2 * (N_VALUES - N_POINTS))
            iq[i] = 0;
    }
    sac_envelope_c64_ref(magnitude, iq, N_VALUES);
}

static float largest(const float *in)
{
    float most = 0;
    for (int64_t i = 0; i < N_POINTS; i++)
        most = in[i] > most && in[i] <= FLT_MAX ? in[i] : most;
    return most;
}

/* `offset` floats behind a boundary: by vectors, and without. */
static void values_match(bool is_complex, size_t offset, float range_db)
{
    const sac_gpu_stream stream = sac_gpu_main_stream(gpu);
    const float *values = is_complex ? iq : magnitude;
    const size_t n = (size_t)N_VALUES * (is_complex ? 2 : 1) + offset;
    static float from[2 * N_VALUES + 4], db[N_VALUES], wanted[N_VALUES];
    static uint8_t gray[N_VALUES];
    float maximum[N_FRAMES];
    memcpy(from + offset, values, (n - offset) * sizeof *from);
    void *memory = device(n * sizeof *from, from), *most = device(sizeof maximum, NULL);
    void *levels = device(sizeof gray, NULL), *decibels = device(sizeof db, NULL);
    const float *in = (const float *)memory + offset;
    must(sac_maximum_f32_cuda(stream, most, in, is_complex, N_FRAMES, N_POINTS), "maximum");
    must(sac_compress_f32_cuda(stream, levels, true, in, is_complex, most, N_FRAMES, N_POINTS,
                               range_db),
         "gray");
    must(sac_compress_f32_cuda(stream, decibels, false, in, is_complex, most, N_FRAMES, N_POINTS,
                               range_db),
         "decibels");
    fetch(maximum, most, sizeof maximum);
    fetch(gray, levels, sizeof gray);
    fetch(db, decibels, sizeof db);
    sac_gpu_free(gpu, memory);
    for (int64_t f = 0; f < N_FRAMES; f++) {
        want(maximum[f] == largest(magnitude + f * N_POINTS), "maximum", f);
        sac_compress_f32_ref(wanted + f * N_POINTS, magnitude + f * N_POINTS, N_POINTS, maximum[f],
                             range_db);
    }
    for (int64_t i = 0; i < N_VALUES; i++) {
        const double exact_db = (double)wanted[i];
        const double level = 255 * (1 + exact_db / (double)range_db);
        want(fabs((double)db[i] - exact_db) <= 2e-6 + 1.4e-7 * fabs(exact_db), "decibels", i);
        want(fabs(gray[i] - level) <= 0.501, "gray level", i);
    }
}

int main(void)
{
    if (sac_gpu_count() == 0)
        return skip_all("no GPU, or a build without CUDA");
    must(sac_gpu_open(&gpu, 0, NULL), "open");
    must(sac_gpu_enter(gpu), "enter");
    fill_rf();
    for (int32_t decimation = 1; decimation <= 3; decimation++)
        records_match(decimation);
    fill_iq();
    for (int i = 0; i < 8; i++)
        values_match(i % 2, (size_t)(i / 2), i < 4 ? 60 : 700);
    sac_gpu_leave(gpu);
    sac_gpu_close(&gpu);
    printf("%d differ\n", n_faults);
    return n_faults > 0;
}
