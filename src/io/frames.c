/*
 * Files of frames: what every build knows of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <saccade/frames.h>

#include "io/recording.h"

void sac_frames_info_init(sac_frames_info *info)
{
    *info = (sac_frames_info){.struct_size = sizeof *info, .seed = -1};
}

sac_status sac_frames_can_write(const char *path, sac_error *err)
{
    if (!path)
        return sac_fail(err, SAC_E_INVALID, "path: is NULL");
    char name[SAC_IO_NAME];
    sac_io_name(name, path, "standard output");
    if (!sac_io_ends_with(path, ".h5") && !sac_io_ends_with(path, ".hdf5"))
        return sac_fail(err, SAC_E_INVALID, "%s: frames are written as .h5 or .hdf5", name);
    sac_status st = sac_hdf5_can_write(name, err);
    return st == SAC_OK ? sac_out_check(path, err) : st;
}
