/*
 * What the command lines of send and receive have in common: addresses, passphrases, controls.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "live.h"

#define FIELD(name) offsetof(cli_live_controls, name)

static const sac_param params[] = {CLI_LIVE_CONTROL_ROWS()};

const sac_param_table cli_live_control_table = CLI_TABLE("send", cli_live_controls, params);

int cli_live_check_uri(const cli_command *command, const char *what, const char *uri)
{
    static const char *const schemes[] = {"srt://", "tcp://", "udp://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        const size_t n = strlen(schemes[i]);
        if (strncasecmp(uri, schemes[i], n) == 0 && strchr(uri + n, ':')) {
            return CLI_DONE;
        }
    }
    return cli_misuse(
        command,
        "%sexpected srt://HOST:PORT, tcp://HOST:PORT or udp://HOST:PORT (without HOST "
        "to wait for the other side), got `%s`",
        what, uri);
}

int cli_live_check_passphrase(const char *path)
{
    return path && access(path, R_OK) != 0
               ? cli_fail("--passphrase-file `%s`: %s", path, strerror(errno))
               : CLI_DONE;
}
