/*
 * What sacdeltasink and sacdeltasrc share: properties, messages, counts of a link.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GST_LIVE_H
#define SAC_GST_LIVE_H

#include "control.h"
#include "delta.h"
#include "link/link.h"

/* An element's link; its struct begins with the element. */
typedef struct SacLive {
    GstElement *element;
    SacOptions *options;
    sac_link *link; /* while the element is started */
    gboolean is_sender, is_waiter;
    gint is_failed;    /* atomic: the link will do nothing more, and a message says why */
    const char *state; /* static text; under the element's object lock */
} SacLive;

/* The properties of either, and `stats`. */
void sac_live_install(GObjectClass *class);
void sac_live_init(SacLive *live, GstElement *element, gboolean is_sender);

/* Opens the link of the properties. FALSE: a message says why not. */
gboolean sac_live_start(SacLive *live);
void sac_live_stop(SacLive *live);

/* unlock and unlock_stop, which come to an element that is not started, too. */
void sac_live_wake(SacLive *live, gboolean on);

/* Adds the link's counts. */
void sac_live_count(SacLive *live, GstStructure *structure);

/* The time of this machine's CLOCK_MONOTONIC at a time of the pipeline, and back. */
gint64 sac_live_captured(GstElement *element, GstClockTime running);
GstClockTime sac_live_running(GstElement *element, gint64 captured_ns);

GType sac_deltasink_get_type(void);
GType sac_deltasrc_get_type(void);

#endif
