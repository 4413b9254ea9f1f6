/*
 * saccade send --to -: what a camera, a file or an address gives, as Y4M on standard output, whole.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop.h"
#include "origin.h"
#include "send.h"

#define QUEUE 2 /* frames that wait */

typedef struct frames {
    const cli_live_send_job *job;
    cli_live_loop loop;
    GstVideoInfo info; /* of the header that was written */
    gint n;            /* frames that were written */
} frames;

/* Y4M tells neither matrix nor range: as who reads it takes them (saccade/video.h), which most
 * videos are stored in, so that nothing is converted. */
#define Y4M_CAPS "video/x-raw, format = { I420, Y42B, Y444 }, "
static const char y4m_caps[] =
    Y4M_CAPS "width = [ 1280, 16384 ], colorimetry = bt709; " Y4M_CAPS
             "width = [ 1, 1279 ], height = [ 577, 16384 ], colorimetry = bt709; " Y4M_CAPS
             "width = [ 1, 1279 ], height = [ 1, 576 ], colorimetry = bt601";

static bool on_failure(void *ctx, GstObject *part, const char *why)
{
    frames *f = ctx;
    (void)part;
    char *text = cli_send_without_password(f->job, why);
    f->loop.status = f->loop.status ? f->loop.status : cli_fail("%s: %s", f->job->shown, text);
    g_free(text);
    return false;
}

static const char *chroma_of(const GstVideoInfo *info)
{
    const GstVideoFormat format = GST_VIDEO_INFO_FORMAT(info);
    const GstVideoChromaSite site = GST_VIDEO_INFO_CHROMA_SITE(info);
    return format == GST_VIDEO_FORMAT_Y444      ? "444"
           : format == GST_VIDEO_FORMAT_Y42B    ? "422"
           : site == GST_VIDEO_CHROMA_SITE_JPEG ? "420jpeg"
           : site == GST_VIDEO_CHROMA_SITE_DV   ? "420paldv"
                                                : "420mpeg2";
}

/* Every frame of a Y4M has one size. */
static bool write_header(frames *f, GstElement *sink, GstPad *pad)
{
    GstCaps *caps = gst_pad_get_current_caps(pad);
    GstVideoInfo info;
    const bool is_known = caps && gst_video_info_from_caps(&info, caps);
    g_clear_pointer(&caps, gst_caps_unref);
    if (is_known && f->n > 0 && gst_video_info_is_equal(&info, &f->info)) {
        return true;
    }
    if (!is_known || f->n > 0) {
        GST_ELEMENT_ERROR(sink, STREAM, FORMAT, ("frames change their size or format"), (NULL));
        return false;
    }
    f->info = info;
    printf("YUV4MPEG2 W%d H%d F%d:%d Ip A%d:%d C%s\n", info.width, info.height,
           info.fps_n > 0 ? info.fps_n : 25, info.fps_n > 0 ? info.fps_d : 1, info.par_n,
           info.par_d, chroma_of(&info));
    return true;
}

static void write_planes(const GstVideoFrame *frame)
{
    fputs("FRAME\n", stdout);
    for (guint k = 0; k < GST_VIDEO_FRAME_N_PLANES(frame); k++) {
        const guint8 *row = GST_VIDEO_FRAME_PLANE_DATA(frame, k);
        const size_t w = (size_t)GST_VIDEO_FRAME_COMP_WIDTH(frame, k);
        for (int j = 0; j < GST_VIDEO_FRAME_COMP_HEIGHT(frame, k); j++) {
            fwrite(row, 1, w, stdout);
            row += GST_VIDEO_FRAME_PLANE_STRIDE(frame, k);
        }
    }
}

/* In a thread of the pipeline. */
static void on_frame(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
    frames *f = data;
    GstVideoFrame frame;
    if (!write_header(f, sink, pad)) {
        return;
    }
    if (!gst_video_frame_map(&frame, &f->info, buffer, GST_MAP_READ)) {
        GST_ELEMENT_ERROR(sink, RESOURCE, READ, ("a frame cannot be read"), (NULL));
        return;
    }
    write_planes(&frame);
    gst_video_frame_unmap(&frame);
    f->n++;
    if (fflush(stdout) != 0 || ferror(stdout)) { /* ferror: of what went out before */
        GST_ELEMENT_ERROR(sink, RESOURCE, WRITE, ("standard output: %s", strerror(errno)), (NULL));
    }
}

static bool build(frames *f)
{
    GstElement *row[] = {cli_live_element("queue"), cli_live_element("videoconvert"),
                         cli_live_element("capsfilter"), cli_live_element("fakesink")};
    f->loop.pipeline = gst_pipeline_new(NULL);
    if (!cli_live_extend(f->loop.pipeline, NULL, row, G_N_ELEMENTS(row))) {
        return false;
    }
    f->loop.first = row[0];
    gst_util_set_object_arg(G_OBJECT(row[2]), "caps", y4m_caps);
    g_object_set(row[0], "max-size-buffers", QUEUE, NULL);
    g_object_set(row[3], "signal-handoffs", TRUE, "sync", FALSE, NULL);
    g_signal_connect(row[3], "handoff", G_CALLBACK(on_frame), f);
    GstElement *origin = cli_live_origin_new(f->job, &(cli_live_from){f->loop.pipeline, 0});
    if (!origin) {
        return false;
    }
    gst_bin_add(GST_BIN(f->loop.pipeline), origin);
    return gst_element_link(origin, row[0]);
}

int cli_live_frames_run(const cli_live_send_job *job)
{
    static const cli_live_calls calls = {.failed = on_failure};
    frames f = {.job = job, .loop.calls = &calls};
    f.loop.ctx = &f;
    int status = build(&f) ? cli_live_loop_run(&f.loop) : CLI_FAILED;
    if (status == CLI_DONE && f.n == 0) {
        status = cli_fail("%s: no frame came", job->shown);
    }
    g_clear_object(&f.loop.pipeline);
    return status;
}
