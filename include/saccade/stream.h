/*
 * The real-time runtime: frames come by themselves, work is done on them in a thread of its own,
 * and whatever happens is counted. It knows no pipeline; any of them is work.
 *
 * A producer (a camera's driver, a socket, a simulator) writes each frame in place into a slot that
 * it owns and sends it; the worker takes what waits, up to batch_max frames, and calls the work.
 * Memory is bounded and taken at open; a policy says what happens when as many frames wait as may.
 *
 *     received = accepted + refused
 *     accepted = processed + empty + dropped + waiting
 *
 * always, and waiting is 0 once the stream has stopped. docs/real-time.md has the terms and more.
 *
 * Threads: one producer thread at a time calls slot, send and refuse; one thread at a time calls
 * stop and close; all other functions may be called by any thread at any time between open and
 * close. Different streams share nothing. A stream belongs to the process that opened it: a forked
 * child must not use it, and does not keep its name or memory.
 *
 * A NULL stream or producer is no crash: functions with a status return SAC_E_INVALID, pointers are
 * NULL, counts 0, "is stopping" is true, and all else does nothing.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_STREAM_H
#define SACCADE_STREAM_H

#include <saccade/base.h>
#include <saccade/histogram.h>
#include <saccade/param.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a send does where `capacity` frames wait already. */
typedef enum sac_stream_policy {
    SAC_STREAM_WAIT = 0,    /* waits for room: nothing is lost, the producer is held back */
    SAC_STREAM_DROP_NEWEST, /* the frame that was to be sent is dropped */
    SAC_STREAM_DROP_OLDEST  /* the frame that waits the longest is dropped */
} sac_stream_policy;

/* What became of a frame that the work was called with. */
typedef enum sac_stream_outcome {
    SAC_STREAM_PROCESSED = 0,
    SAC_STREAM_EMPTY,  /* there was nothing to do, as where the laser is off */
    SAC_STREAM_REFUSED /* the work cannot take it: then it was not accepted after all */
} sac_stream_outcome;

/* All times are of sac_stream_clock_ns. */
typedef struct sac_stream_frame {
    void *data;           /* frame_bytes, aligned to 64; the work's until it returns */
    uint64_t number;      /* of the send, from 0: a number that is missing was dropped */
    int64_t scheduled_ns; /* when it was to arrive: its latency counts from here */
    int64_t arrived_ns;   /* when it was sent */
    int64_t done_ns;      /* for the work to set where its result left at once; 0: at its return */
    int32_t outcome; /* sac_stream_outcome, for the work to set; at first SAC_STREAM_PROCESSED */
} sac_stream_frame;

/*
 * The work: n frames, 1 .. batch_max, in the order in which they were sent. To keep the stream
 * real-time it allocates nothing, takes no lock and writes no log, as every pipeline's run.
 */
typedef void (*sac_stream_work_fn)(void *ctx, sac_stream_frame *frames, int32_t n);

#define SAC_STREAM_SPIN (-1) /* for spin_us */

typedef struct sac_stream_desc {
    size_t struct_size;
    size_t frame_bytes; /* of a frame, with all that belongs to it; at least 1 */
    sac_stream_work_fn work;
    void *ctx; /* handed to the work */

    /* Options; the parameter table describes them. */
    int32_t capacity;    /* frames that wait at most, 1..2^20; default 64 */
    int32_t batch_max;   /* frames that the work is given at once, at most 4096; default 32 */
    int32_t policy;      /* sac_stream_policy; default SAC_STREAM_WAIT */
    int32_t spin_us;     /* how long worker and producer look for each other before they sleep;
                            SAC_STREAM_SPIN: they never sleep, and make no system call; default 50 */
    int32_t deadline_us; /* a frame that is done later than so much behind its schedule is late; 0,
                            the default: none is */
    int32_t cpu;         /* the worker runs on this one alone; -1, the default: anywhere */
    int32_t priority;    /* of the worker, real-time (SCHED_FIFO) 1..99; 0, the default: ordinary */

    /* Memory that the caller brings, of at least sac_stream_memory_bytes and aligned to 64, so that
     * a GPU reads frames in place: page-locked, as sac_pinned_alloc (saccade/device.h) gives it. It
     * is cleared, and the stream's until close. NULL: the stream's own. */
    void *memory;
    size_t memory_bytes;

    /* "/NAME", at most 99 bytes: frames come from another process, which attaches to this name
     * (below); slot, send and refuse are not for this one then. Each frame is copied once. The
     * text is copied at open. NULL: frames come from this process. */
    const char *shared;

    const sac_log *log; /* told at open how the worker runs; may be NULL */
} sac_stream_desc;

typedef struct sac_stream sac_stream;

/* The monotonic clock (CLOCK_MONOTONIC), in nanoseconds. */
SAC_API int64_t sac_stream_clock_ns(void);

SAC_API const sac_param_table *sac_stream_params(void);

/* Fills in every default; frame_bytes and work are left for the caller. Takes NULL. */
SAC_API void sac_stream_desc_init(sac_stream_desc *desc);

/* What a stream like this takes; 0 where it would be refused. */
SAC_API size_t sac_stream_memory_bytes(const sac_stream_desc *desc);

/*
 * Takes memory and starts the worker; a shared stream also starts a thread that lets producers
 * attach, and sleeps otherwise. Nothing of *desc is used after the call but work, ctx and memory.
 * SAC_OK.
 * SAC_E_INVALID: out, desc or work is NULL; a value is out of range; memory is too small or not
 * aligned. SAC_E_NOMEM, also where shared memory would take more than half of the machine's.
 * SAC_E_UNSUPPORTED: the system does not grant this CPU or priority, or has no memory that can be
 * sealed. SAC_E_IO: another stream has this shared name, or the system gave no socket.
 */
SAC_API SAC_NODISCARD sac_status sac_stream_open(sac_stream **out, const sac_stream_desc *desc,
                                                 sac_error *err);

/*
 * Length of the leading run of equally spaced frames: that run can be viewed as one array,
 * (count, ...), whose first stride is *stride bytes. Mostly it is all n; it ends where the ring
 * begins anew. *stride is 0 for one frame alone. 0 where frames or stride is NULL, or n < 1.
 */
SAC_API int32_t sac_stream_evenly_spaced(const sac_stream_frame *frames, int32_t n,
                                         ptrdiff_t *stride);

/*
 * The producer's side: one thread at a time.
 *
 * The slot for the next frame, frame_bytes, which the producer owns; each send hands it over, so
 * ask again behind it. It holds what an earlier frame left in it.
 */
SAC_API void *sac_stream_slot(sac_stream *stream);

/*
 * Sends the frame in the slot. scheduled_ns: when it was to arrive by the clock, whatever held it
 * up; 0: now. Allocates nothing, takes no lock; makes a system call only to wake a worker that
 * sleeps, or to sleep itself where the policy is to wait. SAC_OK: the frame was accepted, and the
 * policy may have dropped it or another. SAC_END: the stream is stopping, and refused it.
 * SAC_E_INVALID: the stream is NULL, or its frames come from another process.
 */
SAC_API SAC_NODISCARD sac_status sac_stream_send(sac_stream *stream, int64_t scheduled_ns);

/* Counts n frames that came but cannot be sent: cut short, foreign, of the wrong size. Does nothing
 * where n is 0 or less. */
SAC_API void sac_stream_refuse(sac_stream *stream, int64_t n);

/*
 * Asks the stream to stop: sends are refused from now on, one that waits for room at once, and what
 * was accepted is still worked on. Returns immediately; for any thread, and for signal handlers.
 */
SAC_API void sac_stream_request_stop(sac_stream *stream);

/* Whether a stop was asked for: a producer's reason to end. */
SAC_API bool sac_stream_is_stopping(const sac_stream *stream);

/*
 * Asks for the stop and waits for it: no accepted frame is lost, and behind it the work is called
 * no more. One thread at a time, and not from the work. Counts are final as soon as the producer's
 * last call has returned, too. Again, it does nothing.
 */
SAC_API void sac_stream_stop(sac_stream *stream);

typedef struct sac_stream_counts {
    size_t struct_size;
    int64_t received;  /* frames that came: sent, or said to be refused */
    int64_t refused;   /* by the source, by a stream that was stopping, or by the work */
    int64_t accepted;  /* all the others */
    int64_t processed; /* the work was done */
    int64_t empty;     /* the work said that there was nothing to do */
    int64_t dropped;   /* by the policy */
    int64_t waiting;   /* accepted, and none of this yet */

    int64_t late;         /* processed or empty, behind the deadline */
    int64_t batches;      /* calls of the work */
    int64_t most_waiting; /* when the worker looked */
} sac_stream_counts;

/* From any thread, at any time; fills in what counts->struct_size has room for. While the stream
 * runs, a frame that is done meanwhile may still count as waiting. */
SAC_API void sac_stream_get_counts(const sac_stream *stream, sac_stream_counts *counts);

/* From scheduled to done, of frames that were processed or empty. The stream's; read it from any
 * thread at any time. */
SAC_API const sac_histogram *sac_stream_get_latency(const sac_stream *stream);

/* Stops, frees and NULLs *stream; the producer must be done, unless it is in another process. Takes
 * NULL and *stream == NULL. */
SAC_API void sac_stream_close(sac_stream **stream);

/*
 * The producer's side in another process: a driver of a camera or a scanner. One thread at a time.
 *
 * The name is a socket in Linux' abstract namespace ("@saccade/NAME" in `ss -xl`):
 * - It is there while the stream's process has the stream open, and is gone when that process ends,
 *   however it ends. Nothing is left behind, and the next open succeeds at once.
 * - Of several that open the same name at the same moment exactly one succeeds.
 * - It is seen by every process of the same network namespace: two containers need a common one
 *   (`--network`), and any user there may take a name first. Both sides check the other's user: the
 *   producer's must be the stream's, or root.
 *
 * One producer is attached at a time. It may end or be killed at any moment, in a send, too; its
 * place is free at once, or, if it forked, when its children have ended or called exec. Whatever a
 * producer writes into the memory, at any time, the stream's process comes to no harm but for
 * frames that are lost, and counts of frames dropped and refused that are wrong. No process can
 * change the memory's size.
 */
typedef struct sac_producer sac_producer;

/*
 * Attaches to the stream whose desc has this for `shared`. Returns within 5 s, also where that
 * process is halted. The text is not used after the call. SAC_OK.
 * SAC_E_INVALID: out or shared is NULL, shared is no name, or the stream's frames are not of
 * frame_bytes. SAC_E_IO: no stream has this name, or not yet; it is another user's; another
 * producer is attached; there was no reply. SAC_E_FORMAT: what has this name is no stream, or one
 * of another version of saccade, whose streams differ. SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_producer_attach(sac_producer **out, const char *shared,
                                                     size_t frame_bytes, sac_error *err);

/* As sac_stream_slot, sac_stream_send (SAC_OK, SAC_END, SAC_E_INVALID), sac_stream_refuse and
 * sac_stream_is_stopping. A stream whose process has ended is stopping, too: ten times a second a
 * send makes a system call to see that. */
SAC_API void *sac_producer_slot(sac_producer *producer);
SAC_API SAC_NODISCARD sac_status sac_producer_send(sac_producer *producer, int64_t scheduled_ns);
SAC_API void sac_producer_refuse(sac_producer *producer, int64_t n);
SAC_API bool sac_producer_is_stopping(const sac_producer *producer);

/* Leaves the stream, which goes on; frees and NULLs *producer. Takes NULL and *producer == NULL. */
SAC_API void sac_producer_detach(sac_producer **producer);

#ifdef __cplusplus
}
#endif
#endif
