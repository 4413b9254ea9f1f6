/*
 * Modes of the hsv rooms.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "equalize/kernels/hsv.h"

#include <string.h>

const char *const sac_hsv_modes[] = {"triples", "planes", NULL};

bool sac_hsv_supports(const sac_variant *v, const sac_check_case *c)
{
    if (!strcmp(v->name, "v0"))
        return c->mode == SAC_HSV_TRIPLES;
    return strcmp(v->name, "v1") || c->mode == SAC_HSV_PLANES;
}
