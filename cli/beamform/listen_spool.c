/*
 * Where saccade beamform --listen keeps what a format takes as a whole alone: in a file without a
 * name beside the one to be written, so that memory does not bound it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "listen.h"
#include "tables.h"

#define SPARE_BYTES 1e6 /* of what describes the data */

sac_status cli_beamform_spool_open(cli_beamform_keeper *k, sac_error *err)
{
    char *folder = cli_beamform_folder(k->path);
    k->spool = -1;
#ifdef O_TMPFILE
    if (access("/proc/self/fd", X_OK) == 0) { /* by which it can be given a name */
        k->spool = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    }
#endif
    if (k->spool < 0) {
        k->spool_name = cli_text("%s/.saccade-XXXXXX", folder);
        k->spool = mkostemp(k->spool_name, O_CLOEXEC);
    }
    k->is_spooled = k->spool >= 0;
    if (!k->is_spooled) {
        err->status = SAC_E_IO;
        snprintf(err->text, sizeof err->text, "`%s`: no file beside it to keep it in: %s", k->path,
                 strerror(errno));
    }
    free(folder);
    return k->is_spooled ? SAC_OK : err->status;
}

/* Bytes of another item, and of a file of all then. */
static double needs(const cli_beamform_keeper *k)
{
    const int64_t n = atomic_load_explicit(&k->n_kept, memory_order_relaxed) + 1;
    return (double)k->bytes + (double)n * k->copy_bytes;
}

bool cli_beamform_has_room(const cli_beamform_keeper *k)
{
    const double room = cli_beamform_room_bytes(k->path);
    const bool is_shared = k->other && k->other->stream && k->other->disk == k->disk;
    return room < 0 || /* a write will tell */
           room > needs(k) + (is_shared ? needs(k->other) : 0) + SPARE_BYTES;
}

bool cli_beamform_spool_add(cli_beamform_keeper *k, const void *item)
{
    const char *from = item;
    off_t at = (off_t)k->n * (off_t)k->bytes;
    for (size_t left = k->bytes; left > 0;) {
        const ssize_t n = pwrite(k->spool, from, left, at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0 && errno != ENOSPC) {
            k->error.status = SAC_E_IO;
            snprintf(k->error.text, sizeof k->error.text, "`%s`: cannot be written: %s", k->path,
                     strerror(errno));
        }
        if (n <= 0) {
            (void)!ftruncate(k->spool, (off_t)k->n * (off_t)k->bytes); /* room for its file */
            return false;
        }
        from += n;
        at += n;
        left -= (size_t)n;
    }
    return true;
}

bool cli_beamform_spool_map(cli_beamform_keeper *k)
{
    void *data = mmap(NULL, (size_t)k->n * k->bytes, PROT_READ, MAP_PRIVATE, k->spool, 0);
    k->data = data == MAP_FAILED ? NULL : data;
    return k->data;
}

/* A name that is not there yet; NULL: errno says why there is none. */
static char *name_spool(const cli_beamform_keeper *k)
{
    char *self = cli_text("/proc/self/fd/%d", k->spool);
    char *name = cli_text("%s.raw", k->path);
    bool is_there = false;
    for (int i = 2; !(is_there = linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) &&
                    errno == EEXIST;
         i++) {
        free(name);
        name = cli_text("%s-%d.raw", k->path, i);
    }
    free(self);
    if (!is_there) {
        free(name);
    }
    return is_there ? name : NULL;
}

void cli_beamform_spool_rescue(cli_beamform_keeper *k)
{
    char *name = k->spool_name ? k->spool_name : name_spool(k);
    char *one = cli_axes_text(k->item.shape + 1, k->item.n_dims - 1, (int32_t)k->item.dtype, " x ");
    if (name) {
        cli_fail("`%s`: what it would have is in `%s`: %" PRId64 " x %s, without a header", k->path,
                 name, k->n, one);
    } else {
        cli_fail("`%s`: what it would have cannot be kept: %s", k->path, strerror(errno));
    }
    free(one);
    free(name);
    k->spool_name = NULL; /* it stays */
}

void cli_beamform_spool_close(cli_beamform_keeper *k)
{
    if (k->is_spooled) {
        if (k->data) {
            munmap(k->data, (size_t)k->n_kept * k->bytes);
        }
        close(k->spool);
        if (k->spool_name) {
            (void)unlink(k->spool_name);
        }
    }
    free(k->spool_name);
    k->spool_name = NULL;
    k->data = NULL;
    k->is_spooled = false;
}
