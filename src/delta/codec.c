/*
 * zstd and lz4 as the delta stream uses them, and XXH3. Packer and unpacker work in memory that is
 * given to them once: in zstd's own care the packer's would grow and shrink while frames are
 * encoded, and the unpacker's grow for frames of zstd's formats before RFC 8878, which are none
 * here.
 * SPDX-License-Identifier: Apache-2.0
 */
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_initStaticCCtx, ZSTD_initStaticDCtx */
#include <xxhash.h>
#include <zstd.h>

#include "base/alloc.h"
#include "delta/format.h"

struct sac_delta_codec {
    ZSTD_CCtx *packer;
    ZSTD_DCtx *unpacker;
    void *memory; /* of zstd's packer or unpacker, or lz4's */
};

sac_status sac_delta_codec_check(bool fast, sac_error *err)
{
    if (fast && !sac_delta_lz4_is_here())
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "fast: this build has no lz4 (Debian and Ubuntu: liblz4-dev)");
    return SAC_OK;
}

/*
 * zstd's choice for the level, in a window of 2^17, which is about a stream of a band. Level 1
 * looks for matches of 7 bytes in a table that fits the first-level cache: residuals have few, and
 * all else is for the entropy coder.
 */
static ZSTD_compressionParameters parameters(int32_t level, size_t max_size)
{
    ZSTD_compressionParameters p = ZSTD_getCParams(level, max_size, 0);
    p.windowLog = p.windowLog < 17 ? p.windowLog : 17;
    if (level == 1) {
        p.minMatch = 7;
        p.hashLog = 12;
        p.targetLength = 0;
    }
    return p;
}

static bool open_zstd(sac_delta_codec *codec, int32_t level, size_t max_size)
{
    ZSTD_compressionParameters p = parameters(level, max_size);
    size_t size = ZSTD_estimateCCtxSize_usingCParams(p);
    if (ZSTD_isError(size))
        return false;
    codec->memory = sac_alloc(size, 1);
    codec->packer = codec->memory ? ZSTD_initStaticCCtx(codec->memory, size) : NULL;
    if (!codec->packer)
        return false;
    const struct {
        ZSTD_cParameter name;
        unsigned value;
    } set[] = {{ZSTD_c_windowLog, p.windowLog},         {ZSTD_c_hashLog, p.hashLog},
               {ZSTD_c_chainLog, p.chainLog},           {ZSTD_c_searchLog, p.searchLog},
               {ZSTD_c_minMatch, p.minMatch},           {ZSTD_c_targetLength, p.targetLength},
               {ZSTD_c_strategy, (unsigned)p.strategy}, {ZSTD_c_contentSizeFlag, 0}};
    bool ok = true;
    for (size_t i = 0; i < sizeof set / sizeof set[0]; i++)
        ok = !ZSTD_isError(ZSTD_CCtx_setParameter(codec->packer, set[i].name, (int)set[i].value)) &&
             ok;
    return ok;
}

sac_delta_codec *sac_delta_packer_open(bool fast, int32_t level, size_t max_size)
{
    sac_delta_codec *codec = sac_alloc(1, sizeof *codec);
    if (!codec)
        return NULL;
    bool ok;
    if (fast) {
        codec->memory = sac_alloc(sac_delta_lz4_state(), 1);
        ok = codec->memory != NULL;
    } else {
        ok = open_zstd(codec, level, max_size);
    }
    if (!ok)
        sac_delta_codec_close(&codec);
    return codec;
}

sac_delta_codec *sac_delta_unpacker_open(void)
{
    sac_delta_codec *codec = sac_alloc(1, sizeof *codec);
    if (!codec)
        return NULL;
    codec->memory = sac_alloc(ZSTD_estimateDCtxSize(), 1);
    if (codec->memory)
        codec->unpacker = ZSTD_initStaticDCtx(codec->memory, ZSTD_estimateDCtxSize());
    if (!codec->unpacker)
        sac_delta_codec_close(&codec);
    return codec;
}

void sac_delta_codec_close(sac_delta_codec **codec)
{
    if (!*codec)
        return;
    sac_free((*codec)->memory);
    sac_free(*codec);
    *codec = NULL;
}

size_t sac_delta_codec_pack(sac_delta_codec *codec, uint8_t *out, const uint8_t *in, size_t size)
{
    if (size < 2)
        return 0;
    if (!codec->packer)
        return sac_delta_lz4_pack(codec->memory, out, in, size);
    size_t n = ZSTD_compress2(codec->packer, out, size - 1, in, size);
    return ZSTD_isError(n) ? 0 : n;
}

bool sac_delta_codec_unpack(sac_delta_codec *codec, bool fast, uint8_t *out, size_t out_size,
                            const uint8_t *in, size_t in_size)
{
    if (fast)
        return sac_delta_lz4_unpack(out, out_size, in, in_size);
    return ZSTD_decompressDCtx(codec->unpacker, out, out_size, in, in_size) == out_size;
}

uint64_t sac_delta_checksum(const uint8_t *data, size_t size)
{
    return XXH3_64bits(data, size);
}

/* sac_delta_sum is xxhash's state, whose size only that library knows. */
sac_delta_sum *sac_delta_sum_open(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (state)
        (void)XXH3_64bits_reset(state);
    return (sac_delta_sum *)state;
}

void sac_delta_sum_add(sac_delta_sum *sum, const uint8_t *data, size_t size)
{
    (void)XXH3_64bits_update((XXH3_state_t *)sum, data, size);
}

uint64_t sac_delta_sum_close(sac_delta_sum **sum)
{
    XXH3_state_t *state = (XXH3_state_t *)*sum;
    uint64_t value = XXH3_64bits_digest(state);
    (void)XXH3_freeState(state);
    *sum = NULL;
    return value;
}
