/*
 * A rung's times from the literature: those of its launch shape, and what they are worth.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "ladder/rungs.h"

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool has_shape(const sac_check_published *p, const sac_gpu_shape *shape)
{
    const uint32_t *g = shape->grid, *b = shape->block;
    return p->grid != 0 && (uint64_t)g[0] * g[1] * g[2] == p->grid &&
           (uint64_t)b[0] * b[1] * b[2] == p->block;
}

/* Whether no other launch shape of its sweep was faster. */
static bool is_fastest(const sac_check_published *all, const sac_check_published *p)
{
    for (const sac_check_published *q = all; q->rung != NULL; q++)
        if (q->is_sweep && strcmp(q->rung, p->rung) == 0 && is_same(q->device, p->device) &&
            (q->ns < p->ns || (q->ns == p->ns && q < p)))
            return false;
    return true;
}

/* How a time of the list stands to a rung: not at all, or 1: of its launch shape, on a CPU of one;
 * or 2. */
static int rank_of(const sac_ladder *l, const sac_variant *v, const sac_check_published *all,
                   const sac_check_published *p)
{
    const sac_gpu_shape *shape = l->gpu != NULL ? sac_ladder_shape(l, v) : NULL;
    if (strcmp(p->rung, v->name) != 0 || (p->is_cpu && l->gpu != NULL))
        return 0;
    if (p->is_cpu || (shape != NULL && has_shape(p, shape)))
        return 1;
    return !p->is_sweep || (shape == NULL && is_fastest(all, p)) ? 2 : 0;
}

/* The source's first time on that device. */
static double first_ns(const sac_check_published *all, const sac_check_published *p)
{
    while (all != p && !(all->is_cpu == p->is_cpu && is_same(all->device, p->device) &&
                         is_same(all->source, p->source)))
        all++;
    return all->ns;
}

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

static void add(sac_ladder_published *list, const sac_check_published *all,
                const sac_check_published *p, sac_ladder_row *row)
{
    const double times = p->a_point && row->points > 0 ? (double)row->points : 1;
    if (list->n == 0) {
        row->published_ns = times * p->ns;
        row->published_h2d_ns = p->h2d_ns;
        row->published_d2h_ns = p->d2h_ns;
        row->published_loop_ns = p->loop_ns;
    }
    if (list->n < SAC_LADDER_PUBLISHED)
        list->time[list->n++] = (sac_published){.device = text_of(p->device),
                                                .source = text_of(p->source),
                                                .of = text_of(p->of),
                                                .note = text_of(p->note),
                                                .ns = p->ns,
                                                .times = times,
                                                .speed_up = first_ns(all, p) / p->ns,
                                                .grid = p->grid,
                                                .block = p->block};
}

void sac_ladder_take_published(sac_ladder_published *list, const sac_ladder *l,
                               const sac_room_check *check, const sac_variant *v,
                               sac_ladder_row *row)
{
    const sac_check_published *all = check->published;
    list->n = 0;
    for (int rank = 1; rank <= 2; rank++)
        for (const sac_check_published *p = all; p != NULL && p->rung != NULL; p++)
            if (rank_of(l, v, all, p) == rank)
                add(list, all, p, row);
    row->published = list->time;
    row->n_published = list->n;
}
