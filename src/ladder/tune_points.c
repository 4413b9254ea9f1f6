/*
 * The shapes that are measured of a room: for pictures sizes and numbers of channels, in up to
 * three layouts or modes each; for other rooms what their ladders time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ladder/tune.h"

#define ROW_VALUES (INT64_C(1) << 20) /* of rooms without rows */
#define RANDOM_PIXELS (INT64_C(1) << 23)

#define ODD 5 /* makes rows that no vector fills: every other mode has such */

/* A factor of four apart, and of no power of two, which caches would take ill. */
static const int64_t sizes[][2] = {{640, 400},  {2560, 1600}, {144, 112},
                                   {1280, 800}, {288, 224},   {72, 56}};
enum { N_SIZES = sizeof sizes / sizeof sizes[0], N_QUICK = 3 };

static const int32_t channels[] = {3, 1, 4};
enum { N_CHANNELS = sizeof channels / sizeof channels[0] };

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

int32_t sac_tune_channels(const char *mode)
{
    if (begins(mode, "rgba") || begins(mode, "bgra"))
        return 4;
    if (begins(mode, "rgb") || begins(mode, "bgr"))
        return 3;
    return begins(mode, "gray") && !begins(mode, "gray-alpha") ? 1 : 0;
}

static bool has_channels(const sac_room_check *check)
{
    return sac_tune_channels(check->modes[0]) != 0;
}

/* Its cases are pictures of any size. */
static bool is_sized(const sac_room_check *check)
{
    return !check->one_row && check->max_pixels == 0 &&
           (check->tasks == NULL || check->tasks[0].w == 0);
}

static bool has_tasks(const sac_room_check *check)
{
    return check->tasks != NULL && check->tasks[0].w != 0;
}

/* The k-th mode of so many channels that does not work in place, which would change its input from
 * call to call; -1: there is none. */
static int32_t mode_of(const sac_room_check *check, int32_t n_channels, int32_t k)
{
    for (int32_t mode = 0; check->modes[mode] != NULL; mode++)
        if (sac_tune_channels(check->modes[mode]) == n_channels &&
            strstr(check->modes[mode], "-in-") == NULL && k-- == 0)
            return mode;
    return -1;
}

static void add_case(sac_tune_point *p, const sac_room_check *check, int64_t w, int64_t h,
                     int32_t mode, int32_t content)
{
    const int64_t most = check->max_pixels != 0 ? check->max_pixels : INT64_MAX;
    if (check->one_row && p->n_cases == 0 && !has_tasks(check))
        w = w * h < most ? w * h : most;
    p->cases[p->n_cases++] = (sac_check_case){.w = w,
                                              .h = check->one_row ? 1 : h,
                                              .mode = mode,
                                              .content = content,
                                              .seed = sac_check_mix(0, 0),
                                              .n_threads = 1};
}

static void add_task(sac_tune_point *p, const sac_check_task *t, const sac_room_check *check)
{
    const size_t used = strlen(p->text);
    add_case(p, check, t->w, t->h, t->mode, t->content);
    snprintf(p->text + used, sizeof p->text - used, "%s%s", used > 0 ? ", " : "", t->name);
}

/* Frames of a size and so many channels, in the modes from k on, n of them. */
static void add_modes(sac_tune_point *p, const sac_room_check *check, const int64_t size[2],
                      int32_t k, int32_t n)
{
    const int32_t c = p->shape.n_channels;
    int32_t mode = c == 0 ? 0 : mode_of(check, c, k);
    for (int32_t i = k; i < k + n && mode >= 0; mode = c == 0 ? -1 : mode_of(check, c, ++i)) {
        const int64_t w = size[0] + (n > 1 && i % 2 != 0 ? ODD : 0);
        add_case(p, check, w, size[1], mode, 0);
    }
    if (is_sized(check))
        snprintf(p->text, sizeof p->text, "%" PRId64 "x%" PRId64, size[0], size[1]);
    else
        snprintf(p->text, sizeof p->text, "%" PRId64, p->n_cases > 0 ? p->cases[0].w : 0);
    if (c != 0)
        snprintf(p->text + strlen(p->text), sizeof p->text - strlen(p->text), "x%" PRId32, c);
}

bool sac_tune_point_of(sac_tune_point *p, const sac_room_check *check, int32_t i, bool quick)
{
    static const int64_t row[2] = {ROW_VALUES, 1};
    const int32_t n_sizes = !is_sized(check) ? 1 : quick ? N_QUICK : N_SIZES;
    const int32_t n_channels = has_channels(check) ? N_CHANNELS : 1;
    *p = (sac_tune_point){0};
    if (i >= n_sizes * n_channels)
        return false;
    if (has_tasks(check)) {
        for (const sac_check_task *t = check->tasks;
             t->name != NULL && p->n_cases < (quick ? 1 : SAC_TUNE_CASES); t++)
            add_task(p, t, check);
        return true;
    }
    const int64_t *size = is_sized(check) ? sizes[i % n_sizes] : row;
    p->shape.n_channels = has_channels(check) ? channels[i / n_sizes] : 0;
    p->shape.pixels = is_sized(check) ? size[0] * size[1] : 0;
    add_modes(p, check, size, 0, SAC_TUNE_CASES);
    return true;
}

/* 32 to 4096, every order of magnitude as likely. */
static int64_t draw_side(uint64_t *random)
{
    const int64_t least = INT64_C(32) << sac_check_random(random) % 7;
    return least + (int64_t)(sac_check_random(random) % (uint64_t)least);
}

void sac_tune_point_at_random(sac_tune_point *p, const sac_room_check *check, uint64_t *random)
{
    int64_t size[2] = {ROW_VALUES, 1};
    int32_t n = 0;
    *p = (sac_tune_point){0};
    if (has_tasks(check)) {
        while (check->tasks[n].name != NULL && n < SAC_TUNE_CASES)
            n++;
        add_task(p, &check->tasks[sac_check_random(random) % (uint64_t)n], check);
        return;
    }
    if (is_sized(check)) {
        size[0] = draw_side(random);
        size[1] = draw_side(random);
        size[1] = size[0] * size[1] > RANDOM_PIXELS ? RANDOM_PIXELS / size[0] : size[1];
        p->shape.pixels = size[0] * size[1];
    }
    if (has_channels(check)) {
        p->shape.n_channels = channels[sac_check_random(random) % N_CHANNELS];
        while (mode_of(check, p->shape.n_channels, n) >= 0)
            n++;
    }
    add_modes(p, check, size, n > 0 ? (int32_t)(sac_check_random(random) % (uint64_t)n) : 0, 1);
}
