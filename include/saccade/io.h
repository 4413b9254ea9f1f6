/*
 * Pictures from and to files: PNM and PAM built in; PNG, JPEG, TIFF, WebP and the rest through
 * libvips where the build has it. In libsaccade-io.
 *
 * Threads: every function may be called from any thread at any time; calls on one picture, one of
 * which is a write or a close, must not overlap.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_IO_H
#define SACCADE_IO_H

#include <saccade/array.h>
#include <saccade/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A picture in memory that owns its pixels and what came with them (ICC profile, EXIF). */
typedef struct sac_picture sac_picture;

/* Pixels that a picture may have where the caller gives no limit. */
#define SAC_PICTURE_MAX_PIXELS (UINT64_C(1) << 28)

typedef struct sac_picture_read_desc {
    size_t struct_size;
    uint64_t max_pixels; /* a larger picture is refused by its header; 0: SAC_PICTURE_MAX_PIXELS */
    int32_t page;        /* of several pictures in a file, from 1; 0: the first */
} sac_picture_read_desc;

SAC_API void sac_picture_read_desc_init(sac_picture_read_desc *desc);

/*
 * Reads a picture of 8 or 16 bits a sample. `path` "-" is standard input; a pipe is read to the
 * picture's end, and what is no picture is refused by its first bytes. PNM and PAM, PNG, JPEG,
 * TIFF, WebP, GIF, HEIC, AVIF, JPEG 2000, JPEG XL and BMP, as far as the build and its libvips have
 * them; nothing else that libvips could read is tried.
 *
 * Gray is (h, w), everything else (h, w, channels) interleaved: 2 gray and alpha, 3 RGB, 4 RGBA.
 * 1-bit pictures and PNM with maxval below 255 (or between 256 and 65534) are stretched to full
 * range. CMYK, Lab and other color spaces become RGB, palettes RGB or RGBA, float RGB 16 bits:
 * sac_picture_get_note then says so, as it does where the file has more pages. Orientation is kept
 * as a mark, not applied.
 *
 * desc NULL: the defaults. SAC_E_INVALID (an argument is NULL; the desc; no such page), SAC_E_IO,
 * SAC_E_FORMAT (not a picture, damaged, cut short, larger than max_pixels), SAC_E_UNSUPPORTED (a
 * format, or samples, that this build cannot read), SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_picture_read_with(sac_picture **out, const char *path,
                                                       const sac_picture_read_desc *desc,
                                                       sac_error *err);

/* The same with max_pixels alone. */
SAC_API SAC_NODISCARD sac_status sac_picture_read(sac_picture **out, const char *path,
                                                  uint64_t max_pixels, sac_error *err);

/*
 * What reading changed or left out, for the user: "CMYK became RGB; 3 pages, only the first is
 * read"; "" where nothing. It lives as long as the picture; NULL gives "".
 */
SAC_API const char *sac_picture_get_note(const sac_picture *picture);

/* Pictures in the file that it came from: 1 for most; 0: several, which nobody counted (PNM). */
SAC_API int32_t sac_picture_get_pages(const sac_picture *picture);

/* A new black picture, (h, w) or (h, w, channels); SAC_U8 or SAC_U16. SAC_E_INVALID, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_picture_new(sac_picture **out, sac_dtype dtype, int64_t w,
                                                 int64_t h, int32_t n_channels, sac_error *err);

/* Its pixels: a view that lives as long as the picture. Writing there changes the picture. Of NULL
 * an array of zeros, without data. */
SAC_API sac_array sac_picture_get_array(const sac_picture *picture);

#define SAC_PICTURE_QUALITY 95 /* at which JPEG keeps full color resolution too: 90 and above */

typedef struct sac_picture_write_desc {
    size_t struct_size;
    const char *format; /* "png", "ppm", ...; NULL: the path's ending */
    int32_t quality;    /* of JPEG, WebP, HEIC, AVIF and JPEG XL, 1..100; others lose nothing */
} sac_picture_write_desc;

SAC_API void sac_picture_write_desc_init(sac_picture_write_desc *desc);

/*
 * Writes to `path`, whole or not at all (a temporary file in the same folder, then renamed). "-" is
 * standard output, PNM unless `format` says otherwise. What came with the picture goes into formats
 * that can hold it. desc NULL: the defaults. SAC_E_INVALID (an argument is NULL; the desc; no
 * ending), SAC_E_UNSUPPORTED (the format, or this picture in it), SAC_E_IO, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_picture_write_with(const sac_picture *picture,
                                                        const char *path,
                                                        const sac_picture_write_desc *desc,
                                                        sac_error *err);

/* The same with the format alone. */
SAC_API SAC_NODISCARD sac_status sac_picture_write(const sac_picture *picture, const char *path,
                                                   const char *format, sac_error *err);

/* Whether sac_picture_write would take this name and format: to be asked before long work. Its
 * codes. */
SAC_API SAC_NODISCARD sac_status sac_picture_can_write(const char *path, const char *format,
                                                       sac_error *err);

/* Takes NULL and *picture == NULL; sets *picture = NULL. */
SAC_API void sac_picture_close(sac_picture **picture);

/* Writes `size` bytes to `path`, whole or not at all; "-" is standard output. SAC_E_INVALID (NULL),
 * SAC_E_IO. */
SAC_API SAC_NODISCARD sac_status sac_file_write(const char *path, const void *data, size_t size,
                                                sac_error *err);

/* The optional readers of this build, "libvips 8.14.1", or "none". Static. */
SAC_API const char *sac_io_parts(void);

#ifdef __cplusplus
}
#endif
#endif
