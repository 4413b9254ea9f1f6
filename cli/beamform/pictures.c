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

#include <saccade/video.h>

#include "outputs.h"
#include "picture.h"
#include "progress.h"

/* Frames a second of a movie whose recording has another rate than eyes follow, or none. */
#define MOVIE_RATE 25
#define FASTEST_RATE 60
#define MOST_LIVE_FRAMES 10000000 /* whose titles fit in a movie, 5 hours of 500 a second */

bool cli_beamform_is_picture(const char *path)
{
    static const char *const values[] = {".h5", ".hdf5", ".uff", ".npy", ".tif", ".tiff", NULL};
    return !cli_ends_in(path, values);
}

bool cli_beamform_is_movie(const char *path)
{
    return cli_ends_in(path, (const char *[]){".y4m", NULL});
}

bool cli_beamform_is_series(const char *path)
{
    return cli_beamform_is_picture(path) && !cli_beamform_is_movie(path);
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

/* The same of a pattern, "b-%04d.png". */
static char *pattern_name(const char *path, int64_t frame)
{
    const char *percent = strchr(path, '%');
    char *after = NULL;
    const int width = (int)strtol(percent + 1, &after, 10);
    return cli_text("%.*s%0*" PRId64 "%s", (int)(percent - path), path, width, frame, after + 1);
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

struct cli_beamform_film {
    const cli_beamform_job *job;
    int64_t n_frames;         /* of the recording; 0: unknown */
    sac_video_writer *writer; /* of a movie; NULL: files with numbers */
    sac_picture *whole;       /* of a series by a pattern, whose pictures have one size */
    sac_array frame;          /* of either */
};

/* What a picture shows: "B-mode of disk.mat, frame 7 of 0 to 31, transmit 2 of 0 to 10, y = 1.50
 * mm". */
static char *title_of(const cli_beamform_film *film, int64_t at, int64_t n_tx)
{
    const cli_beamform_job *job = film->job;
    const sac_grid *g = cli_beamform_grid(job);
    const int64_t first = job->recording_desc.first_frame;
    const char *name = cli_base_name(job->input);
    char frame[64] = "", transmit[64] = "", plane[48] = "";
    if (film->n_frames == 0) {
        snprintf(frame, sizeof frame, ", frame %" PRId64, at / n_tx);
    } else if (film->n_frames > 1 || first > 0) {
        snprintf(frame, sizeof frame, ", frame %" PRId64 " of %" PRId64 " to %" PRId64,
                 first + at / n_tx, first, first + film->n_frames - 1);
    }
    if (job->desc.lri) {
        snprintf(transmit, sizeof transmit, ", transmit %" PRId64 " of 0 to %" PRId64, at % n_tx,
                 n_tx - 1);
    }
    if (g->n[1] > 1 || fabs(g->first_m[1]) > 1e-9) {
        double step = g->n[1] > 1 ? (g->last_m[1] - g->first_m[1]) / (double)(g->n[1] - 1) : 0;
        snprintf(plane, sizeof plane, ", y = %.2f mm",
                 1e3 * (g->first_m[1] + step * (double)(g->n[1] / 2)));
    }
    return cli_text("B-mode of %s%s%s%s", name, frame, transmit, plane);
}

static int64_t pictures_of_frame(const cli_beamform_job *job, const sac_array *image)
{
    return job->desc.lri ? image->shape[1] : 1;
}

/* Picture i of an image, picture `at` of all, with all that is around the image. */
static sac_status draw(sac_picture **out, const cli_beamform_film *film, const sac_array *image,
                       int64_t i, int64_t at, sac_error *err)
{
    const cli_beamform_job *job = film->job;
    const int64_t n_tx = pictures_of_frame(job, image);
    const sac_grid *grid = cli_beamform_grid(job);
    sac_array plane = plane_of(image, i / n_tx, job->desc.lri ? i % n_tx : -1, grid);
    char *title = title_of(film, at, n_tx);
    sac_status st = cli_bmode_draw(out, &plane, grid, job->desc.dynamic_range_db, title, err);
    free(title);
    return st;
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
static sac_status describe(sac_video_info *info, const cli_beamform_film *film,
                           const sac_array *image, double rate_hz, sac_error *err)
{
    const bool known = rate_hz >= 1 && rate_hz <= FASTEST_RATE;
    const int64_t last_frame = (film->n_frames ? film->n_frames : MOST_LIVE_FRAMES) - 1;
    const int64_t n_tx = pictures_of_frame(film->job, image);
    sac_picture *last = NULL;
    sac_status st = draw(&last, film, image, n_tx - 1, last_frame * n_tx + n_tx - 1, err);
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
static sac_status open_movie(cli_beamform_film *film, const sac_array *image, double rate_hz,
                             sac_error *err)
{
    sac_video_info info;
    sac_status st = describe(&info, film, image, rate_hz, err);
    if (st == SAC_OK && !cli_beamform_is_movie(film->job->output)) {
        st = sac_picture_new(&film->whole, SAC_U8, info.w, info.h, 1, err);
        film->frame = st ? film->frame : sac_picture_get_array(film->whole);
        return st;
    }
    st = st ? st : sac_video_writer_open(&film->writer, film->job->output, &info, err);
    if (st != SAC_OK) {
        return st;
    }
    const int64_t shape[] = {info.h, info.w};
    void *data = cli_grow(NULL, 0, (size_t)(info.h * info.w), 1);
    return sac_array_view(&film->frame, data, SAC_U8, 2, shape, err);
}

sac_status cli_beamform_film_open(cli_beamform_film **out, const cli_beamform_job *job,
                                  const sac_array *image, int64_t n_frames, double rate_hz,
                                  sac_error *err)
{
    cli_beamform_film *film = *out = cli_grow(NULL, 0, 1, sizeof *film);
    film->job = job;
    film->n_frames = n_frames;
    return cli_beamform_is_movie(job->output) || is_pattern(job->output)
               ? open_movie(film, image, rate_hz, err)
               : SAC_OK;
}

sac_status cli_beamform_film_add(cli_beamform_film *film, const sac_array *image, int64_t i,
                                 int64_t at, sac_error *err)
{
    const cli_beamform_job *job = film->job;
    const int64_t n_tx = pictures_of_frame(job, image);
    const int64_t n = film->n_frames ? film->n_frames * n_tx : MOST_LIVE_FRAMES;
    sac_picture *picture = NULL;
    sac_status st = draw(&picture, film, image, i, at, err);
    if (st == SAC_OK && (film->writer || film->whole)) {
        put_frame(&film->frame, picture);
    }
    if (st == SAC_OK && film->writer) {
        st = sac_video_write(film->writer, &film->frame, err);
    } else if (st == SAC_OK) {
        const int64_t number = job->recording_desc.first_frame * n_tx + at;
        char *path = film->whole ? pattern_name(job->output, number)
                                 : cli_beamform_series_name(job->output, number, n);
        st = sac_picture_write(film->whole ? film->whole : picture, path, NULL, err);
        free(path);
    }
    sac_picture_close(&picture);
    return st;
}

sac_status cli_beamform_film_close(cli_beamform_film **film, sac_error *err)
{
    if (!*film) {
        return SAC_OK;
    }
    const sac_status st = (*film)->writer ? sac_video_writer_close(&(*film)->writer, err) : SAC_OK;
    if (!(*film)->whole) {
        free((*film)->frame.data);
    }
    sac_picture_close(&(*film)->whole);
    free(*film);
    *film = NULL;
    return st;
}

int cli_beamform_pictures(const cli_beamform_job *job, const sac_array *image, double rate_hz)
{
    const int64_t n = image->shape[0] * pictures_of_frame(job, image);
    cli_beamform_film *film = NULL;
    sac_error err = {0};
    cli_progress progress;
    cli_progress_open(&progress, "pictures");
    sac_status st = cli_beamform_film_open(&film, job, image, image->shape[0], rate_hz, &err);
    for (int64_t i = 0; i < n && st == SAC_OK; i++) {
        st = cli_beamform_film_add(film, image, i, i, &err);
        cli_progress_step(&progress, (uint64_t)i + 1, (uint64_t)n);
    }
    const sac_status closed = cli_beamform_film_close(&film, st == SAC_OK ? &err : NULL);
    cli_progress_hide(&progress);
    return st == SAC_OK && closed == SAC_OK ? CLI_DONE : cli_error(&err);
}
