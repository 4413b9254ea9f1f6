/*
 * flow on a GPU gives the CPU's results: every filter and output, the same choice of svd:auto, any
 * way of handing over data, and the same bytes on every run; cuSOLVER's vectors give those of
 * Jacobi's. Configurations by chance are in tests/check/plans_flow.c. Needs no library for tests,
 * which a GPU machine seldom has.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include <saccade/flow.h>

#include "base/random.h"
#include "beamform_buffers.h"
#include "skip.h"

enum { N_Z = 21, N_X = 31, POINTS = N_Z * N_X, FRAMES = 40, MOST_TRANSMITS = 3 };

static const double azimuths[] = {-0.2, 0, 0.2};
static int n_faults;
static float samples[2 * FRAMES * MOST_TRANSMITS * POINTS];

static void expect(bool good, const sac_flow_desc *d, const char *what, double wanted, double got)
{
    if (!good && n_faults++ < 20)
        fprintf(stderr, "kind %d, %s, ensembles of %d: %s: wanted %.9g, got %.9g\n", d->kind,
                d->filter, d->ensemble, what, wanted, got);
}

static bool is_blood(int64_t p)
{
    return p % POINTS / N_X > 7 && p % POINTS / N_X < 14;
}

/* A component: size and phase differ from point to point, by two seeds. */
static void add(float *x, double size, int64_t p, uint64_t seed, double phase)
{
    const double a = size * (0.3 + fabs(sac_random_normal(seed, (uint64_t)p)));
    const double turn = phase + 6 * sac_random_normal(seed + 1, (uint64_t)p);
    x[0] += (float)(a * cos(turn));
    x[1] += (float)(a * sin(turn));
}

/* Tissue that hardly moves, blood in a stripe that does, and noise. */
static void fill(int32_t n_tx)
{
    const int64_t n_rows = (int64_t)FRAMES * n_tx;
    for (int64_t i = 0; i < n_rows; i++)
        for (int64_t p = 0; p < POINTS; p++) {
            const double frame = (double)(i / n_tx);
            float *x = samples + 2 * (i * POINTS + p);
            x[0] = x[1] = 0;
            add(x, 20, p, 1, 0.02 * frame);
            add(x, 8, p, 3, -0.05 * frame);
            for (uint64_t k = 0; k < 3 && is_blood(p); k++) /* of several speeds */
                add(x, 5 - (double)k, p, 5 + 2 * k, (0.7 + 0.25 * (double)k) * frame);
            for (int c = 0; c < 2; c++)
                x[c] += 0.3f * (float)sac_random_normal(11, (uint64_t)(2 * (i * POINTS + p) + c));
        }
}

static sac_flow_desc desc_of(int32_t kind, const char *filter, int32_t ensemble)
{
    sac_flow_desc d;
    sac_flow_desc_init(&d);
    d.n_frames = FRAMES;
    d.n_axes = 2;
    d.shape[0] = N_Z;
    d.shape[1] = N_X;
    d.prf_hz = 4000;
    d.fc_hz = 5e6;
    d.kind = kind;
    d.filter = filter;
    d.ensemble = ensemble;
    d.step = ensemble == FRAMES ? 0 : 7;
    d.average[0] = 3;
    d.average[1] = 5;
    d.scale = SAC_FLOW_LINEAR;
    d.n_threads = 1;
    if (kind == SAC_FLOW_VECTOR) {
        d.n_transmits = MOST_TRANSMITS;
        d.azimuth_rad = azimuths;
    }
    return d;
}

static sac_array in_shape(const sac_flow_desc *d)
{
    const int64_t frames[] = {d->n_frames, N_Z, N_X}, waves[] = {FRAMES, MOST_TRANSMITS, N_Z, N_X};
    const bool vector = d->kind == SAC_FLOW_VECTOR;
    sac_array in;
    must(sac_array_view(&in, NULL, SAC_C64, vector ? 4 : 3, vector ? waves : frames, NULL), "view",
         NULL);
    return in;
}

static sac_flow *open_plan(const sac_flow_desc *d)
{
    sac_error err = {0};
    sac_flow *plan = NULL;
    must(sac_flow_open(&plan, d, &err), "open", &err);
    return plan;
}

/* What the plan makes of the samples, packed; the caller frees it. */
static float *run(sac_flow *plan, const sac_flow_desc *d, place from, place to)
{
    const sac_array shape = in_shape(d), result = sac_flow_get_output_array(plan);
    buffer in = new_buffer(&shape, from, PACKED), out = new_buffer(&result, to, PACKED);
    sac_error err = {0};
    put(&in, (char *)samples);
    must(sac_flow_run(plan, &out.array, &in.array, &err), "run", &err);
    if (d->stream)
        must(sac_gpu_wait(d->stream), "wait", NULL);
    char *values = get(&out);
    free_buffer(&in);
    free_buffer(&out);
    return (float *)(void *)values;
}

/* Values may be off by this share of the largest. Velocities, which are anything where there is
 * noise alone, are compared in blood. */
#define WITHIN 2e-4

static void compare(const sac_flow_desc *d, const float *want, const float *got, int64_t n)
{
    const bool everywhere = d->kind == SAC_FLOW_POWER || d->kind == SAC_FLOW_DIRECTIONAL;
    double size = 0;
    for (int64_t i = 0; i < n; i++)
        size = everywhere || is_blood(i) ? fmax(size, fabs((double)want[i])) : size;
    for (int64_t i = 0; i < n; i++)
        if (everywhere || is_blood(i))
            expect(fabs((double)want[i] - (double)got[i]) <= WITHIN * size, d, "value",
                   (double)want[i], (double)got[i]);
}

static void compare_singular(const sac_flow_desc *d, const sac_flow *cpu, const sac_flow *plan,
                             int64_t n)
{
    for (int64_t e = 0; e < n; e++) {
        int32_t low[2], high[2];
        const double *a = sac_flow_get_singular_values(cpu, e, &low[0], &high[0]);
        const double *b = sac_flow_get_singular_values(plan, e, &low[1], &high[1]);
        expect(low[0] == low[1] && high[0] == high[1], d, "kept", low[0], low[1]);
        expect(!a == !b, d, "has singular values", a != NULL, b != NULL);
        for (int32_t k = 0; k < d->ensemble && a && b; k++)
            expect(fabs(a[k] - b[k]) <= 1e-3 * a[0], d, "singular value", a[k], b[k]);
    }
}

static void check(int32_t kind, const char *filter, int32_t ensemble)
{
    sac_flow_desc d = desc_of(kind, filter, ensemble);
    fill(kind == SAC_FLOW_VECTOR ? MOST_TRANSMITS : 1);
    sac_flow *cpu = open_plan(&d);
    const sac_array out = sac_flow_get_output_array(cpu);
    const int64_t n = sac_array_count(&out);
    float *want = run(cpu, &d, HOST, HOST);
    d.device = on_gpu;
    sac_flow *plan = open_plan(&d);
    float *got = run(plan, &d, HOST, HOST);
    compare(&d, want, got, n);
    compare_singular(&d, cpu, plan, out.shape[0]);
    for (int i = 1; i < 5; i++) { /* the same bytes, wherever arrays lie, on any stream */
        static const place from[] = {HOST, PINNED, DEVICE, DEVICE, DEVICE};
        static const place to[] = {HOST, PINNED, HOST, DEVICE, DEVICE};
        if (i == 4) {
            sac_flow_close(&plan);
            d.stream = sac_gpu_main_stream(gpu);
            plan = open_plan(&d);
        }
        float *again = run(plan, &d, from[i], to[i]);
        expect(!memcmp(got, again, (size_t)n * sizeof *got), &d, "other bytes, way", 0, i);
        free(again);
    }
    free(want);
    free(got);
    sac_flow_close(&cpu);
    sac_flow_close(&plan);
}

/* A plan of cuSOLVER's, if this machine has it. */
static bool opens_cusolver(sac_flow *plans[2], sac_flow_desc *d)
{
    sac_error err = {0};
    d->eigen = SAC_FLOW_EIGEN_JACOBI;
    plans[0] = open_plan(d);
    d->eigen = SAC_FLOW_EIGEN_CUSOLVER;
    const sac_status st = sac_flow_open(&plans[1], d, &err);
    if (st != SAC_OK && strstr(err.text, "has no cuSOLVER"))
        sac_flow_close(&plans[0]);
    else
        must(st, "open", &err);
    return st == SAC_OK;
}

/* What cuSOLVER finds is what Jacobi finds, within the bound of LAPACK's (test_flow_eigen.c), and
 * the same bytes on every run. False: it is not there. */
static bool check_cusolver(const char *filter, int32_t n)
{
    sac_flow_desc d = desc_of(SAC_FLOW_POWER, filter, n);
    sac_flow *plans[2];
    const double *values[2];
    int32_t cut[2];
    float *power[2];
    d.n_frames = n;
    d.average[0] = d.average[1] = 1;
    d.device = on_gpu;
    if (!opens_cusolver(plans, &d))
        return false;
    fill(n / FRAMES);
    for (int k = 0; k < 2; k++) {
        const char *name = k ? "eigen_c128:cusolver mix" : "eigen_c128:cuda mix";
        expect(strstr(sac_flow_get_variant(plans[k]), name) != NULL, &d, name, 1, 0);
        power[k] = run(plans[k], &d, HOST, HOST);
        values[k] = sac_flow_get_singular_values(plans[k], 0, &cut[k], NULL);
    }
    expect(cut[0] == cut[1], &d, "cuSOLVER's cut", cut[0], cut[1]);
    for (int32_t i = 0; i < n; i++) /* squares are within rounding of the largest */
        expect(fabs(values[0][i] * values[0][i] - values[1][i] * values[1][i]) <=
                   n * 0x1p-48 * values[0][0] * values[0][0],
               &d, "cuSOLVER's value", values[0][i], values[1][i]);
    for (int64_t p = 0; p < POINTS; p++)
        expect(fabsf(power[0][p] - power[1][p]) <= 0.01f * power[0][p], &d, "cuSOLVER's power",
               (double)power[0][p], (double)power[1][p]);
    for (int i = 0; i < 2; i++) {
        if (i == 1) {
            sac_flow_close(&plans[1]);
            d.stream = sac_gpu_main_stream(gpu);
            plans[1] = open_plan(&d);
        }
        float *again = run(plans[1], &d, i ? DEVICE : HOST, i ? DEVICE : HOST);
        expect(!memcmp(again, power[1], POINTS * sizeof *again), &d, "cuSOLVER's bytes", 0, i);
        free(again);
    }
    for (int k = 0; k < 2; k++) {
        sac_flow_close(&plans[k]);
        free(power[k]);
    }
    return true;
}

/* Whether it is there. */
static bool check_all_of_cusolver(bool thin)
{
    const bool is_there = check_cusolver("svd:3", FRAMES) && check_cusolver("svd:auto", FRAMES);
    if (is_there && !thin)
        (void)(check_cusolver("svd:3", MOST_TRANSMITS * FRAMES) &&
               check_cusolver("svd:auto", MOST_TRANSMITS * FRAMES));
    if (!is_there)
        skip_part("this machine has no cuSOLVER");
    return is_there;
}

/* A sample that is none spoils its point, and with an SVD its ensemble, whoever decomposes it. */
static void check_nan(bool has_cusolver)
{
    static const char *const filters[] = {"none", "svd:2", "svd:2"};
    for (int i = 0; i < (has_cusolver ? 3 : 2); i++) {
        sac_flow_desc d = desc_of(SAC_FLOW_POWER, filters[i], FRAMES);
        d.average[0] = d.average[1] = 1;
        d.device = on_gpu;
        d.eigen = i == 2 ? SAC_FLOW_EIGEN_CUSOLVER : SAC_FLOW_EIGEN_JACOBI;
        fill(1);
        samples[2 * (3 * POINTS + 17)] = NAN;
        sac_flow *plan = open_plan(&d);
        float *got = run(plan, &d, HOST, HOST);
        for (int64_t p = 0; p < POINTS; p++)
            expect(!isfinite(got[p]) == (i > 0 || p == 17), &d, "is no number", p == 17,
                   (double)got[p]);
        free(got);
        sac_flow_close(&plan);
    }
}

static bool refuse(void *ctx, uint64_t done, uint64_t total)
{
    *(uint64_t *)ctx = total;
    return done < 2 * SAC_FLOW_STEPS;
}

static void expect_status(const sac_flow_desc *d, sac_status wanted, sac_status got,
                          const char *word, const sac_error *err)
{
    expect(wanted == got, d, word, wanted, got);
    expect(strstr(err->text, word) != NULL, d, err->text, 0, 1);
}

static void check_refusals(void)
{
    sac_flow_desc d = desc_of(SAC_FLOW_POWER, "none", 10);
    sac_flow *plan = NULL;
    sac_error err = {0};
    uint64_t total = 0;
    d.device = on_gpu;
    d.variant = "avx512";
    expect_status(&d, SAC_E_UNSUPPORTED, sac_flow_open(&plan, &d, &err), "on the CPU only", &err);
    d.variant = NULL;
    d.eigen = SAC_FLOW_EIGEN_LAPACK;
    expect_status(&d, SAC_E_UNSUPPORTED, sac_flow_open(&plan, &d, &err), "of the CPU", &err);
    d.eigen = SAC_FLOW_EIGEN_AUTO;
    d.progress = refuse;
    d.progress_ctx = &total;
    plan = open_plan(&d);
    const sac_array shape = in_shape(&d), result = sac_flow_get_output_array(plan);
    buffer in = new_buffer(&shape, DEVICE, PACKED), out = new_buffer(&result, HOST, PACKED);
    fill(1);
    put(&in, (char *)samples);
    expect_status(&d, SAC_CANCELLED, sac_flow_run(plan, &out.array, &in.array, &err), "cancelled",
                  &err);
    expect(total == 5 * SAC_FLOW_STEPS, &d, "steps", 5 * SAC_FLOW_STEPS, (double)total);
    in.array.data = (char *)in.array.data + 4;
    expect_status(&d, SAC_E_SHAPE, sac_flow_run(plan, &out.array, &in.array, &err),
                  "multiples of 8 bytes", &err);
    in.array.data = (char *)in.array.data - 4;
    sac_flow_close(&plan);
    d.progress = NULL;
    d.stream = sac_gpu_main_stream(gpu);
    plan = open_plan(&d);
    expect_status(&d, SAC_E_SHAPE, sac_flow_run(plan, &out.array, &in.array, &err), "out", &err);
    sac_flow_close(&plan);
    free_buffer(&in);
    free_buffer(&out);
}

int main(int n_args, char **args)
{
    static const char *const filters[] = {"none", "polynomial:2", "svd:2", "svd:2:5", "svd:auto"};
    const bool thin = n_args > 1 && !strcmp(args[1], "--thin");
    sac_error err = {0};
#ifdef FAKE_CUSOLVER
    setenv("SAC_CUSOLVER", FAKE_CUSOLVER, 1); /* of an emulated GPU */
#endif
    if (sac_gpu_count() == 0)
        return skip_all("no GPU, or a build without CUDA");
    must(sac_gpu_open(&gpu, 0, &err), "open", &err);
    must(sac_gpu_enter(gpu), "enter", NULL);
    for (int32_t kind = 0; kind <= SAC_FLOW_VECTOR; kind++)
        for (int f = 0; f < 5; f++)
            if (!thin || f == kind % 5) {
                check(kind, filters[f], FRAMES);
                check(kind, filters[f], 16);
            }
    check_nan(check_all_of_cusolver(thin));
    check_refusals();
    sac_gpu_leave(gpu);
    sac_gpu_close(&gpu);
    printf("%d faults\n", n_faults);
    return n_faults != 0;
}
