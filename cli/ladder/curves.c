/*
 * The curves of melt-pool monitoring: measured, then sorted by way and batch.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/ladder.h>

#include "progress.h"
#include "tables.h"

#define FUSION_SHARE 0.02 /* of the time, for each stage by itself */

static void take_point(void *ctx, const sac_meltpool_point *point)
{
    cli_curves *c = ctx;
    c->points = cli_grow(c->points, (size_t)c->n, (size_t)c->n + 1, sizeof *c->points);
    c->points[c->n++] = *point;
}

/* Points of a way and batch follow each other. */
static void sort_points(cli_curves *c)
{
    for (int32_t i = 0; i < c->n; i++) {
        const sac_meltpool_point *p = &c->points[i], *last = p - 1;
        bool is_new_way = i == 0 || strcmp(p->way.name, last->way.name) != 0;
        if (is_new_way) {
            c->ways[c->n_ways++] = p->way.name;
        }
        if (is_new_way || p->batch != last->batch) {
            size_t n = (size_t)c->n_curves++;
            c->curves = cli_grow(c->curves, n, n + 1, sizeof *c->curves);
            c->curves[n] = (cli_curve){.points = p, .way = c->n_ways - 1};
        }
        c->curves[c->n_curves - 1].n++;
    }
}

int32_t cli_curve_loads(sac_meltpool_point *out, const cli_curve *curve, bool is_full)
{
    int32_t n = 0;
    for (int32_t i = 0; i < curve->n; i++) {
        const sac_meltpool_point *p = &curve->points[i];
        if (p->load_hz > 0 && (p->batch == 1 || p->is_full == is_full)) {
            out[n++] = *p;
        }
    }
    return n;
}

typedef struct stage {
    double ns;    /* a frame; 0: not measured */
    bool is_rung; /* it was asked for, else the chosen one counts */
} stage;

static void take_stage(void *ctx, const sac_ladder_row *row)
{
    stage *s = ctx;
    if ((s->is_rung || row->chosen) && row->ok && row->points > 0) {
        s->ns = row->median_ns / (double)row->points;
    }
}

/* A frame's time in a room, or in one of its rungs. */
static sac_status time_stage(double *ns, const char *only, sac_device device, double seconds,
                             sac_error *err)
{
    stage s = {.is_rung = strchr(only, ':') != NULL};
    sac_ladder_desc desc;
    sac_ladder_desc_init(&desc);
    desc.only = only;
    desc.device = device;
    desc.seconds = seconds;
    sac_status st = sac_ladder_run("meltpool", &desc, take_stage, &s, err);
    *ns = s.ns;
    return st;
}

void cli_curves_fusion(cli_fusion *f, sac_device device, double seconds)
{
    static const char *const on_cpu[] = {"mask_u8", "moments_u8", "polar_u8", "hog_u8", "frame_u8"};
    static const char *const on_gpu[] = {"meltpool:fused-b", "meltpool:fused-c"};
    bool is_gpu = device.kind == SAC_DEVICE_CUDA;
    size_t n = is_gpu ? sizeof on_gpu / sizeof *on_gpu : sizeof on_cpu / sizeof *on_cpu;
    double ns[sizeof on_cpu / sizeof *on_cpu] = {0};
    sac_error err = {0};
    for (size_t i = 0; i < n; i++) {
        if (time_stage(&ns[i], (is_gpu ? on_gpu : on_cpu)[i], device, seconds, &err) != SAC_OK) {
            cli_warn("fusion of stages: %s", err.text);
            return;
        }
    }
    if (is_gpu) {
        *f = (cli_fusion){.in_time_ns = ns[0], .in_space_ns = ns[1]};
    } else {
        *f = (cli_fusion){.a_ns = ns[0] + ns[1], .b_ns = ns[2] + ns[3], .in_time_ns = ns[4]};
        f->in_space_ns = fmax(f->a_ns, f->b_ns);
    }
}

static int measure(cli_curves *c, const sac_meltpool_curves_desc *of)
{
    sac_meltpool_curves_desc desc = *of;
    sac_error err = {0};
    cli_progress progress;
    desc.progress = cli_progress_step;
    desc.progress_ctx = &progress;
    cli_progress_open(&progress, "measurements");
    sac_status st = sac_meltpool_curves_run(&desc, take_point, c, &err);
    cli_progress_hide(&progress);
    if (st != SAC_OK) {
        return cli_error(&err);
    }
    sort_points(c);
    cli_curves_fusion(&c->fusion, desc.device, FUSION_SHARE * desc.seconds);
    return CLI_DONE;
}

int cli_ladder_curves(const sac_meltpool_curves_desc *desc, const char *json_path,
                      const char *plot_path)
{
    cli_curves c = {0};
    sac_error err = {0};
    int status = measure(&c, desc);
    bool is_to_stdout =
        (json_path && !strcmp(json_path, "-")) || (plot_path && !strcmp(plot_path, "-"));
    if (status == CLI_DONE && !is_to_stdout) {
        cli_curves_print(&c);
    }
    if (status == CLI_DONE && plot_path && cli_curves_plot(&c, plot_path, &err) != SAC_OK) {
        status = cli_error(&err);
    }
    if (status == CLI_DONE && json_path) {
        status = cli_curves_json(&c, json_path, desc->device);
    }
    free(c.points);
    free(c.curves);
    return status;
}
