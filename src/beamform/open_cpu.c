/*
 * Opening a beamform plan on the CPU: its kernels, its threads, the memory of its runs.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "beamform/plan.h"
#include "beamform/kernels/adapt_iq_f32/adapt_iq_f32.h"
#include "beamform/kernels/das_iq_f32/das_iq_f32.h"
#include "beamform/kernels/das_rf_f32/das_rf_f32.h"
#include "beamform/kernels/das_rf_i16/das_rf_i16.h"
#include "beamform/kernels/dual_f32/dual_f32.h"
#include "beamform/kernels/pack_c64/pack_c64.h"
#include "beamform/kernels/pack_f32/pack_f32.h"
#include "beamform/kernels/pack_i16/pack_i16.h"
#include "room/plan.h"

#define SCRATCH_FLOATS 65536 /* of a worker: 256 KB, which the L2 cache holds */
#define TASKS_A_THREAD 16
#define MOST_BYTES 0x1p30

/* The room that makes points of channel data. */
static const sac_room *points_room(const sac_beamform *plan)
{
    if (sac_beamform_does(plan, SAC_STEP_ADAPT))
        return &sac_adapt_iq_f32_room;
    if (plan->iq)
        return &sac_das_iq_f32_room;
    return plan->scalar_size == sizeof(int16_t) ? &sac_das_rf_i16_room : &sac_das_rf_f32_room;
}

/* The rooms that a run goes through, in its order. */
sac_status sac_beamform_cpu_choose(sac_beamform *plan, sac_error *err)
{
    enum { DEMODULATE, PACK, BEAMFORM, DUAL, MAGNITUDE, HILBERT, COMPRESS };
    const bool dual =
        sac_beamform_may_dual(&plan->desc) && sac_beamform_needs_groups(plan->desc.acquisition);
    bool iq = plan->iq, i16 = plan->scalar_size == sizeof(int16_t);
    const sac_plan_choice choice = {
        SAC_PLAN_CHOICE(&plan->desc),
        .pipeline = "beamform",
        .tier = (sac_tier)plan->desc.tier,
        .rooms =
            {
                [DEMODULATE] = sac_beamform_does(plan, SAC_STEP_FILTER)
                                   ? sac_demodulate_room(plan->desc.dtype)
                                   : NULL,
                [PACK] = iq    ? &sac_pack_c64_room
                         : i16 ? &sac_pack_i16_room
                               : &sac_pack_f32_room,
                [BEAMFORM] = points_room(plan),
                [DUAL] = dual ? &sac_dual_f32_room : NULL,
                [MAGNITUDE] =
                    sac_beamform_does(plan, SAC_STEP_MAGNITUDE) ? &sac_envelope_c64_room : NULL,
                [HILBERT] =
                    sac_beamform_does(plan, SAC_STEP_HILBERT) ? &sac_hilbert_f32_room : NULL,
                [COMPRESS] =
                    sac_beamform_does(plan, SAC_STEP_COMPRESS) ? &sac_compress_f32_room : NULL,
            },
    };
    sac_any_fn fn[SAC_MAX_ROOMS];
    const sac_status status =
        sac_plan_choose(&plan->pool, fn, plan->variant, sizeof plan->variant, &choice, err);
    plan->demodulate = fn[DEMODULATE];
    plan->pack = (sac_pack_fn)fn[PACK];
    plan->beamform = (sac_das_fn)fn[BEAMFORM];
    plan->dual_sum = fn[DUAL];
    plan->magnitude = (sac_envelope_c64_fn)fn[MAGNITUDE];
    plan->hilbert = (sac_hilbert_f32_fn)fn[HILBERT];
    plan->compress = (sac_compress_f32_fn)fn[COMPRESS];
    plan->steps |= SAC_STEP_PACK;
    sac_hilbert_init(&plan->taps);
    return status;
}

/* Whether the chosen kernel's vectors hold points where there is one frame. */
static bool is_by_points(const sac_beamform *plan)
{
    const sac_variant *v = points_room(plan)->variants;
    while (v->name && (sac_das_fn)v->fn != plan->beamform)
        v++;
    return v->kind == SAC_DAS_BY_POINTS;
}

/*
 * Whether vectors of points do frames of RF one by one faster than vectors of 16 frames together.
 * In ns of a point and an element, measured with AVX-512: of each frame 0.4 a transmit, and for
 * four of them distances (0.4) and weights (0.3); together distances and weights for eight (4), and
 * of a transmit a place and the samples of each vector.
 */
static bool is_rf_faster_apart(const sac_das *das)
{
    const int32_t t = das->n_tx, slabs = (das->n_frames + 15) / 16;
    const double shared = das->apodization.f_number > 0 ? 0.7 : 0.4;
    const double apart = das->n_frames * (0.4 * t + shared * ((t + 3) / 4));
    return apart < 4 * ((t + 7) / 8) + t * (1.5 + 1.8 * slabs);
}

/* What packed RF takes with so many frames together. */
static double together_bytes(const sac_beamform *plan)
{
    sac_das das = plan->das;
    const size_t n = sac_das_layout(&das, 1, plan->scalar_size);
    return n ? (double)n * (double)plan->scalar_size : INFINITY;
}

/*
 * One by one with adaptive weights; of RF where that is faster, or frames together would take more
 * than MOST_BYTES; and of IQ where they are few, and transmits many: a transmit's pair of a point
 * and an element takes about 1/7 of the time that up to 8 frames take together, and what all
 * transmits share of it 6/7. Of lists without an order it is not known whether neighbours lie side
 * by side.
 */
int32_t sac_beamform_cpu_batch(const sac_beamform *plan)
{
    const sac_das *das = &plan->das;
    if (sac_beamform_does(plan, SAC_STEP_ADAPT))
        return 1;
    const bool few = sac_beamform_is_linear(plan) && (!das->points_m || plan->order) &&
                     (int64_t)das->n_frames * (das->n_tx + 6) <= (int64_t)das->n_tx * 7;
    const bool apart =
        plan->iq ? few : is_rf_faster_apart(das) || together_bytes(plan) > MOST_BYTES;
    return apart && is_by_points(plan) ? 1 : das->n_frames;
}

/*
 * One frame: a block is a rectangle, whose points share the lines of a record's samples; those of a
 * row far apart along x take others. RF of all elements gains nothing. With an f-number it is
 * narrower: a vector's points, of two rows, lie in the same apertures. It is a rectangle where a
 * wave's field is narrow, too, since waves whose field is beside a block are left out. Given
 * arrivals are numbered by rows.
 */
static void choose_tiles(sac_beamform *plan)
{
    sac_das *das = &plan->das;
    const bool one = das->n_frames == 1 && (plan->iq || das->apodization.f_number > 0);
    const bool narrow = sac_beamform_does(plan, SAC_STEP_FIELD) || one;
    if (!narrow || plan->dual || plan->layered || das->points_m || sac_beamform_has_arrivals(plan))
        return;
    das->tile_rows = plan->iq ? SAC_BEAMFORM_TILE_ROWS : SAC_BEAMFORM_RF_TILE_ROWS;
    das->tile_columns = SAC_DAS_BLOCK / das->tile_rows;
}

/* What field, groups and adaptive weights need of it, with the blocks known. */
static bool allocate_extras(sac_beamform *plan, size_t per_point)
{
    const size_t n = (size_t)plan->n_workers;
    const bool field = sac_beamform_does(plan, SAC_STEP_FIELD);
    const bool adapt = sac_beamform_does(plan, SAC_STEP_ADAPT);
    if (plan->n_groups)
        plan->group_images = sac_alloc(n, plan->block_floats * sizeof(float));
    if (field) {
        const size_t n_waves = (size_t)plan->das.n_tx;
        plan->wave_floats = ((size_t)plan->n_block * n_waves * (per_point + 1) + 15) / 16 * 16;
        plan->wave_images = sac_alloc(n, plan->wave_floats * sizeof(float));
        plan->wave_transmits = sac_alloc(n * n_waves, sizeof *plan->wave_transmits);
        plan->wave_places =
            sac_alloc(n * (n_waves + 6), (size_t)plan->n_block * sizeof *plan->wave_places);
    }
    if (adapt) {
        plan->adapt_floats = sac_adapt_scratch(&plan->das);
        plan->adapt = sac_alloc(n, plan->adapt_floats * sizeof(float));
    }
    return (plan->group_images || !plan->n_groups) && (plan->adapt || !adapt) &&
           ((plan->wave_images && plan->wave_transmits && plan->wave_places) || !field) &&
           sac_beamform_layered_allocate(plan);
}

/* Memory of a run: packed and demodulated data, and each worker's scratch. */
static sac_status allocate(sac_beamform *plan)
{
    sac_das *das = &plan->das;
    das->n_frames = plan->dual ? 1 : sac_beamform_cpu_batch(plan);
    size_t n_packed = sac_das_layout(das, plan->iq ? 2 : 1, plan->scalar_size);
    if (plan->n_groups)
        n_packed = n_packed ? sac_beamform_groups_layout(plan) : 0;
    size_t per_point = (size_t)sac_das_images(das) * (size_t)das->n_frames * (plan->iq ? 2 : 1);
    const bool field = sac_beamform_does(plan, SAC_STEP_FIELD);
    const size_t n_waves = field ? (size_t)das->n_tx : 0;
    size_t points = SCRATCH_FLOATS / (per_point * (field ? n_waves : 1));
    plan->n_block = (int32_t)(points < 1 ? 1 : points > SAC_DAS_BLOCK ? SAC_DAS_BLOCK : points);
    plan->block_floats = ((size_t)plan->n_block * per_point + 15) / 16 * 16;
    choose_tiles(plan);
    plan->n_workers = sac_pool_threads(plan->pool);
    plan->n_tasks = plan->n_workers * TASKS_A_THREAD;
    bool filters = sac_beamform_does(plan, SAC_STEP_FILTER);
    bool columns = sac_beamform_does(plan, SAC_STEP_HILBERT);
    bool gray = sac_beamform_does(plan, SAC_STEP_GRAY);
    plan->packed = n_packed ? sac_alloc(n_packed, plan->scalar_size) : NULL;
    plan->scratch = sac_alloc((size_t)plan->n_workers, plan->block_floats * sizeof(float));
    plan->maximum = sac_alloc((size_t)plan->n_tasks + 1, (size_t)das->n_frames * sizeof(float));
    size_t column_floats = 2 * SAC_BEAMFORM_COLUMNS * (size_t)plan->desc.grid.n[2];
    if (columns)
        plan->columns = sac_alloc((size_t)plan->n_workers, column_floats * sizeof(float));
    const bool convert = sac_beamform_does(plan, SAC_STEP_CONVERT);
    const int64_t n_images = (int64_t)sac_das_images(das) * das->n_frames;
    if (gray) {
        int64_t n = n_images * (convert ? plan->scan.n_points : das->n_points);
        plan->image = sac_alloc((size_t)n, sizeof *plan->image);
    }
    if (convert)
        plan->polar = sac_alloc((size_t)(n_images * das->n_points), sizeof *plan->polar);
    if (!plan->packed || !plan->scratch || !plan->maximum || (columns && !plan->columns) ||
        (gray && !plan->image) || (convert && !plan->polar) || !allocate_extras(plan, per_point))
        return SAC_E_NOMEM;
    das->data = plan->packed;
    if (filters) {
        plan->record_floats = (size_t)das->n_frames * (size_t)das->n_samples * 2;
        plan->records = sac_alloc((size_t)plan->n_workers, plan->record_floats * sizeof(float));
        if (!plan->records)
            return SAC_E_NOMEM;
    }
    return SAC_OK;
}

sac_status sac_beamform_cpu_allocate(sac_beamform *plan, sac_error *err)
{
    const sac_das *das = &plan->das;
    sac_status status = sac_beamform_dual_open(plan, err);
    if (status)
        return status;
    status = allocate(plan);
    return status
               ? sac_fail(err, status,
                          "beamform: no memory for %lld frames of %d x %d x %lld samples",
                          (long long)das->n_frames, das->n_tx, das->n_rx, (long long)das->n_samples)
               : SAC_OK;
}
