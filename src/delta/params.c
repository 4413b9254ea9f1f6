/*
 * The options of the delta stream, described once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta/format.h"

#define ENCODE(field) offsetof(sac_delta_encode_desc, field)
#define DECODE(field) offsetof(sac_delta_decode_desc, field)

static const sac_param encode_params[] = {
    {"threshold", SAC_PARAM_INT, ENCODE(threshold), 0, 254, 20, NULL, "", "T",
     "a pixel stays unchanged if no channel is off by more than T; 0: lossless"},
    {"key-interval", SAC_PARAM_FLOAT, ENCODE(key_interval_s), 0, 1e6, 10, NULL, "s", "SECONDS",
     "longest time between keyframes; 0: only where needed"},
    {"refresh", SAC_PARAM_FLOAT, ENCODE(refresh_s), 0, 1e6, 0, NULL, "s", "SECONDS",
     "every block is sent lossless at least this often, a few blocks at a time; 0: never"},
    {"fast", SAC_PARAM_BOOL, ENCODE(fast), 0, 1, 0, NULL, "", NULL,
     "lz4 instead of zstd: faster, with larger packets"},
    {"level", SAC_PARAM_INT, ENCODE(level), 1, 19, 1, NULL, "", "N", "compression level of zstd"},
    {"threads", SAC_PARAM_INT, ENCODE(n_threads), 0, 1024, 0, NULL, "", "N",
     "threads on the CPU; 0: one per core"},
    {"variant", SAC_PARAM_STRING, ENCODE(variant), 0, 0, 0, NULL, "", "NAME",
     "variants (implementations) to use, NAME or ROOM:NAME,...; default: the fastest on this "
     "machine"},
};

static const sac_param_table encode_table = {
    .pipeline = "delta-encode",
    .summary = "encode frames as packets with the changes above a threshold",
    .desc_size = sizeof(sac_delta_encode_desc),
    .params = encode_params,
    .n_params = sizeof encode_params / sizeof encode_params[0],
};

static const sac_param decode_params[] = {
    {"threads", SAC_PARAM_INT, DECODE(n_threads), 0, 1024, 0, NULL, "", "N",
     "threads on the CPU; 0: one per core"},
    {"variant", SAC_PARAM_STRING, DECODE(variant), 0, 0, 0, NULL, "", "NAME",
     "variants (implementations) to use, NAME or ROOM:NAME,...; default: the fastest on this "
     "machine"},
};

static const sac_param_table decode_table = {
    .pipeline = "delta-decode",
    .summary = "decode packets of changes to frames",
    .desc_size = sizeof(sac_delta_decode_desc),
    .params = decode_params,
    .n_params = sizeof decode_params / sizeof decode_params[0],
};

const sac_param_table *sac_delta_encode_params(void)
{
    return &encode_table;
}

void sac_delta_encode_desc_init(sac_delta_encode_desc *desc)
{
    if (!desc)
        return;
    sac_param_defaults(&encode_table, desc);
    desc->n_channels = 3;
    desc->scene_change = true;
}

const sac_param_table *sac_delta_decode_params(void)
{
    return &decode_table;
}

void sac_delta_decode_desc_init(sac_delta_decode_desc *desc)
{
    if (!desc)
        return;
    sac_param_defaults(&decode_table, desc);
    desc->max_pixels = SAC_DELTA_MAX_PIXELS;
}
