/*
 * Adaptive weights of beamform's plans: coherent echoes stay as they are, silence is silent, and
 * what is refused. Formulas are compared with NumPy by tests/golden/adaptive_numpy.py, plans in
 * random configurations by tests/gpu/test_beamform_plans.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include "curved.h"
#include "refusal.h"

#define N 21
#define N_RX 40
#define N_TX 3

static const double target[3] = {0.4e-3, 0, 18e-3};
static const char *const reductions[] = {"cf",     "gcf",   "gcf:3",   "scf",  "scf:2", "dmas",
                                         "dmas:3", "mv:12", "mv:0.33", "slsc", "slsc:5"};
enum { N_REDUCTIONS = sizeof reductions / sizeof *reductions };

static sac_array beamform(const sac_beamform_desc *desc, const sac_array *in)
{
    sac_beamform *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_beamform_open(&plan, desc, &err), &err);
    sac_array out = output_of(plan);
    assert_int_equal(sac_beamform_run(plan, &out, in, &err), SAC_OK);
    sac_beamform_close(&plan);
    return out;
}

/* N_TX plane waves, N_RX elements, and the echoes of the target. */
static float complex *echoes(scene *s, int32_t n_rx, int32_t n_tx, int64_t n_frames)
{
    double tau[N_TX];
    linear_scene(s, n_rx, n_tx);
    s->n_samples = 700;
    s->n_frames = n_frames;
    for (int t = 0; t < n_tx; t++) {
        const double a = s->transmits[t].azimuth_rad = 0.1 * (t - 1);
        tau[t] = (target[0] * sin(a) + target[2] * cos(a)) / s->acquisition.c_m_s;
    }
    return echo_iq(s, target, tau);
}

static bool is_slsc(const char *reduction)
{
    return !strncmp(reduction, "slsc", 4);
}

static bool is_over(const char *reduction, int32_t over)
{
    return over != SAC_OVER_ALL || reduction[0] == 'c' || !strncmp(reduction, "scf", 3) ||
           reduction[0] == 'd';
}

static void adaptive_weights_leave_a_coherent_echo_as_it_is(void **state)
{
    (void)state;
    scene s;
    float complex *iq = echoes(&s, N_RX, N_TX, 1);
    sac_array in = channel_array(&s, SAC_C64, iq);
    sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 0.6e-3, N);
    for (int i = 0; i < N_REDUCTIONS; i++)
        for (int32_t over = SAC_OVER_AUTO; over <= SAC_OVER_ALL; over++) {
            desc.reduction = reductions[i];
            desc.reduction_over = over;
            if (!is_over(reductions[i], over))
                continue;
            sac_array out = beamform(&desc, &in);
            const float complex *image = out.data;
            const double each = over == SAC_OVER_COMPOUND || over == SAC_OVER_ALL ? 1 : N_TX;
            const double all = is_slsc(reductions[i]) ? each : N_RX * N_TX;
            assert_near(creal(image[N * N / 2]) / all, 1, 0.03); /* linear interpolation's loss */
            assert_near(cimag(image[N * N / 2]) / all, 0, 0.01);
            for (int k = 0; k < N * N; k++)
                assert_true(cabsf(image[k]) <= 1.001F * cabsf(image[N * N / 2]));
            free(out.data);
        }
    free(iq);
}

static void adaptive_weights_of_silence_are_zero(void **state)
{
    (void)state;
    static const double far[3] = {30e-3, 0, 4e-3}; /* outside of every aperture */
    scene s;
    linear_scene(&s, N_RX, N_TX);
    float complex *iq = calloc((size_t)(N_TX * N_RX * s.n_samples), sizeof *iq);
    sac_array in = channel_array(&s, SAC_C64, iq);
    for (int i = 0; i < 2 * N_REDUCTIONS; i++) {
        sac_beamform_desc desc = scene_desc(&s, SAC_C64, i % 2 ? far : target, 0.6e-3, N);
        desc.reduction = reductions[i / 2];
        desc.f_number = i % 2;
        for (int64_t k = 0; k < N_TX * N_RX * s.n_samples; k++)
            iq[k] = i % 2 ? 1 : 0;
        sac_array out = beamform(&desc, &in);
        for (int k = 0; k < N * N; k++)
            assert_true(((const float complex *)out.data)[k] == 0);
        free(out.data);
        desc.output = SAC_OUTPUT_BMODE;
        out = beamform(&desc, &in);
        for (int k = 0; k < N * N; k++)
            assert_true(((const float *)out.data)[k] == -60);
        free(out.data);
    }
    free(iq);
}

static void adaptive_weights_of_one_element_are_its_signal(void **state)
{
    (void)state;
    scene s;
    float complex *iq = echoes(&s, 1, 1, 1);
    sac_array in = channel_array(&s, SAC_C64, iq);
    sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 0.2e-3, N);
    sac_array sum = beamform(&desc, &in);
    for (int i = 0; i < N_REDUCTIONS; i++) {
        desc.reduction = reductions[i];
        sac_array out = beamform(&desc, &in);
        for (int k = 0; k < N * N; k++) {
            const float complex a = ((const float complex *)out.data)[k],
                                b = ((const float complex *)sum.data)[k];
            assert_true(is_slsc(reductions[i]) ? a == 0 : cabsf(a - b) <= 1e-5F);
        }
        free(out.data);
    }
    free(sum.data);
    free(iq);
}

/* Frame f is 1 + f times the first. */
static void adaptive_weights_of_frames_are_those_of_each(void **state)
{
    (void)state;
    static const int64_t counts[] = {1, 2, 33, 70};
    scene s;
    for (int i = 0; i < 4 * N_REDUCTIONS; i++) {
        float complex *iq = echoes(&s, 12, 2, counts[i % 4]);
        sac_array in = channel_array(&s, SAC_C64, iq);
        sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 0.6e-3, 9);
        desc.reduction = reductions[i / 4];
        sac_array one = beamform(&desc, &in);
        const float complex *image = one.data;
        for (int64_t k = 0; k < counts[i % 4] * 81; k++) {
            const float scale = is_slsc(desc.reduction) ? 1 : (float)(1 + k / 81);
            assert_true(cabsf(image[k] - scale * image[k % 81]) <= 1e-3F * scale);
        }
        desc.n_threads = 3;
        sac_array three = beamform(&desc, &in);
        assert_memory_equal(one.data, three.data, (size_t)counts[i % 4] * 81 * sizeof *image);
        free(one.data);
        free(three.data);
        free(iq);
    }
}

static void adaptive_weights_nan_stays_in_its_frame(void **state)
{
    (void)state;
    scene s;
    float complex *iq = echoes(&s, N_RX, N_TX, 2);
    const int64_t n_frame = N_TX * N_RX * s.n_samples;
    for (int64_t k = 0; k < s.n_samples; k++)
        iq[n_frame + 5 * s.n_samples + k] = NAN;
    sac_array in = channel_array(&s, SAC_C64, iq);
    sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 0.6e-3, N);
    for (int i = 0; i < N_REDUCTIONS; i++) {
        desc.reduction = reductions[i];
        sac_array out = beamform(&desc, &in);
        for (int k = 0; k < 2 * N * N; k++) {
            const float re = crealf(((const float complex *)out.data)[k]);
            assert_true(k < N * N ? isfinite(re) : isnan(re));
        }
        free(out.data);
    }
    free(iq);
}

static void adaptive_weights_lris_compound_to_the_image(void **state)
{
    (void)state;
    scene s;
    float complex *iq = echoes(&s, N_RX, N_TX, 1);
    s.transmits[1].weight = 0.5;
    sac_array in = channel_array(&s, SAC_C64, iq);
    sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 0.6e-3, N);
    desc.reduction_over = SAC_OVER_TRANSMIT;
    for (int i = 0; i < N_REDUCTIONS; i++) {
        desc.reduction = reductions[i];
        desc.lri = false;
        sac_array out = beamform(&desc, &in);
        desc.lri = true;
        sac_array lris = beamform(&desc, &in);
        const float complex *x = lris.data;
        for (int k = 0; k < N * N; k++) {
            const float complex sum = x[k] + 0.5F * x[N * N + k] + x[2 * N * N + k];
            assert_true(cabsf(((const float complex *)out.data)[k] - sum) <= 1e-3F);
        }
        free(out.data);
        free(lris.data);
    }
    free(iq);
}

/* Two elements in opposite phase: a coherence of -1, of which nothing is shown. */
static void adaptive_weights_negative_coherence_has_no_envelope(void **state)
{
    (void)state;
    scene s;
    float complex *iq = echoes(&s, 2, 1, 1);
    for (int64_t k = s.n_samples; k < 2 * s.n_samples; k++)
        iq[k] = -iq[k];
    sac_array in = channel_array(&s, SAC_C64, iq);
    sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 0, 1);
    desc.reduction = "slsc:1";
    sac_array out = beamform(&desc, &in);
    assert_near(creal(((const float complex *)out.data)[0]), -1, 1e-4);
    free(out.data);
    desc.output = SAC_OUTPUT_ENVELOPE;
    out = beamform(&desc, &in);
    assert_true(((const float *)out.data)[0] == 0);
    free(out.data);
    free(iq);
}

static void adaptive_weights_refuse_what_they_cannot(void **state)
{
    (void)state;
    static const struct {
        const char *reduction, *word;
    } wrong[] = {{"", "reduction"},       {"cff", "`cff`"},       {"cf:1", "`cf:1`"},
                 {"gcf:-1", "gcf:M0"},    {"gcf:1.5", "gcf:M0"},  {"scf:0", "scf:P"},
                 {"scf:", "scf:P"},       {"dmas:0.5", "dmas:P"}, {"dmas:2x", "dmas:P"},
                 {"slsc:0", "slsc:Q"},    {"slsc:1.5", "slsc:Q"}, {"mv:0.6", "mv:L"},
                 {"mv:nan", "mv:L"},      {"sum:1", "`sum:1`"},   {"MV", "`MV`"},
                 {"slsc:-0.3", "slsc:Q"}, {"mv:1e9", "mv:L"}};
    scene s;
    sac_beamform *plan = NULL;
    sac_error err = {0};
    linear_scene(&s, N_RX, N_TX);
    const sac_beamform_desc valid = scene_desc(&s, SAC_C64, target, 0.6e-3, N);
    sac_beamform_desc d = valid;
#define REFUSED(status, word)                                                                      \
    assert_failed(sac_beamform_open(&plan, &d, &err), status, &err, word);                         \
    assert_null(plan);                                                                             \
    d = valid
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        d.reduction = wrong[i].reduction;
        REFUSED(SAC_E_INVALID, wrong[i].word);
    }
    d.reduction_over = SAC_OVER_ALL;
    REFUSED(SAC_E_INVALID, "reduction-over");
    d.reduction = "cf", d.reduction_over = 7;
    REFUSED(SAC_E_INVALID, "reduction-over");
    d.reduction = "mv", d.reduction_loading = 0;
    REFUSED(SAC_E_INVALID, "reduction-loading");
    d.reduction = "mv", d.reduction_over = SAC_OVER_ALL;
    REFUSED(SAC_E_UNSUPPORTED, "reduction-over");
    d.reduction = "mv", d.lri = true;
    REFUSED(SAC_E_UNSUPPORTED, "take transmit");
    d.reduction = "cf", d.reduction_over = SAC_OVER_ALL, d.tx_f_number = 2;
    REFUSED(SAC_E_UNSUPPORTED, "take transmit");
    d.reduction = "cf", d.dtype = SAC_F32, d.demodulate = SAC_DEMODULATE_NO;
    REFUSED(SAC_E_UNSUPPORTED, "demodulate");
    sac_probe_matrix(s.elements, 8, 5, 0.3e-3, 0.3e-3);
    d.reduction = "slsc";
    REFUSED(SAC_E_UNSUPPORTED, "one line");
    d.reduction = "cf";
    assert_ok(sac_beamform_open(&plan, &d, &err), &err);
    sac_beamform_close(&plan);
#undef REFUSED
}

static void adaptive_weights_open_without_memory_fails_cleanly(void **state)
{
    (void)state;
    scene s;
    sac_beamform *plan = NULL;
    sac_error err = {0};
    linear_scene(&s, N_RX, N_TX);
    sac_beamform_desc desc = scene_desc(&s, SAC_C64, target, 0.6e-3, N);
    desc.reduction = "mv";
    sac_status status = SAC_E_NOMEM;
    for (int n = 0; n < 100 && status != SAC_OK; n++) {
        refuse_from(n);
        status = sac_beamform_open(&plan, &desc, &err);
        assert_true(status == SAC_OK ? plan != NULL : plan == NULL);
        assert_true(status == SAC_OK || status == SAC_E_NOMEM);
    }
    sac_alloc_hook(NULL);
    assert_int_equal(status, SAC_OK);
    sac_beamform_close(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adaptive_weights_leave_a_coherent_echo_as_it_is),
        cmocka_unit_test(adaptive_weights_of_silence_are_zero),
        cmocka_unit_test(adaptive_weights_of_one_element_are_its_signal),
        cmocka_unit_test(adaptive_weights_of_frames_are_those_of_each),
        cmocka_unit_test(adaptive_weights_nan_stays_in_its_frame),
        cmocka_unit_test(adaptive_weights_lris_compound_to_the_image),
        cmocka_unit_test(adaptive_weights_negative_coherence_has_no_envelope),
        cmocka_unit_test(adaptive_weights_refuse_what_they_cannot),
        cmocka_unit_test(adaptive_weights_open_without_memory_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
