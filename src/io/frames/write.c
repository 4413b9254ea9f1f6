/*
 * Frames into HDF5 files, some at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/struct.h"
#include "base/alloc.h"
#include "io/frames/file.h"

struct sac_frames_out {
    sac_frames_file file;
    bool has[SAC_FRAMES_ALL_SETS];
};

static sac_status check_info(const sac_frames_info *info, sac_error *err)
{
    if (info->w < 1 || info->h < 1 || info->w > SAC_FRAMES_MOST_SIDE ||
        info->h > SAC_FRAMES_MOST_SIDE)
        return sac_fail(err, SAC_E_INVALID,
                        "info: expected frames of 1 x 1 to %d x %d, got %d x %d",
                        SAC_FRAMES_MOST_SIDE, SAC_FRAMES_MOST_SIDE, info->w, info->h);
    return sac_frames_check(info->rate_hz, info->has_calibration ? info->calibration : NULL, err);
}

static bool put_head(hid_t file, const void *what)
{
    const sac_frames_info *info = what;
    return sac_h5_put_text(file, "format", SAC_H5_FRAMES) &&
           sac_h5_put_number(file, "version", 1) &&
           (info->rate_hz <= 0 || sac_h5_put_number(file, "rate_hz", info->rate_hz)) &&
           (info->seed < 0 || sac_h5_put_number(file, "seed", (double)info->seed)) &&
           (!info->has_calibration || sac_frames_put_calibration(file, info->calibration));
}

sac_status sac_frames_create(sac_frames_out **result, const char *path, const sac_frames_info *info,
                             sac_error *err)
{
    if (!result)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    sac_frames_out *out = *result = sac_alloc(1, sizeof *out);
    if (!out)
        return sac_fail(err, SAC_E_NOMEM, "frames: no memory");
    sac_frames_info own;
    sac_frames_info_init(&own);
    sac_status st = sac_frames_can_write(path, err);
    st = st ? st : sac_struct_take(&own, info, "info", err);
    st = st ? st : check_info(&own, err);
    out->has[SAC_FRAMES_PICTURES] = true;
    out->has[SAC_FRAMES_SIGNALS] = own.has_signals;
    out->has[SAC_FRAMES_TRUTH] = own.has_truth;
    out->file.w = own.w;
    out->file.h_px = own.h;
    st = st ? st : sac_frames_file_begin(&out->file, path, out->has, put_head, &own, err);
    out->file.out.is_recording = true;
    if (st != SAC_OK) {
        sac_free(out);
        *result = NULL;
    }
    return st;
}

sac_status sac_frames_append(sac_frames_out *out, const uint8_t *frames,
                             const sac_meltpool_signals *signals, const sac_meltpool_truth *truth,
                             int64_t n, sac_error *err)
{
    const void *const data[SAC_FRAMES_ALL_SETS] = {frames, signals, truth};
    if (!out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    for (int i = 0; i < SAC_FRAMES_SETS; i++)
        if (out->has[i] != (data[i] != NULL) || n < 0)
            return sac_fail(err, SAC_E_INVALID, "%s: %s", sac_frames_names[i],
                            n < 0     ? "n is negative"
                            : data[i] ? "the info has none"
                                      : "is NULL");
    return sac_frames_file_append(&out->file, data, n, err);
}

sac_status sac_frames_commit(sac_frames_out **out, sac_error *err)
{
    if (!out || !*out)
        return sac_fail(err, SAC_E_INVALID, "out: is NULL");
    sac_status st = sac_frames_file_commit(&(*out)->file, err);
    sac_free(*out);
    *out = NULL;
    return st;
}

void sac_frames_abort(sac_frames_out **out)
{
    if (!out || !*out)
        return;
    sac_frames_file_abort(&(*out)->file);
    sac_free(*out);
    *out = NULL;
}
