/*
 * saccade simulate --to: frames over a network, at a rate, with faults on purpose.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_SIMULATE_SEND_H
#define CLI_SIMULATE_SEND_H

#include <saccade/frame_packets.h>
#include <saccade/frames.h>

#include "command.h"
#include "rows.h"

typedef struct cli_send_options {
    const char *to, *input, *key, *json;
    double rate_hz, loss, reorder, duplicate, truncate;
    int32_t fragments, mtu;
} cli_send_options;

/* Their rows in a table, where a command's options have them as `send`; but to, input and rate,
 * which each says in its own words. */
#define CLI_ROWS_SEND                                                                              \
    {"fragments", CLI_INT(send.fragments, 0, SAC_PACKET_MOST_FRAGMENTS, 0, ""), "N",               \
     "with --to: datagrams per frame; 0: as few as --mtu allows"},                                 \
        {"mtu", CLI_INT(send.mtu, 0, 65535, 0, "bytes"), "BYTES",                                  \
         "with --to: MTU of the network, the largest datagram including IP and UDP headers; 0: "   \
         "65535, the loopback's"},                                                                 \
        {"loss", CLI_FLOAT(send.loss, 0, 1, 0, ""), "P",                                           \
         "with --to: share of datagrams not to send, as a test"},                                  \
        {"reorder", CLI_FLOAT(send.reorder, 0, 1, 0, ""), "P",                                     \
         "with --to: share to send after a datagram of a later frame"},                            \
        {"duplicate", CLI_FLOAT(send.duplicate, 0, 1, 0, ""), "P",                                 \
         "with --to: share to send twice"},                                                        \
        {"truncate", CLI_FLOAT(send.truncate, 0, 1, 0, ""), "P", "with --to: share to truncate"},  \
        {"key", CLI_STRING(send.key), "FILE",                                                      \
         "with --to: authenticate packets with the 64 hexadecimal digits in this file"},           \
    {                                                                                              \
        "json", CLI_STRING(send.json), "FILE",                                                     \
            "with --to: write what was sent, and the injected faults, as JSON; - is standard "     \
            "output"                                                                               \
    }

/* Refuses them without --to, what excludes each other, and files that could not be written. Returns
 * an exit status. */
int cli_send_check(const cli_command *command, const cli_send_options *options);

/* Sends frames of an array, the first axis of which counts them, `repeat` times over. Returns an
 * exit status. */
int cli_send_array(const cli_send_options *options, const sac_array *frames, int64_t repeat);

/*
 * Makes frames, or reads those of options->input, into memory, then sends n_frames of them (0: all
 * that there are), beginning anew where memory ends. Returns an exit status.
 */
int cli_send(const cli_send_options *options, const sac_simulate_meltpool_desc *build,
             int64_t n_frames);

#endif
