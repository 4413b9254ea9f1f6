/*
 * Opening and closing a meltpool plan: all checks, all choices, all memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/alloc.h"
#include "meltpool/gpu.h"
#include "room/plan.h"

static sac_status check_sizes(const sac_meltpool_desc *d, sac_error *err)
{
    if (d->w < d->roi || d->h < d->roi || d->w > SAC_MELTPOOL_MAX_SIDE ||
        d->h > SAC_MELTPOOL_MAX_SIDE)
        return sac_fail(err, SAC_E_INVALID,
                        "w, h: expected %d (the ROI's side) to %d pixels, got %d x %d", d->roi,
                        SAC_MELTPOOL_MAX_SIDE, d->w, d->h);
    if (d->roi_align & (d->roi_align - 1))
        return sac_fail(err, SAC_E_INVALID, "roi-align: expected 1, 2, 4 .. 64, got %d",
                        d->roi_align);
    for (int i = 0; i < 2; i++) {
        const int32_t side = i == 0 ? d->w : d->h;
        if (d->fixed[i] < 0 ? d->fixed[i] > -1 : d->fixed[i] > side - 1)
            return sac_fail(err, SAC_E_INVALID, "fixed-%c: expected -1, or 0 to %d pixels, got %g",
                            i == 0 ? 'x' : 'y', side - 1, d->fixed[i]);
    }
    return SAC_OK;
}

sac_status sac_meltpool_check_desc(const sac_meltpool_desc *desc, sac_error *err)
{
    const sac_status status = check_sizes(desc, err);
    return status ? status : sac_meltpool_calibration_check(desc->calibration[0], err);
}

static sac_status choose(sac_meltpool *plan, sac_error *err)
{
    const sac_plan_choice choice = {
        SAC_PLAN_CHOICE(&plan->desc),
        .pipeline = "meltpool",
        .rooms = {&sac_frame_u8_room, &sac_variance_f32_room, plan->net ? &sac_mlp_f32_room : NULL},
    };
    sac_any_fn fn[SAC_MAX_ROOMS];
    const sac_status status =
        sac_plan_choose(&plan->pool, fn, plan->variant, sizeof plan->variant, &choice, err);
    plan->frame = (sac_frame_u8_fn)fn[0];
    plan->variance = (sac_variance_f32_fn)fn[1];
    plan->mlp = (sac_mlp_f32_fn)fn[2];
    return status;
}

/* The default calibration is right for a machine that says pixels; of any other what is predicted
 * would be wrong without a sign of it. */
static void warn_of_calibration(const sac_meltpool_desc *d)
{
    const double(*m)[3] = d->calibration;
    const bool is_default = m[0][0] == 1 && m[1][1] == 1 && m[0][1] == 0 && m[1][0] == 0 &&
                            m[0][2] == 0 && m[1][2] == 0;
    if (d->model && d->locate == SAC_MELTPOOL_LASER && is_default)
        sac_log_line(d->log, SAC_LOG_WARNING,
                     "meltpool: no calibration: the laser's x and y are used as pixels");
}

/* With one thread a block is one part, whose features stay in the cache; else four a thread. A GPU
 * has its own blocks and ring. */
static sac_status allocate(sac_meltpool *plan, bool on_gpu, sac_error *err)
{
    const int32_t n_threads = sac_pool_threads(plan->pool);
    const int32_t parts = n_threads == 1                       ? 1
                          : n_threads < SAC_MELTPOOL_PARTS / 4 ? 4 * n_threads
                                                               : SAC_MELTPOOL_PARTS;
    plan->n_block = on_gpu ? SAC_MELTPOOL_GPU_BLOCK : parts * SAC_MELTPOOL_PART;
    plan->n_rows = plan->n_block + plan->desc.window - 1;
    plan->steps = sac_alloc((size_t)plan->n_block, sizeof *plan->steps);
    if (!on_gpu)
        plan->ring = sac_alloc((size_t)plan->n_rows, SAC_MELTPOOL_RING_ROW * sizeof *plan->ring);
    return plan->steps && (plan->ring || on_gpu)
               ? SAC_OK
               : sac_fail(err, SAC_E_NOMEM, "meltpool: no memory for %d frames' features",
                          plan->n_rows);
}

static sac_status prepare(sac_meltpool *plan, sac_error *err)
{
    const sac_meltpool_desc *d = &plan->desc;
    const bool on_gpu = d->device.kind == SAC_DEVICE_CUDA;
    sac_status status = sac_meltpool_check_desc(d, err);
    if (status == SAC_OK && d->model)
        status = sac_meltpool_net_open(&plan->net, d->model, err);
    if (status == SAC_OK)
        status =
            on_gpu ? sac_pool_open(&plan->pool, d->n_threads, d->executor, err) : choose(plan, err);
    if (status == SAC_OK)
        status = allocate(plan, on_gpu, err);
    if (status)
        return status;
    warn_of_calibration(d);
    plan->places = sac_meltpool_places_of(d);
    plan->places.n_rows = plan->n_rows;
    sac_meltpool_reset(plan);
    return on_gpu ? sac_meltpool_gpu_open(plan, err) : SAC_OK;
}

static sac_status open_plan(void *opened, sac_error *err)
{
    sac_meltpool *plan = opened;
    const sac_status status = prepare(plan, err);
    plan->desc.variant = NULL; /* the caller's string and model are not kept */
    plan->desc.model = NULL;
    return status;
}

static void close_plan(void *closed)
{
    sac_meltpool *p = closed;
    sac_meltpool_gpu_close(&p->gpu, p->desc.timeout_s);
    sac_pool_close(&p->pool);
    sac_meltpool_net_close(&p->net);
    sac_free(p->steps);
    sac_free(p->ring);
}

SAC_PLAN(sac_meltpool, sac_meltpool_open, sac_meltpool_close, sac_meltpool_params,
         sac_meltpool_desc, sac_meltpool_desc_init)

void sac_meltpool_reset(sac_meltpool *plan)
{
    if (!plan)
        return;
    sac_meltpool_begin(&plan->stream);
    plan->counts = (sac_meltpool_counts){.struct_size = sizeof plan->counts};
}

const char *sac_meltpool_get_variant(const sac_meltpool *plan)
{
    return plan ? plan->variant : "";
}

const char *sac_meltpool_get_fault(const sac_meltpool *plan)
{
    return plan && plan->gpu ? sac_meltpool_gpu_fault(plan->gpu) : "";
}
