/*
 * What a build without libmatio says when it is given a MAT file.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/recording/parts.h"

sac_status sac_mat_read_recording(sac_draft *draft, bool v5, sac_error *err)
{
    (void)v5;
    return sac_fail(err, SAC_E_UNSUPPORTED,
                    "%s: this build reads no MAT (libmatio was not found when it was built)",
                    draft->name);
}
