/*
 * saccade simulate meltpool --to: frames over a network, at a rate, with faults on purpose.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_SIMULATE_SEND_H
#define CLI_SIMULATE_SEND_H

#include <saccade/frames.h>

#include "command.h"

typedef struct cli_send_options {
    const char *to, *input, *key, *json;
    double rate_hz, loss, reorder, duplicate, truncate;
    int32_t fragments, mtu;
} cli_send_options;

/*
 * Makes frames, or reads those of options->input, into memory, then sends n_frames of them (0: all
 * that there are), beginning anew where memory ends. Returns an exit status.
 */
int cli_send(const cli_send_options *options, const sac_simulate_meltpool_desc *build,
             int64_t n_frames);

#endif
