/*
 * Video inside the library: colors of Y4M, its headers, names of picture series.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_VIDEO_PARTS_H
#define SAC_IO_VIDEO_PARTS_H

#include <limits.h>

#include <saccade/video.h>

#include "io/picture/picture.h"

/* Whether a frame of w x h may be. SAC_E_FORMAT. */
SAC_NODISCARD sac_status sac_video_check_size(const char *name, int64_t w, int64_t h,
                                              sac_error *err);

/* Whether the caller's array is a frame as info says. SAC_E_SHAPE. */
SAC_NODISCARD sac_status sac_video_check_frame(const sac_array *frame, const sac_video_info *info,
                                               sac_error *err);

/* The reader from memory: for tests and the fuzzer. */
SAC_NODISCARD sac_status sac_video_reader_parse(sac_video_reader **out, const uint8_t *data,
                                                size_t size, const sac_video_info *wanted,
                                                sac_error *err);

/* Where a pixel's colors are: bytes from one to the next, and of red, green and blue in it. */
typedef struct sac_layout {
    int32_t step, r, g, b;
} sac_layout;

sac_layout sac_video_layout(sac_video_pixel pixel);

/* n pixels to `pixel`. Gray from colors is BT.601's Y of full range; a fourth channel is 255. */
void sac_video_convert(uint8_t *to, sac_video_pixel pixel, const uint8_t *from, sac_layout layout,
                       int64_t n);

/* Y4M: what a frame's planes are and mean. */
typedef struct sac_yuv {
    sac_video_chroma chroma;
    const int16_t *matrix; /* one of color.c */
    int64_t w, h;
    int64_t cw, ch; /* of Cb and Cr; 0 in mono */
} sac_yuv;

sac_yuv sac_yuv_of(const sac_video_info *info);
size_t sac_yuv_bytes(const sac_yuv *yuv); /* of a frame: Y, Cb, Cr */

/* Raw frames in planes: what `planes`, not AUTO and not PACKED, are of a video as info says. */
sac_yuv sac_yuv_of_raw(const sac_video_info *info);

/* Cb and Cr by turns, as NV12 has them, to planes and back; n of each. */
void sac_yuv_split(uint8_t *cb, uint8_t *cr, const uint8_t *both, int64_t n);
void sac_yuv_join(uint8_t *both, const uint8_t *cb, const uint8_t *cr, int64_t n);

/* What a name says of raw frames; AUTO: nothing. */
typedef struct sac_raw_name {
    sac_video_planes planes;
    sac_video_pixel pixel; /* where packed */
    const char *other;     /* a layout that is not read or written here, or NULL */
} sac_raw_name;

sac_raw_name sac_video_raw_name(const char *path);

/* Bytes of `scratch`, which both functions below need, and which the first one does. */
size_t sac_yuv_scratch(const sac_yuv *yuv);
size_t sac_yuv_read_scratch(const sac_yuv *yuv);
void sac_yuv_read(uint8_t *pixels, sac_video_pixel pixel, const uint8_t *planes, const sac_yuv *yuv,
                  void *scratch);
void sac_yuv_write(uint8_t *planes, const uint8_t *pixels, sac_video_pixel pixel,
                   const sac_yuv *yuv, void *scratch);

#define SAC_Y4M_LINE 4096 /* bytes of a header, with its end of line and a zero */
#define SAC_Y4M_MAGIC "YUV4MPEG2"

/* A line without its end; false where none ends within SAC_Y4M_LINE, or a zero is in it. */
bool sac_y4m_read_line(char line[SAC_Y4M_LINE], sac_in *in);

/* Whether such a line is longer than that: it does not lack its end for another reason. */
bool sac_y4m_is_long(const char line[SAC_Y4M_LINE]);

/* A header without its end of line, into w, h, rates, aspect, chroma and full_range. SAC_E_FORMAT,
 * SAC_E_UNSUPPORTED. */
SAC_NODISCARD sac_status sac_y4m_parse_header(sac_video_info *info, const char *line,
                                              const char *name, sac_error *err);

/* The header of `info`, with its end of line; returns its length. */
size_t sac_y4m_header(char line[SAC_Y4M_LINE], const sac_video_info *info);

/* The names of a series of pictures. */
typedef struct sac_series {
    char path[PATH_MAX];   /* the pattern, the one file, or the folder's name */
    char name[PATH_MAX];   /* the last that sac_series_next gave */
    int pattern;           /* where %04d stands in path; -1: nowhere */
    int digits, length;    /* of numbers; of what stands for them */
    int64_t next, n_files; /* n_files: -1 where a pattern says them */
    struct dirent **files; /* of a folder */
} sac_series;

/* Whether `path` is a folder or a pattern, or ends as pictures do. */
bool sac_series_is(const char *path);

/* A series to be read or written. SAC_E_IO, SAC_E_INVALID (a pattern that is none). */
SAC_NODISCARD sac_status sac_series_open_read(sac_series *series, const char *path, sac_error *err);
SAC_NODISCARD sac_status sac_series_open_write(sac_series *series, const char *path,
                                               sac_error *err);

/* The next name; NULL behind the last. */
const char *sac_series_next(sac_series *series);
void sac_series_close(sac_series *series);

/* Such a series as frames. */
typedef struct sac_pictures {
    sac_series series;
    sac_picture *picture; /* the first, until it is read */
    int32_t n_channels;
    char note[SAC_IO_NAME + sizeof((sac_picture *)0)->note]; /* what reading left out */
} sac_pictures;

/* Reads the first picture, of which `info` has size, format and pixel then; it begins as zeros. */
SAC_NODISCARD sac_status sac_pictures_open(sac_pictures *pictures, sac_video_info *info,
                                           const char *path, sac_error *err);

/* The next frame, as info->pixel. SAC_END behind the last. */
SAC_NODISCARD sac_status sac_pictures_read(sac_pictures *pictures, uint8_t *pixels,
                                           sac_video_info *info, sac_error *err);
void sac_pictures_close(sac_pictures *pictures);

#endif
