/*
 * Frames into HDF5 files, some at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "io/frames.h"

#define CHUNK_BYTES (1 << 19) /* of pictures; HDF5 keeps a chunk in memory until it is full */
#define CHUNK_RECORDS 4096    /* of signals and truth */

struct sac_frames_out {
    sac_out out;
    sac_h5 h;
    sac_h5_sink sink;
    sac_frames_info info;
    hid_t sets[SAC_FRAMES_SETS]; /* negative: not wanted */
};

static sac_status check_info(const sac_frames_info *info, sac_error *err)
{
    if (!info || info->struct_size != sizeof *info)
        return sac_fail(err, SAC_E_INVALID,
                        "info: struct_size is %zu, expected %zu: fill it with _info_init",
                        info ? info->struct_size : 0, sizeof *info);
    if (info->w < 1 || info->h < 1 || info->w > SAC_FRAMES_MOST_SIDE ||
        info->h > SAC_FRAMES_MOST_SIDE)
        return sac_fail(err, SAC_E_INVALID,
                        "info: expected frames of 1 x 1 to %d x %d, got %d x %d",
                        SAC_FRAMES_MOST_SIDE, SAC_FRAMES_MOST_SIDE, info->w, info->h);
    if (!(info->rate_hz >= 0 && isfinite(info->rate_hz)))
        return sac_fail(err, SAC_E_INVALID, "rate_hz: expected frames/s, got %g", info->rate_hz);
    for (int i = 0; i < 6 && info->has_calibration; i++)
        if (!isfinite(info->calibration[i / 3][i % 3]))
            return sac_fail(err, SAC_E_INVALID, "calibration: expected 2 x 3 finite numbers");
    return SAC_OK;
}

/* A dataset that grows; negative where HDF5 refuses. */
static hid_t create_set(hid_t file, int which, int32_t w, int32_t h)
{
    bool pictures = which == SAC_FRAMES_PICTURES;
    int n_dims = pictures ? 3 : 1;
    const hsize_t most[3] = {H5S_UNLIMITED, (hsize_t)h, (hsize_t)w};
    const hsize_t none[3] = {0, most[1], most[2]};
    hsize_t rows = pictures ? CHUNK_BYTES / (most[1] * most[2]) : CHUNK_RECORDS;
    const hsize_t chunk[3] = {rows > 1 ? rows : 1, most[1], most[2]};
    hid_t space = H5Screate_simple(n_dims, none, most);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, false); /* the same data gives the same bytes */
    H5Pset_chunk(properties, n_dims, chunk);
    hid_t type = sac_frames_file_type(which);
    hid_t set = H5Dcreate2(file, sac_frames_names[which], type, space, H5P_DEFAULT, properties,
                           H5P_DEFAULT);
    H5Tclose(type);
    H5Pclose(properties);
    H5Sclose(space);
    return set;
}

static bool put_calibration(hid_t file, const double m[2][3])
{
    hid_t space = H5Screate_simple(2, (const hsize_t[]){2, 3}, NULL);
    hid_t attribute =
        H5Acreate2(file, "calibration", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, m) >= 0;
    if (attribute >= 0)
        ok = H5Aclose(attribute) >= 0 && ok;
    H5Sclose(space);
    return ok;
}

static bool put_head(sac_frames_out *out)
{
    const sac_frames_info *info = &out->info;
    hid_t file = out->h.file;
    const bool has[SAC_FRAMES_SETS] = {true, info->has_signals, info->has_truth};
    bool ok = sac_h5_put_text(file, "format", SAC_H5_FRAMES) &&
              sac_h5_put_number(file, "version", 1) &&
              (info->rate_hz <= 0 || sac_h5_put_number(file, "rate_hz", info->rate_hz)) &&
              (info->seed < 0 || sac_h5_put_number(file, "seed", (double)info->seed)) &&
              (!info->has_calibration || put_calibration(file, info->calibration));
    for (int i = 0; i < SAC_FRAMES_SETS && ok; i++) {
        out->sets[i] = has[i] ? create_set(file, i, info->w, info->h) : -1;
        ok = !has[i] || out->sets[i] >= 0;
    }
    return ok;
}

static sac_status fail(const sac_frames_out *out, sac_error *err)
{
    if (out->sink.error)
        return sac_fail(err, SAC_E_IO, "%s: cannot be written: %s", out->h.name,
                        strerror(out->sink.error));
    return sac_h5_fail(&out->h, err, SAC_E_IO, "cannot be written");
}

/* Begins the file that `out` is. */
static sac_status create_file(sac_frames_out *out, sac_error *err)
{
    if (!out->out.is_file)
        return sac_fail(err, SAC_E_INVALID, "%s: frames are written to a regular file alone",
                        out->out.name);
    sac_status st = sac_h5_create_at(&out->h, &out->sink, out->out.fd, out->out.name, err);
    if (st != SAC_OK)
        return st;
    if (!put_head(out) || out->sink.error) {
        st = fail(out, err);
        sac_h5_close(&out->h);
        return st;
    }
    sac_h5_leave(&out->h);
    return SAC_OK;
}

sac_status sac_frames_create(sac_frames_out **result, const char *path, const sac_frames_info *info,
                             sac_error *err)
{
    if (!result)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    *result = NULL;
    sac_status st = sac_frames_can_write(path, err);
    if (st == SAC_OK)
        st = check_info(info, err);
    if (st != SAC_OK)
        return st;
    sac_frames_out *out = sac_alloc(1, sizeof *out);
    if (!out)
        return sac_fail(err, SAC_E_NOMEM, "frames: no memory");
    out->info = *info;
    out->info.n_frames = 0;
    st = sac_out_open(&out->out, path, err);
    if (st == SAC_OK) {
        sac_io_lock();
        st = create_file(out, err);
        sac_io_unlock();
        if (st != SAC_OK)
            sac_out_abort(&out->out);
    }
    if (st == SAC_OK)
        *result = out;
    else
        sac_free(out);
    return st;
}

static bool append_set(sac_frames_out *out, int which, const void *data, int64_t n)
{
    const sac_frames_info *info = &out->info;
    hid_t set = out->sets[which];
    const hsize_t size[3] = {(hsize_t)(info->n_frames + n), (hsize_t)info->h, (hsize_t)info->w};
    return H5Dset_extent(set, size) >= 0 &&
           sac_frames_put(set, which, data, info->n_frames, n, info->w, info->h) &&
           !out->sink.error;
}

sac_status sac_frames_append(sac_frames_out *out, const uint8_t *frames,
                             const sac_meltpool_signals *signals, const sac_meltpool_truth *truth,
                             int64_t n, sac_error *err)
{
    const void *const data[SAC_FRAMES_SETS] = {frames, signals, truth};
    sac_status st = SAC_OK;
    for (int i = 0; i < SAC_FRAMES_SETS; i++)
        if ((out->sets[i] >= 0) != (data[i] != NULL) || n < 0)
            return sac_fail(err, SAC_E_INVALID, "%s: %s", sac_frames_names[i],
                            n < 0     ? "n is negative"
                            : data[i] ? "the info has none"
                                      : "is NULL");
    sac_io_lock();
    sac_h5_enter(&out->h);
    for (int i = 0; i < SAC_FRAMES_SETS && st == SAC_OK && n > 0; i++)
        if (data[i] && !append_set(out, i, data[i], n))
            st = fail(out, err);
    sac_h5_leave(&out->h);
    sac_io_unlock();
    out->info.n_frames += st == SAC_OK ? n : 0;
    return st;
}

/* Closes the HDF5 file, and says whether all of it is written. */
static sac_status end_file(sac_frames_out *out, sac_error *err)
{
    sac_io_lock();
    sac_h5_enter(&out->h);
    bool closed = sac_h5_close(&out->h);
    sac_status st = closed && !out->sink.error ? SAC_OK : fail(out, err);
    sac_io_unlock();
    return st;
}

sac_status sac_frames_commit(sac_frames_out **out, sac_error *err)
{
    sac_frames_out *o = *out;
    sac_status st = end_file(o, err);
    if (st == SAC_OK)
        st = sac_out_commit(&o->out, err);
    else
        sac_out_abort(&o->out);
    sac_free(o);
    *out = NULL;
    return st;
}

void sac_frames_abort(sac_frames_out **out)
{
    if (!out || !*out)
        return;
    sac_error ignored;
    sac_status st = end_file(*out, &ignored);
    (void)st;
    sac_out_abort(&(*out)->out);
    sac_free(*out);
    *out = NULL;
}
