/*
 * What commands share that receive frames over a network: options, a thread that receives into a
 * stream, when it is over, and what is told of it. docs/real-time.md has the terms.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_LISTENING_H
#define CLI_LISTENING_H

#include <stdatomic.h>

#include <saccade/frame_link.h>
#include <saccade/stream.h>

#include "json.h"
#include "rows.h"

/* A command's options have them as `at`. */
typedef struct cli_listening_options {
    const char *listen, *allow, *key, *json;
    int32_t frames, buffer_mb;
    double seconds, silence_s;
} cli_listening_options;

/* Their rows in a table: where frames come from; when it is over; the socket's buffer; the report.
 */
#define CLI_ROWS_LISTENING_FROM                                                                    \
    {"listen", CLI_STRING(at.listen), "udp://HOST:PORT",                                           \
     "address to receive frames at (docs/frame-format.md); 127.0.0.1 receives none from other "    \
     "machines, 0.0.0.0 does. Port 0: any free port, which is printed"},                           \
        {"allow", CLI_STRING(at.allow), "ADDRESS,..",                                              \
         "accept frames only from these addresses; default: from any"},                            \
    {                                                                                              \
        "key", CLI_STRING(at.key), "FILE",                                                         \
            "accept only packets that are authenticated with the 64 hexadecimal digits in this "   \
            "file, and authenticate replies"                                                       \
    }
#define CLI_ROWS_LISTENING_UNTIL                                                                   \
    {"seconds", CLI_FLOAT(at.seconds, 0, 1e9, 0, "s"), "S",                                        \
     "end after this time; 0: when interrupted"},                                                  \
        {"silence-exit", CLI_FLOAT(at.silence_s, 0, 1e9, 0, "s"), "SECONDS",                       \
         "end after this time without valid datagrams, also at the start; 0: never"},              \
    {                                                                                              \
        "frames", CLI_INT(at.frames, 0, INT32_MAX, 0, ""), "N", "end after N frames; 0: never"     \
    }
#define CLI_ROW_LISTENING_BUFFER                                                                   \
    {                                                                                              \
        "buffer", CLI_INT(at.buffer_mb, 0, 1000, 64, "MB"), "MB",                                  \
            "size of the socket's buffer; only root can exceed the system's limit "                \
            "(net.core.rmem_max)"                                                                  \
    }
#define CLI_ROW_LISTENING_JSON                                                                     \
    {                                                                                              \
        "json", CLI_STRING(at.json), "FILE", "write the summary as JSON; - is standard output"     \
    }

typedef struct cli_listening {
    const cli_listening_options *options;
    const char *expects; /* of frames: "--size 96x96" */
    sac_stream *stream;  /* the caller opens it, with slots as cli_listening_slots says */
    int32_t spin_us;     /* of the stream */
    size_t arrival_at;   /* where a slot has the frame's arrival, behind its samples */

    sac_packet_key key;
    sac_frame_receiver *receiver;
    sac_error receive_error; /* of its thread */
    atomic_bool ending;      /* for that thread: come back */
    atomic_bool failed;      /* somebody cannot go on: released behind its error */
    int64_t since_ns, took_ns;
    int64_t shown_ns, shown_received; /* on the live line; its rate is of the frames since then */

    sac_frame_counts came; /* when all is over */
    sac_stream_counts counts;
} cli_listening;

/* Whether a command line has --listen, which is another form of the command. */
bool cli_is_to_listen(int argc, char **argv);

/* Notes where a slot has the arrival of a frame of so many bytes; returns the slot's bytes. */
size_t cli_listening_slots(cli_listening *l, size_t frame_bytes);

/* The arrival of the frame in a slot. */
sac_frame_arrival cli_listening_arrival(const cli_listening *l, const void *slot);

/* Reads --key: into *key the key or NULL. */
SAC_NODISCARD sac_status cli_listening_key(const sac_packet_key **key, cli_listening *l,
                                           sac_error *err);

/* Opens the receiver, of frames as the desc has them, with this key. */
SAC_NODISCARD sac_status cli_listening_open(cli_listening *l, sac_frame_receiver_desc *desc,
                                            const sac_packet_key *key, sac_error *err);

/* What a command does meanwhile, in the main thread. */
typedef struct cli_listening_watch {
    void (*look)(void *ctx);       /* often; may be NULL */
    void (*show)(const void *ctx); /* what stands on the live line behind the counts; may be NULL */
    void *ctx;
} cli_listening_watch;

/* Receives until it is interrupted, has failed or has seen what the options want; then all that was
 * accepted has been worked on, and the counts are final. Returns an exit status. */
int cli_listening_run(cli_listening *l, const cli_listening_watch *watch);

/* Between its files: how long no datagram has been taken, since listening began at most; and one
 * line on a terminal, over the line before. */
int64_t cli_listening_silent_ns(const cli_listening *l, const sac_frame_counts *came);
void cli_listening_live(cli_listening *l, const cli_listening_watch *watch);

/* Something cannot go on, and its error is noted: the run ends. From any thread. */
void cli_listening_fail(cli_listening *l);

/* Closes the receiver and wipes the key. */
void cli_listening_close(cli_listening *l);

/* What a user can do about the most frequent reason not to take a datagram; free() it. NULL:
 * nothing. */
char *cli_listening_trouble(const cli_listening *l, const sac_frame_counts *n);

/* The summary's lines, and fields of the report: of the network, then of the stream. */
void cli_listening_print(const cli_listening *l);
void cli_listening_put(const cli_listening *l, cli_json *json);

/* ", 3 dropped: no room for them"; nothing of none. */
void cli_listening_print_dropped(int64_t n);

/* The options of a table as those of a part of a struct, at an offset: all but those named
 * `without`. Returns how many. */
int32_t cli_listening_add_params(sac_param *to, const sac_param_table *from, size_t offset,
                                 const char *without);

/* A number of a thread's own: relaxed. */
static inline int64_t cli_listening_read(const _Atomic int64_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

static inline void cli_listening_count(_Atomic int64_t *count)
{
    atomic_store_explicit(count, cli_listening_read(count) + 1, memory_order_relaxed);
}

#endif
