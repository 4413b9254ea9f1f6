/*
 * A build with MPI: saccade-mpi.so, loaded when a launcher has started several processes, and where
 * the build has it saccade-nccl.so, when GPUs add up. They lie where saccade-live does.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks/mpi.h"
#include "ranks/nccl.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "live/live.h"

/* What it exports under `symbol`. NULL: it is not there, and *why says why. */
static const void *load(const char *name, const char *symbol, int flags, const char **why)
{
    char *path = cli_beside(name);
    void *module = path ? dlopen(path, RTLD_NOW | flags) : NULL;
    const void *found = module ? dlsym(module, symbol) : NULL;
    *why = found ? NULL : path ? dlerror() : "";
    free(path);
    return found;
}

const cli_ranks_mpi *cli_ranks_load(const char **why)
{
    /* Open MPI loads parts of its own, which look for its symbols. */
    const void *mpi = load("saccade-mpi.so", CLI_RANKS_SYMBOL, RTLD_GLOBAL, why);
    if (*why && !**why) {
        *why = "saccade-mpi.so is not installed (Debian: saccade-mpi)";
    }
    return mpi;
}

const char *cli_ranks_version(void)
{
    return SAC_MPI;
}

const cli_ranks_nccl *cli_ranks_load_nccl(void)
{
    const char *why;
    return load("saccade-nccl.so", CLI_RANKS_NCCL_SYMBOL, RTLD_LOCAL, &why);
}

const char *cli_ranks_nccl_version(void)
{
#ifdef SAC_NCCL
    return SAC_NCCL;
#else
    return NULL;
#endif
}
