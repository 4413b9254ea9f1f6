/*
 * In a build without libsrt.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/error.h"
#include "net.h"

const sac_net_fns sac_net_srt = {.carrier = {.most = 0}};

sac_status sac_net_check_srt(sac_error *err)
{
    return sac_fail(err, SAC_E_UNSUPPORTED,
                    "uri: this build has no SRT: it lacks libsrt (Debian and Ubuntu: "
                    "libsrt-gnutls-dev)");
}
