/*
 * A pipeline's options as properties of an element: name, range, default and text are those of its
 * parameter table (saccade/param.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GST_OPTIONS_H
#define SAC_GST_OPTIONS_H

#include <gst/gst.h>
#include <saccade/param.h>

/* When an element posts its counts as messages. */
typedef struct SacReport {
    gboolean is_on;        /* it and the next under the element's object lock */
    GstClockTime interval; /* shortest time between two messages */
    GstClockTime last;     /* running time of the last one */
} SacReport;

/* The options of one element. Any thread may set them; the element's object lock guards them. */
typedef struct SacOptions {
    GstElement *element;
    const sac_param_table *table;
    void *desc;       /* of table->desc_size bytes; its strings belong to this struct */
    gboolean is_new;  /* set since they were last taken */
    guint refused_id; /* the property whose last value is not valid; 0: none */
    sac_error refused;
    SacReport report;
} SacOptions;

/* Installs a property for each option, and those for messages if the element has counts. */
void sac_options_install(GObjectClass *class, const sac_param_table *table, gboolean has_counts);

/* Options with their defaults, by the desc's own _init. The element owns them. */
SacOptions *sac_options_add(GstElement *element, const sac_param_table *table,
                            void (*init)(void *desc));

/* Whether there are options to take. */
gboolean sac_options_are_new(SacOptions *options);

/*
 * A copy of the desc with all options, for a plan to be opened with; sac_options_free frees it.
 * NULL: a property was set to a text that is not valid, and *err says so.
 */
void *sac_options_take(SacOptions *options, sac_error *err);
void sac_options_free(const sac_param_table *table, void *desc);

/* Whether the option of type DEVICE, which the table has, is a GPU. */
gboolean sac_options_are_for_gpu(const sac_param_table *table, const void *desc);

/* The value of the option `name`, which the table has; of type CHOICE or INT. */
gint32 sac_options_int(const sac_param_table *table, const void *desc, const char *name);

/*
 * A structure "saccade" for the counts of a frame at `pts` of this segment, which sac_report_post
 * then posts; NULL: it is not time for a message.
 */
GstStructure *sac_report_begin(SacOptions *options, const GstSegment *segment, GstClockTime pts);
void sac_report_post(SacOptions *options, GstStructure *counts);

#endif
