/*
 * Names of hosts and ports, and sockets to them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "net/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system.h"

#define MOST_HOST 256 /* bytes, with its zero */

/* Splits "udp://HOST:PORT". */
static bool split(char host[MOST_HOST], char port[8], const char *url)
{
    static const char scheme[] = "udp://";
    const char *at = url, *colon = strrchr(url, ':');
    if (strncmp(url, scheme, sizeof scheme - 1) != 0)
        return false;
    at += sizeof scheme - 1;
    if (!colon || colon <= at)
        return false;
    size_t length = (size_t)(colon - at), digits = strspn(colon + 1, "0123456789");
    bool bracketed = at[0] == '[' && colon[-1] == ']' && length > 2;
    at += bracketed;
    length -= bracketed ? 2 : 0;
    if (length >= MOST_HOST || digits < 1 || digits > 5 || colon[1 + digits] != '\0' ||
        strtol(colon + 1, NULL, 10) > 65535 || (!bracketed && memchr(at, ':', length)))
        return false;
    memcpy(host, at, length);
    host[length] = '\0';
    memcpy(port, colon + 1, digits + 1);
    return true;
}

sac_status sac_address_find(sac_address *address, const char *what, const char *url, sac_error *err)
{
    char host[MOST_HOST], port[8];
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    if (!url || !split(host, port, url))
        return sac_fail(err, SAC_E_INVALID, "%s: expected udp://HOST:PORT, got %.100s", what,
                        url ? url : "NULL");
    int failed = getaddrinfo(host, port, &hints, &found);
    if (failed || !found)
        return sac_fail(err, failed == EAI_MEMORY ? SAC_E_NOMEM : SAC_E_IO, "%s: %.100s: %s", what,
                        url, gai_strerror(failed));
    memcpy(&address->name, found->ai_addr, found->ai_addrlen);
    address->size = found->ai_addrlen;
    freeaddrinfo(found);
    return SAC_OK;
}

int32_t sac_socket_buffer(int fd, int option, int32_t bytes)
{
    int got = 0;
    socklen_t size = sizeof got;
#ifdef SO_RCVBUFFORCE
    int force = option == SO_RCVBUF ? SO_RCVBUFFORCE : SO_SNDBUFFORCE;
    if (bytes > 0 && setsockopt(fd, SOL_SOCKET, force, &bytes, sizeof bytes) == 0)
        bytes = 0;
#endif
    if (bytes > 0)
        (void)setsockopt(fd, SOL_SOCKET, option, &bytes, sizeof bytes);
    (void)getsockopt(fd, SOL_SOCKET, option, &got, &size);
    return got;
}

sac_status sac_address_connect(int *fd, const char *what, const char *url, int32_t buffer_bytes,
                               sac_error *err)
{
    sac_address to;
    *fd = -1;
    sac_status st = sac_address_find(&to, what, url, err);
    if (st != SAC_OK)
        return st;
    int s = sac_system_socket(to.name.ss_family);
    if (s < 0 || connect(s, (const struct sockaddr *)&to.name, to.size) != 0) {
        st = sac_fail(err, SAC_E_IO, "%s: %.100s: %s", what, url, strerror(errno));
        if (s >= 0)
            close(s);
        return st;
    }
    if (buffer_bytes > 0)
        (void)sac_socket_buffer(s, SO_SNDBUF, buffer_bytes);
    *fd = s;
    return SAC_OK;
}

/* ::ffff:a.b.c.d */
static void map_v4(uint8_t address[16], const void *v4)
{
    memset(address, 0, 16);
    memset(address + 10, 0xff, 2);
    memcpy(address + 12, v4, 4);
}

void sac_address_source(sac_packet_source *source, const struct sockaddr_storage *from)
{
    memset(source, 0, sizeof *source);
    if (from->ss_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, from, sizeof in);
        map_v4(source->address, &in.sin_addr);
        source->port = ntohs(in.sin_port);
    } else if (from->ss_family == AF_INET6) {
        struct sockaddr_in6 in;
        memcpy(&in, from, sizeof in);
        memcpy(source->address, &in.sin6_addr, sizeof source->address);
        source->port = ntohs(in.sin6_port);
    }
}

sac_status sac_address_list(sac_packet_source *list, int32_t *n, int32_t most, const char *text,
                            sac_error *err)
{
    *n = 0;
    for (const char *at = text;; at++) {
        char word[INET6_ADDRSTRLEN];
        uint8_t v4[4];
        size_t length = strcspn(at, ",");
        memcpy(word, at, length < sizeof word ? length : 0);
        word[length < sizeof word ? length : 0] = '\0';
        if (*n == most)
            return sac_fail(err, SAC_E_INVALID, "allow: expected at most %d addresses", most);
        memset(&list[*n], 0, sizeof *list);
        if (inet_pton(AF_INET, word, v4) == 1)
            map_v4(list[*n].address, v4);
        else if (inet_pton(AF_INET6, word, list[*n].address) != 1)
            return sac_fail(err, SAC_E_INVALID,
                            "allow: expected numeric addresses joined by commas, got `%.100s`",
                            text);
        (*n)++;
        at += length;
        if (*at == '\0')
            return SAC_OK;
    }
}
