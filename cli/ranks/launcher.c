/*
 * What a launcher tells the processes that it starts, in their environment. By this a process that
 * was started alone does without MPI, which takes longer to start than many a run.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks/launcher.h"

#include <stdlib.h>

/* Of Slurm it is the step's number: its job's is also that of the script which starts the steps,
 * and that is one process. */
static const struct {
    const char *n, *rank;
} launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, /* Open MPI's mpirun */
                 {"PMI_SIZE", "PMI_RANK"},                         /* MPICH's, Intel's */
                 {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},   /* MVAPICH's */
                 {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};        /* srun */

/* False: it is not there, or no number. */
static bool read_number(int32_t *number, const char *name)
{
    const char *text = getenv(name);
    char *end = NULL;
    const long value = text ? strtol(text, &end, 10) : -1;
    *number = value >= 0 && value <= INT32_MAX ? (int32_t)value : 0;
    return text && end != text && !*end && value >= 0 && value <= INT32_MAX;
}

bool cli_launched(int32_t *rank, int32_t *n)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (read_number(n, launchers[i].n) && read_number(rank, launchers[i].rank)) {
            return *n > 1;
        }
    }
    *n = 0;
    return read_number(rank, "PMIX_RANK"); /* others that speak PMIx */
}
