/*
 * In a build without libsrt.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "net.h"

const sac_net_fns sac_net_srt = {.carrier = {.most = 0}};

bool sac_net_has_srt(void)
{
    return false;
}
