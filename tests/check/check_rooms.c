/*
 * Every variant of every room against its reference: check_rooms [--seed S|time] [--rounds N]
 * [--thin|--sparse] [--seconds T] [--device cpu|cuda[:N]] [ROOM[:RUNG]]. Exit status 77 where there
 * is no such GPU. With --seconds: no fixed sizes, but a random one of each room in turn, until so
 * much processor time is spent, and at least one of each.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "skip.h"
#include "room/check.h"

#define DEFAULT_ROUNDS 50

static int usage(const char *wrong)
{
    fprintf(stderr,
            "check_rooms: %s; usage: check_rooms [--seed S|time] [--rounds N] [--thin] [--sparse] "
            "[--seconds T] [--device cpu|cuda[:N]] [ROOM[:RUNG]]\n",
            wrong);
    return 2;
}

static bool read_number(uint64_t *out, const char *text, uint64_t max)
{
    char *end = NULL;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == '\0' && text[0] != '-' && *out <= max;
}

static bool read_seed(uint64_t *out, const char *text)
{
    if (strcmp(text, "time") == 0) {
        *out = (uint64_t)time(NULL);
        return true;
    }
    return read_number(out, text, UINT64_MAX);
}

/* 0, or the exit status with which to end. */
static int read_options(sac_check_options *options, sac_device *device, uint64_t *seconds, int n,
                        char **args)
{
    for (int i = 1; i < n; i++) {
        uint64_t rounds = 0;
        if (strcmp(args[i], "--seed") == 0 && i + 1 < n) {
            if (!read_seed(&options->seed, args[++i]))
                return usage("--seed takes a number, or time");
        } else if (strcmp(args[i], "--rounds") == 0 && i + 1 < n) {
            if (!read_number(&rounds, args[++i], 1000000))
                return usage("--rounds takes a number up to 1000000");
            options->rounds = (int32_t)rounds;
        } else if (strcmp(args[i], "--seconds") == 0 && i + 1 < n) {
            if (!read_number(seconds, args[++i], 1000000) || *seconds == 0)
                return usage("--seconds takes a number from 1 to 1000000");
        } else if (strcmp(args[i], "--thin") == 0) {
            options->thin = true;
        } else if (strcmp(args[i], "--sparse") == 0) {
            options->sparse = true;
        } else if (strcmp(args[i], "--device") == 0 && i + 1 < n) {
            if (sac_device_parse(device, args[++i], NULL) != SAC_OK)
                return usage("--device takes cpu, cuda or cuda:N");
        } else if (args[i][0] == '-' || options->only != NULL) {
            return usage(args[i]);
        } else {
            options->only = args[i];
        }
    }
    return 0;
}

/* Instruction sets that a room's variants need and this CPU has not. */
static uint32_t lacked_by(const sac_room_check *check, const sac_check_options *options)
{
    uint32_t lacks = 0;
    const sac_variant *v = NULL;
    for (int32_t i = 0; (v = sac_check_variant(check, i)) != NULL; i++)
        if (options->gpu == NULL && sac_check_takes(options->only, check->room->name, v->name))
            lacks |= v->needs & ~sac_cpu_features();
    return lacks;
}

static void say_lacks(uint32_t lacks)
{
    char names[64], why[96];
    sac_cpu_names(lacks, names, sizeof names);
    snprintf(why, sizeof why, "variants: this CPU lacks %s", names);
    skip_part(why);
}

/* Where `only` takes nothing: what there is. */
static int say_none(const char *only)
{
    const size_t length = strcspn(only, ":");
    fprintf(stderr, "check_rooms: no %s; there ", only);
    for (int32_t i = 0; i < sac_n_rooms; i++) {
        const char *room = sac_rooms[i].check->room->name;
        const sac_variant *v = NULL;
        if (strncmp(room, only, length) != 0 || room[length] != '\0')
            continue;
        for (int32_t k = 0; (v = sac_check_variant(sac_rooms[i].check, k)) != NULL; k++)
            fprintf(stderr, "%s%s:%s", k ? ", " : "are ", room, v->name);
        fprintf(stderr, " (a rung is what the room's table lists)\n");
        return 2;
    }
    for (int32_t i = 0; i < sac_n_rooms; i++)
        fprintf(stderr, "%s%s", i ? ", " : "are ", sac_rooms[i].check->room->name);
    fprintf(stderr, " (a room is what src/room/rooms.def lists)\n");
    return 2;
}

static int check_all(const sac_check_options *options)
{
    sac_check_result all = {0};
    uint32_t lacks = 0;
    printf("seed %" PRIu64 ", rounds %" PRId32 "\n", options->seed, options->rounds);
    for (int32_t i = 0; i < sac_n_rooms; i++) {
        const sac_room_check *check = sac_rooms[i].check;
        if (!sac_check_takes(options->only, check->room->name, NULL))
            continue;
        sac_check_result result;
        printf("%s\n", check->room->name);
        const sac_status status = sac_check_room(&result, check, options);
        if (status != SAC_OK) {
            fprintf(stderr, "check_rooms: %s: %s\n", check->room->name,
                    status == SAC_E_NOMEM ? "no memory" : "the device refused or is lost");
            return 1;
        }
        all.n_cases += result.n_cases;
        all.n_faults += result.n_faults;
        all.n_skipped += result.n_skipped;
        lacks |= lacked_by(check, options);
    }
    if (all.n_cases == 0 && options->gpu != NULL)
        return skip_all("the room has no rungs on a GPU");
    if (all.n_cases == 0 && all.n_skipped == 0)
        return say_none(options->only);
    if (lacks != 0)
        say_lacks(lacks);
    printf("%" PRId64 " calls, %" PRId64 " faults, %" PRId64 " variants skipped\n", all.n_cases,
           all.n_faults, all.n_skipped);
    return all.n_faults == 0 ? 0 : 1;
}

/* Every room's random sizes in turn, each with a seed of its own: `--seed` with the one that a
 * fault names and `--rounds 1` tries its room's again. */
static int check_for(sac_check_options *options, uint64_t seconds)
{
    const uint64_t first = options->seed;
    int64_t n_cases = 0, n_faults = 0;
    int32_t n = 0, n_taken = 0;
    printf("seed %" PRIu64 ", %" PRIu64 " s of processor time\n", first, seconds);
    options->only_random = true;
    options->rounds = 1;
    for (; n < sac_n_rooms || (n_taken > 0 && (uint64_t)(clock() / CLOCKS_PER_SEC) < seconds);
         n++) {
        const sac_room_check *check = sac_rooms[n % sac_n_rooms].check;
        if (!sac_check_takes(options->only, check->room->name, NULL))
            continue;
        sac_check_result result;
        n_taken++;
        options->seed = first + (uint64_t)(n / sac_n_rooms);
        const sac_status status = sac_check_room(&result, check, options);
        if (status != SAC_OK) {
            fprintf(stderr, "check_rooms: %s: %s\n", check->room->name, sac_status_name(status));
            return 1;
        }
        n_cases += result.n_cases;
        n_faults += result.n_faults;
    }
    if (n_taken == 0)
        return say_none(options->only);
    printf("%" PRId32 " rounds of all rooms, %" PRId64 " calls, %" PRId64 " faults\n",
           n / sac_n_rooms, n_cases, n_faults);
    return n_faults == 0 ? 0 : 1;
}

int main(int n, char **args)
{
    uint64_t seconds = 0;
    sac_check_options options = {.seed = 1, .rounds = DEFAULT_ROUNDS, .report = stdout};
    sac_device device = {SAC_DEVICE_CPU, 0};
    const int wrong = read_options(&options, &device, &seconds, n, args);
    if (wrong != 0)
        return wrong;
    sac_error err = {0};
    if (device.kind == SAC_DEVICE_CUDA && sac_gpu_count() == 0)
        return skip_all("no GPU, or a build without CUDA");
    if (device.kind == SAC_DEVICE_CUDA &&
        sac_gpu_open(&options.gpu, device.index, &err) != SAC_OK) {
        fprintf(stderr, "check_rooms: %s\n", err.text);
        return 1;
    }
    const int status = seconds > 0 ? check_for(&options, seconds) : check_all(&options);
    sac_gpu_close(&options.gpu);
    return status;
}
