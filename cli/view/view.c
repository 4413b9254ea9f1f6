/*
 * saccade view: which form of it a command line is of, and what all forms share.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "view.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

const char *const cli_view_kinds[] = {"auto", "beamform", "motion", "equalize", NULL};

/* The last one takes what no other does, and says what it is not. */
static const cli_view_form *const forms[] = {&cli_view_equalize_form, &cli_view_motion_form,
                                             &cli_view_beamform_form};

enum { N_FORMS = sizeof forms / sizeof *forms };

int cli_view_choose(int argc, char **argv)
{
    const char *as = NULL, *size = NULL, *source = NULL;
    cli_look_ahead(&cli_view, argc, argv, "as", &as, &source);
    cli_look_ahead(&cli_view, argc, argv, "size", &size, &source);
    for (int i = 0; i < N_FORMS; i++) {
        const bool is_asked = as && strcmp(as, forms[i]->kind) == 0;
        const bool is_auto = (!as || strcmp(as, cli_view_kinds[0]) == 0) && source;
        const bool takes = size ? forms[i] == &cli_view_motion_form /* raw frames, of any name */
                                : source && forms[i]->takes(source);
        if (is_asked || (is_auto && takes)) {
            return forms[i]->run(argc, argv);
        }
    }
    return forms[N_FORMS - 1]->run(argc, argv);
}

static int check_host(const cli_command *command, const cli_view_options *options)
{
    struct in_addr address;
    if (options->host && inet_pton(AF_INET, options->host, &address) != 1) {
        return cli_misuse(command,
                          "--host: expected an IPv4 address of this machine, or 0.0.0.0 for all, "
                          "got `%s`",
                          options->host);
    }
    const bool is_open = options->host && strncmp(options->host, "127.", 4) != 0;
    return is_open && !options->password_file
               ? cli_misuse(command, "--host %s lets other machines in: it needs --password-file",
                            options->host)
               : CLI_DONE;
}

int cli_view_check(const cli_command *command, cli_view_options *options, int argc, char **argv)
{
    if (argc != 1) {
        return argc == 0
                   ? cli_misuse(command, "no input given: a recording of channel data, or a video")
                   : cli_misuse(command, "takes one input, got also %s", argv[1]);
    }
    int status = check_host(command, options);
    status = status ? status : cli_view_can_serve();
    return status || !options->password_file
               ? status
               : view_access_read_password(options->password, options->password_file);
}

int cli_view_run(view_scene *scene, const view_settings *settings, const cli_view_options *options)
{
    cli_view_session *session = NULL;
    sac_error err = {0};
    if (cli_view_session_open(&session, scene, settings, &err) != SAC_OK) {
        return cli_error(&err);
    }
    const int status =
        cli_view_serve(session, options, options->password_file ? options->password : NULL);
    const uint64_t n = cli_view_session_close(&session);
    if (status == CLI_DONE) {
        printf("%llu picture%s made\n", (unsigned long long)n, cli_s((int64_t)n));
    }
    return status;
}
