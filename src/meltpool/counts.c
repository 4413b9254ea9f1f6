/*
 * What became of a plan's frames, and whether that looks like a wrong set-up.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/struct.h"
#include "meltpool/plan.h"

/* Whether the laser of a processed frame is beside the picture. */
static bool is_outside(const sac_meltpool_places *p, const sac_meltpool_signals *signals)
{
    sac_meltpool_place at;
    if (p->locate != SAC_MELTPOOL_LASER || !sac_meltpool_from_laser(p, &at, signals))
        return false;
    const int32_t x = sac_meltpool_pixel(at.x), y = sac_meltpool_pixel(at.y);
    return x < 0 || x >= p->w || y < 0 || y >= p->h;
}

void sac_meltpool_count(sac_meltpool_counts *counts, const sac_meltpool_block *block,
                        const sac_meltpool_places *places)
{
    counts->frames += block->n;
    for (int32_t i = 0; i < block->n; i++) {
        const sac_meltpool_record *record = &block->records[i];
        const uint32_t flags = record->flags;
        const bool processed = !sac_meltpool_is_left_out(flags);
        counts->processed += processed;
        counts->empty += (flags & SAC_MELTPOOL_EMPTY) != 0;
        counts->refused_place += (flags & SAC_MELTPOOL_REFUSED) != 0;
        counts->no_pool += (flags & SAC_MELTPOOL_NO_POOL) != 0;
        counts->clipped += (flags & SAC_MELTPOOL_CLIPPED) != 0;
        counts->gaps += (flags & SAC_MELTPOOL_GAP) != 0;
        counts->spatters += (int64_t)record->features[2];
        counts->outside += processed && is_outside(places, &record->signals);
    }
}

/* More than half of some. */
static bool is_most(int64_t n, int64_t of)
{
    return n > of / 2;
}

const char *sac_meltpool_doubt(const sac_meltpool_counts *callers)
{
    sac_meltpool_counts own = {.struct_size = sizeof own};
    const sac_meltpool_counts *counts = &own;
    if (sac_struct_take(&own, callers, "counts", NULL) != SAC_OK)
        return "";
    const int64_t on = counts->processed + counts->refused_place;
    if (is_most(counts->refused_place + counts->outside, on))
        return "in most frames the laser is outside the picture: is the calibration right?";
    if (is_most(counts->no_pool, counts->processed))
        return "most frames have no pool: is the calibration right, and the threshold low enough?";
    if (is_most(counts->clipped, counts->processed))
        return "most pools are clipped: is the calibration right, and the region of interest large "
               "enough?";
    if (is_most(counts->empty, counts->frames))
        return "most frames are empty: their signals say that the laser was off";
    return "";
}
