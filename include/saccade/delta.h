/*
 * The delta stream: sends a video as packets with only the blocks that changed by more than a
 * threshold T. The encoder keeps a copy of the decoder's picture, so no pixel is ever off by more
 * than T, and errors do not accumulate; T = 0 is lossless. In libsaccade-delta;
 * docs/delta-format.md describes every byte.
 *
 *     sac_delta_encode_desc_init(&desc);
 *     desc.w = 1920, desc.h = 1080, desc.n_channels = 3;
 *     st = sac_delta_encode_open(&encoder, &desc, &err);
 *     st = sac_delta_encode_run(encoder, &packet, &picture, time_ns, &err);
 *     send(socket, packet.data, packet.size, 0);
 *
 * and on the other side
 *
 *     sac_delta_decode_desc_init(&desc);
 *     st = sac_delta_decode_open(&decoder, &desc, &err);
 *     st = sac_delta_decode_run(decoder, &frame, bytes, n_bytes, &err);
 *     if (st == SAC_OK)
 *         show(&frame.picture);
 *     if (frame.wants_key)
 *         ask_the_sender(); // to call sac_delta_encode_key
 *
 * A keyframe is a packet that can be decoded without earlier ones. sac_sdv_writer and
 * sac_sdv_reader store streams in files; encoder and decoder are then used in the same way:
 *
 *     st = sac_sdv_writer_open(&writer, "out.sdv", &err);
 *     st = sac_sdv_write(writer, &packet, &err);
 *     st = sac_sdv_writer_close(&writer, &err);
 *
 *     st = sac_sdv_reader_open(&reader, "out.sdv", &err);
 *     while (sac_sdv_read(reader, &packet, &err) == SAC_OK)
 *         st = sac_delta_decode_run(decoder, &frame, packet.data, packet.size, &err);
 *     sac_sdv_reader_close(&reader);
 *
 * Threads: different plans (opened encoders and decoders), readers and writers may be used at the
 * same time; each of them by one thread at a time. NULL where it is not allowed is SAC_E_INVALID;
 * getters do nothing, or return 0 or ""; every close accepts NULL, and sets the pointer to NULL. If
 * an open fails, the pointer is NULL.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_DELTA_H
#define SACCADE_DELTA_H

#include <saccade/array.h>
#include <saccade/base.h>
#include <saccade/device.h>
#include <saccade/param.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sac_delta_encode_desc {
    size_t struct_size;

    int64_t w, h;          /* 1 to 16384 */
    int32_t n_channels;    /* 1, 3 (the default) or 4; with 4 the fourth is sent like the others */
    sac_pixel_order order; /* is stored with the pictures, which it does not change; ignored with 1
                              channel; default SAC_ORDER_UNKNOWN */

    int32_t threshold;     /* T, 0..254, default 20, so not lossless: a pixel stays unchanged if no
                              channel is off by more */
    double key_interval_s; /* 0..1e6, default 10: longest time between keyframes, by time_ns of
                              run; 0: only where needed */
    double refresh_s;  /* 0..1e6, default 0: every block is sent lossless at least this often, a few
                          blocks at a time, by time_ns of run; 0: never */
    bool scene_change; /* sends a keyframe when most of the picture changes; default true */
    bool fast;         /* lz4 instead of zstd; default false */
    int32_t level;     /* of zstd, 1..19; default 1 */
    int32_t n_threads; /* 0, the default: one per core */
    const char *variant; /* implementations to use: "NAME" or "ROOM:NAME,ROOM:NAME" (a room is one
                            step); NULL: the fastest */

    const sac_executor *executor; /* threads of the caller; NULL: the plan starts its own */
    const sac_log *log;           /* is told at open which variants were chosen; may be NULL */

    sac_device device; /* since 0.2: the CPU, the default, or a GPU. There changes are found,
                          predicted and packed, and only what changed comes back; zstd or lz4 work
                          on the CPU. The packets are the same bytes */
    void *stream; /* since 0.2: on a GPU the caller's cudaStream_t, of that GPU; frames are then
                     in its memory. NULL, the default: the plan has its own */
} sac_delta_encode_desc;

typedef struct sac_delta_encode sac_delta_encode;

/*
 * A packet. It belongs to the encoder (or reader), and is valid until its next run (or read) or
 * close.
 */
typedef struct sac_delta_packet {
    const uint8_t *data;
    size_t size;
    uint64_t frame;   /* number of the frame, from 0 */
    uint64_t time_ns; /* as given to the encoder */
    bool is_key;
} sac_delta_packet;

/* The fields that options set, with ranges and texts (saccade/param.h). */
SAC_API const sac_param_table *sac_delta_encode_params(void);

/* Fills in every default. The caller sets w and h, and n_channels unless it is 3. */
SAC_API void sac_delta_encode_desc_init(sac_delta_encode_desc *desc);

/*
 * Opens an encoder. On failure *plan is NULL. SAC_E_INVALID, SAC_E_SHAPE (w, h, n_channels),
 * SAC_E_NOMEM, SAC_E_UNSUPPORTED (this build has no zstd, or no lz4 for `fast`, or no CUDA; or
 * `variant` on a GPU), SAC_E_DEVICE.
 */
SAC_API SAC_NODISCARD sac_status sac_delta_encode_open(sac_delta_encode **plan,
                                                       const sac_delta_encode_desc *desc,
                                                       sac_error *err);

/*
 * Encodes the next frame, (h, w) or (h, w, channels) u8 in CPU memory, or on the plan's GPU;
 * strides are free. Fills in the packet; each call gives one. time_ns is when the frame was taken,
 * in nanoseconds from any origin, and must not go back: key_interval_s and refresh_s are measured
 * by it. It goes into the packet. The same frames and times give the same bytes with any number of
 * threads and on every device. SAC_E_SHAPE; SAC_E_DEVICE, after which the next packet is a
 * keyframe.
 */
SAC_API SAC_NODISCARD sac_status sac_delta_encode_run(sac_delta_encode *plan,
                                                      sac_delta_packet *packet,
                                                      const sac_array *frame, uint64_t time_ns,
                                                      sac_error *err);

/*
 * Takes a packet of a batch, which is valid during this call; the encoder must not be used in it.
 * SAC_OK: go on. Anything else ends the batch, which returns it.
 */
typedef sac_status (*sac_delta_take_fn)(void *ctx, const sac_delta_packet *packet, sac_error *err);

/*
 * Encodes n frames in order, frames[i] taken at times_ns[i], and gives each packet to take(ctx,
 * ..), in the thread of this call. On a GPU frame i + 1 is copied and compared while the packet of
 * frame i is compressed: this is faster than n calls of sac_delta_encode_run, with the same
 * packets. The frames lie all in CPU memory, best of sac_pinned_alloc, or all on the plan's GPU. n
 * of 0 does nothing. If the batch ends early, frames without a packet have not been encoded.
 * SAC_E_INVALID, SAC_E_SHAPE, both before anything is encoded; SAC_E_DEVICE.
 */
SAC_API SAC_NODISCARD sac_status sac_delta_encode_run_batch(sac_delta_encode *plan,
                                                            sac_delta_take_fn take, void *ctx,
                                                            const sac_array *frames,
                                                            const uint64_t *times_ns, int32_t n,
                                                            sac_error *err);

/* Makes the next packet a keyframe: call it when a decoder asks for one after a loss. */
SAC_API void sac_delta_encode_key(sac_delta_encode *plan);

/* The variants in use, as ROOM:NAME. The plan owns the string. */
SAC_API const char *sac_delta_encode_get_variant(const sac_delta_encode *plan);
SAC_API void sac_delta_encode_close(sac_delta_encode **plan);

typedef struct sac_delta_decode_desc {
    size_t struct_size;
    uint64_t
        max_pixels; /* larger pictures, in whole cells of 64 x 16 pixels, are refused; default 2^26.
                       A decoder takes at most 10 bytes per pixel and 32 MiB of memory, and 4 bytes
                       per pixel more after the first keyframe that is not in sequence */
    int32_t n_threads; /* the rest as for the encoder */
    const char *variant;
    const sac_executor *executor;
    const sac_log *log;

    sac_device device; /* since 0.2: as for the encoder, the same pictures on every device. A GPU
                          takes at most 18 bytes per pixel of its memory, and 14 page-locked */
    void *stream;   /* since 0.2: on a GPU the caller's cudaStream_t, of that GPU, which its part of
                       the work is enqueued on; NULL, the default: the plan has its own */
    bool on_device; /* since 0.2: pictures stay in the GPU's memory; with a stream they are complete
                       in its order, and an error of the GPU may show in a later run. Default
                       false: they come to CPU memory */
} sac_delta_decode_desc;

typedef struct sac_delta_decode sac_delta_decode;

/* The result of a packet. */
typedef struct sac_delta_frame {
    sac_array picture; /* (h, w) or (h, w, channels) of u8, with gaps between its rows: go by its
                          strides. Owned by the decoder, valid until its next run or close; data is
                          NULL if there is none */
    uint64_t frame, time_ns; /* as in the sender's packet */
    sac_pixel_order order;
    int32_t threshold; /* no pixel is off by more than this */
    bool is_key;
    bool wants_key; /* a packet was lost or damaged: probably no picture comes out until a keyframe
                       arrives */
} sac_delta_frame;

typedef struct sac_delta_counts {
    size_t struct_size;
    uint64_t frames;                      /* pictures that came out */
    uint64_t damaged, foreign, truncated; /* packets refused */
    uint64_t lost; /* frame numbers that are missing before a keyframe which another packet
                      followed: a single packet does not make anything lost */
    uint64_t late; /* packets older than the picture, or with a number far from it */
} sac_delta_counts;

SAC_API const sac_param_table *sac_delta_decode_params(void);

/* Fills in every default; nothing has to be set. */
SAC_API void sac_delta_decode_desc_init(sac_delta_decode_desc *desc);

/*
 * Opens a decoder. On failure *plan is NULL. SAC_E_INVALID, SAC_E_NOMEM, SAC_E_UNSUPPORTED (this
 * build has no zstd, or no CUDA; or `variant` on a GPU), SAC_E_DEVICE.
 */
SAC_API SAC_NODISCARD sac_status sac_delta_decode_open(sac_delta_decode **plan,
                                                       const sac_delta_decode_desc *desc,
                                                       sac_error *err);

/*
 * Decodes a packet; accepts arbitrary bytes. Fills in *frame, also on failure; only NULL leaves it
 * unchanged.
 *
 * SAC_OK: frame->picture is exact within its threshold. SAC_AGAIN: there is no picture, because
 * the packet is late or depends on one that did not arrive; frame->wants_key tells whether a
 * keyframe must come first. SAC_E_FORMAT: these bytes are not a packet, or it is damaged or too
 * large. There is no picture and a keyframe is wanted; later packets that only depend on packets
 * before the damage are still decoded. SAC_E_NOMEM: only where a keyframe has a new size, or is
 * the first that is not in sequence; in all other cases nothing is allocated. SAC_E_DEVICE: the GPU
 * refused the work, or is lost; a keyframe is wanted.
 *
 * A keyframe after a gap, or of another stream, is shown, but it replaces the current stream only
 * when a packet follows it; until then packets that follow the earlier picture are still decoded.
 * A keyframe whose number differs by more than 4096 from the expected one is not even shown before
 * a packet follows it. So no single packet can end a stream; docs/delta-format.md has the rules.
 */
SAC_API SAC_NODISCARD sac_status sac_delta_decode_run(sac_delta_decode *plan,
                                                      sac_delta_frame *frame, const void *packet,
                                                      size_t size, sac_error *err);

/*
 * Fills in the fields that counts->struct_size has room for: set it first, `= {.struct_size =
 * sizeof counts}`.
 */
SAC_API void sac_delta_decode_get_counts(const sac_delta_decode *plan, sac_delta_counts *counts);
SAC_API const char *sac_delta_decode_get_variant(const sac_delta_decode *plan);
SAC_API void sac_delta_decode_close(sac_delta_decode **plan);

/*
 * Since 0.2. Finds packets in a stream of bytes, such as a TCP connection: whether one begins at
 * `bytes`. SAC_OK: a whole one, undamaged; *packet is it, and its data is `bytes`. SAC_AGAIN:
 * perhaps; it takes packet->size bytes from here on to tell. SAC_E_FORMAT: none, so look further
 * on; packet->size is that of one with a wrong checksum, all of which was read, or 0. Pictures of
 * more than max_pixels, as in sac_delta_decode_desc, are not accepted. Allocates nothing.
 * SAC_E_INVALID (NULL), SAC_E_UNSUPPORTED (this build has no zstd).
 */
SAC_API SAC_NODISCARD sac_status sac_delta_peek(sac_delta_packet *packet, const void *bytes,
                                                size_t size, uint64_t max_pixels, sac_error *err);

/*
 * Streams in files (.sdv): packets one after the other, and at the end an index of the keyframes. A
 * file without index can be read, too.
 */
typedef struct sac_sdv_writer sac_sdv_writer;

/*
 * Opens `path` for writing ("-": standard output), and replaces a file of this name. If the program
 * ends early, the packets written so far can be read. SAC_E_INVALID (NULL), SAC_E_IO,
 * SAC_E_UNSUPPORTED, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_sdv_writer_open(sac_sdv_writer **out, const char *path,
                                                     sac_error *err);

/*
 * Appends a packet, of which only data and size are used. SAC_E_INVALID (NULL), SAC_E_FORMAT (not a
 * packet), SAC_E_NOMEM, SAC_E_IO.
 */
SAC_API SAC_NODISCARD sac_status sac_sdv_write(sac_sdv_writer *writer,
                                               const sac_delta_packet *packet, sac_error *err);

/* Writes the index and frees the writer, also on failure. SAC_E_NOMEM, SAC_E_IO. */
SAC_API SAC_NODISCARD sac_status sac_sdv_writer_close(sac_sdv_writer **writer, sac_error *err);

typedef struct sac_sdv_reader sac_sdv_reader;

/*
 * Opens `path` for reading ("-": standard input). SAC_E_INVALID (NULL), SAC_E_IO,
 * SAC_E_UNSUPPORTED, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_sdv_reader_open(sac_sdv_reader **out, const char *path,
                                                     sac_error *err);

/*
 * The same for a program that must be able to stop while it waits for a pipe, a socket or a
 * device. stop_fd belongs to the caller, for example a pipe or an eventfd that its signal handler
 * writes to. Once stop_fd is readable, sac_sdv_read returns SAC_CANCELLED instead of waiting; a
 * stop is never missed, whenever it comes. stop_fd stays open as long as the reader. -1: same as
 * sac_sdv_reader_open.
 */
SAC_API SAC_NODISCARD sac_status sac_sdv_reader_open_stoppable(sac_sdv_reader **out,
                                                               const char *path, int stop_fd,
                                                               sac_error *err);

/*
 * Sets the largest picture, in pixels, in whole cells of 64 x 16; packets with larger ones are
 * treated as invalid. The reader takes at most 3 bytes of memory for each byte of that picture,
 * and 1 MiB. Default 2^26, as for a decoder. SAC_E_INVALID: 0.
 */
SAC_API SAC_NODISCARD sac_status sac_sdv_reader_limit(sac_sdv_reader *reader, uint64_t max_pixels,
                                                      sac_error *err);

/*
 * Reads the next packet, which belongs to the reader and is valid until its next call.
 *
 * SAC_END: the end. SAC_E_FORMAT: the next bytes are not a packet, or it is too large or
 * truncated; the next call continues where the next packet may begin, and gives up after 256 MiB
 * without one. The reader does not check a packet's content; the decoder does. SAC_CANCELLED:
 * stop_fd. SAC_E_NOMEM. SAC_E_IO: among others, a signal came while a pipe had nothing to read and
 * there is no stop_fd; the next call continues. SAC_E_INVALID: NULL.
 */
SAC_API SAC_NODISCARD sac_status sac_sdv_read(sac_sdv_reader *reader, sac_delta_packet *packet,
                                              sac_error *err);

/*
 * Continues reading at the last keyframe that is not after `frame`, or else at the first packet;
 * the caller decodes from there until packet.frame is the wanted one. Uses the index; without one
 * it searches the file. SAC_E_IO: not seekable. SAC_E_NOMEM. SAC_E_INVALID: NULL.
 */
SAC_API SAC_NODISCARD sac_status sac_sdv_seek(sac_sdv_reader *reader, uint64_t frame,
                                              sac_error *err);

/* The number of packets according to the index; 0 without an index. */
SAC_API uint64_t sac_sdv_reader_get_frames(const sac_sdv_reader *reader);

/* Frees the reader and sets *reader to NULL. */
SAC_API void sac_sdv_reader_close(sac_sdv_reader **reader);

/*
 * The optional libraries of this build's streams, "zstd 1.5.4, lz4 1.9.4", or "none". Static. May
 * be called from any thread.
 */
SAC_API const char *sac_delta_parts(void);

#ifdef __cplusplus
}
#endif
#endif
