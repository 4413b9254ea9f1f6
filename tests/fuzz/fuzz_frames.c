/*
 * libFuzzer on the reader of frames in HDF5. The input says how a file departs from the schema
 * (fuzz_schema.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_recording.h"
#include "fuzz_schema.h"

#include <saccade/frames.h>

#define N 5
#define W 4
#define H 3
#define MOST 4096 /* frames and pixels that are read, of what a file claims */

/* A compound of n parts of 4 bytes, one after the other. To be closed. */
static hid_t parts(const char *const *names, int n, int n_whole)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, 4 * (size_t)n);
    for (int i = 0; i < n; i++)
        H5Tinsert(type, names[i], 4 * (size_t)i, i < n_whole ? H5T_STD_I32LE : H5T_IEEE_F32LE);
    return type;
}

/* Every frame that can be, one by one and all at once. */
static void read_all(sac_frames_in *in)
{
    static uint8_t frames[MOST];
    static sac_meltpool_signals signals[MOST];
    static sac_meltpool_truth truth[MOST];
    const sac_frames_info *info = sac_frames_get_info(in);
    sac_error err;
    if (info->n_frames < 1 || info->w < 1 || info->h < 1)
        abort();
    int64_t n = MOST / (info->w * info->h);
    n = n < info->n_frames ? n : info->n_frames;
    sac_status st = sac_frames_read(in, frames, info->has_signals ? signals : NULL,
                                    info->has_truth ? truth : NULL, info->n_frames - n, n, &err);
    if (st != SAC_OK && err.text[0] == '\0')
        abort();
    if (sac_frames_read(in, NULL, NULL, NULL, info->n_frames, 1, &err) != SAC_E_INVALID)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const signals[] = {"laser_on", "counter", "x", "y"};
    static const char *const truth[] = {
        "regime",    "layer",      "n_spatters",  "x",
        "y",         "sigma_perp", "sigma_par",   "tail",
        "angle_rad", "amplitude",  "power_w",     "width_m",
        "depth_m",   "enthalpy",   "lof_density", "keyhole_density"};
    static const uint8_t zeros[N * 64] = {0};
    static const hsize_t dims[] = {N, H, W};
    static const double one = 1, rate = 20000;
    input in = {data, data + size};
    begin_hdf5();
    hid_t file = H5Fcreate("x", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t matrix = H5Tarray_create2(H5T_IEEE_F64LE, 1, (const hsize_t[]){6});
    hid_t records = parts(signals, 4, 4), truths = parts(truth, 16, 3);
    put_attribute(file, "version", H5T_IEEE_F64LE, &one, &in);
    put_attribute(file, "rate_hz", H5T_IEEE_F64LE, &rate, &in);
    put_attribute(file, "seed", H5T_IEEE_F64LE, &one, &in);
    put_dataset(file, "frames", H5T_STD_U8LE, 3, dims, zeros, &in);
    put_dataset(file, "signals", records, 1, dims, zeros, &in);
    put_dataset(file, "truth", truths, 1, dims, zeros, &in);
    if (take(&in) % 2)
        put_attribute(file, "calibration", take(&in) % 2 ? matrix : H5T_IEEE_F64LE, zeros, &in);
    H5Tclose(matrix);
    H5Tclose(records);
    H5Tclose(truths);
    if (H5Fclose(file) < 0)
        abort();
    sac_frames_in *frames = NULL;
    sac_error err = {0};
    sac_status st = sac_frames_open(&frames, "x", &err);
    if ((st == SAC_OK) != (frames != NULL) || (st != SAC_OK && err.text[0] == '\0'))
        abort();
    if (frames)
        read_all(frames);
    sac_frames_close(&frames);
    return 0;
}
