/*
 * Which optional libraries this build has.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/io.h>

const char *sac_io_parts(void)
{
    return SAC_IO_PARTS;
}
