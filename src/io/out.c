/*
 * Bytes out: write beside the target, check everything, rename.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <saccade/io.h>

#include "base/stop.h"
#include "base/system.h"

static sac_status fail(const sac_out *out, sac_error *err)
{
    return sac_fail(err, SAC_E_IO, "%s: cannot be written: %s", out->name, strerror(errno));
}

static bool may(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0;
}

/* Bytes of the path up to and with the last slash; 0 for a name alone. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

static sac_status check_folder(sac_out *out, sac_error *err)
{
    int length = folder_length(out->target);
    snprintf(out->temp, sizeof out->temp, "%.*s", length, out->target);
    const char *folder = length ? out->temp : ".";
    if (may(folder, W_OK | X_OK))
        return SAC_OK;
    char text[SAC_IO_NAME];
    int error = errno;
    return sac_fail(err, SAC_E_IO, "%s: cannot be written in folder %.90s: %s", out->name,
                    sac_io_name(text, folder, folder), strerror(error));
}

/* Finds what `path` is and where its bytes must go. *old is its state, st_nlink 0 where it is new.
 */
static sac_status resolve(sac_out *out, struct stat *old, const char *path, sac_error *err)
{
    sac_io_name(out->name, path, "standard output");
    out->fd = -1;
    out->is_file = out->is_named = out->is_kept = out->is_recording = false;
    memset(old, 0, sizeof *old);
    if (strcmp(path, "-") == 0)
        return SAC_OK;
    if (stat(path, old) == 0) {
        out->is_file = S_ISREG(old->st_mode);
        if (S_ISDIR(old->st_mode))
            errno = EISDIR;
        else if (may(path, W_OK) && realpath(path, out->target))
            return out->is_file ? check_folder(out, err) : SAC_OK;
        return fail(out, err);
    }
    struct stat link;
    if (errno != ENOENT)
        return fail(out, err);
    if (lstat(path, &link) == 0)
        return sac_fail(err, SAC_E_IO, "%s: cannot be written: a symbolic link to nothing",
                        out->name);
    size_t length = strlen(path);
    if (length == 0 || path[length - 1] == '/') {
        errno = length ? EISDIR : ENOENT;
        return fail(out, err);
    }
    if (length >= sizeof out->target) {
        errno = ENAMETOOLONG;
        return fail(out, err);
    }
    memcpy(out->target, path, length + 1);
    out->is_file = true;
    return check_folder(out, err);
}

sac_status sac_out_check(const char *path, sac_error *err)
{
    sac_out out;
    struct stat old;
    return resolve(&out, &old, path, err);
}

/* Gives the temporary file a name that nobody has yet. */
static bool name_temp(sac_out *out)
{
    static atomic_uint counter;
    unsigned n = atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    int length = snprintf(out->temp, sizeof out->temp, "%.*s.saccade-%ld-%u.tmp",
                          folder_length(out->target), out->target, (long)getpid(), n);
    if (length >= 0 && (size_t)length < sizeof out->temp)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* A temporary file without a name, where the system has such: when the program is killed, it is
 * gone. */
static bool open_unnamed(sac_out *out)
{
    int length = folder_length(out->target);
    snprintf(out->temp, sizeof out->temp, "%.*s", length ? length : 1, length ? out->target : ".");
    out->fd = sac_system_file_unnamed(out->temp, 0666);
    return out->fd >= 0;
}

static sac_status open_temp(sac_out *out, sac_error *err)
{
    out->is_named = !open_unnamed(out);
    while (out->fd < 0) {
        if (name_temp(out))
            out->fd = open(out->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->fd < 0 && errno != EEXIST)
            return fail(out, err);
    }
    return SAC_OK;
}

/* The last moment: from here to the rename the file has a name, and is whole. */
static bool give_name(sac_out *out)
{
    while (!out->is_named) {
        if (!name_temp(out))
            return false;
        out->is_named = sac_system_file_name(out->fd, out->temp);
        if (!out->is_named && errno != EEXIST)
            return false;
    }
    return true;
}

/* Standard output, or what is at the path, which is written in place. */
static sac_status open_as_it_is(sac_out *out, const char *path, int flags, sac_error *err)
{
    out->fd =
        strcmp(path, "-") == 0 ? STDOUT_FILENO : open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
    return out->fd < 0 ? fail(out, err) : SAC_OK;
}

/* Closes what is ours to close. */
static int close_out(sac_out *out)
{
    int fd = out->fd;
    out->fd = -1;
    return fd == STDOUT_FILENO && !out->is_file ? 0 : close(fd);
}

/* The owner only where we may; the permissions of a file that was ours to write, always. */
static sac_status take_over(sac_out *out, const struct stat *old, sac_error *err)
{
    if (!old->st_nlink)
        return SAC_OK;
    int ignored = fchown(out->fd, old->st_uid, old->st_gid);
    (void)ignored;
    if (fchmod(out->fd, old->st_mode & 0777) == 0)
        return SAC_OK;
    sac_status st = fail(out, err);
    sac_out_abort(out);
    return st;
}

/* Of another user, or under a second name: not ours to write. */
static bool is_ours(int fd, const char *target)
{
    struct stat is, old;
    return fstat(fd, &is) == 0 && S_ISREG(is.st_mode) && is.st_nlink <= 1 &&
           (is.st_uid == geteuid() || (stat(target, &old) == 0 && is.st_uid == old.st_uid));
}

sac_status sac_out_open_beside(int *fd, bool *is_new, const sac_out *out, const char *path,
                               sac_error *err)
{
    char text[SAC_IO_NAME];
    const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    do {
        *fd = is_new ? open(path, flags | O_CREAT | O_EXCL, 0666) : -1;
        if (is_new)
            *is_new = *fd >= 0;
        if (*fd >= 0)
            return SAC_OK;
        if (is_new && errno != EEXIST)
            return fail(out, err);
        *fd = open(path, flags);
    } while (*fd < 0 && is_new && errno == ENOENT); /* gone in between */
    if (*fd < 0 && errno != ELOOP && errno != EISDIR && errno != ENXIO)
        return fail(out, err);
    if (*fd >= 0 && is_ours(*fd, out->target))
        return SAC_OK;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return sac_fail(err, SAC_E_IO, "%s: cannot be written: %.100s is no file of an earlier run",
                    out->name, sac_io_name(text, path, path));
}

sac_status sac_out_open(sac_out *out, const char *path, sac_error *err)
{
    struct stat old;
    sac_status st = resolve(out, &old, path, err);
    if (st != SAC_OK)
        return st;
    if (!out->is_file)
        return open_as_it_is(out, path, 0, err);
    st = open_temp(out, err);
    return st == SAC_OK ? take_over(out, &old, err) : st;
}

sac_status sac_out_find_kept(sac_out *out, const char *path, sac_error *err)
{
    struct stat old;
    sac_status st = resolve(out, &old, path, err);
    if (st == SAC_OK && !out->is_file)
        st = sac_fail(err, SAC_E_IO, "%s: cannot be written in parts: it is no file", out->name);
    if (st != SAC_OK)
        return st;
    const int folder = folder_length(out->target);
    const int length = snprintf(out->temp, sizeof out->temp, "%.*s.%s.part", folder, out->target,
                                out->target + folder);
    out->is_named = out->is_kept = true;
    errno = ENAMETOOLONG;
    return length >= 0 && (size_t)length < sizeof out->temp ? SAC_OK : fail(out, err);
}

sac_status sac_out_open_kept(sac_out *out, bool join, sac_error *err)
{
    struct stat old;
    bool is_new;
    sac_status st = sac_out_open_beside(&out->fd, join ? NULL : &is_new, out, out->temp, err);
    if (st != SAC_OK || join || stat(out->target, &old) != 0)
        return st;
    return take_over(out, &old, err);
}

void sac_out_keep(sac_out *out)
{
    close_out(out);
}

sac_status sac_out_open_in_place(sac_out *out, const char *path, sac_error *err)
{
    struct stat old;
    sac_status st = resolve(out, &old, path, err);
    if (st != SAC_OK)
        return st;
    out->is_file = false; /* what is written has no other name */
    return open_as_it_is(out, path, O_CREAT | O_TRUNC, err);
}

sac_status sac_out_write(sac_out *out, const void *data, size_t size, sac_error *err)
{
    return sac_write_all(out->fd, data, size) ? SAC_OK : fail(out, err);
}

static void remove_temp(const sac_out *out)
{
    if (out->is_file && out->is_named && !out->is_kept)
        unlink(out->temp);
}

/* As umask is: of the process, and asked when a file ends. */
static atomic_int durable_files = SAC_DURABLE_RECORDINGS;

void sac_file_durable(sac_durable which)
{
    atomic_store_explicit(&durable_files, (int)which, memory_order_relaxed);
}

static bool is_durable(const sac_out *out)
{
    int which = atomic_load_explicit(&durable_files, memory_order_relaxed);
    return which == SAC_DURABLE_ALL || (which == SAC_DURABLE_RECORDINGS && out->is_recording);
}

/* fsync, where there is such a thing: pipes, devices and some file systems have none. */
static bool force_to_disk(int fd)
{
    int result;
    do
        result = fsync(fd);
    while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS || errno == EROFS;
}

bool sac_out_force(const sac_out *out)
{
    return !is_durable(out) || force_to_disk(out->fd);
}

/* The folder, so that it has the new name after the power fails. */
static bool force_folder(const sac_out *out)
{
    char folder[PATH_MAX];
    int length = folder_length(out->target);
    snprintf(folder, sizeof folder, "%.*s", length ? length : 1, length ? out->target : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == EACCES; /* a folder that may be written but not read */
    bool ok = force_to_disk(fd);
    close(fd);
    return ok;
}

/* All but the rename: what can fail for the disk's reasons. Nothing is left after a failure. */
static sac_status finish(sac_out *out, sac_error *err)
{
    bool ok = !is_durable(out) || force_to_disk(out->fd);
    ok = ok && (!out->is_file || give_name(out));
    sac_status st = ok ? SAC_OK : fail(out, err);
    bool closed = close_out(out) == 0;
    if (st == SAC_OK && !closed)
        st = fail(out, err);
    if (st != SAC_OK)
        remove_temp(out);
    return st;
}

static sac_status put_in_place(sac_out *out, sac_error *err)
{
    if (!out->is_file || rename(out->temp, out->target) == 0)
        return SAC_OK;
    sac_status st = fail(out, err);
    remove_temp(out);
    return st;
}

static sac_status keep_in_place(const sac_out *out, sac_error *err)
{
    return !out->is_file || !is_durable(out) || force_folder(out) ? SAC_OK : fail(out, err);
}

sac_status sac_out_commit(sac_out *out, sac_error *err)
{
    sac_status st = finish(out, err);
    st = st ? st : put_in_place(out, err);
    return st == SAC_OK ? keep_in_place(out, err) : st;
}

sac_status sac_out_commit_pair(sac_out *first, sac_out *second, sac_error *err)
{
    sac_status st = finish(first, err);
    if (st != SAC_OK) {
        sac_out_abort(second);
        return st;
    }
    st = finish(second, err);
    if (st != SAC_OK) {
        remove_temp(first);
        return st;
    }
    st = put_in_place(first, err);
    if (st != SAC_OK) {
        remove_temp(second);
        return st;
    }
    st = put_in_place(second, err);
    st = st ? st : keep_in_place(first, err);
    return st == SAC_OK ? keep_in_place(second, err) : st;
}

void sac_out_abort(sac_out *out)
{
    close_out(out);
    remove_temp(out);
}

sac_status sac_out_end(sac_out *out, sac_status st, sac_error *err)
{
    if (st == SAC_OK)
        return sac_out_commit(out, err);
    sac_out_abort(out);
    return st;
}

sac_status sac_file_write(const char *path, const void *data, size_t size, sac_error *err)
{
    if (!path || (size && !data))
        return sac_fail(err, SAC_E_INVALID, "%s: expected a value, got NULL",
                        path ? "data" : "path");
    sac_out out;
    sac_status st = sac_out_open(&out, path, err);
    return st == SAC_OK ? sac_out_end(&out, sac_out_write(&out, data, size, err), err) : st;
}
