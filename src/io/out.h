/*
 * Files that appear whole or not at all: bytes go to a temporary file beside the target, which is
 * then renamed. What is no regular file (a pipe, /dev/null, standard output) is written straight.
 * The temporary file has no name until it is whole, where the system has such files; else, and in
 * that last moment, it is `.saccade-PID-N.tmp` in the target's folder. One that a killed program
 * left is in nobody's way: the next takes another N.
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SAC_IO_OUT_H
#define SAC_IO_OUT_H

#include <limits.h>

#include "base/error.h"
#include "io/in.h"

typedef struct sac_out {
    char name[SAC_IO_NAME];
    int fd;
    bool is_file;          /* written through `temp`; seekable and readable */
    bool is_named;         /* the temporary file has a name, `temp` */
    bool is_kept;          /* `temp` stays, whatever fails */
    bool is_recording;     /* set by its writer: durable by default (sac_file_durable) */
    char target[PATH_MAX]; /* symbolic links followed */
    char temp[PATH_MAX];
} sac_out;

/* Whether sac_out_open could write there; changes nothing. SAC_E_IO. */
SAC_NODISCARD sac_status sac_out_check(const char *path, sac_error *err);

/*
 * Begins a file; "-" is standard output. A file that exists keeps its permissions, a symbolic link
 * stays one. After SAC_OK end it with sac_out_commit or sac_out_abort. SAC_E_IO.
 */
SAC_NODISCARD sac_status sac_out_open(sac_out *out, const char *path, sac_error *err);

/* The same, but written in place, so that what is there of a long file can be used at any time;
 * sac_out_abort leaves it. SAC_E_IO. */
SAC_NODISCARD sac_status sac_out_open_in_place(sac_out *out, const char *path, sac_error *err);

/*
 * The same, to be gone on with by a later program: bytes go to `.NAME.part` in the target's folder,
 * which stays until sac_out_commit, also after a failure. sac_out_find_kept finds its name, `temp`,
 * and opens nothing. `join`: it must be there. No pipe, no standard output. SAC_E_IO.
 */
SAC_NODISCARD sac_status sac_out_find_kept(sac_out *out, const char *path, sac_error *err);
SAC_NODISCARD sac_status sac_out_open_kept(sac_out *out, bool join, sac_error *err);

/*
 * Opens a file of this run, or of an earlier one, to read and write. Others can foresee its name:
 * a link, another user's file, or what is no file, is refused. *is_new: it was not there; NULL: it
 * must be. SAC_E_IO, in the name of `out`.
 */
SAC_NODISCARD sac_status sac_out_open_beside(int *fd, bool *is_new, const sac_out *out,
                                             const char *path, sac_error *err);

/* Puts what was written so far on the disk, where the file shall be durable. False, and errno. */
bool sac_out_force(const sac_out *out);

/* Closes such a file, which stays as it is. */
void sac_out_keep(sac_out *out);

SAC_NODISCARD sac_status sac_out_write(sac_out *out, const void *data, size_t size, sac_error *err);

/* Puts the file in its place, on the disk first where it shall be durable. After a failure nothing
 * is left of it. SAC_E_IO. */
SAC_NODISCARD sac_status sac_out_commit(sac_out *out, sac_error *err);

/*
 * The same of two files that belong together: both are whole, and on the disk where they shall be
 * durable, before either has its name. `first` gets it first; a program that is killed in between
 * leaves the new first with the old second, which their reader must see (sac_prints). SAC_E_IO.
 */
SAC_NODISCARD sac_status sac_out_commit_pair(sac_out *first, sac_out *second, sac_error *err);

/* Takes back what was written, as far as it can be. */
void sac_out_abort(sac_out *out);

/* Ends a file that was written with this result: commits it, or takes it back and returns `st`. */
SAC_NODISCARD sac_status sac_out_end(sac_out *out, sac_status st, sac_error *err);

#endif
