/*
 * Interpolation at given delays, and sums over an axis, as users call them: ends, NaN, any strides
 * and axes, sizes of 0, and what is refused.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <float.h>
#include <math.h>

#include <saccade/signal.h>

#include "refusal.h"

#define PI 3.14159265358979323846

static sac_error err;

static sac_array view(void *data, sac_dtype dtype, int32_t n_dims, const int64_t *shape)
{
    sac_array a;
    assert_ok(sac_array_view(&a, data, dtype, n_dims, shape, &err), &err);
    return a;
}

static sac_array line(void *data, sac_dtype dtype, int64_t n)
{
    return view(data, dtype, 1, &n);
}

/* One record at n delays against what is wanted, of each type of samples and delays. */
static void assert_values(const int16_t *record, int64_t n_samples, const double *delays,
                          const double *wanted, int64_t n, sac_interp interp, sac_outside outside)
{
    float f32[16], c64[32], short_delays[32], out[64];
    double long_delays[32];
    for (int64_t i = 0; i < n_samples; i++) {
        f32[i] = c64[2 * i] = record[i];
        c64[2 * i + 1] = (float)-record[i];
    }
    for (int64_t i = 0; i < n; i++) {
        short_delays[i] = (float)delays[i];
        long_delays[i] = delays[i];
    }
    int16_t i16[16];
    memcpy(i16, record, (size_t)n_samples * sizeof *i16);
    const sac_array ins[] = {line(i16, SAC_I16, n_samples), line(f32, SAC_F32, n_samples),
                             line(c64, SAC_C64, n_samples)};
    const sac_array all_delays[] = {line(short_delays, SAC_F32, n), line(long_delays, SAC_F64, n)};
    for (int k = 0; k < 6; k++) {
        const int step = k % 3 == 2 ? 2 : 1;
        sac_array to = line(out, step == 2 ? SAC_C64 : SAC_F32, n);
        assert_ok(sac_interpolate(&to, &ins[k % 3], &all_delays[k / 3], interp, outside, &err),
                  &err);
        for (int64_t i = 0; i < n; i++) {
            assert_float_equal(out[i * step], wanted[i], 1e-4);
            if (step == 2)
                assert_float_equal(out[2 * i + 1], -wanted[i], 1e-4);
        }
    }
}

static const int16_t record[] = {10, 20, 40, -80, 160};

static void interpolate_linear_holds_at_the_ends_and_is_zero_outside(void **state)
{
    (void)state;
    const double at[] = {0, -0.0, 0.5, 1, 3.75, 4, 4.001, -0.001, 1e30, -1e30, NAN, INFINITY};
    const double wanted[] = {10, 10, 15, 20, 100, 160, 0, 0, 0, 0, 0, 0};
    assert_values(record, 5, at, wanted, 12, SAC_INTERP_LINEAR, SAC_OUTSIDE_ZERO);
}

static void interpolate_clamp_holds_the_end_samples_and_nan_the_first(void **state)
{
    (void)state;
    const double at[] = {-3, 0, 3.5, 4, 4.5, 1e30, -1e30, NAN, INFINITY, -INFINITY};
    const double wanted[] = {10, 10, 40, 160, 160, 160, 10, 10, 160, 10};
    assert_values(record, 5, at, wanted, 10, SAC_INTERP_LINEAR, SAC_OUTSIDE_CLAMP);
}

static void interpolate_nearest_takes_halves_up(void **state)
{
    (void)state;
    const double at[] = {0, 0.49, 0.5, 1.49, 1.5, 3.5, 4, 4.2, -0.2, NAN};
    const double wanted[] = {10, 10, 20, 20, 40, 160, 160, 0, 0, 0};
    assert_values(record, 5, at, wanted, 10, SAC_INTERP_NEAREST, SAC_OUTSIDE_ZERO);
}

/* A cubic's own values come back where all four samples are there; beside the ends it is linear. */
static void interpolate_cubic_is_exact_for_parabolas_and_linear_at_the_ends(void **state)
{
    (void)state;
    const int16_t parabola[] = {0, 1, 4, 9, 16, 25, 36};
    const double at[] = {1, 1.5, 2.25, 4.75, 5, 0.5, 5.5, 6, 6.5};
    const double wanted[] = {1, 2.25, 5.0625, 22.5625, 25, 0.5, 30.5, 36, 0};
    assert_values(parabola, 7, at, wanted, 9, SAC_INTERP_CUBIC, SAC_OUTSIDE_ZERO);
}

static void interpolate_one_sample_gives_it_at_zero_only(void **state)
{
    (void)state;
    const double at[] = {0, 0.1, -0.1};
    for (int k = SAC_INTERP_NEAREST; k <= SAC_INTERP_CUBIC; k++) {
        assert_values(record, 1, at, (double[]){10, 0, 0}, 3, (sac_interp)k, SAC_OUTSIDE_ZERO);
        assert_values(record, 1, at, (double[]){10, 10, 10}, 3, (sac_interp)k, SAC_OUTSIDE_CLAMP);
    }
}

/* docs/numerics.md: rms error of a tone of x cycles a sample, relative, over all delays. */
static void assert_tone_error(double x, sac_interp interp, double wanted)
{
    enum { N = 400, P = 20000 };
    static float tone[2 * N], at[P], out[2 * P];
    for (int i = 0; i < N; i++) {
        tone[2 * i] = (float)cos(2 * PI * x * i);
        tone[2 * i + 1] = (float)sin(2 * PI * x * i);
    }
    double sum = 0;
    for (int i = 0; i < P; i++)
        at[i] = (float)(2 + (N - 5) * ((double)i / P));
    sac_array in = line(tone, SAC_C64, N), where = line(at, SAC_F32, P), to = line(out, SAC_C64, P);
    assert_ok(sac_interpolate(&to, &in, &where, interp, SAC_OUTSIDE_ZERO, &err), &err);
    for (int i = 0; i < P; i++) {
        const double turn = 2 * PI * x * (double)at[i];
        sum += pow((double)out[2 * i] - cos(turn), 2) + pow((double)out[2 * i + 1] - sin(turn), 2);
    }
    assert_true(fabs(sqrt(sum / P) / wanted - 1) < 0.02);
}

static void interpolate_error_of_a_tone_is_as_derived(void **state)
{
    (void)state;
    const double x[] = {0.0625, 0.08, 0.125, 0.25};
    const double wanted[][4] = {{0.113, 0.145, 0.226, 0.447},
                                {0.0140, 0.0229, 0.0556, 0.213},
                                {0.000784, 0.00175, 0.00786, 0.0876}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++)
            assert_tone_error(x[k], (sac_interp)i, wanted[i][k]);
}

#define LAYERS 6
#define SAMPLES 40
#define POINTS 1100 /* more than two chunks */

static float samples[2 * LAYERS * SAMPLES], results[2 * LAYERS * POINTS],
    other[4 * LAYERS * POINTS];
static double delays[2 * LAYERS * POINTS];

static void fill(void)
{
    for (int i = 0; i < 2 * LAYERS * SAMPLES; i++)
        samples[i] = (float)((i * 7919) % 1000) / 1000;
    for (int i = 0; i < 2 * LAYERS * POINTS; i++)
        delays[i] = (double)((i * 6011) % 44000) / 1000 - 2;
}

/* The same values with every axis backward and gaps between points give the same results. */
static void interpolate_any_strides_give_the_same_results(void **state)
{
    (void)state;
    fill();
    const int64_t in_shape[] = {2, 3, SAMPLES}, shape[] = {2, 3, POINTS};
    sac_array in = view(samples, SAC_F32, 3, in_shape), to = view(results, SAC_F32, 3, shape);
    sac_array at = view(delays, SAC_F64, 3, shape);
    assert_ok(sac_interpolate(&to, &in, &at, SAC_INTERP_LINEAR, SAC_OUTSIDE_ZERO, &err), &err);
    static float turned[LAYERS * SAMPLES];
    static double turned_delays[3 * LAYERS * POINTS];
    sac_array in2 = view(turned, SAC_F32, 3, (int64_t[]){SAMPLES, 3, 2});
    sac_array at2 = view(turned_delays, SAC_F64, 3, (int64_t[]){3, POINTS, 6});
    sac_array to2 = view(other, SAC_F32, 3, (int64_t[]){2, 3, 2 * POINTS});
    assert_ok(sac_array_permute(&in2, &in2, (int32_t[]){2, 1, 0}, &err), &err);
    assert_ok(sac_array_flip(&in2, &in2, 2, &err), &err);
    assert_ok(sac_array_permute(&at2, &at2, (int32_t[]){2, 0, 1}, &err), &err);
    assert_ok(sac_array_range(&at2, &at2, 0, 2, 2, &err), &err);
    to2.shape[2] = POINTS;
    to2.stride[2] *= 2;
    assert_ok(sac_array_flip(&to2, &to2, 2, &err), &err);
#define AT(type, a, i, j, k)                                                                       \
    (*(type *)(void *)((char *)(a).data + (i) * (a).stride[0] + (j) * (a).stride[1] +              \
                       (k) * (a).stride[2]))
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < SAMPLES; k++)
                AT(float, in2, i, j, k) = AT(float, in, i, j, k);
            for (int k = 0; k < POINTS; k++)
                AT(double, at2, i, j, k) = AT(double, at, i, j, k);
        }
    assert_ok(sac_interpolate(&to2, &in2, &at2, SAC_INTERP_LINEAR, SAC_OUTSIDE_ZERO, &err), &err);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < POINTS; k++)
                assert_true(AT(float, to, i, j, k) == AT(float, to2, i, j, k));
}

static void interpolate_size_zero_does_nothing(void **state)
{
    (void)state;
    sac_array in = view(NULL, SAC_F32, 2, (int64_t[]){3, 0});
    sac_array none = view(NULL, SAC_F32, 2, (int64_t[]){3, 0});
    assert_ok(sac_interpolate(&none, &in, &none, SAC_INTERP_LINEAR, SAC_OUTSIDE_ZERO, &err), &err);
}

static void interpolate_wrong_arguments_are_named(void **state)
{
    (void)state;
    sac_array in = view(samples, SAC_F32, 2, (int64_t[]){2, 20});
    sac_array at = view(delays, SAC_F64, 2, (int64_t[]){2, 30});
    sac_array to = view(results, SAC_F32, 2, (int64_t[]){2, 30}), bad;
#define REFUSED(out, in, at, interp, outside, status, word)                                        \
    assert_failed(                                                                                 \
        sac_interpolate(out, in, at, (sac_interp)(interp), (sac_outside)(outside), &err), status,  \
        &err, word)
    REFUSED(&to, NULL, &at, 1, 0, SAC_E_INVALID, "in");
    REFUSED(NULL, &in, &at, 1, 0, SAC_E_INVALID, "out");
    REFUSED(&to, &in, &at, 3, 0, SAC_E_INVALID, "interp");
    REFUSED(&to, &in, &at, 1, 2, SAC_E_INVALID, "outside");
    bad = view(samples, SAC_U8, 2, (int64_t[]){2, 20});
    REFUSED(&to, &bad, &at, 1, 0, SAC_E_SHAPE, "in: expected i16, f32, c64, got u8");
    bad = view(delays, SAC_I16, 2, (int64_t[]){2, 30});
    REFUSED(&to, &in, &bad, 1, 0, SAC_E_SHAPE, "delays: expected f32, f64, got i16");
    bad = view(results, SAC_C64, 2, (int64_t[]){2, 30});
    REFUSED(&bad, &in, &at, 1, 0, SAC_E_SHAPE, "out: expected f32, got c64");
    bad = view(results, SAC_F32, 2, (int64_t[]){2, 29});
    REFUSED(&bad, &in, &at, 1, 0, SAC_E_SHAPE, "out: axis 1 has 29");
    bad = view(samples, SAC_F32, 2, (int64_t[]){3, 20});
    REFUSED(&to, &bad, &at, 1, 0, SAC_E_SHAPE, "in: axis 0 has 3");
    bad = view(samples, SAC_F32, 1, (int64_t[]){20});
    REFUSED(&to, &bad, &at, 1, 0, SAC_E_SHAPE, "in: 1 axes");
    bad = view(NULL, SAC_F32, 2, (int64_t[]){2, 0});
    REFUSED(&to, &bad, &at, 1, 0, SAC_E_SHAPE, "in: expected records");
    assert_ok(sac_array_flip(&bad, &in, 1, &err), &err);
    refuse_from(0);
    REFUSED(&to, &bad, &at, 1, 0, SAC_E_NOMEM, "no memory");
    sac_alloc_hook(NULL);
}

/* Sums of (2, 5, 37) over each axis against sums in double. */
static void sum_each_axis_is_that_of_double(void **state)
{
    (void)state;
    fill();
    const int64_t shape[] = {2, 5, 37};
    static float values[2 * 5 * 37];
    memcpy(values, samples, sizeof values < sizeof samples ? sizeof values : sizeof samples);
    sac_array in = view(values, SAC_F32, 3, shape);
    for (int32_t axis = 0; axis < 3; axis++) {
        const int64_t a = shape[axis == 0], b = shape[axis == 2 ? 1 : 2];
        sac_array to = view(results, SAC_F32, 2, (int64_t[]){a, b});
        assert_ok(sac_sum(&to, &in, axis, &err), &err);
        const ptrdiff_t *s = in.stride;
        for (int64_t i = 0; i < a; i++)
            for (int64_t j = 0; j < b; j++) {
                double sum = 0;
                for (int64_t k = 0; k < shape[axis]; k++)
                    sum += (double)*(float *)(void *)((char *)values + i * s[axis == 0] +
                                                      j * s[axis == 2 ? 1 : 2] + k * s[axis]);
                assert_float_equal(results[i * b + j], sum, 1e-5);
            }
    }
}

/* Complex values, backward and turned, over either axis: the bytes of the plain order. */
static void sum_any_strides_give_the_same_bytes(void **state)
{
    (void)state;
    fill();
    enum { H = 45, W = 131 };
    static float values[2 * H * W], turned[2 * H * W], sums[2][2 * W];
    for (int i = 0; i < 2 * H * W; i++)
        values[i] = (float)sin(i * i % 7919);
    sac_array in = view(values, SAC_C64, 2, (int64_t[]){H, W});
    sac_array in2 = view(turned, SAC_C64, 2, (int64_t[]){W, H});
    assert_ok(sac_array_permute(&in2, &in2, (int32_t[]){1, 0}, &err), &err);
    assert_ok(sac_array_flip(&in2, &in2, 0, &err), &err);
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++)
            memcpy((char *)in2.data + i * in2.stride[0] + j * in2.stride[1],
                   values + 2 * (i * W + j), 2 * sizeof *values);
    for (int32_t axis = 0; axis < 2; axis++) {
        const int64_t n = axis == 0 ? W : H;
        sac_array to = line(sums[0], SAC_C64, n), to2 = line(sums[1], SAC_C64, n);
        assert_ok(sac_array_flip(&to2, &to2, 0, &err), &err);
        assert_ok(sac_sum(&to, &in, axis, &err), &err);
        assert_ok(sac_sum(&to2, &in2, axis, &err), &err);
        for (int64_t i = 0; i < n; i++)
            assert_memory_equal(&sums[0][2 * i], &sums[1][2 * (n - 1 - i)], 2 * sizeof **sums);
    }
}

static void sum_of_one_axis_and_of_nothing(void **state)
{
    (void)state;
    float values[] = {1, 2, 4}, out[3] = {7, 7, 7};
    sac_array in = line(values, SAC_F32, 3), to = line(out, SAC_F32, 1);
    assert_ok(sac_sum(&to, &in, 0, &err), &err);
    assert_true(out[0] == 7);
    in = view(NULL, SAC_F32, 2, (int64_t[]){3, 0});
    to = line(out, SAC_F32, 3);
    assert_ok(sac_sum(&to, &in, 1, &err), &err);
    assert_true(out[0] == 0 && out[2] == 0);
    to = line(NULL, SAC_F32, 0);
    assert_ok(sac_sum(&to, &in, 0, &err), &err);
}

static void sum_wrong_arguments_are_named(void **state)
{
    (void)state;
    sac_array in = view(samples, SAC_F32, 2, (int64_t[]){4, 5}), to = line(results, SAC_F32, 4),
              bad;
    assert_failed(sac_sum(&to, NULL, 0, &err), SAC_E_INVALID, &err, "in");
    assert_failed(sac_sum(&to, &in, 2, &err), SAC_E_SHAPE, &err, "axis");
    assert_failed(sac_sum(&to, &in, -1, &err), SAC_E_SHAPE, &err, "axis");
    assert_failed(sac_sum(&to, &in, 0, &err), SAC_E_SHAPE, &err, "out: axis 0 has 4, expected 5");
    assert_failed(sac_sum(&in, &in, 0, &err), SAC_E_SHAPE, &err, "out: 2 axes");
    bad = line(results, SAC_C64, 4);
    assert_failed(sac_sum(&bad, &in, 1, &err), SAC_E_SHAPE, &err, "out: expected f32, got c64");
    bad = view(samples, SAC_I16, 2, (int64_t[]){4, 5});
    assert_failed(sac_sum(&to, &bad, 1, &err), SAC_E_SHAPE, &err, "in: expected f32, got i16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpolate_linear_holds_at_the_ends_and_is_zero_outside),
        cmocka_unit_test(interpolate_clamp_holds_the_end_samples_and_nan_the_first),
        cmocka_unit_test(interpolate_nearest_takes_halves_up),
        cmocka_unit_test(interpolate_cubic_is_exact_for_parabolas_and_linear_at_the_ends),
        cmocka_unit_test(interpolate_one_sample_gives_it_at_zero_only),
        cmocka_unit_test(interpolate_error_of_a_tone_is_as_derived),
        cmocka_unit_test(interpolate_any_strides_give_the_same_results),
        cmocka_unit_test(interpolate_size_zero_does_nothing),
        cmocka_unit_test(interpolate_wrong_arguments_are_named),
        cmocka_unit_test(sum_each_axis_is_that_of_double),
        cmocka_unit_test(sum_any_strides_give_the_same_bytes),
        cmocka_unit_test(sum_of_one_axis_and_of_nothing),
        cmocka_unit_test(sum_wrong_arguments_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
