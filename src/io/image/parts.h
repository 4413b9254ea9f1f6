/*
 * Images in parts: what is open, and `.NAME.done`.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_IMAGE_PARTS_H
#define SAC_IO_IMAGE_PARTS_H

#include "io/image/image.h"

struct sac_image_parts {
    sac_out out;
    int marks; /* `.NAME.done` */
    char marks_path[PATH_MAX];
    char *head; /* the text, of head_bytes */
    uint8_t *had;
    size_t head_bytes, frame_bytes;
    int64_t n_parts, n_part_frames, n_frames, n_had, offset;
    bool is_own;     /* it was begun, or gone on with, here */
    bool is_new;     /* `.NAME.done` was not there */
    sac_array frame; /* shape and dtype of a frame: axis 0 is 1 */
};

/* Writes the error of a call that failed, by errno. */
sac_status sac_parts_fail(const sac_image_parts *p, sac_error *err);

/* False, and errno. */
bool sac_parts_write_at(int fd, const void *data, size_t size, int64_t at);

/* Fewer bytes only where the file ends, or cannot be read; then errno. */
size_t sac_parts_read_at(int fd, void *data, size_t size, int64_t at);

/* The text for this work, of the file and offset that are open. */
SAC_NODISCARD sac_status sac_parts_make_head(sac_image_parts *p, const sac_image_parts_desc *d,
                                             sac_error *err);

/* Opens `.NAME.done` and, unless it is joined, locks it: all else is under this lock. */
SAC_NODISCARD sac_status sac_parts_open_marks(sac_image_parts *p, const sac_image_parts_desc *d,
                                              sac_error *err);

/* Those that join share a lock of the image, as long as they write: whoever begins it, or goes on,
 * waits for the last of those whose first has died. SAC_E_IO: they are not gone yet. */
SAC_NODISCARD sac_status sac_parts_lock_image(const sac_image_parts *p, bool join, sac_error *err);

/* Whether `.NAME.done` is still the file that is open: who had it may have taken it away. */
bool sac_parts_is_current(const sac_image_parts *p);

/* What an earlier program has left: SAC_AGAIN where that is nothing. */
SAC_NODISCARD sac_status sac_parts_go_on(sac_image_parts *p, sac_error *err);

#endif
