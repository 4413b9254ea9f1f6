/*
 * saccade view: which form of it a command line is of, and what all forms share.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "view.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cli_view_kinds[] = {"auto", "beamform", "motion", "equalize", "meltpool", NULL};

/* The last one takes what no other does, and says what it is not. */
static const cli_view_form *const forms[] = {&cli_view_equalize_form, &cli_view_motion_form,
                                             &cli_view_meltpool_form, &cli_view_beamform_form};

enum { N_FORMS = sizeof forms / sizeof forms[0] };

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

static int check_host(const cli_command *command, const cli_view_options *options,
                      const char *prefix)
{
    struct in_addr address;
    if (options->host && inet_pton(AF_INET, options->host, &address) != 1) {
        return cli_misuse(command,
                          "--%shost: expected an IPv4 address of this machine, or 0.0.0.0 for all, "
                          "got `%s`",
                          prefix, options->host);
    }
    const bool is_open = options->host && strncmp(options->host, "127.", 4) != 0;
    return is_open && !options->password_file
               ? cli_misuse(command,
                            "--%shost %s lets other machines in: it needs --%spassword-file",
                            prefix, options->host, prefix)
               : CLI_DONE;
}

int cli_view_check_server(const cli_command *command, cli_view_options *options, const char *prefix)
{
    int status = check_host(command, options, prefix);
    status = status ? status : cli_view_can_serve();
    return status || !options->password_file
               ? status
               : view_access_read_password(options->password, options->password_file, prefix);
}

int cli_view_check(const cli_command *command, cli_view_options *options, int argc, char **argv)
{
    if (argc != 1) {
        return argc == 0 ? cli_misuse(command, "no input given: a recording of channel data, "
                                               "frames of a melt pool, or a video")
                         : cli_misuse(command, "takes one input, got also %s", argv[1]);
    }
    return cli_view_check_server(command, options, "");
}

static int serve(view_server *server, view_scene *scene, const view_settings *settings)
{
    cli_view_session *session = NULL;
    sac_error err = {0};
    if (cli_view_session_open(&session, scene, settings, &err) != SAC_OK) {
        cli_view_server_close(&server);
        return cli_error(&err);
    }
    char *address = cli_view_server_address(server);
    printf("%sCtrl-C ends it)\n", address);
    fflush(stdout);
    free(address);
    cli_view_server_run(server, session);
    cli_view_server_close(&server); /* viewers leave, while there is a session */
    const uint64_t n = cli_view_session_close(&session);
    printf("%llu picture%s made\n", (unsigned long long)n, cli_s((int64_t)n));
    return CLI_DONE;
}

int cli_view_run(view_scene *scene, const view_settings *settings, const cli_view_options *options)
{
    view_server *server = NULL;
    const int status = cli_view_server_open(&server, options);
    if (status != CLI_DONE) {
        cli_view_server_close(&server);
        return status;
    }
    return serve(server, scene, settings);
}
