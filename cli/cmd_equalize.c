/*
 * saccade equalize: pictures in, equalized pictures out.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <saccade/equalize.h>
#include <saccade/io.h>
#include <saccade/measure.h>

#include "equalize_report.h"
#include "options.h"
#include "outputs.h"
#include "progress.h"

typedef struct equalize_options {
    size_t struct_size;
    const char *output, *format, *roi, *stats, *plot;
} equalize_options;

#define FIELD(name) offsetof(equalize_options, name)

static const sac_param params[] = {
    {"output", SAC_PARAM_STRING, FIELD(output), 0, 0, 0, NULL, "", "OUT",
     "the picture to write, its format by its ending; - is standard output. A folder (existing, or "
     "a name that ends in / and is made) keeps each input's name. May be the input itself"},
    {"format", SAC_PARAM_STRING, FIELD(format), 0, 0, 0, NULL, "", "FMT",
     "write this format (ppm, pam, png, jpg, tif, webp, ...), whatever the ending; in a folder "
     "names get this ending"},
    {"roi", SAC_PARAM_STRING, FIELD(roi), 0, 0, 0, NULL, "", "WxH+X+Y",
     "equalize this region only, W x H pixels whose upper left one is (X, Y), from its own "
     "histogram; the rest stays as it was"},
    {"stats", SAC_PARAM_STRING, FIELD(stats), 0, 0, 0, NULL, "", "FILE.json",
     "write times and histograms, a row a picture, as JSON; - is standard output"},
    {"plot", SAC_PARAM_STRING, FIELD(plot), 0, 0, 0, NULL, "", "FILE.svg",
     "draw each picture's histogram and cumulative line, before and after"},
};

static const sac_param_table own_options = {"equalize", "", sizeof(equalize_options), params,
                                            sizeof params / sizeof *params};

typedef struct region {
    int64_t w, h, x, y;
} region;

/* All that the pictures of one command share. */
typedef struct equalize_job {
    sac_equalize_desc desc;
    equalize_options options;
    region roi;
    sac_equalize *plan; /* for pictures like the last one */
    cli_json stats;
    cli_plot_pair *pairs;
    size_t n_pairs;
} equalize_job;

static int parse_roi(region *roi, const char *text)
{
    int end = -1;
    bool good =
        !text || (sscanf(text, "%" SCNd64 "x%" SCNd64 "+%" SCNd64 "+%" SCNd64 "%n", &roi->w,
                         &roi->h, &roi->x, &roi->y, &end) == 4 &&
                  text[end] == '\0' && roi->w > 0 && roi->h > 0 && roi->x >= 0 && roi->y >= 0);
    return good ? CLI_DONE
                : cli_misuse(&cli_equalize, "--roi: expected WxH+X+Y, as 640x480+0+0, got `%s`",
                             text);
}

/* The part of the picture that is equalized. */
static int view_region(sac_array *view, const sac_array *picture, const equalize_job *job,
                       const char *input)
{
    sac_error err = {0};
    sac_array rows;
    *view = *picture;
    if (job->options.roi &&
        (sac_array_range(&rows, picture, 0, job->roi.y, job->roi.h, &err) != SAC_OK ||
         sac_array_range(view, &rows, 1, job->roi.x, job->roi.w, &err) != SAC_OK)) {
        return cli_fail("`%s`: region %s does not fit in %" PRId64 "x%" PRId64 " pixels", input,
                        job->options.roi, picture->shape[1], picture->shape[0]);
    }
    return CLI_DONE;
}

/* The plan for pictures of this type and shape: the last one where that fits. */
static int open_plan(equalize_job *job, const sac_array *view, const char *input)
{
    sac_error err = {0};
    sac_equalize_desc *desc = &job->desc;
    int32_t n_channels = view->n_dims > 2 ? (int32_t)view->shape[2] : 1;
    if (job->plan && desc->dtype == view->dtype && desc->w == view->shape[1] &&
        desc->h == view->shape[0] && desc->n_channels == n_channels) {
        return CLI_DONE;
    }
    desc->dtype = view->dtype;
    desc->w = view->shape[1];
    desc->h = view->shape[0];
    desc->n_channels = n_channels;
    sac_equalize_close(&job->plan);
    sac_status st = sac_equalize_open(&job->plan, desc, &err);
    return st == SAC_OK ? CLI_DONE : cli_fail("`%s`: %s", input, err.text);
}

/* Counts the region's V as the plan does; NULL where nobody asked. *counts is to be freed. */
static int count(uint64_t **counts, const equalize_job *job, const sac_array *view)
{
    sac_error err = {0};
    *counts = NULL;
    if (!job->options.stats && !job->options.plot) {
        return CLI_DONE;
    }
    int32_t bins = 0;
    sac_equalize_counts(job->plan, &bins);
    *counts = cli_grow(NULL, 0, (size_t)bins, sizeof **counts);
    sac_status st = sac_measure_histogram(*counts, bins, view, SAC_INTERLEAVED, &err);
    return st == SAC_OK ? CLI_DONE : cli_error(&err);
}

static void report(equalize_job *job, cli_equalize_row *row)
{
    sac_equalize_counts(job->plan, &row->bins);
    if (job->options.stats) {
        row->region = job->options.roi;
        row->plan = job->plan;
        row->desc = &job->desc;
        cli_equalize_stats(&job->stats, row);
    }
    if (job->options.plot) {
        job->pairs = cli_grow(job->pairs, job->n_pairs, job->n_pairs + 1, sizeof *job->pairs);
        cli_plot_pair *pair = &job->pairs[job->n_pairs++];
        pair->name = cli_base_name(row->input);
        pair->color = job->desc.n_channels > 2;
        for (int side = 0; side < 2; side++) {
            cli_histogram_gather(&pair->side[side], row->counts[side], row->bins, job->desc.dtype);
        }
    }
}

/* Equalizes a picture in memory and writes it. */
static int equalize_picture(equalize_job *job, sac_picture *picture, cli_equalize_row *row)
{
    sac_error err = {0};
    sac_array whole = sac_picture_array(picture);
    sac_array view;
    uint64_t *counts[2] = {NULL, NULL};
    int status = view_region(&view, &whole, job, row->input);
    status = status ? status : open_plan(job, &view, row->input);
    status = status ? status : count(&counts[0], job, &view);
    if (status) {
        goto done;
    }
    int64_t start_ns = cli_clock_ns();
    sac_status st = sac_equalize_run(job->plan, &view, &view);
    row->equalize_ns = cli_clock_ns() - start_ns;
    if (st != SAC_OK) {
        status = cli_fail("`%s`: equalize: %s", row->input, sac_status_name(st));
        goto done;
    }
    status = count(&counts[1], job, &view);
    if (status) {
        goto done;
    }
    start_ns = cli_clock_ns();
    st = sac_picture_write(picture, row->output, job->options.format, &err);
    row->write_ns = cli_clock_ns() - start_ns;
    if (st != SAC_OK) {
        status = cli_fail("%s", err.text);
        goto done;
    }
    row->picture = &whole;
    row->counts[0] = counts[0];
    row->counts[1] = counts[1];
    report(job, row);
done:
    free(counts[0]);
    free(counts[1]);
    return status;
}

static int equalize_file(equalize_job *job, const char *input, const char *output)
{
    sac_error err = {0};
    sac_picture *picture = NULL;
    cli_equalize_row row = {.input = input, .output = output};
    int64_t start_ns = cli_clock_ns();
    if (sac_picture_read(&picture, input, 0, &err) != SAC_OK) {
        return cli_fail("%s", err.text);
    }
    row.read_ns = cli_clock_ns() - start_ns;
    int status = equalize_picture(job, picture, &row);
    sac_picture_close(&picture);
    return status;
}

/* Every picture; a bad one is reported, and the others still done. */
static int equalize_files(equalize_job *job, char **inputs, char **outputs, int n)
{
    int worst = CLI_DONE;
    cli_progress progress;
    cli_progress_open(&progress, "pictures");
    for (int i = 0; i < n; i++) {
        if (n > 1) {
            cli_progress_step(&progress, (uint64_t)i, (uint64_t)n);
        }
        int status = outputs[i] ? equalize_file(job, inputs[i], outputs[i]) : CLI_FAILED;
        worst = status > worst ? status : worst;
    }
    cli_progress_hide(&progress);
    return worst;
}

/* Before any work: names that cannot be written are reported, and become NULL where others remain.
 */
static int check_outputs(char **outputs, int n, const char *format)
{
    for (int i = 0; i < n; i++) {
        sac_error err = {0};
        if (sac_picture_can_write(outputs[i], format, &err) != SAC_OK) {
            int status = cli_error(&err);
            if (n == 1) {
                return status;
            }
            free(outputs[i]);
            outputs[i] = NULL;
        }
    }
    return CLI_DONE;
}

/* Before any work: options that no picture could be equalized with. */
static int check_options(const sac_equalize_desc *desc)
{
    sac_error err[2] = {{0}};
    for (int deep = 0; deep < 2; deep++) {
        sac_equalize *plan = NULL;
        sac_equalize_desc probe = *desc;
        probe.dtype = deep ? SAC_U16 : SAC_U8;
        probe.w = probe.h = 64; /* room for any grid of tiles */
        probe.n_channels = 3;
        probe.n_threads = 1;
        sac_status st = sac_equalize_open(&plan, &probe, &err[deep]);
        sac_equalize_close(&plan);
        if (st == SAC_OK) {
            return CLI_DONE;
        }
    }
    return cli_error(&err[0]);
}

static bool is_stdout(const char *path)
{
    return path && !strcmp(path, "-");
}

static int check_operands(const equalize_options *options, char **inputs, int n)
{
    if (n < 1) {
        return cli_misuse(&cli_equalize, "no input given");
    }
    if (!options->output) {
        return cli_misuse(&cli_equalize, "no output given: -o OUT");
    }
    int n_stdin = 0;
    for (int i = 0; i < n; i++) {
        n_stdin += !strcmp(inputs[i], "-");
    }
    if (n_stdin > 1) {
        return cli_misuse(&cli_equalize, "standard input is named %d times", n_stdin);
    }
    if (is_stdout(options->output) + is_stdout(options->stats) + is_stdout(options->plot) > 1) {
        return cli_misuse(&cli_equalize, "standard output can take one of -o, --stats and --plot");
    }
    return CLI_DONE;
}

static int run_job(equalize_job *job, char **inputs, char **outputs, int n)
{
    bool made = false;
    int status = cli_report_check(job->options.stats);
    status = status ? status : cli_report_check(job->options.plot);
    status = status ? status : cli_outputs_folder(&made, job->options.output);
    status = status ? status : check_outputs(outputs, n, job->options.format);
    if (status) {
        return status;
    }
    if (job->options.stats) {
        cli_json_open_rows(&job->stats, 0, job->desc.device);
    }
    status = equalize_files(job, inputs, outputs, n);
    if (job->options.stats) {
        int written = cli_json_write(&job->stats, job->options.stats);
        status = status ? status : written;
    }
    if (job->n_pairs > 0) {
        int written = cli_equalize_plot(job->options.plot, job->pairs, job->n_pairs);
        status = status ? status : written;
    }
    if (made && status) {
        rmdir(job->options.output); /* goes only if nothing came into it */
    }
    free(job->pairs);
    sac_equalize_close(&job->plan);
    return status;
}

static int run(int argc, char **argv)
{
    equalize_job job = {0};
    int status = cli_parse(&cli_equalize, &job.desc, &job.options, &argc, &argv);
    if (status != CLI_GO) {
        return status;
    }
    status = check_operands(&job.options, argv, argc);
    status = status ? status : parse_roi(&job.roi, job.options.roi);
    status = status ? status : check_options(&job.desc);
    char **outputs = NULL;
    status = status ? status
                    : cli_outputs_name(&outputs, &cli_equalize, argv, argc, job.options.output,
                                       job.options.format);
    status = status ? status : run_job(&job, argv, outputs, argc);
    cli_outputs_free(outputs, argc);
    return status;
}

static const char *const examples[] = {
    "one picture, its format by the ending",
    "saccade equalize dark.jpg -o bright.png",
    "a whole folder, every name kept",
    "saccade equalize photos/*.jpg -o equalized/",
    "locally, 8 x 8 tiles, noise held back; with histograms drawn",
    "saccade equalize xray.tif --clahe 8 --clip 3 -o clear.tif --plot clear.svg",
    "in a pipe, timed",
    "djpeg a.jpg | saccade equalize - --stats a.json -o - | pnmtopng > a.png",
    NULL};

const cli_command cli_equalize = {
    .name = "equalize",
    .summary = "histogram equalization of pictures, exact and fast",
    .usage = "IN... -o OUT [OPTION]...",
    .about = "Spreads the brightness V = max(R, G, B) over its whole range and keeps hue and\n"
             "saturation: R, G and B of a pixel are scaled alike. Gray pictures are mapped by the\n"
             "same table; alpha is untouched. 8 and 16 bits a sample. PNM and PAM are built in;\n"
             "other formats come through libvips where the build has it (saccade info), and keep\n"
             "ICC profile and EXIF. IN may be -, standard input. A file is written whole or not\n"
             "at all; of several inputs a bad one is reported, and the others are still done.",
    .examples = examples,
    .pipeline = sac_equalize_params,
    .own = &own_options,
    .run = run,
};
