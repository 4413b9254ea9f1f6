/*
 * Opening a plan: its memory, its threads, its kernels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "room/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/struct.h"
#include "room/wisdom.h"

sac_status sac_plan_open(void *out, const sac_plan_kind *kind, void *own, const void *desc,
                         sac_error *err)
{
    const sac_param_table *table = kind->params();
    void *plan = NULL;
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "plan: is NULL");
    memcpy(out, &plan, sizeof plan); /* a pointer to whatever struct */
    sac_status status = sac_desc_take(own, table, desc, err);
    if (status)
        return status;
    plan = sac_alloc(1, kind->size);
    if (!plan)
        return sac_fail(err, SAC_E_NOMEM, "%s: no memory for a plan", table->pipeline);
    memcpy(plan, own, table->desc_size);
    status = kind->open(plan, err);
    if (status)
        sac_plan_close(&plan, kind);
    memcpy(out, &plan, sizeof plan);
    return status;
}

void sac_plan_close(void *plan, const sac_plan_kind *kind)
{
    void *p = NULL;
    if (plan)
        memcpy(&p, plan, sizeof p);
    if (!p)
        return;
    kind->close(p);
    sac_free(p);
    memset(plan, 0, sizeof p);
}

sac_status sac_plan_check_sides(int64_t w, int64_t h, int32_t max_side, sac_error *err)
{
    if (w >= 1 && h >= 1 && w <= max_side && h <= max_side)
        return SAC_OK;
    return sac_fail(err, SAC_E_SHAPE, "w, h: expected 1 to %d pixels, got %lld x %lld", max_side,
                    (long long)w, (long long)h);
}

sac_status sac_plan_check_frame(int64_t w, int64_t h, int32_t max_side, int32_t n_channels,
                                sac_pixel_order order, sac_error *err)
{
    const sac_status status = sac_plan_check_sides(w, h, max_side, err);
    if (status)
        return status;
    if (n_channels != 1 && n_channels != 3 && n_channels != 4)
        return sac_fail(err, SAC_E_SHAPE, "n_channels: expected 1, 3 or 4, got %d", n_channels);
    if ((uint32_t)order > SAC_ORDER_BGR)
        return sac_fail(err, SAC_E_INVALID, "order: expected one of sac_pixel_order, got %d",
                        (int)order);
    return SAC_OK;
}

static sac_status choose(sac_any_fn *fns, char *text, size_t size, const sac_plan_choice *choice,
                         sac_error *err)
{
    const sac_room *there[SAC_MAX_ROOMS];
    int32_t n_there = 0;
    size_t used = 0;
    for (int32_t i = 0; i < SAC_MAX_ROOMS; i++)
        if (choice->rooms[i])
            there[n_there++] = choice->rooms[i];
    sac_status status = sac_variant_check(there, n_there, choice->variant, err);
    for (int32_t i = 0; i < SAC_MAX_ROOMS && status == SAC_OK; i++) {
        const sac_room *room = choice->rooms[i];
        const sac_variant *v = NULL;
        if (!room)
            continue;
        status = sac_variant_choose(&v, room, choice->tier, &choice->shape, choice->variant, err);
        if (status)
            break;
        fns[i] = v->fn;
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s:%s", used ? " " : "",
                                     room->name, v->name);
    }
    return status;
}

/* A file that is there and ignored: the choice is not the one that was measured. */
static void warn_of_wisdom(const sac_log *log)
{
    sac_wisdom_info info = {.struct_size = sizeof info};
    sac_wisdom_describe(&info);
    if (info.ignored[0])
        sac_log_line(log, SAC_LOG_WARNING, "wisdom: %s is ignored: %s", info.path, info.ignored);
}

sac_status sac_plan_choose(sac_pool **pool, sac_any_fn fns[SAC_MAX_ROOMS], char *text, size_t size,
                           const sac_plan_choice *choice, sac_error *err)
{
    for (int32_t i = 0; i < SAC_MAX_ROOMS; i++)
        fns[i] = NULL;
    sac_status status = sac_pool_open(pool, choice->n_threads, choice->executor, err);
    if (status == SAC_OK)
        status = choose(fns, text, size, choice, err);
    if (status == SAC_OK)
        warn_of_wisdom(choice->log);
    if (status == SAC_OK)
        sac_log_line(choice->log, SAC_LOG_INFO, "%s: %s, %d threads", choice->pipeline, text,
                     sac_pool_threads(*pool));
    return status;
}
