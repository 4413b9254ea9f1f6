/*
 * V4L2 cameras: which there are, what to ask them for, and their controls.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <linux/videodev2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "loop.h"
#include "origin.h"

#define JPEG_COST 0.05  /* of a picture that was compressed once, against one of another size */
#define OTHER_COST 0.10 /* of one that depends on others, such as H.264 */

/* How far a is from b: 0 of the same, 1 of twice or half as much. */
static double distance(double a, double b)
{
    return a > b ? a / b - 1 : b / a - 1;
}

/* What is not fixed becomes what is nearest to the wanted. */
static void fixate(GstStructure *s, int w, int h, int fps)
{
    gst_structure_fixate_field_nearest_int(s, "width", w);
    gst_structure_fixate_field_nearest_int(s, "height", h);
    gst_structure_fixate_field_nearest_fraction(s, "framerate", fps, 1);
}

static double cost_of(const GstStructure *s, int w, int h, int fps)
{
    gint has_w = 0, has_h = 0, num = 0, den = 1;
    if (!gst_structure_get_int(s, "width", &has_w) || !gst_structure_get_int(s, "height", &has_h) ||
        has_w <= 0 || has_h <= 0) {
        return G_MAXDOUBLE;
    }
    const bool has_rate = gst_structure_get_fraction(s, "framerate", &num, &den) && num > 0;
    const double rate = has_rate ? (double)num / den : fps;
    const double kind = gst_structure_has_name(s, "video/x-raw")  ? 0
                        : gst_structure_has_name(s, "image/jpeg") ? JPEG_COST
                                                                  : OTHER_COST;
    return distance((double)has_w * has_h, (double)w * h) + distance(rate, fps) + kind;
}

static bool is_video(const GstStructure *s)
{
    return gst_structure_has_name(s, "video/x-raw") || gst_structure_has_name(s, "image/jpeg") ||
           gst_structure_has_name(s, "video/x-h264") || gst_structure_has_name(s, "video/x-h265");
}

GstCaps *cli_live_choose_caps(const GstCaps *all, int w, int h, int fps)
{
    GstCaps *best = NULL;
    double least = G_MAXDOUBLE;
    for (guint i = 0; i < gst_caps_get_size(all); i++) {
        const GstStructure *s = gst_caps_get_structure(all, i);
        const GstCapsFeatures *features = gst_caps_get_features(all, i);
        if (!is_video(s) ||
            !gst_caps_features_is_equal(features, GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY)) {
            continue;
        }
        GstStructure *fixed = gst_structure_copy(s);
        fixate(fixed, w, h, fps);
        const double cost = cost_of(fixed, w, h, fps);
        if (cost < least) {
            least = cost;
            gst_clear_caps(&best);
            best = gst_caps_new_full(fixed, NULL);
        } else {
            gst_structure_free(fixed);
        }
    }
    return best ? gst_caps_fixate(best) : NULL;
}

/* The controls as V4L2 has them. */
static const uint32_t control_ids[CLI_LIVE_CONTROLS] = {V4L2_CID_BRIGHTNESS, V4L2_CID_CONTRAST,
                                                        V4L2_CID_SATURATION, V4L2_CID_GAIN};

/* Sets one: what changes nothing is the camera's default, and the option's least and most are the
 * camera's. False: it has no such control. */
static bool set_control(int fd, uint32_t id, const sac_param *param, double value)
{
    struct v4l2_queryctrl range = {.id = id};
    const uint32_t unusable = V4L2_CTRL_FLAG_DISABLED | V4L2_CTRL_FLAG_INACTIVE |
                              V4L2_CTRL_FLAG_READ_ONLY | V4L2_CTRL_FLAG_GRABBED;
    if (ioctl(fd, VIDIOC_QUERYCTRL, &range) != 0 || (range.flags & unusable) ||
        range.maximum <= range.minimum) {
        return false;
    }
    const bool is_less = value < param->def;
    const double way = (value - param->def) / ((is_less ? param->min : param->max) - param->def);
    const double end = is_less ? range.minimum : range.maximum;
    const double set = range.default_value + way * (end - range.default_value);
    struct v4l2_control control = {id, (int32_t)(set + (set < 0 ? -0.5 : 0.5))};
    return ioctl(fd, VIDIOC_S_CTRL, &control) == 0;
}

/* A camera that sets its gain itself must leave that, and may have it back. */
static void set_automatic(int fd, bool is_on)
{
    struct v4l2_control control = {V4L2_CID_AUTOGAIN, is_on};
    (void)!ioctl(fd, VIDIOC_S_CTRL, &control); /* one that cannot has no such control */
}

void cli_live_origin_control(GstElement *origin, sac_adjust_desc *controls,
                             const bool is_set[CLI_LIVE_CONTROLS])
{
    int fd = -1;
    GstElement *camera = origin ? gst_bin_get_by_name(GST_BIN(origin), "camera") : NULL;
    if (camera) {
        g_object_get(camera, "device-fd", &fd, NULL);
        gst_object_unref(camera);
    }
    for (int i = 0; fd >= 0 && i < CLI_LIVE_CONTROLS; i++) {
        const sac_param *param = cli_live_control(i);
        double *value = (double *)(void *)((char *)controls + param->offset);
        if (!is_set[i]) {
            continue;
        }
        if (control_ids[i] == V4L2_CID_GAIN) {
            set_automatic(fd, *value == param->def);
        }
        if (set_control(fd, control_ids[i], param, *value)) {
            *value = param->def; /* software has nothing to do */
        }
    }
}

/* "1280x720 30/s": what a structure of caps has, or the list of it. */
static void print_mode(const GstStructure *s)
{
    static const char *const fields[] = {"format", "width", "height", "framerate"};
    printf("  %s", gst_structure_get_name(s));
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
        const GValue *value = gst_structure_get_value(s, fields[i]);
        char *text = value ? gst_value_serialize(value) : NULL;
        if (text) {
            printf(" %s=%s", fields[i], text);
        }
        g_free(text);
    }
    putchar('\n');
}

static void print_camera(GstDevice *camera)
{
    GstStructure *more = gst_device_get_properties(camera);
    GstCaps *caps = gst_device_get_caps(camera);
    char *name = gst_device_get_display_name(camera);
    const char *path = more ? gst_structure_get_string(more, "device.path") : NULL;
    path = path || !more ? path : gst_structure_get_string(more, "api.v4l2.path");
    printf("%s: %s\n", path ? path : "(no path)", name);
    for (guint i = 0; caps && i < gst_caps_get_size(caps); i++) {
        print_mode(gst_caps_get_structure(caps, i));
    }
    g_free(name);
    gst_clear_caps(&caps);
    if (more) {
        gst_structure_free(more);
    }
}

int cli_live_list_cameras(void)
{
    GstDeviceMonitor *monitor = gst_device_monitor_new();
    gst_device_monitor_add_filter(monitor, "Video/Source", NULL);
    GList *cameras =
        gst_device_monitor_start(monitor) ? gst_device_monitor_get_devices(monitor) : NULL;
    for (GList *at = cameras; at; at = at->next) {
        print_camera(at->data);
    }
    if (!cameras) {
        puts("no camera is connected to this machine");
    }
    g_list_free_full(cameras, gst_object_unref);
    gst_device_monitor_stop(monitor);
    gst_object_unref(monitor);
    return CLI_DONE;
}
