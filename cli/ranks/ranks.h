/*
 * Processes that a launcher (mpirun, srun) started together, and that share one run: ranks 0 to
 * n - 1. A process that was started alone is rank 0 of 1, and all of this does nothing.
 *
 * All ranks come to the same calls of cli_ranks_agree, of which cli_ranks_close is the last. What
 * fails on one ends all: it comes to its end early, the others find cli_ranks_stopped. Rank 0
 * speaks for all; what the others would say goes to it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_RANKS_RANKS_H
#define CLI_RANKS_RANKS_H

#include <saccade/device.h>

#include "command.h"

/* Joins the others, if there are any. `command` gets this line. Returns an exit status: what is
 * not CLI_DONE goes to cli_ranks_close, too. */
int cli_ranks_open(const cli_command *command, int argc, char **argv);

int32_t cli_rank(void);
int32_t cli_ranks(void);

/* Whether the run is to end, since it failed on one of them. Any thread, often. */
bool cli_ranks_stopped(void);

enum { CLI_RANKS_SUMS = 4 };

/* Refuses to write into the folder of `path` where ranks on several machines would not see each
 * other's bytes. Returns an exit status. */
int cli_ranks_check_folder(const char *path);

/* Waits for all, who must be at the same `what`. Returns CLI_DONE where they all are, and in sums
 * (n) those of all; or the exit status with which one has failed: then the run ends, and rank 0
 * has the sums of those that could tell. Where each works on inputs of its own the run goes on,
 * with the sums of all and the worst status, unless that rank was interrupted. */
int cli_ranks_agree(const char *what, int status, int64_t *sums, int n);

/* Why the run ends: what the rank that failed first has said, after its name. Of rank 0. */
const char *cli_ranks_why(void);

/* From here on each works on inputs of its own, and speaks for itself: lines and warnings go out,
 * and what fails on one ends none of the others; a signal does. Returns an exit status: all have
 * come here. */
int cli_ranks_part_inputs(void);

/* Whether input i is this rank's. */
bool cli_ranks_has(int64_t i);

/* Adds values (n) of the first n_ranks to those of rank 0, in the order of ranks. Of all of these
 * at the same time, in one thread. SAC_CANCELLED: the run ends; SAC_E_NOMEM. */
sac_status cli_ranks_sum(float *values, size_t n, int32_t n_ranks);

/*
 * The same from GPU to GPU, with the same sums to the byte: where each of these ranks has one GPU,
 * of the `device` that is asked for, that no other has, and NCCL is there. can: whether that is so
 * of this rank; all have to agree. alloc: memory of that GPU, n values; NULL: there is none.
 * sum: of the `values` in it to `sum`, in memory of the CPU, of rank 0. Also SAC_E_DEVICE.
 */
bool cli_ranks_gpus_can(sac_device device);
float *cli_ranks_gpus_alloc(size_t n);
void cli_ranks_gpus_free(float *memory);
sac_status cli_ranks_gpus_sum(float *sum, float *values, size_t n, int32_t n_ranks, sac_error *err);
void cli_ranks_gpus_close(void);

/* What this rank takes of a device: of several GPUs those that the others on this machine leave
 * it, of the first GPU the one of its number. */
sac_device cli_ranks_device(sac_device device);

/* Threads of this rank, where `n` is 0: its share of the machine's. */
int32_t cli_ranks_threads(int32_t n);

/* The end, with this rank's exit status; returns that of all. */
int cli_ranks_close(int status);

#endif
