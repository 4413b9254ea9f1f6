/*
 * The eigenvectors behind flow's SVD filters: by saccade's method and by LAPACK, watched at work.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "flow_scene.h"

#include "flow/kernels/eigen_c128/eigen_c128.h"
#include "flow/lapack.h"
#include "skip.h"

/* The residual of every vector, and how orthogonal they are. */
static void assert_decomposed(const double *g, int32_t n)
{
    double *values = malloc((size_t)n * sizeof *values);
    double *v = malloc((size_t)(2 * n * n) * sizeof *v), trace = 0, sum = 0;
    assert_true(values && v);
    sac_eigen_c128_ref(values, v, g, n, NULL);
    for (int32_t k = 0; k < n; k++) {
        const double *a = v + 2 * k * n;
        trace += g[2 * (k * n + k)];
        sum += values[k];
        assert_true(values[k] >= 0 && (k == 0 || values[k] <= values[k - 1]));
        for (int32_t i = 0; i < n; i++) {
            double re = -values[k] * a[i], im = -values[k] * a[n + i];
            for (int32_t j = 0; j < n; j++) {
                const double *at = g + 2 * (i <= j ? i * n + j : j * n + i);
                const double sign = i == j ? 0 : i < j ? 1 : -1;
                re += at[0] * a[j] - sign * at[1] * a[n + j];
                im += at[0] * a[n + j] + sign * at[1] * a[j];
            }
            assert_true(hypot(re, im) <= n * 0x1p-48 * values[0]);
        }
        for (int32_t l = 0; l <= k; l++) {
            const double *b = v + 2 * l * n;
            double re = 0, im = 0;
            for (int32_t j = 0; j < n; j++) {
                re += a[j] * b[j] + a[n + j] * b[n + j];
                im += a[j] * b[n + j] - a[n + j] * b[j];
            }
            assert_true(hypot(re - (k == l), im) < n * 0x1p-46);
        }
    }
    assert_true(fabs(trace - sum) <= n * 0x1p-48 * trace);
    free(values);
    free(v);
}

static void eigen_of_known_matrices_is_known(void **state)
{
    (void)state;
    double values[3], v[18];
    const double diagonal[] = {2, 0, 0, 0, 0, 0, 9, 9, 5, 0, 0, 0, 9, 9, 9, 9, 3, 0};
    sac_eigen_c128_ref(values, v, diagonal, 3, NULL); /* below the diagonal nothing is read */
    for (int k = 0; k < 3; k++)
        assert_true(fabs(values[k] - (k == 0 ? 5 : 4 - k)) < 1e-14);
    const double pair[] = {2, 0, 0, 1, 9, 9, 2, 0}; /* 2, i; -i, 2: eigenvalues 3 and 1 */
    sac_eigen_c128_ref(values, v, pair, 2, NULL);
    assert_true(fabs(values[0] - 3) < 1e-15 && fabs(values[1] - 1) < 1e-15);
    const double one[] = {4, 0};
    sac_eigen_c128_ref(values, v, one, 1, NULL);
    assert_true(values[0] == 4 && fabs(hypot(v[0], v[1]) - 1) < 1e-15);
    double second[72]; /* the discrete second derivative: 2 - 2 cos(k pi / 7) */
    memset(second, 0, sizeof second);
    for (int i = 0; i < 6; i++) {
        second[2 * (7 * i)] = 2;
        if (i < 5)
            second[2 * (7 * i + 1)] = -1;
    }
    double six[6], vectors[72];
    sac_eigen_c128_ref(six, vectors, second, 6, NULL);
    for (int k = 0; k < 6; k++)
        assert_true(fabs(six[k] - (2 - 2 * cos((6 - k) * PI / 7))) < 1e-14);
    assert_decomposed(second, 6);
}

/* Products of m random rows whose sizes fall by `step`. */
static void eigen_of_any_product_decomposes_it(void **state)
{
    (void)state;
    static const struct {
        int32_t n, m;
        double step;
    } cases[] = {{7, 7, 1}, {33, 40, 1}, {33, 11, 1}, {64, 64, 0.7}, {20, 0, 1}, {50, 50, 0.3}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const int32_t n = cases[c].n;
        double *g = calloc((size_t)(2 * n * n), sizeof *g), *x = calloc((size_t)(2 * n), sizeof *x);
        double scale = 1;
        for (int32_t k = 0; k < cases[c].m; k++, scale *= cases[c].step) {
            for (int32_t i = 0; i < 2 * n; i++)
                x[i] = scale * normal(c + 1, k * 2 * n + i);
            for (int32_t i = 0; i < n; i++)
                for (int32_t j = i; j < n; j++) {
                    g[2 * (i * n + j)] += x[2 * i] * x[2 * j] + x[2 * i + 1] * x[2 * j + 1];
                    g[2 * (i * n + j) + 1] += x[2 * i] * x[2 * j + 1] - x[2 * i + 1] * x[2 * j];
                }
        }
        assert_decomposed(g, n);
        free(g);
        free(x);
    }
}

/* Power at every point without the `k` largest components, all in double. */
static void put_exact_power(double *power, const scene *s, int32_t k)
{
    const int32_t n = (int32_t)s->desc.n_frames;
    const size_t squares = (size_t)(2 * n * n);
    double *g = calloc(squares, sizeof *g), *v = calloc(squares, sizeof *v);
    double *values = calloc((size_t)n, sizeof *values);
    assert_true(g && v && values);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = i; j < n; j++)
            for (int64_t p = 0; p < POINTS; p++) {
                const float *a = s->iq + 2 * (i * POINTS + p), *b = s->iq + 2 * (j * POINTS + p);
                double *to = g + 2 * (i * n + j);
                to[0] += (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1];
                to[1] += (double)a[0] * (double)b[1] - (double)a[1] * (double)b[0];
            }
    sac_eigen_c128_ref(values, v, g, n, NULL);
    for (int64_t p = 0; p < POINTS; p++) {
        power[p] = 0;
        for (int32_t l = k; l < n; l++) { /* the parts that are left */
            double re = 0, im = 0;
            for (int32_t i = 0; i < n; i++) {
                const float *x = s->iq + 2 * (i * POINTS + p);
                const double vr = v[2 * l * n + i], vi = v[2 * l * n + n + i];
                re += (double)x[0] * vr - (double)x[1] * vi;
                im += (double)x[0] * vi + (double)x[1] * vr;
            }
            power[p] += (re * re + im * im) / n;
        }
    }
    free(values);
    free(v);
    free(g);
}

/* Errors of products in single precision lie above noise that is 110 dB below tissue. */
static void svd_leaves_what_exact_arithmetic_leaves(void **state)
{
    (void)state;
    for (int32_t n = 40; n <= 60; n += 20) {
        scene s = scene_of(n);
        double exact[POINTS];
        s.desc.kind = SAC_FLOW_POWER;
        s.desc.scale = SAC_FLOW_LINEAR;
        s.desc.filter = "svd:3";
        s.desc.eigen = SAC_FLOW_EIGEN_JACOBI;
        add_tissue(&s, 3);
        put_exact_power(exact, &s, 3);
        const float *power = run(&s);
        for (int64_t p = 0; p < POINTS; p++)
            if (!(fabs((double)power[p] / exact[p] - 1) < 0.01))
                fail_msg("%d frames, point %d: %g, not %g", n, (int)p, (double)power[p], exact[p]);
        end(&s);
    }
}

/* Whether LAPACK finds the same as Jacobi, of tissue or, with `rank` 0, of nothing at all. */
static void assert_methods_agree(int64_t n, int rank)
{
    float *power[2] = {malloc(POINTS * sizeof(float)), malloc(POINTS * sizeof(float))};
    double *values[2] = {calloc((size_t)n, sizeof(double)), calloc((size_t)n, sizeof(double))};
    int32_t cut[2];
    assert_true(power[0] && power[1] && values[0] && values[1]);
    for (int k = 0; k < 2; k++) {
        scene s = scene_of(n);
        s.desc.kind = SAC_FLOW_POWER;
        s.desc.scale = SAC_FLOW_LINEAR;
        s.desc.filter = rank ? "svd:auto" : "svd:1";
        s.desc.eigen = k ? SAC_FLOW_EIGEN_LAPACK : SAC_FLOW_EIGEN_JACOBI;
        if (rank)
            add_tissue(&s, rank);
        memcpy(power[k], run(&s), POINTS * sizeof(float));
        memcpy(values[k], sac_flow_get_singular_values(s.plan, 0, &cut[k], NULL),
               (size_t)n * sizeof(double));
        assert_true((strstr(sac_flow_get_variant(s.plan), "eigen_c128:lapack mix") != NULL) == k);
        end(&s);
    }
    assert_int_equal(cut[0], cut[1]);
    for (int64_t i = 0; i < n; i++) /* squares are within rounding of the largest */
        assert_true(fabs(values[0][i] * values[0][i] - values[1][i] * values[1][i]) <=
                    (double)n * 0x1p-48 * values[0][0] * values[0][0]);
    for (int64_t p = 0; p < POINTS; p++)
        assert_true(fabsf(power[0][p] - power[1][p]) <= 0.01F * power[0][p]);
    for (int k = 0; k < 2; k++) {
        free(power[k]);
        free(values[k]);
    }
}

static void lapack_and_jacobi_agree(void **state)
{
    (void)state;
    sac_flow_lapack *lapack = NULL;
    sac_error err = {0};
    if (sac_flow_lapack_open(&lapack, 3, &err) == SAC_E_UNSUPPORTED)
        skip_test("this machine has no LAPACK");
    const double diagonal[] = {2, 0, 0, 0, 0, 0, 9, 9, 5, 0, 0, 0, 9, 9, 9, 9, 3, 0};
    const double turned[] = {2, 0, 0, 1, 0, 0, 9, 9, 2, 0, 0, 0, 9, 9, 9, 9, NAN, 0};
    double values[3], v[18];
    assert_true(sac_flow_lapack_run(lapack, values, v, diagonal)); /* the upper triangle alone */
    for (int k = 0; k < 3; k++)
        assert_true(fabs(values[k] - (k == 0 ? 5 : 4 - k)) < 1e-14);
    assert_false(sac_flow_lapack_run(lapack, values, v, turned));
    sac_flow_lapack_close(&lapack);
    assert_methods_agree(4, 1);
    assert_methods_agree(40, 3);
    assert_methods_agree(97, 4);
    assert_methods_agree(16, 0);
    scene s = scene_of(20); /* what is not finite spoils the ensemble, of both methods */
    s.desc.filter = "svd:1";
    s.desc.eigen = SAC_FLOW_EIGEN_LAPACK;
    s.iq[7] = NAN;
    const float *velocity = run(&s);
    for (int64_t p = 0; p < POINTS; p++)
        assert_true(isnan(velocity[p]));
    end(&s);
}

static void machines_without_lapack_have_jacobi(void **state)
{
    (void)state;
    scene s = scene_of(SAC_FLOW_LAPACK_FROM);
    sac_error err = {0};
    const char *mine = getenv("SAC_LAPACK");
    char *kept = mine ? strdup(mine) : NULL;
    setenv("SAC_LAPACK", "/nothing/liblapack.so", 1);
    s.desc.filter = "svd:2";
    s.desc.eigen = SAC_FLOW_EIGEN_LAPACK;
    assert_failed(sac_flow_open(&s.plan, &s.desc, &err), SAC_E_UNSUPPORTED, &err,
                  "eigen: this machine has no LAPACK");
    s.desc.eigen = SAC_FLOW_EIGEN_AUTO;
    assert_ok(sac_flow_open(&s.plan, &s.desc, &err), &err);
    assert_null(strstr(sac_flow_get_variant(s.plan), "lapack"));
    sac_flow_close(&s.plan);
    kept ? setenv("SAC_LAPACK", kept, 1) : unsetenv("SAC_LAPACK");
    free(kept);
    s.desc.n_frames = SAC_FLOW_LAPACK_FROM - 1; /* few frames do not look for it */
    assert_ok(sac_flow_open(&s.plan, &s.desc, &err), &err);
    assert_null(strstr(sac_flow_get_variant(s.plan), "lapack"));
    sac_flow_close(&s.plan);
    free(s.iq);
}

static void eigen_of_another_device_is_refused(void **state)
{
    (void)state;
    scene s = scene_of(8);
    sac_error err = {0};
    s.desc.filter = "svd:2";
    s.desc.eigen = SAC_FLOW_EIGEN_CUSOLVER;
    assert_failed(sac_flow_open(&s.plan, &s.desc, &err), SAC_E_UNSUPPORTED, &err,
                  "eigen: cusolver is of a GPU, not of the CPU");
    s.desc.device.kind = SAC_DEVICE_CUDA; /* the device is what is missing, where none is */
    if (sac_gpu_count() == 0) {
        assert_true(sac_flow_open(&s.plan, &s.desc, &err) != SAC_OK);
        assert_true(strncmp(err.text, "device: ", 8) == 0 && !strstr(err.text, "cuSOLVER"));
    }
    s.desc.eigen = SAC_FLOW_EIGEN_CUSOLVER + 1;
    assert_failed(sac_flow_open(&s.plan, &s.desc, &err), SAC_E_INVALID, &err, "eigen");
    free(s.iq);
}

/* A run of theirs allocates nothing, whatever the machine has. */
static void plans_of_many_frames_have_jacobi_unless_asked(void **state)
{
    (void)state;
    scene s = scene_of(SAC_FLOW_LAPACK_FROM);
    sac_flow_desc zero = {0};
    sac_error err = {0};
    s.desc.filter = "svd:2";
    assert_int_equal(s.desc.eigen, zero.eigen);
    assert_ok(sac_flow_open(&s.plan, &s.desc, &err), &err);
    assert_null(strstr(sac_flow_get_variant(s.plan), "lapack"));
    sac_flow_close(&s.plan);
    free(s.iq);
}

/* Steps that were told, and after how many it says no. */
typedef struct watcher {
    uint64_t last, total, calls, no_after;
} watcher;

static bool watch(void *ctx, uint64_t done, uint64_t total)
{
    watcher *w = ctx;
    assert_true(done > w->last && done <= total);
    w->last = done;
    w->total = total;
    return ++w->calls != w->no_after;
}

static void progress_is_told_within_one_svd(void **state)
{
    (void)state;
    scene s = scene_of(96);
    watcher w = {0};
    s.desc.filter = "svd:3";
    s.desc.kind = SAC_FLOW_POWER;
    s.desc.progress = watch;
    s.desc.progress_ctx = &w;
    add_tissue(&s, 3);
    const float *power = run(&s);
    assert_true(w.last == SAC_FLOW_STEPS && w.total == SAC_FLOW_STEPS && w.calls > 20);
    float *first = malloc(POINTS * sizeof *first);
    assert_non_null(first);
    memcpy(first, power, POINTS * sizeof *first);
    sac_error err = {0};
    for (uint64_t n = 1; n < w.calls; n += w.calls / 3) { /* in the products, in the vectors */
        watcher no = {.no_after = n};
        const watcher kept = w;
        w = no;
        assert_failed(sac_flow_run(s.plan, &s.out, &s.in, &err), SAC_CANCELLED, &err, "cancelled");
        assert_true(w.calls == n); /* it is not asked again */
        w = kept;
    }
    w = (watcher){0};
    assert_ok(sac_flow_run(s.plan, &s.out, &s.in, &err), &err);
    assert_memory_equal(s.out.data, first, POINTS * sizeof *first);
    end_run(&s);
    s.desc.ensemble = 24;
    w = (watcher){0};
    (void)run(&s);
    assert_true(w.last == 4 * SAC_FLOW_STEPS && w.total == w.last);
    free(first);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigen_of_known_matrices_is_known),
        cmocka_unit_test(eigen_of_any_product_decomposes_it),
        cmocka_unit_test(svd_leaves_what_exact_arithmetic_leaves),
        cmocka_unit_test(lapack_and_jacobi_agree),
        cmocka_unit_test(machines_without_lapack_have_jacobi),
        cmocka_unit_test(eigen_of_another_device_is_refused),
        cmocka_unit_test(plans_of_many_frames_have_jacobi_unless_asked),
        cmocka_unit_test(progress_is_told_within_one_svd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
