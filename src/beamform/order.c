/*
 * The order in which a plan on a CPU works on a list of points: so that those at work together lie
 * together, as in a grid. Kernels read few samples then, and read them often.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "beamform/plan.h"

/* Tile by tile, each row by row across. */
static void fill(int32_t *order, const sac_das_list *list)
{
    for (int64_t y = 0; y < list->n_deep; y += SAC_BEAMFORM_TILE_ROWS)
        for (int64_t x = 0; x < list->n_across; x += SAC_BEAMFORM_TILE_COLUMNS)
            for (int64_t b = y; b < y + SAC_BEAMFORM_TILE_ROWS && b < list->n_deep; b++)
                for (int64_t a = x; a < x + SAC_BEAMFORM_TILE_COLUMNS && a < list->n_across; a++)
                    *order++ = (int32_t)(b * list->deep + a * list->across);
}

sac_status sac_beamform_order_points(int32_t **order, const double *points_m, int64_t n,
                                     const sac_element *elements, int32_t n_elements)
{
    const sac_das_list list = sac_das_list_of(points_m, n, elements, n_elements);
    *order = NULL;
    if (list.n_across == 0)
        return SAC_OK;
    *order = sac_alloc((size_t)n, sizeof **order);
    if (!*order)
        return SAC_E_NOMEM;
    fill(*order, &list);
    return SAC_OK;
}
