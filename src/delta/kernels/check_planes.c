/*
 * pack_u8 and unpack_u8 for the harness. A case's pixels are rounded up to rows of 64.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "delta/kernels/pack_u8/pack_u8.h"
#include "delta/kernels/unpack_u8/unpack_u8.h"
#include "room/check.h"

static const char *const modes[] = {"rgb",  "rgb-shared",  "gray", "gray-shared",
                                    "rgba", "rgba-shared", NULL};
static const int32_t channels[] = {3, 3, 1, 1, 4, 4};

static int64_t rows_of(const sac_check_case *c)
{
    return (c->w + SAC_DELTA_COLUMNS - 1) / SAC_DELTA_COLUMNS;
}

/* Arguments `first` and the one after it: a plane of masks and one of values for each channel. */
static void shape_planes(sac_check_case *c, int first, sac_check_role role)
{
    const int64_t rows = rows_of(c), k = channels[c->mode];
    c->arg[first] = (sac_check_arg){"mask", role, .size = 1, .w = 8 * rows, .h = k};
    c->arg[first + 1] = (sac_check_arg){"value", role, .size = 1, .w = 64 * rows, .h = k};
}

static sac_delta_planes planes_of(const sac_check_case *c, int first)
{
    sac_delta_planes p = {0};
    for (int32_t i = 0; i < channels[c->mode]; i++) {
        p.mask[i] = sac_check_row(c, first, i);
        p.value[i] = sac_check_row(c, first + 1, i);
    }
    return p;
}

/* Twice the pixels' bytes. */
static uint64_t bytes(const sac_check_case *c)
{
    return 128 * (uint64_t)(rows_of(c) * channels[c->mode]);
}

enum { PACK_MASK, PACK_VALUE, PACK_COUNT, PACK_IN };
enum { SMALL, RANDOM };
static const char *const pack_contents[] = {"small", "random", "zero", NULL};

static void pack_shape(sac_check_case *c)
{
    const int64_t k = channels[c->mode];
    shape_planes(c, PACK_MASK, SAC_CHECK_OUT);
    c->arg[PACK_COUNT] = (sac_check_arg){"count", SAC_CHECK_OUT, .size = 8, .w = 2 * k, .h = 1};
    c->arg[PACK_IN] =
        (sac_check_arg){"in", SAC_CHECK_IN, .size = 1, .w = 64 * rows_of(c) * k, .h = 1};
    c->n_args = 4;
}

static void pack_fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    for (int64_t i = 0; i < c->arg[PACK_IN].w; i++) {
        uint64_t r = sac_check_random(&random);
        uint8_t small = (r & 3) ? 0 : (uint8_t)((r >> 60) - 8);
        c->arg[PACK_IN].data[i] = c->content == SMALL    ? small
                                  : c->content == RANDOM ? (uint8_t)(r >> 56)
                                                         : 0;
    }
}

/* What lies after the values is unspecified, and made equal. */
static void pack_call(sac_any_fn fn, const sac_check_case *c)
{
    const sac_delta_planes first = planes_of(c, PACK_MASK);
    const int32_t k = channels[c->mode];
    sac_delta_planes out = first;
    ((sac_pack_u8_fn)fn)(&out, sac_check_data(c, PACK_IN), rows_of(c), k, c->mode & 1);
    for (int32_t i = 0; i < k; i++) {
        const int64_t count[2] = {out.mask[i] - first.mask[i], out.value[i] - first.value[i]};
        memcpy(c->arg[PACK_COUNT].data + 16 * i, count, sizeof count);
        memset(out.value[i], 0, (size_t)(c->arg[PACK_VALUE].w - count[1]));
    }
}

enum { UNPACK_OUT, UNPACK_MASK, UNPACK_VALUE };
enum { FEW, ANY, ZERO };
static const char *const unpack_contents[] = {"few", "random", "zero", "all", NULL};

static void unpack_shape(sac_check_case *c)
{
    const int64_t n = 64 * rows_of(c) * channels[c->mode];
    c->arg[UNPACK_OUT] = (sac_check_arg){"out", SAC_CHECK_OUT, .size = 1, .w = n, .h = 1};
    shape_planes(c, UNPACK_MASK, SAC_CHECK_IN);
    c->n_args = 3;
}

static void unpack_fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    for (int i = UNPACK_MASK; i <= UNPACK_VALUE; i++)
        for (int64_t y = 0; y < c->arg[i].h; y++)
            for (int64_t x = 0; x < c->arg[i].w; x++) {
                uint64_t r = sac_check_random(&random);
                uint8_t v = (uint8_t)(r >> 56);
                if (i == UNPACK_MASK && c->content == FEW)
                    v &= (uint8_t)((r >> 48) & (r >> 40));
                if (i == UNPACK_MASK && c->content >= ZERO)
                    v = c->content == ZERO ? 0 : 255;
                ((uint8_t *)sac_check_row(c, i, y))[x] = v;
            }
}

static void unpack_call(sac_any_fn fn, const sac_check_case *c)
{
    sac_delta_planes in = planes_of(c, UNPACK_MASK);
    ((sac_unpack_u8_fn)fn)(sac_check_data(c, UNPACK_OUT), &in, rows_of(c), channels[c->mode],
                           c->mode & 1);
}

#define PLANES .modes = modes, .one_row = true, .bytes = bytes

const sac_room_check sac_pack_u8_check = {
    .room = &sac_pack_u8_room,
    PLANES,
    .contents = pack_contents,
    .shape = pack_shape,
    .fill = pack_fill,
    .call = pack_call,
};

const sac_room_check sac_unpack_u8_check = {
    .room = &sac_unpack_u8_room,
    PLANES,
    .contents = unpack_contents,
    .shape = unpack_shape,
    .fill = unpack_fill,
    .call = unpack_call,
};
