/*
 * The elements of the delta stream.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_GST_DELTA_H
#define SAC_GST_DELTA_H

#include "common.h"

#define SAC_GST_DELTA_CAPS "video/x-saccade-delta"

/* What sacdeltaenc gives: a packet in each buffer. Without `parsed`: bytes, cut anywhere. */
#define SAC_GST_DELTA_PACKETS SAC_GST_DELTA_CAPS ", parsed = (boolean) true"

GType sac_deltaenc_get_type(void);
GType sac_deltadec_get_type(void);
GType sac_deltaparse_get_type(void);

#endif
