/*
 * The machine's GPUs next to those of Nourazar, Booth and Goossens' Table 1.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_INFO_GPUS_H
#define CLI_INFO_GPUS_H

#include <saccade/device.h>

#include "json.h"

/* A GPU's resources; 0: not known. Bandwidths are of all multiprocessors together. */
typedef struct cli_gpu_resources {
    const char *name;
    int64_t n_multiprocessors, n_threads, registers, block_registers, shared_bytes;
    double clock_hz, global_b_s, shared_b_s;
} cli_gpu_resources;

/* Those of a GPU; `measures`: its bandwidths, too, which takes a second. Returns an exit status. */
int cli_gpu_resources_of(cli_gpu_resources *out, const sac_gpu_info *gpu, bool measures);

/* The table; without GPUs its first column says so. */
void cli_gpus_print(const cli_gpu_resources *ours, int n);

/* The published ones as an array of objects, and the members of one that is measured. */
void cli_gpus_put_published(cli_json *json);
void cli_gpus_put_resources(cli_json *json, const cli_gpu_resources *gpu);

#endif
