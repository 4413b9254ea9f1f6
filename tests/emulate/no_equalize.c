/*
 * equalize beside a worker is for a real GPU: its kernels are not emulated.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/equalize.h>

void sac_equalize_desc_init(sac_equalize_desc *desc)
{
    *desc = (sac_equalize_desc){0};
}

sac_status sac_equalize_open(sac_equalize **out, const sac_equalize_desc *desc, sac_error *err)
{
    (void)desc;
    (void)err;
    *out = NULL;
    return SAC_OK;
}

sac_status sac_equalize_run(sac_equalize *plan, const sac_array *out, const sac_array *in,
                            sac_error *err)
{
    (void)plan;
    (void)out;
    (void)in;
    (void)err;
    return SAC_OK;
}

void sac_equalize_close(sac_equalize **plan)
{
    (void)plan;
}
