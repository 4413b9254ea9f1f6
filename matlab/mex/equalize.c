/*
 * saccade_equalize: pictures and video, (h, w), (h, w, c) or (h, w, c, n) of uint8 or uint16.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "face.h"

#include <saccade/equalize.h>

static void close_plan(void *plan)
{
    sac_equalize *p = plan;
    sac_equalize_close(&p);
}

/* (h, w, c) as the plan takes it: (c, h, w). */
static sac_array planar(const sac_array *picture)
{
    sac_array p = *picture;
    for (int k = 0; k < 3 && p.n_dims == 3; k++) {
        p.shape[k] = picture->shape[(k + 2) % 3];
        p.stride[k] = picture->stride[(k + 2) % 3];
    }
    return p;
}

void mat_equalize(mat_call *call)
{
    sac_error err = {0};
    sac_equalize *plan = NULL;
    sac_equalize_desc desc;
    mat_expect(call, 1, 1);
    sac_equalize_desc_init(&desc);
    sac_array in = mat_pictures(call->in[0], "picture"), out;
    mat_options(call, 1, sac_equalize_params(), &desc, NULL, NULL);
    call->out[0] = mat_new(in.dtype, (int)mxGetNumberOfDimensions(call->in[0]), in.shape);
    out = mat_pictures(call->out[0], "result");
    /* Without tiles rows and columns may change places, and MATLAB's columns lie together. */
    if (desc.clahe[0] == 0) {
        in = mat_swapped(&in);
        out = mat_swapped(&out);
    }
    desc.dtype = in.dtype;
    desc.h = in.shape[0];
    desc.w = in.shape[1];
    desc.n_channels = (int32_t)in.shape[2];
    desc.layout = SAC_PLANAR;
    mat_check(sac_equalize_open(&plan, &desc, &err), &err);
    mat_keep(plan, close_plan);
    for (int64_t i = 0; i < in.shape[3];) {
        sac_array from[MAT_BATCH], to[MAT_BATCH];
        int32_t n = 0;
        for (; n < MAT_BATCH && i < in.shape[3]; n++, i++) {
            const sac_array picture = mat_picture(&in, i), result = mat_picture(&out, i);
            from[n] = planar(&picture);
            to[n] = planar(&result);
        }
        mat_check(sac_equalize_run_batch(plan, to, from, n, &err), &err);
        mat_interrupt(call);
    }
}
