/*
 * The origin of what saccade send sends, while it comes and goes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <gst/video/video.h>

#include "origin.h"
#include "send.h"

#define FIRST_RETRY_MS 500
#define LAST_RETRY_MS 10000

/* When what a pad has given ends, as time of the pipeline. */
static void note_end(cli_sending *s, GstPad *pad, GstBuffer *buffer)
{
    GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
    const GstSegment *segment = NULL;
    if (!event || !GST_BUFFER_PTS_IS_VALID(buffer)) {
        g_clear_pointer(&event, gst_event_unref);
        return;
    }
    gst_event_parse_segment(event, &segment);
    const GstClockTime begin =
        gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
    if (GST_CLOCK_TIME_IS_VALID(begin)) {
        s->end = begin + (GST_BUFFER_DURATION_IS_VALID(buffer) ? GST_BUFFER_DURATION(buffer) : 0);
    }
    gst_event_unref(event);
}

/* Frames that no receiver would take. */
static bool is_too_large(cli_sending *s, GstEvent *event)
{
    GstCaps *caps;
    GstVideoInfo info;
    gst_event_parse_caps(event, &caps);
    const bool is = gst_video_info_from_caps(&info, caps) &&
                    (uint64_t)GST_VIDEO_INFO_WIDTH(&info) * (uint64_t)GST_VIDEO_INFO_HEIGHT(&info) >
                        CLI_LIVE_MAX_PIXELS;
    if (is) {
        GST_ELEMENT_ERROR(s->origin, STREAM, FORMAT,
                          ("has frames of %dx%d pixels, and receivers take 8192x8192 at most: "
                           "--size makes them smaller",
                           GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info)),
                          (NULL));
    }
    return is;
}

static GstPadProbeReturn on_origin(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    cli_sending *s = data;
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
        note_end(s, pad, GST_PAD_PROBE_INFO_BUFFER(info));
        g_atomic_int_inc(&s->n_in);
        g_atomic_int_inc(&s->n_since);
        return GST_PAD_PROBE_OK;
    }
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
    const bool is_end = GST_EVENT_TYPE(event) == GST_EVENT_EOS;
    if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS && is_too_large(s, event)) {
        return GST_PAD_PROBE_DROP;
    }
    if (!is_end || (s->job->kind == CLI_LIVE_FILE && !s->job->options.loop)) {
        return GST_PAD_PROBE_OK;
    }
    /* The end of a camera is not the end of what is sent. */
    GstStructure *over = gst_structure_new_empty("saccade-origin-ended");
    gst_element_post_message(s->loop.pipeline,
                             gst_message_new_application(GST_OBJECT(s->origin), over));
    return GST_PAD_PROBE_DROP;
}

bool cli_send_add_origin(cli_sending *s, GstClockTime from)
{
    s->origin = cli_live_origin_new(s->job, &(cli_live_from){s->loop.pipeline, from});
    if (!s->origin) {
        return false;
    }
    gst_bin_add(GST_BIN(s->loop.pipeline), s->origin);
    cli_live_probe(s->origin, "src",
                   GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_origin, s);
    gst_element_link(s->origin, s->queue);
    return true;
}

static void remove_origin(cli_sending *s)
{
    if (s->origin) {
        gst_element_set_locked_state(s->origin, TRUE);
        gst_element_set_state(s->origin, GST_STATE_NULL);
        gst_bin_remove(GST_BIN(s->loop.pipeline), s->origin);
        s->origin = NULL;
        g_atomic_int_set(&s->n_since, 0);
    }
}

bool cli_send_play(cli_sending *s)
{
    /* A file that begins again follows on its last frame. */
    if (!cli_send_add_origin(s, s->end)) {
        cli_live_loop_end(&s->loop, CLI_FAILED);
        return false;
    }
    gst_element_set_state(s->origin, GST_STATE_PLAYING); /* a failure is a message */
    return true;
}

static gboolean try_again(gpointer data)
{
    cli_sending *s = data;
    s->retry = 0;
    if (!s->loop.is_ending && cli_send_play(s)) {
        cli_send_control(s);
    }
    return G_SOURCE_REMOVE;
}

/* What has worked is awaited; what never did is wrong. */
static void lose_origin(cli_sending *s, const char *why)
{
    remove_origin(s);
    if (s->loop.is_ending || s->retry) {
        return;
    }
    if (!s->is_retrying) {
        s->is_retrying = true;
        s->n_lost++;
        s->retry_ms = FIRST_RETRY_MS;
        cli_warn("%s: %s; trying again until it is back", s->job->shown, why);
    }
    s->retry = g_timeout_add(s->retry_ms, try_again, s);
    s->retry_ms = MIN(2 * s->retry_ms, LAST_RETRY_MS);
}

bool cli_send_is_of_origin(const cli_sending *s, GstObject *part)
{
    return s->origin && (part == GST_OBJECT(s->origin) ||
                         gst_object_has_as_ancestor(part, GST_OBJECT(s->origin)));
}

void cli_send_tell_return(cli_sending *s)
{
    if (g_atomic_int_get(&s->n_since) > 0) {
        s->has_worked = true;
        if (s->is_retrying) {
            cli_note("%s is back", s->job->shown);
        }
        s->is_retrying = false;
    }
}

char *cli_send_without_password(const cli_live_send_job *job, const char *why)
{
    char **parts = g_strsplit(why, job->secret ? job->secret : "\n", -1);
    char *text = g_strjoinv(":***@", parts);
    g_strfreev(parts);
    return text;
}

static bool fail_origin(cli_sending *s, const char *why)
{
    cli_send_tell_return(s); /* frames that came just before the failure count */
    if (s->has_worked && s->job->kind != CLI_LIVE_FILE) {
        lose_origin(s, why);
        return true;
    }
    s->loop.status = cli_fail("%s: %s", s->job->shown, why);
    return false;
}

bool cli_send_origin_failed(cli_sending *s, const char *why)
{
    char *text = cli_send_without_password(s->job, why);
    const bool goes_on = fail_origin(s, text);
    g_free(text);
    return goes_on;
}

void cli_send_origin_ended(cli_sending *s)
{
    if (s->job->kind != CLI_LIVE_FILE) {
        lose_origin(s, "has ended");
        return;
    }
    remove_origin(s);
    if (!s->loop.is_ending) {
        (void)cli_send_play(s);
    }
}
