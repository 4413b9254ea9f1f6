/*
 * A camera's noise as a table and as JSON, and what makes it doubtful.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "noise.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "json.h"
#include "tables.h"

#define FEW_FRAMES 16
#define MOST_CLIPPED 1e-3  /* share of samples beyond which their noise is too small */
#define MOST_RESTLESS 5e-3 /* of pixels; sensors have some that flicker by themselves */
#define LEAST_PIXELS 256.0 /* of a class that the table shows */

static const char *channel_name(const cli_camera_noise *noise, int32_t c)
{
    static const char *const rgb[] = {"red", "green", "blue", "fourth"};
    const sac_video_pixel pixel = noise->info.pixel;
    const bool is_bgr = pixel == SAC_PIXEL_BGR || pixel == SAC_PIXEL_BGRX;
    return noise->n_channels == 1 ? "gray" : rgb[is_bgr && c < 3 ? 2 - c : c];
}

/* A deviation; "-" where there is none. */
static void cell(cli_table *table, int column, double value)
{
    if (isfinite(value)) {
        cli_table_cell(table, column, "%.2f", value);
    } else {
        cli_table_cell(table, column, "-");
    }
}

static void table_row(cli_table *table, const cli_camera_noise *noise, int32_t channel, bool is_all,
                      const sac_noise_figures *f)
{
    const double values[] = {f->random,   f->row,   f->column,    f->frame,
                             f->temporal, f->fixed, f->fixed_row, f->fixed_column};
    cli_table_row(table);
    cli_table_cell(table, 0, "%s", channel_name(noise, channel));
    cli_table_cell(table, 1, is_all ? "all (%.0f)" : "%.0f", f->brightness);
    cli_table_cell(table, 2, "%.0f", f->n_pixels);
    for (int i = 0; i < 8; i++) {
        cell(table, 3 + i, values[i]);
    }
}

static void print_table(const cli_camera_noise *noise)
{
    static const char *const heads[] = {"<channel", "level",      "pixels",       "random",
                                        "rows",     "columns",    "frame",        "temporal",
                                        "fixed",    "fixed rows", "fixed columns"};
    cli_table table;
    cli_table_open(&table, heads, sizeof heads / sizeof *heads);
    for (int32_t c = 0; c < noise->n_channels; c++) {
        for (int32_t b = 0; b <= noise->n_bins; b++) {
            const sac_noise_figures *f = &noise->figures[c * (noise->n_bins + 1) + b];
            if (b == noise->n_bins || f->n_pixels >= LEAST_PIXELS) {
                table_row(&table, noise, c, b == noise->n_bins, f);
            }
        }
    }
    cli_table_print(&table, stdout);
    printf("Standard deviations in levels of 0 to 255, from %" PRIu64 " frames of %" PRId64
           "x%" PRId64 ".\n",
           noise->n_frames, noise->info.w, noise->info.h);
}

static void put_row(cli_json *json, const cli_camera_noise *noise, int32_t c, int32_t bin)
{
    const sac_noise_figures *f = &noise->figures[c * (noise->n_bins + 1) + bin];
    const bool is_all = bin == noise->n_bins;
    cli_json_object(json, NULL);
    cli_json_string(json, "pipeline", "camera-noise");
    cli_json_string(json, "input", noise->input);
    cli_json_uint(json, "frames", noise->n_frames);
    cli_json_int(json, "w", noise->info.w);
    cli_json_int(json, "h", noise->info.h);
    cli_json_string(json, "channel", channel_name(noise, c));
    cli_json_real(json, "from_level", is_all ? 0 : 256.0 * bin / noise->n_bins);
    cli_json_real(json, "to_level", is_all ? 256 : 256.0 * (bin + 1) / noise->n_bins);
    cli_json_real(json, "level", f->brightness);
    cli_json_real(json, "pixels", f->n_pixels);
    cli_json_real(json, "random", f->random);
    cli_json_real(json, "row", f->row);
    cli_json_real(json, "column", f->column);
    cli_json_real(json, "frame", f->frame);
    cli_json_real(json, "temporal", f->temporal);
    cli_json_real(json, "fixed", f->fixed);
    cli_json_real(json, "fixed_row", f->fixed_row);
    cli_json_real(json, "fixed_column", f->fixed_column);
    cli_json_real(json, "clipped_share", f->clipped);
    cli_json_real(json, "restless_share", f->restless);
    cli_json_int(json, "read_ns", noise->read_ns);
    cli_json_int(json, "measure_ns", noise->measure_ns);
    cli_json_end_object(json);
}

/* Classes that no pixel has are left out. */
static int write_json(const cli_camera_noise *noise)
{
    cli_json json;
    cli_json_open_rows(&json, 0, (sac_device){0});
    for (int32_t c = 0; c < noise->n_channels; c++) {
        for (int32_t b = 0; b <= noise->n_bins; b++) {
            if (noise->figures[c * (noise->n_bins + 1) + b].n_pixels > 0) {
                put_row(&json, noise, c, b);
            }
        }
    }
    return cli_json_write(&json, noise->json);
}

static void warn(const cli_camera_noise *noise)
{
    double clipped = 0, restless = 0;
    for (int32_t c = 0; c < noise->n_channels; c++) {
        const sac_noise_figures *all = &noise->figures[(c + 1) * (noise->n_bins + 1) - 1];
        clipped = fmax(clipped, all->clipped);
        restless = fmax(restless, all->restless);
    }
    if (noise->n_frames < FEW_FRAMES) {
        cli_warn("%s: %" PRIu64 " frames are few to tell fixed from random noise: take 100",
                 noise->input, noise->n_frames);
    }
    if (restless > MOST_RESTLESS) {
        cli_warn("%s: %.1f %% of the pixels vary by more than noise does: something moves, the "
                 "light changes, or the video is compressed",
                 noise->input, 100 * restless);
    }
    if (clipped > MOST_CLIPPED) {
        cli_warn("%s: %.1f %% of the samples are 0 or 255, which cuts off their noise: the darkest "
                 "and brightest rows are too small",
                 noise->input, 100 * clipped);
    }
}

int cli_camera_noise_report(const cli_camera_noise *noise)
{
    if (!cli_is_dash(noise->json)) {
        print_table(noise);
    }
    warn(noise);
    return noise->json ? write_json(noise) : CLI_DONE;
}
