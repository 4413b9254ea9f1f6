/*
 * A build with MPI: saccade-mpi.so, loaded when a launcher has started several processes. It lies
 * where saccade-live does.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks/mpi.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "live/live.h"

const cli_ranks_mpi *cli_ranks_load(const char **why)
{
    char *path = cli_beside("saccade-mpi.so");
    /* Open MPI loads parts of its own, which look for its symbols. */
    void *module = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    const cli_ranks_mpi *mpi = module ? dlsym(module, CLI_RANKS_SYMBOL) : NULL;
    *why = mpi ? NULL : path ? dlerror() : "saccade-mpi.so is not installed (Debian: saccade-mpi)";
    free(path);
    return mpi;
}

const char *cli_ranks_version(void)
{
    return SAC_MPI;
}
