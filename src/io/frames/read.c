/*
 * Frames out of HDF5 files, some at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "base/alloc.h"
#include "io/frames/file.h"

struct sac_frames_in {
    sac_h5 h;
    sac_frames_info info;
    sac_h5_set sets[SAC_FRAMES_SETS]; /* .set negative: not there */
    int64_t n_sound[SAC_FRAMES_SETS]; /* first rows whose chunks have been looked at */
};

static const char *const expected[SAC_FRAMES_SETS] = {
    "pictures of uint8, (n, h, w)", "records of laser_on, counter, x, y as integers of 32 bits",
    "records of docs/formats.md"};

/* Whether the dataset is what it should be; n_frames and size come from the pictures. */
static sac_status check_set(sac_frames_in *in, const sac_h5_set *s, int which, sac_error *err)
{
    const char *name = sac_frames_names[which];
    sac_frames_info *info = &in->info;
    int n_dims = which == SAC_FRAMES_PICTURES ? 3 : 1;
    hid_t type = H5Dget_type(s->set);
    bool fits = s->n_dims == n_dims && sac_frames_type_fits(which, type);
    H5Tclose(type);
    if (!fits)
        return sac_fail(err, SAC_E_FORMAT, "%s: /%s: expected %s", in->h.name, name,
                        expected[which]);
    if (which == SAC_FRAMES_PICTURES) {
        if (s->dims[1] > SAC_FRAMES_MOST_SIDE || s->dims[2] > SAC_FRAMES_MOST_SIDE ||
            s->dims[0] > INT64_MAX)
            return sac_fail(err, SAC_E_FORMAT,
                            "%s: /frames: expected pictures of at most %d x %d, got %g x %g",
                            in->h.name, SAC_FRAMES_MOST_SIDE, SAC_FRAMES_MOST_SIDE,
                            (double)s->dims[2], (double)s->dims[1]);
        info->n_frames = (int64_t)s->dims[0];
        info->h = (int32_t)s->dims[1];
        info->w = (int32_t)s->dims[2];
    } else if (s->dims[0] != (uint64_t)info->n_frames) {
        return sac_fail(err, SAC_E_FORMAT, "%s: /%s: expected %lld, one a frame, got %llu",
                        in->h.name, name, (long long)info->n_frames,
                        (unsigned long long)s->dims[0]);
    }
    return SAC_OK;
}

static sac_status open_set(sac_frames_in *in, int which, sac_error *err)
{
    const char *name = sac_frames_names[which];
    in->sets[which].set = -1;
    if (which != SAC_FRAMES_PICTURES && !sac_h5_has(&in->h, in->h.file, name))
        return SAC_OK;
    sac_h5_set s;
    sac_status st = sac_h5_set_open(&s, &in->h, in->h.file, "/", name, err);
    if (st != SAC_OK)
        return st;
    st = check_set(in, &s, which, err);
    if (st == SAC_OK)
        in->sets[which] = s;
    else
        sac_h5_set_close(&s);
    return st;
}

static sac_status read_calibration(sac_frames_in *in, sac_error *err)
{
    if (H5Aexists(in->h.file, "calibration") <= 0)
        return SAC_OK;
    const sac_h5_attribute a = sac_h5_attribute_open(in->h.file, "calibration");
    if (a.id < 0)
        return sac_h5_fail(&in->h, err, SAC_E_FORMAT, "attribute calibration");
    double(*m)[3] = in->info.calibration;
    bool ok = a.n == 6 && (a.kind == H5T_FLOAT || a.kind == H5T_INTEGER) &&
              H5Aread(a.id, H5T_NATIVE_DOUBLE, m) >= 0;
    for (int i = 0; i < 6 && ok; i++)
        ok = isfinite(m[i / 3][i % 3]);
    sac_h5_attribute_close(&a);
    in->info.has_calibration = ok;
    return ok ? SAC_OK
              : sac_fail(err, SAC_E_FORMAT,
                         "%s: attribute calibration: expected 2 x 3 finite numbers", in->h.name);
}

static sac_status read_info(sac_frames_in *in, sac_error *err)
{
    double version = 1, seed = -1;
    sac_status st = sac_h5_number(&in->h, in->h.file, "version", &version, err);
    st = st ? st : sac_h5_number(&in->h, in->h.file, "rate_hz", &in->info.rate_hz, err);
    st = st ? st : sac_h5_number(&in->h, in->h.file, "seed", &seed, err);
    if (st != SAC_OK)
        return st;
    if (version != 1)
        return sac_fail(err, SAC_E_FORMAT, "%s: attribute version: expected 1, got %g", in->h.name,
                        version);
    if (!(in->info.rate_hz >= 0 && isfinite(in->info.rate_hz)))
        return sac_fail(err, SAC_E_FORMAT, "%s: attribute rate_hz: expected frames/s, got %g",
                        in->h.name, in->info.rate_hz);
    in->info.seed = seed >= 0 && seed < 0x1p53 ? (int64_t)seed : -1;
    return read_calibration(in, err);
}

/* Everything but the file itself, which is open. */
static sac_status open_sets(sac_frames_in *in, sac_error *err)
{
    sac_status st = read_info(in, err);
    for (int i = 0; i < SAC_FRAMES_SETS && st == SAC_OK; i++)
        st = open_set(in, i, err);
    if (st != SAC_OK)
        return sac_h5_end(&in->h, st, err);
    in->info.has_signals = in->sets[SAC_FRAMES_SIGNALS].set >= 0;
    in->info.has_truth = in->sets[SAC_FRAMES_TRUTH].set >= 0;
    sac_h5_leave(&in->h);
    return SAC_OK;
}

static sac_status open_file(sac_frames_in *in, const char *path, sac_error *err)
{
    uint8_t head[SAC_IO_HEAD];
    uint64_t bytes;
    char name[SAC_IO_NAME];
    sac_io_name(name, path, "standard input");
    sac_status st = sac_io_look(head, &bytes, path, name, err);
    if (st == SAC_OK && !sac_io_is_hdf5(head))
        st = sac_fail(err, SAC_E_FORMAT, "%s: is not HDF5", name);
    st = st ? st : sac_h5_open(&in->h, path, name, bytes, err);
    return st == SAC_OK ? open_sets(in, err) : st;
}

sac_status sac_frames_open(sac_frames_in **out, const char *path, sac_error *err)
{
    if (!out || !path)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "path" : "out");
    *out = NULL;
    sac_frames_in *in = sac_alloc(1, sizeof *in);
    if (!in)
        return sac_fail(err, SAC_E_NOMEM, "frames: no memory");
    sac_frames_info_init(&in->info);
    sac_io_lock();
    sac_status st = open_file(in, path, err);
    sac_io_unlock();
    if (st == SAC_OK)
        *out = in;
    else
        sac_free(in);
    return st;
}

const sac_frames_info *sac_frames_get_info(const sac_frames_in *in)
{
    return in ? &in->info : NULL;
}

/* Whether the chunks of rows first .. first + n - 1 can be read. They are looked at once where rows
 * are read in their order. */
static sac_status check_rows(sac_frames_in *in, int which, int64_t first, int64_t n, sac_error *err)
{
    const sac_h5_set *s = &in->sets[which];
    int64_t *n_sound = &in->n_sound[which], end = first + n;
    int64_t from = *n_sound > first ? *n_sound : first;
    hsize_t rows_from[H5S_MAX_RANK] = {(hsize_t)from}, rows[H5S_MAX_RANK];
    if (from >= end)
        return SAC_OK;
    for (int i = 0; i < s->n_dims; i++)
        rows[i] = i ? s->dims[i] : (hsize_t)(end - from);
    sac_status st = sac_h5_sound(s, &in->h, "/", sac_frames_names[which], rows_from, rows, err);
    if (st != SAC_OK || from != *n_sound)
        return st;
    int64_t each = s->is_chunked && s->chunk[0] < INT32_MAX ? (int64_t)s->chunk[0] : 1;
    *n_sound = (end - 1) / each * each + each; /* the rest of the last chunk too */
    return SAC_OK;
}

static sac_status read_set(sac_frames_in *in, int which, void *data, int64_t first, int64_t n,
                           sac_error *err)
{
    const char *name = sac_frames_names[which];
    if (in->sets[which].set < 0)
        return sac_fail(err, SAC_E_FORMAT, "%s: dataset /%s is missing", in->h.name, name);
    char what[16];
    snprintf(what, sizeof what, "/%s", name);
    sac_status st = check_rows(in, which, first, n, err);
    if (st != SAC_OK)
        return st;
    return sac_frames_get(in->sets[which].set, which, data, first, n, in->info.w, in->info.h)
               ? SAC_OK
               : sac_h5_fail(&in->h, err, SAC_E_FORMAT, what);
}

sac_status sac_frames_read(sac_frames_in *in, uint8_t *frames, sac_meltpool_signals *signals,
                           sac_meltpool_truth *truth, int64_t first, int64_t n, sac_error *err)
{
    if (!in)
        return sac_fail(err, SAC_E_INVALID, "in: is NULL");
    if (first < 0 || n < 0 || first > in->info.n_frames - n)
        return sac_fail(err, SAC_E_INVALID,
                        "%s: expected frames of 0 to %lld, got %lld from %lld on", in->h.name,
                        (long long)in->info.n_frames - 1, (long long)n, (long long)first);
    void *const data[SAC_FRAMES_SETS] = {frames, signals, truth};
    sac_status st = SAC_OK;
    sac_io_lock();
    sac_h5_enter(&in->h);
    for (int i = 0; i < SAC_FRAMES_SETS && st == SAC_OK && n > 0; i++)
        if (data[i])
            st = read_set(in, i, data[i], first, n, err);
    sac_h5_leave(&in->h);
    sac_io_unlock();
    return st;
}

void sac_frames_close(sac_frames_in **in)
{
    if (!in || !*in)
        return;
    sac_io_lock();
    sac_h5_enter(&(*in)->h);
    sac_h5_close(&(*in)->h);
    sac_io_unlock();
    sac_free(*in);
    *in = NULL;
}
