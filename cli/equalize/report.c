/*
 * Statistics and plots of equalized pictures.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "draw/plot.h"
#include "tables.h"

#define MAX_LISTED_BINS 256 /* beyond this --stats summarizes */

static void put_counts(cli_json *json, const char *name, const uint64_t *counts, int32_t bins)
{
    int32_t first = -1;
    int32_t last = -1;
    int32_t n_occupied = 0;
    double sum = 0;
    double n = 0;
    for (int32_t b = 0; b < bins; b++) {
        if (counts[b]) {
            first = first < 0 ? b : first;
            last = b;
            n_occupied++;
            sum += (double)counts[b] * b;
            n += (double)counts[b];
        }
    }
    cli_json_object(json, name);
    cli_json_int(json, "min_bin", first);
    cli_json_int(json, "max_bin", last);
    cli_json_real(json, "mean_bin", sum / n);
    cli_json_int(json, "n_occupied", n_occupied);
    if (bins <= MAX_LISTED_BINS) {
        cli_json_uints(json, "counts", counts, bins);
    }
    cli_json_end_object(json);
}

/* The value of one of the pipeline's options, as text. */
static void put_option(cli_json *json, const sac_equalize_desc *desc, const char *name)
{
    const sac_param_table *table = sac_equalize_params();
    char text[64];
    for (int32_t i = 0; i < table->n_params; i++) {
        if (!strcmp(table->params[i].name, name)) {
            cli_json_string(json, name, sac_param_get(&table->params[i], desc, text, sizeof text));
        }
    }
}

static void put_launch(cli_json *json, const sac_ladder_hsv_desc *hsv)
{
    uint64_t shape[6];
    for (int i = 0; i < 3 && hsv->grid[0] > 0; i++) {
        shape[i] = hsv->grid[i];
        shape[3 + i] = hsv->block[i];
    }
    if (hsv->grid[0] > 0) {
        cli_json_uints(json, "grid", shape, 3);
        cli_json_uints(json, "block", shape + 3, 3);
    }
}

void cli_equalize_stats(cli_json *json, const cli_equalize_row *row)
{
    char shape[48];
    int32_t threads = row->desc->n_threads;
    cli_json_object(json, NULL);
    cli_json_string(json, "pipeline", "equalize");
    cli_json_string(json, "input", row->input);
    cli_json_string(json, "output", row->output);
    cli_json_string(json, "shape", cli_shape_text(shape, sizeof shape, row->picture));
    if (row->region) {
        cli_json_string(json, "roi", row->region);
    }
    put_option(json, row->desc, "device");
    if (row->hsv) {
        cli_json_int(json, "threads", 1);
        cli_json_string(json, "variant", "hsv-planes");
        put_launch(json, row->hsv);
    } else {
        cli_json_int(json, "threads", threads ? threads : sac_cpu_count());
        cli_json_string(json, "variant", sac_equalize_get_variant(row->plan));
    }
    cli_json_int(json, "read_ns", row->read_ns);
    cli_json_int(json, "equalize_ns", row->equalize_ns);
    cli_json_int(json, "write_ns", row->write_ns);
    if (row->batch > 1) {
        cli_json_int(json, "batch", row->batch);
    }
    cli_json_int(json, "bins", row->bins);
    put_option(json, row->desc, "scale");
    put_counts(json, "before", row->counts[0], row->bins);
    put_counts(json, "after", row->counts[1], row->bins);
    cli_json_end_object(json);
}

void cli_histogram_gather(cli_histogram *out, const uint64_t *counts, int32_t bins, sac_dtype dtype)
{
    *out = (cli_histogram){.bins = bins < CLI_PLOT_BINS ? bins : CLI_PLOT_BINS,
                           .values = dtype == SAC_U8 ? 256 : 65536};
    for (int32_t b = 0; b < bins; b++) {
        out->count[(int64_t)b * out->bins / bins] += (double)counts[b];
    }
}

/* A panel with what it points to. */
typedef struct histogram_panel {
    char *title;
    double x[CLI_PLOT_BINS + 1], sum[CLI_PLOT_BINS + 1]; /* at the bins' limits */
    cli_series series[2];
} histogram_panel;

static void fill_panel(cli_panel *panel, histogram_panel *own, const cli_plot_pair *pair, int side)
{
    static const cli_axis share = {.label = "cumulative share", .max = 1, .step = 0.2};
    const cli_histogram *h = &pair->side[side];
    double total = 0;
    for (int32_t b = 0; b < h->bins; b++) {
        own->x[b + 1] = h->values * (b + 1) / h->bins;
        own->sum[b + 1] = total += h->count[b];
    }
    for (int32_t b = 1; b <= h->bins; b++) {
        own->sum[b] /= total;
    }
    size_t n = (size_t)h->bins;
    own->title = cli_text("%s, %s", pair->name, side == 0 ? "before" : "after");
    own->series[0] =
        (cli_series){.label = "pixels a bin", .kind = CLI_BARS, .x = own->x, .y = h->count, .n = n};
    own->series[1] = (cli_series){.label = "cumulative",
                                  .kind = CLI_LINE,
                                  .x = own->x,
                                  .y = own->sum,
                                  .n = n + 1,
                                  .right = true};
    *panel = (cli_panel){
        .title = own->title,
        .x = {.label = pair->color ? "V = max(R, G, B)" : "gray value",
              .max = h->values,
              .step = h->values / 4},
        .y = {.label = "pixels"},
        .right = &share,
        .series = own->series,
        .n_series = 2,
    };
}

int cli_equalize_plot(const char *path, const cli_plot_pair *pairs, size_t n)
{
    sac_error err = {0};
    cli_panel *panels = cli_grow(NULL, 0, 2 * n, sizeof *panels);
    histogram_panel *own = cli_grow(NULL, 0, 2 * n, sizeof *own);
    for (size_t i = 0; i < 2 * n; i++) {
        fill_panel(&panels[i], &own[i], &pairs[i / 2], i % 2 ? 1 : 0);
    }
    cli_plot plot = {
        .title = "Histogram equalization", .panels = panels, .n_panels = 2 * n, .n_columns = 2};
    fflush(stdout);
    sac_status st = cli_plot_write(path, &plot, &err);
    for (size_t i = 0; i < 2 * n; i++) {
        free(own[i].title);
    }
    free(own);
    free(panels);
    return st == SAC_OK ? CLI_DONE : cli_error(&err);
}
