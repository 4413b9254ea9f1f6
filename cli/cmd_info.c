/*
 * saccade info: this build and this machine.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include <saccade/device.h>
#include <saccade/io.h>
#include <saccade/measure.h>

#include "json.h"
#include "options.h"
#include "outputs.h"

typedef struct info_options {
    size_t struct_size;
    const char *json;
} info_options;

static const sac_param params[] = {
    {"json", SAC_PARAM_STRING, offsetof(info_options, json), 0, 0, 0, NULL, "", "FILE",
     "write the same as JSON; - is standard output, and no text is printed"},
};

static const sac_param_table own_options = {"info", "", sizeof(info_options), params,
                                            sizeof params / sizeof *params};

typedef struct facts {
    sac_build build;
    char cpu[128], usable[64], masked[64];
    int32_t cores;
    sac_bandwidth one, all;
} facts;

static int gather(facts *info)
{
    sac_error err = {0};
    uint32_t features = sac_cpu_features();
    uint32_t usable = sac_cpu_usable();
    info->build = sac_build_info();
    info->cores = sac_cpu_count();
    sac_cpu_model(info->cpu, sizeof info->cpu);
    sac_cpu_names(usable, info->usable, sizeof info->usable);
    sac_cpu_names(features & ~usable, info->masked, sizeof info->masked);
    if (sac_measure_bandwidth(&info->one, 1, &err) != SAC_OK ||
        sac_measure_bandwidth(&info->all, info->cores, &err) != SAC_OK) {
        return cli_error(&err);
    }
    return CLI_DONE;
}

static void print_text(const facts *info)
{
    printf("saccade       %s, commit %s\n", info->build.version, info->build.commit);
    printf("build         %s; %s\n", info->build.options, info->build.compiler);
    printf("pictures      PNM and PAM built in; optional parts: %s\n", sac_io_parts());
    printf("cpu           %s, %d core%s\n", info->cpu, info->cores, info->cores == 1 ? "" : "s");
    printf("features      %s\n", info->usable[0] ? info->usable : "none");
    if (info->masked[0]) {
        printf("masked away   %s (SAC_CPU_MASK)\n", info->masked);
    }
    printf("devices       cpu; CUDA: not in this build\n");
    printf("copy, cache   %.1f GB/s with 1 thread, %.1f GB/s with %d (read plus written)\n",
           info->one.hot_b_s * 1e-9, info->all.hot_b_s * 1e-9, info->cores);
    printf("copy, DRAM    %.1f GB/s with 1 thread, %.1f GB/s with %d\n", info->one.dram_b_s * 1e-9,
           info->all.dram_b_s * 1e-9, info->cores);
}

static void put_copy(cli_json *json, int32_t threads, const sac_bandwidth *copy)
{
    cli_json_object(json, NULL);
    cli_json_int(json, "threads", threads);
    cli_json_real(json, "copy_hot_gb_s", copy->hot_b_s * 1e-9);
    cli_json_real(json, "copy_dram_gb_s", copy->dram_b_s * 1e-9);
    cli_json_end_object(json);
}

static int write_json(const facts *info, const char *path)
{
    cli_json json;
    cli_json_open_rows(&json, info->all.hot_b_s);
    cli_json_object(&json, NULL);
    cli_json_string(&json, "build", info->build.options);
    cli_json_string(&json, "compiler", info->build.compiler);
    cli_json_string(&json, "parts", sac_io_parts());
    cli_json_string(&json, "features", info->usable);
    cli_json_string(&json, "masked", info->masked);
    cli_json_array(&json, "devices");
    cli_json_string(&json, NULL, "cpu");
    cli_json_end_array(&json);
    cli_json_array(&json, "bandwidth");
    put_copy(&json, 1, &info->one);
    put_copy(&json, info->cores, &info->all);
    cli_json_end_array(&json);
    cli_json_end_object(&json);
    return cli_json_write(&json, path);
}

static int run(int argc, char **argv)
{
    info_options options;
    facts info;
    int status = cli_parse(&cli_info, NULL, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    if (argc > 0) {
        return cli_misuse(&cli_info, "takes no operand, got %s", argv[0]);
    }
    status = cli_report_check(options.json);
    status = status ? status : gather(&info);
    if (status) {
        return status;
    }
    if (!options.json || strcmp(options.json, "-") != 0) {
        print_text(&info);
    }
    return options.json ? write_json(&info, options.json) : CLI_DONE;
}

static const char *const examples[] = {"what a bug report should carry", "saccade info",
                                       "the same without AVX-512", "SAC_CPU_MASK=v3 saccade info",
                                       NULL};

const cli_command cli_info = {
    .name = "info",
    .summary = "this build, this machine, its copy bandwidth",
    .usage = "[OPTION]...",
    .about =
        "Version, commit, compiler and build options; the CPU and the features that variants may\n"
        "use here; devices; copy bandwidths, measured in about a second; optional parts.",
    .examples = examples,
    .own = &own_options,
    .run = run,
};
