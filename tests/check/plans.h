/*
 * Checks of whole plans through their public functions: random options, arrays that lie anyhow, in
 * any memory that the plan takes, beside what a reference makes of the same values.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_TESTS_PLANS_H
#define SAC_TESTS_PLANS_H

#include <saccade/array.h>
#include <saccade/device.h>

#include "gpu/gpu.h"

#define PLAN_MOST_BATCH 70 /* frames of a batch or stream */

/* A check at work: one round of it is one drawn configuration. */
typedef struct plan_check {
    const char *name;
    uint64_t seed, random;
    int64_t round;
    sac_gpu *gpu; /* NULL: the CPU */
    char about[320];
    int64_t n_compared, n_blank, n_skipped, n_faults;
} plan_check;

/* Rounds as they come: 0, or a fault was told. */
void check_equalize_plan(plan_check *c);
void check_motion_plans(plan_check *c);
void check_delta_plans(plan_check *c);
void check_meltpool_plan(plan_check *c);
void check_flow_plan(plan_check *c);

/* 0 .. n - 1; one of some; true in one of n. */
int64_t plan_draw(plan_check *c, int64_t n);
#define PLAN_ONE_OF(c, list) (list)[plan_draw(c, (int64_t)(sizeof(list) / sizeof((list)[0])))]

/* What the round is about, for its faults. */
void plan_about(plan_check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void plan_fault(plan_check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends the program where something fails that this is no test of: memory, a device that is lost. */
void plan_must(sac_status status, const char *what, const sac_error *err);
void *plan_memory(size_t n, size_t size); /* zeroed */

/* A rung to force, or NULL. Rungs that this CPU or the plan's rooms lack: the caller opens without.
 */
const char *plan_variant(plan_check *c);
bool plan_lacks(sac_status status, const char *variant);

typedef enum plan_place { PLAN_HOST, PLAN_PINNED, PLAN_DEVICE, PLAN_PLACES } plan_place;
extern const char *const plan_places[PLAN_PLACES];

/* An array that lies somewhere: axes in any order in memory, forward or backward, with gaps. */
typedef struct plan_lay {
    sac_array array; /* as the plan gets it */
    sac_array image; /* the same in `bytes` */
    uint8_t *bytes;  /* what is in the memory, as far as it is known: gaps and guards too */
    void *memory;
    size_t n_bytes;
    plan_place place;
    uint8_t poison;
} plan_lay;

/* Poisoned. With `in_rows` the last axis has its elements side by side and is the innermost. */
plan_lay plan_lay_open(plan_check *c, sac_dtype dtype, int32_t n_dims, const int64_t *shape,
                       bool in_rows, plan_place place);
void plan_lay_close(plan_check *c, plan_lay *lay);

/* The values of a packed array, slow axis first. */
void plan_lay_write(plan_check *c, plan_lay *lay, const void *packed);

/* The values, packed, that the array has. */
void plan_lay_read(plan_check *c, const plan_lay *lay, void *packed);

/* A fault unless the array has these values, and its gaps and guards what they had. */
void plan_lay_compare(plan_check *c, plan_lay *lay, const void *packed, const char *what);

/* Random bytes that look like a picture: noise on a ramp, at times constant or extreme. */
void plan_fill(plan_check *c, void *values, sac_dtype dtype, int64_t n);

#endif
