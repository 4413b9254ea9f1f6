/*
 * What a beamforming will take, told before it begins: memory by its sizes, time by a trial of some
 * thousand points.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include <saccade/array.h>

#include "job.h"
#include "tables.h"

/* Of points x transmits x elements x frames: from here on the work takes seconds, and a trial is
 * worth its time. A GPU is some hundred times as fast. */
#define LONG_SUMS 2e10
#define LONG_SUMS_GPU 5e12
#define TRIAL_SUMS 5e8          /* of a trial at most */
#define MOST_POINTS 268435456.0 /* that a plan takes: it refuses more by itself */
#define LONG_NS 10e9            /* what is told of without a question */
#define TRIAL_X 2048            /* points of a trial along x and y, and its rows along z */
#define TRIAL_Y 2
#define TRIAL_ROWS 32
#define KEPT_IMAGES 32 /* of a batch */

double cli_beamform_free_bytes(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    double kib = 0;
    while (file && kib == 0 && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemAvailable: %lf", &kib) != 1) {
            kib = 0;
        }
    }
    if (file) {
        fclose(file);
    }
    return 1024 * kib;
}

/* Of a picture, 0 of none. */
static double points_of(const sac_grid *grid)
{
    return (double)grid->n[0] * (double)grid->n[1] * (double)grid->n[2];
}

static double count_images(const cli_beamform_job *job, const sac_array *in)
{
    return (double)in->shape[0] * (job->desc.lri ? (double)in->shape[1] : 1);
}

/* Of an image's value, and of what those of 8 bits are made from. */
static double value_bytes(const cli_beamform_job *job, const sac_array *in)
{
    const sac_beamform_desc *d = &job->desc;
    const bool is_iq = d->demodulate != SAC_DEMODULATE_NO || in->dtype == SAC_C64;
    return d->output == SAC_OUTPUT_GRAY ? 1 + 4 : d->output == SAC_OUTPUT_IQ && is_iq ? 8 : 4;
}

/* Of all images of a file. */
static double file_bytes(const cli_beamform_job *job, const sac_array *in)
{
    const sac_beamform_desc *d = &job->desc;
    const double values = points_of(d->picture.n[0] > 0 ? &d->picture : &d->grid);
    return values * count_images(job, in) *
           (d->output == SAC_OUTPUT_GRAY ? 1 : value_bytes(job, in));
}

char *cli_beamform_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? cli_text("%.*s/", (int)(slash - path), path) : cli_text(".");
}

double cli_beamform_room_bytes(const char *path)
{
    struct statvfs there;
    char *folder = cli_beamform_folder(path);
    const bool is_known = statvfs(folder, &there) == 0 && there.f_blocks > 0;
    free(folder);
    return is_known ? (double)there.f_bavail * (double)there.f_frsize : -1;
}

/* The image, what 8 bits are made from, and the samples as the plan holds them. */
static double needed_bytes(const cli_beamform_job *job, const sac_array *in)
{
    const sac_beamform_desc *d = &job->desc;
    const bool is_iq = d->demodulate != SAC_DEMODULATE_NO || in->dtype == SAC_C64;
    const double images = count_images(job, in);
    const bool converts = d->picture.n[0] > 0;
    const double values = points_of(converts ? &d->picture : &d->grid) * images;
    const double value = value_bytes(job, in);
    /* Points of a sector are listed, and its envelopes kept before they are converted. */
    const double list = d->grid_kind == SAC_GRID_SECTOR ? 52 * points_of(&d->grid) : 0;
    const double places = converts ? 16 * points_of(&d->picture) : 0;
    const double polar = converts ? 4 * points_of(&d->grid) * fmin(images, KEPT_IMAGES) : 0;
    return values * value + list + places + polar + (double)sac_array_count(in) * (is_iq ? 8 : 4);
}

/* The grid with fewer rows: along x, where points lie together in memory, it stays as it is if
 * `sums` of a point allow that. */
static sac_grid trial_grid(const sac_grid *grid, int64_t n_rows, double sums)
{
    const double along_x = fmax(2, TRIAL_SUMS / (sums * TRIAL_Y * TRIAL_ROWS));
    const int64_t most[3] = {(int64_t)fmin(TRIAL_X, along_x), TRIAL_Y, n_rows};
    sac_grid trial = *grid;
    for (int i = 0; i < 3; i++) {
        trial.n[i] = trial.n[i] < most[i] ? trial.n[i] : most[i];
    }
    return trial;
}

/* The faster of two runs of the first frame; negative where it cannot be. */
static double trial_ns(const cli_beamform_job *job, const sac_array *in, const sac_grid *grid)
{
    sac_beamform *plan = NULL;
    sac_beamform_desc desc = job->desc;
    sac_array frame = *in;
    double best = -1;
    desc.grid = *grid;
    desc.picture.n[0] = 0;
    desc.n_frames = frame.shape[0] = 1;
    desc.progress = NULL;
    if (sac_beamform_open(&plan, &desc, NULL) != SAC_OK) {
        return best;
    }
    sac_array image = sac_beamform_get_output_array(plan);
    image.data = malloc((size_t)sac_array_count(&image) * sac_dtype_size(image.dtype));
    for (int run = 0; image.data && run < 2; run++) {
        int64_t start_ns = cli_clock_ns();
        bool done = sac_beamform_run(plan, &image, &frame, NULL) == SAC_OK;
        double ns = done ? (double)(cli_clock_ns() - start_ns) : -1;
        best = run == 0 || ns < best ? ns : best;
    }
    free(image.data);
    sac_beamform_close(&plan);
    return best;
}

/* Samples of the first frame for `in`, which may be without: whether they are there. */
static bool read_first(sac_recording **first, const cli_beamform_job *job, sac_array *in)
{
    sac_recording_desc desc = job->recording_desc;
    desc.n_frames = 1;
    if (!in->data && sac_recording_read(first, job->input, &desc, NULL) == SAC_OK) {
        in->data = sac_recording_get_array(*first).data;
    }
    return in->data;
}

/* By the slope between two trials: what a frame costs whatever the grid is not multiplied. 0: short
 * work, or not known. */
static double estimated_ns(const cli_beamform_job *job, const sac_array *in)
{
    const sac_grid *grid = &job->desc.grid;
    const double sums = (double)in->shape[1] * (double)in->shape[2]; /* of a point */
    const bool is_gpu = job->desc.device.kind != SAC_DEVICE_CPU;
    if (points_of(grid) * sums * (double)in->shape[0] < (is_gpu ? LONG_SUMS_GPU : LONG_SUMS)) {
        return 0;
    }
    if (job->desc.method == SAC_METHOD_DUAL_STAGE) { /* some rows of it take as long as all */
        return 0;
    }
    const sac_grid few = trial_grid(grid, TRIAL_ROWS / 4, sums);
    const sac_grid many = trial_grid(grid, TRIAL_ROWS, sums);
    double n = points_of(&many) - points_of(&few);
    sac_array frame = *in;
    sac_recording *first = NULL;
    if (!read_first(&first, job, &frame)) {
        return 0;
    }
    double few_ns = trial_ns(job, &frame, &few), many_ns = trial_ns(job, &frame, &many);
    sac_recording_close(&first);
    if (!(n > 0 && few_ns > 0 && many_ns > 0)) {
        return 0;
    }
    /* Where other work held up the smaller trial, the larger one by itself is a bound. */
    double a_point = many_ns > few_ns ? (many_ns - few_ns) / n : many_ns / points_of(&many);
    return points_of(grid) * (double)in->shape[0] * a_point;
}

/* ", about 12 min"; "" of 0. */
static const char *about(char *text, size_t size, double ns)
{
    double s = 1e-9 * ns;
    text[0] = '\0';
    if (s > 0) {
        snprintf(text, size,
                 s < 100    ? ", about %.0f s"
                 : s < 6000 ? ", about %.0f min"
                            : ", about %.0f h",
                 s < 100    ? fmax(1, s)
                 : s < 6000 ? s / 60
                            : s / 3600);
    }
    return text;
}

int cli_beamform_size(const cli_beamform_job *job, const sac_array *in, int64_t n_frames)
{
    char time[32];
    sac_array all = *in;
    all.shape[0] = n_frames;
    const int64_t *n = job->desc.grid.n;
    if (points_of(&job->desc.grid) > MOST_POINTS) {
        return CLI_DONE;
    }
    double bytes = needed_bytes(job, in), there = cli_beamform_free_bytes(),
           ns = estimated_ns(job, &all);
    about(time, sizeof time, ns);
    if (there > 0 && bytes > there / 2 && !job->options.yes) {
        return cli_fail("--grid: %" PRId64 " x %" PRId64 " x %" PRId64 " points of %" PRId64
                        " frame%s take %.3g GB%s, more than half of the %.3g GB that are free: "
                        "expected fewer points or --frames, or --yes",
                        n[0], n[1], n[2], in->shape[0], cli_s(in->shape[0]), 1e-9 * bytes, time,
                        1e-9 * there);
    }
    const bool is_in_parts = n_frames > in->shape[0];
    const double file = is_in_parts ? file_bytes(job, &all) : 0,
                 room = is_in_parts ? cli_beamform_room_bytes(job->output) : -1;
    if (is_in_parts && room >= 0 && file > room && !job->options.yes && !job->options.resume) {
        return cli_fail("--grid: %" PRId64 " x %" PRId64 " x %" PRId64 " points of %" PRId64
                        " frames take %.3g GB%s, more than the %.3g GB that are free where `%s` "
                        "goes: expected fewer points or --frames, or --yes",
                        n[0], n[1], n[2], n_frames, 1e-9 * file, time, 1e-9 * room, job->output);
    }
    if (ns > LONG_NS) {
        cli_note("%.3g points of %" PRId64 " frame%s: %.3g GB of memory%s",
                 points_of(&job->desc.grid), n_frames, cli_s(n_frames), 1e-9 * bytes, time);
    }
    return CLI_DONE;
}
