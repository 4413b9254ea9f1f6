/*
 * saccade send and saccade receive as their command lines say it. The two are in two programs:
 * `saccade`, which checks the line and starts `saccade-live`, and saccade-live itself, which alone
 * is linked to GStreamer. send_command.c and receive_command.c are part of both.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LIVE_LIVE_H
#define CLI_LIVE_LIVE_H

#include <saccade/delta.h>

#include "command.h"
#include "rows.h"

/* What is set of a picture before it is encoded, at the sender or from a receiver. */
typedef struct cli_live_controls {
    size_t struct_size;
    double brightness, contrast, saturation, gain;
} cli_live_controls;

/* Its rows of an option table, where `in` is nothing, or the member that has it: "controls.". */
#define CLI_LIVE_CONTROL_ROWS(in)                                                                  \
    {"brightness", CLI_FLOAT(in brightness, -100, 100, 0, "%"), "PERCENT",                         \
     "added to every color, in percent of white"},                                                 \
        {"contrast", CLI_FLOAT(in contrast, 0, 4, 1, ""), "FACTOR", "of colors about mid gray"},   \
        {"saturation", CLI_FLOAT(in saturation, 0, 4, 1, ""), "FACTOR", "of colors; 0: gray"},     \
    {                                                                                              \
        "gain", CLI_FLOAT(in gain, 0, 16, 1, ""), "FACTOR", "of colors, from black"                \
    }

enum { CLI_LIVE_CONTROLS = 4 };

extern const sac_param_table cli_live_control_table;

typedef enum cli_live_kind {
    CLI_LIVE_TEST,
    CLI_LIVE_CAMERA,
    CLI_LIVE_RTSP,
    CLI_LIVE_FILE
} cli_live_kind;

typedef struct cli_live_send_options {
    size_t struct_size;
    const char *to, *passphrase_file, *json;
    bool list, loop;
    int32_t size[2];
    int32_t fps, frames, denoise; /* denoise: an index of cli_source_filters */
    double seconds;
    cli_live_controls controls; /* its fields are options, too */
} cli_live_send_options;

typedef struct cli_live_send_job {
    cli_live_send_options options;
    sac_delta_encode_desc encode;
    const char *source;
    cli_live_kind kind;
} cli_live_send_job;

enum { CLI_LIVE_ORIGINAL, CLI_LIVE_HEAT, CLI_LIVE_NOISE }; /* views */

typedef struct cli_live_receive_options {
    size_t struct_size;
    const char *passphrase_file, *output, *json;
    int32_t view, frames;
    bool show;
    double seconds, silence_s;
} cli_live_receive_options;

typedef struct cli_live_receive_job {
    cli_live_receive_options options;
    sac_delta_decode_desc decode;
    const char *from;
} cli_live_receive_job;

/* What an output is, by its ending; CLI_LIVE_NO_FORMAT: by none that is written. */
typedef enum cli_live_format {
    CLI_LIVE_NO_FORMAT,
    CLI_LIVE_SDV,
    CLI_LIVE_Y4M,
    CLI_LIVE_MP4,
    CLI_LIVE_MKV
} cli_live_format;

cli_live_format cli_live_format_of(const char *output);

/* Whether it is an address of the transports, with a word of the command line before it in what is
 * said if not; an exit status. */
int cli_live_check_uri(const cli_command *command, const char *what, const char *uri);

/* Whether the file of --passphrase-file (NULL: none) can be read; an exit status. */
int cli_live_check_passphrase(const char *path);

/* The work. In `saccade`: starts saccade-live with the same command line, and does not return where
 * that is there. An exit status. */
int cli_live_send_run(const cli_live_send_job *job);
int cli_live_receive_run(const cli_live_receive_job *job);

/* The path of saccade-live, next to this program or where it is installed; free() it. NULL: it is
 * not there. */
char *cli_live_program(void);

#endif
