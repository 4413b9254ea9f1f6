/*
 * saccade meltpool calibrate: where the laser is in the picture, from a recording.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <saccade/frames.h>
#include <saccade/io.h>
#include <saccade/meltpool_calibrate.h>

#include "json.h"
#include "options.h"
#include "outputs.h"
#include "progress.h"
#include "videos.h"

#define BATCH_BYTES (4 << 20) /* of frames in memory */

typedef struct calibrate_options {
    size_t struct_size;
    const char *output, *json;
    int32_t threshold;
} calibrate_options;

#define FIELD(name) offsetof(calibrate_options, name)

static const sac_param params[] = {
    {"output", CLI_STRING(output), "FILE",
     "the calibration as text, for saccade meltpool --calibration FILE; - is standard output"},
    {"threshold", CLI_INT(threshold, 1, 255, 60, "levels"), "T",
     "lowest value of a bright pixel; the pool is the component of them with the most light"},
    {"json", CLI_STRING(json), "FILE",
     "write calibration, residual and counts as JSON; - is standard output"},
};

static const sac_param_table own_options =
    CLI_TABLE("meltpool calibrate", calibrate_options, params);

typedef struct calibrating {
    const calibrate_options *options;
    const char *input;
    sac_frames_in *in;
    const sac_frames_info *info;
    uint8_t *frames;               /* (n_batch, h, w) */
    sac_meltpool_signals *signals; /* (n_batch) */
    int64_t n_batch;
    sac_meltpool_sight *sights; /* (n_frames) */
    sac_meltpool_fit fit;
} calibrating;

static int open_input(calibrating *c)
{
    sac_error err = {0};
    if (sac_frames_open(&c->in, c->input, &err) != SAC_OK) {
        return cli_error(&err);
    }
    c->info = sac_frames_get_info(c->in);
    if (!c->info->has_signals) {
        return cli_fail("`%s`: has no /signals that say where the laser is, which a calibration "
                        "needs",
                        c->input);
    }
    const size_t pixels = (size_t)c->info->w * (size_t)c->info->h;
    c->n_batch = (int64_t)(BATCH_BYTES / pixels) + 1;
    c->frames = cli_grow(NULL, 0, (size_t)c->n_batch * pixels, 1);
    c->signals = cli_grow(NULL, 0, (size_t)c->n_batch, sizeof *c->signals);
    c->sights = cli_grow(NULL, 0, (size_t)c->info->n_frames, sizeof *c->sights);
    return CLI_DONE;
}

static int see_all(calibrating *c)
{
    sac_error err = {0};
    sac_status st = SAC_OK;
    cli_progress progress;
    cli_progress_open(&progress, "frames");
    const int64_t n_frames = c->info->n_frames;
    for (int64_t first = 0; first < n_frames && st == SAC_OK; first += c->n_batch) {
        const int64_t left = n_frames - first, n = left < c->n_batch ? left : c->n_batch;
        const int64_t shape[] = {n, c->info->h, c->info->w};
        sac_array frames;
        st = sac_frames_read(c->in, c->frames, c->signals, NULL, first, n, &err);
        st = st ? st : sac_array_view(&frames, c->frames, SAC_U8, 3, shape, &err);
        st = st ? st
                : sac_meltpool_see(c->sights + first, &frames, c->signals, c->options->threshold,
                                   &err);
        cli_progress_step(&progress, (uint64_t)(first + n), (uint64_t)n_frames);
    }
    cli_progress_hide(&progress);
    return st == SAC_OK ? CLI_DONE : cli_error(&err);
}

/* A recording that tells no calibration is no wrong usage. */
static int fit(calibrating *c)
{
    sac_error err = {0};
    c->fit = (sac_meltpool_fit){.struct_size = sizeof c->fit};
    return sac_meltpool_calibrate(&c->fit, c->sights, c->info->n_frames, &err) == SAC_OK
               ? CLI_DONE
               : cli_fail("`%s`: %s", c->input, err.text);
}

/* Two rows of three; twelve digits are a billionth of a pixel. */
static char *text_of(const sac_meltpool_fit *f)
{
    const double(*m)[3] = f->calibration;
    return cli_text("%.12g %.12g %.12g\n%.12g %.12g %.12g\n", m[0][0], m[0][1], m[0][2], m[1][0],
                    m[1][1], m[1][2]);
}

/* How far apart the recording's own calibration and this one put the laser, in pixels, at most; NAN
 * where it has none. */
static double apart(const calibrating *c)
{
    double most = 0;
    for (int64_t i = 0; i < c->info->n_frames; i++) {
        const sac_meltpool_signals *at = &c->sights[i].signals;
        double off[2];
        for (int k = 0; k < 2; k++) {
            const double *a = c->fit.calibration[k], *b = c->info->calibration[k];
            off[k] = (a[0] - b[0]) * at->x + (a[1] - b[1]) * at->y + a[2] - b[2];
        }
        most = c->sights[i].flags ? most : fmax(most, hypot(off[0], off[1]));
    }
    return c->info->has_calibration ? most : (double)NAN;
}

static void print(const calibrating *c)
{
    const sac_meltpool_fit *f = &c->fit;
    const double(*m)[3] = f->calibration;
    const double own = apart(c);
    printf("%s: %" PRId64 " frame%s of %d x %d: %" PRId64 " used\n", c->input, f->frames,
           cli_s(f->frames), c->info->w, c->info->h, f->used);
    printf("  left out       laser off %" PRId64 ", no pool %" PRId64 ", pool at the edge %" PRId64
           ", direction unknown %" PRId64 ", outliers %" PRId64 "\n",
           f->laser_off, f->no_pool, f->clipped, f->turning, f->outliers);
    printf("  calibration    column = %.6g x %+.6g y %+.6g\n", m[0][0], m[0][1], m[0][2]);
    printf("                 row = %.6g x %+.6g y %+.6g\n", m[1][0], m[1][1], m[1][2]);
    printf("  residual       median %.3g pixels, 95th percentile %.3g, largest %.3g\n", f->median,
           f->p95, f->max);
    if (f->has_lag) {
        printf("  lag            the pool's centroid is %.3g pixels behind the laser\n", f->lag);
    }
    if (isfinite(own)) {
        printf("  IN's own       differs by up to %.3g pixels where the laser was\n", own);
    }
    if (*sac_meltpool_fit_doubt(f)) {
        printf("  warning        %s\n", sac_meltpool_fit_doubt(f));
    }
    printf("  file           %s\n", c->options->output);
}

static int write_json(const calibrating *c)
{
    const sac_meltpool_fit *f = &c->fit;
    const char *doubt = sac_meltpool_fit_doubt(f);
    cli_json json;
    cli_json_open_rows(&json, 0, (sac_device){0});
    cli_json_object(&json, NULL);
    cli_json_string(&json, "input", c->input);
    cli_json_string(&json, "output", c->options->output);
    cli_json_array(&json, "calibration");
    for (int i = 0; i < 6; i++) {
        cli_json_real(&json, NULL, f->calibration[i / 3][i % 3]);
    }
    cli_json_end_array(&json);
    cli_json_real(&json, "lag_pixels", f->has_lag ? f->lag : (double)NAN);
    cli_json_real(&json, "residual_median_pixels", f->median);
    cli_json_real(&json, "residual_p95_pixels", f->p95);
    cli_json_real(&json, "residual_max_pixels", f->max);
    cli_json_real(&json, "own_differs_pixels", apart(c));
    cli_json_int(&json, "frames", f->frames);
    cli_json_int(&json, "used", f->used);
    cli_json_int(&json, "laser_off", f->laser_off);
    cli_json_int(&json, "no_pool", f->no_pool);
    cli_json_int(&json, "clipped", f->clipped);
    cli_json_int(&json, "turning", f->turning);
    cli_json_int(&json, "outliers", f->outliers);
    cli_json_string(&json, "warning", *doubt ? doubt : NULL);
    cli_json_end_object(&json);
    return cli_json_write(&json, c->options->json);
}

static int write_all(const calibrating *c)
{
    const calibrate_options *o = c->options;
    sac_error err = {0};
    char *text = text_of(&c->fit);
    fflush(stdout);
    const sac_status st = sac_file_write(o->output, text, strlen(text), &err);
    free(text);
    int status = st == SAC_OK ? CLI_DONE : cli_error(&err);
    if (status == CLI_DONE && o->json) {
        status = write_json(c);
    }
    if (status == CLI_DONE && !cli_is_dash(o->output) && !cli_is_dash(o->json)) {
        print(c);
    } else if (status == CLI_DONE && *sac_meltpool_fit_doubt(&c->fit)) {
        cli_warn("%s", sac_meltpool_fit_doubt(&c->fit));
    }
    return status;
}

static int check(const calibrate_options *o, int argc, char **argv)
{
    const char *const written[] = {o->output, o->json};
    if (argc != 1) {
        return cli_misuse(&cli_meltpool_calibration,
                          argc ? "one input expected, got %d" : "no input given", argc);
    }
    if (!o->output) {
        return cli_misuse(&cli_meltpool_calibration, "no output given: -o FILE");
    }
    const char *const read[] = {argv[0]};
    int status = cli_inputs_kept(&cli_meltpool_calibration, read, 1, written, 2);
    status =
        status ? status : cli_outputs_apart(&cli_meltpool_calibration, written, 2, "-o and --json");
    status = status ? status : cli_report_check(o->output);
    return status ? status : cli_report_check(o->json);
}

static int run(int argc, char **argv)
{
    calibrate_options options;
    int status = cli_parse(&cli_meltpool_calibration, NULL, &options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    status = check(&options, argc, argv);
    if (status) {
        return status;
    }
    calibrating c = {.options = &options, .input = argv[0]};
    status = open_input(&c);
    status = status ? status : see_all(&c);
    status = status ? status : fit(&c);
    status = status ? status : write_all(&c);
    sac_frames_close(&c.in);
    free(c.frames);
    free(c.signals);
    free(c.sights);
    return status;
}

static const char *const examples[] = {
    "of a recorded layer; then use it", "saccade meltpool calibrate layer.h5 -o camera.txt",
    "for a file, or for live frames", "saccade meltpool day.h5 --calibration camera.txt -o day.csv",
    NULL};

const cli_command cli_meltpool_calibration = {
    .name = "meltpool calibrate",
    .summary = "where the laser is in the picture: fits the calibration to a recording",
    .usage = "IN.h5 -o FILE [OPTION]...",
    .about =
        "IN has frames and the machine's signals (docs/formats.md), of a scan over an area: a\n"
        "layer, or some lines in two directions. The six numbers that turn the laser's x and y\n"
        "into pixels are fitted to the centroids of the pools. Spatters that are taken for pools\n"
        "are found and left out. The pool's centroid lags behind the laser; this is fitted too,\n"
        "and is not in the calibration. The residual says how well the numbers fit. A recording\n"
        "that does not tell them is refused.",
    .examples = examples,
    CLI_RUNS(run, NULL, &own_options),
};
