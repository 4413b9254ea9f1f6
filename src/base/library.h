/*
 * Libraries that are loaded when something wants them.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_BASE_LIBRARY_H
#define SAC_BASE_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The library that the environment's `variable` names, or else the first of `names`, of which the
 * last is NULL, that is there. NULL: none. */
static inline void *sac_library_load(const char *variable, const char *const *names)
{
    const char *name = getenv(variable);
    if (name && *name)
        return dlopen(name, RTLD_NOW | RTLD_LOCAL);
    void *library = NULL;
    for (; !library && *names; names++)
        library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* Into *function, a pointer to a function; of the library or one that it needs. */
static inline bool sac_library_find(void *function, void *library, const char *name)
{
    void *found = library ? dlsym(library, name) : NULL;
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

#endif
