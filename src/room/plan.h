/*
 * What opening a plan has in common: its memory and desc; on the CPU its threads and kernels.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_ROOM_PLAN_H
#define SAC_ROOM_PLAN_H

#include <saccade/array.h>
#include <saccade/param.h>

#include "base/threads.h"
#include "room/variant.h"

/* A pipeline's plan: what all plans do when they open and close is done by what it says here. */
typedef struct sac_plan_kind {
    size_t size; /* of the plan, which begins with its desc */
    const sac_param_table *(*params)(void);
    /* The rest of opening, with the desc in place and all else 0. Where it fails, the plan is
     * closed. */
    sac_status (*open)(void *plan, sac_error *err);
    void (*close)(void *plan); /* frees all but the plan, which may be half-built */
} sac_plan_kind;

/*
 * *own is the pipeline's desc, filled by its _init: the caller's goes over it, and is checked.
 * *out, the caller's pointer to a plan, is NULL on failure. SAC_E_INVALID, SAC_E_NOMEM, or what
 * `open` says.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_plan_open(void *out, const sac_plan_kind *kind, void *own,
                                                    const void *desc, sac_error *err);

/* *plan, the caller's pointer, becomes NULL; NULL and a pointer to NULL are fine. */
SAC_INTERNAL void sac_plan_close(void *plan, const sac_plan_kind *kind);

/* A plan's functions to open and close it, of the file's own open_plan and close_plan. */
#define SAC_PLAN(plan, open_it, close_it, params, desc, desc_init)                                 \
    static const sac_plan_kind plan_kind = {sizeof(plan), params, open_plan, close_plan};          \
    sac_status open_it(plan **out, const desc *callers, sac_error *err)                            \
    {                                                                                              \
        desc own;                                                                                  \
        desc_init(&own);                                                                           \
        return sac_plan_open(out, &plan_kind, &own, callers, err);                                 \
    }                                                                                              \
    void close_it(plan **out)                                                                      \
    {                                                                                              \
        sac_plan_close(out, &plan_kind);                                                           \
    }

#define SAC_PLAN_MAX_SIDE 0x7fffffff

/* A picture of 1 to max_side pixels each way. SAC_E_SHAPE. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_plan_check_sides(int64_t w, int64_t h, int32_t max_side,
                                                           sac_error *err);

/* The same, with 1, 3 or 4 channels in an order. SAC_E_SHAPE, SAC_E_INVALID. */
SAC_INTERNAL SAC_NODISCARD sac_status sac_plan_check_frame(int64_t w, int64_t h, int32_t max_side,
                                                           int32_t n_channels,
                                                           sac_pixel_order order, sac_error *err);

#define SAC_MAX_ROOMS 8

typedef struct sac_plan_choice {
    const char *pipeline;                 /* in the log */
    const sac_room *rooms[SAC_MAX_ROOMS]; /* NULL: the plan has no such job */
    sac_tier tier;
    sac_variant_shape shape; /* of a frame; zeros: it is none */
    int32_t n_threads;       /* from here on as in every pipeline's desc */
    const sac_executor *executor;
    const char *variant;
    const sac_log *log;
} sac_plan_choice;

/* Of a desc with w, h and n_channels. */
#define SAC_PLAN_SHAPE(desc) .shape = {(desc)->w * (desc)->h, (desc)->n_channels}

#define SAC_PLAN_CHOICE(desc)                                                                      \
    .n_threads = (desc)->n_threads, .executor = (desc)->executor, .variant = (desc)->variant,      \
    .log = (desc)->log

/*
 * Opens the pool, chooses in each room, as sac_variant_choose does, and tells the log. fns: the
 * entry points, NULL where there is no room, and on failure. text (size): "ROOM:NAME ROOM:NAME".
 * SAC_E_INVALID where an item of `variant` names nothing in any of the rooms.
 */
SAC_INTERNAL SAC_NODISCARD sac_status sac_plan_choose(sac_pool **pool,
                                                      sac_any_fn fns[SAC_MAX_ROOMS], char *text,
                                                      size_t size, const sac_plan_choice *choice,
                                                      sac_error *err);

#endif
