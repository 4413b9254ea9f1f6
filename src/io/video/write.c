/*
 * Video out: which format the name asks for, and a frame at a time, in place.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/struct.h"
#include "io/video/parts.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"

#define FRAME "FRAME\n"

struct sac_video_writer {
    sac_out out; /* fd -1: none */
    sac_video_info info;
    sac_yuv yuv;
    uint8_t *frame; /* FRAME and the planes of Y4M; or a raw frame that is stored in another way */
    void *scratch;
    sac_video_pixel stored; /* of raw frames that are packed */
    sac_series series;
    sac_picture *picture; /* of a series */
};

static bool ends_as_raw(const char *path)
{
    const char *dot = strrchr(path, '.');
    return (dot && strcasecmp(dot, ".raw") == 0) ||
           sac_video_raw_name(path).planes != SAC_PLANES_AUTO;
}

static sac_status find_format(sac_video_format *format, const char *path, sac_error *err)
{
    char name[SAC_IO_NAME];
    const char *dot = strrchr(path, '.');
    if (*format != SAC_VIDEO_AUTO)
        return SAC_OK;
    if (strcmp(path, "-") == 0 || (dot && strcasecmp(dot, ".y4m") == 0))
        *format = SAC_VIDEO_Y4M;
    else if (ends_as_raw(path))
        *format = SAC_VIDEO_RAW;
    else if (sac_series_is(path))
        *format = SAC_VIDEO_PICTURES;
    else
        return sac_fail(
            err, SAC_E_INVALID,
            "%s: has no ending that names the format (.y4m, .raw, .nv12, -%%04d.png, /)",
            sac_io_name(name, path, path));
    return SAC_OK;
}

static sac_status check_info(const sac_video_info *info, sac_error *err)
{
    if (!sac_video_channels(info->pixel) || (unsigned)info->chroma > SAC_CHROMA_MONO ||
        (unsigned)info->format > SAC_VIDEO_PICTURES || (unsigned)info->planes > SAC_PLANES_NV12 ||
        info->quality < 0 || info->quality > 100)
        return sac_fail(err, SAC_E_INVALID,
                        "info: pixel, chroma, format, planes or quality is invalid");
    return sac_video_check_size("video", info->w, info->h, err);
}

/* Memory for a stored frame of so many bytes, and for the work of sac_yuv_write where `scratch`. */
static sac_status make_room(sac_video_writer *writer, size_t bytes, size_t scratch, sac_error *err)
{
    writer->frame = sac_alloc(bytes, 1);
    writer->scratch = sac_alloc(scratch, 1);
    if (!writer->frame || !writer->scratch)
        return sac_fail(err, SAC_E_NOMEM, "no memory for frames of %" PRId64 " x %" PRId64,
                        writer->info.w, writer->info.h);
    return SAC_OK;
}

static bool in_planes(const sac_video_writer *writer)
{
    return writer->info.planes == SAC_PLANES_I420 || writer->info.planes == SAC_PLANES_NV12;
}

/* Raw frames: what the name says of them stands over what info does. */
static sac_status open_raw(sac_video_writer *writer, const char *path, bool by_name, sac_error *err)
{
    sac_status st = SAC_OK;
    const sac_raw_name name = sac_video_raw_name(path);
    writer->stored = writer->info.pixel;
    if (by_name && name.planes != SAC_PLANES_AUTO) {
        writer->info.planes = name.planes;
        writer->stored = name.pixel;
    }
    if (in_planes(writer)) {
        writer->yuv = sac_yuv_of_raw(&writer->info);
        size_t both = (size_t)(2 * writer->yuv.cw * writer->yuv.ch); /* of NV12, by turns */
        st = make_room(writer, sac_yuv_bytes(&writer->yuv) + both, sac_yuv_scratch(&writer->yuv),
                       err);
    } else if (writer->stored != writer->info.pixel) {
        int64_t n = writer->info.w * writer->info.h;
        st = make_room(writer, (size_t)(n * sac_video_channels(writer->stored)), 1, err);
    }
    return st == SAC_OK ? sac_out_open_in_place(&writer->out, path, err) : st;
}

static sac_status open_y4m(sac_video_writer *writer, const char *path, sac_error *err)
{
    char line[SAC_Y4M_LINE];
    writer->yuv = sac_yuv_of(&writer->info);
    sac_status room = make_room(writer, strlen(FRAME) + sac_yuv_bytes(&writer->yuv),
                                sac_yuv_scratch(&writer->yuv), err);
    if (room != SAC_OK)
        return room;
    memcpy(writer->frame, FRAME, strlen(FRAME));
    sac_status st = sac_out_open_in_place(&writer->out, path, err);
    size_t length = sac_y4m_header(line, &writer->info);
    return st == SAC_OK ? sac_out_write(&writer->out, line, length, err) : st;
}

static sac_status open_series(sac_video_writer *writer, const char *path, sac_error *err)
{
    sac_status st = sac_series_open_write(&writer->series, path, err);
    st = st ? st : sac_picture_can_write(writer->series.path, NULL, err);
    int32_t n_channels = writer->info.pixel == SAC_PIXEL_GRAY ? 1 : 3;
    return st == SAC_OK ? sac_picture_new(&writer->picture, SAC_U8, writer->info.w, writer->info.h,
                                          n_channels, err)
                        : st;
}

static void free_writer(sac_video_writer *writer)
{
    sac_free(writer->frame);
    sac_free(writer->scratch);
    sac_picture_close(&writer->picture);
    sac_series_close(&writer->series);
    sac_free(writer);
}

sac_status sac_video_writer_open(sac_video_writer **out, const char *path,
                                 const sac_video_info *info, sac_error *err)
{
    if (!out || !path)
        return sac_fail(err, SAC_E_INVALID, "%s: expected a value, got NULL", out ? "path" : "out");
    *out = NULL;
    sac_video_info own;
    sac_video_info_init(&own);
    sac_status st = sac_struct_take(&own, info, "info", err);
    info = &own;
    st = st ? st : check_info(info, err);
    if (st != SAC_OK)
        return st;
    sac_video_writer *writer = sac_alloc(1, sizeof *writer);
    if (!writer)
        return sac_fail(err, SAC_E_NOMEM, "no memory for a video's writer");
    writer->out.fd = -1;
    writer->info = *info;
    st = find_format(&writer->info.format, path, err);
    if (st == SAC_OK && writer->info.format == SAC_VIDEO_Y4M)
        st = open_y4m(writer, path, err);
    else if (st == SAC_OK && writer->info.format == SAC_VIDEO_PICTURES)
        st = open_series(writer, path, err);
    else if (st == SAC_OK)
        st = open_raw(writer, path, info->format == SAC_VIDEO_AUTO, err);
    if (st != SAC_OK) {
        if (writer->out.fd >= 0)
            sac_out_abort(&writer->out);
        free_writer(writer);
        return st;
    }
    *out = writer;
    return SAC_OK;
}

static sac_status write_picture(sac_video_writer *writer, const uint8_t *pixels, sac_error *err)
{
    const sac_video_info *info = &writer->info;
    char name[SAC_IO_NAME];
    const char *path = sac_series_next(&writer->series);
    if (!path)
        return sac_fail(err, SAC_E_INVALID,
                        "%s: one name for several frames: expected one with a number, as "
                        "out-%%04d.png",
                        sac_io_name(name, writer->series.path, "-"));
    sac_video_pixel pixel = info->pixel == SAC_PIXEL_GRAY ? SAC_PIXEL_GRAY : SAC_PIXEL_RGB;
    sac_video_convert(sac_picture_get_array(writer->picture).data, pixel, pixels,
                      sac_video_layout(info->pixel), info->w * info->h);
    sac_picture_write_desc desc;
    sac_picture_write_desc_init(&desc);
    desc.quality = info->quality ? info->quality : desc.quality;
    return sac_picture_write_with(writer->picture, path, &desc, err);
}

static sac_status write_raw(sac_video_writer *writer, const uint8_t *pixels, sac_error *err)
{
    const sac_video_info *info = &writer->info;
    const sac_yuv *yuv = &writer->yuv;
    if (!writer->frame) {
        size_t n = (size_t)(info->w * info->h * sac_video_channels(info->pixel));
        return sac_out_write(&writer->out, pixels, n, err);
    }
    if (!in_planes(writer)) {
        const int64_t n = info->w * info->h;
        sac_video_convert(writer->frame, writer->stored, pixels, sac_video_layout(info->pixel), n);
        return sac_out_write(&writer->out, writer->frame,
                             (size_t)(n * sac_video_channels(writer->stored)), err);
    }
    sac_yuv_write(writer->frame, pixels, info->pixel, yuv, writer->scratch);
    const int64_t n = yuv->cw * yuv->ch;
    uint8_t *cb = writer->frame + yuv->w * yuv->h, *both = cb + 2 * n;
    if (info->planes == SAC_PLANES_NV12)
        sac_yuv_join(both, cb, cb + n, n);
    sac_status st = sac_out_write(&writer->out, writer->frame, (size_t)(yuv->w * yuv->h), err);
    const uint8_t *color = info->planes == SAC_PLANES_NV12 ? both : cb;
    return st == SAC_OK ? sac_out_write(&writer->out, color, (size_t)(2 * n), err) : st;
}

sac_status sac_video_write(sac_video_writer *writer, const sac_array *frame, sac_error *err)
{
    if (!writer || !frame)
        return sac_fail(err, SAC_E_INVALID, "%s: expected a value, got NULL",
                        writer ? "frame" : "writer");
    const sac_video_info *info = &writer->info;
    sac_status st = sac_video_check_frame(frame, info, err);
    if (st != SAC_OK)
        return st;
    if (info->format == SAC_VIDEO_PICTURES)
        return write_picture(writer, frame->data, err);
    if (info->format == SAC_VIDEO_RAW)
        return write_raw(writer, frame->data, err);
    size_t head = strlen(FRAME);
    sac_yuv_write(writer->frame + head, frame->data, info->pixel, &writer->yuv, writer->scratch);
    return sac_out_write(&writer->out, writer->frame, head + sac_yuv_bytes(&writer->yuv), err);
}

sac_status sac_video_writer_close(sac_video_writer **writer, sac_error *err)
{
    if (!writer || !*writer)
        return SAC_OK;
    sac_status st = (*writer)->out.fd >= 0 ? sac_out_commit(&(*writer)->out, err) : SAC_OK;
    free_writer(*writer);
    *writer = NULL;
    return st;
}
