/*
 * A build without MPI.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks/mpi.h"
#include "ranks/nccl.h"

#include <stddef.h>

const cli_ranks_mpi *cli_ranks_load(const char **why)
{
    *why = "this build has no MPI (libopenmpi-dev or libmpich-dev)";
    return NULL;
}

const char *cli_ranks_version(void)
{
    return NULL;
}

const cli_ranks_nccl *cli_ranks_load_nccl(void)
{
    return NULL;
}

const char *cli_ranks_nccl_version(void)
{
    return NULL;
}
