/*
 * Opening and closing an equalize plan: all checks, all choices, all memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/alloc.h"
#include "equalize/plan.h"
#include "room/plan.h"

#define MAX_STRIP_PIXELS (INT64_C(1) << 31) /* a strip's or tile's counts fit in 32 bits */

/* Of the largest tile. */
static int64_t tile_pixels(const sac_equalize_desc *d)
{
    return ((d->w + d->clahe[0] - 1) / d->clahe[0]) * ((d->h + d->clahe[1] - 1) / d->clahe[1]);
}

static sac_status check_desc(const sac_equalize_desc *desc, sac_error *err)
{
    if (desc->dtype != SAC_U8 && desc->dtype != SAC_U16)
        return sac_fail(err, SAC_E_SHAPE, "dtype: expected u8 or u16, got %s",
                        sac_dtype_name(desc->dtype));
    const sac_status status = sac_plan_check_sides(desc->w, desc->h, SAC_PLAN_MAX_SIDE, err);
    if (status)
        return status;
    if (desc->n_channels < 1 || desc->n_channels > 4)
        return sac_fail(err, SAC_E_SHAPE, "n_channels: expected 1 to 4, got %d", desc->n_channels);
    if (desc->layout != SAC_INTERLEAVED && desc->layout != SAC_PLANAR)
        return sac_fail(err, SAC_E_INVALID, "layout: %d is invalid", (int)desc->layout);
    if (desc->bins == 1)
        return sac_fail(err, SAC_E_INVALID, "bins: expected 0 or 2 to 65536, got 1");
    if ((desc->clahe[0] == 0) != (desc->clahe[1] == 0))
        return sac_fail(err, SAC_E_INVALID, "clahe: expected tiles both ways or none, got %dx%d",
                        desc->clahe[0], desc->clahe[1]);
    if (desc->clahe[0] > desc->w || desc->clahe[1] > desc->h)
        return sac_fail(err, SAC_E_INVALID, "clahe: %dx%d tiles do not fit in %lld x %lld pixels",
                        desc->clahe[0], desc->clahe[1], (long long)desc->w, (long long)desc->h);
    if (desc->clahe[0] > 0 && tile_pixels(desc) > MAX_STRIP_PIXELS)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "clahe: tiles of at most %lld pixels expected, and the largest has %lld",
                        (long long)MAX_STRIP_PIXELS, (long long)tile_pixels(desc));
    if (desc->device.kind == SAC_DEVICE_CPU && desc->stream)
        return sac_fail(err, SAC_E_INVALID, "stream: is for a GPU, and the device is cpu");
    return SAC_OK;
}

static sac_status choose(sac_equalize *plan, sac_error *err)
{
    bool u8 = plan->desc.dtype == SAC_U8, clahe = plan->desc.clahe[0] > 0;
    const sac_plan_choice choice = {
        SAC_PLAN_CHOICE(&plan->desc),
        SAC_PLAN_SHAPE(&plan->desc),
        .pipeline = "equalize",
        .rooms =
            {
                u8 ? &sac_vhist_u8_room : &sac_vhist_u16_room,
                clahe ? &sac_levels_u32_room : &sac_scan_u64_room,
                clahe ? (u8 ? &sac_clahe_u8_room : &sac_clahe_u16_room)
                      : (u8 ? &sac_vscale_u8_room : &sac_vscale_u16_room),
            },
    };
    sac_any_fn fn[SAC_MAX_ROOMS];
    const sac_status status =
        sac_plan_choose(&plan->pool, fn, plan->variant, sizeof plan->variant, &choice, err);
    plan->count = (sac_vhist_fn)fn[0];
    plan->scan = clahe ? NULL : (sac_scan_u64_fn)fn[1];
    plan->make_levels = clahe ? (sac_levels_fn)fn[1] : NULL;
    plan->apply_scale = clahe ? NULL : (sac_vscale_fn)fn[2];
    plan->apply_levels = clahe ? (sac_clahe_fn)fn[2] : NULL;
    return status;
}

/* Strips of rows: one a thread, or two where that is cheap, so that a slow core holds up less. */
static int32_t count_strips(const sac_equalize *plan)
{
    int64_t n_threads = sac_pool_threads(plan->pool);
    int64_t n = n_threads > 1 && plan->desc.dtype == SAC_U8 ? 2 * n_threads : n_threads;
    int64_t rows = MAX_STRIP_PIXELS / plan->desc.w;
    int64_t least = (plan->desc.h + rows - 1) / rows;
    n = n > least ? n : least;
    n = n < plan->desc.h ? n : plan->desc.h;
    return (int32_t)(n < SAC_POOL_MAX_TASKS ? n : SAC_POOL_MAX_TASKS);
}

/* Sums take half of what levels take, and less time. Levels are what frames follow each other by.
 */
static bool can_have_sums(const sac_equalize_desc *d)
{
    return d->bins == 65536 && d->smooth == 0 && d->w % d->clahe[0] == 0 &&
           d->h % d->clahe[1] == 0 && tile_pixels(d) < 65536;
}

static bool allocate_clahe(sac_equalize *plan)
{
    const sac_equalize_desc *d = &plan->desc;
    const size_t bins = (size_t)d->bins, strips = (size_t)plan->n_strips;
    const size_t n = (size_t)d->clahe[0] * (size_t)d->clahe[1] * bins;
    if (can_have_sums(d))
        plan->sum = sac_alloc(n, sizeof *plan->sum);
    else
        plan->level = sac_alloc(n, sizeof *plan->level);
    plan->column = sac_alloc((size_t)d->w, sizeof *plan->column);
    plan->tile_counts = sac_alloc(strips * bins, sizeof *plan->tile_counts);
    plan->found = sac_alloc(strips * bins, sizeof *plan->found);
    plan->strip_counts = sac_alloc(strips * bins, sizeof *plan->strip_counts);
    if ((!plan->level && !plan->sum) || !plan->column || !plan->tile_counts || !plan->found ||
        !plan->strip_counts)
        return false;
    plan->clahe = (sac_clahe){
        .bins = d->bins,
        .tiles_x = d->clahe[0],
        .tiles_y = d->clahe[1],
        .w = d->w,
        .h = d->h,
        .level = plan->level,
        .column = plan->column,
        .sum = plan->sum,
        .pixels = (uint32_t)tile_pixels(d),
        .most = ((uint64_t)plan->n_values - 1) << SAC_CLAHE_LEVEL_BITS,
    };
    for (int64_t x = 0; x < d->w; x++)
        plan->column[x] = sac_clahe_at(x, d->w, d->clahe[0]);
    return true;
}

static bool allocate_tables(sac_equalize *plan)
{
    bool u8 = plan->desc.dtype == SAC_U8;
    size_t bins = (size_t)plan->desc.bins, values = (size_t)plan->n_values;
    plan->hist = sac_alloc((size_t)plan->n_strips * values, sizeof *plan->hist);
    plan->occurs = sac_alloc(values, sizeof *plan->occurs);
    plan->counts = sac_alloc(bins, sizeof *plan->counts);
    plan->cumulative = sac_alloc(bins, sizeof *plan->cumulative);
    plan->num = sac_alloc(bins, sizeof *plan->num);
    if (!plan->hist || !plan->occurs || !plan->counts || !plan->cumulative || !plan->num)
        return false;
    if (plan->desc.clahe[0])
        return allocate_clahe(plan);
    if (u8) {
        plan->q8 = sac_alloc(values, sizeof *plan->q8);
    } else {
        plan->q16 = sac_alloc(values, sizeof *plan->q16);
        plan->q32 = sac_alloc(values, sizeof *plan->q32);
    }
    plan->scale = (sac_scale){
        .depth = u8 ? 8 : 16,
        .bins = plan->desc.bins,
        .num = plan->num,
        .q8 = plan->q8,
        .q16 = plan->q16,
        .q32 = plan->q32,
    };
    return plan->q8 || (plan->q16 && plan->q32);
}

static sac_status open_cpu(sac_equalize *plan, sac_error *err)
{
    const sac_status status = choose(plan, err);
    if (status)
        return status;
    plan->n_strips = count_strips(plan);
    return allocate_tables(plan)
               ? SAC_OK
               : sac_fail(err, SAC_E_NOMEM, "equalize: no memory for tables of %d bins",
                          plan->desc.bins);
}

static sac_status open_plan(void *opened, sac_error *err)
{
    sac_equalize *plan = opened;
    sac_equalize_desc *d = &plan->desc;
    sac_status status = check_desc(d, err);
    if (status)
        return status;
    plan->n_values = d->dtype == SAC_U8 ? 256 : 65536;
    plan->n_colors = d->n_channels < 3 ? 1 : 3;
    plan->has_alpha = d->n_channels % 2 == 0;
    plan->n_pixels = d->w * d->h;
    if (d->bins == 0)
        d->bins = plan->n_values;
    status =
        d->device.kind == SAC_DEVICE_CPU ? open_cpu(plan, err) : sac_equalize_gpu_open(plan, err);
    d->variant = NULL; /* the caller's string is not kept */
    return status;
}

static void close_plan(void *closed)
{
    sac_equalize *p = closed;
    sac_equalize_gpu_close(&p->gpu);
    sac_pool_close(&p->pool);
    void *memory[] = {p->hist,   p->occurs,      p->counts, p->cumulative,  p->num,
                      p->q8,     p->q16,         p->q32,    p->level,       p->sum,
                      p->column, p->tile_counts, p->found,  p->strip_counts};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        sac_free(memory[i]);
}

SAC_PLAN(sac_equalize, sac_equalize_open, sac_equalize_close, sac_equalize_params,
         sac_equalize_desc, sac_equalize_desc_init)

const uint64_t *sac_equalize_get_counts(const sac_equalize *plan, int32_t *bins)
{
    if (bins)
        *bins = plan->desc.bins;
    return plan->gpu ? sac_equalize_gpu_counts(plan) : plan->counts;
}

const char *sac_equalize_get_variant(const sac_equalize *plan)
{
    return plan->variant;
}

void sac_equalize_reset(sac_equalize *plan)
{
    plan->started = false;
}
