/*
 * What a subcommand is, and what all of them share: errors, memory, time, exit statuses.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdio.h>

#include <saccade/base.h>
#include <saccade/param.h>

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 }; /* exit statuses */

enum { CLI_SHARES_NOTHING = 0, CLI_SHARES_FRAMES, CLI_SHARES_INPUTS }; /* cli_command.shared */

typedef struct cli_command {
    const char *name;
    const char *summary;         /* one line, for `saccade --help` */
    const char *usage;           /* what follows the name: "IN... -o OUT [OPTION]..." */
    const char *about;           /* some lines of at most 78 columns */
    const char *const *examples; /* pairs: what it does, the command line; ends with NULL */
    const sac_param_table *(*pipeline)(void); /* a pipeline's options; may be NULL */
    const sac_param_table *own;               /* the command's own options; may be NULL */
    const char *const *defaults; /* pairs: an option of the pipeline, and the command's default
                                    where it is another; ends with NULL; may be NULL */
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name */
    const struct cli_command *next;    /* another form of it, with its own options; may be NULL */
    int shared; /* what processes that were started together share of its work (ranks/ranks.h) */
    const char *also; /* of the command after it, which stands on its line of `saccade --help`:
                         "flow: Doppler of them"; that one may have such, too; may be NULL */
} cli_command;

/* What a command does, and by which options: a pipeline's, and its own. */
#define CLI_RUNS(does, of_pipeline, its_own) .run = does, .pipeline = of_pipeline, .own = its_own

extern const cli_command cli_beamform, cli_beamform_listen, cli_equalize, cli_ladder, cli_info,
    cli_demo;
extern const cli_command cli_simulate, cli_simulate_meltpool, cli_measure, cli_measure_noise;
extern const cli_command cli_heatmap, cli_noise, cli_denoise, cli_adjust, cli_delta;
extern const cli_command cli_live_send, cli_live_receive;
extern const cli_command cli_meltpool, cli_meltpool_listen, cli_meltpool_calibration;
extern const cli_command cli_convert, cli_jitter, cli_flow, cli_report, cli_tune, cli_view;

/* Every subcommand but the hidden ones; ends with NULL. */
extern const cli_command *const cli_commands[];

int cli_reference(int argc, char **argv); /* `saccade reference man|bash|zsh|fish|markdown` */

/* The command line as it was given, for reports. */
extern int cli_argc;
extern char **cli_argv;

/* How this build was made. */
sac_build cli_build(void);

/* One line to standard error, "saccade: " first; returns CLI_FAILED. */
#define cli_fail(...) cli_say("", __VA_ARGS__)

/* The same for what does not stop the command, "saccade: warning: " first. */
#define cli_warn(...) ((void)cli_say("warning: ", __VA_ARGS__))

/* The same for what is worth knowing while the command goes on. */
#define cli_note(...) ((void)cli_say(NULL, __VA_ARGS__))

int cli_say(const char *first, const char *format, ...) SAC_PRINTF(2, 3);

/* Hears all such lines before they are written; true: this one is not to be. NULL: nobody does. */
extern bool (*cli_overhears)(const char *first, const char *text);

/* What a thread says and prints, kept to be told later; zeros before. */
typedef struct cli_heard {
    FILE *file[2]; /* of standard error, and of standard output */
    char *text[2];
    size_t size[2];
    sac_error lost; /* the last SAC_E_DEVICE that was told of */
} cli_heard;

/* From now on this thread's lines and what it prints into cli_out are kept there; NULL: they go out
 * again. What exit() in the middle leaves goes out. */
void cli_hear(cli_heard *heard);
bool cli_is_heard(void);
void cli_hear_error(const sac_error *err); /* of failures that cli_error does not tell of */

/* Where summaries are printed: standard output, or where this thread's is kept. */
FILE *cli_out(void);

/* Says and prints what was kept. And frees it. */
void cli_heard_tell(cli_heard *heard);
void cli_heard_discard(cli_heard *heard);

/* As cli_fail, with a hint at `saccade NAME --help` (NULL: `saccade --help`); returns CLI_USAGE. */
int cli_misuse(const cli_command *command, const char *format, ...) SAC_PRINTF(2, 3);
#ifdef __clang_analyzer__ /* it sees one file at a time */
#define cli_misuse(...) ((void)cli_misuse(__VA_ARGS__), CLI_USAGE)
#endif

/* The command whose line was parsed last, where `text` begins with one of its options and a colon,
 * as errors of the library name what is wrong; else NULL. cli_parse sets it; NULL before. */
extern const cli_command *(*cli_option_at_fault)(const char *text);

/* Reports a failed call; CLI_USAGE where an option was at fault (SAC_E_INVALID), else CLI_FAILED.
 */
int cli_error(const sac_error *err);

/* Whether a report (NULL: none) could be written there, asked before long work. An exit status. */
int cli_report_check(const char *path);

/* `status`, or where that is CLI_DONE and a call failed, what cli_error makes of it. */
int cli_or_error(int status, sac_status st, const sac_error *err);

/* Memory of a command: grown in place, zeroed behind `old_count`; ends the program if refused. */
void *cli_grow(void *memory, size_t old_count, size_t count, size_t size);

/* Whether the name ends in one of these (".h5", ..., NULL), of any case, and has more than it. */
bool cli_ends_in(const char *path, const char *const *endings);

/* A formatted string; free() it. */
char *cli_text(const char *format, ...) SAC_PRINTF(1, 2);

/* "s", but "" of one: for "%d frame%s". */
const char *cli_s(int64_t n);

/* Bytes of the UTF-8 character that `text` begins with; 0 where it begins with none. */
int cli_utf8_length(const char *text);

int64_t cli_clock_ns(void); /* monotonic */

#endif
