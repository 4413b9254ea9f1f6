/*
 * Tuning: times of all variants that a planner may take, on the shapes that matter; kept as a file
 * that the core reads (room/wisdom.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/struct.h"
#include "ladder/tune.h"

#define DEFAULT_SECONDS 0.05

void sac_tune_desc_init(sac_tune_desc *desc)
{
    *desc = (sac_tune_desc){.struct_size = sizeof *desc};
}

void sac_tune_candidates(sac_tune_times *times, const sac_room_check *check)
{
    *times = (sac_tune_times){0};
    for (const sac_variant *v = check->room->variants; v->name != NULL; v++)
        if (sac_variant_may_run(v, SAC_TIER_FAST, sac_cpu_features()) &&
            times->n < SAC_TUNE_VARIANTS)
            times->variant[times->n++] = v;
}

bool sac_tune_takes(const sac_room_entry *entry, const char *pipeline)
{
    sac_tune_times times;
    sac_tune_candidates(&times, entry->check);
    return strcmp(entry->pipeline, entry->check->room->name) != 0 && times.n > 1 &&
           (pipeline == NULL || strcmp(pipeline, entry->pipeline) == 0);
}

/* 0: it was not tried. */
static double ns_of(const sac_tune_times *times, const sac_variant *v)
{
    for (int32_t i = 0; i < times->n; i++)
        if (times->variant[i] == v)
            return times->ps[i] * 1e-3;
    return 0;
}

/* What single precision allows, which is what plans ask for unless they are told otherwise. */
static void fill_row(sac_tune_row *row, const sac_tune *tune, const sac_room_entry *entry,
                     const sac_tune_point *point, const sac_tune_times *times)
{
    const sac_room *room = entry->check->room;
    const uint32_t usable = sac_cpu_features();
    const sac_variant *table = sac_variant_fastest(room, SAC_TIER_FP32, usable);
    const sac_variant *chosen =
        sac_wisdom_choose(&tune->wisdom, room, SAC_TIER_FP32, usable, &point->shape, table);
    const sac_variant *fastest = table;
    for (int32_t i = 0; i < times->n; i++)
        if (times->ps[i] > 0 && times->variant[i]->tier <= SAC_TIER_FP32 &&
            (ns_of(times, fastest) == 0 || times->ps[i] * 1e-3 < ns_of(times, fastest)))
            fastest = times->variant[i];
    *row = (sac_tune_row){.pipeline = entry->pipeline,
                          .room = room->name,
                          .shape = point->text,
                          .table = table->name,
                          .chosen = chosen->name,
                          .fastest = fastest->name,
                          .table_ns = ns_of(times, table),
                          .chosen_ns = ns_of(times, chosen),
                          .fastest_ns = ns_of(times, fastest)};
}

/* All entries of a room leave. */
static void forget(sac_wisdom *w, const char *room)
{
    int32_t n = 0;
    for (int32_t i = 0; i < w->n; i++)
        if (strcmp(w->entries[i].room, room) != 0)
            w->entries[n++] = w->entries[i];
    w->n = n;
}

static void keep(sac_wisdom *w, const sac_room_check *check, const sac_tune_point *point,
                 const sac_tune_times *times)
{
    for (int32_t i = 0; i < times->n && w->n < SAC_TUNE_ENTRIES; i++)
        if (times->ps[i] > 0)
            w->entries[w->n++] = (sac_wisdom_entry){.room = check->room->name,
                                                    .variant = times->variant[i]->name,
                                                    .pixels = point->shape.pixels,
                                                    .n_channels = point->shape.n_channels,
                                                    .ps = (uint64_t)times->ps[i]};
}

/* A call that measures: where it stands. */
typedef struct job {
    sac_tune *tune;
    sac_tune_desc desc;
    void (*row)(void *ctx, const sac_tune_row *row);
    void *ctx;
    uint64_t n_done, n_all;
} job;

static sac_status tell(job *j, const sac_room_entry *entry, const sac_tune_point *point,
                       const sac_tune_times *times)
{
    sac_tune_row row;
    fill_row(&row, j->tune, entry, point, times);
    if (j->row != NULL)
        j->row(j->ctx, &row);
    j->n_done++;
    return j->desc.progress == NULL || j->desc.progress(j->desc.progress_ctx, j->n_done, j->n_all)
               ? SAC_OK
               : SAC_CANCELLED;
}

static sac_status no_choice(const char *pipeline, sac_error *err)
{
    char names[160] = "";
    size_t used = 0;
    for (int32_t k = 0; k < sac_n_rooms && used < sizeof names; k++) {
        bool is_new = sac_tune_takes(&sac_rooms[k], NULL);
        for (int32_t i = 0; i < k && is_new; i++)
            is_new = !sac_tune_takes(&sac_rooms[i], sac_rooms[k].pipeline);
        if (is_new)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used > 0 ? ", " : ", only in ", sac_rooms[k].pipeline);
    }
    return sac_fail(err, SAC_E_INVALID, "pipeline: nothing is chosen in `%s` on this machine%s",
                    pipeline ? pipeline : "all", names);
}

static sac_status begin(job *j, const char *pipeline, sac_error *err, const sac_tune_desc *desc)
{
    sac_tune_point p;
    sac_tune_desc_init(&j->desc);
    const sac_status status = sac_struct_take(&j->desc, desc, "desc", err);
    if (status != SAC_OK)
        return status;
    if (!(j->desc.seconds >= 0 && j->desc.seconds <= 60))
        return sac_fail(err, SAC_E_INVALID, "seconds: 0 to 60 expected, got %g", j->desc.seconds);
    if (j->desc.seconds == 0)
        j->desc.seconds = DEFAULT_SECONDS;
    for (int32_t k = 0; k < sac_n_rooms; k++)
        for (int32_t i = 0; sac_tune_takes(&sac_rooms[k], pipeline) &&
                            sac_tune_point_of(&p, sac_rooms[k].check, i, j->desc.quick);
             i++)
            j->n_all++;
    return j->n_all > 0 ? SAC_OK : no_choice(pipeline, err);
}

static sac_status end(sac_status status, sac_error *err)
{
    if (status == SAC_CANCELLED)
        return sac_fail(err, status, "tune: cancelled");
    return status == SAC_OK ? status : sac_fail(err, status, "tune: no memory for a room's frames");
}

static sac_status measure_room(job *j, const sac_room_entry *entry)
{
    sac_tune_point p;
    sac_status status = SAC_OK;
    forget(&j->tune->wisdom, entry->check->room->name);
    for (int32_t i = 0; status == SAC_OK && sac_tune_point_of(&p, entry->check, i, j->desc.quick);
         i++) {
        sac_tune_times times;
        sac_tune_candidates(&times, entry->check);
        status = sac_tune_time(&times, entry->check, &p, j->desc.seconds);
        if (status == SAC_OK) {
            keep(&j->tune->wisdom, entry->check, &p, &times);
            status = tell(j, entry, &p, &times);
        }
    }
    return status;
}

sac_status sac_tune_measure(sac_tune *tune, const char *pipeline, const sac_tune_desc *desc,
                            void (*row)(void *ctx, const sac_tune_row *row), void *ctx,
                            sac_error *err)
{
    job j = {.tune = tune, .row = row, .ctx = ctx};
    if (!tune)
        return sac_fail(err, SAC_E_INVALID, "tune: is NULL");
    sac_status status = begin(&j, pipeline, err, desc);
    if (status != SAC_OK)
        return status;
    for (int32_t k = 0; k < sac_n_rooms && status == SAC_OK; k++)
        if (sac_tune_takes(&sac_rooms[k], pipeline))
            status = measure_room(&j, &sac_rooms[k]);
    return end(status, err);
}

static const sac_room_entry *draw_room(uint64_t *random, const char *pipeline)
{
    const sac_room_entry *entry;
    do {
        entry = &sac_rooms[sac_check_random(random) % (uint64_t)sac_n_rooms];
    } while (!sac_tune_takes(entry, pipeline));
    return entry;
}

sac_status sac_tune_verify(sac_tune *tune, const char *pipeline, int32_t n,
                           const sac_tune_desc *desc,
                           void (*row)(void *ctx, const sac_tune_row *row), void *ctx,
                           sac_error *err)
{
    job j = {.tune = tune, .row = row, .ctx = ctx};
    if (!tune || n < 0)
        return sac_fail(err, SAC_E_INVALID, "%s", tune ? "n: 0 or more expected" : "tune: is NULL");
    sac_status status = begin(&j, pipeline, err, desc);
    if (status != SAC_OK)
        return status;
    uint64_t random = sac_check_mix(j.desc.seed, 1);
    j.n_all = (uint64_t)n;
    for (int32_t i = 0; i < n && status == SAC_OK; i++) {
        const sac_room_entry *entry = draw_room(&random, pipeline);
        sac_tune_point p;
        sac_tune_times times;
        sac_tune_point_at_random(&p, entry->check, &random);
        sac_tune_candidates(&times, entry->check);
        status = sac_tune_time(&times, entry->check, &p, j.desc.seconds);
        status = status ? status : tell(&j, entry, &p, &times);
    }
    return end(status, err);
}

sac_status sac_tune_open(sac_tune **tune, sac_error *err)
{
    if (!tune)
        return sac_fail(err, SAC_E_INVALID, "tune: is NULL");
    const sac_wisdom *in_use = sac_wisdom_get();
    sac_tune *t = sac_alloc(1, sizeof *t);
    *tune = NULL;
    if (t)
        t->wisdom.entries = sac_alloc(SAC_TUNE_ENTRIES, sizeof *t->wisdom.entries);
    if (!t || !t->wisdom.entries) {
        sac_tune_close(&t);
        return sac_fail(err, SAC_E_NOMEM, "tune: no memory");
    }
    t->wisdom.n = in_use->n < SAC_TUNE_ENTRIES ? in_use->n : SAC_TUNE_ENTRIES;
    if (t->wisdom.n > 0)
        memcpy(t->wisdom.entries, in_use->entries, (size_t)t->wisdom.n * sizeof *in_use->entries);
    *tune = t;
    return SAC_OK;
}

const char *sac_tune_get_text(sac_tune *tune, size_t *size)
{
    const size_t room = SAC_WISDOM_MAX_BYTES;
    *size = 0;
    if (!tune->text)
        tune->text = sac_alloc(room, 1);
    if (!tune->text)
        return NULL;
    sac_wisdom_head(tune->text, room);
    *size = strlen(tune->text);
    for (int32_t i = 0; i < tune->wisdom.n; i++) {
        const sac_wisdom_entry *e = &tune->wisdom.entries[i];
        *size += (size_t)snprintf(tune->text + *size, room - *size,
                                  "%s %" PRId32 " %" PRId64 " %s %" PRIu64 "\n", e->room,
                                  e->n_channels, e->pixels, e->variant, e->ps);
    }
    *size +=
        (size_t)snprintf(tune->text + *size, room - *size, "end %" PRId32 "\n", tune->wisdom.n);
    return tune->text;
}

void sac_tune_close(sac_tune **tune)
{
    if (!tune || !*tune)
        return;
    sac_free((*tune)->wisdom.entries);
    sac_free((*tune)->text);
    sac_free(*tune);
    *tune = NULL;
}
