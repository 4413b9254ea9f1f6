/*
 * scan_u64: the table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scan_u64.h"

static const sac_variant variants[] = {
    {"sequential", 0, true, SAC_FN(sac_scan_u64_fn, sac_scan_u64_sequential)},
    SAC_X86_ROW("avx512", SAC_CPU_V4, true, SAC_FN(sac_scan_u64_fn, sac_scan_u64_avx512)),
    {0},
};

const sac_room sac_scan_u64_room = {"scan_u64", variants};
