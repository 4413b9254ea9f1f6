/*
 * What `saccade equalize` tells of its pictures: statistics as JSON, histograms as a plot.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_EQUALIZE_REPORT_H
#define CLI_EQUALIZE_REPORT_H

#include <saccade/equalize.h>
#include <saccade/ladder.h>

#include "json.h"

#define CLI_PLOT_BINS 256

/* One picture's histogram as drawn: at most CLI_PLOT_BINS bins over all values. */
typedef struct cli_histogram {
    int32_t bins;
    double values; /* that a sample can take: 256 or 65536 */
    double count[CLI_PLOT_BINS];
} cli_histogram;

/* A picture before and after, for the plot. */
typedef struct cli_plot_pair {
    const char *name;
    bool color;
    cli_histogram side[2];
} cli_plot_pair;

/* A row of --stats. */
typedef struct cli_equalize_row {
    const char *input, *output, *region; /* region NULL: the whole picture */
    const sac_array *picture;
    const sac_equalize *plan;
    const sac_equalize_desc *desc;
    const sac_ladder_hsv_desc *hsv;         /* instead of the plan; NULL: the plan */
    int64_t read_ns, equalize_ns, write_ns; /* equalize_ns: a batch's time / its pictures */
    int32_t batch;                          /* pictures that were equalized together */
    int32_t bins;
    const uint64_t *counts[2]; /* (bins) each, before and after */
} cli_equalize_row;

void cli_equalize_stats(cli_json *json, const cli_equalize_row *row);

/* Gathers (bins) counts of a picture of `dtype` into a histogram for the plot. */
void cli_histogram_gather(cli_histogram *out, const uint64_t *counts, int32_t bins,
                          sac_dtype dtype);

/* Two panels a picture: bars of the histogram with the cumulative line. Returns an exit status. */
int cli_equalize_plot(const char *path, const cli_plot_pair *pairs, size_t n);

#endif
