/*
 * pack_u8 for the harness. A case's pixels are rounded up to rows of 64.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "pack_u8.h"
#include "room/check.h"

enum { MASK, VALUE, COUNT, IN };

static const char *const modes[] = {"rgb",  "rgb-shared",  "gray", "gray-shared",
                                    "rgba", "rgba-shared", NULL};
static const int32_t channels[] = {3, 3, 1, 1, 4, 4};
static const char *const contents[] = {"small", "random", "zero", NULL};
enum { SMALL, RANDOM, ZERO };

static int64_t rows_of(const sac_check_case *c)
{
    return (c->w + SAC_DELTA_COLUMNS - 1) / SAC_DELTA_COLUMNS;
}

static void shape(sac_check_case *c)
{
    int64_t rows = rows_of(c), k = channels[c->mode];
    c->arg[MASK] = (sac_check_arg){"mask", SAC_CHECK_OUT, .size = 1, .w = 8 * rows, .h = k};
    c->arg[VALUE] = (sac_check_arg){"value", SAC_CHECK_OUT, .size = 1, .w = 64 * rows, .h = k};
    c->arg[COUNT] = (sac_check_arg){"count", SAC_CHECK_OUT, .size = 8, .w = 2 * k, .h = 1};
    c->arg[IN] = (sac_check_arg){"in", SAC_CHECK_IN, .size = 1, .w = 64 * rows * k, .h = 1};
    c->n_args = 4;
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    for (int64_t i = 0; i < c->arg[IN].w; i++) {
        uint64_t r = sac_check_random(&random);
        uint8_t small = (r & 3) ? 0 : (uint8_t)((r >> 60) - 8);
        c->arg[IN].data[i] = c->content == SMALL    ? small
                             : c->content == RANDOM ? (uint8_t)(r >> 56)
                                                    : 0;
    }
}

/* What lies behind the values is unspecified, and made equal. */
static void call(sac_any_fn fn, const sac_check_case *c)
{
    sac_delta_planes out = {0};
    int32_t k = channels[c->mode];
    for (int32_t i = 0; i < k; i++) {
        out.mask[i] = c->arg[MASK].data + i * c->arg[MASK].row;
        out.value[i] = c->arg[VALUE].data + i * c->arg[VALUE].row;
    }
    ((sac_pack_u8_fn)fn)(&out, c->arg[IN].data, rows_of(c), k, c->mode & 1);
    for (int32_t i = 0; i < k; i++) {
        const uint8_t *value = c->arg[VALUE].data + i * c->arg[VALUE].row;
        int64_t count[2] = {out.mask[i] - (c->arg[MASK].data + i * c->arg[MASK].row),
                            out.value[i] - value};
        memcpy(c->arg[COUNT].data + 16 * i, count, sizeof count);
        memset(out.value[i], 0, (size_t)(c->arg[VALUE].w - count[1]));
    }
}

static uint64_t bytes(const sac_check_case *c)
{
    return 2 * (uint64_t)c->arg[IN].w;
}

const sac_room_check sac_pack_u8_check = {
    .room = &sac_pack_u8_room,
    .modes = modes,
    .contents = contents,
    .one_row = true,
    .shape = shape,
    .fill = fill,
    .call = call,
    .bytes = bytes,
};
