/*
 * The options of a stream, described once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/stream.h>

#include "base/param_rows.h"

#define OFFSET(field) offsetof(sac_stream_desc, field)

static const char *const policies[] = {"wait", "drop-newest", "drop-oldest", NULL};

static const sac_param params[] = {
    {"capacity", SAC_PARAM_INT, OFFSET(capacity), 1, 1 << 20, 64, NULL, "frames", "N",
     "how many frames can wait"},
    {"batch-max", SAC_PARAM_INT, OFFSET(batch_max), 1, 4096, 32, NULL, "frames", "N",
     "most frames to process at once; no frame waits for a batch to fill"},
    {"policy", SAC_PARAM_CHOICE, OFFSET(policy), 0, 2, SAC_STREAM_WAIT, policies, "", "POLICY",
     "when the buffer is full: hold up the sender (wait), or drop the newest or the oldest frame"},
    {"spin", SAC_PARAM_INT, OFFSET(spin_us), SAC_STREAM_SPIN, 1000000000, 50, NULL, "us", "US",
     "time to spin before sleeping, while waiting for a frame; -1: never sleep"},
    {"deadline", SAC_PARAM_INT, OFFSET(deadline_us), 0, 1000000000, 0, NULL, "us", "US",
     "count frames as late that are done more than this after their schedule; 0: none"},
    SAC_ROW_CPU(sac_stream_desc, "the worker "),
    SAC_ROW_PRIORITY(sac_stream_desc, "of the worker "),
};

SAC_PARAM_TABLE(sac_stream_params, "stream", sac_stream_desc, params,
                "process frames as they arrive")

void sac_stream_desc_init(sac_stream_desc *desc)
{
    if (desc)
        sac_param_defaults(sac_stream_params(), desc);
}
