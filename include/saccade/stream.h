/*
 * The real-time runtime for frames that arrive on their own schedule: a ring of frame slots, a
 * worker thread, and counts of everything that happens. The work is any function; usually it runs a
 * pipeline, whose plan is part of its `ctx`.
 *
 * A producer (a camera driver, a socket, a simulator) writes each frame directly into a slot and
 * sends it. The worker takes the waiting frames, up to batch_max at once, and calls the work. All
 * memory is allocated at open. A policy says what happens when the ring is full.
 *
 *     static void work(void *ctx, sac_stream_frame *frames, int32_t n)
 *     {
 *         for (int32_t i = 0; i < n; i++)
 *             analyse(ctx, frames[i].data);
 *     }
 *
 *     sac_stream_desc desc;
 *     sac_stream *stream = NULL;
 *     sac_stream_desc_init(&desc);
 *     desc.frame_bytes = 96 * 96, desc.work = work, desc.ctx = &state;
 *     if (sac_stream_open(&stream, &desc, &err) != SAC_OK)
 *         return fail(&err);
 *     do
 *         camera_read(sac_stream_slot(stream));
 *     while (sac_stream_send(stream, 0) == SAC_OK);
 *     sac_stream_close(&stream);
 *
 * The counts always fulfil these equations, and waiting is 0 once the stream has stopped:
 *
 *     received = accepted + refused
 *     accepted = processed + empty + dropped + waiting
 *
 * docs/real-time.md defines the terms and shows how to set up a machine.
 *
 * Threads: one producer thread at a time calls slot, send and refuse; one thread at a time calls
 * stop and close; any thread may call all other functions at any time between open and close.
 * Different streams share nothing. A stream belongs to the process that opened it: a forked child
 * must not use it, and does not keep its name or memory alive.
 *
 * NULL for a stream or producer does not crash: functions with a status return SAC_E_INVALID,
 * functions with a pointer return NULL, counts are 0, "is stopping" is true, and all others do
 * nothing.
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

/* What a send does when `capacity` frames are waiting already. */
typedef enum sac_stream_policy {
    SAC_STREAM_WAIT = 0,    /* waits for room: no frame is lost, but the producer is held up */
    SAC_STREAM_DROP_NEWEST, /* drops the frame that is being sent */
    SAC_STREAM_DROP_OLDEST  /* drops the frame that has waited the longest */
} sac_stream_policy;

/* The result of the work for one frame. */
typedef enum sac_stream_outcome {
    SAC_STREAM_PROCESSED = 0,
    SAC_STREAM_EMPTY,  /* there was nothing to do, for example because the laser is off */
    SAC_STREAM_REFUSED /* the work cannot use the frame: it counts as refused, not as accepted */
} sac_stream_outcome;

/* A frame as the work gets it. All times are on the clock of sac_stream_clock_ns. */
typedef struct sac_stream_frame {
    void *data;      /* frame_bytes bytes, aligned to 64; the work may read and write them until it
                        returns */
    uint64_t number; /* of the send, from 0: a missing number is a frame that was dropped */
    int64_t scheduled_ns; /* when the frame was due: its latency counts from here */
    int64_t arrived_ns;   /* when it was sent */
    int64_t done_ns; /* the work may set it to the time when this frame's result left; 0: when the
                        work returns */
    int32_t outcome; /* sac_stream_outcome, set by the work; initially SAC_STREAM_PROCESSED */
} sac_stream_frame;

/*
 * The work: is called in the worker's thread with n frames, 1 .. batch_max, in the order in which
 * they were sent. To stay real-time it must not allocate, lock or log; the run functions of all
 * pipelines fulfil this.
 */
typedef void (*sac_stream_work_fn)(void *ctx, sac_stream_frame *frames, int32_t n);

#define SAC_STREAM_SPIN (-1) /* for spin_us: never sleep */

typedef struct sac_stream_desc {
    size_t struct_size;
    size_t frame_bytes; /* size of a frame, at least 1; if signals belong to it, use a struct of
                           signals and pixels */
    sac_stream_work_fn work;
    void *ctx; /* passed to every call of the work */

    /* Options; the parameter table describes them. */
    int32_t capacity;    /* how many frames can wait, 1..2^20; default 64 */
    int32_t batch_max;   /* how many frames one call of the work gets, 1..4096; default 32. No frame
                            waits for a batch to fill */
    int32_t policy;      /* sac_stream_policy; default SAC_STREAM_WAIT */
    int32_t spin_us;     /* worker and producer spin so long before they sleep, default 50;
                            SAC_STREAM_SPIN: they never sleep, and make no system call */
    int32_t deadline_us; /* a frame is late if it is done more than this after its schedule; 0, the
                            default: no frame is late */
    int32_t cpu;         /* the only CPU that the worker may run on; -1, the default: any */
    int32_t priority;    /* real-time priority (SCHED_FIFO) of the worker, 1..99; 0, the default: an
                            ordinary thread */

    /* Memory of the caller for the frames: at least sac_stream_memory_bytes, aligned to 64. Use
     * page-locked memory of sac_pinned_alloc (saccade/device.h) to let a GPU read frames directly.
     * The stream clears it, and uses it until close. NULL: the stream allocates its own. */
    void *memory;
    size_t memory_bytes;

    /* "/NAME", at most 99 bytes: frames come from another process, which attaches by this name
     * (sac_producer_attach, below); then this process must not call slot, send and refuse. Each
     * frame is copied once. The text is copied at open. NULL: frames come from this process. */
    const char *shared;

    const sac_log *log; /* is told at open how the worker runs; may be NULL */
} sac_stream_desc;

/* An open stream. */
typedef struct sac_stream sac_stream;

/* The monotonic clock (CLOCK_MONOTONIC), in nanoseconds. */
SAC_API int64_t sac_stream_clock_ns(void);

/* The fields that options set, with ranges and texts (saccade/param.h). */
SAC_API const sac_param_table *sac_stream_params(void);

/*
 * Fills in every default. The caller sets frame_bytes and work, and ctx if needed. NULL is
 * allowed.
 */
SAC_API void sac_stream_desc_init(sac_stream_desc *desc);

/* The bytes that a stream with this desc needs; 0 if open would refuse the desc. */
SAC_API size_t sac_stream_memory_bytes(const sac_stream_desc *desc);

/*
 * Allocates memory and starts the worker. A shared stream also starts a thread that lets producers
 * attach, and sleeps otherwise. After the call *desc is no longer used, except what work, ctx and
 * memory point to.
 *
 * SAC_E_INVALID: out, desc or work is NULL; a value is out of range; memory is too small or not
 * aligned. SAC_E_NOMEM, also if shared memory would take more than half of the machine's.
 * SAC_E_UNSUPPORTED: the system does not grant this CPU or priority, or has no memory that can be
 * sealed. SAC_E_IO: another stream has this shared name, or the system has no socket.
 */
SAC_API SAC_NODISCARD sac_status sac_stream_open(sac_stream **out, const sac_stream_desc *desc,
                                                 sac_error *err);

/*
 * Length of the leading run of equally spaced frames: that run can be viewed as one array, (count,
 * ...), whose first stride is *stride bytes. Usually it is all n frames; it ends where the ring
 * wraps around. *stride is 0 for a single frame. Returns 0 if frames or stride is NULL, or n < 1.
 */
SAC_API int32_t sac_stream_evenly_spaced(const sac_stream_frame *frames, int32_t n,
                                         ptrdiff_t *stride);

/*
 * The producer's side: slot, send and refuse, by one thread at a time.
 *
 * Returns the slot for the next frame: frame_bytes bytes, aligned to 64, which belong to the
 * producer until it sends them. Call it again after each send. It still has the contents of an
 * earlier frame. Never waits, and never returns NULL for an open stream whose frames come from this
 * process.
 */
SAC_API void *sac_stream_slot(sac_stream *stream);

/*
 * Sends the frame in the slot. scheduled_ns is when the frame was due on the clock of
 * sac_stream_clock_ns, even if it was delayed since; 0: now. Allocates nothing and takes no lock.
 * Makes a system call only to wake a sleeping worker, or to sleep where the policy is to wait.
 *
 * SAC_OK: the frame was accepted (the policy may have dropped it or another one). SAC_END: the
 * stream is stopping and refused the frame. SAC_E_INVALID: the stream is NULL, or its frames come
 * from another process.
 */
SAC_API SAC_NODISCARD sac_status sac_stream_send(sac_stream *stream, int64_t scheduled_ns);

/*
 * Counts n frames that arrived but cannot be sent: truncated, foreign, or of the wrong size. Does
 * nothing if n <= 0.
 */
SAC_API void sac_stream_refuse(sac_stream *stream, int64_t n);

/*
 * Asks the stream to stop: further sends are refused, a send that waits for room is refused at
 * once, and frames that were accepted are still processed. Returns immediately. Any thread and
 * signal handlers may call it.
 */
SAC_API void sac_stream_request_stop(sac_stream *stream);

/* Whether a stop was requested. Producers should then end. */
SAC_API bool sac_stream_is_stopping(const sac_stream *stream);

/*
 * Requests the stop and waits for it: no accepted frame is lost, and after it the work is not
 * called again. Call it from one thread at a time, and not from the work. The counts are final
 * once the producer's last call has returned too. Further calls do nothing.
 */
SAC_API void sac_stream_stop(sac_stream *stream);

/* What happened to all frames so far. */
typedef struct sac_stream_counts {
    size_t struct_size;
    int64_t received;  /* frames that came: sent, or reported by sac_stream_refuse */
    int64_t refused;   /* by the producer, by a stream that was stopping, or by the work */
    int64_t accepted;  /* all received frames that were not refused */
    int64_t processed; /* the work was done */
    int64_t empty;     /* the work said that there was nothing to do */
    int64_t dropped;   /* by the policy */
    int64_t waiting;   /* accepted, and not yet processed, empty or dropped */

    int64_t late;         /* processed or empty, after the deadline */
    int64_t batches;      /* calls of the work */
    int64_t most_waiting; /* the most that were waiting when the worker looked */
} sac_stream_counts;

/*
 * Fills in the fields that counts->struct_size has room for: set it first, `= {.struct_size =
 * sizeof counts}`. May be called from any thread at any time. While the stream runs, a frame that
 * is completed during the call may still count as waiting.
 */
SAC_API void sac_stream_get_counts(const sac_stream *stream, sac_stream_counts *counts);

/*
 * The latencies, from schedule to completion, of the frames that were processed or empty. The
 * stream owns the histogram; any thread may read it until close.
 */
SAC_API const sac_histogram *sac_stream_get_latency(const sac_stream *stream);

/*
 * Stops the stream, frees it and sets *stream to NULL. The producer must have finished, unless it
 * is in another process. stream == NULL and *stream == NULL are allowed.
 */
SAC_API void sac_stream_close(sac_stream **stream);

/*
 * The producer's side in another process: the driver of a camera or scanner. One thread at a time.
 *
 * The name is a socket in Linux' abstract namespace ("@saccade/NAME" in `ss -xl`):
 *
 * - It exists while the stream's process has the stream open, and disappears when that process
 *   ends, however it ends. Nothing is left over, and the next open succeeds at once.
 * - If several processes open the same name at the same time, exactly one succeeds.
 * - Every process of the same network namespace sees it: two containers need a common one
 *   (`--network`). Any user there may take a name first. Both sides check the other's user: the
 *   producer's user must be the stream's, or root.
 *
 * One producer is attached at a time. It may end or be killed at any moment, even during a send;
 * its place is then free at once, or, if it forked, when its children have ended or called exec.
 * Whatever a producer writes into the memory, at any time, cannot harm the stream's process: the
 * worst effects are lost frames, and wrong counts of dropped and refused frames. No process can
 * change the size of the memory.
 */
typedef struct sac_producer sac_producer;

/*
 * Attaches to the stream whose desc has this name as `shared`. Returns within 5 s, even if the
 * stream's process is halted. The text is not used after the call.
 *
 * SAC_E_INVALID: out or shared is NULL, shared is not a valid name, or the stream's frames have
 * another size than frame_bytes. SAC_E_IO: no stream has this name (yet); it belongs to another
 * user; another producer is attached; there was no reply. SAC_E_FORMAT: the socket of this name
 * does not belong to a stream, or belongs to an incompatible version of saccade. SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_producer_attach(sac_producer **out, const char *shared,
                                                     size_t frame_bytes, sac_error *err);

/*
 * Same as sac_stream_slot, sac_stream_send (SAC_OK, SAC_END, SAC_E_INVALID), sac_stream_refuse and
 * sac_stream_is_stopping. A stream whose process has ended is stopping, too: ten times a second a
 * send makes a system call to check.
 */
SAC_API void *sac_producer_slot(sac_producer *producer);
SAC_API SAC_NODISCARD sac_status sac_producer_send(sac_producer *producer, int64_t scheduled_ns);
SAC_API void sac_producer_refuse(sac_producer *producer, int64_t n);
SAC_API bool sac_producer_is_stopping(const sac_producer *producer);

/*
 * Detaches from the stream, which continues; frees the producer and sets *producer to NULL.
 * producer == NULL and *producer == NULL are allowed.
 */
SAC_API void sac_producer_detach(sac_producer **producer);

#ifdef __cplusplus
}
#endif
#endif
