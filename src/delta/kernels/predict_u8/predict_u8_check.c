/*
 * predict_u8 for the harness. The modes: three neighbors, or the same one thrice.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "predict_u8.h"
#include "room/check.h"

enum { OUT, SUM, IN, LEFT, UP, UP_LEFT };

static const char *const modes[] = {"median", "one", NULL};
static const char *const contents[] = {"smooth", "random", "extremes", NULL};
enum { SMOOTH, RANDOM, EXTREMES };

static void shape(sac_check_case *c)
{
    static const char *const names[] = {"out", "sum", "in", "left", "up", "up_left"};
    for (int i = OUT; i <= UP_LEFT; i++)
        c->arg[i] = (sac_check_arg){names[i], i <= SUM ? SAC_CHECK_OUT : SAC_CHECK_IN,
                                    .size = i == SUM ? 4 : 1, .w = i == SUM ? 1 : c->w, .h = 1};
    c->n_args = 6;
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    for (int64_t i = 0; i < c->w; i++)
        for (int k = IN; k <= UP_LEFT; k++) {
            uint64_t r = sac_check_random(&random);
            uint8_t v = (uint8_t)(r >> 56);
            if (c->content == SMOOTH)
                v = (uint8_t)(100 + 3 * (uint64_t)i + (r >> 61));
            if (c->content == EXTREMES)
                v = v & 1 ? 255 : 0;
            c->arg[k].data[i] = v;
        }
}

static void call(sac_any_fn fn, const sac_check_case *c)
{
    bool one = c->mode == 1;
    const uint8_t *left = c->arg[LEFT].data;
    uint32_t sum = ((sac_predict_u8_fn)fn)(c->arg[OUT].data, c->arg[IN].data, left,
                                           one ? left : c->arg[UP].data,
                                           one ? left : c->arg[UP_LEFT].data, c->w);
    memcpy(c->arg[SUM].data, &sum, sizeof sum);
}

static uint64_t bytes(const sac_check_case *c)
{
    return 5 * (uint64_t)c->w;
}

const sac_room_check sac_predict_u8_check = {SAC_CHECK_ROOM(sac_predict_u8_room), .one_row = true,
                                             .bytes = bytes};
