/*
 * Controls, which receivers send to their sender, as text.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GST_CONTROL_H
#define SAC_GST_CONTROL_H

#include <gst/gst.h>

#define SAC_GST_CONTROL "saccade-control" /* events from a receiver to its sender */

/* GLib keeps each name that it reads until the process ends: of names that nobody here knows yet,
 * receivers have so many in all. */
enum { SAC_CONTROL_NAMES = 64 };

/* "saccade-control, brightness=(int)10;", as GStreamer writes a structure whose fields are strings,
 * numbers and booleans. NULL: the text is another one, or has too many new names. */
GstStructure *sac_control_read(const char *text);

#endif
