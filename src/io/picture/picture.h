/*
 * A picture inside the library, and the readers and writers that picture.c chooses from.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_PICTURE_H
#define SAC_IO_PICTURE_H

#include <saccade/io.h>

#include "io/in.h"
#include "io/out.h"

struct sac_picture {
    sac_array array; /* contiguous; data is from sac_alloc */
    void *extra;     /* libvips' image without pixels: what came with the picture; or NULL */
    int32_t n_pages; /* in its file; 0: several */
    char note[160];  /* what reading changed or left out */
};

/* Adds a sentence to the note. */
void sac_picture_note(sac_picture *picture, const char *text, ...) SAC_PRINTF(2, 3);

/* What reading is told; `raises` is what error texts say of a limit that can be raised. */
typedef struct sac_picture_limits {
    uint64_t max_pixels; /* not 0 */
    const char *raises;  /* "" where it cannot */
    int32_t page;        /* from 0, or -1: the first, and say if there are more */
} sac_picture_limits;

/* sac_picture_read_with by the limits of somebody else's. */
SAC_NODISCARD sac_status sac_picture_read_limited(sac_picture **out, const char *path,
                                                  const sac_picture_limits *limits, sac_error *err);

/* The picture that `in` begins with. */
SAC_NODISCARD sac_status sac_picture_take(sac_picture **out, sac_in *in,
                                          const sac_picture_limits *limits, sac_error *err);

#define SAC_PICTURE_MAGIC 16 /* bytes that tell what kind of picture it is */

/* Channels that a picture may have, gray to RGBA. */
#define SAC_IO_MAX_CHANNELS 4

/* Whether the name ends in that of a format: "a.png". */
bool sac_picture_ends(const char *path);

/* (h, w, channels), also where the array says (h, w). */
int32_t sac_picture_channels(const sac_picture *picture);

size_t sac_picture_bytes(const sac_picture *picture);

/*
 * Checks a header's claim: neither side zero, at most max_pixels. SAC_E_FORMAT. To be asked before
 * memory is.
 */
SAC_NODISCARD sac_status sac_picture_check_size(const char *name, uint64_t w, uint64_t h,
                                                const sac_picture_limits *limits, sac_error *err);

/* PNM and PAM: the picture of limits->page. */
SAC_NODISCARD sac_status sac_pnm_read(sac_picture **out, sac_in *in,
                                      const sac_picture_limits *limits, sac_error *err);

/* The page that was asked for is none of a file's n. SAC_E_INVALID. */
sac_status sac_picture_no_page(const char *name, int32_t page, int32_t n_pages, sac_error *err);

/* The same from memory: for tests and the fuzzer. */
SAC_NODISCARD sac_status sac_pnm_parse(sac_picture **out, const uint8_t *data, size_t size,
                                       uint64_t max_pixels, sac_error *err);

/* BMP, not compressed. */
SAC_NODISCARD sac_status sac_bmp_read(sac_picture **out, sac_in *in,
                                      const sac_picture_limits *limits, sac_error *err);

/* PGM for gray, PPM for RGB, PAM for what has alpha, or always PAM. */
SAC_NODISCARD sac_status sac_pnm_write(sac_out *out, const sac_picture *picture, bool pam,
                                       sac_error *err);

/* Everything else: libvips, or the word that this build has none (vips_none.c). */
SAC_NODISCARD sac_status sac_vips_read(sac_picture **out, sac_in *in,
                                       const sac_picture_limits *limits, sac_error *err);

/* Whether bytes begin as one of libvips' formats that saccade reads does. */
bool sac_vips_begins(const uint8_t *data, size_t size);

/* `suffix` is libvips' choice of format with options: ".jpg[Q=95]". */
SAC_NODISCARD sac_status sac_vips_write(sac_out *out, const sac_picture *picture,
                                        const char *suffix, sac_error *err);

/* Whether libvips here writes `suffix`. SAC_E_UNSUPPORTED, with the file's name. */
SAC_NODISCARD sac_status sac_vips_can_write(const char *name, const char *suffix, sac_error *err);

/* Frees a picture's extra; takes NULL. */
void sac_vips_free(void *extra);

#endif
