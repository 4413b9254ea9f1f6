/*
 * V4L2 cameras: which there are, and their controls.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <linux/videodev2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "loop.h"
#include "origin.h"

/* The controls as V4L2 has them. */
static const uint32_t control_ids[CLI_LIVE_CONTROLS] = {V4L2_CID_BRIGHTNESS, V4L2_CID_CONTRAST,
                                                        V4L2_CID_SATURATION, V4L2_CID_GAIN};

/* Sets one; false: the camera has no such control. */
static bool set_control(int fd, uint32_t id, const sac_param *param, double value)
{
    struct v4l2_queryctrl range = {.id = id};
    const uint32_t unusable = V4L2_CTRL_FLAG_DISABLED | V4L2_CTRL_FLAG_INACTIVE |
                              V4L2_CTRL_FLAG_READ_ONLY | V4L2_CTRL_FLAG_GRABBED;
    if (ioctl(fd, VIDIOC_QUERYCTRL, &range) != 0 || (range.flags & unusable) ||
        range.maximum <= range.minimum) {
        return false;
    }
    struct v4l2_control control = {
        id, cli_live_camera_value(param, value, range.minimum, range.default_value, range.maximum)};
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
    GstElement *camera = cli_live_element("v4l2src");
    if (!camera) {
        return CLI_FAILED;
    }
    gst_object_unref(camera);
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
