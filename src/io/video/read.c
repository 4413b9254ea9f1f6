/*
 * Video in: which format it is, and a frame at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/struct.h"
#include "io/video/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>

#include "base/alloc.h"
#include "base/stop.h"

struct sac_video_reader {
    sac_in in;
    sac_video_info info;
    uint64_t n_frames; /* read */
    sac_yuv yuv;
    uint8_t *planes; /* of Y4M, or NULL */
    void *scratch;
    sac_pictures pictures;
};

sac_status sac_video_check_size(const char *name, int64_t w, int64_t h, sac_error *err)
{
    if (w < 1 || h < 1 || w > SAC_VIDEO_MAX_SIDE || h > SAC_VIDEO_MAX_SIDE ||
        w * h > SAC_VIDEO_MAX_PIXELS)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: frames of %" PRId64 " x %" PRId64
                        " pixels: expected sides of 1 to %d, %" PRId64 " pixels at most",
                        name, w, h, SAC_VIDEO_MAX_SIDE, SAC_VIDEO_MAX_PIXELS);
    return SAC_OK;
}

sac_status sac_video_check_frame(const sac_array *frame, const sac_video_info *info, sac_error *err)
{
    int32_t n_channels = sac_video_channels(info->pixel);
    bool good = frame && frame->data && frame->dtype == SAC_U8 &&
                frame->device.kind == SAC_DEVICE_CPU &&
                frame->n_dims == (n_channels == 1 ? 2 : 3) && frame->shape[0] == info->h &&
                frame->shape[1] == info->w && (n_channels == 1 || frame->shape[2] == n_channels) &&
                sac_array_is_contiguous(frame);
    return good ? SAC_OK
                : sac_fail(err, SAC_E_SHAPE,
                           "frame: expected contiguous u8 on the CPU of %" PRId64 " x %" PRId64
                           " pixels, %d channels",
                           info->w, info->h, n_channels);
}

/* The end came early, or reading failed or was stopped. */
static sac_status cut_short(const sac_video_reader *reader, sac_error *err)
{
    if (reader->in.error == ECANCELED)
        return sac_fail(err, SAC_CANCELLED, "%s: stopped", reader->in.name);
    if (reader->in.error)
        return sac_fail(err, SAC_E_IO, "%s: %s", reader->in.name, strerror(reader->in.error));
    return sac_fail(err, SAC_E_FORMAT, "%s: frame %" PRIu64 " is cut short", reader->in.name,
                    reader->n_frames);
}

static sac_status no_memory(const sac_video_reader *reader, sac_error *err)
{
    return sac_fail(err, SAC_E_NOMEM, "%s: no memory for frames of %" PRId64 " x %" PRId64,
                    reader->in.name, reader->info.w, reader->info.h);
}

/* A header that is no line. */
static sac_status bad_line(const sac_video_reader *reader, const char *line, sac_error *err)
{
    return sac_y4m_is_long(line)
               ? sac_fail(err, SAC_E_FORMAT, "%s: Y4M: a header is longer than %d bytes",
                          reader->in.name, SAC_Y4M_LINE - 1)
               : sac_fail(err, SAC_E_FORMAT, "%s: Y4M: its header does not end", reader->in.name);
}

/* A header's claim against what a file holds, before memory is asked for. */
static sac_status check_room(const sac_video_reader *reader, size_t frame_bytes, sac_error *err)
{
    uint64_t left = sac_in_left(&reader->in);
    if (left < SAC_IN_ENDLESS && left > 0 && left < frame_bytes)
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: a frame is %zu bytes, but only %" PRIu64 " came: cut short, or "
                        "another size",
                        reader->in.name, frame_bytes, left);
    return SAC_OK;
}

static sac_status open_y4m(sac_video_reader *reader, const sac_video_info *wanted, sac_error *err)
{
    char line[SAC_Y4M_LINE];
    sac_in *in = &reader->in;
    if (!sac_y4m_read_line(line, in))
        return in->error ? cut_short(reader, err) : bad_line(reader, line, err);
    reader->info.matrix = wanted ? wanted->matrix : SAC_MATRIX_AUTO;
    sac_status st = sac_y4m_parse_header(&reader->info, line, in->name, err);
    if (st != SAC_OK)
        return st;
    bool mono = reader->info.chroma == SAC_CHROMA_MONO;
    reader->info.pixel = wanted ? wanted->pixel : mono ? SAC_PIXEL_GRAY : SAC_PIXEL_RGB;
    reader->yuv = sac_yuv_of(&reader->info);
    size_t bytes = sac_yuv_bytes(&reader->yuv);
    st = check_room(reader, bytes, err);
    if (st != SAC_OK || sac_in_left(in) == 0)
        return st;
    reader->planes = sac_alloc(bytes, 1);
    reader->scratch = sac_alloc(sac_yuv_read_scratch(&reader->yuv), 1);
    return reader->planes && reader->scratch ? SAC_OK : no_memory(reader, err);
}

static bool in_planes(const sac_video_info *info)
{
    return info->planes == SAC_PLANES_I420 || info->planes == SAC_PLANES_NV12;
}

static size_t raw_bytes(const sac_video_reader *reader)
{
    const sac_video_info *info = &reader->info;
    return in_planes(info) ? sac_yuv_bytes(&reader->yuv)
                           : (size_t)(info->w * info->h * sac_video_channels(info->pixel));
}

/* How the frames are stored, where nobody says so by the name. */
static sac_status find_planes(sac_video_reader *reader, const char *path, sac_error *err)
{
    sac_video_info *info = &reader->info;
    sac_raw_name name = sac_video_raw_name(path ? path : "");
    if (info->planes != SAC_PLANES_AUTO)
        return SAC_OK;
    if (name.other)
        return sac_fail(err, SAC_E_UNSUPPORTED,
                        "%s: raw frames of %s cannot be read; nv12, i420 and packed ones can "
                        "(ffmpeg -pix_fmt nv12)",
                        reader->in.name, name.other);
    info->planes = name.planes == SAC_PLANES_AUTO ? SAC_PLANES_PACKED : name.planes;
    return SAC_OK;
}

static sac_status open_raw(sac_video_reader *reader, const char *path, const sac_video_info *wanted,
                           sac_error *err)
{
    if (!wanted || wanted->w == 0 || wanted->h == 0)
        return sac_fail(err, SAC_E_INVALID,
                        "%s: neither Y4M nor a picture; raw frames need their size, other videos "
                        "FFmpeg (-f yuv4mpegpipe)",
                        reader->in.name);
    reader->info = *wanted;
    reader->info.struct_size = sizeof reader->info;
    reader->info.format = SAC_VIDEO_RAW;
    sac_status st = sac_video_check_size(reader->in.name, wanted->w, wanted->h, err);
    st = st ? st : find_planes(reader, path, err);
    if (st != SAC_OK)
        return st;
    if (in_planes(&reader->info)) {
        reader->yuv = sac_yuv_of_raw(&reader->info);
        reader->info.chroma = reader->yuv.chroma;
    }
    st = check_room(reader, raw_bytes(reader), err);
    if (st != SAC_OK || !in_planes(&reader->info))
        return st;
    size_t both = (size_t)(2 * reader->yuv.cw * reader->yuv.ch); /* of NV12, before it is split */
    size_t scratch = sac_yuv_read_scratch(&reader->yuv);
    reader->planes = sac_alloc(sac_yuv_bytes(&reader->yuv), 1);
    reader->scratch = sac_alloc(both > scratch ? both : scratch, 1);
    return reader->planes && reader->scratch ? SAC_OK : no_memory(reader, err);
}

/* What begins as Y4M does, is. */
static sac_status open_stream(sac_video_reader *reader, const char *path,
                              const sac_video_info *wanted, sac_error *err)
{
    sac_video_format format = wanted ? wanted->format : SAC_VIDEO_AUTO;
    sac_in *in = &reader->in;
    size_t magic = strlen(SAC_Y4M_MAGIC);
    size_t n = sac_in_peek(in, magic);
    if (in->error)
        return cut_short(reader, err);
    if (n == 0)
        return sac_fail(err, SAC_E_FORMAT, "%s: is empty", in->name);
    bool is_y4m = memcmp(in->next, SAC_Y4M_MAGIC, n < magic ? n : magic) == 0;
    size_t length = strlen(in->name);
    bool is_named = length > 5 && strcmp(in->name + length - 5, ".y4m`") == 0;
    if (format == SAC_VIDEO_Y4M || (format == SAC_VIDEO_AUTO && (is_y4m || is_named)))
        return open_y4m(reader, wanted, err);
    return open_raw(reader, path, wanted, err);
}

static sac_status take_wanted(sac_video_info *own, const sac_video_info *wanted, sac_error *err)
{
    sac_video_info_init(own);
    const sac_status st = wanted ? sac_struct_take(own, wanted, "wanted", err) : SAC_OK;
    return st != SAC_OK ||
                   (sac_video_channels(own->pixel) && (unsigned)own->planes <= SAC_PLANES_NV12)
               ? st
               : sac_fail(err, SAC_E_INVALID, "wanted: pixel %d or planes %d is invalid",
                          (int)own->pixel, (int)own->planes);
}

/* From a path, or where that is NULL from memory. */
static sac_status open_any(sac_video_reader **out, const char *path, int stop_fd,
                           const uint8_t *data, size_t size, const sac_video_info *wanted,
                           sac_error *err)
{
    *out = NULL;
    sac_video_info own;
    sac_status st = take_wanted(&own, wanted, err);
    if (st != SAC_OK)
        return st;
    wanted = wanted ? &own : NULL;
    sac_video_reader *reader = sac_alloc(1, sizeof *reader);
    if (!reader)
        return sac_fail(err, SAC_E_NOMEM, "no memory for a video's reader");
    sac_in_open_memory(&reader->in, data, size);
    reader->info.struct_size = sizeof reader->info;
    sac_video_format format = wanted ? wanted->format : SAC_VIDEO_AUTO;
    bool sized = wanted && wanted->w; /* raw frames then, whatever the name */
    if (path && (format == SAC_VIDEO_PICTURES ||
                 (format == SAC_VIDEO_AUTO && !sized && sac_series_is(path)))) {
        st = sac_pictures_open(&reader->pictures, &reader->info, path, err);
        if (wanted)
            reader->info.pixel = wanted->pixel;
    } else {
        st = path ? sac_in_open_stream(&reader->in, path, stop_fd, err) : SAC_OK;
        st = st ? st : open_stream(reader, path, wanted, err);
    }
    if (st != SAC_OK)
        sac_video_reader_close(&reader);
    *out = reader;
    return st;
}

sac_status sac_video_reader_open(sac_video_reader **out, const char *path,
                                 const sac_video_info *wanted, sac_error *err)
{
    return sac_video_reader_open_stoppable(out, path, wanted, SAC_NO_STOP, err);
}

sac_status sac_video_reader_open_stoppable(sac_video_reader **out, const char *path,
                                           const sac_video_info *wanted, int stop_fd,
                                           sac_error *err)
{
    if (!out || !path)
        return sac_fail(err, SAC_E_INVALID, "%s: expected a value, got NULL", out ? "path" : "out");
    return open_any(out, path, stop_fd, NULL, 0, wanted, err);
}

sac_status sac_video_reader_parse(sac_video_reader **out, const uint8_t *data, size_t size,
                                  const sac_video_info *wanted, sac_error *err)
{
    return open_any(out, NULL, SAC_NO_STOP, data, size, wanted, err);
}

void sac_video_reader_get_info(const sac_video_reader *reader, sac_video_info *info)
{
    if (reader)
        sac_struct_give(info, &reader->info);
}

const char *sac_video_reader_get_note(const sac_video_reader *reader)
{
    return reader ? reader->pictures.note : "";
}

/* Waits for the first byte of a frame; who can be stopped does so where it is read. SAC_END: the
 * end. */
static sac_status wait_for_frame(sac_video_reader *reader, sac_error *err)
{
    sac_in *in = &reader->in;
    struct pollfd wait = {.fd = in->fd, .events = POLLIN};
    if (in->next == in->end && in->left && in->stop_fd < 0 && poll(&wait, 1, -1) < 0)
        return sac_fail(err, SAC_E_IO, "%s: %s", in->name, strerror(errno));
    if (sac_in_fill(in))
        return SAC_OK;
    return in->error ? cut_short(reader, err) : SAC_END;
}

/* Whether a line, of which the end is not there, is a header, and no damage. */
static bool begins_header(const char *line)
{
    return strncmp(line, "FRAME ", 6) == 0 ||
           strncmp(line, SAC_Y4M_MAGIC " ", strlen(SAC_Y4M_MAGIC " ")) == 0;
}

/* "FRAME"; or the header of another stream behind the first, which must be alike. */
static sac_status read_frame_header(sac_video_reader *reader, sac_error *err)
{
    char line[SAC_Y4M_LINE] = "";
    const char *name = reader->in.name;
    const sac_video_info *info = &reader->info;
    bool ends = sac_y4m_read_line(line, &reader->in);
    if (ends && strncmp(line, SAC_Y4M_MAGIC, strlen(SAC_Y4M_MAGIC)) == 0) {
        sac_video_info next = {.matrix = info->matrix};
        sac_status st = sac_y4m_parse_header(&next, line, name, err);
        if (st != SAC_OK)
            return st;
        if (next.w != info->w || next.h != info->h || next.chroma != info->chroma ||
            next.full_range != info->full_range)
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: after frame %" PRIu64 " the video changes from %" PRId64
                            " x %" PRId64 " to %" PRId64 " x %" PRId64 ", or its colors",
                            name, reader->n_frames, info->w, info->h, next.w, next.h);
        ends = sac_y4m_read_line(line, &reader->in);
    }
    if (!ends && (reader->in.error || (!sac_y4m_is_long(line) && sac_in_left(&reader->in) == 0)))
        return cut_short(reader, err);
    if (!ends && sac_y4m_is_long(line) && begins_header(line))
        return bad_line(reader, line, err);
    if (!ends || strncmp(line, "FRAME", 5) != 0 || (line[5] && line[5] != ' '))
        return sac_fail(err, SAC_E_FORMAT,
                        "%s: frame %" PRIu64 ": expected `FRAME`: the file is damaged", name,
                        reader->n_frames);
    return SAC_OK;
}

static sac_status read_y4m(sac_video_reader *reader, uint8_t *pixels, sac_error *err)
{
    sac_status st = wait_for_frame(reader, err);
    st = st ? st : read_frame_header(reader, err);
    if (st != SAC_OK)
        return st;
    if (!sac_in_read(&reader->in, reader->planes, sac_yuv_bytes(&reader->yuv)))
        return cut_short(reader, err);
    sac_yuv_read(pixels, reader->info.pixel, reader->planes, &reader->yuv, reader->scratch);
    return SAC_OK;
}

static sac_status read_raw(sac_video_reader *reader, uint8_t *pixels, sac_error *err)
{
    const sac_yuv *yuv = &reader->yuv;
    sac_status st = wait_for_frame(reader, err);
    if (st != SAC_OK)
        return st;
    if (!in_planes(&reader->info))
        return sac_in_read(&reader->in, pixels, raw_bytes(reader)) ? SAC_OK
                                                                   : cut_short(reader, err);
    size_t n = (size_t)(yuv->cw * yuv->ch), luma = (size_t)(yuv->w * yuv->h);
    uint8_t *cb = reader->planes + luma;
    bool turns = reader->info.planes == SAC_PLANES_NV12;
    if (!sac_in_read(&reader->in, reader->planes, luma) ||
        !sac_in_read(&reader->in, turns ? reader->scratch : cb, 2 * n))
        return cut_short(reader, err);
    if (turns)
        sac_yuv_split(cb, cb + n, reader->scratch, (int64_t)n);
    sac_yuv_read(pixels, reader->info.pixel, reader->planes, yuv, reader->scratch);
    return SAC_OK;
}

sac_status sac_video_read(sac_video_reader *reader, const sac_array *frame, sac_error *err)
{
    if (!reader || !frame)
        return sac_fail(err, SAC_E_INVALID, "%s: expected a value, got NULL",
                        reader ? "frame" : "reader");
    sac_status st = sac_video_check_frame(frame, &reader->info, err);
    if (st != SAC_OK)
        return st;
    switch (reader->info.format) {
    case SAC_VIDEO_Y4M:
        st = read_y4m(reader, frame->data, err);
        break;
    case SAC_VIDEO_RAW:
        st = read_raw(reader, frame->data, err);
        break;
    default:
        st = sac_pictures_read(&reader->pictures, frame->data, &reader->info, err);
    }
    reader->n_frames += st == SAC_OK;
    return st;
}

void sac_video_reader_close(sac_video_reader **reader)
{
    if (!reader || !*reader)
        return;
    sac_in_close(&(*reader)->in);
    sac_free((*reader)->planes);
    sac_free((*reader)->scratch);
    sac_pictures_close(&(*reader)->pictures);
    sac_free(*reader);
    *reader = NULL;
}
