/*
 * Video in files and pipes without any library: Y4M, raw frames, series of pictures. In
 * libsaccade-io. docs/formats.md has the arithmetic between YCbCr and RGB.
 *
 * Threads: readers and writers are independent of each other; one of them takes one call at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_VIDEO_H
#define SACCADE_VIDEO_H

#include <saccade/array.h>
#include <saccade/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sac_video_format {
    SAC_VIDEO_AUTO = 0, /* by content or ending */
    SAC_VIDEO_Y4M,      /* 4:4:4, 4:2:2, 4:2:0 and mono of 8 bits */
    SAC_VIDEO_RAW,      /* frames one behind the other, of the desc's size and pixel */
    SAC_VIDEO_PICTURES  /* a file a frame: "in-%04d.ppm", or a folder */
} sac_video_format;

typedef enum sac_video_pixel {
    SAC_PIXEL_GRAY = 0,
    SAC_PIXEL_RGB,
    SAC_PIXEL_BGR,
    SAC_PIXEL_RGBA,
    SAC_PIXEL_BGRX
} sac_video_pixel;

/* How Y4M stores color; named as Y4M does. */
typedef enum sac_video_chroma {
    SAC_CHROMA_444 = 0,
    SAC_CHROMA_422,
    SAC_CHROMA_420JPEG,  /* a color sample amid four pixels */
    SAC_CHROMA_420MPEG2, /* between two rows, on the left column */
    SAC_CHROMA_420PALDV, /* on the upper left pixel */
    SAC_CHROMA_MONO
} sac_video_chroma;

typedef enum sac_video_matrix {
    SAC_MATRIX_AUTO = 0, /* BT.709 where w >= 1280 or h > 576, else BT.601: Y4M does not say */
    SAC_MATRIX_BT601,
    SAC_MATRIX_BT709
} sac_video_matrix;

/* How raw frames store their pixels: packed as sac_video_pixel says, or as YCbCr in planes, which
 * are converted to and from `pixel` as Y4M's are: by `matrix` and `full_range`, chroma as `chroma`
 * says where that is one of 4:2:0, else 420MPEG2, as cameras and decoders have it. */
typedef enum sac_video_planes {
    SAC_PLANES_AUTO = 0, /* by ending: .nv12; .i420, .yuv, .yuv420p; else packed */
    SAC_PLANES_PACKED,
    SAC_PLANES_I420, /* Y, then Cb, then Cr, each half as wide and high, rounded up */
    SAC_PLANES_NV12  /* Y, then Cb and Cr by turns */
} sac_video_planes;

/* No frame is larger. */
#define SAC_VIDEO_MAX_SIDE 16384
#define SAC_VIDEO_MAX_PIXELS (INT64_C(1) << 27)

/* What a video is. */
typedef struct sac_video_info {
    size_t struct_size;
    sac_video_format format;
    sac_video_pixel pixel; /* of the frames in memory */
    int64_t w, h;
    int64_t rate_num, rate_den; /* frames a second; 0: unknown */

    /* Y4M's own; zeros say what is usual for RGB. */
    sac_video_chroma chroma;
    sac_video_matrix matrix;
    bool full_range;                /* Y from 0 to 255, else from 16 to 235 */
    int64_t aspect_num, aspect_den; /* a pixel's width to its height; 0: unknown */

    sac_video_planes planes; /* of raw frames */
    int32_t quality; /* of series in JPEG, WebP, ..., 1..100; 0: SAC_PICTURE_QUALITY of io.h */
} sac_video_info;

/* All 0 but struct_size: automatic format, gray, no size. */
SAC_API void sac_video_info_init(sac_video_info *info);

/* Channels of a frame in memory: 1, 3 or 4; 0 for a pixel that is none. */
SAC_API int32_t sac_video_channels(sac_video_pixel pixel);

typedef struct sac_video_reader sac_video_reader;

/*
 * Opens `path` ("-": standard input). `wanted` says what the caller knows: format, the size and
 * pixel of raw frames; of other formats `pixel` is what frames become, and matrix how. NULL: gray
 * where the file is gray, else RGB. SAC_E_IO, SAC_E_FORMAT, SAC_E_INVALID (NULL, raw without a
 * size), SAC_E_UNSUPPORTED (not 8 bits, interlaced 4:2:0, raw frames whose ending names a layout
 * that is none of sac_video_planes, ...), SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_video_reader_open(sac_video_reader **out, const char *path,
                                                       const sac_video_info *wanted,
                                                       sac_error *err);

/*
 * The same for a program that may be told to stop while a pipe, a socket or a device has nothing to
 * read: stop_fd is the caller's, a pipe or an eventfd, say, that its signal handler writes to. Once
 * it is readable, opening and reading return SAC_CANCELLED where they would have to wait; that stop
 * is not missed, whenever it comes. It stays open as long as the reader. -1: as above.
 */
SAC_API SAC_NODISCARD sac_status sac_video_reader_open_stoppable(sac_video_reader **out,
                                                                 const char *path,
                                                                 const sac_video_info *wanted,
                                                                 int stop_fd, sac_error *err);
/* Fills in what info->struct_size has room for; of NULL nothing. */
SAC_API void sac_video_reader_get_info(const sac_video_reader *reader, sac_video_info *info);

/* What reading has changed or left out of a series' pictures so far, for the user: "`a.png`: its
 * alpha channel is left out"; "" where nothing. The reader's, until the next read or close. */
SAC_API const char *sac_video_reader_get_note(const sac_video_reader *reader);

/* Whether `path` ("-": standard input) begins as Y4M does. What this reads of a standard input that
 * is no file is kept for the next reader of this library that opens "-". */
SAC_API bool sac_video_is_y4m(const char *path);

/*
 * The next frame into `frame`, (h, w) or (h, w, channels) u8, contiguous, the caller's. SAC_END:
 * the end. SAC_E_INVALID: NULL. SAC_E_SHAPE: the frame. SAC_E_FORMAT: a frame that is cut short, or
 * of another size. SAC_E_UNSUPPORTED: a picture of a series that has 16 bits. SAC_CANCELLED:
 * stop_fd says so. SAC_E_NOMEM. SAC_E_IO: among others, without a stop_fd, a signal came while a
 * pipe had nothing to read; the next call goes on.
 */
SAC_API SAC_NODISCARD sac_status sac_video_read(sac_video_reader *reader, const sac_array *frame,
                                                sac_error *err);
SAC_API void sac_video_reader_close(sac_video_reader **reader);

typedef struct sac_video_writer sac_video_writer;

/*
 * Writes `path` ("-": standard output) as info says. SAC_VIDEO_AUTO: by the name: .y4m and "-" are
 * Y4M; a folder (made where the name ends in /), a name with %d or %04d, and one that ends as
 * pictures do are pictures, gray or RGB. Raw frames: .raw as `pixel` and `planes` say; .gray, .rgb,
 * .bgr, .rgba, .bgrx, .nv12, .i420 and .yuv (I420) as they say themselves, whatever `pixel` is. A
 * file is whole where close succeeds, and holds the frames that were written where the program ends
 * early. SAC_E_INVALID (NULL, the info, no ending), SAC_E_FORMAT (the size), SAC_E_UNSUPPORTED (a
 * picture's format), SAC_E_IO, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_video_writer_open(sac_video_writer **out, const char *path,
                                                       const sac_video_info *info, sac_error *err);

/* SAC_E_INVALID (NULL, a second frame for one name), SAC_E_SHAPE, SAC_E_UNSUPPORTED, SAC_E_IO,
 * SAC_E_NOMEM. */
SAC_API SAC_NODISCARD sac_status sac_video_write(sac_video_writer *writer, const sac_array *frame,
                                                 sac_error *err);

/* Takes NULL and *writer == NULL; sets *writer = NULL. SAC_E_IO. */
SAC_API SAC_NODISCARD sac_status sac_video_writer_close(sac_video_writer **writer, sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
