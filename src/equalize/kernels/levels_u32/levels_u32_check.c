/*
 * levels_u32 for the harness. The ladder times the 65,536 bins of a tile of a 16-bit picture in 8 x
 * 8 of them; its histogram is spread over all bins, or in few.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "levels_u32.h"
#include "room/check.h"

enum { LEVEL, FOUND, COUNTS };
enum { TILE, ANY, IN_PLACE, SUMS };
static const char *const modes[] = {"65536 bins", "any", "in place", "sums", NULL};
enum { SPREAD, ONE_BIN, FEW };
static const char *const contents[] = {"spread", "one bin", "few", NULL};

static int32_t bins(const sac_check_case *c)
{
    const int64_t n = c->mode == TILE ? 65536 : c->w * c->h;
    return (int32_t)(n < 2 ? 2 : n > 65536 ? 65536 : n);
}

static void shape(sac_check_case *c)
{
    const int64_t n = bins(c);
    const size_t size = c->mode == SUMS ? 2 : 4;
    c->arg[LEVEL] = (sac_check_arg){"level", SAC_CHECK_OUT, .size = size, .w = n, .h = 1};
    c->arg[FOUND] = (sac_check_arg){"found", SAC_CHECK_INOUT, .size = 4, .w = n, .h = 1};
    c->arg[COUNTS] = (sac_check_arg){"counts", SAC_CHECK_INOUT, .size = 4, .w = n, .h = 1};
    c->n_args = 3;
}

/* A picture's values are spread, of one color, or some of many; but in a tile, counts are up to
 * 2^15; sums are below 2^16. */
static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    uint32_t *found = sac_check_data(c, FOUND), *counts = sac_check_data(c, COUNTS);
    const int32_t n = bins(c);
    const int shift = c->mode == SUMS   ? (n < 256 ? 56 : 63)
                      : c->mode == TILE ? 63
                                        : 49 + (int)(sac_check_random(&random) % 15);
    for (int32_t b = 0; b < n; b++) {
        const uint64_t r = sac_check_random(&random);
        found[b] = (uint32_t)r;
        counts[b] =
            c->content == SPREAD || (c->content == FEW && b % 17 == 3) ? (uint32_t)(r >> shift) : 0;
    }
    counts[c->seed % (uint64_t)n] += c->content == ONE_BIN ? 32400 : 1;
}

/* Cut to one of a bin, as tiles with fewer pixels than bins are; or to anything, or to nothing. */
static sac_status open(sac_check_case *c)
{
    const uint32_t *counts = sac_check_data(c, COUNTS);
    uint64_t random = c->seed | 1;
    sac_levels *of = sac_alloc(1, sizeof *of);
    if (!of)
        return SAC_E_NOMEM;
    of->bins = bins(c);
    for (int32_t b = 0; b < of->bins; b++)
        of->pixels += counts[b];
    of->limit = c->mode == TILE ? 1 : 1 + (uint32_t)(sac_check_random(&random) >> 40) % of->pixels;
    if (c->mode != TILE && sac_check_random(&random) % 4 == 0)
        of->limit = UINT32_MAX;
    of->most = (UINT64_C(1) << 32) - (UINT64_C(1) << (sac_check_random(&random) >> 63 ? 16 : 24));
    c->state = of;
    return SAC_OK;
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    const bool sums = c->mode == SUMS;
    sac_levels of = *(const sac_levels *)c->state;
    of.sum = sums ? sac_check_data(c, LEVEL) : NULL;
    ((sac_levels_fn)fn)(sums ? NULL : sac_check_data(c, c->mode == IN_PLACE ? COUNTS : LEVEL),
                        sac_check_data(c, FOUND), sac_check_data(c, COUNTS), &of);
}

const sac_room_check sac_levels_u32_check = {SAC_CHECK_ROOM(sac_levels_u32_room), .one_row = true,
                                             .open = open, .costly = true};
