/*
 * What a ladder has its rooms do: their tasks, by name, and what rows say of the shape.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ladder/rungs.h"

static bool takes_all(const sac_ladder *l)
{
    return l->desc.task != NULL && strcmp(l->desc.task, SAC_LADDER_ALL_TASKS) == 0;
}

const sac_check_task *sac_ladder_task(const sac_ladder *l, const sac_room_check *check, int32_t i)
{
    const char *wanted = l->desc.task;
    for (const sac_check_task *t = check->tasks; t != NULL && t->name != NULL; t++) {
        const bool is_taken = wanted == NULL ? t == check->tasks : takes_all(l);
        if ((is_taken || (wanted != NULL && strcmp(t->name, wanted) == 0)) && i-- == 0)
            return t;
    }
    return NULL;
}

int32_t sac_ladder_count_tasks(const sac_ladder *l, const sac_room_check *check)
{
    int32_t n = 0;
    while (sac_ladder_task(l, check, n) != NULL)
        n++;
    return n == 0 && (l->desc.task == NULL || takes_all(l)) ? 1 : n;
}

void sac_ladder_write_shape(char *text, size_t size, const sac_bench *b)
{
    const sac_check_case *c = &b->got;
    const sac_check_arg *a = &c->arg[0];
    const bool is_content = b->task != NULL && b->task->is_content;
    if (b->task != NULL && !is_content) {
        snprintf(text, size, "%s", b->task->name);
        return;
    }
    for (int32_t i = 0; i < c->n_args && a->role == SAC_CHECK_OUT; i++)
        a = &c->arg[i];
    const int64_t channels = a->w * a->h / (c->w * c->h);
    char axes[64];
    if (b->check->one_row)
        snprintf(axes, sizeof axes, "%" PRId64, a->w);
    else if (channels > 1)
        snprintf(axes, sizeof axes, "%" PRId64 "x%" PRId64 "x%" PRId64, c->w, c->h, channels);
    else
        snprintf(axes, sizeof axes, "%" PRId64 "x%" PRId64, c->w, c->h);
    const bool is_first = !is_content || b->task == b->check->tasks;
    snprintf(text, size, "%s u%zu%s%s%s%s", axes, 8 * a->size, b->mode > 0 ? ", " : "",
             b->mode > 0 ? b->check->modes[b->mode] : "", is_first ? "" : ", ",
             is_first ? "" : b->task->name);
}
