/*
 * saccade info: this build and this machine.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include <saccade/delta.h>
#include <saccade/device.h>
#include <saccade/io.h>

#include "gpus.h"
#include "roofs.h"
#include "draw/page.h"
#include "json.h"
#include "options.h"
#include "view/view.h"
#include "outputs.h"
#include "ranks/mpi.h"
#include "ranks/nccl.h"

typedef struct info_options {
    size_t struct_size;
    const char *json;
    bool measures;
} info_options;

#define FIELD(name) offsetof(info_options, name)

static const sac_param params[] = {
    {"json", CLI_STRING(json), "FILE",
     "write the same as JSON; - is standard output, and then no text is printed"},
    {"gpu-bandwidth", CLI_FLAG(measures), "",
     "measure each GPU's memory: copies of 1 GB, and reads of shared memory; takes some seconds, "
     "and 2 GB of its memory"},
};

static const sac_param_table own_options = CLI_TABLE("info", info_options, params);

/* The command's own, of no library of saccade. */
#define CAIRO "Cairo"
#define WEBSOCKETS "libwebsockets"
#define MPI "MPI"
#define NCCL "NCCL"

/* Every library that a build may have, and what goes without it is not there. */
static const struct {
    const char *name, *what;
} libraries[] = {{"libvips", "pictures other than PNM and PAM: PNG, JPEG, TIFF, WebP, ..."},
                 {"libhdf5", "HDF5: recordings, images, melt pools; MAT v7.3"},
                 {"libmatio", "MAT v5"},
                 {"cJSON", "models, and the metadata of NPY"},
                 {"libsodium", "keys that authenticate packets"},
                 {"zstd", "delta streams"},
                 {"lz4", "delta streams that were made with --fast"},
                 {CAIRO, "plots: PNG, SVG, PDF; axes around pictures of ultrasound"},
                 {WEBSOCKETS, "saccade view"},
                 {MPI, "several processes of one run"},
                 {NCCL, "their images added up from GPU to GPU"}};

enum { N_LIBRARIES = sizeof libraries / sizeof *libraries };

#define MAX_GPUS 16 /* that are listed */

typedef struct facts {
    sac_build build;
    char cpu[128], usable[64], masked[64];
    int32_t cores;
    cli_roofs_found roofs;
    int32_t n_gpus;
    sac_gpu_info gpu[MAX_GPUS];
    cli_gpu_resources resources[MAX_GPUS];
    sac_error no_gpu; /* why there is none */
} facts;

/* A machine without GPUs is no failure; one whose GPU does not answer is. */
static int gather_gpus(facts *info, bool measures)
{
    sac_error err = {0};
    int32_t n = sac_gpu_count();
    info->n_gpus = n < MAX_GPUS ? n : MAX_GPUS;
    for (int32_t i = 0; i < info->n_gpus; i++) {
        info->gpu[i].struct_size = sizeof info->gpu[i];
        if (sac_gpu_describe(&info->gpu[i], i, &err) != SAC_OK) {
            return cli_error(&err);
        }
        const int status = cli_gpu_resources_of(&info->resources[i], &info->gpu[i], measures);
        if (status) {
            return status;
        }
    }
    if (n == 0) {
        (void)!sac_gpu_describe(&info->gpu[0], 0, &info->no_gpu);
    }
    return CLI_DONE;
}

static int gather(facts *info, bool measures)
{
    uint32_t features = sac_cpu_features();
    uint32_t usable = sac_cpu_usable();
    info->build = cli_build();
    info->cores = sac_cpu_count();
    sac_cpu_model(info->cpu, sizeof info->cpu);
    sac_cpu_names(usable, info->usable, sizeof info->usable);
    sac_cpu_names(features & ~usable, info->masked, sizeof info->masked);
    const int status = cli_roofs_measure(&info->roofs, info->cores);
    return status ? status : gather_gpus(info, measures);
}

/* One GPU, two lines; the memory's rate is what its clock and width allow, both edges counted. */
static void print_gpu(const sac_gpu_info *gpu)
{
    printf("cuda:%-8d %s, compute capability %d.%d, at PCIe %s\n", gpu->index, gpu->name,
           gpu->major, gpu->minor, gpu->pci);
    printf("              %d multiprocessors at up to %.2f GHz, %.1f GiB of memory%s",
           gpu->n_multiprocessors, (double)gpu->clock_hz * 1e-9,
           (double)gpu->memory_bytes / (1 << 30), gpu->is_integrated ? " shared with the CPU" : "");
    printf(" at up to %.0f GB/s, %.0f MiB of L2\n",
           2e-9 * (double)gpu->memory_clock_hz * gpu->memory_bus_bits / 8,
           (double)gpu->l2_bytes / (1 << 20));
}

static void print_gpus(const facts *info)
{
    if (info->n_gpus == 0) {
        const char *text = info->no_gpu.text, *colon = strchr(text, ':'); /* "device: why" */
        printf("devices       cpu;%s\n", colon ? colon + 1 : text);
        return;
    }
    const sac_gpu_info *gpu = &info->gpu[0];
    printf("devices       cpu, %d GPU%s; CUDA %d.%d in this build, driver %s (up to CUDA %d.%d)\n",
           info->n_gpus, info->n_gpus == 1 ? "" : "s", gpu->cuda_runtime / 1000,
           gpu->cuda_runtime % 1000 / 10, gpu->driver[0] ? gpu->driver : "of unknown version",
           gpu->cuda_driver / 1000, gpu->cuda_driver % 1000 / 10);
    for (int32_t i = 0; i < info->n_gpus; i++) {
        print_gpu(&info->gpu[i]);
    }
}

/* Of a library, by the lists of the build; false where it is not there. */
static bool find_version(char *text, size_t size, const char *name)
{
    const char *lists[] = {sac_io_parts(), sac_delta_parts()};
    const size_t length = strlen(name);
    const char *at = NULL;
    const char *own = !strcmp(name, CAIRO)        ? cli_cairo_version()
                      : !strcmp(name, WEBSOCKETS) ? cli_view_server_version()
                      : !strcmp(name, MPI)        ? cli_ranks_version()
                      : !strcmp(name, NCCL)       ? cli_ranks_nccl_version()
                                                  : NULL;
    if (own) {
        snprintf(text, size, "%s", own);
        return true;
    }
    for (int i = 0; i < 2 && !at; i++) {
        at = lists[i];
        while (at && !(strncmp(at, name, length) == 0 && at[length] == ' ')) {
            at = strstr(at, ", ");
            at += at ? strlen(", ") : 0;
        }
    }
    if (at) {
        at += length + 1;
        snprintf(text, size, "%.*s", (int)strcspn(at, ","), at);
    }
    return at != NULL;
}

/* By which times plans choose variants. */
static void print_wisdom(void)
{
    sac_wisdom_info wisdom = {.struct_size = sizeof wisdom};
    sac_wisdom_describe(&wisdom);
    if (wisdom.ignored[0]) {
        printf("variants      by saccade's tables; %s is ignored: %s\n", wisdom.path,
               wisdom.ignored);
    } else if (wisdom.n_entries > 0) {
        printf("variants      by %d measured times in %s\n", wisdom.n_entries, wisdom.path);
    } else {
        puts("variants      by saccade's tables; saccade tune measures them on this machine");
    }
}

static void put_wisdom(cli_json *json)
{
    sac_wisdom_info wisdom = {.struct_size = sizeof wisdom};
    sac_wisdom_describe(&wisdom);
    cli_json_object(json, "wisdom");
    cli_json_string(json, "path", wisdom.path[0] ? wisdom.path : NULL);
    cli_json_int(json, "entries", wisdom.n_entries);
    cli_json_string(json, "ignored", wisdom.ignored[0] ? wisdom.ignored : NULL);
    cli_json_end_object(json);
}

static void print_text(const facts *info)
{
    printf("saccade       %s, commit %s\n", info->build.version, info->build.commit);
    printf("build         %s; %s\n", info->build.options, info->build.compiler);
    for (int i = 0; i < N_LIBRARIES; i++) {
        char version[32];
        printf("%-13s %s; %s\n", libraries[i].name,
               find_version(version, sizeof version, libraries[i].name) ? version
                                                                        : "not in this build",
               libraries[i].what);
    }
    printf("cpu           %s, %d core%s\n", info->cpu, info->cores, info->cores == 1 ? "" : "s");
    printf("features      %s\n", info->usable[0] ? info->usable : "none");
    if (info->masked[0]) {
        printf("masked away   %s (SAC_CPU_MASK)\n", info->masked);
    }
    print_gpus(info);
    print_wisdom();
    cli_roofs_print(&info->roofs);
    cli_gpus_print(info->resources, info->n_gpus);
}

static void put_gpu(cli_json *json, const sac_gpu_info *gpu, const cli_gpu_resources *resources)
{
    char text[24];
    cli_json_object(json, NULL);
    snprintf(text, sizeof text, "cuda:%d", gpu->index);
    cli_json_string(json, "device", text);
    cli_json_string(json, "name", gpu->name);
    cli_json_string(json, "pci", gpu->pci);
    snprintf(text, sizeof text, "%d.%d", gpu->major, gpu->minor);
    cli_json_string(json, "compute_capability", text);
    cli_json_int(json, "multiprocessors", gpu->n_multiprocessors);
    cli_json_int(json, "clock_hz", gpu->clock_hz);
    cli_json_int(json, "memory_clock_hz", gpu->memory_clock_hz);
    cli_json_int(json, "memory_bus_bits", gpu->memory_bus_bits);
    cli_json_uint(json, "memory_bytes", gpu->memory_bytes);
    cli_json_uint(json, "l2_bytes", gpu->l2_bytes);
    cli_json_uint(json, "shared_bytes", gpu->shared_bytes);
    cli_gpus_put_resources(json, resources);
    cli_json_bool(json, "integrated", gpu->is_integrated);
    cli_json_string(json, "driver", gpu->driver);
    cli_json_int(json, "cuda_driver", gpu->cuda_driver);
    cli_json_int(json, "cuda_runtime", gpu->cuda_runtime);
    cli_json_end_object(json);
}

static int write_json(const facts *info, const char *path)
{
    cli_json json;
    cli_json_open_rows(&json, info->roofs.most.copy[1].hot_b_s, (sac_device){0});
    cli_json_object(&json, NULL);
    cli_json_string(&json, "build", info->build.options);
    cli_json_string(&json, "compiler", info->build.compiler);
    cli_json_string(&json, "parts", sac_io_parts());
    cli_json_object(&json, "libraries");
    for (int i = 0; i < N_LIBRARIES; i++) {
        char version[32];
        const bool is_there = find_version(version, sizeof version, libraries[i].name);
        cli_json_string(&json, libraries[i].name, is_there ? version : NULL);
    }
    cli_json_end_object(&json);
    cli_json_string(&json, "features", info->usable);
    cli_json_string(&json, "masked", info->masked);
    put_wisdom(&json);
    cli_json_array(&json, "devices");
    cli_json_string(&json, NULL, "cpu");
    for (int32_t i = 0; i < info->n_gpus; i++) {
        char text[24];
        snprintf(text, sizeof text, "cuda:%d", i);
        cli_json_string(&json, NULL, text);
    }
    cli_json_end_array(&json);
    cli_json_array(&json, "gpus");
    for (int32_t i = 0; i < info->n_gpus; i++) {
        put_gpu(&json, &info->gpu[i], &info->resources[i]);
    }
    cli_json_end_array(&json);
    cli_gpus_put_published(&json);
    cli_roofs_put(&json, &info->roofs);
    cli_json_end_object(&json);
    return cli_json_write(&json, path);
}

static int run(int argc, char **argv)
{
    info_options options;
    facts info = {0};
    int status = cli_parse(&cli_info, NULL, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    if (argc > 0) {
        return cli_misuse(&cli_info, "takes no operand, got %s", argv[0]);
    }
    status = cli_report_check(options.json);
    status = status ? status : gather(&info, options.measures);
    if (status) {
        return status;
    }
    if (!options.json || strcmp(options.json, "-") != 0) {
        print_text(&info);
    }
    return options.json ? write_json(&info, options.json) : CLI_DONE;
}

static const char *const examples[] = {"what to include in a bug report",
                                       "saccade info",
                                       "the same without AVX-512",
                                       "SAC_CPU_MASK=v3 saccade info",
                                       "with the bandwidths of the GPUs",
                                       "saccade info --gpu-bandwidth",
                                       NULL};

const cli_command cli_info = {
    .name = "info",
    .summary = "this build and machine",
    .usage = "[OPTION]...",
    .about =
        "Version, commit, compiler and build options; the CPU and the instruction sets that\n"
        "variants may use; the GPUs, or why there is none; copy bandwidths, and the most\n"
        "operations a second on 32-bit numbers in registers, measured in about a second; each\n"
        "optional library, with its version; the GPUs' multiprocessors next to those of Nourazar,\n"
        "Booth and Goossens' paper.",
    .examples = examples,
    CLI_RUNS(run, NULL, &own_options),
    .also = "tune: the fastest variants",
};
