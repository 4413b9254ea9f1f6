/*
 * saccade view: a source in a browser, worked on anew as options move. A form of the command for
 * each kind of source.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_VIEW_H
#define CLI_VIEW_VIEW_H

#include "access.h"
#include "options.h"
#include "session.h"

/* What the options of each form begin with. */
typedef struct cli_view_options {
    size_t struct_size;
    const char *host, *password_file;
    int32_t port, as;             /* as: an index of cli_view_kinds */
    char password[VIEW_PASSWORD]; /* read by cli_view_check */
} cli_view_options;

extern const char *const cli_view_kinds[]; /* "auto", then the names of kinds; ends with NULL */

/* Rows of the parameter table of each form. */
#define CLI_ROWS_VIEW                                                                              \
    {"as", SAC_PARAM_CHOICE, offsetof(cli_view_options, as),           0, 0, 0, cli_view_kinds,    \
     "",   "KIND",           "what to show IN as; auto: by what IN is"},                           \
        {"port", SAC_PARAM_INT, offsetof(cli_view_options, port),        0, 65535, 0, NULL,        \
         "",     "PORT",        "port to listen at; 0: any that is free"},                         \
        {"host",                                                                                   \
         SAC_PARAM_STRING,                                                                         \
         offsetof(cli_view_options, host),                                                         \
         0,                                                                                        \
         0,                                                                                        \
         0,                                                                                        \
         NULL,                                                                                     \
         "",                                                                                       \
         "ADDRESS",                                                                                \
         "address to listen at, for viewers on other machines: one of this machine's, or 0.0.0.0 " \
         "for all; needs --password-file; default: 127.0.0.1, for this machine alone"},            \
    {                                                                                              \
        "password-file", SAC_PARAM_STRING, offsetof(cli_view_options, password_file), 0, 0, 0,     \
            NULL, "", "FILE",                                                                      \
            "ask viewers for the password that is this file's first line, of 12 characters or "    \
            "more"                                                                                 \
    }

/* A form of the command. cli_view.run chooses it: by --as, or else the first that takes IN. */
typedef struct cli_view_form {
    const char *kind; /* as in cli_view_kinds */
    int (*run)(int argc, char **argv);
    bool (*takes)(const char *source); /* by its name and how it begins */
} cli_view_form;

extern const cli_view_form cli_view_beamform_form, cli_view_motion_form, cli_view_equalize_form,
    cli_view_meltpool_form;

/* The commands of forms behind cli_view, each the next of the one before. */
extern const cli_command cli_view_motion, cli_view_equalize, cli_view_meltpool;

/* The run of each form's cli_command. */
int cli_view_choose(int argc, char **argv);

/* Before the source is opened: one operand, address, password, and that this build can serve. An
 * exit status. */
int cli_view_check(const cli_command *command, cli_view_options *options, int argc, char **argv);

/* Serves the page with pictures of the scene until Ctrl-C, from these settings on, of its kind.
 * Returns an exit status. */
int cli_view_run(view_scene *scene, const view_settings *settings, const cli_view_options *options);

/* The parts of it, for what serves beside other work. */
typedef struct view_server view_server;

/* Listens. An exit status; the server must be closed in any case. */
int cli_view_server_open(view_server **out, const cli_view_options *options);

/* "http://.../ (", to be followed by what ends it and ")"; free() it. */
char *cli_view_server_address(const view_server *server);

/* Serves the page and what the session publishes, until Ctrl-C or cli_view_server_stop, which any
 * thread may call. Once, by one thread. */
void cli_view_server_run(view_server *server, cli_view_session *session);
void cli_view_server_stop(view_server *server);
void cli_view_server_close(view_server **server);

/* Before long work: address, password, and that this build can serve. `prefix` stands before the
 * names of the options. An exit status. */
int cli_view_check_server(const cli_command *command, cli_view_options *options,
                          const char *prefix);

/* Why a build without libwebsockets has no server: an exit status; CLI_DONE where it has one. */
int cli_view_can_serve(void);

/* Of libwebsockets; NULL: this build has none. */
const char *cli_view_server_version(void);

#endif
