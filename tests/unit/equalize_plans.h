/*
 * Plans for the tests of sac_equalize: descs of a picture, or of a small one, and what must open.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_EQUALIZE_PLANS_H
#define SAC_TESTS_EQUALIZE_PLANS_H

#include "unit.h"

#include <saccade/equalize.h>

#define W 67
#define H 31

static inline sac_equalize_desc desc_of(const sac_array *a)
{
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = a->dtype;
    desc.h = a->shape[0];
    desc.w = a->shape[1];
    desc.n_channels = a->n_dims == 3 ? (int32_t)a->shape[2] : 1;
    return desc;
}

static inline sac_equalize_desc small_desc(void)
{
    sac_equalize_desc desc;
    sac_equalize_desc_init(&desc);
    desc.dtype = SAC_U8;
    desc.w = W;
    desc.h = H;
    return desc;
}

static inline sac_equalize *must_open(const sac_equalize_desc *desc)
{
    sac_equalize *plan = NULL;
    sac_error err = {0};
    assert_ok(sac_equalize_open(&plan, desc, &err), &err);
    assert_non_null(plan);
    return plan;
}

#endif
