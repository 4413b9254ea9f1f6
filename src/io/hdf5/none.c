/*
 * What a build without libhdf5 says when HDF5 is asked for.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/frames.h>
#include <saccade/io.h>

#include "io/image/image.h"
#include "io/recording/mat5.h"
#include "io/recording/mat_tree.h"
#include "io/recording/parts.h"
#include "io/frames/records_parts.h"

/* Nobody looks at what they are given. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static sac_status lacking(const char *name, sac_error *err)
{
    return sac_fail(err, SAC_E_UNSUPPORTED,
                    "%s: this build has no HDF5 (libhdf5 was not found when it was built)", name);
}

sac_status sac_hdf5_can_write(const char *name, sac_error *err)
{
    return lacking(name, err);
}

sac_status sac_hdf5_begin_image(int64_t *offset, sac_out *out, const sac_array *image,
                                const sac_image_info *info, sac_error *err)
{
    return lacking(out->name, err);
}

sac_status sac_hdf5_read_recording(sac_draft *draft, sac_error *err)
{
    return lacking(draft->name, err);
}

sac_status sac_mat73_check(const char *path, const char *name, uint64_t bytes, sac_error *err)
{
    return lacking(name, err);
}

bool sac_mat73_has(const char *path, uint64_t file_bytes, const char *const *names)
{
    return false;
}

sac_status sac_mat73_bytes(uint8_t **bytes, uint64_t *size, const char *path, const char *name,
                           uint64_t file_bytes, const char *wanted, uint64_t max_bytes,
                           sac_error *err)
{
    return lacking(name, err);
}

sac_status sac_mat73_samples(sac_mat_variable *variable, const char *path, const char *name,
                             uint64_t file_bytes, const char *wanted, uint64_t cell,
                             uint64_t max_bytes, sac_error *err)
{
    return lacking(name, err);
}

sac_status sac_hdf5_write_recording(sac_out *out, const sac_recording *recording,
                                    const sac_scatterer *truth, sac_error *err)
{
    return lacking(out->name, err);
}

sac_status sac_uff_check(const sac_recording *recording, const char *name, sac_error *err)
{
    return lacking(name, err);
}

sac_status sac_uff_write(sac_out *out, const sac_recording *recording, sac_error *err)
{
    return lacking(out->name, err);
}

sac_status sac_hdf5_write_image(sac_out *out, const sac_array *image, const sac_image_info *info,
                                sac_error *err)
{
    return lacking(out->name, err);
}

sac_status sac_uff_write_image(sac_out *out, const sac_array *image, const sac_image_info *info,
                               sac_error *err)
{
    return lacking(out->name, err);
}

sac_status sac_hdf5_read_image(sac_image *image, const char *path, const char *name, uint64_t bytes,
                               sac_error *err)
{
    return lacking(name, err);
}

void sac_io_quiet(void)
{
}

void sac_hdf5_quiet(bool quiet)
{
}

static sac_status lacking_path(const char *path, sac_error *err)
{
    char name[SAC_IO_NAME];
    return lacking(sac_io_name(name, path, "standard input"), err);
}

sac_status sac_frames_open(sac_frames_in **out, const char *path, sac_error *err)
{
    if (!out || !path)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "path" : "out");
    *out = NULL;
    return lacking_path(path, err);
}

const sac_frames_info *sac_frames_get_info(const sac_frames_in *in)
{
    return NULL;
}

sac_status sac_frames_read(sac_frames_in *in, uint8_t *frames, sac_meltpool_signals *signals,
                           sac_meltpool_truth *truth, int64_t first, int64_t n, sac_error *err)
{
    return lacking("frames", err);
}

void sac_frames_close(sac_frames_in **in)
{
}

sac_status sac_frames_create(sac_frames_out **out, const char *path, const sac_frames_info *info,
                             sac_error *err)
{
    if (!out || !path)
        return sac_fail(err, SAC_E_INVALID, "%s: is NULL", out ? "path" : "out");
    *out = NULL;
    return lacking_path(path, err);
}

sac_status sac_frames_append(sac_frames_out *out, const uint8_t *frames,
                             const sac_meltpool_signals *signals, const sac_meltpool_truth *truth,
                             int64_t n, sac_error *err)
{
    return lacking("frames", err);
}

sac_status sac_frames_commit(sac_frames_out **out, sac_error *err)
{
    return lacking("frames", err);
}

void sac_frames_abort(sac_frames_out **out)
{
}

sac_status sac_records_file_begin(sac_records_file **out, const char *path,
                                  const sac_records_info *info, sac_error *err)
{
    *out = NULL;
    return lacking_path(path, err);
}

sac_status sac_records_file_append(sac_records_file *file, const sac_meltpool_record *records,
                                   const sac_meltpool_truth *truth, int64_t n, sac_error *err)
{
    return lacking("records", err);
}

sac_status sac_records_file_commit(sac_records_file **file, sac_error *err)
{
    return lacking("records", err);
}

void sac_records_file_abort(sac_records_file **file)
{
}
