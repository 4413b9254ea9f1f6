/*
 * Where saccade beamform --listen keeps what a format takes as a whole alone: in a file without a
 * name beside the one to be written, so that memory does not bound it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "listen.h"
#include "tables.h"

#define SPARE_BYTES 1e6 /* of what describes the data */

static int open_unnamed(const char *folder)
{
    int fd = -1;
#ifdef O_TMPFILE
    fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
    char *name = cli_text("%s/.saccade-XXXXXX", folder);
    if (fd < 0 && (fd = mkstemp(name)) >= 0) {
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
        (void)unlink(name);
    }
    free(name);
    return fd;
}

sac_status cli_beamform_spool_open(cli_beamform_keeper *k, const char *path, double growth,
                                   sac_error *err)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? cli_text("%.*s/", (int)(slash - path), path) : cli_text(".");
    k->spool = open_unnamed(folder);
    free(folder);
    k->is_spooled = k->spool >= 0;
    k->copy_bytes = growth * (double)k->bytes;
    if (!k->is_spooled) {
        err->status = SAC_E_IO;
        snprintf(err->text, sizeof err->text, "%s: no file beside it to keep it in: %s", path,
                 strerror(errno));
        return err->status;
    }
    return SAC_OK;
}

/* Whether there is room for another item, and then for files of all that is kept. */
static bool has_room(const cli_beamform_keeper *k)
{
    struct statvfs there;
    if (fstatvfs(k->spool, &there) != 0) {
        return true; /* a write will tell */
    }
    const double other =
        k->other && k->other->is_spooled
            ? k->other->copy_bytes *
                  (double)atomic_load_explicit(&k->other->n_spooled, memory_order_relaxed)
            : 0;
    return (double)there.f_bavail * (double)there.f_frsize >
           (double)k->bytes + (double)(k->n + 1) * k->copy_bytes + other + SPARE_BYTES;
}

bool cli_beamform_spool_add(cli_beamform_keeper *k, const void *item)
{
    const char *from = item;
    off_t at = (off_t)k->n * (off_t)k->bytes;
    if (!has_room(k)) {
        return false;
    }
    for (size_t left = k->bytes; left > 0;) {
        const ssize_t n = pwrite(k->spool, from, left, at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        from += n;
        at += n;
        left -= (size_t)n;
    }
    atomic_store_explicit(&k->n_spooled, k->n + 1, memory_order_relaxed);
    return true;
}

bool cli_beamform_spool_map(cli_beamform_keeper *k)
{
    void *data = mmap(NULL, (size_t)k->n * k->bytes, PROT_READ, MAP_PRIVATE, k->spool, 0);
    k->data = data == MAP_FAILED ? NULL : data;
    return k->data;
}

void cli_beamform_spool_close(cli_beamform_keeper *k)
{
    if (k->is_spooled) {
        if (k->data) {
            munmap(k->data, (size_t)k->n_spooled * k->bytes);
        }
        close(k->spool);
    }
    k->data = NULL;
    k->is_spooled = false;
}
