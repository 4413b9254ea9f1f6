/*
 * Pictures that saccade beamform writes: one a frame, numbered, or a movie of all.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "job.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <saccade/video.h>

#include "outputs.h"
#include "picture.h"
#include "progress.h"

/* Frames a second of a movie whose recording has another rate than eyes follow, or none. */
#define MOVIE_RATE 25
#define FASTEST_RATE 60

bool cli_beamform_is_picture(const char *path)
{
    static const char *const values[] = {".h5", ".hdf5", ".uff", ".npy", ".tif", ".tiff"};
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof values / sizeof *values; i++) {
        if (!strcasecmp(ending, values[i])) {
            return false;
        }
    }
    return true;
}

bool cli_beamform_is_movie(const char *path)
{
    const size_t n = strlen(path);
    return n > 4 && !strcasecmp(path + n - 4, ".y4m");
}

/* Whether the name has a place for a number: "b-%04d.png". */
static bool is_pattern(const char *path)
{
    return strchr(cli_base_name(path), '%') != NULL;
}

int cli_beamform_check_pattern(const char *path)
{
    const char *number = strchr(path, '%');
    if (!number) {
        return CLI_DONE;
    }
    const char *after = number + 1;
    while (isdigit((unsigned char)*after) && after - number < 3) {
        after++;
    }
    return *after == 'd' && !strchr(after, '%') && is_pattern(path)
               ? CLI_DONE
               : cli_misuse(&cli_beamform, "`%s`: expected one %%d or %%04d in the file's name",
                            path);
}

char *cli_beamform_series_name(const char *path, int64_t frame, int64_t n_frames)
{
    const char *ending = strrchr(path, '.');
    int stem = ending && !strchr(ending, '/') ? (int)(ending - path) : (int)strlen(path);
    return n_frames == 1 ? cli_text("%s", path)
                         : cli_text("%.*s-%04" PRId64 "%s", stem, path, frame, path + stem);
}

/* The plane of one frame, and of one transmit's, that a picture shows: (n_z, n_x). */
static sac_array plane_of(const sac_array *image, int64_t frame, int64_t tx, const sac_grid *grid)
{
    sac_array plane = {.dtype = image->dtype, .n_dims = 2, .shape = {grid->n[2], grid->n[0]}};
    int axis = 1;
    char *data = (char *)image->data + frame * image->stride[0];
    if (tx >= 0) {
        data += tx * image->stride[axis++];
    }
    plane.stride[0] = image->stride[axis++];
    if (grid->n[1] > 1) {
        data += grid->n[1] / 2 * image->stride[axis++];
    }
    plane.stride[1] = image->stride[axis];
    plane.data = data;
    return plane;
}

/* What a picture shows: "B-mode of disk.mat, frame 7 of 0 to 31, transmit 2 of 0 to 10, y = 1.50
 * mm". */
static char *title_of(const cli_beamform_job *job, int64_t i, int64_t n_frames, int64_t n_tx)
{
    const sac_grid *g = cli_beamform_grid(job);
    const int64_t first = job->recording_desc.first_frame;
    const char *name = cli_base_name(job->input);
    char frame[64] = "", transmit[64] = "", plane[48] = "";
    if (n_frames > 1 || first > 0) {
        snprintf(frame, sizeof frame, ", frame %" PRId64 " of %" PRId64 " to %" PRId64,
                 first + i / n_tx, first, first + n_frames - 1);
    }
    if (job->desc.lri) {
        snprintf(transmit, sizeof transmit, ", transmit %" PRId64 " of 0 to %" PRId64, i % n_tx,
                 n_tx - 1);
    }
    if (g->n[1] > 1 || fabs(g->first_m[1]) > 1e-9) {
        double step = g->n[1] > 1 ? (g->last_m[1] - g->first_m[1]) / (double)(g->n[1] - 1) : 0;
        snprintf(plane, sizeof plane, ", y = %.2f mm",
                 1e3 * (g->first_m[1] + step * (double)(g->n[1] / 2)));
    }
    return cli_text("B-mode of %s%s%s%s", name, frame, transmit, plane);
}

/* Picture i of n, with all that is around the image. */
static sac_status draw(sac_picture **out, const cli_beamform_job *job, const sac_array *image,
                       int64_t i, sac_error *err)
{
    const int64_t n_tx = job->desc.lri ? image->shape[1] : 1;
    const sac_grid *grid = cli_beamform_grid(job);
    sac_array plane = plane_of(image, i / n_tx, job->desc.lri ? i % n_tx : -1, grid);
    char *title = title_of(job, i, image->shape[0], n_tx);
    sac_status st = cli_bmode_draw(out, &plane, grid, job->desc.dynamic_range_db, title, err);
    free(title);
    return st;
}

static int64_t n_pictures(const cli_beamform_job *job, const sac_array *image)
{
    return image->shape[0] * (job->desc.lri ? image->shape[1] : 1);
}

/* A frame of the movie: the picture at its left, black at its right. */
static void put_frame(const sac_array *frame, const sac_picture *picture)
{
    const sac_array from = sac_picture_get_array(picture);
    for (int64_t y = 0; y < frame->shape[0]; y++) {
        uint8_t *to = (uint8_t *)frame->data + y * frame->stride[0];
        memset(to, 0, (size_t)frame->shape[1]);
        if (y < from.shape[0]) {
            const int64_t w = from.shape[1] < frame->shape[1] ? from.shape[1] : frame->shape[1];
            memcpy(to, (const uint8_t *)from.data + y * from.stride[0], (size_t)w);
        }
    }
}

/* Size and rate. The last title has the most digits, so that the last picture is the widest. */
static sac_status describe(sac_video_info *info, const cli_beamform_job *job,
                           const sac_array *image, double rate_hz, sac_error *err)
{
    const bool known = rate_hz >= 1 && rate_hz <= FASTEST_RATE;
    sac_picture *last = NULL;
    sac_status st = draw(&last, job, image, n_pictures(job, image) - 1, err);
    sac_video_info_init(info);
    info->pixel = SAC_PIXEL_GRAY;
    info->chroma = SAC_CHROMA_MONO;
    info->full_range = true;
    info->rate_num = known ? (int64_t)(1000 * rate_hz + 0.5) : MOVIE_RATE;
    info->rate_den = known ? 1000 : 1;
    if (st == SAC_OK) {
        const sac_array pixels = sac_picture_get_array(last);
        info->h = pixels.shape[0];
        info->w = pixels.shape[1];
    }
    sac_picture_close(&last);
    return st;
}

/* A movie, or a series by a pattern, which has frames of one size, too. */
static sac_status write_movie(const cli_beamform_job *job, const sac_array *image, double rate_hz,
                              cli_progress *progress, sac_error *err)
{
    const int64_t n = n_pictures(job, image);
    sac_video_info info;
    sac_video_writer *writer = NULL;
    sac_status st = describe(&info, job, image, rate_hz, err);
    st = st ? st : sac_video_writer_open(&writer, job->output, &info, err);
    if (st != SAC_OK) {
        return st;
    }
    const int64_t shape[] = {info.h, info.w};
    sac_array frame;
    uint8_t *data = cli_grow(NULL, 0, (size_t)(info.h * info.w), 1);
    st = sac_array_view(&frame, data, SAC_U8, 2, shape, err);
    for (int64_t i = 0; i < n && st == SAC_OK; i++) {
        sac_picture *picture = NULL;
        st = draw(&picture, job, image, i, err);
        if (st == SAC_OK) {
            put_frame(&frame, picture);
            st = sac_video_write(writer, &frame, err);
        }
        sac_picture_close(&picture);
        cli_progress_step(progress, (uint64_t)i + 1, (uint64_t)n);
    }
    const sac_status closed = sac_video_writer_close(&writer, st == SAC_OK ? err : NULL);
    free(data);
    return st ? st : closed;
}

static sac_status write_series(const cli_beamform_job *job, const sac_array *image,
                               cli_progress *progress, sac_error *err)
{
    const int64_t n = n_pictures(job, image);
    const int64_t first = job->recording_desc.first_frame * (n / image->shape[0]);
    sac_status st = SAC_OK;
    for (int64_t i = 0; i < n && st == SAC_OK; i++) {
        sac_picture *picture = NULL;
        char *path = cli_beamform_series_name(job->output, first + i, n);
        st = draw(&picture, job, image, i, err);
        st = st ? st : sac_picture_write(picture, path, NULL, err);
        sac_picture_close(&picture);
        free(path);
        cli_progress_step(progress, (uint64_t)i + 1, (uint64_t)n);
    }
    return st;
}

int cli_beamform_pictures(const cli_beamform_job *job, const sac_array *image, double rate_hz)
{
    const bool movie = cli_beamform_is_movie(job->output) || is_pattern(job->output);
    sac_error err = {0};
    cli_progress progress;
    cli_progress_open(&progress, "pictures");
    sac_status st = movie ? write_movie(job, image, rate_hz, &progress, &err)
                          : write_series(job, image, &progress, &err);
    cli_progress_hide(&progress);
    return st == SAC_OK ? CLI_DONE : cli_error(&err);
}
