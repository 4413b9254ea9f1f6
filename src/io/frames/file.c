/*
 * HDF5 files that grow by some values of every dataset at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "io/frames/file.h"

#define CHUNK_BYTES (1 << 19) /* of pictures; HDF5 keeps a chunk in memory until it is full */
#define CHUNK_VALUES 4096     /* of others, but features: */
#define CHUNK_FEATURES 1024   /* 160 bytes each */

/* A dataset that grows; negative where HDF5 refuses. */
static hid_t create_set(hid_t file, int which, int32_t w, int32_t h)
{
    hsize_t none[3], most[3], chunk[3];
    int n_dims = sac_frames_dims(chunk, which, 0, w, h);
    hsize_t rows = which == SAC_FRAMES_PICTURES   ? CHUNK_BYTES / (chunk[1] * chunk[2])
                   : which == SAC_FRAMES_FEATURES ? CHUNK_FEATURES
                                                  : CHUNK_VALUES;
    memcpy(none, chunk, sizeof none);
    memcpy(most, chunk, sizeof most);
    most[0] = H5S_UNLIMITED;
    chunk[0] = rows > 1 ? rows : 1;
    hid_t space = H5Screate_simple(n_dims, none, most);
    hid_t properties = sac_h5_timeless(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, n_dims, chunk);
    hid_t type = sac_frames_file_type(which);
    hid_t set = H5Dcreate2(file, sac_frames_names[which], type, space, H5P_DEFAULT, properties,
                           H5P_DEFAULT);
    H5Tclose(type);
    H5Pclose(properties);
    H5Sclose(space);
    return set;
}

bool sac_frames_put_calibration(hid_t file, const double m[2][3])
{
    return sac_h5_put_numbers(file, "calibration", 2, (const hsize_t[]){2, 3}, m[0]);
}

static bool create_sets(sac_frames_file *f, const bool has[SAC_FRAMES_ALL_SETS])
{
    bool ok = true;
    for (int i = 0; i < SAC_FRAMES_ALL_SETS && ok; i++) {
        f->sets[i] = has[i] ? create_set(f->h.file, i, f->w, f->h_px) : -1;
        ok = !has[i] || f->sets[i] >= 0;
    }
    return ok;
}

static sac_status fail(const sac_frames_file *f, sac_error *err)
{
    if (f->sink.error)
        return sac_fail(err, SAC_E_IO, "%s: cannot be written: %s", f->h.name,
                        strerror(f->sink.error));
    return sac_h5_fail(&f->h, err, SAC_E_IO, "cannot be written");
}

/* Begins the file that f->out is. */
static sac_status create_file(sac_frames_file *f, const bool has[SAC_FRAMES_ALL_SETS],
                              sac_frames_put_head_fn *put_head, const void *info, sac_error *err)
{
    if (!f->out.is_file)
        return sac_fail(err, SAC_E_INVALID, "%s: HDF5 is written only to a regular file",
                        f->out.name);
    sac_status st = sac_h5_create_at(&f->h, &f->sink, f->out.fd, f->out.name, err);
    if (st != SAC_OK)
        return st;
    if (!put_head(f->h.file, info) || !create_sets(f, has) || f->sink.error) {
        st = fail(f, err);
        sac_h5_close(&f->h);
        return st;
    }
    sac_h5_leave(&f->h);
    return SAC_OK;
}

sac_status sac_frames_file_begin(sac_frames_file *f, const char *path,
                                 const bool has[SAC_FRAMES_ALL_SETS],
                                 sac_frames_put_head_fn *put_head, const void *info, sac_error *err)
{
    f->n = 0;
    sac_status st = sac_out_open(&f->out, path, err);
    if (st != SAC_OK)
        return st;
    sac_io_lock();
    st = create_file(f, has, put_head, info, err);
    sac_io_unlock();
    if (st != SAC_OK)
        sac_out_abort(&f->out);
    return st;
}

static bool append_set(sac_frames_file *f, int which, const void *data, int64_t n)
{
    hsize_t size[3];
    sac_frames_dims(size, which, f->n + n, f->w, f->h_px);
    return H5Dset_extent(f->sets[which], size) >= 0 &&
           sac_frames_put(f->sets[which], which, data, f->n, n, f->w, f->h_px) && !f->sink.error;
}

sac_status sac_frames_file_append(sac_frames_file *f, const void *const data[SAC_FRAMES_ALL_SETS],
                                  int64_t n, sac_error *err)
{
    sac_status st = SAC_OK;
    sac_io_lock();
    sac_h5_enter(&f->h);
    for (int i = 0; i < SAC_FRAMES_ALL_SETS && st == SAC_OK && n > 0; i++)
        if (f->sets[i] >= 0 && !append_set(f, i, data[i], n))
            st = fail(f, err);
    sac_h5_leave(&f->h);
    sac_io_unlock();
    f->n += st == SAC_OK ? n : 0;
    return st;
}

/* Closes the HDF5 file, and says whether all of it is written. */
static sac_status end_file(sac_frames_file *f, sac_error *err)
{
    sac_io_lock();
    sac_h5_enter(&f->h);
    bool closed = sac_h5_close(&f->h);
    sac_status st = closed && !f->sink.error ? SAC_OK : fail(f, err);
    sac_io_unlock();
    return st;
}

sac_status sac_frames_file_commit(sac_frames_file *f, sac_error *err)
{
    return sac_out_end(&f->out, end_file(f, err), err);
}

void sac_frames_file_abort(sac_frames_file *f)
{
    sac_error ignored;
    sac_status st = end_file(f, &ignored);
    (void)st;
    sac_out_abort(&f->out);
}
