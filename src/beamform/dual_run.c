/*
 * Running dual-stage beamforming: planes of each wave's image, then the volume from these.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "beamform/dual.h"

sac_das sac_beamform_dual_stage(const sac_beamform *plan, const sac_dual_way *w)
{
    sac_das das = sac_beamform_group_das(plan, &plan->das, &plan->groups[w - plan->dual->ways]);
    const sac_grid *g = &w->das.grid;
    for (int axis = 0; axis < 2; axis++) {
        const int from = axis == 0 ? w->across : w->along;
        das.grid.first_m[axis] = g->first_m[from];
        das.grid.last_m[axis] = g->last_m[from];
        das.grid.n[axis] = g->n[from];
    }
    das.grid.first_m[2] = g->first_m[2];
    das.grid.last_m[2] = g->last_m[2];
    das.grid.n[2] = g->n[2];
    das.n_points = w->das.n_points;
    das.line.shape = SAC_SHAPE_COLUMN;
    das.transmits = w->transmits;
    das.lri = true;
    das.tile_rows = SAC_BEAMFORM_TILE_ROWS;
    das.tile_columns = SAC_BEAMFORM_TILE_COLUMNS;
    return das;
}

/* A block of the first stage to where its waves' images are. */
static void store_block(sac_dual_way *w, const sac_das *das, int32_t wave, const float *block,
                        int64_t first, int32_t n)
{
    const int64_t n_across = w->n_across, image = w->n_depths * 2 * n_across;
    for (int32_t i = 0; i < n; i++) {
        const int64_t at = sac_das_spot_of(das, first + i).index, row = at / n_across;
        const int64_t plane = row % w->n_planes, z = row / w->n_planes;
        float *to =
            w->images + (plane * w->das.n_tx + wave) * image + z * 2 * n_across + at % n_across;
        for (int32_t t = 0; t < das->n_tx; t++, block += 2, to += image) {
            to[0] = block[0];
            to[n_across] = block[1];
        }
    }
}

/* Blocks of points, of SAC_DUAL_WAVES waves each. */
static int64_t count_blocks(const sac_dual_way *w)
{
    return (w->das.n_points + SAC_DAS_BLOCK - 1) / SAC_DAS_BLOCK *
           ((w->das.n_tx + SAC_DUAL_WAVES - 1) / SAC_DUAL_WAVES);
}

static int64_t count_all_blocks(const sac_beamform_dual *d)
{
    int64_t n = 0;
    for (int32_t i = 0; i < d->n_ways; i++)
        n += count_blocks(&d->ways[i]);
    return n;
}

static void first_stage_task(void *arg, int32_t worker)
{
    sac_beamform *plan = arg;
    const sac_beamform_dual *d = plan->dual;
    float *scratch = d->scratch + (size_t)worker * d->scratch_floats;
    const int64_t n_all = count_all_blocks(d);
    for (int64_t k = sac_beamform_take(plan); k < n_all; k = sac_beamform_take(plan)) {
        int64_t b = k;
        sac_dual_way *w = d->ways;
        for (; b >= count_blocks(w); w++)
            b -= count_blocks(w);
        sac_das das = sac_beamform_dual_stage(plan, w);
        const int64_t n_blocks = (das.n_points + SAC_DAS_BLOCK - 1) / SAC_DAS_BLOCK;
        const int32_t wave = (int32_t)(b / n_blocks) * SAC_DUAL_WAVES;
        const int64_t first = b % n_blocks * SAC_DAS_BLOCK, left = das.n_points - first;
        const int32_t n = (int32_t)(left < SAC_DAS_BLOCK ? left : SAC_DAS_BLOCK);
        das.n_tx = das.n_tx - wave < SAC_DUAL_WAVES ? das.n_tx - wave : SAC_DUAL_WAVES;
        das.transmits += wave;
        das.data = (const char *)das.data + wave * das.tx * (ptrdiff_t)plan->scalar_size;
        plan->beamform(scratch, &das, first, n);
        store_block(w, &das, wave, scratch, first, n);
    }
}

/* plane (n_along, 2, n_across) = a way's sum at depth z of the volume. */
static void sum_way(float *plane, const sac_beamform_dual *d, const sac_dual_way *w, int64_t z)
{
    const sac_dual_size size = {.n = w->n_across,
                                .n_depths = w->n_depths,
                                .first = z * w->refined - w->first_row,
                                .n_tx = w->das.n_tx};
    for (int64_t i = 0; i < w->n_along; i++)
        d->sum(plane + 2 * size.n * i, w->images, w->taps + i * size.n_tx, &size);
}

/* out (n_y, n_x) complex += a way's plane. */
static void add_plane(float *out, const float *plane, const sac_dual_way *w)
{
    const int64_t n = w->n_across, m = w->n_along;
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < n; k++) {
            float *to = out + 2 * (w->across == 0 ? i * n + k : k * m + i);
            to[0] += plane[2 * n * i + k];
            to[1] += plane[2 * n * i + n + k];
        }
}

static void second_stage_task(void *arg, int32_t worker)
{
    sac_beamform *plan = arg;
    const sac_beamform_dual *d = plan->dual;
    const int64_t n = plan->das.grid.n[0] * plan->das.grid.n[1];
    float *out = d->planes + (size_t)worker * d->plane_floats, *plane = out + 2 * n;
    for (int64_t z = sac_beamform_take(plan); z < plan->das.grid.n[2];
         z = sac_beamform_take(plan)) {
        memset(out, 0, (size_t)(2 * n) * sizeof *out);
        for (int32_t i = 0; i < d->n_ways; i++) {
            sum_way(plane, d, &d->ways[i], z);
            add_plane(out, plane, &d->ways[i]);
        }
        for (int64_t at = 0; at < n; at += SAC_DAS_BLOCK) {
            const int32_t some = (int32_t)(n - at < SAC_DAS_BLOCK ? n - at : SAC_DAS_BLOCK);
            sac_beamform_finish_block(plan, out + 2 * at, z * n + at, some);
        }
    }
}

void sac_beamform_dual_run(sac_beamform *plan)
{
    sac_beamform_work(plan, count_all_blocks(plan->dual), first_stage_task);
    sac_beamform_work(plan, plan->das.grid.n[2], second_stage_task);
}
