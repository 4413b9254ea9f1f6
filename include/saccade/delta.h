/*
 * The delta stream: frames as packets that carry only what changed by more than T. The encoder
 * keeps the decoder's picture, so no pixel is ever off by more than T, and errors do not grow; T =
 * 0 is lossless. docs/delta-format.md has every byte. In libsaccade-delta.
 *
 * Threads: different plans, readers and writers may be used at the same time; one of them by one
 * thread at a time. A NULL where none is taken is SAC_E_INVALID, and of a getter nothing, 0 or "".
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
    int32_t n_channels;    /* 1 or 3 or 4, u8, interleaved */
    sac_pixel_order order; /* goes along with the pictures; ignored with 1 channel */

    int32_t threshold;     /* T, 0..254: a channel that is off by no more stays as it was */
    double key_interval_s; /* 0..1e6: at most so long between keyframes; 0: only where needed */
    double refresh_s;      /* 0..1e6: every block is sent lossless at least so often, in turn; 0:
                              never */
    bool scene_change;     /* a keyframe where most of the picture changes */
    bool fast;             /* lz4 instead of zstd */
    int32_t level;         /* of zstd */
    int32_t n_threads;
    const char *variant;

    const sac_executor *executor;
    const sac_log *log;
} sac_delta_encode_desc;

typedef struct sac_delta_encode sac_delta_encode;

/* A packet: the encoder's, valid until its next run or close. */
typedef struct sac_delta_packet {
    const uint8_t *data;
    size_t size;
    uint64_t frame;   /* its number, from 0 */
    uint64_t time_ns; /* as given */
    bool is_key;
} sac_delta_packet;

SAC_API const sac_param_table *sac_delta_encode_params(void);
SAC_API void sac_delta_encode_desc_init(sac_delta_encode_desc *desc);

/* SAC_E_INVALID, SAC_E_SHAPE (w, h, n_channels), SAC_E_NOMEM, SAC_E_UNSUPPORTED (this build has no
 * zstd, or no lz4 where it is to be fast). */
SAC_API SAC_NODISCARD sac_status sac_delta_encode_open(sac_delta_encode **plan,
                                                       const sac_delta_encode_desc *desc,
                                                       sac_error *err);

/* Encodes the next frame, (h, w) or (h, w, channels) u8, strides free. The same frames give the
 * same bytes at any number of threads. SAC_E_SHAPE. */
SAC_API SAC_NODISCARD sac_status sac_delta_encode_run(sac_delta_encode *plan,
                                                      sac_delta_packet *packet,
                                                      const sac_array *frame, uint64_t time_ns,
                                                      sac_error *err);

/* The next packet is a keyframe: what a decoder asks for after a loss. */
SAC_API void sac_delta_encode_key(sac_delta_encode *plan);
SAC_API const char *sac_delta_encode_get_variant(const sac_delta_encode *plan);
SAC_API void sac_delta_encode_close(sac_delta_encode **plan);

typedef struct sac_delta_decode_desc {
    size_t struct_size;
    uint64_t max_pixels; /* larger pictures, in whole cells of 64 x 16, are refused: of memory a
                            decoder takes at most 10 bytes a pixel and 32 MiB, and 4 bytes a pixel
                            more from the first keyframe on that does not follow. Default 2^26 */
    int32_t n_threads;
    const char *variant;
    const sac_executor *executor;
    const sac_log *log;
} sac_delta_decode_desc;

typedef struct sac_delta_decode sac_delta_decode;

/* What came of a packet. */
typedef struct sac_delta_frame {
    sac_array picture; /* the decoder's, u8, valid until its next run or close; data NULL: none */
    uint64_t frame, time_ns;
    sac_pixel_order order;
    int32_t threshold; /* no pixel is off by more */
    bool is_key;
    bool wants_key; /* a packet was lost or damaged: most likely nothing comes out until a
                       keyframe */
} sac_delta_frame;

typedef struct sac_delta_counts {
    size_t struct_size;
    uint64_t frames;                      /* that came out */
    uint64_t damaged, foreign, truncated; /* packets refused */
    uint64_t lost; /* frame numbers that are missing in front of a keyframe which a packet followed:
                      one packet alone makes nothing lost */
    uint64_t late; /* packets older than the picture, or with a number far from it */
} sac_delta_counts;

SAC_API const sac_param_table *sac_delta_decode_params(void);
SAC_API void sac_delta_decode_desc_init(sac_delta_decode_desc *desc);

/* SAC_E_INVALID, SAC_E_NOMEM, SAC_E_UNSUPPORTED (this build has no zstd). */
SAC_API SAC_NODISCARD sac_status sac_delta_decode_open(sac_delta_decode **plan,
                                                       const sac_delta_decode_desc *desc,
                                                       sac_error *err);

/*
 * Decodes a packet, whatever bytes it is. SAC_OK: frame->picture is exact within its threshold.
 * SAC_AGAIN: nothing came out (the packet is late, or stands on one that did not come), and
 * frame->wants_key says whether a keyframe must come first. SAC_E_FORMAT: the packet is no packet,
 * damaged or too large; nothing is shown, and a keyframe is wanted, but where the packets that
 * follow do stand on what came before, they come out. SAC_E_NOMEM, where a keyframe has a new size
 * or is the first that does not follow: else nothing is allocated.
 *
 * A keyframe behind a gap, or of another stream, is shown, and is beside the stream until a packet
 * follows it: until then, whatever follows the picture that was there is shown as ever. One whose
 * number is more than 4096 from what is expected is not even shown before a packet follows it. So
 * no packet alone can end a stream; docs/delta-format.md has the rules.
 */
SAC_API SAC_NODISCARD sac_status sac_delta_decode_run(sac_delta_decode *plan,
                                                      sac_delta_frame *frame, const void *packet,
                                                      size_t size, sac_error *err);

/* Fills in what counts->struct_size has room for. */
SAC_API void sac_delta_decode_get_counts(const sac_delta_decode *plan, sac_delta_counts *counts);
SAC_API const char *sac_delta_decode_get_variant(const sac_delta_decode *plan);
SAC_API void sac_delta_decode_close(sac_delta_decode **plan);

/*
 * Streams in files (.sdv): packets one behind the other, and an index of the keyframes at the end,
 * without which a file is readable too.
 */
typedef struct sac_sdv_writer sac_sdv_writer;

/* Opens `path` for writing ("-": standard output). What was written stays readable wherever the
 * program ends. SAC_E_INVALID (NULL), SAC_E_IO, SAC_E_UNSUPPORTED, SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_sdv_writer_open(sac_sdv_writer **out, const char *path,
                                                     sac_error *err);

/* SAC_E_INVALID (NULL), SAC_E_FORMAT (no packet), SAC_E_NOMEM, SAC_E_IO. */
SAC_API SAC_NODISCARD sac_status sac_sdv_write(sac_sdv_writer *writer,
                                               const sac_delta_packet *packet, sac_error *err);

/* Writes the index, and closes whether that succeeds or not. SAC_E_NOMEM, SAC_E_IO. */
SAC_API SAC_NODISCARD sac_status sac_sdv_writer_close(sac_sdv_writer **writer, sac_error *err);

typedef struct sac_sdv_reader sac_sdv_reader;

/* Opens `path` ("-": standard input). SAC_E_INVALID (NULL), SAC_E_IO, SAC_E_UNSUPPORTED,
 * SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_sdv_reader_open(sac_sdv_reader **out, const char *path,
                                                     sac_error *err);

/*
 * The same for a program that may be told to stop while a pipe, a socket or a device has nothing to
 * read: stop_fd is the caller's, a pipe or an eventfd, say, that its signal handler writes to. Once
 * it is readable, sac_sdv_read returns SAC_CANCELLED where it would have to wait; that stop is not
 * missed, whenever it comes. It stays open as long as the reader. -1: as above.
 */
SAC_API SAC_NODISCARD sac_status sac_sdv_reader_open_stoppable(sac_sdv_reader **out,
                                                               const char *path, int stop_fd,
                                                               sac_error *err);

/* Pictures of more pixels, in whole cells of 64 x 16, are no packets to the reader: of memory it
 * takes at most 3 bytes for each byte of the largest picture that is allowed, and 1 MiB. Default
 * 2^26, as a decoder's. SAC_E_INVALID: 0. */
SAC_API SAC_NODISCARD sac_status sac_sdv_reader_limit(sac_sdv_reader *reader, uint64_t max_pixels,
                                                      sac_error *err);

/* The next packet, the reader's until its next call. SAC_END: the end. SAC_E_FORMAT: what comes
 * is no packet, too large, or cut short; the next call goes on where the next packet may begin, and
 * gives up where 256 MiB have none. A decoder is who checks its content. SAC_CANCELLED: stop_fd
 * says so. SAC_E_NOMEM. SAC_E_IO: among others, without a stop_fd, a signal came while a pipe had
 * nothing to read; the next call goes on. SAC_E_INVALID: NULL. */
SAC_API SAC_NODISCARD sac_status sac_sdv_read(sac_sdv_reader *reader, sac_delta_packet *packet,
                                              sac_error *err);

/* The next packet read is the last keyframe that is not behind `frame`, or the first packet. By the
 * index, or by looking through the file where there is none. SAC_E_IO: not seekable. SAC_E_NOMEM.
 * SAC_E_INVALID: NULL. */
SAC_API SAC_NODISCARD sac_status sac_sdv_seek(sac_sdv_reader *reader, uint64_t frame,
                                              sac_error *err);

/* How many packets the index tells of; 0 without one. */
SAC_API uint64_t sac_sdv_reader_get_frames(const sac_sdv_reader *reader);
SAC_API void sac_sdv_reader_close(sac_sdv_reader **reader);

/* The optional libraries of this build's streams, "zstd 1.5.4, lz4 1.9.4", or "none". Static. Safe
 * from any thread. */
SAC_API const char *sac_delta_parts(void);

#ifdef __cplusplus
}
#endif
#endif
