/*
 * What saccade-mpi.so, the one file that sees mpi.h, does for the command, which loads it where a
 * launcher has started several processes. Messages between two ranks arrive in their order.
 *
 * Threads: one at a time calls these.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_RANKS_MPI_H
#define CLI_RANKS_MPI_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cli_ranks_mpi {
    /* This process of n; and of those on this machine, local of n_local. False: MPI refuses,
     * and is closed. */
    bool (*open)(int32_t *rank, int32_t *n, int32_t *local, int32_t *n_local);
    void (*share)(void *data, int32_t bytes);                  /* rank 0's, to all */
    void (*tell)(const void *data, int32_t bytes, int32_t to); /* under 1 kB: else MPI may wait */
    /* Begin to send, or to receive: the memory must stay. NULL: no memory. */
    void *(*send)(const void *data, int32_t bytes, int32_t to);
    void *(*receive)(void *data, int32_t bytes, int32_t from, bool is_told);
    bool (*is_done)(void **request); /* sets it to NULL then; also where it is NULL */
    void (*close)(void);             /* all come here, with nothing begun */
} cli_ranks_mpi;

#define CLI_RANKS_SYMBOL "saccade_ranks_mpi" /* the name of the one in saccade-mpi.so */

/* Of this build: loads it. NULL, and why there is none. */
const cli_ranks_mpi *cli_ranks_load(const char **why);

/* The MPI that this build was made with: "3.1 (Open MPI)"; NULL: none. */
const char *cli_ranks_version(void);

#endif
