/*
 * What a build without libhdf5 says when HDF5 is asked for.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "io/image.h"
#include "io/recording.h"

static sac_status lacking(const char *name, sac_error *err)
{
    return sac_fail(err, SAC_E_UNSUPPORTED,
                    "%s: this build has no HDF5 (libhdf5 was not found when it was built)", name);
}

sac_status sac_hdf5_can_write(const char *name, sac_error *err)
{
    return lacking(name, err);
}

sac_status sac_hdf5_read_recording(sac_draft *draft, sac_error *err)
{
    return lacking(draft->name, err);
}

sac_status sac_hdf5_write_recording(sac_out *out, const sac_recording *recording,
                                    const sac_scatterer *truth, sac_error *err)
{
    (void)truth;
    (void)recording;
    return lacking(out->name, err);
}

sac_status sac_hdf5_write_image(sac_out *out, const sac_array *image, const sac_image_info *info,
                                sac_error *err)
{
    (void)image;
    (void)info;
    return lacking(out->name, err);
}

sac_status sac_hdf5_read_image(sac_image *image, const char *path, const char *name, uint64_t bytes,
                               sac_error *err)
{
    (void)image;
    (void)path;
    (void)bytes;
    return lacking(name, err);
}

void sac_hdf5_quiet(bool quiet)
{
    (void)quiet;
}
