/*
 * Video files and pipes without other libraries: Y4M, raw frames, series of pictures. In
 * libsaccade-io; docs/formats.md has the conversion between YCbCr and RGB. For MP4 and others let
 * FFmpeg write Y4M: `ffmpeg -i in.mp4 -f yuv4mpegpipe - | app -`.
 *
 *     sac_video_reader *reader = NULL;
 *     sac_video_info info = {.struct_size = sizeof info};
 *     st = sac_video_reader_open(&reader, "in.y4m", NULL, &err);
 *     sac_video_reader_get_info(reader, &info);
 *     while ((st = sac_video_read(reader, &frame, &err)) == SAC_OK)
 *         work(&frame);
 *     sac_video_reader_close(&reader);
 *
 * `frame` is a view of the caller's memory, made after get_info: u8, (info.h, info.w) for gray,
 * otherwise (info.h, info.w, sac_video_channels(info.pixel)).
 *
 * To write:
 *
 *     sac_video_info_init(&info);
 *     info.w = 1920, info.h = 1080, info.pixel = SAC_PIXEL_RGB, info.rate_num = 25,
 *     info.rate_den = 1;
 *     st = sac_video_writer_open(&writer, "out.y4m", &info, &err);
 *     st = sac_video_write(writer, &frame, &err);
 *     st = sac_video_writer_close(&writer, &err);
 *
 * Raw frames that are packed, and pictures in PNG and PNM, keep every byte. Y4M, NV12 and I420
 * store YCbCr, which rounds colors (gray of full range, SAC_CHROMA_MONO, is kept).
 *
 * Threads: readers and writers are independent of each other; each is used by one thread at a
 * time. If an open fails, *out is NULL.
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
    SAC_VIDEO_AUTO = 0, /* reading: by content or by the path's ending; writing: by the path */
    SAC_VIDEO_Y4M,      /* 4:4:4, 4:2:2, 4:2:0 and mono of 8 bits */
    SAC_VIDEO_RAW,      /* frames one after the other, with the desc's size and pixel */
    SAC_VIDEO_PICTURES  /* one file per frame: "in-%04d.ppm", or a folder. Numbers are written
                           from 0 on; a series that is read may begin at any of 0..9. A folder's
                           pictures are read in the order of their names, and written as
                           frame-%06d.ppm */
} sac_video_format;

typedef enum sac_video_pixel {
    SAC_PIXEL_GRAY = 0,
    SAC_PIXEL_RGB,
    SAC_PIXEL_BGR,
    SAC_PIXEL_RGBA,
    SAC_PIXEL_BGRX
} sac_video_pixel;

/* How Y4M stores color; the names are Y4M's. */
typedef enum sac_video_chroma {
    SAC_CHROMA_444 = 0,
    SAC_CHROMA_422,
    SAC_CHROMA_420JPEG,  /* a color sample in the middle of four pixels */
    SAC_CHROMA_420MPEG2, /* between two rows, on the left column */
    SAC_CHROMA_420PALDV, /* on the upper left pixel */
    SAC_CHROMA_MONO
} sac_video_chroma;

typedef enum sac_video_matrix {
    SAC_MATRIX_AUTO = 0, /* BT.709 where w >= 1280 or h > 576, else BT.601: Y4M does not say */
    SAC_MATRIX_BT601,
    SAC_MATRIX_BT709
} sac_video_matrix;

/*
 * How raw frames store their pixels: packed as in sac_video_pixel, or as YCbCr in planes. Planes
 * are converted to and from `pixel` like Y4M's: by `matrix` and `full_range`, and with the
 * position of chroma in `chroma` if that is a kind of 4:2:0, otherwise 420MPEG2, as cameras and
 * decoders have it.
 */
typedef enum sac_video_planes {
    SAC_PLANES_AUTO = 0, /* by ending: .nv12; .i420, .yuv, .yuv420p; others are packed */
    SAC_PLANES_PACKED,
    SAC_PLANES_I420, /* Y, then Cb, then Cr, each half as wide and high, rounded up */
    SAC_PLANES_NV12  /* Y, then Cb and Cr alternating */
} sac_video_planes;

/* Limits of a frame. */
#define SAC_VIDEO_MAX_SIDE 16384
#define SAC_VIDEO_MAX_PIXELS (INT64_C(1) << 27)

/* Description of a video. */
typedef struct sac_video_info {
    size_t struct_size;
    sac_video_format format;
    sac_video_pixel pixel; /* of frames in memory */
    int64_t w, h;
    int64_t rate_num, rate_den; /* frames per second, as a fraction; both 0: unknown */

    /* For Y4M only; zeros are what is usual for RGB. For gray set SAC_CHROMA_MONO and full_range.
     */
    sac_video_chroma chroma;
    sac_video_matrix matrix;
    bool full_range;                /* Y is from 0 to 255, otherwise from 16 to 235 */
    int64_t aspect_num, aspect_den; /* width of a pixel over its height; 0: unknown */

    sac_video_planes planes; /* of raw frames */
    int32_t quality; /* for series in JPEG, WebP, ..., 1..100; 0: SAC_PICTURE_QUALITY of io.h */
} sac_video_info;

/* Sets everything to 0 except struct_size: automatic format, SAC_PIXEL_GRAY, no size. */
SAC_API void sac_video_info_init(sac_video_info *info);

/* Channels of a frame in memory: 1, 3 or 4; 0 if pixel is not one of sac_video_pixel. */
SAC_API int32_t sac_video_channels(sac_video_pixel pixel);

typedef struct sac_video_reader sac_video_reader;

/*
 * Opens `path` ("-": standard input). `wanted` has what the caller knows: the format, and for raw
 * frames size and pixel; for other formats `pixel` is the format of frames in memory (so set it:
 * sac_video_info_init sets gray), and `matrix` is used for the conversion. A size in `wanted` with
 * SAC_VIDEO_AUTO means raw frames, unless the content is Y4M. wanted NULL: gray if the file is
 * gray, otherwise RGB. SAC_E_IO, SAC_E_FORMAT, SAC_E_INVALID (NULL; or the file is neither Y4M nor
 * pictures, so counts as raw frames, and `wanted` has no size), SAC_E_UNSUPPORTED (not 8 bits,
 * interlaced 4:2:0, raw frames whose ending names a layout that is not in sac_video_planes, ...),
 * SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_video_reader_open(sac_video_reader **out, const char *path,
                                                       const sac_video_info *wanted,
                                                       sac_error *err);

/*
 * The same for a program that must be able to stop while it waits for a pipe, a socket or a
 * device. stop_fd belongs to the caller, for example a pipe or an eventfd that its signal handler
 * writes to. Once stop_fd is readable, opening and reading return SAC_CANCELLED instead of
 * waiting; a stop is never missed, whenever it comes. stop_fd stays open as long as the reader.
 * -1: same as sac_video_reader_open.
 */
SAC_API SAC_NODISCARD sac_status sac_video_reader_open_stoppable(sac_video_reader **out,
                                                                 const char *path,
                                                                 const sac_video_info *wanted,
                                                                 int stop_fd, sac_error *err);

/*
 * Fills in the fields that info->struct_size has room for; does nothing for NULL. `format` is then
 * the file's: set it to SAC_VIDEO_AUTO before you pass the info to a writer of another format.
 */
SAC_API void sac_video_reader_get_info(const sac_video_reader *reader, sac_video_info *info);

/*
 * What reading has changed or ignored in a series' pictures so far, for the user: "`a.png`: its
 * alpha channel is left out"; "" if nothing. Owned by the reader, valid until its next read or
 * close.
 */
SAC_API const char *sac_video_reader_get_note(const sac_video_reader *reader);

/*
 * Whether `path` ("-": standard input) begins like Y4M. Bytes that it reads from a standard input
 * that is not a file are kept for the next reader of this library that opens "-".
 */
SAC_API bool sac_video_is_y4m(const char *path);

/*
 * Reads the next frame into `frame`, (h, w) or (h, w, channels) u8, contiguous, memory of the
 * caller. SAC_END: the end. SAC_E_INVALID: NULL. SAC_E_SHAPE: the frame. SAC_E_FORMAT: the video's
 * frame is truncated, or has another size. SAC_E_UNSUPPORTED: a picture of a series has 16 bits.
 * SAC_CANCELLED: stop_fd. SAC_E_NOMEM. SAC_E_IO: among others, a signal came while a pipe had
 * nothing to read and there is no stop_fd; the next call continues.
 */
SAC_API SAC_NODISCARD sac_status sac_video_read(sac_video_reader *reader, const sac_array *frame,
                                                sac_error *err);

/* Frees the reader and sets *reader to NULL. reader == NULL and *reader == NULL are allowed. */
SAC_API void sac_video_reader_close(sac_video_reader **reader);

typedef struct sac_video_writer sac_video_writer;

/*
 * Opens `path` for writing ("-": standard output) as info says, and replaces a file of this name. A
 * `format` other than SAC_VIDEO_AUTO is used whatever the name is. SAC_VIDEO_AUTO decides by the
 * name: .y4m and "-" are Y4M; a folder (created if the name ends in /), a name with %d or %04d,
 * and a name with the ending of a picture are pictures, gray or RGB. Raw frames: .raw is as
 * `pixel` and `planes` say; .gray, .rgb, .bgr, .rgba, .bgrx, .nv12, .i420 and .yuv (I420) are as
 * their names say, whatever `pixel` is. The file is complete if close succeeds; if the program
 * ends early, it holds the frames written so far. SAC_E_INVALID (NULL, the info, no ending),
 * SAC_E_FORMAT (the size), SAC_E_UNSUPPORTED (a picture's format), SAC_E_IO, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_video_writer_open(sac_video_writer **out, const char *path,
                                                       const sac_video_info *info, sac_error *err);

/*
 * Writes the next frame, of the shape as for reading, in info's `pixel`. SAC_E_INVALID (NULL, a
 * second frame for one name), SAC_E_SHAPE, SAC_E_UNSUPPORTED, SAC_E_IO, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_video_write(sac_video_writer *writer, const sac_array *frame,
                                                 sac_error *err);

/*
 * Finishes the file, frees the writer and sets *writer to NULL. writer == NULL and *writer == NULL
 * are allowed. SAC_E_IO.
 */
SAC_API SAC_NODISCARD sac_status sac_video_writer_close(sac_video_writer **writer, sac_error *err);

#ifdef __cplusplus
}
#endif
#endif
