/*
 * An element with one frame in and one frame out. What differs between such elements is a
 * SacPipeline; filter.c does the rest: plans, properties, previous frames, buffers, messages.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GST_FILTER_H
#define SAC_GST_FILTER_H

#include <gst/video/gstvideofilter.h>

#include "common.h"

/* What a plan is run with. */
typedef struct SacRun {
    const sac_array *out, *current; /* the same memory if the pipeline works in place */
    const sac_array *previous;      /* NULL: the plan has kept it */
} SacRun;

typedef struct SacPipeline {
    const char *element, *type_name;
    const char *long_name, *class, *description; /* of gst-inspect-1.0 */
    gboolean is_in_place;                        /* `out` may be `current` */
    gboolean has_previous;                       /* compares frames with the ones before them */

    const sac_param_table *(*params)(void);
    void (*init)(void *desc);
    /* `keeps`: the plan keeps previous frames. Sets *plan. */
    sac_status (*open)(void **plan, void *desc, const SacPixels *pixels, gboolean keeps,
                       sac_error *err);
    /* The plan goes on with new options, if it can: else one is opened for them. NULL: it never
     * can.
     */
    gboolean (*set)(void *plan, const void *old_desc, const void *desc);
    sac_status (*run)(void *plan, const SacRun *run, sac_error *err);
    void (*close)(void **plan);
    void (*reset)(void *plan); /* forgets earlier frames; NULL: there is nothing to forget */

    /* Counts of a run that just ended; NULL: there are none. */
    void (*count)(void *plan, const SacRun *run, GstStructure *counts);
    /* New caps: those of the other pad where the pad `from` has `caps`. NULL: the same. */
    GstCaps *(*transform)(const void *desc, GstPadDirection from, GstCaps *caps);
} SacPipeline;

gboolean sac_filter_register(GstPlugin *plugin, const SacPipeline *pipeline);

/* The elements. */
extern const SacPipeline sac_gst_adjust, sac_gst_denoise, sac_gst_equalize, sac_gst_heatmap,
    sac_gst_noise;

#endif
