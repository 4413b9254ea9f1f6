/*
 * What rungs take of a GPU besides time: registers, shared memory, room on a multiprocessor,
 * energy; and what meltpool's rungs gain from frames in parallel, next to Table 3 of Nourazar,
 * Booth and Goossens.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "feedback.h"

#include <inttypes.h>
#include <string.h>

#include "curves.h"

enum {
    RUNG,
    KERNELS,
    LAUNCHES,
    THREADS,
    REGISTERS,
    SHARED,
    BLOCKS,
    OCCUPANCY,
    ENERGY,
    POWER,
    N_COLUMNS
};

static const char *const heads[N_COLUMNS] = {[RUNG] = "<rung",          [KERNELS] = "kernels",
                                             [LAUNCHES] = "launches",   [THREADS] = "threads",
                                             [REGISTERS] = "registers", [SHARED] = "shared bytes",
                                             [BLOCKS] = "blocks / SM",  [OCCUPANCY] = "occupancy %",
                                             [ENERGY] = "mJ / frame",   [POWER] = "W"};

static const char *const names[] = {"grid-sync-", "persistent-"};

void cli_ladder_begin_feedback(cli_ladder_feedback *f)
{
    *f = (cli_ladder_feedback){0};
    cli_table_open(&f->table, heads, N_COLUMNS);
}

/* The least and the most of a rung's kernels: "24", or "24 - 56". */
typedef struct range {
    double least, most;
} range;

static void widen(range *r, double value, bool is_first)
{
    r->least = is_first || value < r->least ? value : r->least;
    r->most = is_first || value > r->most ? value : r->most;
}

static void put_range(cli_table *table, int column, const range *r)
{
    if (r->least == r->most) {
        cli_table_cell(table, column, "%.6g", r->most);
    } else {
        cli_table_cell(table, column, "%.6g - %.6g", r->least, r->most);
    }
}

static uint64_t threads_of(const sac_gpu_kernel *k)
{
    return (uint64_t)k->block[0] * k->block[1] * k->block[2];
}

static void fill_kernels(cli_table *table, const sac_ladder_row *row)
{
    range ranges[N_COLUMNS] = {0};
    int64_t launches = 0;
    for (int32_t i = 0; i < row->n_kernels; i++) {
        const sac_gpu_kernel *k = &row->kernels[i];
        launches += k->launches;
        widen(&ranges[THREADS], (double)threads_of(k), i == 0);
        widen(&ranges[REGISTERS], k->registers, i == 0);
        widen(&ranges[SHARED], k->shared_bytes, i == 0);
        widen(&ranges[BLOCKS], k->blocks, i == 0);
        widen(&ranges[OCCUPANCY], 100 * k->occupancy, i == 0);
    }
    cli_table_cell(table, KERNELS, "%" PRId32, row->n_kernels);
    cli_table_cell(table, LAUNCHES, "%" PRId64, launches);
    for (int column = THREADS; column <= OCCUPANCY; column++) {
        put_range(table, column, &ranges[column]);
    }
}

/* Frames a second of a rung that takes 1, 2, 4 .. 32 at once. */
static void take_parallel(cli_ladder_feedback *f, const sac_ladder_row *row)
{
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < CLI_PARALLEL_ROWS; k++) {
            char name[32];
            snprintf(name, sizeof name, "%s%d", names[i], 1 << k);
            if (strcmp(row->rung, name) == 0 && row->points > 0) {
                f->hz[k][i] = (double)row->points / row->median_ns * 1e9;
            }
        }
    }
}

void cli_ladder_add_feedback(cli_ladder_feedback *f, const sac_ladder_row *row)
{
    if (row->runs > 0 && strcmp(row->room, "meltpool") == 0) {
        take_parallel(f, row);
    }
    if (row->n_kernels == 0 && row->frame_joules <= 0) {
        return;
    }
    cli_table_row(&f->table);
    cli_table_cell(&f->table, RUNG, "%s", row->rung);
    if (row->n_kernels > 0) {
        fill_kernels(&f->table, row);
    }
    if (row->frame_joules > 0) {
        cli_table_cell(&f->table, ENERGY, "%.3g", 1e3 * row->frame_joules);
        cli_table_cell(&f->table, POWER, "%.3g", row->watts);
        f->idle_watts = row->idle_watts;
    }
}

static void put_rate(cli_table *table, int column, double hz, double single_hz)
{
    if (hz > 0 && single_hz > 0) {
        cli_table_cell(table, column, "%.0f (%.1fx)", hz, hz / single_hz);
    } else if (hz > 0) {
        cli_table_cell(table, column, "%.0f", hz);
    }
}

static void print_parallel(const cli_ladder_feedback *f, FILE *file)
{
    static const char *const columns[] = {"frames", "grid-sync", "persistent", "Xavier", "A6000"};
    double xavier_1, a6000_1;
    bool any = false;
    cli_table table;
    cli_curves_published(&xavier_1, &a6000_1, 1);
    cli_table_open(&table, columns, 5);
    for (int k = 0; k < CLI_PARALLEL_ROWS; k++) {
        double xavier, a6000;
        if (f->hz[k][0] <= 0 && f->hz[k][1] <= 0) {
            continue;
        }
        any = true;
        cli_curves_published(&xavier, &a6000, 1 << k);
        cli_table_row(&table);
        cli_table_cell(&table, 0, "%d", 1 << k);
        put_rate(&table, 1, f->hz[k][0], f->hz[0][0]);
        put_rate(&table, 2, f->hz[k][1], f->hz[0][1]);
        put_rate(&table, 3, xavier, xavier_1);
        put_rate(&table, 4, a6000, a6000_1);
    }
    if (any) {
        fprintf(file,
                "\nFrames a second of 1 to 32 parallel frames, from page-locked memory (empty ones "
                "count); published:\nNourazar, Booth and Goossens, Table 3\n");
    }
    cli_table_print(&table, file);
}

void cli_ladder_print_feedback(cli_ladder_feedback *f, FILE *file)
{
    if (f->table.n_rows > 0) {
        fprintf(
            file,
            "\nKernels of a rung, the least and the most of them; threads and shared bytes of a "
            "block, registers of\na thread; blocks that a multiprocessor (SM) holds at a time, "
            "and their share of its threads\n");
    }
    cli_table_print(&f->table, file);
    if (f->idle_watts > 0) {
        fprintf(
            file,
            "Energy is the GPU's own, by NVML; without work it takes %.3g W. The paper says 30 W "
            "at most for a\nJetson Xavier AGX (45 us a frame: 1.4 mJ), more than 500 W for the "
            "system with an RTX A6000\n(18 us: 9 mJ).\n",
            f->idle_watts);
    }
    print_parallel(f, file);
    cli_ladder_begin_feedback(f);
}

static void put_kernel(cli_json *json, const sac_gpu_kernel *k)
{
    const uint64_t grid[] = {k->grid[0], k->grid[1], k->grid[2]};
    const uint64_t block[] = {k->block[0], k->block[1], k->block[2]};
    cli_json_object(json, NULL);
    cli_json_int(json, "launches", k->launches);
    cli_json_uints(json, "grid", grid, 3);
    cli_json_uints(json, "block", block, 3);
    cli_json_int(json, "registers", k->registers);
    cli_json_uint(json, "shared_bytes", k->shared_bytes);
    cli_json_uint(json, "local_bytes", k->local_bytes);
    cli_json_int(json, "blocks_per_multiprocessor", k->blocks);
    cli_json_real(json, "occupancy", k->occupancy);
    cli_json_end_object(json);
}

void cli_ladder_put_feedback(cli_json *json, const sac_ladder_row *row)
{
    if (row->n_kernels > 0) {
        cli_json_array(json, "kernels");
        for (int32_t i = 0; i < row->n_kernels; i++) {
            put_kernel(json, &row->kernels[i]);
        }
        cli_json_end_array(json);
    }
    if (row->frame_joules > 0) {
        cli_json_real(json, "frame_joules", row->frame_joules);
        cli_json_real(json, "watts", row->watts);
        cli_json_real(json, "idle_watts", row->idle_watts);
    }
}
