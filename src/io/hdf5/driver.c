/*
 * Where HDF5 writes long files: a file driver onto a descriptor of ours, whose failures are kept
 * from HDF5, which does not stand them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/hdf5/hdf5.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MOST_BYTES ((haddr_t)INT64_MAX)

static H5FD_t *open_file(const char *name, unsigned flags, hid_t properties, haddr_t most)
{
    (void)name, (void)flags, (void)most;
    sac_h5_sink *const *sink = H5Pget_driver_info(properties);
    return sink ? &(*sink)->head : NULL;
}

static herr_t close_file(H5FD_t *head)
{
    (void)head;
    return 0;
}

static herr_t query(const H5FD_t *head, unsigned long *features)
{
    (void)head;
    *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
                H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t get_eoa(const H5FD_t *head, H5FD_mem_t type)
{
    (void)type;
    return ((const sac_h5_sink *)head)->eoa;
}

static herr_t set_eoa(H5FD_t *head, H5FD_mem_t type, haddr_t at)
{
    (void)type;
    ((sac_h5_sink *)head)->eoa = at;
    return 0;
}

static haddr_t get_eof(const H5FD_t *head, H5FD_mem_t type)
{
    (void)type;
    return ((const sac_h5_sink *)head)->eof;
}

static void keep_error(sac_h5_sink *f, bool failed)
{
    if (failed && f->error == 0)
        f->error = errno ? errno : EIO;
}

/* What was never written is 0. */
static herr_t read_file(H5FD_t *head, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                        void *data)
{
    sac_h5_sink *f = (sac_h5_sink *)head;
    (void)type, (void)transfer;
    for (uint8_t *to = data; size > 0;) {
        ssize_t n = f->fd < 0 ? 0 : pread(f->fd, to, size, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        keep_error(f, n < 0);
        if (n <= 0) {
            memset(to, 0, size);
            return 0;
        }
        to += n;
        at += (haddr_t)n;
        size -= (size_t)n;
    }
    return 0;
}

static herr_t write_file(H5FD_t *head, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                         const void *data)
{
    sac_h5_sink *f = (sac_h5_sink *)head;
    (void)type, (void)transfer;
    f->eof = at + size > f->eof ? at + size : f->eof;
    for (const uint8_t *from = data; size > 0 && f->error == 0 && f->fd >= 0;) {
        ssize_t n = pwrite(f->fd, from, size, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        keep_error(f, n < 0);
        if (n > 0) {
            from += n;
            at += (haddr_t)n;
            size -= (size_t)n;
        }
    }
    return 0;
}

/* The file ends where HDF5 says, also where nothing was written there. */
static herr_t cut(H5FD_t *head, hid_t transfer, hbool_t closing)
{
    sac_h5_sink *f = (sac_h5_sink *)head;
    (void)transfer, (void)closing;
    if (f->eof != f->eoa && f->fd >= 0)
        keep_error(f, ftruncate(f->fd, (off_t)f->eoa) != 0);
    f->eof = f->eoa;
    return 0;
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)300, /* 256 to 511 are for drivers that nobody registers */
#endif
    .name = "saccade",
    .maxaddr = MOST_BYTES,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(sac_h5_sink *),
    .open = open_file,
    .close = close_file,
    .query = query,
    .get_eoa = get_eoa,
    .set_eoa = set_eoa,
    .get_eof = get_eof,
    .read = read_file,
    .write = write_file,
    .truncate = cut,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

bool sac_h5_write_to(hid_t properties, sac_h5_sink *sink, int fd)
{
    *sink = (sac_h5_sink){.fd = fd};
    hid_t id = H5FDregister(&driver);
    bool ok = id >= 0 && H5Pset_driver(properties, id, &sink) >= 0;
    if (id >= 0)
        H5FDunregister(id); /* the properties, then the file, hold it */
    return ok;
}
