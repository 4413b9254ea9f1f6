/*
 * Pictures from and to files: PNM and PAM built in; PNG, JPEG, TIFF, WebP and the rest through
 * libvips where the build has it. In libsaccade-io.
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

/*
 * Reads a picture of 8 or 16 bits a sample. `path` "-" is standard input. Gray is (h, w),
 * everything else (h, w, channels) interleaved: 2 gray and alpha, 3 RGB, 4 RGBA. Other color spaces
 * and palettes become RGB; 1-bit pictures and PNM with maxval below 255 (or between 256 and 65534)
 * are stretched to full range. SAC_E_IO, SAC_E_FORMAT (not a picture, truncated, larger than
 * `max_pixels`), SAC_E_UNSUPPORTED (a format that this build cannot read), SAC_E_NOMEM. max_pixels
 * 0: 2^34.
 */
SAC_API SAC_NODISCARD sac_status sac_picture_read(sac_picture **out, const char *path,
                                                  uint64_t max_pixels, sac_error *err);

/* A new black picture, (h, w) or (h, w, channels); SAC_U8 or SAC_U16. */
SAC_API SAC_NODISCARD sac_status sac_picture_new(sac_picture **out, sac_dtype dtype, int64_t w,
                                                 int64_t h, int32_t n_channels, sac_error *err);

/* Its pixels: a view that lives as long as the picture. Writing there changes the picture. */
SAC_API sac_array sac_picture_get_array(const sac_picture *picture);

/*
 * Writes to `path`, whole or not at all (a temporary file in the same folder, then renamed). The
 * format is `format` ("png", "ppm", ...), or the path's ending where that is NULL. "-" is standard
 * output, PNM unless `format` says otherwise. What came with the picture goes into formats that can
 * hold it. SAC_E_INVALID (no ending), SAC_E_UNSUPPORTED (the format, or this picture in it),
 * SAC_E_IO, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_picture_write(const sac_picture *picture, const char *path,
                                                   const char *format, sac_error *err);

/* Whether sac_picture_write would take this name and format: to be asked before long work. */
SAC_API SAC_NODISCARD sac_status sac_picture_can_write(const char *path, const char *format,
                                                       sac_error *err);

SAC_API void sac_picture_close(sac_picture **picture);

/* Writes `size` bytes to `path`, whole or not at all; "-" is standard output. SAC_E_IO. */
SAC_API SAC_NODISCARD sac_status sac_file_write(const char *path, const void *data, size_t size,
                                                sac_error *err);

/* The optional readers of this build, "libvips 8.14.1", or "none". Static. */
SAC_API const char *sac_io_parts(void);

#ifdef __cplusplus
}
#endif
#endif
