/*
 * Properties made from parameter tables.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options.h"

#include <saccade/device.h>
#include <string.h>

#define TEXT 64 /* bytes of a device, or of two numbers, as text */

/* "delta-encode", "map" becomes "GstSacDeltaEncodeMap". */
static char *type_name(const char *pipeline, const char *name)
{
    GString *text = g_string_new("GstSac");
    const char *const words[] = {pipeline, name};
    for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
        gboolean is_first = TRUE;
        for (const char *c = words[i]; *c; c++) {
            if (*c != '-')
                g_string_append_c(text, is_first ? g_ascii_toupper(*c) : *c);
            is_first = *c == '-';
        }
    }
    return g_string_free(text, FALSE);
}

/* The type of a choice. GLib keeps the values for as long as the program runs. */
static GType enum_type(const sac_param_table *table, const sac_param *param)
{
    char *name = type_name(table->pipeline, param->name);
    GType type = g_type_from_name(name);
    if (!type) {
        guint n = 0;
        while (param->choices[n])
            n++;
        GEnumValue *values = g_new0(GEnumValue, n + 1);
        for (guint i = 0; i < n; i++)
            values[i] = (GEnumValue){(gint)i, param->choices[i], param->choices[i]};
        type = g_enum_register_static(name, values);
        gst_type_mark_as_plugin_api(type, (GstPluginAPIFlags)0);
    }
    g_free(name);
    return type;
}

static GParamSpec *spec_of(const sac_param_table *table, const sac_param *p, const char *blurb)
{
    const GParamFlags flags = (GParamFlags)(G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING);
    char text[TEXT];
    void *defaults;
    GParamSpec *spec;
    switch (p->type) {
    case SAC_PARAM_INT:
        return g_param_spec_int(p->name, p->name, blurb, (gint)p->min, (gint)p->max, (gint)p->def,
                                flags);
    case SAC_PARAM_FLOAT:
        return g_param_spec_double(p->name, p->name, blurb, p->min, p->max, p->def, flags);
    case SAC_PARAM_BOOL:
        return g_param_spec_boolean(p->name, p->name, blurb, p->def != 0, flags);
    case SAC_PARAM_CHOICE:
        return g_param_spec_enum(p->name, p->name, blurb, enum_type(table, p), (gint)p->def, flags);
    case SAC_PARAM_STRING:
        return g_param_spec_string(p->name, p->name, blurb, NULL, flags);
    case SAC_PARAM_INT2:
    case SAC_PARAM_DEVICE:
        break;
    }
    defaults = g_malloc0(table->desc_size);
    sac_param_defaults(table, defaults);
    spec = g_param_spec_string(p->name, p->name, blurb,
                               sac_param_get(p, defaults, text, sizeof text), flags);
    g_free(defaults);
    return spec;
}

static void install_report(GObjectClass *class, guint first_id)
{
    const GParamFlags flags =
        (GParamFlags)(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
    g_object_class_install_property(
        class, first_id,
        g_param_spec_boolean("post-messages", "post-messages",
                             "Post element messages with a structure \"saccade\", which has the "
                             "counts of a frame",
                             FALSE, flags));
    g_object_class_install_property(
        class, first_id + 1,
        g_param_spec_uint64("message-interval", "message-interval",
                            "With post-messages: shortest time between two messages (in ns); 0: a "
                            "message for each frame",
                            0, G_MAXUINT64 - 1, GST_SECOND, flags));
}

static void *field(void *desc, const sac_param *p)
{
    return (char *)desc + p->offset;
}

static const void *field_of(const void *desc, const sac_param *p)
{
    return (const char *)desc + p->offset;
}

/* Replaces a string by a copy of `text`, which may be NULL. */
static void put_string(void *desc, const sac_param *p, const char *text)
{
    const char *copy = g_strdup(text);
    memcpy(field(desc, p), &copy, sizeof copy);
}

static const char *string_of(const void *desc, const sac_param *p)
{
    const char *text;
    memcpy(&text, field_of(desc, p), sizeof text);
    return text;
}

void sac_options_free(const sac_param_table *table, void *desc)
{
    for (gint32 i = 0; desc && i < table->n_params; i++)
        if (table->params[i].type == SAC_PARAM_STRING)
            g_free((char *)string_of(desc, &table->params[i]));
    g_free(desc);
}

/* Whether this changed the desc. */
static gboolean set(SacOptions *options, guint id, const GValue *value)
{
    const sac_param *p = &options->table->params[id - 1];
    void *desc = options->desc, *at = field(desc, p);
    const gint32 number = G_VALUE_HOLDS_INT(value)    ? g_value_get_int(value)
                          : G_VALUE_HOLDS_ENUM(value) ? g_value_get_enum(value)
                                                      : 0;
    const double real = G_VALUE_HOLDS_DOUBLE(value) ? g_value_get_double(value) : 0;
    const bool flag = G_VALUE_HOLDS_BOOLEAN(value) && g_value_get_boolean(value);
    const char *text = G_VALUE_HOLDS_STRING(value) ? g_value_get_string(value) : NULL;
    char before[TEXT], after[TEXT];
    sac_param_get(p, desc, before, sizeof before);
    switch (p->type) {
    case SAC_PARAM_INT:
    case SAC_PARAM_CHOICE:
        memcpy(at, &number, sizeof number);
        break;
    case SAC_PARAM_FLOAT:
        memcpy(at, &real, sizeof real);
        break;
    case SAC_PARAM_BOOL:
        memcpy(at, &flag, sizeof flag);
        break;
    case SAC_PARAM_STRING:
        g_free((char *)string_of(desc, p));
        put_string(desc, p, text && *text ? text : NULL);
        return TRUE;
    case SAC_PARAM_INT2:
    case SAC_PARAM_DEVICE:
        if (sac_param_set(options->table, desc, p->name, text ? text : "", &options->refused))
            options->refused_id = id;
        else if (options->refused_id == id)
            options->refused_id = 0;
        return TRUE;
    }
    return strcmp(before, sac_param_get(p, desc, after, sizeof after)) != 0;
}

static void get(const SacOptions *options, const sac_param *p, GValue *value)
{
    const void *at = field_of(options->desc, p);
    char text[TEXT];
    gint32 number;
    double real;
    bool flag;
    switch (p->type) {
    case SAC_PARAM_INT:
        memcpy(&number, at, sizeof number);
        g_value_set_int(value, number);
        break;
    case SAC_PARAM_CHOICE:
        memcpy(&number, at, sizeof number);
        g_value_set_enum(value, number);
        break;
    case SAC_PARAM_FLOAT:
        memcpy(&real, at, sizeof real);
        g_value_set_double(value, real);
        break;
    case SAC_PARAM_BOOL:
        memcpy(&flag, at, sizeof flag);
        g_value_set_boolean(value, flag);
        break;
    case SAC_PARAM_STRING:
        g_value_set_string(value, string_of(options->desc, p));
        break;
    case SAC_PARAM_INT2:
    case SAC_PARAM_DEVICE:
        g_value_set_string(value, sac_param_get(p, options->desc, text, sizeof text));
        break;
    }
}

static SacOptions *options_of(gpointer element)
{
    return g_object_get_data(element, "saccade-options");
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
    SacOptions *options = options_of(object);
    const guint n = (guint)options->table->n_params;
    (void)spec;
    GST_OBJECT_LOCK(object);
    if (id == n + 1)
        options->report.is_on = g_value_get_boolean(value);
    else if (id == n + 2)
        options->report.interval = g_value_get_uint64(value);
    else if (set(options, id, value))
        options->is_new = TRUE;
    GST_OBJECT_UNLOCK(object);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
    const SacOptions *options = options_of(object);
    const guint n = (guint)options->table->n_params;
    (void)spec;
    GST_OBJECT_LOCK(object);
    if (id == n + 1)
        g_value_set_boolean(value, options->report.is_on);
    else if (id == n + 2)
        g_value_set_uint64(value, options->report.interval);
    else
        get(options, &options->table->params[id - 1], value);
    GST_OBJECT_UNLOCK(object);
}

void sac_options_install(GObjectClass *class, const sac_param_table *table, gboolean has_counts)
{
    class->set_property = set_property;
    class->get_property = get_property;
    for (gint32 i = 0; i < table->n_params; i++) {
        const sac_param *p = &table->params[i];
        const gboolean has_unit = p->unit && *p->unit;
        char *blurb = g_strconcat(p->doc, has_unit ? " (in " : "", has_unit ? p->unit : "",
                                  has_unit ? ")" : "", NULL);
        if (strcspn(blurb, " ") < strcspn(blurb, "0123456789")) /* but not lz4 */
            *blurb = g_ascii_toupper(*blurb);
        g_object_class_install_property(class, (guint)i + 1, spec_of(table, p, blurb));
        g_free(blurb);
    }
    if (has_counts)
        install_report(class, (guint)table->n_params + 1);
}

static void free_options(gpointer data)
{
    SacOptions *options = data;
    sac_options_free(options->table, options->desc);
    g_free(options);
}

SacOptions *sac_options_add(GstElement *element, const sac_param_table *table,
                            void (*init)(void *desc))
{
    SacOptions *options = g_new(SacOptions, 1);
    *options = (SacOptions){
        .element = element,
        .table = table,
        .desc = g_malloc0(table->desc_size),
        .is_new = TRUE,
        .report = {.interval = GST_SECOND, .last = GST_CLOCK_TIME_NONE},
    };
    init(options->desc);
    g_object_set_data_full(G_OBJECT(element), "saccade-options", options, free_options);
    return options;
}

gboolean sac_options_are_new(SacOptions *options)
{
    GST_OBJECT_LOCK(options->element);
    const gboolean is_new = options->is_new;
    GST_OBJECT_UNLOCK(options->element);
    return is_new;
}

void *sac_options_take(SacOptions *options, sac_error *err)
{
    const sac_param_table *table = options->table;
    void *desc = NULL;
    GST_OBJECT_LOCK(options->element);
    options->is_new = FALSE;
    if (options->refused_id)
        *err = options->refused;
    else
        desc = g_memdup2(options->desc, table->desc_size);
    for (gint32 i = 0; desc && i < table->n_params; i++)
        if (table->params[i].type == SAC_PARAM_STRING)
            put_string(desc, &table->params[i], string_of(desc, &table->params[i]));
    GST_OBJECT_UNLOCK(options->element);
    return desc;
}

gint32 sac_options_int(const sac_param_table *table, const void *desc, const char *name)
{
    gint32 value = 0;
    for (gint32 i = 0; i < table->n_params; i++)
        if (strcmp(table->params[i].name, name) == 0)
            memcpy(&value, field_of(desc, &table->params[i]), sizeof value);
    return value;
}

gboolean sac_options_are_for_gpu(const sac_param_table *table, const void *desc)
{
    sac_device device = {SAC_DEVICE_CPU, 0};
    for (gint32 i = 0; i < table->n_params; i++)
        if (table->params[i].type == SAC_PARAM_DEVICE)
            memcpy(&device, field_of(desc, &table->params[i]), sizeof device);
    return device.kind != SAC_DEVICE_CPU;
}

GstStructure *sac_report_begin(SacOptions *options, const GstSegment *segment, GstClockTime pts)
{
    GST_OBJECT_LOCK(options->element);
    const SacReport report = options->report;
    GST_OBJECT_UNLOCK(options->element);
    if (!report.is_on)
        return NULL;
    const gboolean is_timed = segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID(pts);
    const guint64 running =
        is_timed ? gst_segment_to_running_time(segment, GST_FORMAT_TIME, pts) : GST_CLOCK_TIME_NONE;
    const guint64 stream =
        is_timed ? gst_segment_to_stream_time(segment, GST_FORMAT_TIME, pts) : GST_CLOCK_TIME_NONE;
    if (GST_CLOCK_TIME_IS_VALID(running) && GST_CLOCK_TIME_IS_VALID(report.last) &&
        running >= report.last && running - report.last < report.interval)
        return NULL;
    options->report.last = running;
    return gst_structure_new("saccade", "timestamp", G_TYPE_UINT64, pts, "running-time",
                             G_TYPE_UINT64, running, "stream-time", G_TYPE_UINT64, stream, NULL);
}

void sac_report_post(SacOptions *options, GstStructure *counts)
{
    gst_element_post_message(options->element,
                             gst_message_new_element(GST_OBJECT(options->element), counts));
}
