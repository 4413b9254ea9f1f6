/*
 * Loads libvips.
 * SPDX-License-Identifier: Apache-2.0
 */
#define SAC_VIPS_LOAD
#include "io/picture/vips_load.h"

#include "base/library.h"

#define LIBRARY "libvips.so.42" /* that of every libvips 8 */

sac_vips_functions sac_vips;

bool sac_vips_load(void)
{
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return false;
#define SAC_VIPS_LOOK_UP(function)                                                                 \
    if (!sac_library_find(&sac_vips.function, library, #function))                                 \
        return false;
    SAC_VIPS_FUNCTIONS(SAC_VIPS_LOOK_UP)
    return true;
}
