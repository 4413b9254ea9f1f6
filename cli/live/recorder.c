/*
 * A file of what is received: .sdv, .y4m, or a film.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recorder.h"

#include <gst/video/video.h>
#include <saccade/delta.h>
#include <stdlib.h>
#include <string.h>

#include "film.h"
#include "videos.h"

struct cli_live_recorder {
    const char *path;
    cli_live_format format;
    cli_live_failed_fn *failed;
    void *ctx;
    bool has_failed; /* nothing more is written */

    sac_sdv_writer *sdv;
    uint64_t last; /* the number of the last packet in the file */
    bool follows;  /* it is written, and so can be what follows it */

    sac_video_writer *y4m;
    cli_live_film *film;
    gint w, h; /* of frames in the file; 0: none yet */
    GstVideoFormat pixel;
    sac_array frame; /* the first of y4m waits for the time between two, which tells the rate */
    bool is_waiting;
    gint fps_n, fps_d; /* as the stream tells its rate; fps_n 0: it does not, and this does: */
    gint64 period_ns;  /* atomic; 0: not known */
    cli_live_recorded counts;
};

cli_live_recorder *cli_live_recorder_open(const char *path, cli_live_failed_fn *failed, void *ctx)
{
    const cli_live_format format = cli_live_format_of(path);
    const bool is_film = format == CLI_LIVE_MP4 || format == CLI_LIVE_MKV;
    const char *encoder = is_film ? cli_live_film_encoder(format) : NULL;
    if (is_film && !encoder) {
        return NULL;
    }
    cli_live_recorder *r = cli_grow(NULL, 0, 1, sizeof *r);
    r->path = path;
    r->format = format;
    r->failed = failed;
    r->ctx = ctx;
    r->counts.encoder = encoder;
    return r;
}

bool cli_live_recorder_takes_packets(const cli_live_recorder *r)
{
    return r->format == CLI_LIVE_SDV;
}

void cli_live_recorder_set_period(cli_live_recorder *r, uint64_t ns)
{
    __atomic_store_n(&r->period_ns, (gint64)ns, __ATOMIC_RELAXED); /* a number by itself */
}

/* In the thread that takes buffers; another one reads the counts, each by itself. */
static void count(uint64_t *n, bool is_one)
{
    __atomic_fetch_add(n, is_one, __ATOMIC_RELAXED);
}

static void fail(cli_live_recorder *r, const sac_error *err)
{
    r->has_failed = true;
    r->failed(r->ctx, err->text);
}

/* Behind a gap packets are of no use before the next keyframe, but to tell who decodes them at once
 * that there is one. */
static void take_packet(cli_live_recorder *r, const GstMapInfo *map)
{
    sac_error err = {0};
    sac_delta_packet packet;
    if (sac_delta_peek(&packet, map->data, map->size, CLI_LIVE_MAX_PIXELS, &err) != SAC_OK ||
        !(packet.is_key || cli_is_dash(r->path) || (r->follows && packet.frame == r->last + 1))) {
        r->follows = false;
        count(&r->counts.dropped, true);
        return;
    }
    sac_status st = r->sdv ? SAC_OK : sac_sdv_writer_open(&r->sdv, r->path, &err);
    st = st ? st : sac_sdv_write(r->sdv, &packet, &err);
    r->follows = true;
    r->last = packet.frame;
    count(&r->counts.written, st == SAC_OK);
    if (st != SAC_OK) {
        fail(r, &err);
    }
}

static sac_video_pixel pixel_of(GstVideoFormat format)
{
    switch (format) {
    case GST_VIDEO_FORMAT_GRAY8:
        return SAC_PIXEL_GRAY;
    case GST_VIDEO_FORMAT_RGB:
        return SAC_PIXEL_RGB;
    case GST_VIDEO_FORMAT_BGR:
        return SAC_PIXEL_BGR;
    case GST_VIDEO_FORMAT_RGBx:
    case GST_VIDEO_FORMAT_RGBA:
        return SAC_PIXEL_RGBA;
    default:
        return SAC_PIXEL_BGRX;
    }
}

static sac_status open_y4m(cli_live_recorder *r, sac_error *err)
{
    const bool is_gray = r->pixel == GST_VIDEO_FORMAT_GRAY8;
    sac_video_info info = {.struct_size = sizeof info,
                           .pixel = pixel_of(r->pixel),
                           .w = r->w,
                           .h = r->h,
                           .chroma = is_gray ? SAC_CHROMA_MONO : SAC_CHROMA_444,
                           .full_range = is_gray};
    cli_frame_set_rate(&info, (uint64_t)__atomic_load_n(&r->period_ns, __ATOMIC_RELAXED));
    if (r->fps_n > 0) { /* the gap between the first two frames may be another */
        info.rate_num = r->fps_n;
        info.rate_den = r->fps_d;
    }
    return sac_video_writer_open(&r->y4m, r->path, &info, err);
}

static sac_status write_waiting(cli_live_recorder *r, sac_error *err)
{
    sac_status st = SAC_OK;
    if (r->is_waiting) {
        r->is_waiting = false;
        st = open_y4m(r, err);
        st = st ? st : sac_video_write(r->y4m, &r->frame, err);
        count(&r->counts.written, st == SAC_OK);
    }
    return st;
}

static sac_status write_y4m(cli_live_recorder *r, const GstVideoFrame *from, sac_error *err)
{
    const bool is_first = !r->frame.data;
    if (is_first) {
        const sac_video_info info = {
            .struct_size = sizeof info, .pixel = pixel_of(r->pixel), .w = r->w, .h = r->h};
        r->frame = cli_frame_new(&info);
    }
    const sac_status st = write_waiting(r, err);
    if (st != SAC_OK) {
        return st;
    }
    const guint8 *row = GST_VIDEO_FRAME_PLANE_DATA(from, 0);
    for (gint y = 0; y < r->h; y++, row += GST_VIDEO_FRAME_PLANE_STRIDE(from, 0)) {
        memcpy((char *)r->frame.data + y * r->frame.stride[0], row, (size_t)r->frame.stride[0]);
    }
    r->is_waiting = is_first;
    const sac_status written = is_first ? SAC_OK : sac_video_write(r->y4m, &r->frame, err);
    count(&r->counts.written, !is_first && written == SAC_OK);
    return written;
}

static sac_status write_film(cli_live_recorder *r, GstBuffer *buffer, const GstCaps *caps,
                             sac_error *err)
{
    sac_status st = SAC_OK;
    if (!r->film) {
        st = cli_live_film_open(&r->film, r->path, r->format, caps, err);
    }
    st = st ? st : cli_live_film_write(r->film, buffer, err);
    count(&r->counts.written, st == SAC_OK);
    count(&r->counts.dropped, st == SAC_AGAIN);
    return st == SAC_AGAIN ? SAC_OK : st;
}

static void take_frame(cli_live_recorder *r, GstBuffer *buffer, const GstCaps *caps)
{
    sac_error err = {0};
    GstVideoInfo info;
    GstVideoFrame frame;
    if (!caps || !gst_video_info_from_caps(&info, caps) ||
        !gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ)) {
        count(&r->counts.dropped, true);
        return;
    }
    if (!r->w) {
        r->w = GST_VIDEO_INFO_WIDTH(&info);
        r->h = GST_VIDEO_INFO_HEIGHT(&info);
        r->pixel = GST_VIDEO_INFO_FORMAT(&info);
        r->fps_n = GST_VIDEO_INFO_FPS_N(&info);
        r->fps_d = GST_VIDEO_INFO_FPS_D(&info);
    }
    sac_status st;
    if (r->w != GST_VIDEO_INFO_WIDTH(&info) || r->h != GST_VIDEO_INFO_HEIGHT(&info) ||
        r->pixel != GST_VIDEO_INFO_FORMAT(&info)) {
        st = SAC_E_SHAPE;
        g_snprintf(err.text, sizeof err.text,
                   "`%s` has frames of %dx%d, and those that come now are of %dx%d or other colors",
                   r->path, r->w, r->h, GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info));
    } else {
        st = r->format == CLI_LIVE_Y4M ? write_y4m(r, &frame, &err)
                                       : write_film(r, buffer, caps, &err);
    }
    gst_video_frame_unmap(&frame);
    if (st != SAC_OK) {
        fail(r, &err);
    }
}

void cli_live_recorder_take(cli_live_recorder *r, GstBuffer *buffer, const GstCaps *caps)
{
    GstMapInfo map;
    if (r->has_failed) {
        count(&r->counts.dropped, true);
    } else if (r->format != CLI_LIVE_SDV) {
        take_frame(r, buffer, caps);
    } else if (gst_buffer_map(buffer, &map, GST_MAP_READ)) {
        take_packet(r, &map);
        gst_buffer_unmap(buffer, &map);
    }
}

cli_live_recorded cli_live_recorder_counts(const cli_live_recorder *r)
{
    return (cli_live_recorded){.written = __atomic_load_n(&r->counts.written, __ATOMIC_RELAXED),
                               .dropped = __atomic_load_n(&r->counts.dropped, __ATOMIC_RELAXED),
                               .encoder = r->counts.encoder,
                               .is_cut = r->counts.is_cut};
}

/* After a failure, of which a line was said, what follows from it is not news. */
int cli_live_recorder_finish(cli_live_recorder *r)
{
    sac_error err = {0};
    sac_status st = r->has_failed ? SAC_OK : write_waiting(r, &err);
    int status = cli_or_error(CLI_DONE, st, &err);
    st = r->sdv ? sac_sdv_writer_close(&r->sdv, &err) : SAC_OK;
    status = cli_or_error(status, r->has_failed ? SAC_OK : st, &err);
    st = sac_video_writer_close(&r->y4m, &err);
    status = cli_or_error(status, r->has_failed ? SAC_OK : st, &err);
    const bool is_film = r->film != NULL;
    st = cli_live_film_close(&r->film, &err);
    r->counts.is_cut = is_film && (r->has_failed || st != SAC_OK);
    return cli_or_error(status, r->has_failed ? SAC_OK : st, &err);
}

void cli_live_recorder_close(cli_live_recorder **r)
{
    if (*r) {
        free((*r)->frame.data);
        free(*r);
        *r = NULL;
    }
}
