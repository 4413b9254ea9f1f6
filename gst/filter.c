/*
 * Frames through a plan: opened when caps or options are new, run for each frame.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "filter.h"

typedef struct SacFilter {
    GstVideoFilter parent;
    const SacPipeline *pipeline;
    SacOptions *options;

    /* Of the streaming thread. */
    void *desc; /* options in use; under the object lock where they change, for caps queries */
    void *plan;
    gboolean keeps;      /* the plan keeps previous frames: on a GPU this saves a copy */
    gboolean is_kept;    /* the frame that it keeps is `previous` */
    GstBuffer *previous; /* the frame before, of in_info */
    GstBuffer *shared;   /* in place: the input, if it is not writable */
} SacFilter;

typedef struct SacFilterClass {
    GstVideoFilterClass parent_class;
    const SacPipeline *pipeline;
} SacFilterClass;

static GstBaseTransformClass *parent; /* of GstVideoFilter */

static SacFilter *filter_of(gpointer instance)
{
    return instance;
}

static void forget(SacFilter *self)
{
    gst_clear_buffer(&self->previous);
    self->is_kept = FALSE;
}

static void drop_plan(SacFilter *self)
{
    if (self->plan)
        self->pipeline->close(&self->plan);
    self->is_kept = FALSE;
}

/* Takes new options, if there are any; a plan that cannot go on with them is dropped. */
static gboolean take_options(SacFilter *self)
{
    sac_error err = {SAC_OK, ""};
    if (self->desc && !sac_options_are_new(self->options))
        return TRUE;
    void *desc = sac_options_take(self->options, &err), *old = self->desc;
    const gboolean goes_on = desc && old && self->plan && self->pipeline->set &&
                             self->pipeline->set(self->plan, old, desc);
    if (!goes_on)
        drop_plan(self);
    GST_OBJECT_LOCK(self);
    self->desc = desc;
    GST_OBJECT_UNLOCK(self);
    sac_options_free(self->options->table, old);
    if (!desc)
        sac_gst_fail(GST_ELEMENT(self), err.status, &err);
    else if (self->pipeline->transform)
        gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(self));
    return desc != NULL;
}

static gboolean open_plan(SacFilter *self, const GstVideoInfo *in, const GstVideoInfo *out)
{
    sac_error err = {SAC_OK, ""};
    SacPixels pixels = sac_pixels_of(in);
    if (pixels.order == SAC_ORDER_UNKNOWN) /* gray: only the output may have colors */
        pixels.order = sac_pixels_of(out).order;
    self->keeps =
        self->pipeline->has_previous && sac_options_are_for_gpu(self->options->table, self->desc);
    const sac_status status =
        self->pipeline->open(&self->plan, self->desc, &pixels, self->keeps, &err);
    if (status)
        sac_gst_fail(GST_ELEMENT(self), status, &err);
    return status == SAC_OK;
}

static gboolean set_info(GstVideoFilter *filter, GstCaps *in_caps, GstVideoInfo *in,
                         GstCaps *out_caps, GstVideoInfo *out)
{
    SacFilter *self = filter_of(filter);
    (void)in_caps, (void)out_caps;
    if (self->previous && !gst_video_info_is_equal(in, &filter->in_info))
        forget(self);
    drop_plan(self);
    return self->desc && open_plan(self, in, out);
}

/* Runs the plan, with the frame before if the pipeline compares. */
static sac_status run_plan(SacFilter *self, const sac_array *out, const sac_array *current,
                           const GstVideoFrame *previous, GstClockTime pts, sac_error *err)
{
    const sac_array before = previous ? sac_array_of(previous) : *current;
    const SacRun run = {out, current, self->is_kept && previous ? NULL : &before};
    const SacRun counted = {out, current, &before};
    sac_status status = self->pipeline->run(self->plan, &run, err);
    GstStructure *counts =
        status == SAC_OK && self->pipeline->count
            ? sac_report_begin(self->options, &GST_BASE_TRANSFORM(self)->segment, pts)
            : NULL;
    if (counts) {
        self->pipeline->count(self->plan, &counted, counts);
        sac_report_post(self->options, counts);
    }
    return status;
}

static GstFlowReturn refuse_buffer(SacFilter *self)
{
    const sac_error err = {SAC_E_SHAPE, "a buffer cannot be mapped as a frame of its caps"};
    return sac_gst_fail(GST_ELEMENT(self), err.status, &err);
}

/* From mapped frames; `previous` may be NULL. */
static GstFlowReturn run_frames(SacFilter *self, GstVideoFrame *out, GstVideoFrame *in,
                                const GstVideoFrame *previous, GstClockTime pts)
{
    sac_error err = {SAC_OK, ""};
    const sac_array to = sac_array_of(out), from = sac_array_of(in);
    const sac_status status = run_plan(self, &to, &from, previous, pts, &err);
    return status ? sac_gst_fail(GST_ELEMENT(self), status, &err) : GST_FLOW_OK;
}

static GstFlowReturn run_with_previous(SacFilter *self, GstVideoFrame *out, GstVideoFrame *in,
                                       GstClockTime pts)
{
    GstVideoFrame before;
    if (!self->previous)
        return run_frames(self, out, in, NULL, pts);
    if (!sac_frame_map(&before, &GST_VIDEO_FILTER(self)->in_info, self->previous, GST_MAP_READ))
        return refuse_buffer(self);
    const GstFlowReturn flow = run_frames(self, out, in, &before, pts);
    gst_video_frame_unmap(&before);
    return flow;
}

/* From one buffer to another; the two share no memory. */
static GstFlowReturn run_buffers(SacFilter *self, GstBuffer *out, GstBuffer *in)
{
    const GstVideoFilter *filter = GST_VIDEO_FILTER(self);
    GstFlowReturn flow;
    GstVideoFrame from, to;
    if (!self->plan && !open_plan(self, &filter->in_info, &filter->out_info))
        return GST_FLOW_ERROR;
    if (!sac_frame_map(&from, &filter->in_info, in, GST_MAP_READ))
        return refuse_buffer(self);
    if (sac_frame_map(&to, &filter->out_info, out, GST_MAP_WRITE)) {
        flow = run_with_previous(self, &to, &from, GST_BUFFER_PTS(in));
        gst_video_frame_unmap(&to);
    } else {
        flow = refuse_buffer(self);
    }
    gst_video_frame_unmap(&from);
    return flow;
}

static GstFlowReturn transform(GstBaseTransform *trans, GstBuffer *in, GstBuffer *out)
{
    SacFilter *self = filter_of(trans);
    const GstFlowReturn flow = run_buffers(self, out, in);
    if (flow != GST_FLOW_OK || !self->pipeline->has_previous)
        return flow;
    /* What is drawn from a damaged frame is damaged. */
    if (self->previous && GST_BUFFER_FLAG_IS_SET(self->previous, GST_BUFFER_FLAG_CORRUPTED))
        GST_BUFFER_FLAG_SET(out, GST_BUFFER_FLAG_CORRUPTED);
    gst_buffer_replace(&self->previous, in);
    self->is_kept = self->keeps;
    return flow;
}

/* Where the input is shared, it is read, and the output written, without the copy of the pixels
 * that the base class makes. */
static GstFlowReturn prepare_in_place(GstBaseTransform *trans, GstBuffer *in, GstBuffer **out)
{
    SacFilter *self = filter_of(trans);
    self->shared = NULL;
    if (gst_buffer_is_writable(in)) {
        *out = in;
        return GST_FLOW_OK;
    }
    *out =
        gst_buffer_new_allocate(NULL, GST_VIDEO_INFO_SIZE(&GST_VIDEO_FILTER(self)->out_info), NULL);
    if (!*out)
        return GST_FLOW_ERROR;
    self->shared = in;
    return parent->copy_metadata(trans, in, *out) ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static GstFlowReturn transform_ip(GstBaseTransform *trans, GstBuffer *buffer)
{
    SacFilter *self = filter_of(trans);
    const GstVideoInfo *info = &GST_VIDEO_FILTER(self)->in_info;
    GstVideoFrame frame;
    if (self->shared)
        return run_buffers(self, buffer, self->shared);
    if (!self->plan && !open_plan(self, info, info))
        return GST_FLOW_ERROR;
    if (!sac_frame_map(&frame, info, buffer, GST_MAP_READWRITE))
        return refuse_buffer(self);
    const GstFlowReturn flow = run_frames(self, &frame, &frame, NULL, GST_BUFFER_PTS(buffer));
    gst_video_frame_unmap(&frame);
    return flow;
}

/* A frame that is skipped because it would be late is the previous one of the next all the same. */
static GstFlowReturn submit(GstBaseTransform *trans, gboolean is_discont, GstBuffer *in)
{
    SacFilter *self = filter_of(trans);
    if (!take_options(self)) {
        gst_buffer_unref(in);
        return GST_FLOW_ERROR;
    }
    GstBuffer *current = self->pipeline->has_previous ? gst_buffer_ref(in) : NULL;
    const GstFlowReturn flow = parent->submit_input_buffer(trans, is_discont, in);
    if (current && flow == GST_BASE_TRANSFORM_FLOW_DROPPED) {
        gst_buffer_replace(&self->previous, current);
        self->is_kept = FALSE;
    }
    gst_clear_buffer(&current);
    return flow;
}

static GstCaps *transform_caps(GstBaseTransform *trans, GstPadDirection from, GstCaps *caps,
                               GstCaps *filter)
{
    SacFilter *self = filter_of(trans);
    GstCaps *other;
    GST_OBJECT_LOCK(self);
    if (self->pipeline->transform)
        other =
            self->pipeline->transform(self->desc ? self->desc : self->options->desc, from, caps);
    else
        other = gst_caps_ref(caps);
    GST_OBJECT_UNLOCK(self);
    if (filter) {
        GstCaps *both = gst_caps_intersect_full(filter, other, GST_CAPS_INTERSECT_FIRST);
        gst_caps_unref(other);
        other = both;
    }
    return other;
}

static gboolean transform_meta(GstBaseTransform *trans, GstBuffer *out, GstMeta *meta,
                               GstBuffer *in)
{
    const GstVideoInfo *from = &GST_VIDEO_FILTER(trans)->in_info,
                       *to = &GST_VIDEO_FILTER(trans)->out_info;
    const gboolean is_same_size = GST_VIDEO_INFO_WIDTH(from) == GST_VIDEO_INFO_WIDTH(to);
    (void)out, (void)in;
    return sac_meta_stays(meta, is_same_size);
}

/* The frame before is held while upstream fills the next one. */
static gboolean propose_allocation(GstBaseTransform *trans, GstQuery *decide, GstQuery *query)
{
    if (!parent->propose_allocation(trans, decide, query))
        return FALSE;
    if (filter_of(trans)->pipeline->has_previous && gst_query_get_n_allocation_pools(query) > 0) {
        GstBufferPool *pool = NULL;
        guint size, min, max;
        gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &min, &max);
        min++;
        gst_query_set_nth_allocation_pool(query, 0, pool, size, min, max ? MAX(min, max) : 0);
        gst_clear_object(&pool);
    }
    return TRUE;
}

/* Upstream wants its buffers back, for example to change a camera's format. */
static gboolean answer_query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
    SacFilter *self = filter_of(trans);
    if (direction == GST_PAD_SINK && GST_QUERY_TYPE(query) == GST_QUERY_DRAIN && self->previous) {
        GstBuffer *copy = gst_buffer_copy_deep(self->previous);
        gst_buffer_replace(&self->previous, copy);
        gst_clear_buffer(&copy);
    }
    return parent->query(trans, direction, query);
}

static gboolean sink_event(GstBaseTransform *trans, GstEvent *event)
{
    SacFilter *self = filter_of(trans);
    const GstEventType type = GST_EVENT_TYPE(event);
    if (type == GST_EVENT_FLUSH_STOP || type == GST_EVENT_STREAM_START) {
        forget(self);
        if (self->plan && self->pipeline->reset)
            self->pipeline->reset(self->plan);
    }
    if (type == GST_EVENT_CAPS && !take_options(self)) {
        gst_event_unref(event);
        return FALSE;
    }
    return parent->sink_event(trans, event);
}

static gboolean start(GstBaseTransform *trans)
{
    filter_of(trans)->options->report.last = GST_CLOCK_TIME_NONE;
    return take_options(filter_of(trans));
}

static gboolean stop(GstBaseTransform *trans)
{
    SacFilter *self = filter_of(trans);
    forget(self);
    drop_plan(self);
    GST_OBJECT_LOCK(self);
    void *desc = self->desc;
    self->desc = NULL;
    GST_OBJECT_UNLOCK(self);
    sac_options_free(self->options->table, desc);
    return TRUE;
}

static void init_class(gpointer of_class, gpointer data)
{
    SacFilterClass *class = of_class;
    GstBaseTransformClass *trans = of_class;
    const SacPipeline *pipeline = class->pipeline = data;
    GstCaps *caps = gst_caps_from_string(GST_VIDEO_CAPS_MAKE(SAC_GST_FORMATS));
    parent = g_type_class_peek_parent(of_class);
    sac_options_install(of_class, pipeline->params(), pipeline->count != NULL);
    gst_element_class_add_pad_template(
        of_class, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
    gst_element_class_add_pad_template(
        of_class, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
    gst_caps_unref(caps);
    gst_element_class_set_metadata(of_class, pipeline->long_name, pipeline->class,
                                   pipeline->description, SAC_GST_AUTHOR);
    GST_VIDEO_FILTER_CLASS(class)->set_info = set_info;
    trans->start = start;
    trans->stop = stop;
    trans->sink_event = sink_event;
    trans->query = answer_query;
    trans->submit_input_buffer = submit;
    trans->transform_caps = transform_caps;
    trans->transform_meta = transform_meta;
    trans->propose_allocation = propose_allocation;
    /* The base class's own pass on what cannot be mapped, with a warning. */
    trans->transform = pipeline->is_in_place ? NULL : transform;
    trans->transform_ip = pipeline->is_in_place ? transform_ip : NULL;
    if (pipeline->is_in_place)
        trans->prepare_output_buffer = prepare_in_place;
}

static void init_instance(GTypeInstance *instance, gpointer of_class)
{
    SacFilter *self = filter_of(instance);
    self->pipeline = ((SacFilterClass *)of_class)->pipeline;
    self->options =
        sac_options_add(GST_ELEMENT(self), self->pipeline->params(), self->pipeline->init);
}

gboolean sac_filter_register(GstPlugin *plugin, const SacPipeline *pipeline)
{
    const GTypeInfo info = {
        .class_size = sizeof(SacFilterClass),
        .class_init = init_class,
        .class_data = pipeline,
        .instance_size = sizeof(SacFilter),
        .instance_init = init_instance,
    };
    GType type = g_type_from_name(pipeline->type_name);
    if (!type)
        type = g_type_register_static(GST_TYPE_VIDEO_FILTER, pipeline->type_name, &info, 0);
    return gst_element_register(plugin, pipeline->element, GST_RANK_NONE, type);
}
