/*
 * Bytes in, from a file, standard input or memory, with their number known before they are read.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_IN_H
#define SAC_IO_IN_H

#include <sys/types.h>

#include "base/error.h"

#define SAC_IO_NAME 112 /* bytes of a name in an error: room is left for what is wrong with it */

/*
 * The name that errors give a file: "`x.png`", the end of it where it is long, or `dash` for "-".
 * Returns `text`.
 */
const char *sac_io_name(char text[SAC_IO_NAME], const char *path, const char *dash);

typedef struct sac_in {
    char name[SAC_IO_NAME];
    const uint8_t *next, *end; /* read already; here or in memory */
    int fd;                    /* a regular file or stream, or -1 */
    int stop_fd;               /* of a stream: base/stop.h */
    bool owns_fd;              /* whether sac_in_close closes it */
    uint64_t start;            /* where in the file the picture begins */
    uint64_t left;             /* bytes of the file behind `end` */
    int error;                 /* errno of a read that failed, or 0 */
    bool is_stream;            /* a pipe, a device: nothing can be gone back to */
    uint8_t *memory;           /* what came through a pipe; owned */
    uint8_t buffer[32768];
} sac_in;

/*
 * Opens `path`; "-" is standard input. What is no regular file (a pipe, a device) is read into
 * memory whole, up to max_bytes. Needs no close after a failure. SAC_E_IO, SAC_E_NOMEM,
 * SAC_E_FORMAT (more than max_bytes).
 */
SAC_NODISCARD sac_status sac_in_open(sac_in *in, const char *path, uint64_t max_bytes,
                                     sac_error *err);

/* Opens `path` to be read as its bytes come, a pipe too; how many come is then not known:
 * SAC_IN_ENDLESS and more are left. stop_fd: base/stop.h; a read that it ends leaves ECANCELED in
 * `error`. SAC_E_IO. */
#define SAC_IN_ENDLESS (UINT64_MAX >> 2)
SAC_NODISCARD sac_status sac_in_open_stream(sac_in *in, const char *path, int stop_fd,
                                            sac_error *err);

/* Begins the file again in a place where it can be gone back in: what is left of a stream goes to
 * memory, or where it is long to a temporary file without a name, up to max_bytes. Nothing to do
 * for a regular file and memory. SAC_E_IO, SAC_E_NOMEM, SAC_E_FORMAT (more than max_bytes). */
SAC_NODISCARD sac_status sac_in_spool(sac_in *in, uint64_t max_bytes, sac_error *err);

/* Reads from memory that stays the caller's. */
void sac_in_open_memory(sac_in *in, const uint8_t *data, size_t size);

/* read(2), again where a signal came in between; -1 and in->error where it failed or was stopped.
 */
ssize_t sac_in_read_some(sac_in *in, int fd, void *to, size_t size);

/* How many bytes are still to come. */
uint64_t sac_in_left(const sac_in *in);

/* Makes at least one byte ready at `next`; false at the end, or where reading failed. */
bool sac_in_fill(sac_in *in);

/* How many bytes are ready at `next`: at least `size` (at most sizeof buffer), or fewer where the
 * end comes before. */
size_t sac_in_peek(sac_in *in, size_t size);

/* The first bytes of standard input, at most `size` and SAC_IN_KEPT, which the next sac_in that
 * opens "-" is given again. Returns their number. */
#define SAC_IN_KEPT 16
size_t sac_in_peek_stdin(uint8_t *to, size_t size);

/* The next byte, or -1. */
static inline int sac_in_byte(sac_in *in)
{
    return in->next < in->end || sac_in_fill(in) ? *in->next++ : -1;
}

/* Reads `size` bytes to `to`; false where fewer came. */
SAC_NODISCARD bool sac_in_read(sac_in *in, void *to, size_t size);

/* Passes over `bytes`; false where fewer came. */
SAC_NODISCARD bool sac_in_skip(sac_in *in, uint64_t bytes);

/* Why bytes are missing: SAC_E_IO where reading failed, else SAC_E_FORMAT and `what`. */
sac_status sac_in_fail(const sac_in *in, const char *what, sac_error *err);

/* All that is left, of a length known by sac_in_left, and a zero; to be freed by sac_free.
 * SAC_E_IO, SAC_E_FORMAT (is truncated), SAC_E_NOMEM. */
SAC_NODISCARD sac_status sac_in_take_rest(char **rest, sac_in *in, sac_error *err);

void sac_in_close(sac_in *in);

#endif
