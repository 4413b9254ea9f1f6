/*
 * Whole plans through their public functions, with random options and arrays, against references:
 * check_plans [--seed S|time] [--rounds N] [--round K] [--device cpu|cuda] [PIPELINE]. A fault
 * prints the seed and the round that show it again. Exit status 77 where there is no such GPU.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <saccade/delta.h>

#include "plans.h"
#include "skip.h"
#include "room/check.h"

static const struct {
    const char *name;
    void (*check)(plan_check *c);
    bool on_gpu;
} plans[] = {
    {"equalize", check_equalize_plan, true},
    {"motion", check_motion_plans, false},
    {"delta", check_delta_plans, true},
    {"meltpool", check_meltpool_plan, true},
    {"flow", check_flow_plan, true},
};
enum { N_PLANS = sizeof plans / sizeof plans[0] };

typedef struct options {
    uint64_t seed;
    int64_t rounds, round; /* round -1: all of them */
    sac_device device;
    const char *only;
} options;

static int usage(const char *wrong)
{
    fprintf(stderr,
            "check_plans: %s; usage: check_plans [--seed S|time] [--rounds N] [--round K] "
            "[--device cpu|cuda] [equalize|motion|delta|meltpool|flow]\n",
            wrong);
    return 2;
}

static bool read_number(int64_t *out, const char *text)
{
    char *end = NULL;
    errno = 0;
    *out = strtoll(text, &end, 0);
    return errno == 0 && end != text && *end == '\0' && *out >= 0;
}

/* 0, or the exit status with which to end. */
static int read_options(options *o, int n, char **args)
{
    for (int i = 1; i < n; i++) {
        int64_t number = 0;
        const char *value = i + 1 < n ? args[i + 1] : "";
        const bool is_time = !strcmp(value, "time");
        if (!strcmp(args[i], "--device")) {
            if (sac_device_parse(&o->device, value, NULL) != SAC_OK || o->device.index != 0)
                return usage("--device takes cpu or cuda");
            i++;
        } else if (args[i][0] == '-') {
            if (!(is_time && !strcmp(args[i], "--seed")) && !read_number(&number, value))
                return usage(args[i]);
            if (!strcmp(args[i], "--seed"))
                o->seed = is_time ? (uint64_t)time(NULL) : (uint64_t)number;
            else if (!strcmp(args[i], "--rounds"))
                o->rounds = number;
            else if (!strcmp(args[i], "--round"))
                o->round = number;
            else
                return usage(args[i]);
            i++;
        } else if (o->only) {
            return usage(args[i]);
        } else {
            o->only = args[i];
        }
    }
    return 0;
}

/* A round's random numbers are its own, so that one can be seen again without those before it. */
static void check_round(plan_check *c, int which, int64_t round)
{
    c->round = round;
    c->random = (c->seed + 1) * UINT64_C(0x9E3779B97F4A7C15) ^
                (uint64_t)(round + 1) * UINT64_C(0xD1B54A32D192ED03) ^ (uint64_t)which << 60;
    c->random |= 1;
    for (int i = 0; i < 4; i++)
        (void)sac_check_random(&c->random);
    plans[which].check(c);
}

static int64_t check_plan(const options *o, int which, sac_gpu *gpu)
{
    plan_check c = {.name = plans[which].name, .seed = o->seed, .gpu = gpu};
    if (plans[which].check == check_delta_plans && !strstr(sac_delta_parts(), "zstd")) {
        skip_part("this build has no zstd");
        return 0;
    }
    for (int64_t k = 0; k < o->rounds && o->round < 0; k++)
        check_round(&c, which, k);
    if (o->round >= 0)
        check_round(&c, which, o->round);
    /* A reference that makes nothing would let a plan pass that makes nothing. */
    if (o->round < 0 && 4 * c.n_blank > c.n_compared) {
        printf("FAULT %s: %" PRId64 " of %" PRId64 " results are to be blank\n", c.name, c.n_blank,
               c.n_compared);
        c.n_faults++;
    }
    printf("%-10s %8" PRId64 " results compared, %" PRId64 " of them blank; %" PRId64
           " rounds without their rung; %" PRId64 " faults\n",
           c.name, c.n_compared, c.n_blank, c.n_skipped, c.n_faults);
    return c.n_faults + (o->round < 0 && c.n_compared == 0);
}

int main(int n, char **args)
{
    options o = {.seed = 1, .rounds = 100, .round = -1};
    sac_gpu *gpu = NULL;
    sac_error err = {0};
    int64_t n_faults = 0;
    int n_taken = 0;
    const int wrong = read_options(&o, n, args);
    if (wrong != 0)
        return wrong;
    if (o.device.kind == SAC_DEVICE_CUDA && sac_gpu_count() == 0)
        return skip_all("no GPU, or a build without CUDA");
    if (o.device.kind == SAC_DEVICE_CUDA && sac_gpu_open(&gpu, 0, &err) != SAC_OK) {
        fprintf(stderr, "check_plans: %s\n", err.text);
        return 1;
    }
    printf("seed %" PRIu64 ", rounds %" PRId64 "\n", o.seed, o.rounds);
    for (int i = 0; i < N_PLANS; i++)
        if ((!o.only || !strcmp(o.only, plans[i].name)) && (!gpu || plans[i].on_gpu)) {
            n_faults += check_plan(&o, i, gpu);
            n_taken++;
        }
    sac_gpu_close(&gpu);
    return n_taken == 0 ? usage("no such pipeline there") : n_faults > 0;
}
