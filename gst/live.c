/*
 * Links as elements have them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "live.h"

#include <gst/video/video.h>
#include <string.h>

typedef struct LiveDesc {
    size_t struct_size;
    const char *uri, *passphrase_file;
    bool reconnect;
    gint32 latency_ms, timeout_ms, mtu, max_clients, queue_size, max_rate;
} LiveDesc;

#define AT(field) offsetof(LiveDesc, field)

static const sac_param params[] = {
    {"uri", SAC_PARAM_STRING, AT(uri), 0, 0, 0, NULL, "", "URI",
     "udp://, tcp:// or srt://, with HOST:PORT to connect, with :PORT or ?mode=listener to wait "
     "for "
     "the other side"},
    {"passphrase-file", SAC_PARAM_STRING, AT(passphrase_file), 0, 0, 0, NULL, "", "FILE",
     "file whose first line, of 16 bytes or more, both sides know: all is encrypted and "
     "authenticated"},
    {"reconnect", SAC_PARAM_BOOL, AT(reconnect), 0, 1, 1, NULL, "", NULL,
     "connect again for ever; without it the stream ends with the connection"},
    {"latency", SAC_PARAM_INT, AT(latency_ms), 0, 60000, 200, NULL, "ms", "MS",
     "how long a packet that is not whole is waited for; the latency of a source"},
    {"timeout", SAC_PARAM_INT, AT(timeout_ms), 100, 600000, 2000, NULL, "ms", "MS",
     "silence after which the other side is lost"},
    {"mtu", SAC_PARAM_INT, AT(mtu), 576, 4096, 1200, NULL, "bytes", "N",
     "size of a datagram of UDP, without the 28 bytes of its heads; of SRT at most 1456"},
    {"max-clients", SAC_PARAM_INT, AT(max_clients), 1, 64, 8, NULL, "", "N",
     "receivers that a waiting sender serves"},
    {"queue-size", SAC_PARAM_INT, AT(queue_size), 1, 65536, 32, NULL, "MiB", "N",
     "packets that may wait for one receiver, or for downstream; then all are dropped until a "
     "keyframe"},
    {"max-rate", SAC_PARAM_INT, AT(max_rate), 0, 1000000, 500, NULL, "Mbit/s", "N",
     "UDP: rate at which a packet's datagrams leave; 0: as fast as they go"},
};

static const sac_param_table table = {
    .pipeline = "link",
    .summary = "a delta stream over a network",
    .desc_size = sizeof(LiveDesc),
    .params = params,
    .n_params = G_N_ELEMENTS(params),
};

static void (*get_option)(GObject *, guint, GValue *, GParamSpec *); /* of all options */

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
    if (id != (guint)table.n_params + 3) {
        get_option(object, id, value, spec);
        return;
    }
    GstStructure *stats = gst_structure_new_empty("saccade");
    sac_live_count(g_object_get_data(object, "saccade-live"), stats);
    g_value_take_boxed(value, stats);
}

void sac_live_install(GObjectClass *class)
{
    sac_options_install(class, &table, TRUE);
    get_option = class->get_property;
    class->get_property = get_property;
    g_object_class_install_property(
        class, (guint)table.n_params + 3,
        g_param_spec_boxed("stats", "stats", "Counts since the element started", GST_TYPE_STRUCTURE,
                           (GParamFlags)(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

static void init_desc(void *desc)
{
    sac_param_defaults(&table, desc);
}

void sac_live_init(SacLive *live, GstElement *element, gboolean is_sender)
{
    *live = (SacLive){.element = element,
                      .options = sac_options_add(element, &table, init_desc),
                      .is_sender = is_sender};
    g_object_set_data(G_OBJECT(element), "saccade-live", live);
}

static void set_state(SacLive *live, const char *state, const char *field, const char *text)
{
    GST_OBJECT_LOCK(live->element);
    live->state = state;
    GST_OBJECT_UNLOCK(live->element);
    GST_INFO_OBJECT(live->element, "%s: %s", state, text);
    gst_element_post_message(
        live->element,
        gst_message_new_element(GST_OBJECT(live->element),
                                gst_structure_new("saccade-state", "state", G_TYPE_STRING, state,
                                                  field, G_TYPE_STRING, text, NULL)));
}

/* What a receiver sent goes upstream, if it is what receivers send. */
static void push_control(SacLive *live, const char *text)
{
    GstStructure *structure = sac_control_read(text);
    GstPad *pad = gst_element_get_static_pad(live->element, "sink");
    if (structure)
        gst_pad_push_event(pad, gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, structure));
    else
        GST_WARNING_OBJECT(live->element, "a control that is none: %s", text);
    gst_object_unref(pad);
}

static void push_key_request(SacLive *live)
{
    GstPad *pad = gst_element_get_static_pad(live->element, "sink");
    gst_pad_push_event(pad,
                       gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 0));
    gst_object_unref(pad);
}

/* Of the link's thread. */
static void handle(void *ctx, const sac_link_event *event)
{
    SacLive *live = ctx;
    switch (event->type) {
    case SAC_LINK_CONNECTING:
        set_state(live, "connecting", "peer", event->text);
        break;
    case SAC_LINK_CONNECTED:
        set_state(live, "connected", "peer", event->text);
        break;
    case SAC_LINK_LOST:
        set_state(live, "lost", "peer", event->text);
        break;
    case SAC_LINK_ENDED:
        set_state(live, "ended", "peer", event->text);
        break;
    case SAC_LINK_REFUSED:
        set_state(live, "refused", "reason", event->text);
        if (live->is_waiter)
            GST_ELEMENT_WARNING(live->element, RESOURCE, NOT_AUTHORIZED, ("%s", event->text),
                                (NULL));
        break;
    case SAC_LINK_UNKNOWN:
        set_state(live, "unknown", "reason", event->text);
        GST_ELEMENT_WARNING(live->element, RESOURCE, NOT_FOUND, ("%s", event->text), (NULL));
        break;
    case SAC_LINK_FAILED:
        set_state(live, "failed", "reason", event->text);
        GST_ELEMENT_ERROR(live->element, RESOURCE, OPEN_READ_WRITE, ("%s", event->text), (NULL));
        g_atomic_int_set(&live->is_failed, TRUE);
        break;
    case SAC_LINK_KEY:
        push_key_request(live);
        break;
    case SAC_LINK_CONTROL:
        push_control(live, event->text);
        break;
    }
}

gboolean sac_live_start(SacLive *live)
{
    sac_error err = {SAC_OK, ""};
    LiveDesc *set = sac_options_take(live->options, &err);
    sac_link_desc desc;
    sac_link_desc_init(&desc);
    desc.is_sender = live->is_sender;
    desc.event = handle;
    desc.ctx = live;
    desc.uri = set->uri;
    desc.passphrase_file = set->passphrase_file;
    desc.reconnect = set->reconnect;
    desc.latency_ms = set->latency_ms;
    desc.timeout_ms = set->timeout_ms;
    desc.mtu = set->mtu;
    desc.max_clients = set->max_clients;
    desc.queue_bytes = (gint64)set->queue_size << 20;
    desc.max_rate = set->max_rate;
    live->options->report.last = GST_CLOCK_TIME_NONE;
    live->is_waiter = !set->uri || strstr(set->uri, "://:") || strstr(set->uri, "mode=listener");
    live->state = live->is_waiter ? "waiting" : "connecting";
    g_atomic_int_set(&live->is_failed, FALSE);
    sac_link *link;
    const sac_status status = sac_link_open(&link, &desc, &err);
    sac_options_free(&table, set);
    GST_OBJECT_LOCK(live->element);
    live->link = link;
    GST_OBJECT_UNLOCK(live->element);
    if (status != SAC_OK)
        sac_gst_fail(live->element, status, &err);
    return status == SAC_OK;
}

void sac_live_stop(SacLive *live)
{
    GST_OBJECT_LOCK(live->element); /* `stats` may be read at any time */
    sac_link *link = g_steal_pointer(&live->link);
    live->state = "stopped";
    GST_OBJECT_UNLOCK(live->element);
    sac_link_close(&link);
}

void sac_live_wake(SacLive *live, gboolean on)
{
    GST_OBJECT_LOCK(live->element);
    if (live->link)
        sac_link_wake(live->link, on);
    GST_OBJECT_UNLOCK(live->element);
}

void sac_live_count(SacLive *live, GstStructure *structure)
{
    sac_link_counts c = {0};
    GST_OBJECT_LOCK(live->element);
    const char *state = live->state ? live->state : "stopped";
    if (live->link)
        sac_link_get_counts(live->link, &c);
    const gint port = live->link ? sac_link_get_port(live->link) : 0;
    GST_OBJECT_UNLOCK(live->element);
    const struct {
        const char *name;
        guint64 value;
        gboolean sender, receiver;
    } all[] = {
        {"clients", c.clients, TRUE, FALSE},
        {"packets", c.packets, TRUE, TRUE},
        {"bytes", c.bytes, TRUE, TRUE},
        {"wire-bytes", c.wire_bytes, TRUE, TRUE},
        {"resent", c.resent, TRUE, FALSE},
        {"dropped", c.dropped, TRUE, TRUE},
        {"lost", c.lost, FALSE, TRUE},
        {"repaired", c.repaired, FALSE, TRUE},
        {"repaired-parts", c.repaired_parts, FALSE, TRUE},
        {"repair-p99-ms", c.repair_p99_ms, FALSE, TRUE},
        {"late", c.late, FALSE, TRUE},
        {"duplicates", c.duplicates, FALSE, TRUE},
        {"key-requests", c.key_requests, TRUE, TRUE},
        {"damaged", c.damaged, TRUE, TRUE},
        {"foreign", c.foreign, TRUE, TRUE},
        {"refused", c.refused, TRUE, TRUE},
    };
    gst_structure_set(structure, "state", G_TYPE_STRING, state, NULL);
    if (port) /* of a side that waits */
        gst_structure_set(structure, "port", G_TYPE_INT, port, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(all); i++)
        if (live->is_sender ? all[i].sender : all[i].receiver)
            gst_structure_set(structure, all[i].name, G_TYPE_UINT64, all[i].value, NULL);
    gst_structure_set(structure, "rtt-ms", G_TYPE_DOUBLE, (double)c.rtt_ns / 1e6, NULL);
    if (!live->is_sender)
        gst_structure_set(structure, "clock-offset-ns", G_TYPE_INT64, (gint64)c.offset_ns, NULL);
}

/* The pipeline's running time now, and this machine's monotonic time; FALSE: it has no clock. */
static gboolean now_of(GstElement *element, gint64 *running, gint64 *monotonic)
{
    GstClock *clock = gst_element_get_clock(element);
    *monotonic = g_get_monotonic_time() * 1000;
    if (!clock)
        return FALSE;
    *running = (gint64)gst_clock_get_time(clock) - (gint64)gst_element_get_base_time(element);
    gst_object_unref(clock);
    return TRUE;
}

gint64 sac_live_captured(GstElement *element, GstClockTime running)
{
    gint64 now, monotonic;
    if (!now_of(element, &now, &monotonic) || !GST_CLOCK_TIME_IS_VALID(running))
        return monotonic;
    return monotonic - (now - (gint64)running);
}

GstClockTime sac_live_running(GstElement *element, gint64 captured_ns)
{
    gint64 now, monotonic;
    if (!now_of(element, &now, &monotonic))
        return GST_CLOCK_TIME_NONE;
    const gint64 running = now - (monotonic - captured_ns);
    return running > 0 ? (GstClockTime)running : 0;
}
