/*
 * A build without zstd and xxhash: plans do not open.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "delta/format.h"

sac_status sac_delta_codec_check(bool fast, sac_error *err)
{
    (void)fast;
    return sac_fail(err, SAC_E_UNSUPPORTED,
                    "delta: this build has no zstd and xxhash (Debian and Ubuntu: libzstd-dev, "
                    "libxxhash-dev)");
}

sac_delta_codec *sac_delta_packer_open(bool fast, int32_t level, size_t max_size)
{
    (void)fast, (void)level, (void)max_size;
    return NULL;
}

sac_delta_codec *sac_delta_unpacker_open(void)
{
    return NULL;
}

void sac_delta_codec_close(sac_delta_codec **codec)
{
    *codec = NULL;
}

size_t sac_delta_codec_pack(sac_delta_codec *codec, uint8_t *out, const uint8_t *in, size_t size)
{
    (void)codec, (void)out, (void)in, (void)size;
    return 0;
}

bool sac_delta_codec_unpack(sac_delta_codec *codec, bool fast, uint8_t *out, size_t out_size,
                            const uint8_t *in, size_t in_size)
{
    (void)codec, (void)fast, (void)out, (void)out_size, (void)in, (void)in_size;
    return false;
}

uint64_t sac_delta_checksum(const uint8_t *data, size_t size)
{
    (void)data, (void)size;
    return 0;
}

sac_delta_sum *sac_delta_sum_open(void)
{
    return NULL;
}

void sac_delta_sum_add(sac_delta_sum *sum, const uint8_t *data, size_t size)
{
    (void)sum, (void)data, (void)size;
}

uint64_t sac_delta_sum_close(sac_delta_sum **sum)
{
    *sum = NULL;
    return 0;
}
