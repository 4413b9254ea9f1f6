/*
 * Structs of older and newer programs: taken with defaults, given as far as they reach.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/struct.h"

#include <string.h>

#define MOST_BYTES 65536 /* no struct is larger: an uninitialized size is not followed */

static size_t size_of(const void *sized)
{
    size_t size;
    memcpy(&size, sized, sizeof size);
    return size;
}

sac_status sac_struct_take(void *own, const void *callers, const char *name, sac_error *err)
{
    if (!callers)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", name);
    const size_t known = size_of(own), size = size_of(callers);
    /* All of these structs are aligned to their first member. */
    if (size == 0 || size % sizeof(size_t) || size > MOST_BYTES)
        return sac_fail(err, SAC_E_INVALID,
                        "%s: struct_size is %zu, expected %zu: fill the struct with its _init",
                        name, size, known);
    for (size_t i = known; i < size; i++)
        if (((const char *)callers)[i])
            return sac_fail(err, SAC_E_INVALID,
                            "%s: struct_size is %zu, and this library, which knows %zu bytes, "
                            "cannot do what the rest asks for",
                            name, size, known);
    memcpy(own, callers, size < known ? size : known);
    memcpy(own, &known, sizeof known);
    return SAC_OK;
}

void sac_struct_give(void *callers, const void *own)
{
    const size_t known = size_of(own), size = callers ? size_of(callers) : 0;
    if (size < sizeof(size_t))
        return;
    memset(callers, 0, size);
    memcpy(callers, own, size < known ? size : known);
    memcpy(callers, &size, sizeof size);
}
