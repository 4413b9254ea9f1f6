/*
 * A loop that runs, seen from beside it: a thread takes what comes out of its tap, the session's
 * makes pictures, the server's sends them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "columns.h"
#include "meltpool/layers.h"
#include "shown.h"
#include "view/beside.h"
#include "view/line.h"
#include "view/thread.h"

#define TICK_NS 10000000  /* between two looks into the tap */
#define TICKS_A_PICTURE 3 /* of which one is for a picture */
#define TAKEN 512         /* records taken at once */

struct pool_live {
    view_scene common;
    pool_live_source source;
    view_tap *tap;
    view_beside *beside;
    pool_settings settings; /* that it begins with */
    pthread_t pumping;
    bool is_pumping;
    atomic_bool is_ending;
    sac_meltpool_record *taken; /* (TAKEN), the pump's */
    bool has_begun;             /* its: a picture was asked for, of these counts */
    int64_t told;               /* its */
    const view_tapped *shown;   /* the session's thread's; NULL: there was no frame */
    float *rows;                /* its */
    pool_map *maps;             /* (2) its */

    pthread_mutex_t lock;     /* of all below, between the pump and the session's thread */
    int64_t n_seen, begin_ns; /* records that were taken; when the first one came */
    double frames_s;
    int64_t counted, counted_ns; /* for it */
    pool_columns *columns;       /* (POOL_SPANS) */
    cli_meltpool_layers layers;
    pool_map *map, *before; /* of this layer, and of the one before it */
};

static void add_record(pool_live *s, const sac_meltpool_record *r)
{
    s->begin_ns = s->n_seen == 0 ? r->arrival_ns : s->begin_ns;
    const int64_t at_ns = r->arrival_ns > s->begin_ns ? r->arrival_ns - s->begin_ns : 0;
    for (int i = 0; i < POOL_SPANS; i++) {
        pool_columns_add(&s->columns[i], at_ns, r, NULL);
    }
    if (cli_meltpool_layers_add(&s->layers, &r->signals, NULL) && s->map->n > 0) {
        pool_map *old = s->before;
        s->before = s->map;
        s->map = old;
        double first[2], last[2]; /* of all layers so far: the next one is about as large */
        cli_meltpool_layers_square(&s->layers, first, last);
        pool_map_clear(s->map, first, last[0] - first[0]);
    }
    pool_map_add(s->map, r, NULL);
    s->n_seen++;
}

static void take_records(pool_live *s)
{
    for (int32_t n = TAKEN; n == TAKEN;) {
        n = view_tap_take(s->tap, s->taken, TAKEN);
        pthread_mutex_lock(&s->lock);
        for (int32_t i = 0; i < n; i++) {
            add_record(s, &s->taken[i]);
        }
        pthread_mutex_unlock(&s->lock);
    }
}

/* Frames a second, of each second. Whether they are others than before. */
static bool count_rate(pool_live *s)
{
    sac_stream_counts c = {.struct_size = sizeof c};
    const int64_t now_ns = cli_clock_ns();
    sac_stream_get_counts(s->source.stream, &c);
    if (now_ns - s->counted_ns < INT64_C(1000000000)) {
        return false;
    }
    const double seconds = 1e-9 * (double)(now_ns - s->counted_ns);
    const double frames_s = (double)(c.received - s->counted) / seconds;
    pthread_mutex_lock(&s->lock);
    const bool is_other = frames_s < s->frames_s || frames_s > s->frames_s;
    s->frames_s = frames_s;
    pthread_mutex_unlock(&s->lock);
    s->counted = c.received;
    s->counted_ns = now_ns;
    return is_other;
}

/* Has a picture made where somebody looks, if there is a newer frame, or if counts or charts have
 * changed since the last one; and of the first frame, for who comes first. */
static void tell(pool_live *s, bool has_news)
{
    const bool is_seen =
        atomic_load_explicit(&s->common.n_viewers, memory_order_relaxed) > 0 || !s->has_begun;
    const int64_t n = view_beside_count(s->source.stream, s->source.receiver) + s->n_seen;
    const bool is_new = view_tap_has_frame(s->tap);
    if (is_seen && (is_new || (s->has_begun && (has_news || n != s->told)))) {
        s->has_begun = true;
        s->told = n;
        view_scene_wake(&s->common);
    }
}

/* Takes the records that the loop puts down. */
static void *pump(void *ctx)
{
    pool_live *s = ctx;
    const struct timespec tick = {0, TICK_NS};
    bool is_rate_other = false;
    view_beside_stand_back(s->source.cpu);
    s->counted_ns = cli_clock_ns();
    for (uint64_t n = 0; !atomic_load_explicit(&s->is_ending, memory_order_relaxed); n++) {
        nanosleep(&tick, NULL);
        take_records(s);
        is_rate_other = count_rate(s) || is_rate_other;
        if (n % TICKS_A_PICTURE == 0) {
            tell(s, is_rate_other);
            is_rate_other = false;
        }
    }
    return NULL;
}

/* The newest frame, or the one that is held. */
static void look(pool_live *s, const pool_settings *settings, pool_shown *shown)
{
    const bool is_held = s->shown && !settings->common.plays;
    const view_tapped *newest = is_held ? NULL : view_tap_take_frame(s->tap);
    s->shown = newest ? newest : s->shown;
    pthread_mutex_lock(&s->lock);
    const pool_columns *c = &s->columns[settings->span];
    const int64_t first = pool_columns_get(c, s->rows, settings->value);
    shown->width_s = 1e-9 * (double)c->width;
    shown->from_s = (double)first * shown->width_s;
    shown->layer = s->layers.n - 1;
    s->maps[0] = *s->map;
    s->maps[1] = *s->before;
    pthread_mutex_unlock(&s->lock);
    shown->map = &s->maps[0];
    shown->other = s->maps[1].n > 0 ? &s->maps[1] : NULL;
}

static void put_counts(cli_json *json, const void *ctx)
{
    pool_live *s = (pool_live *)(uintptr_t)ctx;
    sac_stream_counts c = {.struct_size = sizeof c};
    sac_frame_counts came = {.struct_size = sizeof came};
    sac_stream_get_counts(s->source.stream, &c);
    sac_frame_receiver_get_counts(s->source.receiver, &came);
    pthread_mutex_lock(&s->lock);
    const double frames_s = s->frames_s;
    pthread_mutex_unlock(&s->lock);
    cli_json_object(json, "counts");
    cli_json_int(json, "received", c.received);
    cli_json_int(json, "processed", c.processed);
    cli_json_int(json, "empty", c.empty);
    cli_json_int(json, "refused", c.refused);
    cli_json_int(json, "dropped", c.dropped);
    cli_json_int(json, "late", c.late);
    cli_json_int(json, "lost", came.lost);
    cli_json_int(json, "not in charts",
                 atomic_load_explicit(&s->tap->dropped, memory_order_relaxed));
    cli_json_end_object(json);
    cli_json_real(json, "frames_s", frames_s);
    cli_json_int(json, "deadline_us", s->source.deadline_us);
}

static const char *device_of(const pool_live *s, char text[32])
{
    const sac_device d = s->source.desc->device;
    snprintf(text, 32, d.kind == SAC_DEVICE_CPU ? "cpu" : "cuda:%d", d.index);
    return text;
}

static sac_status show(view_blob **out, view_scene *scene, const view_settings *settings,
                       sac_error *err)
{
    pool_live *s = (pool_live *)scene;
    char device[32];
    const int64_t start_ns = cli_clock_ns();
    pool_shown shown = {
        .settings = (const pool_settings *)settings,
        .desc = s->source.desc,
        .rows = s->rows,
        .has_signals = true,
        .has_model = s->source.has_model,
        .is_place_known = s->source.desc->locate != SAC_MELTPOOL_PREVIOUS,
        .times = sac_stream_get_latency(s->source.stream),
        .times_of = "latency",
        .device = device_of(s, device),
        .variant = s->source.variant,
        .doubt = atomic_load_explicit(s->source.doubt, memory_order_relaxed),
        .put = put_counts,
        .ctx = s,
    };
    look(s, shown.settings, &shown);
    *out = NULL;
    if (!s->shown) {
        return SAC_OK;
    }
    shown.frame = s->shown->number;
    shown.pixels = s->shown->pixels;
    shown.record = &s->shown->record;
    shown.run_ns = cli_clock_ns() - start_ns;
    return pool_shown_message(out, &shown, err);
}

static void put(cli_json *json, const view_scene *scene, const view_settings *settings)
{
    const pool_live *s = (const pool_live *)scene;
    view_line line;
    view_line_begin(&line);
    fputs("saccade", line.file);
    for (int i = 1; i < cli_argc; i++) {
        view_line_put(line.file, NULL, cli_argv[i]);
    }
    char *text = view_line_end(&line);
    cli_json_string(json, "source", s->source.name);
    cli_json_string(json, "command", text);
    cli_json_real(json, "camera_hz", s->source.desc->rate_hz);
    cli_json_bool(json, "has_model", s->source.has_model);
    pool_settings_put(json, settings);
    free(text);
}

static const view_kind pool_live_kind = {.name = "meltpool",
                                         .settings_size = sizeof(pool_settings),
                                         .take = pool_settings_take,
                                         .show = show,
                                         .put = put};

static void allocate(pool_live *s)
{
    s->tap = view_tap_open((size_t)s->source.desc->w * (size_t)s->source.desc->h);
    s->taken = cli_grow(NULL, 0, TAKEN, sizeof *s->taken);
    s->rows = cli_grow(NULL, 0, (size_t)POOL_ROWS * POOL_COLUMNS, sizeof *s->rows);
    s->maps = cli_grow(NULL, 0, 2, sizeof *s->maps);
    s->map = cli_grow(NULL, 0, 1, sizeof *s->map);
    s->before = cli_grow(NULL, 0, 1, sizeof *s->before);
    s->columns = cli_grow(NULL, 0, POOL_SPANS, sizeof *s->columns);
    for (int i = 0; i < POOL_SPANS; i++) {
        s->columns[i].width = INT64_C(1000000000) * pool_spans_s[i] / POOL_COLUMNS;
    }
    s->layers.gap_frames = CLI_MELTPOOL_LAYER_GAP_S * s->source.desc->rate_hz;
}

int pool_live_open(pool_live **out, const pool_live_source *source, const cli_view_options *options)
{
    pool_live *s = *out = cli_grow(NULL, 0, 1, sizeof *s);
    s->source = *source;
    view_scene_init(&s->common, &pool_live_kind);
    s->common.is_live = true;
    pthread_mutex_init(&s->lock, NULL);
    allocate(s);
    view_settings_init(&s->settings.common, &s->common);
    s->settings.density = POOL_BOTH;
    s->is_pumping = view_thread_start(&s->pumping, pump, s) == 0;
    return s->is_pumping
               ? view_beside_open(&s->beside, &s->common, &s->settings.common, source->cpu, options)
               : cli_fail("no thread to show with");
}

view_tap *pool_live_tap(pool_live *live)
{
    return live->tap;
}

static void end_threads(pool_live *s)
{
    atomic_store_explicit(&s->is_ending, true, memory_order_relaxed);
    if (s->is_pumping) {
        pthread_join(s->pumping, NULL);
    }
    view_beside_close(&s->beside);
}

void pool_live_close(pool_live **live)
{
    pool_live *s = *live;
    if (!s) {
        return;
    }
    end_threads(s);
    view_tap_close(&s->tap);
    view_scene_end(&s->common);
    pthread_mutex_destroy(&s->lock);
    free(s->taken);
    free(s->rows);
    free(s->maps);
    free(s->map);
    free(s->before);
    free(s->columns);
    free(s->layers.begins);
    free(s);
    *live = NULL;
}
