/*
 * A machine's roofs in some rounds, each of all of them: what disturbs one round is seen by the
 * others.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "roofs.h"

#include <stdio.h>

#include <saccade/device.h>

#include "outputs.h"

#define N_ROUNDS 3

static const struct {
    uint32_t feature;
    const char *name;
} sets[CLI_ROOF_SETS] = {{0, "base"}, {SAC_CPU_V3, "v3"}, {SAC_CPU_V4, "v4"}};

static int measure_round(cli_roofs *out, int32_t cores)
{
    sac_error err = {0};
    for (int k = 0; k < 2; k++) {
        const int32_t n_threads = k ? cores : 1;
        sac_status st = sac_measure_bandwidth(&out->copy[k], n_threads, &err);
        for (int i = 0; i < CLI_ROOF_SETS && st == SAC_OK; i++) {
            if ((sets[i].feature & ~sac_cpu_usable()) == 0) {
                st = sac_measure_operations(&out->work[i][k], sets[i].feature, n_threads, &err);
            }
        }
        if (st != SAC_OK) {
            return cli_error(&err);
        }
    }
    return CLI_DONE;
}

int cli_roofs_measure(cli_roofs_found *found, int32_t cores)
{
    enum { N = sizeof(cli_roofs) / sizeof(double) };
    union {
        cli_roofs roofs;
        double each[N];
    } most = {0}, least = {0}, now;
    *found = (cli_roofs_found){.cores = cores};
    for (int r = 0; r < N_ROUNDS; r++) {
        now.roofs = (cli_roofs){0};
        const int status = measure_round(&now.roofs, cores);
        if (status) {
            return status;
        }
        for (int i = 0; i < N; i++) {
            most.each[i] = now.each[i] > most.each[i] ? now.each[i] : most.each[i];
            least.each[i] = r == 0 || now.each[i] < least.each[i] ? now.each[i] : least.each[i];
        }
    }
    for (int i = 0; i < N; i++) {
        const double differ = most.each[i] > 0 ? 1 - least.each[i] / most.each[i] : 0;
        found->differ = differ > found->differ ? differ : found->differ;
    }
    found->most = most.roofs;
    return CLI_DONE;
}

static void print_work(const cli_roofs_found *found)
{
    for (int i = 0; i < CLI_ROOF_SETS; i++) {
        const sac_operations *one = &found->most.work[i][0], *all = &found->most.work[i][1];
        if (one->add_s > 0) {
            printf("work, %-7s %.0f integer additions, %.0f float multiplies and additions, 1e9/s, "
                   "with 1 thread; %.0f, %.0f with %d\n",
                   sets[i].name, one->add_s * 1e-9, one->fma_s * 1e-9, all->add_s * 1e-9,
                   all->fma_s * 1e-9, found->cores);
        }
    }
}

void cli_roofs_print(const cli_roofs_found *found)
{
    const sac_bandwidth *one = &found->most.copy[0], *all = &found->most.copy[1];
    printf("copy, cache   %.1f GB/s with 1 thread, %.1f GB/s with %d (read plus written)\n",
           one->hot_b_s * 1e-9, all->hot_b_s * 1e-9, found->cores);
    printf("copy, DRAM    %.1f GB/s with 1 thread, %.1f GB/s with %d\n", one->dram_b_s * 1e-9,
           all->dram_b_s * 1e-9, found->cores);
    print_work(found);
    if (found->differ > CLI_ROOFS_DIFFER) {
        printf("measured      %d times, which differ by up to %.0f %%; the most of each counts, "
               "and may be too low where the machine has other work\n",
               N_ROUNDS, 100 * found->differ);
    }
}

static void put_copy(cli_json *json, const cli_roofs_found *found)
{
    cli_json_array(json, "bandwidth");
    for (int k = 0; k < 2; k++) {
        cli_json_object(json, NULL);
        cli_json_int(json, "threads", k ? found->cores : 1);
        cli_json_real(json, "copy_hot_gb_s", found->most.copy[k].hot_b_s * 1e-9);
        cli_json_real(json, "copy_dram_gb_s", found->most.copy[k].dram_b_s * 1e-9);
        cli_json_end_object(json);
    }
    cli_json_end_array(json);
}

void cli_roofs_put(cli_json *json, const cli_roofs_found *found)
{
    put_copy(json, found);
    cli_json_array(json, "operations");
    for (int i = 0; i < CLI_ROOF_SETS; i++) {
        for (int k = 0; k < 2 && found->most.work[i][k].add_s > 0; k++) {
            cli_json_object(json, NULL);
            cli_json_string(json, "instructions", sets[i].name);
            cli_json_int(json, "threads", k ? found->cores : 1);
            cli_json_real(json, "add_g_s", found->most.work[i][k].add_s * 1e-9);
            cli_json_real(json, "fma_g_s", found->most.work[i][k].fma_s * 1e-9);
            cli_json_end_object(json);
        }
    }
    cli_json_end_array(json);
    cli_json_real(json, "rounds_differ", found->differ);
}
