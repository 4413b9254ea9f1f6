/*
 * The ladder: every rung of a pipeline's rooms on one case, checked, then timed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/ladder.h>

#include <inttypes.h>
#include <string.h>

#include "base/struct.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "ladder/rungs.h"
#include "ladder/tune.h"
#include "base/timings.h"

#define DEFAULT_SECONDS 0.3
#define MIN_RUNS 11
#define MIN_RUNS_SLOW 3     /* of a rung that takes longer than its time each */
#define MIN_SAMPLE_NS 20000 /* shorter calls are timed in batches: the clock takes about 25 ns */
#define MAX_SIDE (INT64_C(1) << 20)

void sac_ladder_desc_init(sac_ladder_desc *desc)
{
    *desc = (sac_ladder_desc){.struct_size = sizeof *desc};
}

/* The i-th rung of a room on the ladder's device; NULL behind the last. */
static const sac_variant *rung_of(const sac_ladder *l, const sac_room_check *check, int32_t i)
{
    return l->gpu != NULL ? sac_check_variant_cuda(check, i) : sac_check_variant(check, i);
}

static bool is_whole_picture(const sac_ladder *l, const sac_room_check *check)
{
    return strcmp(check->room->name, l->pipeline) == 0;
}

static void take_cost(const sac_ladder *l, const sac_bench *b, const sac_variant *v,
                      sac_ladder_row *row)
{
    sac_check_cost cost = {0};
    if (b->check->cost != NULL)
        b->check->cost(&cost, v, &b->got, l->gpu != NULL,
                       l->gpu != NULL ? sac_ladder_shape(l, v) : NULL);
    row->work = cost.work;
    row->steps = cost.steps;
    row->extra_bytes = cost.extra;
}

static sac_check_case first_case(const sac_ladder *l, const sac_bench *b)
{
    const sac_room_check *check = b->check;
    const sac_array *input = l->desc.input;
    sac_check_case c = {.w = input != NULL ? input->shape[1] : l->desc.w,
                        .h = input != NULL ? input->shape[0] : l->desc.h,
                        .input = input,
                        .seed = sac_check_mix(0, 0),
                        .n_threads = is_whole_picture(l, check) ? l->desc.n_threads : 1};
    const sac_check_task *task = b->task;
    if (task != NULL) {
        c.w = task->w != 0 ? task->w : c.w;
        c.h = task->h != 0 ? task->h : c.h;
        c.mode = task->mode;
        c.content = task->content;
    }
    if (check->one_row && (task == NULL || task->is_content)) {
        c.w *= c.h;
        c.h = 1;
        c.w = check->max_pixels != 0 && c.w > check->max_pixels ? check->max_pixels : c.w;
    }
    return c;
}

static void close_bench(sac_bench *b)
{
    if (b->mode >= 0) {
        if (b->gpu != NULL && b->check->close_cuda != NULL)
            b->check->close_cuda(&b->got, b->gpu);
        sac_check_pair_close(&b->want, &b->got, b->check);
        sac_gpu_free_pinned(b->gpu, b->back);
        b->back = NULL;
    }
    b->mode = -1;
}

/* Opens both cases in `mode`, and lets the reference make what is wanted. */
static sac_status open_bench(sac_bench *b, const sac_ladder *l, int32_t mode)
{
    if (b->mode == mode)
        return SAC_OK;
    close_bench(b);
    const sac_check_layout plain = {.poison = 0xA5};
    b->want = first_case(l, b);
    b->want.mode = mode;
    b->got = b->want;
    b->got.gpu = b->gpu;
    const sac_status status = sac_check_pair_open(&b->want, &b->got, b->check, &plain);
    if (status != SAC_OK)
        return status;
    b->mode = mode;
    sac_check_call_reference(&b->want, b->check);
    if (b->gpu != NULL && b->check->open_cuda != NULL)
        return b->check->open_cuda(&b->got, b->gpu);
    return SAC_OK;
}

/* The mode that is tried after this one, of the task's or of all; -1: none. */
static int32_t next_mode(const sac_bench *b, const sac_check_task *task, int32_t mode)
{
    if (task != NULL && !task->is_content)
        return mode == task->mode && task->other_mode != 0 ? task->other_mode : -1;
    return b->check->modes[mode + 1] != NULL ? mode + 1 : -1;
}

/* Opens the first mode that a rung has, and says whether it has one: else the last that was tried
 * stays open, as the next rung may have it, and what the reference makes takes time. */
static sac_status open_for(bool *has, sac_bench *b, const sac_ladder *l, const sac_variant *v)
{
    const sac_check_task *task = b->task;
    sac_status status = SAC_OK;
    *has = false;
    for (int32_t mode = task != NULL ? task->mode : 0; mode >= 0 && status == SAC_OK && !*has;
         mode = next_mode(b, task, mode)) {
        status = open_bench(b, l, mode);
        *has = status == SAC_OK && sac_check_supports(b->check, v, &b->got);
    }
    return status;
}

static void judge_rung(sac_bench *b, const sac_variant *v, sac_ladder_row *row)
{
    sac_check_diff d;
    sac_check_damage damage;
    sac_check_compare(&d, b->check, &b->want, &b->got, v);
    row->checked = true;
    row->ok = d.ok && sac_check_is_whole(&damage, &b->want, &b->got);
    row->error = d.error;
    row->n_differ = d.n_differ;
}

/* Checked, then timed, on the device. */
static sac_status run_cuda(sac_ladder *l, sac_bench *b, const sac_variant *v, sac_ladder_row *row)
{
    sac_check_reset(&b->got, b->check);
    sac_status status =
        sac_check_call_cuda(&b->got, &b->arena, b->check, v, sac_ladder_shape(l, v));
    if (status == SAC_OK) {
        judge_rung(b, v, row);
        sac_check_reset(&b->got, b->check); /* what it works on is again as it was */
        status = sac_ladder_time_cuda(l, b, v, row);
    }
    if (status == SAC_E_UNSUPPORTED)
        row->needs = "a larger GPU";
    return status == SAC_E_UNSUPPORTED ? SAC_OK : status;
}

static int64_t time_calls(const sac_bench *b, const sac_variant *v, int64_t n)
{
    const int64_t start = sac_clock_ns();
    for (int64_t i = 0; i < n; i++)
        b->check->call(v->fn, &b->got);
    return sac_clock_ns() - start;
}

void sac_ladder_take_samples(const sac_ladder *l, int32_t n, sac_ladder_row *row)
{
    sac_timings_sort(l->samples, n);
    row->runs = (uint64_t)n;
    row->min_ns = (double)sac_timings_at(l->samples, n, 0.0);
    row->p10_ns = (double)sac_timings_at(l->samples, n, 0.1);
    row->median_ns = (double)sac_timings_at(l->samples, n, 0.5);
    row->p90_ns = (double)sac_timings_at(l->samples, n, 0.9);
    row->max_ns = (double)sac_timings_at(l->samples, n, 1.0);
}

static void time_rung(const sac_ladder *l, const sac_bench *b, const sac_variant *v,
                      sac_ladder_row *row)
{
    const int64_t budget = (int64_t)(l->desc.seconds * 1e9);
    const int64_t first = time_calls(b, v, 1);
    const bool slow = first > budget;
    const int64_t batch = first < MIN_SAMPLE_NS ? MIN_SAMPLE_NS / (first > 0 ? first : 1) : 1;
    const int64_t warm = sac_clock_ns() + budget / 10;
    while (!slow && sac_clock_ns() < warm)
        (void)time_calls(b, v, batch);
    const int64_t end = sac_clock_ns() + budget;
    int32_t n = 0;
    while (n < (slow ? MIN_RUNS_SLOW : MIN_RUNS) ||
           (!slow && n < SAC_LADDER_RUNS && sac_clock_ns() < end))
        l->samples[n++] = time_calls(b, v, batch) / batch;
    sac_ladder_take_samples(l, n, row);
}

/* One rung: a row to the caller, even where this CPU cannot run it. */
static sac_status climb(sac_ladder *l, sac_bench *b, const sac_variant *v,
                        const sac_variant *chosen)
{
    bool has;
    const sac_status status = open_for(&has, b, l, v);
    if (status != SAC_OK || !has)
        return status;
    char shape[128];
    char lacks[64];
    sac_ladder_write_shape(shape, sizeof shape, b);
    sac_ladder_row row = {.pipeline = l->pipeline,
                          .room = b->check->room->name,
                          .rung = v->name,
                          .device = l->device,
                          .shape = shape,
                          .threads = b->gpu != NULL ? 0 : b->got.n_threads,
                          .ships = v->ships,
                          .chosen = b->gpu != NULL ? v->ships : v == chosen,
                          .bytes = sac_check_bytes(b->check, &b->got)};
    row.needs = sac_cpu_names(v->needs & ~sac_cpu_features(), lacks, sizeof lacks);
    if (b->check->points != NULL)
        b->check->points(&b->got, &row.points, &row.active_points);
    sac_ladder_published published;
    sac_ladder_take_published(&published, l, b->check, v, &row);
    take_cost(l, b, v, &row);
    if (b->gpu != NULL) {
        const sac_status ran = run_cuda(l, b, v, &row);
        if (ran != SAC_OK)
            return ran;
    } else if ((v->needs & ~sac_cpu_features()) == 0) {
        sac_check_reset(&b->got, b->check);
        sac_check_call(&b->got, b->check, v);
        judge_rung(b, v, &row);
        time_rung(l, b, v, &row);
    }
    l->row(l->ctx, &row);
    return SAC_OK;
}

/* One rung in every launch shape that is asked for. */
static sac_status climb_shapes(sac_ladder *l, sac_bench *b, const sac_variant *v,
                               const sac_variant *chosen)
{
    const int32_t n = l->desc.n_blocks > 0 ? l->desc.n_blocks : 1;
    sac_status status = SAC_OK;
    for (int32_t i = 0; i < n && status == SAC_OK && !l->cancelled; i++) {
        if (l->desc.n_blocks > 0)
            l->shape = (sac_gpu_shape){{1, 1, 1}, {l->desc.blocks[i], 1, 1}};
        status = climb(l, b, v, chosen);
        l->n_done++;
        l->cancelled = status == SAC_OK && l->desc.progress != NULL &&
                       !l->desc.progress(l->desc.progress_ctx, l->n_done, l->n_all);
    }
    return status;
}

static sac_status climb_room(sac_ladder *l, const sac_room_check *check, int32_t i_task)
{
    sac_bench b = {.check = check, .mode = -1, .gpu = l->gpu, .arena = {.gpu = l->gpu}};
    b.task = sac_ladder_task(l, check, i_task);
    const sac_variant *chosen = NULL;
    const sac_array *input = l->desc.input;
    const sac_variant_shape shape = {input != NULL ? input->shape[0] * input->shape[1]
                                                   : l->desc.w * l->desc.h,
                                     sac_tune_channels(check->modes[0])};
    if (sac_variant_choose(&chosen, check->room, SAC_TIER_FP32, &shape, NULL, NULL) != SAC_OK)
        chosen = NULL; /* a room that only teaches */
    sac_status status = SAC_OK;
    const sac_variant *v = NULL;
    for (int32_t i = 0; (v = rung_of(l, check, i)) != NULL && !l->cancelled; i++) {
        if (!sac_check_takes(l->desc.only, check->room->name, v->name))
            continue;
        status = climb_shapes(l, &b, v, chosen);
        if (status != SAC_OK)
            break;
    }
    close_bench(&b);
    sac_check_arena_close(&b.arena);
    for (int32_t i = 0; i < SAC_LADDER_FRAMES; i++)
        sac_check_arena_close(&b.frames[i]);
    return status;
}

/* How many rungs `only` takes of a pipeline's rooms. */
static uint64_t count_rungs(const sac_ladder *l, const char *only)
{
    uint64_t n = 0;
    for (int32_t i = 0; i < sac_n_rooms; i++) {
        const sac_room_check *check = sac_rooms[i].check;
        if (strcmp(sac_rooms[i].pipeline, l->pipeline) != 0)
            continue;
        const uint64_t n_tasks = (uint64_t)sac_ladder_count_tasks(l, check);
        const sac_variant *v = NULL;
        for (int32_t k = 0; (v = rung_of(l, check, k)) != NULL; k++)
            n += n_tasks * sac_check_takes(only, check->room->name, v->name);
    }
    return n;
}

static sac_status check_input(const sac_array *input, sac_error *err)
{
    const sac_status status = sac_array_check(input, "input", err);
    if (status != SAC_OK)
        return status;
    if (input->device.kind != SAC_DEVICE_CPU)
        return sac_fail(err, SAC_E_SHAPE, "input: expected the CPU's memory");
    if ((input->dtype != SAC_U8 && input->dtype != SAC_U16) || input->n_dims < 2 ||
        input->n_dims > 3 || sac_array_count(input) == 0) {
        return sac_fail(err, SAC_E_SHAPE,
                        "input: a u8 or u16 picture (h, w) or (h, w, channels) expected, got %s "
                        "with %" PRId32 " axes, %" PRId64 " values",
                        sac_dtype_name(input->dtype), input->n_dims, sac_array_count(input));
    }
    return SAC_OK;
}

/* Checks the desc and writes it with every default filled in. */
static sac_status resolve(sac_ladder *l, const sac_ladder_desc *desc, sac_error *err)
{
    sac_ladder_desc *out = &l->desc;
    *out = *desc;
    if (desc->w < 0 || desc->h < 0 || desc->w > MAX_SIDE || desc->h > MAX_SIDE) {
        return sac_fail(err, SAC_E_INVALID,
                        "size: sides of 1 to %" PRId64 " expected, got %" PRId64 "x%" PRId64,
                        MAX_SIDE, desc->w, desc->h);
    }
    if (!(desc->seconds >= 0 && desc->seconds <= 3600))
        return sac_fail(err, SAC_E_INVALID, "seconds: 0 to 3600 expected, got %g", desc->seconds);
    if (desc->n_threads < 0) {
        return sac_fail(err, SAC_E_INVALID, "n_threads: 0 or more expected, got %" PRId32,
                        desc->n_threads);
    }
    out->task = NULL;
    if (count_rungs(l, NULL) == 0)
        return sac_fail(err, SAC_E_INVALID, "pipeline: no ladder is called '%s'", l->pipeline);
    out->task = desc->task;
    if (count_rungs(l, NULL) == 0)
        return sac_fail(err, SAC_E_INVALID, "task: no room of %s times '%s'", l->pipeline,
                        desc->task);
    if (count_rungs(l, desc->only) == 0)
        return sac_fail(err, SAC_E_INVALID, "only: %s has no rung '%s'%s%s", l->pipeline,
                        desc->only, desc->task ? " that times " : "", desc->task ? desc->task : "");
    out->w = desc->w != 0 ? desc->w : 1920;
    out->h = desc->h != 0 ? desc->h : 1080;
    out->seconds = desc->seconds > 0 ? desc->seconds : DEFAULT_SECONDS;
    out->n_threads = desc->n_threads != 0 ? desc->n_threads : sac_cpu_count();
    return desc->input != NULL ? check_input(desc->input, err) : SAC_OK;
}

sac_status sac_ladder_run(const char *pipeline, const sac_ladder_desc *desc,
                          void (*row)(void *ctx, const sac_ladder_row *row), void *ctx,
                          sac_error *err)
{
    sac_ladder l = {.pipeline = pipeline, .row = row, .ctx = ctx};
    sac_ladder_desc own;
    if (!pipeline || !row)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", pipeline ? "row" : "pipeline");
    sac_ladder_desc_init(&own);
    sac_status status = sac_struct_take(&own, desc, "desc", err);
    desc = &own;
    status = status ? status : sac_ladder_open_cuda(&l, desc, err);
    status = status ? status : resolve(&l, desc, err);
    if (status != SAC_OK) {
        sac_ladder_close_cuda(&l);
        return status;
    }
    l.n_all = count_rungs(&l, l.desc.only) * (uint64_t)(l.desc.n_blocks > 0 ? l.desc.n_blocks : 1);
    l.samples = sac_alloc(SAC_LADDER_RUNS, sizeof *l.samples);
    status = l.samples != NULL ? SAC_OK : SAC_E_NOMEM;
    for (int32_t i = 0; i < sac_n_rooms && status == SAC_OK && !l.cancelled; i++) {
        const sac_room_check *check = sac_rooms[i].check;
        if (strcmp(sac_rooms[i].pipeline, pipeline) != 0 ||
            !sac_check_takes(l.desc.only, check->room->name, NULL))
            continue;
        const int32_t n_tasks = sac_ladder_count_tasks(&l, check);
        for (int32_t k = 0; k < n_tasks && status == SAC_OK && !l.cancelled; k++)
            status = climb_room(&l, check, k);
    }
    sac_free(l.samples);
    sac_ladder_close_cuda(&l);
    if (status == SAC_E_NOMEM) {
        return sac_fail(err, status, "ladder: no memory for pictures of %" PRId64 "x%" PRId64,
                        l.desc.w, l.desc.h);
    }
    if (status == SAC_E_DEVICE)
        return sac_fail(err, status, "ladder: %s refused a launch or is lost", l.device);
    if (status != SAC_OK)
        return sac_fail(err, status, "ladder: a room could not be opened");
    return l.cancelled ? sac_fail(err, SAC_CANCELLED, "ladder: cancelled") : SAC_OK;
}
