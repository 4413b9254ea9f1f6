/*
 * What a decoder would allocate on a file's word alone, found before the decoder sees the file.
 * PNG: texts and profile are inflated, and a small file can hold many that grow a thousandfold;
 * what they could come to is added up from their lengths; and a text is given as much memory as it
 * states, before any of it is read. JPEG 2000: a header's box is read whole, whatever length it
 * states, from a file that may be sparse.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/picture/vips.h"

#include <string.h>
#include <unistd.h>

#define MOST_INFLATED (UINT64_C(1) << 30) /* in all: a second or two */
#define MOST_OF_ONE (UINT64_C(60) << 20)  /* at which libvips gives one up */
#define DEFLATE_RATIO 1032                /* of the best compression that there is */
#define MOST_CHUNKS 1000000
#define MOST_OF_A_BOX (UINT64_C(64) << 20) /* jp2h: an ICC profile is the largest part */
#define MOST_BOXES 10000

/* `size` bytes at `at` of the picture; false where there are fewer. */
static bool look(uint8_t *to, size_t size, const sac_in *in, uint64_t at)
{
    if (in->fd >= 0)
        return pread(in->fd, to, size, (off_t)(in->start + at)) == (ssize_t)size;
    uint64_t all = (uint64_t)(in->end - in->next);
    if (at > all || size > all - at)
        return false;
    memcpy(to, in->next + at, size);
    return true;
}

static uint64_t big_endian(const uint8_t *at)
{
    return (uint64_t)at[0] << 24 | (uint64_t)at[1] << 16 | (uint64_t)at[2] << 8 | (uint64_t)at[3];
}

/* Is the chunk one of `types`, four letters each? */
static bool is_of(const uint8_t *chunk, const char *types)
{
    for (; *types; types += 4)
        if (memcmp(chunk, types, 4) == 0)
            return true;
    return false;
}

sac_status sac_vips_check_png(const sac_in *in, sac_error *err)
{
    uint8_t head[8];
    uint64_t inflated = 0, at = 8;
    for (int n = 0; look(head, sizeof head, in, at) && memcmp(head + 4, "IEND", 4) != 0; n++) {
        uint64_t size = big_endian(head);
        uint64_t most = DEFLATE_RATIO * size;
        if (size > MOST_OF_ONE && is_of(head + 4, "tEXtzTXtiTXtiCCPeXIfsPLTpCALsCAL"))
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: a chunk %.4s of this PNG states %.0f MB: it is damaged", in->name,
                            (const char *)head + 4, (double)size / 1e6);
        if (is_of(head + 4, "zTXtiTXtiCCP"))
            inflated += most < MOST_OF_ONE ? most : MOST_OF_ONE;
        if (n == MOST_CHUNKS || inflated > MOST_INFLATED)
            return sac_fail(err, SAC_E_FORMAT, "%s: the texts in this PNG could take %s", in->name,
                            n == MOST_CHUNKS ? "a million pieces" : "more than 1 GB");
        if ((head[4] | 0x20) < 'a' || (head[4] | 0x20) > 'z')
            break; /* no chunk: the decoder says so */
        at += 12 + size;
    }
    return SAC_OK;
}

sac_status sac_vips_check_jp2(const sac_in *in, sac_error *err)
{
    uint8_t head[8];
    uint64_t at = 0;
    for (int n = 0; n < MOST_BOXES && look(head, sizeof head, in, at); n++) {
        uint64_t size = big_endian(head);
        if (size < sizeof head || memcmp(head + 4, "jp2c", 4) == 0)
            break; /* the codestream, or a length that the decoder refuses */
        if (size > MOST_OF_A_BOX)
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: a box of this JPEG 2000's header states %.0f MB: it is damaged",
                            in->name, (double)size / 1e6);
        at += size;
    }
    return SAC_OK;
}
