/*
 * A camera's noise: standard deviations from the sums of its frames. Components of variance by the
 * method of moments: each sum of squares is set to what it is expected to be.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "motion/camera_noise.h"

#include <math.h>
#include <string.h>

#define PIXEL_GAIN 36.0 /* sum of the squared weights of (1 -2 1) x (1 -2 1) */
#define LINE_GAIN 6.0   /* of (1 -2 1) */

/* A class whose pixels vary by so much more than all the picture's is one of what moves: a camera's
 * noise varies less with brightness. */
#define MOST_OF_MEDIAN 8

static double deviation(double variance)
{
    return variance > 0 ? sqrt(variance) : variance <= 0 ? 0 : (double)NAN;
}

/* Variances of one frame, half of those of a difference of two. */
typedef struct moving {
    double pixel, row, column, frame, all;
} moving;

static moving moving_of(const sac_noise_sums *s)
{
    const double pixel = (s->total - s->rows - s->columns) / s->pixel_freedom;
    const double row = (s->rows - s->row_freedom * pixel) / s->row_weight;
    const double column = (s->columns - s->column_freedom * pixel) / s->column_weight;
    const double share = s->n_pairs * pixel + s->row_share * row + s->column_share * column;
    moving v = {0.5 * pixel, 0.5 * row, 0.5 * column, 0.5 * (s->mean - share) / s->n,
                0.5 * s->square / s->n};
    if (!(s->pixel_freedom >= 1 && s->row_weight > 0 && s->column_weight > 0))
        v.pixel = v.row = v.column = v.frame = (double)NAN;
    return v;
}

static void give_moving(sac_noise_figures *out, const sac_noise_sums *s, int64_t n_frames)
{
    const moving v = moving_of(s);
    const bool has = s->n > 0;
    *out = (sac_noise_figures){
        .brightness = has ? s->brightness / s->n : (double)NAN,
        .n_pixels = s->n / (double)(n_frames - 1),
        .random = deviation(v.pixel),
        .row = deviation(v.row),
        .column = deviation(v.column),
        .frame = deviation(v.frame),
        .temporal = deviation(has ? v.all : (double)NAN),
        .clipped = has ? s->clipped / s->n : (double)NAN,
    };
}

static int32_t bin_of(const sac_camera_noise *m, uint64_t sum)
{
    const uint64_t n = (uint64_t)m->n_frames, twice = (2 * sum + n / 2) / n;
    const uint64_t most = 2 * (uint64_t)m->desc.white;
    return m->bin[twice < most ? twice : most];
}

/* Sums of the mean frame's second differences, n_frames times as large: of one class. The pair's
 * fields serve: `square` of single pixels, the others of rows and columns. */
static void add_line(sac_noise_line *line, int64_t value)
{
    line->sum += value;
    line->n++;
}

static void end_line(double *squares, double *n_lines, sac_noise_line *line)
{
    if (line->n) {
        *squares += (double)line->sum * (double)line->sum / (double)line->n;
        ++*n_lines;
    }
    *line = (sac_noise_line){0};
}

/* The second differences along a row of the channel `sum`, across it, and both. */
static void add_fixed_row(sac_camera_noise *m, const uint64_t *sum, int64_t y)
{
    const int32_t n_bins = m->desc.n_bins;
    const int64_t w = m->desc.w;
    for (int64_t x = 1; x < w - 1; x++) {
        int64_t across[3], along = 0;
        for (int i = 0; i < 3; i++) {
            const uint64_t *at = sum + y * w + x + i - 1;
            across[i] = (int64_t)at[-w] - 2 * (int64_t)at[0] + (int64_t)at[w];
            along += (i == 1 ? -2 : 1) * (int64_t)at[0];
        }
        const int64_t both = across[0] - 2 * across[1] + across[2];
        const int32_t bins[] = {bin_of(m, sum[y * w + x]), n_bins};
        for (int i = 0; i < 2; i++) {
            sac_noise_pair *pair = &m->pair[bins[i]];
            pair->n++;
            pair->square += (double)both * (double)both;
            add_line(&m->row[bins[i]], across[1]);
            add_line(&m->columns[x * (n_bins + 1) + bins[i]], along);
        }
    }
    for (int32_t b = 0; b <= n_bins; b++)
        end_line(&m->pair[b].row_squares, &m->pair[b].n_rows, &m->row[b]);
}

static void give_fixed(sac_noise_figures *out, const sac_noise_pair *p, const sac_noise_sums *s,
                       int64_t n_frames)
{
    const moving v = moving_of(s);
    const double t = (double)n_frames, scale = t * t;
    const double pixel = p->square / (PIXEL_GAIN * p->n * scale);
    const double row =
        (p->row_squares / scale - LINE_GAIN * p->n_rows * pixel) / (LINE_GAIN * p->n);
    const double column =
        (p->column_squares / scale - LINE_GAIN * p->n_columns * pixel) / (LINE_GAIN * p->n);
    out->fixed = deviation(pixel - v.pixel / t);
    out->fixed_row = deviation(row - v.row / t);
    out->fixed_column = deviation(column - v.column / t);
}

static void measure_fixed(sac_camera_noise *m, sac_noise_figures *figures, int32_t c)
{
    const int32_t n_bins = m->desc.n_bins;
    const uint64_t *sum = m->sum + c * m->desc.w * m->desc.h;
    for (int64_t y = 1; y < m->desc.h - 1; y++)
        add_fixed_row(m, sum, y);
    for (int64_t x = 0; x < m->desc.w; x++)
        for (int32_t b = 0; b <= n_bins; b++)
            end_line(&m->pair[b].column_squares, &m->pair[b].n_columns,
                     &m->columns[x * (n_bins + 1) + b]);
    for (int32_t b = 0; b <= n_bins; b++)
        give_fixed(&figures[b], &m->pair[b], &m->sums[c * (n_bins + 1) + b], m->n_frames);
    memset(m->pair, 0, ((size_t)n_bins + 1) * sizeof *m->pair);
}

/* Variances over time in quarters of an octave, from a quarter of a quantization step's on. */
static int32_t step_of(double variance)
{
    const double step = 4 * log2(1 + 48 * variance);
    return step < SAC_NOISE_STEPS - 1 ? (int32_t)step : SAC_NOISE_STEPS - 1;
}

/*
 * From which step on a pixel varies by more than noise whose median variance is `median`: twice the
 * quantile of chi squared that one in 3 million exceeds (Wilson and Hilferty), and more than
 * rounding makes.
 */
static int32_t step_of_motion(double median, int64_t n_frames)
{
    const double a = 2 / (9 * (double)(n_frames - 1)), most = 1 - a + 5 * sqrt(a);
    const double mean = median / pow(fmax(1 - a, 0.5), 3);
    return step_of(2 * mean * most * most * most + 0.25) + 1;
}

static uint64_t count_from(const uint64_t *counts, int32_t step)
{
    uint64_t n = 0;
    for (int32_t i = step; i < SAC_NOISE_STEPS; i++)
        n += counts[i];
    return n;
}

static double median_of(const uint64_t *counts)
{
    const uint64_t n = count_from(counts, 0);
    uint64_t below = 0;
    int32_t middle = 0;
    while (middle < SAC_NOISE_STEPS - 1 && (below += counts[middle]) * 2 < n)
        middle++;
    return (exp2((middle + 0.5) / 4) - 1) / 48;
}

static void measure_restless(sac_camera_noise *m, sac_noise_figures *figures, int32_t c)
{
    const int64_t n = m->desc.w * m->desc.h;
    const int32_t n_bins = m->desc.n_bins;
    const double t = (double)m->n_frames;
    uint64_t *spread = m->spread, *all = spread + n_bins * SAC_NOISE_STEPS, found = 0;
    memset(spread, 0, ((size_t)n_bins + 1) * SAC_NOISE_STEPS * sizeof *spread);
    for (int64_t i = c * n; i < (c + 1) * n; i++) {
        const double sum = (double)m->sum[i];
        const double variance = fmax(((double)m->squares[i] - sum * sum / t) / (t - 1), 0);
        const int32_t step = step_of(variance);
        spread[bin_of(m, m->sum[i]) * SAC_NOISE_STEPS + step]++;
        all[step]++;
    }
    const double most = MOST_OF_MEDIAN * median_of(all);
    for (int32_t b = 0; b < n_bins; b++) {
        const uint64_t *counts = spread + b * SAC_NOISE_STEPS, n_pixels = count_from(counts, 0);
        const double median = fmin(median_of(counts), most);
        const uint64_t beyond = count_from(counts, step_of_motion(median, m->n_frames));
        figures[b].restless = n_pixels ? (double)beyond / (double)n_pixels : (double)NAN;
        found += beyond;
    }
    figures[n_bins].restless = (double)found / (double)n;
}

sac_status sac_camera_noise_get_figures(sac_camera_noise *noise, sac_noise_figures *figures,
                                        int32_t channel, sac_error *err)
{
    if (!noise || !figures)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", noise ? "figures" : "noise");
    if (channel < 0 || channel >= noise->desc.n_channels)
        return sac_fail(err, SAC_E_INVALID, "channel: expected 0 to %d, got %d",
                        noise->desc.n_channels - 1, channel);
    if (noise->n_frames < 2)
        return sac_fail(err, SAC_E_INVALID, "noise: expected two frames or more, got %lld",
                        (long long)noise->n_frames);
    const sac_noise_sums *sums = noise->sums + channel * (noise->desc.n_bins + 1);
    for (int32_t b = 0; b <= noise->desc.n_bins; b++)
        give_moving(&figures[b], &sums[b], noise->n_frames);
    measure_fixed(noise, figures, channel);
    measure_restless(noise, figures, channel);
    return SAC_OK;
}
