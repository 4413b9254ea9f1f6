/*
 * Pores that are expected in a layer.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "map.h"

#include <math.h>
#include <string.h>

#define FIRST_SIDE 1.0 /* of a map that grows, in the signals' units */

void pool_map_clear(pool_map *map, const double first[2], double side)
{
    memset(map, 0, sizeof *map);
    map->side = side;
    for (int i = 0; i < 2 && side > 0; i++) {
        map->first[i] = first[i];
    }
}

static void add_cell(pool_cell *to, const pool_cell *from)
{
    for (int k = 0; k < SAC_MELTPOOL_PREDICTIONS; k++) {
        to->prediction[k] += from->prediction[k];
        to->truth[k] += from->truth[k];
    }
    to->n += from->n;
}

/* Twice as wide, towards lower x and y where asked. Cells are taken in an order in which none is
 * written over before it was read. */
static void grow(pool_map *map, bool is_left, bool is_below)
{
    const int off_x = is_left ? POOL_CELLS : 0, off_y = is_below ? POOL_CELLS : 0;
    for (int k = 0; k < POOL_CELLS * POOL_CELLS; k++) {
        const int y = is_below ? POOL_CELLS - 1 - k / POOL_CELLS : k / POOL_CELLS;
        const int x = is_left ? POOL_CELLS - 1 - k % POOL_CELLS : k % POOL_CELLS;
        const pool_cell cell = map->cells[y * POOL_CELLS + x];
        map->cells[y * POOL_CELLS + x] = (pool_cell){0};
        add_cell(&map->cells[(y + off_y) / 2 * POOL_CELLS + (x + off_x) / 2], &cell);
    }
    map->first[0] -= is_left ? map->side : 0;
    map->first[1] -= is_below ? map->side : 0;
    map->side *= 2;
}

static int cell_at(const pool_map *map, int axis, double at)
{
    const double cell = (at - map->first[axis]) / map->side * POOL_CELLS;
    return (int)fmin(fmax(cell, 0), POOL_CELLS - 1);
}

void pool_map_add(pool_map *map, const sac_meltpool_record *r, const float *truth)
{
    const double x = r->signals.x, y = r->signals.y;
    if (r->flags & (SAC_MELTPOOL_EMPTY | SAC_MELTPOOL_REFUSED)) {
        return;
    }
    if (!(map->side > 0)) {
        map->side = FIRST_SIDE;
        map->first[0] = x - FIRST_SIDE / 2;
        map->first[1] = y - FIRST_SIDE / 2;
    }
    while (x < map->first[0] || y < map->first[1] || x > map->first[0] + map->side ||
           y > map->first[1] + map->side) {
        grow(map, x < map->first[0], y < map->first[1]);
    }
    pool_cell one = {.n = 1};
    for (int k = 0; k < SAC_MELTPOOL_PREDICTIONS; k++) {
        one.prediction[k] = (double)r->prediction[k];
        one.truth[k] = truth ? (double)truth[k] : 0;
    }
    add_cell(&map->cells[cell_at(map, 1, y) * POOL_CELLS + cell_at(map, 0, x)], &one);
    map->n++;
}

/* -1: no frame was there. */
static double mean_of(const pool_cell *cell, pool_density density, bool of_truth)
{
    const double *sum = of_truth ? cell->truth : cell->prediction;
    const double both = density == POOL_BOTH ? sum[0] + sum[1] : sum[density];
    return cell->n > 0 ? fmax(0, both / (double)cell->n) : -1;
}

double pool_map_top(const pool_map *map, pool_density density, bool of_truth)
{
    double top = 0;
    for (int i = 0; i < POOL_CELLS * POOL_CELLS; i++) {
        top = fmax(top, mean_of(&map->cells[i], density, of_truth));
    }
    return top;
}

void pool_map_get(const pool_map *map, uint16_t *levels, pool_density density, bool of_truth,
                  double top)
{
    for (int i = 0; i < POOL_CELLS * POOL_CELLS; i++) {
        const int y = POOL_CELLS - 1 - i / POOL_CELLS, x = i % POOL_CELLS;
        const double mean = mean_of(&map->cells[y * POOL_CELLS + x], density, of_truth);
        const double share = top > 0 ? fmin(mean / top, 1) : 0;
        levels[i] = mean < 0 ? 0 : (uint16_t)(1 + lrint(65534 * share));
    }
}
