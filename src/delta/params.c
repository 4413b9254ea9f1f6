/*
 * The options of the delta stream, described once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/param_rows.h"
#include "delta/format.h"

#define ENCODE(field) offsetof(sac_delta_encode_desc, field)
#define DECODE(field) offsetof(sac_delta_decode_desc, field)

static const sac_param encode_params[] = {
    {"threshold", SAC_PARAM_INT, ENCODE(threshold), 0, 254, 20, NULL, "", "T",
     "no channel of a pixel is ever off by more than T; 0: lossless"},
    {"key-interval", SAC_PARAM_FLOAT, ENCODE(key_interval_s), 0, 1e6, 10, NULL, "s", "SECONDS",
     "longest time between keyframes; 0: only where needed"},
    {"refresh", SAC_PARAM_FLOAT, ENCODE(refresh_s), 0, 1e6, 0, NULL, "s", "SECONDS",
     "every part of the picture is sent lossless at least this often, a few parts at a time; 0: "
     "never"},
    {"fast", SAC_PARAM_BOOL, ENCODE(fast), 0, 1, 0, NULL, "", NULL,
     "lz4 instead of zstd: faster, with larger packets"},
    {"level", SAC_PARAM_INT, ENCODE(level), 1, 19, 1, NULL, "", "N", "compression level of zstd"},
    SAC_ROWS_PLAN(sac_delta_encode_desc, "cpu, cuda or cuda:N", SAC_ROW_VARIANT_DOC),
};

static const sac_param decode_params[] = {
    SAC_ROWS_PLAN(sac_delta_decode_desc, "cpu, cuda or cuda:N", SAC_ROW_VARIANT_DOC),
};

SAC_PARAM_TABLE(sac_delta_encode_params, "delta-encode", sac_delta_encode_desc, encode_params,
                "encode frames as packets with the changes above a threshold")

void sac_delta_encode_desc_init(sac_delta_encode_desc *desc)
{
    if (!desc)
        return;
    sac_param_defaults(sac_delta_encode_params(), desc);
    desc->n_channels = 3;
    desc->scene_change = true;
}

SAC_PARAM_TABLE(sac_delta_decode_params, "delta-decode", sac_delta_decode_desc, decode_params,
                "decode packets of changes to frames")

void sac_delta_decode_desc_init(sac_delta_decode_desc *desc)
{
    if (!desc)
        return;
    sac_param_defaults(sac_delta_decode_params(), desc);
    desc->max_pixels = SAC_DELTA_MAX_PIXELS;
}
