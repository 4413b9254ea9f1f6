/*
 * Frames for GstHarness, and the plugin of this build.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "harness.h"

#include <saccade/array.h>
#include <saccade/device.h>
#include <stdio.h>
#include <string.h>

#include "skip.h"

enum { GUARD = 0xA5 };

static const char *device; /* NULL: as the elements are by themselves */

const Layout layouts[N_LAYOUTS] = {
    {GST_VIDEO_FORMAT_GRAY8, 1, SAC_ORDER_UNKNOWN}, {GST_VIDEO_FORMAT_RGB, 3, SAC_ORDER_RGB},
    {GST_VIDEO_FORMAT_BGR, 3, SAC_ORDER_BGR},       {GST_VIDEO_FORMAT_RGBx, 4, SAC_ORDER_RGB},
    {GST_VIDEO_FORMAT_BGRx, 4, SAC_ORDER_BGR},      {GST_VIDEO_FORMAT_RGBA, 4, SAC_ORDER_RGB},
    {GST_VIDEO_FORMAT_BGRA, 4, SAC_ORDER_BGR},
};

const Size sizes[N_SIZES] = {{1, 1},   {1, 9},   {9, 1},   {2, 3},   {15, 5},  {16, 4},
                             {17, 33}, {31, 16}, {63, 17}, {64, 16}, {65, 31}, {131, 18}};

void start_gst(const char *program)
{
    char *registry = g_strdup_printf("%s/%s.registry", BUILD_FOLDER, program);
    g_setenv("GST_REGISTRY", registry, TRUE);
    g_setenv("GST_PLUGIN_PATH", PLUGIN_FOLDER, TRUE);
    g_setenv("GST_PLUGIN_SYSTEM_PATH_1_0", "", TRUE);
    g_setenv("GST_REGISTRY_FORK", "no", TRUE); /* gst-plugin-scanner has no sanitizer */
    gst_init(NULL, NULL);
    g_free(registry);
}

int take_device(int argc, char **argv)
{
    if (argc != 3 || strcmp(argv[1], "--device") != 0)
        return 0;
    device = argv[2];
    return strcmp(device, "cpu") != 0 && sac_gpu_count() == 0 ? skip_all("no GPU") : 0;
}

GstHarness *element_harness(const char *element)
{
    GstHarness *h = gst_harness_new(element);
    if (device)
        g_object_set(h->element, "device", device, NULL);
    return h;
}

GstCaps *caps_of(GstVideoFormat format, int w, int h)
{
    GstVideoInfo info;
    gst_video_info_set_format(&info, format, (guint)w, (guint)h);
    info.fps_n = 25;
    info.fps_d = 1;
    return gst_video_info_to_caps(&info);
}

void set_caps(GstHarness *h, GstVideoFormat format, int w, int height)
{
    gst_harness_set_src_caps(h, caps_of(format, w, height));
}

/* A number that looks random (splitmix64's last steps). */
static uint32_t hash(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(x >> 32);
}

uint8_t *scene(int w, int h, int n_channels, int number)
{
    const size_t n = (size_t)w * (size_t)h * (size_t)n_channels;
    uint8_t *bytes = g_malloc(n);
    for (size_t i = 0; i < n; i++) {
        const uint32_t still = hash(i + 1);
        const uint32_t moves = hash((uint64_t)(number + 7) * 1000003 + i / (size_t)n_channels);
        /* A quarter of the pixels move by little, a twelfth by anything. */
        bytes[i] = (uint8_t)(moves % 12 < 8    ? still
                             : moves % 12 < 11 ? still + (moves >> 8) % 30
                                               : hash(i * 7919 + (uint64_t)number));
    }
    return bytes;
}

GstBuffer *buffer_with(const uint8_t *bytes, GstVideoFormat format, int w, int h, int gap)
{
    GstVideoInfo info;
    gst_video_info_set_format(&info, format, (guint)w, (guint)h);
    const size_t row = (size_t)w * (size_t)GST_VIDEO_INFO_COMP_PSTRIDE(&info, 0);
    const size_t stride = row + (size_t)gap, n = (size_t)gap + stride * (size_t)h;
    uint8_t *memory = g_malloc(n);
    memset(memory, GUARD, n);
    for (size_t y = 0; y < (size_t)h; y++)
        memcpy(memory + (size_t)gap + y * stride, bytes + y * row, row);
    GstBuffer *buffer = gst_buffer_new_wrapped(memory, n);
    gsize offset[GST_VIDEO_MAX_PLANES] = {(gsize)gap};
    gint strides[GST_VIDEO_MAX_PLANES] = {(gint)stride};
    gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, format, (guint)w, (guint)h, 1,
                                   offset, strides);
    return buffer;
}

gboolean gaps_are_whole(GstBuffer *buffer)
{
    const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
    GstVideoInfo info;
    GstMapInfo map;
    gboolean is_whole = TRUE;
    gst_video_info_set_format(&info, meta->format, meta->width, meta->height);
    const size_t row = (size_t)meta->width * (size_t)GST_VIDEO_INFO_COMP_PSTRIDE(&info, 0);
    const size_t stride = (size_t)meta->stride[0], gap = meta->offset[0];
    gst_buffer_map(buffer, &map, GST_MAP_READ);
    for (size_t i = 0; i < map.size; i++) {
        const gboolean is_pixel = i >= gap && (i - gap) % stride < row;
        is_whole = is_whole && (is_pixel || map.data[i] == GUARD);
    }
    gst_buffer_unmap(buffer, &map);
    return is_whole;
}

uint8_t *bytes_of(GstBuffer *buffer, GstVideoFormat format, int w, int h)
{
    GstVideoInfo info;
    GstVideoFrame frame;
    gst_video_info_set_format(&info, format, (guint)w, (guint)h);
    assert_true(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ));
    const size_t row = (size_t)w * (size_t)GST_VIDEO_INFO_COMP_PSTRIDE(&info, 0);
    uint8_t *bytes = g_malloc(row * (size_t)h);
    for (size_t y = 0; y < (size_t)h; y++)
        memcpy(bytes + y * row,
               (const uint8_t *)GST_VIDEO_FRAME_PLANE_DATA(&frame, 0) +
                   y * (size_t)GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0),
               row);
    gst_video_frame_unmap(&frame);
    return bytes;
}

void assert_bytes(const uint8_t *got, const uint8_t *wanted, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (got[i] != wanted[i]) {
            fprintf(stderr, "%s: byte %zu of %zu is %d, expected %d\n", what, i, n, got[i],
                    wanted[i]);
            break;
        }
    assert_memory_equal(got, wanted, n);
}

void watch_messages(GstHarness *h)
{
    GstBus *bus = gst_bus_new();
    gst_element_set_bus(h->element, bus);
    gst_object_unref(bus);
}

void end_harness(GstHarness *h)
{
    GstBus *bus = gst_element_get_bus(h->element);
    if (bus)
        gst_bus_set_flushing(bus, TRUE);
    gst_clear_object(&bus);
    gst_harness_teardown(h);
}

GstMessage *next_message(GstHarness *h, GstMessageType type)
{
    GstBus *bus = gst_element_get_bus(h->element);
    GstMessage *message = gst_bus_pop_filtered(bus, type);
    gst_object_unref(bus);
    return message;
}
