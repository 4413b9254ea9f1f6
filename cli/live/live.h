/*
 * saccade send and saccade receive as their command lines say it. The two are in two programs:
 * `saccade`, which checks the line and starts `saccade-live`, and saccade-live itself, which alone
 * is linked to GStreamer. send_command.c and receive_command.c are part of both.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LIVE_LIVE_H
#define CLI_LIVE_LIVE_H

#include <saccade/delta.h>
#include <saccade/motion.h>

#include "command.h"

/* What can be set of the picture, at the sender or from a receiver: the first so many options of
 * saccade adjust. */
enum { CLI_LIVE_CONTROLS = 4 };

const sac_param *cli_live_control(int i);

/* Sets one by its name. SAC_E_INVALID: no such name or value. */
SAC_NODISCARD sac_status cli_live_set_control(sac_adjust_desc *desc, const char *name,
                                              const char *value, sac_error *err);

/* A line as people type it, "brightness 10", into a name and a value of at most 31 characters; an
 * exit status. */
int cli_live_parse_control(char name[32], char value[32], const char *line);

typedef enum cli_live_kind {
    CLI_LIVE_TEST,
    CLI_LIVE_CAMERA,
    CLI_LIVE_RTSP,
    CLI_LIVE_FILE
} cli_live_kind;

#define CLI_LIVE_MAX_PIXELS (UINT64_C(1) << 26) /* of a frame: the decoder's default */

typedef struct cli_live_send_options {
    size_t struct_size;
    const char *to, *passphrase_file, *json;
    bool list, loop;
    int32_t size[2];
    int32_t fps, frames, denoise; /* denoise: an index of cli_source_filters */
    double seconds;
} cli_live_send_options;

/* What the pipelines' options fill in. */
typedef struct cli_live_send_plan {
    size_t struct_size;
    sac_delta_encode_desc encode;
    sac_adjust_desc adjust;
} cli_live_send_plan;

typedef struct cli_live_send_job {
    cli_live_send_options options;
    cli_live_send_plan plan;
    const char *source;
    char *shown;  /* the same without its password */
    char *secret; /* ":PASSWORD@" of it; NULL: it has none */
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

/* Whether this side waits there for the other one. */
bool cli_live_is_waiting(const char *uri);

/* What the transport said of an address; returns CLI_FAILED. */
int cli_live_fail_at(const char *uri, const char *why);

/* Whether the file of --passphrase-file (NULL: none) can be read; an exit status. */
int cli_live_check_passphrase(const char *path);

/* What `source` is, its name without a password (free job->shown and secret), and whether it is
 * there. An exit status. */
int cli_live_take_source(cli_live_send_job *job, const char *source);

/* The work. In `saccade`: starts saccade-live with the same command line, and does not return where
 * that is there. An exit status. */
int cli_live_send_run(const cli_live_send_job *job);
int cli_live_receive_run(const cli_live_receive_job *job);

/* The path of a file of this build that lies next to this program, or where saccade-live is
 * installed; free() it. NULL: it is not there. */
char *cli_beside(const char *name);

/* The path of saccade-live, next to this program or where it is installed; free() it. NULL: it is
 * not there. */
char *cli_live_program(void);

#endif
