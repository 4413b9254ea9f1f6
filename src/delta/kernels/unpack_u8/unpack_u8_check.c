/*
 * unpack_u8 for the harness. A case's pixels are rounded up to rows of 64.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unpack_u8.h"
#include "room/check.h"

enum { OUT, MASK, VALUE };

static const char *const modes[] = {"rgb",  "rgb-shared",  "gray", "gray-shared",
                                    "rgba", "rgba-shared", NULL};
static const int32_t channels[] = {3, 3, 1, 1, 4, 4};
static const char *const contents[] = {"few", "random", "zero", "all", NULL};
enum { FEW, RANDOM, ZERO, ALL };

static int64_t rows_of(const sac_check_case *c)
{
    return (c->w + SAC_DELTA_COLUMNS - 1) / SAC_DELTA_COLUMNS;
}

static void shape(sac_check_case *c)
{
    int64_t rows = rows_of(c), k = channels[c->mode];
    c->arg[OUT] = (sac_check_arg){"out", SAC_CHECK_OUT, .size = 1, .w = 64 * rows * k, .h = 1};
    c->arg[MASK] = (sac_check_arg){"mask", SAC_CHECK_IN, .size = 1, .w = 8 * rows, .h = k};
    c->arg[VALUE] = (sac_check_arg){"value", SAC_CHECK_IN, .size = 1, .w = 64 * rows, .h = k};
    c->n_args = 3;
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    for (int i = MASK; i <= VALUE; i++)
        for (int64_t y = 0; y < c->arg[i].h; y++)
            for (int64_t x = 0; x < c->arg[i].w; x++) {
                uint64_t r = sac_check_random(&random);
                uint8_t v = (uint8_t)(r >> 56);
                if (i == MASK && c->content == FEW)
                    v &= (uint8_t)((r >> 48) & (r >> 40));
                if (i == MASK && c->content >= ZERO)
                    v = c->content == ZERO ? 0 : 255;
                c->arg[i].data[y * c->arg[i].row + x] = v;
            }
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    sac_delta_planes in = {0};
    int32_t k = channels[c->mode];
    for (int32_t i = 0; i < k; i++) {
        in.mask[i] = c->arg[MASK].data + i * c->arg[MASK].row;
        in.value[i] = c->arg[VALUE].data + i * c->arg[VALUE].row;
    }
    ((sac_unpack_u8_fn)fn)(c->arg[OUT].data, &in, rows_of(c), k, c->mode & 1);
}

static uint64_t bytes(const sac_check_case *c)
{
    return 2 * (uint64_t)c->arg[OUT].w;
}

const sac_room_check sac_unpack_u8_check = {
    .room = &sac_unpack_u8_room,
    .modes = modes,
    .contents = contents,
    .one_row = true,
    .shape = shape,
    .fill = fill,
    .call = call,
    .bytes = bytes,
};
