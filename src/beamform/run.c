/*
 * Running a beamform plan: packing, delay-and-sum block by block, envelope and decibels.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/array_check.h"
#include "beamform/plan.h"

#define PASSES_SHOWN 32 /* parts of a batch between calls of progress */

static void set_strides(sac_array *array)
{
    ptrdiff_t step = (ptrdiff_t)sac_dtype_size(array->dtype);
    for (int i = array->n_dims - 1; i >= 0; i--) {
        array->stride[i] = step;
        step *= (ptrdiff_t)array->shape[i];
    }
}

/* A grid's axes, z, (y,) x, behind those that there are. */
static void add_axes(sac_array *array, const sac_grid *grid)
{
    array->shape[array->n_dims++] = grid->n[2];
    if (grid->n[1] > 1)
        array->shape[array->n_dims++] = grid->n[1];
    array->shape[array->n_dims++] = grid->n[0];
}

sac_array sac_beamform_get_output_array(const sac_beamform *plan)
{
    if (!plan)
        return (sac_array){0};
    const sac_beamform_desc *d = &plan->desc;
    bool real = d->output != SAC_OUTPUT_IQ || !plan->iq;
    sac_array out = {.dtype = real ? SAC_F32 : SAC_C64, .n_dims = 1, .shape = {d->n_frames}};
    if (d->output == SAC_OUTPUT_GRAY)
        out.dtype = SAC_U8;
    if (d->lri)
        out.shape[out.n_dims++] = plan->das.n_tx;
    const sac_grid *grid = sac_beamform_does(plan, SAC_STEP_CONVERT) ? &d->picture : &d->grid;
    if (plan->points_m && d->grid_kind != SAC_GRID_SECTOR)
        out.shape[out.n_dims++] = plan->das.n_points;
    else
        add_axes(&out, grid);
    set_strides(&out);
    return out;
}

sac_status sac_beamform_check_output(const sac_beamform *plan, const sac_array *out, sac_error *err)
{
    const sac_array want = sac_beamform_get_output_array(plan);
    return sac_array_expect(out, "out", want.dtype, want.n_dims, want.shape, err);
}

sac_status sac_beamform_check_input(sac_array *taken, const sac_beamform *plan, const sac_array *in,
                                    sac_error *err)
{
    static const int32_t outer[] = {3, 0, 1, 2};
    const sac_beamform_desc *d = &plan->desc;
    const int64_t tx = plan->das.n_tx, rx = plan->das.n_rx;
    const int64_t shapes[2][4] = {{d->n_frames, tx, rx, d->n_samples},
                                  {tx, rx, d->n_samples, d->n_frames}};
    const bool inner = d->layout == SAC_FRAMES_INNER;
    const sac_status status = sac_array_expect(in, "in", d->dtype, 4, shapes[inner], err);
    if (status)
        return status;
    *taken = *in;
    return inner ? sac_array_permute(taken, in, outer, err) : SAC_OK;
}

/* An array of the plan's for the images of a batch, on a grid. */
static sac_array own_array(const sac_beamform *plan, float *data, const sac_grid *grid)
{
    sac_array own = {.data = data, .dtype = SAC_F32, .n_dims = 1, .shape = {plan->das.n_frames}};
    if (plan->das.lri)
        own.shape[own.n_dims++] = plan->das.n_tx;
    add_axes(&own, grid);
    set_strides(&own);
    return own;
}

/* The caller's arrays; the steps work in `out`, or for gray in an image of the plan's. */
static sac_status take_arrays(sac_beamform *plan, const sac_array *out, const sac_array *in,
                              sac_error *err)
{
    sac_status status = sac_beamform_check_output(plan, out, err);
    if (status == SAC_OK)
        status = sac_beamform_check_input(&plan->in, plan, in, err);
    if (status == SAC_OK)
        status = sac_array_expect_on(out, "out", plan->desc.device, err);
    if (status == SAC_OK)
        status = sac_array_expect_on(in, "in", plan->desc.device, err);
    if (status)
        return status;
    plan->picture = plan->out = *out;
    if (sac_beamform_does(plan, SAC_STEP_GRAY)) {
        plan->out.data = plan->image;
        plan->out.dtype = SAC_F32;
        plan->out.shape[0] = plan->das.n_frames;
        set_strides(&plan->out);
    }
    plan->converted = plan->out;
    return SAC_OK;
}

void sac_beamform_begin_batch(sac_beamform *plan)
{
    const bool convert = sac_beamform_does(plan, SAC_STEP_CONVERT);
    const bool own = convert || sac_beamform_does(plan, SAC_STEP_GRAY);
    if (convert)
        plan->out = own_array(plan, plan->polar, &plan->desc.grid);
    plan->first_image = own ? 0 : plan->first_frame;
}

/* Record k of all the batch's frames; filtered in `own`, where they are. */
static void pack_record(sac_beamform *plan, int64_t k, float *own)
{
    const sac_das *das = &plan->das;
    const sac_array *in = &plan->in;
    const sac_beamform_record which = sac_beamform_record_of(plan, k);
    const char *record = (const char *)in->data + plan->first_frame * in->stride[0] +
                         which.t * in->stride[1] + which.r * in->stride[2];
    ptrdiff_t frame = in->stride[0], sample = in->stride[3];
    if (sac_beamform_does(plan, SAC_STEP_FILTER)) {
        ptrdiff_t own_sample = 2 * (ptrdiff_t)sizeof(float);
        ptrdiff_t own_frame = das->n_samples * own_sample;
        sac_demodulator_run(plan->demodulator, own, own_frame, record, frame, sample,
                            plan->n_batch_frames);
        record = (const char *)own;
        frame = own_frame;
        sample = own_sample;
        if (sac_beamform_does(plan, SAC_STEP_RESTORE)) {
            for (int32_t f = 0; f < plan->n_batch_frames; f++)
                sac_demodulator_restore(plan->demodulator, own + (ptrdiff_t)f * das->n_samples * 2);
            sample = (ptrdiff_t)sizeof(float);
        }
    }
    ptrdiff_t scalar = (ptrdiff_t)plan->scalar_size;
    plan->pack((char *)plan->packed + which.at * scalar, record, das, plan->n_batch_frames, frame,
               sample);
}

void sac_beamform_work(sac_beamform *plan, int64_t n, sac_task_fn task)
{
    atomic_store_explicit(&plan->n_taken, 0, memory_order_relaxed);
    sac_pool_run(plan->pool, n < plan->n_workers ? (int32_t)n : plan->n_workers, task, plan);
}

static void filter_task(void *arg, int32_t i)
{
    sac_beamform *plan = arg;
    float *own = plan->records + (size_t)i * plan->record_floats;
    const int64_t n = sac_beamform_records(plan);
    for (int64_t k = sac_beamform_take(plan); k < n; k = sac_beamform_take(plan))
        pack_record(plan, k, own);
}

static void pack_task(void *arg, int32_t i)
{
    sac_beamform *plan = arg;
    const int64_t n = sac_beamform_records(plan), end = sac_beamform_share(n, plan->n_tasks, i + 1);
    for (int64_t k = sac_beamform_share(n, plan->n_tasks, i); k < end; k++)
        pack_record(plan, k, NULL);
}

/* What workers take of a pass over the points: runs of whole blocks, counted from the first point
 * of all, so that no result depends on who takes them. Within a run they lie in the order of
 * memory. */
typedef struct block_runs {
    int64_t n_blocks, n, length;
} block_runs;

static block_runs share_blocks(const sac_beamform *plan)
{
    block_runs r = {.n_blocks = (plan->n_run_points + plan->n_block - 1) / plan->n_block};
    r.length = r.n_blocks / plan->n_tasks > 1 ? r.n_blocks / plan->n_tasks : 1;
    r.n = (r.n_blocks + r.length - 1) / r.length;
    return r;
}

/* Coherence is no amplitude: below 0 its envelope is 0. */
static void clip_coherence(const sac_beamform *plan, float *block, int32_t n)
{
    const int64_t n_values = (int64_t)n * sac_das_images(&plan->das);
    if (plan->reduction.kind == SAC_REDUCE_SLSC && sac_beamform_does(plan, SAC_STEP_MAGNITUDE))
        for (int64_t k = 0; k < n_values; k++)
            block[2 * k] = block[2 * k] < 0 ? 0 : block[2 * k];
}

static void beamform_task(void *arg, int32_t i)
{
    sac_beamform *plan = arg;
    float *scratch = plan->scratch + (size_t)i * plan->block_floats;
    const block_runs runs = share_blocks(plan);
    sac_das das = plan->das;
    das.n_frames = plan->n_batch_frames;
    das.scratch = plan->adapt ? plan->adapt + (size_t)i * plan->adapt_floats : NULL;
    /* From the last run, which is the deepest: it has the largest apertures. What takes the least
     * time is left for the end, when workers wait for each other. */
    for (int64_t k = sac_beamform_take(plan); k < runs.n; k = sac_beamform_take(plan)) {
        const int64_t from = (runs.n - 1 - k) * runs.length, to = from + runs.length;
        for (int64_t b = from; b < to && b < runs.n_blocks; b++) {
            const int64_t at = b * plan->n_block, left = plan->n_run_points - at;
            const int32_t n = (int32_t)(left < plan->n_block ? left : plan->n_block);
            if (sac_beamform_does(plan, SAC_STEP_FIELD))
                sac_beamform_field_block(plan, scratch, &das, plan->first_point + at, n, i);
            else if (plan->layered)
                sac_beamform_layered_block(plan, scratch, &das, plan->first_point + at, n, i);
            else if (plan->n_groups)
                sac_beamform_groups_block(plan, scratch, &das, plan->first_point + at, n, i);
            else
                plan->beamform(scratch, &das, plan->first_point + at, n);
            clip_coherence(plan, scratch, n);
            sac_beamform_finish_block(plan, scratch, plan->first_point + at, n);
        }
    }
}

/* All points of the batch at work, in parts where somebody watches. SAC_CANCELLED: he said no. */
static sac_status run_points(sac_beamform *plan)
{
    const sac_beamform_desc *d = &plan->desc;
    int64_t n_points = plan->das.n_points;
    if (plan->dual) {
        sac_beamform_dual_run(plan);
        const uint64_t done = (uint64_t)(plan->first_frame + 1) * (uint64_t)n_points;
        const uint64_t all = (uint64_t)d->n_frames * (uint64_t)n_points;
        return d->progress && !d->progress(d->progress_ctx, done, all) ? SAC_CANCELLED : SAC_OK;
    }
    int64_t part = d->progress ? (n_points + PASSES_SHOWN - 1) / PASSES_SHOWN : n_points;
    part = (part + plan->n_block - 1) / plan->n_block * plan->n_block;
    for (int64_t at = 0; at < n_points; at += part) {
        plan->first_point = at;
        plan->n_run_points = part < n_points - at ? part : n_points - at;
        sac_beamform_work(plan, share_blocks(plan).n, beamform_task);
        uint64_t frames = (uint64_t)plan->n_batch_frames, before = (uint64_t)plan->first_frame;
        uint64_t done = before * (uint64_t)n_points + frames * (uint64_t)(at + plan->n_run_points);
        if (d->progress &&
            !d->progress(d->progress_ctx, done, (uint64_t)d->n_frames * (uint64_t)n_points))
            return SAC_CANCELLED;
    }
    return SAC_OK;
}

static sac_status run_cpu(sac_beamform *plan, const sac_array *out, const sac_array *in,
                          sac_error *err)
{
    sac_status status = take_arrays(plan, out, in, err);
    for (int64_t f = 0; f < plan->desc.n_frames && status == SAC_OK; f += plan->das.n_frames) {
        int64_t left = plan->desc.n_frames - f;
        plan->first_frame = (int32_t)f;
        plan->n_batch_frames = (int32_t)(left < plan->das.n_frames ? left : plan->das.n_frames);
        sac_beamform_begin_batch(plan);
        if (sac_beamform_does(plan, SAC_STEP_FILTER))
            sac_beamform_work(plan, sac_beamform_records(plan), filter_task);
        else
            sac_pool_run(plan->pool, plan->n_tasks, pack_task, plan);
        status = run_points(plan);
        if (status == SAC_OK)
            sac_beamform_finish_batch(plan);
    }
    return status;
}

sac_status sac_beamform_run(sac_beamform *plan, const sac_array *out, const sac_array *in,
                            sac_error *err)
{
    if (!plan)
        return sac_fail(err, SAC_E_INVALID, "plan: is NULL");
    const sac_status status = plan->desc.device.kind == SAC_DEVICE_CPU
                                  ? run_cpu(plan, out, in, err)
                                  : sac_beamform_gpu_run(plan, out, in, err);
    return status == SAC_CANCELLED ? sac_fail(err, status, "beamform: cancelled") : status;
}

static double arrival_s(const sac_beamform *plan, int32_t t, const double p_m[3], int64_t index)
{
    const sac_das *das = &plan->das;
    const bool field = sac_beamform_does(plan, SAC_STEP_FIELD);
    if (plan->layered)
        return sac_beamform_layered_arrival_s(plan, t, p_m, index);
    return field && plan->waves[t].shape == SAC_FIELD_BOTH_SIDES
               ? sac_field_arrival_m(&plan->waves[t], p_m[0], p_m[1], p_m[2]) / das->c_m_s
               : sac_das_arrival_of(das, t, p_m, index);
}

void sac_beamform_get_delays(const sac_beamform *plan, const double p_m[3], int64_t index,
                             double *delays_s, double *weights)
{
    if (!plan || !p_m)
        return;
    const sac_das *das = &plan->das;
    double weight;
    bool is_point = index >= 0 && index < das->n_points;
    for (int32_t t = 0; delays_s && t < das->n_tx; t++) {
        const sac_transmit *wave = &das->transmits[t];
        double tx = NAN;
        if (is_point || wave->kind != SAC_TRANSMIT_ARRIVALS)
            tx = arrival_s(plan, t, p_m, index) - wave->t0_s;
        for (int32_t r = 0; r < das->n_rx; r++)
            delays_s[(ptrdiff_t)t * das->n_rx + r] =
                tx + sac_beamform_receive_s(plan, t, r, p_m, &weight);
    }
    for (int32_t r = 0; weights && r < das->n_rx; r++)
        (void)sac_beamform_receive_s(plan, -1, r, p_m, &weights[r]);
}

void sac_beamform_get_transmit_weights(const sac_beamform *plan, const double p_m[3],
                                       double *weights)
{
    if (!plan || !p_m || !weights)
        return;
    for (int32_t t = 0; t < plan->das.n_tx; t++)
        weights[t] = plan->transmits[t].weight;
    if (sac_beamform_does(plan, SAC_STEP_FIELD))
        sac_field_weights_at(weights, &plan->field, p_m);
}

void sac_beamform_get_points(const sac_beamform *plan, uint64_t *all, uint64_t *active)
{
    if (!plan)
        return;
    const sac_das *das = &plan->das;
    uint64_t frames = (uint64_t)plan->desc.n_frames;
    if (all)
        *all = (uint64_t)das->n_points * (uint64_t)sac_beamform_records(plan) * frames;
    if (active)
        *active = sac_beamform_active(plan) / (uint64_t)das->n_frames * frames;
}

const char *sac_beamform_get_variant(const sac_beamform *plan)
{
    return plan ? plan->variant : "";
}
