/*
 * How a producer finds a stream in another process, and comes by its block.
 *
 * The stream's name is a socket in Linux' abstract namespace. Whoever binds it first has it, and it
 * goes with the process, however that ends: no name is ever left behind. A producer connects and
 * sends a request; a thread of the stream looks who it is and sends a reply, with the block's
 * descriptor if the producer's place is free. The connection stays, and says nothing more: when it
 * hangs up, the other side has ended. The worker and its producer use no word of all this.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_STREAM_SHARE_DOOR_H
#define SAC_STREAM_SHARE_DOOR_H

#include <sys/socket.h>
#include <sys/un.h>

#include "stream/share.h"

#define SAC_SHARE_MAGIC UINT64_C(0x6d61657274736173) /* "sastream" */
#define SAC_SHARE_VERSION 2                          /* 1 had its block in /dev/shm */
#define SAC_SHARE_PREFIX "saccade"                   /* of the name of the socket */
#define SAC_SHARE_ATTACH_S 5                         /* a reply comes within this, or none does */

_Static_assert(sizeof(SAC_SHARE_PREFIX) + SAC_SHARE_NAME - 1 <=
                   sizeof(((struct sockaddr_un *)NULL)->sun_path),
               "a name fits in an address, after a zero and the prefix");

/* Packets begin with these two fields in every version. */
typedef struct sac_share_request {
    uint64_t magic;
    uint32_t version, zero;
    uint64_t frame_bytes;
} sac_share_request;

typedef enum sac_share_answer {
    SAC_SHARE_WELCOME = 0, /* the block's descriptor comes along; the place is the producer's */
    SAC_SHARE_TAKEN,       /* by another producer */
    SAC_SHARE_OTHER_SIZE,
    SAC_SHARE_OTHER_VERSION
} sac_share_answer;

typedef struct sac_share_reply {
    uint64_t magic;
    uint32_t version, answer; /* sac_share_answer */
    sac_share_shape shape;
} sac_share_reply;

/* Fills in the address of a name that sac_share_check_name takes; its length. */
socklen_t sac_share_address(struct sockaddr_un *to, const char *name);

/* Whether the other end of a connection has ended. */
bool sac_share_has_hung_up(int fd);

/* The stream's side. Takes the name; whoever connects waits. SAC_E_IO (it is another's),
 * SAC_E_NOMEM, SAC_E_UNSUPPORTED. */
SAC_NODISCARD sac_status sac_share_door_open(sac_share_door **out, const char *name,
                                             sac_error *err);

/* From now on producers get replies. The descriptor is the door's, in any case. SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_share_door_serve(sac_share_door *door, const sac_share_shape *shape,
                                              int block_fd, sac_error *err);

/* Hangs up and gives the name free. Takes NULL and *door == NULL. */
void sac_share_door_close(sac_share_door **door);

/* What a producer got: all of it is the caller's. */
typedef struct sac_share_place {
    int fd;       /* of the connection; the place is the producer's until it is closed */
    int block_fd; /* of the block, whose size is sealed and is shape.bytes */
    sac_share_shape shape;
} sac_share_place;

/* The producer's side, with the results of sac_producer_attach but SAC_E_NOMEM. On failure there is
 * nothing to close. */
SAC_NODISCARD sac_status sac_share_ask(sac_share_place *out, const char *name, size_t frame_bytes,
                                       sac_error *err);

#endif
