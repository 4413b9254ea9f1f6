/*
 * What the command lines of send and receive have in common: addresses, passphrases, controls.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live.h"

const sac_param *cli_live_control(int i)
{
    return &sac_adjust_params()->params[i];
}

sac_status cli_live_set_control(sac_adjust_desc *desc, const char *name, const char *value,
                                sac_error *err)
{
    for (int i = 0; i < CLI_LIVE_CONTROLS; i++) {
        if (!strcmp(name, cli_live_control(i)->name)) {
            return sac_param_set(sac_adjust_params(), desc, name, value, err);
        }
    }
    err->status = SAC_E_INVALID;
    snprintf(err->text, sizeof err->text,
             "expected brightness, contrast, saturation or gain, got `%s`", name);
    return err->status;
}

int cli_live_parse_control(char name[32], char value[32], const char *line)
{
    char more = 0;
    if (sscanf(line, "%31s %31s %c", name, value, &more) != 2) {
        cli_warn("expected a control and its value, such as `brightness 10`, got `%s`", line);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* Whether ":5000" or ":5000?mode=listener" is what `text` is. A side that waits may have port 0:
 * any that is free. */
static bool is_port(const char *text)
{
    char *end = NULL;
    const long port = text && text[1] >= '0' && text[1] <= '9' ? strtol(text + 1, &end, 10) : -1;
    return port >= 0 && port < 65536 && (!*end || !strcmp(end, "?mode=listener"));
}

int cli_live_check_uri(const cli_command *command, const char *what, const char *uri)
{
    static const char *const schemes[] = {"srt://", "tcp://", "udp://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        if (strncmp(uri, schemes[i], strlen(schemes[i])) == 0 &&
            is_port(strrchr(uri + strlen(schemes[i]), ':'))) {
            return CLI_DONE;
        }
    }
    return cli_misuse(
        command,
        "%sexpected srt://HOST:PORT, tcp://HOST:PORT or udp://HOST:PORT (without HOST "
        "to wait for the other side), got `%s`",
        what, uri);
}

bool cli_live_is_waiting(const char *uri)
{
    return strstr(uri, "://:") || strstr(uri, "mode=listener");
}

int cli_live_fail_at(const char *uri, const char *why)
{
    static const char option[] = "uri: "; /* which the command line has not */
    const size_t n = sizeof option - 1;
    return cli_fail("%s: %s", uri, strncmp(why, option, n) ? why : why + n);
}

int cli_live_check_passphrase(const char *path)
{
    return path && access(path, R_OK) != 0
               ? cli_fail("--passphrase-file `%s`: %s", path, strerror(errno))
               : CLI_DONE;
}
