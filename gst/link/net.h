/*
 * Carriers: what moves the messages of a hub over UDP, TCP or SRT.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_LINK_NET_H
#define SAC_LINK_NET_H

#include <poll.h>
#include <sys/socket.h>

#include "hub.h"

typedef enum sac_scheme { SAC_UDP, SAC_TCP, SAC_SRT } sac_scheme;

typedef struct sac_uri {
    sac_scheme scheme;
    bool is_waiter;
    char host[256]; /* "": any of this machine's */
    char port[8];
} sac_uri;

/* "tcp://HOST:PORT", "udp://:PORT", "srt://[::1]:5000?mode=listener". SAC_E_INVALID. */
SAC_NODISCARD sac_status sac_uri_read(sac_uri *uri, const char *text, sac_error *err);

enum {
    SAC_NET_PENDING = 32, /* connections that have not greeted yet */
    SAC_NET_ENDS = SAC_HUB_SESSIONS + SAC_NET_PENDING
};

/* One end of a connection. */
typedef struct sac_end {
    sac_path path; /* first: a path is the end that it is of */
    struct sockaddr_storage name;
    socklen_t name_size;
    int fd; /* a socket, of SRT or of the system; -1: the net's */
    int64_t since_ns;
    bool is_connecting, is_dead;
    int64_t leave_ns; /* of a dead one: its last message has until then to leave; 0: not yet dead */
    uint8_t *in, *out; /* of a stream: a message that has come, or gone, in part */
    size_t n_in, n_out, out_at;
} sac_end;

typedef struct sac_net sac_net;

typedef struct sac_net_fns {
    sac_carrier_fns carrier;
    sac_status (*listen)(sac_net *net, sac_error *err);
    bool (*connect)(sac_net *net, int64_t now_ns); /* begins; false: errno */
    void (*prepare)(sac_net *net);                 /* what to wait for */
    void (*wait)(sac_net *net, int64_t ns);        /* without the link's lock */
    void (*read)(sac_net *net, int64_t now_ns);
    void (*close_fd)(int fd);
    bool (*has_left)(int fd);    /* all that was sent; NULL: what is closed still leaves */
    void (*close)(sac_net *net); /* of what waits for connections */
} sac_net_fns;

struct sac_net {
    sac_uri uri;
    const sac_net_fns *fns;
    sac_hub *hub;
    int32_t mtu;
    int fd;      /* of a listener, and of UDP; -1: none */
    int wake_fd; /* readable: stop waiting */
    int srt_epoll;
    _Atomic int64_t srt_came_ns; /* when a connection came that was not taken yet; 0: none */
    int64_t srt_looked_ns;       /* for one that libsrt did not tell of */
    bool srt_accepts;            /* a connection waits to be taken */
    int32_t port;
    struct sockaddr_storage to; /* of the side that connects */
    socklen_t to_size;
    uint32_t n_resolved; /* how often that was found */
    sac_end *ends[SAC_NET_ENDS];
    uint32_t n_ends;
    struct pollfd polled[SAC_NET_ENDS + 2];
    uint32_t n_polled;
    uint8_t *bytes; /* room for what comes */
    char why[100];  /* the last try to connect failed */
};

extern const sac_net_fns sac_net_udp, sac_net_tcp, sac_net_srt;
bool sac_net_has_srt(void); /* this build has it */

/* Opens what a waiting side waits with. `hub` is not opened yet. */
SAC_NODISCARD sac_status sac_net_open(sac_net *net, const sac_uri *uri, sac_hub *hub, int32_t mtu,
                                      sac_error *err);
void sac_net_close(sac_net *net);
void sac_net_wake(sac_net *net);

/* Finds the address to connect to, of several (localhost has one of IPv6, too) the next each time;
 * may take seconds. False: *why says why not. */
bool sac_net_resolve(sac_net *net, const char **why);

/* Why the last try to connect failed, if it did: as sac_net_resolve says, which the application is
 * told once, or, with NULL, no answer. */
void sac_net_note(sac_net *net, const char *why);

/* Ends that are broken, or never greeted, go; returns when to look again. */
int64_t sac_net_sweep(sac_net *net, int64_t now_ns);

/* Before a connection is taken: of too many that have not greeted the oldest goes. */
void sac_net_make_way(sac_net *net, int64_t now_ns);

/* What carriers share. */
sac_end *sac_end_new(sac_net *net, int fd, const struct sockaddr_storage *name, socklen_t size,
                     int64_t now_ns); /* NULL: no memory, and fd is closed */
void sac_end_name(sac_path *path);    /* by its address: "192.168.0.7:5000", "[fe80::1]:5000" */
void sac_end_address(sac_path *path, const struct sockaddr_storage *name);
sac_path *sac_end_keep(void *net, sac_path *path);
void sac_end_drop(void *net, sac_path *path);
int sac_net_socket(int family, int type); /* does not wait, and no child keeps it */
sac_status sac_net_bind(sac_net *net, int type, sac_error *err);
void sac_net_buffer(int fd, int option, int bytes);
void sac_net_poll_begin(sac_net *net);
void sac_net_poll_add(sac_net *net, int fd, short events);
void sac_net_poll_wait(sac_net *net, int64_t ns);

#endif
