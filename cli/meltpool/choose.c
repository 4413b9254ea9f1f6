/*
 * The planner of saccade meltpool: measures briefly, then picks batch and mapping, and says why.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "choose.h"

#include <stdio.h>

#include <saccade/meltpool_curves.h>

#include "draw/plot_axis.h"
#include "tables.h"

#define SECONDS 0.9 /* of measurements; opening plans comes on top */

/* "worker, blocks; up to 16 frames at once: ...". */
static char *explain(const sac_meltpool_choice *c, double rate_hz, double budget_us, double took_s)
{
    char p50[16], p99[16], load[24], low[24], most[24], budget[48] = "";
    const sac_meltpool_point *at = &c->at;
    if (rate_hz <= 0) {
        snprintf(budget, sizeof budget, ", the most frames within %.4g us", budget_us);
    }
    return cli_text(
        "%s; up to %d frame%s at once: at %s frames/s half are done within %s and 99 %% "
        "within %s%s; the median stays at its lowest up to %s frames/s, of %s at most "
        "(measured on simulated frames, %.1f s)",
        at->way.name, at->batch, at->batch == 1 ? "" : "s",
        cli_tick_text(load, sizeof load, at->load_hz),
        cli_time_text(p50, sizeof p50, at->latency.p50_ns),
        cli_time_text(p99, sizeof p99, at->latency.p99_ns), budget,
        cli_tick_text(low, sizeof low, c->inflection_hz),
        cli_tick_text(most, sizeof most, c->most_hz), took_s);
}

int cli_meltpool_choose(sac_meltpool_desc *desc, int32_t *batch_max, char **why, double rate_hz,
                        double budget_us)
{
    sac_meltpool_choice choice;
    sac_error err = {0};
    const int64_t start_ns = cli_clock_ns();
    *why = NULL;
    if (sac_meltpool_choose(&choice, desc, rate_hz, 1e3 * budget_us, SECONDS, &err) != SAC_OK) {
        return cli_error(&err);
    }
    desc->variant = choice.at.way.variant;
    desc->n_threads = choice.at.way.n_threads;
    desc->resident = choice.at.way.is_resident ? choice.at.batch : 0;
    *batch_max = choice.at.batch;
    *why = explain(&choice, rate_hz, budget_us, 1e-9 * (double)(cli_clock_ns() - start_ns));
    cli_note("chosen: %s", *why);
    return CLI_DONE;
}
