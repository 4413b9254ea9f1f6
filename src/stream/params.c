/*
 * The options of a stream, described once.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/stream.h>

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
    {"cpu", SAC_PARAM_INT, OFFSET(cpu), -1, 1023, -1, NULL, "", "N",
     "run the worker only on this CPU; -1: any"},
    {"priority", SAC_PARAM_INT, OFFSET(priority), 0, 99, 0, NULL, "", "P",
     "real-time priority of the worker (SCHED_FIFO), 1 to 99; 0: ordinary thread"},
};

static const sac_param_table table = {"stream", "process frames as they arrive",
                                      sizeof(sac_stream_desc), params,
                                      sizeof params / sizeof *params};

const sac_param_table *sac_stream_params(void)
{
    return &table;
}

void sac_stream_desc_init(sac_stream_desc *desc)
{
    if (desc)
        sac_param_defaults(&table, desc);
}
