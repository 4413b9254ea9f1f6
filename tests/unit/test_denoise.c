/*
 * sac_denoise: what open and run refuse, threads, borders, constant pictures, medians of known
 * windows, the temporal filter over many frames, the noise's estimate.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unit.h"

#include <math.h>

#include <saccade/motion.h>

#include "pictures.h"
#include "refusal.h"

#define W 67
#define H 31

static sac_denoise_desc desc_of(const sac_array *a, int32_t method, int32_t size)
{
    sac_denoise_desc desc;
    sac_denoise_desc_init(&desc);
    desc.h = a->shape[0];
    desc.w = a->shape[1];
    desc.n_channels = a->n_dims == 3 ? (int32_t)a->shape[2] : 1;
    desc.method = method;
    desc.size = size;
    desc.n_threads = 1;
    return desc;
}

static sac_denoise *must_open(const sac_denoise_desc *desc)
{
    sac_denoise *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_denoise_open(&plan, desc, &err), &err);
    assert_non_null(plan);
    return plan;
}

static void must_refuse(const sac_denoise_desc *desc, sac_status wanted, const char *word)
{
    sac_denoise *plan = (sac_denoise *)&allowed; /* open is to set it to NULL */
    sac_error err = {0};
    assert_failed(sac_denoise_open(&plan, desc, &err), wanted, &err, word);
    assert_null(plan);
    assert_int_equal(sac_denoise_open(&plan, desc, NULL), wanted);
}

/* One run of a new plan. */
static void run_once(const sac_array *out, const sac_array *in, const sac_denoise_desc *desc)
{
    sac_denoise *plan = must_open(desc);
    assert_int_equal(sac_denoise_run(plan, out, in, NULL), SAC_OK);
    sac_denoise_close(&plan);
    assert_null(plan);
}

static sac_array view(uint8_t *data, int64_t w, int64_t h)
{
    sac_array a;
    sac_error err = {0};
    assert_ok(sac_array_view(&a, data, SAC_U8, 2, (int64_t[]){h, w}, &err), &err);
    return a;
}

static void open_what_is_wrong_is_refused_by_name(void **state)
{
    (void)state;
    sac_array a = new_picture(SAC_U8, W, H, 3);
    const sac_denoise_desc good = desc_of(&a, SAC_DENOISE_MEDIAN, 3);
    sac_denoise_desc desc = good;
    must_refuse(NULL, SAC_E_INVALID, "desc");
    desc.struct_size = 1;
    must_refuse(&desc, SAC_E_INVALID, "struct_size");
    desc = good;
    desc.w = 0;
    must_refuse(&desc, SAC_E_SHAPE, "w");
    desc = good;
    desc.h = INT64_MAX;
    must_refuse(&desc, SAC_E_SHAPE, "h");
    desc = good;
    desc.n_channels = 5;
    must_refuse(&desc, SAC_E_SHAPE, "n_channels");
    desc = good;
    desc.method = 4;
    must_refuse(&desc, SAC_E_INVALID, "method");
    desc = good;
    desc.size = 4;
    must_refuse(&desc, SAC_E_INVALID, "window");
    desc = good;
    desc.size = 7;
    must_refuse(&desc, SAC_E_INVALID, "window");
    desc = good;
    desc.sigma = NAN;
    must_refuse(&desc, SAC_E_INVALID, "sigma");
    desc = good;
    desc.strength = 1.5;
    must_refuse(&desc, SAC_E_INVALID, "strength");
    desc = good;
    desc.noise = -1;
    must_refuse(&desc, SAC_E_INVALID, "noise");
    desc = good;
    desc.variant = "nonsense";
    must_refuse(&desc, SAC_E_INVALID, "variant");
    desc = good;
    desc.stream = &desc;
    must_refuse(&desc, SAC_E_INVALID, "stream");
    sac_error err = {0};
    assert_failed(sac_denoise_open(NULL, &good, &err), SAC_E_INVALID, &err, "plan");
    free(a.data);
}

static void open_without_memory_is_refused(void **state)
{
    (void)state;
    sac_array a = new_picture(SAC_U8, W, H, 3);
    const sac_denoise_desc desc = desc_of(&a, SAC_DENOISE_TEMPORAL, 3);
    sac_status status = SAC_E_NOMEM;
    for (int n = 0; status != SAC_OK && n < 20; n++) {
        sac_denoise *plan = NULL;
        refuse_from(n);
        status = sac_denoise_open(&plan, &desc, NULL);
        sac_alloc_hook(NULL);
        assert_true(status == SAC_E_NOMEM || status == SAC_OK);
        assert_int_equal(plan == NULL, status != SAC_OK);
        sac_denoise_close(&plan);
    }
    assert_int_equal(status, SAC_OK);
    free(a.data);
}

static void run_frames_that_do_not_fit_is_refused(void **state)
{
    (void)state;
    sac_array in = new_picture(SAC_U8, W, H, 3), out = new_picture(SAC_U8, W, H, 3);
    sac_denoise_desc desc = desc_of(&in, SAC_DENOISE_MEAN, 3);
    sac_denoise *plan = must_open(&desc);
    sac_array other = in;
    other.shape[1]--;
    assert_int_equal(sac_denoise_run(plan, &out, &other, NULL), SAC_E_SHAPE);
    assert_int_equal(sac_denoise_run(plan, &other, &in, NULL), SAC_E_SHAPE);
    other = in;
    other.dtype = SAC_I8;
    assert_int_equal(sac_denoise_run(plan, &out, &other, NULL), SAC_E_SHAPE);
    assert_int_equal(sac_denoise_run(plan, &in, &in, NULL), SAC_E_SHAPE);
    assert_int_equal(sac_denoise_run(plan, &out, &in, NULL), SAC_OK);
    sac_denoise_close(&plan);
    free(in.data);
    free(out.data);
}

/* Every method at every size, by one thread and by three: the same bytes, and no allocation. */
static void run_with_more_threads_gives_the_same_bytes(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{W, H}, {1, 1}, {1, 9}, {9, 1}, {2, 2}, {700, 5}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int32_t channels = 1; channels <= 4; channels++)
            for (int method = 0; method <= SAC_DENOISE_TEMPORAL; method++)
                for (int32_t size = 3; size <= 5; size += 2) {
                    const int64_t w = sizes[i][0], h = sizes[i][1];
                    sac_array in = new_picture(SAC_U8, w, h, channels);
                    sac_array one = new_picture(SAC_U8, w, h, channels);
                    sac_array many = new_picture(SAC_U8, w, h, channels);
                    sac_denoise_desc desc = desc_of(&in, method, size);
                    desc.variant = "ref";
                    run_once(&one, &in, &desc);
                    desc.n_threads = 3;
                    desc.variant = NULL;
                    sac_denoise *plan = must_open(&desc);
                    refuse_from(0);
                    assert_int_equal(sac_denoise_run(plan, &many, &in, NULL), SAC_OK);
                    assert_int_equal(allowed, 0);
                    sac_alloc_hook(NULL);
                    sac_denoise_close(&plan);
                    assert_memory_equal(one.data, many.data, picture_bytes(&in));
                    free(in.data);
                    free(one.data);
                    free(many.data);
                }
}

static void run_on_a_constant_picture_changes_nothing(void **state)
{
    (void)state;
    static const uint8_t levels[] = {0, 1, 127, 254, 255};
    for (size_t i = 0; i < sizeof levels; i++)
        for (int method = 0; method <= SAC_DENOISE_TEMPORAL; method++)
            for (int32_t size = 3; size <= 5; size += 2) {
                sac_array in = new_picture(SAC_U8, W, H, 3), out = new_picture(SAC_U8, W, H, 3);
                memset(in.data, levels[i], picture_bytes(&in));
                sac_denoise_desc desc = desc_of(&in, method, size);
                desc.sigma = 0.3 * (double)i;
                sac_denoise *plan = must_open(&desc);
                for (int k = 0; k < 3; k++)
                    assert_int_equal(sac_denoise_run(plan, &out, &in, NULL), SAC_OK);
                sac_denoise_close(&plan);
                assert_memory_equal(in.data, out.data, picture_bytes(&in));
                free(in.data);
                free(out.data);
            }
}

/* x(-1) = x(1): worked out by hand. */
static void mean_at_borders_reflects_without_the_edge(void **state)
{
    (void)state;
    uint8_t in[] = {0, 90, 180}, out[3];
    const sac_array from = view(in, 3, 1), to = view(out, 3, 1);
    const sac_denoise_desc desc = desc_of(&from, SAC_DENOISE_MEAN, 3);
    run_once(&to, &from, &desc);
    assert_int_equal(out[0], 60); /* 90 0 90 */
    assert_int_equal(out[1], 90);
    assert_int_equal(out[2], 120); /* 90 180 90 */
}

static void gaussian_of_a_point_is_its_weights(void **state)
{
    (void)state;
    uint8_t in[81] = {0}, out[81];
    in[40] = 255;
    const sac_array from = view(in, 9, 9), to = view(out, 9, 9);
    sac_denoise_desc desc = desc_of(&from, SAC_DENOISE_GAUSSIAN, 5);
    run_once(&to, &from, &desc);
    double g[3], sum = 0; /* of sigma 1.1 */
    for (int i = -2; i <= 2; i++)
        sum += g[i < 0 ? -i : i] = exp(-i * i / 2.42);
    for (int y = 0; y < 9; y++)
        for (int x = 0; x < 9; x++) {
            const int i = abs(x - 4), j = abs(y - 4);
            const double want = i > 2 || j > 2 ? 0 : 255 * g[i] * g[j] / (sum * sum);
            assert_true(fabs(out[9 * y + x] - want) < 1);
        }
}

static void median_of_known_windows_is_their_middle(void **state)
{
    (void)state;
    uint8_t in[25], out[25];
    for (int i = 0; i < 25; i++)
        in[i] = (uint8_t)(i * 7 % 25);
    const sac_array from = view(in, 5, 5), to = view(out, 5, 5);
    sac_denoise_desc desc = desc_of(&from, SAC_DENOISE_MEDIAN, 5);
    run_once(&to, &from, &desc);
    assert_int_equal(out[12], 12); /* of 0 to 24 */
    desc.size = 3;
    run_once(&to, &from, &desc);
    assert_int_equal(out[12], 12); /* of 17 24 6, 2 9 16, 12 19 1 */
    assert_int_equal(out[0], 10);  /* of 17 10 17, 7 0 7, 17 10 17 */
}

/* All zeros and ones that five sorted columns can hold: a selection network that finds these
 * medians finds every median. */
static void median5_of_zeros_and_ones_is_right_for_all(void **state)
{
    (void)state;
    enum { N = 6 * 6 * 6 * 6 * 6 };
    uint8_t *in = malloc(25 * N), *out = malloc(25 * N);
    assert_non_null(in);
    assert_non_null(out);
    for (int k = 0; k < N; k++)
        for (int c = 0, rest = k; c < 5; c++, rest /= 6)
            for (int y = 0; y < 5; y++)
                in[y * 5 * N + 5 * k + c] = y >= 5 - rest % 6;
    const sac_array from = view(in, 5 * N, 5), to = view(out, 5 * N, 5);
    static const char *const names[] = {"plain", NULL};
    for (size_t v = 0; v < 2; v++) {
        sac_denoise_desc desc = desc_of(&from, SAC_DENOISE_MEDIAN, 5);
        desc.variant = names[v];
        run_once(&to, &from, &desc);
        for (int k = 0; k < N; k++) {
            int ones = 0;
            for (int rest = k; rest > 0; rest /= 6)
                ones += rest % 6;
            assert_int_equal(out[2 * 5 * N + 5 * k + 2], ones >= 13);
        }
    }
    free(in);
    free(out);
}

/* Gaussian noise of known deviation on a picture, by Box and Muller. */
static void add_noise(sac_array *a, double sigma, uint64_t *random)
{
    uint8_t *data = a->data;
    for (size_t i = 0; i < picture_bytes(a); i++) {
        const double u = (double)((sac_check_random(random) >> 11) + 1) * 0x1p-53;
        const double v = (double)(sac_check_random(random) >> 11) * 0x1p-53;
        const double x = data[i] + sigma * sqrt(-2 * log(u)) * cos(2 * 3.14159265358979 * v);
        data[i] = (uint8_t)lrint(fmin(fmax(x, 0), 255));
    }
}

/* Slopes, a disk, stripes. */
static void draw_scene(sac_array *a)
{
    uint8_t *data = a->data;
    const int64_t w = a->shape[1], n = a->n_dims == 3 ? a->shape[2] : 1;
    for (int64_t i = 0; i < (int64_t)picture_bytes(a); i++) {
        const int64_t x = i / n % w, y = i / n / w;
        const bool disk = (x - 100) * (x - 100) + (y - 80) * (y - 80) < 2500;
        data[i] = (uint8_t)(disk ? 190 : x > 200 && x / 8 % 2 ? 60 : 80 + (x + y) / 5);
    }
}

static void noise_of_known_strength_is_estimated_within_a_tenth(void **state)
{
    (void)state;
    static const double sigmas[] = {1.5, 2, 5, 10, 20};
    for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++) {
        uint64_t random = 77 + i;
        sac_array in = new_picture(SAC_U8, 320, 240, 3), out = new_picture(SAC_U8, 320, 240, 3);
        draw_scene(&in);
        add_noise(&in, sigmas[i], &random);
        const sac_denoise_desc desc = desc_of(&in, SAC_DENOISE_TEMPORAL, 3);
        sac_denoise *plan = must_open(&desc);
        assert_int_equal(sac_denoise_run(plan, &out, &in, NULL), SAC_OK);
        const double came = sac_denoise_get_noise(plan);
        if (fabs(came - sigmas[i]) > sigmas[i] / 10)
            fail_msg("expected %g, got %g", sigmas[i], came);
        sac_denoise_close(&plan);
        free(in.data);
        free(out.data);
    }
}

static void noise_of_a_clean_or_tiny_picture_is_none(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{320, 240}, {2, 40}, {40, 2}, {1, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        sac_array in = new_picture(SAC_U8, sizes[i][0], sizes[i][1], 1);
        sac_array out = new_picture(SAC_U8, sizes[i][0], sizes[i][1], 1);
        draw_scene(&in);
        const sac_denoise_desc desc = desc_of(&in, SAC_DENOISE_TEMPORAL, 3);
        sac_denoise *plan = must_open(&desc);
        assert_int_equal(sac_denoise_run(plan, &out, &in, NULL), SAC_OK);
        assert_true(sac_denoise_get_noise(plan) < 0.5); /* slopes rounded to levels: 0.29 */
        sac_denoise_close(&plan);
        free(in.data);
        free(out.data);
    }
}

static double deviation(const sac_array *a, const sac_array *b)
{
    const uint8_t *p = a->data, *q = b->data;
    double sum = 0;
    for (size_t i = 0; i < picture_bytes(a); i++)
        sum += (p[i] - q[i]) * (p[i] - q[i]);
    return sqrt(sum / (double)picture_bytes(a));
}

/* 30 frames of a still scene with noise of 5 levels. k = 0.2 leaves sqrt(k / (2 - k)) = 1/3. */
static void temporal_on_a_still_scene_takes_the_noise_away(void **state)
{
    (void)state;
    uint64_t random = 5;
    sac_array clean = new_picture(SAC_U8, 320, 240, 1), in = new_picture(SAC_U8, 320, 240, 1);
    sac_array out = new_picture(SAC_U8, 320, 240, 1);
    draw_scene(&clean);
    const sac_denoise_desc desc = desc_of(&in, SAC_DENOISE_TEMPORAL, 3);
    sac_denoise *plan = must_open(&desc);
    for (int k = 0; k < 30; k++) {
        draw_scene(&in);
        add_noise(&in, 5, &random);
        assert_int_equal(sac_denoise_run(plan, &out, &in, NULL), SAC_OK);
        if (k == 0)
            assert_memory_equal(in.data, out.data, picture_bytes(&in));
    }
    assert_true(deviation(&out, &clean) < 0.4 * deviation(&in, &clean));
    /* Without noise it comes to the picture itself. */
    for (int k = 0; k < 100; k++)
        assert_int_equal(sac_denoise_run(plan, &out, &clean, NULL), SAC_OK);
    assert_memory_equal(clean.data, out.data, picture_bytes(&clean));
    sac_denoise_close(&plan);
    free(clean.data);
    free(in.data);
    free(out.data);
}

/* A bright bar on the move: no sample is ever further from its frame than 3 strength noise + 1. */
static void temporal_on_moving_edges_stays_within_its_bound(void **state)
{
    (void)state;
    sac_array in = new_picture(SAC_U8, 120, 40, 3), out = new_picture(SAC_U8, 120, 40, 3);
    sac_denoise_desc desc = desc_of(&in, SAC_DENOISE_TEMPORAL, 3);
    desc.noise = 4;
    desc.strength = 0.9;
    const double bound = 3 * desc.strength * desc.noise + 1;
    sac_denoise *plan = must_open(&desc);
    uint64_t random = 9;
    for (int k = 0; k < 60; k++) {
        uint8_t *p = in.data;
        const uint8_t *q = out.data;
        for (int64_t i = 0; i < 120 * 40 * 3; i++)
            p[i] = i / 3 % 120 / 10 == k / 3 % 12 ? 230 : 30;
        add_noise(&in, 4, &random);
        assert_int_equal(sac_denoise_run(plan, &out, &in, NULL), SAC_OK);
        for (int64_t i = 0; i < 120 * 40 * 3; i++)
            assert_true(abs(p[i] - q[i]) <= bound);
    }
    assert_true(sac_denoise_get_noise(plan) == 4);
    /* After a reset the next frame comes out as it is. */
    sac_denoise_reset(plan);
    add_noise(&in, 4, &random);
    assert_int_equal(sac_denoise_run(plan, &out, &in, NULL), SAC_OK);
    assert_memory_equal(in.data, out.data, picture_bytes(&in));
    sac_denoise_close(&plan);
    free(in.data);
    free(out.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_what_is_wrong_is_refused_by_name),
        cmocka_unit_test(open_without_memory_is_refused),
        cmocka_unit_test(run_frames_that_do_not_fit_is_refused),
        cmocka_unit_test(run_with_more_threads_gives_the_same_bytes),
        cmocka_unit_test(run_on_a_constant_picture_changes_nothing),
        cmocka_unit_test(mean_at_borders_reflects_without_the_edge),
        cmocka_unit_test(gaussian_of_a_point_is_its_weights),
        cmocka_unit_test(median_of_known_windows_is_their_middle),
        cmocka_unit_test(median5_of_zeros_and_ones_is_right_for_all),
        cmocka_unit_test(noise_of_known_strength_is_estimated_within_a_tenth),
        cmocka_unit_test(noise_of_a_clean_or_tiny_picture_is_none),
        cmocka_unit_test(temporal_on_a_still_scene_takes_the_noise_away),
        cmocka_unit_test(temporal_on_moving_edges_stays_within_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
