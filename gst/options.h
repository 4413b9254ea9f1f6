/*
 * A pipeline's options as properties of an element: name, range, default and text are those of its
 * parameter table (saccade/param.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GST_OPTIONS_H
#define SAC_GST_OPTIONS_H

#include <gst/gst.h>
#include <saccade/param.h>

/* The options of one element. Any thread may set them; the element's object lock guards them. */
typedef struct SacOptions {
    const sac_param_table *table;
    void *desc;       /* of table->desc_size bytes; its strings belong to this struct */
    gboolean is_new;  /* set since they were last taken */
    guint refused_id; /* the property whose last value is not valid; 0: none */
    sac_error refused;
} SacOptions;

/* Installs properties 1 .. table->n_params. */
void sac_options_install(GObjectClass *class, const sac_param_table *table);

void sac_options_init(SacOptions *options, const sac_param_table *table, void (*init)(void *desc));
void sac_options_clear(SacOptions *options);

/* FALSE: `id` is not one of the table's. A text that is not valid is refused when options are
 * taken. */
gboolean sac_options_set(SacOptions *options, GstObject *element, guint id, const GValue *value);
gboolean sac_options_get(SacOptions *options, GstObject *element, guint id, GValue *value);

/* Whether there are options to take. */
gboolean sac_options_are_new(SacOptions *options, GstObject *element);

/*
 * A copy of the desc with all options, for a plan to be opened with; sac_options_free frees it.
 * NULL: a property was set to a text that is not valid, and *err says so.
 */
void *sac_options_take(SacOptions *options, GstObject *element, sac_error *err);
void sac_options_free(const sac_param_table *table, void *desc);

/* Whether the option of type DEVICE, which the table has, is a GPU. */
gboolean sac_options_are_for_gpu(const sac_param_table *table, const void *desc);

/* The value of the option `name`, which the table has; of type CHOICE or INT. */
gint32 sac_options_int(const sac_param_table *table, const void *desc, const char *name);

#endif
