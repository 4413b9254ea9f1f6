/*
 * bench_flow: Doppler of an ensemble on the CPU and on a GPU, whole and step by step.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "flow_bench.h"
#include "json.h"
#include "options.h"
#include "tables.h"

static const char help[] =
    "bench_flow: times Doppler of one ensemble of IQ images, whole and step by step.\n"
    "\n"
    "Usage: bench_flow [OPTION]...\n"
    "\n"
    "  --device D     cpu, or cuda: the CPU's rows are there for both (default cpu)\n"
    "  --frames N     of the ensemble (default 200)\n"
    "  --size WxH     points (default 251x251, configuration A's geometry)\n"
    "  --only TEXT    tasks with TEXT in their names alone, such as svd:20\n"
    "  --device-only  of a GPU no row of the CPU, and no comparison with it: of a thousand frames\n"
    "                 they take minutes\n"
    "  --runs N       of which the median counts (default 7)\n"
    "  --json FILE    write every row as JSON, too\n"
    "  -h, --help     this text\n"
    "\n"
    "Images are tissue that moves, 20 components of it, above noise. A GPU's results are compared\n"
    "with the CPU's before anything is timed; its runs are of arrays in device memory, in\n"
    "page-locked and in other memory of the CPU. Where cuSOLVER is, it has rows of its own, after\n"
    "a comparison with Jacobi's on the GPU.\n"
    "\n"
    "Exit status: 0 done; 1 failed, or results differ; 2 wrong usage.\n";

#define FIELD(name) offsetof(bench_flow_options, name)

static const sac_param params[] = {
    {"device", CLI_DEVICE(device), "D", ""},
    {"frames", CLI_INT(frames, 8, 1024, 200, ""), "N", ""},
    {"size", CLI_INT2(size, 4, 4096, 251, ""), "WxH", ""},
    {"runs", CLI_INT(runs, 1, 1000, 7, ""), "N", ""},
    {"only", CLI_STRING(only), "TEXT", ""},
    {"device-only", CLI_FLAG(device_only), "", ""},
    {"json", CLI_STRING(json), "FILE", ""},
};

/* Of each point: tissue whose size and speed differ from component to component. */
static void fill(bench_flow *b)
{
    const int64_t points = b->points;
    for (int64_t i = 0; i < 2 * b->options->frames * points; i++)
        b->iq[i] = 0.1f * (float)sac_random_normal(1, (uint64_t)i);
    float *size = cli_grow(NULL, 0, (size_t)(2 * points), sizeof *size);
    for (int k = 0; k < 20; k++) {
        for (int64_t p = 0; p < points; p++) {
            const double a = pow(0.8, k) * sac_random_normal(2, (uint64_t)(k * points + p));
            const double turn = 6.28 * sac_random_normal(3, (uint64_t)(k * points + p));
            size[2 * p] = (float)(a * cos(turn));
            size[2 * p + 1] = (float)(a * sin(turn));
        }
        for (int64_t i = 0; i < b->options->frames; i++) {
            const float c = (float)cos(0.02 * k * (double)i), s = (float)sin(0.02 * k * (double)i);
            for (int64_t p = 0; p < points; p++) {
                const float re = size[2 * p], im = size[2 * p + 1];
                b->iq[2 * (i * points + p)] += re * c - im * s;
                b->iq[2 * (i * points + p) + 1] += re * s + im * c;
            }
        }
    }
    free(size);
}

sac_flow *bench_flow_open(const bench_flow *b, const bench_flow_task *task, sac_device device,
                          int32_t threads)
{
    sac_flow *plan = NULL;
    sac_flow_desc d;
    sac_error err = {0};
    sac_flow_desc_init(&d);
    d.n_frames = b->options->frames;
    d.n_axes = 2;
    d.shape[0] = b->options->size[1];
    d.shape[1] = b->options->size[0];
    d.prf_hz = 5000;
    d.fc_hz = 5e6;
    d.kind = task->kind;
    d.filter = task->filter;
    d.scale = SAC_FLOW_LINEAR;
    d.n_threads = threads;
    d.device = device;
    d.eigen = device.kind == SAC_DEVICE_CUDA ? task->eigen : SAC_FLOW_EIGEN_JACOBI;
    const sac_status st = sac_flow_open(&plan, &d, &err);
    if (st == SAC_E_UNSUPPORTED && d.eigen == SAC_FLOW_EIGEN_CUSOLVER)
        fprintf(stderr, "bench_flow: %s: left out: %s\n", task->name, err.text);
    else
        bench_must(st, "open", &err);
    return plan;
}

sac_array bench_flow_in(const bench_flow *b, void *data, sac_device device)
{
    sac_array in;
    const int64_t shape[] = {b->options->frames, b->options->size[1], b->options->size[0]};
    bench_must(sac_array_view(&in, data, SAC_C64, 3, shape, NULL), "view", NULL);
    in.device = device;
    return in;
}

static int compare_ns(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

double bench_flow_time(const bench_flow *b, void (*call)(void *arg), void *arg)
{
    const int n = b->options->runs;
    double *ns = cli_grow(NULL, 0, (size_t)n, sizeof *ns);
    for (int i = -1; i < n; i++) {
        const int64_t start = sac_clock_ns();
        call(arg);
        if (i >= 0)
            ns[i] = (double)(sac_clock_ns() - start);
    }
    qsort(ns, (size_t)n, sizeof *ns, compare_ns);
    const double median = ns[n / 2];
    free(ns);
    return median;
}

void bench_flow_row(bench_flow *b, const char *task, const char *device, int32_t threads,
                    const char *what, double ns)
{
    cli_table_row(&b->table);
    cli_table_cell(&b->table, 0, "%s", task);
    cli_table_cell(&b->table, 1, "%s", device);
    if (threads)
        cli_table_cell(&b->table, 2, "%d", threads);
    cli_table_cell(&b->table, 3, "%s", what);
    cli_table_time(&b->table, 4, ns);
    cli_json_object(&b->json, NULL);
    cli_json_string(&b->json, "pipeline", "flow");
    cli_json_string(&b->json, "rung", task);
    cli_json_string(&b->json, "device", device);
    if (threads)
        cli_json_int(&b->json, "threads", threads);
    cli_json_string(&b->json, "step", what);
    cli_json_int(&b->json, "median_ns", (int64_t)ns);
    cli_json_int(&b->json, "runs", b->options->runs);
    cli_json_end_object(&b->json);
}

typedef struct cpu_call {
    sac_flow *plan;
    sac_array out, in;
} cpu_call;

static void run_plan(void *arg)
{
    const cpu_call *c = arg;
    bench_must(sac_flow_run(c->plan, &c->out, &c->in, NULL), "run", NULL);
}

static void adapt(void *arg)
{
    sac_flow *plan = ((const cpu_call *)arg)->plan;
    plan->at = 0;
    sac_flow_filter_adapt(plan);
}

static void decompose(void *arg)
{
    sac_flow *plan = ((const cpu_call *)arg)->plan;
    plan->eigen(plan->singular, plan->vectors, plan->gram_of, plan->n, NULL);
}

static void time_cpu(bench_flow *b, const bench_flow_task *task, int32_t threads)
{
    cpu_call c = {.plan = bench_flow_open(b, task, (sac_device){SAC_DEVICE_CPU, 0}, threads)};
    c.in = bench_flow_in(b, b->iq, (sac_device){SAC_DEVICE_CPU, 0});
    c.out = sac_flow_get_output_array(c.plan);
    c.out.data = b->out;
    const double all = bench_flow_time(b, run_plan, &c);
    bench_flow_row(b, task->name, "cpu", threads, "all", all);
    if (c.plan->gram) {
        const double adapts = bench_flow_time(b, adapt, &c),
                     eigen = bench_flow_time(b, decompose, &c);
        bench_flow_row(b, task->name, "cpu", threads, "  products, and the choice of auto",
                       adapts - eigen);
        bench_flow_row(b, task->name, "cpu", threads, "  eigenvectors", eigen);
        bench_flow_row(b, task->name, "cpu", threads, "  the rest", all - adapts);
    }
    sac_flow_close(&c.plan);
}

static const bench_flow_task tasks[] = {
    {"svd:20, power", "svd:20", SAC_FLOW_POWER, SAC_FLOW_EIGEN_JACOBI},
    {"svd:20, power, cuSOLVER", "svd:20", SAC_FLOW_POWER, SAC_FLOW_EIGEN_CUSOLVER},
    {"svd:auto, power", "svd:auto", SAC_FLOW_POWER, SAC_FLOW_EIGEN_JACOBI},
    {"svd:auto, power, cuSOLVER", "svd:auto", SAC_FLOW_POWER, SAC_FLOW_EIGEN_CUSOLVER},
    {"polynomial:2, color", "polynomial:2", SAC_FLOW_COLOR, SAC_FLOW_EIGEN_JACOBI},
    {"none, color", "none", SAC_FLOW_COLOR, SAC_FLOW_EIGEN_JACOBI},
    {"svd:20, directional", "svd:20", SAC_FLOW_DIRECTIONAL, SAC_FLOW_EIGEN_JACOBI}};

/* On the devices that were asked for. */
static int time_task(bench_flow *b, const bench_flow_task *task)
{
    const bool on_gpu = b->options->device.kind == SAC_DEVICE_CUDA;
    int status = 0;
    if (on_gpu)
        status = bench_flow_gpu(b, task);
    if (task->eigen != SAC_FLOW_EIGEN_CUSOLVER && !(on_gpu && b->options->device_only)) {
        time_cpu(b, task, 1);
        time_cpu(b, task, 2);
    }
    return status;
}

static int run(const void *given)
{
    static const char *const heads[] = {"<task", "<device", "threads", "<step", "median"};
    static bench_flow b;
    b.options = given;
    b.points = (int64_t)b.options->size[0] * b.options->size[1];
    b.iq = cli_grow(NULL, 0, (size_t)(2 * b.options->frames * b.points), sizeof *b.iq);
    b.out = cli_grow(NULL, 0, (size_t)(2 * b.points), sizeof *b.out);
    fill(&b);
    cli_table_open(&b.table, heads, sizeof heads / sizeof *heads);
    cli_json_open_rows(&b.json, 2, b.options->device);
    int status = 0, n_timed = 0;
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        if (!b.options->only || strstr(tasks[i].name, b.options->only)) {
            status |= time_task(&b, &tasks[i]);
            n_timed++;
        }
    if (n_timed == 0) {
        fprintf(stderr, "bench_flow: --only: no task has `%s` in its name\n", b.options->only);
        return 2;
    }
    FILE *text = bench_text(b.options->json);
    fprintf(text, "flow, %d frames of %dx%d points\n", b.options->frames, b.options->size[0],
            b.options->size[1]);
    cli_table_print(&b.table, text);
    const int written = cli_json_end(&b.json, b.options->json);
    return status ? status : written; /* the process ends: its memory */
}

const bench_command bench_this = {help, CLI_TABLE("bench_flow", bench_flow_options, params), run, 0,
                                  0};
