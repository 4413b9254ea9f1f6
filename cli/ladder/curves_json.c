/*
 * The curves of melt-pool monitoring as JSON: a row a measurement, then inflection points and the
 * fusion of stages; "part" tells them apart.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "curves.h"

static void put_times(cli_json *json, const char *name, const sac_meltpool_times *t)
{
    cli_json_object(json, name);
    json->inlined = true;
    cli_json_real(json, "mean_ns", t->mean_ns);
    cli_json_real(json, "p50_ns", t->p50_ns);
    cli_json_real(json, "p99_ns", t->p99_ns);
    cli_json_real(json, "p999_ns", t->p999_ns);
    cli_json_real(json, "max_ns", t->max_ns);
    cli_json_end_object(json);
    json->inlined = false;
}

static void open_row(cli_json *json, const char *part, const sac_meltpool_point *p)
{
    cli_json_object(json, NULL);
    cli_json_string(json, "part", part);
    cli_json_string(json, "way", p->way.name);
    cli_json_int(json, "frames_at_once", p->batch);
}

/* Of a point at a load, in full batches or in what waits. */
static void open_load(cli_json *json, const char *part, const sac_meltpool_point *p, bool is_full)
{
    open_row(json, part, p);
    cli_json_string(json, "batches", is_full ? "full" : "waiting");
    cli_json_real(json, "load_hz", p->load_hz);
}

static void put_throughput(cli_json *json, const sac_meltpool_point *p)
{
    double xavier_hz, a6000_hz;
    cli_curves_published(&xavier_hz, &a6000_hz, p->batch);
    open_row(json, "throughput", p);
    cli_json_real(json, "throughput_hz", p->done_hz);
    if (a6000_hz > 0) {
        cli_json_real(json, "published_xavier_hz", xavier_hz);
        cli_json_real(json, "published_a6000_hz", a6000_hz);
    }
    cli_json_int(json, "n_frames", p->frames);
    put_times(json, "compute", &p->compute);
    cli_json_end_object(json);
}

static void put_load(cli_json *json, const sac_meltpool_point *p, bool is_full)
{
    open_load(json, "latency", p, is_full);
    cli_json_real(json, "done_hz", p->done_hz);
    cli_json_bool(json, "kept_up", p->kept_up);
    cli_json_int(json, "n_frames", p->frames);
    cli_json_int(json, "n_batches", p->batches);
    put_times(json, "latency", &p->latency);
    put_times(json, "buffering", &p->buffering);
    put_times(json, "compute", &p->compute);
    cli_json_end_object(json);
}

static void put_inflection(cli_json *json, const sac_meltpool_point *p, bool is_full)
{
    open_load(json, "inflection", p, is_full);
    cli_json_real(json, "latency_p50_ns", p->latency.p50_ns);
    cli_json_real(json, "latency_p99_ns", p->latency.p99_ns);
    cli_json_end_object(json);
}

static void put_curve(cli_json *json, const cli_curve *curve)
{
    sac_meltpool_point *points = cli_grow(NULL, 0, (size_t)curve->n, sizeof *points);
    put_throughput(json, curve->points);
    for (int full = 1; full >= 0; full--) {
        int32_t n = cli_curve_loads(points, curve, full);
        for (int32_t i = 0; i < n; i++) {
            put_load(json, &points[i], full);
        }
        const sac_meltpool_point *bend = sac_meltpool_inflection(points, n);
        if (bend) {
            put_inflection(json, bend, full);
        }
    }
    free(points);
}

static void put_fusion(cli_json *json, const cli_fusion *f)
{
    cli_json_object(json, NULL);
    cli_json_string(json, "part", "fusion");
    if (f->a_ns > 0) {
        cli_json_real(json, "a_ns", f->a_ns);
        cli_json_real(json, "b_ns", f->b_ns);
    }
    cli_json_real(json, "in_time_ns", f->in_time_ns);
    cli_json_real(json, "in_space_ns", f->in_space_ns);
    cli_json_end_object(json);
}

int cli_curves_json(const cli_curves *c, const char *path, sac_device device)
{
    cli_json json;
    cli_json_open_rows(&json, 0, device);
    for (int32_t i = 0; i < c->n_curves; i++) {
        put_curve(&json, &c->curves[i]);
    }
    if (c->fusion.in_time_ns > 0) {
        put_fusion(&json, &c->fusion);
    }
    return cli_json_write(&json, path);
}
