/*
 * PNG's texts and profile: a decoder inflates each of them, and a small file can hold many that
 * grow a thousandfold. What they could come to is added up by their lengths before that.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/vips.h"

#include <string.h>
#include <unistd.h>

#define MOST_INFLATED (UINT64_C(1) << 30) /* in all: a second or two */
#define MOST_OF_ONE (UINT64_C(60) << 20)  /* at which libvips gives one up */
#define DEFLATE_RATIO 1032                /* of the best compression that there is */
#define MOST_CHUNKS 1000000

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

static bool is_inflated(const uint8_t *type)
{
    return memcmp(type, "zTXt", 4) == 0 || memcmp(type, "iTXt", 4) == 0 ||
           memcmp(type, "iCCP", 4) == 0;
}

sac_status sac_vips_check_png(const sac_in *in, sac_error *err)
{
    uint8_t head[8];
    uint64_t inflated = 0, at = 8;
    for (int n = 0; look(head, sizeof head, in, at) && memcmp(head + 4, "IEND", 4) != 0; n++) {
        uint64_t size = (uint64_t)head[0] << 24 | (uint64_t)head[1] << 16 | (uint64_t)head[2] << 8 |
                        (uint64_t)head[3];
        uint64_t most = DEFLATE_RATIO * size;
        if (is_inflated(head + 4))
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
