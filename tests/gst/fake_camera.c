/*
 * A camera in place of GStreamer's v4l2src: after some frames it is unplugged, the next time it
 * cannot be opened, and from then on it works.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <gst/base/gstpushsrc.h>

#define PACKAGE "saccade"

enum { W = 640, H = 480, FPS = 50, FRAMES_OF_FIRST = 20 };
enum { DEVICE = 1, DEVICE_FD };

typedef struct FakeCamera {
    GstPushSrc parent;
    gint n_frames;
} FakeCamera;

typedef GstPushSrcClass FakeCameraClass;

static GType fake_camera_get_type(void);

G_DEFINE_TYPE(FakeCamera, fake_camera, GST_TYPE_PUSH_SRC)

static gint n_starts; /* of all cameras of the program */

static gboolean start(GstBaseSrc *src)
{
    if (++n_starts != 2)
        return TRUE;
    GST_ELEMENT_ERROR(src, RESOURCE, OPEN_READ, ("no such device"), (NULL));
    return FALSE;
}

static GstFlowReturn create(GstPushSrc *src, GstBuffer **buffer)
{
    FakeCamera *self = (FakeCamera *)(void *)src;
    if (n_starts == 1 && self->n_frames == FRAMES_OF_FIRST) {
        GST_ELEMENT_ERROR(src, RESOURCE, READ, ("the device is gone"), (NULL));
        return GST_FLOW_ERROR;
    }
    g_usleep(G_USEC_PER_SEC / FPS); /* between two exposures */
    *buffer = gst_buffer_new_allocate(NULL, W * H * 2, NULL);
    gst_buffer_memset(*buffer, 0, (guint8)++self->n_frames, W * H * 2);
    return GST_FLOW_OK;
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
    (void)object, (void)id, (void)value, (void)spec; /* any device is this one */
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
    (void)object, (void)spec;
    if (id == DEVICE_FD)
        g_value_set_int(value, -1); /* it has no controls */
}

static void fake_camera_class_init(FakeCameraClass *class)
{
    GObjectClass *object = G_OBJECT_CLASS(class);
    GstElementClass *element = GST_ELEMENT_CLASS(class);
    GstCaps *caps = gst_caps_from_string("video/x-raw, format=YUY2, width={ 320, 640 }, "
                                         "height={ 240, 480 }, framerate=50/1; "
                                         "video/x-raw, format=NV12, width=1920, height=1080, "
                                         "framerate=5/1");
    object->set_property = set_property;
    object->get_property = get_property;
    g_object_class_install_property(
        object, DEVICE, g_param_spec_string("device", "device", "", NULL, G_PARAM_READWRITE));
    g_object_class_install_property(
        object, DEVICE_FD,
        g_param_spec_int("device-fd", "device-fd", "", -1, G_MAXINT, -1, G_PARAM_READABLE));
    gst_element_class_add_pad_template(
        element, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
    gst_caps_unref(caps);
    gst_element_class_set_metadata(element, "Camera of tests", "Source/Video",
                                   "Is unplugged after some frames", "The authors of saccade");
    GST_BASE_SRC_CLASS(class)->start = start;
    class->create = create;
}

static void fake_camera_init(FakeCamera *self)
{
    gst_base_src_set_live(GST_BASE_SRC(self), TRUE);
    gst_base_src_set_format(GST_BASE_SRC(self), GST_FORMAT_TIME);
}

static gboolean init(GstPlugin *plugin)
{
    return gst_element_register(plugin, "v4l2src", GST_RANK_PRIMARY, fake_camera_get_type());
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, fakecamera, "A camera of tests", init, "1",
                  "Apache 2.0", "saccade", "saccade")
