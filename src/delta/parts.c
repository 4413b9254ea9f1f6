/*
 * Which optional libraries this build's delta streams have.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/delta.h>

const char *sac_delta_parts(void)
{
    return SAC_DELTA_PARTS;
}
