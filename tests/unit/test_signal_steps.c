/*
 * Demodulation, envelope and log compression against closed forms: tones, pulses and exact points,
 * and the figures that docs/numerics.md states.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include <saccade/signal.h>

#include "beamform/steps/signal_steps.h"
#include "refusal.h"

#define PI 3.14159265358979323846
#define N 1200
#define RIPPLE 0.002   /* of the pass band */
#define STOP 0.00112   /* -59 dB */
#define HILBERT 0.0015 /* of the Hilbert transformer */

static float rf[2 * N], iq[2][2 * N], image[2][N];
static int16_t counts[N];
static sac_error err;

static sac_demodulation band(double fs_hz, double fd_hz, double bandwidth_hz, int32_t decimation)
{
    sac_demodulation d;
    sac_demodulation_init(&d);
    d.fs_hz = fs_hz;
    d.fd_hz = fd_hz;
    d.bandwidth_hz = bandwidth_hz;
    d.decimation = decimation;
    return d;
}

static sac_array view(void *data, sac_dtype dtype, int64_t h, int64_t w)
{
    sac_array a;
    assert_ok(sac_array_view(&a, data, dtype, 2, (int64_t[]){h, w}, &err), &err);
    return a;
}

static void assert_near(double came, double wanted, double tolerance)
{
    if (!(fabs(came - wanted) <= tolerance))
        fail_msg("expected %.9g within %.3g, got %.9g", wanted, tolerance, came);
}

static void fill_tone(double cycles, double amplitude, double phase)
{
    for (int i = 0; i < N; i++) {
        double x = amplitude * cos(2 * PI * cycles * i + phase);
        rf[i] = (float)x;
        counts[i] = (int16_t)lround(x);
    }
}

static void must_demodulate(sac_dtype dtype, const sac_demodulation *d)
{
    int64_t n = (N + d->decimation - 1) / d->decimation;
    sac_array in = view(dtype == SAC_I16 ? (void *)counts : rf, dtype, 1, N);
    sac_array out = view(iq[0], SAC_C64, 1, n);
    assert_ok(sac_demodulate(&out, &in, d, &err), &err);
}

/* A tone f inside the pass band comes out with its amplitude, and its phase turning by f - fd. */
static void assert_tone_comes_out(const sac_demodulation *d, double f, sac_dtype dtype)
{
    const double amplitude = 10000, phase = 0.7;
    fill_tone(f / d->fs_hz, amplitude, phase);
    must_demodulate(dtype, d);
    int half = (int)ceil(7.3 * d->fs_hz / d->bandwidth_hz) + 1, n_seen = 0;
    for (int i = 0; i * d->decimation < N - half; i++) {
        if (i * d->decimation < half)
            continue;
        double angle = phase + 2 * PI * (f - d->fd_hz) / d->fs_hz * i * d->decimation;
        double error = amplitude * (RIPPLE + STOP) + 1;
        assert_near((double)iq[0][2 * i], amplitude * cos(angle), error);
        assert_near((double)iq[0][2 * i + 1], amplitude * sin(angle), error);
        n_seen++;
    }
    assert_true(n_seen > 10);
}

static void demodulate_a_tone_gives_its_amplitude_and_phase(void **state)
{
    (void)state;
    sac_demodulation d = band(20e6, 5e6, 4e6, 1);
    assert_tone_comes_out(&d, 5e6, SAC_F32);
    assert_tone_comes_out(&d, 5.3e6, SAC_F32);
    assert_tone_comes_out(&d, 3.6e6, SAC_I16);
}

static void demodulate_with_decimation_keeps_every_dth_sample(void **state)
{
    (void)state;
    sac_demodulation d = band(20e6, 5e6, 4e6, 5);
    for (d.decimation = 2; d.decimation <= 5; d.decimation++)
        assert_tone_comes_out(&d, 5.5e6, d.decimation % 2 ? SAC_F32 : SAC_I16);
    d.decimation = 1;
    must_demodulate(SAC_F32, &d);
    memcpy(iq[1], iq[0], sizeof iq[0]);
    for (d.decimation = 2; d.decimation <= 5; d.decimation++) {
        must_demodulate(SAC_F32, &d);
        for (int i = 0; i * d.decimation < N; i++)
            assert_near((double)iq[0][2 * i], (double)iq[1][2 * i * d.decimation], 0.02);
    }
}

static void demodulate_undersampled_data_finds_the_carrier(void **state)
{
    (void)state;
    sac_demodulation d = band(20e6 / 3, 5e6, 10e6 / 3, 1);
    assert_tone_comes_out(&d, 5e6, SAC_F32);
    assert_tone_comes_out(&d, 5.3e6, SAC_I16);
    assert_tone_comes_out(&d, 4.2e6, SAC_F32);
    d = band(8e6, 14e6, 3e6, 2); /* the fourth zone */
    assert_tone_comes_out(&d, 14.9e6, SAC_F32);
}

static void demodulate_a_tone_outside_the_band_is_gone(void **state)
{
    (void)state;
    sac_demodulation d = band(20e6, 5e6, 2e6, 1);
    const double tones[] = {1e6, 3.7e6, 6.3e6, 9e6};
    for (int k = 0; k < 4; k++) {
        fill_tone(tones[k] / d.fs_hz, 1, 0);
        must_demodulate(SAC_F32, &d);
        for (int i = 100; i < N - 100; i++)
            assert_true(hypotf(iq[0][2 * i], iq[0][2 * i + 1]) < 2.1 * STOP);
    }
}

static void demodulate_a_pulse_stays_where_it_is(void **state)
{
    (void)state;
    sac_demodulation d = band(40e6, 6e6, 6e6, 1);
    const double sigma = 14, at = 600.3, cycles = d.fd_hz / d.fs_hz;
    for (int i = 0; i < N; i++)
        rf[i] = (float)(exp(-0.5 * pow((i - at) / sigma, 2)) * cos(2 * PI * cycles * (i - at)));
    must_demodulate(SAC_F32, &d);
    for (int i = 0; i < N; i++) {
        double envelope = exp(-0.5 * pow((i - at) / sigma, 2));
        assert_near((double)iq[0][2 * i], envelope * cos(2 * PI * cycles * at), RIPPLE + STOP);
        assert_near((double)iq[0][2 * i + 1], -envelope * sin(2 * PI * cycles * at), RIPPLE + STOP);
    }
}

static void demodulate_a_long_record_keeps_its_phase(void **state)
{
    (void)state;
    enum { LONG = 1 << 20 };
    sac_demodulation d = band(62.5e6, 5.1e6, 4e6, 8);
    float *in = calloc(LONG, sizeof *in), *out = calloc(LONG / 8, 2 * sizeof *out);
    assert_true(in && out);
    for (int i = 0; i < LONG; i++) {
        double turns = d.fd_hz / d.fs_hz * i;
        in[i] = (float)cos(2 * PI * (turns - floor(turns)));
    }
    sac_array from = view(in, SAC_F32, 1, LONG), to = view(out, SAC_C64, 1, LONG / 8);
    assert_ok(sac_demodulate(&to, &from, &d, &err), &err);
    for (int i = 20; i < LONG / 8 - 20; i++) {
        assert_near((double)out[2 * i], 1, RIPPLE + STOP);
        assert_near((double)out[2 * i + 1], 0, RIPPLE + STOP);
    }
    free(in);
    free(out);
}

static void demodulate_the_filter_keeps_what_is_stated(void **state)
{
    (void)state;
    const double ratios[] = {2, 2.3, 3, 4, 5.7, 8, 11.36, 20, 62.5, 139};
    for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++) {
        sac_demodulation d = band(1e6, 0.25e6, 1e6 / ratios[r], 1);
        sac_demodulate_plan plan;
        assert_ok(sac_demodulate_plan_open(&plan, &d, 1, &err), &err);
        for (int i = 0; i <= 2000; i++) {
            double band = 0.5 * ratios[r] * i / 2000, h = plan.h[0]; /* in bandwidths */
            for (int k = 1; k <= plan.half; k++)
                h += 2 * plan.h[k] * cos(2 * PI * band / ratios[r] * k);
            if (band <= 0.375)
                assert_near(h, 1, RIPPLE);
            if (band >= 0.625)
                assert_near(h, 0, STOP);
        }
        double h = plan.h[0];
        for (int k = 1; k <= plan.half; k++)
            h += 2 * plan.h[k] * cos(PI / ratios[r] * k);
        assert_near(h, 0.5, 0.001);
        sac_demodulate_plan_close(&plan);
    }
}

static void demodulate_nan_touches_its_neighbors_alone(void **state)
{
    (void)state;
    sac_demodulation d = band(20e6, 5e6, 4e6, 1);
    fill_tone(0.25, 1, 0);
    rf[600] = NAN;
    must_demodulate(SAC_F32, &d);
    for (int i = 0; i < N; i++) {
        if (abs(i - 600) <= 37)
            assert_true(isnan(iq[0][2 * i]));
        else
            assert_true(isfinite(iq[0][2 * i]) && isfinite(iq[0][2 * i + 1]));
    }
}

static void demodulate_any_strides_give_the_same_bytes(void **state)
{
    (void)state;
    sac_demodulation d = band(20e6, 5.2e6, 4e6, 2);
    for (int i = 0; i < N; i++)
        rf[i] = (float)sin(0.3 * i * i);
    sac_array in = view(rf, SAC_F32, 3, N / 3), out = view(iq[0], SAC_C64, 3, N / 6);
    assert_ok(sac_demodulate(&out, &in, &d, &err), &err);
    /* The same samples, the records last first and the samples backwards, transposed. */
    static float turned[N];
    const int32_t swap[] = {1, 0};
    sac_array from = view(turned, SAC_F32, N / 3, 3), to = view(iq[1], SAC_C64, N / 6, 3);
    for (int32_t k = 0; k < 2; k++) {
        assert_ok(sac_array_flip(&from, &from, k, &err), &err);
        assert_ok(sac_array_flip(&to, &to, k, &err), &err);
    }
    assert_ok(sac_array_permute(&from, &from, swap, &err), &err);
    assert_ok(sac_array_permute(&to, &to, swap, &err), &err);
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < N / 3; x++)
            *(float *)(void *)((char *)from.data + y * from.stride[0] + x * from.stride[1]) =
                rf[y * (N / 3) + x];
    assert_ok(sac_demodulate(&to, &from, &d, &err), &err);
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < N / 6; x++)
            assert_memory_equal((char *)to.data + y * to.stride[0] + x * to.stride[1],
                                &iq[0][2 * (y * (N / 6) + x)], 8);
}

static void must_refuse(sac_demodulation d, const char *word)
{
    sac_array in = view(rf, SAC_F32, 1, N), out = view(iq[0], SAC_C64, 1, N);
    err = (sac_error){0};
    assert_failed(sac_demodulate(&out, &in, &d, &err), SAC_E_INVALID, &err, word);
}

static void demodulate_a_band_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    must_refuse(band(0, 5e6, 2e6, 1), "fs_hz");
    must_refuse(band(20e6, -5e6, 2e6, 1), "fd_hz");
    must_refuse(band(20e6, (double)NAN, 2e6, 1), "fd_hz");
    must_refuse(band(20e6, 5e6, 0, 1), "bandwidth_hz");
    must_refuse(band(20e6, 5e6, 10.1e6, 1), "bandwidth_hz");
    must_refuse(band(20e6, 10e6, 1e6, 1), "fs_hz"); /* on half of fs */
    must_refuse(band(20e6, 1e6, 4e6, 1), "fs_hz");  /* over 0 */
    must_refuse(band(20e6 / 3, 5e6, 3.5e6, 1), "fs_hz");
    must_refuse(band(20e6, 5e6, 4e6, 6), "decimation");
    must_refuse(band(20e6, 5e6, 4e6, 0), "decimation");
    must_refuse(band(20e6, 5e6, 1e5, 1), "narrow");
    assert_near(sac_demodulate_widest_hz(20e6, 5e6, 1), 10e6, 1e-3);
    assert_near(sac_demodulate_widest_hz(20e6, 5e6, 4), 5e6, 1e-3);
    assert_near(sac_demodulate_widest_hz(20e6 / 3, 5e6, 1), 10e6 / 3, 1e-3);
}

static void demodulate_wrong_arrays_are_refused(void **state)
{
    (void)state;
    sac_demodulation d = band(20e6, 5e6, 4e6, 2);
    sac_array in = view(rf, SAC_F32, 2, N), out = view(iq[0], SAC_C64, 2, N / 2);
    sac_array wrong = view(iq[0], SAC_C64, 2, N / 2 - 1);
    assert_failed(sac_demodulate(&wrong, &in, &d, &err), SAC_E_SHAPE, &err, "out");
    wrong = view(iq[0], SAC_C64, 1, N / 2);
    assert_failed(sac_demodulate(&wrong, &in, &d, &err), SAC_E_SHAPE, &err, "out");
    wrong = view(iq[0], SAC_F32, 2, N / 2);
    assert_failed(sac_demodulate(&wrong, &in, &d, &err), SAC_E_SHAPE, &err, "c64");
    wrong = view(iq[0], SAC_C64, 2, N / 2);
    assert_failed(sac_demodulate(&out, &wrong, &d, &err), SAC_E_SHAPE, &err, "in");
    assert_failed(sac_demodulate(&out, NULL, &d, &err), SAC_E_INVALID, &err, "in");
    assert_failed(sac_demodulate(&out, &in, NULL, &err), SAC_E_INVALID, &err, "demodulation");
    for (int64_t n = 0; n < 4; n++) { /* records shorter than the filter, and none */
        in = view(rf, SAC_F32, 2, n);
        out = view(iq[0], SAC_C64, 2, (n + 1) / 2);
        assert_ok(sac_demodulate(&out, &in, &d, &err), &err);
    }
}

static void envelope_of_iq_is_its_magnitude(void **state)
{
    (void)state;
    const float z[] = {3,      4,       -3, 4, 0,   -2, 3e30F, 4e30F,
                       3e-30F, -4e-30F, 0,  0, NAN, 1,  0,     INFINITY};
    const float want[] = {5, 5, 2, 5e30F, 5e-30F, 0, NAN, INFINITY};
    memcpy(iq[0], z, sizeof z);
    sac_array in = view(iq[0], SAC_C64, 2, 4), out = view(image[0], SAC_F32, 2, 4);
    assert_ok(sac_envelope(&out, &in, 0, &err), &err);
    for (int i = 0; i < 8; i++)
        assert_true(image[0][i] == want[i] || (isnan(image[0][i]) && isnan(want[i])));
    assert_ok(sac_array_flip(&in, &in, 1, &err), &err);
    assert_ok(sac_envelope(&out, &in, 0, &err), &err);
    assert_true(image[0][0] == want[3] && image[0][3] == want[0]);
}

static void envelope_of_a_modulated_gaussian_is_the_gaussian(void **state)
{
    (void)state;
    const double sigma = 12;
    for (int i = 0; i < N; i++) {
        double at = (i - 600) / sigma;
        rf[i] = (float)(exp(-0.5 * at * at) * cos(1.7 * (i - 600) + 0.4));
    }
    sac_array in = view(rf, SAC_F32, 1, N), out = view(image[0], SAC_F32, 1, N);
    assert_ok(sac_envelope(&out, &in, 1, &err), &err);
    for (int i = 0; i < N; i++) {
        double at = (i - 600) / sigma;
        assert_near((double)image[0][i], exp(-0.5 * at * at), HILBERT + 1e-6);
    }
}

static void envelope_of_tones_keeps_what_is_stated(void **state)
{
    (void)state;
    for (int k = 0; k <= 86; k++) {
        double cycles = 0.035 + 0.005 * k;
        fill_tone(cycles, 1, 0.3);
        sac_array in = view(rf, SAC_F32, 1, N), out = view(image[0], SAC_F32, 1, N);
        assert_ok(sac_envelope(&out, &in, 1, &err), &err);
        for (int i = 31; i < N - 31; i++)
            assert_near((double)image[0][i], 1, HILBERT + 1e-6);
    }
}

static void envelope_along_any_axis_is_the_same(void **state)
{
    (void)state;
    enum { W = 12, H = 100 };
    const int32_t swap[] = {1, 0};
    for (int i = 0; i < N; i++)
        rf[i] = (float)sin(0.37 * i * i);
    sac_array in = view(rf, SAC_F32, H, W), out = view(image[0], SAC_F32, H, W);
    assert_ok(sac_envelope(&out, &in, 0, &err), &err);
    sac_array to = view(image[1], SAC_F32, W, H);
    assert_ok(sac_array_permute(&in, &in, swap, &err), &err);
    assert_ok(sac_array_flip(&in, &in, 0, &err), &err);
    assert_ok(sac_array_flip(&to, &to, 0, &err), &err);
    assert_ok(sac_envelope(&to, &in, 1, &err), &err);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            assert_true(image[0][y * W + x] == image[1][x * H + y]);
    assert_failed(sac_envelope(&to, &in, 2, &err), SAC_E_SHAPE, &err, "axis");
    assert_failed(sac_envelope(&out, &in, 0, &err), SAC_E_SHAPE, &err, "out");
    in = view(rf, SAC_F32, 0, W);
    out = view(image[0], SAC_F32, 0, W);
    assert_ok(sac_envelope(&out, &in, 0, &err), &err);
}

static void compress_exact_points_come_out_exactly(void **state)
{
    (void)state;
    const float x[] = {3, 1.5F, 0.3F, 3e-3F, 3e-4F, 0, -1, NAN, INFINITY, -INFINITY};
    const double want[] = {0, -6.020599913, -20, -60, -60, -60, -60, -60, 0, -60};
    memcpy(rf, x, sizeof x);
    sac_array in = view(rf, SAC_F32, 1, 10), out = view(image[0], SAC_F32, 1, 10);
    assert_ok(sac_compress(&out, &in, 60, &err), &err);
    for (int i = 0; i < 10; i++)
        assert_near((double)image[0][i], want[i], want[i] == 0 || i > 3 ? 0 : 1e-5);
}

static void compress_every_frame_has_a_maximum_of_its_own(void **state)
{
    (void)state;
    const float x[] = {1, 10, 100, 2e-30F, 2e-29F, 2e-28F, 0, 0, 0, -1, NAN, 0};
    memcpy(rf, x, sizeof x);
    sac_array in = view(rf, SAC_F32, 4, 3), out = view(image[0], SAC_F32, 4, 3);
    assert_ok(sac_compress(&out, &in, 50, &err), &err);
    for (int i = 0; i < 12; i++)
        assert_near((double)image[0][i], i < 6 ? -20 * (2 - i % 3) : -50, i % 3 == 2 ? 0 : 1e-5);
}

static void compress_in_place_backwards_gives_the_same(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++)
        rf[i] = (float)fabs(sin(0.1 * i * i));
    sac_array in = view(rf, SAC_F32, 2, N / 2), out = view(image[0], SAC_F32, 2, N / 2);
    assert_ok(sac_compress(&out, &in, 60, &err), &err);
    for (int32_t k = 0; k < 2; k++)
        assert_ok(sac_array_flip(&in, &in, k, &err), &err);
    assert_ok(sac_compress(&in, &in, 60, &err), &err);
    assert_memory_equal(rf, image[0], sizeof image[0]);
}

static void compress_every_float_of_an_octave_is_within_the_bound(void **state)
{
    (void)state;
    sac_array in = view(rf, SAC_F32, 1, N), out = view(image[0], SAC_F32, 1, N);
    const uint32_t half = 0x3f000000, one = 0x3f800000;
    for (uint32_t bits = half; bits < one; bits += N - 1) {
        for (uint32_t i = 1; i < N; i++) {
            uint32_t at = bits + i - 1 < one ? bits + i - 1 : one;
            memcpy(&rf[i], &at, sizeof at);
        }
        rf[0] = 1;
        assert_ok(sac_compress(&out, &in, 60, &err), &err);
        for (int i = 0; i < N; i++)
            if (!(fabs((double)image[0][i] - 20 * log10((double)rf[i])) <= 1.5e-6))
                assert_near((double)image[0][i], 20 * log10((double)rf[i]), 1.5e-6);
    }
    for (double db = 0; db < 700; db += 0.77) {
        rf[0] = 1;
        rf[1] = (float)pow(10, -db / 20);
        assert_ok(sac_compress(&out, &in, 700, &err), &err);
        assert_near((double)image[0][1], 20 * log10((double)rf[1]), 2e-6 + 1.4e-7 * db);
    }
}

static void compress_wrong_arguments_are_refused(void **state)
{
    (void)state;
    sac_array in = view(rf, SAC_F32, 1, N), out = view(image[0], SAC_F32, 1, N);
    const double ranges[] = {0, -60, 701, (double)NAN, (double)INFINITY};
    for (int i = 0; i < 5; i++)
        assert_failed(sac_compress(&out, &in, ranges[i], &err), SAC_E_INVALID, &err, "range_db");
    sac_array wrong = view(image[0], SAC_F32, 1, N - 1);
    assert_failed(sac_compress(&wrong, &in, 60, &err), SAC_E_SHAPE, &err, "out");
    wrong = view(iq[0], SAC_C64, 1, N);
    assert_failed(sac_compress(&out, &wrong, 60, &err), SAC_E_SHAPE, &err, "in");
}

static void signal_steps_without_memory_say_so(void **state)
{
    (void)state;
    sac_demodulation d = band(20e6, 5e6, 4e6, 1);
    sac_array in = view(rf, SAC_F32, 2, N / 4), out = view(iq[0], SAC_C64, 2, N / 2);
    sac_array real = view(image[0], SAC_F32, 2, N / 4);
    out.shape[1] = N / 4; /* every other sample: a record in between is needed */
    out.stride[1] *= 2;
    int n = 0;
    for (sac_status status = SAC_E_NOMEM; status; n++) {
        refuse_from(n);
        status = sac_demodulate(&out, &in, &d, &err);
        sac_alloc_hook(NULL);
        if (status)
            assert_failed(status, SAC_E_NOMEM, &err, "memory");
    }
    assert_int_equal(n, 9);
    refuse_from(0);
    sac_status status = sac_envelope(&real, &in, 0, &err);
    sac_alloc_hook(NULL);
    assert_failed(status, SAC_E_NOMEM, &err, "memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demodulate_a_tone_gives_its_amplitude_and_phase),
        cmocka_unit_test(demodulate_with_decimation_keeps_every_dth_sample),
        cmocka_unit_test(demodulate_undersampled_data_finds_the_carrier),
        cmocka_unit_test(demodulate_a_tone_outside_the_band_is_gone),
        cmocka_unit_test(demodulate_a_pulse_stays_where_it_is),
        cmocka_unit_test(demodulate_a_long_record_keeps_its_phase),
        cmocka_unit_test(demodulate_the_filter_keeps_what_is_stated),
        cmocka_unit_test(demodulate_nan_touches_its_neighbors_alone),
        cmocka_unit_test(demodulate_any_strides_give_the_same_bytes),
        cmocka_unit_test(demodulate_a_band_that_does_not_fit_is_refused),
        cmocka_unit_test(demodulate_wrong_arrays_are_refused),
        cmocka_unit_test(envelope_of_iq_is_its_magnitude),
        cmocka_unit_test(envelope_of_a_modulated_gaussian_is_the_gaussian),
        cmocka_unit_test(envelope_of_tones_keeps_what_is_stated),
        cmocka_unit_test(envelope_along_any_axis_is_the_same),
        cmocka_unit_test(compress_exact_points_come_out_exactly),
        cmocka_unit_test(compress_every_frame_has_a_maximum_of_its_own),
        cmocka_unit_test(compress_in_place_backwards_gives_the_same),
        cmocka_unit_test(compress_every_float_of_an_octave_is_within_the_bound),
        cmocka_unit_test(compress_wrong_arguments_are_refused),
        cmocka_unit_test(signal_steps_without_memory_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
