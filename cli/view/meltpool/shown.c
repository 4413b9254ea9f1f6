/*
 * The message of a frame.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "shown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PANELS 5
#define BARS 64 /* of the histogram of times */
#define FIRST_BAR_NS 256.0
#define BARS_AN_OCTAVE 4

/* Samples behind the numbers. */
typedef struct panel {
    const char *name, *type;
    int64_t w, h;
    const void *bytes;
} panel;

/* What lives until the message is made. */
typedef struct message {
    const pool_shown *shown;
    sac_meltpool_outline outline;
    bool has_outline;
    double top; /* of both maps */
    uint8_t *pool;
    uint16_t *maps[2];
    panel panels[MOST_PANELS];
    int n_panels;
} message;

static bool is_processed(const sac_meltpool_record *r)
{
    return r && !(r->flags & (SAC_MELTPOOL_EMPTY | SAC_MELTPOOL_REFUSED));
}

static void add_panel(message *m, panel p)
{
    m->panels[m->n_panels++] = p;
}

static sac_status find_outline(message *m, sac_error *err)
{
    const pool_shown *s = m->shown;
    const sac_meltpool_desc *d = s->desc;
    const int64_t shape[] = {d->h, d->w};
    sac_array frame;
    if (!s->is_place_known || !is_processed(s->record)) {
        return SAC_OK;
    }
    m->outline.struct_size = sizeof m->outline;
    sac_status st = sac_array_view(&frame, (void *)(uintptr_t)s->pixels, SAC_U8, 2, shape, err);
    st = st ? st
            : sac_meltpool_find_outline(&m->outline, m->pool, d, &frame, &s->record->signals,
                                        s->last_pool, err);
    m->has_outline = st == SAC_OK;
    if (m->has_outline) {
        add_panel(m, (panel){"pool", "gray", d->roi, d->roi, m->pool});
    }
    return st;
}

/* Both in the same colors. */
static void find_maps(message *m)
{
    const pool_shown *s = m->shown;
    const pool_density density = (pool_density)s->settings->density;
    if (!s->map) {
        return;
    }
    m->top = pool_map_top(s->map, density, false);
    if (s->has_truth || s->other) {
        m->top = fmax(m->top, pool_map_top(s->other ? s->other : s->map, density, s->has_truth));
    }
    pool_map_get(s->map, m->maps[0], density, false, m->top);
    add_panel(m, (panel){"map", "level", POOL_CELLS, POOL_CELLS, m->maps[0]});
    if (s->has_truth || s->other) {
        pool_map_get(s->other ? s->other : s->map, m->maps[1], density, s->has_truth, m->top);
        add_panel(m, (panel){s->has_truth ? "truth" : "before", "level", POOL_CELLS, POOL_CELLS,
                             m->maps[1]});
    }
}

static void put_pair(cli_json *json, const char *name, double a, double b)
{
    cli_json_array(json, name);
    cli_json_real(json, NULL, a);
    cli_json_real(json, NULL, b);
    cli_json_end_array(json);
}

static void put_flags(cli_json *json, uint32_t flags)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } names[] = {{SAC_MELTPOOL_EMPTY, "laser off"}, {SAC_MELTPOOL_NO_POOL, "no pool"},
                 {SAC_MELTPOOL_CLIPPED, "clipped"}, {SAC_MELTPOOL_LATE, "late"},
                 {SAC_MELTPOOL_GAP, "after a gap"}, {SAC_MELTPOOL_REFUSED, "refused"}};
    cli_json_array(json, "flags");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (flags & names[i].flag) {
            cli_json_string(json, NULL, names[i].name);
        }
    }
    cli_json_end_array(json);
}

static void put_record(cli_json *json, const pool_shown *s)
{
    const sac_meltpool_record *r = s->record;
    put_flags(json, r->flags);
    if (s->has_signals) {
        cli_json_int(json, "counter", r->signals.counter);
        put_pair(json, "at", r->signals.x, r->signals.y);
    }
    if (!is_processed(r)) {
        return;
    }
    cli_json_array(json, "features");
    for (int k = 0; k < SAC_MELTPOOL_FEATURES; k++) {
        cli_json_real(json, NULL, (double)r->features[k]);
    }
    cli_json_end_array(json);
    if (s->has_model) {
        put_pair(json, "prediction", (double)r->prediction[0], (double)r->prediction[1]);
    }
    if (s->truth) {
        put_pair(json, "truth", (double)s->truth[0], (double)s->truth[1]);
    }
}

static void put_outline(cli_json *json, const message *m)
{
    const sac_meltpool_outline *o = &m->outline;
    cli_json_object(json, "outline");
    put_pair(json, "roi", o->x0, o->y0);
    put_pair(json, "centre", o->centre[0], o->centre[1]);
    cli_json_int(json, "area", o->area);
    if (o->area > 0) {
        put_pair(json, "pool", o->pool[0], o->pool[1]);
        put_pair(json, "semi_axes", o->semi_axes[0], o->semi_axes[1]);
        cli_json_real(json, "angle_rad", o->angle_rad);
    }
    cli_json_end_object(json);
}

/* Counts in bars of a quarter of an octave. */
static void put_times(cli_json *json, const pool_shown *s)
{
    uint64_t bars[BARS] = {0};
    int64_t n = 0;
    for (int32_t i = 0; i < SAC_HISTOGRAM_BINS; i++) {
        const sac_histogram_bin bin = sac_histogram_get_bin(s->times, i);
        const double octaves = log2(fmax(1, (double)bin.from_ns / FIRST_BAR_NS));
        const int at = (int)fmin(BARS_AN_OCTAVE * octaves, BARS - 1);
        bars[at] += (uint64_t)bin.count;
        n += bin.count;
    }
    cli_json_object(json, "times");
    cli_json_string(json, "of", s->times_of);
    cli_json_int(json, "n", n);
    cli_json_real(json, "p50_ns", sac_histogram_get_quantile(s->times, 0.5));
    cli_json_real(json, "p99_ns", sac_histogram_get_quantile(s->times, 0.99));
    cli_json_real(json, "p999_ns", sac_histogram_get_quantile(s->times, 0.999));
    cli_json_int(json, "max_ns", sac_histogram_get_max(s->times));
    cli_json_real(json, "first_ns", FIRST_BAR_NS);
    cli_json_int(json, "an_octave", BARS_AN_OCTAVE);
    cli_json_uints(json, "bars", bars, BARS);
    cli_json_end_object(json);
}

static void put_map(cli_json *json, const message *m)
{
    const pool_shown *s = m->shown;
    cli_json_int(json, "layer", s->layer);
    cli_json_real(json, "top", m->top);
    put_pair(json, "map_first", s->map->first[0], s->map->first[1]);
    cli_json_real(json, "map_side", s->map->side);
    cli_json_int(json, "map_frames", s->map->n);
    if (s->other) {
        put_pair(json, "before_first", s->other->first[0], s->other->first[1]);
        cli_json_real(json, "before_side", s->other->side);
    }
}

static void put_panels(cli_json *json, const message *m)
{
    cli_json_array(json, "panels");
    for (int i = 0; i < m->n_panels; i++) {
        cli_json_line(json);
        cli_json_string(json, "name", m->panels[i].name);
        cli_json_string(json, "type", m->panels[i].type);
        cli_json_int(json, "w", m->panels[i].w);
        cli_json_int(json, "h", m->panels[i].h);
        cli_json_end_line(json);
    }
    cli_json_end_array(json);
}

static void put_numbers(cli_json *json, const message *m)
{
    const pool_shown *s = m->shown;
    cli_json_string(json, "kind", "picture");
    cli_json_int(json, "frame", s->frame);
    cli_json_int(json, "run_ns", s->run_ns);
    cli_json_int(json, "open_ns", 0);
    cli_json_string(json, "device", s->device);
    cli_json_string(json, "variant", s->variant);
    if (s->doubt && *s->doubt) {
        cli_json_string(json, "doubt", s->doubt);
    }
    if (s->record) {
        put_record(json, s);
    }
    if (m->has_outline) {
        put_outline(json, m);
    }
    cli_json_string(json, "value", pool_value_name(s->settings->value));
    cli_json_real(json, "from_s", s->from_s);
    cli_json_real(json, "width_s", s->width_s);
    if (s->map) {
        put_map(json, m);
    }
    put_times(json, s);
    s->put(json, s->ctx);
    put_panels(json, m);
}

static int64_t bytes_of(const panel *p)
{
    const int64_t n = p->w * p->h * (strcmp(p->type, "level") == 0 ? 2 : 1);
    return n + n % 2;
}

static sac_status write(view_blob **out, const message *m, sac_error *err)
{
    cli_json json;
    int64_t size = 0;
    void *at = NULL;
    cli_json_open(&json);
    cli_json_object(&json, NULL);
    put_numbers(&json, m);
    cli_json_end_object(&json);
    for (int i = 0; i < m->n_panels; i++) {
        size += bytes_of(&m->panels[i]);
    }
    *out = view_blob_of(&json, (size_t)size, &at);
    char *to = at;
    for (int i = 0; i < m->n_panels && *out; i++) {
        const panel *p = &m->panels[i];
        const size_t n = (size_t)(p->w * p->h) * (strcmp(p->type, "level") == 0 ? 2 : 1);
        memset(to, 0, (size_t)bytes_of(p));
        memcpy(to, p->bytes, n);
        to += bytes_of(p);
    }
    return *out ? SAC_OK : view_no_memory(err);
}

sac_status pool_shown_message(view_blob **out, const pool_shown *shown, sac_error *err)
{
    const sac_meltpool_desc *d = shown->desc;
    message m = {.shown = shown, .pool = cli_grow(NULL, 0, (size_t)d->roi * (size_t)d->roi, 1)};
    for (int i = 0; i < 2; i++) {
        m.maps[i] = cli_grow(NULL, 0, (size_t)POOL_CELLS * POOL_CELLS, sizeof *m.maps[i]);
    }
    add_panel(&m, (panel){"frame", "gray", d->w, d->h, shown->pixels});
    add_panel(&m, (panel){"columns", "gray", POOL_COLUMNS * (int)sizeof *shown->rows, POOL_ROWS,
                          shown->rows});
    sac_status st = find_outline(&m, err);
    if (st == SAC_OK) {
        find_maps(&m);
        st = write(out, &m, err);
    }
    free(m.pool);
    free(m.maps[0]);
    free(m.maps[1]);
    return st;
}
