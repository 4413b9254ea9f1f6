/*
 * Files of frames: what every build knows of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include <saccade/frames.h>

#include "io/frames/parts.h"
#include "io/recording/parts.h"

#define SIGNAL(name) #name, offsetof(sac_meltpool_signals, name), SAC_FRAMES_I32
#define TIME(name) #name, offsetof(sac_frames_times, name), SAC_FRAMES_I64
#define WHOLE(name) #name, offsetof(sac_meltpool_truth, name), SAC_FRAMES_I32
#define REAL(name) #name, offsetof(sac_meltpool_truth, name), SAC_FRAMES_F32

const sac_frames_part sac_signals_parts[] = {
    {SIGNAL(laser_on)}, {SIGNAL(counter)}, {SIGNAL(x)}, {SIGNAL(y)}, {0}};

const sac_frames_part sac_times_parts[] = {{TIME(arrival_ns)}, {TIME(done_ns)}, {0}};

const sac_frames_part sac_truth_parts[] = {{WHOLE(regime)},
                                           {WHOLE(layer)},
                                           {WHOLE(n_spatters)},
                                           {REAL(x)},
                                           {REAL(y)},
                                           {REAL(sigma_perp)},
                                           {REAL(sigma_par)},
                                           {REAL(tail)},
                                           {REAL(angle_rad)},
                                           {REAL(amplitude)},
                                           {REAL(power_w)},
                                           {REAL(width_m)},
                                           {REAL(depth_m)},
                                           {REAL(enthalpy)},
                                           {REAL(lof_density)},
                                           {REAL(keyhole_density)},
                                           {0}};

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

sac_status sac_frames_check(double rate_hz, const double (*calibration)[3], sac_error *err)
{
    if (!(rate_hz >= 0 && isfinite(rate_hz)))
        return sac_fail(err, SAC_E_INVALID, "rate_hz: expected frames/s, got %g", rate_hz);
    for (int i = 0; i < 6 && calibration; i++)
        if (!isfinite(calibration[i / 3][i % 3]))
            return sac_fail(err, SAC_E_INVALID, "calibration: expected 2 x 3 finite numbers");
    return SAC_OK;
}
