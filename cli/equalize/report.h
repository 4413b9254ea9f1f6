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

/* What was done, over all pictures that were written. */
typedef struct cli_equalize_sums {
    int total; /* pictures that there are */
    int64_t start_ns;
    int32_t n_written;
    int64_t read_ns, equalize_ns, write_ns;
    const char *output; /* the last that was written, and the shape of one that is alone */
    char shape[48];
} cli_equalize_sums;

/* Adds what another worker has done. And what all processes have: true of the first, which tells.
 */
void cli_equalize_add(cli_equalize_sums *sums, const cli_equalize_sums *more);
bool cli_equalize_add_up(cli_equalize_sums *sums, const char *output);

/* "b.png: 1 picture of 1920x1080x3 u8: equalize 1.2 ms, reading .., writing ..", or of many "out/:
 * 40 pictures: .. a picture, ..; 17 a second". Nothing where none was written. */
void cli_equalize_summary(const cli_equalize_sums *sums);

/* Gathers (bins) counts of a picture of `dtype` into a histogram for the plot. */
void cli_histogram_gather(cli_histogram *out, const uint64_t *counts, int32_t bins,
                          sac_dtype dtype);

/* Two panels a picture: bars of the histogram with the cumulative line. Returns an exit status. */
int cli_equalize_plot(const char *path, const cli_plot_pair *pairs, size_t n);

#endif
