/*
 * Where datagrams go and come from.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_NET_ADDRESS_H
#define SAC_NET_ADDRESS_H

#include <sys/socket.h>

#include <saccade/frame_link.h>

typedef struct sac_address {
    struct sockaddr_storage name;
    socklen_t size;
} sac_address;

/* "udp://HOST:PORT", "udp://[::1]:5020"; `what` is for errors. SAC_E_INVALID (not of this form),
 * SAC_E_IO (no such host). */
SAC_NODISCARD sac_status sac_address_find(sac_address *address, const char *what, const char *url,
                                          sac_error *err);

/* A socket that is connected there, with send room of so many bytes (0: the system's own). */
SAC_NODISCARD sac_status sac_address_connect(int *fd, const char *what, const char *url,
                                             int32_t buffer_bytes, sac_error *err);

/* SO_RCVBUF or SO_SNDBUF; beyond the system's limit where that may be. Returns what it got. */
int32_t sac_socket_buffer(int fd, int option, int32_t bytes);

/* Where a datagram came from. */
void sac_address_source(sac_packet_source *source, const struct sockaddr_storage *from);

/* Numeric addresses, joined by commas: into (most), their number into *n. SAC_E_INVALID. */
SAC_NODISCARD sac_status sac_address_list(sac_packet_source *list, int32_t *n, int32_t most,
                                          const char *text, sac_error *err);

#endif
