/*
 * Tokens, passwords, hosts and origins.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "access.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "command.h"

#define LEAST_PASSWORD 12

/* Takes as long whatever differs: all of n bytes are looked at. */
static bool is_same_secret(const char *a, const char *b, size_t n)
{
    unsigned char differs = 0;
    for (size_t i = 0; i < n; i++) {
        differs |= (unsigned char)((unsigned char)a[i] ^ (unsigned char)b[i]);
    }
    return differs == 0;
}

bool view_access_token(char token[VIEW_TOKEN + 1])
{
    unsigned char bytes[VIEW_TOKEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return false;
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    }
    return true;
}

const char *view_access_path(const view_access *access, const char *uri)
{
    char given[VIEW_TOKEN] = {0};
    if (uri[0] != '/') {
        return NULL;
    }
    const char *end = strchr(uri + 1, '/');
    const size_t n = end ? (size_t)(end - uri - 1) : 0;
    memcpy(given, uri + 1, n < sizeof given ? n : sizeof given);
    const bool is_same = is_same_secret(given, access->token, VIEW_TOKEN);
    return is_same && n == VIEW_TOKEN ? end + 1 : NULL;
}

bool view_access_is_host(const view_access *access, const char *host)
{
    char name[128] = "", port[16];
    const size_t n = strcspn(host, ":");
    struct in_addr numbers;
    snprintf(port, sizeof port, ":%d", access->port);
    const bool is_usual = !host[n] && access->port == 80; /* which browsers leave out */
    if (n >= sizeof name || !(is_usual || strcmp(host + n, port) == 0)) {
        return false;
    }
    memcpy(name, host, n);
    return strcmp(name, access->host) == 0 || strcasecmp(name, "localhost") == 0 ||
           inet_pton(AF_INET, name, &numbers) == 1;
}

bool view_access_is_origin(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    return !origin[0] || (strncmp(origin, scheme, sizeof scheme - 1) == 0 &&
                          strcasecmp(origin + sizeof scheme - 1, host) == 0);
}

/* The bytes of base64 text, at most n; -1: it is none. */
static int decode(char *out, size_t n, const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    int n_bits = 0;
    size_t n_out = 0;
    for (; *text && *text != '='; text++) {
        const char *digit = strchr(digits, *text);
        if (!digit || n_out >= n) {
            return -1;
        }
        bits = bits << 6 | (uint32_t)(digit - digits);
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            out[n_out++] = (char)(bits >> n_bits & 0xff);
        }
    }
    return (int)n_out;
}

bool view_access_is_password(const view_access *access, const char *authorization)
{
    char given[VIEW_PASSWORD] = {0}, wanted[VIEW_PASSWORD] = {0}, both[2 * VIEW_PASSWORD] = {0};
    if (!access->password || strncasecmp(authorization, "Basic ", 6) != 0 ||
        decode(both, sizeof both - 1, authorization + 6) < 0) {
        return false;
    }
    const char *colon = strchr(both, ':');
    snprintf(given, sizeof given, "%s", colon ? colon + 1 : "");
    snprintf(wanted, sizeof wanted, "%s", access->password);
    return is_same_secret(given, wanted, sizeof wanted);
}

int view_access_read_password(char password[VIEW_PASSWORD], const char *path, const char *prefix)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        return cli_fail("--%spassword-file `%s`: %s", prefix, path, strerror(errno));
    }
    const bool has_line = fgets(password, VIEW_PASSWORD, file) != NULL;
    fclose(file);
    const size_t n = has_line ? strcspn(password, "\r\n") : 0;
    if (n < LEAST_PASSWORD || n >= VIEW_PASSWORD - 1) {
        return cli_fail("--%spassword-file `%s`: its first line must have %d to %d characters",
                        prefix, path, LEAST_PASSWORD, VIEW_PASSWORD - 2);
    }
    password[n] = '\0';
    return CLI_DONE;
}
