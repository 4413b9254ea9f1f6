/*
 * mlp_f32 against the formula of a model as it is given, unpacked: tiles, activations, and
 * frames together or one by one; each in every variant that this CPU can run.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>

#include <saccade/device.h>

#include "meltpool/kernels/mlp_f32/mlp_f32.h"

enum { FEATURES = SAC_MELTPOOL_FEATURES, OUTPUTS = SAC_MELTPOOL_PREDICTIONS, N = 7, MOST = 500 };

static float mean[FEATURES], scale[FEATURES], w1[MOST * FEATURES], b1[MOST], w2[OUTPUTS * MOST];
static float b2[OUTPUTS], features[N * FEATURES];

/* -1 .. 1, the same in every run. */
static float next(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return (float)(*random >> 8) * 0x1p-23f - 1;
}

static void make(sac_meltpool_model *m, int32_t n_hidden, int32_t output)
{
    uint32_t random = (uint32_t)n_hidden;
    for (int32_t i = 0; i < FEATURES; i++) {
        mean[i] = 1000 * next(&random);
        scale[i] = 5 + 4 * next(&random);
    }
    for (int32_t i = 0; i < n_hidden * FEATURES; i++)
        w1[i] = next(&random) / 4;
    for (int32_t i = 0; i < n_hidden; i++)
        b1[i] = next(&random);
    for (int32_t i = 0; i < OUTPUTS * n_hidden; i++)
        w2[i] = next(&random) / 4;
    for (int32_t i = 0; i < OUTPUTS; i++)
        b2[i] = next(&random);
    for (int32_t i = 0; i < N * FEATURES; i++)
        features[i] = mean[i % FEATURES] + 2 * scale[i % FEATURES] * next(&random);
    *m = (sac_meltpool_model){sizeof *m, n_hidden, output, mean, scale, w1, b1, w2, b2};
}

/* *size: the sum of magnitudes that the result is a sum of. */
static double predict(double *size, const sac_meltpool_model *m, int64_t k, int32_t o)
{
    double y = (double)b2[o];
    *size = fabs(y);
    for (int32_t h = 0; h < m->n_hidden; h++) {
        double x = (double)b1[h], all = fabs(x);
        for (int32_t i = 0; i < FEATURES; i++) {
            const double z =
                ((double)features[k * FEATURES + i] - (double)mean[i]) / (double)scale[i];
            x += (double)w1[h * FEATURES + i] * z;
            all += fabs((double)w1[h * FEATURES + i] * z);
        }
        y += (double)w2[o * m->n_hidden + h] * fmax(x, 0);
        *size += fabs((double)w2[o * m->n_hidden + h]) * all;
    }
    return m->output == SAC_MELTPOOL_SOFTPLUS ? log(1 + exp(y)) : y;
}

static void check(const sac_variant *v, const sac_meltpool_net *net, const sac_meltpool_model *m)
{
    const sac_mlp_f32_fn fn = (sac_mlp_f32_fn)v->fn;
    float out[N * OUTPUTS], one[OUTPUTS];
    fn(out, features, N, net);
    for (int64_t k = 0; k < N; k++) {
        fn(one, features + k * FEATURES, 1, net);
        assert_memory_equal(one, out + k * OUTPUTS, sizeof one);
        for (int32_t o = 0; o < OUTPUTS; o++) {
            double size;
            const double want = predict(&size, m, k, o), error = (double)one[o] - want;
            if (!(fabs(error) <= 1e-6 * size))
                fail_msg("%s, %d hidden units, frame %d: expected %g, got %g", v->name, m->n_hidden,
                         (int)k, want, (double)one[o]);
        }
    }
}

static void net_of_any_width_predicts_what_the_models_formula_says(void **unused)
{
    static const int32_t widths[] = {1, 16, 164, 176, 177, MOST};
    (void)unused;
    for (size_t i = 0; i < 2 * sizeof widths / sizeof widths[0]; i++) {
        sac_meltpool_model m;
        sac_meltpool_net *net = NULL;
        sac_error err = {0};
        make(&m, widths[i / 2], i % 2 ? SAC_MELTPOOL_SOFTPLUS : SAC_MELTPOOL_LINEAR);
        assert_ok(sac_meltpool_net_open(&net, &m, &err), &err);
        for (const sac_variant *v = sac_mlp_f32_room.variants; v->name; v++)
            if (!(v->needs & ~sac_cpu_features()))
                check(v, net, &m);
        sac_meltpool_net_close(&net);
        assert_null(net);
    }
}

static void assert_refused(const sac_meltpool_model *m, const char *word)
{
    sac_meltpool_net *net = NULL;
    sac_error err = {0};
    assert_failed(sac_meltpool_net_open(&net, m, &err), SAC_E_INVALID, &err, word);
    assert_null(net);
}

static void net_of_a_bad_model_is_refused_by_name(void **unused)
{
    (void)unused;
    sac_meltpool_model m, bad;
    assert_refused(NULL, "NULL");
    make(&m, 3, SAC_MELTPOOL_LINEAR);
    bad = m;
    bad.struct_size--;
    assert_refused(&bad, "struct_size");
    bad = m;
    bad.n_hidden = SAC_MELTPOOL_MAX_HIDDEN + 1;
    assert_refused(&bad, "4097");
    bad = m;
    bad.output = 2;
    assert_refused(&bad, "output 2");
    bad = m;
    bad.mean = NULL;
    assert_refused(&bad, "mean is NULL");
    w2[5] = NAN;
    assert_refused(&m, "w2[5]");
    make(&m, 3, SAC_MELTPOOL_LINEAR);
    scale[39] = -1;
    assert_refused(&m, "scale[39]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(net_of_any_width_predicts_what_the_models_formula_says),
        cmocka_unit_test(net_of_a_bad_model_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
