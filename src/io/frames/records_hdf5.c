/*
 * Records into HDF5 files: a dataset for each part of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/frames/records_parts.h"

#include <string.h>

#include "base/alloc.h"
#include "io/frames/file.h"

#define BATCH 1024 /* records that are taken apart at once */

struct sac_records_file {
    sac_frames_file file;
    float features[BATCH][SAC_MELTPOOL_FEATURES];
    float prediction[BATCH][SAC_MELTPOOL_PREDICTIONS];
    uint32_t flags[BATCH];
    sac_meltpool_signals signals[BATCH];
    sac_frames_times times[BATCH];
};

static bool put_names(hid_t file)
{
    char text[1024];
    size_t n = 0;
    for (int32_t i = 0; i < SAC_MELTPOOL_FEATURES; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? "," : "",
                              sac_meltpool_feature_name(i));
    return sac_h5_put_text(file, "features", text);
}

/* Text that may be missing. */
static bool put_text(hid_t file, const char *name, const char *text)
{
    return !text || !text[0] || sac_h5_put_text(file, name, text);
}

static bool put_head(hid_t file, const void *what)
{
    const sac_records_info *info = what;
    sac_build build = {.struct_size = sizeof build};
    sac_build_info(&build);
    return sac_h5_put_text(file, "format", SAC_H5_RECORDS) &&
           sac_h5_put_number(file, "version", 1) && put_names(file) &&
           put_text(file, "saccade", build.version) &&
           put_text(file, "parameters", info->parameters) && put_text(file, "model", info->model) &&
           (info->rate_hz <= 0 || sac_h5_put_number(file, "rate_hz", info->rate_hz)) &&
           (!info->has_calibration || sac_frames_put_calibration(file, info->calibration));
}

sac_status sac_records_file_begin(sac_records_file **out, const char *path,
                                  const sac_records_info *info, sac_error *err)
{
    const bool has[SAC_FRAMES_ALL_SETS] = {[SAC_FRAMES_FEATURES] = true,
                                           [SAC_FRAMES_FLAGS] = true,
                                           [SAC_FRAMES_SIGNALS] = info->has_signals,
                                           [SAC_FRAMES_PREDICTION] = info->has_prediction,
                                           [SAC_FRAMES_TIMES] = info->has_times,
                                           [SAC_FRAMES_TRUTH] = info->has_truth};
    sac_records_file *f = sac_alloc(1, sizeof *f);
    if (!f)
        return sac_fail(err, SAC_E_NOMEM, "records: no memory");
    sac_status st = sac_frames_file_begin(&f->file, path, has, put_head, info, err);
    if (st == SAC_OK)
        *out = f;
    else
        sac_free(f);
    return st;
}

static void take_apart(sac_records_file *f, const sac_meltpool_record *records, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const sac_meltpool_record *r = &records[i];
        memcpy(f->features[i], r->features, sizeof r->features);
        memcpy(f->prediction[i], r->prediction, sizeof r->prediction);
        f->flags[i] = r->flags;
        f->signals[i] = r->signals;
        f->times[i] = (sac_frames_times){r->arrival_ns, r->done_ns};
    }
}

sac_status sac_records_file_append(sac_records_file *f, const sac_meltpool_record *records,
                                   const sac_meltpool_truth *truth, int64_t n, sac_error *err)
{
    sac_status st = SAC_OK;
    for (int64_t i = 0; i < n && st == SAC_OK; i += BATCH) {
        int64_t batch = n - i < BATCH ? n - i : BATCH;
        const void *const data[SAC_FRAMES_ALL_SETS] = {
            [SAC_FRAMES_FEATURES] = f->features, [SAC_FRAMES_PREDICTION] = f->prediction,
            [SAC_FRAMES_FLAGS] = f->flags,       [SAC_FRAMES_SIGNALS] = f->signals,
            [SAC_FRAMES_TIMES] = f->times,       [SAC_FRAMES_TRUTH] = truth ? truth + i : NULL};
        take_apart(f, records + i, batch);
        st = sac_frames_file_append(&f->file, data, batch, err);
    }
    return st;
}

sac_status sac_records_file_commit(sac_records_file **file, sac_error *err)
{
    sac_status st = sac_frames_file_commit(&(*file)->file, err);
    sac_free(*file);
    *file = NULL;
    return st;
}

void sac_records_file_abort(sac_records_file **file)
{
    sac_frames_file_abort(&(*file)->file);
    sac_free(*file);
    *file = NULL;
}
