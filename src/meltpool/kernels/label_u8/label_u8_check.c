/*
 * label_u8 for the harness: modes are thresholds.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "label_u8.h"
#include "meltpool/kernels/check_frame.h"

enum { LABELS, COUNT, IN };

static const char *const modes[] = {"60", "0", "1", "128", "255", "256", NULL};
static const int32_t thresholds[] = {60, 0, 1, 128, 255, 256};
static const char *const contents[] = {"blobs",  "salt", "checkerboard", "comb",
                                       "spiral", "on",   "off",          NULL};
static const sac_check_pattern patterns[] = {0,
                                             SAC_CHECK_SALT,
                                             SAC_CHECK_BOARD,
                                             SAC_CHECK_COMB,
                                             SAC_CHECK_SPIRAL,
                                             SAC_CHECK_ALL_ON,
                                             SAC_CHECK_ALL_OFF};

static void shape(sac_check_case *c)
{
    c->arg[LABELS] = (sac_check_arg){"labels", SAC_CHECK_OUT, .size = 4, .w = c->w, .h = c->h};
    c->arg[COUNT] = (sac_check_arg){"count", SAC_CHECK_OUT, .size = 4, .w = 1, .h = 1};
    c->arg[IN] = (sac_check_arg){"in", SAC_CHECK_IN, .size = 1, .w = c->w, .h = c->h};
    c->n_args = 3;
}

/* Bright discs on a grid whose places and radii are the seed's, and noise around the threshold. */
static bool is_in_blob(const sac_check_case *c, int64_t x, int64_t y)
{
    uint64_t random = (c->seed ^ (uint64_t)(x / 24 * 7919 + y / 24 * 104729)) | 1;
    (void)sac_check_random(&random);
    int64_t u = x % 24 - (int64_t)(sac_check_random(&random) % 24);
    int64_t v = y % 24 - (int64_t)(sac_check_random(&random) % 24);
    int64_t radius = (int64_t)(sac_check_random(&random) % 12);
    return u * u + v * v <= radius * radius;
}

static bool is_on(const sac_check_case *c, int64_t x, int64_t y, uint64_t r)
{
    if (patterns[c->content] == 0)
        return is_in_blob(c, x, y) != (r % 64 == 0);
    return sac_check_is_on(patterns[c->content], c->w, c->h, x, y, r);
}

static void fill(sac_check_case *c)
{
    uint64_t random = c->seed | 1;
    int32_t threshold = thresholds[c->mode] < 1 ? 1 : thresholds[c->mode];
    for (int64_t y = 0; y < c->h; y++)
        for (int64_t x = 0; x < c->w; x++) {
            uint64_t r = sac_check_random(&random) >> 20;
            uint64_t below = r / 64 % (uint64_t)threshold;
            uint64_t above =
                threshold > 255 ? 255 : (uint64_t)threshold + r / 64 % (uint64_t)(256 - threshold);
            c->arg[IN].data[y * c->arg[IN].row + x] = (uint8_t)(is_on(c, x, y, r) ? above : below);
        }
}

/* Scratch is a call's own: other threads call at the same time. */
static void call(sac_any_fn fn, const sac_check_case *c)
{
    void *scratch = malloc(sac_label_scratch(c->w, c->h));
    if (!scratch)
        abort();
    const sac_label_job job = {.in = c->arg[IN].data,
                               .labels = sac_check_data(c, LABELS),
                               .in_row = c->arg[IN].row,
                               .labels_row = c->arg[LABELS].row,
                               .w = c->w,
                               .h = c->h,
                               .threshold = thresholds[c->mode],
                               .scratch = scratch};
    int32_t n = ((sac_label_u8_fn)fn)(&job);
    memcpy(c->arg[COUNT].data, &n, sizeof n);
    free(scratch);
}

static uint64_t bytes(const sac_check_case *c)
{
    return 5 * (uint64_t)(c->w * c->h);
}

const sac_room_check sac_label_u8_check = {SAC_CHECK_ROOM(sac_label_u8_room), .bytes = bytes};
