/*
 * change_u8 for the harness: modes are channels and thresholds.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "change_u8.h"
#include "room/check.h"

enum { OUT, COUNT, IN, REF };

static const char *const modes[] = {"rgb-20", "rgb-0", "gray-20",  "gray-0",  "rgba-20",
                                    "rgba-0", "rgb-1", "gray-254", "rgb-255", NULL};
static const int32_t channels[] = {3, 3, 1, 1, 4, 4, 3, 1, 3};
static const int32_t thresholds[] = {20, 0, 20, 0, 20, 0, 1, 254, 255};
static const char *const contents[] = {"few", "noise", "still", "extremes", NULL};
enum { FEW, NOISE, STILL, EXTREMES };

static void shape(sac_check_case *c)
{
    int64_t w = c->w * channels[c->mode];
    c->arg[OUT] =
        (sac_check_arg){"out", SAC_CHECK_OUT, .size = 1, .w = w, .h = c->h, .packed = true};
    c->arg[COUNT] = (sac_check_arg){"count", SAC_CHECK_OUT, .size = 4, .w = 1, .h = 1};
    c->arg[IN] = (sac_check_arg){"in", SAC_CHECK_IN, .size = 1, .w = w, .h = c->h};
    c->arg[REF] = (sac_check_arg){"ref", SAC_CHECK_IN, .size = 1, .w = w, .h = c->h};
    c->n_args = 4;
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    for (int64_t y = 0; y < c->h; y++)
        for (int64_t i = 0; i < c->arg[IN].w; i++) {
            uint64_t r = sac_check_random(&random);
            uint8_t a = (uint8_t)(r >> 56), b = a;
            if (c->content == NOISE)
                b = (uint8_t)(a + (int8_t)(r >> 40) / 4);
            else if (c->content == EXTREMES) {
                a = r >> 63 ? 255 : 0;
                b = (r >> 62) & 1 ? 255 : 0;
            } else if (c->content == FEW && (r & 0xff) < 4)
                b = (uint8_t)(r >> 48);
            c->arg[IN].data[y * c->arg[IN].row + i] = a;
            c->arg[REF].data[y * c->arg[REF].row + i] = b;
        }
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    sac_delta_shape s = {c->w, c->h, channels[c->mode]};
    int32_t n = ((sac_change_u8_fn)fn)(c->arg[OUT].data, c->arg[IN].data, c->arg[IN].row,
                                       c->arg[REF].data, c->arg[REF].row, &s, thresholds[c->mode]);
    memcpy(c->arg[COUNT].data, &n, sizeof n);
}

static uint64_t bytes(const sac_check_case *c)
{
    return 3 * (uint64_t)(c->arg[IN].w * c->h);
}

const sac_room_check sac_change_u8_check = {SAC_CHECK_ROOM(sac_change_u8_room), .bytes = bytes};
