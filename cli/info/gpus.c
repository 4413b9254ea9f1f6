/*
 * The machine's GPUs next to those of Nourazar, Booth and Goossens' Table 1.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpus.h"

#include <math.h>
#include <stdio.h>

#include <saccade/measure.h>

#include "tables.h"

/* Table 1 of "A GPU optimization workflow for real-time execution of ultra-high frame rate computer
 * vision applications". It has no clocks, and registers of a block only. */
static const cli_gpu_resources published[] = {
    {"Xavier AGX", 8, 2048, 0, 65536, 96 << 10, 0, 136.5e9, 1536e9},
    {"Orin AGX", 16, 1536, 0, 65536, 164 << 10, 0, 204.8e9, 2662e9},
    {"RTX A6000", 84, 1536, 0, 65536, 100 << 10, 0, 768e9, 19350e9},
};

enum { N_PUBLISHED = sizeof published / sizeof *published };

#define MOST_OURS (CLI_MAX_COLUMNS - 1 - N_PUBLISHED)

int cli_gpu_resources_of(cli_gpu_resources *out, const sac_gpu_info *gpu, bool measures)
{
    sac_error err = {0};
    sac_bandwidth global = {0};
    *out = (cli_gpu_resources){.name = gpu->name,
                               .n_multiprocessors = gpu->n_multiprocessors,
                               .n_threads = gpu->n_threads,
                               .registers = gpu->registers,
                               .block_registers = gpu->block_registers,
                               .shared_bytes = (int64_t)gpu->shared_bytes,
                               .clock_hz = (double)gpu->clock_hz};
    if (!measures) {
        return CLI_DONE;
    }
    sac_status st = sac_measure_gpu_bandwidth(&global, gpu->index, &err);
    st = st ? st : sac_measure_gpu_shared(&out->shared_b_s, gpu->index, &err);
    out->global_b_s = global.dram_b_s;
    return st == SAC_OK ? CLI_DONE : cli_error(&err);
}

/* One row: what it is, and its value of a GPU; 0: not known. */
typedef struct row {
    const char *head, *format;
    double (*value)(const cli_gpu_resources *gpu);
    bool is_measured;
} row;

static double multiprocessors(const cli_gpu_resources *g)
{
    return (double)g->n_multiprocessors;
}

static double threads(const cli_gpu_resources *g)
{
    return (double)g->n_threads;
}

static double registers(const cli_gpu_resources *g)
{
    return (double)g->registers;
}

static double block_registers(const cli_gpu_resources *g)
{
    return (double)g->block_registers;
}

static double shared_kib(const cli_gpu_resources *g)
{
    return (double)g->shared_bytes / 1024;
}

static double clock_ghz(const cli_gpu_resources *g)
{
    return 1e-9 * g->clock_hz;
}

static double global_gb_s(const cli_gpu_resources *g)
{
    return 1e-9 * g->global_b_s;
}

static double shared_gb_s(const cli_gpu_resources *g)
{
    return 1e-9 * g->shared_b_s;
}

static const row rows[] = {
    {"multiprocessors", "%.0f", multiprocessors, false},
    {"threads of each, at most", "%.0f", threads, false},
    {"registers of each", "%.0f", registers, false},
    {"registers of a block", "%.0f", block_registers, false},
    {"shared memory of each, KiB", "%.0f", shared_kib, false},
    {"clock, at most, GHz", "%.2f", clock_ghz, false},
    {"global memory, GB/s", "%.4g", global_gb_s, true},
    {"shared memory, GB/s", "%.0f", shared_gb_s, true},
};

enum { N_ROWS = sizeof rows / sizeof *rows };

static void put_cell(cli_table *table, int column, const row *r, const cli_gpu_resources *gpu,
                     const char *unknown)
{
    const double value = gpu ? r->value(gpu) : 0;
    char text[32];
    snprintf(text, sizeof text, r->format, value);
    cli_table_cell(table, column, "%s", value > 0 ? text : unknown);
}

void cli_gpus_print(const cli_gpu_resources *ours, int n)
{
    const char *heads[CLI_MAX_COLUMNS] = {"<", "cuda:0"};
    char names[MOST_OURS][8];
    const int n_ours = n < 1 ? 1 : n < MOST_OURS ? n : MOST_OURS;
    cli_table table;
    for (int i = 0; i < n_ours; i++) {
        snprintf(names[i], sizeof names[i], "cuda:%d", i);
        heads[1 + i] = names[i];
    }
    for (int i = 0; i < N_PUBLISHED; i++) {
        heads[1 + n_ours + i] = published[i].name;
    }
    cli_table_open(&table, heads, 1 + n_ours + N_PUBLISHED);
    for (int k = 0; k < N_ROWS; k++) {
        cli_table_row(&table);
        cli_table_cell(&table, 0, "%s", rows[k].head);
        for (int i = 0; i < n_ours; i++) {
            put_cell(&table, 1 + i, &rows[k], n > 0 ? &ours[i] : NULL,
                     n < 1                 ? "no GPU"
                     : rows[k].is_measured ? "not measured"
                                           : "-");
        }
        for (int i = 0; i < N_PUBLISHED; i++) {
            put_cell(&table, 1 + n_ours + i, &rows[k], &published[i], "-");
        }
    }
    puts(
        "\nGPUs, next to those of Nourazar, Booth and Goossens' Table 1. Its bandwidths are as\n"
        "published; ours are measured by --gpu-bandwidth: copies, read plus written, and reads of\n"
        "shared memory.");
    cli_table_print(&table, stdout);
}

static void put_positive(cli_json *json, const char *name, double value)
{
    cli_json_real(json, name, value > 0 ? value : (double)NAN);
}

void cli_gpus_put_resources(cli_json *json, const cli_gpu_resources *gpu)
{
    put_positive(json, "threads_per_multiprocessor", (double)gpu->n_threads);
    put_positive(json, "registers_per_multiprocessor", (double)gpu->registers);
    put_positive(json, "registers_per_block", (double)gpu->block_registers);
    put_positive(json, "global_gb_s", global_gb_s(gpu));
    put_positive(json, "shared_gb_s", shared_gb_s(gpu));
}

void cli_gpus_put_published(cli_json *json)
{
    cli_json_array(json, "published_gpus");
    for (int i = 0; i < N_PUBLISHED; i++) {
        const cli_gpu_resources *gpu = &published[i];
        cli_json_object(json, NULL);
        cli_json_string(json, "name", gpu->name);
        cli_json_string(json, "source", "Nourazar, Booth and Goossens, Table 1");
        cli_json_int(json, "multiprocessors", gpu->n_multiprocessors);
        cli_json_int(json, "shared_bytes", gpu->shared_bytes);
        cli_gpus_put_resources(json, gpu);
        cli_json_end_object(json);
    }
    cli_json_end_array(json);
}
