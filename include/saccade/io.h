/*
 * Picture files: PNM and PAM built in; PNG, JPEG, TIFF, WebP and others through libvips if the
 * build has it. In libsaccade-io.
 *
 *     sac_picture *picture = NULL;
 *     if (sac_picture_read(&picture, "in.png", 0, &err) == SAC_OK) {
 *         sac_array pixels = sac_picture_get_array(picture);
 *         work(&pixels);
 *         st = sac_picture_write(picture, "out.png", NULL, &err);
 *     }
 *     sac_picture_close(&picture);
 *
 * To write pixels of your own, make a picture of their size with sac_picture_new and let the work
 * write into its array.
 *
 * Threads: every function may be called from any thread at any time; while one call writes or
 * closes a picture, no other call may use it.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SACCADE_IO_H
#define SACCADE_IO_H

#include <saccade/array.h>
#include <saccade/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A picture in memory that owns its pixels and metadata (ICC profile, EXIF). */
typedef struct sac_picture sac_picture;

/* The limit for pixels of a picture if the caller gives none. */
#define SAC_PICTURE_MAX_PIXELS (UINT64_C(1) << 28)

typedef struct sac_picture_read_desc {
    size_t struct_size;
    uint64_t max_pixels; /* larger pictures are refused after reading their header; 0:
                            SAC_PICTURE_MAX_PIXELS */
    int32_t page;        /* which picture of a file with several, from 1; 0: the first */
} sac_picture_read_desc;

/* Sets the default limit, and the first picture. desc must not be NULL. */
SAC_API void sac_picture_read_desc_init(sac_picture_read_desc *desc);

/*
 * Reads a picture of 8 or 16 bits per sample. `path` "-" is standard input; a pipe is read up to
 * the end of the picture, and data that is not a picture is refused after its first bytes.
 * Formats: PNM and PAM, PNG, JPEG, TIFF, WebP, GIF, HEIC, AVIF, JPEG 2000, JPEG XL and BMP, as far
 * as the build and its libvips support them; other formats of libvips are refused.
 *
 * Gray is (h, w), everything else (h, w, channels) interleaved: 2 gray and alpha, 3 RGB, 4 RGBA.
 * 1-bit pictures and PNM with maxval below 255 (or between 256 and 65534) are stretched to full
 * range. CMYK, Lab and other color spaces become RGB, palettes RGB or RGBA, float RGB 16 bits:
 * sac_picture_get_note then tells so, and also whether the file has more pages. Orientation is
 * kept as metadata, not applied.
 *
 * The caller closes the picture. desc NULL: the defaults. SAC_E_INVALID (an argument is NULL; the
 * desc; no such page), SAC_E_IO, SAC_E_FORMAT (not a picture, damaged, truncated, larger than
 * max_pixels), SAC_E_UNSUPPORTED (a format, or samples, that this build cannot read), SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_picture_read_with(sac_picture **out, const char *path,
                                                       const sac_picture_read_desc *desc,
                                                       sac_error *err);

/* The same with max_pixels only; 0: SAC_PICTURE_MAX_PIXELS. */
SAC_API SAC_NODISCARD sac_status sac_picture_read(sac_picture **out, const char *path,
                                                  uint64_t max_pixels, sac_error *err);

/*
 * What reading changed or ignored, for the user: "CMYK became RGB; 3 pages, only the first is
 * read"; "" if nothing, or for NULL. Owned by the picture.
 */
SAC_API const char *sac_picture_get_note(const sac_picture *picture);

/* The number of pictures in the file: usually 1; 0: several, not counted (PNM). */
SAC_API int32_t sac_picture_get_pages(const sac_picture *picture);

/*
 * A new black picture, (h, w) with 1 channel, otherwise (h, w, channels); SAC_U8 or SAC_U16; 1 to 4
 * channels. The caller closes it. SAC_E_INVALID, SAC_E_SHAPE (too large), SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_picture_new(sac_picture **out, sac_dtype dtype, int64_t w,
                                                 int64_t h, int32_t n_channels, sac_error *err);

/*
 * The pixels: a contiguous view of CPU memory that is valid as long as the picture; color is in the
 * order RGB. Writing to it changes the picture. For NULL an array of zeros, without data.
 */
SAC_API sac_array sac_picture_get_array(const sac_picture *picture);

#define SAC_PICTURE_QUALITY 95 /* from 90 on JPEG also keeps full color resolution */

typedef struct sac_picture_write_desc {
    size_t struct_size;
    const char *format; /* "png", "ppm", ...; NULL, the default: the path's ending */
    int32_t quality;    /* for JPEG, WebP, HEIC, AVIF and JPEG XL, 1..100; the other formats are
                           lossless */
} sac_picture_write_desc;

/* Sets no format, and SAC_PICTURE_QUALITY. desc must not be NULL. */
SAC_API void sac_picture_write_desc_init(sac_picture_write_desc *desc);

/*
 * Writes to `path`, and replaces a file of this name. The file appears complete or not at all (a
 * temporary file in the same folder is renamed). "-" is standard output, PNM unless `format` says
 * otherwise. Metadata is written to formats that can hold it. desc NULL: the defaults.
 * SAC_E_INVALID (an argument is NULL; the desc; no ending, or one that is no format),
 * SAC_E_UNSUPPORTED (the format in this build, or this picture in it: JPEG and BMP have no alpha;
 * they, WebP, HEIC, AVIF and GIF have no 16 bits), SAC_E_IO, SAC_E_NOMEM.
 */
SAC_API SAC_NODISCARD sac_status sac_picture_write_with(const sac_picture *picture,
                                                        const char *path,
                                                        const sac_picture_write_desc *desc,
                                                        sac_error *err);

/* The same with the format only; NULL: by the path's ending. */
SAC_API SAC_NODISCARD sac_status sac_picture_write(const sac_picture *picture, const char *path,
                                                   const char *format, sac_error *err);

/*
 * To call before long work: whether sac_picture_write supports this name and format. Same errors.
 */
SAC_API SAC_NODISCARD sac_status sac_picture_can_write(const char *path, const char *format,
                                                       sac_error *err);

/* Frees the picture and sets *picture to NULL. picture == NULL and *picture == NULL are allowed. */
SAC_API void sac_picture_close(sac_picture **picture);

/*
 * Writes `size` bytes to `path`, which appears complete or not at all; "-" is standard output.
 * SAC_E_INVALID (NULL), SAC_E_IO.
 */
SAC_API SAC_NODISCARD sac_status sac_file_write(const char *path, const void *data, size_t size,
                                                sac_error *err);

/*
 * Which files are forced to the disk (fsync) before they get their name, and then their folder, so
 * that not even a power failure leaves an empty or incomplete file: recordings and files of
 * frames, which cannot be made again (the default); all files; or none, which is faster. If a
 * program is killed, its files are complete in either case.
 */
typedef enum sac_durable { SAC_DURABLE_RECORDINGS, SAC_DURABLE_ALL, SAC_DURABLE_NONE } sac_durable;

/*
 * Sets this for the whole process, like umask: any thread may set it at any time, and it applies
 * to files finished later.
 */
SAC_API void sac_file_durable(sac_durable which);

/*
 * For programs, not for libraries: makes libhdf5 print nothing on standard error from the first
 * file that is read or written here, not even at the end of the program, where it reports what it
 * could not free of damaged files. Without this call HDF5's error handlers belong to the program:
 * each call here sets them aside in its thread, and restores them with their errors.
 */
SAC_API void sac_io_quiet(void);

/* The optional readers in this build, "libvips 8.14.1", or "none". Static. */
SAC_API const char *sac_io_parts(void);

#ifdef __cplusplus
}
#endif
#endif
