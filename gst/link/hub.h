/*
 * The connections of a link: how they begin, what their messages do, how they end. It has no
 * sockets, no threads and no clock of its own, so that tests can run it in a time of theirs.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_LINK_HUB_H
#define SAC_LINK_HUB_H

#include "inflow.h"
#include "link.h"
#include "outflow.h"
#include "seal.h"

enum { SAC_HUB_SESSIONS = 64, SAC_HUB_EVENTS = 64, SAC_HUB_CONTROLS = 8, SAC_PATH_NAME = 64 };

/* Where messages come from and go to. A carrier has more behind it. */
typedef struct sac_path {
    char name[SAC_PATH_NAME]; /* for people: "192.168.0.7:5000" */
    uint8_t address[32];      /* what proves that answers arrive; all of it is compared */
    struct sac_session *session;
    bool is_broken;
} sac_path;

/* What moves messages. */
typedef struct sac_carrier_fns {
    /* 1: it went; 0: no room now; -1: the path is broken. */
    int (*send)(void *ctx, sac_path *path, const uint8_t *bytes, size_t n);
    /* The path for as long as a connection lives: `path` itself, or a copy. NULL: no memory. */
    sac_path *(*keep)(void *ctx, sac_path *path);
    /* A connection no longer needs the path. */
    void (*drop)(void *ctx, sac_path *path);
    void *ctx;
    bool loses;     /* messages may be lost, or come in another order; and go as fast as they are
                       given */
    uint16_t most;  /* bytes of a message */
    uint8_t around; /* bytes of heads of lower layers for each message */
} sac_carrier_fns;

typedef struct sac_control {
    uint32_t number;
    int64_t again_ns;
    char text[SAC_LINK_TEXT];
} sac_control;

typedef struct sac_session {
    struct sac_hub *hub;
    sac_path *path;
    uint32_t connection;
    uint8_t caller[SAC_MESSAGE_NONCE], waiter[SAC_MESSAGE_NONCE];
    bool is_live;   /* a message with its seal came */
    bool is_caller; /* this side connected */
    sac_seal in_seal, out_seal;
    uint64_t number; /* of the next message that leaves */
    sac_window window;
    sac_timing timing;
    int64_t begun_ns, heard_ns, ping_ns; /* when it began; was heard; is to be pinged */
    uint64_t n_pings;
    int64_t key_ns;                         /* when to ask for a keyframe (again) */
    sac_outflow *out;                       /* of a sender; or */
    sac_inflow *in;                         /* of a receiver */
    uint64_t done;                          /* the receiver has delivered, or given up, all below */
    sac_control controls[SAC_HUB_CONTROLS]; /* texts that are not acknowledged */
    uint32_t n_controls, control_out, control_in;
    int64_t run_ns; /* when to run it */
    bool is_full;   /* the carrier has no room */
} sac_session;

typedef struct sac_hub {
    sac_link_desc desc; /* without its strings */
    sac_link_key key;
    sac_carrier_fns carrier;
    uint8_t secret[32]; /* of cookies */
    bool is_waiter;
    sac_session *sessions[SAC_HUB_SESSIONS];
    uint32_t n_sessions;
    /* The side that connects: its path, NULL while there is none, and what it says hello with. */
    sac_path *path;
    sac_hello hello;
    bool has_cookie;
    int64_t hello_ns, give_up_ns; /* when to say it again; when to give this try up */
    int64_t hello_wait_ns;
    sac_link_packet *form; /* goes in front of keyframes */
    bool key_is_asked;     /* of the application */
    int64_t key_again_ns, refused_ns;
    bool is_draining; /* the application waits for receivers to have all */
    sac_link_event events[SAC_HUB_EVENTS];
    uint32_t event_first, n_events;
    void (*deliver)(void *ctx, sac_link_packet *packet); /* a receiver's packets */
    void *deliver_ctx;
    sac_link_counts counts, closed; /* closed: sums of sessions that ended */
    uint64_t repairs[SAC_REPAIR_MS + 1];
    uint8_t scratch[SAC_MESSAGE_MOST + 1];
} sac_hub;

void sac_hub_open(sac_hub *hub, const sac_link_desc *desc, const sac_link_key *key,
                  const sac_carrier_fns *carrier, bool is_waiter);
void sac_hub_close(sac_hub *hub); /* says goodbye on all connections */

/* The side that connects has a path, and says hello on it. */
void sac_hub_connect(sac_hub *hub, sac_path *path, int64_t now_ns);

/* A message came. Its bytes are written over. False: a stream of such messages cannot be trusted.
 */
bool sac_hub_take(sac_hub *hub, sac_path *path, uint8_t *bytes, size_t n, int64_t now_ns);

/* The path is broken. */
void sac_hub_break(sac_hub *hub, sac_path *path);

/* Does what is due; returns when to call it again. */
int64_t sac_hub_run(sac_hub *hub, int64_t now_ns);

/* The path has room again. */
void sac_hub_has_room(sac_path *path);

/* A sender's packet, to all. */
void sac_hub_send(sac_hub *hub, sac_link_packet *packet, int64_t now_ns);
bool sac_hub_is_drained(const sac_hub *hub);
void sac_hub_drain(sac_hub *hub, bool on, int64_t now_ns);
void sac_hub_ask_key(sac_hub *hub);
bool sac_hub_control(sac_hub *hub, const char *text);

/* Puts an event in the queue, if there is room: texts of an application that does not read are
 * lost. */
void sac_hub_event(sac_hub *hub, sac_link_event_type type, const char *text);
bool sac_hub_next_event(sac_hub *hub, sac_link_event *event);
void sac_hub_get_counts(const sac_hub *hub, sac_link_counts *counts);

/* session.c */
sac_session *sac_session_open(sac_hub *hub, sac_path *path, uint32_t connection,
                              const uint8_t *caller, const uint8_t *waiter, int64_t now_ns);
void sac_session_close(sac_session *session);
bool sac_session_take(sac_session *session, const sac_message *m, uint8_t *bytes, int64_t now_ns);
void sac_session_run(sac_session *session, int64_t now_ns); /* sets run_ns; may break the path */
void sac_session_ping(sac_session *session, int64_t now_ns);
void sac_session_bye(sac_session *session);
void sac_session_add_counts(const sac_session *session, sac_link_counts *c, uint64_t *repairs);
void sac_session_live(sac_session *session, int64_t now_ns);

/* greet.c: messages before there is a connection. */
bool sac_greet_take(sac_hub *hub, sac_path *path, const sac_message *m, uint8_t *bytes,
                    int64_t now_ns);
int64_t sac_greet_run(sac_hub *hub, int64_t now_ns); /* the side that connects */
void sac_hub_end(sac_hub *hub, sac_session *session, sac_link_event_type why);
void sac_hub_want_key(sac_hub *hub, int64_t now_ns); /* of the application, now and then */
void sac_random_bytes(void *bytes, size_t n);

/* The session with this number on a path from this address; NULL: none. */
sac_session *sac_hub_find(sac_hub *hub, const sac_path *path, uint32_t connection);

#endif
