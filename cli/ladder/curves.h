/*
 * saccade ladder meltpool --curves: latency against throughput, as tables, JSON and a plot.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LADDER_CURVES_H
#define CLI_LADDER_CURVES_H

#include <saccade/meltpool_curves.h>

#include "json.h"

#define CLI_CURVES_WAYS 8

/* The points of a way with a batch: n from the first on, its throughput first. */
typedef struct cli_curve {
    const sac_meltpool_point *points;
    int32_t n;
    int way; /* 0, 1 .. in the order of coming */
} cli_curve;

/*
 * The two halves of a frame's analysis, the pool (A) and the sectors and gradients (B), nanoseconds
 * a frame: one behind the other in one place, which is A + B - DR, and side by side in two, which
 * is max(A, B). On a GPU the whole frame's, of rungs that differ in that alone.
 */
typedef struct cli_fusion {
    double a_ns, b_ns; /* by themselves, on the CPU; else 0 */
    double in_time_ns, in_space_ns;
} cli_fusion;

typedef struct cli_curves {
    sac_meltpool_point *points;
    int32_t n;
    cli_curve *curves;
    int32_t n_curves;
    const char *ways[CLI_CURVES_WAYS];
    int n_ways;
    cli_fusion fusion;
} cli_curves;

/*
 * Measures and reports; seconds and batch_max as of sac_meltpool_curves_desc. json_path and
 * plot_path may be NULL. Returns an exit status.
 */
int cli_ladder_curves(const sac_meltpool_curves_desc *desc, const char *json_path,
                      const char *plot_path);

/*
 * The points of one kind of batch, full ones or what waits, without throughput (load 0); a batch of
 * one frame is both. Into `out` (n of the curve); returns how many.
 */
int32_t cli_curve_loads(sac_meltpool_point *out, const cli_curve *curve, bool is_full);

/* As the paper has them: frames a second of so many parallel frames on its two GPUs; 0 where it has
 * none. */
void cli_curves_published(double *xavier_hz, double *a6000_hz, int32_t batch);

/* Measures each for about so long; where that cannot be it says so, and in_time_ns stays 0. */
void cli_curves_fusion(cli_fusion *fusion, sac_device device, double seconds);

void cli_curves_print(const cli_curves *c);
int cli_curves_json(const cli_curves *c, const char *path, sac_device device);
SAC_NODISCARD sac_status cli_curves_plot(const cli_curves *c, const char *path, sac_error *err);

#endif
