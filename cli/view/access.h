/*
 * Who may look: tokens, passwords, and which requests come from the page itself. No sockets here.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_VIEW_ACCESS_H
#define CLI_VIEW_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

enum { VIEW_TOKEN = 32, VIEW_PASSWORD = 256 }; /* a token's hexadecimal digits; at most, with NUL */

typedef struct view_access {
    char token[VIEW_TOKEN + 1];
    const char *host; /* as the server was told to listen; its own address */
    int port;
    const char *password; /* NULL: none is asked */
} view_access;

/* A new token; false: the system gives no random bytes. */
bool view_access_token(char token[VIEW_TOKEN + 1]);

/* What of "/TOKEN/style.css" follows the token and its '/'; NULL: the token is another. Takes as
 * long for any wrong token. */
const char *view_access_path(const view_access *access, const char *uri);

/* Whether the header Host names this server: its address, an address of numbers or localhost, with
 * its port, which may be missing where it is 80. A name that somebody pointed at this machine does
 * not. */
bool view_access_is_host(const view_access *access, const char *host);

/* Whether the header Origin ("" where there is none, as of programs) is the page's own. */
bool view_access_is_origin(const char *origin, const char *host);

/* Whether the header Authorization has the password, by any name: "Basic ...". */
bool view_access_is_password(const view_access *access, const char *authorization);

/* The first line of a file, of 12 characters or more: an exit status. The option is called
 * --PREFIXpassword-file. */
int view_access_read_password(char password[VIEW_PASSWORD], const char *path, const char *prefix);

#endif
