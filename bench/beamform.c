/*
 * bench_beamform: delay-and-sum on the CPU and on a GPU against bounds of the hardware and
 * published times of other libraries; and on the GPU the whole chain from RF to pictures.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include <saccade/measure.h>

#include "beamform_random.h"
#include "options.h"

#define END_TO_END "end-to-end"
#define FIRST "first"

static const char help[] =
    "bench_beamform: times delay-and-sum on the CPU and on a GPU, against bounds of the hardware\n"
    "and published times of other libraries, on white noise.\n"
    "\n"
    "Usage: bench_beamform [OPTION]...\n"
    "\n"
    "  A             IQ, 1 plane wave x 128 elements x 334 samples, 32 frames, 251 x 251\n"
    "                points, f/1\n"
    "  B             RF f32, 3 plane waves x 128 x 8192, 256 x 1024 points, all elements, an\n"
    "                image for each wave\n"
    "  B-compounded  the same, the images summed\n"
    "  C             IQ, 75 plane waves x 128 x 2048, 387 x 609 points, f/1.75\n"
    "  V             RF f32, 9 diverging waves x 32 x 32 elements x 1024, 128^3 points, all\n"
    "                elements; on the CPU every 16th plane of points\n"
    "  end-to-end    A on the GPU: int16 RF in page-locked memory to 8-bit B-mode there\n"
    "\n"
    "  rows          other configurations, as plans alone: A-3 A-8 A-9 A-16 A-17 A-32 A-33\n"
    "                A-nearest A-cubic A-clamp thin-8 thin-32 B-1 B-8 B-32 B-32-i16 C-1 C-32\n"
    "                C-32-fast C-nearest C-cubic C-tukey C-layers C-lens C-short C-points,\n"
    "                C-cf to C-mv-transmit (adaptive weights), phased-angle phased-range\n"
    "                phased-f1 phased-lens matrix-16 matrix-16-f1 matrix-1\n"
    "  open          opening plans; closing and opening one to change an option\n"
    "  first         alone, with --device cuda: what a new process pays for A-32's first picture,\n"
    "                the device's context and its end by themselves\n"
    "\n"
    "  --only LIST      of these, or patterns of a shell, joined by commas (default: A to\n"
    "                   end-to-end)\n"
    "  --device DEVICE  cpu, cuda, cuda:N, or both (the CPU and the first GPU; default: both\n"
    "                   where there is a GPU, else cpu)\n"
    "  --threads N      on the CPU, beside one (default 0: one a core)\n"
    "  --seconds S      to time each row, 3 runs on the CPU and 21 on the GPU at least\n"
    "                   (default 1)\n"
    "  --all            all points of V on the CPU, too: about half a minute\n"
    "  --random N       N configurations by chance, as plans alone, the slowest first; on the\n"
    "                   CPU by --threads, or by one\n"
    "  --seed S         of these (default 1)\n"
    "  --skip K         leave the first K out (default 0)\n"
    "  --points N       active points of each, at least (default 0: 1e6 on the CPU, else 1e8)\n"
    "  --check          compare rows and --random with the reference, at some points\n"
    "  --small          rows with few points and transmits, to see that they work\n"
    "  --json FILE      write every row as JSON, too; - is standard output, and\n"
    "                   what else is printed goes to standard error\n"
    "  -h, --help       this text\n"
    "\n"
    "`run` is the whole plan, packing included, in each tier; on a GPU of arrays there, in\n"
    "page-locked and in pageable memory, copies included. Its picture must be within the tier's\n"
    "bound. `kernel` is delay-and-sum alone: on a GPU the time between events around single\n"
    "launches, inputs being several times the L2 cache in turn. A point is one (grid point,\n"
    "element, transmit, frame); active are those in the aperture. issue, L1 and memory are what\n"
    "the active points would take if these alone (of memory copies) held them up, in % of the\n"
    "time.\n"
    "error is the relative L2 difference from the reference in double precision on a sample of\n"
    "blocks of points. mach and ffdas are their published times (on an H100 80GB HBM3), each\n"
    "with how many times as long that is.\n"
    "\n"
    "Of rows and --random, a run is the plan's call: on a GPU of arrays there, in turn, between\n"
    "events; on the CPU by one thread (processor time) or more. Of runs over 2 s on the CPU the\n"
    "first counts alone. `of kind` is the rate of active points over that of A (IQ of 8 frames\n"
    "or more), B (RF) or C (other IQ) in the same run. `wanted` is the project's aim. What is\n"
    "refused, not finite or all zero is a failure; --random tells how to run it again. C-32\n"
    "takes 10 GB of memory.\n"
    "\n"
    "Examples:\n"
    "  bench_beamform --only A,C --device cpu\n"
    "  bench_beamform --only 'C-*,matrix-1' --check --device cpu\n"
    "  bench_beamform --random 200 --seed 7 --check --device cuda\n"
    "  bench_beamform --device cuda --json beamform.json\n"
    "\n"
    "Exit status: 0 done; 1 failed, or a wrong picture; 2 wrong usage.\n";

#define FIELD(name) offsetof(bench_options, name)

static const sac_param params[] = {
    {"only", CLI_STRING(only), "LIST", ""},
    {"device", CLI_STRING(device), "DEVICE", ""},
    {"threads", CLI_INT(threads, 0, 1024, 0, ""), "N", ""},
    {"seconds", CLI_FLOAT(seconds, 0, 3600, 1, "s"), "S", ""},
    {"random", CLI_INT(random, 0, 100000, 0, ""), "N", ""},
    {"seed", CLI_INT(seed, 0, 1000000000, 1, ""), "S", ""},
    {"skip", CLI_INT(skip, 0, 1000000000, 0, ""), "K", ""},
    {"points", CLI_FLOAT(points, 0, 1e12, 0, ""), "N", ""},
    {"all", CLI_FLAG(all), "", ""},
    {"check", CLI_FLAG(check), "", ""},
    {"small", CLI_FLAG(small), "", ""},
    {"json", CLI_STRING(json), "FILE", ""},
};

/* Whether --only, or all that is timed without it, has the name. */
static bool has(const bench_options *o, const char *name)
{
    return o->only ? bench_wants(o->only, name, NULL) : !o->small;
}

/* Whether `one` of the list names something. */
static bool is_known(const char *one)
{
    bool known = bench_wants(one, END_TO_END, NULL) || bench_wants(one, "open", NULL);
    for (int32_t i = 0; i < bench_n_cases; i++)
        known = known || bench_wants(one, bench_cases[i].name, NULL);
    for (int32_t i = 0; i < bench_n_rows; i++)
        known = known || bench_wants(one, bench_rows[i].name, "rows");
    return known;
}

static bool are_known(const char *list)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char *one = cli_text("%.*s", (int)strcspn(at, ","), at);
        const bool known = is_known(one);
        free(one);
        if (!known)
            return false;
    }
    return true;
}

/* Where to work. False: the text names no device. */
static bool take_device(bool *cpu, sac_device *gpu, const char *text)
{
    sac_error err = {0};
    const bool both = text && !strcmp(text, "both");
    *gpu = (sac_device){SAC_DEVICE_CUDA, 0};
    *cpu = !text || both;
    if (!text && sac_gpu_count() == 0)
        gpu->kind = SAC_DEVICE_CPU;
    if (!text || both)
        return true;
    if (sac_device_parse(gpu, text, &err))
        return false;
    *cpu = gpu->kind == SAC_DEVICE_CPU;
    return true;
}

static void print_header(const bench *b, bool cpu)
{
    char text[128];
    if (cpu && b->copy_b_s > 0)
        fprintf(b->text, "cpu: %s, %d cores, memory copied at %.0f GB/s read plus written\n",
                sac_cpu_model(text, sizeof text), sac_cpu_count(), b->copy_b_s * 1e-9);
    for (int32_t i = 0; i < bench_n_cases; i++)
        if (has(b->options, bench_cases[i].name))
            fprintf(b->text, "%s: %s\n", bench_cases[i].name, bench_cases[i].about);
}

static void run_case(bench *b, const bench_case *c, bool cpu, bench_gpu *gpu)
{
    bench_work w;
    const bool thin = !b->options->all && c->thin > 1;
    if (cpu) {
        bench_open_work(&w, c, thin);
        if (thin)
            fprintf(b->text, "%s on the CPU: every %dth plane of points\n", c->name, c->thin);
        bench_cpu(b, &w);
        bench_close_work(&w);
    }
    if (gpu) {
        bench_open_work(&w, c, false);
        bench_on_gpu(b, gpu, &w);
        bench_plans_on_gpu(b, gpu, &w);
        bench_close_work(&w);
    }
}

/* The configurations that kernels were tuned for, by themselves and as plans. */
static void run_cases(bench *b, bool cpu, bench_gpu *gpu)
{
    bench_open_table(b);
    print_header(b, cpu);
    for (int32_t i = 0; i < bench_n_cases; i++)
        if (has(b->options, bench_cases[i].name))
            run_case(b, &bench_cases[i], cpu, gpu);
    if (b->clock_hz > 0)
        fprintf(b->text, "a multiprocessor's clock during the last kernel: %.0f MHz\n",
                b->clock_hz * 1e-6);
    cli_table_print(&b->table, b->text);
    if (gpu && has(b->options, END_TO_END))
        bench_end_to_end(b, gpu);
}

/* Configurations by chance: on the CPU by the threads of --threads, or by one. */
static void run_random(bench *b, bool cpu, bench_gpu *gpu)
{
    bench_place places[] = {
        {.n_threads = b->options->threads ? b->options->threads : 1},
        {.gpu = gpu},
    };
    if (cpu)
        bench_run_random(b, &places[0]);
    if (gpu)
        bench_run_random(b, &places[1]);
}

static int run_on(const bench_options *o, bool cpu, sac_device device)
{
    if (device.kind == SAC_DEVICE_CPU && o->only && !strcmp(o->only, END_TO_END))
        return bench_misuse("--only: end-to-end is a GPU's, and the device is ", "cpu");
    bench b = {.options = o, .text = bench_text(o->json)};
    if (o->only && !strcmp(o->only, FIRST))
        return device.kind == SAC_DEVICE_CUDA && o->device
                   ? bench_run_first(&b, device)
                   : bench_misuse("--only: first needs --device cuda or cuda:N, got ",
                                  o->device ? o->device : "none");
    sac_error err = {0};
    sac_bandwidth copy = {0};
    bench_place places[BENCH_MAX_PLACES];
    bench_gpu *gpu = device.kind == SAC_DEVICE_CUDA ? bench_open_gpu(&b, device.index) : NULL;
    if (cpu && !o->small)
        bench_must(sac_measure_bandwidth(&copy, o->threads, &err), "bandwidth", &err);
    b.copy_b_s = copy.dram_b_s;
    const int32_t n_places = bench_open_places(places, &b, cpu, gpu);
    cli_json_open_rows(&b.json, b.copy_b_s, device);
    if (o->random > 0)
        run_random(&b, cpu, gpu);
    if (o->random == 0 || o->only) {
        run_cases(&b, cpu, gpu);
        bench_run_rows(&b, places, n_places);
        bench_run_opens(&b, places, n_places);
    }
    bench_close_gpu(gpu);
    const int status = cli_json_end(&b.json, o->json);
    return b.n_wrong > 0 ? CLI_FAILED : status;
}

static int run(const void *options)
{
    const bench_options *o = options;
    sac_device gpu;
    bool cpu;
    if (o->only && strcmp(o->only, FIRST) != 0 && !are_known(o->only))
        return bench_misuse("--only: expected names or patterns of --help, got ", o->only);
    if (o->random == 0 && (o->skip > 0 || o->points > 0))
        return bench_misuse("--skip and --points are for --random", "");
    if (!take_device(&cpu, &gpu, o->device))
        return bench_misuse("--device: expected cpu, cuda, cuda:N or both, got ", o->device);
    return run_on(o, cpu, gpu);
}

const bench_command bench_this = {help, CLI_TABLE("bench_beamform", bench_options, params), run};
