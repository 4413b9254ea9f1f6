/*
 * What the checks of rooms with a variant on a GPU share: it is called "cuda", and reads complex
 * samples at multiples of 8 bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_FLOW_CHECK_CUDA_H
#define SAC_FLOW_CHECK_CUDA_H

#include <string.h>

#include "flow/kernels/flow_cuda.h"
#include "room/check.h"

static inline bool sac_check_is_cuda(const sac_variant *v)
{
    return !strcmp(v->name, "cuda");
}

static inline bool sac_check_lies_well(const sac_check_case *c, int arg)
{
    return (uintptr_t)c->arg[arg].data % 8 == 0 && c->arg[arg].row % 8 == 0;
}

#endif
